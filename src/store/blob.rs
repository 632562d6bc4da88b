//! Contents by their SHA-256: sources, package files, inputs, answers.
//!
//! Hashing and compressing happen in [`Blob::new`], before a transaction; reading checks the hash again, so that a
//! damaged page on the disk is found and never judged with.

use sqlx::SqliteExecutor;

use super::codec::{int, text_enum};
use super::{StoreError, WriteTx};
use crate::domain::hash::Sha256;

/// From this size on compressing is tried, bytes.
const COMPRESS_FROM: usize = 4 * 1024;
/// zstd's level 3 keeps up with the disk.
const LEVEL: i32 = 3;
/// From this size on, hashing and (de)compressing go to the blocking threads, bytes.
const LARGE: usize = 256 * 1024;

text_enum! {
    /// How contents lie in their row.
    pub enum Encoding {
        /// As they are.
        Raw = "raw",
        /// One zstd frame.
        Zstd = "zstd",
    }
}

/// Contents that are ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    sha256: Sha256,
    bytes: u64,
    encoding: Encoding,
    contents: Vec<u8>,
}

impl Blob {
    /// Hashes and, where it pays, compresses. Takes its time: call it outside a transaction; for large contents
    /// use [`Blob::prepare`].
    pub fn new(contents: Vec<u8>) -> Self {
        let sha256 = Sha256::of(&contents);
        let bytes = contents.len() as u64;
        if contents.len() >= COMPRESS_FROM {
            // An error here only means that the contents stay as they are.
            if let Ok(packed) = zstd::bulk::compress(&contents, LEVEL)
                && packed.len() < contents.len() / 8 * 7
            {
                return Self { sha256, bytes, encoding: Encoding::Zstd, contents: packed };
            }
        }
        Self { sha256, bytes, encoding: Encoding::Raw, contents }
    }

    /// The same, off the async threads when it is large.
    ///
    /// # Errors
    /// [`StoreError::Stopping`] when the program ends meanwhile.
    pub async fn prepare(contents: Vec<u8>) -> Result<Self, StoreError> {
        if contents.len() < LARGE {
            return Ok(Self::new(contents));
        }
        off_thread(move || Self::new(contents)).await
    }

    /// The hash of the contents.
    pub const fn sha256(&self) -> Sha256 {
        self.sha256
    }

    /// Size of the contents, bytes.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Writes the contents unless they are there.
pub async fn insert(tx: &mut WriteTx, blob: &Blob) -> Result<(), StoreError> {
    let bytes = int(blob.bytes);
    sqlx::query!(
        "insert into blob (sha256, bytes, encoding, contents) values (?, ?, ?, ?) on conflict (sha256) do nothing",
        blob.sha256,
        bytes,
        blob.encoding,
        blob.contents
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Whether the contents are there, and their size in bytes.
pub async fn size(executor: impl SqliteExecutor<'_>, sha256: Sha256) -> Result<Option<u64>, StoreError> {
    let bytes = sqlx::query_scalar!(r#"select bytes as "bytes: u64" from blob where sha256 = ?"#, sha256)
        .fetch_optional(executor)
        .await?;
    Ok(bytes)
}

/// The contents, checked against their hash.
///
/// # Errors
/// [`StoreError::BlobMissing`] and [`StoreError::BlobDamaged`]: the judge's own fault, never a contestant's.
pub async fn read(executor: impl SqliteExecutor<'_>, sha256: Sha256) -> Result<Vec<u8>, StoreError> {
    let row = sqlx::query!(
        r#"select bytes as "bytes: u64", encoding as "encoding: Encoding", contents from blob where sha256 = ?"#,
        sha256
    )
    .fetch_optional(executor)
    .await?
    .ok_or(StoreError::BlobMissing(sha256))?;
    let large = row.bytes >= LARGE as u64;
    let check = move || decode(sha256, row.bytes, row.encoding, row.contents);
    if !large {
        return check();
    }
    off_thread(check).await?
}

/// Runs it on a blocking thread; its panic goes on here.
async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => StoreError::Stopping,
    })
}

fn decode(sha256: Sha256, bytes: u64, encoding: Encoding, contents: Vec<u8>) -> Result<Vec<u8>, StoreError> {
    let damaged = || StoreError::BlobDamaged(sha256);
    let contents = match encoding {
        Encoding::Raw => contents,
        Encoding::Zstd => {
            let capacity = usize::try_from(bytes).map_err(|_| damaged())?;
            zstd::bulk::decompress(&contents, capacity).map_err(|_| damaged())?
        }
    };
    if contents.len() as u64 != bytes || Sha256::of(&contents) != sha256 {
        return Err(damaged());
    }
    Ok(contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_contents_are_packed_and_come_back() {
        let contents = b"1 2 3 4 5\n".repeat(10_000);
        let blob = Blob::new(contents.clone());
        assert_eq!(blob.encoding, Encoding::Zstd);
        assert!(blob.contents.len() < contents.len() / 10);
        assert_eq!(decode(blob.sha256, blob.bytes, blob.encoding, blob.contents).ok(), Some(contents));
    }

    #[test]
    fn a_flipped_bit_is_found() {
        let mut blob = Blob::new(b"abc".to_vec());
        blob.contents[1] ^= 1;
        let read = decode(blob.sha256, blob.bytes, blob.encoding, blob.contents);
        assert!(matches!(read, Err(StoreError::BlobDamaged(_))));
    }
}
