//! `/contests`. A contest's id is its slug.

use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;
use utoipa::ToSchema;

use super::ApiError;
use super::caller::Caller;
use super::time::{RelTime, Time};
use crate::domain::contest::Phase;
use crate::domain::time::EpochMs;
use crate::store::contest::{self, Contest, Scoring};
use crate::web::state::AppState;

/// CLICS knows no contest without an end; this stands for one, milliseconds: a hundred years.
const WITHOUT_END_MS: i64 = 100 * 365 * 24 * 3_600_000;

/// CLICS contest.
#[derive(Serialize, ToSchema)]
#[schema(as = Contest)]
pub(super) struct ContestObject {
    /// `id`.
    id: String,
    /// `name`.
    name: String,
    /// `formal_name`.
    formal_name: String,
    /// DOMjudge's: what its client lists contests by.
    shortname: String,
    /// `start_time`: null while the countdown is paused.
    start_time: Option<Time>,
    /// `countdown_pause_time`: what is left of the countdown while it is paused.
    countdown_pause_time: Option<RelTime>,
    /// `duration`.
    duration: RelTime,
    /// `scoreboard_freeze_duration`: before the end; null if it never freezes.
    scoreboard_freeze_duration: Option<RelTime>,
    /// `scoreboard_thaw_time`: null until it is thawed.
    scoreboard_thaw_time: Option<Time>,
    /// `scoreboard_type`: `pass-fail` or `score`.
    #[schema(value_type = String)]
    scoreboard_type: Scoring,
    /// `penalty_time`: whole minutes.
    penalty_time: i64,
    /// DOMjudge's: whether submissions are taken now.
    allow_submit: bool,
}

impl ContestObject {
    pub(super) fn new(contest: Contest, now: EpochMs) -> Self {
        let slug = contest.slug.to_string();
        let paused_at = contest.paused.filter(|_| contest.times().phase(now) == Phase::Before);
        Self {
            allow_submit: contest.times().phase(now) == Phase::Running && contest.paused.is_none(),
            id: slug.clone(),
            formal_name: contest.name.clone(),
            name: contest.name,
            shortname: slug,
            start_time: paused_at.is_none().then_some(Time(contest.start)),
            countdown_pause_time: paused_at.map(|at| RelTime(contest.start.since(at))),
            duration: RelTime(contest.duration_ms.unwrap_or(WITHOUT_END_MS)),
            scoreboard_freeze_duration: contest.freeze_ms.map(RelTime),
            scoreboard_thaw_time: contest.thawed.map(Time),
            scoreboard_type: contest.scoring,
            penalty_time: contest.penalty_minutes,
        }
    }
}

/// The contest that an address names.
pub(super) async fn find(state: &AppState, id: &str) -> Result<Contest, ApiError> {
    contest::by_slug(state.store().read(), id).await?.ok_or_else(|| ApiError::no_such("contest", id))
}

/// All contests.
pub(super) async fn list(State(state): State<AppState>, caller: Caller) -> Result<Json<Vec<ContestObject>>, ApiError> {
    let contests = contest::list(state.store().read()).await?;
    Ok(Json(contests.into_iter().map(|contest| ContestObject::new(contest, caller.now)).collect()))
}

/// One contest.
pub(super) async fn show(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ContestObject>, ApiError> {
    Ok(Json(ContestObject::new(find(&state, &id).await?, caller.now)))
}
