//! What the sandbox saw. Facts only: naming a verdict is the job of `grading`.

use std::fs::File;

/// The facts of one finished run.
#[derive(Debug)]
pub struct RunReport {
    /// How the first process of the program ended.
    pub end: End,
    /// Set when the sandbox itself ended the run, with the limit that was crossed first.
    pub killed: Option<KillReason>,
    /// User + system time of the whole tree, microseconds.
    pub cpu_us: u64,
    /// From exec to the reaping of the first process, microseconds.
    pub wall_us: u64,
    /// Peak resident memory of the whole tree, bytes.
    pub memory_bytes: u64,
    /// Whether the kernel killed something in it for memory.
    pub oom_killed: bool,
    /// Standard output, at most the limit.
    pub stdout: Captured,
    /// Standard error, at most the limit.
    pub stderr: Captured,
    /// Files asked for by `RunSpec::collect`, in name order.
    pub files: Vec<CollectedFile>,
    /// The address of a fatal memory access lay close to the stack pointer's guard.
    pub stack_overflow_hint: bool,
    /// How the figures were measured.
    pub measured: Measured,
}

/// The facts of two finished runs that talked to each other.
#[derive(Debug)]
pub struct PairReport {
    /// Whose first process ended earlier, by itself or because a limit was crossed.
    pub ended_first: Side,
    /// Of the first program; its `stdout` is all that it said to the second.
    pub first: RunReport,
    /// Of the second program; its `stdout` is all that it said to the first.
    pub second: RunReport,
}

/// One of two programs that talk to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The one named first.
    First,
    /// The other.
    Second,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It called exit with this code.
    Exited(i32),
    /// A signal ended it.
    Signaled(i32),
}

/// The limit for which the sandbox ended the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KillReason {
    /// cpu time.
    Cpu,
    /// Wall time.
    Wall,
    /// Resident memory.
    Memory,
    /// Standard output, or all that was written. Also when a program ended by itself and left its writable folders
    /// full: then it has written, or tried to write, more than allowed.
    Output,
}

/// Bytes that a program wrote to one of its streams.
#[derive(Debug)]
pub struct Captured {
    /// Private file (memfd) that holds the kept bytes; positioned anywhere.
    pub file: File,
    /// Bytes kept in `file`.
    pub len: u64,
    /// The program wrote more than the limit.
    pub truncated: bool,
}

/// A file read back from `/w`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectedFile {
    /// Path relative to `/w`.
    pub path: String,
    /// Contents; `None` when it was larger than allowed.
    pub contents: Option<Vec<u8>>,
    /// Its size, bytes.
    pub len: u64,
    /// Whether an execute bit was set.
    pub executable: bool,
}

/// Where the figures come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measured {
    /// Source of `cpu_us`.
    pub cpu: CpuSource,
    /// Source of `memory_bytes`.
    pub memory: MemorySource,
}

/// Source of the cpu figure, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuSource {
    /// cgroup v2 `cpu.stat`.
    Cgroup2,
    /// cgroup v1 `cpuacct.usage`.
    Cgroup1,
    /// Sum over /proc while running plus rusage: weaker.
    Polling,
}

impl std::fmt::Display for CpuSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Cgroup2 => "control groups of version 2 (cpu.stat)",
            Self::Cgroup1 => "control groups of version 1 (cpuacct.usage)",
            Self::Polling => "looking at /proc",
        })
    }
}

/// Source of the memory figure, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemorySource {
    /// cgroup v2 `memory.peak`.
    Cgroup2,
    /// cgroup v1 `memory.max_usage_in_bytes`.
    Cgroup1,
    /// Highest sum of resident pages seen in /proc: weaker.
    Polling,
}

impl std::fmt::Display for MemorySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Cgroup2 => "control groups of version 2 (memory.peak)",
            Self::Cgroup1 => "control groups of version 1 (memory.max_usage_in_bytes)",
            Self::Polling => "looking at /proc",
        })
    }
}
