//! `/admin/problems/{slug}/tests/new`: add a test by its input alone. A refused form comes back as it was, with the
//! reason. Must not know: how a test is validated and answered.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::problem::find;
use crate::domain::account::Role;
use crate::domain::ids::ProposalId;
use crate::service::Actor;
use crate::service::test_cases::{AddTestError, MAX_INPUT_BYTES, NewTest};
use crate::web::error::WebError;
use crate::web::extract::upload::{Refusal, pasted};
use crate::web::extract::{Upload, Visit};
use crate::web::i18n::Message;
use crate::web::pages::FormPage;
use crate::web::state::AppState;
use crate::web::view::format;
use crate::web::view::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "pages/admin/test-new.html")]
struct NewTestPage {
    frame: Frame,
    slug: String,
    title: String,
    error: Option<String>,
    name: String,
    input: String,
    sample: bool,
    max_input: String,
}

/// What a form holds.
#[derive(Default)]
struct Draft {
    name: String,
    input: String,
    sample: bool,
}

/// The empty form.
pub async fn form(State(state): State<AppState>, visit: Visit, Path(slug): Path<String>) -> Result<FormPage, WebError> {
    visit.at_least(Role::Setter)?;
    page(&state, &visit, slug, Draft::default(), None).await
}

/// Offers the test, or shows the form again.
pub async fn add(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    upload: Upload,
) -> Result<Response, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    let draft = Draft {
        name: upload.fields.trimmed("name").to_owned(),
        input: pasted(upload.fields.get("input")),
        sample: upload.fields.ticked("sample"),
    };
    match offer(&state, &visit, actor, &slug, &draft, upload).await? {
        Ok(id) => Ok(Redirect::to(&format!("/admin/proposals/{id}")).into_response()),
        Err(refusal) => Ok(page(&state, &visit, slug, draft, Some(refusal)).await?.into_response()),
    }
}

async fn offer(
    state: &AppState,
    visit: &Visit,
    actor: &Actor,
    slug: &str,
    draft: &Draft,
    upload: Upload,
) -> Result<Result<ProposalId, Refusal>, WebError> {
    if let Some(problem) = upload.problem {
        return Ok(Err(problem));
    }
    let input = upload.file.map_or_else(|| draft.input.clone().into_bytes(), |file| file.contents);
    let test = NewTest { name: draft.name.clone(), input, sample: draft.sample };
    match state.service.add_test_case(actor, slug, test, visit.now).await {
        Ok(id) => Ok(Ok(id)),
        Err(error) => refusal(error).map(Err),
    }
}

/// Why it was not taken, for the form; our own faults go on as errors.
fn refusal(error: AddTestError) -> Result<Refusal, WebError> {
    let (status, message) = match error {
        AddTestError::Forbidden(error) => return Err(error.into()),
        error @ AddTestError::Store(_) => return Err(WebError::internal(error)),
        AddTestError::NoSuchProblem(slug) => {
            (StatusCode::NOT_FOUND, Message::new("error-no-problem").with("slug", slug))
        }
        AddTestError::NotReady(_) => (StatusCode::CONFLICT, Message::new("test-not-ready")),
        AddTestError::Empty => (StatusCode::UNPROCESSABLE_ENTITY, Message::new("test-input-missing")),
        AddTestError::TooLarge { bytes } => {
            let message = Message::new("test-input-too-large").with("size", format::bytes(bytes as u64));
            (StatusCode::PAYLOAD_TOO_LARGE, message.with("limit", format::bytes(MAX_INPUT_BYTES as u64)))
        }
        AddTestError::BadName => (StatusCode::UNPROCESSABLE_ENTITY, Message::new("test-name-bad")),
        AddTestError::NameTaken(name) => (StatusCode::CONFLICT, Message::new("test-name-taken").with("name", name)),
        AddTestError::SameInput(name) => (StatusCode::CONFLICT, Message::new("test-same-input").with("name", name)),
    };
    Ok(Refusal::new(status, message))
}

async fn page(
    state: &AppState,
    visit: &Visit,
    slug: String,
    draft: Draft,
    refusal: Option<Refusal>,
) -> Result<FormPage, WebError> {
    let (_, title) = find(state, visit, &slug).await?;
    let status = refusal.as_ref().map_or(StatusCode::OK, |refusal| refusal.status);
    let page = NewTestPage {
        frame: visit.frame(state, Section::Admin),
        slug,
        title,
        error: refusal.map(|refusal| visit.lang.say(&refusal.message)),
        name: draft.name,
        input: draft.input,
        sample: draft.sample,
        max_input: format::bytes(MAX_INPUT_BYTES as u64),
    };
    Ok((status, Html(page.render()?)))
}
