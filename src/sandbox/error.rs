//! Faults of the sandbox itself.

/// A fault of ours or of the host. Never a statement about the program.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The request can't be honoured as it stands.
    #[error("the run request is not valid: {0}")]
    BadSpec(String),
    /// `argv[0]` could not be executed.
    #[error("the program {path} could not be started in the sandbox: {cause}")]
    Exec {
        /// Path inside the sandbox.
        path: String,
        /// The system's words.
        cause: String,
    },
    /// The host lacks something; `touchstone doctor` tells more.
    #[error("this host can't hold a program safely: {0}; run `touchstone doctor`")]
    Unsupported(String),
    /// The helper process died or answered nonsense. It has been replaced; the run may be tried again.
    #[error("the sandbox helper failed during the run: {0}")]
    Helper(String),
    /// It was closed while the program ran, or before.
    #[error("the sandbox is closed: the server stops")]
    Closed,
    /// A system call failed on our side.
    #[error("the sandbox could not {doing}: {cause}")]
    System {
        /// What was being done.
        doing: &'static str,
        /// The system's words.
        cause: std::io::Error,
    },
}
