//! The second step of logging in: secrets of authenticator apps, recovery codes, and who is half logged in. Recovery codes
//! and tokens are here as SHA-256 only.

use sqlx::SqliteExecutor;

use super::{StoreError, WriteTx};
use crate::domain::hash::Sha256;
use crate::domain::ids::AccountId;
use crate::domain::one_time_code::Secret;
use crate::domain::time::EpochMs;

/// The setting that makes the second step a must for staff, and its value then. Queries here name them too.
pub const MUST: (&str, &str) = ("second_step", "staff");

/// An account's second step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondStep {
    /// What the app has.
    pub secret: Secret,
    /// Since when it is asked for; `None`: it was not confirmed.
    pub confirmed: Option<EpochMs>,
}

/// Whether an account has one that is asked for, and whether its staff must have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// It is asked for.
    pub on: bool,
    /// The setting is on.
    pub must: bool,
}

/// The account's second step, confirmed or not.
pub async fn of(executor: impl SqliteExecutor<'_>, account: AccountId) -> Result<Option<SecondStep>, StoreError> {
    let row = sqlx::query!(
        r#"select secret, confirmed_ms as "confirmed: EpochMs" from second_step where account_id = ?"#,
        account
    )
    .fetch_optional(executor)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let secret = row.secret.try_into().map_err(|_| sqlx::Error::Decode("a secret has 20 bytes".into()))?;
    Ok(Some(SecondStep { secret: Secret::new(secret), confirmed: row.confirmed }))
}

/// How an account stands.
pub async fn standing(executor: impl SqliteExecutor<'_>, account: AccountId) -> Result<Standing, StoreError> {
    let standing = sqlx::query_as!(
        Standing,
        r#"select exists (select 1 from second_step where account_id = ? and confirmed_ms is not null) as "on!: bool",
            exists (select 1 from setting where key = 'second_step' and value = 'staff') as "must!: bool""#,
        account
    )
    .fetch_one(executor)
    .await?;
    Ok(standing)
}

/// Puts a secret that is not confirmed yet in the place of an earlier one like it. A confirmed one stays: `false`.
pub async fn begin(tx: &mut WriteTx, account: AccountId, secret: &Secret, now: EpochMs) -> Result<bool, StoreError> {
    let secret = &secret.as_bytes()[..];
    let changed = sqlx::query!(
        "insert into second_step (account_id, secret, created_ms) values (?, ?, ?)
        on conflict (account_id) do update set secret = excluded.secret, created_ms = excluded.created_ms
            where confirmed_ms is null",
        account,
        secret,
        now
    )
    .execute(&mut **tx)
    .await?;
    Ok(changed.rows_affected() == 1)
}

/// From now on it is asked for.
pub async fn confirm(tx: &mut WriteTx, account: AccountId, now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!("update second_step set confirmed_ms = ? where account_id = ?", now, account)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Uses up the code of a step and all earlier ones; `false` when it was used before (RFC 6238, 5.2).
pub async fn use_step(tx: &mut WriteTx, account: AccountId, step: i64) -> Result<bool, StoreError> {
    let changed =
        sqlx::query!("update second_step set used_step = ?1 where account_id = ?2 and used_step < ?1", step, account)
            .execute(&mut **tx)
            .await?;
    Ok(changed.rows_affected() == 1)
}

/// Nothing is asked for any more, and the recovery codes end.
pub async fn remove(tx: &mut WriteTx, account: AccountId) -> Result<bool, StoreError> {
    sqlx::query!("delete from recovery_code where account_id = ?", account).execute(&mut **tx).await?;
    sqlx::query!("delete from half_log_in where account_id = ?", account).execute(&mut **tx).await?;
    let gone = sqlx::query!("delete from second_step where account_id = ?", account).execute(&mut **tx).await?;
    Ok(gone.rows_affected() == 1)
}

/// These are the account's recovery codes; earlier ones end.
pub async fn set_recovery_codes(tx: &mut WriteTx, account: AccountId, codes: &[Sha256]) -> Result<(), StoreError> {
    sqlx::query!("delete from recovery_code where account_id = ?", account).execute(&mut **tx).await?;
    for code in codes {
        sqlx::query!("insert into recovery_code (account_id, code_sha256) values (?, ?)", account, code)
            .execute(&mut **tx)
            .await?;
    }
    Ok(())
}

/// Uses a recovery code up; `false` when there is none like it or it was used before.
pub async fn use_recovery_code(
    tx: &mut WriteTx,
    account: AccountId,
    code: Sha256,
    now: EpochMs,
) -> Result<bool, StoreError> {
    let changed = sqlx::query!(
        "update recovery_code set used_ms = ? where account_id = ? and code_sha256 = ? and used_ms is null",
        now,
        account,
        code
    )
    .execute(&mut **tx)
    .await?;
    Ok(changed.rows_affected() == 1)
}

/// How many recovery codes are left.
pub async fn recovery_codes_left(executor: impl SqliteExecutor<'_>, account: AccountId) -> Result<u32, StoreError> {
    let left = sqlx::query_scalar!(
        r#"select count(*) as "count!: u32" from recovery_code where account_id = ? and used_ms is null"#,
        account
    )
    .fetch_one(executor)
    .await?;
    Ok(left)
}

/// Notes that somebody gave the right password, and forgets those that waited too long.
pub async fn begin_half(
    tx: &mut WriteTx,
    token_sha256: Sha256,
    account: AccountId,
    expires: EpochMs,
    now: EpochMs,
) -> Result<(), StoreError> {
    sqlx::query!("delete from half_log_in where expires_ms <= ?", now).execute(&mut **tx).await?;
    sqlx::query!(
        "insert into half_log_in (token_sha256, account_id, expires_ms) values (?, ?, ?)",
        token_sha256,
        account,
        expires
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Who owes a code; `None` when it took too long, or the account may not log in.
pub async fn half(
    executor: impl SqliteExecutor<'_>,
    token_sha256: Sha256,
    now: EpochMs,
) -> Result<Option<AccountId>, StoreError> {
    let account = sqlx::query_scalar!(
        r#"select a.id as "id!: AccountId" from half_log_in h join account a on a.id = h.account_id
        where h.token_sha256 = ? and h.expires_ms > ? and a.disabled = 0"#,
        token_sha256,
        now
    )
    .fetch_optional(executor)
    .await?;
    Ok(account)
}

/// Ends all half log-ins of an account: it is logged in, or its password changed.
pub async fn end_halves(tx: &mut WriteTx, account: AccountId) -> Result<(), StoreError> {
    sqlx::query!("delete from half_log_in where account_id = ?", account).execute(&mut **tx).await?;
    Ok(())
}
