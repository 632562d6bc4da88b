//! `/account/second-step`: setting up the code that is asked for after the password. The secret and the recovery codes
//! are shown once, on the answers to the forms that made them. Must not know: how codes are made or kept.

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::admin::people::unkept;
use super::log_in_code;
use crate::domain::one_time_code::Secret;
use crate::service::second_step::{OwnSecondStep, SecondStepError};
use crate::service::sessions::LogInError;
use crate::web::error::WebError;
use crate::web::extract::upload::{Refusal, come_back};
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};
use crate::web::view::qr::Qr;

/// Who the codes are for, as an app shows it.
const ISSUER: &str = "Touchstone";

#[derive(Template)]
#[template(path = "pages/second-step.html")]
struct SecondStepPage {
    frame: Frame,
    error: Option<String>,
    own: OwnSecondStep,
    step: Step,
}

/// What the page is about.
enum Step {
    /// How it stands.
    Standing,
    /// A new secret; without one the app has it already and the code was wrong.
    Confirm(Option<Shown>),
    /// New recovery codes.
    Codes(Vec<String>),
}

struct Shown {
    qr: Qr,
    typed: String,
}

async fn page(state: &AppState, visit: &Visit, step: Step, refusal: Option<Refusal>) -> Result<Response, WebError> {
    let actor = visit.signed_in()?;
    let page = SecondStepPage {
        frame: visit.frame(state, Section::Account),
        error: refusal.as_ref().map(|refusal| visit.lang.say(&refusal.message)),
        own: state.service.own_second_step(actor).await?,
        step,
    };
    let status = refusal.as_ref().map_or(StatusCode::OK, |refusal| refusal.status);
    let html = (status, Html(page.render()?));
    match refusal {
        Some(refusal) => Ok(come_back(html, refusal.retry_after)),
        None => Ok(unkept(html)),
    }
}

/// How it stands.
pub async fn show(State(state): State<AppState>, visit: Visit) -> Result<Response, WebError> {
    page(&state, &visit, Step::Standing, None).await
}

/// Makes a secret and shows it.
pub async fn begin(State(state): State<AppState>, visit: Visit, fields: Fields) -> Result<Response, WebError> {
    let actor = visit.signed_in()?;
    match state.service.begin_second_step(actor, fields.get("password"), visit.now).await {
        Ok(secret) => {
            let shown = shown(&secret, &actor.name)?;
            page(&state, &visit, Step::Confirm(Some(shown)), None).await
        }
        Err(error) => page(&state, &visit, Step::Standing, Some(refusal(error)?)).await,
    }
}

fn shown(secret: &Secret, name: &str) -> Result<Shown, WebError> {
    let qr = Qr::of(&secret.address(ISSUER, name)).map_err(WebError::internal)?;
    Ok(Shown { qr, typed: secret.typed() })
}

/// Turns it on when the app's code is right, and shows the recovery codes.
pub async fn confirm(State(state): State<AppState>, visit: Visit, fields: Fields) -> Result<Response, WebError> {
    let actor = visit.signed_in()?;
    let session = visit.session.as_deref().unwrap_or_default();
    match state.service.confirm_second_step(actor, session, fields.trimmed("code"), visit.now).await {
        Ok(codes) => page(&state, &visit, Step::Codes(codes), None).await,
        Err(error @ (SecondStepError::Wrong | SecondStepError::TooMany { .. })) => {
            page(&state, &visit, Step::Confirm(None), Some(refusal(error)?)).await
        }
        Err(error) => page(&state, &visit, Step::Standing, Some(refusal(error)?)).await,
    }
}

/// Makes new recovery codes and shows them.
pub async fn codes(State(state): State<AppState>, visit: Visit, fields: Fields) -> Result<Response, WebError> {
    let actor = visit.signed_in()?;
    match state.service.new_recovery_codes(actor, fields.trimmed("code"), visit.now).await {
        Ok(codes) => page(&state, &visit, Step::Codes(codes), None).await,
        Err(error) => page(&state, &visit, Step::Standing, Some(refusal(error)?)).await,
    }
}

/// Turns it off.
pub async fn end(State(state): State<AppState>, visit: Visit, fields: Fields) -> Result<Response, WebError> {
    let actor = visit.signed_in()?;
    match state.service.end_second_step(actor, fields.trimmed("code"), visit.now).await {
        Ok(()) => Ok(Redirect::to("/account/second-step").into_response()),
        Err(error) => page(&state, &visit, Step::Standing, Some(refusal(error)?)).await,
    }
}

fn refusal(error: SecondStepError) -> Result<Refusal, WebError> {
    let (status, key) = match error {
        SecondStepError::Password(LogInError::Wrong) => {
            (StatusCode::UNPROCESSABLE_ENTITY, "second-step-password-wrong")
        }
        SecondStepError::Password(LogInError::TooMany { retry_after_ms }) => {
            return Ok(Refusal::too_fast("second-step-too-many", retry_after_ms));
        }
        SecondStepError::AlreadyOn => (StatusCode::CONFLICT, "second-step-already-on"),
        SecondStepError::NotBegun => (StatusCode::CONFLICT, "second-step-not-begun"),
        SecondStepError::Must => (StatusCode::CONFLICT, "second-step-must-stay"),
        SecondStepError::Forbidden(error) => return Err(error.into()),
        error => return log_in_code::refusal(error),
    };
    Ok(Refusal::new(status, Message::new(key)))
}
