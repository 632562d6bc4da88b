//! Many programs at once: the same judgements as one by one, and no core without work.

use std::sync::Mutex;

use rustix::process::Signal;
use touchstone::domain::language::LanguageId;
use touchstone::domain::limits::Limits;
use touchstone::domain::source::SourceFile;
use touchstone::domain::verdict::Verdict;
use touchstone::grading::aggregate::{AfterFailure, Rule};
use touchstone::grading::checker::CheckerFlags;
use touchstone::judge::judgement::{Judged, Request, judge};
use touchstone::judge::languages::LanguageTable;
use touchstone::judge::run_test::{Checker, Headroom};
use touchstone::judge::side_by_side::judge_all;

use crate::bench::{BENCH, Bench, limits, until};
use crate::waiting::{tell, waiting, waits};

const RIGHT: &str = "print(sum(map(int, input().split())))";
const WRONG_BEHIND: &str = "a, b = map(int, input().split())\nprint(a + b if a < 10 else 0)";

fn python() -> LanguageId {
    "python3".parse().unwrap()
}

fn sources(text: &str) -> Vec<SourceFile> {
    vec![SourceFile::text("a.py", text.as_bytes().to_vec()).unwrap()]
}

/// What is the same whenever it is judged: all but times and sizes.
fn told(judged: &Judged) -> (bool, String, Option<usize>, Vec<(usize, String)>) {
    let runs = judged.runs.iter().map(|(test, run)| (*test, format!("{} {:?}", run.verdict, run.difference)));
    (judged.built, judged.verdict.to_string(), judged.deciding, runs.collect())
}

#[test]
fn programs_get_what_they_get_one_by_one() {
    let flags = CheckerFlags::default();
    let tests = BENCH.tests(Checker::Default(&flags));
    let python = python();
    let programs = [RIGHT, "print(0)", WRONG_BEHIND, "raise SystemExit(3)", "print(", "import time\nprint(3)"];
    let cases: Vec<(Vec<SourceFile>, AfterFailure)> = programs
        .iter()
        .flat_map(|text| [AfterFailure::Stop, AfterFailure::RunAll].map(|after| (sources(text), after)))
        .collect();
    let requests: Vec<Request<'_>> = cases
        .iter()
        .map(|(sources, after_failure)| Request {
            language: &python,
            sources,
            limits: limits(),
            tests: &tests,
            rule: Rule::PassFail { after_failure: *after_failure },
            headroom: Headroom::Judging,
        })
        .collect();
    let heard = Mutex::new(Vec::new());
    let together = judge_all(&BENCH.workshop, &requests, 3, &|done, total| heard.lock().unwrap().push((done, total)));
    for (request, judged) in requests.iter().zip(together) {
        let alone = judge(&BENCH.workshop, request, &mut |_, _| true).unwrap().unwrap();
        assert_eq!(told(&judged.unwrap()), told(&alone));
    }
    let heard = heard.into_inner().unwrap();
    let all = requests.len() * tests.len();
    assert!(heard.contains(&(all, all)) && heard.iter().all(|(done, total)| done <= total && *total == all));
}

#[test]
fn the_tests_of_one_program_run_at_the_same_time() {
    // Slots of its own, so that no other test's program is in the way of the second.
    let bench = Bench::with(LanguageTable::built_in().unwrap());
    let flags = CheckerFlags::default();
    let tests = bench.tests(Checker::Default(&flags));
    let python = python();
    let program = sources(&waits(Signal::USR1, RIGHT));
    let request = Request {
        language: &python,
        sources: &program,
        limits: Limits { wall_ms: 120_000, ..limits() },
        tests: &tests,
        rule: Rule::PassFail { after_failure: AfterFailure::RunAll },
        headroom: Headroom::Judging,
    };
    let here = std::process::id();
    let judged = std::thread::scope(|scope| {
        let judging = scope.spawn(|| judge_all(&bench.workshop, &[request], 2, &|_, _| {}).remove(0).unwrap());
        until("both tests run", || waiting(here, Signal::USR1).len() == tests.len());
        until("the end", || {
            tell(here, Signal::USR1);
            judging.is_finished()
        });
        judging.join().unwrap()
    });
    assert_eq!(judged.verdict, Verdict::Accepted, "{judged:?}");
}

#[test]
fn a_fault_of_one_program_is_its_own() {
    let flags = CheckerFlags::default();
    let tests = BENCH.tests(Checker::Default(&flags));
    let (python, unknown) = (python(), "cobol".parse().unwrap());
    let right = sources(RIGHT);
    let requests = [&unknown, &python].map(|language| Request {
        language,
        sources: &right,
        limits: limits(),
        tests: &tests,
        rule: Rule::PassFail { after_failure: AfterFailure::Stop },
        headroom: Headroom::Judging,
    });
    let results = judge_all(&BENCH.workshop, &requests, 2, &|_, _| {});
    assert!(results[0].is_err());
    assert_eq!(results[1].as_ref().unwrap().runs.len(), 2);
}

#[test]
fn nobody_waits_for_a_thread_that_has_panicked() {
    let flags = CheckerFlags::default();
    let tests = BENCH.tests(Checker::Default(&flags));
    let (python, sources) = (python(), sources(RIGHT));
    let request = Request {
        language: &python,
        sources: &sources,
        limits: limits(),
        tests: &tests,
        rule: Rule::PassFail { after_failure: AfterFailure::RunAll },
        headroom: Headroom::Judging,
    };
    let heard = |done: usize, _: usize| assert_eq!(done, 0, "a caller's mistake");
    let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        judge_all(&BENCH.workshop, &[request], 2, &heard).len()
    }));
    assert!(judged.is_err());
}
