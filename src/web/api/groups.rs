//! Groups: what ranks apart. Hidden ones are for judges.

use serde::Serialize;
use utoipa::ToSchema;

use super::ApiError;
use super::collection::Context;
use crate::store::contest_team;

/// CLICS group.
#[derive(Serialize, ToSchema)]
pub(super) struct Group {
    /// `id`.
    pub id: String,
    /// `icpc_id`.
    icpc_id: Option<String>,
    /// `name`.
    name: String,
    /// DOMjudge's: whether its teams are hidden.
    hidden: bool,
}

/// Those that this caller sees.
pub(super) async fn all(of: &Context<'_>) -> Result<Vec<Group>, ApiError> {
    let groups = contest_team::groups(of.state.store().read()).await?;
    let seen = groups.into_iter().filter(|group| !group.hidden || of.caller.is_judge());
    let object = |group: contest_team::Group| Group {
        id: group.external_id,
        icpc_id: group.icpc_id,
        name: group.name,
        hidden: group.hidden,
    };
    Ok(seen.map(object).collect())
}
