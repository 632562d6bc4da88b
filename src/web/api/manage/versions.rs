//! Versions of a problem: listing, an older one again, one as a zip. Must not know: how they come to be.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;

use super::given::{Asked, Given};
use super::{ApiError, Manager};
use crate::service::facts;
use crate::web::sending;
use crate::web::state::AppState;

/// The problem with its versions.
pub(super) async fn list(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
) -> Result<Json<Value>, ApiError> {
    Ok(Json(facts::history(&state.service.problem_history(&manager.actor, &slug).await?)))
}

/// Which one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// Its number; the one in force, if none is given.
    version: Option<u64>,
}

/// A version's package as a zip.
pub(super) async fn export(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
    Asked(wanted): Asked<Wanted>,
) -> Result<Response, ApiError> {
    let actor = &manager.actor;
    let version = match wanted.version {
        Some(version) => version,
        None => state.service.problem_history(actor, &slug).await?.in_force(),
    };
    let file = state.service.export_package(actor, &slug, version, &state.scratch).await?;
    sending::zip(file, &format!("{slug}-{version}.zip")).map_err(|error| ApiError::internal(&error))
}

/// Which one again.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Restore {
    /// The version in force.
    version: u64,
    /// The one to put in force.
    restore: u64,
}

/// Verifies an older version again, to put it in force.
pub(super) async fn restore(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
    Given(wanted): Given<Restore>,
) -> Result<StatusCode, ApiError> {
    let (version, restore) = (wanted.version, wanted.restore);
    state.service.restore_package(&manager.actor, &slug, restore, version, manager.now).await?;
    Ok(StatusCode::ACCEPTED)
}
