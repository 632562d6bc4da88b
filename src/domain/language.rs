//! Names of programming languages. What a language can do on this host is known to `judge::languages`.

use std::fmt;

use super::slug::{BadSlug, Slug};

/// A language's id as in the package format and CLICS (`c`, `cpp`, `rust`, `python3`, `java`, `javascript`, ...) with
/// the standard appended where there are several (`cpp20`, `c11`); `elf` is a ready Linux program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct LanguageId(Slug);

impl LanguageId {
    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl std::str::FromStr for LanguageId {
    type Err = BadSlug;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

impl fmt::Display for LanguageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A command as people and programs read it: no path of this host in it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ShownCommand {
    /// The program's name.
    pub program: String,
    /// Its arguments as a shell takes them; `{files}` and `{entry_point}` stand for what is handed in.
    pub arguments: String,
    /// What makes it print its version.
    pub version_command: String,
}
