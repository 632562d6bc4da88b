//! `/problems/{slug}`: statement, samples, limits, and the visitor's own tries. Must not know: secret tests.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Html;

use super::Page;
use crate::domain::ids::SubmissionId;
use crate::domain::limits::Limits;
use crate::domain::time::EpochMs;
use crate::store::package::StatementFormat;
use crate::store::problem::{ProblemPage, ProblemState};
use crate::store::submission::SubmissionFilter;
use crate::store::{blob, picture, test_case};
use crate::web::error::{Next, WebError};
use crate::web::extract::Visit;
use crate::web::i18n::{Lang, Message};
use crate::web::state::{AppState, OfferedLanguage};
use crate::web::view::frame::{Frame, Section};
use crate::web::view::mark::Mark;
use crate::web::view::markdown::{self, SafeHtml};

/// How many of the visitor's tries stand beside the statement.
const TRIES: u32 = 5;
/// The most of a sample that is shown, bytes.
const SAMPLE_BYTES: usize = 8 * 1024;

#[derive(Template)]
#[template(path = "pages/problem.html")]
struct StatementPage {
    frame: Frame,
    slug: String,
    label: Option<String>,
    title: String,
    open: bool,
    statement: Option<Statement>,
    samples: Vec<Sample>,
    limits: Limits,
    tests: u64,
    tries: Vec<Try>,
    languages: Vec<OfferedLanguage>,
}

struct Statement {
    lang: String,
    is_fallback: bool,
    html: SafeHtml,
}

struct Sample {
    input: String,
    output: String,
    /// Whether there is a picture of its input.
    drawn: bool,
}

struct Try {
    id: SubmissionId,
    mark: Mark,
    submitted: EpochMs,
}

/// The problem with this slug, if contestants may know of it.
pub(super) async fn find(state: &AppState, visit: &Visit, slug: &str) -> Result<ProblemPage, WebError> {
    let found = state.service.problem_page(visit.person.as_deref(), slug, visit.now).await?;
    found.ok_or_else(|| no_problem(slug))
}

/// "There is no such problem."
pub(super) fn no_problem(slug: &str) -> WebError {
    let shown: String = slug.chars().take(80).collect();
    WebError::not_found(Message::new("error-no-problem").with("slug", shown), Next::problems())
}

/// Shows the statement.
pub async fn show(State(state): State<AppState>, visit: Visit, Path(slug): Path<String>) -> Result<Page, WebError> {
    let found = find(&state, &visit, &slug).await?;
    let places = state.service.contest_problems(visit.person.as_deref(), &visit.contest, visit.now).await?;
    let samples = test_case::samples(state.store().read(), found.test_set_id).await?;
    let pictures = picture::of_samples(state.store().read(), found.package_id, found.test_set_id).await?;
    let page = StatementPage {
        label: places.into_iter().find(|place| place.problem_id == found.id).map(|place| place.label),
        title: found.names.in_language(visit.lang.code()).unwrap_or(&slug).to_owned(),
        open: found.state == ProblemState::Published,
        statement: statement(&state, &found, visit.lang, &visit.base()).await?,
        samples: samples
            .iter()
            .zip(pictures.into_iter().map(|picture| picture.is_some()).chain(std::iter::repeat(false)))
            .map(|(sample, drawn)| Sample { input: text(&sample.input), output: text(&sample.answer), drawn })
            .collect(),
        limits: found.limits,
        tests: found.tests,
        tries: tries(&state, &visit, &found).await?,
        languages: state.languages_in(&visit.contest, found.languages.as_ref()),
        slug,
        frame: visit.frame(&state, Section::Problems),
    };
    Ok(Html(page.render()?))
}

/// The Markdown statement in the reader's language, else in English, else in any.
async fn statement(
    state: &AppState,
    problem: &ProblemPage,
    lang: Lang,
    base: &str,
) -> Result<Option<Statement>, WebError> {
    let markdown: Vec<_> =
        problem.statements.iter().filter(|statement| statement.format == StatementFormat::Markdown).collect();
    let in_language =
        |code: &str| markdown.iter().find(|statement| statement.language.split('-').next() == Some(code)).copied();
    let chosen = in_language(lang.code()).or_else(|| in_language("en")).or_else(|| markdown.first().copied());
    let Some(chosen) = chosen else { return Ok(None) };
    let contents = blob::read(state.store().read(), chosen.sha256).await?;
    let folder = chosen.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let base = format!("{base}/problems/{}/files/{folder}/", problem.slug);
    Ok(Some(Statement {
        is_fallback: chosen.language.split('-').next() != Some(lang.code()),
        lang: chosen.language.clone(),
        html: markdown::render(&String::from_utf8_lossy(&contents), &base),
    }))
}

async fn tries(state: &AppState, visit: &Visit, problem: &ProblemPage) -> Result<Vec<Try>, WebError> {
    let Some(team) = visit.person.as_ref().and_then(|person| person.team_id) else { return Ok(Vec::new()) };
    let filter = SubmissionFilter {
        contest: Some(visit.contest.id),
        problem: Some(problem.id),
        team: Some(team),
        ..SubmissionFilter::default()
    };
    let rows = crate::store::submission::list(state.store().read(), &filter, TRIES).await?;
    Ok(rows
        .into_iter()
        .map(|row| Try {
            id: row.id,
            mark: Mark::of(row.state, row.verdict, row.tests_done, row.tests_total),
            submitted: row.submitted,
        })
        .collect())
}

fn text(contents: &[u8]) -> String {
    let head = contents.get(..SAMPLE_BYTES).unwrap_or(contents);
    let text = String::from_utf8_lossy(head).into_owned();
    if contents.len() > SAMPLE_BYTES { format!("{text}…") } else { text }
}
