//! Inputs of tests out of a zip: every `.in` file; answers in it are left where they are, since references make them.

use std::path::Path;
use std::sync::Arc;

use super::incoming::{Incoming, Slice};
use super::problems::off_thread;
use super::test_cases::MAX_INPUT_BYTES;
use crate::package::{PackagePath, PackageTree, ZipCaps};
use crate::store::StoreError;

/// Why nothing was read.
#[derive(Debug, thiserror::Error)]
pub enum ZipError {
    /// It is no zip, or one that can't be trusted; the words say why.
    #[error("{0}")]
    Bad(String),
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The names and contents of the inputs in a zip, by name. It is unpacked below `scratch`, where the contents stay.
///
/// # Errors
/// [`ZipError::Bad`] when it can't be read or has no input.
pub async fn inputs_of_zip(zip: Slice, scratch: &Path) -> Result<Vec<(String, Incoming)>, ZipError> {
    let scratch = scratch.to_owned();
    off_thread(move || unpack(zip, &scratch)).await?
}

/// The name of the test that an input's file stands for: without folders and its ending.
pub fn name_of_input(path: &str) -> String {
    let last = path.rsplit(['/', '\\']).next().unwrap_or(path);
    last.strip_suffix(".in").or_else(|| last.strip_suffix(".txt")).unwrap_or(last).to_owned()
}

/// Whether a file, by its name, is an answer. None is taken from outside: the references make them.
pub fn is_answer(name: &str) -> bool {
    let name = name.to_lowercase();
    [".ans", ".out", ".a"].iter().any(|ending| name.ends_with(ending))
}

fn unpack(zip: Slice, scratch: &Path) -> Result<Vec<(String, Incoming)>, ZipError> {
    std::fs::create_dir_all(scratch).map_err(StoreError::from)?;
    let caps = ZipCaps { total_bytes: MAX_INPUT_BYTES as u64, ..ZipCaps::default() };
    let unpacked = PackageTree::from_zip(zip, scratch, caps).map_err(|error| ZipError::Bad(error.to_string()))?;
    let tree = Arc::new(unpacked.tree);
    let inputs = tree.paths().filter(|path| path.extension() == Some("in"));
    let input = |path: &PackagePath| (path.to_string(), Incoming::unpacked(Arc::clone(&tree), path.clone()));
    let inputs: Vec<_> = inputs.map(input).collect();
    if inputs.is_empty() {
        return Err(ZipError::Bad("it has no file that ends in .in".to_owned()));
    }
    Ok(inputs)
}
