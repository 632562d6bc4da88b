//! The number that the next process of a pid namespace gets.
//!
//! Owns: setting it back, so that a program can't count an earlier run's processes. Must not know: when.

use std::fs::{File, OpenOptions};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;

/// The control file, which acts on the pid namespace of whoever writes it.
pub(super) struct PidCounter(File);

impl PidCounter {
    /// `None` where the kernel was built without it; pids go on counting there.
    pub(super) fn open() -> Option<Self> {
        OpenOptions::new().write(true).open("/proc/sys/kernel/ns_last_pid").ok().map(Self)
    }

    /// Makes 2 the next number. To be called by PID 1, alone in its namespace, with the right to do so.
    pub(super) fn reset(&self) -> std::io::Result<()> {
        self.0.write_all_at(b"1\n", 0)
    }
}

impl AsFd for PidCounter {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
