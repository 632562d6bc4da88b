//! `touchstone check`: the default output validator on its own.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;

use crate::grading::checker::{self, CheckerFlags, Comparison};

/// Compare an output with an answer as the default output validator does
///
/// Ends with 42 when the output is accepted and with 43 when it isn't, as output validators do; then the first
/// difference is printed. Anything else is a fault: a file that can't be read, a flag that doesn't exist.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: touchstone check 1.ans mine.out float_tolerance 1e-6")]
pub struct CheckArgs {
    /// The right answer
    answer: PathBuf,
    /// What a program printed
    output: PathBuf,
    /// Flags of the default output validator: `case_sensitive`, `space_change_sensitive`, `float_tolerance E`, ...
    #[arg(allow_negative_numbers = true)]
    flags: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let flags = CheckerFlags::parse(&args.flags)?;
    let open = |path: &PathBuf| File::open(path).with_context(|| format!("{} can't be read", path.display()));
    let comparison = checker::compare(open(&args.answer)?, open(&args.output)?, &flags)
        .context("the files could not be compared")?;
    let (accepted, sentence) = match &comparison {
        Comparison::Same => (true, String::new()),
        Comparison::Different(difference) => (false, difference.to_string()),
    };
    let mut out = std::io::stdout().lock();
    // The exit code is the answer; a reader that went away doesn't change it.
    let _ = if args.json {
        let result = serde_json::json!({ "accepted": accepted, "difference": (!accepted).then_some(&sentence) });
        writeln!(out, "{result}")
    } else if accepted {
        Ok(())
    } else {
        writeln!(out, "{sentence}")
    };
    Ok(ExitCode::from(if accepted { 42 } else { 43 }))
}
