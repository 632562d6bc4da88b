//! `/admin/problems/{slug}/tests/new`: add a test by its input alone. A refused form comes back as it was, with the
//! reason. Must not know: how a test is validated and answered.

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::problem::find;
use super::proposal::found;
use super::refusals;
use crate::domain::account::Role;
use crate::domain::ids::ProposalId;
use crate::service::Actor;
use crate::service::test_cases::{MAX_INPUT_BYTES, NewTest};
use crate::store::blob;
use crate::store::proposal::Proposal;
use crate::web::error::WebError;
use crate::web::extract::upload::{Refusal, pasted};
use crate::web::extract::{LargeUpload, Visit};
use crate::web::i18n::Message;
use crate::web::pages::FormPage;
use crate::web::state::AppState;
use crate::web::view::format;
use crate::web::view::frame::{Frame, Section};

/// The largest input that a form is filled with, bytes. A larger one would be edited in a tool of its own.
const MAX_SHOWN: u64 = 64 * 1024;

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
    /// The proposal whose input can only be downloaded.
    too_large: Option<ProposalId>,
}

/// What a form holds.
#[derive(Default)]
struct Draft {
    name: String,
    input: String,
    sample: bool,
    too_large: Option<ProposalId>,
}

impl Draft {
    /// What was proposed, to be mended; the input is given if it is small. A text area can't hold bytes that are no text,
    /// nor tell line ends apart.
    fn of(proposal: Proposal, input: Vec<u8>) -> Self {
        let small = input.len() as u64 == proposal.input_bytes && !input.contains(&b'\r') && !input.contains(&0);
        let text = small.then(|| String::from_utf8(input).ok()).flatten();
        let too_large = text.is_none().then_some(proposal.id);
        Self { name: proposal.name, input: text.unwrap_or_default(), sample: proposal.sample, too_large }
    }
}

/// Which proposal is mended.
#[derive(Debug, Default, serde::Deserialize)]
pub struct From {
    /// Its id.
    pub from: Option<String>,
}

/// The empty form, or a proposed test to be mended.
pub async fn form(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    Query(From { from }): Query<From>,
) -> Result<FormPage, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    let draft = match from {
        Some(id) => {
            let proposal = found(&state, actor, &id).await?;
            let input = match proposal.input_sha256 {
                Some(input) if proposal.input_bytes <= MAX_SHOWN => blob::read(state.store().read(), input).await?,
                _ => Vec::new(),
            };
            Draft::of(proposal, input)
        }
        None => Draft::default(),
    };
    let title = find(&state, &visit, &slug).await?.1;
    page(&state, &visit, slug, title, draft, None)
}

/// Offers the test, or shows the form again.
pub async fn add(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    upload: LargeUpload,
) -> Result<Response, WebError> {
    let draft = Draft {
        too_large: None,
        name: upload.fields.trimmed("name").to_owned(),
        input: pasted(upload.fields.get("input")),
        sample: upload.fields.ticked("sample"),
    };
    // A session can end while somebody writes: the test comes back, with what to do, and nothing of the problem.
    let actor = match visit.at_least(Role::Setter) {
        Err(WebError::LogInFirst) => {
            let refusal = Refusal::new(StatusCode::UNAUTHORIZED, Message::new("error-log-in"));
            return Ok(page(&state, &visit, slug.clone(), slug, draft, Some(refusal))?.into_response());
        }
        actor => actor?,
    };
    match offer(&state, &visit, actor, &slug, &draft, upload).await? {
        Ok(id) => Ok(Redirect::to(&format!("/admin/proposals/{id}")).into_response()),
        Err(refusal) => {
            let title = find(&state, &visit, &slug).await?.1;
            Ok(page(&state, &visit, slug, title, draft, Some(refusal))?.into_response())
        }
    }
}

async fn offer(
    state: &AppState,
    visit: &Visit,
    actor: &Actor,
    slug: &str,
    draft: &Draft,
    upload: LargeUpload,
) -> Result<Result<ProposalId, Refusal>, WebError> {
    if let Some(problem) = upload.problem {
        return Ok(Err(problem));
    }
    let file = upload.files.into_iter().next();
    let input = file.map_or_else(|| draft.input.clone().into_bytes().into(), |file| file.contents.into());
    let test = NewTest { name: draft.name.clone(), input, sample: draft.sample };
    match state.service.add_test_case(actor, slug, test, visit.now).await {
        Ok(id) => Ok(Ok(id)),
        Err(error) => refusals::of_added(error).map(Err),
    }
}

fn page(
    state: &AppState,
    visit: &Visit,
    slug: String,
    title: String,
    draft: Draft,
    refusal: Option<Refusal>,
) -> Result<FormPage, WebError> {
    let status = refusal.as_ref().map_or(StatusCode::OK, |refusal| refusal.status);
    let page = NewTestPage {
        frame: visit.frame(state, Section::Admin),
        slug,
        title,
        error: refusal.map(|refusal| visit.lang.say(&refusal.message)),
        name: draft.name,
        input: draft.input,
        sample: draft.sample,
        too_large: draft.too_large,
        max_input: format::bytes(MAX_INPUT_BYTES as u64),
    };
    Ok((status, Html(page.render()?)))
}
