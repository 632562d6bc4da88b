//! The tree of groups: how results add up, by each format's rules.

use rstest::rstest;
use touchstone::package::{Aggregation, CaseScore, Objective, OnReject, Package, ScoreBound, TestGroup, VerdictRule};

use super::written::Written;

/// Two groups of a scoring problem, with these settings.
fn scoring(format: &str, secret: &str, a: &str, b: &str) -> Written {
    let mut written = match format {
        "legacy" => Written::legacy(),
        _ => Written::modern(format),
    };
    written = written.adding("problem.yaml", "type: scoring\n").without("data/secret/1");
    for name in ["secret/a/1", "secret/a/2", "secret/b/1"] {
        written = written.test(name);
    }
    let file = if format == "legacy" { "testdata.yaml" } else { "test_group.yaml" };
    for (folder, text) in [("secret", secret), ("secret/a", a), ("secret/b", b)] {
        if !text.is_empty() {
            written = written.with(&format!("data/{folder}/{file}"), text);
        }
    }
    written
}

fn group<'a>(package: &'a Package, name: &str) -> &'a TestGroup {
    package.data.find(name).unwrap()
}

/// Aggregation, the most, and what a case gets.
fn scores(package: &Package, name: &str) -> (Aggregation, ScoreBound, CaseScore) {
    let score = group(package, name).score.unwrap();
    (score.aggregation, score.most, score.case)
}

use Aggregation::{Max, Min, PassFail, Sum};
use ScoreBound::{Bounded, Unbounded};

#[test]
fn scores_of_2025_09() {
    let package = scoring(
        "2025-09",
        "",
        "max_score: 40\n",
        "max_score: 60\nscore_aggregation: sum\nrequire_pass: [sample, secret/a]\n",
    )
    .read();
    assert_eq!(scores(&package, "secret"), (Sum, Bounded(100.0), CaseScore::UpTo(Bounded(0.0))));
    assert_eq!(scores(&package, "secret/a"), (PassFail, Bounded(40.0), CaseScore::None));
    assert_eq!(scores(&package, "secret/b"), (Sum, Bounded(60.0), CaseScore::UpTo(Bounded(60.0))));
    assert_eq!(group(&package, "secret/b").require_pass, ["sample", "secret/a"]);
    assert_eq!(group(&package, "secret").on_reject, OnReject::Continue);
    assert_eq!(group(&package, "secret/a").on_reject, OnReject::Break);
    assert!(package.data.ignore_sample, "samples give nothing");
    let cases = |name: &str| group(&package, name).cases();
    assert_eq!((cases("sample"), cases("secret/a"), cases("secret")), (vec![0], vec![1, 2], vec![1, 2, 3]));
    let unbounded = scoring("2025-09", "max_score: unbounded\n", "score_aggregation: min\n", "max_score: 5\n").read();
    assert_eq!(scores(&unbounded, "secret/a"), (Min, Unbounded, CaseScore::UpTo(Unbounded)));
}

#[test]
fn scores_of_the_draft_are_shared_out() {
    let package = scoring("2023-07-draft", "", "scoring: {score: 40, aggregation: sum}\n", "").read();
    assert_eq!(scores(&package, "secret/a"), (Sum, Bounded(40.0), CaseScore::UpTo(Bounded(20.0))));
    assert_eq!(scores(&package, "secret/b"), (PassFail, Bounded(60.0), CaseScore::None), "what is left");
    let package = scoring("2023-07-draft", "scoring: {score: 30, aggregation: min}\n", "", "").read();
    assert_eq!(scores(&package, "secret/a").1, Bounded(30.0), "each may give all of it");
}

#[test]
fn legacy_groups_say_it_all() {
    let mut written = scoring(
        "legacy",
        "",
        "on_reject: continue\naccept_score: 25\nreject_score: -1\nrange: -2 50\ngrader_flags: max accept_if_any_accepted always_accept first_error\n",
        "",
    );
    written = written
        .with("data/testdata.yaml", "grader_flags: ignore_sample min\n")
        .adding("problem.yaml", "validation: custom score\ngrading: {objective: min, show_test_data_groups: true}\n")
        .with("output_validators/check.py", "");
    let package = written.read();
    assert_eq!((package.objective, package.shows_groups), (Objective::Min, true));
    assert!(package.data.ignore_sample && !group(&package, "secret").ignore_sample);
    assert_eq!(package.data.score.unwrap().aggregation, Min);
    let a = group(&package, "secret/a");
    assert!(a.accept_if_any_accepted);
    assert_eq!((a.verdict, a.on_reject), (VerdictRule::FirstError, OnReject::Continue), "of two modes the last holds");
    let score = a.score.unwrap();
    let case = CaseScore::Fixed { accepted: 25.0, rejected: -1.0, validator_scores: true };
    assert_eq!((score.aggregation, score.least, score.most, score.case), (Max, Some(-2.0), Bounded(50.0), case));
    let b = group(&package, "secret/b");
    assert_eq!((b.verdict, b.on_reject, b.score.unwrap().aggregation), (VerdictRule::WorstError, OnReject::Break, Min));
}

#[test]
fn legacy_cases_and_groups_are_in_one_order() {
    let package = Written::legacy()
        .without("data/secret/1")
        .test("secret/a")
        .test("secret/b/2")
        .test("secret/b/deep/1")
        .test("secret/b/1")
        .test("secret/c")
        .read();
    let names: Vec<_> = package.cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["sample/1", "secret/a", "secret/b/1", "secret/b/2", "secret/b/deep/1", "secret/c"]);
    assert_eq!(package.data.cases(), [0, 1, 2, 3, 4, 5]);
    assert_eq!(group(&package, "secret").own_cases().collect::<Vec<_>>(), [1, 5]);
    assert!(package.data.all().iter().all(|group| group.score.is_none()));
}

#[rstest]
#[case(
    "",
    "",
    "max_score: 5\n",
    "data/secret/a: `max_score` is missing: data/secret has a greatest score, so this needs one"
)]
#[case(
    "max_score: unbounded\n",
    "",
    "max_score: 5\n",
    "data/secret/a: a pass-fail group can't be unbounded: say what it gives when it is passed"
)]
#[case(
    "score_aggregation: pass-fail\n",
    "score_aggregation: sum\n",
    "",
    "data/secret/a/test_group.yaml:1: the group around it is pass-fail, so it must be pass-fail too"
)]
#[case(
    "",
    "max_score: 60\n",
    "max_score: 60\n",
    "data/secret: its groups give up to 120 together, but it gives only up to 100"
)]
#[case(
    "",
    "max_score: -1\n",
    "max_score: 5\n",
    "data/secret/a/test_group.yaml:1: `max_score` must be a whole number of at least 0, or `unbounded`"
)]
#[case(
    "",
    "max_score: 5\nscore_aggregation: max\n",
    "max_score: 5\n",
    "data/secret/a/test_group.yaml:2: `score_aggregation` must be pass-fail, sum or min"
)]
#[case(
    "",
    "max_score: 5\nrequire_pass: secret/c\n",
    "max_score: 5\n",
    "data/secret/a/test_group.yaml:1: `require_pass`: there is no group `secret/c`; write it as in secret/group1"
)]
#[case(
    "",
    "max_score: 5\nrequire_pass: secret/b\n",
    "max_score: 5\n",
    "data/secret/a/test_group.yaml:1: `require_pass`: `secret/b` must come earlier than this group"
)]
#[case(
    "",
    "max_score: 5\nscore_aggregation: sum\n",
    "max_score: 5\nrequire_pass: secret/a\n",
    "data/secret/b/test_group.yaml:1: `require_pass`: `secret/a` must be pass-fail"
)]
#[case(
    "require_pass: secret/a\n",
    "max_score: 5\n",
    "max_score: 5\n",
    "data/secret/test_group.yaml:1: `require_pass` of data/secret may name only `sample`"
)]
fn what_is_wrong_with_groups(#[case] secret: &str, #[case] a: &str, #[case] b: &str, #[case] sentence: &str) {
    let said = scoring("2025-09", secret, a, b).faults();
    assert!(said.lines().any(|line| line == sentence), "said:\n{said}\nwanted:\n{sentence}");
}

#[test]
fn samples_have_no_scores() {
    let written = scoring("2025-09", "", "max_score: 5\n", "max_score: 5\n")
        .with("data/sample/test_group.yaml", "max_score: 5\n");
    let sentence = "data/sample/test_group.yaml:1: only data/secret and its groups have scores and groups to pass";
    assert_eq!(written.faults(), sentence);
}
