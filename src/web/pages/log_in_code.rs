//! `/login/code`: the code that some accounts owe after the password. Must not know: how codes are made or kept.

use askama::Template;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::log_in::{NextQuery, welcome};
use super::{FormPage, local_address};
use crate::service::second_step::SecondStepError;
use crate::web::error::WebError;
use crate::web::extract::upload::{Refusal, come_back};
use crate::web::extract::{Fields, Visit, cookie};
use crate::web::i18n::Message;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "pages/login-code.html")]
struct CodePage {
    frame: Frame,
    error: Option<String>,
    next: String,
}

fn page(
    state: &AppState,
    visit: &Visit,
    status: StatusCode,
    error: Option<&Message>,
    next: &str,
) -> Result<FormPage, WebError> {
    let error = error.map(|error| visit.lang.say(error));
    let page = CodePage { frame: visit.frame(state, Section::None), error, next: next.to_owned() };
    Ok((status, Html(page.render()?)))
}

/// The form, for somebody who gave the password; others begin there.
pub async fn form(
    State(state): State<AppState>,
    visit: Visit,
    headers: HeaderMap,
    Query(query): Query<NextQuery>,
) -> Result<Response, WebError> {
    let half = cookie::read(&headers, cookie::HALF).unwrap_or_default();
    if !state.service.owes_code(&half, visit.now).await? {
        return Ok(Redirect::to("/login").into_response());
    }
    Ok(page(&state, &visit, StatusCode::OK, None, local_address(&query.next))?.into_response())
}

/// Logs in, or shows the form again.
pub async fn log_in(
    State(state): State<AppState>,
    visit: Visit,
    headers: HeaderMap,
    fields: Fields,
) -> Result<Response, WebError> {
    let half = cookie::read(&headers, cookie::HALF).unwrap_or_default();
    let next = local_address(fields.get("next"));
    match state.service.finish_log_in(&half, fields.trimmed("code"), visit.from, visit.now).await {
        Ok(token) => {
            let mut response = welcome(&state, &token, next);
            cookie::forget(response.headers_mut(), cookie::HALF, state.secure_cookies);
            Ok(response)
        }
        Err(SecondStepError::TooLate) => Ok(Redirect::to("/login").into_response()),
        Err(error) => {
            let Refusal { status, message, retry_after } = refusal(error)?;
            Ok(come_back(page(&state, &visit, status, Some(&message), next)?, retry_after))
        }
    }
}

/// What is said of a code that was not taken.
pub(super) fn refusal(error: SecondStepError) -> Result<Refusal, WebError> {
    match error {
        SecondStepError::Wrong => Ok(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, Message::new("second-step-wrong"))),
        SecondStepError::TooMany { retry_after_ms } => Ok(Refusal::too_fast("second-step-too-many", retry_after_ms)),
        error => Err(WebError::internal(error)),
    }
}
