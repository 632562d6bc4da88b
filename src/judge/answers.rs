//! Answer files for the inputs that a package commits: made and refreshed from its references.
//!
//! Owns: which files change, and why. Must not know where the package lies: it gives contents, others write them.

use crate::package::{Package, PackagePath, PackageTree, TestCase, TestInput};

use super::fault::JudgeFault;
use super::prepare::{Maker, NotPrepared, PreparedChecker, PreparedTest, answer_limits};
use super::progress::Progress;
use super::test_file::TestFile;
use super::workshop::Workshop;

/// What becomes of one answer file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// It says what the references say, so that not a byte of it is touched.
    Kept,
    /// There was none.
    New,
    /// It said something else.
    Changed,
}

/// One answer file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerFile {
    /// Its path in the package.
    pub path: String,
    /// What becomes of it.
    pub change: Change,
    /// What it is to hold; `None` when it is kept.
    pub contents: Option<Vec<u8>>,
    /// The first difference between the old contents and the references' answer.
    pub difference: Option<String>,
}

/// All answer files of a package, and the references that could not confirm them here.
#[derive(Debug)]
pub struct Answers {
    /// In judging order.
    pub files: Vec<AnswerFile>,
    /// References that could not be run here, with the reason.
    pub not_run: Vec<String>,
}

/// Lets the primary answer every committed input, the other references confirm it, and compares with what is there.
///
/// Where the package has its own output validator, an answer that is there is kept if the references are accepted with
/// it: its form is the validator's business.
///
/// # Errors
/// [`NotPrepared::Refused`] when an input is invalid, a reference fails, or the references disagree.
pub fn answers(
    workshop: &Workshop,
    tree: &PackageTree,
    package: &Package,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Answers, NotPrepared> {
    let folder = tempfile::Builder::new()
        .prefix("answers-")
        .tempdir_in(workshop.folder())
        .map_err(JudgeFault::io("make a folder for answers"))?;
    let maker = Maker { workshop, tree, package, threads, progress, folder: folder.path() };
    let validators = maker.validators()?;
    let own_checker = maker.output_validator()?;
    let primary = maker.primary()?;
    let committed: Vec<(&TestCase, &PackagePath)> = package
        .test_cases()
        .filter_map(|case| match &case.input {
            TestInput::File(path) => Some((case, path)),
            TestInput::Inline(_) | TestInput::Generated { .. } => None,
        })
        .collect();
    let limits = answer_limits(package);
    let tests = maker.each("making answers", &committed, |at, (case, _)| {
        let input = maker.input(&case.name, &case.input, &folder.path().join(format!("{at}.in")))?;
        maker.validate_case(&validators, case, &input)?;
        let files = maker.case_files(case)?;
        let to = folder.path().join(format!("{at}.ans"));
        let answer = match (&own_checker, &case.answer) {
            (Some(_), Some(brought)) => TestFile::write(&to, &maker.read(brought)?)?,
            (Some(own), None) if own.talks() => TestFile::write(&to, b"")?,
            _ => primary.answer(workshop, &case.name, &input, &case.args, &files, &limits, &to)?,
        };
        let checker = Maker::checker(&case.name, own_checker.as_ref(), &case.output_validator_args)?;
        let (name, args) = (case.name.clone(), case.args.clone());
        Ok(PreparedTest { name, kind: case.kind, input, answer, checker, args, files, recipe: None })
    })?;
    let not_run = maker.references_agree(&tests)?;
    let mut files = Vec::with_capacity(tests.len());
    for ((case, input), test) in committed.iter().zip(&tests) {
        let path = match &case.answer {
            Some(path) => path.to_string(),
            None => format!("{}.ans", input.as_str().strip_suffix(".in").unwrap_or(input.as_str())),
        };
        let (change, difference) = match (&case.answer, &test.checker) {
            (None, _) => (Change::New, None),
            (Some(_), PreparedChecker::Custom(..)) => (Change::Kept, None),
            (Some(old), PreparedChecker::Default(flags)) => {
                match test.answer.differs_from(&maker.read(old)?[..], flags)? {
                    None => (Change::Kept, None),
                    Some(difference) => (Change::Changed, Some(difference.to_string())),
                }
            }
        };
        let contents = match change {
            Change::Kept => None,
            Change::New | Change::Changed => {
                Some(std::fs::read(test.answer.path()).map_err(JudgeFault::io("read an answer"))?)
            }
        };
        files.push(AnswerFile { path, change, contents, difference });
    }
    Ok(Answers { files, not_run })
}
