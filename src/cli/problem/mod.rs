//! `touchstone problem`: packages on disk, one file a subcommand.

mod answers;
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
}

pub fn run(command: ProblemCommand) -> anyhow::Result<ExitCode> {
    match command {
        ProblemCommand::Verify(args) => verify::run(&args),
        ProblemCommand::Answers(args) => answers::run(&args),
        ProblemCommand::Stress(args) => stress::run(&args),
    }
}
