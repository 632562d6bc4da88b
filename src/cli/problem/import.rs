//! `touchstone problem import`: a zipped package as a folder.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;

use crate::cli::workshop;

/// Unpack a zipped package to a folder, after looking at all of it
///
/// The whole package is looked at before: if anything in it is harmful or wrong, that is told and nothing is left behind.
#[derive(Debug, clap::Args)]
pub struct ImportArgs {
    /// Zip of a problem package
    file: PathBuf,
    /// The folder to make; its name becomes the short name. Default: the name in the zip, here
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ImportArgs) -> anyhow::Result<ExitCode> {
    if args.file.is_dir() {
        anyhow::bail!("{} is a folder already; import takes a zip", args.file.display());
    }
    let name = args.to.as_deref().map(|to| to.file_name().and_then(OsStr::to_str).unwrap_or_default());
    let read = workshop::open_zip(&args.file, name)?;
    let slug = read.package.slug.as_str();
    let to = args.to.clone().unwrap_or_else(|| PathBuf::from(slug));
    place(&read, &to)?;
    let manifest = read.tree.manifest()?;
    let bytes: u64 = manifest.iter().map(|entry| entry.size).sum();
    let mut out = std::io::stdout().lock();
    if args.json {
        let warnings = &read.warnings;
        let result = serde_json::json!({
            "package": slug,
            "folder": to,
            "format": read.package.format,
            "tests": read.package.cases.len(),
            "files": manifest,
            "warnings": warnings,
        });
        writeln!(out, "{result}")?;
    } else {
        let (tests, files) = (read.package.cases.len(), manifest.len());
        writeln!(out, "{slug}: {files} files, {bytes} bytes, {tests} tests, now in {}", to.display())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the files beside the folder first and gives them its name when all are there.
fn place(read: &workshop::ReadPackage, to: &Path) -> anyhow::Result<()> {
    let shown = to.display();
    if to.try_exists().unwrap_or(false) {
        anyhow::bail!("{shown} is there already; remove it, or name another folder with --to");
    }
    let around = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = tempfile::Builder::new()
        .prefix(".import-")
        .tempdir_in(around)
        .with_context(|| format!("{shown} can't be written"))?;
    let made = folder.path().join("package");
    read.tree.materialize(&made).with_context(|| format!("{shown} can't be written"))?;
    std::fs::rename(&made, to).with_context(|| format!("{shown} can't be written"))
}
