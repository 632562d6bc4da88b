//! `/admin/registration`: who may register, and invitations. An invitation's link is shown once, on the answer to the
//! form that made it. Must not know: how tokens are kept.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::people::unkept;
use crate::domain::account::Role;
use crate::domain::ids::InvitationId;
use crate::domain::time::EpochMs;
use crate::service::registration::{InvitationError, MAX_DAYS, MAX_NOTE, MAX_PLACES, Registration};
use crate::store::invitation::Invitation;
use crate::web::error::WebError;
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::pages::FormPage;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};

/// Invitations that are listed, the newest.
const LISTED: u32 = 100;

#[derive(Template)]
#[template(path = "pages/admin/registration.html")]
struct RegistrationPage {
    frame: Frame,
    error: Option<String>,
    link: Option<String>,
    kinds: Vec<KindChoice>,
    current: &'static str,
    invitations: Vec<Line>,
    max_places: u32,
    max_days: u32,
    max_note: usize,
}

struct KindChoice {
    value: &'static str,
    name: Message,
    hint: Message,
    selected: bool,
}

struct Line {
    row: Invitation,
    open: bool,
    state: Message,
}

impl Line {
    fn new(row: Invitation, now: EpochMs) -> Self {
        let (open, state) = if row.revoked.is_some() {
            (false, "invitation-revoked")
        } else if row.expires <= now {
            (false, "invitation-expired")
        } else if row.used >= row.places {
            (false, "invitation-full")
        } else {
            (true, "invitation-open")
        };
        Self { row, open, state: Message::new(state) }
    }
}

/// Shows the page.
pub async fn show(State(state): State<AppState>, visit: Visit) -> Result<FormPage, WebError> {
    page(&state, &visit, None, None).await
}

async fn page(
    state: &AppState,
    visit: &Visit,
    link: Option<String>,
    error: Option<(StatusCode, Message)>,
) -> Result<FormPage, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let current = state.service.registration().await?;
    let kinds = Registration::ALL.map(|kind| {
        let (name, hint) = match kind {
            Registration::Open => ("registration-open", "registration-open-hint"),
            Registration::Invitation => ("registration-invitation", "registration-invitation-hint"),
            Registration::Closed => ("registration-closed", "registration-closed-hint"),
        };
        let (name, hint) = (Message::new(name), Message::new(hint));
        KindChoice { value: kind.as_str(), name, hint, selected: kind == current }
    });
    let rows = state.service.invitations(Some(admin), LISTED).await.map_err(as_page)?;
    let page = RegistrationPage {
        frame: visit.frame(state, Section::Admin),
        error: error.as_ref().map(|(_, message)| visit.lang.say(message)),
        link,
        kinds: kinds.into_iter().collect(),
        current: current.as_str(),
        invitations: rows.into_iter().map(|row| Line::new(row, visit.now)).collect(),
        max_places: MAX_PLACES,
        max_days: MAX_DAYS,
        max_note: MAX_NOTE,
    };
    Ok((error.map_or(StatusCode::OK, |(status, _)| status), Html(page.render()?)))
}

/// Sets who may register, if it is still as the form showed.
pub async fn set(State(state): State<AppState>, visit: Visit, fields: Fields) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let (Ok(seen), Ok(new)) = (fields.get("seen").parse(), fields.get("registration").parse()) else {
        return Err(WebError::refused(StatusCode::UNPROCESSABLE_ENTITY, Message::new("error-form")));
    };
    match state.service.set_registration(Some(admin), Some(seen), new, visit.now).await {
        Ok(()) => Ok(Redirect::to("/admin/registration").into_response()),
        Err(error) => refused(&state, &visit, error).await,
    }
}

/// Makes an invitation, and shows its link this once.
pub async fn invite(State(state): State<AppState>, visit: Visit, fields: Fields) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    // What is no number is as wrong as 0.
    let number = |name: &str| fields.trimmed(name).parse().unwrap_or(0);
    let made = state.service.invite(Some(admin), fields.get("note"), number("places"), number("days"), visit.now).await;
    match made {
        Ok((_, token)) => {
            let link = format!("{}/register?invitation={token}", visit.site);
            Ok(unkept(page(&state, &visit, Some(link), None).await?))
        }
        Err(error) => refused(&state, &visit, error).await,
    }
}

/// Takes one back.
pub async fn revoke(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    _fields: Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let done = match id.parse::<InvitationId>() {
        Ok(id) => state.service.revoke_invitation(Some(admin), id, visit.now).await,
        Err(_) => Err(InvitationError::NoSuchInvitation),
    };
    match done {
        Ok(()) => Ok(Redirect::to("/admin/registration").into_response()),
        Err(error) => refused(&state, &visit, error).await,
    }
}

async fn refused(state: &AppState, visit: &Visit, error: InvitationError) -> Result<Response, WebError> {
    let refusal = match error {
        InvitationError::BadInvitation => {
            let message = Message::new("invitation-bad").with("places", MAX_PLACES).with("days", MAX_DAYS);
            (StatusCode::UNPROCESSABLE_ENTITY, message.with("note", MAX_NOTE))
        }
        InvitationError::Changed => (StatusCode::CONFLICT, Message::new("registration-changed")),
        InvitationError::NoSuchInvitation => (StatusCode::NOT_FOUND, Message::new("invitation-gone")),
        error => return Err(as_page(error)),
    };
    Ok(page(state, visit, None, Some(refusal)).await?.into_response())
}

fn as_page(error: InvitationError) -> WebError {
    match error {
        InvitationError::Forbidden(error) => error.into(),
        error => WebError::internal(error),
    }
}
