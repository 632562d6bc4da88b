//! Runs one untrusted program and reports facts about it.
//!
//! Owns: isolation, limits, measurement. Must not know: verdicts, problems, languages, the database. It imports
//! nothing else of this project, so that it could be a crate of its own. [`RunSpec`] goes in, [`RunReport`] comes
//! out; a [`SandboxError`] is always our own fault and never says anything about the program.

mod error;
mod report;
mod spec;

pub use error::SandboxError;
pub use report::{Captured, CollectedFile, CpuSource, End, KillReason, Measured, MemorySource, RunReport};
pub use spec::{Bind, Collect, Freshness, ResourceLimits, RunSpec, Stdin};
