//! Teams as admins see and change them: a page of the list, one with its members. What boards and the contest API read is
//! in `contest_team`.

use sqlx::{SqliteExecutor, SqlitePool};

use super::codec::Texts;
use super::event::{self, EventKind, EventOp, NewEvent};
use super::{StoreError, WriteTx};
use crate::domain::account::Role;
use crate::domain::ids::{AccountId, OrganizationId, TeamId};
use crate::domain::time::EpochMs;

/// A team.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Team {
    /// Its row.
    pub id: TeamId,
    /// Its id in files.
    pub external_id: Option<String>,
    /// Its id at the ICPC.
    pub icpc_id: Option<String>,
    /// What is on its seat.
    pub label: Option<String>,
    /// Its name, which no other team has.
    pub name: String,
    /// What boards show.
    pub display_name: String,
    /// Its organization's id in files.
    pub organization: Option<String>,
    /// That organization's name.
    pub organization_name: Option<String>,
    /// Its groups' ids in files, in order.
    pub groups: Texts,
    /// Their names, in the same order.
    pub group_names: Texts,
    /// Whether it has no row on boards.
    pub hidden: bool,
    /// How many accounts hand in for it.
    pub members: u32,
    /// How many of these can't log in.
    pub disabled: u32,
}

/// Who hands in for a team.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Member {
    /// The account.
    pub id: AccountId,
    /// Its login name.
    pub name: String,
    /// What others see.
    pub display_name: String,
    /// What it may do.
    pub role: Role,
    /// Whether it can't log in.
    pub disabled: bool,
}

/// Which teams a list shows. `None` doesn't restrict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TeamFilter {
    /// With this in a name, the label or the id in files, whatever the case of ASCII letters.
    pub contains: Option<String>,
    /// Of this group (id in files).
    pub group: Option<String>,
    /// Of this organization (id in files).
    pub organization: Option<String>,
    /// Only those without a row on boards.
    pub hidden: bool,
    /// After this name: the next page.
    pub after: Option<String>,
}

/// A team as it is to be.
#[derive(Debug, Clone, Copy)]
pub struct TeamRow<'a> {
    /// Its id in files.
    pub external_id: Option<&'a str>,
    /// Its id at the ICPC.
    pub icpc_id: Option<&'a str>,
    /// What is on its seat.
    pub label: Option<&'a str>,
    /// Its name.
    pub name: &'a str,
    /// What boards show.
    pub display_name: &'a str,
    /// Its organization.
    pub organization: Option<OrganizationId>,
    /// Whether it has no row on boards.
    pub hidden: bool,
}

/// Text that `like ... escape '\'` finds anywhere; empty: everything.
pub(super) fn pattern(contains: Option<&str>) -> String {
    let Some(text) = contains.filter(|text| !text.is_empty()) else { return String::new() };
    let escaped: String =
        text.chars().flat_map(|c| matches!(c, '%' | '_' | '\\').then_some('\\').into_iter().chain([c])).collect();
    format!("%{escaped}%")
}

/// A page of the list, by name.
pub async fn list(pool: &SqlitePool, filter: &TeamFilter, limit: u32) -> Result<Vec<Team>, StoreError> {
    let like = pattern(filter.contains.as_deref());
    let after = filter.after.as_deref().unwrap_or_default();
    let ids = sqlx::query_scalar!(
        r#"select t.id as "id!: TeamId" from team t
        where t.name > ?1
            and (?2 = '' or t.name like ?2 escape '\' or t.display_name like ?2 escape '\' or t.label like ?2 escape '\'
                or t.external_id like ?2 escape '\')
            and (?3 is null or exists (select 1 from team_in_group i join team_group g on g.id = i.group_id
                where i.team_id = t.id and g.external_id = ?3))
            and (?4 is null or t.organization_id = (select o.id from organization o where o.external_id = ?4))
            and (?5 = 0 or t.hidden = 1)
        order by t.name limit ?6"#,
        after,
        like,
        filter.group,
        filter.organization,
        filter.hidden,
        limit
    )
    .fetch_all(pool)
    .await?;
    rows(pool, &ids).await
}

/// One of them.
pub async fn by_id(executor: impl SqliteExecutor<'_>, id: TeamId) -> Result<Option<Team>, StoreError> {
    Ok(rows(executor, &[id]).await?.pop())
}

async fn rows(executor: impl SqliteExecutor<'_>, ids: &[TeamId]) -> Result<Vec<Team>, StoreError> {
    let ids = serde_json::Value::from(ids.iter().map(|id| id.0).collect::<Vec<_>>()).to_string();
    let rows = sqlx::query_as!(
        Team,
        r#"select t.id as "id!: _", t.external_id, t.icpc_id, t.label, t.name, t.display_name,
            o.external_id as "organization?", o.name as "organization_name?",
            (select json_group_array(f.external_id) from (select g.external_id from team_in_group i
                join team_group g on g.id = i.group_id where i.team_id = t.id order by g.external_id) f)
                as "groups!: Texts",
            (select json_group_array(f.name) from (select g.name from team_in_group i
                join team_group g on g.id = i.group_id where i.team_id = t.id order by g.external_id) f)
                as "group_names!: Texts",
            t.hidden as "hidden: bool",
            (select count(*) from account a where a.team_id = t.id) as "members!: u32",
            (select count(*) from account a where a.team_id = t.id and a.disabled = 1) as "disabled!: u32"
        from team t left join organization o on o.id = t.organization_id
        where t.id in (select value from json_each(?))
        order by t.name"#,
        ids
    )
    .fetch_all(executor)
    .await?;
    Ok(rows)
}

/// Who hands in for it, by login name.
pub async fn members(executor: impl SqliteExecutor<'_>, id: TeamId) -> Result<Vec<Member>, StoreError> {
    let members = sqlx::query_as!(
        Member,
        r#"select id as "id!: _", name, display_name, role as "role: _", disabled as "disabled: _"
        from account where team_id = ? order by name"#,
        id
    )
    .fetch_all(executor)
    .await?;
    Ok(members)
}

/// Makes a team in just these groups (ids in files).
pub async fn insert(tx: &mut WriteTx, row: TeamRow<'_>, groups: &[String], now: EpochMs) -> Result<TeamId, StoreError> {
    let id = sqlx::query_scalar!(
        r#"insert into team (external_id, icpc_id, label, name, display_name, organization_id, hidden, created_ms)
        values (?, ?, ?, ?, ?, ?, ?, ?) returning id as "id!: TeamId""#,
        row.external_id,
        row.icpc_id,
        row.label,
        row.name,
        row.display_name,
        row.organization,
        row.hidden,
        now
    )
    .fetch_one(&mut **tx)
    .await?;
    set_groups(tx, id, groups).await?;
    event::append(tx, NewEvent::new(EventKind::Team, EventOp::Create, id.0), now).await?;
    Ok(id)
}

/// Makes a team so, in just these groups (ids in files).
pub async fn update(
    tx: &mut WriteTx,
    id: TeamId,
    row: TeamRow<'_>,
    groups: &[String],
    now: EpochMs,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update team set external_id = ?, icpc_id = ?, label = ?, name = ?, display_name = ?, organization_id = ?,
            hidden = ? where id = ?",
        row.external_id,
        row.icpc_id,
        row.label,
        row.name,
        row.display_name,
        row.organization,
        row.hidden,
        id
    )
    .execute(&mut **tx)
    .await?;
    set_groups(tx, id, groups).await?;
    changed(tx, id, now).await
}

/// Tells boards and feeds that a team, or what it belongs to, is another than before.
pub async fn changed(tx: &mut WriteTx, id: TeamId, now: EpochMs) -> Result<(), StoreError> {
    event::append(tx, NewEvent::new(EventKind::Team, EventOp::Update, id.0), now).await?;
    Ok(())
}

/// Puts a team in just these groups (ids in files).
async fn set_groups(tx: &mut WriteTx, id: TeamId, groups: &[String]) -> Result<(), StoreError> {
    sqlx::query!("delete from team_in_group where team_id = ?", id).execute(&mut **tx).await?;
    let groups = serde_json::Value::from(groups).to_string();
    sqlx::query!(
        "insert into team_in_group (team_id, group_id)
        select ?1, id from team_group where external_id in (select value from json_each(?2))",
        id,
        groups
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}
