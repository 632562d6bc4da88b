//! Runs one untrusted program and reports facts about it.
//!
//! Owns: isolation, limits, measurement. Must not know: verdicts, problems, languages, the database. It imports
//! nothing else of this project, so that it could be a crate of its own. [`RunSpec`] goes in, [`RunReport`] comes
//! out; a [`SandboxError`] is always our own fault and never says anything about the program.
//!
//! ```text
//! server ── executes ──> spawner ── forks ──> keeper (one per slot) ── clones ──> init (one per generation) ──> program
//!   client, slot, watch     spawner, mounts     keeper, identity              init, collect, seccomp        payload, limits
//! ```
//! The server watches the limits and reads the meters; the others only create processes and bury them. An init is PID 1. A
//! *generation* is one set of pid, mount and ipc namespaces; it is used again only for runs with the same tag, and only
//! if a run left no trace.

mod cgroup;
mod client;
mod collect;
pub mod doctor;
mod error;
mod helper;
mod identity;
mod init;
mod keeper;
mod limits;
mod mounts;
mod pair;
mod payload;
mod pid_counter;
mod polling;
mod pool;
mod protocol;
mod report;
mod run;
mod seccomp;
mod slot;
mod spawner;
mod spawner_handle;
mod spec;
mod stdio;
mod sys;
mod watch;
mod wire;

pub use cgroup::CgroupChoice;
pub use client::{Description, Sandbox, SandboxConfig, version};
pub use error::SandboxError;
pub use helper::run_if_helper;
pub use report::{
    Captured, CollectedFile, CpuSource, End, KillReason, Measured, MemorySource, PairReport, RunReport, Side,
};
pub use spec::{Bind, Collect, Contents, Cores, Freshness, ResourceLimits, RunSpec, Stdin};
