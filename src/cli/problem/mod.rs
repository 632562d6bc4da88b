//! `touchstone problem`: packages on disk, one file a subcommand.

mod answers;
mod export;
mod import;
mod new;
mod stress;
mod verify;

use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub enum ProblemCommand {
    /// Check a package: its tests, its answers, and every program under submissions/ against what it promises
    Verify(verify::VerifyArgs),
    /// Make or refresh the answer files of a package's inputs from its references
    Answers(answers::AnswersArgs),
    /// Search for a small input on which a program goes wrong
    Stress(stress::StressArgs),
    /// Begin a new package: a small problem that verifies, to be changed
    New(new::NewArgs),
    /// Unpack a zipped package to a folder, after looking at all of it
    Import(import::ImportArgs),
    /// Pack a package into a zip
    Export(export::ExportArgs),
}

pub fn run(command: ProblemCommand) -> anyhow::Result<ExitCode> {
    match command {
        ProblemCommand::Verify(args) => verify::run(&args),
        ProblemCommand::Answers(args) => answers::run(&args),
        ProblemCommand::Stress(args) => stress::run(&args),
        ProblemCommand::New(args) => new::run(&args),
        ProblemCommand::Import(args) => import::run(&args),
        ProblemCommand::Export(args) => export::run(&args),
    }
}
