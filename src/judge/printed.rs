//! The beginning of what a program printed, for the one who wrote it. Must not know: who that is.

use std::io::Read as _;

use crate::sandbox::Captured;

use super::fault::JudgeFault;
use super::test_file;

/// The most that is kept, bytes.
pub const KEPT_BYTES: u64 = 4096;

/// The beginning of an output, and how long it was.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Printed {
    /// At most [`KEPT_BYTES`].
    pub head: Vec<u8>,
    /// All of it, bytes.
    pub bytes: u64,
}

impl Printed {
    /// As letters; what is none becomes U+FFFD.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.head).into_owned()
    }

    /// What was captured of a stream.
    pub fn of(captured: &Captured) -> Result<Self, JudgeFault> {
        let mut head = Vec::new();
        let mut stream = test_file::reader(captured)?.take(KEPT_BYTES);
        stream.read_to_end(&mut head).map_err(JudgeFault::io("read a program's output"))?;
        Ok(Self { head, bytes: captured.len })
    }
}
