//! `/`: the problems of the practice contest, and how to start. Must not know: how a problem is judged.

use askama::Template;
use axum::extract::State;
use axum::response::Html;

use super::Page;
use crate::service::problem_list::Progress;
use crate::store::contest::PRACTICE;
use crate::web::error::WebError;
use crate::web::extract::Visit;
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

/// Shows the list.
pub async fn show(State(state): State<AppState>, visit: Visit) -> Result<Page, WebError> {
    let rows = state.service.problem_list(PRACTICE, visit.person.as_deref(), state.now()).await?.unwrap_or_default();
    let lines = rows.into_iter().map(|row| Line {
        title: row.problem.names.in_language(visit.lang.code()).unwrap_or(row.problem.slug.as_str()).to_owned(),
        slug: row.problem.slug.to_string(),
        label: row.problem.label,
        rgb: row.problem.rgb,
        progress: row.progress,
        teams_solved: row.teams_solved,
        teams_tried: row.teams_tried,
        cpu_ms: row.problem.cpu_ms,
        memory_bytes: row.problem.memory_bytes,
    });
    let names: Vec<&str> = state.languages.iter().map(|language| language.name.as_str()).collect();
    let page = HomePage {
        frame: visit.frame(&state, Section::Problems),
        problems: lines.collect(),
        languages: names.join(visit.lang.list_separator()),
    };
    Ok(Html(page.render()?))
}
