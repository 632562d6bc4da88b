//! What a rejudging would change, or has changed: verdicts one by one, and with them ranks, points, first solutions and
//! awards, by the rules of the board itself. Looking changes nothing, and looking again finds out nothing anew until
//! something happens.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use super::rejudge::{RejudgeError, Selection};
use super::scoreboard::{JudgesBoard, groups_of, points_of};
use super::{Actor, Service, require_or_terminal};
use crate::domain::account::Role;
use crate::domain::hash::Sha256;
use crate::domain::ids::{ContestId, EventId, RejudgingId};
use crate::ranking::awards::{self, Honour};
use crate::ranking::difference::{Moved, difference};
use crate::ranking::icpc::{Attempt, Scoreboard, Scoring};
use crate::store::contest::{Contest, ContestProblem};
use crate::store::event;
use crate::store::rejudging::{self, Kept, Pair, Rejudging, RejudgingState};

/// So many rejudgings are kept as they were last looked at. One of a whole contest has megabytes.
const REMEMBERED: usize = 2;

/// A rejudging with all that it changes.
#[derive(Debug, Clone)]
pub struct Preview {
    /// The rejudging.
    pub rejudging: Rejudging,
    /// What was chosen.
    pub selection: Selection,
    /// The judgements that would change or have changed a verdict or a score, by submission.
    pub changes: Vec<Pair>,
    /// How many came out as before.
    pub same: usize,
    /// How many would not count.
    pub kept: Kept,
    /// The boards that change with it.
    pub boards: Arc<[BoardChange]>,
    /// Names exactly these changes: [`Service::apply_rejudging`] takes it.
    pub digest: String,
    /// The rejudging that was applied on top of this one, so that this one can't be undone before it.
    pub below: Option<RejudgingId>,
}

impl Preview {
    /// Whether everything is judged and nothing was decided.
    pub fn may_apply(&self) -> bool {
        self.rejudging.state == RejudgingState::Open && self.rejudging.done == self.rejudging.total
    }

    /// Whether it counts now and can be taken back.
    pub fn may_undo(&self) -> bool {
        let counts = self.rejudging.state == RejudgingState::Applied && self.rejudging.undone.is_none();
        counts && self.rejudging.preview && self.below.is_none()
    }
}

/// A contest's board before and after.
#[derive(Debug, Clone)]
pub struct BoardChange {
    /// The contest.
    pub contest: Contest,
    /// Its problems.
    pub problems: Vec<ContestProblem>,
    /// The teams that it shows differently. Judges' view: no freeze.
    pub moved: Vec<Moved>,
    /// How it ranks.
    pub scoring: Scoring,
    /// The awards that go to other teams, as if the contest ended with the board as it is.
    pub awards: Vec<AwardMove>,
}

/// An award that goes to other teams.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct AwardMove {
    /// Its id, as CLICS has it.
    pub id: String,
    /// Its name for programs.
    pub citation: String,
    /// What it is for.
    #[serde(skip)]
    pub honour: Honour,
    /// The names of the teams that have it now.
    pub won: Vec<String>,
    /// The names of those that had it.
    pub lost: Vec<String>,
}

/// The previews that were looked at last.
#[derive(Debug, Default)]
pub(super) struct Previews {
    newest_first: Mutex<VecDeque<Remembered>>,
}

/// Boards without and with a rejudging's changes, and what they were drawn from.
struct Drawn {
    boards: Arc<[BoardChange]>,
    /// The last event that changed each of them.
    at: Vec<(ContestId, EventId)>,
    /// Up to here all of them are.
    read_to: EventId,
}

/// A preview and what it was made from.
#[derive(Debug, Clone)]
struct Remembered {
    /// Nothing had happened after this event. Whatever a preview shows is written with one.
    read_to: EventId,
    /// The last event that changed each of its boards.
    boards_at: Vec<(ContestId, EventId)>,
    preview: Arc<Preview>,
}

impl Previews {
    fn of(&self, id: RejudgingId) -> Option<Remembered> {
        let remembered = self.newest_first.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.iter().find(|one| one.preview.rejudging.id == id).cloned()
    }

    fn remember(&self, new: Remembered) {
        let mut remembered = self.newest_first.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.retain(|one| one.preview.rejudging.id != new.preview.rejudging.id);
        remembered.push_front(new);
        remembered.truncate(REMEMBERED);
    }
}

/// Whether the boards in force have the changes already.
fn counts(rejudging: &Rejudging) -> bool {
    rejudging.state == RejudgingState::Applied && rejudging.undone.is_none()
}

impl Service {
    /// A rejudging and what it would change if it was applied now, or what it changed when it was.
    ///
    /// # Errors
    /// [`RejudgeError::NoSuchRejudging`], [`RejudgeError::Forbidden`] below judge.
    pub async fn rejudging(&self, actor: Option<&Actor>, id: RejudgingId) -> Result<Arc<Preview>, RejudgeError> {
        require_or_terminal(actor, Role::Judge)?;
        let mut tx = self.store.snapshot().await?;
        let read_to = event::last(&mut *tx).await?;
        let before = self.previews.of(id);
        if let Some(before) = before.as_ref().filter(|before| before.read_to == read_to) {
            return Ok(Arc::clone(&before.preview));
        }
        let rejudging = rejudging::by_id(&mut *tx, id).await?.ok_or(RejudgeError::NoSuchRejudging(id))?;
        let counts = counts(&rejudging);
        let pairs = match rejudging.state {
            RejudgingState::Dropped => Vec::new(),
            _ if counts => rejudging::applied_pairs(&mut *tx, id).await?,
            _ => rejudging::pairs(&mut *tx, id).await?,
        };
        let kept = match rejudging.state {
            RejudgingState::Open => rejudging::kept(&mut *tx, id).await?,
            _ => Kept { failed: 0, overtaken: 0 },
        };
        let below = if counts { rejudging::on_top(&mut *tx, id).await? } else { None };
        drop(tx);
        let digest = digest(&pairs);
        let judged = pairs.len();
        let changes: Vec<Pair> = pairs.into_iter().filter(Pair::differs).collect();
        let Drawn { boards, at, read_to } = self.boards_with(&changes, counts, before, read_to).await?;
        let selection = serde_json::from_str(&rejudging.scope).unwrap_or_default();
        let same = judged - changes.len();
        let preview = Arc::new(Preview { rejudging, selection, changes, same, kept, boards, digest, below });
        self.previews.remember(Remembered { read_to, boards_at: at, preview: Arc::clone(&preview) });
        Ok(preview)
    }

    /// The rejudgings before `before`, newest first.
    ///
    /// # Errors
    /// [`RejudgeError::Forbidden`] below judge.
    pub async fn rejudgings(
        &self,
        actor: Option<&Actor>,
        before: Option<RejudgingId>,
        limit: u32,
    ) -> Result<Vec<Rejudging>, RejudgeError> {
        require_or_terminal(actor, Role::Judge)?;
        Ok(rejudging::list(self.store.read(), before, limit).await?)
    }

    /// The boards without the changes, which were read up to an event, and with them; `counts`: the ones in force have the
    /// changes already. Nothing is ranked again if `before` was made of the same changes and boards.
    async fn boards_with(
        &self,
        changes: &[Pair],
        counts: bool,
        before: Option<Remembered>,
        mut read_to: EventId,
    ) -> Result<Drawn, RejudgeError> {
        let mut by_contest: BTreeMap<ContestId, Vec<Attempt>> = BTreeMap::new();
        for pair in changes {
            by_contest.entry(pair.contest_id).or_default().push(other_attempt(pair, counts));
        }
        let mut at = Vec::with_capacity(by_contest.len());
        for &contest in by_contest.keys() {
            let board = self.judges_board(contest).await?;
            at.push((contest, board.version));
            // It may be a moment behind what another process wrote.
            read_to = read_to.min(board.read_to);
        }
        let same = before.filter(|before| {
            let preview = &before.preview;
            before.boards_at == at && preview.changes == changes && self::counts(&preview.rejudging) == counts
        });
        if let Some(same) = same {
            return Ok(Drawn { boards: Arc::clone(&same.preview.boards), at, read_to });
        }
        let mut boards = Vec::new();
        for (contest, attempts) in by_contest {
            let (other, now) = (self.board_with(contest, &attempts).await?, self.judges_board(contest).await?);
            let (before, after) = if counts { (&other, &*now.scoreboard) } else { (&*now.scoreboard, &other) };
            boards.extend(board_change(&now, before, after));
        }
        Ok(Drawn { boards: boards.into(), at, read_to })
    }
}

/// A pair's submission with the judgement that the boards in force have not.
fn other_attempt(pair: &Pair, counts: bool) -> Attempt {
    let (verdict, score, groups) = if counts {
        (pair.before, pair.before_score, &pair.before_groups)
    } else {
        (pair.after, pair.after_score, &pair.after_groups)
    };
    Attempt {
        submission: pair.submission_id,
        team: pair.team_id,
        problem: pair.problem_id,
        submitted: pair.submitted,
        verdict,
        points: points_of(score, verdict),
        groups: groups_of(score, groups.as_ref()),
    }
}

/// What differs between two boards of a contest, if anything does.
fn board_change(now: &JudgesBoard, before: &Scoreboard, after: &Scoreboard) -> Option<BoardChange> {
    let moved = difference(before, after, now.scoring);
    if moved.is_empty() {
        return None;
    }
    // A contest without an end has no awards.
    let awards = match now.contest.duration_ms {
        Some(_) => awards::moved(&now.awards(before), &now.awards(after)),
        None => Vec::new(),
    };
    let name = |team| {
        let mut rows = after.rows.iter().chain(&before.rows);
        rows.find(|row| row.team == team).map(|row| row.name.to_string()).unwrap_or_default()
    };
    let awards = awards.into_iter().filter(|award| !award.id.starts_with("rank-")).map(|award| AwardMove {
        won: award.won.into_iter().map(name).collect(),
        lost: award.lost.into_iter().map(name).collect(),
        id: award.id,
        citation: award.honour.citation(),
        honour: award.honour,
    });
    let awards = awards.collect();
    let (contest, problems, scoring) = (now.contest.clone(), now.problems.clone(), now.scoring);
    Some(BoardChange { contest, problems, moved, scoring, awards })
}

/// Names exactly what a rejudging would put in whose place.
pub(super) fn digest(pairs: &[Pair]) -> String {
    let text: Vec<String> = pairs.iter().map(|pair| format!("{} {}", pair.before_id, pair.after_id)).collect();
    Sha256::of(text.join("\n").as_bytes()).to_string()
}
