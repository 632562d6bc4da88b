//! Contents by their SHA-256: sources, package files, inputs, answers.
//!
//! Hashing and compressing happen in [`Blob::new`], before a transaction; reading checks the hash again, so that a
//! damaged page on the disk is found and never judged with. Large contents are cut into parts ([`store`],
//! [`copy_to`]), so that they never lie in memory as a whole.

use std::fs::File;
use std::io::{self, Read, Write as _};

use sha2::Digest as _;
use sqlx::{SqliteExecutor, SqlitePool};

use super::codec::{int, text_enum};
use super::{Store, StoreError, WriteTx, blob_sweep};
use crate::domain::hash::Sha256;

/// From this size on compressing is tried, bytes.
const COMPRESS_FROM: usize = 4 * 1024;
/// zstd's level 3 keeps up with the disk.
const LEVEL: i32 = 3;
/// From this size on, hashing and (de)compressing go to the blocking threads, bytes.
const LARGE: usize = 256 * 1024;
/// Larger contents lie in parts of this size, bytes. It must never change: parts are shared by their place.
pub const PART_BYTES: usize = 4 << 20;

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
        let (encoding, contents) = encode(contents);
        Self { sha256, bytes, encoding, contents }
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

fn encode(contents: Vec<u8>) -> (Encoding, Vec<u8>) {
    if contents.len() >= COMPRESS_FROM {
        // An error here only means that the contents stay as they are.
        if let Ok(packed) = zstd::bulk::compress(&contents, LEVEL)
            && packed.len() < contents.len() / 8 * 7
        {
            return (Encoding::Zstd, packed);
        }
    }
    (Encoding::Raw, contents)
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
    blob_sweep::about_to_be_named(tx, blob.sha256).await
}

/// Whether the contents are there. If so, they stay long enough to be named.
pub async fn claim(tx: &mut WriteTx, sha256: Sha256) -> Result<bool, StoreError> {
    let there = size(&mut **tx, sha256).await?.is_some();
    if there {
        blob_sweep::about_to_be_named(tx, sha256).await?;
    }
    Ok(there)
}

/// Whether the contents are there, and their size in bytes.
pub async fn size(executor: impl SqliteExecutor<'_>, sha256: Sha256) -> Result<Option<u64>, StoreError> {
    let bytes = sqlx::query_scalar!(r#"select bytes as "bytes: u64" from blob where sha256 = ?"#, sha256)
        .fetch_optional(executor)
        .await?;
    Ok(bytes)
}

/// Stores contents of any size from a stream, in transactions of their own. `sha256` and `bytes` are what the stream must
/// turn out to hold.
///
/// # Errors
/// [`StoreError::BlobDamaged`] when it holds something else, [`StoreError::Unreadable`].
pub async fn store(store: &Store, sha256: Sha256, bytes: u64, stream: Box<dyn Read + Send>) -> Result<(), StoreError> {
    if size(store.read(), sha256).await?.is_some() {
        let mut tx = store.begin_write().await?;
        let there = claim(&mut tx, sha256).await?;
        tx.commit().await?;
        if there {
            return Ok(());
        }
    }
    let mut cutter = Cutter { stream, left: bytes, hasher: sha2::Sha256::new() };
    if bytes <= PART_BYTES as u64 {
        let (blob, ended) = off_thread(move || -> io::Result<_> {
            let contents = cutter.next_part()?;
            Ok((Blob::new(contents), cutter.next_part()?.is_empty()))
        })
        .await??;
        if blob.sha256 != sha256 || !ended {
            return Err(StoreError::BlobDamaged(sha256));
        }
        let mut tx = store.begin_write().await?;
        insert(&mut tx, &blob).await?;
        return tx.commit().await;
    }
    let mut seen = 0;
    for ordinal in 1_i64.. {
        let (back, length, (encoding, contents)) = off_thread(move || -> io::Result<_> {
            let part = cutter.next_part()?;
            Ok((cutter, part.len(), encode(part)))
        })
        .await??;
        cutter = back;
        if length == 0 {
            break;
        }
        seen += length as u64;
        let mut tx = store.begin_write().await?;
        let length = int(length as u64);
        sqlx::query!(
            "insert into blob_part (sha256, ordinal, bytes, encoding, contents) values (?, ?, ?, ?, ?)
            on conflict (sha256, ordinal) do nothing",
            sha256,
            ordinal,
            length,
            encoding,
            contents
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
    }
    let mut tx = store.begin_write().await?;
    if seen != bytes || Sha256::from_bytes(cutter.hasher.finalize().into()) != sha256 {
        sqlx::query!("delete from blob_part where sha256 = ?", sha256).execute(&mut *tx).await?;
        tx.commit().await?;
        return Err(StoreError::BlobDamaged(sha256));
    }
    insert(&mut tx, &Blob { sha256, bytes, encoding: Encoding::Raw, contents: Vec::new() }).await?;
    tx.commit().await
}

/// Cuts a stream into parts and hashes what went by.
struct Cutter {
    stream: Box<dyn Read + Send>,
    /// How much is said to come, bytes.
    left: u64,
    hasher: sha2::Sha256,
}

impl Cutter {
    /// The next part; empty at the end.
    fn next_part(&mut self) -> io::Result<Vec<u8>> {
        // As large as it will be: one that grows is copied, and takes three times as much.
        let wanted = usize::try_from(self.left).unwrap_or(PART_BYTES).min(PART_BYTES);
        let mut part = Vec::with_capacity(wanted);
        self.stream.by_ref().take(PART_BYTES as u64).read_to_end(&mut part)?;
        self.left = self.left.saturating_sub(part.len() as u64);
        self.hasher.update(&part);
        Ok(part)
    }
}

/// The contents, checked against their hash. For contents that may be large there is [`copy_to`].
///
/// # Errors
/// [`StoreError::BlobMissing`] and [`StoreError::BlobDamaged`]: the judge's own fault, never a contestant's.
pub async fn read(pool: &SqlitePool, sha256: Sha256) -> Result<Vec<u8>, StoreError> {
    let row = row(pool, sha256).await?;
    if !row.is_in_parts() {
        let large = row.bytes >= LARGE as u64;
        let check = move || decode(sha256, row.bytes, row.encoding, row.contents);
        return if large { off_thread(check).await? } else { check() };
    }
    let mut whole = Vec::new();
    for ordinal in 1_i64.. {
        let Some(part) = part(pool, sha256, ordinal).await? else { break };
        whole.extend_from_slice(&part);
    }
    off_thread(move || if Sha256::of(&whole) == sha256 { Ok(whole) } else { Err(StoreError::BlobDamaged(sha256)) })
        .await?
}

/// Copies the contents to a file, a part at a time, checked against their hash.
///
/// # Errors
/// As [`read`], and [`StoreError::Unreadable`] when the file can't be written.
pub async fn copy_to(pool: &SqlitePool, sha256: Sha256, mut file: File) -> Result<(), StoreError> {
    let row = row(pool, sha256).await?;
    if !row.is_in_parts() {
        return off_thread(move || Ok(file.write_all(&decode(sha256, row.bytes, row.encoding, row.contents)?)?))
            .await?;
    }
    let mut hasher = sha2::Sha256::new();
    for ordinal in 1_i64.. {
        let Some(part) = part(pool, sha256, ordinal).await? else { break };
        (file, hasher) = off_thread(move || -> io::Result<_> {
            hasher.update(&part);
            file.write_all(&part)?;
            Ok((file, hasher))
        })
        .await??;
    }
    if Sha256::from_bytes(hasher.finalize().into()) == sha256 { Ok(()) } else { Err(StoreError::BlobDamaged(sha256)) }
}

/// The first bytes of the contents, at most `most` of them and at most [`PART_BYTES`]; not checked against their hash
/// where there is more.
///
/// # Errors
/// As [`read`].
pub async fn head(pool: &SqlitePool, sha256: Sha256, most: usize) -> Result<Vec<u8>, StoreError> {
    let mut head = piece(pool, sha256, 0).await?.unwrap_or_default();
    head.truncate(most);
    Ok(head)
}

/// A piece of the contents, counted from 0; `None` behind the last one. For contents that are sent on as they come.
///
/// # Errors
/// As [`read`].
pub async fn piece(pool: &SqlitePool, sha256: Sha256, number: u32) -> Result<Option<Vec<u8>>, StoreError> {
    let row = row(pool, sha256).await?;
    if row.is_in_parts() {
        return part(pool, sha256, i64::from(number) + 1).await;
    }
    if number > 0 {
        return Ok(None);
    }
    off_thread(move || decode(sha256, row.bytes, row.encoding, row.contents)).await?.map(Some)
}

struct Row {
    bytes: u64,
    encoding: Encoding,
    contents: Vec<u8>,
}

impl Row {
    const fn is_in_parts(&self) -> bool {
        self.contents.is_empty() && self.bytes > 0
    }
}

async fn row(executor: impl SqliteExecutor<'_>, sha256: Sha256) -> Result<Row, StoreError> {
    sqlx::query_as!(
        Row,
        r#"select bytes as "bytes: _", encoding as "encoding: _", contents from blob where sha256 = ?"#,
        sha256
    )
    .fetch_optional(executor)
    .await?
    .ok_or(StoreError::BlobMissing(sha256))
}

/// A part, decoded; `None` behind the last one.
async fn part(pool: &SqlitePool, sha256: Sha256, ordinal: i64) -> Result<Option<Vec<u8>>, StoreError> {
    let row = sqlx::query_as!(
        Row,
        r#"select bytes as "bytes: _", encoding as "encoding: _", contents from blob_part
        where sha256 = ? and ordinal = ?"#,
        sha256,
        ordinal
    )
    .fetch_optional(pool)
    .await?;
    let Some(row) = row else { return Ok(None) };
    off_thread(move || unpack(row.bytes, row.encoding, row.contents).ok_or(StoreError::BlobDamaged(sha256)))
        .await?
        .map(Some)
}

/// Runs it on a blocking thread; its panic goes on here.
async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, StoreError> {
    let span = tracing::Span::current();
    tokio::task::spawn_blocking(move || span.in_scope(work)).await.map_err(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => StoreError::Stopping,
    })
}

fn decode(sha256: Sha256, bytes: u64, encoding: Encoding, contents: Vec<u8>) -> Result<Vec<u8>, StoreError> {
    match unpack(bytes, encoding, contents) {
        Some(contents) if Sha256::of(&contents) == sha256 => Ok(contents),
        _ => Err(StoreError::BlobDamaged(sha256)),
    }
}

/// `None` when it isn't what was packed.
fn unpack(bytes: u64, encoding: Encoding, contents: Vec<u8>) -> Option<Vec<u8>> {
    let contents = match encoding {
        Encoding::Raw => contents,
        Encoding::Zstd => zstd::bulk::decompress(&contents, usize::try_from(bytes).ok()?).ok()?,
    };
    (contents.len() as u64 == bytes).then_some(contents)
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
