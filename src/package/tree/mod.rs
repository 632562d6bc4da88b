//! The files of a package, wherever they lie: a folder, a zip, or bytes in this binary.
//!
//! Owns: which files there are and that their names are harmless. Must not know what any file means.

mod error;
mod folder;
mod magic;
mod zip_reader;
mod zip_writer;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::Digest as _;
use tempfile::TempDir;

use super::path::{PackagePath, is_format_name};
use crate::domain::hash::Sha256;

pub use error::TreeError;
pub use zip_reader::{Unpacked, ZipCaps};

/// The most files a package may have. Real ones have hundreds; a folder that was meant to be something else, thousands.
pub const MAX_FILES: usize = 20_000;

/// The files of a package, read only when asked for.
#[derive(Debug, Clone, Default)]
pub struct PackageTree {
    files: BTreeMap<PackagePath, Source>,
    ignored: Vec<String>,
    /// The folder with the unpacked files of a zip; it goes with the last tree that needs it.
    spool: Option<Arc<TempDir>>,
}

#[derive(Debug, Clone)]
enum Source {
    Disk { path: PathBuf, size: u64, executable: bool },
    Bytes(Cow<'static, [u8]>),
}

impl Source {
    /// Bytes.
    fn size(&self) -> u64 {
        match self {
            Self::Disk { size, .. } => *size,
            Self::Bytes(bytes) => bytes.len() as u64,
        }
    }
}

/// Files by where they are, before their names are compared.
type Files = Vec<(PackagePath, Source)>;

/// One file of a package.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ManifestEntry {
    /// Where it is.
    pub path: PackagePath,
    /// Bytes.
    pub size: u64,
    /// Of its contents.
    pub sha256: Sha256,
    /// Whether it may be executed. Files in memory never are.
    pub executable: bool,
}

impl PackageTree {
    /// The files of a folder. Links are followed as long as they stay inside it; names that the format tells to ignore
    /// are left out and listed by [`PackageTree::ignored`].
    pub fn from_folder(root: &Path) -> Result<Self, TreeError> {
        let (files, ignored) = folder::walk(root)?;
        Self::checked(files, ignored)
    }

    /// Files that are held in memory or in the binary, as (path, contents).
    pub fn from_files<I>(files: I) -> Result<Self, TreeError>
    where
        I: IntoIterator<Item = (String, Cow<'static, [u8]>)>,
    {
        let mut taken = Vec::new();
        let mut ignored = Vec::new();
        for (name, bytes) in files {
            let path: PackagePath = name.parse()?;
            if path.components().all(is_format_name) {
                taken.push((path, Source::Bytes(bytes)));
            } else {
                ignored.push(name);
            }
        }
        Self::checked(taken, ignored)
    }

    /// Files that lie somewhere on this disk under names of their own, as (path, where it lies, bytes, executable). They
    /// must stay there as long as the tree is used.
    pub fn from_disk<I>(files: I) -> Result<Self, TreeError>
    where
        I: IntoIterator<Item = (String, PathBuf, u64, bool)>,
    {
        let mut taken = Vec::new();
        let mut ignored = Vec::new();
        for (name, real, size, executable) in files {
            let path: PackagePath = name.parse()?;
            if path.components().all(is_format_name) {
                taken.push((path, Source::Disk { path: real, size, executable }));
            } else {
                ignored.push(name);
            }
        }
        Self::checked(taken, ignored)
    }

    fn checked(files: Files, mut ignored: Vec<String>) -> Result<Self, TreeError> {
        if files.len() > MAX_FILES {
            return Err(TreeError::TooManyFiles);
        }
        // Every folder on the way counts too: `Data/a` and `data/b` collide.
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        let mut tree = BTreeMap::new();
        for (path, source) in files {
            let text = path.as_str();
            let ends = text.match_indices('/').map(|(at, _)| at).chain([text.len()]);
            for prefix in ends.filter_map(|end| text.get(..end)) {
                let first = seen.entry(prefix.to_ascii_lowercase()).or_insert_with(|| prefix.to_owned());
                if first != prefix {
                    return Err(TreeError::CaseCollision { first: first.clone(), second: prefix.to_owned() });
                }
            }
            if tree.insert(path.clone(), source).is_some() {
                return Err(TreeError::Duplicate(path));
            }
        }
        // A file may not also be a folder.
        for path in tree.keys() {
            let mut parent = path.parent();
            while let Some(text) = parent {
                if let Ok(folder) = text.parse::<PackagePath>() {
                    if tree.contains_key(&folder) {
                        return Err(TreeError::Duplicate(folder));
                    }
                    parent = folder.parent().and_then(|outer| path.as_str().get(..outer.len()));
                } else {
                    parent = None;
                }
            }
        }
        ignored.sort();
        Ok(Self { files: tree, ignored, spool: None })
    }

    /// All files, by path in byte order.
    pub fn paths(&self) -> impl Iterator<Item = &PackagePath> {
        self.files.keys()
    }

    /// Names that were left out because the format says so (`.git`, `a b.txt`), by path.
    pub fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// Whether there is such a file.
    pub fn contains(&self, path: &PackagePath) -> bool {
        self.files.contains_key(path)
    }

    /// The file with this path, if the text is a path and there is such a file.
    pub fn find(&self, path: &str) -> Option<&PackagePath> {
        let path = path.parse().ok()?;
        self.files.get_key_value(&path).map(|(path, _)| path)
    }

    /// All files below a folder, however deep, by path in byte order.
    pub fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a PackagePath> {
        self.files.keys().filter(move |path| path.below(folder).is_some())
    }

    /// A file's size, bytes.
    pub fn size(&self, path: &PackagePath) -> Option<u64> {
        self.files.get(path).map(Source::size)
    }

    /// Whether a file may be executed.
    pub fn is_executable(&self, path: &PackagePath) -> bool {
        matches!(self.files.get(path), Some(Source::Disk { executable: true, .. }))
    }

    /// These files and those of another tree, which has no folder of its own.
    pub(crate) fn and(&self, more: &Self) -> Result<Self, TreeError> {
        let files = self.files.iter().chain(&more.files).map(|(path, source)| (path.clone(), source.clone()));
        Ok(Self { spool: self.spool.clone(), ..Self::checked(files.collect(), self.ignored.clone())? })
    }

    /// The same files, some of them with other contents.
    pub(crate) fn with_contents(&self, changed: impl IntoIterator<Item = (PackagePath, Vec<u8>)>) -> Self {
        let mut tree = self.clone();
        for (path, contents) in changed {
            tree.files.insert(path, Source::Bytes(Cow::Owned(contents)));
        }
        tree
    }

    /// The same files, some of them elsewhere, and those without a place not at all.
    pub(crate) fn moved(&self, places: &BTreeMap<PackagePath, Option<PackagePath>>) -> Self {
        let mut tree = Self { files: BTreeMap::new(), ignored: self.ignored.clone(), spool: self.spool.clone() };
        for (path, source) in &self.files {
            let place = places.get(path).map_or(Some(path), Option::as_ref);
            tree.files.extend(place.map(|place| (place.clone(), source.clone())));
        }
        tree
    }

    /// The first bytes of a file, at most `most` of them.
    pub(crate) fn read_start(&self, path: &PackagePath, most: u64) -> io::Result<Vec<u8>> {
        let mut start = Vec::new();
        self.open(path)?.take(most).read_to_end(&mut start)?;
        Ok(start)
    }

    /// A file's contents.
    pub fn read(&self, path: &PackagePath) -> io::Result<Vec<u8>> {
        match self.files.get(path) {
            Some(Source::Disk { path: real, .. }) => fs::read(real).map_err(|error| named(path, &error)),
            Some(Source::Bytes(bytes)) => Ok(bytes.to_vec()),
            None => Err(absent(path)),
        }
    }

    /// A file as a stream, for contents that are too large to hold.
    pub fn open(&self, path: &PackagePath) -> io::Result<Box<dyn Read + Send>> {
        match self.files.get(path) {
            Some(Source::Disk { path: real, .. }) => {
                Ok(Box::new(File::open(real).map_err(|error| named(path, &error))?))
            }
            Some(Source::Bytes(Cow::Borrowed(bytes))) => Ok(Box::new(*bytes)),
            Some(Source::Bytes(Cow::Owned(bytes))) => Ok(Box::new(io::Cursor::new(bytes.clone()))),
            None => Err(absent(path)),
        }
    }

    /// Every file with its size and digest, by path in byte order.
    pub fn manifest(&self) -> io::Result<Vec<ManifestEntry>> {
        self.paths().map(|path| self.manifest_entry(path)).collect()
    }

    fn manifest_entry(&self, path: &PackagePath) -> io::Result<ManifestEntry> {
        let mut stream = self.open(path)?;
        let mut hasher = sha2::Sha256::new();
        let mut chunk = vec![0; 64 * 1024];
        let mut size = 0;
        loop {
            let count = match stream.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            hasher.update(chunk.get(..count).unwrap_or_default());
            size += count as u64;
        }
        let sha256 = Sha256::from_bytes(hasher.finalize().into());
        Ok(ManifestEntry { path: path.clone(), size, sha256, executable: self.is_executable(path) })
    }

    /// One digest for the whole package: of every path and its contents' digest.
    pub fn hash(&self) -> io::Result<Sha256> {
        let manifest = self.manifest()?;
        let parts = manifest.iter().map(|entry| (entry.path.as_str(), entry.sha256.as_bytes().as_slice()));
        Ok(Sha256::of_parts(parts))
    }

    /// Writes every file below `folder`, which is made when it isn't there. Existing files are never replaced.
    pub fn materialize(&self, folder: &Path) -> io::Result<()> {
        for path in self.paths() {
            let target = folder.join(path.as_str());
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent)?;
            }
            let mode = if self.is_executable(path) { 0o755 } else { 0o644 };
            let mut file = File::options().write(true).create_new(true).mode(mode).open(&target)?;
            io::copy(&mut self.open(path)?, &mut file)?;
        }
        Ok(())
    }
}

/// The error with the file's name, which the system leaves out.
fn named(path: &PackagePath, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{path}: {error}"))
}

fn absent(path: &PackagePath) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("the package has no file `{path}`"))
}

#[cfg(test)]
mod tests {
    use super::super::path::BadPath;
    use super::*;

    fn tree(names: &[&str]) -> Result<PackageTree, TreeError> {
        PackageTree::from_files(names.iter().map(|name| ((*name).to_owned(), Cow::Owned(name.as_bytes().to_vec()))))
    }

    #[test]
    fn names_that_collide_are_refused() {
        assert!(matches!(tree(&["data/a", "Data/b"]), Err(TreeError::CaseCollision { .. })));
        assert!(matches!(tree(&["a.in", "A.in"]), Err(TreeError::CaseCollision { .. })));
        assert!(matches!(tree(&["a", "a/b"]), Err(TreeError::Duplicate(_))));
        assert!(matches!(tree(&["a/b/c", "a"]), Err(TreeError::Duplicate(_))));
        assert!(matches!(tree(&["a", "a"]), Err(TreeError::Duplicate(_))));
        assert!(matches!(tree(&["../a"]), Err(TreeError::Path(BadPath::Dots(_)))));
        assert!(tree(&["a/b", "a/c", "ab"]).is_ok());
    }

    #[test]
    fn names_the_format_ignores_are_left_out() {
        let tree = tree(&[".git/config", "data/.x", "a b.txt", "ok.txt", "-x/y"]).unwrap();
        assert_eq!(tree.paths().map(PackagePath::as_str).collect::<Vec<_>>(), ["ok.txt"]);
        assert_eq!(tree.ignored(), ["-x/y", ".git/config", "a b.txt", "data/.x"]);
    }

    #[test]
    fn a_folder_and_bytes_are_the_same_package() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["problem.yaml", "data/secret/1.in", "data/secret/1.ans"];
        let bytes = tree(&names).unwrap();
        bytes.materialize(folder.path()).unwrap();
        let disk = PackageTree::from_folder(folder.path()).unwrap();
        assert_eq!(disk.manifest().unwrap(), bytes.manifest().unwrap());
        assert_eq!(disk.hash().unwrap(), bytes.hash().unwrap());
        let path = "data/secret/1.in".parse().unwrap();
        assert_eq!((disk.size(&path), disk.read(&path).unwrap()), (Some(16), b"data/secret/1.in".to_vec()));
        assert_eq!(disk.below("data").count(), 2);
        assert!(bytes.materialize(folder.path()).is_err(), "nothing is replaced");
    }

    #[test]
    fn links_stay_inside() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("a")).unwrap();
        fs::write(root.join("a/x"), "x").unwrap();
        symlink("a/x", root.join("y")).unwrap();
        symlink("a", root.join("b")).unwrap();
        let tree = PackageTree::from_folder(root).unwrap();
        assert_eq!(tree.paths().map(PackagePath::as_str).collect::<Vec<_>>(), ["a/x", "b/x", "y"]);

        symlink("/etc/passwd", root.join("z")).unwrap();
        assert!(matches!(PackageTree::from_folder(root), Err(TreeError::LinkOutside(_))));
        fs::remove_file(root.join("z")).unwrap();
        symlink("..", root.join("a/up")).unwrap();
        assert!(matches!(PackageTree::from_folder(root), Err(TreeError::BrokenLink(_))));
        fs::remove_file(root.join("a/up")).unwrap();
        symlink("nowhere", root.join("z")).unwrap();
        assert!(matches!(PackageTree::from_folder(root), Err(TreeError::BrokenLink(_))));
    }

    #[test]
    fn special_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("s")).unwrap();
        assert!(matches!(PackageTree::from_folder(folder.path()), Err(TreeError::Special(_))));
    }
}
