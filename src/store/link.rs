//! One-time links: the first admin's, and ones that set a password. Only the SHA-256 of a link's token is here.

use sqlx::SqliteExecutor;

use super::codec::text_enum;
use super::{StoreError, WriteTx};
use crate::domain::hash::Sha256;
use crate::domain::ids::AccountId;
use crate::domain::time::EpochMs;

text_enum! {
    /// What a link is good for.
    pub enum LinkPurpose {
        /// Makes the first admin.
        FirstAdmin = "first_admin",
        /// Sets an account's password.
        Password = "password",
    }
}

/// Makes a link. An account (or, for the first admin, the judge) has one open link at a time: earlier ones end.
pub async fn replace(
    tx: &mut WriteTx,
    token_sha256: Sha256,
    purpose: LinkPurpose,
    account: Option<AccountId>,
    expires: EpochMs,
    now: EpochMs,
) -> Result<(), StoreError> {
    sqlx::query!(
        "delete from one_time_link where purpose = ? and account_id is ? and used_ms is null",
        purpose,
        account
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!(
        "insert into one_time_link (token_sha256, purpose, account_id, created_ms, expires_ms) values (?, ?, ?, ?, ?)",
        token_sha256,
        purpose,
        account,
        now,
        expires
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Whether the link would still work; using it is [`take`].
pub async fn is_open(
    executor: impl SqliteExecutor<'_>,
    token_sha256: Sha256,
    purpose: LinkPurpose,
    now: EpochMs,
) -> Result<bool, StoreError> {
    let open = sqlx::query_scalar!(
        r#"select exists (select 1 from one_time_link
            where token_sha256 = ? and purpose = ? and used_ms is null and expires_ms > ?) as "open!: bool""#,
        token_sha256,
        purpose,
        now
    )
    .fetch_one(executor)
    .await?;
    Ok(open)
}

/// A link that was just used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// Whose password it sets; `None` for the first admin's.
    pub account_id: Option<AccountId>,
}

/// Uses the link up; `None` when it is unknown, expired or was used before.
pub async fn take(
    tx: &mut WriteTx,
    token_sha256: Sha256,
    purpose: LinkPurpose,
    now: EpochMs,
) -> Result<Option<Taken>, StoreError> {
    let taken = sqlx::query_as!(
        Taken,
        r#"update one_time_link set used_ms = ?1
        where token_sha256 = ?2 and purpose = ?3 and used_ms is null and expires_ms > ?1
        returning account_id as "account_id: _""#,
        now,
        token_sha256,
        purpose
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(taken)
}
