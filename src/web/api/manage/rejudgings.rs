//! Rejudgings: beginning, looking at what one would change, letting it count or not, taking it back.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use super::given::{Asked, Given};
use super::{ApiError, Manager};
use crate::domain::ids::RejudgingId;
use crate::service::facts;
use crate::service::rejudge::{Begun, Selection};
use crate::store::rejudging::Rejudging;
use crate::web::state::AppState;

/// The most that are listed at once.
const LISTED: u32 = 100;

fn number(id: &str) -> Result<RejudgingId, ApiError> {
    id.parse().map_err(|_| ApiError::no_such("rejudging", id))
}

/// From where the list goes on.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Before {
    /// Only those with a smaller number.
    before: Option<RejudgingId>,
}

/// Newest first.
pub(super) async fn list(
    State(state): State<AppState>,
    manager: Manager,
    Asked(Before { before }): Asked<Before>,
) -> Result<Json<Vec<Rejudging>>, ApiError> {
    Ok(Json(state.service.rejudgings(Some(&manager.actor), before, LISTED).await?))
}

/// What to judge again.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct New {
    /// Which submissions.
    selection: Selection,
    /// Why.
    #[serde(default)]
    reason: String,
}

/// Queues new judgements; none of them counts yet.
pub(super) async fn begin(
    State(state): State<AppState>,
    manager: Manager,
    Given(new): Given<New>,
) -> Result<(StatusCode, Json<Begun>), ApiError> {
    let actor = Some(&manager.actor);
    let begun = state.service.begin_rejudging(actor, &new.selection, &new.reason, manager.now).await?;
    Ok((StatusCode::ACCEPTED, Json(begun)))
}

/// One with everything that it changes.
pub(super) async fn show(
    State(state): State<AppState>,
    manager: Manager,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let seen = state.service.rejudging(Some(&manager.actor), number(&id)?).await?;
    Ok(Json(facts::preview(&seen)))
}

/// What was looked at.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Seen {
    /// The `digest` of what was shown: it is applied only if it would still change just that.
    seen: Option<String>,
}

/// Lets it count.
pub(super) async fn apply(
    State(state): State<AppState>,
    manager: Manager,
    Path(id): Path<String>,
    Asked(Seen { seen }): Asked<Seen>,
) -> Result<StatusCode, ApiError> {
    let actor = Some(&manager.actor);
    state.service.apply_rejudging(actor, number(&id)?, seen.as_deref(), manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Gives it up.
pub(super) async fn discard(
    State(state): State<AppState>,
    manager: Manager,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    state.service.drop_rejudging(Some(&manager.actor), number(&id)?, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes an applied one back.
pub(super) async fn undo(
    State(state): State<AppState>,
    manager: Manager,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    state.service.undo_rejudging(Some(&manager.actor), number(&id)?, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}
