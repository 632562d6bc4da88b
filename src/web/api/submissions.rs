//! `/contests/{contest}/submissions`: handing in, and what was handed in.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use utoipa::ToSchema;

use super::caller::Caller;
use super::collection::Context;
use super::file::FileReference;
use super::new_submission::Incoming;
use super::time::{RelTime, Time};
use super::{ApiError, contests, languages, problems};
use crate::domain::ids::SubmissionId;
use crate::domain::source::{BadSource, SourceFile};
use crate::service::Actor;
use crate::service::submissions::{NewSubmission, Repeat, SubmissionPage, may_see_source};
use crate::store::contest::Contest;
use crate::store::submission::SubmissionRow;
use crate::web::state::{AppState, OfferedLanguage};
use crate::web::view::archive::{self, Entry};

/// CLICS submission.
#[derive(Serialize, ToSchema)]
pub(super) struct Submission {
    /// `id`.
    id: String,
    /// `language_id`.
    language_id: String,
    /// `problem_id`.
    problem_id: String,
    /// `team_id`.
    team_id: String,
    /// `time`.
    time: Time,
    /// `contest_time`.
    contest_time: RelTime,
    /// `entry_point`: null where none was named.
    entry_point: Option<String>,
    /// `files`: one zip file; left out where the caller may not see it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<FileReference>,
}

impl Submission {
    fn new(contest: &Contest, row: SubmissionRow, with_files: bool) -> Self {
        let href = format!("contests/{}/submissions/{}/files", contest.slug, row.id);
        let file = FileReference::zip(href, "files.zip");
        Self {
            id: row.id.to_string(),
            language_id: row.language.to_string(),
            problem_id: row.problem_slug.to_string(),
            team_id: row.team_id.to_string(),
            time: Time(row.submitted),
            contest_time: RelTime(row.submitted.since(contest.start)),
            entry_point: row.entry_point,
            files: if with_files { vec![file] } else { Vec::new() },
        }
    }
}

/// All that this caller sees, oldest first. What comes after the end is for practice, or by somebody's own clock, and no
/// part of the contest.
pub(super) async fn all(of: &Context<'_>) -> Result<Vec<Submission>, ApiError> {
    let viewer = of.caller.viewer();
    let mut rows = of.state.service.submissions_of(viewer, of.contest.id, of.only).await?;
    rows.retain(|row| of.contest.times().end().is_none_or(|end| row.submitted < end) && !row.in_virtual_run);
    let object = |row: SubmissionRow| {
        let with_files = may_see_source(viewer, &row);
        Submission::new(of.contest, row, with_files)
    };
    Ok(rows.into_iter().map(object).collect())
}

/// DOMjudge's source file.
#[derive(Serialize, ToSchema)]
#[schema(as = SourceFile)]
pub(super) struct SourceFileObject {
    /// `id`.
    id: String,
    /// `submission_id`.
    submission_id: String,
    /// `filename`.
    filename: String,
    /// `source`: base64.
    source: String,
}

/// DOMjudge's `source-code`: the files themselves.
pub(super) async fn source_code(
    State(state): State<AppState>,
    caller: Caller,
    Path((contest, id)): Path<(String, String)>,
) -> Result<Json<Vec<SourceFileObject>>, ApiError> {
    let contest = contests::find(&state, &contest).await?;
    let page = find(&state, &caller, &contest, &id).await?;
    let secret = || ApiError::new(StatusCode::FORBIDDEN, "the program is for its author and the judges only");
    let mut files = Vec::new();
    for (file, number) in page.files.ok_or_else(secret)?.into_iter().zip(1..) {
        let contents = state.service.source(caller.viewer(), page.row.id, &file.name).await?.ok_or_else(secret)?;
        files.push(SourceFileObject {
            id: format!("{}-{number}", page.row.id),
            submission_id: page.row.id.to_string(),
            filename: file.name,
            source: BASE64_STANDARD.encode(contents),
        });
    }
    Ok(Json(files))
}

async fn find(state: &AppState, caller: &Caller, contest: &Contest, id: &str) -> Result<SubmissionPage, ApiError> {
    let missing = || ApiError::no_such("submission", id);
    let number: SubmissionId = id.parse().map_err(|_| missing())?;
    let page = state.service.submission(caller.viewer(), number).await?;
    page.filter(|page| page.row.contest_id == contest.id).ok_or_else(missing)
}

/// Its files in a zip file.
pub(super) async fn files(
    State(state): State<AppState>,
    caller: Caller,
    Path((contest, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let contest = contests::find(&state, &contest).await?;
    let page = find(&state, &caller, &contest, &id).await?;
    let secret = || ApiError::new(StatusCode::FORBIDDEN, "the program is for its author and the judges only");
    let mut entries = Vec::new();
    for file in page.files.ok_or_else(secret)? {
        let contents = state.service.source(caller.viewer(), page.row.id, &file.name).await?;
        entries.push(Entry { name: file.name, contents: contents.ok_or_else(secret)? });
    }
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/zip")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"files.zip\"")),
    ];
    Ok((headers, archive::zip(&entries)).into_response())
}

/// Hands in. The same `Idempotency-Key`, or the same program again at once, names the same submission.
pub(super) async fn submit(
    State(state): State<AppState>,
    caller: Caller,
    Path(contest): Path<String>,
    headers: HeaderMap,
    incoming: Incoming,
) -> Result<Response, ApiError> {
    let actor = caller.submitter()?;
    let contest = contests::find(&state, &contest).await?;
    check_own(actor, &incoming)?;
    let problem = problem(&state, &caller, &contest, &incoming.problem).await?;
    let language = language(&state, &incoming)?;
    let new = NewSubmission {
        contest: Some(contest.slug.to_string()),
        problem,
        language: language.id.clone(),
        entry_point: incoming.entry_point.filter(|name| !name.is_empty()),
        files: sources(language, incoming.files)?,
        repeat: repeat(&headers)?,
    };
    let id = state.service.submit(actor, new, caller.now).await?;
    let page = state.service.submission(Some(actor), id).await?;
    let page = page.ok_or_else(|| ApiError::no_such("submission", &id.to_string()))?;
    let address = format!("/api/v4/contests/{}/submissions/{id}", contest.slug);
    let mut response = Json(Submission::new(&contest, page.row, true)).into_response();
    if let Ok(address) = HeaderValue::from_str(&address) {
        response.headers_mut().insert(header::LOCATION, address);
    }
    Ok(response)
}

/// Only for one's own team, and neither number nor time are the sender's to choose.
fn check_own(actor: &Actor, incoming: &Incoming) -> Result<(), ApiError> {
    let own = actor.team_id.map(|team| team.to_string());
    if incoming.team.as_ref().is_some_and(|team| Some(team) != own.as_ref()) {
        return Err(ApiError::new(StatusCode::FORBIDDEN, "a program is handed in for one's own team only"));
    }
    if incoming.dictated {
        return Err(ApiError::new(StatusCode::FORBIDDEN, "a submission's `id` and `time` are given by the judge"));
    }
    Ok(())
}

async fn problem(state: &AppState, caller: &Caller, contest: &Contest, given: &str) -> Result<String, ApiError> {
    if given.is_empty() {
        return Err(ApiError::bad("`problem` is missing: name the problem by its id or its letter"));
    }
    let same = |text: &str| text.eq_ignore_ascii_case(given);
    let problems = problems::visible(state, caller, contest).await?;
    let found = problems.iter().find(|problem| same(&problem.id));
    let found = found.or_else(|| problems.iter().find(|problem| same(&problem.label)));
    // What isn't visible is told apart by the service: not begun, closed, unknown.
    Ok(found.map_or_else(|| given.to_owned(), |problem| problem.id.clone()))
}

fn language<'a>(state: &'a AppState, incoming: &Incoming) -> Result<&'a OfferedLanguage, ApiError> {
    if !incoming.language.is_empty() {
        let given = &incoming.language;
        return languages::find(state, given).ok_or_else(|| {
            ApiError::bad(format!("there is no language `{}` here", given.chars().take(40).collect::<String>()))
        });
    }
    let guessed = incoming.files.first().and_then(|(name, contents)| {
        OfferedLanguage::guess(&state.languages, "", Some(name), &String::from_utf8_lossy(contents))
    });
    guessed.ok_or_else(|| ApiError::bad("`language` is missing, and the program doesn't tell which it is"))
}

fn sources(language: &OfferedLanguage, files: Vec<(String, Vec<u8>)>) -> Result<Vec<SourceFile>, ApiError> {
    let check = |(name, contents): (String, Vec<u8>)| {
        if language.is_binary() { SourceFile::elf(&name, contents) } else { SourceFile::text(&name, contents) }
    };
    let refused = |error: BadSource| {
        let status = match error {
            BadSource::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            _ => StatusCode::BAD_REQUEST,
        };
        ApiError::new(status, error.to_string())
    };
    files.into_iter().map(check).collect::<Result<_, _>>().map_err(refused)
}

fn repeat(headers: &HeaderMap) -> Result<Repeat, ApiError> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(Repeat::Soon) };
    let text = value.to_str().map_err(|_| ApiError::bad("the Idempotency-Key has characters beyond ASCII"))?;
    Ok(Repeat::Key(format!("api {text}")))
}
