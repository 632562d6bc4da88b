//! Resource limits of a single process, set just before the program starts.
//!
//! Owns: which rlimit carries which wish. Must not know: cgroups, and who watches the clock.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::protocol::{Doing, Fault};
use super::spec::ResourceLimits;
use super::wire::{Reader, Writer};

/// The rlimits of one run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rlimits {
    cpu_seconds: u64,
    file_bytes: u64,
    open_files: u64,
    stack_bytes: u64,
    processes: u64,
    data_bytes: u64,
}

const UNLIMITED: u64 = u64::MAX;

impl Rlimits {
    /// `bounded_by_cgroup`: memory has a better guard than an rlimit.
    pub(super) fn new(limits: &ResourceLimits, bounded_by_cgroup: bool) -> Self {
        Self {
            // A backstop for when the watching side is stuck: it cuts in a second late on purpose, since whole
            // seconds are too coarse to be the limit itself.
            cpu_seconds: limits.cpu_ms.div_ceil(1000).saturating_add(1),
            file_bytes: limits.written_bytes,
            open_files: limits.open_files,
            stack_bytes: limits.stack_bytes,
            processes: limits.processes,
            // Counts what is mapped rather than what is used, so it only protects the host from the worst.
            data_bytes: if bounded_by_cgroup {
                UNLIMITED
            } else {
                limits.memory_bytes.saturating_mul(4).saturating_add(4 << 30)
            },
        }
    }

    pub(super) fn write(&self, w: &mut Writer) {
        for value in
            [self.cpu_seconds, self.file_bytes, self.open_files, self.stack_bytes, self.processes, self.data_bytes]
        {
            w.u64(value);
        }
    }

    pub(super) fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            cpu_seconds: r.u64()?,
            file_bytes: r.u64()?,
            open_files: r.u64()?,
            stack_bytes: r.u64()?,
            processes: r.u64()?,
            data_bytes: r.u64()?,
        })
    }

    /// Sets them for the calling process and its future children, and so that none can be raised again.
    pub(super) fn apply(&self) -> Result<(), Fault> {
        // The signal at the soft limit can be caught; the hard one a second later can't.
        limit(Resource::Cpu, self.cpu_seconds, self.cpu_seconds.saturating_add(1))?;
        for (resource, value) in [
            (Resource::Fsize, self.file_bytes),
            (Resource::Nofile, self.open_files),
            (Resource::Stack, self.stack_bytes),
            (Resource::Nproc, self.processes),
            (Resource::Data, self.data_bytes),
            (Resource::Core, 0),
            (Resource::Memlock, 0),
            (Resource::Msgqueue, 0),
            (Resource::Rtprio, 0),
            (Resource::Nice, 0),
        ] {
            limit(resource, value, value)?;
        }
        Ok(())
    }
}

fn limit(resource: Resource, soft: u64, hard: u64) -> Result<(), Fault> {
    // What the server itself may not exceed can't be granted either.
    let ceiling = getrlimit(resource).maximum.unwrap_or(UNLIMITED);
    let clamp = |value: u64| Some(value.min(ceiling)).filter(|&value| value != UNLIMITED);
    setrlimit(resource, Rlimit { current: clamp(soft), maximum: clamp(hard) })
        .doing(format!("set the limit {resource:?} to {soft}"))
}
