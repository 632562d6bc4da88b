//! Claims of workers on other machines: such a worker may not be able to do every job, and asks for a job as a whole new
//! start.

use sqlx::SqlitePool;

use super::codec::Texts;
use super::job::{self, ClaimedJob, JobError, Lease, Work};
use super::{StoreError, WriteTx};
use crate::domain::ids::JobId;
use crate::domain::time::EpochMs;

/// Which jobs a worker may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Abilities {
    /// All: it judges with the same tools as the server.
    All,
    /// Judging and trying programs in these languages, where nobody demands the server's own tools. What packages are
    /// made and measured with must not change from host to host.
    Only(Texts),
}

/// Claims the next job that a worker with these abilities may have; otherwise as [`job::claim`].
pub async fn claim(
    tx: &mut WriteTx,
    worker: &str,
    may: &Abilities,
    now: EpochMs,
) -> Result<Option<ClaimedJob>, StoreError> {
    let Abilities::Only(languages) = may else { return job::claim(tx, worker, now).await };
    job::end_silent(tx, now).await?;
    let Some(first) = next(tx, languages, now).await? else { return Ok(None) };
    job::take(tx, first, worker, now).await.map(Some)
}

/// As [`job::claim`] chooses, among the jobs in these languages.
async fn next(tx: &mut WriteTx, languages: &Texts, now: EpochMs) -> Result<Option<JobId>, StoreError> {
    let too_far = job::too_far(now);
    let next = sqlx::query_scalar!(
        r#"with due as materialized (
            select q.id, q.owner_id, q.priority from job q
                left join judgement j on j.id = q.judgement_id left join submission s on s.id = j.submission_id
                left join contest c on c.id = s.contest_id left join trial t on t.id = q.trial_id
            where q.state in ('queued', 'leased')
                and ((q.state = 'queued' and (q.not_before_ms <= ?1 or q.not_before_ms > ?2))
                    or (q.state = 'leased' and q.lease_until_ms <= ?1))
                and q.kind in ('judge', 'trial') and coalesce(c.equal_toolchains, 0) = 0
                and coalesce(s.language, t.language) in (select value from json_each(?3))
        )
        select head.id as "id!: JobId" from (
            select owner_id, min(id) as id from due where priority = (select min(priority) from due) group by owner_id
        ) head left join job_turn turn on turn.owner_id = head.owner_id
        order by head.owner_id is null, coalesce(turn.served, 0), head.id limit 1"#,
        now,
        too_far,
        languages
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(next)
}

/// Whether there may be something to claim, or to give back, for this worker. Cheap, and without writing.
pub async fn is_anything_for(pool: &SqlitePool, worker: &str, now: EpochMs) -> Result<bool, StoreError> {
    let too_far = job::too_far(now);
    let any = sqlx::query_scalar!(
        r#"select exists (select 1 from job where state in ('queued', 'leased')
            and ((state = 'queued' and (not_before_ms <= ?1 or not_before_ms > ?2))
                or (state = 'leased' and (lease_until_ms <= ?1 or worker = ?3)))) as "any!: bool""#,
        now,
        too_far,
        worker
    )
    .fetch_one(pool)
    .await?;
    Ok(any)
}

/// Puts back whatever this worker holds, without counting the attempts. Tells how much that was.
pub async fn give_back_all_of(tx: &mut WriteTx, worker: &str, now: EpochMs) -> Result<usize, StoreError> {
    let held =
        sqlx::query!(r#"select id as "id!: JobId", token from job where state = 'leased' and worker = ?"#, worker)
            .fetch_all(&mut **tx)
            .await?;
    for job in &held {
        put_back(tx, Lease { job: job.id, token: job.token }, now).await?;
    }
    Ok(held.len())
}

/// The same for all slots of a machine.
pub async fn give_back_all_of_machine(tx: &mut WriteTx, machine: &str, now: EpochMs) -> Result<usize, StoreError> {
    let slots = format!("{machine}/");
    let held = sqlx::query!(
        r#"select id as "id!: JobId", token from job
        where state = 'leased' and substr(worker, 1, length(?1)) = ?1"#,
        slots
    )
    .fetch_all(&mut **tx)
    .await?;
    for job in &held {
        put_back(tx, Lease { job: job.id, token: job.token }, now).await?;
    }
    Ok(held.len())
}

async fn put_back(tx: &mut WriteTx, lease: Lease, now: EpochMs) -> Result<(), StoreError> {
    match job::give_back(tx, lease, now).await {
        Err(JobError::Store(error)) => Err(error),
        // It was held a moment ago, in this transaction's view.
        Ok(()) | Err(JobError::LeaseLost | JobError::Outdated) => Ok(()),
    }
}

/// What the holder of this lease works on, as the last commit has it.
pub async fn held(pool: &SqlitePool, lease: Lease) -> Result<Work, JobError> {
    let mut reading = pool.acquire().await?;
    job::held_in(&mut reading, lease).await
}
