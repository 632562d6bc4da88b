//! Answers that judges give often, to be chosen instead of written.

use sqlx::SqliteExecutor;

use super::{StoreError, WriteTx};
use crate::domain::ids::{AccountId, CannedAnswerId};
use crate::domain::time::EpochMs;

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CannedAnswer {
    /// Its id.
    pub id: CannedAnswerId,
    /// What it says.
    pub text: String,
}

/// Keeps one; tells `false` when it is there already.
pub async fn insert(tx: &mut WriteTx, text: &str, by: AccountId, now: EpochMs) -> Result<bool, StoreError> {
    let inserted = sqlx::query!(
        "insert into canned_answer (text, created_ms, created_by) values (?, ?, ?) on conflict (text) do nothing",
        text,
        now,
        by
    )
    .execute(&mut **tx)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Lets one go; its text, if it was there.
pub async fn delete(tx: &mut WriteTx, id: CannedAnswerId) -> Result<Option<String>, StoreError> {
    let text = sqlx::query_scalar!("delete from canned_answer where id = ? returning text", id)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(text)
}

/// All of them, oldest first.
pub async fn list(executor: impl SqliteExecutor<'_>) -> Result<Vec<CannedAnswer>, StoreError> {
    let answers = sqlx::query_as!(CannedAnswer, r#"select id as "id!: _", text from canned_answer order by id"#)
        .fetch_all(executor)
        .await?;
    Ok(answers)
}
