//! `/`: the problems of the practice contest, and how to start. Must not know: how a problem is judged.

use askama::Template;
use axum::extract::State;
use axum::response::Html;

use super::Page;
use crate::store::problem::{self, Progress};
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
    teams_solved: u64,
    teams_tried: u64,
    cpu_ms: u64,
    memory_bytes: u64,
}

/// Shows the list.
pub async fn show(State(state): State<AppState>, visit: Visit) -> Result<Page, WebError> {
    let team = visit.person.as_ref().and_then(|person| person.team_id);
    let rows = problem::list(state.store().read(), state.practice.id, team).await?;
    let lines = rows.into_iter().map(|row| Line {
        title: row.names.in_language(visit.lang.code()).unwrap_or(row.slug.as_str()).to_owned(),
        slug: row.slug.to_string(),
        label: row.label,
        rgb: row.rgb,
        progress: row.progress,
        teams_solved: row.teams_solved,
        teams_tried: row.teams_tried,
        cpu_ms: row.cpu_ms,
        memory_bytes: row.memory_bytes,
    });
    let names: Vec<&str> = state.languages.iter().map(|language| language.name.as_str()).collect();
    let page = HomePage {
        frame: visit.frame(&state, Section::Problems),
        problems: lines.collect(),
        languages: names.join(visit.lang.list_separator()),
    };
    Ok(Html(page.render()?))
}
