//! Taking part in a past contest: a clock of one's own, ranked against the contest as it stood at the same moment. The
//! contest's own board, its list of teams and the API never see it.

use super::scoreboard::{BoardPage, attempt_of};
use super::{Actor, Service};
use crate::domain::contest::Phase;
use crate::domain::ids::TeamId;
use crate::domain::time::EpochMs;
use crate::ranking::ghost::{self, Latecomer};
use crate::ranking::icpc::{Attempt, View};
use crate::store::contest::{self, Access, Contest};
use crate::store::virtual_run::{self, Past, VirtualRun};
use crate::store::{StoreError, WriteTx};

/// Why somebody can't take part in a contest as if it were now. The sentences are for people.
#[derive(Debug, thiserror::Error)]
pub enum VirtualError {
    /// No such contest.
    #[error("there is no contest `{0}`")]
    NoSuchContest(String),
    /// It has no end, so there is no past to take part in.
    #[error("the contest has no end")]
    Endless,
    /// It isn't over.
    #[error("the contest is not over")]
    NotOver,
    /// Its board is still frozen: the ghosts would tell.
    #[error("the contest's board is still frozen")]
    Frozen,
    /// It is for invited teams.
    #[error("the contest is for invited teams only")]
    NotInvited,
    /// The account has no team.
    #[error("this account has no team to take part with")]
    NoTeam,
    /// The team was there.
    #[error("your team took part in the contest itself")]
    TookPart,
    /// The team has done so already.
    #[error("your team has taken part already")]
    Begun,
    /// Our own fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A past contest on a team's own clock.
#[derive(Debug, Clone)]
pub struct VirtualBoard {
    /// The board at this moment of the clock, with the team's row in it.
    pub page: BoardPage,
    /// The clock.
    pub run: VirtualRun,
    /// Whose.
    pub team: TeamId,
    /// What has passed on it, milliseconds; at most the contest's length.
    pub passed_ms: i64,
    /// Until when it runs.
    pub end: EpochMs,
}

impl Service {
    /// Begins to take part in a past contest.
    ///
    /// # Errors
    /// [`VirtualError`]: every variant but `Store` is for the page.
    pub async fn begin_virtual(&self, actor: &Actor, slug: &str, now: EpochMs) -> Result<VirtualRun, VirtualError> {
        let mut tx = self.store.begin_write().await?;
        let contest = contest::by_slug(&mut *tx, slug).await?;
        let contest = contest.ok_or_else(|| VirtualError::NoSuchContest(slug.to_owned()))?;
        let (team, end) = who_and_when(&contest, actor, now)?;
        check(&contest, virtual_run::past(&mut *tx, contest.id, team, end).await?)?;
        let run = virtual_run::insert(&mut tx, contest.id, team, now).await?;
        tx.commit().await?;
        Ok(run)
    }

    /// Whether the actor could begin now.
    ///
    /// # Errors
    /// As [`Service::begin_virtual`].
    pub async fn may_begin_virtual(&self, actor: &Actor, contest: &Contest, now: EpochMs) -> Result<(), VirtualError> {
        let (team, end) = who_and_when(contest, actor, now)?;
        check(contest, virtual_run::past(self.store.read(), contest.id, team, end).await?)
    }

    /// The board on the actor's own clock; `None` before they begin.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn virtual_board(
        &self,
        actor: &Actor,
        contest: &Contest,
        now: EpochMs,
    ) -> Result<Option<VirtualBoard>, StoreError> {
        let (Some(team), Some(duration)) = (actor.team_id, contest.duration_ms) else { return Ok(None) };
        let Some(run) = virtual_run::of_team(self.store.read(), contest.id, team).await? else { return Ok(None) };
        let facts = virtual_run::facts(self.store.read(), run.id).await?;
        let attempts: Vec<Attempt> = facts.iter().map(attempt_of).collect();
        let late = Latecomer { team, name: &actor.display_name, start: run.start, attempts: &attempts };
        let passed_ms = now.since(run.start).clamp(0, duration);
        let at = run.start.plus_ms(passed_ms);
        let (mut page, scoreboard) =
            self.board_and(contest.id, now, |board| ghost::scoreboard(board, &late, at)).await?;
        page.scoreboard = scoreboard.into();
        // One viewer's: no rendering of it is kept.
        page.view = View::Team(team);
        Ok(Some(VirtualBoard { page, run, team, passed_ms, end: run.start.plus_ms(duration) }))
    }
}

/// The team's clock in this contest, while it runs.
pub(super) async fn running(
    tx: &mut WriteTx,
    contest: &Contest,
    team: TeamId,
    now: EpochMs,
) -> Result<Option<VirtualRun>, StoreError> {
    let run = virtual_run::of_team(&mut **tx, contest.id, team).await?;
    let runs = |run: &VirtualRun| contest.duration_ms.is_some_and(|duration| now < run.start.plus_ms(duration));
    Ok(run.filter(runs))
}

/// The team that would begin, and when the contest itself ended.
fn who_and_when(contest: &Contest, actor: &Actor, now: EpochMs) -> Result<(TeamId, EpochMs), VirtualError> {
    let end = contest.times().end().ok_or(VirtualError::Endless)?;
    if contest.times().phase(now) != Phase::Ended {
        return Err(VirtualError::NotOver);
    }
    if contest.frozen_from().is_some() {
        return Err(VirtualError::Frozen);
    }
    Ok((actor.team_id.ok_or(VirtualError::NoTeam)?, end))
}

fn check(contest: &Contest, past: Past) -> Result<(), VirtualError> {
    if contest.access == Access::Invitation && !past.invited {
        return Err(VirtualError::NotInvited);
    }
    if past.begun {
        return Err(VirtualError::Begun);
    }
    if past.took_part { Err(VirtualError::TookPart) } else { Ok(()) }
}
