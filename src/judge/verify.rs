//! Verifying a package: its tests are made and checked, then every program under `submissions/` is judged against what
//! it promises.
//!
//! Owns: the running. What the results mean is `grading::verification`'s. Must not know: the database.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::domain::verdict::Verdict;
use crate::domain::verification::VerificationReport;
use crate::grading::aggregate::AfterFailure;
use crate::grading::timing::Multipliers;
use crate::grading::verification::{
    LimitInForce, ProgramResult, Side, TestResult, Verification, VerificationFault, bounding_runs,
};
use crate::package::{ExampleSubmission, Expectation, ExpectedScore, Package, PackageTree, TestKind, TimeBound};

use super::compile::Build;
use super::fault::JudgeFault;
use super::groups;
use super::judgement::{Judged, Request, judge};
use super::package_program::{example, run_limits};
use super::parallel;
use super::prepare::{Depth, NotPrepared, Preparation, PreparedTest, prepare};
use super::progress::Progress;
use super::rules::JudgingRules;
use super::run_test::{Headroom, RunResult, TestData, run_test_alone};
use super::side_by_side::judge_all;
use super::workshop::Workshop;

/// The limit under which programs are measured when the package sets none, milliseconds.
pub(super) const UNSET_LIMIT_MS: u64 = 10_000;

/// What verifying found.
#[derive(Debug)]
pub struct Verified {
    /// The report.
    pub report: Verification,
    /// Programs that could not be run here, with the reason.
    pub not_run: Vec<String>,
    /// The tests, when they could be made.
    pub preparation: Option<Preparation>,
}

/// Verifies a package.
pub fn verify(
    workshop: &Workshop,
    tree: &PackageTree,
    package: &Package,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Verified, JudgeFault> {
    let preparation = match prepare(workshop, tree, package, Depth::PrimaryOnly, threads, progress) {
        Ok(preparation) => preparation,
        Err(NotPrepared::Fault(fault)) => return Err(fault),
        Err(NotPrepared::Refused(sentences)) => {
            let found = sentences.into_iter().map(|sentence| fault("tests", sentence)).collect();
            let report = Verification::new(package.slug.as_str(), Vec::new(), &[], limit_in_force(package), found);
            return Ok(Verified { report, not_run: Vec::new(), preparation: None });
        }
    };
    let (programs, not_run, mut found) = judge_programs(workshop, tree, package, &preparation, threads, progress)?;
    let references = package.references().count();
    let references_run = programs.iter().filter(|program| program.name.starts_with("accepted/")).count();
    if references > 1 && references_run < 2 {
        found.push(fault("references", "only one could run here, so nothing confirms the answers".to_owned()));
    }
    let tests = preparation.tests.iter().map(|test| test.name.clone()).collect();
    let report = Verification::new(package.slug.as_str(), tests, &programs, limit_in_force(package), found);
    Ok(Verified { report, not_run, preparation: Some(preparation) })
}

/// Who hears of each program that was judged, and may stop the rest.
pub trait Audience: Sync {
    /// This program was judged.
    fn judged(&self, result: &ProgramResult);
    /// Whether to go on; asked after each run.
    fn goes_on(&self) -> bool;
}

/// A package's programs and the tests that they are judged with.
pub struct Judging<'a> {
    /// Where they are built and run.
    pub workshop: &'a Workshop,
    /// The package's files.
    pub tree: &'a PackageTree,
    /// What they say.
    pub package: &'a Package,
    /// The tests in judging order: the package's own, then those that were added by themselves.
    pub tests: &'a [PreparedTest],
    /// How many programs are judged at once.
    pub threads: usize,
    /// Who hears how far it is.
    pub progress: &'a dyn Progress,
}

impl Judging<'_> {
    /// Judges every program under `submissions/` that isn't among the `earlier` results, and reports on all. `None` when
    /// the audience stopped it.
    pub fn verify(
        &self,
        earlier: &[ProgramResult],
        audience: &dyn Audience,
    ) -> Result<Option<VerificationReport>, JudgeFault> {
        let package = self.package;
        let done = AtomicUsize::new(0);
        let total = package.submissions.len();
        self.progress.step("judging programs", 0, total);
        let results = parallel::map(self.threads, &package.submissions, |_, submission| {
            let known = earlier.iter().find(|result| result.name == submission.name);
            let result = match known {
                Some(known) => Ok(Some(known.clone())),
                None => self.judge_program(submission, audience),
            };
            if let (None, Ok(Some(result))) = (known, &result) {
                audience.judged(result);
            }
            self.progress.step("judging programs", done.fetch_add(1, Ordering::Relaxed) + 1, total);
            result
        });
        let mut programs = Vec::with_capacity(total);
        let mut not_run = Vec::new();
        let mut found = Vec::new();
        for (submission, result) in package.submissions.iter().zip(results) {
            match result {
                Ok(Some(program)) => programs.push(program),
                Ok(None) => return Ok(None),
                Err(JudgeFault::NotOffered { reason, .. }) => not_run.push(format!("{}: {reason}", submission.name)),
                // A validator that fails is the package's fault, and is told like any other.
                Err(JudgeFault::Problem(words)) => found.push(fault(&submission.name, words)),
                Err(fault) => return Err(fault),
            }
        }
        let references = package.references().count();
        let references_run = programs.iter().filter(|program| program.name.starts_with("accepted/")).count();
        if references > 1 && references_run < 2 {
            found.push(fault("references", "only one could run here, so nothing confirms the answers".to_owned()));
        }
        let tests = self.tests.iter().map(|test| test.name.clone()).collect();
        let verification = Verification::new(package.slug.as_str(), tests, &programs, limit_in_force(package), found);
        Ok(Some(VerificationReport { verification, not_run }))
    }

    fn judge_program(
        &self,
        submission: &ExampleSubmission,
        audience: &dyn Audience,
    ) -> Result<Option<ProgramResult>, JudgeFault> {
        if !audience.goes_on() {
            return Ok(None);
        }
        let Self { workshop, tree, package, .. } = *self;
        let (language, sources) = example(workshop, tree, package, submission).map_err(JudgeFault::Problem)?;
        let tests: Vec<TestData<'_>> = self.tests.iter().map(PreparedTest::data).collect();
        let promise = &submission.promise;
        let must_be_slow = promise.bounds_limit_from_above();
        // Which other tests reject a wrong program is worth knowing; on which others one is too slow only takes time.
        let after_failure = if must_be_slow { AfterFailure::Stop } else { AfterFailure::RunAll };
        let samples = self.tests.iter().map(|test| test.kind == TestKind::Sample);
        let measuring = Headroom::Measuring(package.limits.time_limit_to_tle);
        let request = Request {
            language: &language,
            sources: &sources,
            limits: run_limits(&package.limits, UNSET_LIMIT_MS),
            tests: &tests,
            rule: JudgingRules::of(package).rule(samples, after_failure),
            headroom: if must_be_slow { measuring } else { Headroom::Judging },
        };
        let judged = judge(workshop, &request, &mut |_, _| audience.goes_on())?;
        Ok(judged.map(|judged| result(submission, &judged, self.tests)))
    }
}

fn fault(subject: &str, sentence: String) -> VerificationFault {
    VerificationFault { subject: subject.to_owned(), sentence }
}

fn limit_in_force(package: &Package) -> LimitInForce {
    LimitInForce {
        limit_ms: package.limits.time_limit_ms.unwrap_or(UNSET_LIMIT_MS),
        declared: package.limits.time_limit_ms.is_some(),
        multipliers: Multipliers {
            ac_to_time_limit: package.limits.ac_to_time_limit,
            time_limit_to_tle: package.limits.time_limit_to_tle,
        },
        resolution_ms: package.limits.time_resolution_ms,
    }
}

/// What judging every program came to: the results, the programs that could not be run here, the package's faults.
type JudgedPrograms = (Vec<ProgramResult>, Vec<String>, Vec<VerificationFault>);

/// Judges every program under `submissions/`, spread over the cores test by test.
fn judge_programs(
    workshop: &Workshop,
    tree: &PackageTree,
    package: &Package,
    preparation: &Preparation,
    threads: usize,
    progress: &dyn Progress,
) -> Result<JudgedPrograms, JudgeFault> {
    let (mut programs, mut not_run, mut found) = (Vec::new(), Vec::new(), Vec::new());
    let mut known = Vec::new();
    for submission in &package.submissions {
        match example(workshop, tree, package, submission) {
            Ok((language, sources)) => known.push((submission, language, sources)),
            Err(words) => found.push(fault(&submission.name, words)),
        }
    }
    let tests = preparation.data();
    let limits = run_limits(&package.limits, UNSET_LIMIT_MS);
    let requests: Vec<Request<'_>> = known
        .iter()
        .map(|(submission, language, sources)| {
            let must_be_slow = submission.promise.bounds_limit_from_above();
            // Which other tests reject a wrong program is worth knowing; on which others one is too slow only takes
            // time.
            let after_failure = if must_be_slow { AfterFailure::Stop } else { AfterFailure::RunAll };
            let measuring = Headroom::Measuring(package.limits.time_limit_to_tle);
            Request {
                language,
                sources,
                limits,
                tests: &tests,
                rule: groups::rule(package, after_failure),
                headroom: if must_be_slow { measuring } else { Headroom::Judging },
            }
        })
        .collect();
    let judged = judge_all(workshop, &requests, threads, &|done, total| progress.step("judging programs", done, total));
    let mut ran = Vec::new();
    for (((submission, ..), request), judged) in known.iter().zip(&requests).zip(judged) {
        match judged {
            Ok(judged) => {
                programs.push(result(submission, &judged, &preparation.tests));
                ran.push(request);
            }
            Err(JudgeFault::NotOffered { reason, .. }) => not_run.push(format!("{}: {reason}", submission.name)),
            // A validator that fails is the package's fault, and is told like any other.
            Err(JudgeFault::Problem(words)) => found.push(fault(&submission.name, words)),
            Err(fault) => return Err(fault),
        }
    }
    if threads > 1 {
        measure_bounds_alone(workshop, &ran, &mut programs, progress)?;
    }
    Ok((programs, not_run, found))
}

/// The most runs that are measured again for the time limit's sake.
const MOST_REPEATED: usize = 12;

/// Measures the runs that decide about the time limit again while nothing else runs: beside others a program may take
/// longer than by itself, and nobody is to set a limit by that.
fn measure_bounds_alone(
    workshop: &Workshop,
    requests: &[&Request<'_>],
    programs: &mut [ProgramResult],
    progress: &dyn Progress,
) -> Result<(), JudgeFault> {
    let mut alone = BTreeSet::new();
    // The time of one may fall below that of another, which then decides.
    while let Some(&(program, at)) = bounding_runs(programs).iter().find(|run| !alone.contains(*run)) {
        if alone.len() == MOST_REPEATED {
            break;
        }
        progress.step("measuring alone", alone.len(), alone.len() + 1);
        alone.insert((program, at));
        let request = requests[program];
        let Build::Ready(built) = workshop.build(request.language, request.sources)? else { continue };
        let run = &mut programs[program].runs[at];
        let again = run_test_alone(workshop, &built, request.tests[run.test], &request.limits, request.headroom)?;
        // Its verdict stands: it was found by the rule for runs near the limit.
        if again.verdict == run.verdict {
            run.cpu_ms = run.cpu_ms.min(time_of(&again));
        }
    }
    Ok(())
}

/// The judge message that a program is to provoke and doesn't (`message` of `submissions.yaml`).
fn missing_message(submission: &ExampleSubmission, runs: &[(&str, &RunResult)]) -> Option<String> {
    let said = |expected: &Expectation| {
        let concerned = |test: &str| expected.tests.as_ref().is_none_or(|tests| tests.matches(test));
        let mut words = runs.iter().filter(|(test, _)| concerned(test)).filter_map(|(_, run)| run.difference.as_ref());
        words.any(|words| words.contains(&expected.message))
    };
    let wanted = submission.expectations.iter().filter(|expected| !expected.message.is_empty());
    let missing = wanted.into_iter().find(|expected| !said(expected))?;
    Some(format!("no judge message says `{}`", missing.message))
}

/// A score that is not the one that the program is to get (`score` of `submissions.yaml`).
fn other_score(submission: &ExampleSubmission, judged: &Judged) -> Option<String> {
    submission.expectations.iter().find_map(|expected| {
        let ExpectedScore { least, most } = expected.score?;
        let (of, got) = match &expected.tests {
            None => ("the submission", judged.score),
            Some(tests) => {
                let group = judged.groups.iter().find(|group| group.name == tests.text);
                (tests.text.as_str(), group.and_then(|group| group.score))
            }
        };
        let fits = got.is_some_and(|got| (least - 1e-9..=most + 1e-9).contains(&got));
        let got = got.map_or_else(|| "no score".to_owned(), |got| got.to_string());
        (!fits).then(|| format!("{of} gets {got}, not {least} to {most}"))
    })
}

/// From which side a program bounds the time limit: as `submissions.yaml` says, else as its promise implies.
fn bounds(submission: &ExampleSubmission) -> Option<Side> {
    let of_all_tests = submission.expectations.iter().filter(|expected| expected.tests.is_none());
    match of_all_tests.filter_map(|expected| expected.time_bound).next_back() {
        Some(TimeBound::Lower) => Some(Side::Below),
        Some(TimeBound::Upper) => Some(Side::Above),
        None if submission.promise.bounds_limit_from_above() => Some(Side::Above),
        None if submission.is_reference() => Some(Side::Below),
        Some(TimeBound::None) | None => None,
    }
}

fn result(submission: &ExampleSubmission, judged: &Judged, tests: &[PreparedTest]) -> ProgramResult {
    let promise = &submission.promise;
    let broken = if judged.built {
        let runs: Vec<(&str, &RunResult)> =
            judged.runs.iter().map(|(index, run)| (tests[*index].name.as_str(), run)).collect();
        let verdicts: Vec<(&str, Verdict)> = runs.iter().map(|(name, run)| (*name, run.verdict)).collect();
        let broken = submission.check(&verdicts).err().map(|broken| {
            let difference = judged.deciding_run().and_then(|run| run.difference.as_ref());
            match difference {
                Some(difference) if submission.is_reference() => {
                    format!("{broken}: the references disagree: {difference}")
                }
                _ => broken.to_string(),
            }
        });
        broken.or_else(|| missing_message(submission, &runs)).or_else(|| other_score(submission, judged))
    } else if promise.holds(Verdict::CompileError) {
        None
    } else {
        let words: String = judged.compiler_output.lines().take(12).collect::<Vec<_>>().join("\n");
        Some(format!("does not compile:\n{words}"))
    };
    ProgramResult {
        name: submission.name.clone(),
        expected: promise.to_string(),
        broken,
        got: judged.verdict,
        bounds: bounds(submission),
        wrong: promise.is_wrong(),
        runs: judged
            .runs
            .iter()
            .map(|(index, run)| TestResult { test: *index, verdict: run.verdict, cpu_ms: time_of(run) })
            .collect(),
    }
}

/// The time that a run counts with, milliseconds: its cpu, but at least the wall time of one that was cut off, since
/// all that is known of it is that it wasn't done by then.
fn time_of(run: &RunResult) -> u64 {
    if run.verdict == Verdict::TimeLimit { run.cpu_ms.max(run.wall_ms) } else { run.cpu_ms }
}
