//! Machines that judge for this server: who they are, what the staff said of them, when they were last heard.

use sqlx::{SqliteExecutor, SqlitePool};

use super::codec::text_enum;
use super::{StoreError, WriteTx, host_fit};
use crate::domain::hash::Sha256;
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
    /// What kind of machine it is; `None`: it has not said who it is since kinds are told apart.
    pub kind: Option<Sha256>,
    /// What went wrong on it last.
    pub trouble: Option<String>,
    /// When that was.
    pub trouble_at: Option<EpochMs>,
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
    /// What kind of machine it is.
    pub kind: &'a Sha256,
}

/// A machine says who it is. What the staff said of it stays.
pub async fn introduce(
    tx: &mut WriteTx,
    name: &WorkerName,
    said: &Introduction<'_>,
    now: EpochMs,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into worker (name, version, slots, refused, measure, clock_ahead_ms, first_seen_ms, last_seen_ms, kind)
        values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8)
        on conflict (name) do update set version = excluded.version, slots = excluded.slots, refused = excluded.refused,
            measure = excluded.measure, clock_ahead_ms = excluded.clock_ahead_ms, last_seen_ms = excluded.last_seen_ms,
            kind = excluded.kind",
        name,
        said.version,
        said.slots,
        said.refused,
        said.measure,
        said.clock_ahead_ms,
        now,
        said.kind
    )
    .execute(&mut **tx)
    .await?;
    host_fit::forget_misfits(tx, said.kind).await
}

/// A machine still lives.
pub async fn alive(tx: &mut WriteTx, name: &WorkerName, now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!("update worker set last_seen_ms = ? where name = ?", now, name).execute(&mut **tx).await?;
    Ok(())
}

/// Something went wrong on a machine, in a sentence.
pub async fn note_trouble(tx: &mut WriteTx, name: &WorkerName, trouble: &str, now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!("update worker set trouble = ?, trouble_ms = ? where name = ?", trouble, now, name)
        .execute(&mut **tx)
        .await?;
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
            first_seen_ms as "first_seen: _", last_seen_ms as "last_seen: _", kind as "kind: _", trouble,
            trouble_ms as "trouble_at: _"
        from worker order by name"#
    )
    .fetch_all(pool)
    .await?;
    Ok(workers)
}

/// The staff says what it wants of a machine.
pub async fn set_state(tx: &mut WriteTx, name: &WorkerName, state: WorkerState) -> Result<(), StoreError> {
    sqlx::query!("update worker set state = ? where name = ?", state, name).execute(&mut **tx).await?;
    tx.offer_jobs();
    Ok(())
}
