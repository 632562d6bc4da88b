//! What accounts' names look like, so that nobody takes a name that can be mistaken for another's.

use sqlx::SqlitePool;

use super::{StoreError, WriteTx};
use crate::domain::ids::AccountId;
use crate::domain::lookalike;

/// Notes the looks of an account's names.
pub(super) async fn insert(tx: &mut WriteTx, account: AccountId, names: [&str; 2]) -> Result<(), StoreError> {
    for look in names.into_iter().flat_map(lookalike::looks) {
        sqlx::query!("insert or ignore into account_look (look, account_id) values (?, ?)", look, account)
            .execute(&mut **tx)
            .await?;
    }
    Ok(())
}

/// The name of an account whose names look like one of these.
pub async fn double_of(tx: &mut WriteTx, names: [&str; 2]) -> Result<Option<String>, StoreError> {
    for look in names.into_iter().flat_map(lookalike::looks) {
        let name = sqlx::query_scalar!(
            "select a.name from account_look l join account a on a.id = l.account_id where l.look = ? limit 1",
            look
        )
        .fetch_optional(&mut **tx)
        .await?;
        if name.is_some() {
            return Ok(name);
        }
    }
    Ok(None)
}

/// Notes the looks of accounts that are older than this table.
pub(super) async fn fill(writer: &SqlitePool) -> Result<(), StoreError> {
    let mut tx = writer.begin_with("begin immediate").await?;
    let old = sqlx::query!(
        r#"select id as "id!: AccountId", name, display_name from account a
        where not exists (select 1 from account_look l where l.account_id = a.id)"#
    )
    .fetch_all(&mut *tx)
    .await?;
    for account in old {
        for look in [&account.name, &account.display_name].into_iter().flat_map(|name| lookalike::looks(name)) {
            sqlx::query!("insert or ignore into account_look (look, account_id) values (?, ?)", look, account.id)
                .execute(&mut *tx)
                .await?;
        }
    }
    tx.commit().await?;
    Ok(())
}
