//! Teams: the invited ones and those who took part. Hidden ones are for themselves and judges.

use serde::Serialize;
use utoipa::ToSchema;

use super::collection::Context;
use super::{ApiError, groups};
use crate::store::contest_team;

/// CLICS team.
#[derive(Serialize, ToSchema)]
pub(super) struct Team {
    /// `id`.
    pub id: String,
    /// `icpc_id`.
    icpc_id: Option<String>,
    /// `name`.
    name: String,
    /// `label`: its seat or number.
    label: String,
    /// `display_name`.
    display_name: String,
    /// `organization_id`.
    pub organization_id: Option<String>,
    /// `group_ids`.
    group_ids: Vec<String>,
    /// `hidden`.
    hidden: bool,
}

/// Those that this caller sees.
pub(super) async fn all(of: &Context<'_>) -> Result<Vec<Team>, ApiError> {
    let groups = groups::all(of).await?;
    let own = of.caller.viewer().and_then(|viewer| viewer.team_id);
    let teams = contest_team::teams(of.state.store().read(), of.contest.id).await?;
    let seen = teams.into_iter().filter(|team| !team.hidden || of.caller.is_judge() || own == Some(team.id));
    let object = |team: contest_team::ContestTeam| Team {
        id: team.id.to_string(),
        icpc_id: team.icpc_id,
        label: team.label.unwrap_or_else(|| team.id.to_string()),
        display_name: team.name.clone(),
        name: team.name,
        organization_id: team.organization,
        group_ids: team
            .groups
            .split(' ')
            .filter(|id| groups.iter().any(|group| group.id == *id))
            .map(str::to_owned)
            .collect(),
        hidden: team.hidden,
    };
    Ok(seen.map(object).collect())
}
