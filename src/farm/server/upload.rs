//! Contents that a worker made, until they are whole.
//!
//! Owns: that they come in order, are no larger than said, and are what their digest says before anybody uses them.

use std::io::Write as _;
use std::path::Path;

use tempfile::NamedTempFile;

use crate::domain::hash::Sha256;
use crate::farm::wire::call::Part;
use crate::judge::job_source::{Lease, SourceError};
use crate::judge::test_file::TestFile;

/// The largest contents that are taken, bytes. What a sandboxed program may print is bounded far below.
const MAX_BYTES: u64 = 4 << 30;

/// A file that comes in parts.
#[derive(Debug)]
pub struct Upload {
    lease: Lease,
    sha256: Sha256,
    bytes: u64,
    written: u64,
    file: NamedTempFile,
}

#[expect(clippy::needless_pass_by_value, reason = "the form that map_err asks for")]
fn unavailable(error: std::io::Error) -> SourceError {
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::ReadOnlyFilesystem => {
            SourceError::DiskTrouble(error.to_string())
        }
        _ => SourceError::Unavailable(format!("contents from a worker can't be kept: {error}")),
    }
}

impl Upload {
    /// Before the first part.
    pub fn begin(folder: &Path, lease: Lease, part: Part) -> Result<Self, SourceError> {
        if part.bytes > MAX_BYTES {
            return Err(SourceError::Unavailable(format!("contents of {} bytes are too large", part.bytes)));
        }
        let file = NamedTempFile::new_in(folder).map_err(unavailable)?;
        Ok(Self { lease, sha256: part.sha256, bytes: part.bytes, written: 0, file })
    }

    /// Whether the part belongs to it.
    pub fn is_of(&self, lease: Lease, part: Part) -> bool {
        (self.lease, self.sha256, self.bytes) == (lease, part.sha256, part.bytes)
    }

    /// Adds a part. Tells whether it is whole now. A part that came before changes nothing.
    pub fn add(&mut self, part: Part, contents: &[u8]) -> Result<bool, SourceError> {
        if part.offset == self.written {
            if self.written + contents.len() as u64 > self.bytes {
                return Err(SourceError::Unavailable("contents are larger than was said".to_owned()));
            }
            self.file.write_all(contents).map_err(unavailable)?;
            self.written += contents.len() as u64;
        } else if part.offset > self.written {
            return Err(SourceError::Unavailable("a part of the contents is missing".to_owned()));
        }
        Ok(self.written == self.bytes)
    }

    /// The whole file, for as long as this lives. Whoever stores it looks at its digest.
    pub fn file(&self) -> TestFile {
        TestFile::known(self.file.path().to_owned(), self.sha256, self.bytes)
    }
}
