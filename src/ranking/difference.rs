//! What changed between two boards of one contest: ranks, solved problems, penalty, and who was first.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::icpc::{Row, Scoreboard, Scoring};
use crate::domain::ids::{ProblemId, TeamId};

/// Where a team stands on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Standing {
    /// Its rank, from 1.
    pub rank: u32,
    /// CLICS `num_solved`.
    pub num_solved: u32,
    /// CLICS `total_time`, minutes.
    pub total_time: i64,
    /// CLICS `score`, thousandths; 0 where points don't count.
    pub points: i64,
}

impl Standing {
    fn of(row: &Row, scoring: Scoring) -> Self {
        let points = match scoring {
            Scoring::PassFail => 0,
            Scoring::Score => row.points,
        };
        Self { rank: row.rank, num_solved: row.num_solved, total_time: row.total_time, points }
    }
}

/// A team that the two boards show differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The team.
    pub team: TeamId,
    /// Its name.
    pub name: Arc<str>,
    /// Where it stood; `None`: it had no row.
    pub before: Option<Standing>,
    /// Where it stands; `None`: it has no row.
    pub after: Option<Standing>,
    /// Problems that it is now the first to solve.
    pub firsts_won: Vec<ProblemId>,
    /// Problems that it is no longer the first to solve.
    pub firsts_lost: Vec<ProblemId>,
}

/// The teams whose rank, solved problems, penalty, points or first solutions differ, in the order of the board
/// afterwards; teams that have no row there come last. Both boards are of the same problems.
pub fn difference(before: &Scoreboard, after: &Scoreboard, scoring: Scoring) -> Vec<Moved> {
    let mut old: BTreeMap<TeamId, &Row> = before.rows.iter().map(|row| (row.team, row)).collect();
    let mut moved: Vec<Moved> = after
        .rows
        .iter()
        .filter_map(|row| of_team(&after.problems, old.remove(&row.team), Some(row), scoring))
        .collect();
    // What is left had a row only before.
    let gone = before.rows.iter().filter(|row| old.contains_key(&row.team));
    moved.extend(gone.filter_map(|row| of_team(&before.problems, Some(row), None, scoring)));
    moved
}

fn of_team(problems: &[ProblemId], before: Option<&Row>, after: Option<&Row>, scoring: Scoring) -> Option<Moved> {
    let row = after.or(before)?;
    let firsts = |row: Option<&Row>| -> Vec<bool> {
        (0..problems.len()).map(|at| row.and_then(|row| row.cells.get(at)).is_some_and(|c| c.first_to_solve)).collect()
    };
    let (old, new) = (firsts(before), firsts(after));
    let which = |wanted: &[bool], other: &[bool]| -> Vec<ProblemId> {
        problems.iter().zip(wanted.iter().zip(other)).filter(|(_, (a, b))| **a && !**b).map(|(id, _)| *id).collect()
    };
    let moved = Moved {
        team: row.team,
        name: Arc::clone(&row.name),
        before: before.map(|row| Standing::of(row, scoring)),
        after: after.map(|row| Standing::of(row, scoring)),
        firsts_won: which(&new, &old),
        firsts_lost: which(&old, &new),
    };
    let differs = moved.before != moved.after || !moved.firsts_won.is_empty() || !moved.firsts_lost.is_empty();
    differs.then_some(moved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::SubmissionId;
    use crate::domain::time::EpochMs;
    use crate::domain::verdict::Verdict::{self, Accepted, WrongAnswer};
    use crate::ranking::icpc::{Attempt, Board, PointsFrom, Rules, Scoring, View};

    fn board(verdicts: &[(i64, i64, i64, Verdict)]) -> Board {
        let rules = Rules {
            start: EpochMs(0),
            duration_ms: None,
            frozen_from: None,
            penalty_minutes: 20,
            scoring: Scoring::PassFail,
            points_from: PointsFrom::default(),
        };
        let mut board = Board::new(rules, vec![ProblemId(1), ProblemId(2)]);
        for (index, &(team, problem, minute, verdict)) in (1..).zip(verdicts) {
            board.name_team(TeamId(team), &format!("team {team}"));
            board.apply(Attempt {
                submission: SubmissionId(index),
                team: TeamId(team),
                problem: ProblemId(problem),
                submitted: EpochMs(minute * 60_000),
                verdict: Some(verdict),
                points: 0,
                groups: Vec::new(),
            });
        }
        board
    }

    fn standing(rank: u32, num_solved: u32, total_time: i64) -> Standing {
        Standing { rank, num_solved, total_time, points: 0 }
    }

    #[test]
    fn one_verdict_moves_several_teams_and_a_first_solve() {
        let tries = [(1, 1, 10, Accepted), (2, 1, 20, Accepted), (3, 2, 5, Accepted)];
        let before = board(&tries).scoreboard(View::Judges);
        let after = board(&[(1, 1, 10, WrongAnswer), tries[1], tries[2]]).scoreboard(View::Judges);
        let moved = difference(&before, &after, Scoring::PassFail);
        let shown: Vec<_> =
            moved.iter().map(|m| (m.team.0, m.before, m.after, &m.firsts_won[..], &m.firsts_lost[..])).collect();
        let first = [ProblemId(1)];
        assert_eq!(
            shown,
            [
                (2, Some(standing(3, 1, 20)), Some(standing(2, 1, 20)), &first[..], &[][..]),
                (1, Some(standing(2, 1, 10)), Some(standing(3, 0, 0)), &[][..], &first[..]),
            ]
        );
    }

    #[test]
    fn equal_boards_differ_in_nothing_and_new_rows_do() {
        let one = board(&[(1, 1, 10, Accepted)]).scoreboard(View::Judges);
        assert_eq!(difference(&one, &one, Scoring::PassFail), []);
        let two = board(&[(1, 1, 10, Accepted), (2, 2, 30, Accepted)]).scoreboard(View::Judges);
        let moved = difference(&one, &two, Scoring::PassFail);
        assert_eq!((moved.len(), moved[0].before, moved[0].after), (1, None, Some(standing(2, 1, 30))));
        let back = difference(&two, &one, Scoring::PassFail);
        assert_eq!((back.len(), back[0].before, back[0].after), (1, Some(standing(2, 1, 30)), None));
    }
}
