//! Machines that judge for this server.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use super::given::Given;
use super::{ApiError, Manager};
use crate::domain::worker_name::WorkerName;
use crate::service::facts;
use crate::store::farm_worker::WorkerState;
use crate::web::state::AppState;

/// By name, with what each does now.
pub(super) async fn list(State(state): State<AppState>, manager: Manager) -> Result<Json<Value>, ApiError> {
    let machines = state.service.machines(&manager.actor).await?;
    Ok(Json(machines.iter().map(facts::machine).collect()))
}

/// What is wanted of one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// `active`, `draining` or `forbidden`.
    state: String,
}

/// Sets it.
pub(super) async fn set_state(
    State(state): State<AppState>,
    manager: Manager,
    Path(name): Path<String>,
    Given(wanted): Given<Wanted>,
) -> Result<StatusCode, ApiError> {
    manager.at_least(crate::domain::account::Role::Admin)?;
    let name: WorkerName = name.parse().map_err(|error| ApiError::new(StatusCode::NOT_FOUND, format!("{error}")))?;
    let wanted: WorkerState = wanted.state.parse().map_err(ApiError::bad)?;
    state.service.set_machine_state(Some(&manager.actor), &name, wanted, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}
