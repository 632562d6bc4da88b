//! `/contests/{contest}/judgements`: how submissions went. A judgement that the freeze hides does not exist.

use serde::Serialize;
use utoipa::ToSchema;

use super::ApiError;
use super::collection::Context;
use super::time::{RelTime, Time};
use crate::domain::verdict::Verdict;
use crate::service::judgements::JudgementFacts;
use crate::store::contest::{Contest, Scoring};

/// CLICS judgement.
#[derive(Serialize, ToSchema)]
#[schema(as = Judgement)]
pub(super) struct JudgementObject {
    /// `id`.
    id: String,
    /// `submission_id`.
    submission_id: String,
    /// `judgement_type_id`: null until it is decided.
    judgement_type_id: Option<&'static str>,
    /// `start_time`.
    start_time: Time,
    /// `start_contest_time`.
    start_contest_time: RelTime,
    /// `end_time`: null until it is decided.
    end_time: Option<Time>,
    /// `end_contest_time`.
    end_contest_time: Option<RelTime>,
    /// `max_run_time`: seconds of cpu of the slowest run.
    max_run_time: Option<f64>,
    /// `score`: in a contest of points.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// DOMjudge's: whether it is the one that counts; only those are listed.
    valid: bool,
}

impl JudgementObject {
    fn new(contest: &Contest, facts: &JudgementFacts) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a run's time is far below 2^52 ms")]
        let seconds = |ms: u64| ms as f64 / 1_000.0;
        Self {
            id: facts.id.to_string(),
            submission_id: facts.submission_id.to_string(),
            judgement_type_id: facts.verdict.map(Verdict::code),
            start_time: Time(facts.start),
            start_contest_time: RelTime(facts.start.since(contest.start)),
            end_time: facts.end.map(Time),
            end_contest_time: facts.end.map(|end| RelTime(end.since(contest.start))),
            max_run_time: facts.cpu_ms.map(seconds),
            score: facts.score.filter(|_| contest.scoring == Scoring::Score),
            valid: true,
        }
    }
}

/// All that this caller sees, in the order of their submissions.
pub(super) async fn all(of: &Context<'_>) -> Result<Vec<JudgementObject>, ApiError> {
    let facts = of.state.service.judgements(of.caller.viewer(), of.contest, of.only).await?;
    Ok(facts.iter().map(|facts| JudgementObject::new(of.contest, facts)).collect())
}
