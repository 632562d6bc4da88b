//! Runs: a judgement's test cases, for judges.

use serde::Serialize;
use utoipa::ToSchema;

use super::ApiError;
use super::collection::Context;
use super::time::{RelTime, Time};
use crate::domain::verdict::Verdict;

/// CLICS run.
#[derive(Serialize, ToSchema)]
#[schema(as = Run)]
pub(super) struct RunObject {
    /// `id`.
    id: String,
    /// `judgement_id`.
    judgement_id: String,
    /// `ordinal`: from 1.
    ordinal: u32,
    /// `judgement_type_id`.
    judgement_type_id: &'static str,
    /// `time`.
    time: Time,
    /// `contest_time`.
    contest_time: RelTime,
    /// `run_time`: seconds of cpu.
    run_time: f64,
}

/// All, for judges; nobody else sees any.
pub(super) async fn all(of: &Context<'_>) -> Result<Vec<RunObject>, ApiError> {
    let facts = of.state.service.run_facts(of.caller.viewer(), of.contest, of.only).await?;
    #[expect(clippy::cast_precision_loss, reason = "a run's time is far below 2^52 ms")]
    let seconds = |ms: u64| ms as f64 / 1_000.0;
    let object = |run: crate::store::judgement::RunFact| RunObject {
        id: run.id.to_string(),
        judgement_id: run.judgement_id.to_string(),
        ordinal: run.ordinal,
        judgement_type_id: Verdict::code(run.verdict),
        time: Time(run.created),
        contest_time: RelTime(run.created.since(of.contest.start)),
        run_time: seconds(run.cpu_ms),
    };
    Ok(facts.into_iter().map(object).collect())
}
