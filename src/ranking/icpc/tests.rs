//! The rules as examples, and what must hold of every contest as properties.

use proptest::prelude::*;

use super::*;

const START: i64 = 1_000_000;
const RULES: Rules = Rules {
    start: EpochMs(START),
    duration_ms: Some(300 * MINUTE_MS),
    frozen_from: Some(EpochMs(START + 240 * MINUTE_MS)),
    penalty_minutes: 20,
    scoring: Scoring::PassFail,
    points_from: PointsFrom::Submissions,
};

fn attempt(submission: i64, team: i64, problem: i64, minute: i64, verdict: impl Into<Option<Verdict>>) -> Attempt {
    Attempt {
        submission: SubmissionId(submission),
        team: TeamId(team),
        problem: ProblemId(problem),
        submitted: EpochMs(START + minute * MINUTE_MS + 59_999),
        verdict: verdict.into(),
        points: 0,
        groups: Vec::new(),
    }
}

fn board(attempts: &[Attempt]) -> Board {
    board_under(RULES, attempts)
}

fn board_under(rules: Rules, attempts: &[Attempt]) -> Board {
    let mut board = Board::new(rules, vec![ProblemId(1), ProblemId(2)]);
    for team in 1..=3 {
        board.name_team(TeamId(team), &format!("team {team}"));
    }
    for attempt in attempts {
        board.apply(attempt.clone());
    }
    board
}

fn row(board: &Scoreboard, team: i64) -> &Row {
    board.rows.iter().find(|row| row.team == TeamId(team)).expect("every team has a row")
}

#[test]
fn a_solved_problem_costs_its_minute_and_its_rejected_tries() {
    let board = board(&[
        attempt(1, 1, 1, 5, Verdict::WrongAnswer),
        attempt(2, 1, 1, 6, Verdict::CompileError),
        attempt(3, 1, 1, 7, Verdict::TimeLimit),
        attempt(4, 1, 1, 30, Verdict::Accepted),
        attempt(5, 1, 1, 31, Verdict::WrongAnswer),
        attempt(6, 1, 2, 40, Verdict::WrongAnswer),
    ])
    .scoreboard(View::Judges);
    let row = row(&board, 1);
    assert_eq!((row.num_solved, row.total_time, row.last_solved), (1, 30 + 2 * 20, Some(30)));
    let solved = Cell {
        num_judged: 3,
        num_pending: 0,
        solved_at: Some(30),
        first_to_solve: true,
        points: 0,
        scored_at: Some(5),
    };
    let tried =
        Cell { num_judged: 1, num_pending: 0, solved_at: None, first_to_solve: false, points: 0, scored_at: Some(40) };
    assert_eq!(*row.cells, [solved, tried]);
}

#[test]
fn a_judging_error_is_pending_and_costs_nothing() {
    let board = board(&[attempt(1, 1, 1, 5, Verdict::JudgingError), attempt(2, 1, 1, 9, Verdict::Accepted)])
        .scoreboard(View::Judges);
    let cell = row(&board, 1).cells[0];
    assert_eq!((cell.num_judged, cell.num_pending, cell.solved_at), (1, 1, Some(9)));
    assert_eq!(row(&board, 1).total_time, 9);
}

#[test]
fn equals_share_a_rank_and_the_next_stays_empty() {
    let board = board(&[attempt(1, 3, 1, 10, Verdict::Accepted), attempt(2, 2, 2, 10, Verdict::Accepted)])
        .scoreboard(View::Public);
    let ranks: Vec<_> = board.rows.iter().map(|row| (row.rank, row.team.0)).collect();
    assert_eq!(ranks, [(1, 2), (1, 3), (3, 1)]);
}

#[test]
fn the_last_accepted_settles_equal_times() {
    let board = board(&[
        attempt(1, 1, 1, 10, Verdict::Accepted),
        attempt(2, 1, 2, 30, Verdict::Accepted),
        attempt(3, 2, 1, 20, Verdict::Accepted),
        attempt(4, 2, 2, 20, Verdict::Accepted),
    ])
    .scoreboard(View::Public);
    assert_eq!(board.rows.iter().map(|row| row.team.0).collect::<Vec<_>>(), [2, 1, 3]);
}

#[test]
fn first_to_solve_waits_for_whatever_came_earlier() {
    let mut board = board(&[attempt(1, 1, 1, 5, None), attempt(2, 2, 1, 8, Verdict::Accepted)]);
    assert!(!row(&board.scoreboard(View::Public), 2).cells[0].first_to_solve);
    board.apply(attempt(1, 1, 1, 5, Verdict::WrongAnswer));
    assert!(row(&board.scoreboard(View::Public), 2).cells[0].first_to_solve);
    board.apply(attempt(1, 1, 1, 5, Verdict::Accepted));
    assert!(row(&board.scoreboard(View::Public), 1).cells[0].first_to_solve);
    assert!(!row(&board.scoreboard(View::Public), 2).cells[0].first_to_solve);
}

#[test]
fn nothing_counts_at_or_after_the_end() {
    let mut late = attempt(1, 1, 1, 0, Verdict::Accepted);
    late.submitted = EpochMs(START + 300 * MINUTE_MS);
    assert_eq!(row(&board(std::slice::from_ref(&late)).scoreboard(View::Judges), 1).num_solved, 0);
    late.submitted = EpochMs(late.submitted.0 - 1);
    assert_eq!(row(&board(&[late]).scoreboard(View::Judges), 1).last_solved, Some(299));
}

#[test]
fn a_team_sees_through_the_freeze_only_in_its_own_row() {
    let board = board(&[attempt(1, 1, 1, 250, Verdict::Accepted), attempt(2, 2, 1, 245, Verdict::CompileError)]);
    let own = board.scoreboard(View::Team(TeamId(1)));
    assert_eq!(row(&own, 1).num_solved, 1);
    assert!(!row(&own, 1).cells[0].first_to_solve, "team 2's try is earlier and, to team 1, undecided");
    assert_eq!(row(&own, 2).cells[0].num_pending, 1, "even a compile error shows as pending");
    let public = board.scoreboard(View::Public);
    assert_eq!((row(&public, 1).num_solved, row(&public, 1).cells[0].num_pending), (0, 1));
    assert!(row(&board.scoreboard(View::Judges), 1).cells[0].first_to_solve);
}

#[test]
fn points_rank_by_each_problems_best_and_equals_share_a_rank() {
    let scored = |id, team, problem, minute, points| Attempt {
        points,
        ..attempt(id, team, problem, minute, if points == 100_000 { Verdict::Accepted } else { Verdict::WrongAnswer })
    };
    let rules = Rules { scoring: Scoring::Score, frozen_from: None, ..RULES };
    let board = board_under(
        rules,
        &[
            scored(1, 1, 1, 5, 70_000),
            scored(2, 1, 1, 9, 40_000),
            scored(3, 1, 2, 11, 30_000),
            scored(4, 2, 1, 200, 100_000),
            scored(5, 2, 1, 250, 20_000),
            scored(6, 3, 1, 1, 99_999),
        ],
    )
    .scoreboard(View::Judges);
    let ranks: Vec<_> = board.rows.iter().map(|row| (row.rank, row.team.0, row.points)).collect();
    assert_eq!(ranks, [(1, 1, 100_000), (1, 2, 100_000), (3, 3, 99_999)]);
    let best = row(&board, 1).cells[0];
    assert_eq!((best.points, best.scored_at, best.num_judged, best.solved()), (70_000, Some(5), 2, false));
    let later = row(&board, 2).cells[0];
    assert_eq!((later.points, later.scored_at, later.num_judged, later.solved_at), (100_000, Some(200), 2, Some(200)));
}

#[test]
fn the_best_of_each_group_may_be_of_different_submissions() {
    let scored = |id, minute, points: &[i64]| Attempt {
        points: points.iter().sum(),
        groups: groups(points),
        ..attempt(id, 1, 1, minute, Verdict::WrongAnswer)
    };
    let whole = Attempt { points: 90, ..attempt(4, 1, 1, 40, Verdict::WrongAnswer) };
    // Attempts in turn, and then the cell's points and since when.
    let table: [(&[Attempt], i64, i64); 6] = [
        (&[scored(1, 10, &[30, 0])], 30, 10),
        (&[scored(1, 10, &[30, 0]), scored(2, 20, &[0, 50])], 80, 20),
        (&[scored(1, 10, &[30, 0]), scored(2, 20, &[0, 50]), scored(3, 30, &[30, 50])], 80, 20),
        (&[scored(2, 20, &[20, 50]), scored(1, 10, &[30, 0])], 80, 20),
        // One without groups counts as a whole.
        (&[scored(1, 10, &[30, 0]), scored(2, 20, &[0, 50]), whole.clone()], 90, 40),
        (&[whole, scored(1, 10, &[30, 0])], 90, 40),
    ];
    for (attempts, points, minute) in table {
        let cell = row(&board_under(BY_GROUP, attempts).scoreboard(View::Judges), 1).cells[0];
        assert_eq!((cell.points, cell.scored_at), (points, Some(minute)), "{attempts:?}");
        let whole = board_under(Rules { scoring: Scoring::Score, ..RULES }, attempts).scoreboard(View::Judges);
        assert_eq!(row(&whole, 1).cells[0].points, attempts.iter().map(|one| one.points).max().unwrap_or(0));
    }
}

fn verdicts() -> impl Strategy<Value = Option<Verdict>> {
    prop_oneof![
        2 => Just(None),
        6 => proptest::sample::select(Verdict::ALL.to_vec()).prop_map(Some),
        3 => Just(Some(Verdict::Accepted)),
    ]
}

fn contests() -> impl Strategy<Value = Vec<Attempt>> {
    let one = (1_i64..4, 1_i64..3, -5_i64..310, verdicts(), [0_i64..3, 0_i64..3]);
    proptest::collection::vec(one, 0..40).prop_map(|attempts| {
        (1..)
            .zip(attempts)
            .map(|(id, (team, problem, minute, verdict, [first, second]))| Attempt {
                points: first + second,
                groups: groups(&[first, second]),
                ..attempt(id, team, problem, minute, verdict)
            })
            .collect()
    })
}

const VIEWS: [View; 3] = [View::Public, View::Team(TeamId(2)), View::Judges];

/// The ways to rank.
fn scorings() -> impl Strategy<Value = Rules> {
    prop_oneof![Just(RULES), Just(Rules { scoring: Scoring::Score, ..RULES }), Just(BY_GROUP)]
}

const BY_GROUP: Rules = Rules { scoring: Scoring::Score, points_from: PointsFrom::Groups, ..RULES };

/// These points in groups `1`, `2`, ...
fn groups(points: &[i64]) -> Vec<GroupPoints> {
    (1..).zip(points).map(|(number, &points): (u32, _)| GroupPoints { name: number.to_string(), points }).collect()
}

proptest! {
    #[test]
    fn points_are_the_sum_of_the_best(attempts in contests()) {
        let rules = Rules { scoring: Scoring::Score, ..RULES };
        let shown = board_under(rules, &attempts).scoreboard(View::Judges);
        for row in &shown.rows {
            let best = |problem: i64| attempts
                .iter()
                .filter(|one| one.team == row.team && one.problem == ProblemId(problem) && rules.counts(one.submitted))
                .filter(|one| one.verdict.is_some_and(|verdict| verdict.solved() || verdict.penalty()))
                .map(|one| one.points)
                .max()
                .unwrap_or(0);
            prop_assert_eq!(row.points, best(1) + best(2));
            let better = shown.rows.iter().filter(|other| other.points > row.points).count();
            prop_assert_eq!(row.rank as usize, better + 1);
        }
    }

    #[test]
    fn by_group_points_are_the_sum_of_each_groups_best(attempts in contests()) {
        let shown = board_under(BY_GROUP, &attempts).scoreboard(View::Judges);
        for row in &shown.rows {
            let judged: Vec<&Attempt> = attempts
                .iter()
                .filter(|one| one.team == row.team && BY_GROUP.counts(one.submitted))
                .filter(|one| one.verdict.is_some_and(|verdict| verdict.solved() || verdict.penalty()))
                .collect();
            let best = |problem: i64, group: usize| {
                let of = judged.iter().filter(|one| one.problem == ProblemId(problem));
                of.map(|one| one.groups[group].points).max().unwrap_or(0)
            };
            prop_assert_eq!(row.points, best(1, 0) + best(1, 1) + best(2, 0) + best(2, 1));
        }
    }

    #[test]
    fn what_would_be_is_what_is_once_it_is_known(rules in scorings(), known in contests(), changes in contests()) {
        let mut board = board_under(rules, &known);
        let mut copy = board.clone();
        let supposed = board.scoreboard_with(&changes, View::Judges);
        for change in &changes {
            copy.apply(change.clone());
        }
        prop_assert_eq!(supposed, copy.scoreboard(View::Judges));
        let as_before = board_under(rules, &known);
        for view in VIEWS {
            prop_assert_eq!(board.scoreboard(view), as_before.scoreboard(view));
        }
    }

    #[test]
    fn the_order_of_arrival_is_of_no_matter(rules in scorings(), attempts in contests(), seed in any::<u64>()) {
        let mut shuffled = attempts.clone();
        let mut state = seed;
        for index in (1..shuffled.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            shuffled.swap(index, usize::try_from(state >> 33).expect("31 bits fit") % (index + 1));
        }
        for view in VIEWS {
            prop_assert_eq!(
                board_under(rules, &attempts).scoreboard(view),
                board_under(rules, &shuffled).scoreboard(view)
            );
        }
    }

    #[test]
    fn a_rejudge_equals_a_replay(rules in scorings(), before in contests(), after in proptest::collection::vec(verdicts(), 40)) {
        let judged_again: Vec<Attempt> =
            before.iter().zip(after).map(|(attempt, verdict)| Attempt { verdict, ..attempt.clone() }).collect();
        let mut changed = board_under(rules, &before);
        for attempt in &judged_again {
            changed.apply(attempt.clone());
        }
        for view in VIEWS {
            prop_assert_eq!(changed.scoreboard(view), board_under(rules, &judged_again).scoreboard(view));
        }
    }

    #[test]
    fn nothing_after_the_freeze_leaks(
        rules in scorings(),
        attempts in contests(),
        others in proptest::collection::vec(verdicts(), 40),
    ) {
        // Whatever the verdicts after the freeze are, the public and the other teams see the same board.
        let frozen = |attempt: &Attempt| RULES.frozen_from.is_some_and(|from| attempt.submitted >= from);
        let swap = |own: Option<TeamId>| -> Vec<Attempt> {
            let swapped = |(attempt, verdict): (&Attempt, Option<Verdict>)| {
                let hidden = frozen(attempt) && own != Some(attempt.team);
                if hidden { Attempt { verdict, points: 4 - attempt.points, ..attempt.clone() } } else { attempt.clone() }
            };
            attempts.iter().zip(others.iter().copied()).map(swapped).collect()
        };
        prop_assert_eq!(
            board_under(rules, &attempts).scoreboard(View::Public),
            board_under(rules, &swap(None)).scoreboard(View::Public)
        );
        let own = TeamId(2);
        prop_assert_eq!(
            board_under(rules, &attempts).scoreboard(View::Team(own)),
            board_under(rules, &swap(Some(own))).scoreboard(View::Team(own))
        );
    }

    #[test]
    fn compile_errors_could_as_well_not_be_there(attempts in contests()) {
        let without: Vec<Attempt> =
            attempts.iter().filter(|attempt| attempt.verdict != Some(Verdict::CompileError)).cloned().collect();
        prop_assert_eq!(board(&attempts).scoreboard(View::Judges), board(&without).scoreboard(View::Judges));
    }

    #[test]
    fn rows_are_what_the_rules_say(attempts in contests()) {
        for row in &board(&attempts).scoreboard(View::Judges).rows {
            let mut expected = (0, 0, None);
            for problem in [1, 2] {
                let mut mine: Vec<&Attempt> = attempts
                    .iter()
                    .filter(|one| one.team == row.team && one.problem == ProblemId(problem) && RULES.counts(one.submitted))
                    .collect();
                mine.sort_by_key(|one| (one.submitted, one.submission));
                let Some(solved) = mine.iter().position(|one| one.verdict == Some(Verdict::Accepted)) else { continue };
                let minute = mine[solved].submitted.since(RULES.start) / MINUTE_MS;
                let rejected = mine[..solved].iter().filter(|one| one.verdict.is_some_and(Verdict::penalty)).count();
                expected.0 += 1;
                expected.1 += minute + 20 * i64::try_from(rejected).expect("few");
                expected.2 = expected.2.max(Some(minute));
            }
            prop_assert_eq!((row.num_solved, row.total_time, row.last_solved), expected);
        }
    }
}
