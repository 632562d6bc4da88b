//! Contents that nothing names, as an interrupted import leaves them behind.
//!
//! Owns: which are named, and when the others go: once nothing has named or written them for [`KEPT_MS`]. Whoever writes
//! contents has as long to name them. Must not know: how contents lie in the database.

use super::{Store, StoreError, WriteTx};
use crate::domain::hash::Sha256;
use crate::domain::time::EpochMs;

/// How long contents stay that nothing names, milliseconds.
pub const KEPT_MS: i64 = 60 * 60 * 1_000;
/// How many go in one transaction: each is looked for in every table that might name it.
const AT_ONCE: u32 = 100;

/// Notes what nothing names, and deletes what nothing has named since an hour ago. Returns how many contents went.
pub async fn sweep(store: &Store, now: EpochMs) -> Result<u64, StoreError> {
    let mut tx = store.begin_write().await?;
    note(&mut tx, now).await?;
    tx.commit().await?;
    let mut gone = 0;
    loop {
        let mut tx = store.begin_write().await?;
        let due = delete_due(&mut tx, now).await?;
        tx.commit().await?;
        gone += due;
        if due < u64::from(AT_ONCE) {
            return Ok(gone);
        }
    }
}

async fn note(tx: &mut WriteTx, now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!("delete from blob_unnamed where sha256 in (select sha256 from blob_named)").execute(&mut **tx).await?;
    sqlx::query!(
        "insert into blob_unnamed (sha256, since_ms)
        select there.sha256, ?1 from (select sha256 from blob union select sha256 from blob_part) there
        where there.sha256 not in (select n.sha256 from blob_named n where n.sha256 is not null)
        on conflict (sha256) do nothing",
        now
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Whoever names contents takes the note away in the same transaction, so what is noted may go; the database itself keeps
/// what a column names.
async fn delete_due(tx: &mut WriteTx, now: EpochMs) -> Result<u64, StoreError> {
    let before = now.plus_ms(-KEPT_MS);
    let due = sqlx::query_scalar!(
        r#"delete from blob_unnamed where sha256 in (
            select sha256 from blob_unnamed where since_ms <= ? limit ?) returning sha256 as "sha256!: Sha256""#,
        before,
        AT_ONCE
    )
    .fetch_all(&mut **tx)
    .await?;
    for sha256 in &due {
        sqlx::query!("delete from blob where sha256 = ?", sha256).execute(&mut **tx).await?;
        sqlx::query!("delete from blob_part where sha256 = ?", sha256).execute(&mut **tx).await?;
    }
    Ok(due.len() as u64)
}

/// These contents are about to be named: they stay for now.
pub(super) async fn about_to_be_named(tx: &mut WriteTx, sha256: Sha256) -> Result<(), StoreError> {
    sqlx::query!("delete from blob_unnamed where sha256 = ?", sha256).execute(&mut **tx).await?;
    Ok(())
}
