//! The stored parts of a job, opened from the cache: a package's files, its validator built, its tests as files.
//!
//! Owns: the way from blobs to what the command line has too ([`PreparedTest`], [`PackageTree`]), so that both judge by
//! the same code. Must not know: where blobs come from, who submitted what.

use std::sync::Arc;

use crate::domain::hash::Sha256;
use crate::domain::language::LanguageId;
use crate::domain::source::SourceFile;
use crate::grading::checker::CheckerFlags;
use crate::package::{PackageTree, TestKind};

use super::custom_validator::CustomValidator;
use super::fault::JudgeFault;
use super::job_source::TestRef;
use super::package_program::include;
use super::prepare::{PreparedChecker, PreparedTest};
use super::rules::JudgingRules;
use super::test_file::TestFile;
use super::worker::Tools;

/// A file of the cache.
pub(super) fn file(tools: &Tools, digest: &Sha256, what: &str) -> Result<TestFile, JudgeFault> {
    let missing = || JudgeFault::Data(format!("{what} has gone from the cache; it is fetched again"));
    tools.cache.get(digest).ok_or_else(missing)
}

/// Files of the cache as a package.
pub(super) fn tree<'a>(
    tools: &Tools,
    files: impl IntoIterator<Item = (&'a str, &'a Sha256)>,
) -> Result<Result<PackageTree, String>, JudgeFault> {
    let files = files.into_iter().map(|(path, digest)| {
        let cached = file(tools, digest, path)?;
        Ok((path.to_owned(), cached.path().to_owned(), cached.len(), false))
    });
    let files = files.collect::<Result<Vec<_>, JudgeFault>>()?;
    Ok(PackageTree::from_disk(files).map_err(|error| error.to_string()))
}

/// How a package judges, ready to be used.
pub(super) struct OpenedRules<'a> {
    rules: &'a JudgingRules,
    tree: PackageTree,
    validator: Option<Arc<CustomValidator>>,
}

impl<'a> OpenedRules<'a> {
    /// Builds the output validator, if the package has its own.
    pub(super) fn new(tools: &Tools, rules: &'a JudgingRules) -> Result<Self, JudgeFault> {
        let contents = rules.contents.iter().map(|(path, digest)| (path.as_str(), digest));
        let tree = tree(tools, contents)?.map_err(JudgeFault::Data)?;
        let programs = rules.output_validator.programs();
        let built = CustomValidator::build(&tools.workshop, &tree, programs, rules.validator)?;
        let validator = built.map_err(JudgeFault::Problem)?.map(Arc::new);
        Ok(Self { rules, tree, validator })
    }

    /// The output validator, if the package has its own.
    pub(super) fn validator(&self) -> Option<&CustomValidator> {
        self.validator.as_deref()
    }

    /// A submission's files with the ones that the package includes.
    pub(super) fn sources(&self, language: &LanguageId, own: Vec<SourceFile>) -> Result<Vec<SourceFile>, JudgeFault> {
        include(&self.tree, &self.rules.include, language, own).map_err(JudgeFault::Problem)
    }

    /// A test whose files are in the cache.
    pub(super) fn test(&self, tools: &Tools, test: &TestRef) -> Result<PreparedTest, JudgeFault> {
        let name = || format!("test {}", test.name);
        let beside = test.files.iter().map(|(placed, digest)| {
            let cached = file(tools, digest, &name())?;
            Ok((placed.clone(), cached.beside()))
        });
        let checker = if let Some(validator) = &self.validator {
            PreparedChecker::Custom(Arc::clone(validator), test.checker_args.clone())
        } else {
            let flags = CheckerFlags::parse(&test.checker_args).map_err(|bad| JudgeFault::Data(bad.to_string()))?;
            PreparedChecker::Default(flags)
        };
        Ok(PreparedTest {
            name: test.name.clone(),
            kind: if test.sample { TestKind::Sample } else { TestKind::Secret },
            input: file(tools, &test.input, &name())?,
            answer: file(tools, &test.answer, &name())?,
            checker,
            args: test.args.clone(),
            files: beside.collect::<Result<_, JudgeFault>>()?,
            recipe: None,
        })
    }
}
