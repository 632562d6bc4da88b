//! Awards: once the contest is over and the caller may see the board as it is.

use serde::Serialize;
use utoipa::ToSchema;

use super::ApiError;
use super::collection::Context;

/// CLICS award.
#[derive(Serialize, ToSchema)]
#[schema(as = Award)]
pub(super) struct AwardObject {
    /// `id`.
    id: String,
    /// `citation`.
    citation: String,
    /// `team_ids`.
    team_ids: Vec<String>,
}

/// Those that this caller may know.
pub(super) async fn all(of: &Context<'_>) -> Result<Vec<AwardObject>, ApiError> {
    let awards = of.state.service.awards(of.contest.slug.as_str(), of.caller.viewer(), of.caller.now).await?;
    Ok(awards
        .into_iter()
        .map(|award| AwardObject {
            id: award.id,
            citation: award.honour.citation(),
            team_ids: award.teams.iter().map(ToString::to_string).collect(),
        })
        .collect())
}
