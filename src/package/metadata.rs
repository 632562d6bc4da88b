//! What a package says about the problem as a whole (format, "Problem metadata"). Plain data; must not know files.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::domain::language::LanguageId;

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
    /// Whether it is one of the two versions before `problem_format_version`, which differ in nearly every file.
    pub const fn is_legacy(self) -> bool {
        matches!(self, Self::Legacy | Self::LegacyIcpc)
    }

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
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

/// Whether a high or a low score is good (`grading.objective` of format `legacy`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Objective {
    /// The higher the better; what every other format means.
    #[default]
    Max,
    /// The lower the better.
    Min,
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
