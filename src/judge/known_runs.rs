//! What earlier verifications of a package found out, so that a changed test need not wait for all that did not change.
//!
//! Owns: what may be taken over. A run is the same one when the same version of the package has the same program, and input,
//! answer and settings of the test are the same; limits belong to the version. A program that broke its promise is judged
//! anew, and of a reference only accepted runs are taken over, since the words of a difference are not kept. A compiler may
//! be another one since: verifying again by hand takes nothing over. Must not know: the database, how anything is run.

use std::collections::BTreeMap;

use crate::domain::verdict::Verdict;
use crate::domain::verification::{ProgramResult, TestResult};
use crate::package::ExampleSubmission;

use super::run_test::RunResult;

/// Runs by program; the tests are those of the verification that is to be made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownRuns(BTreeMap<String, BTreeMap<usize, TestResult>>);

impl KnownRuns {
    /// What `earlier` verifications, newest first, say about `tests`. A test is whatever tells it from others.
    pub fn new<T: PartialEq>(tests: &[T], earlier: &[(Vec<T>, Vec<ProgramResult>)]) -> Self {
        let mut known = Self::default();
        for (before, programs) in earlier {
            let place: Vec<Option<usize>> =
                before.iter().map(|test| tests.iter().position(|now| now == test)).collect();
            for program in programs.iter().filter(|program| program.broken.is_none()) {
                let runs = known.0.entry(program.name.clone()).or_default();
                for run in program.runs.iter().filter(|run| run.verdict != Verdict::JudgingError) {
                    if let Some(test) = place.get(run.test).copied().flatten() {
                        runs.entry(test).or_insert(TestResult { test, reused: true, ..*run });
                    }
                }
            }
        }
        known
    }

    /// All of it: the program and its run on a test.
    pub fn all(&self) -> impl Iterator<Item = (&str, TestResult)> {
        self.0.iter().flat_map(|(program, runs)| runs.values().map(move |run| (program.as_str(), *run)))
    }

    /// What is known of a program's run on a test.
    pub fn of(&self, program: &str, test: usize) -> Option<TestResult> {
        self.0.get(program)?.get(&test).copied()
    }

    /// What of it need not be run again, test by test.
    pub(super) fn results(&self, submission: &ExampleSubmission, tests: usize) -> Vec<Option<RunResult>> {
        let says_more =
            |expected: &crate::package::Expectation| !expected.message.is_empty() || expected.score.is_some();
        if submission.expectations.iter().any(says_more) {
            return Vec::new();
        }
        let fits = |run: &TestResult| !submission.is_reference() || run.verdict == Verdict::Accepted;
        (0..tests).map(|test| self.of(&submission.name, test).filter(fits).map(as_it_was)).collect()
    }
}

impl FromIterator<(String, TestResult)> for KnownRuns {
    fn from_iter<I: IntoIterator<Item = (String, TestResult)>>(runs: I) -> Self {
        let mut known = Self::default();
        for (program, run) in runs {
            known.0.entry(program).or_default().insert(run.test, run);
        }
        known
    }
}

/// The run with all that was kept of it.
fn as_it_was(run: TestResult) -> RunResult {
    RunResult {
        verdict: run.verdict,
        points: None,
        cpu_ms: run.cpu_ms,
        wall_ms: run.cpu_ms,
        memory_bytes: 0,
        message: String::new(),
        difference: None,
        cause: None,
        times_run: 0,
        printed: None,
        errors: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(name: &str, broken: bool, runs: &[(usize, Verdict, u64)]) -> ProgramResult {
        let run = |&(test, verdict, cpu_ms)| TestResult { test, verdict, cpu_ms, reused: false, alone: cpu_ms > 90 };
        ProgramResult {
            name: name.to_owned(),
            expected: "AC".to_owned(),
            broken: broken.then(|| "it broke".to_owned()),
            got: Verdict::Accepted,
            bounds: None,
            wrong: false,
            runs: runs.iter().map(run).collect(),
        }
    }

    #[test]
    fn runs_follow_their_tests_and_the_newest_counts() {
        let newest =
            (vec!["b", "x"], vec![program("p", false, &[(0, Verdict::WrongAnswer, 5), (1, Verdict::Accepted, 6)])]);
        let older = (
            vec!["a", "b", "c"],
            vec![
                program(
                    "p",
                    false,
                    &[(0, Verdict::Accepted, 95), (1, Verdict::Accepted, 2), (2, Verdict::JudgingError, 3)],
                ),
                program("q", true, &[(0, Verdict::Accepted, 1)]),
            ],
        );
        let known = KnownRuns::new(&["c", "b", "a", "new"], &[newest, older]);
        let of = |program, test| known.of(program, test).map(|run| (run.verdict, run.cpu_ms, run.reused, run.alone));
        assert_eq!(of("p", 1), Some((Verdict::WrongAnswer, 5, true, false)), "the newest");
        assert_eq!(of("p", 2), Some((Verdict::Accepted, 95, true, true)));
        assert_eq!((of("p", 0), of("p", 3)), (None, None), "a fault of ours is no result, and the new test is run");
        assert_eq!(of("q", 2), None, "it broke its promise: it is judged anew");
    }
}
