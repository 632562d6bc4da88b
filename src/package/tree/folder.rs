//! A package's files in a folder on disk. Links are followed as long as they stay inside it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::super::path::{PackagePath, is_format_name};
use super::{Files, MAX_FILES, Source, TreeError};

/// Collects the files of a folder on disk.
struct Walk {
    root: PathBuf,
    files: Files,
    ignored: Vec<String>,
    /// The real folders from the root to the current one, so that a circle of links ends.
    open: Vec<PathBuf>,
}

/// The files below a folder, and the names that the format tells to ignore.
pub(super) fn walk(root: &Path) -> Result<(Files, Vec<String>), TreeError> {
    let io = |source| TreeError::Io { path: root.to_owned(), source };
    let root = fs::canonicalize(root).map_err(io)?;
    if !fs::metadata(&root).map_err(io)?.is_dir() {
        return Err(TreeError::NotAFolder(root));
    }
    let mut walk = Walk { root: root.clone(), files: Vec::new(), ignored: Vec::new(), open: vec![root.clone()] };
    walk.folder(&root, "")?;
    Ok((walk.files, walk.ignored))
}

impl Walk {
    fn folder(&mut self, folder: &Path, relative: &str) -> Result<(), TreeError> {
        let io = |source| TreeError::Io { path: folder.to_owned(), source };
        for entry in fs::read_dir(folder).map_err(io)? {
            let entry = entry.map_err(io)?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                return Err(TreeError::NotUtf8(name.to_string_lossy().escape_debug().to_string()));
            };
            let relative = if relative.is_empty() { name.to_owned() } else { format!("{relative}/{name}") };
            if is_format_name(name) {
                self.entry(&entry.path(), &relative)?;
            } else {
                self.ignored.push(relative);
            }
        }
        Ok(())
    }

    fn entry(&mut self, found: &Path, relative: &str) -> Result<(), TreeError> {
        let io = |source| TreeError::Io { path: found.to_owned(), source };
        let real = if fs::symlink_metadata(found).map_err(io)?.is_symlink() {
            let target = fs::canonicalize(found).map_err(|_| TreeError::BrokenLink(relative.to_owned()))?;
            if !target.starts_with(&self.root) {
                return Err(TreeError::LinkOutside(relative.to_owned()));
            }
            target
        } else {
            found.to_owned()
        };
        let metadata = fs::metadata(&real).map_err(io)?;
        if metadata.is_dir() {
            // Parsing the folder's path bounds the depth, the stack of open folders refuses circles.
            relative.parse::<PackagePath>()?;
            if self.open.contains(&real) {
                return Err(TreeError::BrokenLink(relative.to_owned()));
            }
            self.open.push(real.clone());
            self.folder(&real, relative)?;
            self.open.pop();
        } else if metadata.is_file() {
            let executable = metadata.permissions().mode() & 0o100 != 0;
            self.files.push((relative.parse()?, Source::Disk { path: real, size: metadata.len(), executable }));
            if self.files.len() > MAX_FILES {
                return Err(TreeError::TooManyFiles);
            }
        } else {
            return Err(TreeError::Special(relative.to_owned()));
        }
        Ok(())
    }
}
