//! `/contests/{contest}/problems`. A problem's id is its slug. Before the start contestants see none.

use serde::Serialize;

use super::ApiError;
use super::caller::Caller;
use crate::store::contest::Contest;
use crate::store::problem::PublishedProblem;
use crate::web::state::AppState;

/// CLICS problem.
#[derive(Serialize)]
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
}

impl Problem {
    fn new(ordinal: usize, problem: &PublishedProblem) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a time limit is far below 2^52 ms")]
        let time_limit = problem.cpu_ms as f64 / 1_000.0;
        Self {
            id: problem.slug.to_string(),
            label: problem.label.clone(),
            short_name: problem.label.clone(),
            name: problem.names.in_language("en").unwrap_or(problem.slug.as_str()).to_owned(),
            ordinal,
            rgb: problem.rgb.clone(),
            time_limit,
            test_data_count: problem.tests,
        }
    }
}

/// The problems that this caller sees.
pub(super) async fn visible(state: &AppState, caller: &Caller, contest: &Contest) -> Result<Vec<Problem>, ApiError> {
    let rows = state.service.problem_list(contest.slug.as_str(), caller.viewer(), caller.now).await?;
    let rows = rows.unwrap_or_default();
    Ok(rows.iter().enumerate().map(|(ordinal, row)| Problem::new(ordinal, &row.problem)).collect())
}
