//! Sessions: who is behind a cookie. Only the SHA-256 of the cookie's token is here.

use sqlx::SqliteExecutor;

use super::{StoreError, WriteTx, second_step};
use crate::domain::account::Role;
use crate::domain::hash::Sha256;
use crate::domain::ids::{AccountId, TeamId};
use crate::domain::time::EpochMs;

/// A live session and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Whose.
    pub account_id: AccountId,
    /// The account's login name.
    pub name: String,
    /// The account's display name.
    pub display_name: String,
    /// The account's role now, not when it logged in.
    pub role: Role,
    /// The account's team.
    pub team_id: Option<TeamId>,
    /// When it was last noted as used.
    pub seen: EpochMs,
}

/// Begins a session.
pub async fn insert(
    tx: &mut WriteTx,
    token_sha256: Sha256,
    account: AccountId,
    expires: EpochMs,
    now: EpochMs,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into session (token_sha256, account_id, created_ms, seen_ms, expires_ms) values (?1, ?2, ?3, ?3, ?4)",
        token_sha256,
        account,
        now,
        expires
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The session, if it is live and its account may log in.
pub async fn find(
    executor: impl SqliteExecutor<'_>,
    token_sha256: Sha256,
    now: EpochMs,
) -> Result<Option<Session>, StoreError> {
    let session = sqlx::query_as!(
        Session,
        r#"select a.id as "account_id!: _", a.name, a.display_name, a.role as "role: _", a.team_id as "team_id: _",
            s.seen_ms as "seen: _"
        from session s join account a on a.id = s.account_id
        where s.token_sha256 = ? and s.expires_ms > ? and a.disabled = 0"#,
        token_sha256,
        now
    )
    .fetch_optional(executor)
    .await?;
    Ok(session)
}

/// Notes that it was used and lets it live until `expires`.
pub async fn touch(tx: &mut WriteTx, token_sha256: Sha256, expires: EpochMs, now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!("update session set seen_ms = ?, expires_ms = ? where token_sha256 = ?", now, expires, token_sha256)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Ends it.
pub async fn delete(tx: &mut WriteTx, token_sha256: Sha256) -> Result<(), StoreError> {
    sqlx::query!("delete from session where token_sha256 = ?", token_sha256).execute(&mut **tx).await?;
    Ok(())
}

/// Ends all of an account, half ones too: sign out everywhere, and after a change of password. Tells how many there were.
pub async fn delete_of_account(tx: &mut WriteTx, account: AccountId) -> Result<u64, StoreError> {
    second_step::end_halves(tx, account).await?;
    let ended = sqlx::query!("delete from session where account_id = ?", account).execute(&mut **tx).await?;
    Ok(ended.rows_affected())
}

/// Ends all of an account but one.
pub async fn delete_others(tx: &mut WriteTx, account: AccountId, kept: Sha256) -> Result<(), StoreError> {
    sqlx::query!("delete from session where account_id = ? and token_sha256 <> ?", account, kept)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Forgets the ones that are over.
pub async fn delete_expired(tx: &mut WriteTx, now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!("delete from session where expires_ms <= ?", now).execute(&mut **tx).await?;
    Ok(())
}
