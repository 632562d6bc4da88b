//! Answers: made by the primary reference, confirmed by the others.
//!
//! Owns: which answer is taken, and the sentences about references that fail or disagree. Where the package has an
//! output validator of its own, answers may be in any form that it understands: then every reference's output must be
//! accepted by it, and a brought answer isn't compared with anything.

use std::path::Path;
use std::sync::Arc;

use crate::domain::limits::Limits;
use crate::domain::verdict::Verdict;
use crate::judge::custom_validator::CustomValidator;
use crate::judge::fault::JudgeFault;
use crate::judge::package_program::{self, PackageBuild};
use crate::judge::program::{BuiltProgram, WorkFile};
use crate::judge::run_test::{Headroom, run_test};
use crate::judge::test_file::{self, TestFile};
use crate::judge::workshop::Workshop;
use crate::package::{ExampleSubmission, Package};
use crate::sandbox::{RunReport, Stdin};

use super::{
    ANSWER_CPU_MS, LARGEST_TEST, Maker, NotPrepared, PreparedChecker, PreparedTest, failure_of, refused, start,
};

/// A reference, built.
#[derive(Debug, Clone)]
pub struct Reference {
    /// Its name in the package.
    pub name: String,
    /// It.
    pub program: Arc<BuiltProgram>,
}

impl Reference {
    /// What it prints for an input, or how it failed, in words that follow its name.
    pub fn run(
        &self,
        workshop: &Workshop,
        stdin: Stdin,
        args: &[String],
        files: &[WorkFile],
        limits: &Limits,
    ) -> Result<Result<RunReport, String>, JudgeFault> {
        let report = self.program.run(workshop, start(args, stdin, *limits, files))?;
        Ok(match failure_of(&report, limits) {
            Some(failure) => Err(failure),
            None => Ok(report),
        })
    }

    /// Lets it answer one input.
    #[expect(clippy::too_many_arguments, reason = "a run's parts; a struct of them would be used here only")]
    pub fn answer(
        &self,
        workshop: &Workshop,
        name: &str,
        input: &TestFile,
        args: &[String],
        files: &[WorkFile],
        limits: &Limits,
        to: &Path,
    ) -> Result<TestFile, NotPrepared> {
        match self.run(workshop, input.stdin()?, args, files, limits)? {
            Ok(report) => Ok(TestFile::copy(to, &report.stdout)?),
            Err(failure) => refused(format!("{name}: the reference {} {failure}", self.name)),
        }
    }
}

/// What a reference may use when it answers.
pub fn answer_limits(package: &Package) -> Limits {
    let limits = package_program::run_limits(&package.limits, ANSWER_CPU_MS);
    // A reference has time: whether it keeps the limit is for verification to say.
    let cpu_ms = (limits.cpu_ms * 10).clamp(10_000, ANSWER_CPU_MS);
    Limits { cpu_ms, wall_ms: Limits::wall_for_cpu(cpu_ms), output_bytes: LARGEST_TEST, ..limits }
}

impl Maker<'_> {
    pub(in crate::judge) fn primary(&self) -> Result<Reference, NotPrepared> {
        let primary = self.package.primary();
        match self.build_submission(primary)? {
            PackageBuild::Ready(program) => Ok(Reference { name: primary.name.clone(), program }),
            PackageBuild::Refused(sentence) => refused(sentence),
            PackageBuild::NotOffered { reason, .. } => {
                refused(format!("the primary reference {} can't run here: {reason}", primary.name))
            }
        }
    }

    fn build_submission(&self, submission: &ExampleSubmission) -> Result<PackageBuild, JudgeFault> {
        package_program::build_example(self.workshop, self.tree, self.package, submission)
    }

    /// The answers of all tests: the primary's; or, for a package with its own validator, those that it brings.
    pub(super) fn answers(
        &self,
        inputs: &[TestFile],
        own: Option<&CustomValidator>,
    ) -> Result<Vec<TestFile>, NotPrepared> {
        let primary = self.primary()?;
        let limits = answer_limits(self.package);
        let cases: Vec<_> = self.package.test_cases().zip(inputs).collect();
        self.each("making answers", &cases, |at, (case, input)| {
            let to = self.folder.join(format!("{at}.ans"));
            match (own, &case.answer) {
                (Some(_), Some(brought)) => Ok(TestFile::stream(&to, self.open(brought)?)?),
                // The program can't be run by itself, and its validator was written to need no answer.
                (Some(own), None) if own.talks() => Ok(TestFile::write(&to, b"")?),
                _ => {
                    let files = self.case_files(case)?;
                    primary.answer(self.workshop, &case.name, input, &case.args, &files, &limits, &to)
                }
            }
        })
    }

    /// The answers that the package brings (samples' stand in the statement) must be the ones that the primary makes.
    pub(super) fn brought_answers(&self, tests: &[PreparedTest]) -> Result<(), NotPrepared> {
        let mut refused = Vec::new();
        for (case, test) in self.package.test_cases().zip(tests) {
            let (Some(path), PreparedChecker::Default(flags)) = (&case.answer, &test.checker) else { continue };
            if let Some(difference) = test.answer.differs_from(self.open(path)?, flags)? {
                refused.push(format!("{path} is not what {} prints: {difference}", self.package.primary().name));
            }
        }
        if refused.is_empty() { Ok(()) } else { Err(NotPrepared::Refused(refused)) }
    }

    /// Builds the references behind the primary. With them come the ones that can't run here.
    pub(in crate::judge) fn other_references(&self) -> Result<(Vec<Reference>, Vec<String>), NotPrepared> {
        let others: Vec<&ExampleSubmission> = self.package.references().skip(1).collect();
        let built =
            self.each("building references", &others, |_, submission| Ok(self.build_submission(submission)?))?;
        let mut not_run = Vec::new();
        let mut references = Vec::new();
        for (submission, build) in others.iter().zip(built) {
            match build {
                PackageBuild::Ready(program) => references.push(Reference { name: submission.name.clone(), program }),
                PackageBuild::Refused(sentence) => return refused(sentence),
                PackageBuild::NotOffered { reason, .. } => not_run.push(format!("{}: {reason}", submission.name)),
            }
        }
        Ok((references, not_run))
    }

    /// Runs the references on every test: the others where the primary made the answer, all where a validator decides.
    /// Returns the ones that can't run here.
    pub(in crate::judge) fn references_agree(&self, tests: &[PreparedTest]) -> Result<Vec<String>, NotPrepared> {
        let (mut references, not_run) = self.other_references()?;
        if references.is_empty() && !not_run.is_empty() {
            return refused(format!(
                "no second reference can run here, so nothing confirms the answers: {}",
                not_run.join("; ")
            ));
        }
        if tests.iter().any(|test| matches!(test.checker, PreparedChecker::Custom(..))) {
            references.insert(0, self.primary()?);
        }
        let runs: Vec<_> =
            references.iter().flat_map(|reference| tests.iter().map(move |test| (reference, test))).collect();
        self.each("comparing references", &runs, |_, (reference, test)| match &test.checker {
            PreparedChecker::Default(flags) => {
                let limits = answer_limits(self.package);
                let ran = reference.run(self.workshop, test.input.stdin()?, &test.args, &test.files, &limits)?;
                let report = ran
                    .or_else(|failure| refused(format!("{}: the reference {} {failure}", test.name, reference.name)))?;
                match test.answer.differs_from(test_file::reader(&report.stdout)?, flags)? {
                    None => Ok(()),
                    Some(difference) => refused(format!(
                        "{}: the references disagree; {} answers, and {} differs: {difference}",
                        test.name,
                        self.package.primary().name,
                        reference.name
                    )),
                }
            }
            PreparedChecker::Custom(..) => self.is_accepted(reference, test),
        })?;
        Ok(not_run)
    }

    /// The package's own validator accepts the reference on this test.
    fn is_accepted(&self, reference: &Reference, test: &PreparedTest) -> Result<(), NotPrepared> {
        let limits = answer_limits(self.package);
        // No other run has this tag's slot: the tag of submissions counts from 1.
        let ran = run_test(self.workshop, &reference.program, test.data(), &limits, Headroom::Judging, 0);
        let result = match ran {
            Ok(result) => result,
            Err(JudgeFault::Problem(words)) => return refused(format!("{}: {words}", test.name)),
            Err(fault) => return Err(fault.into()),
        };
        if result.verdict == Verdict::Accepted {
            return Ok(());
        }
        let words = result.difference.unwrap_or(result.message);
        refused(format!(
            "{}: the reference {} gets {}: {words}",
            test.name,
            reference.name,
            result.verdict.name().to_lowercase()
        ))
    }
}
