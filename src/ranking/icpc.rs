//! ICPC ranking: problems solved, then total time, then the minute of the last accepted; with the freeze. The same board
//! ranks by points (IOI) where the contest gives points: the sum of each problem's best, equals sharing a rank. A problem's
//! best is its best submission or, if the contest says so, the best of each test group, whichever submissions they are of.
//!
//! A [`Board`] takes what is known of each submission in any order, again whenever it changes (a verdict, a rejudge),
//! and gives the [`Scoreboard`] as one audience sees it. It depends only on what is known at last of each submission,
//! not on the order in which that was learnt.

mod team;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::domain::ids::{ProblemId, SubmissionId, TeamId};
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;
use team::TeamState;

const MINUTE_MS: i64 = 60_000;

/// What is ranked by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scoring {
    /// ICPC: problems solved, then penalty.
    #[default]
    PassFail,
    /// IOI: points.
    Score,
}

/// What a contest says about its ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// When the contest starts.
    pub start: EpochMs,
    /// How long it lasts, milliseconds; `None`: it never ends.
    pub duration_ms: Option<i64>,
    /// From when on others' submissions are shown as pending; `None`: nothing is hidden.
    pub frozen_from: Option<EpochMs>,
    /// What a rejected try costs once the problem is solved, minutes.
    pub penalty_minutes: i64,
    /// What is ranked by.
    pub scoring: Scoring,
    /// Whose points count, where points are ranked by.
    pub points_from: PointsFrom,
}

/// What a problem's points are the best of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PointsFrom {
    /// Its submissions.
    #[default]
    Submissions,
    /// Its test groups: the sum of the best of each, but never less than the best submission.
    Groups,
}

impl Rules {
    /// Before the start, at and after the end, nothing counts.
    fn counts(&self, submitted: EpochMs) -> bool {
        let passed = submitted.since(self.start);
        passed >= 0 && self.duration_ms.is_none_or(|duration| passed < duration)
    }

    /// Whole minutes of the contest, rounded down.
    fn minute(&self, (submitted, _): Moment) -> i64 {
        submitted.since(self.start) / MINUTE_MS
    }
}

/// What a submission got in one test group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupPoints {
    /// The group.
    pub name: String,
    /// Thousandths.
    pub points: i64,
}

/// What is known of one submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The submission.
    pub submission: SubmissionId,
    /// Whose.
    pub team: TeamId,
    /// For which problem.
    pub problem: ProblemId,
    /// When it was handed in; when judging ended is of no matter.
    pub submitted: EpochMs,
    /// The verdict that counts; `None` while there is none.
    pub verdict: Option<Verdict>,
    /// Its points, thousandths; 0 where the problem gives none.
    pub points: i64,
    /// The groups that these points are the sum of; empty where they aren't a sum, or groups don't matter.
    pub groups: Vec<GroupPoints>,
}

/// Who looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum View {
    /// Anybody: the freeze holds.
    Public,
    /// A team: the freeze holds for all rows but its own.
    Team(TeamId),
    /// The staff: there is no freeze.
    Judges,
}

/// A ranked board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scoreboard {
    /// The problems, in the order of each row's cells.
    pub problems: Vec<ProblemId>,
    /// The rows, best first.
    pub rows: Vec<Row>,
}

/// A team's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its rank, from 1; equals share one, and the next ones stay empty.
    pub rank: u32,
    /// The team.
    pub team: TeamId,
    /// Its name.
    pub name: Arc<str>,
    /// CLICS `num_solved`.
    pub num_solved: u32,
    /// CLICS `total_time`, minutes, penalties included.
    pub total_time: i64,
    /// CLICS `time` of the score: minute of the last accepted; `None` at 0 solved.
    pub last_solved: Option<i64>,
    /// CLICS `score`: the sum of the cells' points, thousandths.
    pub points: i64,
    /// A cell for each problem; boards of the same teams share them.
    pub cells: Arc<[Cell]>,
}

/// A team's standing with one problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Judged submissions up to the accepted one; CE isn't among them.
    pub num_judged: u32,
    /// Submissions without a verdict that this audience may know.
    pub num_pending: u32,
    /// The minute of the accepted one.
    pub solved_at: Option<i64>,
    /// Whether nobody solved it earlier, and nobody still can have.
    pub first_to_solve: bool,
    /// The best submission's points, or those of the best of each group, thousandths.
    pub points: i64,
    /// The minute of the submission that brought them, once there is a judged one.
    pub scored_at: Option<i64>,
}

impl Cell {
    /// CLICS `solved`.
    pub const fn solved(&self) -> bool {
        self.solved_at.is_some()
    }
}

/// When a submission came; ids settle what came in the same millisecond.
type Moment = (EpochMs, SubmissionId);

/// A contest's board, kept up to date submission by submission.
#[derive(Debug, Clone)]
pub struct Board {
    rules: Rules,
    problems: Vec<ProblemId>,
    index: HashMap<ProblemId, usize>,
    teams: BTreeMap<TeamId, TeamState>,
}

impl Board {
    /// A board of these problems, in this order, without rows.
    pub fn new(rules: Rules, problems: Vec<ProblemId>) -> Self {
        let index = problems.iter().enumerate().map(|(index, &problem)| (problem, index)).collect();
        Self { rules, problems, index, teams: BTreeMap::new() }
    }

    /// Gives a team a row, also when it has submitted nothing. Hidden teams are never named.
    pub fn name_team(&mut self, team: TeamId, name: &str) {
        let state = self.team(team);
        if state.name.as_deref() != Some(name) {
            state.name = Some(name.into());
        }
    }

    /// Takes what is known of a submission now. Submissions outside the contest's time, or for problems that the
    /// contest doesn't have, change nothing.
    pub fn apply(&mut self, attempt: Attempt) {
        let Some(&index) = self.index.get(&attempt.problem) else { return };
        let rules = self.rules;
        if !rules.counts(attempt.submitted) {
            return;
        }
        self.team(attempt.team).take(index, attempt, &rules);
    }

    /// The board as this audience would see it if these were known of the submissions. It is afterwards as it was; a
    /// copy of a large one costs more than drawing it.
    pub fn scoreboard_with(&mut self, attempts: &[Attempt], view: View) -> Scoreboard {
        let mut before: BTreeMap<TeamId, Option<TeamState>> = BTreeMap::new();
        for attempt in attempts {
            before.entry(attempt.team).or_insert_with(|| self.teams.get(&attempt.team).cloned());
            self.apply(attempt.clone());
        }
        let scoreboard = self.scoreboard(view);
        for (team, state) in before {
            match state {
                Some(state) => self.teams.insert(team, state),
                None => self.teams.remove(&team),
            };
        }
        scoreboard
    }

    /// The same board with another moment of freeze.
    #[must_use]
    pub fn frozen_from(&self, frozen_from: Option<EpochMs>) -> Self {
        let mut board = self.clone();
        board.rules.frozen_from = frozen_from;
        board.teams.values_mut().for_each(|team| team.judge_again(&board.rules));
        board
    }

    /// What it is ranked by.
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// The same board without what was handed in after this moment.
    #[must_use]
    pub fn until(&self, moment: EpochMs) -> Self {
        let mut board = self.clone();
        board.teams.values_mut().for_each(|team| team.forget_after(moment, &board.rules));
        board
    }

    fn team(&mut self, team: TeamId) -> &mut TeamState {
        let (width, rules) = (self.problems.len(), &self.rules);
        self.teams.entry(team).or_insert_with(|| TeamState::new(width, rules))
    }

    /// The board as this audience sees it.
    pub fn scoreboard(&self, view: View) -> Scoreboard {
        let open = |team: TeamId| match view {
            View::Judges => true,
            View::Team(own) => own == team,
            View::Public => false,
        };
        let named = || self.teams.iter().filter_map(|(&team, state)| Some((team, state.name.as_ref()?, state)));
        // In the order of teams until they are ranked.
        let mut rows: Vec<Row> = named().map(|(team, name, state)| state.row(team, name, open(team))).collect();
        let first = self.first_to_solve(named().map(|(team, _, state)| (team, open(team), state)));
        for (column, team) in first.into_iter().enumerate() {
            let at = team.and_then(|team| rows.binary_search_by_key(&team, |row| row.team).ok());
            if let Some(cell) = at.and_then(|at| Arc::make_mut(&mut rows[at].cells).get_mut(column)) {
                cell.first_to_solve = true;
            }
        }
        rank(&mut rows, self.rules.scoring);
        Scoreboard { problems: self.problems.clone(), rows }
    }

    /// For each problem who solved it first, unless something earlier is still undecided.
    fn first_to_solve<'a>(&self, teams: impl Iterator<Item = (TeamId, bool, &'a TeamState)>) -> Vec<Option<TeamId>> {
        let mut solved: Vec<Option<(Moment, TeamId)>> = vec![None; self.problems.len()];
        let mut pending: Vec<Option<Moment>> = vec![None; self.problems.len()];
        for (team, open, state) in teams {
            for ((solved, pending), score) in solved.iter_mut().zip(&mut pending).zip(state.scores(open)) {
                if let Some(moment) = score.solved
                    && solved.is_none_or(|(first, _)| moment < first)
                {
                    *solved = Some((moment, team));
                }
                if let Some(moment) = score.first_pending
                    && pending.is_none_or(|first| moment < first)
                {
                    *pending = Some(moment);
                }
            }
        }
        let certain = |(solved, pending): (Option<(Moment, TeamId)>, Option<Moment>)| {
            solved.filter(|(solved, _)| pending.is_none_or(|pending| *solved < pending)).map(|(_, team)| team)
        };
        solved.into_iter().zip(pending).map(certain).collect()
    }
}

/// What decides the order, best first.
type Standing = (Reverse<i64>, i64, Option<i64>);

fn standing(row: &Row, scoring: Scoring) -> Standing {
    match scoring {
        Scoring::PassFail => (Reverse(i64::from(row.num_solved)), row.total_time, row.last_solved),
        Scoring::Score => (Reverse(row.points), 0, None),
    }
}

/// Sorts the rows, equals by name, and gives them their ranks.
pub(super) fn rank(rows: &mut [Row], scoring: Scoring) {
    rows.sort_by(|a, b| {
        let order = standing(a, scoring).cmp(&standing(b, scoring));
        order.then_with(|| a.name.cmp(&b.name)).then(a.team.cmp(&b.team))
    });
    let mut last: Option<(Standing, u32)> = None;
    for (place, row) in (1_u32..).zip(rows) {
        let mine = standing(row, scoring);
        row.rank = match last {
            Some((standing, rank)) if standing == mine => rank,
            _ => place,
        };
        last = Some((mine, row.rank));
    }
}

#[cfg(test)]
mod tests;
