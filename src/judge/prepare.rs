//! From a package to tests with answers: inputs are generated and validated, the primary reference answers them, and
//! the other references must agree.
//!
//! Owns: the order of these steps and the sentences about what fails. Must not know: the database; where tests go.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::TempDir;

use crate::domain::hash::Sha256;
use crate::domain::limits::Limits;
use crate::grading::checker::CheckerFlags;
use crate::package::{ExampleSubmission, Package, PackageTree, TestInput, TestKind};
use crate::sandbox::{End, Freshness, RunReport, Stdin};

use super::fault::JudgeFault;
use super::package_program::{self, PackageBuild, validation_limits};
use super::parallel;
use super::program::{BuiltProgram, Start};
use super::progress::{Progress, Silent};
use super::test_file::TestFile;
use super::workshop::Workshop;

/// The most that a generated input or a made answer may have, bytes.
const LARGEST_TEST: u64 = 256 << 20;
/// cpu time for a reference that makes answers when the package has no time limit yet, milliseconds.
const ANSWER_CPU_MS: u64 = 60_000;

/// A test that can be judged against.
#[derive(Debug)]
pub struct PreparedTest {
    /// `secret/03-rows`.
    pub name: String,
    /// Sample or secret.
    pub kind: TestKind,
    /// What the program reads.
    pub input: TestFile,
    /// What is right.
    pub answer: TestFile,
    /// The checker's flags.
    pub flags: CheckerFlags,
    /// The generator's command, when one made the input.
    pub recipe: Option<String>,
}

/// A package's tests, ready, and the folder that holds them.
#[derive(Debug)]
pub struct Preparation {
    /// In judging order.
    pub tests: Vec<PreparedTest>,
    /// References that could not be run here, with the reason.
    pub not_run: Vec<String>,
    _folder: TempDir,
}

/// Why a package has no usable tests.
#[derive(Debug, thiserror::Error)]
pub enum NotPrepared {
    /// The package is at fault: a sentence for each thing that is wrong.
    #[error("{}", .0.join("\n"))]
    Refused(Vec<String>),
    /// We are.
    #[error(transparent)]
    Fault(#[from] JudgeFault),
}

/// How much must be shown before the tests are handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The primary's answers are taken as they are; for a setter who is trying things out.
    PrimaryOnly,
    /// Every reference that can run here must agree.
    AllReferences,
}

/// Makes and checks the tests of a package.
pub fn prepare(
    workshop: &Workshop,
    tree: &PackageTree,
    package: &Package,
    depth: Depth,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Preparation, NotPrepared> {
    let folder = tempfile::Builder::new()
        .prefix("tests-")
        .tempdir_in(workshop.folder())
        .map_err(JudgeFault::io("make a folder for tests"))?;
    let maker = Maker { workshop, tree, package, threads, progress, folder: folder.path() };
    let validators = maker.validators()?;
    let inputs = maker.inputs()?;
    maker.validate(&validators, &inputs)?;
    maker.refuse_planted(&validators)?;
    let primary = maker.primary()?;
    let answers = maker.answers(&primary, &inputs)?;
    let mut tests = Vec::with_capacity(inputs.len());
    for ((case, input), answer) in package.test_cases().zip(inputs).zip(answers) {
        let flags = CheckerFlags::parse(&case.output_validator_args)
            .map_err(|bad| NotPrepared::Refused(vec![format!("{}: {bad}", case.name)]))?;
        let recipe = match &case.input {
            TestInput::Generated { program, args } => Some(format!("{} {}", program.name, args.join(" "))),
            TestInput::File(_) | TestInput::Inline(_) => None,
        };
        tests.push(PreparedTest { name: case.name.clone(), kind: case.kind, input, answer, flags, recipe });
    }
    maker.brought_answers(&tests)?;
    let not_run = match depth {
        Depth::PrimaryOnly => Vec::new(),
        Depth::AllReferences => maker.references_agree(&tests)?,
    };
    Ok(Preparation { tests, not_run, _folder: folder })
}

/// A test made from an input alone.
#[derive(Debug)]
pub struct OneTest {
    /// What the references answer.
    pub answer: Vec<u8>,
    /// The checker's arguments: those of the package's last test, since an added test is like its others.
    pub checker_args: Vec<String>,
}

/// Validates one more input for a package and lets every reference answer it.
pub fn prepare_one(
    workshop: &Workshop,
    tree: &PackageTree,
    package: &Package,
    name: &str,
    input: &[u8],
    threads: usize,
) -> Result<OneTest, NotPrepared> {
    let folder = tempfile::Builder::new()
        .prefix("test-")
        .tempdir_in(workshop.folder())
        .map_err(JudgeFault::io("make a folder for a test"))?;
    let maker = Maker { workshop, tree, package, threads, progress: &Silent, folder: folder.path() };
    let input = TestFile::write(&folder.path().join("0.in"), input)?;
    for validator in maker.validators()? {
        let limits = validation_limits(&package.limits);
        if let Validity::Invalid(words) = ask_validator(workshop, &validator, &[], &input, &limits)? {
            return Err(NotPrepared::Refused(vec![refusal(name, &validator.name, &words)]));
        }
    }
    let last = package.test_cases().last();
    let checker_args = last.map(|case| case.output_validator_args.clone()).unwrap_or_default();
    let flags = CheckerFlags::parse(&checker_args).map_err(|bad| NotPrepared::Refused(vec![bad.to_string()]))?;
    let answer = answer(workshop, package, &maker.primary()?, name, &input, &folder.path().join("0.ans"))?;
    let contents = std::fs::read(answer.path()).map_err(JudgeFault::io("read an answer"))?;
    let test = PreparedTest { name: name.to_owned(), kind: TestKind::Secret, input, answer, flags, recipe: None };
    maker.references_agree(&[test])?;
    Ok(OneTest { answer: contents, checker_args })
}

/// An input validator, built.
pub struct Validator {
    name: String,
    program: Arc<BuiltProgram>,
}

struct Maker<'a> {
    workshop: &'a Workshop,
    tree: &'a PackageTree,
    package: &'a Package,
    threads: usize,
    progress: &'a dyn Progress,
    folder: &'a Path,
}

impl Maker<'_> {
    /// Does `work` for each item on several threads, tells the progress, and collects what is refused.
    fn each<I: Sync, O: Send>(
        &self,
        part: &str,
        items: &[I],
        work: impl Fn(usize, &I) -> Result<O, NotPrepared> + Sync,
    ) -> Result<Vec<O>, NotPrepared> {
        let done = AtomicUsize::new(0);
        self.progress.step(part, 0, items.len());
        let results = parallel::map(self.threads, items, |at, item| {
            let result = work(at, item);
            self.progress.step(part, done.fetch_add(1, Ordering::Relaxed) + 1, items.len());
            result
        });
        let mut good = Vec::with_capacity(results.len());
        let mut refused = Vec::new();
        for result in results {
            match result {
                Ok(value) => good.push(value),
                Err(NotPrepared::Refused(sentences)) => refused.extend(sentences),
                Err(NotPrepared::Fault(fault)) => return Err(fault.into()),
            }
        }
        if refused.is_empty() { Ok(good) } else { Err(NotPrepared::Refused(refused)) }
    }

    fn validators(&self) -> Result<Vec<Validator>, NotPrepared> {
        self.each("building validators", &self.package.input_validators, |_, program| {
            match package_program::build(self.workshop, self.tree, &program.files, &program.entry)? {
                PackageBuild::Ready(built) => Ok(Validator { name: program.name.clone(), program: built }),
                PackageBuild::Refused(sentence) => Err(NotPrepared::Refused(vec![sentence])),
                PackageBuild::NotOffered { reason, .. } => Err(NotPrepared::Refused(vec![format!(
                    "the input validator {} can't run here: {reason}",
                    program.name
                )])),
            }
        })
    }

    fn inputs(&self) -> Result<Vec<TestFile>, NotPrepared> {
        let cases: Vec<_> = self.package.test_cases().collect();
        self.each("making inputs", &cases, |at, case| {
            self.input(&case.name, &case.input, &self.folder.join(format!("{at}.in")))
        })
    }

    fn input(&self, name: &str, input: &TestInput, to: &Path) -> Result<TestFile, NotPrepared> {
        match input {
            TestInput::File(path) => {
                let contents = self.tree.read(path).map_err(|error| JudgeFault::Data(error.to_string()))?;
                Ok(TestFile::write(to, &contents)?)
            }
            TestInput::Inline(text) => Ok(TestFile::write(to, text.as_bytes())?),
            TestInput::Generated { program, args } => {
                let built = match package_program::build(self.workshop, self.tree, &program.files, &program.entry)? {
                    PackageBuild::Ready(built) => built,
                    PackageBuild::Refused(sentence) => return Err(NotPrepared::Refused(vec![sentence])),
                    PackageBuild::NotOffered { reason, .. } => {
                        return Err(NotPrepared::Refused(vec![format!(
                            "the generator {} can't run here: {reason}",
                            program.name
                        )]));
                    }
                };
                let limits = Limits { output_bytes: LARGEST_TEST, ..validation_limits(&self.package.limits) };
                let report = built.run(self.workshop, start(args, Stdin::Null, limits))?;
                if let Some(failure) = failure_of(&report, &limits) {
                    return Err(NotPrepared::Refused(vec![format!(
                        "{name}: the generator `{} {}` {failure}",
                        program.name,
                        args.join(" ")
                    )]));
                }
                Ok(TestFile::copy(to, &report.stdout)?)
            }
        }
    }

    fn validate(&self, validators: &[Validator], inputs: &[TestFile]) -> Result<(), NotPrepared> {
        let cases: Vec<_> = self.package.test_cases().zip(inputs).collect();
        self.each("validating inputs", &cases, |_, (case, input)| {
            for validator in validators {
                let args = case.input_validator_args.of(&validator.name);
                let verdict =
                    ask_validator(self.workshop, validator, args, input, &validation_limits(&self.package.limits))?;
                if let Validity::Invalid(words) = verdict {
                    return Err(NotPrepared::Refused(vec![refusal(&case.name, &validator.name, &words)]));
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    fn refuse_planted(&self, validators: &[Validator]) -> Result<(), NotPrepared> {
        self.each("trying invalid inputs", &self.package.invalid_inputs, |at, invalid| {
            let input = self.input(&invalid.name, &invalid.input, &self.folder.join(format!("invalid-{at}.in")))?;
            for validator in validators {
                let args = invalid.input_validator_args.of(&validator.name);
                let limits = validation_limits(&self.package.limits);
                if let Validity::Invalid(_) = ask_validator(self.workshop, validator, args, &input, &limits)? {
                    return Ok(());
                }
            }
            Err(NotPrepared::Refused(vec![format!(
                "{}: every input validator takes this input, though it lies among the invalid ones",
                invalid.name
            )]))
        })?;
        Ok(())
    }

    fn primary(&self) -> Result<Arc<BuiltProgram>, NotPrepared> {
        let primary = self.package.primary();
        match self.build_submission(primary)? {
            PackageBuild::Ready(built) => Ok(built),
            PackageBuild::Refused(sentence) => Err(NotPrepared::Refused(vec![sentence])),
            PackageBuild::NotOffered { reason, .. } => Err(NotPrepared::Refused(vec![format!(
                "the primary reference {} can't run here: {reason}",
                primary.name
            )])),
        }
    }

    fn build_submission(&self, submission: &ExampleSubmission) -> Result<PackageBuild, JudgeFault> {
        package_program::build(self.workshop, self.tree, &submission.files, &submission.files[0])
    }

    fn answers(&self, primary: &Arc<BuiltProgram>, inputs: &[TestFile]) -> Result<Vec<TestFile>, NotPrepared> {
        let cases: Vec<_> = self.package.test_cases().zip(inputs).collect();
        self.each("making answers", &cases, |at, (case, input)| {
            let to = self.folder.join(format!("{at}.ans"));
            answer(self.workshop, self.package, primary, &case.name, input, &to)
        })
    }

    /// The answers that the package brings (samples' stand in the statement) must be the ones that the primary makes.
    fn brought_answers(&self, tests: &[PreparedTest]) -> Result<(), NotPrepared> {
        let mut refused = Vec::new();
        for (case, test) in self.package.test_cases().zip(tests) {
            let Some(path) = &case.answer else { continue };
            let brought = self.tree.read(path).map_err(|error| JudgeFault::Data(error.to_string()))?;
            if let Some(difference) = test.answer.differs_from(&brought[..], &test.flags)? {
                refused.push(format!("{path} is not what {} prints: {difference}", self.package.primary().name));
            }
        }
        if refused.is_empty() { Ok(()) } else { Err(NotPrepared::Refused(refused)) }
    }

    /// Runs the other references on every test. Returns the ones that can't run here.
    fn references_agree(&self, tests: &[PreparedTest]) -> Result<Vec<String>, NotPrepared> {
        let others: Vec<&ExampleSubmission> = self.package.references().skip(1).collect();
        let built =
            self.each("building references", &others, |_, submission| Ok(self.build_submission(submission)?))?;
        let mut not_run = Vec::new();
        let mut runs = Vec::new();
        for (submission, build) in others.iter().zip(built) {
            match build {
                PackageBuild::Ready(program) => {
                    runs.extend(tests.iter().map(|test| (*submission, Arc::clone(&program), test)))
                }
                PackageBuild::Refused(sentence) => return Err(NotPrepared::Refused(vec![sentence])),
                PackageBuild::NotOffered { reason, .. } => not_run.push(format!("{}: {reason}", submission.name)),
            }
        }
        if !others.is_empty() && not_run.len() == others.len() {
            return Err(NotPrepared::Refused(vec![format!(
                "no second reference can run here, so nothing confirms the answers: {}",
                not_run.join("; ")
            )]));
        }
        self.each("comparing references", &runs, |_, (submission, program, test)| {
            let limits = answer_limits(self.package);
            let report = program.run(self.workshop, start(&[], test.input.stdin()?, limits))?;
            if let Some(failure) = failure_of(&report, &limits) {
                return Err(NotPrepared::Refused(vec![format!(
                    "{}: the reference {} {failure}",
                    test.name, submission.name
                )]));
            }
            let output = super::test_file::reader(&report.stdout)?;
            match test.answer.differs_from(output, &test.flags)? {
                None => Ok(()),
                Some(difference) => Err(NotPrepared::Refused(vec![format!(
                    "{}: the references disagree; {} answers, and {} differs: {difference}",
                    test.name,
                    self.package.primary().name,
                    submission.name
                )])),
            }
        })?;
        Ok(not_run)
    }
}

/// What a validator said.
#[derive(Debug, PartialEq, Eq)]
pub enum Validity {
    /// It takes the input.
    Valid,
    /// It does not, with its words.
    Invalid(String),
}

/// Asks one input validator about one input.
pub fn ask_validator(
    workshop: &Workshop,
    validator: &Validator,
    args: &[String],
    input: &TestFile,
    limits: &Limits,
) -> Result<Validity, JudgeFault> {
    let report = validator.program.run(workshop, start(args, input.stdin()?, *limits))?;
    // 42 is the format's, 0 testlib's (`judging`, "Checkers of others").
    if report.killed.is_none() && matches!(report.end, End::Exited(42 | 0)) {
        return Ok(Validity::Valid);
    }
    let mut words = super::compile::text_of(&report.stderr);
    if words.trim().is_empty() {
        words = super::compile::text_of(&report.stdout);
    }
    let mut words: String = words.trim().chars().take(2_000).collect();
    if report.killed.is_some() || !matches!(report.end, End::Exited(43 | 1..=3)) {
        let failure = failure_of(&report, limits).unwrap_or_default();
        words.insert_str(0, &format!("the validator itself {failure} "));
        words.truncate(words.trim_end().len());
    }
    Ok(Validity::Invalid(words))
}

fn refusal(case: &str, validator: &str, words: &str) -> String {
    if words.is_empty() {
        format!("{case}: the input validator {validator} refuses this input and says nothing more")
    } else {
        format!("{case}: the input validator {validator} refuses this input: {words}")
    }
}

/// Lets a reference answer one input.
pub fn answer(
    workshop: &Workshop,
    package: &Package,
    reference: &Arc<BuiltProgram>,
    name: &str,
    input: &TestFile,
    to: &Path,
) -> Result<TestFile, NotPrepared> {
    let limits = answer_limits(package);
    let report = reference.run(workshop, start(&[], input.stdin()?, limits))?;
    if let Some(failure) = failure_of(&report, &limits) {
        return Err(NotPrepared::Refused(vec![format!("{name}: the reference {} {failure}", package.primary().name)]));
    }
    Ok(TestFile::copy(to, &report.stdout)?)
}

fn answer_limits(package: &Package) -> Limits {
    let limits = package_program::run_limits(&package.limits, ANSWER_CPU_MS);
    // A reference has time: whether it keeps the limit is for verification to say.
    let cpu_ms = (limits.cpu_ms * 10).clamp(10_000, ANSWER_CPU_MS);
    Limits { cpu_ms, wall_ms: Limits::wall_for_cpu(cpu_ms), output_bytes: LARGEST_TEST, ..limits }
}

fn start(arguments: &[String], stdin: Stdin, limits: Limits) -> Start<'_> {
    Start { arguments, stdin, limits, binds: Vec::new(), collect: Vec::new(), freshness: Freshness::Fresh }
}

/// What went wrong with a program that was to do its part, in words that follow its name.
fn failure_of(report: &RunReport, limits: &Limits) -> Option<String> {
    use crate::sandbox::KillReason;
    Some(match (report.killed, report.end) {
        (Some(KillReason::Cpu), _) => format!("needs more than {} s", limits.cpu_ms / 1_000),
        (Some(KillReason::Wall), _) => format!("is not done after {} s", limits.wall_ms / 1_000),
        (Some(KillReason::Memory), _) => format!("needs more than {} MB", limits.memory_bytes >> 20),
        (Some(KillReason::Output), _) => format!("prints more than {} MB", limits.output_bytes >> 20),
        (None, End::Exited(0)) => return None,
        (None, End::Exited(code)) => format!("ends with exit code {code}"),
        (None, End::Signaled(signal)) => format!("is ended by signal {signal}"),
    })
}

/// The digest over a list of tests: what "the same tests" means in a receipt.
pub fn digest<'a>(tests: impl IntoIterator<Item = (&'a str, &'a Sha256, &'a Sha256)>) -> Sha256 {
    let parts: Vec<(&str, Vec<u8>)> = tests
        .into_iter()
        .flat_map(|(name, input, answer)| {
            [("name", name.as_bytes().to_vec()), ("in", input.as_bytes().to_vec()), ("ans", answer.as_bytes().to_vec())]
        })
        .collect();
    Sha256::of_parts(parts.iter().map(|(label, part)| (*label, part.as_slice())))
}
