//! Invitations: links by which so many people may register. Only the SHA-256 of a link's token is here.

use sqlx::SqliteExecutor;

use super::{StoreError, WriteTx};
use crate::domain::hash::Sha256;
use crate::domain::ids::{AccountId, InvitationId};
use crate::domain::time::EpochMs;

/// An invitation as its list shows it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Invitation {
    /// Its id.
    pub id: InvitationId,
    /// What it is for.
    pub note: String,
    /// How many it lets in.
    pub places: u32,
    /// How many came.
    pub used: u32,
    /// Until when.
    pub expires: EpochMs,
    /// When it was taken back.
    pub revoked: Option<EpochMs>,
    /// When it was made.
    pub created: EpochMs,
}

/// An invitation to be made.
#[derive(Debug, Clone, Copy)]
pub struct NewInvitation<'a> {
    /// Of the link's token.
    pub token_sha256: Sha256,
    /// What it is for.
    pub note: &'a str,
    /// How many it lets in.
    pub places: u32,
    /// Until when.
    pub expires: EpochMs,
    /// By whom; `None` is the command line.
    pub created_by: Option<AccountId>,
}

/// Makes one.
pub async fn insert(tx: &mut WriteTx, new: NewInvitation<'_>, now: EpochMs) -> Result<InvitationId, StoreError> {
    let id = sqlx::query_scalar!(
        r#"insert into invitation (token_sha256, note, places, expires_ms, created_ms, created_by)
        values (?, ?, ?, ?, ?, ?) returning id as "id!: InvitationId""#,
        new.token_sha256,
        new.note,
        new.places,
        new.expires,
        now,
        new.created_by
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(id)
}

/// The newest ones.
pub async fn list(executor: impl SqliteExecutor<'_>, limit: u32) -> Result<Vec<Invitation>, StoreError> {
    let found = sqlx::query_as!(
        Invitation,
        r#"select id as "id!: _", note, places as "places: _", used as "used: _", expires_ms as "expires: _",
            revoked_ms as "revoked: _", created_ms as "created: _"
        from invitation order by id desc limit ?"#,
        limit
    )
    .fetch_all(executor)
    .await?;
    Ok(found)
}

/// Whether it would let one more in.
pub async fn is_open(executor: impl SqliteExecutor<'_>, token: Sha256, now: EpochMs) -> Result<bool, StoreError> {
    let open = sqlx::query_scalar!(
        r#"select exists (select 1 from invitation
            where token_sha256 = ? and revoked_ms is null and used < places and expires_ms > ?) as "open!: bool""#,
        token,
        now
    )
    .fetch_one(executor)
    .await?;
    Ok(open)
}

/// Lets one more in; tells whether it did.
pub async fn take(tx: &mut WriteTx, token: Sha256, now: EpochMs) -> Result<bool, StoreError> {
    let changed = sqlx::query!(
        "update invitation set used = used + 1
        where token_sha256 = ? and revoked_ms is null and used < places and expires_ms > ?",
        token,
        now
    )
    .execute(&mut **tx)
    .await?;
    Ok(changed.rows_affected() == 1)
}

/// Takes it back; tells whether there was one to take back.
pub async fn revoke(tx: &mut WriteTx, id: InvitationId, now: EpochMs) -> Result<bool, StoreError> {
    let revoked = sqlx::query!("update invitation set revoked_ms = ? where id = ? and revoked_ms is null", now, id)
        .execute(&mut **tx)
        .await?;
    Ok(revoked.rows_affected() == 1)
}
