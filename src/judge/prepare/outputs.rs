//! Who judges outputs, and whether it does: the outputs that a package plants to be accepted or refused.
//!
//! Owns: building the package's own output validator, and the sentences about planted outputs that it gets wrong.

use std::fs::File;
use std::sync::Arc;

use crate::grading::checker::CheckerFlags;
use crate::judge::custom_validator::{CustomValidator, Question};
use crate::judge::fault::JudgeFault;
use crate::judge::package_program::validation_limits;
use crate::judge::rules::ValidatorRules;
use crate::judge::run_test::Checker;
use crate::judge::test_file::{self, TestFile};
use crate::judge::workshop::Workshop;
use crate::package::{PackagePath, TestKind};
use crate::sandbox::Captured;

use super::inputs::{Validator, Validity};
use super::{Maker, NotPrepared, PreparedTest, refused};

/// Who says whether an output is right, with its arguments for one test.
#[derive(Debug, Clone)]
pub enum PreparedChecker {
    /// The default output validator.
    Default(CheckerFlags),
    /// The package's own.
    Custom(Arc<CustomValidator>, Vec<String>),
}

impl PreparedChecker {
    /// For a run.
    pub fn as_checker(&self) -> Checker<'_> {
        match self {
            Self::Default(flags) => Checker::Default(flags),
            Self::Custom(validator, args) => Checker::Custom { validator, args },
        }
    }

    /// Why an output is wrong, as far as the checker tells; `None` when it is right. Only for checkers that look at a
    /// finished output.
    pub fn objection(
        &self,
        workshop: &Workshop,
        input: &TestFile,
        answer: &TestFile,
        output: &Captured,
    ) -> Result<Option<String>, JudgeFault> {
        match self {
            Self::Default(flags) => {
                let difference = answer.differs_from(test_file::reader(output)?, flags)?;
                Ok(difference.map(|difference| difference.to_string()))
            }
            Self::Custom(validator, args) => {
                let opinion = validator.check(workshop, Question { input, answer, args, folder: &[] }, output)?;
                let words = if opinion.feedback.judge.is_empty() {
                    "the output validator says no more".to_owned()
                } else {
                    opinion.feedback.judge
                };
                Ok((!opinion.accepted).then_some(words))
            }
        }
    }
}

/// An output whose fate is known.
struct Planted<'a> {
    subject: String,
    valid: bool,
    input: TestFile,
    answer: TestFile,
    output: &'a PackagePath,
    checker: PreparedChecker,
}

impl Maker<'_> {
    /// The package's own output validator, built.
    pub(in crate::judge) fn output_validator(&self) -> Result<Option<Arc<CustomValidator>>, NotPrepared> {
        let programs = self.package.output_validator.programs();
        match CustomValidator::build(self.workshop, self.tree, programs, ValidatorRules::of(self.package))? {
            Ok(validator) => Ok(validator.map(Arc::new)),
            Err(sentence) => refused(sentence),
        }
    }

    /// The checker for a test with these arguments.
    pub(in crate::judge) fn checker(
        name: &str,
        own: Option<&Arc<CustomValidator>>,
        args: &[String],
    ) -> Result<PreparedChecker, NotPrepared> {
        match own {
            Some(validator) => Ok(PreparedChecker::Custom(Arc::clone(validator), args.to_vec())),
            None => match CheckerFlags::parse(args) {
                Ok(flags) => Ok(PreparedChecker::Default(flags)),
                Err(bad) => refused(format!("{name}: {bad}")),
            },
        }
    }

    /// Planted outputs get what they must, their inputs are valid, and what samples show passes too.
    pub(super) fn planted_outputs(
        &self,
        validators: &[Validator],
        own: Option<&Arc<CustomValidator>>,
        tests: &[PreparedTest],
    ) -> Result<(), NotPrepared> {
        // The format plants outputs only where a finished output says it all.
        if own.is_some_and(|validator| validator.talks()) {
            return Ok(());
        }
        let limits = validation_limits(&self.package.limits);
        let mut planted = Vec::new();
        for (at, plant) in self.package.planted_outputs.iter().enumerate() {
            let file = |path: &PackagePath, ending: &str| -> Result<TestFile, NotPrepared> {
                Ok(TestFile::stream(&self.folder.join(format!("planted-{at}.{ending}")), self.open(path)?)?)
            };
            let input = file(&plant.input, "in")?;
            for validator in validators {
                let args = plant.input_validator_args.of(&validator.name);
                let verdict = validator.ask(self.workshop, args, &[], input.stdin()?, &limits)?;
                if let Validity::Invalid(words) = verdict {
                    let (name, by) = (&plant.name, &validator.name);
                    return refused(format!("{name}: its input must be valid, but {by} refuses it: {words}"));
                }
            }
            planted.push(Planted {
                subject: plant.output.to_string(),
                valid: plant.valid,
                answer: file(&plant.answer, "ans")?,
                input,
                output: &plant.output,
                checker: Self::checker(&plant.name, own, &plant.output_validator_args)?,
            });
        }
        planted.extend(self.shown_outputs(tests));
        self.each("trying planted outputs", &planted, |_, plant| self.try_planted(plant))?;
        Ok(())
    }

    /// What the samples show as output must pass (format, "Samples", "Validation").
    fn shown_outputs<'a>(&'a self, tests: &'a [PreparedTest]) -> impl Iterator<Item = Planted<'a>> {
        self.package.test_cases().zip(tests).filter_map(|(case, test)| {
            let replaced = case.sample_files.output.as_ref();
            // The default validator has compared a brought answer with the primary's already.
            let needs_a_look = test.kind == TestKind::Sample && matches!(test.checker, PreparedChecker::Custom(..));
            let own = case.answer.as_ref().filter(|_| needs_a_look && case.sample_files.answer_statement.is_none());
            Some(Planted {
                output: replaced.or(own)?,
                subject: replaced.or(own)?.to_string(),
                valid: true,
                input: test.input.clone(),
                answer: test.answer.clone(),
                checker: test.checker.clone(),
            })
        })
    }

    fn try_planted(&self, plant: &Planted<'_>) -> Result<(), NotPrepared> {
        let folder = tempfile::tempdir_in(self.folder).map_err(JudgeFault::io("make a folder for an output"))?;
        let path = folder.path().join("output");
        let file = TestFile::stream(&path, self.open(plant.output)?)?;
        let open = File::open(file.path()).map_err(JudgeFault::io("open a planted output"))?;
        let output = Captured { file: open, len: file.len(), truncated: false };
        let objection = match plant.checker.objection(self.workshop, &plant.input, &plant.answer, &output) {
            Ok(objection) => objection,
            // A validator that fails on a planted output is what planting it is to show.
            Err(JudgeFault::Problem(words)) => return refused(format!("{}: {words}", plant.subject)),
            Err(fault) => return Err(fault.into()),
        };
        match (plant.valid, objection) {
            (true, None) | (false, Some(_)) => Ok(()),
            (true, Some(words)) => refused(format!("{}: this output must be accepted: {words}", plant.subject)),
            (false, None) => refused(format!("{}: this output must be rejected, and it is accepted", plant.subject)),
        }
    }
}
