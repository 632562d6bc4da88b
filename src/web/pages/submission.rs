//! `/submissions/{id}`: what became of a submission, live. What a viewer may see is decided by the service; this file
//! shows what it is given. Must not know: how a submission is judged.

use std::cmp::Ordering;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};

use crate::domain::family::Family;
use crate::domain::ids::{JudgementId, SubmissionId};
use crate::domain::limits::Limits;
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;
use crate::service::Actor;
use crate::service::submissions::SubmissionPage as Seen;
use crate::store::contest::PRACTICE;
use crate::store::judgement::{Judgement, JudgementReason};
use crate::store::problem::{self, ProblemState};
use crate::store::{package, test_case};
use crate::web::error::{Next, WebError};
use crate::web::extract::Visit;
use crate::web::i18n::Message;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};
use crate::web::view::mark::Mark;
use crate::web::view::outcome::{CounterexampleView, FailedSample, Judged, OutcomeView, SubmissionFacts};
use crate::web::view::{compiler_words, source};

#[derive(Template)]
#[template(path = "pages/submission.html")]
struct SubmissionPage {
    frame: Frame,
    live: OutcomeView,
    open: bool,
    may_rejudge: bool,
    /// Whether the program is kept from this viewer.
    of_others: bool,
    /// Said above a judgement that doesn't count.
    uncounted: Option<Message>,
    files: Vec<File>,
    judgements: Vec<JudgementLine>,
}

struct File {
    name: String,
    bytes: u64,
    binary: bool,
    lines: Vec<Line>,
    cut: bool,
}

struct Line {
    anchor: String,
    html: String,
}

struct JudgementLine {
    id: JudgementId,
    shown: bool,
    valid: bool,
    mark: Mark,
    why: Message,
    tests_version: u64,
    created: EpochMs,
}

/// Which judgement is looked at; the one that counts if none is named.
#[derive(Debug, Clone, Default, serde::Deserialize)]
pub struct Which {
    /// Its id.
    pub judgement: Option<i64>,
    /// Not the tests that say most but all of them, from this page of them on, counted from 1; `all` is the first.
    pub tests: Option<String>,
}

impl Which {
    fn page_of_tests(&self) -> Option<usize> {
        match self.tests.as_deref()? {
            "all" => Some(1),
            number => number.parse().ok(),
        }
    }
}

/// The changing part of the page, and what it was made from.
pub(super) struct Seeing {
    pub seen: Seen,
    pub judgement: Option<JudgementId>,
    pub view: OutcomeView,
    pub open: bool,
}

/// "There is no such submission, or it is not for you."
pub(super) fn no_submission(id: &str) -> WebError {
    let shown: String = id.chars().take(20).collect();
    WebError::not_found(Message::new("error-no-submission").with("id", shown), Next::submissions())
}

/// Reads what this viewer may see of a judgement of a submission.
pub(super) async fn see(state: &AppState, visit: &Visit, id: &str, which: &Which) -> Result<Seeing, WebError> {
    let id: SubmissionId = id.parse().map_err(|_| no_submission(id))?;
    let viewer = visit.person.as_deref();
    let seen = state.service.submission(viewer, id).await?.ok_or_else(|| no_submission(&id.to_string()))?;
    let older = which.judgement.map(JudgementId).filter(|older| *older != seen.row.judgement_id);
    let (judgement, runs, shown_tests) = match older {
        None => (seen.judgement.clone(), seen.runs.clone(), seen.shown),
        Some(older) => {
            let missing = || WebError::not_found(Message::new("error-no-judgement"), Next::submissions());
            let (judgement, runs, shown) =
                state.service.older_judgement(viewer, id, older).await?.ok_or_else(missing)?;
            (Some(judgement), runs, shown)
        }
    };
    let problem = problem::page(state.store().read(), seen.row.problem_slug.as_str()).await?;
    // Those it was judged with; the problem may have others now.
    let limits = match &judgement {
        Some(judgement) => {
            package::limits(state.store().read(), seen.row.problem_id, judgement.package_version).await?
        }
        None => problem.as_ref().map(|problem| problem.limits),
    };
    let query = older.map(|older| format!("?judgement={older}")).unwrap_or_default();
    let shown = judgement.as_ref().map(|judgement| judgement.id);
    let frame = visit.frame(state, Section::Submissions);
    let mut facts = facts(state, visit, &seen);
    if judgement.as_ref().is_some_and(|judgement| judgement.compiler_output.is_some()) {
        let files = files(state, visit, &seen).await?;
        facts.lines = files.into_iter().map(|file| (file.name, file.lines.len())).collect();
    }
    if judgement.as_ref().is_some_and(|judgement| judgement.verdict == Some(Verdict::CompileError)) {
        facts.looks_like = mistaken(state, viewer, &seen).await?;
    }
    let mut samples = Vec::new();
    for run in runs.iter().filter(|run| run.sample && run.output.is_some()) {
        let sample = test_case::sample(state.store().read(), run.test_case_id).await?;
        samples.extend(sample.and_then(|sample| FailedSample::of(run, &sample)));
    }
    let view = match judgement {
        Some(judgement) => {
            let limits = limits.unwrap_or(NO_LIMITS);
            let service = &state.service;
            let found = service.counterexample(viewer, &seen.row, judgement.id, visit.now).await?;
            let counterexample = found.map(CounterexampleView::from);
            let judged =
                Judged { judgement, runs, samples, counterexample, shown: shown_tests, page: which.page_of_tests() };
            OutcomeView::new(frame, facts, judged, limits, query)
        }
        None => OutcomeView::summary(frame, facts, &seen.row, seen.result_hidden, limits.unwrap_or(NO_LIMITS)),
    };
    let open = problem.is_some_and(|problem| problem.state == ProblemState::Published);
    Ok(Seeing { seen, judgement: shown, view, open })
}

/// The language that a single file was written in, by the look of it, if it isn't that which it was handed in for.
async fn mistaken(state: &AppState, viewer: Option<&Actor>, seen: &Seen) -> Result<Option<Family>, WebError> {
    let Some([only]) = seen.files.as_deref() else { return Ok(None) };
    let text = state.service.source(viewer, seen.row.id, &only.name).await?.unwrap_or_default();
    let family = Family::of(&seen.row.language);
    Ok(family.and_then(|family| family.mistaken_for(&String::from_utf8_lossy(&text))))
}

/// A judged problem always has limits; this stands in if it was changed under our hands.
const NO_LIMITS: Limits = Limits { cpu_ms: 0, wall_ms: 0, memory_bytes: 0, output_bytes: 0, processes: 0 };

fn facts(state: &AppState, visit: &Visit, seen: &Seen) -> SubmissionFacts {
    let row = &seen.row;
    let name = row.problem_names.in_language(visit.lang.code()).unwrap_or(row.problem_slug.as_str());
    SubmissionFacts {
        id: row.id,
        problem_slug: row.problem_slug.to_string(),
        label: row.label.clone(),
        problem: name.to_owned(),
        team: row.team_name.clone(),
        language: state.language_name(&row.language),
        submitted: row.submitted,
        bytes: row.bytes,
        lines: Vec::new(),
        looks_like: None,
    }
}

/// Shows the page.
pub async fn show(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    Query(which): Query<Which>,
) -> Result<Response, WebError> {
    let Seeing { seen, judgement, view, open } = see(&state, &visit, &id, &which).await?;
    if seen.row.contest_id != visit.contest.id {
        // It is another contest's: its own pages know the letters and the clock.
        let slug = &seen.row.contest_slug;
        let base = if slug.as_str() == PRACTICE { String::new() } else { format!("/contests/{slug}") };
        let query = which.judgement.map(|id| format!("?judgement={id}")).unwrap_or_default();
        return Ok(Redirect::to(&format!("{base}/submissions/{}{query}", seen.row.id)).into_response());
    }
    let own = visit.person.as_ref().is_some_and(|person| person.account_id == seen.row.account_id);
    let page = SubmissionPage {
        frame: visit.frame(&state, Section::Submissions),
        files: files(&state, &visit, &seen).await?,
        judgements: seen.history.iter().map(|one| line(one, judgement)).collect(),
        uncounted: judgement.and_then(|shown| uncounted(shown, seen.row.judgement_id)),
        of_others: seen.files.is_none(),
        live: view,
        open: open && own,
        may_rejudge: seen.may_rejudge,
    };
    Ok(Html(page.render()?).into_response())
}

fn uncounted(shown: JudgementId, counts: JudgementId) -> Option<Message> {
    match shown.0.cmp(&counts.0) {
        Ordering::Less => Some(Message::new("judgement-earlier")),
        Ordering::Equal => None,
        Ordering::Greater => Some(Message::new("judgement-uncounted")),
    }
}

fn line(judgement: &Judgement, shown: Option<JudgementId>) -> JudgementLine {
    JudgementLine {
        id: judgement.id,
        shown: Some(judgement.id) == shown,
        valid: judgement.valid,
        mark: Mark::of(judgement.state, judgement.verdict, 0, judgement.tests_total),
        why: Message::new(match judgement.reason {
            JudgementReason::Submission => "judgement-first",
            JudgementReason::Rejudge => "judgement-again",
        }),
        tests_version: judgement.test_set_version,
        created: judgement.created,
    }
}

async fn files(state: &AppState, visit: &Visit, seen: &Seen) -> Result<Vec<File>, WebError> {
    let mut files = Vec::new();
    let others = seen.files.as_ref().map_or(0, Vec::len).saturating_sub(1);
    let mut room = source::SHOWN_BYTES.saturating_sub(others * source::BESIDE_A_FILE);
    for file in seen.files.iter().flatten() {
        let contents =
            state.service.source(visit.person.as_deref(), seen.row.id, &file.name).await?.unwrap_or_default();
        let binary = source::is_binary(&contents);
        let shown = source::shown_within(if binary { &[] } else { &contents }, &mut room);
        let family = Family::of_file(&file.name).or_else(|| Family::of(&seen.row.language));
        let number = files.len() + 1;
        let lines = shown.highlighted(family).into_iter().zip(1..);
        let lines = lines.map(|(html, line)| Line { anchor: compiler_words::anchor(number, line), html }).collect();
        files.push(File { name: file.name.clone(), bytes: file.bytes, binary, lines, cut: shown.cut });
    }
    Ok(files)
}

/// A file as it was handed in.
pub async fn file(
    State(state): State<AppState>,
    visit: Visit,
    Path((id, number)): Path<(String, usize)>,
) -> Result<Response, WebError> {
    let missing = || WebError::not_found(Message::new("error-no-file"), Next::submissions());
    let id: SubmissionId = id.parse().map_err(|_| missing())?;
    let viewer = visit.person.as_deref();
    let seen = state.service.submission(viewer, id).await?.ok_or_else(missing)?;
    let file = number.checked_sub(1).and_then(|index| seen.files.as_ref()?.get(index)).ok_or_else(missing)?;
    let contents = state.service.source(viewer, id, &file.name).await?.ok_or_else(missing)?;
    if !source::is_binary(&contents) {
        return Ok(plain_text(contents));
    }
    let kind = HeaderValue::from_static("application/octet-stream");
    let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"))];
    Ok((headers, contents).into_response())
}

/// All that the compiler said.
pub async fn compiler_output(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    Query(which): Query<Which>,
) -> Result<Response, WebError> {
    let seeing = see(&state, &visit, &id, &which).await?;
    let judgement = seeing.seen.history.into_iter().find(|one| Some(one.id) == seeing.judgement);
    let output = judgement.and_then(|judgement| judgement.compiler_output);
    let refused = || WebError::refused(StatusCode::FORBIDDEN, Message::new("error-not-yours"));
    Ok(plain_text(output.ok_or_else(refused)?.into_bytes()))
}

/// Whatever it is, a browser shows it as letters.
fn plain_text(contents: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"))], contents).into_response()
}
