//! The append-only audit log: every act of an admin, setter or judge.

use sqlx::SqlitePool;

use super::{StoreError, WriteTx};
use crate::domain::ids::AccountId;
use crate::domain::time::EpochMs;

/// An act to be written down.
#[derive(Debug, Clone, Copy)]
pub struct NewAct<'a> {
    /// Who; `None` is the command line.
    pub actor: Option<AccountId>,
    /// What was done, e.g. `test.propose`.
    pub act: &'a str,
    /// To what, e.g. `problem curling`.
    pub subject: &'a str,
    /// How it was before.
    pub before: Option<&'a str>,
    /// How it is now.
    pub after: Option<&'a str>,
    /// From which address.
    pub address: Option<&'a str>,
}

/// An act in the log.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Act {
    /// Its number.
    pub id: i64,
    /// The login name of who did it; `None` is the command line.
    pub actor: Option<String>,
    /// What was done.
    pub act: String,
    /// To what.
    pub subject: String,
    /// How it was before.
    pub before: Option<String>,
    /// How it was afterwards.
    pub after: Option<String>,
    /// From which address.
    pub address: Option<String>,
    /// When.
    pub at: EpochMs,
}

/// Writes an act down.
pub async fn append(tx: &mut WriteTx, act: NewAct<'_>, now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into audit (actor_id, act, subject, before, after, address, at_ms) values (?, ?, ?, ?, ?, ?, ?)",
        act.actor,
        act.act,
        act.subject,
        act.before,
        act.after,
        act.address,
        now
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The acts before number `before` (all when `None`), newest first.
pub async fn list(pool: &SqlitePool, before: Option<i64>, limit: u32) -> Result<Vec<Act>, StoreError> {
    let before = before.unwrap_or(i64::MAX);
    let acts = sqlx::query_as!(
        Act,
        r#"select u.id as "id!", a.name as "actor?", u.act, u.subject, u.before, u.after, u.address, u.at_ms as "at!: _"
        from audit u left join account a on a.id = u.actor_id
        where u.id < ? order by u.id desc limit ?"#,
        before,
        limit
    )
    .fetch_all(pool)
    .await?;
    Ok(acts)
}
