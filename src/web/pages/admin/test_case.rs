//! `/admin/problems/{slug}/tests/{id}`: one test: what it holds, which wrong programs it rejects, and forms to change it.
//! A test of an earlier version is shown too, but can't be changed. Must not know: what follows from a change.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::problem::{find, kills_of};
use super::refusals;
use crate::domain::account::Role;
use crate::domain::hash::Sha256;
use crate::domain::ids::{TestCaseId, TestSetId};
use crate::service::test_changes::TestChange;
use crate::store::test_case::{self, TestCase};
use crate::store::{blob, waiting_tests};
use crate::web::error::{Next, WebError};
use crate::web::extract::upload::{Refusal, pasted};
use crate::web::extract::{Fields, LargeUpload, Visit};
use crate::web::i18n::Message;
use crate::web::pages::FormPage;
use crate::web::sending;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};

/// The most of an input or answer that is shown, bytes. A larger input is edited in a tool of its own.
const SHOWN: usize = 16 * 1024;

#[derive(Template)]
#[template(path = "pages/admin/test.html")]
struct TestPage {
    frame: Frame,
    slug: String,
    title: String,
    error: Option<String>,
    test: TestCase,
    /// Where it comes from.
    origin: Message,
    version: u64,
    /// Whether it is one of the newest tests, which alone are changed.
    newest: bool,
    count: usize,
    input: Shown,
    answer: Shown,
    kills: Option<Vec<String>>,
    /// What is in the form: what was typed, else the input itself if it can be edited in a text area.
    draft: Option<String>,
}

/// The beginning of a file.
struct Shown {
    text: String,
    cut: bool,
}

impl Shown {
    fn of(head: &[u8], bytes: u64) -> Self {
        let cut = bytes > head.len() as u64;
        Self { text: String::from_utf8_lossy(head).into_owned(), cut }
    }
}

fn missing() -> WebError {
    WebError::not_found(Message::new("error-no-test"), Next::admin())
}

struct Found {
    problem: crate::store::problem::ProblemPage,
    title: String,
    test: TestCase,
    version: u64,
    /// The newest tests: in force, or waiting for their verification.
    top: TestSetId,
    newest: bool,
}

async fn found(state: &AppState, visit: &Visit, slug: &str, id: &str) -> Result<Found, WebError> {
    visit.at_least(Role::Setter)?;
    let (problem, title) = find(state, visit, slug).await?;
    let id: TestCaseId = id.parse().map_err(|_| missing())?;
    let read = state.store().read();
    let (set, of) = test_case::place(read, id).await?.ok_or_else(missing)?;
    if of != problem.id {
        return Err(missing());
    }
    let test = test_case::by_id(read, id).await?.ok_or_else(missing)?;
    let version = test_case::version(read, set).await?;
    let top = waiting_tests::top(read, problem.id).await?.unwrap_or(problem.test_set_id);
    Ok(Found { newest: set == top, top, problem, title, test, version })
}

/// The test of this name among the newest; the same one, if there is none.
async fn as_it_is_now(state: &AppState, found: Found) -> Result<Found, WebError> {
    let (read, top) = (state.store().read(), found.top);
    let now = test_case::list(read, top).await?.into_iter().find(|test| test.name == found.test.name);
    let Some(test) = now else { return Ok(found) };
    Ok(Found { test, version: test_case::version(read, top).await?, newest: true, ..found })
}

async fn page(
    state: &AppState,
    visit: &Visit,
    found: Found,
    typed: Option<String>,
    refusal: Option<Refusal>,
) -> Result<FormPage, WebError> {
    let status = refusal.as_ref().map_or(StatusCode::OK, |refusal| refusal.status);
    let read = state.store().read();
    let Found { problem, title, test, version, top, newest } = found;
    let input = blob::head(read, test.input_sha256, SHOWN).await?;
    let answer = blob::head(read, test.answer_sha256, SHOWN).await?;
    let whole = input.len() as u64 == test.input_bytes && !input.contains(&b'\r') && !input.contains(&0);
    let editable = whole.then(|| String::from_utf8(input.clone()).ok()).flatten();
    let actor = visit.at_least(Role::Setter)?;
    let page = TestPage {
        slug: problem.slug.to_string(),
        title,
        error: refusal.map(|refusal| visit.lang.say(&refusal.message)),
        origin: super::problem::origin_words(test.origin),
        version,
        newest,
        count: test_case::list(read, top).await?.len(),
        input: Shown::of(&input, test.input_bytes),
        answer: Shown::of(&answer, test.answer_bytes),
        kills: kills_of(state, actor, problem.slug.as_str()).await?.map(|kills| kills.of(&test.name)),
        draft: typed.or(editable),
        test,
        frame: visit.frame(state, Section::Admin),
    };
    Ok((status, Html(page.render()?)))
}

/// Shows it.
pub async fn show(
    State(state): State<AppState>,
    visit: Visit,
    Path((slug, id)): Path<(String, String)>,
) -> Result<FormPage, WebError> {
    let found = found(&state, &visit, &slug, &id).await?;
    page(&state, &visit, found, None, None).await
}

/// Moves it, puts it in a group, makes it a sample or not, or takes it out.
pub async fn change(
    State(state): State<AppState>,
    visit: Visit,
    Path((slug, id)): Path<(String, String)>,
    fields: Fields,
) -> Result<Response, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    let found = found(&state, &visit, &slug, &id).await?;
    let form = || WebError::refused(StatusCode::UNPROCESSABLE_ENTITY, Message::new("error-form"));
    let change = match fields.trimmed("change") {
        "move" => TestChange::Move(fields.trimmed("place").parse().unwrap_or_default()),
        "group" => TestChange::Group(fields.trimmed("group").to_owned()),
        "sample" => TestChange::Sample(true),
        "secret" => TestChange::Sample(false),
        "delete" => TestChange::Delete,
        _ => return Err(form()),
    };
    let version = fields.trimmed("version").parse().map_err(|_| form())?;
    let place = (found.test.name.as_str(), version);
    match state.service.change_test(actor, &slug, place, change, fields.get("reason"), visit.now).await {
        Ok(_) => Ok(Redirect::to(&format!("/admin/problems/{slug}#tests")).into_response()),
        Err(error) => {
            let refusal = refusals::of_changed(error)?;
            Ok(page(&state, &visit, found, None, Some(refusal)).await?.into_response())
        }
    }
}

/// Offers another input in its place.
pub async fn edit(
    State(state): State<AppState>,
    visit: Visit,
    Path((slug, id)): Path<(String, String)>,
    upload: LargeUpload,
) -> Result<Response, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    let found = found(&state, &visit, &slug, &id).await?;
    let typed = pasted(upload.fields.get("input"));
    let version = upload.fields.trimmed("version").parse().unwrap_or_default();
    let offered = if let Some(refusal) = upload.problem {
        Err(refusal)
    } else {
        let file = upload.files.into_iter().next();
        let input = file.map_or_else(|| typed.clone().into_bytes().into(), |file| file.contents.into());
        let edited = (found.test.name.as_str(), version);
        match state.service.edit_test_case(actor, &slug, edited, input, visit.now).await {
            Ok(id) => Ok(id),
            Err(error) => Err(refusals::of_added(error)?),
        }
    };
    match offered {
        Ok(id) => Ok(Redirect::to(&format!("/admin/proposals/{id}")).into_response()),
        Err(refusal) => {
            // What was typed comes back beside the test as it is now, so that it can be sent again.
            let found = as_it_is_now(&state, found).await?;
            Ok(page(&state, &visit, found, Some(typed), Some(refusal)).await?.into_response())
        }
    }
}

/// The whole input, as it is.
pub async fn input(
    State(state): State<AppState>,
    visit: Visit,
    Path((slug, id)): Path<(String, String)>,
) -> Result<Response, WebError> {
    let Found { test, .. } = found(&state, &visit, &slug, &id).await?;
    Ok(stream(&state, &test.name, "in", test.input_sha256, test.input_bytes))
}

/// The whole answer, as it is.
pub async fn answer(
    State(state): State<AppState>,
    visit: Visit,
    Path((slug, id)): Path<(String, String)>,
) -> Result<Response, WebError> {
    let Found { test, .. } = found(&state, &visit, &slug, &id).await?;
    Ok(stream(&state, &test.name, "ans", test.answer_sha256, test.answer_bytes))
}

fn stream(state: &AppState, test: &str, ending: &str, sha256: Sha256, bytes: u64) -> Response {
    let stem = test.rsplit('/').next().unwrap_or(test);
    sending::stored(state, &format!("{stem}.{ending}"), sha256, bytes)
}
