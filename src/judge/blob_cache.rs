//! Blobs on disk, so that programs can read them as files. The folder may be deleted at any time.
//!
//! Owns: the folder's layout, and that a file there is what its name says. Must not know: what a blob means.

use std::collections::HashSet;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

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
            if Sha256::of(&fs::read(&path).ok()?) != *sha256 {
                let _ = fs::remove_file(&path);
                return None;
            }
            self.verified.lock().unwrap_or_else(PoisonError::into_inner).insert(*sha256);
        }
        Some(TestFile::known(path, *sha256, len))
    }

    /// Puts a blob in. The name appears only when the contents are complete.
    pub fn put(&self, sha256: &Sha256, contents: &[u8]) -> Result<TestFile, JudgeFault> {
        if Sha256::of(contents) != *sha256 {
            return Err(JudgeFault::Data(format!("the blob {} is damaged where it came from", sha256.short())));
        }
        let doing = || JudgeFault::io("write to the blob cache");
        let path = self.path(sha256);
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder).map_err(doing())?;
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(doing())?;
        file.write_all(contents).map_err(doing())?;
        file.persist(&path).map_err(|error| doing()(error.error))?;
        self.verified.lock().unwrap_or_else(PoisonError::into_inner).insert(*sha256);
        Ok(TestFile::known(path, *sha256, contents.len() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_or_deleted_file_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let digest = Sha256::of(b"abc");
        let path = {
            let cache = BlobCache::open(folder.path().to_owned()).unwrap();
            assert!(cache.get(&digest).is_none());
            let file = cache.put(&digest, b"abc").unwrap();
            assert_eq!(cache.get(&digest), Some(file.clone()));
            assert!(cache.put(&digest, b"abd").is_err());
            file.path().to_owned()
        };
        fs::write(&path, "abd").unwrap();
        let cache = BlobCache::open(folder.path().to_owned()).unwrap();
        assert!(cache.get(&digest).is_none());
        assert!(!path.exists());
        cache.put(&digest, b"abc").unwrap();
        fs::remove_file(&path).unwrap();
        assert!(cache.get(&digest).is_none());
    }
}
