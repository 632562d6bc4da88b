//! `/admin/problems/{slug}`: the tests in force, with sizes and hashes, and the ones that were proposed. Must not know:
//! what is in a test.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Html;

use crate::domain::account::Role;
use crate::domain::hash::Sha256;
use crate::domain::ids::ProposalId;
use crate::domain::time::EpochMs;
use crate::store::problem::{self, ProblemPage};
use crate::store::proposal::{self, Proposal, ProposalState};
use crate::store::rejudging;
use crate::store::test_case::{self, TestCase, TestOrigin};
use crate::web::error::{Next, WebError};
use crate::web::extract::Visit;
use crate::web::i18n::Message;
use crate::web::pages::Page;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};

/// How many proposals are listed, newest first.
const PROPOSALS: u32 = 50;

#[derive(Template)]
#[template(path = "pages/admin/problem.html")]
struct TestsPage {
    frame: Frame,
    slug: String,
    title: String,
    version: u64,
    reason: Option<String>,
    tests: Vec<TestLine>,
    proposals: Vec<ProposalLine>,
    candidates: u32,
}

struct TestLine {
    ordinal: u32,
    name: String,
    sample: bool,
    group: String,
    origin: Message,
    recipe: Option<String>,
    input_bytes: u64,
    input_sha256: Sha256,
    answer_bytes: u64,
    answer_sha256: Sha256,
}

struct ProposalLine {
    id: ProposalId,
    name: String,
    state: Message,
    tone: &'static str,
    input_bytes: u64,
    created: EpochMs,
}

impl From<TestCase> for TestLine {
    fn from(test: TestCase) -> Self {
        let origin = match test.origin {
            TestOrigin::File => "origin-file",
            TestOrigin::Generated => "origin-generated",
            TestOrigin::Added => "origin-added",
        };
        Self {
            ordinal: test.ordinal,
            name: test.name,
            sample: test.sample,
            group: test.group,
            origin: Message::new(origin),
            recipe: test.recipe,
            input_bytes: test.input_bytes,
            input_sha256: test.input_sha256,
            answer_bytes: test.answer_bytes,
            answer_sha256: test.answer_sha256,
        }
    }
}

impl From<Proposal> for ProposalLine {
    fn from(proposal: Proposal) -> Self {
        let (state, tone) = state_words(proposal.state);
        Self {
            id: proposal.id,
            name: proposal.name,
            state,
            tone,
            input_bytes: proposal.input_bytes,
            created: proposal.created,
        }
    }
}

/// A proposal's state and the tone of its badge.
pub(super) const fn state_words(state: ProposalState) -> (Message, &'static str) {
    match state {
        ProposalState::Queued => (Message::new("proposal-queued"), "busy"),
        ProposalState::Accepted => (Message::new("proposal-accepted"), "good"),
        ProposalState::Refused => (Message::new("proposal-refused"), "bad"),
    }
}

/// The problem with this slug, if a version of it is ready; else a sentence that leads back to the list.
pub(super) async fn find(state: &AppState, visit: &Visit, slug: &str) -> Result<(ProblemPage, String), WebError> {
    let Some(found) = problem::page(state.store().read(), slug).await? else {
        let known = problem::by_slug(state.store().read(), slug).await?.is_some();
        let what = if known {
            Message::new("test-not-ready")
        } else {
            Message::new("error-no-problem").with("slug", slug.chars().take(80).collect::<String>())
        };
        return Err(WebError::not_found(what, Next::admin()));
    };
    let title = found.names.in_language(visit.lang.code()).unwrap_or(slug).to_owned();
    Ok((found, title))
}

/// Shows the tests.
pub async fn show(State(state): State<AppState>, visit: Visit, Path(slug): Path<String>) -> Result<Page, WebError> {
    visit.at_least(Role::Setter)?;
    let (found, title) = find(&state, &visit, &slug).await?;
    let read = state.store().read();
    let set = test_case::sets(read, found.id).await?.into_iter().find(|set| set.id == found.test_set_id);
    let page = TestsPage {
        title,
        version: set.as_ref().map_or(0, |set| set.version),
        reason: set.map(|set| set.reason),
        tests: test_case::list(read, found.test_set_id).await?.into_iter().map(TestLine::from).collect(),
        proposals: proposal::list(read, found.id, PROPOSALS).await?.into_iter().map(ProposalLine::from).collect(),
        candidates: rejudging::outdated(read, found.id).await?,
        slug,
        frame: visit.frame(&state, Section::Admin),
    };
    Ok(Html(page.render()?))
}
