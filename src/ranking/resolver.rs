//! The steps by which a frozen board opens: from the bottom, the lowest team's frozen problems one by one, left to right.
//! Must not know: how a step is shown.

use std::sync::Arc;

use super::icpc::{Cell, Row, Scoreboard, Scoring, rank};
use crate::domain::ids::TeamId;

/// One cell opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Whose.
    pub team: TeamId,
    /// Which cell, from 0.
    pub column: usize,
    /// What is in it now.
    pub cell: Cell,
    /// The row's place before, from 0.
    pub from: usize,
    /// The row's place afterwards.
    pub to: usize,
    /// The row's score afterwards.
    pub num_solved: u32,
    /// Its total time afterwards, minutes.
    pub total_time: i64,
    /// Its points afterwards, thousandths.
    pub points: i64,
}

/// The steps from the frozen board to the open one, which has the same teams and problems.
pub fn steps(frozen: &Scoreboard, open: &Scoreboard, penalty_minutes: i64, scoring: Scoring) -> Vec<Step> {
    let mut rows = frozen.rows.clone();
    let mut steps = Vec::new();
    let mut place = rows.len();
    while place > 0 {
        let from = place - 1;
        let team = rows[from].team;
        let Some(target) = open.rows.iter().find(|row| row.team == team) else {
            place -= 1;
            continue;
        };
        let differs = |(now, then): (&Cell, &Cell)| outcome(now) != outcome(then);
        let Some(column) = rows[from].cells.iter().zip(target.cells.iter()).position(differs) else {
            place -= 1;
            continue;
        };
        Arc::make_mut(&mut rows[from].cells)[column] = target.cells[column];
        add_up(&mut rows[from], penalty_minutes);
        rank(&mut rows, scoring);
        let to = rows.iter().position(|row| row.team == team).unwrap_or(from);
        let row = &rows[to];
        steps.push(Step {
            team,
            column,
            cell: row.cells[column],
            from,
            to,
            num_solved: row.num_solved,
            total_time: row.total_time,
            points: row.points,
        });
    }
    steps
}

/// What a cell tells beside being first, which another team's cell can change.
const fn outcome(cell: &Cell) -> (u32, u32, Option<i64>, i64) {
    (cell.num_judged, cell.num_pending, cell.solved_at, cell.points)
}

fn add_up(row: &mut Row, penalty_minutes: i64) {
    (row.num_solved, row.total_time, row.last_solved, row.points) = (0, 0, None, 0);
    for cell in row.cells.iter() {
        row.points += cell.points;
        if let Some(minute) = cell.solved_at {
            row.num_solved += 1;
            // Up to the accepted one all judged tries but the last were rejected.
            row.total_time += minute + penalty_minutes * (i64::from(cell.num_judged) - 1);
            row.last_solved = row.last_solved.max(Some(minute));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::ids::{ProblemId, SubmissionId};
    use crate::domain::time::EpochMs;
    use crate::domain::verdict::Verdict;
    use crate::ranking::icpc::{Attempt, Board, PointsFrom, Rules, View};

    const RULES: Rules = Rules {
        start: EpochMs(0),
        duration_ms: Some(300 * 60_000),
        frozen_from: Some(EpochMs(100 * 60_000)),
        penalty_minutes: 20,
        scoring: Scoring::PassFail,
        points_from: PointsFrom::Submissions,
    };

    fn board(tries: &[(i64, i64, i64, Verdict)]) -> Board {
        let mut board = Board::new(RULES, (1..=3).map(ProblemId).collect());
        for team in 1..=5 {
            board.name_team(TeamId(team), &format!("team {team}"));
        }
        for (id, &(team, problem, minute, verdict)) in (1..).zip(tries) {
            board.apply(Attempt {
                submission: SubmissionId(id),
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

    #[test]
    fn the_lowest_opens_first_from_left_to_right() {
        let board = board(&[
            (1, 1, 10, Verdict::Accepted),
            (2, 1, 20, Verdict::Accepted),
            (2, 2, 150, Verdict::WrongAnswer),
            (3, 2, 120, Verdict::Accepted),
            (3, 1, 130, Verdict::WrongAnswer),
        ]);
        let (frozen, open) = (board.scoreboard(View::Public), board.scoreboard(View::Judges));
        let all = steps(&frozen, &open, 20, Scoring::PassFail);
        let short: Vec<_> = all.iter().map(|step| (step.team.0, step.column, step.from, step.to)).collect();
        assert_eq!(short, [(3, 0, 2, 2), (3, 1, 2, 2), (2, 1, 1, 1)]);
    }

    proptest! {
        #[test]
        fn the_steps_end_at_the_open_board(
            tries in proptest::collection::vec(
                (1_i64..6, 1_i64..4, 0_i64..300, proptest::sample::select(vec![
                    Verdict::Accepted, Verdict::WrongAnswer, Verdict::CompileError
                ])),
                0..60
            )
        ) {
            let board = board(&tries);
            let (frozen, open) = (board.scoreboard(View::Public), board.scoreboard(View::Judges));
            let mut order: Vec<TeamId> = frozen.rows.iter().map(|row| row.team).collect();
            let mut lowest = order.len();
            for step in steps(&frozen, &open, RULES.penalty_minutes, RULES.scoring) {
                prop_assert_eq!(order[step.from], step.team);
                prop_assert!(step.to <= step.from, "nobody falls by opening");
                prop_assert!(step.from < lowest, "it goes on upwards");
                lowest = step.from + 1;
                let team = order.remove(step.from);
                order.insert(step.to, team);
            }
            prop_assert_eq!(order, open.rows.iter().map(|row| row.team).collect::<Vec<_>>());
        }
    }
}
