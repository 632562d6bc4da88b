//! Verifying a package: its tests are made and checked, then every program under `submissions/` is judged against what
//! it promises.
//!
//! Owns: the running. What the results mean is `grading::verification`'s. Must not know: the database.

use std::collections::BTreeSet;

use crate::domain::language::LanguageId;
use crate::domain::source::SourceFile;
use crate::domain::verdict::Verdict;
use crate::domain::verification::VerificationReport;
use crate::grading::aggregate::{AfterFailure, Rule};
use crate::grading::timing::Multipliers;
use crate::grading::verification::{
    LimitInForce, ProgramResult, Side, TestResult, Verification, VerificationFault, bounding_runs,
};
use crate::package::{ExampleSubmission, Expectation, ExpectedScore, Package, PackageTree, TestKind, TimeBound};

use super::compile::Build;
use super::fault::JudgeFault;
use super::judgement::{Judged, Request};
use super::known_runs::KnownRuns;
use super::package_program::{example, run_limits};
use super::prepare::{Depth, NotPrepared, Preparation, PreparedTest, prepare};
use super::progress::Progress;
use super::rules::JudgingRules;
use super::run_test::{Headroom, RunResult, TestData, run_test_alone};
use super::side_by_side::{self, judge_the_rest};
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
    let (tests, in_company) = (&preparation.tests, threads > 1);
    let judging = Judging { workshop, tree, package, tests, threads, in_company, progress };
    let report = judging.verify(&Known::default(), &Nobody)?;
    let report = report.ok_or_else(|| JudgeFault::Data("a verification was stopped by nobody".to_owned()))?;
    let VerificationReport { verification, not_run } = report;
    Ok(Verified { report: verification, not_run, preparation: Some(preparation) })
}

/// Who hears of each program that was judged, and may stop the rest.
pub trait Audience: Sync {
    /// This program was judged.
    fn judged(&self, result: &ProgramResult);
    /// Whether to go on; asked after each run.
    fn goes_on(&self) -> bool;
}

/// Nobody listens, and nobody stops it.
struct Nobody;

impl Audience for Nobody {
    fn judged(&self, _result: &ProgramResult) {}

    fn goes_on(&self) -> bool {
        true
    }
}

/// What need not be found out again.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// What an interrupted attempt at this very verification found out.
    pub programs: Vec<ProgramResult>,
    /// What earlier verifications of the same version did.
    pub runs: KnownRuns,
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
    /// How many programs run at once.
    pub threads: usize,
    /// Whether anything else may run in the same workshop meanwhile, be it this verification's own or another worker's: then
    /// the times that decide are measured again alone.
    pub in_company: bool,
    /// Who hears how far it is.
    pub progress: &'a dyn Progress,
}

/// A program under `submissions/`, ready to be judged.
struct Candidate<'a> {
    submission: &'a ExampleSubmission,
    language: LanguageId,
    sources: Vec<SourceFile>,
    /// What an interrupted attempt found out.
    before: Option<&'a ProgramResult>,
}

impl Judging<'_> {
    /// Judges every program under `submissions/`, spread over the cores test by test, and reports on all. `None` when the
    /// audience stopped it.
    pub fn verify(&self, known: &Known, audience: &dyn Audience) -> Result<Option<VerificationReport>, JudgeFault> {
        let package = self.package;
        let (mut found, mut candidates) = (Vec::new(), Vec::new());
        for submission in &package.submissions {
            match example(self.workshop, self.tree, package, submission) {
                Ok((language, sources)) => {
                    let before = known.programs.iter().find(|result| result.name == submission.name);
                    candidates.push(Candidate { submission, language, sources, before });
                }
                Err(words) => found.push(fault(&submission.name, words)),
            }
        }
        let tests: Vec<TestData<'_>> = self.tests.iter().map(PreparedTest::data).collect();
        let requests: Vec<Request<'_>> = candidates.iter().map(|candidate| self.request(candidate, &tests)).collect();
        let Some(judged) = self.judge(&candidates, &requests, known, audience) else { return Ok(None) };
        let (mut programs, mut ran, mut not_run) = (Vec::new(), Vec::new(), Vec::new());
        for ((candidate, request), result) in candidates.iter().zip(&requests).zip(judged) {
            let name = &candidate.submission.name;
            match result {
                Ok(program) => {
                    programs.push(program);
                    ran.push(request);
                }
                Err(JudgeFault::NotOffered { reason, .. }) => not_run.push(format!("{name}: {reason}")),
                // A validator that fails is the package's fault, and is told like any other.
                Err(JudgeFault::Problem(words)) => found.push(fault(name, words)),
                Err(fault) => return Err(fault),
            }
        }
        if self.in_company && !self.measure_bounds_alone(&ran, &mut programs, audience)? {
            return Ok(None);
        }
        let references = package.references().count();
        let references_run = programs.iter().filter(|program| program.name.starts_with("accepted/")).count();
        if references > 1 && references_run < 2 {
            found.push(fault("references", "only one could run here, so nothing confirms the answers".to_owned()));
        }
        let tests = self.tests.iter().map(|test| test.name.clone()).collect();
        let mut verification =
            Verification::new(package.slug.as_str(), tests, &programs, limit_in_force(package), found);
        verification.hints.extend(self.reuse(&programs));
        Ok(Some(VerificationReport { verification, not_run }))
    }

    fn request<'a>(&self, candidate: &'a Candidate<'_>, tests: &'a [TestData<'a>]) -> Request<'a> {
        let package = self.package;
        let must_be_slow = candidate.submission.promise.bounds_limit_from_above();
        // Which other tests reject a wrong program is worth knowing; on which others one is too slow only takes time.
        let after_failure = if must_be_slow { AfterFailure::Stop } else { AfterFailure::RunAll };
        let samples = self.tests.iter().map(|test| test.kind == TestKind::Sample);
        let measuring = Headroom::Measuring(package.limits.time_limit_to_tle);
        Request {
            language: &candidate.language,
            sources: &candidate.sources,
            limits: run_limits(&package.limits, UNSET_LIMIT_MS),
            tests,
            rule: JudgingRules::of(package).rule(samples, after_failure),
            headroom: if must_be_slow { measuring } else { Headroom::Judging },
        }
    }

    /// What each candidate did; `None` when it was stopped.
    fn judge(
        &self,
        candidates: &[Candidate<'_>],
        requests: &[Request<'_>],
        known: &Known,
        audience: &dyn Audience,
    ) -> Option<Vec<Result<ProgramResult, JudgeFault>>> {
        let (mut here, mut rest, mut runs) = (Vec::new(), Vec::new(), Vec::new());
        for (candidate, request) in candidates.iter().zip(requests).filter(|(candidate, _)| candidate.before.is_none())
        {
            // With groups a run has points too, which are not kept.
            let plain = matches!(request.rule, Rule::PassFail { .. });
            let count = if plain { self.tests.len() } else { 0 };
            runs.push(known.runs.results(candidate.submission, count));
            rest.push(request.clone());
            here.push(candidate);
        }
        let listening = Listening { judging: self, candidates: &here, known: &known.runs, audience };
        let judged = judge_the_rest(self.workshop, &rest, runs, self.threads, &listening);
        let mut judged = here.iter().zip(judged).map(|(candidate, judged)| {
            Some(judged?.map(|judged| result(candidate.submission, &judged, self.tests, &known.runs)))
        });
        let one = |candidate: &Candidate<'_>| match candidate.before {
            Some(before) => Some(Ok(before.clone())),
            None => judged.next().flatten(),
        };
        candidates.iter().map(one).collect()
    }

    /// Measures the runs that decide about the time limit again while nothing else runs: beside others a program may take
    /// longer than by itself, and nobody is to set a limit by that. `false` when the audience stopped it.
    fn measure_bounds_alone(
        &self,
        requests: &[&Request<'_>],
        programs: &mut [ProgramResult],
        audience: &dyn Audience,
    ) -> Result<bool, JudgeFault> {
        let mut looked_at = BTreeSet::new();
        // The time of one may fall below that of another, which then decides.
        let next = |programs: &[ProgramResult], looked_at: &BTreeSet<(usize, usize)>| {
            let fresh = |run: &(usize, usize)| !looked_at.contains(run) && !programs[run.0].runs[run.1].alone;
            bounding_runs(programs).into_iter().find(fresh)
        };
        while let Some((program, at)) = next(programs, &looked_at) {
            if looked_at.len() == MOST_REPEATED {
                break;
            }
            if !audience.goes_on() {
                return Ok(false);
            }
            self.progress.step("measuring alone", looked_at.len(), looked_at.len() + 1);
            looked_at.insert((program, at));
            let request = requests[program];
            let Build::Ready(built) = self.workshop.build(request.language, request.sources)? else { continue };
            let run = &mut programs[program].runs[at];
            let again =
                run_test_alone(self.workshop, &built, request.tests[run.test], &request.limits, request.headroom)?;
            // Its verdict stands: it was found by the rule for runs near the limit.
            if again.verdict == run.verdict {
                run.cpu_ms = run.cpu_ms.min(time_of(&again));
            }
            run.alone = true;
            audience.judged(&programs[program]);
        }
        Ok(true)
    }

    /// What was taken over from earlier verifications, in a sentence.
    fn reuse(&self, programs: &[ProgramResult]) -> Option<String> {
        let runs = programs.iter().flat_map(|program| &program.runs);
        let (mut reused, mut all, mut fresh) = (0, 0, BTreeSet::new());
        for run in runs {
            all += 1;
            if run.reused {
                reused += 1;
            } else {
                fresh.insert(run.test);
            }
        }
        let names: Vec<&str> = fresh.into_iter().map(|test| self.tests[test].name.as_str()).collect();
        let now = match names.as_slice() {
            [] => "none had to be run".to_owned(),
            few if few.len() <= NAMED_TESTS => format!("run now: {}", few.join(", ")),
            many => format!("run now: {} tests", many.len()),
        };
        (reused > 0).then(|| {
            format!(
                "{reused} of {all} runs are those of earlier verifications of this version: the same programs on the same \
                 tests with the same limits; {now}"
            )
        })
    }
}

/// Turns judgements into results for whoever listens.
struct Listening<'a> {
    judging: &'a Judging<'a>,
    candidates: &'a [&'a Candidate<'a>],
    known: &'a KnownRuns,
    audience: &'a dyn Audience,
}

impl side_by_side::Audience for Listening<'_> {
    fn reached(&self, done: usize, total: usize) {
        self.judging.progress.step("judging programs", done, total);
    }

    fn judged(&self, request: usize, judged: &Judged) {
        self.audience.judged(&result(self.candidates[request].submission, judged, self.judging.tests, self.known));
    }

    fn goes_on(&self) -> bool {
        self.audience.goes_on()
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

/// The most runs that are measured again for the time limit's sake.
const MOST_REPEATED: usize = 12;
/// How many tests are named in a sentence.
const NAMED_TESTS: usize = 5;

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

fn result(submission: &ExampleSubmission, judged: &Judged, tests: &[PreparedTest], known: &KnownRuns) -> ProgramResult {
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
            .map(|(index, run)| {
                let before = known.of(&submission.name, *index).filter(|_| run.times_run == 0);
                let (reused, alone) = (before.is_some(), before.is_some_and(|before| before.alone));
                TestResult { test: *index, verdict: run.verdict, cpu_ms: time_of(run), reused, alone }
            })
            .collect(),
    }
}

/// The time that a run counts with, milliseconds: its cpu, but at least the wall time of one that was cut off, since
/// all that is known of it is that it wasn't done by then.
fn time_of(run: &RunResult) -> u64 {
    if run.verdict == Verdict::TimeLimit { run.cpu_ms.max(run.wall_ms) } else { run.cpu_ms }
}
