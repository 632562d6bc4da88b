//! What is wrong with a package, as sentences with a place. Must not know how the package came here.

use std::fmt;

/// One thing that is wrong with a package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Fault {
    /// The file or folder in the package, relative to its root.
    pub path: String,
    /// Line in that file, counted from 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong and what to do about it.
    pub sentence: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.sentence),
            None => write!(f, "{}: {}", self.path, self.sentence),
        }
    }
}

/// Something that looks like a slip but doesn't stop the package from being used.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Warning {
    /// The file or folder in the package, relative to its root.
    pub path: String,
    /// Line in that file, counted from 1, where it is known.
    pub line: Option<usize>,
    /// What looks wrong and what was done about it.
    pub sentence: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.sentence),
            None => write!(f, "{}: {}", self.path, self.sentence),
        }
    }
}

/// Why a package can't be used.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// The package is wrong. All that was found, in the order of the files' names.
    #[error("{}", sentences(.0))]
    Faults(Vec<Fault>),
    /// A file of the package couldn't be read: says nothing about the package.
    #[error("{path} can't be read: {source}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

impl PackageError {
    /// The faults, for a caller that shows them as a list; empty when reading itself failed.
    pub fn faults(&self) -> &[Fault] {
        match self {
            Self::Faults(faults) => faults,
            Self::Io { .. } => &[],
        }
    }
}

fn sentences(faults: &[Fault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Collects faults and warnings while a package is read, so that all of them are told at once.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) faults: Vec<Fault>,
    pub(crate) warnings: Vec<Warning>,
}

impl Findings {
    pub(crate) fn fault(&mut self, path: impl fmt::Display, line: Option<usize>, sentence: impl Into<String>) {
        self.faults.push(Fault { path: path.to_string(), line, sentence: sentence.into() });
    }

    pub(crate) fn warn(&mut self, path: impl fmt::Display, line: Option<usize>, sentence: impl Into<String>) {
        self.warnings.push(Warning { path: path.to_string(), line, sentence: sentence.into() });
    }
}
