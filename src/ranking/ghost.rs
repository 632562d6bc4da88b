//! A past contest as somebody sees it who takes part in it now: its board at the same moment of its own time, with their
//! row among the others. The contest's own board is only read.

use super::icpc::{Attempt, Board, Scoreboard, View};
use crate::domain::ids::TeamId;
use crate::domain::time::EpochMs;

/// Somebody who takes part in a past contest.
#[derive(Debug, Clone, Copy)]
pub struct Latecomer<'a> {
    /// Who.
    pub team: TeamId,
    /// Their name.
    pub name: &'a str,
    /// When they began.
    pub start: EpochMs,
    /// What they handed in, with the real times.
    pub attempts: &'a [Attempt],
}

/// The board at `now` on the latecomer's clock. After the contest's length it stands still.
pub fn scoreboard(original: &Board, late: &Latecomer<'_>, now: EpochMs) -> Scoreboard {
    let start = original.rules().start;
    let on_the_clock = |at: EpochMs| start.plus_ms(at.since(late.start));
    let moment = on_the_clock(now);
    let mut board = original.until(moment);
    board.name_team(late.team, late.name);
    for attempt in late.attempts {
        let submitted = on_the_clock(attempt.submitted);
        if submitted <= moment {
            board.apply(Attempt { team: late.team, submitted, ..attempt.clone() });
        }
    }
    board.scoreboard(View::Team(late.team))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::ids::{ProblemId, SubmissionId};
    use crate::domain::verdict::Verdict;
    use crate::ranking::icpc::{PointsFrom, Rules, Scoring};

    const MINUTE: i64 = 60_000;
    const START: EpochMs = EpochMs(5_000_000);
    /// Long after the contest.
    const LATE: EpochMs = EpochMs(900_000_000);

    fn attempt(id: i64, team: i64, problem: i64, at: EpochMs, verdict: Verdict) -> Attempt {
        Attempt {
            submission: SubmissionId(id),
            team: TeamId(team),
            problem: ProblemId(problem),
            submitted: at,
            verdict: Some(verdict),
            points: 0,
            groups: Vec::new(),
        }
    }

    fn board(attempts: &[Attempt]) -> Board {
        let rules = Rules {
            start: START,
            duration_ms: Some(300 * MINUTE),
            frozen_from: None,
            penalty_minutes: 20,
            scoring: Scoring::PassFail,
            points_from: PointsFrom::default(),
        };
        let mut board = Board::new(rules, vec![ProblemId(1), ProblemId(2)]);
        for team in 1..=3 {
            board.name_team(TeamId(team), &format!("team {team}"));
        }
        for attempt in attempts {
            board.apply(attempt.clone());
        }
        board
    }

    /// Minutes and the rest of those who were there and of the latecomer, team 9.
    fn played() -> impl Strategy<Value = Vec<(i64, i64, i64, Verdict)>> {
        let one = (1_i64..4, 1_i64..3, 0_i64..320, proptest::sample::select(Verdict::ALL.to_vec()));
        proptest::collection::vec(one, 0..25)
    }

    proptest! {
        /// Taking part late is the same as having been there: the board at a minute is the one of a contest in which
        /// everybody's submissions up to that minute were handed in together.
        #[test]
        fn a_latecomer_ranks_as_if_they_had_been_there(there in played(), late in played(), minute in 0_i64..330) {
            let at = |start: EpochMs, minute: i64| start.plus_ms(minute * MINUTE);
            let there: Vec<Attempt> = (1..).zip(&there)
                .map(|(id, &(team, problem, minute, verdict))| attempt(id, team, problem, at(START, minute), verdict))
                .collect();
            let own: Vec<(i64, Attempt)> = (100..).zip(&late)
                .map(|(id, &(_, problem, minute, verdict))| (minute, attempt(id, 9, problem, at(LATE, minute), verdict)))
                .collect();
            let original = board(&there);
            let before = original.scoreboard(View::Public);
            let attempts: Vec<Attempt> = own.iter().map(|one| one.1.clone()).collect();
            let latecomer = Latecomer { team: TeamId(9), name: "late", start: LATE, attempts: &attempts };
            let shown = scoreboard(&original, &latecomer, at(LATE, minute));

            let together: Vec<Attempt> = there
                .iter()
                .cloned()
                .chain(own.iter().map(|(minute, one)| Attempt { submitted: at(START, *minute), ..one.clone() }))
                .filter(|one| one.submitted <= at(START, minute))
                .collect();
            let mut expected = board(&[]);
            expected.name_team(TeamId(9), "late");
            for one in &together {
                expected.apply(one.clone());
            }
            prop_assert_eq!(shown, expected.scoreboard(View::Public));
            prop_assert_eq!(original.scoreboard(View::Public), before, "the contest's own board");
        }
    }

    #[test]
    fn the_others_stand_where_they_stood_at_the_same_minute() {
        let original = board(&[
            attempt(1, 1, 1, START.plus_ms(10 * MINUTE), Verdict::Accepted),
            attempt(2, 2, 1, START.plus_ms(50 * MINUTE), Verdict::Accepted),
        ]);
        let own = [attempt(3, 9, 1, LATE.plus_ms(20 * MINUTE), Verdict::Accepted)];
        let late = Latecomer { team: TeamId(9), name: "late", start: LATE, attempts: &own };
        let ranks = |minute: i64| -> Vec<(u32, i64, u32)> {
            let board = scoreboard(&original, &late, LATE.plus_ms(minute * MINUTE));
            board.rows.iter().map(|row| (row.rank, row.team.0, row.num_solved)).collect()
        };
        assert_eq!(ranks(5)[0], (1, 9, 0), "nobody has solved anything");
        assert_eq!(ranks(15)[0], (1, 1, 1));
        assert_eq!(ranks(30)[..2], [(1, 1, 1), (2, 9, 1)]);
        assert_eq!(ranks(60)[..3], [(1, 1, 1), (2, 9, 1), (3, 2, 1)]);
    }
}
