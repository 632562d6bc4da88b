//! `touchstone problem verify`: whether a package keeps what it promises.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;

use crate::grading::verification::Verification;
use crate::judge::verify::verify;

use crate::cli::progress::Bar;
use crate::cli::workshop;

/// Check a package: its tests, its answers, and every program under submissions/
///
/// Validates the tests, lets the references answer them, and judges every program against what it promises. A program
/// promises what its folder says, or what its `@EXPECTED_RESULTS@:` comment says. Ends with 0 only if all promises
/// hold, with 1 if one doesn't, and with 2 if the package can't be read.
#[derive(Debug, clap::Args)]
pub struct VerifyArgs {
    /// Folder or zip of a problem package
    package: PathBuf,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// A language table that replaces the built-in one
    #[arg(long, value_name = "FILE")]
    languages: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    verification: &'a Verification,
    not_run: &'a [String],
}

pub fn run(args: &VerifyArgs) -> anyhow::Result<ExitCode> {
    let (tree, package) = workshop::read_package(&args.package)?;
    let bench = workshop::open(args.languages.as_deref())?;
    let bar = Bar::new(package.slug.as_str());
    let verified = verify(&bench.workshop, &tree, &package, bench.threads, &bar)?;
    drop(bar);
    let report = &verified.report;
    let mut out = std::io::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &Report { verification: report, not_run: &verified.not_run })?;
        writeln!(out)?;
    } else {
        write!(out, "{report}")?;
        for program in &verified.not_run {
            writeln!(out, "not run: {program}")?;
        }
        if !report.kill_matrix.programs.is_empty() {
            writeln!(out, "\nwhich test rejects which wrong program:\n{}", report.kill_matrix)?;
        }
        let count = verified.preparation.as_ref().map_or(0, |preparation| preparation.tests.len());
        if report.holds() {
            writeln!(out, "{}: holds, {count} tests", package.slug)?;
        } else {
            writeln!(out, "{}: does not hold, {} faults", package.slug, report.faults.len())?;
        }
    }
    Ok(ExitCode::from(u8::from(!report.holds())))
}
