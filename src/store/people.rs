//! The list of people for admins: accounts with their teams, found along indexes however many there are.

use sqlx::{SqliteExecutor, SqlitePool};

use super::StoreError;
use crate::domain::account::Role;
use crate::domain::ids::AccountId;
use crate::domain::time::EpochMs;

/// An account with where it belongs.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Person {
    /// Its id.
    pub id: AccountId,
    /// What its owner logs in with.
    pub name: String,
    /// What others see.
    pub display_name: String,
    /// What it may do.
    pub role: Role,
    /// Whether it can't log in.
    pub disabled: bool,
    /// Whether a password was set.
    pub has_password: bool,
    /// When it was made.
    pub created: EpochMs,
    /// Its team's display name.
    pub team: Option<String>,
    /// That team's organization.
    pub organization: Option<String>,
    /// That team's groups, with commas.
    pub groups: Option<String>,
    /// Whether a code is asked for after the password.
    pub second_step: bool,
    /// How many sessions are open.
    pub sessions: u32,
}

/// Which people a list shows. `None` doesn't restrict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PeopleFilter {
    /// Whose login name begins with this, whatever the case of ASCII letters.
    pub prefix: Option<String>,
    /// With this role.
    pub role: Option<Role>,
    /// Only those that can't log in.
    pub disabled: bool,
    /// After this login name: the next page.
    pub after: Option<String>,
}

/// A page of the list, by name. A first query finds the ids along the index that fits the filter.
pub async fn list(pool: &SqlitePool, filter: &PeopleFilter, limit: u32) -> Result<Vec<Person>, StoreError> {
    let prefix = filter.prefix.as_deref().unwrap_or_default();
    // Behind every name that begins so: no name has this character.
    let end = format!("{prefix}\u{10ffff}");
    let after = filter.after.as_deref().unwrap_or_default();
    let ids = match filter.role {
        Some(role) => {
            sqlx::query_scalar!(
                r#"select id as "id!: AccountId" from account
                where role = ?1 and name >= ?2 and name < ?3 and name > ?4 and (?5 = 0 or disabled = 1)
                order by name limit ?6"#,
                role,
                prefix,
                end,
                after,
                filter.disabled,
                limit
            )
            .fetch_all(pool)
            .await?
        }
        None if filter.disabled => {
            sqlx::query_scalar!(
                r#"select id as "id!: AccountId" from account
                where disabled = 1 and name >= ?1 and name < ?2 and name > ?3 order by name limit ?4"#,
                prefix,
                end,
                after,
                limit
            )
            .fetch_all(pool)
            .await?
        }
        None => {
            sqlx::query_scalar!(
                r#"select id as "id!: AccountId" from account
                where name >= ?1 and name < ?2 and name > ?3 order by name limit ?4"#,
                prefix,
                end,
                after,
                limit
            )
            .fetch_all(pool)
            .await?
        }
    };
    rows(pool, &ids).await
}

/// One of them.
pub async fn by_id(executor: impl SqliteExecutor<'_>, id: AccountId) -> Result<Option<Person>, StoreError> {
    Ok(rows(executor, &[id]).await?.pop())
}

async fn rows(executor: impl SqliteExecutor<'_>, ids: &[AccountId]) -> Result<Vec<Person>, StoreError> {
    let ids = serde_json::Value::from(ids.iter().map(|id| id.0).collect::<Vec<_>>()).to_string();
    let rows = sqlx::query_as!(
        Person,
        r#"select a.id as "id!: _", a.name, a.display_name, a.role as "role: _", a.disabled as "disabled: _",
            a.password_hash is not null as "has_password!: bool", a.created_ms as "created: _",
            t.display_name as "team?", o.name as "organization?",
            (select group_concat(g.name, ', ') from team_in_group i join team_group g on g.id = i.group_id
                where i.team_id = a.team_id) as "groups?: String",
            exists (select 1 from second_step c where c.account_id = a.id and c.confirmed_ms is not null)
                as "second_step!: bool",
            (select count(*) from session s where s.account_id = a.id) as "sessions!: u32"
        from account a left join team t on t.id = a.team_id left join organization o on o.id = t.organization_id
        where a.id in (select value from json_each(?))
        order by a.name"#,
        ids
    )
    .fetch_all(executor)
    .await?;
    Ok(rows)
}
