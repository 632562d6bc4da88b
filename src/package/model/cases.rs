//! Test cases, and the planted ones that show whether validators do their work.

use std::collections::BTreeMap;

use super::PackagePath;
use super::programs::Program;

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
    /// Its group, where `touchstone-tests.yaml` says another than its folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed_group: Option<String>,
    /// Whether contestants may see it.
    pub kind: TestKind,
    /// Its input.
    pub input: TestInput,
    /// The answer file that the package brings. `None`: the primary reference makes it.
    pub answer: Option<PackagePath>,
    /// Arguments of the submission.
    pub args: Vec<String>,
    /// Files put beside the submission, from the case's `.files` folder.
    pub files: Vec<PlacedFile>,
    /// Arguments of the input validators.
    pub input_validator_args: ValidatorArgs,
    /// Arguments of the output validator, e.g. `float_tolerance 1e-6`.
    pub output_validator_args: Vec<String>,
    /// Arguments of the output visualizer.
    pub output_visualizer_args: Vec<String>,
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
    /// Arguments of the submission, which the input validators get after their own.
    pub args: Vec<String>,
    /// Files put beside the submission, which the input validators see too.
    pub files: Vec<PlacedFile>,
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

/// A file of the package and the name under which a program finds it in its working directory.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PlacedFile {
    /// Relative to the working directory; may lie in folders.
    pub name: String,
    /// Where it is in the package.
    pub path: PackagePath,
}

/// A conversation with the output validator to show in the statement, without a test case of its own.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SampleInteraction {
    /// Path below `data/` without extension.
    pub name: String,
    /// The `.interaction` file.
    pub path: PackagePath,
}
