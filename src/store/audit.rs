//! The append-only audit log: every act of an admin, setter or judge.

use sqlx::SqlitePool;

use super::{StoreError, WriteTx, account};
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

/// Which acts a list shows. `None` doesn't restrict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActFilter {
    /// By the account with this login name; empty: from the command line.
    pub actor: Option<String>,
    /// Of this kind, e.g. `account.role`.
    pub act: Option<String>,
    /// Done to exactly this.
    pub subject: Option<String>,
    /// At or after.
    pub from: Option<EpochMs>,
    /// Before.
    pub until: Option<EpochMs>,
}

/// The acts that fit, before number `before`, newest first. Each way to choose goes along its own index; a time span
/// becomes a span of numbers first.
pub async fn list(
    pool: &SqlitePool,
    filter: &ActFilter,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<Act>, StoreError> {
    let mut before = before.unwrap_or(i64::MAX);
    let mut first = 0;
    if let Some(until) = filter.until {
        before = before.min(first_at(pool, until).await?.unwrap_or(i64::MAX));
    }
    if let Some(from) = filter.from {
        first = first_at(pool, from).await?.unwrap_or(i64::MAX);
    }
    let ids = if let Some(name) = &filter.actor {
        let actor = account::by_name(pool, name).await?.map(|account| account.id);
        if actor.is_none() && !name.is_empty() {
            return Ok(Vec::new());
        }
        sqlx::query_scalar!(
            r#"select id as "id!" from audit where actor_id is ?1 and id < ?2 and id >= ?3
                and (?4 is null or act = ?4) and (?5 is null or subject = ?5) order by id desc limit ?6"#,
            actor,
            before,
            first,
            filter.act,
            filter.subject,
            limit
        )
        .fetch_all(pool)
        .await?
    } else if let Some(subject) = &filter.subject {
        sqlx::query_scalar!(
            r#"select id as "id!" from audit where subject = ?1 and id < ?2 and id >= ?3
                and (?4 is null or act = ?4) order by id desc limit ?5"#,
            subject,
            before,
            first,
            filter.act,
            limit
        )
        .fetch_all(pool)
        .await?
    } else if let Some(act) = &filter.act {
        sqlx::query_scalar!(
            r#"select id as "id!" from audit where act = ?1 and id < ?2 and id >= ?3 order by id desc limit ?4"#,
            act,
            before,
            first,
            limit
        )
        .fetch_all(pool)
        .await?
    } else {
        sqlx::query_scalar!(
            r#"select id as "id!" from audit where id < ?1 and id >= ?2 order by id desc limit ?3"#,
            before,
            first,
            limit
        )
        .fetch_all(pool)
        .await?
    };
    rows(pool, &ids).await
}

/// The number of the first act at or after this moment.
async fn first_at(pool: &SqlitePool, at: EpochMs) -> Result<Option<i64>, StoreError> {
    let id = sqlx::query_scalar!(r#"select id as "id!" from audit where at_ms >= ? order by at_ms, id limit 1"#, at)
        .fetch_optional(pool)
        .await?;
    Ok(id)
}

async fn rows(pool: &SqlitePool, ids: &[i64]) -> Result<Vec<Act>, StoreError> {
    let ids = serde_json::Value::from(ids).to_string();
    let acts = sqlx::query_as!(
        Act,
        r#"select u.id as "id!", a.name as "actor?", u.act, u.subject, u.before, u.after, u.address, u.at_ms as "at!: _"
        from audit u left join account a on a.id = u.actor_id
        where u.id in (select value from json_each(?)) order by u.id desc"#,
        ids
    )
    .fetch_all(pool)
    .await?;
    Ok(acts)
}

/// The kinds of acts that the log has: for choosing one. Jumps along the index from kind to kind.
pub async fn kinds(pool: &SqlitePool) -> Result<Vec<String>, StoreError> {
    let mut kinds: Vec<String> = Vec::new();
    loop {
        let last = kinds.last().map_or("", String::as_str);
        let next = sqlx::query_scalar!("select act from audit where act > ? order by act limit 1", last)
            .fetch_optional(pool)
            .await?;
        match next {
            Some(kind) => kinds.push(kind),
            None => return Ok(kinds),
        }
    }
}
