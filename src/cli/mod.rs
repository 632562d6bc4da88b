//! The command line: one file a command. The only place that prints.
//!
//! Owns: arguments, exit codes, tables and progress bars for people, JSON for programs. Exit codes: 0 done, 1 done and
//! the answer is no, 2 could not be done (wrong arguments or files, with a sentence).

mod account;
mod backup;
mod builtin;
mod check;
mod contest;
mod demo;
mod doctor;
mod farm;
mod health;
mod host;
mod judge;
mod judge_data;
mod judging_host;
mod message;
mod problem;
mod progress;
mod receipt;
mod rejudge;
mod replay;
mod serve;
mod team;
mod test;
mod user;
mod worker;
mod workshop;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// An online judge in one binary: upload, sandboxed judging against reference solutions, live scoreboard.
#[derive(Debug, Parser)]
#[command(
    name = "touchstone",
    version,
    after_help = "Begin with `touchstone serve`: it makes its database, prepares the built-in problems and prints a \
                  link that sets the first admin's password."
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: serve::ServeArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::ServeArgs),
    Worker(worker::WorkerArgs),
    /// Look after machines that judge for a server
    #[command(subcommand)]
    Farm(farm::FarmCommand),
    Demo(demo::DemoArgs),
    Judge(judge::JudgeArgs),
    /// Work with problem packages
    #[command(subcommand)]
    Problem(problem::ProblemCommand),
    /// Work with contests
    #[command(subcommand)]
    Contest(contest::ContestCommand),
    Check(check::CheckArgs),
    Doctor(doctor::DoctorArgs),
    /// Make the first accounts
    #[command(subcommand)]
    User(user::UserCommand),
    /// See what a judgement depended on, or judge it again
    #[command(subcommand)]
    Receipt(receipt::ReceiptCommand),
    Backup(backup::BackupArgs),
    Restore(backup::RestoreArgs),
    Account(account::AccountArgs),
    Rejudge(rejudge::RejudgeArgs),
    Team(team::TeamArgs),
    Test(test::TestArgs),
    Message(message::MessageArgs),
    Health(health::HealthArgs),
}

/// Runs the command that the arguments name.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        None => serve::run(cli.serve),
        Some(Command::Serve(args)) => serve::run(args),
        Some(Command::Worker(args)) => worker::run(args),
        Some(Command::Farm(command)) => farm::run(command),
        Some(Command::Demo(args)) => demo::run(args),
        Some(Command::Judge(args)) => judge::run(&args),
        Some(Command::Problem(command)) => problem::run(command),
        Some(Command::Contest(command)) => contest::run(command),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Doctor(args)) => doctor::run(&args),
        Some(Command::User(command)) => user::run(command),
        Some(Command::Receipt(command)) => receipt::run(command),
        Some(Command::Backup(args)) => backup::back_up(&args),
        Some(Command::Restore(args)) => backup::restore(&args),
        Some(Command::Account(args)) => account::run(args),
        Some(Command::Rejudge(args)) => rejudge::run(args),
        Some(Command::Team(args)) => team::run(args),
        Some(Command::Test(args)) => test::run(args),
        Some(Command::Message(args)) => message::run(args),
        Some(Command::Health(args)) => health::run(&args),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            complain(&error);
            ExitCode::from(2)
        }
    }
}

#[expect(clippy::print_stderr, reason = "the command line speaks on standard error")]
fn complain(error: &anyhow::Error) {
    // A reader that went away (`touchstone ... | head`) is no error of ours.
    let is_closed_pipe = error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
        let json = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        io.or(json) == Some(std::io::ErrorKind::BrokenPipe)
    });
    if !is_closed_pipe {
        eprintln!("touchstone: {}", told_once(error.chain().map(ToString::to_string)));
    }
}

/// An error and its causes, each once: some say their cause's words as their own.
fn told_once(chain: impl Iterator<Item = String>) -> String {
    let mut told = String::new();
    for words in chain {
        if told.is_empty() {
            told = words;
        } else if !told.contains(&words) {
            told.push_str(": ");
            told.push_str(&words);
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    #[rstest]
    #[case(&["a"], "a")]
    #[case(&["a", "b", "c"], "a: b: c")]
    #[case(&["the file can't be opened", "it failed: code 26", "code 26", "26"], "the file can't be opened: it failed: code 26")]
    fn causes_are_told_once(#[case] chain: &[&str], #[case] told: &str) {
        assert_eq!(super::told_once(chain.iter().map(ToString::to_string)), told);
    }
}
