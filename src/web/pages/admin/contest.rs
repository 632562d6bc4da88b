//! `/admin/contests/{slug}/failed-tests`: what contestants learn of failed secret tests. Must not know: how it is obeyed.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Redirect;

use crate::domain::account::Role;
use crate::service::contests::ContestError;
use crate::store::contest::FailedTests;
use crate::web::error::{Next, WebError};
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::state::AppState;

/// Sets it.
pub async fn set_failed_tests(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    fields: Fields,
) -> Result<Redirect, WebError> {
    let judge = visit.at_least(Role::Judge)?;
    let rule = fields.get("failed_tests").parse::<FailedTests>();
    let rule = rule.map_err(|_| WebError::refused(StatusCode::UNPROCESSABLE_ENTITY, Message::new("error-form")))?;
    match state.service.set_failed_tests(judge, &slug, rule, visit.now).await {
        Ok(()) => Ok(Redirect::to("/admin")),
        Err(ContestError::NoSuchContest(_)) => Err(WebError::not_found(Message::new("error-no-page"), Next::admin())),
        Err(ContestError::Forbidden(error)) => Err(error.into()),
        Err(error @ ContestError::Store(_)) => Err(WebError::internal(error)),
    }
}
