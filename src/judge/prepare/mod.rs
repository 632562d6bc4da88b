//! From a package to tests with answers: inputs are generated and validated, the primary reference answers them, and
//! the other references must agree.
//!
//! Owns: the order of these steps and the sentences about what fails. Must not know: the database; where tests go.

mod answers;
mod inputs;
mod outputs;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::TempDir;

use crate::domain::hash::Sha256;
use crate::domain::limits::Limits;
use crate::grading::validator::Exit;
use crate::package::{Package, PackageTree, PlacedFile, Program, Protocol, TestInput, TestKind};
use crate::sandbox::{End, Freshness, RunReport, Stdin};

use super::fault::JudgeFault;
use super::parallel;
use super::program::{Start, WorkFile};
use super::progress::{Progress, Silent};
use super::run_test::TestData;
use super::test_file::TestFile;
use super::workshop::Workshop;

pub use answers::{Reference, answer_limits};
pub use inputs::{Validator, Validity};
pub use outputs::PreparedChecker;

/// The most that a generated input or a made answer may have, bytes.
pub(super) const LARGEST_TEST: u64 = 256 << 20;
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
    /// Who says whether an output is right.
    pub checker: PreparedChecker,
    /// The program's arguments.
    pub args: Vec<String>,
    /// Files beside the program.
    pub files: Vec<WorkFile>,
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

impl Preparation {
    /// The tests, to be run on.
    pub fn data(&self) -> Vec<TestData<'_>> {
        self.tests.iter().map(PreparedTest::data).collect()
    }
}

impl PreparedTest {
    /// The test, to be run on.
    pub fn data(&self) -> TestData<'_> {
        TestData {
            input: &self.input,
            answer: &self.answer,
            checker: self.checker.as_checker(),
            args: &self.args,
            files: &self.files,
        }
    }
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
    let own_checker = maker.output_validator()?;
    let answers = maker.answers(&inputs, own_checker.as_deref())?;
    let mut tests = Vec::with_capacity(inputs.len());
    for ((case, input), answer) in package.test_cases().zip(inputs).zip(answers) {
        let recipe = match &case.input {
            TestInput::Generated { program, args } => Some(format!("{} {}", program.name, args.join(" "))),
            TestInput::File(_) | TestInput::Inline(_) => None,
        };
        tests.push(PreparedTest {
            name: case.name.clone(),
            kind: case.kind,
            input,
            answer,
            checker: Maker::checker(&case.name, own_checker.as_ref(), &case.output_validator_args)?,
            args: case.args.clone(),
            files: maker.case_files(case)?,
            recipe,
        });
    }
    maker.brought_answers(&tests)?;
    maker.planted_outputs(&validators, own_checker.as_ref(), &tests)?;
    let not_run = match depth {
        Depth::PrimaryOnly => Vec::new(),
        Depth::AllReferences => maker.references_agree(&tests)?,
    };
    Ok(Preparation { tests, not_run, _folder: folder })
}

/// A program of `generators/` and its arguments, from `gen args`.
///
/// # Errors
/// A sentence, when the package has no such generator.
pub fn generator(tree: &PackageTree, command: &str) -> Result<(Program, Vec<String>), String> {
    let mut words = command.split_whitespace().map(str::to_owned);
    let name = words.next().ok_or_else(|| "the generator's command is empty".to_owned())?;
    let of_it = |first: &str| first == name || first.rsplit_once('.').is_some_and(|(stem, _)| stem == name);
    let files: Vec<_> = tree
        .below("generators")
        .filter(|path| path.below("generators").and_then(|rest| rest.split('/').next()).is_some_and(of_it))
        .cloned()
        .collect();
    let main = files.iter().find(|path| path.stem().eq_ignore_ascii_case("main")).or(files.first());
    let entry = main.ok_or_else(|| format!("the package has no generator `{name}` in generators/"))?.clone();
    Ok((Program { name, files, entry, protocol: Protocol::default() }, words.collect()))
}

/// Where one more input comes from.
#[derive(Debug)]
pub enum OneInput<'a> {
    /// It is there.
    Given(TestFile),
    /// This generator's command prints it.
    Made(&'a str),
}

/// A test made from an input alone.
#[derive(Debug)]
pub struct OneTest {
    /// The input.
    pub input: TestFile,
    /// What the references answer.
    pub answer: TestFile,
    /// The checker's arguments.
    pub checker_args: Vec<String>,
    /// The program's arguments.
    pub args: Vec<String>,
    /// Files of the package that lie beside the program.
    pub files: Vec<PlacedFile>,
    _folder: TempDir,
}

/// Validates one more input for a package and lets every reference answer it. One with the name of a test of the package
/// takes that test's place and so has its arguments and files; any other is judged like the package's last test.
pub fn prepare_one(
    workshop: &Workshop,
    tree: &PackageTree,
    package: &Package,
    name: &str,
    input: OneInput<'_>,
    threads: usize,
) -> Result<OneTest, NotPrepared> {
    if package.problem_type.scoring {
        return refused(format!(
            "{name}: this problem has scores, and a test that is added by itself belongs to none of its groups; add it \
             to the package"
        ));
    }
    let folder = tempfile::Builder::new()
        .prefix("test-")
        .tempdir_in(workshop.folder())
        .map_err(JudgeFault::io("make a folder for a test"))?;
    let maker = Maker { workshop, tree, package, threads, progress: &Silent, folder: folder.path() };
    let input = match input {
        OneInput::Given(input) => input,
        OneInput::Made(command) => {
            let (program, args) = match generator(tree, command) {
                Ok(found) => found,
                Err(sentence) => return refused(sentence),
            };
            let report = maker.generate(name, &program, &args)?;
            TestFile::copy(&folder.path().join("0.in"), &report.stdout)?
        }
    };
    let edited = package.test_cases().find(|case| case.name == name);
    let validators = maker.validators()?;
    match edited {
        Some(case) => maker.validate_case(&validators, case, &input)?,
        None => maker.validate_one(&validators, name, &input)?,
    }
    let own_checker = maker.output_validator()?;
    let like = edited.or_else(|| package.test_cases().last());
    let checker_args = like.map(|case| case.output_validator_args.clone()).unwrap_or_default();
    let args = edited.map(|case| case.args.clone()).unwrap_or_default();
    let files = edited.map(|case| maker.case_files(case)).transpose()?.unwrap_or_default();
    let checker = Maker::checker(name, own_checker.as_ref(), &checker_args)?;
    let to = folder.path().join("0.ans");
    let answer = if own_checker.is_some_and(|checker| checker.talks()) {
        // Nothing is compared with it: the validator alone decides.
        TestFile::write(&to, b"")?
    } else {
        maker.primary()?.answer(workshop, name, &input, &args, &files, &answer_limits(package), &to)?
    };
    let test = PreparedTest {
        name: name.to_owned(),
        kind: TestKind::Secret,
        input: input.clone(),
        answer: answer.clone(),
        checker,
        args: args.clone(),
        files,
        recipe: None,
    };
    maker.references_agree(&[test])?;
    let files = edited.map(|case| case.files.clone()).unwrap_or_default();
    Ok(OneTest { input, answer, checker_args, args, files, _folder: folder })
}

/// What the steps of a preparation share.
pub(super) struct Maker<'a> {
    pub(super) workshop: &'a Workshop,
    pub(super) tree: &'a PackageTree,
    pub(super) package: &'a Package,
    pub(super) threads: usize,
    pub(super) progress: &'a dyn Progress,
    /// Where inputs and answers go.
    pub(super) folder: &'a Path,
}

impl Maker<'_> {
    /// Does `work` for each item on several threads, tells the progress, and collects what is refused. Stops when the
    /// progress says so.
    pub(super) fn each<I: Sync, O: Send>(
        &self,
        part: &str,
        items: &[I],
        work: impl Fn(usize, &I) -> Result<O, NotPrepared> + Sync,
    ) -> Result<Vec<O>, NotPrepared> {
        let done = AtomicUsize::new(0);
        self.progress.step(part, 0, items.len());
        let results = parallel::map(self.threads, items, |at, item| {
            if !self.progress.goes_on() {
                return Err(NotPrepared::Fault(JudgeFault::Stopped));
            }
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
}

fn refused<T>(sentence: String) -> Result<T, NotPrepared> {
    Err(NotPrepared::Refused(vec![sentence]))
}

fn start<'a>(arguments: &'a [String], stdin: Stdin, limits: Limits, files: &[WorkFile]) -> Start<'a> {
    Start {
        arguments,
        stdin,
        limits,
        binds: Vec::new(),
        work_files: files.to_vec(),
        collect: Vec::new(),
        freshness: Freshness::Fresh,
    }
}

/// What went wrong with a program that was to do its part, in words that follow its name.
fn failure_of(report: &RunReport, limits: &Limits) -> Option<String> {
    use crate::sandbox::KillReason;
    let exit = Exit::from(report);
    Some(match (exit.killed, exit.end) {
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
