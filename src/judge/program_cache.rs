//! Built programs on disk, so that a source is compiled once and not once a start. The folder may be deleted at any time.
//!
//! Owns: the folder's layout and size, and that an entry is what was put in. Must not know: what a compiler reads; the
//! caller's key has to cover all of it.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};

use crate::domain::hash::Sha256;
use crate::sandbox::CollectedFile;

/// How much the entries may have together, bytes.
const MOST_BYTES: u64 = 512 << 20;
/// The first line of every entry; another form needs another line.
const MAGIC: &[u8] = b"touchstone program 1\n";
/// The fastest level: most of a program is the C library, and it is read far more often than it is written.
const LEVEL: i32 = 1;

/// What a compile step left behind.
#[derive(Debug, Clone)]
pub(super) struct Compiled {
    /// The files that make up the program.
    pub(super) files: Vec<CollectedFile>,
    /// What the compiler said.
    pub(super) words: String,
}

/// A folder of built programs, named by digests over all that they were built from.
#[derive(Debug)]
pub(super) struct ProgramCache {
    folder: PathBuf,
    most_bytes: u64,
    /// What the entries have together, as far as this process knows.
    bytes: Mutex<u64>,
}

impl ProgramCache {
    /// A cache in a folder, which is made when something is put in.
    pub(super) fn open(folder: PathBuf) -> Self {
        Self::with_most(folder, MOST_BYTES)
    }

    fn with_most(folder: PathBuf, most_bytes: u64) -> Self {
        let bytes = entries(&folder).iter().map(|entry| entry.bytes).sum();
        Self { folder, most_bytes, bytes: Mutex::new(bytes) }
    }

    fn path(&self, key: &Sha256) -> PathBuf {
        self.folder.join(key.to_string())
    }

    /// What was put in under this key. A damaged entry is removed, and is none.
    pub(super) fn get(&self, key: &Sha256) -> Option<Compiled> {
        let path = self.path(key);
        let entry = fs::read(&path).ok()?;
        let Some(compiled) = decode(key, &entry) else {
            tracing::warn!(entry = %key.short(), "a built program in the cache is damaged; it is built again");
            let _ = fs::remove_file(&path);
            return None;
        };
        // The one that wasn't used for longest goes first.
        let now = Timestamps {
            last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
            last_modification: Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
        };
        let _ = rustix::fs::utimensat(CWD, &path, &now, AtFlags::empty());
        Some(compiled)
    }

    /// Keeps what was built. Without success it is built again the next time.
    pub(super) fn put(&self, key: &Sha256, compiled: &Compiled) {
        match self.write(key, compiled) {
            Ok(len) => self.make_room(len),
            Err(error) => tracing::warn!(%error, "a built program can't be kept"),
        }
    }

    fn write(&self, key: &Sha256, compiled: &Compiled) -> io::Result<u64> {
        let entry = encode(key, compiled)?;
        fs::create_dir_all(&self.folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&entry)?;
        // The name appears only when the contents are complete.
        file.persist(self.path(key)).map_err(|error| error.error)?;
        Ok(entry.len() as u64)
    }

    /// Removes the oldest when there are too many, a quarter at once so that it isn't done for each.
    fn make_room(&self, added: u64) {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        *bytes += added;
        if *bytes <= self.most_bytes {
            return;
        }
        let mut found = entries(&self.folder);
        found.sort_by_key(|entry| entry.used);
        *bytes = found.iter().map(|entry| entry.bytes).sum();
        for entry in found {
            if *bytes <= self.most_bytes / 4 * 3 {
                break;
            }
            if fs::remove_file(&entry.path).is_ok() {
                *bytes -= entry.bytes;
            }
        }
    }
}

struct Entry {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

fn entries(folder: &Path) -> Vec<Entry> {
    let Ok(found) = fs::read_dir(folder) else { return Vec::new() };
    let entry = |entry: fs::DirEntry| {
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some(Entry { path: entry.path(), bytes: metadata.len(), used: metadata.modified().ok()? })
    };
    found.filter_map(Result::ok).filter_map(entry).collect()
}

/// The magic line, a digest over the key and what follows, and that: packed, all lengths in 8 bytes before what they
/// are of.
fn encode(key: &Sha256, compiled: &Compiled) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    let mut part = |bytes: &[u8]| {
        plain.extend((bytes.len() as u64).to_le_bytes());
        plain.extend(bytes);
    };
    part(compiled.words.as_bytes());
    for file in &compiled.files {
        part(file.path.as_bytes());
        part(&[u8::from(file.executable)]);
        part(file.contents.as_deref().ok_or(io::ErrorKind::InvalidInput)?);
    }
    let packed = zstd::bulk::compress(&plain, LEVEL)?;
    Ok([MAGIC, seal(key, &packed).as_bytes().as_slice(), &packed].concat())
}

fn seal(key: &Sha256, packed: &[u8]) -> Sha256 {
    Sha256::of_parts([("key", key.as_bytes().as_slice()), ("program", packed)])
}

fn decode(key: &Sha256, entry: &[u8]) -> Option<Compiled> {
    let (digest, packed) = entry.strip_prefix(MAGIC)?.split_at_checked(32)?;
    if seal(key, packed).as_bytes().as_slice() != digest {
        return None;
    }
    let plain = zstd::stream::decode_all(packed).ok()?;
    let mut rest = plain.as_slice();
    let mut part = || -> Option<&[u8]> {
        let (len, behind) = rest.split_first_chunk::<8>()?;
        let (bytes, behind) = behind.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
        rest = behind;
        Some(bytes)
    };
    let words = String::from_utf8(part()?.to_vec()).ok()?;
    let mut files = Vec::new();
    while let Some(path) = part() {
        let path = String::from_utf8(path.to_vec()).ok()?;
        let executable = part()? == [1];
        let contents = part()?.to_vec();
        files.push(CollectedFile { path, len: contents.len() as u64, contents: Some(contents), executable });
    }
    Some(Compiled { files, words })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(text: &[u8]) -> Compiled {
        let file = |path: &str, executable| CollectedFile {
            path: path.to_owned(),
            len: text.len() as u64,
            contents: Some(text.to_vec()),
            executable,
        };
        Compiled { files: vec![file("program", true), file("a/B.class", false)], words: "warning: 中文".to_owned() }
    }

    #[test]
    fn what_was_put_in_comes_out_in_another_process_too() {
        let folder = tempfile::tempdir().unwrap();
        let key = Sha256::of(b"key");
        let cache = ProgramCache::open(folder.path().join("programs"));
        assert!(cache.get(&key).is_none());
        cache.put(&key, &compiled(b"\x7fELF"));
        let found = ProgramCache::open(folder.path().join("programs")).get(&key).unwrap();
        let told: Vec<_> =
            found.files.iter().map(|file| (file.path.as_str(), file.contents.as_deref(), file.executable)).collect();
        assert_eq!(
            told,
            [("program", Some(b"\x7fELF".as_slice()), true), ("a/B.class", Some(b"\x7fELF".as_slice()), false)]
        );
        assert_eq!(found.words, "warning: 中文");
    }

    #[test]
    fn an_entry_that_was_changed_cut_or_renamed_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ProgramCache::open(folder.path().to_owned());
        let (key, other) = (Sha256::of(b"key"), Sha256::of(b"other"));
        cache.put(&key, &compiled(b"abc"));
        let whole = fs::read(cache.path(&key)).unwrap();
        let mut damaged: Vec<Vec<u8>> = (0..whole.len()).step_by(7).map(|len| whole[..len].to_vec()).collect();
        damaged.extend((0..whole.len()).map(|at| {
            let mut flipped = whole.clone();
            flipped[at] ^= 1;
            flipped
        }));
        for entry in damaged {
            fs::write(cache.path(&key), entry).unwrap();
            assert!(cache.get(&key).is_none());
            assert!(!cache.path(&key).exists());
        }
        fs::write(cache.path(&other), whole).unwrap();
        assert!(cache.get(&other).is_none());
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ProgramCache::with_most(folder.path().to_owned(), 1000);
        let keys: Vec<Sha256> = (0..20u8).map(|number| Sha256::of(&[number])).collect();
        let long_ago = SystemTime::UNIX_EPOCH;
        for (number, key) in keys.iter().enumerate() {
            cache.put(key, &compiled(b"abc"));
            let Ok(file) = fs::File::open(cache.path(key)) else { continue };
            file.set_modified(long_ago + std::time::Duration::from_secs(number as u64)).unwrap();
            // Used again and again, so it stays.
            assert!(cache.get(&keys[0]).is_some(), "{number}");
        }
        assert!(cache.get(&keys[1]).is_none());
        assert!(cache.get(&keys[19]).is_some());
        assert!(entries(folder.path()).iter().map(|entry| entry.bytes).sum::<u64>() <= 1000);
        fs::remove_dir_all(folder.path()).unwrap();
        cache.put(&keys[3], &compiled(b"abc"));
        assert!(cache.get(&keys[3]).is_some());
    }
}
