//! `touchstone problem`: packages on disk, one file a subcommand.

mod export;
mod import;
mod new;
mod verify;

use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub enum ProblemCommand {
    Verify(verify::VerifyArgs),
    New(new::NewArgs),
    Import(import::ImportArgs),
    Export(export::ExportArgs),
}

pub fn run(command: ProblemCommand) -> anyhow::Result<ExitCode> {
    match command {
        ProblemCommand::Verify(args) => verify::run(&args),
        ProblemCommand::New(args) => new::run(&args),
        ProblemCommand::Import(args) => import::run(&args),
        ProblemCommand::Export(args) => export::run(&args),
    }
}
