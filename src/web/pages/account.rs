//! `/account`: who one is here, and one's API tokens. A new token is shown once, on the answer to the form that made it.
//! Must not know: how tokens are kept.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::Page;
use crate::domain::ids::ApiTokenId;
use crate::service::api_tokens::{MAX_NAME, MAX_TOKENS, TokenError};
use crate::store::api_token::{ApiToken, Scopes};
use crate::web::error::WebError;
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "pages/account.html")]
struct AccountPage {
    frame: Frame,
    name: String,
    role: String,
    error: Option<String>,
    made: Option<String>,
    tokens: Vec<ApiToken>,
    typed: String,
    scopes: Scopes,
    /// Whether the second step concerns this account.
    second_step: bool,
}

/// What a fresh form holds.
const BOTH: Scopes = Scopes { read: true, submit: true, manage: false };

/// What the tokens' form comes back with.
struct Form {
    error: Option<Message>,
    made: Option<String>,
    typed: String,
    scopes: Scopes,
}

async fn page(state: &AppState, visit: &Visit, form: Form) -> Result<Page, WebError> {
    let actor = visit.signed_in()?;
    let own = state.service.own_second_step(actor).await?;
    let page = AccountPage {
        frame: visit.frame(state, Section::Account),
        name: actor.name.clone(),
        role: visit.lang.say(&role(actor.role)),
        error: form.error.map(|error| visit.lang.say(&error)),
        made: form.made,
        tokens: state.service.api_tokens(actor).await?,
        typed: form.typed,
        scopes: form.scopes,
        second_step: own.is_staff || own.since.is_some(),
    };
    Ok(Html(page.render()?))
}

const fn role(role: crate::domain::account::Role) -> Message {
    use crate::domain::account::Role;
    Message::new(match role {
        Role::Contestant => "role-contestant",
        Role::Setter => "role-setter",
        Role::Judge => "role-judge",
        Role::Admin => "role-admin",
    })
}

/// Shows it.
pub async fn show(State(state): State<AppState>, visit: Visit) -> Result<Page, WebError> {
    page(&state, &visit, Form { error: None, made: None, typed: String::new(), scopes: BOTH }).await
}

/// Makes a token and shows it, or shows the form again.
pub async fn create_token(State(state): State<AppState>, visit: Visit, fields: Fields) -> Result<Response, WebError> {
    let actor = visit.signed_in()?;
    let scopes = Scopes {
        read: fields.ticked("may_read"),
        submit: fields.ticked("may_submit"),
        manage: fields.ticked("may_manage"),
    };
    let typed = fields.trimmed("name");
    let form = match state.service.create_token(actor, typed, scopes, visit.now).await {
        Ok(token) => Form { error: None, made: Some(token), typed: String::new(), scopes: BOTH },
        Err(error) => Form { error: Some(refusal(error)?), made: None, typed: typed.to_owned(), scopes },
    };
    let status = if form.error.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let mut response = (status, page(&state, &visit, form).await?).into_response();
    // The token must not come back out of a browser's memory.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

fn refusal(error: TokenError) -> Result<Message, WebError> {
    match error {
        TokenError::BadName => Ok(Message::new("token-bad-name").with("limit", MAX_NAME)),
        TokenError::NotStaff => Ok(Message::new("token-not-staff")),
        TokenError::NoScope => Ok(Message::new("token-no-scope")),
        TokenError::TooMany => Ok(Message::new("token-too-many").with("limit", MAX_TOKENS)),
        error @ (TokenError::Random(_) | TokenError::Store(_)) => Err(WebError::internal(error)),
    }
}

/// Ends a token; one that is gone already is no fault.
pub async fn revoke_token(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    _fields: Fields,
) -> Result<Redirect, WebError> {
    let actor = visit.signed_in()?;
    if let Ok(id) = id.parse::<ApiTokenId>() {
        state.service.revoke_token(actor, id, visit.now).await?;
    }
    Ok(Redirect::to("/account#tokens"))
}
