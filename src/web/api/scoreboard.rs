//! `/contests/{contest}/scoreboard`: the board as the caller sees it.

use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;
use utoipa::ToSchema;

use super::caller::Caller;
use super::contest_state::ContestState;
use super::time::{RelTime, Time};
use super::{ApiError, contests};
use crate::ranking::icpc::{Cell, Scoring};
use crate::web::state::AppState;

/// CLICS scoreboard.
#[derive(Serialize, ToSchema)]
pub(super) struct Scoreboard {
    /// `time`.
    time: Time,
    /// `contest_time`.
    contest_time: RelTime,
    /// `state`.
    state: ContestState,
    /// `rows`.
    rows: Vec<Row>,
}

/// CLICS row.
#[derive(Serialize, ToSchema)]
#[schema(as = ScoreboardRow)]
struct Row {
    /// `rank`.
    rank: u32,
    /// `team_id`.
    team_id: String,
    /// `score`.
    score: Standing,
    /// `problems`.
    problems: Vec<CellObject>,
}

/// CLICS score.
#[derive(Serialize, ToSchema)]
#[schema(as = Score)]
struct Standing {
    /// `num_solved`, where problems are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    num_solved: Option<u32>,
    /// `total_time`: minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_time: Option<i64>,
    /// `score`, where points are.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// `time`: minute of the last score; left out before there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<i64>,
}

/// CLICS problem of a row.
#[derive(Serialize, ToSchema)]
#[schema(as = ScoreboardProblem)]
struct CellObject {
    /// `problem_id`.
    problem_id: String,
    /// `num_judged`.
    num_judged: u32,
    /// `num_pending`.
    num_pending: u32,
    /// `solved`, where problems are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    solved: Option<bool>,
    /// `score`, where points are.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// `time`: minute of the solution, or of the best score.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<i64>,
    /// DOMjudge's: whether it was the first to be solved.
    first_to_solve: bool,
}

#[expect(clippy::cast_precision_loss, reason = "points are far below 2^52 thousandths")]
fn points(thousandths: i64) -> f64 {
    thousandths as f64 / 1_000.0
}

impl CellObject {
    fn new(id: String, cell: &Cell, scoring: Scoring) -> Self {
        let score = scoring == Scoring::Score;
        Self {
            problem_id: id,
            num_judged: cell.num_judged,
            num_pending: cell.num_pending,
            solved: (!score).then_some(cell.solved()),
            score: score.then(|| points(cell.points)),
            time: if score { cell.scored_at } else { cell.solved_at },
            first_to_solve: cell.first_to_solve,
        }
    }
}

/// Shows it.
pub(super) async fn show(
    State(state): State<AppState>,
    caller: Caller,
    Path(contest): Path<String>,
) -> Result<Json<Scoreboard>, ApiError> {
    let contest = contests::find(&state, &contest).await?;
    let page = state.service.board(contest.slug.as_str(), caller.viewer(), caller.now).await?;
    let page = page.ok_or_else(|| ApiError::no_such("contest", contest.slug.as_str()))?;
    let score = page.scoring == Scoring::Score;
    let rows = page.scoreboard.rows.iter().map(|row| {
        let cells = page.scoreboard.problems.iter().zip(row.cells.iter()).filter_map(|(id, cell)| {
            // Before the start nobody but the judges knows the problems.
            let place = page.problems.iter().find(|place| place.problem_id == *id)?;
            Some(CellObject::new(place.slug.to_string(), cell, page.scoring))
        });
        let scored_at = row.cells.iter().filter(|cell| cell.points > 0).filter_map(|cell| cell.scored_at).max();
        Row {
            rank: row.rank,
            team_id: row.team.to_string(),
            score: Standing {
                num_solved: (!score).then_some(row.num_solved),
                total_time: (!score).then_some(row.total_time),
                score: score.then(|| points(row.points)),
                time: if score { scored_at } else { row.last_solved },
            },
            problems: cells.collect(),
        }
    });
    Ok(Json(Scoreboard {
        time: Time(caller.now),
        contest_time: RelTime(contest.times().clock(caller.now).since(contest.start)),
        state: ContestState::new(&contest, caller.now),
        rows: rows.collect(),
    }))
}
