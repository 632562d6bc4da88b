//! `/admin/proposals/{id}`: what became of a test that was added by its input. Must not know: how it is answered.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::{Html, Response};

use super::problem::state_words;
use crate::domain::account::Role;
use crate::domain::ids::ProposalId;
use crate::domain::time::EpochMs;
use crate::service::Actor;
use crate::service::test_cases::AddTestError;
use crate::store::problem;
use crate::store::proposal::{self, Proposal, ProposalState};
use crate::store::rejudging;
use crate::web::error::{Next, WebError};
use crate::web::extract::Visit;
use crate::web::i18n::Message;
use crate::web::pages::Page;
use crate::web::sending;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "pages/admin/proposal.html")]
struct ProposalPage {
    frame: Frame,
    id: ProposalId,
    slug: String,
    title: String,
    name: String,
    input_bytes: u64,
    created: EpochMs,
    being_verified: bool,
    accepted: bool,
    refused: bool,
    kind: &'static str,
    icon: &'static str,
    state: Message,
    what: Message,
    message: Option<String>,
    difference: Option<String>,
    candidates: u32,
}

impl ProposalPage {
    /// Whether something is still to be decided.
    fn waiting(&self) -> bool {
        self.kind == "waiting"
    }
}

/// Shows the proposal; the page follows it while it is being checked.
pub async fn show(State(state): State<AppState>, visit: Visit, Path(id): Path<String>) -> Result<Page, WebError> {
    visit.at_least(Role::Setter)?;
    let read = state.store().read();
    let id: ProposalId = id.parse().map_err(|_| missing())?;
    let found = proposal::by_id(read, id).await?.ok_or_else(missing)?;
    let problem = problem::by_id(read, found.problem_id).await?.ok_or_else(missing)?;
    let names = problem::page(read, problem.slug.as_str()).await?.map(|page| page.names).unwrap_or_default();
    let (kind, icon, what) = match found.state {
        ProposalState::Accepted if found.waits => ("waiting", "pending", "proposal-waits-what"),
        ProposalState::Queued => ("waiting", "pending", "proposal-queued-what"),
        ProposalState::Accepted => ("done", "ac", "proposal-accepted-what"),
        ProposalState::Refused => ("problem", "wa", "proposal-refused-what"),
    };
    let page = ProposalPage {
        frame: visit.frame(&state, Section::Admin),
        id,
        title: names.in_language(visit.lang.code()).unwrap_or(problem.slug.as_str()).to_owned(),
        slug: problem.slug.to_string(),
        name: found.name,
        input_bytes: found.input_bytes,
        created: found.created,
        being_verified: found.waits,
        accepted: found.state == ProposalState::Accepted && !found.waits,
        refused: found.state == ProposalState::Refused,
        kind,
        icon,
        state: state_words(found.state, found.waits).0,
        what: Message::new(what),
        message: found.message,
        difference: found.difference,
        candidates: rejudging::outdated(read, found.problem_id).await?,
    };
    Ok(Html(page.render()?))
}

/// The proposed input as it was sent.
pub async fn input(State(state): State<AppState>, visit: Visit, Path(id): Path<String>) -> Result<Response, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    let proposal = found(&state, actor, &id).await?;
    let input = proposal.input_sha256.ok_or_else(missing)?;
    Ok(sending::stored(&state, "input.txt", input, proposal.input_bytes))
}

/// The proposal of this number.
pub(super) async fn found(state: &AppState, actor: &Actor, id: &str) -> Result<Proposal, WebError> {
    let id: ProposalId = id.parse().map_err(|_| missing())?;
    match state.service.proposal(actor, id).await {
        Ok(found) => found.ok_or_else(missing),
        Err(AddTestError::Forbidden(error)) => Err(error.into()),
        Err(error) => Err(WebError::internal(error)),
    }
}

fn missing() -> WebError {
    WebError::not_found(Message::new("error-no-proposal"), Next::admin())
}
