//! How the judge does, and the log of the staff's acts.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use super::given::Asked;
use super::{ApiError, Manager};
use crate::domain::time::EpochMs;
use crate::service::facts;
use crate::store::audit::{Act, ActFilter};
use crate::web::state::AppState;

/// The most acts that are listed at once.
const LISTED: u32 = 1_000;

/// Queue, workers, languages, host, failures, throughput, disk.
pub(super) async fn health(State(state): State<AppState>, manager: Manager) -> Result<Json<Value>, ApiError> {
    let mut told = facts::health(&state.service.health(&manager.actor, manager.now).await?);
    let host = state.host.clone();
    let disk = tokio::task::spawn_blocking(move || host.disk()).await.map_err(|error| ApiError::internal(&error))?;
    told["workers"] = json!(state.host.workers);
    told["farm_trouble"] = json!(state.host.farm_trouble());
    told["languages"] =
        state.languages.iter().map(|one| json!({ "id": one.id, "name": one.name, "version": one.version })).collect();
    let findings = state.host.findings.iter();
    told["host"] = findings
        .map(|one| json!({ "layer": one.layer, "state": one.state, "found": one.detail, "fix": one.fix }))
        .collect();
    told["disk"] = json!({ "free": disk.free, "database": disk.database, "cache": disk.cache });
    Ok(Json(told))
}

/// Which acts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Filter {
    /// By this account.
    actor: Option<String>,
    /// Of this kind.
    act: Option<String>,
    /// Done to exactly this.
    subject: Option<String>,
    /// At or after, milliseconds since 1970.
    from: Option<EpochMs>,
    /// Before.
    until: Option<EpochMs>,
    /// Only those with a smaller number.
    before: Option<i64>,
}

/// Newest first.
pub(super) async fn log(
    State(state): State<AppState>,
    manager: Manager,
    Asked(filter): Asked<Filter>,
) -> Result<Json<Vec<Act>>, ApiError> {
    let Filter { actor, act, subject, from, until, before } = filter;
    let filter = ActFilter { actor, act, subject, from, until };
    Ok(Json(state.service.acts(Some(&manager.actor), &filter, before, LISTED).await?))
}
