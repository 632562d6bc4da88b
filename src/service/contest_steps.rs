//! What moves a contest's clock and its state: start, pause, extend, end, finalize, thaw.

use super::contests::{ContestError, NotNow, Seen, find};
use super::{Actor, Service, record, require_or_terminal};
use crate::domain::account::Role;
use crate::domain::contest::Phase;
use crate::domain::time::EpochMs;
use crate::store::contest::Contest;
use crate::store::contest_setting::{self, Open, Times};

/// A step in a contest's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It starts in so many milliseconds; 0: now.
    Start(i64),
    /// Its clock stands still: the countdown's, or, while it runs, the contest's, and nothing is taken.
    Pause,
    /// Its clock goes on; what was lost is added.
    Resume,
    /// It lasts so many milliseconds longer.
    Extend(i64),
    /// It ends now.
    End,
    /// Its result is final.
    Finalize,
    /// The frozen board opens for all.
    Thaw,
}

impl Step {
    /// As the log calls it.
    const fn act(self) -> &'static str {
        match self {
            Self::Start(_) => "contest.start",
            Self::Pause => "contest.pause",
            Self::Resume => "contest.resume",
            Self::Extend(_) => "contest.extend",
            Self::End => "contest.end",
            Self::Finalize => "contest.finalize",
            Self::Thaw => "contest.thaw",
        }
    }
}

impl Service {
    /// Takes a step.
    ///
    /// # Errors
    /// [`ContestError::NotNow`] when the contest's state doesn't allow it; the other variants but `Store` are for the
    /// form, too.
    pub async fn step_contest(
        &self,
        actor: Option<&Actor>,
        seen: Seen<'_>,
        step: Step,
        now: EpochMs,
    ) -> Result<(), ContestError> {
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.begin_write().await?;
        let contest = find(&mut tx, seen).await?;
        if contest.is_practice() {
            return Err(ContestError::Practice);
        }
        let open = match (step, contest.times().end()) {
            (Step::Finalize, Some(end)) => contest_setting::open(&mut *tx, contest.id, end).await?,
            _ => Open::default(),
        };
        let times = after(&contest, step, open, now)?;
        contest_setting::set_times(&mut tx, contest.id, times, now).await?;
        let (before, then) = (format!("{:?}", times_of(&contest)), format!("{times:?}"));
        record(&mut tx, actor, step.act(), seen.slug, Some(&before), Some(&then), now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// What stands against making a contest's result final.
    ///
    /// # Errors
    /// [`crate::store::StoreError`].
    pub async fn undecided(&self, contest: &Contest) -> Result<Open, crate::store::StoreError> {
        let end = contest.times().end().unwrap_or(EpochMs(i64::MAX));
        contest_setting::open(self.store.read(), contest.id, end).await
    }
}

const fn times_of(contest: &Contest) -> Times {
    Times {
        start: contest.start,
        duration_ms: contest.duration_ms,
        freeze_ms: contest.freeze_ms,
        paused: contest.paused,
        finalized: contest.finalized,
        thawed: contest.thawed,
    }
}

fn after(contest: &Contest, step: Step, open: Open, now: EpochMs) -> Result<Times, NotNow> {
    let old = times_of(contest);
    if contest.finalized.is_some() && step != Step::Thaw {
        return Err(NotNow::Finalized);
    }
    let phase = contest.times().phase(now);
    match step {
        Step::Start(in_ms) => match phase {
            Phase::Before => Ok(Times { start: now.plus_ms(in_ms.max(0)), paused: None, ..old }),
            _ => Err(NotNow::Begun),
        },
        Step::Pause => match (phase, old.paused) {
            (_, Some(_)) => Err(NotNow::Paused),
            (Phase::Ended, _) => Err(NotNow::Over),
            _ => Ok(Times { paused: Some(now), ..old }),
        },
        Step::Resume => {
            let paused = old.paused.ok_or(NotNow::NotPaused)?;
            let lost = now.since(paused).max(0);
            let going = Times { paused: None, ..old };
            Ok(match phase {
                Phase::Before => Times { start: old.start.plus_ms(lost), ..going },
                _ => longer(contest, going, lost, paused),
            })
        }
        Step::Extend(by_ms) => match (phase, old.duration_ms) {
            (_, None) => Err(NotNow::Endless),
            (Phase::Ended, _) => Err(NotNow::Over),
            _ => Ok(longer(contest, old, by_ms.max(0), now)),
        },
        Step::End => match phase {
            Phase::Before => Err(NotNow::NotBegun),
            Phase::Ended => Err(NotNow::Over),
            Phase::Running => Ok(ended(contest, old, contest.times().clock(now))),
        },
        Step::Finalize => match phase {
            _ if open != Open::default() => Err(NotNow::Undecided(open)),
            Phase::Ended => Ok(Times { finalized: Some(now), ..old }),
            _ => Err(NotNow::NotOver),
        },
        Step::Thaw => match phase {
            Phase::Ended if contest.frozen_from().is_some() => Ok(Times { thawed: Some(now), ..old }),
            Phase::Ended => Err(NotNow::NotFrozen),
            _ => Err(NotNow::NotOver),
        },
    }
}

/// A freeze that has begun goes on from where it began; one that lies ahead moves along with the end.
fn longer(contest: &Contest, old: Times, by_ms: i64, at: EpochMs) -> Times {
    let begun = contest.times().freeze().is_some_and(|from| at >= from);
    Times {
        duration_ms: old.duration_ms.map(|duration| duration + by_ms),
        freeze_ms: old.freeze_ms.map(|freeze| if begun { freeze + by_ms } else { freeze }),
        ..old
    }
}

/// What was shown before an early end stays shown: the freeze begins when it would have begun, or not at all.
fn ended(contest: &Contest, old: Times, at: EpochMs) -> Times {
    let duration = at.since(old.start).max(1);
    let freeze_ms = contest.times().freeze().map(|from| at.since(from)).filter(|freeze| *freeze > 0);
    Times { duration_ms: Some(duration), freeze_ms: freeze_ms.map(|freeze| freeze.min(duration)), paused: None, ..old }
}
