//! `/password/{token}`: the one-time link by which somebody sets a new password. Must not know: how links are kept.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};

use super::FormPage;
use super::log_in::go_on;
use crate::service::accounts::AccountError;
use crate::web::error::WebError;
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "pages/password.html")]
struct PasswordPage {
    frame: Frame,
    token: String,
    error: Option<String>,
}

fn gone() -> WebError {
    WebError::refused(StatusCode::GONE, Message::new("password-gone"))
}

fn page(state: &AppState, visit: &Visit, token: String, error: Option<&Message>) -> Result<FormPage, WebError> {
    let error = error.map(|error| visit.lang.say(error));
    let status = if error.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let page = PasswordPage { frame: visit.frame(state, Section::None), token, error };
    Ok((status, Html(page.render()?)))
}

/// The form, while the link works.
pub async fn form(
    State(state): State<AppState>,
    visit: Visit,
    Path(token): Path<String>,
) -> Result<FormPage, WebError> {
    if !state.service.password_link_works(&token, visit.now).await? {
        return Err(gone());
    }
    page(&state, &visit, token, None)
}

/// Sets the password and logs in.
pub async fn set(
    State(state): State<AppState>,
    visit: Visit,
    Path(token): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    if !state.service.password_link_works(&token, visit.now).await? {
        return Err(gone());
    }
    let Ok(password) = fields.get("password").parse() else {
        return Ok(page(&state, &visit, token, Some(&Message::new("register-password")))?.into_response());
    };
    if fields.get("password") != fields.get("again") {
        return Ok(page(&state, &visit, token, Some(&Message::new("register-differ")))?.into_response());
    }
    match state.service.use_password_link(&token, &password, visit.now).await {
        Ok(account) if account.disabled => {
            Err(WebError::refused(StatusCode::FORBIDDEN, Message::new("password-set-disabled")))
        }
        Ok(account) => {
            let logged_in = state.service.go_on(account.id, visit.now).await.map_err(WebError::internal)?;
            Ok(go_on(&state, &logged_in, "/"))
        }
        Err(AccountError::LinkUsedUp) => Err(gone()),
        Err(error) => Err(WebError::internal(error)),
    }
}
