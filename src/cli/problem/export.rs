//! `touchstone problem export`: a package as a zip.

use std::fs::Permissions;
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;

use crate::cli::workshop;

/// Pack a package into a zip
///
/// Every file goes in with its bytes and its executable bit, below a folder of the package's short name.
/// A package that can't be read is not packed. The same files always make the same zip.
#[derive(Debug, clap::Args)]
pub struct ExportArgs {
    /// Folder or zip of a problem package
    package: PathBuf,
    /// The zip to write; it must not be there yet
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ExportArgs) -> anyhow::Result<ExitCode> {
    let shown = args.output.display();
    if args.output.try_exists().unwrap_or(false) {
        anyhow::bail!("{shown} is there already; remove it, or take another name");
    }
    let read = workshop::open_package(&args.package)?;
    let folder = args.output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Nothing is seen under the name before all is written.
    let file = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)
        .with_context(|| format!("{shown} can't be written"))?;
    let slug = read.package.slug.as_str();
    let mut writer =
        read.tree.write_zip(BufWriter::new(file), slug).with_context(|| format!("{shown} can't be written"))?;
    writer.flush().with_context(|| format!("{shown} can't be written"))?;
    let file = writer.into_inner().with_context(|| format!("{shown} can't be written"))?;
    let bytes = file.as_file().metadata()?.len();
    file.persist_noclobber(&args.output).with_context(|| format!("{shown} can't be written"))?;
    let files = read.tree.paths().count();
    let mut out = std::io::stdout().lock();
    if args.json {
        let sha256 = read.tree.hash()?.to_string();
        let result = serde_json::json!({ "package": slug, "file": args.output, "files": files, "bytes": bytes, "sha256": sha256 });
        writeln!(out, "{result}")?;
    } else {
        writeln!(out, "{slug}: {files} files packed into {shown}, {bytes} bytes")?;
    }
    Ok(ExitCode::SUCCESS)
}
