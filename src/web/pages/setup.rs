//! `/setup/{token}`: the one-time link that makes the first admin. Must not know: how links are kept.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::FormPage;
use super::log_in::welcome;
use super::register::{Purpose, credentials, page, refusal};
use crate::web::error::WebError;
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::state::AppState;

fn purpose(token: &str) -> Purpose {
    Purpose {
        heading: "setup-title",
        lead: Some("setup-lead"),
        action: format!("/setup/{token}"),
        invitation: String::new(),
    }
}

async fn check(state: &AppState, visit: &Visit, token: &str) -> Result<(), WebError> {
    if state.service.first_admin_link_works(token, visit.now).await? {
        return Ok(());
    }
    Err(WebError::refused(StatusCode::GONE, Message::new("setup-gone")))
}

/// The form, while the link works.
pub async fn form(
    State(state): State<AppState>,
    visit: Visit,
    Path(token): Path<String>,
) -> Result<FormPage, WebError> {
    check(&state, &visit, &token).await?;
    page(&state, &visit, &purpose(&token), None, "", "/admin")
}

/// Makes the first admin and logs in.
pub async fn set(
    State(state): State<AppState>,
    visit: Visit,
    Path(token): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    check(&state, &visit, &token).await?;
    let made = match credentials(&fields) {
        Ok((name, password)) => match state.service.set_first_admin(&token, &name, &password, visit.now).await {
            Ok(account) => Ok(account),
            Err(error) => Err(refusal(error)?),
        },
        Err(message) => Err(message),
    };
    match made {
        Ok(account) => {
            let session = state.service.begin_session(account, visit.now).await;
            Ok(welcome(&state, &session.map_err(WebError::internal)?, "/admin"))
        }
        Err(error) => {
            let name = fields.trimmed("name");
            Ok(page(&state, &visit, &purpose(&token), Some(&error), name, "/admin")?.into_response())
        }
    }
}
