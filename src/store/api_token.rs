//! Tokens for programs that act for an account. Only the SHA-256 of a token is here.

use sqlx::{SqliteExecutor, SqlitePool};

use super::{StoreError, WriteTx};
use crate::domain::account::Role;
use crate::domain::hash::Sha256;
use crate::domain::ids::{AccountId, ApiTokenId, TeamId};
use crate::domain::time::EpochMs;

/// What a token allows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scopes {
    /// To read what its account may read.
    pub read: bool,
    /// To hand in for its account.
    pub submit: bool,
    /// To see and do what its account's role may as staff.
    pub manage: bool,
}

/// A token as its owner's list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiToken {
    /// Its id.
    pub id: ApiTokenId,
    /// What its owner calls it.
    pub name: String,
    /// What it allows.
    pub scopes: Scopes,
    /// When it was made.
    pub created: EpochMs,
    /// When it was last noted as used.
    pub used: Option<EpochMs>,
}

/// A token that works, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The token.
    pub token_id: ApiTokenId,
    /// What it allows.
    pub scopes: Scopes,
    /// When it was last noted as used.
    pub used: Option<EpochMs>,
    /// Whose.
    pub account_id: AccountId,
    /// The account's login name.
    pub name: String,
    /// The account's display name.
    pub display_name: String,
    /// The account's role now.
    pub role: Role,
    /// The account's team.
    pub team_id: Option<TeamId>,
}

/// Writes a token.
pub async fn insert(
    tx: &mut WriteTx,
    account: AccountId,
    name: &str,
    token_sha256: Sha256,
    scopes: Scopes,
    now: EpochMs,
) -> Result<ApiTokenId, StoreError> {
    let id = sqlx::query_scalar!(
        r#"insert into api_token (account_id, name, token_sha256, may_read, may_submit, may_manage, created_ms)
        values (?, ?, ?, ?, ?, ?, ?) returning id as "id!: ApiTokenId""#,
        account,
        name,
        token_sha256,
        scopes.read,
        scopes.submit,
        scopes.manage,
        now
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(id)
}

/// An account's tokens that were not revoked, newest first.
pub async fn list(pool: &SqlitePool, account: AccountId) -> Result<Vec<ApiToken>, StoreError> {
    let rows = sqlx::query!(
        r#"select id as "id!: ApiTokenId", name, may_read as "read: bool", may_submit as "submit: bool",
            may_manage as "manage: bool", created_ms as "created: EpochMs", used_ms as "used: EpochMs"
        from api_token where account_id = ? and revoked_ms is null order by id desc"#,
        account
    )
    .fetch_all(pool)
    .await?;
    let token = rows.into_iter().map(|row| ApiToken {
        id: row.id,
        name: row.name,
        scopes: Scopes { read: row.read, submit: row.submit, manage: row.manage },
        created: row.created,
        used: row.used,
    });
    Ok(token.collect())
}

/// How many tokens of an account work.
pub async fn count(executor: impl SqliteExecutor<'_>, account: AccountId) -> Result<u32, StoreError> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!: u32" from api_token where account_id = ? and revoked_ms is null"#,
        account
    )
    .fetch_one(executor)
    .await?;
    Ok(count)
}

/// Whose token this is, if it works and its account may log in.
pub async fn holder(executor: impl SqliteExecutor<'_>, token_sha256: Sha256) -> Result<Option<Holder>, StoreError> {
    let row = sqlx::query!(
        r#"select t.id as "token_id!: ApiTokenId", t.may_read as "read: bool", t.may_submit as "submit: bool",
            t.may_manage as "manage: bool", t.used_ms as "used: EpochMs", a.id as "account_id!: AccountId", a.name, a.display_name, a.role as "role: Role",
            a.team_id as "team_id: TeamId"
        from api_token t join account a on a.id = t.account_id
        where t.token_sha256 = ? and t.revoked_ms is null and a.disabled = 0"#,
        token_sha256
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map(|row| Holder {
        token_id: row.token_id,
        scopes: Scopes { read: row.read, submit: row.submit, manage: row.manage },
        used: row.used,
        account_id: row.account_id,
        name: row.name,
        display_name: row.display_name,
        role: row.role,
        team_id: row.team_id,
    }))
}

/// Notes that it was used.
pub async fn touch(tx: &mut WriteTx, id: ApiTokenId, now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!("update api_token set used_ms = ? where id = ?", now, id).execute(&mut **tx).await?;
    Ok(())
}

/// Ends an account's token; tells whether there was one. The row stays, so that a log can name it.
pub async fn revoke(
    tx: &mut WriteTx,
    account: AccountId,
    id: ApiTokenId,
    now: EpochMs,
) -> Result<Option<String>, StoreError> {
    let name = sqlx::query_scalar!(
        "update api_token set revoked_ms = ?1 where id = ?2 and account_id = ?3 and revoked_ms is null returning name",
        now,
        id,
        account
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(name)
}
