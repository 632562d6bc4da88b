//! What a problem package says, read and checked. Plain data: it refers to files by [`PackagePath`], never holds them.
//!
//! Names of fields are the format's keys with units added. Must not know how packages are stored or judged.

use std::collections::BTreeMap;

mod cases;
mod groups;
mod programs;
mod submissions;

use super::metadata::{
    AllowedLanguages, Credits, FormatVersion, LanguageTag, License, Objective, PackageLimits, ProblemType, SourceRef,
};
use super::path::PackagePath;
use crate::domain::slug::Slug;

pub use cases::{
    InvalidInput, PlacedFile, PlantedOutput, SampleFiles, SampleInteraction, TestCase, TestInput, TestKind,
    ValidatorArgs,
};
pub use groups::{Aggregation, CaseScore, GroupScore, Member, OnReject, ScoreBound, TestGroup, VerdictRule};
pub use programs::{IncludedFiles, OutputValidator, Program, Protocol};
pub use submissions::{ExampleSubmission, Expectation, ExpectedScore, Pattern, TimeBound};

/// A problem, complete enough to be prepared and judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Package {
    /// The package folder's name.
    pub slug: Slug,
    /// The version of the format that it was written for.
    pub format: FormatVersion,
    /// Follows the problem through renames; formats before `2023-07-draft` may leave it out.
    pub uuid: Option<String>,
    /// The package's own version, free text.
    pub version: Option<String>,
    /// The problem's name in each language that has a statement.
    pub names: BTreeMap<LanguageTag, String>,
    /// How it is judged.
    pub problem_type: ProblemType,
    /// Limits, with the format's defaults filled in.
    pub limits: PackageLimits,
    /// Which languages may be used.
    pub languages: AllowedLanguages,
    /// Who made it.
    pub credits: Credits,
    /// Where it was used first.
    pub source: Vec<SourceRef>,
    /// Under which licence.
    pub license: License,
    /// `rights_owner` as written.
    pub rights_owner: Option<String>,
    /// `embargo_until` as written: an ISO 8601 date, or date and time, in UTC.
    pub embargo_until: Option<String>,
    /// Free words.
    pub keywords: Vec<String>,
    /// Statements, by language and then kind; at least one.
    pub statements: Vec<Statement>,
    /// Files for contestants besides the statement and the samples.
    pub attachments: Vec<PackagePath>,
    /// Written explanations of how to solve it, for judges.
    pub solutions: Vec<Statement>,
    /// Whether submissions may write files into their working directory.
    pub allow_file_writing: bool,
    /// Values that stand for `{{name}}` in some of the package's files.
    pub constants: BTreeMap<String, String>,
    /// Whether a high or a low score is good. Only for scoring problems.
    pub objective: Objective,
    /// Whether contestants see the results of groups (`grading.show_test_data_groups`).
    pub shows_groups: bool,
    /// Files added to every submission.
    pub include: IncludedFiles,
    /// Every one must accept every input; at least one.
    pub input_validators: Vec<Program>,
    /// Who judges an output.
    pub output_validator: OutputValidator,
    /// All test cases in judging order: samples first. Within a group, cases and groups come by name in byte order.
    pub cases: Vec<TestCase>,
    /// How the results of the cases add up: the root of the tree of groups, called `data`.
    pub data: TestGroup,
    /// Conversations to show that belong to no test case.
    pub sample_interactions: Vec<SampleInteraction>,
    /// Inputs that at least one input validator must refuse.
    pub invalid_inputs: Vec<InvalidInput>,
    /// Outputs that the output validator must accept (`valid_output`) or refuse (`invalid_output`).
    pub planted_outputs: Vec<PlantedOutput>,
    /// Every program under `submissions/`, by path.
    pub submissions: Vec<ExampleSubmission>,
    /// Index in `submissions` of the reference that makes the answers.
    pub primary: usize,
}

impl Package {
    /// All test cases in judging order; a [`Member::Case`] is an index into it.
    pub fn test_cases(&self) -> impl Iterator<Item = &TestCase> {
        self.cases.iter()
    }

    /// The reference that makes the answers.
    pub fn primary(&self) -> &ExampleSubmission {
        &self.submissions[self.primary]
    }

    /// The references: programs that promise to be accepted, the primary first.
    pub fn references(&self) -> impl Iterator<Item = &ExampleSubmission> {
        let others = self.submissions.iter().enumerate().filter(|(index, _)| *index != self.primary);
        let others = others.map(|(_, submission)| submission).filter(|submission| submission.is_reference());
        std::iter::once(self.primary()).chain(others)
    }

    /// The name in the wanted language, else in English, else in any.
    pub fn name(&self, wanted: &LanguageTag) -> &str {
        let english = self.names.iter().find(|(tag, _)| tag.as_str() == "en").map(|(_, name)| name);
        let name = self.names.get(wanted).or(english).or_else(|| self.names.values().next());
        name.map_or(self.slug.as_str(), String::as_str)
    }
}

/// A statement in one language.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Statement {
    /// Its language.
    pub language: LanguageTag,
    /// How it is written.
    pub kind: StatementKind,
    /// Where it is.
    pub path: PackagePath,
}

/// How a statement is written, the best to show on a page first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub enum StatementKind {
    /// `problem.<language>.md`
    Markdown,
    /// `problem.<language>.tex`
    Tex,
    /// `problem.<language>.pdf`
    Pdf,
}
