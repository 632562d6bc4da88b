//! Groups, organizations and the teams in them (CLICS), and the files of an import that is being looked at.

use sqlx::SqliteExecutor;

use super::team::{self, TeamRow};
use super::{StoreError, WriteTx};
use crate::domain::ids::{AccountId, GroupId, OrganizationId, RosterImportId, TeamId};
use crate::domain::time::EpochMs;

/// CLICS `groups`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its row.
    pub id: GroupId,
    /// Its id at the ICPC.
    pub icpc_id: Option<String>,
    /// Its name.
    pub name: String,
    /// Whether its teams have no row on the board.
    pub hidden: bool,
}

/// CLICS `organizations`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organization {
    /// Its row.
    pub id: OrganizationId,
    /// Its id at the ICPC.
    pub icpc_id: Option<String>,
    /// Its short name.
    pub name: String,
    /// Its whole name.
    pub formal_name: Option<String>,
    /// ISO 3166-1 alpha-3.
    pub country: Option<String>,
}

/// CLICS `teams`, as far as files say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// Its row.
    pub id: TeamId,
    /// Its id at the ICPC.
    pub icpc_id: Option<String>,
    /// What is on its seat.
    pub label: Option<String>,
    /// Its name.
    pub name: String,
    /// What the board shows.
    pub display_name: String,
    /// Its organization.
    pub organization_id: Option<OrganizationId>,
    /// Whether it has no row on the board.
    pub hidden: bool,
}

/// The group with this id in files.
pub async fn group(executor: impl SqliteExecutor<'_>, external_id: &str) -> Result<Option<Group>, StoreError> {
    let found = sqlx::query_as!(
        Group,
        r#"select id as "id!: _", icpc_id, name, hidden as "hidden: _" from team_group where external_id = ?"#,
        external_id
    )
    .fetch_optional(executor)
    .await?;
    Ok(found)
}

/// The organization with this id in files.
pub async fn organization(
    executor: impl SqliteExecutor<'_>,
    external_id: &str,
) -> Result<Option<Organization>, StoreError> {
    let found = sqlx::query_as!(
        Organization,
        r#"select id as "id!: _", icpc_id, name, formal_name, country from organization where external_id = ?"#,
        external_id
    )
    .fetch_optional(executor)
    .await?;
    Ok(found)
}

/// The team with this id in files.
pub async fn team(executor: impl SqliteExecutor<'_>, external_id: &str) -> Result<Option<Team>, StoreError> {
    let found = sqlx::query_as!(
        Team,
        r#"select id as "id!: _", icpc_id, label, name, display_name, organization_id as "organization_id: _",
            hidden as "hidden: _"
        from team where external_id = ?"#,
        external_id
    )
    .fetch_optional(executor)
    .await?;
    Ok(found)
}

/// The team with this name.
pub async fn team_named(executor: impl SqliteExecutor<'_>, name: &str) -> Result<Option<TeamId>, StoreError> {
    let id = sqlx::query_scalar!(r#"select id as "id!: TeamId" from team where name = ?"#, name)
        .fetch_optional(executor)
        .await?;
    Ok(id)
}

/// The ids in files of a team's groups, in order.
pub async fn groups_of(executor: impl SqliteExecutor<'_>, team: TeamId) -> Result<Vec<String>, StoreError> {
    let ids = sqlx::query_scalar!(
        "select g.external_id from team_in_group i join team_group g on g.id = i.group_id where i.team_id = ?
        order by g.external_id",
        team
    )
    .fetch_all(executor)
    .await?;
    Ok(ids)
}

/// Makes a group, or makes the one with this id in files so.
pub async fn put_group(
    tx: &mut WriteTx,
    external_id: &str,
    icpc_id: Option<&str>,
    name: &str,
    hidden: bool,
    now: EpochMs,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into team_group (external_id, icpc_id, name, hidden, created_ms) values (?, ?, ?, ?, ?)
        on conflict (external_id) do update set icpc_id = excluded.icpc_id, name = excluded.name,
            hidden = excluded.hidden",
        external_id,
        icpc_id,
        name,
        hidden,
        now
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Makes an organization, or makes the one with this id in files so.
pub async fn put_organization(
    tx: &mut WriteTx,
    external_id: &str,
    facts: &OrganizationFacts<'_>,
    now: EpochMs,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into organization (external_id, icpc_id, name, formal_name, country, created_ms)
        values (?, ?, ?, ?, ?, ?)
        on conflict (external_id) do update set icpc_id = excluded.icpc_id, name = excluded.name,
            formal_name = excluded.formal_name, country = excluded.country",
        external_id,
        facts.icpc_id,
        facts.name,
        facts.formal_name,
        facts.country,
        now
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// An organization as it is to be.
#[derive(Debug, Clone, Copy)]
pub struct OrganizationFacts<'a> {
    /// Its id at the ICPC.
    pub icpc_id: Option<&'a str>,
    /// Its short name.
    pub name: &'a str,
    /// Its whole name.
    pub formal_name: Option<&'a str>,
    /// ISO 3166-1 alpha-3.
    pub country: Option<&'a str>,
}

/// Makes a team, or makes the one with its id in files so, in just these groups.
pub async fn put_team(
    tx: &mut WriteTx,
    row: TeamRow<'_>,
    groups: &[String],
    now: EpochMs,
) -> Result<TeamId, StoreError> {
    let there = match row.external_id {
        Some(id) => team(&mut **tx, id).await?,
        None => None,
    };
    match there {
        Some(there) => {
            team::update(tx, there.id, row, groups, now).await?;
            Ok(there.id)
        }
        None => team::insert(tx, row, groups, now).await,
    }
}

/// Keeps files (JSON) until somebody has looked at them.
pub async fn hold(
    tx: &mut WriteTx,
    files: &str,
    created_by: AccountId,
    now: EpochMs,
) -> Result<RosterImportId, StoreError> {
    let id = sqlx::query_scalar!(
        r#"insert into roster_import (files, created_ms, created_by) values (?, ?, ?)
        returning id as "id!: RosterImportId""#,
        files,
        now,
        created_by
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(id)
}

/// The files (JSON) that this account holds since at least `since`.
pub async fn held(
    executor: impl SqliteExecutor<'_>,
    id: RosterImportId,
    created_by: AccountId,
    since: EpochMs,
) -> Result<Option<String>, StoreError> {
    let files = sqlx::query_scalar!(
        "select files from roster_import where id = ? and created_by = ? and created_ms >= ?",
        id,
        created_by,
        since
    )
    .fetch_optional(executor)
    .await?;
    Ok(files)
}

/// Lets the files go; tells whether they were there.
pub async fn release(tx: &mut WriteTx, id: RosterImportId) -> Result<bool, StoreError> {
    let gone = sqlx::query!("delete from roster_import where id = ?", id).execute(&mut **tx).await?;
    Ok(gone.rows_affected() == 1)
}

/// Lets files go that nobody came back for.
pub async fn release_older(tx: &mut WriteTx, than: EpochMs) -> Result<(), StoreError> {
    sqlx::query!("delete from roster_import where created_ms < ?", than).execute(&mut **tx).await?;
    Ok(())
}
