//! `/contests/{contest}/judgement-types`: the verdicts.

use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;

use super::caller::Caller;
use super::{ApiError, contests};
use crate::domain::verdict::Verdict;
use crate::web::state::AppState;

/// CLICS judgement type.
#[derive(Serialize)]
pub(super) struct JudgementType {
    /// `id`.
    id: &'static str,
    /// `name`.
    name: &'static str,
    /// `penalty`: whether a try with it costs penalty time once the problem is solved.
    penalty: bool,
    /// `solved`.
    solved: bool,
}

impl From<Verdict> for JudgementType {
    fn from(verdict: Verdict) -> Self {
        Self { id: verdict.code(), name: verdict.name(), penalty: verdict.penalty(), solved: verdict.solved() }
    }
}

/// All of them.
pub(super) async fn list(
    State(state): State<AppState>,
    _caller: Caller,
    Path(contest): Path<String>,
) -> Result<Json<Vec<JudgementType>>, ApiError> {
    contests::find(&state, &contest).await?;
    Ok(Json(Verdict::ALL.into_iter().map(JudgementType::from).collect()))
}

/// One of them.
pub(super) async fn show(
    State(state): State<AppState>,
    _caller: Caller,
    Path((contest, id)): Path<(String, String)>,
) -> Result<Json<JudgementType>, ApiError> {
    contests::find(&state, &contest).await?;
    let found = Verdict::ALL.into_iter().find(|verdict| verdict.code() == id);
    Ok(Json(found.ok_or_else(|| ApiError::no_such("judgement type", &id))?.into()))
}
