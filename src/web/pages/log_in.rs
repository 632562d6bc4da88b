//! `/login`. Must not know: how passwords are kept.

use askama::Template;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::{FormPage, local_address};
use crate::service::second_step::{HALF_MS, LoggedIn};
use crate::service::sessions::LogInError;
use crate::web::error::WebError;
use crate::web::extract::upload::{Refusal, come_back};
use crate::web::extract::{Fields, Visit, cookie};
use crate::web::i18n::Message;
use crate::web::state::AppState;
use crate::web::view::format::query_escape;
use crate::web::view::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "pages/login.html")]
struct LogInPage {
    frame: Frame,
    error: Option<String>,
    name: String,
    next: String,
}

/// Where to go afterwards.
#[derive(Debug, Default, serde::Deserialize)]
pub struct NextQuery {
    /// An address on this site.
    #[serde(default)]
    pub next: String,
}

/// The empty form.
pub async fn form(
    State(state): State<AppState>,
    visit: Visit,
    Query(query): Query<NextQuery>,
) -> Result<FormPage, WebError> {
    page(&state, &visit, StatusCode::OK, None, "", local_address(&query.next))
}

/// Logs in, or shows the form again with the name that was typed.
pub async fn log_in(State(state): State<AppState>, visit: Visit, fields: Fields) -> Result<Response, WebError> {
    let (name, next) = (fields.trimmed("name"), local_address(fields.get("next")));
    match state.service.log_in(name, fields.get("password"), visit.from, visit.now).await {
        Ok(logged_in) => Ok(go_on(&state, &logged_in, next)),
        Err(LogInError::Wrong) => {
            let error = Message::new("log-in-wrong");
            Ok(page(&state, &visit, StatusCode::UNPROCESSABLE_ENTITY, Some(&error), name, next)?.into_response())
        }
        Err(LogInError::TooMany { retry_after_ms }) => {
            let Refusal { status, message, retry_after } = Refusal::too_fast("log-in-too-many", retry_after_ms);
            Ok(come_back(page(&state, &visit, status, Some(&message), name, next)?, retry_after))
        }
        Err(error) => Err(WebError::internal(error)),
    }
}

/// Goes on with a new session, or to the form that asks for the code.
pub(super) fn go_on(state: &AppState, logged_in: &LoggedIn, next: &str) -> Response {
    let token = match logged_in {
        LoggedIn::Session(token) => return welcome(state, token, next),
        LoggedIn::CodeNeeded(token) => token,
    };
    let mut response = Redirect::to(&format!("/login/code?next={}", query_escape(next))).into_response();
    let seconds = u32::try_from(HALF_MS / 1_000).unwrap_or_default();
    cookie::set_for(response.headers_mut(), cookie::HALF, token, seconds, state.secure_cookies);
    response
}

/// Goes on with a new session.
pub(super) fn welcome(state: &AppState, token: &str, next: &str) -> Response {
    let mut response = Redirect::to(next).into_response();
    cookie::set(response.headers_mut(), cookie::SESSION, token, state.secure_cookies);
    response
}

fn page(
    state: &AppState,
    visit: &Visit,
    status: StatusCode,
    error: Option<&Message>,
    name: &str,
    next: &str,
) -> Result<FormPage, WebError> {
    let page = LogInPage {
        frame: visit.frame(state, Section::None),
        error: error.map(|error| visit.lang.say(error)),
        name: name.to_owned(),
        next: next.to_owned(),
    };
    Ok((status, Html(page.render()?)))
}
