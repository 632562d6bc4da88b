//! The queue: who works on what, until when. Claims are timed and fenced.
//!
//! A job's `token` grows with every claim. Whoever reports with an older token lost the lease and is refused, so a
//! worker that hung or was cut off can never write over the one that took its place.

use sqlx::SqliteConnection;

use super::codec::text_enum;
use super::event::EventOp;
use super::next_jobs::{LOOKED_UP, NextJobs};
use super::takeover::{self, FREE_INTERRUPTIONS, held_too_far};
use super::{
    StoreError, WriteTx, counterexample, event, judgement, judging, preparation, proposal, trial, verification,
    verification_end,
};
use crate::domain::ids::{
    AccountId, CounterexampleId, JobId, JudgementId, PackageId, ProposalId, RejudgingId, TrialId, VerificationId,
};
use crate::domain::time::EpochMs;
use crate::domain::trial::TrialOutcome;

/// How long a claim lasts without a sign of life, milliseconds.
pub const LEASE_MS: i64 = 60_000;
/// How often a job is begun before the judge gives it up.
pub const MAX_ATTEMPTS: u32 = 3;
/// What is waited after a failed attempt, times the number of attempts, milliseconds.
const RETRY_AFTER_MS: i64 = 1_000;

/// Measuring a problem's limit on a kind of machine: only a machine of that kind can do it, and it can't judge the problem
/// before. Nothing that is less than 0 is for everybody.
pub const PRIORITY_MEASURE: i64 = -10;
/// Judging in a contest that has an end: goes first.
pub const PRIORITY_CONTEST: i64 = 0;
/// Preparing a package or a proposed test.
pub const PRIORITY_PREPARE: i64 = 10;
/// Judging in the practice contest.
pub const PRIORITY_PRACTICE: i64 = 20;
/// Trying without handing in: somebody waits for it, a rejudge can wait.
pub const PRIORITY_TRIAL: i64 = 25;
/// Judging again.
pub const PRIORITY_REJUDGE: i64 = 30;
/// Verifying what is in force already: nobody waits for it.
pub const PRIORITY_VERIFY: i64 = 40;
/// Making counterexamples after a contest: last of all.
pub const PRIORITY_COUNTEREXAMPLE: i64 = 50;

text_enum! {
    /// What kind of work a job is.
    pub enum JobKind {
        /// Judge a submission.
        Judge = "judge",
        /// Make a package's tests.
        Prepare = "prepare",
        /// Validate and answer a proposed test.
        Propose = "propose",
        /// Try a program.
        Trial = "trial",
        /// Judge a package's own programs.
        Verify = "verify",
        /// Make a small input on which a submission goes wrong.
        Counterexample = "counterexample",
    }
}

/// What a job is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Make this judgement.
    Judge(JudgementId),
    /// Prepare this package.
    Prepare(PackageId),
    /// Answer this proposed test.
    Propose(ProposalId),
    /// Try this program.
    Trial(TrialId),
    /// Make this verification.
    Verify(VerificationId),
    /// Make this counterexample.
    Counterexample(CounterexampleId),
}

/// The right to report on a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// The job.
    pub job: JobId,
    /// Which claim of it; a later claim has a larger one.
    pub token: i64,
}

/// A job that a worker just claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimedJob {
    /// The right to report on it.
    pub lease: Lease,
    /// What it is about.
    pub work: Work,
    /// 1 for the first try.
    pub attempt: u32,
}

/// Why a report on a job was refused.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// Somebody else has the job now, or it is done: drop the work.
    #[error("the lease on the job is lost")]
    LeaseLost,
    /// The problem changed meanwhile: give the job back, it is to be done anew.
    #[error("the problem changed while the job was worked on")]
    Outdated,
    /// The database could not take it: try again.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for JobError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Queues a job; the workers wake after the commit. `owner` is whose turn it uses up.
pub async fn queue(
    tx: &mut WriteTx,
    work: Work,
    priority: i64,
    owner: Option<AccountId>,
    now: EpochMs,
) -> Result<JobId, StoreError> {
    let (kind, about) = columns(work);
    let id = sqlx::query_scalar!(
        r#"insert into job (kind, judgement_id, package_id, proposal_id, trial_id, verification_id, counterexample_id,
            priority, owner_id, state, not_before_ms, created_ms)
        values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'queued', ?10, ?10) returning id as "id!: JobId""#,
        kind,
        about.judgement,
        about.package,
        about.proposal,
        about.trial,
        about.verification,
        about.counterexample,
        priority,
        owner,
        now
    )
    .fetch_one(&mut **tx)
    .await?;
    tx.offer_jobs();
    Ok(id)
}

/// Queues a judging of every judgement of a rejudging, behind everything that somebody waits for.
pub async fn queue_rejudging(
    tx: &mut WriteTx,
    rejudging: RejudgingId,
    owner: Option<AccountId>,
    now: EpochMs,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into job (kind, judgement_id, priority, owner_id, state, not_before_ms, created_ms)
        select 'judge', j.id, ?2, ?3, 'queued', ?4, ?4 from judgement j where j.rejudging_id = ?1 order by j.id",
        rejudging,
        PRIORITY_REJUDGE,
        owner,
        now
    )
    .execute(&mut **tx)
    .await?;
    tx.offer_jobs();
    Ok(())
}

/// Claims the next job for a worker: the lowest priority number, then the owner who has waited longest for a turn,
/// then the oldest. What nobody owns goes behind what somebody of the same priority waits for. Jobs whose worker fell
/// silent are claimed again, and given up after [`MAX_ATTEMPTS`].
pub async fn claim(tx: &mut WriteTx, worker: &str, now: EpochMs) -> Result<Option<ClaimedJob>, StoreError> {
    takeover::end_silent(tx, now).await?;
    loop {
        let mut first = next(tx, now).await?;
        if first.is_none() && counterexample::queue_due(tx, now).await? {
            first = next(tx, now).await?;
        }
        let Some(id) = first else { return Ok(None) };
        if let Some(claimed) = take(tx, id, worker, now).await? {
            return Ok(Some(claimed));
        }
        tx.next_jobs.forget();
    }
}

/// Gives this job to a worker, if it is to be had.
pub(super) async fn take(
    tx: &mut WriteTx,
    id: JobId,
    worker: &str,
    now: EpochMs,
) -> Result<Option<ClaimedJob>, StoreError> {
    tx.withhold_job(id);
    let until = now.plus_ms(LEASE_MS);
    let job = sqlx::query!(
        r#"update job set state = 'leased', worker = ?1, lease_until_ms = ?2, attempts = attempts + 1, token = token + 1
        where id = ?3 and (state = 'queued' or (state = 'leased' and lease_until_ms <= ?4))
        returning token, attempts as "attempts: u32", owner_id as "owner_id: AccountId",
            judgement_id as "judgement_id: JudgementId", package_id as "package_id: PackageId",
            proposal_id as "proposal_id: ProposalId", trial_id as "trial_id: TrialId",
            verification_id as "verification_id: VerificationId",
            counterexample_id as "counterexample_id: CounterexampleId""#,
        worker,
        until,
        id,
        now
    )
    .fetch_optional(&mut **tx)
    .await?;
    let Some(job) = job else { return Ok(None) };
    let work = work(About {
        judgement: job.judgement_id,
        package: job.package_id,
        proposal: job.proposal_id,
        trial: job.trial_id,
        verification: job.verification_id,
        counterexample: job.counterexample_id,
    })?;
    if let Some(owner) = job.owner_id {
        take_turn(tx, owner).await?;
    }
    match work {
        Work::Judge(judgement) => judging::start(tx, judgement, job.token == 1, now).await?,
        Work::Trial(id) => trial::start(tx, id).await?,
        Work::Prepare(id) => verification::start_preparation(tx, id, now).await?,
        Work::Verify(id) => verification::start(tx, id, now).await?,
        Work::Propose(_) | Work::Counterexample(_) => {}
    }
    Ok(Some(ClaimedJob { lease: Lease { job: id, token: job.token }, work, attempt: job.attempts }))
}

/// Nothing is ever put off until then: the clock has been set back, and the job is due.
pub(super) fn too_far(now: EpochMs) -> EpochMs {
    now.plus_ms(RETRY_AFTER_MS * i64::from(MAX_ATTEMPTS))
}

/// The oldest job of the owner who has waited longest, among the claimable ones of the first priority. Grouping by
/// owner first keeps the cost of a claim apart from the length of the queue. The jobs of the owners after him are kept for
/// the next claims: whoever is served goes behind them.
pub(super) async fn next(tx: &mut WriteTx, now: EpochMs) -> Result<Option<JobId>, StoreError> {
    if tx.next_jobs.first(now).is_none() {
        tx.next_jobs = NextJobs::new(first_of_owners(tx, now).await?, now);
    }
    Ok(tx.next_jobs.first(now))
}

async fn first_of_owners(tx: &mut WriteTx, now: EpochMs) -> Result<Vec<JobId>, StoreError> {
    let (too_far, held_too_far) = (too_far(now), held_too_far(now));
    let heads = sqlx::query!(
        r#"select head.id as "id!: JobId", head.owner_id is null as "is_nobodys!: bool" from (
            select owner_id, min(id) as id from job
            where state in ('queued', 'leased')
                and ((state = 'queued' and (not_before_ms <= ?1
                        or not_before_ms > case when interruptions > ?4 then ?3 else ?2 end))
                    or (state = 'leased' and lease_until_ms <= ?1))
                and priority = (select priority from job
                    where state in ('queued', 'leased') and priority >= 0
                        and ((state = 'queued' and (not_before_ms <= ?1
                                or not_before_ms > case when interruptions > ?4 then ?3 else ?2 end))
                            or (state = 'leased' and lease_until_ms <= ?1))
                    order by priority limit 1)
            group by owner_id
        ) head left join job_turn turn on turn.owner_id = head.owner_id
        order by head.owner_id is null, coalesce(turn.served, 0), head.id limit ?5"#,
        now,
        too_far,
        held_too_far,
        FREE_INTERRUPTIONS,
        LOOKED_UP
    )
    .fetch_all(&mut **tx)
    .await?;
    // What nobody owns waits until nobody else does.
    let owned: Vec<_> = heads.iter().filter(|head| !head.is_nobodys).map(|head| head.id).collect();
    Ok(if owned.is_empty() { heads.iter().map(|head| head.id).collect() } else { owned })
}

async fn take_turn(tx: &mut WriteTx, owner: AccountId) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into job_turn (owner_id, served) values (?, (select coalesce(max(served), 0) + 1 from job_turn))
        on conflict (owner_id) do update set served = excluded.served",
        owner
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Tells that the worker lives: the lease lasts [`LEASE_MS`] from now. Returns what it works on.
pub async fn renew(tx: &mut WriteTx, lease: Lease, now: EpochMs) -> Result<Work, JobError> {
    tx.withhold_job(lease.job);
    let until = now.plus_ms(LEASE_MS);
    let about = sqlx::query_as!(
        About,
        r#"update job set lease_until_ms = ? where id = ? and token = ? and state = 'leased'
        returning judgement_id as "judgement: _", package_id as "package: _", proposal_id as "proposal: _",
            trial_id as "trial: _", verification_id as "verification: _", counterexample_id as "counterexample: _""#,
        until,
        lease.job,
        lease.token
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(work(about.ok_or(JobError::LeaseLost)?)?)
}

/// Puts the job back without counting the attempt: the worker stops, or its work is outdated.
pub async fn give_back(tx: &mut WriteTx, lease: Lease, now: EpochMs) -> Result<(), JobError> {
    give_back_until(tx, lease, now, now).await
}

/// The same, but nobody gets it before `due`, which is no more than [`super::takeover::LONGEST_HOLD_MS`] away.
pub(super) async fn give_back_until(
    tx: &mut WriteTx,
    lease: Lease,
    due: EpochMs,
    now: EpochMs,
) -> Result<(), JobError> {
    let work = held(tx, lease).await?;
    sqlx::query!(
        "update job set state = 'queued', worker = null, lease_until_ms = null, attempts = attempts - 1, not_before_ms = ?
        where id = ?",
        due,
        lease.job
    )
    .execute(&mut **tx)
    .await?;
    put_back(tx, work, now).await?;
    Ok(())
}

/// The attempt failed by a fault of the judge's own. It is tried again later, or given up after [`MAX_ATTEMPTS`]:
/// then a judgement is JE, a package or a proposed test refused. Tells whether it will be tried again.
pub async fn fail_attempt(tx: &mut WriteTx, lease: Lease, reason: &str, now: EpochMs) -> Result<bool, JobError> {
    let work = held(tx, lease).await?;
    let attempts = sqlx::query_scalar!(r#"select attempts as "attempts: u32" from job where id = ?"#, lease.job)
        .fetch_one(&mut **tx)
        .await?;
    if attempts >= MAX_ATTEMPTS {
        give_up(tx, lease.job, i64::from(attempts), reason, now).await?;
        return Ok(false);
    }
    let later = now.plus_ms(RETRY_AFTER_MS * i64::from(attempts));
    sqlx::query!(
        "update job set state = 'queued', failed_on = nullif(substr(worker, 1, max(instr(worker, '/') - 1, 0)), ''),
            worker = null, lease_until_ms = null, last_error = ?, not_before_ms = ?
        where id = ?",
        reason,
        later,
        lease.job
    )
    .execute(&mut **tx)
    .await?;
    put_back(tx, work, now).await?;
    Ok(true)
}

async fn put_back(tx: &mut WriteTx, work: Work, now: EpochMs) -> Result<(), StoreError> {
    tx.offer_jobs();
    if let Work::Judge(id) = work {
        sqlx::query!("update judgement set state = 'queued' where id = ?", id).execute(&mut **tx).await?;
        let subject = judgement::subject(tx, id).await?;
        event::append(tx, subject.event(id, EventOp::Update), now).await?;
    }
    Ok(())
}

/// Ends a job that can't be done, and what it was for. It was begun so many times.
pub(super) async fn give_up(
    tx: &mut WriteTx,
    id: JobId,
    begun: i64,
    reason: &str,
    now: EpochMs,
) -> Result<(), StoreError> {
    tx.withhold_job(id);
    let about = sqlx::query_as!(
        About,
        r#"update job set state = 'failed', lease_until_ms = null, last_error = ? where id = ?
        returning judgement_id as "judgement: _", package_id as "package: _", proposal_id as "proposal: _",
            trial_id as "trial: _", verification_id as "verification: _", counterexample_id as "counterexample: _""#,
        reason,
        id
    )
    .fetch_one(&mut **tx)
    .await?;
    let message = format!("given up after {begun} attempts: {reason}");
    match work(about)? {
        Work::Judge(judgement) => judging::close(tx, judgement, &judging::Outcome::judging_error(message), now).await,
        Work::Prepare(package) => preparation::close_refused(tx, package, &message, now).await,
        Work::Propose(proposal) => proposal::close_refused(tx, proposal, &message, None, now).await,
        Work::Trial(trial) => trial::close(tx, trial, &TrialOutcome::judging_error(), now).await,
        Work::Verify(id) => verification_end::give_up(tx, id, &message, now).await,
        Work::Counterexample(id) => counterexample::close(tx, id, None, now).await,
    }
}

/// What the holder of this lease works on.
pub(super) async fn held(tx: &mut WriteTx, lease: Lease) -> Result<Work, JobError> {
    held_in(tx, lease).await
}

pub(super) async fn held_in(connection: &mut SqliteConnection, lease: Lease) -> Result<Work, JobError> {
    let about = sqlx::query_as!(
        About,
        r#"select judgement_id as "judgement: _", package_id as "package: _", proposal_id as "proposal: _",
            trial_id as "trial: _", verification_id as "verification: _", counterexample_id as "counterexample: _"
        from job where id = ? and token = ? and state = 'leased'"#,
        lease.job,
        lease.token
    )
    .fetch_optional(connection)
    .await?;
    Ok(work(about.ok_or(JobError::LeaseLost)?)?)
}

/// Ends a job that was done. Returns what it was about.
pub(super) async fn done(tx: &mut WriteTx, lease: Lease) -> Result<Work, JobError> {
    tx.withhold_job(lease.job);
    let about = sqlx::query_as!(
        About,
        r#"update job set state = 'done', lease_until_ms = null, last_error = null
        where id = ? and token = ? and state = 'leased'
        returning judgement_id as "judgement: _", package_id as "package: _", proposal_id as "proposal: _",
            trial_id as "trial: _", verification_id as "verification: _", counterexample_id as "counterexample: _""#,
        lease.job,
        lease.token
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(work(about.ok_or(JobError::LeaseLost)?)?)
}

/// What a job's row names: exactly one of these.
#[derive(Clone, Copy, Default)]
struct About {
    judgement: Option<JudgementId>,
    package: Option<PackageId>,
    proposal: Option<ProposalId>,
    trial: Option<TrialId>,
    verification: Option<VerificationId>,
    counterexample: Option<CounterexampleId>,
}

fn columns(work: Work) -> (JobKind, About) {
    match work {
        Work::Judge(id) => (JobKind::Judge, About { judgement: Some(id), ..About::default() }),
        Work::Prepare(id) => (JobKind::Prepare, About { package: Some(id), ..About::default() }),
        Work::Propose(id) => (JobKind::Propose, About { proposal: Some(id), ..About::default() }),
        Work::Trial(id) => (JobKind::Trial, About { trial: Some(id), ..About::default() }),
        Work::Verify(id) => (JobKind::Verify, About { verification: Some(id), ..About::default() }),
        Work::Counterexample(id) => (JobKind::Counterexample, About { counterexample: Some(id), ..About::default() }),
    }
}

fn work(about: About) -> Result<Work, StoreError> {
    let mut named = [
        about.judgement.map(Work::Judge),
        about.package.map(Work::Prepare),
        about.proposal.map(Work::Propose),
        about.trial.map(Work::Trial),
        about.verification.map(Work::Verify),
        about.counterexample.map(Work::Counterexample),
    ]
    .into_iter()
    .flatten();
    match (named.next(), named.next()) {
        (Some(work), None) => Ok(work),
        _ => Err(sqlx::Error::Decode("a job is about one thing".into()).into()),
    }
}

/// Whether a job that goes before this one waits for a worker.
pub async fn is_urgent_waiting(pool: &sqlx::SqlitePool, lease: Lease, now: EpochMs) -> Result<bool, StoreError> {
    let waiting = sqlx::query_scalar!(
        r#"select exists (select 1 from job where state in ('queued', 'leased') and state = 'queued' and not_before_ms <= ?1
            and priority >= 0 and priority < (select priority from job where id = ?2)) as "waiting!: bool""#,
        now,
        lease.job
    )
    .fetch_one(pool)
    .await?;
    Ok(waiting)
}
