//! What is known of one team: its tries problem by problem, what they come to with and without the freeze, and the sums of
//! its row. Must not know: other teams.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Attempt, Cell, GroupPoints, Moment, PointsFrom, Row, Rules, Scoring};
use crate::domain::ids::TeamId;
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;

/// A cell as computed for one lens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Score {
    judged: u32,
    pending: u32,
    rejected: u32,
    pub(super) solved: Option<Moment>,
    pub(super) first_pending: Option<Moment>,
    points: i64,
    scored: Option<Moment>,
}

impl Score {
    /// Goes through tries in time order; where points don't count, up to the first accepted one.
    fn of(tries: &[Try], hidden_from: Option<EpochMs>, rules: &Rules) -> Self {
        let mut score = Self::default();
        let mut best = BestGroups::default();
        let by_group = rules.scoring == Scoring::Score && rules.points_from == PointsFrom::Groups;
        for one in tries {
            let hidden = hidden_from.is_some_and(|from| one.moment.0 >= from);
            match one.verdict.filter(|_| !hidden) {
                None | Some(Verdict::JudgingError) => {
                    score.pending += 1;
                    score.first_pending = score.first_pending.or(Some(one.moment));
                }
                Some(verdict) if verdict.solved() => {
                    score.judge(one, by_group.then_some(&mut best));
                    score.solved = score.solved.or(Some(one.moment));
                    if rules.scoring == Scoring::PassFail {
                        break;
                    }
                }
                Some(verdict) if verdict.penalty() => {
                    score.judge(one, by_group.then_some(&mut best));
                    score.rejected += u32::from(score.solved.is_none());
                }
                Some(_) => {}
            }
        }
        score
    }

    fn cell(&self, rules: &Rules) -> Cell {
        Cell {
            num_judged: self.judged,
            num_pending: self.pending,
            solved_at: self.solved.map(|moment| rules.minute(moment)),
            first_to_solve: false,
            points: self.points,
            scored_at: self.scored.map(|moment| rules.minute(moment)),
        }
    }

    fn judge<'a>(&mut self, one: &'a Try, best: Option<&mut BestGroups<'a>>) {
        self.judged += 1;
        let points = best.map_or(one.points, |best| best.with(&one.groups).max(one.points));
        if self.scored.is_none() || points > self.points {
            (self.points, self.scored) = (points, Some(one.moment));
        }
    }
}

/// The best of each group so far.
#[derive(Debug, Default)]
struct BestGroups<'a>(BTreeMap<&'a str, i64>);

impl<'a> BestGroups<'a> {
    /// Their sum, these taken in.
    fn with(&mut self, groups: &'a [GroupPoints]) -> i64 {
        for group in groups {
            let best = self.0.entry(&group.name).or_insert(group.points);
            *best = group.points.max(*best);
        }
        self.0.values().sum()
    }
}

#[derive(Debug, Clone)]
struct Try {
    moment: Moment,
    verdict: Option<Verdict>,
    points: i64,
    groups: Vec<GroupPoints>,
}

#[derive(Debug, Clone, Default)]
struct CellState {
    /// In time order.
    tries: Vec<Try>,
    open: Score,
    frozen: Score,
}

#[derive(Debug, Clone)]
pub(super) struct TeamState {
    /// `None` until the team is named: then it has no row.
    pub(super) name: Option<Arc<str>>,
    cells: Vec<CellState>,
    open: Sums,
    frozen: Sums,
}

/// What a row shows but for its rank and who was first: kept, so that a change of one team costs one row.
#[derive(Debug, Clone)]
struct Sums {
    num_solved: u32,
    total_time: i64,
    last_solved: Option<i64>,
    points: i64,
    cells: Arc<[Cell]>,
}

impl Sums {
    fn of<'a>(scores: impl Iterator<Item = &'a Score> + Clone, rules: &Rules) -> Self {
        let cells = scores.clone().map(|score| score.cell(rules)).collect();
        let mut sums = Self { num_solved: 0, total_time: 0, last_solved: None, points: 0, cells };
        sums.add_up(scores, rules);
        sums
    }

    /// The same after one cell changed.
    fn change<'a>(&mut self, index: usize, scores: impl Iterator<Item = &'a Score> + Clone, rules: &Rules) {
        if let (Some(cell), Some(score)) = (Arc::make_mut(&mut self.cells).get_mut(index), scores.clone().nth(index)) {
            *cell = score.cell(rules);
        }
        self.add_up(scores, rules);
    }

    fn add_up<'a>(&mut self, scores: impl Iterator<Item = &'a Score>, rules: &Rules) {
        (self.num_solved, self.total_time, self.last_solved, self.points) = (0, 0, None, 0);
        for score in scores {
            self.points += score.points;
            if let Some(moment) = score.solved {
                let minute = rules.minute(moment);
                self.num_solved += 1;
                self.total_time += minute + rules.penalty_minutes * i64::from(score.rejected);
                self.last_solved = self.last_solved.max(Some(minute));
            }
        }
    }
}

impl TeamState {
    /// Nobody yet, with so many problems.
    pub(super) fn new(width: usize, rules: &Rules) -> Self {
        let cells = vec![CellState::default(); width];
        let sums = Sums::of(cells.iter().map(|cell| &cell.open), rules);
        Self { name: None, cells, open: sums.clone(), frozen: sums }
    }

    /// Takes what is known of a submission for the problem at `index`.
    pub(super) fn take(&mut self, index: usize, attempt: Attempt, rules: &Rules) {
        let Some(cell) = self.cells.get_mut(index) else { return };
        let moment = (attempt.submitted, attempt.submission);
        let new = Try { moment, verdict: attempt.verdict, points: attempt.points, groups: attempt.groups };
        match cell.tries.binary_search_by_key(&new.moment, |one| one.moment) {
            Ok(at) => cell.tries[at] = new,
            Err(at) => cell.tries.insert(at, new),
        }
        cell.judge(rules);
        self.sum_one(index, rules);
    }

    /// Takes its tries as other rules have them.
    pub(super) fn judge_again(&mut self, rules: &Rules) {
        self.cells.iter_mut().for_each(|cell| cell.judge(rules));
        self.sum(rules);
    }

    /// Forgets what was handed in after this moment.
    pub(super) fn forget_after(&mut self, moment: EpochMs, rules: &Rules) {
        for cell in &mut self.cells {
            let kept = cell.tries.partition_point(|one| one.moment.0 <= moment);
            if kept < cell.tries.len() {
                cell.tries.truncate(kept);
                cell.judge(rules);
            }
        }
        self.sum(rules);
    }

    /// What each problem came to, with the freeze or without.
    pub(super) fn scores(&self, open: bool) -> impl Iterator<Item = &Score> {
        self.cells.iter().map(move |cell| if open { &cell.open } else { &cell.frozen })
    }

    /// Brings the sums up to date with all cells.
    fn sum(&mut self, rules: &Rules) {
        self.open = Sums::of(self.cells.iter().map(|cell| &cell.open), rules);
        self.frozen = Sums::of(self.cells.iter().map(|cell| &cell.frozen), rules);
    }

    /// The same with one cell.
    fn sum_one(&mut self, index: usize, rules: &Rules) {
        self.open.change(index, self.cells.iter().map(|cell| &cell.open), rules);
        self.frozen.change(index, self.cells.iter().map(|cell| &cell.frozen), rules);
    }

    /// Its row without a rank, with the freeze or without.
    pub(super) fn row(&self, team: TeamId, name: &Arc<str>, open: bool) -> Row {
        let Sums { num_solved, total_time, last_solved, points, cells } = if open { &self.open } else { &self.frozen };
        Row {
            rank: 0,
            team,
            name: Arc::clone(name),
            num_solved: *num_solved,
            total_time: *total_time,
            last_solved: *last_solved,
            points: *points,
            cells: Arc::clone(cells),
        }
    }
}

impl CellState {
    fn judge(&mut self, rules: &Rules) {
        self.open = Score::of(&self.tries, None, rules);
        self.frozen = Score::of(&self.tries, rules.frozen_from, rules);
    }
}
