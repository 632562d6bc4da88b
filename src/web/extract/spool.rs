//! What comes in and may be large, written to our disk as it comes: one file without a name for all of a request, which
//! goes with the last part of it that somebody holds. Must not know: what it is.

use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio::io::AsyncWriteExt as _;

use crate::service::incoming::Slice;

/// A file that is being written.
#[derive(Debug)]
pub struct Spool {
    file: tokio::fs::File,
    /// Bytes so far.
    bytes: u64,
}

/// Where a part of it lies: from which byte, how many.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    from: u64,
    bytes: u64,
}

impl Spool {
    /// An empty one in this folder, which is made when it isn't there.
    pub async fn create(scratch: &Path) -> io::Result<Self> {
        tokio::fs::create_dir_all(scratch).await?;
        Ok(Self { file: tokio::fs::File::from_std(tempfile::tempfile_in(scratch)?), bytes: 0 })
    }

    /// How much was written, bytes.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds a piece.
    pub async fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        self.file.write_all(piece).await?;
        self.bytes += piece.len() as u64;
        Ok(())
    }

    /// What was written since it had this size, bytes.
    pub const fn since(&self, from: u64) -> Part {
        Part { from, bytes: self.bytes - from }
    }

    /// Parts of it, to be read.
    pub async fn parts(mut self, parts: impl IntoIterator<Item = Part>) -> io::Result<Vec<Slice>> {
        self.file.flush().await?;
        let file = Arc::new(self.file.into_std().await);
        Ok(parts.into_iter().map(|part| Slice::new(Arc::clone(&file), part.from, part.bytes)).collect())
    }

    /// All of it, to be read.
    pub async fn whole(mut self) -> io::Result<Slice> {
        self.file.flush().await?;
        Ok(Slice::new(Arc::new(self.file.into_std().await), 0, self.bytes))
    }
}
