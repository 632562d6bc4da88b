//! Verdicts: the CLICS judgement types this judge uses.

use std::fmt;
use std::str::FromStr;

/// The result of one run or of a whole judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Verdict {
    /// Accepted.
    #[serde(rename = "AC")]
    Accepted,
    /// Wrong answer.
    #[serde(rename = "WA")]
    WrongAnswer,
    /// Time limit exceeded: cpu or wall.
    #[serde(rename = "TLE")]
    TimeLimit,
    /// Memory limit exceeded.
    #[serde(rename = "MLE")]
    MemoryLimit,
    /// Output limit exceeded.
    #[serde(rename = "OLE")]
    OutputLimit,
    /// Run-time error: a signal, or an exit code that isn't 0.
    #[serde(rename = "RTE")]
    RunTimeError,
    /// Compile error.
    #[serde(rename = "CE")]
    CompileError,
    /// The judge's own fault; never the contestant's.
    #[serde(rename = "JE")]
    JudgingError,
}

impl Verdict {
    /// All verdicts, in the order in which pages list them.
    pub const ALL: [Self; 8] = [
        Self::Accepted,
        Self::WrongAnswer,
        Self::TimeLimit,
        Self::MemoryLimit,
        Self::OutputLimit,
        Self::RunTimeError,
        Self::CompileError,
        Self::JudgingError,
    ];

    /// The CLICS judgement-type id.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Accepted => "AC",
            Self::WrongAnswer => "WA",
            Self::TimeLimit => "TLE",
            Self::MemoryLimit => "MLE",
            Self::OutputLimit => "OLE",
            Self::RunTimeError => "RTE",
            Self::CompileError => "CE",
            Self::JudgingError => "JE",
        }
    }

    /// The full English name, as in the package format's and CLICS's lists.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "Accepted",
            Self::WrongAnswer => "Wrong answer",
            Self::TimeLimit => "Time limit exceeded",
            Self::MemoryLimit => "Memory limit exceeded",
            Self::OutputLimit => "Output limit exceeded",
            Self::RunTimeError => "Run-time error",
            Self::CompileError => "Compile error",
            Self::JudgingError => "Judging error",
        }
    }

    /// CLICS `penalty`: whether a rejected try with this verdict costs penalty time once the problem is solved.
    pub const fn penalty(self) -> bool {
        !matches!(self, Self::Accepted | Self::CompileError | Self::JudgingError)
    }

    /// CLICS `solved`.
    pub const fn solved(self) -> bool {
        matches!(self, Self::Accepted)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

/// The text is no verdict's code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a verdict; known are AC WA TLE MLE OLE RTE CE JE")]
pub struct UnknownVerdict(pub String);

impl FromStr for Verdict {
    type Err = UnknownVerdict;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|verdict| verdict.code() == text).ok_or_else(|| UnknownVerdict(text.to_owned()))
    }
}
