//! `/register`, and what it shares with the first admin's form: a name and a password, typed twice. Must not know: how
//! passwords are kept.

use askama::Template;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};

use super::log_in::welcome;
use super::{FormPage, local_address};
use crate::domain::account::{NewPassword, UserName};
use crate::service::accounts::AccountError;
use crate::web::error::WebError;
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "pages/register.html")]
struct RegisterPage {
    frame: Frame,
    heading: String,
    lead: Option<String>,
    action: String,
    error: Option<String>,
    name: String,
    next: String,
    invitation: String,
}

/// What the form is for.
pub(super) struct Purpose {
    pub heading: &'static str,
    pub lead: Option<&'static str>,
    pub action: String,
    pub invitation: String,
}

impl Purpose {
    fn register(invitation: &str) -> Self {
        let lead = (!invitation.is_empty()).then_some("register-invited");
        Self { heading: "register", lead, action: "/register".to_owned(), invitation: invitation.to_owned() }
    }
}

/// Who invites, and where to go afterwards.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub struct Asked {
    next: String,
    invitation: String,
}

/// The empty form, if its reader may register.
pub async fn form(
    State(state): State<AppState>,
    visit: Visit,
    Query(asked): Query<Asked>,
) -> Result<FormPage, WebError> {
    match state.service.may_register(&asked.invitation, visit.now).await {
        Ok(()) => page(&state, &visit, &Purpose::register(&asked.invitation), None, "", local_address(&asked.next)),
        Err(AccountError::RegistrationClosed) => Err(shut("register-closed")),
        Err(AccountError::InvitationGone) => Err(shut("register-invitation-gone")),
        Err(error) => Err(WebError::internal(error)),
    }
}

fn shut(what: &'static str) -> WebError {
    WebError::refused(StatusCode::FORBIDDEN, Message::new(what))
}

/// Makes the account and logs in, or shows the form again with the name that was typed.
pub async fn register(State(state): State<AppState>, visit: Visit, fields: Fields) -> Result<Response, WebError> {
    let next = local_address(fields.get("next"));
    let invitation = fields.trimmed("invitation");
    let made = match credentials(&fields) {
        Ok((name, password)) => match state.service.register_with(&name, "", &password, invitation, visit.now).await {
            Ok(account) => Ok(account),
            Err(error) => Err(refusal(error)?),
        },
        Err(message) => Err(message),
    };
    match made {
        Ok(account) => {
            let token = state.service.begin_session(account, visit.now).await;
            Ok(welcome(&state, &token.map_err(WebError::internal)?, next))
        }
        Err(error) => {
            let name = fields.trimmed("name");
            Ok(page(&state, &visit, &Purpose::register(invitation), Some(&error), name, next)?.into_response())
        }
    }
}

/// A name and a password that can be used, or why not.
pub(super) fn credentials(fields: &Fields) -> Result<(UserName, NewPassword), Message> {
    let name = fields.trimmed("name").parse().map_err(|_| Message::new("register-name"))?;
    let password = fields.get("password").parse().map_err(|_| Message::new("register-password"))?;
    if fields.get("password") != fields.get("again") {
        return Err(Message::new("register-differ"));
    }
    Ok((name, password))
}

/// Why the account was not made, for the form; our own faults go on as errors.
pub(super) fn refusal(error: AccountError) -> Result<Message, WebError> {
    match error {
        AccountError::NameTaken(name) => Ok(Message::new("register-taken").with("name", name.as_str())),
        AccountError::LooksLike(name) => Ok(Message::new("register-looks-like").with("name", name)),
        AccountError::BadDisplayName => Ok(Message::new("register-name")),
        AccountError::LinkUsedUp | AccountError::HasAdmin => Ok(Message::new("setup-gone")),
        AccountError::RegistrationClosed => Err(shut("register-closed")),
        AccountError::InvitationGone => Err(shut("register-invitation-gone")),
        other => Err(WebError::internal(other)),
    }
}

pub(super) fn page(
    state: &AppState,
    visit: &Visit,
    purpose: &Purpose,
    error: Option<&Message>,
    name: &str,
    next: &str,
) -> Result<FormPage, WebError> {
    let page = RegisterPage {
        frame: visit.frame(state, Section::None),
        heading: visit.lang.text(purpose.heading).into_owned(),
        lead: purpose.lead.map(|lead| visit.lang.text(lead).into_owned()),
        action: purpose.action.clone(),
        error: error.map(|error| visit.lang.say(error)),
        name: name.to_owned(),
        next: next.to_owned(),
        invitation: purpose.invitation.clone(),
    };
    let status = if error.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    Ok((status, Html(page.render()?)))
}
