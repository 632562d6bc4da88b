//! Programs that are tried without being handed in. They leave no events and no blobs: what they were goes with them.

use sqlx::{SqliteExecutor, SqlitePool};

use super::codec::text_enum;
use super::job::{self, JobError, Lease, Work};
use super::test_case::{self, TestCase};
use super::{StoreError, WriteTx};
use crate::domain::ids::{AccountId, PackageId, ProblemId, TestSetId, TrialId};
use crate::domain::language::LanguageId;
use crate::domain::limits::Limits;
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;
use crate::domain::trial::TrialOutcome;

text_enum! {
    /// How far a trial is.
    pub enum TrialState {
        /// It waits for a worker.
        Queued = "queued",
        /// A worker has it.
        Running = "running",
        /// It is over.
        Done = "done",
    }
}

/// A trial to be written.
#[derive(Debug, Clone, Copy)]
pub struct NewTrial<'a> {
    /// Whose.
    pub account: AccountId,
    /// The problem it is for.
    pub problem: ProblemId,
    /// The package in force, for its limits.
    pub package: PackageId,
    /// The tests in force, for their samples.
    pub test_set: TestSetId,
    /// The language.
    pub language: &'a LanguageId,
    /// The file's name.
    pub file_name: &'a str,
    /// The program.
    pub source: &'a [u8],
    /// One's own input; `None`: the samples.
    pub input: Option<&'a [u8]>,
}

/// A trial as its page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// Its id.
    pub id: TrialId,
    /// Whose.
    pub account_id: AccountId,
    /// The problem's name in addresses.
    pub problem_slug: Slug,
    /// The language.
    pub language: LanguageId,
    /// The file's name.
    pub file_name: String,
    /// The program.
    pub source: Vec<u8>,
    /// One's own input.
    pub input: Option<Vec<u8>>,
    /// How far it is.
    pub state: TrialState,
    /// What came of it, once done.
    pub outcome: Option<TrialOutcome>,
    /// When it was begun.
    pub created: EpochMs,
}

/// Everything a worker needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialTask {
    /// The problem.
    pub problem_slug: Slug,
    /// The language.
    pub language: LanguageId,
    /// The file's name.
    pub file_name: String,
    /// The program.
    pub source: Vec<u8>,
    /// One's own input.
    pub input: Option<Vec<u8>>,
    /// JSON: what the package's preparation wrote down.
    pub package_metadata: Option<String>,
    /// Limits of a run.
    pub limits: Limits,
    /// The samples.
    pub samples: Vec<TestCase>,
}

/// Writes a trial; its job is queued by the caller.
pub async fn insert(tx: &mut WriteTx, new: NewTrial<'_>, now: EpochMs) -> Result<TrialId, StoreError> {
    let id = sqlx::query_scalar!(
        r#"insert into trial (account_id, problem_id, package_id, test_set_id, language, file_name, source, input, state,
            created_ms)
        values (?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?) returning id as "id!: TrialId""#,
        new.account,
        new.problem,
        new.package,
        new.test_set,
        new.language,
        new.file_name,
        new.source,
        new.input,
        now
    )
    .fetch_one(&mut **tx)
    .await?;
    tx.trials_changed = true;
    Ok(id)
}

/// When an account began its `nth` trial, counted from the newest; `None` if it has fewer.
pub async fn nth_newest(
    executor: impl SqliteExecutor<'_>,
    account: AccountId,
    nth: u32,
) -> Result<Option<EpochMs>, StoreError> {
    let skip = nth.saturating_sub(1);
    let created = sqlx::query_scalar!(
        r#"select created_ms as "created!: EpochMs" from trial where account_id = ?
        order by created_ms desc limit 1 offset ?"#,
        account,
        skip
    )
    .fetch_optional(executor)
    .await?;
    Ok(created)
}

/// Deletes what is older than `before`, and of this account all but the newest `keep`.
pub async fn delete_old(tx: &mut WriteTx, account: AccountId, keep: u32, before: EpochMs) -> Result<(), StoreError> {
    let old = sqlx::query_scalar!(
        r#"select id as "id!: TrialId" from trial where created_ms <= ?1
        union select id from (select id from trial where account_id = ?2 order by id desc limit -1 offset ?3)"#,
        before,
        account,
        keep
    )
    .fetch_all(&mut **tx)
    .await?;
    for id in old {
        sqlx::query!("delete from job where trial_id = ?", id).execute(&mut **tx).await?;
        sqlx::query!("delete from trial where id = ?", id).execute(&mut **tx).await?;
    }
    Ok(())
}

/// One trial.
pub async fn by_id(executor: impl SqliteExecutor<'_>, id: TrialId) -> Result<Option<Trial>, StoreError> {
    let row = sqlx::query!(
        r#"select t.account_id as "account_id: AccountId", p.slug as "slug: Slug", t.language as "language: LanguageId",
            t.file_name, t.source, t.input, t.state as "state: TrialState", t.outcome, t.created_ms as "created: EpochMs"
        from trial t join problem p on p.id = t.problem_id where t.id = ?"#,
        id
    )
    .fetch_optional(executor)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let outcome = row.outcome.map(|json| serde_json::from_str(&json)).transpose();
    Ok(Some(Trial {
        id,
        account_id: row.account_id,
        problem_slug: row.slug,
        language: row.language,
        file_name: row.file_name,
        source: row.source,
        input: row.input,
        state: row.state,
        outcome: outcome.map_err(|error| sqlx::Error::Decode(Box::new(error)))?,
        created: row.created,
    }))
}

/// Everything a worker needs to try it.
pub async fn task(pool: &SqlitePool, id: TrialId) -> Result<TrialTask, StoreError> {
    let mut tx = pool.begin().await?;
    let row = sqlx::query!(
        r#"select p.slug as "slug: Slug", t.language as "language: LanguageId", t.file_name, t.source, t.input,
            k.metadata, t.test_set_id as "test_set_id: TestSetId", k.cpu_ms as "cpu_ms!: u64", k.wall_ms as "wall_ms!: u64",
            k.memory_bytes as "memory_bytes!: u64", k.output_bytes as "output_bytes!: u64",
            k.processes as "processes!: u64"
        from trial t join problem p on p.id = t.problem_id join package k on k.id = t.package_id where t.id = ?"#,
        id
    )
    .fetch_one(&mut *tx)
    .await?;
    let tests = test_case::list(&mut *tx, row.test_set_id).await?;
    Ok(TrialTask {
        problem_slug: row.slug,
        language: row.language,
        file_name: row.file_name,
        source: row.source,
        input: row.input,
        package_metadata: row.metadata,
        limits: Limits {
            cpu_ms: row.cpu_ms,
            wall_ms: row.wall_ms,
            memory_bytes: row.memory_bytes,
            output_bytes: row.output_bytes,
            processes: row.processes,
        },
        samples: tests.into_iter().filter(|test| test.sample).collect(),
    })
}

/// A worker begins.
pub(super) async fn start(tx: &mut WriteTx, id: TrialId) -> Result<(), StoreError> {
    sqlx::query!("update trial set state = 'running' where id = ?", id).execute(&mut **tx).await?;
    tx.trials_changed = true;
    Ok(())
}

/// Writes what came of it, and ends the job.
///
/// # Errors
/// [`JobError::LeaseLost`] when somebody else has it now, or it was deleted.
pub async fn finish(tx: &mut WriteTx, lease: Lease, outcome: &TrialOutcome, now: EpochMs) -> Result<(), JobError> {
    let Work::Trial(id) = job::done(tx, lease).await? else { return Err(JobError::LeaseLost) };
    close(tx, id, outcome, now).await?;
    Ok(())
}

pub(super) async fn close(
    tx: &mut WriteTx,
    id: TrialId,
    outcome: &TrialOutcome,
    now: EpochMs,
) -> Result<(), StoreError> {
    let json = serde_json::to_string(outcome).map_err(|error| sqlx::Error::Encode(Box::new(error)))?;
    sqlx::query!("update trial set state = 'done', outcome = ?, end_ms = ? where id = ?", json, now, id)
        .execute(&mut **tx)
        .await?;
    tx.trials_changed = true;
    Ok(())
}
