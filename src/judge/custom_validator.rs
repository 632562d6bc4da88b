//! A package's own output validator: built once, asked about each output, in the sandbox.
//!
//! Owns: its arguments and files, for the format's protocol and for testlib's. What its exit and its feedback mean is
//! `grading::validator`'s and `grading::feedback`'s. A validator that fails is a fault of the judge's, with its words;
//! they may tell of the test, so contestants never see them.

use std::sync::Arc;

use crate::domain::limits::Limits;
use crate::grading::feedback::{self, Expected, Feedback};
use crate::grading::validator::{Exit, OutputSaid, output_validator};
use crate::package::{PackageTree, Program, Protocol};
use crate::sandbox::{Captured, Collect, CollectedFile, Freshness, RunReport, Stdin};

use super::fault::JudgeFault;
use super::package_program::{self, PackageBuild};
use super::program::{BuiltProgram, Start, WorkFile};
use super::rules::ValidatorRules;
use super::test_file::TestFile;
use super::workshop::Workshop;

/// Where the validator finds the test's input.
const INPUT: &str = "/test/input";
/// Where it finds the answer.
const ANSWER: &str = "/test/answer";
/// Where testlib's checkers find the output.
const OUTPUT: &str = "/test/output";
/// Its feedback folder. It is the working folder too, so that nothing needs to be made in it first.
const FEEDBACK: &str = "/w/";
/// What is kept of its words when it fails, characters.
const FAULT_WORDS: usize = 2_000;

/// A custom output validator, ready to be asked.
#[derive(Debug)]
pub struct CustomValidator {
    /// It, built.
    pub program: Arc<BuiltProgram>,
    /// How it talks.
    pub protocol: Protocol,
    /// It talks with the submission instead of reading its output afterwards.
    pub interactive: bool,
    /// The most runs of one test; 1 where the problem isn't multi-pass.
    pub passes: u64,
    /// What the problem's type lets it say.
    pub expected: Expected,
    /// Its own limits: the package's `validation_*`.
    pub limits: Limits,
    /// Validators that must accept too; they are asked when it did.
    pub further: Vec<Self>,
}

/// What it said of one output.
#[derive(Debug, Clone, PartialEq)]
pub struct Opinion {
    /// Whether it accepts.
    pub accepted: bool,
    /// Its messages, points and next pass.
    pub feedback: Feedback,
    /// The feedback folder, for the next pass.
    pub folder: Vec<WorkFile>,
}

/// What it is asked about.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The test's input; the same in every pass ("the `.in` file of the test case").
    pub input: &'a TestFile,
    /// The test's answer.
    pub answer: &'a TestFile,
    /// The test's `output_validator_args`.
    pub args: &'a [String],
    /// The feedback folder as an earlier pass left it.
    pub folder: &'a [WorkFile],
}

impl CustomValidator {
    /// Builds these programs, of which the first is asked first; `None` when there are none. `Err(sentence)` inside when
    /// the package is at fault, or this host has no tool for a language.
    pub fn build(
        workshop: &Workshop,
        tree: &PackageTree,
        programs: &[Program],
        rules: ValidatorRules,
    ) -> Result<Result<Option<Self>, String>, JudgeFault> {
        let mut built = Vec::with_capacity(programs.len());
        for program in programs {
            match Self::build_one(workshop, tree, program, rules)? {
                Ok(one) => built.push(one),
                Err(sentence) => return Ok(Err(sentence)),
            }
        }
        let mut built = built.into_iter();
        let first = built.next();
        Ok(Ok(first.map(|first| Self { further: built.collect(), ..first })))
    }

    fn build_one(
        workshop: &Workshop,
        tree: &PackageTree,
        program: &Program,
        rules: ValidatorRules,
    ) -> Result<Result<Self, String>, JudgeFault> {
        let built = match package_program::build(workshop, tree, &program.files, &program.entry)? {
            PackageBuild::Ready(built) => built,
            PackageBuild::Refused(sentence) => return Ok(Err(sentence)),
            PackageBuild::NotOffered { reason, .. } => {
                return Ok(Err(format!("the output validator can't run here: {reason}")));
            }
        };
        Ok(Ok(Self {
            program: built,
            protocol: program.protocol,
            interactive: rules.interactive,
            passes: rules.passes,
            expected: Expected { points: rules.points, passes: rules.multi_pass },
            limits: rules.limits,
            further: Vec::new(),
        }))
    }

    /// Whether it takes part in the run, so that there is no finished output that says it all.
    pub const fn talks(&self) -> bool {
        self.interactive || self.expected.passes
    }

    /// Asks about what a program printed: it, and each further one for as long as all accept. The last one asked is
    /// the one whose words hold.
    pub fn check(&self, workshop: &Workshop, question: Question<'_>, output: &Captured) -> Result<Opinion, JudgeFault> {
        let mut opinion = self.check_alone(workshop, question, output)?;
        for further in &self.further {
            if !opinion.accepted {
                break;
            }
            opinion = further.check_alone(workshop, question, output)?;
        }
        Ok(opinion)
    }

    fn check_alone(
        &self,
        workshop: &Workshop,
        question: Question<'_>,
        output: &Captured,
    ) -> Result<Opinion, JudgeFault> {
        // Kept until the run is over: it is what the validator reads.
        let mut written = None;
        let mut start = self.start(question)?;
        match self.protocol {
            Protocol::Icpc => {
                let output = output.file.try_clone().map_err(JudgeFault::io("show an output to the validator"))?;
                start.stdin = Stdin::File(Arc::new(output));
            }
            Protocol::Testlib => {
                let folder = tempfile::Builder::new()
                    .prefix("output-")
                    .tempdir_in(workshop.folder())
                    .map_err(JudgeFault::io("make a folder for an output"))?;
                let file = TestFile::copy(&folder.path().join("output"), output)?;
                start.binds.push(file.shown_at(OUTPUT)?);
                written = Some(folder);
            }
        }
        let arguments = self.arguments(question.args, OUTPUT);
        let report = self.program.run(workshop, Start { arguments: &arguments, ..start })?;
        drop(written);
        self.opinion(report)
    }

    /// The start that both ways of asking share; standard input and arguments are still missing.
    pub(super) fn start<'a>(&self, question: Question<'_>) -> Result<Start<'a>, JudgeFault> {
        Ok(Start {
            arguments: &[],
            stdin: Stdin::Null,
            limits: self.limits,
            binds: vec![question.input.shown_at(INPUT)?, question.answer.shown_at(ANSWER)?],
            work_files: question.folder.to_vec(),
            collect: vec![Collect { path: "**".to_owned(), max_bytes: self.limits.output_bytes }],
            freshness: Freshness::Fresh,
        })
    }

    /// Its arguments: the format's, or testlib's, for whose checkers `output` is what the program printed, and for whose
    /// interactors a file that they may write.
    pub(super) fn arguments(&self, own: &[String], output: &str) -> Vec<String> {
        let fixed = match self.protocol {
            Protocol::Icpc => [INPUT, ANSWER, FEEDBACK],
            Protocol::Testlib => [INPUT, output, ANSWER],
        };
        fixed.iter().map(|&argument| argument.to_owned()).chain(own.iter().cloned()).collect()
    }

    /// What a finished run of it says.
    pub(super) fn opinion(&self, report: RunReport) -> Result<Opinion, JudgeFault> {
        let exit = Exit::from(&report);
        let words = super::compile::text_of(&report.stderr);
        let said = output_validator(self.protocol, exit, words.as_bytes());
        let files = feedback_files(&report.files);
        if let OutputSaid::Fault(exit) = said {
            let judge = feedback::read(files, said, Expected::default()).unwrap_or_default().judge;
            return Err(failed(&exit.to_string(), &[&judge, &words]));
        }
        let mut feedback = feedback::read(files, said, self.expected).map_err(JudgeFault::Problem)?;
        if self.protocol == Protocol::Testlib {
            // A checker of testlib's has no folder; what it says of its decision may quote the answer.
            feedback.judge = feedback::message(words.as_bytes());
        }
        let folder = if feedback.next_pass.is_some() { kept_folder(report.files)? } else { Vec::new() };
        Ok(Opinion { accepted: matches!(said, OutputSaid::Accepted | OutputSaid::Points(_)), feedback, folder })
    }
}

fn feedback_files(files: &[CollectedFile]) -> impl Iterator<Item = (&str, &[u8])> {
    files.iter().filter_map(|file| Some((file.path.as_str(), file.contents.as_deref()?)))
}

/// The fault of a validator that did not decide, with what it said.
fn failed(how: &str, words: &[&str]) -> JudgeFault {
    let words: Vec<&str> = words.iter().map(|words| words.trim()).filter(|words| !words.is_empty()).collect();
    let words: String = words.join("\n").chars().take(FAULT_WORDS).collect();
    let colon = if words.is_empty() { "" } else { ": " };
    JudgeFault::Problem(format!("the output validator {how}{colon}{words}"))
}

/// The feedback folder for the next pass: all of it but `nextpass.in`.
fn kept_folder(files: Vec<CollectedFile>) -> Result<Vec<WorkFile>, JudgeFault> {
    let kept = files.into_iter().filter(|file| file.path != "nextpass.in");
    kept.map(|file| match file.contents {
        Some(contents) if !file.path.contains('/') => Ok((file.path, contents.into())),
        Some(_) => Err(JudgeFault::Problem(format!(
            "the output validator left {} in a folder of its own, which can't be kept for the next pass",
            file.path
        ))),
        None => Err(JudgeFault::Problem(format!("the output validator left {} bytes in {}", file.len, file.path))),
    })
    .collect()
}
