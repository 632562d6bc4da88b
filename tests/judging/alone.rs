//! The times that decide about a time limit are measured while nothing else runs, in a verification of the server's: other
//! workers have to wait for them, and they for the others.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};

use rstest::rstest;
use rustix::process::Signal;
use touchstone::domain::limits::Limits;
use touchstone::domain::verdict::Verdict;
use touchstone::domain::verification::ProgramResult;
use touchstone::grading::checker::CheckerFlags;
use touchstone::judge::languages::LanguageTable;
use touchstone::judge::prepare::{Depth, prepare};
use touchstone::judge::progress::{Progress, Silent};
use touchstone::judge::run_test::{Checker, Headroom, run_test};
use touchstone::judge::verify::{Audience, Judging, Known};
use touchstone::package::{Package, PackageTree};

use crate::bench::{Bench, data, limits, until};
use crate::waiting::{tell, waiting, waits};

/// What the package's programs wait for.
const PACKAGE: Signal = Signal::USR2;
/// What another worker's program waits for.
const OTHER: Signal = Signal::URG;

/// A reference and a program that is too slow: both bound the time limit.
fn package() -> (PackageTree, Package) {
    let right = waits(PACKAGE, "print(sum(map(int, input().split())))\n");
    let slow = waits(PACKAGE, "while True: pass\n");
    let files = [
        (
            "problem.yaml",
            "problem_format_version: 2025-09\ntype: pass-fail\nname: Sum\n\
             uuid: 0d5b8a1e-6a0b-4a52-8d1a-3f5a6b7c8d9e\nlicense: cc0\nlimits:\n  time_limit: 1\n  memory: 256\n",
        ),
        ("statement/problem.en.md", "Print the sum of two numbers.\n"),
        ("data/secret/1.in", "5 7\n"),
        ("input_validators/any.py", "import sys\nsys.exit(42)\n"),
        ("submissions/accepted/a.py", &right),
        ("submissions/time_limit_exceeded/slow.py", &slow),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec().into()));
    let tree = PackageTree::from_files(files).unwrap();
    let (package, _) = Package::read(&tree, &"sum".parse().unwrap()).unwrap();
    (tree, package)
}

/// A thread of this process, as the kernel numbers it.
fn this_thread() -> i32 {
    rustix::thread::gettid().as_raw_nonzero().get()
}

/// Whether the thread stands before a lock, and not only for a moment.
fn stands_still(thread: i32) -> bool {
    let futex = libc::SYS_futex.to_string();
    (0..200).all(|_| {
        std::thread::yield_now();
        let call = std::fs::read_to_string(format!("/proc/self/task/{thread}/syscall")).unwrap_or_default();
        call.split(' ').next() == Some(&futex)
    })
}

/// Says which thread is about to measure alone, and holds it until the test opens.
struct Gate {
    measuring: Mutex<Sender<i32>>,
    opened: AtomicBool,
    /// The test has failed: nobody opens any more.
    left: AtomicBool,
}

impl Progress for Gate {
    fn step(&self, part: &str, _done: usize, _total: usize) {
        if part == "measuring alone" {
            self.measuring.lock().unwrap().send(this_thread()).unwrap();
            // Not asleep: it would look like a thread before a lock.
            while !self.opened.swap(false, Ordering::Relaxed) && !self.left.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
        }
    }
}

/// Leaves the gate open, so that a failed test ends.
struct Leaving<'a>(&'a Gate);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.left.store(true, Ordering::Relaxed);
    }
}

/// The programs with a run that was measured alone.
#[derive(Default)]
struct Heard(Mutex<BTreeSet<String>>);

impl Audience for Heard {
    fn judged(&self, result: &ProgramResult) {
        if result.runs.iter().any(|run| run.alone) {
            self.0.lock().unwrap().insert(result.name.clone());
        }
    }

    fn goes_on(&self) -> bool {
        true
    }
}

/// With several threads of its own, and with one beside other workers.
#[rstest]
#[case::several_threads(2)]
#[case::one_beside_others(1)]
fn what_bounds_the_time_limit_is_measured_alone(#[case] threads: usize) {
    // One case at a time: they tell programs apart by their signals.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let bench = Bench::with(LanguageTable::built_in().unwrap());
    let workshop = &bench.workshop;
    let (tree, package) = package();
    let other = bench.build("python3", &[("other.py", &waits(OTHER, "print(12)"))]);
    let (input, answer) = (bench.file(b""), bench.file(b"12\n"));
    let flags = CheckerFlags::default();
    let patient = Limits { wall_ms: 120_000, ..limits() };
    // What another worker does meanwhile; it says which thread it is.
    let beside = |thread: Sender<i32>| {
        thread.send(this_thread()).unwrap();
        let test = data(&input, &answer, Checker::Default(&flags));
        run_test(workshop, &other, test, &patient, Headroom::Judging, 77).unwrap()
    };
    let here = std::process::id();
    let runs = |signal| !waiting(here, signal).is_empty();
    let tests = std::thread::scope(|scope| {
        let preparing = scope.spawn(|| prepare(workshop, &tree, &package, Depth::PrimaryOnly, 1, &Silent).unwrap());
        until("the answers", || {
            tell(here, PACKAGE);
            preparing.is_finished()
        });
        preparing.join().unwrap()
    });

    let (measuring, measured) = channel();
    let (gate, heard) = (
        Gate { measuring: Mutex::new(measuring), opened: AtomicBool::new(false), left: AtomicBool::new(false) },
        Heard::default(),
    );
    let judging = Judging {
        workshop,
        tree: &tree,
        package: &package,
        tests: &tests.tests,
        threads,
        in_company: true,
        progress: &gate,
    };
    std::thread::scope(|scope| {
        let _leaving = Leaving(&gate);
        let verifying = scope.spawn(|| judging.verify(&Known::default(), &heard).unwrap().unwrap());
        loop {
            let mut measures = None;
            until("a time to be measured alone, or the end", || {
                tell(here, PACKAGE);
                measures = measured.try_recv().ok();
                measures.is_some() || verifying.is_finished()
            });
            let Some(measures) = measures else { break };
            let (at_work, works) = channel();
            let (beside, again) = (&beside, at_work.clone());

            // Something runs: measuring has to wait for its end.
            let first = scope.spawn(move || beside(at_work));
            until("a run beside", || runs(OTHER));
            works.recv().unwrap();
            gate.opened.store(true, Ordering::Relaxed);
            while !stands_still(measures) {
                assert!(!runs(PACKAGE), "it is measured beside another run");
            }
            assert!(runs(OTHER) && !runs(PACKAGE), "it is measured beside another run");
            until("the end of the run beside", || {
                tell(here, OTHER);
                first.is_finished()
            });
            assert_eq!(first.join().unwrap().verdict, Verdict::Accepted);

            // Something is measured: everything else has to wait.
            until("the run that is measured", || runs(PACKAGE));
            let second = scope.spawn(move || beside(again));
            let waits_for_it = works.recv().unwrap();
            while !stands_still(waits_for_it) {
                assert!(!runs(OTHER), "another run begins beside the one that is measured");
            }
            assert!(runs(PACKAGE) && !runs(OTHER), "another run begins beside the one that is measured");
            until("the end of both", || {
                tell(here, PACKAGE);
                tell(here, OTHER);
                second.is_finished()
            });
            assert_eq!(second.join().unwrap().verdict, Verdict::Accepted);
        }
        let report = verifying.join().unwrap();
        assert!(report.not_run.is_empty(), "{report:?}");
    });
    let heard: Vec<String> = heard.0.into_inner().unwrap().into_iter().collect();
    assert_eq!(heard, ["accepted/a.py", "time_limit_exceeded/slow.py"], "both bounds are measured alone");
}
