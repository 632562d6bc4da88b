//! Questions, answers, announcements, and what is answered often.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::given::Given;
use super::{ApiError, Manager};
use crate::domain::account::Role;
use crate::domain::ids::{CannedAnswerId, ClarificationId};
use crate::service::facts;
use crate::web::api::contests;
use crate::web::state::AppState;

/// All threads of a contest, the one with the newest message first.
pub(super) async fn threads(
    State(state): State<AppState>,
    manager: Manager,
    Path(contest): Path<String>,
) -> Result<Json<Vec<Value>>, ApiError> {
    let actor = manager.at_least(Role::Judge)?;
    let contest = contests::find(&state, &contest).await?;
    let threads = state.service.clarifications(Some(actor), contest.id).await?;
    Ok(Json(threads.iter().map(facts::thread).collect()))
}

/// A message.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct New {
    /// The question that it answers; none: it is an announcement.
    reply_to: Option<ClarificationId>,
    /// The problem that an announcement is about.
    problem: Option<String>,
    /// Whether all may read an answer.
    #[serde(default)]
    to_all: bool,
    /// What it says.
    text: String,
}

/// Answers a question, or tells all.
pub(super) async fn say(
    State(state): State<AppState>,
    manager: Manager,
    Path(contest): Path<String>,
    Given(new): Given<New>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let actor = manager.at_least(Role::Judge)?;
    let contest = contests::find(&state, &contest).await?.id;
    let id = match new.reply_to {
        Some(question) => state.service.answer(actor, contest, question, &new.text, new.to_all, manager.now).await?,
        None => state.service.announce(actor, contest, new.problem.as_deref(), &new.text, manager.now).await?,
    };
    Ok((StatusCode::CREATED, Json(json!({ "id": id.to_string() }))))
}

/// What is answered often.
pub(super) async fn canned(State(state): State<AppState>, manager: Manager) -> Result<Json<Vec<Value>>, ApiError> {
    let all = state.service.canned_answers(&manager.actor).await?;
    Ok(Json(all.iter().map(|one| json!({ "id": one.id.to_string(), "text": one.text })).collect()))
}

/// A text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    /// What it says.
    text: String,
}

/// Keeps one.
pub(super) async fn keep(
    State(state): State<AppState>,
    manager: Manager,
    Given(Kept { text }): Given<Kept>,
) -> Result<StatusCode, ApiError> {
    state.service.keep_canned_answer(&manager.actor, &text, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lets one go.
pub(super) async fn forget(
    State(state): State<AppState>,
    manager: Manager,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let actor = manager.at_least(Role::Judge)?;
    let number: CannedAnswerId = id.parse().map_err(|_| ApiError::no_such("canned answer", &id))?;
    state.service.drop_canned_answer(actor, number, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}
