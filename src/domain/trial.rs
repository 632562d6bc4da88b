//! What came of trying a program: no verdict that counts, only what its author wants to see. Everything is bounded.

use super::ids::TestCaseId;
use super::verdict::Verdict;

/// The end of a trial.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TrialOutcome {
    /// What the compiler said.
    pub compiler_output: String,
    /// Whether the program could be compiled.
    pub compiled: bool,
    /// The judge failed, not the program.
    pub fault: bool,
    /// One run for each sample, or the one on one's own input.
    pub runs: Vec<TrialRun>,
}

impl TrialOutcome {
    /// The judge's own fault.
    pub const fn judging_error() -> Self {
        Self { compiler_output: String::new(), compiled: true, fault: true, runs: Vec::new() }
    }

    /// The program could not be compiled.
    pub const fn compile_error(compiler_output: String) -> Self {
        Self { compiler_output, compiled: false, fault: false, runs: Vec::new() }
    }
}

/// One run of a trial.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TrialRun {
    /// The sample; `None` is one's own input.
    pub test: Option<TestCaseId>,
    /// On a sample the verdict; on one's own input how it ended, `AC` when it ended well: nobody knows the answer.
    pub verdict: Verdict,
    /// cpu of the whole tree, milliseconds.
    pub cpu_ms: u64,
    /// Peak resident memory, bytes.
    pub memory_bytes: u64,
    /// JSON: why it failed without its output being looked at.
    pub cause: Option<String>,
    /// The beginning of what it printed.
    pub output: String,
    /// All that it printed, bytes.
    pub output_bytes: u64,
    /// The beginning of what it wrote to standard error.
    pub errors: String,
}
