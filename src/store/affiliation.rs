//! Groups and organizations as admins see them: where teams belong. Making and changing them is `roster`'s.

use sqlx::SqliteExecutor;

use super::team::pattern;
use super::{StoreError, WriteTx};
use crate::domain::ids::TeamId;

/// What teams belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// CLICS `groups`: what ranks apart.
    Group,
    /// CLICS `organizations`.
    Organization,
}

/// A group or an organization.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Affiliation {
    /// Its id in files.
    pub id: String,
    /// Its id at the ICPC.
    pub icpc_id: Option<String>,
    /// Its name.
    pub name: String,
    /// An organization's whole name.
    pub formal_name: Option<String>,
    /// An organization's country, ISO 3166-1 alpha-3.
    pub country: Option<String>,
    /// Whether a group's teams have no row on boards.
    pub hidden: bool,
    /// How many teams it has.
    pub teams: u32,
}

/// A page of the list, by name, behind the one with the id `after`; with `contains` in a name or the id.
pub async fn list(
    executor: impl SqliteExecutor<'_>,
    kind: Kind,
    contains: Option<&str>,
    after: Option<&str>,
    limit: u32,
) -> Result<Vec<Affiliation>, StoreError> {
    let (like, after) = (pattern(contains), after.unwrap_or_default());
    let rows = match kind {
        Kind::Group => {
            sqlx::query_as!(
                Affiliation,
                r#"select g.external_id as id, g.icpc_id, g.name, null as "formal_name?: String",
                    null as "country?: String", g.hidden as "hidden: bool",
                    (select count(*) from team_in_group i where i.group_id = g.id) as "teams!: u32"
                from team_group g
                where (?1 = '' or g.name like ?1 escape '\' or g.external_id like ?1 escape '\')
                    and (?2 = '' or (g.name, g.external_id) > (select name, external_id from team_group
                        where external_id = ?2))
                order by g.name, g.external_id limit ?3"#,
                like,
                after,
                limit
            )
            .fetch_all(executor)
            .await?
        }
        Kind::Organization => {
            sqlx::query_as!(
                Affiliation,
                r#"select o.external_id as id, o.icpc_id, o.name, o.formal_name, o.country, 0 as "hidden!: bool",
                    (select count(*) from team t where t.organization_id = o.id) as "teams!: u32"
                from organization o
                where (?1 = '' or o.name like ?1 escape '\' or o.formal_name like ?1 escape '\'
                        or o.external_id like ?1 escape '\')
                    and (?2 = '' or (o.name, o.external_id) > (select name, external_id from organization
                        where external_id = ?2))
                order by o.name, o.external_id limit ?3"#,
                like,
                after,
                limit
            )
            .fetch_all(executor)
            .await?
        }
    };
    Ok(rows)
}

/// The one with this id.
pub async fn by_id(executor: impl SqliteExecutor<'_>, kind: Kind, id: &str) -> Result<Option<Affiliation>, StoreError> {
    let row = match kind {
        Kind::Group => {
            sqlx::query_as!(
                Affiliation,
                r#"select g.external_id as id, g.icpc_id, g.name, null as "formal_name?: String",
                    null as "country?: String", g.hidden as "hidden: bool",
                    (select count(*) from team_in_group i where i.group_id = g.id) as "teams!: u32"
                from team_group g where g.external_id = ?"#,
                id
            )
            .fetch_optional(executor)
            .await?
        }
        Kind::Organization => {
            sqlx::query_as!(
                Affiliation,
                r#"select o.external_id as id, o.icpc_id, o.name, o.formal_name, o.country, 0 as "hidden!: bool",
                    (select count(*) from team t where t.organization_id = o.id) as "teams!: u32"
                from organization o where o.external_id = ?"#,
                id
            )
            .fetch_optional(executor)
            .await?
        }
    };
    Ok(row)
}

/// How many there are.
pub async fn count(executor: impl SqliteExecutor<'_>, kind: Kind) -> Result<u32, StoreError> {
    let count = match kind {
        Kind::Group => {
            sqlx::query_scalar!(r#"select count(*) as "count!: u32" from team_group"#).fetch_one(executor).await?
        }
        Kind::Organization => {
            sqlx::query_scalar!(r#"select count(*) as "count!: u32" from organization"#).fetch_one(executor).await?
        }
    };
    Ok(count)
}

/// One of its teams.
pub async fn a_team(executor: impl SqliteExecutor<'_>, kind: Kind, id: &str) -> Result<Option<TeamId>, StoreError> {
    let team = match kind {
        Kind::Group => {
            sqlx::query_scalar!(
                r#"select i.team_id as "id!: TeamId" from team_group g join team_in_group i on i.group_id = g.id
                where g.external_id = ? limit 1"#,
                id
            )
            .fetch_optional(executor)
            .await?
        }
        Kind::Organization => {
            sqlx::query_scalar!(
                r#"select t.id as "id!: TeamId" from organization o join team t on t.organization_id = o.id
                where o.external_id = ? limit 1"#,
                id
            )
            .fetch_optional(executor)
            .await?
        }
    };
    Ok(team)
}

/// Deletes one that no team belongs to.
pub async fn delete(tx: &mut WriteTx, kind: Kind, id: &str) -> Result<(), StoreError> {
    match kind {
        Kind::Group => sqlx::query!("delete from team_group where external_id = ?", id).execute(&mut **tx).await?,
        Kind::Organization => {
            sqlx::query!("delete from organization where external_id = ?", id).execute(&mut **tx).await?
        }
    };
    Ok(())
}
