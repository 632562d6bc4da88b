//! Problems: what there is, new packages, state, limits, statement, verification. Must not know: single tests.

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::given::{Asked, Given};
use super::{ApiError, Manager, given};
use crate::domain::account::Role;
use crate::domain::language::LanguageId;
use crate::service::facts;
use crate::service::problem_settings::CheckerFlags;
use crate::service::problems::{MAX_ZIP_BYTES, Offer, OfferedZip};
use crate::store::problem;
use crate::store::problem::ProblemState;
use crate::web::state::AppState;

/// All of them.
pub(super) async fn list(State(state): State<AppState>, manager: Manager) -> Result<Json<Vec<Value>>, ApiError> {
    manager.at_least(Role::Setter)?;
    let rows = problem::overview(state.store().read()).await?;
    Ok(Json(rows.iter().map(facts::problem).collect()))
}

/// How a package is called.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Import {
    /// The problem's id; empty: the zip says it.
    #[serde(default)]
    id: String,
}

/// Offers a package: the body is its zip.
pub(super) async fn import(
    State(state): State<AppState>,
    manager: Manager,
    Asked(Import { id }): Asked<Import>,
    body: Body,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let actor = manager.at_least(Role::Setter)?;
    let file = given::file(&state, body, MAX_ZIP_BYTES).await?;
    let zip = OfferedZip { file, name: String::new(), slug: id };
    let (slug, offer) = state.service.offer_zip(Some(actor), zip, &state.scratch, manager.now).await?;
    let new = matches!(offer, Offer::Queued(_));
    Ok((StatusCode::ACCEPTED, Json(json!({ "id": slug, "queued": new }))))
}

/// A state.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewState {
    /// `published` or `withdrawn`.
    state: String,
}

/// Takes it out of the lists, or puts it back.
pub(super) async fn set_state(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
    Given(new): Given<NewState>,
) -> Result<StatusCode, ApiError> {
    let withdrawn = match new.state.parse() {
        Ok(ProblemState::Withdrawn) => true,
        Ok(ProblemState::Published) => false,
        _ => return Err(ApiError::bad("`state` is `published` or `withdrawn`")),
    };
    state.service.set_withdrawn(&manager.actor, &slug, withdrawn, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Limits.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewLimits {
    /// The version in force.
    version: u64,
    /// Milliseconds.
    cpu_ms: u64,
    /// MiB.
    memory_mib: u64,
}

/// Offers the package with other limits.
pub(super) async fn set_limits(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
    Given(new): Given<NewLimits>,
) -> Result<StatusCode, ApiError> {
    let limits = (new.cpu_ms, new.memory_mib);
    state.service.set_limits(&manager.actor, &slug, new.version, limits, manager.now).await?;
    Ok(StatusCode::ACCEPTED)
}

/// What can be set besides limits and statements.
pub(super) async fn settings(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
) -> Result<Json<Value>, ApiError> {
    Ok(Json(facts::settings(&state.service.problem_settings(&manager.actor, &slug).await?)))
}

/// Flags of the default checker.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewChecker {
    /// The version in force.
    version: u64,
    /// Whether capital and small letters differ.
    #[serde(default)]
    case_sensitive: bool,
    /// Whether white space counts.
    #[serde(default)]
    space_change_sensitive: bool,
    /// How far numbers may be off.
    float_absolute_tolerance: Option<f64>,
    /// How far numbers may be off, as a part of the answer.
    float_relative_tolerance: Option<f64>,
}

/// Offers the package with other flags of the default checker.
pub(super) async fn set_checker(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
    Given(new): Given<NewChecker>,
) -> Result<StatusCode, ApiError> {
    let flags = CheckerFlags {
        case_sensitive: new.case_sensitive,
        space_change_sensitive: new.space_change_sensitive,
        float_absolute_tolerance: new.float_absolute_tolerance,
        float_relative_tolerance: new.float_relative_tolerance,
    };
    state.service.set_checker(&manager.actor, &slug, new.version, flags, manager.now).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Languages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewLanguages {
    /// The version in force.
    version: u64,
    /// Their ids; null: all.
    languages: Option<Vec<LanguageId>>,
}

/// Offers the package with other languages.
pub(super) async fn set_languages(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
    Given(new): Given<NewLanguages>,
) -> Result<StatusCode, ApiError> {
    let languages = new.languages.as_deref();
    state.service.set_languages(&manager.actor, &slug, new.version, languages, manager.now).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Begins a problem of this name from a small one that verifies.
pub(super) async fn create(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let slug = state.service.create_problem(&manager.actor, &slug, manager.now).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "id": slug }))))
}

/// A statement.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewStatement {
    /// The version in force.
    version: u64,
    /// Its language, e.g. `en`.
    language: String,
    /// Markdown.
    text: String,
}

/// Offers the package with another statement.
pub(super) async fn set_statement(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
    Given(new): Given<NewStatement>,
) -> Result<StatusCode, ApiError> {
    let (version, now) = (new.version, manager.now);
    state.service.edit_statement(&manager.actor, &slug, &new.language, version, &new.text, now).await?;
    Ok(StatusCode::ACCEPTED)
}

/// The newest verification, as far as it is.
pub(super) async fn verification(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
) -> Result<Json<Value>, ApiError> {
    Ok(Json(facts::verification(&state.service.verification(&manager.actor, &slug, None).await?)))
}

/// Looks again at what is in force.
pub(super) async fn verify(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let id = state.service.verify_again(&manager.actor, &slug, manager.now).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "verification": id.to_string() }))))
}
