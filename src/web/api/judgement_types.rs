//! `/contests/{contest}/judgement-types`: the verdicts.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::verdict::Verdict;

/// CLICS judgement type.
#[derive(Serialize, ToSchema)]
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
pub(super) fn all() -> Vec<JudgementType> {
    Verdict::ALL.into_iter().map(JudgementType::from).collect()
}
