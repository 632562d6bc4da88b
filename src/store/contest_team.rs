//! Who takes part in a contest, with where they belong: what boards and the contest API show of teams.

use sqlx::SqliteExecutor;

use super::StoreError;
use crate::domain::ids::{ContestId, TeamId};

/// A team of a contest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContestTeam {
    /// The team.
    pub id: TeamId,
    /// Its id in other systems.
    pub external_id: Option<String>,
    /// Its id at ICPC.
    pub icpc_id: Option<String>,
    /// Its seat or number.
    pub label: Option<String>,
    /// Its name for people.
    pub name: String,
    /// Whether others don't see it.
    pub hidden: bool,
    /// The organization that it belongs to, by its external id.
    pub organization: Option<String>,
    /// Its groups, by their external ids, joined with spaces (no id has one).
    pub groups: String,
}

/// An organization: a university, a school, a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organization {
    /// Its id.
    pub external_id: String,
    /// Its id at ICPC.
    pub icpc_id: Option<String>,
    /// Its name.
    pub name: String,
    /// Its full name.
    pub formal_name: Option<String>,
    /// ISO 3166-1 alpha-3.
    pub country: Option<String>,
}

/// A group of teams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its id.
    pub external_id: String,
    /// Its id at ICPC.
    pub icpc_id: Option<String>,
    /// Its name.
    pub name: String,
    /// Whether its teams are hidden.
    pub hidden: bool,
}

/// The teams of a contest: the invited ones, and those who submitted or asked.
pub async fn teams(executor: impl SqliteExecutor<'_>, contest: ContestId) -> Result<Vec<ContestTeam>, StoreError> {
    let teams = sqlx::query_as!(
        ContestTeam,
        r#"select t.id as "id!: _", t.external_id, t.icpc_id, t.label, t.display_name as name,
            (t.hidden or exists (select 1 from team_in_group m join team_group g on g.id = m.group_id
                where m.team_id = t.id and g.hidden = 1)) as "hidden!: bool",
            o.external_id as "organization?",
            coalesce((select group_concat(g.external_id, ' ') from team_in_group m
                join team_group g on g.id = m.group_id where m.team_id = t.id), '') as "groups!: String"
        from team t left join organization o on o.id = t.organization_id
        where t.id in (select team_id from contest_team where contest_id = ?1
            union select team_id from submission where contest_id = ?1 and virtual_run_id is null
            union select from_team_id from clarification where contest_id = ?1 and from_team_id is not null)
        order by t.id"#,
        contest
    )
    .fetch_all(executor)
    .await?;
    Ok(teams)
}

/// Only the invited ones.
pub async fn invited(executor: impl SqliteExecutor<'_>, contest: ContestId) -> Result<Vec<String>, StoreError> {
    let names = sqlx::query_scalar!(
        "select t.name from contest_team c join team t on t.id = c.team_id where c.contest_id = ? order by t.name",
        contest
    )
    .fetch_all(executor)
    .await?;
    Ok(names)
}

/// All organizations.
pub async fn organizations(executor: impl SqliteExecutor<'_>) -> Result<Vec<Organization>, StoreError> {
    let organizations = sqlx::query_as!(
        Organization,
        "select external_id, icpc_id, name, formal_name, country from organization order by id"
    )
    .fetch_all(executor)
    .await?;
    Ok(organizations)
}

/// All groups.
pub async fn groups(executor: impl SqliteExecutor<'_>) -> Result<Vec<Group>, StoreError> {
    let groups = sqlx::query_as!(
        Group,
        r#"select external_id, icpc_id, name, hidden as "hidden: bool" from team_group order by id"#
    )
    .fetch_all(executor)
    .await?;
    Ok(groups)
}
