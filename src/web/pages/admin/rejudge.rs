//! The two rejudge buttons: one submission, or those of a problem that were judged with older tests. Must not know: how judging works.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Redirect;

use crate::domain::account::Role;
use crate::domain::ids::SubmissionId;
use crate::service::rejudge::{RejudgeError, Scope};
use crate::web::error::{Next, WebError};
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::pages::problem::no_problem;
use crate::web::pages::submission::no_submission;
use crate::web::state::AppState;

/// Judges one submission again.
pub async fn submission(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    _fields: Fields,
) -> Result<Redirect, WebError> {
    let id: SubmissionId = id.parse().map_err(|_| no_submission(&id))?;
    rejudge(&state, &visit, Scope::Submission(id)).await?;
    Ok(Redirect::to(&visit.link(&format!("/submissions/{id}"))))
}

/// Judges the submissions of a problem again that were judged with older tests.
pub async fn problem(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    _fields: Fields,
) -> Result<Redirect, WebError> {
    let address = format!("/submissions?problem={slug}");
    rejudge(&state, &visit, Scope::Problem(slug)).await?;
    Ok(Redirect::to(&address))
}

async fn rejudge(state: &AppState, visit: &Visit, scope: Scope) -> Result<(), WebError> {
    let actor = visit.at_least(Role::Judge)?;
    match state.service.rejudge(actor, &scope, "asked for on the page", visit.now).await {
        Ok(_) => Ok(()),
        Err(RejudgeError::Forbidden(error)) => Err(error.into()),
        Err(RejudgeError::NoSuchSubmission(id)) => Err(no_submission(&id.to_string())),
        Err(RejudgeError::NoSuchProblem(slug)) => Err(no_problem(&slug)),
        Err(RejudgeError::Nothing) => Err(WebError::Refused {
            status: StatusCode::CONFLICT,
            what: Message::new("rejudge-nothing"),
            next: Next::submissions(),
        }),
        Err(error @ RejudgeError::Store(_)) => Err(WebError::internal(error)),
    }
}
