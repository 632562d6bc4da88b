//! `touchstone health`: how a judge does.

use std::io::Write as _;
use std::process::ExitCode;

use super::judge_data::{Acting, JudgeData};
use crate::clock;
use crate::service::facts;

/// Show what a judge has to do, who works on what, and what went wrong
#[derive(Debug, clap::Args)]
pub struct HealthArgs {
    #[command(flatten)]
    acting: Acting,
    #[command(flatten)]
    judge: JudgeData,
}

pub fn run(args: &HealthArgs) -> anyhow::Result<ExitCode> {
    args.judge.run(async |service| {
        let actor = args.acting.actor(service).await?;
        let health = service.health(&actor, clock::now()).await?;
        let mut out = std::io::stdout().lock();
        if args.judge.json {
            writeln!(out, "{}", facts::health(&health))?;
            return Ok(ExitCode::SUCCESS);
        }
        for one in &health.queue {
            writeln!(out, "{:<14} {} wait, {} run", one.kind.as_str(), one.queued, one.leased)?;
        }
        for one in &health.running {
            let about =
                one.submission.map(|id| format!("submission {id}")).or(one.problem.as_ref().map(ToString::to_string));
            writeln!(
                out,
                "{}: {} {}",
                one.worker.as_deref().unwrap_or("-"),
                one.kind.as_str(),
                about.unwrap_or_default()
            )?;
        }
        for one in &health.failures {
            writeln!(out, "gave up {}: {}", one.kind.as_str(), one.cause.as_deref().unwrap_or("-"))?;
        }
        let judged: u64 = health.ended.iter().map(|one| one.judgements).sum();
        writeln!(out, "judged in the last day: {judged}; database: {} bytes", health.database_bytes)?;
        Ok(ExitCode::SUCCESS)
    })
}
