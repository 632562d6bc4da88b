//! Two programs that talk to each other.

use std::sync::Arc;

use touchstone::sandbox::{End, Freshness, KillReason, PairReport, RunSpec, Sandbox, SandboxError, Side, Stdin};

use crate::harness::*;

fn pair(sandbox: &Sandbox, first: &RunSpec, second: &RunSpec) -> PairReport {
    sandbox.run_pair(first, second).expect("the sandbox itself works")
}

/// A small wall limit for those who are to run into it.
fn impatient(arguments: &[&str]) -> RunSpec {
    let mut wanted = spec(arguments);
    wanted.limits.wall_ms = 400 * patience();
    wanted
}

#[test]
fn a_conversation_takes_its_course() {
    for kind in kinds() {
        let sandbox = start(kind);
        for freshness in [Freshness::Fresh, Freshness::Wiped { tag: 3 }, Freshness::Wiped { tag: 3 }] {
            let tagged = |arguments: &[&str]| RunSpec { freshness, ..spec(arguments) };
            let mut report = pair(&sandbox, &tagged(&["interactor", "777777"]), &tagged(&["guesser"]));
            assert_eq!(report.first.end, End::Exited(42), "{kind:?}: {report:?}");
            assert_eq!((report.second.end, report.second.killed), (End::Exited(0), None), "{kind:?}: {report:?}");
            // Each one's output is kept: the answers, and the guesses.
            assert!(text(&mut report.first.stdout).ends_with("=\n"));
            assert!(text(&mut report.second.stdout).ends_with("777777\n"));
            assert_prints(&run(&sandbox, &spec(&["hello"])), "hello\n");
        }
    }
}

#[test]
fn who_ended_first_is_told() {
    let sandbox = sandbox();
    for _ in 0..5 {
        let report = pair(&sandbox, &spec(&["interactor", "5"]), &spec(&["bad-guesser"]));
        assert_eq!(
            (report.ended_first, report.first.end, report.second.end),
            (Side::First, End::Exited(43), End::Exited(7))
        );
        // The interactor reads the end of its input because the program has crashed, and not the other way round.
        let report = pair(&sandbox, &spec(&["interactor", "5"]), &spec(&["segv"]));
        assert_eq!(
            (report.ended_first, report.first.end, report.second.end),
            (Side::Second, End::Exited(43), End::Signaled(11))
        );
    }
}

#[test]
fn a_deadlock_ends_by_wall_time() {
    for kind in kinds() {
        let report = pair(&start(kind), &spec(&["cat"]), &impatient(&["cat"]));
        assert_eq!(report.second.killed, Some(KillReason::Wall), "{kind:?}: {report:?}");
        assert_eq!(report.ended_first, Side::Second);
        // The other then reads the end of its input.
        assert_eq!((report.first.end, report.first.killed), (End::Exited(0), None), "{kind:?}: {report:?}");
    }
}

#[test]
fn what_one_says_is_limited() {
    let sandbox = sandbox();
    let mut flood = spec(&["flood"]);
    flood.limits.stdout_bytes = 1 << 20;
    let report = pair(&sandbox, &flood, &spec(&["count-input"]));
    assert_eq!(report.first.killed, Some(KillReason::Output), "{report:?}");
    assert_eq!((report.first.stdout.len, report.first.stdout.truncated), (1 << 20, true));
    assert_eq!(report.second.end, End::Exited(0), "{report:?}");
}

#[test]
fn all_that_is_said_arrives() {
    let sandbox = sandbox();
    let mut report = pair(&sandbox, &spec(&["write-exactly", "3000000"]), &spec(&["count-input"]));
    assert_eq!((report.first.end, report.second.end), (End::Exited(0), End::Exited(0)));
    assert_eq!(text(&mut report.second.stderr), "3000000");
}

#[test]
fn nobody_is_disturbed_by_the_others_absence() {
    let sandbox = sandbox();
    // It still has much to say when nobody is there any more.
    let report = pair(&sandbox, &spec(&["write-exactly", "3000000"]), &spec(&["true"]));
    assert_eq!((report.first.end, report.first.killed), (End::Exited(0), None), "{report:?}");
    let report = pair(&sandbox, &spec(&["count-input"]), &spec(&["close-output"]));
    assert_eq!((report.first.end, report.second.end), (End::Exited(0), End::Exited(5)), "{report:?}");
    // A listener who doesn't listen makes the writer wait, until its wall limit.
    let report = pair(&sandbox, &impatient(&["flood"]), &spec(&["sleep", "2"]));
    assert!(report.first.killed.is_some(), "{report:?}");
}

#[test]
fn each_has_its_own_limits() {
    for kind in kinds() {
        let mut spinning = spec(&["spin"]);
        spinning.limits.cpu_ms = 200;
        let report = pair(&start(kind), &spinning, &spec(&["count-input"]));
        assert_eq!(report.first.killed, Some(KillReason::Cpu), "{kind:?}: {report:?}");
        assert_eq!((report.second.end, report.second.killed), (End::Exited(0), None), "{kind:?}: {report:?}");
        assert!(report.second.cpu_us < 100_000 * patience(), "{kind:?}: {report:?}");
    }
}

#[test]
fn faults_in_a_pair_are_errors() {
    let sandbox = sandbox();
    let missing = RunSpec { argv: vec!["/box/missing".to_owned()], ..spec(&[]) };
    for (first, second) in [(&missing, &spec(&["sleep", "5"])), (&spec(&["sleep", "5"]), &missing)] {
        let result = sandbox.run_pair(first, second);
        assert!(matches!(result, Err(SandboxError::Exec { .. })), "{result:?}");
    }
    let fed = RunSpec { stdin: Stdin::Bytes(Arc::default()), ..spec(&["cat"]) };
    assert!(matches!(sandbox.run_pair(&fed, spec(&["cat"])), Err(SandboxError::BadSpec(_))));
    assert_prints(&run(&sandbox, &spec(&["hello"])), "hello\n");
}

#[test]
fn pairs_and_single_runs_share_a_sandbox() {
    let sandbox = Sandbox::start(config(touchstone::sandbox::CgroupChoice::Auto, 2)).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                for round in 0..3 {
                    let freshness = Freshness::Wiped { tag: thread * 10 + round };
                    let tagged = |arguments: &[&str]| RunSpec { freshness, ..spec(arguments) };
                    let report = pair(sandbox, &tagged(&["interactor", "99"]), &tagged(&["guesser"]));
                    assert_eq!((report.first.end, report.second.end), (End::Exited(42), End::Exited(0)));
                    assert_prints(&run(sandbox, &tagged(&["hello"])), "hello\n");
                }
            });
        }
    });
}
