//! Who may register, and invitations.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::given::Given;
use super::{ApiError, Manager};
use crate::domain::account::Role;
use crate::domain::ids::InvitationId;
use crate::service::registration::Registration;
use crate::store::invitation::Invitation;
use crate::web::state::AppState;

/// The most invitations that are listed.
const LISTED: u32 = 1_000;

/// Who may register now.
pub(super) async fn show(State(state): State<AppState>, manager: Manager) -> Result<Json<Value>, ApiError> {
    manager.at_least(Role::Admin)?;
    Ok(Json(json!({ "registration": state.service.registration().await? })))
}

/// Who may register.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct New {
    /// `open`, `invitation` or `closed`.
    registration: String,
}

/// Sets it.
pub(super) async fn set(
    State(state): State<AppState>,
    manager: Manager,
    Given(new): Given<New>,
) -> Result<StatusCode, ApiError> {
    let kind: Registration = new.registration.parse().map_err(ApiError::bad)?;
    state.service.set_registration(Some(&manager.actor), None, kind, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Newest first.
pub(super) async fn invitations(
    State(state): State<AppState>,
    manager: Manager,
) -> Result<Json<Vec<Invitation>>, ApiError> {
    Ok(Json(state.service.invitations(Some(&manager.actor), LISTED).await?))
}

/// An invitation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewInvitation {
    /// For how many people.
    places: u32,
    /// For how many days.
    days: u32,
    /// For whom.
    #[serde(default)]
    note: String,
}

/// Makes one; its link comes back once.
pub(super) async fn invite(
    State(state): State<AppState>,
    manager: Manager,
    Given(new): Given<NewInvitation>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let actor = Some(&manager.actor);
    let (id, token) = state.service.invite(actor, &new.note, new.places, new.days, manager.now).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": id, "path": format!("/register?invitation={token}") }))))
}

/// Takes one back.
pub(super) async fn revoke(
    State(state): State<AppState>,
    manager: Manager,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    manager.at_least(Role::Admin)?;
    let number: InvitationId = id.parse().map_err(|_| ApiError::no_such("invitation", &id))?;
    state.service.revoke_invitation(Some(&manager.actor), number, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}
