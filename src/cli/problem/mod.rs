//! `touchstone problem`: packages on disk, one file a subcommand, and the problems of a judge.

mod answers;
mod export;
mod import;
mod new;
mod publish;
mod stored;
mod stress;
mod verify;

use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub enum ProblemCommand {
    Verify(verify::VerifyArgs),
    Answers(answers::AnswersArgs),
    Stress(stress::StressArgs),
    New(new::NewArgs),
    Import(import::ImportArgs),
    Export(export::ExportArgs),
    Publish(publish::PublishArgs),
    #[command(flatten)]
    Stored(stored::StoredCommand),
}

pub fn run(command: ProblemCommand) -> anyhow::Result<ExitCode> {
    match command {
        ProblemCommand::Verify(args) => verify::run(&args),
        ProblemCommand::Answers(args) => answers::run(&args),
        ProblemCommand::Stress(args) => stress::run(&args),
        ProblemCommand::New(args) => new::run(&args),
        ProblemCommand::Import(args) => import::run(&args),
        ProblemCommand::Export(args) => export::run(&args),
        ProblemCommand::Publish(args) => publish::run(&args),
        ProblemCommand::Stored(command) => stored::run(command),
    }
}
