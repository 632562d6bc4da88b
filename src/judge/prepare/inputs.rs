//! Inputs: made by generators or taken from the package, and shown to the input validators.
//!
//! Owns: how validators are asked, and what is said of an input that one refuses or wrongly takes.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::domain::hash::Sha256;
use crate::domain::limits::Limits;
use crate::grading::validator::{Exit, InputSaid, input_validator};
use crate::judge::fault::JudgeFault;
use crate::judge::package_program::{self, PackageBuild, validation_limits};
use crate::judge::program::{BuiltProgram, WorkFile};
use crate::judge::test_file::TestFile;
use crate::judge::workshop::Workshop;
use crate::package::{PackagePath, Program, Protocol, TestCase, TestInput};
use crate::sandbox::{Contents, RunReport, Stdin};

use super::{LARGEST_TEST, Maker, NotPrepared, failure_of, refused, start};

/// An input validator, built.
#[derive(Debug)]
pub struct Validator {
    /// Its name in the package.
    pub name: String,
    program: Arc<BuiltProgram>,
    protocol: Protocol,
    /// Its own files, which lie in its working folder (format, "Working directory").
    files: Vec<WorkFile>,
}

/// What a validator said.
#[derive(Debug, PartialEq, Eq)]
pub enum Validity {
    /// It takes the input.
    Valid,
    /// It does not, with its words.
    Invalid(String),
}

impl Validator {
    /// Whether one of its own files has this name.
    fn has(&self, name: &str) -> bool {
        self.files.iter().any(|(own, _)| own == name)
    }

    /// Asks about one input, in a new working folder that holds the validator's own files and `files`, as they will lie
    /// beside the submission.
    pub fn ask(
        &self,
        workshop: &Workshop,
        args: &[String],
        files: &[WorkFile],
        input: Stdin,
        limits: &Limits,
    ) -> Result<Validity, JudgeFault> {
        let files: Vec<WorkFile> = self.files.iter().chain(files).cloned().collect();
        let report = self.program.run(workshop, start(args, input, *limits, &files))?;
        let exit = Exit::from(&report);
        Ok(match input_validator(self.protocol, exit) {
            InputSaid::Valid => Validity::Valid,
            InputSaid::Invalid(exit) => Validity::Invalid(words_of(&report, exit, limits)),
        })
    }
}

/// Why a validator refuses, in its own words; how it ended, when that is not how validators refuse.
fn words_of(report: &RunReport, exit: Exit, limits: &Limits) -> String {
    let mut words = crate::judge::compile::text_of(&report.stderr);
    if words.trim().is_empty() {
        words = crate::judge::compile::text_of(&report.stdout);
    }
    let mut words: String = words.trim().chars().take(2_000).collect();
    if !matches!(exit.code(), Some(43 | 1..=3)) {
        let failure = failure_of(report, limits).unwrap_or_else(|| "ends with exit code 0".to_owned());
        words.insert_str(0, &format!("the validator itself {failure} "));
        words.truncate(words.trim_end().len());
    }
    words
}

fn refusal(case: &str, validator: &str, words: &str) -> String {
    if words.is_empty() {
        format!("{case}: the input validator {validator} refuses this input and says nothing more")
    } else {
        format!("{case}: the input validator {validator} refuses this input: {words}")
    }
}

/// "It is an error for file names from `.files` and the input validator to collide" (format, "Working directory").
fn collision(case: &str, validator: &str, name: &str) -> String {
    format!(
        "{case}: {name} lies in the test's .files folder and is a file of the input validator {validator} too; both belong into \
         the validator's working folder, so rename one"
    )
}

impl Maker<'_> {
    pub(in crate::judge) fn validators(&self) -> Result<Vec<Validator>, NotPrepared> {
        self.each("building validators", &self.package.input_validators, |_, program| {
            match package_program::build(self.workshop, self.tree, &program.files, &program.entry)? {
                PackageBuild::Ready(built) => {
                    let files = self.own_files(program)?;
                    Ok(Validator { name: program.name.clone(), program: built, protocol: program.protocol, files })
                }
                PackageBuild::Refused(sentence) => refused(sentence),
                PackageBuild::NotOffered { reason, .. } => {
                    refused(format!("the input validator {} can't run here: {reason}", program.name))
                }
            }
        })
    }

    pub(super) fn inputs(&self) -> Result<Vec<TestFile>, NotPrepared> {
        let cases: Vec<_> = self.package.test_cases().collect();
        self.each("making inputs", &cases, |at, case| {
            self.input(&case.name, &case.input, &self.folder.join(format!("{at}.in")))
        })
    }

    pub(in crate::judge) fn input(&self, name: &str, input: &TestInput, to: &Path) -> Result<TestFile, NotPrepared> {
        match input {
            TestInput::File(path) => Ok(TestFile::stream(to, self.open(path)?)?),
            TestInput::Inline(text) => Ok(TestFile::write(to, text.as_bytes())?),
            TestInput::Generated { program, args } => {
                let report = self.generate(name, program, args)?;
                Ok(TestFile::copy(to, &report.stdout)?)
            }
        }
    }

    /// Runs a generator.
    pub(in crate::judge) fn generate(
        &self,
        name: &str,
        program: &Program,
        args: &[String],
    ) -> Result<RunReport, NotPrepared> {
        let built = match package_program::build(self.workshop, self.tree, &program.files, &program.entry)? {
            PackageBuild::Ready(built) => built,
            PackageBuild::Refused(sentence) => return refused(sentence),
            PackageBuild::NotOffered { reason, .. } => {
                return refused(format!("the generator {} can't run here: {reason}", program.name));
            }
        };
        let limits = Limits { output_bytes: LARGEST_TEST, ..validation_limits(&self.package.limits) };
        let report = built.run(self.workshop, start(args, Stdin::Null, limits, &[]))?;
        match failure_of(&report, &limits) {
            None => Ok(report),
            Some(failure) => refused(format!("{name}: the generator `{} {}` {failure}", program.name, args.join(" "))),
        }
    }

    /// The files that lie beside the submission on this test.
    pub(in crate::judge) fn case_files(&self, case: &TestCase) -> Result<Vec<WorkFile>, NotPrepared> {
        case.files
            .iter()
            .map(|file| {
                // The sandbox's working folder has no folders of its own at the start.
                if file.name.contains('/') {
                    let path = &file.path;
                    return refused(format!("{path}: files beside a submission can't lie in a folder of their own"));
                }
                Ok((file.name.clone(), self.placed(&file.path)?))
            })
            .collect()
    }

    /// An input validator's own files. Those in folders of its folder stay out: the sandbox's working folder has none.
    fn own_files(&self, program: &Program) -> Result<Vec<WorkFile>, JudgeFault> {
        // `validators/a.py` or `validators/a/main.py`.
        let depth = if program.files.len() == 1 && program.entry.as_str().matches('/').count() == 1 { 1 } else { 2 };
        let name = |path: &PackagePath| path.as_str().splitn(depth + 1, '/').nth(depth).map(str::to_owned);
        let files = program.files.iter().filter_map(|path| Some((name(path)?, path)));
        files.filter(|(name, _)| !name.contains('/')).map(|(name, path)| Ok((name, self.placed(path)?))).collect()
    }

    /// A file of the package as one that lies beside a program. It is put on disk for as long as the preparation lasts:
    /// those of all tests together may be more than memory holds.
    fn placed(&self, path: &PackagePath) -> Result<Contents, JudgeFault> {
        let at = self.folder.join(format!("beside-{}", Sha256::of(path.as_str().as_bytes())));
        if let Ok(about) = std::fs::metadata(&at) {
            return Ok(Contents::File { path: at, bytes: about.len() });
        }
        let doing = || JudgeFault::io("keep a file that lies beside a program");
        // Under its name only when it is whole: others may look for it meanwhile.
        let part = tempfile::NamedTempFile::new_in(self.folder).map_err(doing())?;
        let written = TestFile::stream(part.path(), self.open(path)?)?;
        part.persist(&at).map_err(|error| doing()(error.error))?;
        Ok(Contents::File { path: at, bytes: written.len() })
    }

    pub(super) fn validate(&self, validators: &[Validator], inputs: &[TestFile]) -> Result<(), NotPrepared> {
        let cases: Vec<_> = self.package.test_cases().zip(inputs).collect();
        self.each("validating inputs", &cases, |_, (case, input)| self.validate_case(validators, case, input))?;
        Ok(())
    }

    /// Asks all validators about one case's input.
    pub(in crate::judge) fn validate_case(
        &self,
        validators: &[Validator],
        case: &TestCase,
        input: &TestFile,
    ) -> Result<(), NotPrepared> {
        let limits = validation_limits(&self.package.limits);
        let files = self.case_files(case)?;
        for validator in validators {
            if let Some((name, _)) = files.iter().find(|(name, _)| validator.has(name)) {
                return refused(collision(&case.name, &validator.name, name));
            }
        }
        for validator in validators {
            let own = case.input_validator_args.of(&validator.name);
            // "the `input_validator_args` followed by the `args` of the testcase" (format, "Invocation").
            let args: Vec<String> = own.iter().chain(&case.args).cloned().collect();
            let verdict = validator.ask(self.workshop, &args, &files, input.stdin()?, &limits)?;
            if let Validity::Invalid(words) = verdict {
                return refused(refusal(&case.name, &validator.name, &words));
            }
        }
        Ok(())
    }

    /// A file of the package.
    pub(in crate::judge) fn read(&self, path: &PackagePath) -> Result<Vec<u8>, JudgeFault> {
        self.tree.read(path).map_err(|error| JudgeFault::Data(error.to_string()))
    }

    /// A file of the package, as a stream.
    pub(in crate::judge) fn open(&self, path: &PackagePath) -> Result<Box<dyn Read + Send>, JudgeFault> {
        self.tree.open(path).map_err(|error| JudgeFault::Data(error.to_string()))
    }

    /// Asks all validators about an input that belongs to no case yet.
    pub(in crate::judge) fn validate_one(
        &self,
        validators: &[Validator],
        name: &str,
        input: &TestFile,
    ) -> Result<(), NotPrepared> {
        let limits = validation_limits(&self.package.limits);
        for validator in validators {
            if let Validity::Invalid(words) = validator.ask(self.workshop, &[], &[], input.stdin()?, &limits)? {
                return refused(refusal(name, &validator.name, &words));
            }
        }
        Ok(())
    }

    pub(super) fn refuse_planted(&self, validators: &[Validator]) -> Result<(), NotPrepared> {
        let limits = validation_limits(&self.package.limits);
        self.each("trying invalid inputs", &self.package.invalid_inputs, |at, invalid| {
            let input = self.input(&invalid.name, &invalid.input, &self.folder.join(format!("invalid-{at}.in")))?;
            for validator in validators {
                let args = invalid.input_validator_args.of(&validator.name);
                if let Validity::Invalid(_) = validator.ask(self.workshop, args, &[], input.stdin()?, &limits)? {
                    return Ok(());
                }
            }
            refused(format!(
                "{}: every input validator takes this input, though it lies among the invalid ones",
                invalid.name
            ))
        })?;
        Ok(())
    }
}
