//! `touchstone problem new`: a small package that verifies, to be changed into another problem.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;

use crate::domain::slug::Slug;
use crate::package::PackagePath;
use crate::package::skeleton::skeleton;

/// Begin a new package: a small problem that verifies, to be changed
///
/// Makes a folder with a complete small problem in it: statement, tests, a generator, an input validator, two references
/// and a wrong program. `touchstone problem verify` holds for it from the beginning.
#[derive(Debug, clap::Args)]
pub struct NewArgs {
    /// The problem's short name, or a folder to make whose name it is
    name: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &NewArgs) -> anyhow::Result<ExitCode> {
    let shown = args.name.display();
    let slug: Slug = args.name.file_name().and_then(|name| name.to_str()).unwrap_or_default().parse()?;
    if args.name.try_exists().unwrap_or(false) {
        anyhow::bail!("{shown} is there already; take another name");
    }
    let mut random = [0; 16];
    getrandom::fill(&mut random).context("the system gives no random numbers")?;
    let tree = skeleton(&slug, random)?;
    let around = args.name.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = tempfile::Builder::new()
        .prefix(".new-")
        .tempdir_in(around)
        .with_context(|| format!("{shown} can't be written"))?;
    let made = folder.path().join("package");
    tree.materialize(&made).with_context(|| format!("{shown} can't be written"))?;
    std::fs::rename(&made, &args.name).with_context(|| format!("{shown} can't be written"))?;
    let mut out = std::io::stdout().lock();
    if args.json {
        let files: Vec<&str> = tree.paths().map(PackagePath::as_str).collect();
        writeln!(out, "{}", serde_json::json!({ "package": slug, "folder": args.name, "files": files }))?;
    } else {
        writeln!(out, "{slug}: made in {shown}; change its files, then: touchstone problem verify {shown}")?;
    }
    Ok(ExitCode::SUCCESS)
}
