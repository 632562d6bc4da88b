//! Claims of workers on other machines: such a worker may not be able to do every job, and asks for a job as a whole new
//! start.

use sqlx::{SqliteConnection, SqlitePool};

use super::codec::Texts;
use super::host_fit::{self, FitState, Judged};
use super::job::{self, ClaimedJob, JobError, JobKind, Lease, Work};
use super::takeover::{self, FREE_INTERRUPTIONS};
use super::{StoreError, WriteTx, counterexample};
use crate::domain::hash::Sha256;
use crate::domain::ids::{JobId, PackageId, ProblemId, TestSetId};
use crate::domain::time::EpochMs;

/// A machine on which a job failed gets it again only when no other has taken it for so long, milliseconds.
const ELSEWHERE_MS: i64 = 30_000;

/// Which jobs a worker may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Abilities {
    /// All: it judges with the same tools as the server.
    All,
    /// Judging and trying programs in these languages, where nobody demands the server's own tools. What packages are
    /// made and verified with must not change from host to host.
    Only(Texts),
}

/// What a worker is allowed to do, and on what kind of machine it is: a problem whose limit doesn't fit the kind is judged
/// elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entitled {
    /// Which jobs it may have.
    pub may: Abilities,
    /// The kind of its machine.
    pub kind: Sha256,
}

/// Claims the next job that this worker may have; otherwise as [`job::claim`]. Where the limit of the problem was never
/// measured on its kind of machine, measuring that is the next job. What the worker held until now goes back: it asks, so it
/// does not work on it.
pub async fn claim(
    tx: &mut WriteTx,
    worker: &str,
    entitled: &Entitled,
    now: EpochMs,
) -> Result<Option<ClaimedJob>, StoreError> {
    let seen = sqlx::query!(
        r#"select exists (select 1 from job where state = 'leased' and worker = ?1) as "holds!: bool",
            exists (select 1 from job where state in ('queued', 'leased') and priority < 0) as "measures!: bool""#,
        worker
    )
    .fetch_one(&mut **tx)
    .await?;
    if seen.holds {
        give_back_all_of(tx, worker, now).await?;
    }
    takeover::end_silent(tx, now).await?;
    if seen.measures
        && let Some(id) = host_fit::waiting(tx, &entitled.kind, now).await?
    {
        return job::take(tx, id, worker, now).await;
    }
    loop {
        let mut first = first(tx, worker, entitled, now).await?;
        if first.is_none() && entitled.may == Abilities::All && counterexample::queue_due(tx, now).await? {
            first = self::first(tx, worker, entitled, now).await?;
        }
        let id = match first {
            None => return Ok(None),
            Some(Candidate { unmeasured: Some(judged), .. }) => {
                host_fit::begin(tx, judged, &entitled.kind, now).await?
            }
            Some(Candidate { id, .. }) => id,
        };
        if let Some(claimed) = job::take(tx, id, worker, now).await? {
            return Ok(Some(claimed));
        }
        tx.next_jobs.forget();
    }
}

/// A job that this worker may have.
struct Candidate {
    id: JobId,
    /// What has to be measured before.
    unmeasured: Option<Judged>,
}

async fn first(
    tx: &mut WriteTx,
    worker: &str,
    entitled: &Entitled,
    now: EpochMs,
) -> Result<Option<Candidate>, StoreError> {
    // Mostly the very first job fits; looking for another reads all that wait.
    if entitled.may == Abilities::All {
        let Some(id) = job::next(tx, now).await? else { return Ok(None) };
        if let Some(candidate) = candidate(tx, id, worker, entitled, now).await? {
            return Ok(Some(candidate));
        }
    }
    match next(&mut *tx, worker, entitled, now).await? {
        Some(id) => candidate(tx, id, worker, entitled, now).await,
        None => Ok(None),
    }
}

fn machine_of(worker: &str) -> &str {
    worker.split_once('/').map_or(worker, |(machine, _)| machine)
}

/// The job, unless its problem's limit doesn't fit the machine or it should be tried elsewhere first.
async fn candidate(
    tx: &mut WriteTx,
    id: JobId,
    worker: &str,
    entitled: &Entitled,
    now: EpochMs,
) -> Result<Option<Candidate>, StoreError> {
    let machine = machine_of(worker);
    let row = sqlx::query!(
        r#"select q.kind as "kind: JobKind", coalesce(s.problem_id, t.problem_id) as "problem?: ProblemId",
            coalesce(j.package_id, t.package_id) as "package?: PackageId",
            coalesce(j.test_set_id, t.test_set_id) as "tests?: TestSetId", h.state as "fit?: FitState",
            coalesce(q.failed_on = ?3 and q.not_before_ms + ?5 > ?4, 0) as "elsewhere!: bool"
        from job q left join judgement j on j.id = q.judgement_id left join submission s on s.id = j.submission_id
            left join trial t on t.id = q.trial_id
            left join host_fit h on h.package_id = coalesce(j.package_id, t.package_id)
                and h.test_set_id = coalesce(j.test_set_id, t.test_set_id) and h.kind = ?2
        where q.id = ?1"#,
        id,
        entitled.kind,
        machine,
        now,
        ELSEWHERE_MS
    )
    .fetch_optional(&mut **tx)
    .await?;
    let Some(row) = row.filter(|row| !row.elsewhere) else { return Ok(None) };
    let judged = match (row.problem, row.package, row.tests) {
        (Some(problem), Some(package), Some(tests)) => Judged { problem, package, tests },
        // Nothing is timed for a verdict.
        _ => return Ok(Some(Candidate { id, unmeasured: None })),
    };
    Ok(match row.fit {
        Some(FitState::Fits) => Some(Candidate { id, unmeasured: None }),
        None => Some(Candidate { id, unmeasured: Some(judged) }),
        Some(_) => None,
    })
}

/// As [`job::claim`] chooses, among the jobs that this worker may have.
async fn next(
    reading: &mut SqliteConnection,
    worker: &str,
    entitled: &Entitled,
    now: EpochMs,
) -> Result<Option<JobId>, StoreError> {
    let (too_far, held_too_far) = (job::too_far(now), takeover::held_too_far(now));
    let machine = machine_of(worker);
    let languages = match &entitled.may {
        Abilities::All => None,
        Abilities::Only(languages) => Some(languages),
    };
    let next = sqlx::query_scalar!(
        r#"with due as materialized (
            select q.id, q.owner_id, q.priority from job q
                left join judgement j on j.id = q.judgement_id left join submission s on s.id = j.submission_id
                left join contest c on c.id = s.contest_id left join trial t on t.id = q.trial_id
            where q.state in ('queued', 'leased') and q.priority >= 0
                and ((q.state = 'queued' and (q.not_before_ms <= ?1
                        or q.not_before_ms > case when q.interruptions > ?8 then ?7 else ?2 end))
                    or (q.state = 'leased' and q.lease_until_ms <= ?1))
                and (q.failed_on is not ?5 or q.not_before_ms + ?6 <= ?1)
                and (?3 is null or (q.kind in ('judge', 'trial') and coalesce(c.equal_toolchains, 0) = 0
                    and coalesce(s.language, t.language) in (select value from json_each(?3))))
                and not exists (select 1 from host_fit h where h.package_id = coalesce(j.package_id, t.package_id)
                    and h.test_set_id = coalesce(j.test_set_id, t.test_set_id) and h.kind = ?4 and h.state <> 'fits')
        )
        select head.id as "id!: JobId" from (
            select owner_id, min(id) as id from due where priority = (select min(priority) from due) group by owner_id
        ) head left join job_turn turn on turn.owner_id = head.owner_id
        order by head.owner_id is null, coalesce(turn.served, 0), head.id limit 1"#,
        now,
        too_far,
        languages,
        entitled.kind,
        machine,
        ELSEWHERE_MS,
        held_too_far,
        FREE_INTERRUPTIONS
    )
    .fetch_optional(&mut *reading)
    .await?;
    Ok(next)
}

/// Whether a job that goes before this one waits for this worker, and not only for others: one that it may not have, or
/// whose limit is being measured for its kind, must not make it drop what it does and begin it again.
pub async fn is_urgent_waiting(
    pool: &SqlitePool,
    worker: &str,
    entitled: &Entitled,
    lease: Lease,
    now: EpochMs,
) -> Result<bool, StoreError> {
    // Mostly nothing waits at all, which is seen at once.
    if !job::is_urgent_waiting(pool, lease, now).await? {
        return Ok(false);
    }
    let mut reading = pool.acquire().await?;
    let Some(next) = next(&mut reading, worker, entitled, now).await? else { return Ok(false) };
    let first = sqlx::query_scalar!(
        r#"select (select priority from job where id = ?1) < (select priority from job where id = ?2) as "first!: bool""#,
        next,
        lease.job
    )
    .fetch_one(&mut *reading)
    .await?;
    Ok(first)
}

/// Whether there may be something to claim, or to give back, for this worker. Cheap, and without writing.
pub async fn is_anything_for(pool: &SqlitePool, worker: &str, now: EpochMs) -> Result<bool, StoreError> {
    let (too_far, held_too_far) = (job::too_far(now), takeover::held_too_far(now));
    let any = sqlx::query_scalar!(
        r#"select exists (select 1 from job where state in ('queued', 'leased')
            and ((state = 'queued' and (not_before_ms <= ?1
                    or not_before_ms > case when interruptions > ?5 then ?4 else ?2 end))
                or (state = 'leased' and (lease_until_ms <= ?1 or worker = ?3)))) as "any!: bool""#,
        now,
        too_far,
        worker,
        held_too_far,
        FREE_INTERRUPTIONS
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
