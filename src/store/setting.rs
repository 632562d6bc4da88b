//! Settings that live in the file because they belong to the judge and not to the host.

use sqlx::SqliteExecutor;

use super::{StoreError, WriteTx};

/// The value of a setting.
pub async fn get(executor: impl SqliteExecutor<'_>, key: &str) -> Result<Option<String>, StoreError> {
    Ok(sqlx::query_scalar!("select value from setting where key = ?", key).fetch_optional(executor).await?)
}

/// Sets it.
pub async fn set(tx: &mut WriteTx, key: &str, value: &str) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into setting (key, value) values (?, ?) on conflict (key) do update set value = excluded.value",
        key,
        value
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}
