//! A contest's problem list with how the teams fare, read off the scoreboard in memory.

use super::{Actor, Service, visibility};
use crate::domain::contest::Phase;
use crate::domain::time::EpochMs;
use crate::ranking::icpc::Cell;
use crate::store::contest::{self, Contest, ContestProblem};
use crate::store::problem::{self, ProblemPage, PublishedProblem};
use crate::store::{StoreError, contest_setting};

/// How far a team got with a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Nothing handed in that counts.
    Untried,
    /// Tried, not solved.
    Tried,
    /// Solved.
    Solved,
}

/// A line of a contest's problem list, cut to what the viewer may see.
#[derive(Debug, Clone, PartialEq)]
pub struct ProblemRow {
    /// The problem itself.
    pub problem: PublishedProblem,
    /// How many teams tried it.
    pub teams_tried: usize,
    /// How many of them solved it; during a freeze, as far as the viewer may know.
    pub teams_solved: usize,
    /// How far the viewer's team got.
    pub progress: Progress,
}

impl Service {
    /// The problems of a contest with their letters, in order; none for contestants before the start.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn contest_problems(
        &self,
        viewer: Option<&Actor>,
        contest: &Contest,
        now: EpochMs,
    ) -> Result<Vec<ContestProblem>, StoreError> {
        if contest.times().phase(now) == Phase::Before && !visibility::is_judge(viewer) {
            return Ok(Vec::new());
        }
        contest::problems(self.store.read(), contest.id).await
    }

    /// A problem's page, once a contest that has it has begun; for setters always.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn problem_page(
        &self,
        viewer: Option<&Actor>,
        slug: &str,
        now: EpochMs,
    ) -> Result<Option<ProblemPage>, StoreError> {
        let Some(page) = problem::page(self.store.read(), slug).await? else { return Ok(None) };
        let known =
            visibility::may_see_tests(viewer) || contest_setting::is_revealed(self.store.read(), page.id, now).await?;
        Ok(known.then_some(page))
    }

    /// The published problems of a contest, in order; empty for contestants before the start. `None` when there is no
    /// such contest.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn problem_list(
        &self,
        contest_slug: &str,
        viewer: Option<&Actor>,
        now: EpochMs,
    ) -> Result<Option<Vec<ProblemRow>>, StoreError> {
        let Some(board) = self.board(contest_slug, viewer, now).await? else { return Ok(None) };
        if board.problems.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let published = problem::published(self.store.read(), board.contest.id).await?;
        let own = viewer.and_then(|viewer| viewer.team_id);
        let rows = published.into_iter().map(|problem| {
            let column = board.scoreboard.problems.iter().position(|&id| id == problem.id);
            let mut row = ProblemRow { problem, teams_tried: 0, teams_solved: 0, progress: Progress::Untried };
            for team in &board.scoreboard.rows {
                let progress = column.and_then(|column| team.cells.get(column)).map_or(Progress::Untried, progress);
                row.teams_tried += usize::from(progress != Progress::Untried);
                row.teams_solved += usize::from(progress == Progress::Solved);
                if own == Some(team.team) {
                    row.progress = progress;
                }
            }
            row
        });
        Ok(Some(rows.collect()))
    }
}

const fn progress(cell: &Cell) -> Progress {
    match (cell.solved(), cell.num_judged + cell.num_pending) {
        (true, _) => Progress::Solved,
        (false, 0) => Progress::Untried,
        (false, _) => Progress::Tried,
    }
}
