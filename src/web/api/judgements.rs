//! `/contests/{contest}/judgements`: how submissions went. A judgement that the freeze hides does not exist.

use axum::Json;
use axum::extract::{Path, Query, State};
use serde::{Deserialize, Serialize};

use super::caller::Caller;
use super::time::{RelTime, Time};
use super::{ApiError, contests};
use crate::domain::verdict::Verdict;
use crate::service::judgements::JudgementFacts;
use crate::store::contest::Contest;
use crate::web::state::AppState;

/// CLICS judgement.
#[derive(Serialize)]
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
            valid: true,
        }
    }
}

/// CLICS filters.
#[derive(Debug, Deserialize)]
pub(super) struct Filter {
    /// `submission_id`.
    submission_id: Option<String>,
}

/// All that this caller sees, in the order of their submissions.
pub(super) async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Path(contest): Path<String>,
    Query(filter): Query<Filter>,
) -> Result<Json<Vec<JudgementObject>>, ApiError> {
    let contest = contests::find(&state, &contest).await?;
    let facts = state.service.judgements(caller.viewer(), contest.id).await?;
    let wanted = |facts: &&JudgementFacts| {
        filter.submission_id.as_ref().is_none_or(|wanted| *wanted == facts.submission_id.to_string())
    };
    Ok(Json(facts.iter().filter(wanted).map(|facts| JudgementObject::new(&contest, facts)).collect()))
}

/// One of them.
pub(super) async fn show(
    State(state): State<AppState>,
    caller: Caller,
    Path((contest, id)): Path<(String, String)>,
) -> Result<Json<JudgementObject>, ApiError> {
    let contest = contests::find(&state, &contest).await?;
    let facts = state.service.judgements(caller.viewer(), contest.id).await?;
    let found = facts.iter().find(|facts| facts.id.to_string() == id);
    Ok(Json(JudgementObject::new(&contest, found.ok_or_else(|| ApiError::no_such("judgement", &id))?)))
}
