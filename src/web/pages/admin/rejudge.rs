//! Beginning a rejudging: the form that chooses submissions, and the two buttons that choose for one: a submission, or
//! those of a problem that were judged with older tests. Must not know: how judging works.

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use crate::domain::account::Role;
use crate::domain::ids::SubmissionId;
use crate::domain::verdict::Verdict;
use crate::service::rejudge::{MAX_REASON, RejudgeError, Selection};
use crate::store::contest;
use crate::web::error::{Next, WebError};
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::pages::FormPage;
use crate::web::pages::problem::no_problem;
use crate::web::pages::submission::no_submission;
use crate::web::state::AppState;
use crate::web::view::format;
use crate::web::view::frame::{Frame, Section};
use crate::web::view::mark::verdict_name;

#[derive(Template)]
#[template(path = "pages/admin/rejudge.html")]
struct RejudgePage {
    frame: Frame,
    error: Option<String>,
    typed: Typed,
    contests: Vec<Choice>,
    problems: Vec<Choice>,
    languages: Vec<Choice>,
    verdicts: Vec<Choice>,
    max_reason: usize,
}

struct Choice {
    value: String,
    label: String,
    selected: bool,
}

impl Choice {
    fn new(value: &str, label: String, chosen: &str) -> Self {
        Self { value: value.to_owned(), label, selected: value == chosen }
    }
}

/// The form as it was typed.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(default)]
pub struct Typed {
    submission: String,
    contest: String,
    problem: String,
    language: String,
    verdict: String,
    from: String,
    until: String,
    outdated: String,
    reason: String,
}

impl Typed {
    fn of(fields: &Fields) -> Self {
        let field = |name: &str| fields.trimmed(name).to_owned();
        Self {
            submission: field("submission"),
            contest: field("contest"),
            problem: field("problem"),
            language: field("language"),
            verdict: field("verdict"),
            from: field("from"),
            until: field("until"),
            outdated: field("outdated"),
            reason: field("reason"),
        }
    }

    fn selection(&self) -> Result<Selection, Message> {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let unreadable =
            |what: &str| Message::new("error-filter").with("what", what.chars().take(40).collect::<String>());
        let moment = |text: &str| match some(text) {
            Some(text) => format::moment(&text).map(Some).ok_or_else(|| unreadable(&text)),
            None => Ok(None),
        };
        Ok(Selection {
            submission: match some(self.submission.trim_start_matches('#')) {
                Some(id) => Some(id.parse().map_err(|_| unreadable(&id))?),
                None => None,
            },
            contest: some(&self.contest),
            problem: some(&self.problem),
            language: match some(&self.language) {
                Some(id) => Some(id.parse().map_err(|_| unreadable(&id))?),
                None => None,
            },
            verdict: match some(&self.verdict) {
                Some(code) => Some(code.parse().map_err(|_| unreadable(&code))?),
                None => None,
            },
            from: moment(&self.from)?,
            until: moment(&self.until)?,
            outdated: !self.outdated.is_empty(),
        })
    }
}

/// The form, with what the address chooses already.
pub async fn form(
    State(state): State<AppState>,
    visit: Visit,
    Query(typed): Query<Typed>,
) -> Result<FormPage, WebError> {
    visit.at_least(Role::Judge)?;
    page(&state, &visit, typed, None).await
}

/// Begins the rejudging that the form chooses.
pub async fn begin(State(state): State<AppState>, visit: Visit, fields: Fields) -> Result<Response, WebError> {
    let judge = visit.at_least(Role::Judge)?;
    let typed = Typed::of(&fields);
    let begun = match typed.selection() {
        Ok(selection) => {
            let begun = state.service.begin_rejudging(Some(judge), &selection, &typed.reason, visit.now).await;
            begun.map_err(refusal).map(|begun| begun.id)
        }
        Err(message) => Err(Ok((StatusCode::UNPROCESSABLE_ENTITY, message))),
    };
    match begun {
        Ok(id) => Ok(Redirect::to(&format!("/admin/rejudgings/{id}")).into_response()),
        Err(Ok(refusal)) => Ok(page(&state, &visit, typed, Some(refusal)).await?.into_response()),
        Err(Err(error)) => Err(error),
    }
}

async fn page(
    state: &AppState,
    visit: &Visit,
    typed: Typed,
    error: Option<(StatusCode, Message)>,
) -> Result<FormPage, WebError> {
    let lang = visit.lang;
    let read = state.store().read();
    let contests = contest::list(read).await?;
    let problems = crate::store::problem::overview(read).await?;
    let contest_name = |contest: &contest::Contest| {
        if contest.is_practice() { lang.text("contest-practice").into_owned() } else { contest.name.clone() }
    };
    let page = RejudgePage {
        frame: visit.frame(state, Section::Admin),
        error: error.as_ref().map(|(_, message)| lang.say(message)),
        contests: contests
            .iter()
            .map(|one| Choice::new(one.slug.as_str(), contest_name(one), &typed.contest))
            .collect(),
        problems: problems
            .iter()
            .map(|one| {
                let name = one.names.in_language(lang.code()).unwrap_or(one.slug.as_str()).to_owned();
                Choice::new(one.slug.as_str(), name, &typed.problem)
            })
            .collect(),
        languages: state
            .languages
            .iter()
            .map(|one| Choice::new(one.id.as_str(), one.name.clone(), &typed.language))
            .collect(),
        verdicts: Verdict::ALL
            .into_iter()
            .map(|one| {
                let label = format!("{one} · {}", lang.say(&verdict_name(one)));
                Choice::new(one.code(), label, &typed.verdict)
            })
            .collect(),
        max_reason: MAX_REASON,
        typed,
    };
    Ok((error.map_or(StatusCode::OK, |(status, _)| status), Html(page.render()?)))
}

/// Judges one submission again.
pub async fn submission(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    _fields: Fields,
) -> Result<Redirect, WebError> {
    let id: SubmissionId = id.parse().map_err(|_| no_submission(&id))?;
    at_once(&state, &visit, &Selection::submission(id)).await
}

/// Judges the submissions of a problem again that were judged with older tests.
pub async fn problem(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    _fields: Fields,
) -> Result<Redirect, WebError> {
    at_once(&state, &visit, &Selection::outdated(&slug)).await
}

async fn at_once(state: &AppState, visit: &Visit, selection: &Selection) -> Result<Redirect, WebError> {
    let judge = visit.at_least(Role::Judge)?;
    match state.service.begin_rejudging(Some(judge), selection, "", visit.now).await {
        Ok(begun) => Ok(Redirect::to(&format!("/admin/rejudgings/{}", begun.id))),
        Err(RejudgeError::NoSuchSubmission(id)) => Err(no_submission(&id.to_string())),
        Err(RejudgeError::NoSuchProblem(slug)) => Err(no_problem(&slug)),
        Err(error) => Err(as_page(error)),
    }
}

/// Why nothing was begun or done, for a form; our own faults go on as errors.
pub(super) fn refusal(error: RejudgeError) -> Result<(StatusCode, Message), WebError> {
    let (status, message) = match error {
        RejudgeError::Forbidden(error) => return Err(error.into()),
        error @ RejudgeError::Store(_) => return Err(WebError::internal(error)),
        RejudgeError::NothingChosen => (StatusCode::UNPROCESSABLE_ENTITY, Message::new("rejudge-choose")),
        RejudgeError::LongReason => {
            (StatusCode::UNPROCESSABLE_ENTITY, Message::new("rejudge-long-reason").with("limit", MAX_REASON))
        }
        RejudgeError::NoSuchSubmission(id) => {
            (StatusCode::UNPROCESSABLE_ENTITY, Message::new("error-no-submission").with("id", id.to_string()))
        }
        RejudgeError::NoSuchProblem(slug) => {
            (StatusCode::UNPROCESSABLE_ENTITY, Message::new("error-no-problem").with("slug", slug))
        }
        RejudgeError::NoSuchContest(slug) => {
            (StatusCode::UNPROCESSABLE_ENTITY, Message::new("error-no-contest").with("slug", slug))
        }
        RejudgeError::Nothing { waiting } => {
            (StatusCode::CONFLICT, Message::new("rejudge-nothing").with("count", waiting))
        }
        RejudgeError::NoSuchRejudging(_) => (StatusCode::NOT_FOUND, Message::new("error-no-rejudging")),
        RejudgeError::NotDone { open } => {
            (StatusCode::CONFLICT, Message::new("rejudging-not-done").with("count", open))
        }
        RejudgeError::NotNow => (StatusCode::CONFLICT, Message::new("rejudging-not-now")),
        RejudgeError::Changed => (StatusCode::CONFLICT, Message::new("rejudging-changed")),
        RejudgeError::Below(later) => {
            (StatusCode::CONFLICT, Message::new("rejudging-below").with("id", later.to_string()))
        }
    };
    Ok((status, message))
}

/// The same as a page of its own.
pub(super) fn as_page(error: RejudgeError) -> WebError {
    match refusal(error) {
        Ok((status, what)) => {
            let next = Next { href: "/admin/rejudgings".to_owned(), label: Message::new("next-rejudgings") };
            WebError::Refused { status, what, next }
        }
        Err(error) => error,
    }
}
