//! A package as a zip: every file with its bytes and its executable bit, nothing that depends on when or where.

use std::io::{self, Seek, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::PackageTree;

impl PackageTree {
    /// Writes the package as a zip, its files below a folder called `top` as the format asks. The same files always give
    /// the same bytes. Names that the format ignores are left out.
    ///
    /// # Errors
    /// When a file can't be read or the zip can't be written.
    pub fn write_zip<W: Write + Seek>(&self, to: W, top: &str) -> io::Result<W> {
        let mut zip = ZipWriter::new(to);
        for path in self.paths() {
            let size = self.size(path).unwrap_or_default();
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Deflated)
                .last_modified_time(DateTime::default())
                .large_file(size >= u64::from(u32::MAX))
                .unix_permissions(if self.is_executable(path) { 0o755 } else { 0o644 });
            zip.start_file(format!("{top}/{path}"), options)?;
            io::copy(&mut self.open(path)?, &mut zip)?;
        }
        Ok(zip.finish()?)
    }
}
