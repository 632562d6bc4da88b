//! `/resolver`: the frozen board opens cell by cell, by keys and clicks. Without JavaScript it is the final table. Must not
//! know: how the steps come about.

use askama::Template;
use axum::extract::State;
use axum::response::Html;
use serde::Serialize;

use super::Page;
use crate::ranking::icpc::{Cell, Scoring};
use crate::service::scoreboard::{BoardPage, Resolving};
use crate::web::error::{Next, WebError};
use crate::web::extract::Visit;
use crate::web::i18n::{Lang, Message};
use crate::web::state::AppState;
use crate::web::view::award;
use crate::web::view::board::{BoardView, Filter, Links};
use crate::web::view::board_row::points;
use crate::web::view::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "pages/resolver.html")]
struct ResolverPage {
    frame: Frame,
    contest_name: String,
    board: String,
    /// For the page's script.
    data: String,
}

/// What the script needs.
#[derive(Serialize)]
struct Data<'a> {
    columns: Vec<(&'a str, &'a str)>,
    rows: Vec<RowData<'a>>,
    steps: Vec<StepData>,
    awards: Vec<AwardData>,
}

#[derive(Serialize)]
struct RowData<'a> {
    team: i64,
    name: &'a str,
    score: String,
    time: String,
    cells: Vec<CellData>,
}

#[derive(Serialize)]
struct CellData {
    /// `solved`, `pending`, `tried`, or empty.
    state: &'static str,
    tries: u32,
    text: String,
    first: bool,
}

#[derive(Serialize)]
struct StepData {
    from: usize,
    to: usize,
    column: usize,
    cell: CellData,
    score: String,
    time: String,
}

#[derive(Serialize)]
struct AwardData {
    citation: String,
    teams: Vec<i64>,
}

fn cell(cell: &Cell, scoring: Scoring) -> CellData {
    let tries = cell.num_judged + cell.num_pending;
    let (state, text) = match (scoring, cell.solved_at) {
        (Scoring::Score, _) if cell.num_pending == 0 && tries > 0 => {
            (if cell.solved() { "solved" } else { "tried" }, points(cell.points))
        }
        (Scoring::PassFail, Some(minute)) => ("solved", minute.to_string()),
        _ if cell.num_pending > 0 => ("pending", String::new()),
        _ if tries > 0 => ("tried", String::new()),
        _ => ("", String::new()),
    };
    CellData { state, tries, text, first: cell.first_to_solve }
}

fn score(scoring: Scoring, num_solved: u32, total_time: i64, all: i64) -> (String, String) {
    match scoring {
        Scoring::PassFail => (num_solved.to_string(), total_time.to_string()),
        Scoring::Score => (points(all), String::new()),
    }
}

fn data(resolving: &Resolving, lang: Lang) -> Result<String, serde_json::Error> {
    let scoring = resolving.page.scoring;
    let columns = resolving.frozen.problems.iter().map(|id| {
        let place = resolving.page.problems.iter().find(|place| place.problem_id == *id);
        place.map_or(("", ""), |place| (place.label.as_str(), place.rgb.as_str()))
    });
    let rows = resolving.frozen.rows.iter().map(|row| {
        let (score, time) = score(scoring, row.num_solved, row.total_time, row.points);
        let cells = row.cells.iter().map(|one| cell(one, scoring)).collect();
        RowData { team: row.team.0, name: &row.name, score, time, cells }
    });
    let steps = resolving.steps.iter().map(|step| {
        let (score, time) = score(scoring, step.num_solved, step.total_time, step.points);
        StepData { from: step.from, to: step.to, column: step.column, cell: cell(&step.cell, scoring), score, time }
    });
    let awards = resolving.awards.iter().rev().filter(|award| !award.id.starts_with("rank-")).map(|award| AwardData {
        citation: lang.say(&award::words(&award.honour)),
        teams: award.teams.iter().map(|team| team.0).collect(),
    });
    let data =
        Data { columns: columns.collect(), rows: rows.collect(), steps: steps.collect(), awards: awards.collect() };
    // Nothing in it may end the element that it stands in.
    Ok(serde_json::to_string(&data)?.replace('<', "\\u003c"))
}

/// Shows it to judges once the contest is over, and to all once the board is thawed.
pub async fn show(State(state): State<AppState>, visit: Visit) -> Result<Page, WebError> {
    let slug = visit.contest.slug.as_str();
    let resolving = state.service.resolver(slug, visit.person.as_deref(), visit.now).await?;
    let closed = || WebError::not_found(Message::new("resolver-closed"), Next::contests());
    let resolving = resolving.ok_or_else(closed)?;
    let data = data(&resolving, visit.lang).map_err(WebError::internal)?;
    let last = BoardPage { scoreboard: resolving.open.into(), frozen: false, ..resolving.page };
    let page = ResolverPage {
        contest_name: last.contest.name.clone(),
        board: BoardView::new(&last, visit.lang, &Filter::default(), Links::None, 0)?.render()?,
        data,
        frame: visit.frame(&state, Section::Scoreboard),
    };
    Ok(Html(page.render()?))
}
