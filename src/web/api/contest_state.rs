//! `/contests/{contest}/state`: how far a contest is.

use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;
use utoipa::ToSchema;

use super::caller::Caller;
use super::time::Time;
use super::{ApiError, contests};
use crate::domain::contest::Phase;
use crate::domain::time::EpochMs;
use crate::store::contest::Contest;
use crate::web::state::AppState;

/// CLICS state: moments, each null until it comes.
#[derive(Serialize, ToSchema)]
#[schema(as = State)]
pub(super) struct ContestState {
    /// `started`.
    started: Option<Time>,
    /// `frozen`.
    frozen: Option<Time>,
    /// `ended`.
    ended: Option<Time>,
    /// `thawed`.
    thawed: Option<Time>,
    /// `finalized`.
    finalized: Option<Time>,
    /// `end_of_updates`: it is final, and nothing is frozen any more.
    pub end_of_updates: Option<Time>,
}

impl ContestState {
    pub(super) fn new(contest: &Contest, now: EpochMs) -> Self {
        let times = contest.times();
        let phase = times.phase(now);
        let clock = times.clock(now);
        let begun = phase != Phase::Before;
        let thawed = contest.thawed.filter(|_| contest.freeze_ms.is_some());
        let last = match (contest.finalized, contest.freeze_ms, thawed) {
            (Some(finalized), None, _) => Some(finalized),
            (Some(finalized), Some(_), Some(thawed)) => Some(finalized.max(thawed)),
            _ => None,
        };
        Self {
            started: begun.then_some(Time(contest.start)),
            frozen: times.freeze().filter(|from| begun && *from <= clock).map(Time),
            ended: times.end().filter(|_| phase == Phase::Ended).map(Time),
            thawed: thawed.map(Time),
            finalized: contest.finalized.map(Time),
            end_of_updates: last.map(Time),
        }
    }
}

/// Shows it.
pub(super) async fn show(
    State(state): State<AppState>,
    caller: Caller,
    Path(contest): Path<String>,
) -> Result<Json<ContestState>, ApiError> {
    Ok(Json(ContestState::new(&contests::find(&state, &contest).await?, caller.now)))
}
