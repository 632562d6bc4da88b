//! The steps of a contest's life.

use std::io::Write as _;

use super::Data;
use crate::clock;
use crate::domain::contest::parse_span;
use crate::service::contest_steps::Step;
use crate::service::contests::Seen;

/// Which contest.
#[derive(Debug, clap::Args)]
pub struct StepArgs {
    /// The contest's short name
    contest: String,
    #[command(flatten)]
    data: Data,
}

/// Start a contest, now or after a countdown
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: touchstone contest start cup --in 0:05")]
pub struct StartArgs {
    /// The contest's short name
    contest: String,
    /// Length of the countdown
    #[arg(long = "in", value_name = "H:MM", default_value = "0:00", value_parser = span)]
    countdown: i64,
    #[command(flatten)]
    data: Data,
}

/// Let a contest last longer
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: touchstone contest extend cup 0:15")]
pub struct ExtendArgs {
    /// The contest's short name
    contest: String,
    /// By how much
    #[arg(value_name = "H:MM", value_parser = span)]
    by: i64,
    #[command(flatten)]
    data: Data,
}

/// Milliseconds of a span.
pub(super) fn span(text: &str) -> Result<i64, String> {
    parse_span(text).map_err(|bad| bad.to_string())
}

async fn take(data: &Data, contest: &str, step: Step, said: &str) -> anyhow::Result<()> {
    let service = data.service().await?;
    service.step_contest(None, Seen { slug: contest, version: None }, step, clock::now()).await?;
    writeln!(std::io::stdout().lock(), "{contest}: {said}")?;
    Ok(())
}

pub async fn start(args: &StartArgs) -> anyhow::Result<()> {
    take(&args.data, &args.contest, Step::Start(args.countdown), "the countdown runs").await
}

pub async fn pause(args: &StepArgs) -> anyhow::Result<()> {
    take(&args.data, &args.contest, Step::Pause, "paused").await
}

pub async fn resume(args: &StepArgs) -> anyhow::Result<()> {
    take(&args.data, &args.contest, Step::Resume, "goes on").await
}

pub async fn extend(args: &ExtendArgs) -> anyhow::Result<()> {
    take(&args.data, &args.contest, Step::Extend(args.by), "lasts longer").await
}

pub async fn end(args: &StepArgs) -> anyhow::Result<()> {
    take(&args.data, &args.contest, Step::End, "ended").await
}

pub async fn finalize(args: &StepArgs) -> anyhow::Result<()> {
    take(&args.data, &args.contest, Step::Finalize, "the result is final").await
}

pub async fn thaw(args: &StepArgs) -> anyhow::Result<()> {
    take(&args.data, &args.contest, Step::Thaw, "the board is open").await
}
