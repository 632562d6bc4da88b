//! Machines that judge for this server: who they are, what the staff said of them, when they were last heard.

use sqlx::{SqliteExecutor, SqlitePool};

use super::codec::text_enum;
use super::{StoreError, WriteTx};
use crate::domain::time::EpochMs;
use crate::domain::worker_name::WorkerName;

text_enum! {
    /// What the staff wants of a machine.
    pub enum WorkerState {
        /// It works.
        Active = "active",
        /// It ends what it has and gets nothing more.
        Draining = "draining",
        /// It gets nothing, and what it had is done by others.
        Forbidden = "forbidden",
    }
}

/// A machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worker {
    /// Its name.
    pub name: WorkerName,
    /// What the staff wants of it.
    pub state: WorkerState,
    /// The version of its program.
    pub version: String,
    /// How many jobs it works on at once.
    pub slots: u32,
    /// Why it gets no jobs although nobody forbids it.
    pub refused: Option<String>,
    /// JSON: what it judges with and how fast it is.
    pub measure: String,
    /// How far its clock is before this one, milliseconds.
    pub clock_ahead_ms: i64,
    /// When it was first heard.
    pub first_seen: EpochMs,
    /// When it was last heard.
    pub last_seen: EpochMs,
}

/// What a machine says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introduction<'a> {
    /// The version of its program.
    pub version: &'a str,
    /// How many jobs it works on at once.
    pub slots: u32,
    /// Why it gets no jobs.
    pub refused: Option<&'a str>,
    /// JSON: what it judges with and how fast it is.
    pub measure: &'a str,
    /// How far its clock is before this one, milliseconds.
    pub clock_ahead_ms: i64,
}

/// A machine says who it is. What the staff said of it stays.
pub async fn introduce(
    tx: &mut WriteTx,
    name: &WorkerName,
    said: &Introduction<'_>,
    now: EpochMs,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into worker (name, version, slots, refused, measure, clock_ahead_ms, first_seen_ms, last_seen_ms)
        values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
        on conflict (name) do update set version = excluded.version, slots = excluded.slots, refused = excluded.refused,
            measure = excluded.measure, clock_ahead_ms = excluded.clock_ahead_ms, last_seen_ms = excluded.last_seen_ms",
        name,
        said.version,
        said.slots,
        said.refused,
        said.measure,
        said.clock_ahead_ms,
        now
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// A machine still lives.
pub async fn alive(tx: &mut WriteTx, name: &WorkerName, now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!("update worker set last_seen_ms = ? where name = ?", now, name).execute(&mut **tx).await?;
    Ok(())
}

/// What the staff wants of a machine; `None`: it was never heard of.
pub async fn state(executor: impl SqliteExecutor<'_>, name: &WorkerName) -> Result<Option<WorkerState>, StoreError> {
    let state = sqlx::query_scalar!(r#"select state as "state: WorkerState" from worker where name = ?"#, name)
        .fetch_optional(executor)
        .await?;
    Ok(state)
}

/// All machines, by name.
pub async fn all(pool: &SqlitePool) -> Result<Vec<Worker>, StoreError> {
    let workers = sqlx::query_as!(
        Worker,
        r#"select name as "name: _", state as "state: _", version, slots as "slots: _", refused, measure, clock_ahead_ms,
            first_seen_ms as "first_seen: _", last_seen_ms as "last_seen: _"
        from worker order by name"#
    )
    .fetch_all(pool)
    .await?;
    Ok(workers)
}

/// The staff says what it wants of a machine.
pub async fn set_state(tx: &mut WriteTx, name: &WorkerName, state: WorkerState) -> Result<(), StoreError> {
    sqlx::query!("update worker set state = ? where name = ?", state, name).execute(&mut **tx).await?;
    tx.jobs_offered = true;
    Ok(())
}
