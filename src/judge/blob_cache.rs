//! Blobs on disk, so that programs can read them as files. The folder may be deleted at any time.
//!
//! Owns: the folder's layout, and that a file there is what its name says. Must not know: what a blob means.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sha2::Digest as _;
use tempfile::NamedTempFile;

use crate::domain::hash::Sha256;

use super::fault::JudgeFault;
use super::test_file::TestFile;

/// A folder of blobs, named by their digests.
#[derive(Debug)]
pub struct BlobCache {
    folder: PathBuf,
    /// Seen and verified by this process.
    verified: Mutex<HashSet<Sha256>>,
}

impl BlobCache {
    /// Opens the cache in a folder, which is made.
    pub fn open(folder: PathBuf) -> Result<Self, JudgeFault> {
        fs::create_dir_all(&folder).map_err(JudgeFault::io("make the blob cache's folder"))?;
        Ok(Self { folder, verified: Mutex::default() })
    }

    fn path(&self, sha256: &Sha256) -> PathBuf {
        let hex = sha256.to_string();
        self.folder.join(&hex[..2]).join(hex)
    }

    /// The blob as a file, if it is here and undamaged. A damaged one is removed.
    pub fn get(&self, sha256: &Sha256) -> Option<TestFile> {
        let path = self.path(sha256);
        let len = fs::metadata(&path).ok()?.len();
        let is_known = self.verified.lock().unwrap_or_else(PoisonError::into_inner).contains(sha256);
        if !is_known {
            if hash(&path).ok()? != *sha256 {
                let _ = fs::remove_file(&path);
                return None;
            }
            self.verified.lock().unwrap_or_else(PoisonError::into_inner).insert(*sha256);
        }
        Some(TestFile::known(path, *sha256, len))
    }

    /// A file for a blob's contents, to be written and then put in.
    pub fn begin(&self, sha256: &Sha256) -> Result<NamedTempFile, JudgeFault> {
        let path = self.path(sha256);
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder).map_err(JudgeFault::io("make a folder in the blob cache"))?;
        NamedTempFile::new_in(folder).map_err(JudgeFault::io("write to the blob cache"))
    }

    /// Puts a blob in. The name appears only when the contents are complete.
    pub fn put(&self, sha256: &Sha256, written: NamedTempFile) -> Result<TestFile, JudgeFault> {
        let doing = || JudgeFault::io("write to the blob cache");
        if hash(written.path()).map_err(doing())? != *sha256 {
            return Err(JudgeFault::Data(format!("the blob {} is damaged where it came from", sha256.short())));
        }
        let path = self.path(sha256);
        let file = written.persist(&path).map_err(|error| doing()(error.error))?;
        let len = file.metadata().map_err(doing())?.len();
        self.verified.lock().unwrap_or_else(PoisonError::into_inner).insert(*sha256);
        Ok(TestFile::known(path, *sha256, len))
    }
}

/// The digest of a file, in constant memory.
fn hash(path: &Path) -> io::Result<Sha256> {
    let mut file = File::open(path)?;
    let mut hasher = sha2::Sha256::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut chunk)?;
        if read == 0 {
            return Ok(Sha256::from_bytes(hasher.finalize().into()));
        }
        hasher.update(&chunk[..read]);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn put(cache: &BlobCache, digest: &Sha256, contents: &[u8]) -> Result<TestFile, JudgeFault> {
        let mut file = cache.begin(digest)?;
        file.write_all(contents).unwrap();
        cache.put(digest, file)
    }

    #[test]
    fn a_damaged_or_deleted_file_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let digest = Sha256::of(b"abc");
        let path = {
            let cache = BlobCache::open(folder.path().to_owned()).unwrap();
            assert!(cache.get(&digest).is_none());
            let file = put(&cache, &digest, b"abc").unwrap();
            assert_eq!(cache.get(&digest), Some(file.clone()));
            assert!(put(&cache, &digest, b"abd").is_err());
            file.path().to_owned()
        };
        fs::write(&path, "abd").unwrap();
        let cache = BlobCache::open(folder.path().to_owned()).unwrap();
        assert!(cache.get(&digest).is_none());
        assert!(!path.exists());
        put(&cache, &digest, b"abc").unwrap();
        fs::remove_file(&path).unwrap();
        assert!(cache.get(&digest).is_none());
    }
}
