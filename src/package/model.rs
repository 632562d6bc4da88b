//! What a problem package says, read and checked. Plain data: it refers to files by [`PackagePath`], never holds them.
//!
//! Names of fields are the format's keys with units added. Must not know how packages are stored or judged.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::path::PackagePath;
use super::promise::Promise;
use crate::domain::language::LanguageId;
use crate::domain::slug::Slug;

/// A problem, complete enough to be prepared and judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Package {
    /// The package folder's name.
    pub slug: Slug,
    /// The version of the format that it was written for.
    pub format: FormatVersion,
    /// Follows the problem through renames.
    pub uuid: String,
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
    /// Every one must accept every input; at least one.
    pub input_validators: Vec<Program>,
    /// Who judges an output.
    pub output_validator: OutputValidator,
    /// Groups in judging order: `sample`, then `secret` or its subgroups by name.
    pub groups: Vec<TestGroup>,
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
    /// All test cases in judging order: samples first, then secret, each by name in byte order.
    pub fn test_cases(&self) -> impl Iterator<Item = &TestCase> {
        self.groups.iter().flat_map(|group| &group.cases)
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

/// Versions of the problem package format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
pub enum FormatVersion {
    /// Packages without a version, as Kattis and Polygon export them.
    #[serde(rename = "legacy")]
    Legacy,
    /// The subset of `legacy` that the ICPC used.
    #[serde(rename = "legacy-icpc")]
    LegacyIcpc,
    /// The draft between.
    #[serde(rename = "2023-07-draft")]
    Draft202307,
    /// The current one.
    #[serde(rename = "2025-09")]
    V202509,
}

impl FormatVersion {
    /// As written in `problem_format_version`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::LegacyIcpc => "legacy-icpc",
            Self::Draft202307 => "2023-07-draft",
            Self::V202509 => "2025-09",
        }
    }
}

impl fmt::Display for FormatVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A natural language: an ISO 639 code of 2 or 3 letters, optionally with a region, as in `en`, `pt-BR`, `fil`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct LanguageTag(String);

impl LanguageTag {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The text is no language code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no language code; write two or three lower-case letters and maybe a region: en, zh, pt-BR")]
pub struct BadLanguageTag(pub String);

impl FromStr for LanguageTag {
    type Err = BadLanguageTag;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (language, region) =
            text.split_once('-').map_or((text, None), |(language, region)| (language, Some(region)));
        let language_fits = matches!(language.len(), 2 | 3) && language.bytes().all(|byte| byte.is_ascii_lowercase());
        let region_fits =
            region.is_none_or(|region| region.len() == 2 && region.bytes().all(|byte| byte.is_ascii_uppercase()));
        if language_fits && region_fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadLanguageTag(text.chars().take(40).collect()))
        }
    }
}

impl fmt::Display for LanguageTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How a problem is judged (format, "Type").
#[expect(
    clippy::struct_excessive_bools,
    reason = "the format's four independent switches; each names one of its types"
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct ProblemType {
    /// Accepted submissions also get a score; otherwise the problem is pass-fail.
    pub scoring: bool,
    /// The output validator may ask for another run with an input that it makes.
    pub multi_pass: bool,
    /// The output validator talks with the submission.
    pub interactive: bool,
    /// Contestants hand in answers, not programs.
    pub submit_answer: bool,
}

/// Limits of a problem. `time_limit` and the multipliers are the format's `limits` map.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct PackageLimits {
    /// `time_limit`: cpu of one run, milliseconds. `None`: to be proposed from the references.
    pub time_limit_ms: Option<u64>,
    /// `time_resolution`: a proposed limit is a multiple of it, milliseconds.
    pub time_resolution_ms: u64,
    /// `time_multipliers.ac_to_time_limit`: slowest accepted × this ≤ limit.
    pub ac_to_time_limit: f64,
    /// `time_multipliers.time_limit_to_tle`: limit × this ≤ fastest that is too slow.
    pub time_limit_to_tle: f64,
    /// `memory`, MiB.
    pub memory_mib: u64,
    /// `output`, MiB.
    pub output_mib: u64,
    /// `code`: all source files together, KiB.
    pub code_kib: u64,
    /// `compilation_time`, seconds.
    pub compilation_time_s: u64,
    /// `compilation_memory`, MiB.
    pub compilation_memory_mib: u64,
    /// `validation_time`: cpu of one validator run, seconds.
    pub validation_time_s: u64,
    /// `validation_memory`, MiB.
    pub validation_memory_mib: u64,
    /// `validation_output`, MiB.
    pub validation_output_mib: u64,
    /// `validation_passes`: the most runs of a multi-pass test.
    pub validation_passes: u64,
}

impl Default for PackageLimits {
    /// The format's "typical system default" column.
    fn default() -> Self {
        Self {
            time_limit_ms: None,
            time_resolution_ms: 1_000,
            ac_to_time_limit: 2.0,
            time_limit_to_tle: 1.5,
            memory_mib: 2_048,
            output_mib: 8,
            code_kib: 128,
            compilation_time_s: 60,
            compilation_memory_mib: 2_048,
            validation_time_s: 60,
            validation_memory_mib: 2_048,
            validation_output_mib: 8,
            validation_passes: 2,
        }
    }
}

/// `languages`: which programming languages a solution may use.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub enum AllowedLanguages {
    /// Every language the judge offers.
    All,
    /// These, as the format's language codes (`cpp`, `python3`, ...): a code stands for all its standards.
    Only(Vec<LanguageId>),
}

/// A person in `credits`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Person {
    /// Full name.
    pub name: String,
    /// Address for mail.
    pub email: Option<String>,
    /// ORCID.
    pub orcid: Option<String>,
    /// Kattis user name.
    pub kattis: Option<String>,
}

/// `credits`: who made the problem.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct Credits {
    /// Who conceived it.
    pub authors: Vec<Person>,
    /// Who made the package.
    pub contributors: Vec<Person>,
    /// Who tested it.
    pub testers: Vec<Person>,
    /// Who translated it, by language.
    pub translators: BTreeMap<LanguageTag, Vec<Person>>,
    /// Who packaged an existing problem.
    pub packagers: Vec<Person>,
    /// Who else is thanked.
    pub acknowledgements: Vec<Person>,
}

/// One entry of `source`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SourceRef {
    /// The contest or course.
    pub name: String,
    /// Its page.
    pub url: Option<String>,
}

/// `license`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub enum License {
    /// Not said: in practice the problem can't be used by others.
    #[serde(rename = "unknown")]
    Unknown,
    /// No known copyright.
    #[serde(rename = "public domain")]
    PublicDomain,
    /// CC0, version 1 or later.
    #[serde(rename = "cc0")]
    Cc0,
    /// CC attribution, version 4 or later.
    #[serde(rename = "cc by")]
    CcBy,
    /// CC attribution, share alike, version 4 or later.
    #[serde(rename = "cc by-sa")]
    CcBySa,
    /// For educational purposes.
    #[serde(rename = "educational")]
    Educational,
    /// Used with permission.
    #[serde(rename = "permission")]
    Permission,
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

/// A program that comes with the package: a single file, or a folder of them.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Program {
    /// The file's name up to its last period, or the folder's name.
    pub name: String,
    /// Its files; at least one.
    pub files: Vec<PackagePath>,
    /// The file to begin with: the only one, else `run`, `build`, `__main__.py`, the one called `main`, or the first.
    pub entry: PackagePath,
}

/// Who judges an output.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub enum OutputValidator {
    /// The format's default validator; its arguments are each test case's `output_validator_args`.
    Default,
    /// The program in `output_validator/`.
    Custom(Program),
}

/// Test cases that belong together.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct TestGroup {
    /// `sample`, `secret`, or `secret/<folder>`.
    pub name: String,
    /// Its cases by name in byte order.
    pub cases: Vec<TestCase>,
}

/// Whether contestants may see a test case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TestKind {
    /// Public.
    Sample,
    /// For judges only.
    Secret,
}

/// One test case, its settings merged with those of its group.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct TestCase {
    /// Path of the input below `data/` without extension: `secret/03-rows`.
    pub name: String,
    /// Whether contestants may see it.
    pub kind: TestKind,
    /// Its input.
    pub input: TestInput,
    /// The answer file that the package brings. `None`: the primary reference makes it.
    pub answer: Option<PackagePath>,
    /// Arguments of the submission.
    pub args: Vec<String>,
    /// Files put beside the submission, from the case's `.files` folder.
    pub files: Vec<PackagePath>,
    /// Arguments of the input validators.
    pub input_validator_args: ValidatorArgs,
    /// Arguments of the output validator, e.g. `float_tolerance 1e-6`.
    pub output_validator_args: Vec<String>,
    /// Whether a contestant whose program failed on it may see everything of it.
    pub full_feedback: bool,
    /// What it is meant to test; for judges.
    pub description: Option<String>,
    /// Help for somebody whose program failed on it.
    pub hint: Option<String>,
    /// A picture of it, for judges.
    pub illustration: Option<PackagePath>,
    /// Other files to show or to offer instead of the input and the answer.
    pub sample_files: SampleFiles,
}

/// Where an input comes from.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub enum TestInput {
    /// A file of the package.
    File(PackagePath),
    /// Written out in `generators.yaml`.
    Inline(String),
    /// What this program prints.
    Generated {
        /// The generator.
        program: Program,
        /// Its arguments.
        args: Vec<String>,
    },
}

/// `input_validator_args`: the same for every validator, or for each by name.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub enum ValidatorArgs {
    /// For each validator.
    All(Vec<String>),
    /// By the validator's name; one that isn't named gets none.
    ByName(BTreeMap<String, Vec<String>>),
}

impl ValidatorArgs {
    /// The arguments for one validator.
    pub fn of(&self, validator: &str) -> &[String] {
        match self {
            Self::All(args) => args,
            Self::ByName(map) => map.get(validator).map_or(&[], Vec::as_slice),
        }
    }
}

impl Default for ValidatorArgs {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

/// Files that replace a sample's input or answer on a page or for download (format, "Priority of test case files").
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct SampleFiles {
    /// `.in.statement`
    pub input_statement: Option<PackagePath>,
    /// `.ans.statement`
    pub answer_statement: Option<PackagePath>,
    /// `.out`
    pub output: Option<PackagePath>,
    /// `.in.download`
    pub input_download: Option<PackagePath>,
    /// `.ans.download`
    pub answer_download: Option<PackagePath>,
    /// `.interaction`
    pub interaction: Option<PackagePath>,
}

/// An input that at least one input validator must refuse.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct InvalidInput {
    /// Path below `data/` without extension.
    pub name: String,
    /// The input.
    pub input: TestInput,
    /// Arguments of the input validators.
    pub input_validator_args: ValidatorArgs,
    /// What is wrong with it.
    pub description: Option<String>,
}

/// An output that the output validator must accept or refuse.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PlantedOutput {
    /// Path below `data/` without extension.
    pub name: String,
    /// Whether it is right: from `valid_output`, not `invalid_output`.
    pub valid: bool,
    /// A valid input.
    pub input: PackagePath,
    /// Its answer.
    pub answer: PackagePath,
    /// The output in question.
    pub output: PackagePath,
    /// Arguments of the input validators.
    pub input_validator_args: ValidatorArgs,
    /// Arguments of the output validator.
    pub output_validator_args: Vec<String>,
    /// What is right or wrong about it.
    pub description: Option<String>,
}

/// A program under `submissions/`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ExampleSubmission {
    /// Path below `submissions/`: `accepted/reach.rs`.
    pub name: String,
    /// The folder it lies in: `accepted`.
    pub folder: String,
    /// Its files; at least one.
    pub files: Vec<PackagePath>,
    /// What it is to get.
    pub promise: Promise,
}

impl ExampleSubmission {
    /// Whether it is a reference solution: it lies in `accepted/` and promises nothing less.
    pub fn is_reference(&self) -> bool {
        self.folder == "accepted"
    }
}
