//! Programs and files that the package brings for judging.

use std::collections::BTreeMap;

use super::PackagePath;
use super::cases::PlacedFile;
pub use crate::domain::protocol::Protocol;

/// A program that comes with the package: a single file, or a folder of them.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Program {
    /// The file's name up to its last period, or the folder's name.
    pub name: String,
    /// Its files; at least one.
    pub files: Vec<PackagePath>,
    /// The file to begin with: the only one, else `run`, `build`, `__main__.py`, the one called `main`, or the first.
    pub entry: PackagePath,
    /// How it is called as a validator, and what its exit codes mean.
    pub protocol: Protocol,
}

/// Who judges an output.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum OutputValidator {
    /// The format's default validator; its arguments are each test case's `output_validator_args`.
    #[default]
    Default,
    /// The program in `output_validator/`, or in formats before `2023-07-draft` those in `output_validators/`: at least
    /// one, and all of them must accept, asked in this order.
    Custom(Vec<Program>),
}

impl OutputValidator {
    /// The package's own; none where the default one judges.
    pub fn programs(&self) -> &[Program] {
        match self {
            Self::Default => &[],
            Self::Custom(programs) => programs,
        }
    }
}

/// Files that are put beside every submission before it is compiled, replacing the submission's own of the same name
/// (format, "Included files").
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct IncludedFiles {
    /// `include/default/`
    pub default: Vec<PlacedFile>,
    /// `include/<language>/`, by the format's language code: `cpp`, `python3`.
    pub by_language: BTreeMap<String, Vec<PlacedFile>>,
}

impl IncludedFiles {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.default.is_empty() && self.by_language.is_empty()
    }

    /// The files for a language. Its own ones replace those of `default` as a whole; a code without a standard (`cpp`)
    /// stands for all its standards (`cpp17`).
    pub fn of(&self, language: &str) -> &[PlacedFile] {
        let code = language.trim_end_matches(|c: char| c.is_ascii_digit());
        let own = self.by_language.get(language).or_else(|| self.by_language.get(code));
        own.unwrap_or(&self.default)
    }
}
