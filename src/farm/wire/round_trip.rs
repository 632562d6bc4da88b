//! Whatever goes over the wire comes out as it went in: one of each kind, with every field filled.

use std::sync::Arc;

use rstest::rstest;

use super::envelope::{decode, encode};
use super::{outcome, work};
use crate::domain::cause::Cause;
use crate::domain::group_result::GroupResult;
use crate::domain::hash::Sha256;
use crate::domain::ids::{JudgementId, PackageId, TestCaseId};
use crate::domain::limits::Limits;
use crate::domain::trial::TrialOutcome;
use crate::domain::verdict::Verdict;
use crate::domain::verification::{ProgramResult, TestResult};
use crate::grading::feedback::Points;
use crate::judge::job_source as judge;
use crate::judge::printed::Printed;
use crate::judge::rules::JudgingRules;
use crate::judge::run_test::RunResult;
use crate::judge::verify::Known;
use crate::judge::worker::Ending;
use crate::package::StatementKind;

const LIMITS: Limits =
    Limits { cpu_ms: 1000, wall_ms: 5000, memory_bytes: 1 << 28, output_bytes: 1 << 20, processes: 16 };

fn rules() -> Arc<JudgingRules> {
    Arc::new(JudgingRules { scoring: true, grouped_tests: 3, ..JudgingRules::default() })
}

fn digest(of: &str) -> Sha256 {
    Sha256::of(of.as_bytes())
}

fn test(name: &str) -> judge::TestRef {
    judge::TestRef {
        id: TestCaseId(7),
        name: name.to_owned(),
        sample: true,
        input: digest("in"),
        answer: digest("ans"),
        checker_args: vec!["float_tolerance".to_owned(), "1e-6".to_owned()],
        args: vec!["-x".to_owned()],
        files: vec![("beside.txt".to_owned(), digest("beside"))],
    }
}

fn judged() -> judge::JudgeWork {
    judge::JudgeWork {
        judgement: JudgementId(5),
        problem: "sum".parse().unwrap(),
        language: "cpp20".parse().unwrap(),
        sources: vec![("a.cpp".to_owned(), digest("a"))],
        limits: LIMITS,
        rules: rules(),
        tests: vec![test("1"), judge::TestRef { sample: false, args: Vec::new(), ..test("2") }],
    }
}

fn prepare() -> judge::PrepareWork {
    judge::PrepareWork {
        problem: "sum".parse().unwrap(),
        files: vec![("problem.yaml".to_owned(), digest("yaml"))],
        added: vec![judge::AddedInput {
            name: "secret/added".to_owned(),
            sample: false,
            input: digest("added"),
            recipe: Some("gen 5".to_owned()),
        }],
    }
}

fn propose(input: judge::ProposedInput) -> judge::Work {
    judge::Work::Propose(judge::ProposeWork {
        package_id: PackageId(3),
        package: prepare(),
        name: "secret/new".to_owned(),
        input,
    })
}

fn trial(on: judge::TrialOn) -> judge::Work {
    judge::Work::Trial(judge::TrialWork {
        problem: "sum".parse().unwrap(),
        language: "elf".parse().unwrap(),
        file_name: "a".to_owned(),
        source: vec![0, 255, b'\n', b'"'],
        limits: LIMITS,
        rules: rules(),
        on,
    })
}

fn verify() -> judge::Work {
    let run = |test| TestResult { test, verdict: Verdict::TimeLimit, cpu_ms: 900, reused: true, alone: true };
    let program = ProgramResult {
        name: "accepted/a.py".to_owned(),
        expected: "AC".to_owned(),
        broken: Some("it broke".to_owned()),
        got: Verdict::WrongAnswer,
        bounds: None,
        wrong: true,
        runs: vec![run(0), run(1)],
    };
    let runs = [("accepted/a.py", 0), ("accepted/a.py", 2), ("accepted/b.py", 1)];
    judge::Work::Verify(judge::VerifyWork {
        problem: "sum".parse().unwrap(),
        files: vec![("data/secret/1.in".to_owned(), digest("in"))],
        rules: rules(),
        tests: vec![test("1")],
        known: Known {
            programs: vec![program],
            runs: runs.into_iter().map(|(name, at)| (name.to_owned(), run(at))).collect(),
        },
        awaited: true,
    })
}

fn counterexample() -> judge::Work {
    judge::Work::Counterexample(judge::CounterexampleWork {
        judged: judged(),
        files: vec![("problem.yaml".to_owned(), digest("yaml"))],
        verdict: Verdict::RunTimeError,
        input: digest("large"),
    })
}

#[rstest]
#[case(judge::Work::Judge(judged()))]
#[case(judge::Work::Prepare(prepare()))]
#[case(propose(judge::ProposedInput::Given(digest("given"))))]
#[case(propose(judge::ProposedInput::Made("gen 1".to_owned())))]
#[case(trial(judge::TrialOn::Samples(vec![test("1")])))]
#[case(trial(judge::TrialOn::Own(vec![1, 2, 0])))]
#[case(verify())]
#[case(counterexample())]
fn jobs_arrive_as_they_left(#[case] sent: judge::Work) {
    let told = format!("{sent:?}");
    let bytes = encode(&work::Work::from(sent)).unwrap();
    let received: judge::Work = decode::<work::Work>(&bytes).unwrap().into();
    assert_eq!(format!("{received:?}"), told);
}

fn ready() -> Ending {
    let made = |origin| judge::MadeTest {
        name: "secret/1".to_owned(),
        sample: false,
        input: digest("in"),
        answer: digest("ans"),
        checker_args: vec!["a".to_owned()],
        args: vec!["b".to_owned()],
        files: vec![("c".to_owned(), digest("c"))],
        group: Some("secret/g".to_owned()),
        origin,
    };
    let statement = |kind| judge::StatementFile { language: "en".to_owned(), kind, path: "p".to_owned() };
    Ending::Prepared(judge::PreparedOutcome::Ready {
        facts: Box::new(judge::PackageFacts {
            names: vec![("zh".to_owned(), "和".to_owned())],
            statements: [StatementKind::Markdown, StatementKind::Tex, StatementKind::Pdf].map(statement).to_vec(),
            limits: LIMITS,
            code_bytes: 9,
            languages: Some(vec!["c".to_owned()]),
            rules: (*rules()).clone(),
        }),
        tests: [judge::Origin::File, judge::Origin::Generated("g".to_owned()), judge::Origin::Added(None)]
            .map(made)
            .to_vec(),
        notes: vec!["note".to_owned()],
        pictures: vec![(digest("in"), "<svg/>".to_owned())],
    })
}

fn outcome() -> Ending {
    Ending::Judged(judge::JudgedOutcome {
        verdict: Verdict::MemoryLimit,
        score: Some(1.5),
        groups: vec![GroupResult {
            name: "g".to_owned(),
            verdict: Verdict::Accepted,
            score: Some(0.1),
            most: Some(2.0),
        }],
        compiler_output: "warning: π".to_owned(),
        deciding: Some(2),
        message: "m".to_owned(),
        difference: Some("d".to_owned()),
        cpu_ms: Some(u64::MAX),
        memory_bytes: Some(0),
        receipt: "{}".to_owned(),
    })
}

#[rstest]
#[case(outcome())]
#[case(ready())]
#[case(Ending::Prepared(judge::PreparedOutcome::Refused("no".to_owned())))]
#[case(Ending::Proposed(judge::ProposedOutcome::Refused("no".to_owned())))]
#[case(Ending::Proposed(judge::ProposedOutcome::Accepted {
    package_id: PackageId(1), input: digest("i"), answer: digest("a"), checker_args: vec!["x".to_owned()],
    args: vec!["y".to_owned()], files: vec![("z".to_owned(), digest("z"))],
}))]
#[case(Ending::Reduced(None))]
#[case(Ending::Reduced(Some(judge::FoundCounterexample {
    input: vec![0, 1], answer: None, output: Some(vec![255]), original_bytes: 3,
})))]
#[case(Ending::Tried(TrialOutcome::judging_error()))]
fn results_arrive_as_they_left(#[case] sent: Ending) {
    let told = format!("{sent:?}");
    let bytes = encode(&outcome::Ending::from(sent)).unwrap();
    let received: Ending = decode::<outcome::Ending>(&bytes).unwrap().into();
    assert_eq!(format!("{received:?}"), told);
}

#[rstest]
#[case(Some(Points::Score(0.1)))]
#[case(Some(Points::Multiplier(1.0 / 3.0)))]
#[case(None)]
fn runs_arrive_as_they_left(#[case] points: Option<Points>) {
    let printed = |bytes| Printed { head: vec![b'a', 0, 200], bytes };
    let sent = judge::RunRecord {
        test_case: TestCaseId(1),
        ordinal: 3,
        score: Some(f64::MIN_POSITIVE),
        result: RunResult {
            verdict: Verdict::TimeLimit,
            points,
            cpu_ms: 1,
            wall_ms: 2,
            memory_bytes: 3,
            message: "m".to_owned(),
            difference: Some("d".to_owned()),
            cause: Some(Cause::Cpu { used_ms: 5, limit_ms: 4 }),
            times_run: 3,
            printed: Some(printed(9)),
            errors: Some(printed(8)),
        },
    };
    let bytes = encode(&outcome::Run::from(sent.clone())).unwrap();
    assert_eq!(judge::RunRecord::from(decode::<outcome::Run>(&bytes).unwrap()), sent);
}
