//! `/contests/{contest}/problems`. A problem's id is its slug. Before the start contestants see none.

use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::caller::Caller;
use super::collection::Context;
use super::file::FileReference;
use super::{ApiError, contests};
use crate::store::blob;
use crate::store::contest::{Contest, Scoring};
use crate::store::package::{self, StatementFormat};
use crate::store::problem::{ProblemPage, PublishedProblem};
use crate::web::sending;
use crate::web::state::AppState;

/// What a problem without groups of its own is worth, where points are counted.
const ALL_POINTS: f64 = 100.0;

/// CLICS problem.
#[derive(Serialize, ToSchema)]
pub(super) struct Problem {
    /// `id`.
    pub id: String,
    /// `label`: its letter.
    pub label: String,
    /// DOMjudge's: what its pages call it.
    short_name: String,
    /// `name`, in English where there is one.
    name: String,
    /// `ordinal`: its place, from 0.
    ordinal: usize,
    /// `rgb`.
    rgb: String,
    /// `time_limit`: seconds.
    time_limit: f64,
    /// `test_data_count`: samples and secret tests.
    test_data_count: u64,
    /// `max_score`: where points are counted, unless it has no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_score: Option<f64>,
    /// `package`: one zip file, for those who may see tests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    package: Vec<FileReference>,
    /// `statement`: those that are PDF files; CLICS knows no others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    statement: Vec<FileReference>,
}

impl Problem {
    fn new(ordinal: usize, problem: &PublishedProblem, contest: &Contest, with_package: bool) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a time limit is far below 2^52 ms")]
        let time_limit = problem.cpu_ms as f64 / 1_000.0;
        let slug = &problem.slug;
        let address = format!("contests/{}/problems/{slug}", contest.slug);
        let package = FileReference::zip(format!("{address}/package"), format!("{slug}.zip"));
        let statement = |language: &str| {
            FileReference::pdf(format!("{address}/statement/{language}"), format!("{slug}.{language}.pdf"))
        };
        Self {
            id: slug.to_string(),
            label: problem.label.clone(),
            short_name: problem.label.clone(),
            name: problem.names.in_language("en").unwrap_or(slug.as_str()).to_owned(),
            ordinal,
            rgb: problem.rgb.clone(),
            time_limit,
            test_data_count: problem.tests,
            max_score: (contest.scoring == Scoring::Score).then(|| problem.max_score.unwrap_or(ALL_POINTS)),
            package: if with_package { vec![package] } else { Vec::new() },
            statement: problem.pdf_statements.split_whitespace().map(statement).collect(),
        }
    }
}

/// The problems that this caller sees.
pub(super) async fn visible(state: &AppState, caller: &Caller, contest: &Contest) -> Result<Vec<Problem>, ApiError> {
    let rows = state.service.problem_list(contest.slug.as_str(), caller.viewer(), caller.now).await?;
    let rows = rows.unwrap_or_default();
    let object = |(ordinal, row): (usize, &crate::service::problem_list::ProblemRow)| {
        Problem::new(ordinal, &row.problem, contest, caller.sees_tests())
    };
    Ok(rows.iter().enumerate().map(object).collect())
}

/// All of them, for the collection.
pub(super) async fn all(of: &Context<'_>) -> Result<Vec<Problem>, ApiError> {
    visible(of.state, of.caller, of.contest).await
}

/// A problem of the contest that this caller sees.
async fn find(state: &AppState, caller: &Caller, contest: &str, id: &str) -> Result<ProblemPage, ApiError> {
    let contest = contests::find(state, contest).await?;
    let missing = || ApiError::no_such("problem", id);
    let seen = visible(state, caller, &contest).await?.iter().any(|problem| problem.id == id);
    let page = state.service.problem_page(caller.viewer(), id, caller.now).await?;
    page.filter(|_| seen).ok_or_else(missing)
}

/// A statement that is a PDF file.
pub(super) async fn statement(
    State(state): State<AppState>,
    caller: Caller,
    Path((contest, id, language)): Path<(String, String, String)>,
) -> Result<Response, ApiError> {
    let page = find(&state, &caller, &contest, &id).await?;
    let wanted = page
        .statements
        .iter()
        .find(|statement| statement.format == StatementFormat::Pdf && statement.language == language);
    let found = wanted.ok_or_else(|| ApiError::no_such("statement", &language))?;
    let contents = blob::read(state.store().read(), found.sha256).await?;
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("application/pdf"))], contents).into_response())
}

/// The package in force as a zip file, for those who may see tests; for others there is none.
pub(super) async fn package(
    State(state): State<AppState>,
    caller: Caller,
    Path((contest, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let page = find(&state, &caller, &contest, &id).await?;
    let missing = || ApiError::no_such("package", &id);
    let actor = caller.viewer().filter(|_| caller.sees_tests()).ok_or_else(missing)?;
    let versions = package::versions(state.store().read(), page.id).await?;
    let version = versions.iter().find(|one| one.id == page.package_id).ok_or_else(missing)?.version;
    let file = state.service.export_package(actor, &id, version, &state.scratch).await;
    let file = file.map_err(|error| ApiError::internal(&error))?;
    sending::zip(file, &format!("{id}.zip")).map_err(|error| ApiError::internal(&error))
}
