//! Accounts and the teams they belong to.

use sqlx::{SqliteExecutor, SqlitePool};

use super::account_look;
use super::event::{self, EventKind, EventOp, NewEvent};
use super::{StoreError, WriteTx};
use crate::domain::account::{Role, UserName};
use crate::domain::ids::{AccountId, TeamId};
use crate::domain::time::EpochMs;

/// An account, without its password.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// What its owner logs in with.
    pub name: String,
    /// What others see.
    pub display_name: String,
    /// What it may do.
    pub role: Role,
    /// The team it submits for.
    pub team_id: Option<TeamId>,
    /// Whether it can't log in.
    pub disabled: bool,
    /// When it was made.
    pub created: EpochMs,
}

/// What a log-in is checked against.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// The account.
    pub id: AccountId,
    /// Argon2id in PHC form; `None` when no password was set yet.
    pub password_hash: Option<String>,
    /// Whether it can't log in.
    pub disabled: bool,
}

/// An account to be made.
#[derive(Debug, Clone, Copy)]
pub struct NewAccount<'a> {
    /// What its owner logs in with.
    pub name: &'a UserName,
    /// What others see.
    pub display_name: &'a str,
    /// What it may do.
    pub role: Role,
    /// Argon2id in PHC form.
    pub password_hash: Option<&'a str>,
}

/// Makes an account with a team of its own (submissions belong to teams); `None` when the name is taken.
pub async fn insert(tx: &mut WriteTx, account: NewAccount<'_>, now: EpochMs) -> Result<Option<AccountId>, StoreError> {
    let name = account.name.as_str();
    let taken = sqlx::query_scalar!(
        r#"select exists (select 1 from account where name = ?1) or exists (select 1 from team where name = ?1)
            as "taken!: bool""#,
        name
    )
    .fetch_one(&mut **tx)
    .await?;
    if taken {
        return Ok(None);
    }
    let team = sqlx::query_scalar!(
        r#"insert into team (name, display_name, created_ms) values (?, ?, ?) returning id as "id!: TeamId""#,
        name,
        account.display_name,
        now
    )
    .fetch_one(&mut **tx)
    .await?;
    event::append(tx, NewEvent::new(EventKind::Team, EventOp::Create, team.0), now).await?;
    insert_row(tx, account, Some(team), now).await.map(Some)
}

/// Makes an account that submits for a team that is there, or for none; `None` when the name is taken.
pub async fn insert_for(
    tx: &mut WriteTx,
    account: NewAccount<'_>,
    team: Option<TeamId>,
    now: EpochMs,
) -> Result<Option<AccountId>, StoreError> {
    if by_name(&mut **tx, account.name.as_str()).await?.is_some() {
        return Ok(None);
    }
    insert_row(tx, account, team, now).await.map(Some)
}

async fn insert_row(
    tx: &mut WriteTx,
    account: NewAccount<'_>,
    team: Option<TeamId>,
    now: EpochMs,
) -> Result<AccountId, StoreError> {
    let name = account.name.as_str();
    let id = sqlx::query_scalar!(
        r#"insert into account (name, display_name, role, password_hash, team_id, created_ms)
        values (?, ?, ?, ?, ?, ?) returning id as "id!: AccountId""#,
        name,
        account.display_name,
        account.role,
        account.password_hash,
        team,
        now
    )
    .fetch_one(&mut **tx)
    .await?;
    account_look::insert(tx, id, [name, account.display_name]).await?;
    event::append(tx, NewEvent::new(EventKind::Account, EventOp::Create, id.0), now).await?;
    Ok(id)
}

/// The account with this login name, whatever the case of its letters.
pub async fn by_name(executor: impl SqliteExecutor<'_>, name: &str) -> Result<Option<Account>, StoreError> {
    let account = sqlx::query_as!(
        Account,
        r#"select id as "id!: _", name, display_name, role as "role: _", team_id as "team_id: _",
            disabled as "disabled: _", created_ms as "created: _"
        from account where name = ?"#,
        name
    )
    .fetch_optional(executor)
    .await?;
    Ok(account)
}

/// The account with this id.
pub async fn by_id(executor: impl SqliteExecutor<'_>, id: AccountId) -> Result<Option<Account>, StoreError> {
    let account = sqlx::query_as!(
        Account,
        r#"select id as "id!: _", name, display_name, role as "role: _", team_id as "team_id: _",
            disabled as "disabled: _", created_ms as "created: _"
        from account where id = ?"#,
        id
    )
    .fetch_optional(executor)
    .await?;
    Ok(account)
}

/// Accounts after the id `after`, in order of their ids.
pub async fn list(pool: &SqlitePool, after: AccountId, limit: u32) -> Result<Vec<Account>, StoreError> {
    let accounts = sqlx::query_as!(
        Account,
        r#"select id as "id!: _", name, display_name, role as "role: _", team_id as "team_id: _",
            disabled as "disabled: _", created_ms as "created: _"
        from account where id > ? order by id limit ?"#,
        after,
        limit
    )
    .fetch_all(pool)
    .await?;
    Ok(accounts)
}

/// What to check a log-in with this name against.
pub async fn credentials(executor: impl SqliteExecutor<'_>, name: &str) -> Result<Option<Credentials>, StoreError> {
    let credentials = sqlx::query_as!(
        Credentials,
        r#"select id as "id!: _", password_hash, disabled as "disabled: _" from account where name = ?"#,
        name
    )
    .fetch_optional(executor)
    .await?;
    Ok(credentials)
}

/// Sets the password's hash.
pub async fn set_password_hash(tx: &mut WriteTx, id: AccountId, hash: &str) -> Result<(), StoreError> {
    sqlx::query!("update account set password_hash = ? where id = ?", hash, id).execute(&mut **tx).await?;
    Ok(())
}

/// Sets the role.
pub async fn set_role(tx: &mut WriteTx, id: AccountId, role: Role, now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!("update account set role = ? where id = ?", role, id).execute(&mut **tx).await?;
    event::append(tx, NewEvent::new(EventKind::Account, EventOp::Update, id.0), now).await?;
    Ok(())
}

/// Lets it hand in for this team, or for none.
pub async fn set_team(tx: &mut WriteTx, id: AccountId, team: Option<TeamId>, now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!("update account set team_id = ? where id = ?", team, id).execute(&mut **tx).await?;
    event::append(tx, NewEvent::new(EventKind::Account, EventOp::Update, id.0), now).await?;
    Ok(())
}

/// Lets it log in again, or no longer.
pub async fn set_disabled(tx: &mut WriteTx, id: AccountId, disabled: bool, now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!("update account set disabled = ? where id = ?", disabled, id).execute(&mut **tx).await?;
    event::append(tx, NewEvent::new(EventKind::Account, EventOp::Update, id.0), now).await?;
    Ok(())
}

/// Whether anybody but this account is an admin that can log in.
pub async fn has_other_admin(executor: impl SqliteExecutor<'_>, id: AccountId) -> Result<bool, StoreError> {
    let has = sqlx::query_scalar!(
        r#"select exists (select 1 from account where role = 'admin' and disabled = 0 and id <> ?) as "has!: bool""#,
        id
    )
    .fetch_one(executor)
    .await?;
    Ok(has)
}

/// Whether anybody is an admin yet.
pub async fn has_admin(executor: impl SqliteExecutor<'_>) -> Result<bool, StoreError> {
    let has = sqlx::query_scalar!(
        r#"select exists (select 1 from account where role = 'admin' and disabled = 0) as "has!: bool""#
    )
    .fetch_one(executor)
    .await?;
    Ok(has)
}
