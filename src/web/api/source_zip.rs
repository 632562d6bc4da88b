//! Programs in a zip file, as CLICS's submissions carry them. Must not know: who sends them.

use std::io::{Cursor, Read as _};

use zip::ZipArchive;

use super::ApiError;
use crate::domain::source::{MAX_BINARY_BYTES, MAX_SOURCE_FILES};

/// Names and contents of the files, in the order of the archive. What unpacks to more than a submission may hold is
/// refused before it is unpacked.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, ApiError> {
    let broken = |error: zip::result::ZipError| ApiError::bad(format!("the zip file can't be read: {error}"));
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    let mut files = Vec::new();
    let mut left = MAX_BINARY_BYTES as u64;
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(broken)?;
        if entry.is_dir() {
            continue;
        }
        if files.len() == MAX_SOURCE_FILES {
            return Err(ApiError::bad(format!("a submission has at most {MAX_SOURCE_FILES} files")));
        }
        let name = entry.name().map_err(broken)?.into_owned();
        let mut contents = Vec::new();
        entry
            .take(left + 1)
            .read_to_end(&mut contents)
            .map_err(|error| ApiError::bad(format!("the zip file can't be read: {error}")))?;
        left = left.checked_sub(contents.len() as u64).ok_or_else(|| {
            ApiError::bad(format!("the files unpack to more than {} MiB", MAX_BINARY_BYTES / 1024 / 1024))
        })?;
        files.push((name, contents));
    }
    Ok(files)
}
