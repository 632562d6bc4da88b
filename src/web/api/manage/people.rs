//! Accounts: listing, roles, disabling, ending sessions, links for new passwords, files of them.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::given::{Asked, Disabled, Given};
use super::{ApiError, Manager};
use crate::domain::account::Role;
use crate::roster::RosterFile;
use crate::service::roster_import::ImportError;
use crate::store::people::{PeopleFilter, Person};
use crate::web::state::AppState;

/// The most that are listed at once.
const LISTED: u32 = 1_000;

/// Whom to list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Filter {
    /// The beginning of their names.
    prefix: Option<String>,
    /// Their role.
    role: Option<Role>,
    /// Only those that can't log in.
    #[serde(default)]
    disabled: bool,
    /// Only names after this one.
    after: Option<String>,
}

/// By name.
pub(super) async fn list(
    State(state): State<AppState>,
    manager: Manager,
    Asked(filter): Asked<Filter>,
) -> Result<Json<Vec<Person>>, ApiError> {
    let Filter { prefix, role, disabled, after } = filter;
    let filter = PeopleFilter { prefix, role, disabled, after };
    Ok(Json(state.service.people(Some(&manager.actor), &filter, LISTED).await?))
}

/// A role.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewRole {
    /// The new one.
    role: Role,
    /// The old one: it is changed only if it is still that.
    seen: Option<Role>,
}

/// Gives somebody another role.
pub(super) async fn set_role(
    State(state): State<AppState>,
    manager: Manager,
    Path(name): Path<String>,
    Given(new): Given<NewRole>,
) -> Result<StatusCode, ApiError> {
    state.service.change_role(Some(&manager.actor), &name, new.seen, new.role, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lets somebody log in no longer, or again.
pub(super) async fn set_disabled(
    State(state): State<AppState>,
    manager: Manager,
    Path(name): Path<String>,
    Given(Disabled { disabled }): Given<Disabled>,
) -> Result<StatusCode, ApiError> {
    state.service.set_disabled(&manager.actor, &name, disabled, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends all sessions of somebody.
pub(super) async fn sign_out(
    State(state): State<AppState>,
    manager: Manager,
    Path(name): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let ended = state.service.sign_out(Some(&manager.actor), &name, manager.now).await?;
    Ok(Json(json!({ "ended": ended })))
}

/// Makes a link by which somebody sets a new password.
pub(super) async fn password_link(
    State(state): State<AppState>,
    manager: Manager,
    Path(name): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let token = state.service.password_link(Some(&manager.actor), &name, manager.now).await?;
    Ok(Json(json!({ "path": format!("/password/{token}") })))
}

/// Files of accounts, teams, groups, organizations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Files {
    /// Each with its name and text.
    files: Vec<RosterFile>,
    /// Only to say what would be made.
    #[serde(default)]
    dry_run: bool,
}

/// Makes what files say, all of it or nothing; new logins come back with their passwords, once.
pub(super) async fn import(
    State(state): State<AppState>,
    manager: Manager,
    Given(Files { files, dry_run }): Given<Files>,
) -> Result<Json<Value>, ApiError> {
    let actor = Some(&manager.actor);
    if dry_run {
        let plan = state.service.plan_import(actor, &files).await?;
        if !plan.faults.is_empty() {
            return Err(ImportError::Faults(plan.faults).into());
        }
        return Ok(Json(json!({
            "accounts": plan.accounts, "there": plan.there, "teams": plan.teams, "groups": plan.groups,
            "organizations": plan.organizations,
        })));
    }
    let made = state.service.import(actor, &files, manager.now).await?;
    let logins: Vec<Value> = made
        .iter()
        .map(|one| {
            let password = one.password.expose();
            json!({ "username": one.username, "password": password, "role": one.role, "team": one.team })
        })
        .collect();
    Ok(Json(json!({ "logins": logins })))
}

/// Takes the second step of logging in off an account.
pub(super) async fn reset_second_step(
    State(state): State<AppState>,
    manager: Manager,
    Path(name): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let was_on = state.service.reset_second_step(Some(&manager.actor), &name, manager.now).await?;
    Ok(Json(json!({ "was_on": was_on })))
}

/// Whether staff must have a second step.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SecondStep {
    /// They must.
    must: bool,
}

/// Sets it.
pub(super) async fn require_second_step(
    State(state): State<AppState>,
    manager: Manager,
    Given(SecondStep { must }): Given<SecondStep>,
) -> Result<StatusCode, ApiError> {
    state.service.require_second_step(Some(&manager.actor), must, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}
