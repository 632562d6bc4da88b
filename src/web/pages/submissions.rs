//! `/submissions`: all of them, or those that fit the filter in the address, newest first. Must not know: who may see
//! what.

use askama::Template;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Html;

use super::Page;
use crate::domain::ids::SubmissionId;
use crate::domain::language::LanguageId;
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;
use crate::store::contest::ContestProblem;
use crate::store::submission::{self, SubmissionFilter, SubmissionRow};
use crate::web::error::{Next, WebError};
use crate::web::extract::Visit;
use crate::web::i18n::{Lang, Message};
use crate::web::state::AppState;
use crate::web::view::format::query;
use crate::web::view::frame::{Frame, Section};
use crate::web::view::mark::{Mark, MarkView, Style, verdict_name};

/// Rows a page.
const ROWS: u32 = 50;

#[derive(Template)]
#[template(path = "pages/submissions.html")]
struct SubmissionsPage {
    frame: Frame,
    mine: bool,
    filtered: bool,
    problems: Vec<Choice>,
    verdicts: Vec<Choice>,
    languages: Vec<Choice>,
    rows: Vec<Line>,
    later: bool,
    first_page: String,
    next_page: Option<String>,
}

impl SubmissionsPage {
    fn heading(&self) -> String {
        self.frame.t(if self.mine { "submissions-mine" } else { "submissions-title" }).into_owned()
    }
}

struct Choice {
    value: String,
    label: String,
    selected: bool,
}

struct Line {
    id: SubmissionId,
    mark: MarkView,
    problem_slug: String,
    label: String,
    problem: String,
    team: String,
    language: String,
    cpu_ms: Option<u64>,
    memory_bytes: Option<u64>,
    submitted: EpochMs,
}

/// The filter as it stands in the address.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(default)]
pub struct Asked {
    problem: String,
    verdict: String,
    language: String,
    mine: String,
    team: String,
    before: String,
}

impl Asked {
    fn is_mine(&self) -> bool {
        !self.mine.is_empty()
    }

    fn is_filtered(&self) -> bool {
        [&self.problem, &self.verdict, &self.language, &self.mine, &self.team].into_iter().any(|part| !part.is_empty())
    }

    /// The address of this list, from the start or from below a submission.
    fn address(&self, base: &str, before: Option<SubmissionId>) -> String {
        let before = before.map(|id| id.to_string()).unwrap_or_default();
        let parts = [
            ("problem", self.problem.as_str()),
            ("verdict", &self.verdict),
            ("language", &self.language),
            ("mine", &self.mine),
            ("team", &self.team),
            ("before", &before),
        ];
        format!("{base}/submissions{}", query(&parts))
    }

    fn filter(&self, visit: &Visit, problems: &[ContestProblem]) -> Result<SubmissionFilter, WebError> {
        let mut filter = SubmissionFilter { contest: Some(visit.contest.id), ..SubmissionFilter::default() };
        if !self.problem.is_empty() {
            let found = problems.iter().find(|problem| problem.slug.as_str() == self.problem);
            filter.problem = Some(found.ok_or_else(|| super::problem::no_problem(&self.problem))?.problem_id);
        }
        if !self.verdict.is_empty() {
            filter.verdict = Some(self.verdict.parse::<Verdict>().map_err(|_| unreadable(&self.verdict))?);
        }
        if !self.language.is_empty() {
            filter.language = Some(self.language.parse::<LanguageId>().map_err(|_| unreadable(&self.language))?);
        }
        if !self.before.is_empty() {
            filter.before = Some(self.before.parse().map_err(|_| unreadable(&self.before))?);
        }
        if !self.team.is_empty() {
            filter.team = Some(self.team.parse().map_err(|_| unreadable(&self.team))?);
        }
        if self.is_mine() {
            // An account without a team has handed in nothing, so an id that nobody has gives the right, empty list.
            filter.team = Some(visit.signed_in()?.team_id.unwrap_or(crate::domain::ids::TeamId(0)));
        }
        Ok(filter)
    }
}

fn unreadable(what: &str) -> WebError {
    let shown: String = what.chars().take(40).collect();
    let what = Message::new("error-filter").with("what", shown);
    WebError::Refused { status: StatusCode::BAD_REQUEST, what, next: Next::submissions() }
}

/// Shows a page of the list.
pub async fn show(State(state): State<AppState>, visit: Visit, Query(asked): Query<Asked>) -> Result<Page, WebError> {
    let problems = state.service.contest_problems(visit.person.as_deref(), &visit.contest, visit.now).await?;
    let filter = asked.filter(&visit, &problems)?;
    let rows = state.service.submissions(visit.person.as_deref(), &filter, ROWS).await?;
    let next_page = match rows.last() {
        Some(last) => {
            // Rows that this viewer may not see were left out: a short page needn't be the last one.
            let rest = SubmissionFilter { before: Some(last.id), ..filter };
            let more = !submission::list(state.store().read(), &rest, 1).await?.is_empty();
            more.then(|| asked.address(&visit.base(), Some(last.id)))
        }
        None => None,
    };
    let lang = visit.lang;
    let page = SubmissionsPage {
        frame: visit.frame(&state, Section::Submissions),
        mine: asked.is_mine(),
        filtered: asked.is_filtered(),
        problems: problems.iter().map(|problem| problem_choice(problem, &asked.problem, lang)).collect(),
        verdicts: Verdict::ALL.into_iter().map(|verdict| verdict_choice(verdict, &asked.verdict, lang)).collect(),
        languages: state
            .languages
            .iter()
            .map(|one| choice(one.id.as_str(), one.name.clone(), &asked.language))
            .collect(),
        rows: rows.into_iter().map(|row| line(&state, row, lang)).collect(),
        later: !asked.before.is_empty(),
        first_page: asked.address(&visit.base(), None),
        next_page,
    };
    Ok(Html(page.render()?))
}

fn choice(value: &str, label: String, chosen: &str) -> Choice {
    Choice { value: value.to_owned(), label, selected: value == chosen }
}

fn problem_choice(problem: &ContestProblem, chosen: &str, lang: Lang) -> Choice {
    let name = problem.names.in_language(lang.code()).unwrap_or(problem.slug.as_str());
    choice(problem.slug.as_str(), format!("{} · {name}", problem.label), chosen)
}

fn verdict_choice(verdict: Verdict, chosen: &str, lang: Lang) -> Choice {
    choice(verdict.code(), format!("{verdict} · {}", lang.say(&verdict_name(verdict))), chosen)
}

fn line(state: &AppState, row: SubmissionRow, lang: Lang) -> Line {
    let mark = Mark::of(row.state, row.verdict, row.tests_done, row.tests_total);
    Line {
        id: row.id,
        mark: MarkView::new(mark, Style::Short, lang),
        problem: row.problem_names.in_language(lang.code()).unwrap_or(row.problem_slug.as_str()).to_owned(),
        problem_slug: row.problem_slug.to_string(),
        label: row.label,
        team: row.team_name,
        language: state.language_name(&row.language),
        cpu_ms: row.cpu_ms,
        memory_bytes: row.memory_bytes,
        submitted: row.submitted,
    }
}
