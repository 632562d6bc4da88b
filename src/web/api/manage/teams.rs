//! Teams, groups and organizations: listing, making, changing, members. Must not know: contests.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::given::{Asked, Disabled, Given};
use super::{ApiError, Manager};
use crate::domain::account::Role;
use crate::domain::ids::TeamId;
use crate::service::affiliations::WantedAffiliation;
use crate::service::facts;
use crate::service::teams::WantedTeam;
use crate::store::affiliation::Kind;
use crate::store::team::TeamFilter;
use crate::web::state::AppState;

/// The most that are listed at once.
const LISTED: u32 = 1_000;

/// Which teams to list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Filter {
    /// In a name, the label or the id in files.
    contains: Option<String>,
    /// Of this group.
    group: Option<String>,
    /// Of this organization.
    organization: Option<String>,
    /// Only those without a row on boards.
    #[serde(default)]
    hidden: bool,
    /// Only names after this one.
    after: Option<String>,
}

/// By name.
pub(super) async fn list(
    State(state): State<AppState>,
    manager: Manager,
    Asked(filter): Asked<Filter>,
) -> Result<Json<Vec<Value>>, ApiError> {
    let Filter { contains, group, organization, hidden, after } = filter;
    let filter = TeamFilter { contains, group, organization, hidden, after };
    let teams = state.service.teams(Some(&manager.actor), &filter, LISTED).await?;
    Ok(Json(teams.iter().map(facts::team).collect()))
}

/// Makes a team.
pub(super) async fn create(
    State(state): State<AppState>,
    manager: Manager,
    Given(wanted): Given<WantedTeam>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let id = state.service.create_team(Some(&manager.actor), &wanted, manager.now).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": id.to_string() }))))
}

fn id_of(text: &str) -> Result<TeamId, ApiError> {
    text.parse().map_err(|_| ApiError::no_such("team", text))
}

/// One of them, with who hands in for it.
pub(super) async fn show(
    State(state): State<AppState>,
    manager: Manager,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let (team, members) = state.service.team(Some(&manager.actor), id_of(&id)?).await?;
    let mut told = facts::team(&team);
    told["members"] = json!(members);
    Ok(Json(told))
}

/// What its editor saw.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Seen {
    /// The thing's `seen`; it is changed only if that is still so.
    seen: Option<String>,
}

/// Makes a team so.
pub(super) async fn edit(
    State(state): State<AppState>,
    manager: Manager,
    Path(id): Path<String>,
    Asked(Seen { seen }): Asked<Seen>,
    Given(wanted): Given<WantedTeam>,
) -> Result<StatusCode, ApiError> {
    let actor = Some(&manager.actor);
    state.service.edit_team(actor, id_of(&id)?, seen.as_deref(), &wanted, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Who hands in for a team from now on, or no longer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Membership {
    /// The login name of who joins.
    join: Option<String>,
    /// The login name of who leaves.
    leave: Option<String>,
}

/// Lets an account hand in for it, or no longer.
pub(super) async fn members(
    State(state): State<AppState>,
    manager: Manager,
    Path(id): Path<String>,
    Given(given): Given<Membership>,
) -> Result<StatusCode, ApiError> {
    let (actor, id) = (Some(manager.at_least(Role::Admin)?), id_of(&id)?);
    match (given.join, given.leave) {
        (Some(name), None) => state.service.join_team(actor, id, &name, manager.now).await?,
        (None, Some(name)) => state.service.leave_team(actor, id, &name, manager.now).await?,
        _ => return Err(ApiError::bad("give one of `join` and `leave`")),
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Lets nobody of it log in, or all of them again.
pub(super) async fn set_disabled(
    State(state): State<AppState>,
    manager: Manager,
    Path(id): Path<String>,
    Given(Disabled { disabled }): Given<Disabled>,
) -> Result<StatusCode, ApiError> {
    state.service.disable_team(Some(&manager.actor), id_of(&id)?, disabled, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Which groups or organizations to list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// In a name or the id.
    contains: Option<String>,
    /// Only those behind the one with this id.
    after: Option<String>,
}

/// A new group or organization.
#[derive(Deserialize)]
pub(super) struct New {
    /// Its id; empty: a free number.
    #[serde(default)]
    id: String,
    /// What it is.
    #[serde(flatten)]
    wanted: Value,
}

/// Groups by name.
pub(super) async fn groups(
    state: State<AppState>,
    manager: Manager,
    search: Asked<Search>,
) -> Result<Json<Vec<Value>>, ApiError> {
    listed(Kind::Group, &state, &manager, &search.0).await
}

/// Organizations by name.
pub(super) async fn organizations(
    state: State<AppState>,
    manager: Manager,
    search: Asked<Search>,
) -> Result<Json<Vec<Value>>, ApiError> {
    listed(Kind::Organization, &state, &manager, &search.0).await
}

async fn listed(
    kind: Kind,
    state: &AppState,
    manager: &Manager,
    search: &Search,
) -> Result<Json<Vec<Value>>, ApiError> {
    let (contains, after) = (search.contains.as_deref(), search.after.as_deref());
    let found = state.service.affiliations(Some(&manager.actor), kind, contains, after, LISTED).await?;
    Ok(Json(found.iter().map(facts::affiliation).collect()))
}

/// Makes a group.
pub(super) async fn create_group(
    state: State<AppState>,
    manager: Manager,
    new: Given<New>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    created(Kind::Group, &state, &manager, new.0).await
}

/// Makes an organization.
pub(super) async fn create_organization(
    state: State<AppState>,
    manager: Manager,
    new: Given<New>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    created(Kind::Organization, &state, &manager, new.0).await
}

async fn created(
    kind: Kind,
    state: &AppState,
    manager: &Manager,
    New { id, wanted }: New,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let wanted: WantedAffiliation = serde_json::from_value(wanted)
        .map_err(|error| ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))?;
    let id = state.service.create_affiliation(Some(&manager.actor), kind, &id, &wanted, manager.now).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": id }))))
}

/// Makes a group so.
pub(super) async fn edit_group(
    state: State<AppState>,
    manager: Manager,
    id: Path<String>,
    seen: Asked<Seen>,
    wanted: Given<WantedAffiliation>,
) -> Result<StatusCode, ApiError> {
    edited(Kind::Group, &state, &manager, &id, seen.0, &wanted.0).await
}

/// Makes an organization so.
pub(super) async fn edit_organization(
    state: State<AppState>,
    manager: Manager,
    id: Path<String>,
    seen: Asked<Seen>,
    wanted: Given<WantedAffiliation>,
) -> Result<StatusCode, ApiError> {
    edited(Kind::Organization, &state, &manager, &id, seen.0, &wanted.0).await
}

async fn edited(
    kind: Kind,
    state: &AppState,
    manager: &Manager,
    id: &str,
    Seen { seen }: Seen,
    wanted: &WantedAffiliation,
) -> Result<StatusCode, ApiError> {
    let actor = Some(&manager.actor);
    state.service.edit_affiliation(actor, kind, id, seen.as_deref(), wanted, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes a group.
pub(super) async fn delete_group(
    state: State<AppState>,
    manager: Manager,
    id: Path<String>,
    seen: Asked<Seen>,
) -> Result<StatusCode, ApiError> {
    deleted(Kind::Group, &state, &manager, &id, seen.0).await
}

/// Deletes an organization.
pub(super) async fn delete_organization(
    state: State<AppState>,
    manager: Manager,
    id: Path<String>,
    seen: Asked<Seen>,
) -> Result<StatusCode, ApiError> {
    deleted(Kind::Organization, &state, &manager, &id, seen.0).await
}

async fn deleted(
    kind: Kind,
    state: &AppState,
    manager: &Manager,
    id: &str,
    Seen { seen }: Seen,
) -> Result<StatusCode, ApiError> {
    state.service.delete_affiliation(Some(&manager.actor), kind, id, seen.as_deref(), manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}
