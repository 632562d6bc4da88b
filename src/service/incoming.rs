//! Contents that somebody hands in, wherever they lie: in memory when they were typed, else on disk as they came, or in a
//! zip that was unpacked. They are read as streams, so that large ones never lie in memory as a whole.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use sha2::Digest as _;

use super::Service;
use super::problems::off_thread;
use crate::domain::hash::Sha256;
use crate::package::{PackagePath, PackageTree};
use crate::store::blob::{Blob, PART_BYTES};
use crate::store::{StoreError, WriteTx, blob};

/// Small contents are written together until they come to so much, bytes.
const WRITTEN_TOGETHER: u64 = 8 << 20;
/// How much is read at once to hash it, bytes.
const CHUNK: usize = 64 * 1024;

/// A part of a file on our disk, read from its own place: several may lie in one file. The file goes when the last part
/// does, if it has no name.
#[derive(Debug, Clone)]
pub struct Slice {
    file: Arc<File>,
    from: u64,
    bytes: u64,
    at: u64,
}

impl Slice {
    /// These bytes of the file.
    pub const fn new(file: Arc<File>, from: u64, bytes: u64) -> Self {
        Self { file, from, bytes, at: 0 }
    }

    /// All of a file.
    ///
    /// # Errors
    /// When its size can't be found out.
    pub fn whole(file: File) -> io::Result<Self> {
        let bytes = file.metadata()?.len();
        Ok(Self::new(Arc::new(file), 0, bytes))
    }

    /// Its size, bytes.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Read for Slice {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.bytes.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let most = left.min(buffer.len());
        let Some(buffer) = buffer.get_mut(..most) else { return Ok(0) };
        let count = self.file.read_at(buffer, self.from + self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Slice {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.bytes.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// What was handed in.
#[derive(Debug, Clone)]
pub struct Incoming(Place);

#[derive(Debug, Clone)]
enum Place {
    Memory(Arc<[u8]>),
    Disk(Slice),
    Unpacked(Arc<PackageTree>, PackagePath),
}

impl From<Vec<u8>> for Incoming {
    fn from(typed: Vec<u8>) -> Self {
        Self(Place::Memory(typed.into()))
    }
}

impl From<Slice> for Incoming {
    fn from(slice: Slice) -> Self {
        Self(Place::Disk(slice))
    }
}

impl Incoming {
    /// A file of an unpacked zip.
    pub(super) const fn unpacked(tree: Arc<PackageTree>, path: PackagePath) -> Self {
        Self(Place::Unpacked(tree, path))
    }

    /// Its size, bytes.
    pub fn bytes(&self) -> u64 {
        match &self.0 {
            Place::Memory(typed) => typed.len() as u64,
            Place::Disk(slice) => slice.bytes,
            Place::Unpacked(tree, path) => tree.size(path).unwrap_or_default(),
        }
    }

    /// From its start.
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match &self.0 {
            Place::Memory(typed) => Box::new(io::Cursor::new(Arc::clone(typed))),
            Place::Disk(slice) => Box::new(Slice { at: 0, ..slice.clone() }),
            Place::Unpacked(tree, path) => tree.open(path)?,
        })
    }

    /// Of its contents.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`].
    pub(super) async fn sha256(&self) -> Result<Sha256, StoreError> {
        let contents = self.clone();
        let hash = move || -> io::Result<Sha256> {
            let (mut stream, mut hasher) = (contents.open()?, sha2::Sha256::new());
            let mut chunk = vec![0; CHUNK];
            loop {
                match stream.read(&mut chunk) {
                    Ok(0) => return Ok(Sha256::from_bytes(hasher.finalize().into())),
                    Ok(count) => hasher.update(chunk.get(..count).unwrap_or_default()),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
        };
        Ok(off_thread(hash).await??)
    }
}

impl Service {
    /// Writes contents, each with its hash, before anything names them: small ones a few at a time, large ones in parts.
    pub(super) async fn keep(&self, contents: &[(Sha256, Incoming)]) -> Result<(), StoreError> {
        let (mut together, mut bytes, mut there) = (Vec::new(), 0, Vec::new());
        for (sha256, incoming) in contents {
            if blob::size(self.store.read(), *sha256).await?.is_some() {
                there.push(*sha256);
                continue;
            }
            if incoming.bytes() > PART_BYTES as u64 {
                blob::store(&self.store, *sha256, incoming.bytes(), incoming.open()?).await?;
                continue;
            }
            let mut small = Vec::new();
            incoming.open()?.read_to_end(&mut small)?;
            let small = Blob::prepare(small).await?;
            if small.sha256() != *sha256 {
                return Err(StoreError::BlobDamaged(*sha256));
            }
            together.push(small);
            bytes += incoming.bytes();
            if bytes >= WRITTEN_TOGETHER {
                self.write(&std::mem::take(&mut together)).await?;
                bytes = 0;
            }
        }
        self.write(&together).await?;
        let mut tx = self.store.begin_write().await?;
        for sha256 in there {
            claim(&mut tx, sha256).await?;
        }
        tx.commit().await
    }

    async fn write(&self, blobs: &[Blob]) -> Result<(), StoreError> {
        let mut tx = self.store.begin_write().await?;
        for blob in blobs {
            blob::insert(&mut tx, blob).await?;
        }
        tx.commit().await
    }
}

/// Contents that were kept are about to be named.
pub(super) async fn claim(tx: &mut WriteTx, sha256: Sha256) -> Result<(), StoreError> {
    if blob::claim(tx, sha256).await? { Ok(()) } else { Err(StoreError::BlobMissing(sha256)) }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn parts_of_one_file_are_read_each_from_its_own_place() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"one two three").unwrap();
        let file = Arc::new(file);
        let read = |mut slice: Slice| {
            let mut text = String::new();
            slice.read_to_string(&mut text).map(|_| text).unwrap()
        };
        let (two, three) = (Slice::new(Arc::clone(&file), 4, 3), Slice::new(Arc::clone(&file), 8, 5));
        assert_eq!(
            (read(two.clone()), read(three.clone()), read(two.clone())),
            ("two".into(), "three".into(), "two".into())
        );
        let mut end = three;
        assert_eq!(end.seek(SeekFrom::End(-2)).unwrap(), 3);
        assert_eq!(read(end.clone()), "ee");
        assert!(end.seek(SeekFrom::Current(-9)).is_err());
        assert_eq!(end.seek(SeekFrom::Start(100)).map(|_| read(end)).unwrap(), "", "nothing of a neighbour");
    }

    #[tokio::test]
    async fn the_hash_is_the_same_wherever_it_lies() {
        let bytes = b"1 2 3\n".repeat(50_000);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"before").and_then(|()| file.write_all(&bytes)).unwrap();
        let slice = Slice::new(Arc::new(file), 6, bytes.len() as u64);
        let typed = Incoming::from(bytes.clone());
        assert_eq!(typed.sha256().await.unwrap(), Sha256::of(&bytes));
        assert_eq!(Incoming::from(slice).sha256().await.unwrap(), Sha256::of(&bytes));
    }
}
