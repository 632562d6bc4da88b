//! A package's files in a zip that anybody may have made.
//!
//! Owns: what is refused in such a zip, and the folder to which its files are unpacked under names of our own. Nothing
//! is held in memory but names; sizes are counted while unpacking, since what a zip says of itself may be wrong.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write as _};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use tempfile::TempDir;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::super::path::{PackagePath, is_format_name};
use super::{Files, MAX_FILES, PackageTree, Source, TreeError, magic};

/// The most entries: every file may have as many folders listed as it is deep, which nobody does.
const MAX_ENTRIES: usize = 2 * MAX_FILES;
/// The most that is read of a zip's list of entries, bytes: it is held in memory, so its length must have an end.
const MAX_LIST_BYTES: u64 = 8 << 20;
/// The longest target of a link, bytes: as for a path.
const MAX_TARGET_BYTES: u64 = 1024;
/// The most links followed one after the other.
const MAX_LINKS: usize = 8;
/// A folder that macOS adds to zips, with copies of files' attributes.
const MAC_FOLDER: &str = "__MACOSX";
/// The file that marks the root of a package.
const ROOT_MARK: &str = "problem.yaml";

/// How much a zip may unpack to.
#[derive(Debug, Clone, Copy)]
pub struct ZipCaps {
    /// All files together, bytes.
    pub total_bytes: u64,
    /// All files together, in sizes of the zip. Test data of one letter packs to a thousandth, so this holds only beyond
    /// `free_bytes`.
    pub ratio: u64,
    /// How much may be unpacked whatever the ratio, bytes.
    pub free_bytes: u64,
}

impl Default for ZipCaps {
    fn default() -> Self {
        Self { total_bytes: 4 << 30, ratio: 100, free_bytes: 256 << 20 }
    }
}

/// A package from a zip.
#[derive(Debug)]
pub struct Unpacked {
    /// Its files.
    pub tree: PackageTree,
    /// The folder in which they lay in the zip, when there was one.
    pub top: Option<String>,
}

impl PackageTree {
    /// The files of a zip, unpacked to a folder of their own in `scratch` that goes with the tree.
    ///
    /// One folder around the package is left away. Links are followed as long as they stay inside.
    ///
    /// # Errors
    /// A [`TreeError`] for anything that could do harm or can't be read; then nothing stays on disk.
    pub fn from_zip<R: Read + Seek>(reader: R, scratch: &Path, caps: ZipCaps) -> Result<Unpacked, TreeError> {
        let allowance = Rc::new(Cell::new(u64::MAX));
        let mut reader = BufReader::new(Metered { inner: reader, allowance: Rc::clone(&allowance) });
        let packed_bytes = check_start(&mut reader)?;
        allowance.set(MAX_LIST_BYTES);
        let mut zip = ZipArchive::new(reader).map_err(|error| {
            if allowance.get() == 0 { TreeError::TooManyFiles } else { TreeError::BadZip(words(&error)) }
        })?;
        allowance.set(u64::MAX);
        if zip.len() > MAX_ENTRIES {
            return Err(TreeError::TooManyFiles);
        }
        if zip.has_duplicate_names() {
            return Err(TreeError::TwiceInZip);
        }
        let io = |source| TreeError::Io { path: scratch.to_owned(), source };
        let spool = tempfile::Builder::new().prefix("package-").tempdir_in(scratch).map_err(io)?;
        let mut unpacking = Unpacking { spool, caps, packed_bytes, unpacked_bytes: 0, found: Found::default() };
        for index in 0..zip.len() {
            unpacking.entry(&mut zip, index)?;
        }
        unpacking.finish()
    }
}

/// A reader that stops when it has read as much as it may.
struct Metered<R> {
    inner: R,
    /// Bytes that may still be read.
    allowance: Rc<Cell<u64>>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let left = self.allowance.get().checked_sub(count as u64);
        self.allowance.set(left.unwrap_or(0));
        if left.is_none() { Err(io::Error::other("its list of files is too long")) } else { Ok(count) }
    }
}

impl<R: Seek> Seek for Metered<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

/// Refuses what doesn't begin as a zip. Returns the size, bytes.
fn check_start(reader: &mut (impl Read + Seek)) -> Result<u64, TreeError> {
    let io = |error: io::Error| TreeError::BadZip(error.to_string());
    let size = reader.seek(SeekFrom::End(0)).map_err(io)?;
    reader.seek(SeekFrom::Start(0)).map_err(io)?;
    let mut start = Vec::new();
    reader.take(magic::NEEDED as u64).read_to_end(&mut start).map_err(io)?;
    if start.is_empty() {
        return Err(TreeError::OtherArchive("an empty file"));
    }
    if start.starts_with(b"PK\x05\x06") {
        return Err(TreeError::EmptyZip);
    }
    // Something else in front of a zip would let other readers see another file than we do.
    if !start.starts_with(b"PK\x03\x04") {
        let other = magic::other_than_zip(&start).map(TreeError::OtherArchive);
        return Err(other.unwrap_or_else(|| TreeError::BadZip("it does not begin as one".to_owned())));
    }
    Ok(size)
}

/// What the reader of zips says, without its own preamble.
fn words(error: &ZipError) -> String {
    match error {
        ZipError::InvalidArchive(words) => words.to_string(),
        ZipError::UnsupportedArchive(words) => (*words).to_owned(),
        other => other.to_string(),
    }
}

/// What was found so far. Names keep the folder around the package until all are known.
#[derive(Default)]
struct Found {
    files: Files,
    /// Where it lies and what it says.
    links: Vec<(PackagePath, String)>,
    ignored: Vec<String>,
}

struct Unpacking {
    spool: TempDir,
    caps: ZipCaps,
    packed_bytes: u64,
    unpacked_bytes: u64,
    found: Found,
}

impl Unpacking {
    fn entry(&mut self, zip: &mut ZipArchive<impl Read + Seek>, index: usize) -> Result<(), TreeError> {
        let entry = zip.by_index_data(index).map_err(|error| TreeError::BadZip(words(&error)))?;
        let name = std::str::from_utf8(entry.name_raw())
            .map_err(|_| TreeError::NotUtf8(entry.name_raw().escape_ascii().to_string()))?
            .to_owned();
        let (is_folder, is_link) = (name.ends_with('/'), entry.is_symlink());
        let path: PackagePath = name.strip_suffix('/').unwrap_or(&name).parse()?;
        if path.components().next() == Some(MAC_FOLDER) {
            return Ok(());
        }
        if !path.components().all(is_format_name) {
            if !is_folder {
                self.found.ignored.push(name);
            }
            return Ok(());
        }
        if is_folder {
            return Ok(());
        }
        if entry.encrypted() {
            return Err(TreeError::Encrypted(name));
        }
        if !matches!(entry.compression(), CompressionMethod::Stored | CompressionMethod::Deflated) {
            return Err(TreeError::Packing(name));
        }
        if self.found.files.len() + self.found.links.len() >= MAX_FILES {
            return Err(TreeError::TooManyFiles);
        }
        let mode = entry.unix_mode();
        let executable = mode.is_some_and(|mode| mode & 0o100 != 0);
        // Neither a plain file nor a link: a pipe, a device.
        if mode.is_some_and(|mode| !matches!(mode & 0o170_000, 0 | 0o100_000 | 0o120_000)) {
            return Err(TreeError::Special(name));
        }
        let damaged = |error: &ZipError| TreeError::Damaged { name: name.clone(), reason: words(error) };
        let mut contents = zip.by_index(index).map_err(|error| damaged(&error))?;
        if is_link {
            let mut target = String::new();
            let read = contents.by_ref().take(MAX_TARGET_BYTES + 1).read_to_string(&mut target);
            if read.is_err() || target.len() as u64 > MAX_TARGET_BYTES {
                return Err(TreeError::BrokenLink(name));
            }
            self.found.links.push((path, target));
            return Ok(());
        }
        let (file, size) = self.spool(&name, &mut contents)?;
        self.found.files.push((path, Source::Disk { path: file, size, executable }));
        Ok(())
    }

    /// Copies one file to the spool while counting.
    fn spool(&mut self, name: &str, contents: &mut impl Read) -> Result<(std::path::PathBuf, u64), TreeError> {
        let path = self.spool.path().join(self.found.files.len().to_string());
        let io = |source| TreeError::Io { path: path.clone(), source };
        let mut file = File::create_new(&path).map_err(io)?;
        let mut chunk = vec![0; 64 * 1024];
        let mut size = 0;
        loop {
            let count = match contents.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(TreeError::Damaged { name: name.to_owned(), reason: error.to_string() }),
            };
            size += count as u64;
            self.unpacked_bytes += count as u64;
            self.check_caps()?;
            file.write_all(chunk.get(..count).unwrap_or_default()).map_err(io)?;
        }
        Ok((path, size))
    }

    fn check_caps(&self) -> Result<(), TreeError> {
        let ZipCaps { total_bytes, ratio, free_bytes } = self.caps;
        if self.unpacked_bytes > total_bytes {
            return Err(TreeError::TooLarge(total_bytes));
        }
        if self.unpacked_bytes > free_bytes && self.unpacked_bytes / ratio.max(1) > self.packed_bytes {
            return Err(TreeError::Bomb(ratio));
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Unpacked, TreeError> {
        let Found { mut files, links, mut ignored } = std::mem::take(&mut self.found);
        let top = top_folder(files.iter().map(|(path, _)| path).chain(links.iter().map(|(path, _)| path)));
        let linked = resolve(&files, &links, top.as_deref())?;
        // Whoever writes the package out writes what the links lead to once more.
        for (_, source) in &linked {
            self.unpacked_bytes = self.unpacked_bytes.saturating_add(source.size());
            self.check_caps()?;
        }
        files.extend(linked);
        if files.len() > MAX_FILES {
            return Err(TreeError::TooManyFiles);
        }
        if files.is_empty() {
            return Err(TreeError::EmptyZip);
        }
        if let Some(top) = &top {
            for (path, _) in &mut files {
                *path = path.below(top).unwrap_or(path.as_str()).parse()?;
            }
            for name in &mut ignored {
                if let Some(rest) = name.strip_prefix(top.as_str()).and_then(|rest| rest.strip_prefix('/')) {
                    *name = rest.to_owned();
                }
            }
        }
        let mut tree = PackageTree::checked(files, ignored)?;
        tree.spool = Some(Arc::new(self.spool));
        Ok(Unpacked { tree, top })
    }
}

/// The one folder in which everything lies, if the package is in there.
fn top_folder<'a>(paths: impl Iterator<Item = &'a PackagePath>) -> Option<String> {
    let mut tops = BTreeSet::new();
    let mut marked = BTreeSet::new();
    for path in paths {
        let top = path.components().next().unwrap_or_default();
        tops.insert(top);
        if path.below(top) == Some(ROOT_MARK) {
            marked.insert(top);
        }
    }
    let only = (tops.len() == 1).then(|| marked.pop_first()).flatten();
    only.map(str::to_owned)
}

/// What the links lead to: a file, or all files of a folder.
fn resolve(
    files: &[(PackagePath, Source)],
    links: &[(PackagePath, String)],
    top: Option<&str>,
) -> Result<Files, TreeError> {
    let by_path: BTreeMap<&str, &Source> = files.iter().map(|(path, source)| (path.as_str(), source)).collect();
    let by_link: BTreeMap<&str, &str> = links.iter().map(|(path, target)| (path.as_str(), target.as_str())).collect();
    let mut made = Vec::new();
    for (link, _) in links {
        let broken = || TreeError::BrokenLink(link.to_string());
        let mut place = link.as_str().to_owned();
        for _ in 0..MAX_LINKS {
            let Some(target) = by_link.get(place.as_str()) else { break };
            let outside = || TreeError::LinkOutside(link.to_string());
            place = target_of(&place, target, top).ok_or_else(outside)?;
        }
        if let Some(source) = by_path.get(place.as_str()) {
            made.push((link.clone(), (*source).clone()));
            continue;
        }
        let inside = format!("{place}/");
        let members: Vec<_> =
            by_path.range(inside.as_str()..).take_while(|(path, _)| path.starts_with(&inside)).collect();
        if members.is_empty() || by_link.contains_key(place.as_str()) {
            return Err(broken());
        }
        for (path, source) in members {
            let rest = path.strip_prefix(&inside).unwrap_or_default();
            made.push((format!("{link}/{rest}").parse()?, (*source).clone()));
            if files.len() + made.len() > MAX_FILES {
                return Err(TreeError::TooManyFiles);
            }
        }
    }
    Ok(made)
}

/// Where a link leads; `None` when that is outside the package.
fn target_of(link: &str, target: &str, top: Option<&str>) -> Option<String> {
    if target.starts_with('/') {
        return None;
    }
    let mut place: Vec<&str> = link.split('/').collect();
    place.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(place.pop()?),
            name => place.push(name),
        }
    }
    // The folder around the package is outside of what it holds.
    let inside = top.is_none_or(|top| place.first() == Some(&top));
    (inside && !place.is_empty()).then(|| place.join("/"))
}
