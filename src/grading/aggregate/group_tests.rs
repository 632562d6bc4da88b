//! The rule of test groups: cases with known results, and properties of random trees.

use proptest::prelude::*;

use super::Aggregation::{Avg, Max, Min, PassFail, Sum};
use super::*;

fn group(name: &str, members: Vec<Member>, score: impl Into<Option<GroupScore>>) -> Group {
    Group {
        name: name.to_owned(),
        members,
        verdict: VerdictRule::FirstError,
        accept_if_any_accepted: false,
        ignore_sample: false,
        stop_on_reject: true,
        require_pass: Vec::new(),
        score: score.into(),
    }
}

fn scored(aggregation: Aggregation, most: Option<f64>, test: TestScore) -> GroupScore {
    GroupScore { aggregation, least: Some(0.0), most, test }
}

fn tests(indices: std::ops::Range<usize>) -> Vec<Member> {
    indices.map(Member::Test).collect()
}

fn rule(root: Group, after_failure: AfterFailure) -> Rule {
    Rule::Groups { root: Arc::new(root), after_failure }
}

type Run = (Verdict, Option<Points>);

/// Judges with `workers` at once; `picks` says which run ends next. The outcome and the tests that were run.
fn judge(rule: &Rule, results: &[Run], workers: usize, picks: &[usize]) -> (Outcome, Vec<usize>) {
    let mut runs = vec![RunState::Waiting; results.len()];
    let mut order = Vec::new();
    let mut picks = picks.iter().copied().cycle();
    loop {
        let running: Vec<usize> = (0..runs.len()).filter(|&index| runs[index] == RunState::Running).collect();
        match next_step(rule, &runs) {
            NextStep::Run(index) if running.len() < workers => {
                assert_eq!(runs[index], RunState::Waiting, "none twice");
                order.push(index);
                runs[index] = RunState::Running;
            }
            NextStep::Finish(outcome) => return (outcome, order),
            step => {
                assert!(!running.is_empty(), "{step:?} although nothing runs");
                let ends = running[picks.next().unwrap_or(0) % running.len()];
                runs[ends] = RunState::Done(results[ends].0, results[ends].1);
            }
        }
    }
}

fn one_by_one(root: &Group, results: &[Run]) -> (Outcome, Vec<usize>) {
    judge(&rule(root.clone(), AfterFailure::Stop), results, 1, &[])
}

const AC: Run = (Verdict::Accepted, None);
const WA: Run = (Verdict::WrongAnswer, None);
const TLE: Run = (Verdict::TimeLimit, None);
const RTE: Run = (Verdict::RunTimeError, None);

/// Samples, and two groups of 30 and 70 points, all or nothing (2025-09).
fn subtasks() -> Group {
    let subtask = |name: &str, range, points| {
        Member::Group(group(name, tests(range), scored(Aggregation::PassFail, Some(points), TestScore::None)))
    };
    let mut secret = group(
        "secret",
        vec![subtask("secret/a", 1..3, 30.0), subtask("secret/b", 3..5, 70.0)],
        scored(Aggregation::Sum, Some(100.0), TestScore::None),
    );
    secret.stop_on_reject = false;
    let sample = group("sample", tests(0..1), None);
    let mut root = group("data", vec![Member::Group(sample), Member::Group(secret)], secret_score());
    root.ignore_sample = true;
    root
}

fn secret_score() -> GroupScore {
    scored(Aggregation::Sum, Some(100.0), TestScore::None)
}

#[test]
fn subtasks_are_all_or_nothing_and_add_up() {
    let (all, order) = one_by_one(&subtasks(), &[AC; 5]);
    assert_eq!((all.verdict, all.score, order.len()), (Verdict::Accepted, Some(100.0), 5));
    let (part, order) = one_by_one(&subtasks(), &[WA, WA, AC, AC, AC]);
    assert_eq!((part.verdict, part.score, part.deciding), (Verdict::WrongAnswer, Some(70.0), Some(1)));
    assert_eq!(order, [0, 1, 3, 4], "the samples count for nothing; a lost group is left");
    let names: Vec<(&str, Option<f64>)> = part.groups.iter().map(|done| (done.name.as_str(), done.score)).collect();
    assert_eq!(
        names,
        [
            ("sample", None),
            ("secret/a", Some(0.0)),
            ("secret/b", Some(70.0)),
            ("secret", Some(70.0)),
            ("data", Some(70.0))
        ]
    );
}

#[test]
fn a_group_whose_requirement_failed_is_not_run() {
    let mut root = subtasks();
    let Member::Group(secret) = &mut root.members[1] else { panic!() };
    let Member::Group(second) = &mut secret.members[1] else { panic!() };
    second.require_pass = vec!["secret/a".to_owned()];
    let (outcome, order) = one_by_one(&root, &[AC, TLE, AC, AC, AC]);
    assert_eq!((outcome.score, order), (Some(0.0), vec![0, 1]));
    let all = judge(&rule(root.clone(), AfterFailure::RunAll), &[AC, TLE, AC, AC, AC], 1, &[]);
    assert_eq!((all.0.score, all.1.len()), (Some(0.0), 5));
    let Member::Group(secret) = &mut root.members[1] else { panic!() };
    let Member::Group(first) = &mut secret.members[0] else { panic!() };
    first.require_pass = vec!["secret/b".to_owned()];
    let fault = one_by_one(&root, &[AC; 5]).0;
    assert_eq!(fault.verdict, Verdict::JudgingError);
    assert!(fault.fault.is_some_and(|words| words.contains("needs the group secret/b")));
}

#[test]
fn verdicts_of_groups_follow_their_graders() {
    let mut root = group("data", tests(0..3), None);
    root.stop_on_reject = false;
    let results = [WA, TLE, RTE];
    assert_eq!(one_by_one(&root, &results).0, with_group(Outcome::plain(Verdict::WrongAnswer, Some(0))));
    root.verdict = VerdictRule::WorstError;
    assert_eq!(one_by_one(&root, &results).0, with_group(Outcome::plain(Verdict::RunTimeError, Some(2))));
    root.verdict = VerdictRule::AlwaysAccept;
    assert_eq!(one_by_one(&root, &results).0, with_group(Outcome::plain(Verdict::Accepted, None)));
    root.verdict = VerdictRule::FirstError;
    root.accept_if_any_accepted = true;
    assert_eq!(one_by_one(&root, &results).0.verdict, Verdict::WrongAnswer);
    assert_eq!(one_by_one(&root, &[WA, AC, RTE]).0.verdict, Verdict::Accepted);
}

fn with_group(outcome: Outcome) -> Outcome {
    Outcome {
        groups: vec![GroupResult { name: "data".to_owned(), verdict: outcome.verdict, score: None, most: None }],
        ..outcome
    }
}

#[test]
fn points_are_kept_within_what_there_is() {
    let of = |test: TestScore, most: Option<f64>, points: Option<Points>| {
        let root = group("data", tests(0..1), scored(Aggregation::Sum, most, test));
        one_by_one(&root, &[(Verdict::Accepted, points)]).0
    };
    let ten = TestScore::UpTo(Some(10.0));
    assert_eq!(of(ten, Some(10.0), None).score, Some(10.0));
    assert_eq!(of(ten, Some(10.0), Some(Points::Multiplier(0.25))).score, Some(2.5));
    assert_eq!(of(ten, Some(10.0), Some(Points::Score(7.0))).score, Some(7.0));
    assert_eq!(of(TestScore::UpTo(None), None, Some(Points::Score(7e9))).score, Some(7e9));
    for (test, points) in [
        (ten, Some(Points::Score(10.5))),
        (TestScore::UpTo(None), None),
        (TestScore::UpTo(None), Some(Points::Multiplier(1.0))),
        (TestScore::None, Some(Points::Score(1.0))),
    ] {
        let outcome = of(test, Some(10.0), points);
        assert!(outcome.verdict == Verdict::JudgingError && outcome.fault.is_some(), "{outcome:?}");
    }
    let too_much = of(TestScore::Fixed { accepted: 5.0, rejected: 0.0, validator_scores: false }, Some(4.0), None);
    assert!(too_much.fault.is_some_and(|words| words.contains("more than its most of 4")));
    let thirds = group("data", tests(0..3), scored(Aggregation::Sum, Some(100.0), TestScore::UpTo(Some(100.0 / 3.0))));
    assert_eq!(one_by_one(&thirds, &[AC; 3]).0.score, Some(100.0));
}

fn run() -> impl Strategy<Value = Run> {
    let points = || prop_oneof![2 => Just(None), 1 => (0_u8..=4).prop_map(|part| Some(Points::Multiplier(f64::from(part) / 4.0)))];
    prop_oneof![
        4 => points().prop_map(|points| (Verdict::Accepted, points)),
        1 => Just(WA),
        1 => Just(TLE),
        1 => Just(RTE),
    ]
}

/// Three levels of groups over twelve tests; scores are quarters of small numbers, so that sums are exact.
fn tree() -> impl Strategy<Value = Group> {
    let aggregation = || {
        prop_oneof![
            Just(Aggregation::Sum),
            Just(Aggregation::Min),
            Just(Aggregation::Max),
            Just(Aggregation::Avg),
            Just(Aggregation::PassFail)
        ]
    };
    let verdict = || {
        prop_oneof![
            3 => Just(VerdictRule::FirstError), 3 => Just(VerdictRule::WorstError), 1 => Just(VerdictRule::AlwaysAccept)
        ]
    };
    let one = || (aggregation(), verdict(), any::<bool>(), any::<bool>(), proptest::bool::weighted(0.2));
    let depend = proptest::bool::weighted(0.3);
    (proptest::collection::vec(one(), 6), depend, any::<bool>()).prop_map(|(settings, depend, ignore_sample)| {
        let make = |at: usize, name: &str, members: Vec<Member>| {
            let (aggregation, verdict, stop, any, _) = settings[at];
            let size = u8::try_from(
                members
                    .iter()
                    .map(|m| match m {
                        Member::Test(_) => 1,
                        Member::Group(g) => g.tests().len(),
                    })
                    .sum::<usize>(),
            )
            .unwrap();
            let mut made =
                group(name, members, scored(aggregation, Some(8.0 * f64::from(size)), TestScore::UpTo(Some(8.0))));
            (made.verdict, made.stop_on_reject, made.accept_if_any_accepted) = (verdict, stop, any && settings[at].4);
            made
        };
        let mut second = make(2, "secret/b", tests(5..8));
        if depend {
            second.require_pass = vec!["secret/a".to_owned()];
        }
        let third = make(
            3,
            "secret/c",
            vec![Member::Test(8), Member::Group(make(4, "secret/c/x", tests(9..11))), Member::Test(11)],
        );
        let first = make(1, "secret/a", tests(2..5));
        let secret = make(0, "secret", vec![first, second, third].into_iter().map(Member::Group).collect());
        let mut sample = make(5, "sample", tests(0..2));
        sample.score = None;
        let mut root = make(5, "data", vec![Member::Group(sample), Member::Group(secret)]);
        root.ignore_sample = ignore_sample;
        root
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn neither_workers_nor_the_order_of_finishing_nor_running_all_change_the_result(
        root in tree(), results in proptest::collection::vec(run(), 12), workers in 1_usize..5,
        picks in proptest::collection::vec(any::<usize>(), 20),
    ) {
        let (expected, order) = one_by_one(&root, &results);
        prop_assert!(order.is_sorted(), "one by one, tests are run in order");
        let stop = rule(root.clone(), AfterFailure::Stop);
        prop_assert_eq!(&judge(&stop, &results, workers, &picks).0, &expected);
        let all = rule(root, AfterFailure::RunAll);
        let (outcome, order) = judge(&all, &results, workers, &picks);
        prop_assert_eq!((outcome.verdict, outcome.score, outcome.deciding), (expected.verdict, expected.score, expected.deciding));
        prop_assert_eq!(order.len(), 12);
    }

    #[test]
    fn scores_lie_between_nothing_and_the_most(root in tree(), results in proptest::collection::vec(run(), 12)) {
        let (outcome, _) = one_by_one(&root, &results);
        prop_assert_eq!(&outcome.fault, &None);
        let score = outcome.score.unwrap();
        prop_assert!((0.0..=96.0).contains(&score), "{}", score);
        if results.iter().all(|result| *result == AC) {
            prop_assert_eq!(outcome.verdict, Verdict::Accepted);
        }
    }

    #[test]
    fn a_group_that_is_run_whole_does_not_care_for_its_order(
        results in proptest::collection::vec(run(), 1..10), seed in any::<u64>(),
    ) {
        let mut shuffled = results.clone();
        for at in (1..shuffled.len()).rev() {
            shuffled.swap(at, usize::try_from(seed.rotate_left(u32::try_from(at * 7).unwrap()) % (at as u64 + 1)).unwrap());
        }
        let count = f64::from(u8::try_from(results.len()).unwrap());
        let outcome = |aggregation, results: &[Run]| {
            let mut root = group("data", tests(0..results.len()), scored(aggregation, Some(8.0 * count), TestScore::UpTo(Some(8.0))));
            root.stop_on_reject = false;
            root.verdict = VerdictRule::WorstError;
            let (outcome, _) = one_by_one(&root, results);
            (outcome.verdict, outcome.score.unwrap())
        };
        for aggregation in [PassFail, Sum, Min, Max, Avg] {
            prop_assert_eq!(outcome(aggregation, &results), outcome(aggregation, &shuffled));
        }
        let [least, mean, greatest, sum] = [Min, Avg, Max, Sum].map(|aggregation| outcome(aggregation, &results).1);
        prop_assert!(least <= mean && mean <= greatest && greatest <= sum);
        // A better run is never worth less.
        let better: Vec<Run> = results.iter().map(|_| AC).collect();
        for aggregation in [PassFail, Sum, Min, Max, Avg] {
            prop_assert!(outcome(aggregation, &results).1 <= outcome(aggregation, &better).1);
        }
    }

    #[test]
    fn a_plain_group_is_the_pass_fail_rule(
        verdicts in proptest::collection::vec(prop_oneof![4 => Just(Verdict::Accepted), 1 => Just(Verdict::WrongAnswer), 1 => Just(Verdict::JudgingError)], 1..12),
    ) {
        let results: Vec<Run> = verdicts.iter().map(|&verdict| (verdict, None)).collect();
        let plain = Rule::PassFail { after_failure: AfterFailure::Stop };
        let (expected, order) = judge(&plain, &results, 1, &[]);
        let (outcome, same_order) = one_by_one(&group("data", tests(0..verdicts.len()), None), &results);
        prop_assert_eq!((outcome.verdict, outcome.deciding, same_order), (expected.verdict, expected.deciding, order));
    }
}
