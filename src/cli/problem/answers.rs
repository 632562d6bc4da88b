//! `touchstone problem answers`: answer files from the references.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use serde::Serialize;

use crate::cli::progress::Bar;
use crate::cli::workshop;
use crate::judge::answers::{AnswerFile, Change, answers};

/// Make or refresh the answer files of a package's inputs from its references
///
/// The primary reference answers, and all other references must agree. A file that says the same in other white space
/// is not touched. Ends with 0, with --check with 1 if something would change, and with 2 if there are no answers that
/// all references agree on.
#[derive(Debug, clap::Args)]
pub struct AnswersArgs {
    /// Folder of a problem package
    package: PathBuf,
    /// Change nothing; end with 1 if something would change
    #[arg(long)]
    check: bool,
    /// Print what becomes of each file as JSON
    #[arg(long)]
    json: bool,
    /// A language table that replaces the built-in one
    #[arg(long, value_name = "FILE")]
    languages: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report<'a> {
    problem: &'a str,
    files: Vec<FileReport<'a>>,
    not_run: &'a [String],
}

#[derive(Serialize)]
struct FileReport<'a> {
    path: &'a str,
    change: Change,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<&'a str>,
}

pub fn run(args: &AnswersArgs) -> anyhow::Result<ExitCode> {
    if !args.package.is_dir() {
        bail!("{} is not a folder, so no answers can be put into it", args.package.display());
    }
    let (tree, package) = workshop::read_package(&args.package)?;
    let bench = workshop::open(args.languages.as_deref())?;
    let bar = Bar::new(package.slug.as_str());
    let made = answers(&bench.workshop, &tree, &package, bench.threads, &bar)
        .with_context(|| format!("{}: there are no answers that all references agree on", args.package.display()))?;
    drop(bar);
    let changed: Vec<&AnswerFile> = made.files.iter().filter(|file| file.change != Change::Kept).collect();
    if !args.check {
        for file in &changed {
            let path = args.package.join(&file.path);
            let contents = file.contents.as_deref().unwrap_or_default();
            std::fs::write(&path, contents).with_context(|| format!("{} can't be written", path.display()))?;
        }
    }
    let mut out = std::io::stdout().lock();
    if args.json {
        let files = made.files.iter().map(|file| FileReport {
            path: &file.path,
            change: file.change,
            difference: file.difference.as_deref(),
        });
        let report = Report { problem: package.slug.as_str(), files: files.collect(), not_run: &made.not_run };
        serde_json::to_writer_pretty(&mut out, &report)?;
        writeln!(out)?;
    } else {
        for file in &changed {
            let what = if file.change == Change::New { "new" } else { "changed" };
            let why = file.difference.as_ref().map(|difference| format!(": {difference}")).unwrap_or_default();
            writeln!(out, "{what}  {}{why}", file.path)?;
        }
        for reference in &made.not_run {
            writeln!(out, "not run: {reference}")?;
        }
        let (all, count) = (made.files.len(), changed.len());
        let verb = if args.check { "would be written" } else { "written" };
        writeln!(out, "{}: {count} of {all} answer files {verb}", package.slug)?;
    }
    Ok(ExitCode::from(u8::from(args.check && !changed.is_empty())))
}
