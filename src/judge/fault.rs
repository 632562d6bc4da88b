//! Faults of ours while judging: the cause of a JE, for the judges only.

use crate::sandbox::SandboxError;

/// Something of ours went wrong. It is never the contestant's fault, and the work may be tried again.
#[derive(Debug, thiserror::Error)]
pub enum JudgeFault {
    /// The sandbox could not run a program.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// A file of ours could not be read or written.
    #[error("could not {doing}: {cause}")]
    Io {
        /// What was being done.
        doing: String,
        /// The system's words.
        cause: std::io::Error,
    },
    /// A language that this host has no tool for.
    #[error("the language `{language}` is not offered on this host: {reason}")]
    NotOffered {
        /// Its id.
        language: String,
        /// What is missing.
        reason: String,
    },
    /// A program of the problem (validator, reference) did not do its part.
    #[error("{0}")]
    Problem(String),
    /// Nobody wants the result any more: the server stops.
    #[error("the work was stopped")]
    Stopped,
    /// Stored data is missing or damaged.
    #[error("{0}")]
    Data(String),
}

impl JudgeFault {
    /// An I/O fault with what was being done.
    pub fn io(doing: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let doing = doing.into();
        move |cause| Self::Io { doing, cause }
    }
}
