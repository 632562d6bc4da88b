//! Organizations: those of the teams that the caller sees.

use serde::Serialize;
use utoipa::ToSchema;

use super::collection::Context;
use super::{ApiError, teams};
use crate::store::contest_team;

/// CLICS organization.
#[derive(Serialize, ToSchema)]
pub(super) struct Organization {
    /// `id`.
    id: String,
    /// `icpc_id`.
    icpc_id: Option<String>,
    /// `name`.
    name: String,
    /// `formal_name`.
    formal_name: Option<String>,
    /// `country`.
    country: Option<String>,
}

/// Those that this caller sees.
pub(super) async fn all(of: &Context<'_>) -> Result<Vec<Organization>, ApiError> {
    let teams = teams::all(of).await?;
    let mut organizations = contest_team::organizations(of.state.store().read()).await?;
    organizations.retain(|one| teams.iter().any(|team| team.organization_id.as_ref() == Some(&one.external_id)));
    let object = |one: contest_team::Organization| Organization {
        id: one.external_id,
        icpc_id: one.icpc_id,
        name: one.name,
        formal_name: one.formal_name,
        country: one.country,
    };
    Ok(organizations.into_iter().map(object).collect())
}
