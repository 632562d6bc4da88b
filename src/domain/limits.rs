//! What a contestant's program may use on one test case.

/// Limits of one run of a contestant's program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Limits {
    /// User + system time of the whole process tree, milliseconds.
    pub cpu_ms: u64,
    /// Wall-clock time, milliseconds.
    pub wall_ms: u64,
    /// Resident memory, bytes.
    pub memory_bytes: u64,
    /// Standard output, bytes.
    pub output_bytes: u64,
    /// Processes and threads.
    pub processes: u64,
}

impl Limits {
    /// The wall limit that belongs to a cpu limit: twice as much and a second, so that only idling is cut by it.
    pub const fn wall_for_cpu(cpu_ms: u64) -> u64 {
        2 * cpu_ms + 1_000
    }
}
