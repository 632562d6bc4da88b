//! One input or answer on disk, with its hash.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::Digest as _;

use crate::domain::hash::Sha256;
use crate::grading::checker::{self, CheckerFlags, Comparison, Difference};
use crate::sandbox::{Bind, Captured, Contents, Stdin};

use super::fault::JudgeFault;

/// A file that doesn't change while it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestFile {
    path: PathBuf,
    sha256: Sha256,
    len: u64,
}

impl TestFile {
    /// Writes these bytes.
    pub fn write(path: &Path, contents: &[u8]) -> Result<Self, JudgeFault> {
        std::fs::write(path, contents).map_err(JudgeFault::io("write a test file"))?;
        Ok(Self { path: path.to_owned(), sha256: Sha256::of(contents), len: contents.len() as u64 })
    }

    /// Copies what a program printed.
    pub fn copy(path: &Path, captured: &Captured) -> Result<Self, JudgeFault> {
        Self::stream(path, reader(captured)?)
    }

    /// Writes what comes out of a stream.
    pub fn stream(path: &Path, mut from: impl Read) -> Result<Self, JudgeFault> {
        let doing = || JudgeFault::io("write a test file");
        let mut to = BufWriter::new(File::create(path).map_err(doing())?);
        let mut hasher = sha2::Sha256::new();
        let mut len = 0;
        let mut chunk = vec![0; 1 << 16];
        loop {
            let read = from.read(&mut chunk).map_err(doing())?;
            if read == 0 {
                break;
            }
            hasher.update(&chunk[..read]);
            to.write_all(&chunk[..read]).map_err(doing())?;
            len += read as u64;
        }
        to.flush().map_err(doing())?;
        Ok(Self { path: path.to_owned(), sha256: Sha256::from_bytes(hasher.finalize().into()), len })
    }

    /// A file that is there already and was hashed by whoever put it there.
    pub fn known(path: PathBuf, sha256: Sha256, len: u64) -> Self {
        Self { path, sha256, len }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its digest.
    pub fn sha256(&self) -> Sha256 {
        self.sha256
    }

    /// Its size, bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Opens it for reading.
    pub fn open(&self) -> io::Result<File> {
        File::open(&self.path)
    }

    /// As a program's standard input.
    pub fn stdin(&self) -> Result<Stdin, JudgeFault> {
        Ok(Stdin::File(Arc::new(self.open().map_err(JudgeFault::io("open a test's input"))?)))
    }

    /// As a file that a program finds in its working folder, with the right to change its copy.
    pub fn beside(&self) -> Contents {
        Contents::File { path: self.path.clone(), bytes: self.len }
    }

    /// As a file that a program sees at this path.
    ///
    /// Programs run as nobody who owns it, so it is made readable for all; the folder around it still keeps the host's
    /// other users out.
    pub fn shown_at(&self, target: &str) -> Result<Bind, JudgeFault> {
        let doing = || JudgeFault::io("show a test file to a program");
        let permissions = std::fs::metadata(&self.path).map_err(doing())?.permissions();
        if permissions.mode() & 0o444 != 0o444 {
            let readable = std::fs::Permissions::from_mode(permissions.mode() | 0o444);
            std::fs::set_permissions(&self.path, readable).map_err(doing())?;
        }
        // The sandbox takes no relative paths, and the data folder may be given as one.
        let source = std::path::absolute(&self.path).map_err(doing())?;
        Ok(Bind { source, target: PathBuf::from(target), exec: false })
    }

    /// The first difference between this answer and an output, as the checker sees it.
    pub fn differs_from(&self, output: impl Read, flags: &CheckerFlags) -> Result<Option<Difference>, JudgeFault> {
        let answer = self.open().map_err(JudgeFault::io("open a test's answer"))?;
        match checker::compare(answer, output, flags).map_err(JudgeFault::io("compare an output"))? {
            Comparison::Same => Ok(None),
            Comparison::Different(difference) => Ok(Some(*difference)),
        }
    }
}

/// Reads what a program printed, from its start.
pub fn reader(captured: &Captured) -> Result<impl Read + '_, JudgeFault> {
    let mut file = &captured.file;
    file.seek(SeekFrom::Start(0)).map_err(JudgeFault::io("read a program's output"))?;
    Ok(file.take(captured.len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_a_relative_folder_is_shown_by_its_whole_path() {
        let file = TestFile::known(PathBuf::from("Cargo.toml"), Sha256::of(b""), 0);
        let bind = file.shown_at("/test/input").unwrap();
        assert!(bind.source.is_absolute() && bind.source.ends_with("Cargo.toml"), "{bind:?}");
    }
}
