//! `/`: the problems of a contest, and how to start. Must not know: how a problem is judged.

use askama::Template;
use axum::extract::State;
use axum::response::Html;

use super::Page;
use crate::service::problem_list::{ProblemRow, Progress};
use crate::web::error::WebError;
use crate::web::extract::Visit;
use crate::web::i18n::Lang;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "pages/home.html")]
struct HomePage {
    frame: Frame,
    problems: Vec<Line>,
    languages: String,
}

struct Line {
    slug: String,
    label: String,
    rgb: String,
    title: String,
    progress: Progress,
    teams_solved: usize,
    teams_tried: usize,
    cpu_ms: u64,
    memory_bytes: u64,
}

impl Line {
    fn new(row: ProblemRow, lang: Lang) -> Self {
        let problem = row.problem;
        Self {
            title: problem.names.in_language(lang.code()).unwrap_or(problem.slug.as_str()).to_owned(),
            slug: problem.slug.to_string(),
            label: problem.label,
            rgb: problem.rgb,
            progress: row.progress,
            teams_solved: row.teams_solved,
            teams_tried: row.teams_tried,
            cpu_ms: problem.cpu_ms,
            memory_bytes: problem.memory_bytes,
        }
    }
}

/// Shows the list.
pub async fn show(State(state): State<AppState>, visit: Visit) -> Result<Page, WebError> {
    let slug = visit.contest.slug.as_str();
    let rows = state.service.problem_list(slug, visit.person.as_deref(), visit.now).await?.unwrap_or_default();
    let names: Vec<&str> = state.languages.iter().map(|language| language.name.as_str()).collect();
    let page = HomePage {
        frame: visit.frame(&state, Section::Problems),
        problems: rows.into_iter().map(|row| Line::new(row, visit.lang)).collect(),
        languages: names.join(visit.lang.list_separator()),
    };
    Ok(Html(page.render()?))
}
