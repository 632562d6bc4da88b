//! Counterexamples: small inputs on which submissions go wrong as they did on secret tests, made after a contest's end.
//!
//! Owns: when they are asked for. Idle workers ask for those of a contest that ended; a judgement that ends later asks for
//! its own. Must not know: how an input is made small.

use sqlx::SqliteExecutor;

use super::codec::{int, text_enum};
use super::event::EventOp;
use super::job::{self, JobError, Lease, PRIORITY_COUNTEREXAMPLE, Work};
use super::judgement::{self, JudgeTask};
use super::package::{self, PackageFile};
use super::{Store, StoreError, WriteTx, event};
use crate::domain::hash::Sha256;
use crate::domain::ids::{AccountId, CounterexampleId, JudgementId};
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;

/// The largest input, answer or beginning of an output that is kept, bytes.
pub const MAX_KEPT_BYTES: usize = 4_096;

text_enum! {
    /// How far a counterexample is.
    pub enum CounterexampleState {
        /// A worker will make it when nothing else waits.
        Queued = "queued",
        /// There is one.
        Found = "found",
        /// No small one was found.
        None = "none",
    }
}

/// A counterexample as a submission's page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterexample {
    /// How far it is.
    pub state: CounterexampleState,
    /// The input.
    pub input: Option<Vec<u8>>,
    /// What the references answer; `None` where nothing is compared with it.
    pub answer: Option<Vec<u8>>,
    /// The beginning of what the program printed; `None` where that was said to the validator.
    pub output: Option<Vec<u8>>,
    /// Size of all that it printed, bytes.
    pub output_bytes: Option<u64>,
    /// Size of the test's input that it was made from, bytes.
    pub original_bytes: Option<u64>,
}

/// A counterexample that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCounterexample {
    /// The input, at most [`MAX_KEPT_BYTES`].
    pub input: Vec<u8>,
    /// What the references answer, at most [`MAX_KEPT_BYTES`].
    pub answer: Option<Vec<u8>>,
    /// The beginning of what the program printed, at most [`MAX_KEPT_BYTES`].
    pub output: Option<Vec<u8>>,
    /// Size of all that it printed, bytes.
    pub output_bytes: u64,
    /// Size of the test's input that it was made from, bytes.
    pub original_bytes: u64,
}

/// Everything a worker needs to make one; contents are blobs.
#[derive(Debug, Clone, PartialEq)]
pub struct CounterexampleTask {
    /// How the submission was judged.
    pub judged: JudgeTask,
    /// All files of the package.
    pub package_files: Vec<PackageFile>,
    /// What it got on the test that decided.
    pub verdict: Verdict,
    /// The input of that test.
    pub input_sha256: Sha256,
}

/// Asks for the counterexamples of contests that ended. Tells whether there are any.
pub(super) async fn queue_due(tx: &mut WriteTx, now: EpochMs) -> Result<bool, StoreError> {
    let due = sqlx::query_scalar!(
        r#"update contest set counterexamples_ms = ?1
        where failed_tests = 'counterexample_after_end' and counterexamples_ms is null
            and paused_ms is null and start_ms + duration_ms <= ?1
        returning id as "id!: i64""#,
        now
    )
    .fetch_all(&mut **tx)
    .await?;
    let mut any = false;
    for contest in due {
        let wanted = sqlx::query!(
            r#"select j.id as "judgement!: JudgementId", s.account_id as "account!: AccountId"
            from submission s join judgement j on j.submission_id = s.id and j.valid = 1
                join run r on r.judgement_id = j.id and r.ordinal = j.failed_ordinal
                join test_case t on t.id = r.test_case_id
            where s.contest_id = ? and t.sample = 0 and j.verdict in ('WA', 'TLE', 'MLE', 'OLE', 'RTE')
                and not exists (select 1 from counterexample c where c.judgement_id = j.id)
            order by j.id"#,
            contest
        )
        .fetch_all(&mut **tx)
        .await?;
        for one in wanted {
            queue(tx, one.judgement, one.account, now).await?;
            any = true;
        }
    }
    Ok(any)
}

/// Asks for the counterexample of a judgement that ended after its contest did.
pub(super) async fn queue_late(tx: &mut WriteTx, judgement: JudgementId, now: EpochMs) -> Result<(), StoreError> {
    let account = sqlx::query_scalar!(
        r#"select s.account_id as "account!: AccountId"
        from judgement j join submission s on s.id = j.submission_id join contest c on c.id = s.contest_id
            join run r on r.judgement_id = j.id and r.ordinal = j.failed_ordinal
            join test_case t on t.id = r.test_case_id
        where j.id = ? and t.sample = 0 and j.verdict in ('WA', 'TLE', 'MLE', 'OLE', 'RTE')
            and c.counterexamples_ms is not null and c.failed_tests = 'counterexample_after_end'
            and not exists (select 1 from counterexample x where x.judgement_id = j.id)"#,
        judgement
    )
    .fetch_optional(&mut **tx)
    .await?;
    match account {
        Some(account) => queue(tx, judgement, account, now).await,
        None => Ok(()),
    }
}

async fn queue(tx: &mut WriteTx, judgement: JudgementId, owner: AccountId, now: EpochMs) -> Result<(), StoreError> {
    let id = sqlx::query_scalar!(
        r#"insert into counterexample (judgement_id, state, created_ms) values (?, 'queued', ?)
        returning id as "id!: CounterexampleId""#,
        judgement,
        now
    )
    .fetch_one(&mut **tx)
    .await?;
    job::queue(tx, Work::Counterexample(id), PRIORITY_COUNTEREXAMPLE, Some(owner), now).await?;
    Ok(())
}

/// Everything a worker needs to make it.
pub async fn task(store: &Store, id: CounterexampleId) -> Result<CounterexampleTask, StoreError> {
    let pool = store.read();
    let row = sqlx::query!(
        r#"select j.id as "judgement!: JudgementId", r.verdict as "verdict!: Verdict",
            t.input_sha256 as "input_sha256!: Sha256"
        from counterexample c join judgement j on j.id = c.judgement_id
            join run r on r.judgement_id = j.id and r.ordinal = j.failed_ordinal
            join test_case t on t.id = r.test_case_id
        where c.id = ?"#,
        id
    )
    .fetch_one(pool)
    .await?;
    let judged = judgement::task(store, row.judgement).await?;
    Ok(CounterexampleTask {
        package_files: package::files(pool, judged.package_id).await?,
        judged,
        verdict: row.verdict,
        input_sha256: row.input_sha256,
    })
}

/// Writes what was found, or that nothing was, and ends the job.
///
/// # Errors
/// [`JobError::LeaseLost`].
pub async fn finish(
    tx: &mut WriteTx,
    lease: Lease,
    found: Option<&FoundCounterexample>,
    now: EpochMs,
) -> Result<(), JobError> {
    let Work::Counterexample(id) = job::done(tx, lease).await? else { return Err(JobError::LeaseLost) };
    close(tx, id, found, now).await?;
    Ok(())
}

pub(super) async fn close(
    tx: &mut WriteTx,
    id: CounterexampleId,
    found: Option<&FoundCounterexample>,
    now: EpochMs,
) -> Result<(), StoreError> {
    let state = if found.is_some() { CounterexampleState::Found } else { CounterexampleState::None };
    let input = found.map(|found| found.input.as_slice());
    let answer = found.and_then(|found| found.answer.as_deref());
    let output = found.and_then(|found| found.output.as_deref());
    let output_bytes = found.map(|found| int(found.output_bytes));
    let original_bytes = found.map(|found| int(found.original_bytes));
    let judgement = sqlx::query_scalar!(
        r#"update counterexample set state = ?, input = ?, answer = ?, output = ?, output_bytes = ?, original_bytes = ?,
            end_ms = ? where id = ? returning judgement_id as "id: JudgementId""#,
        state,
        input,
        answer,
        output,
        output_bytes,
        original_bytes,
        now,
        id
    )
    .fetch_one(&mut **tx)
    .await?;
    let subject = judgement::subject(tx, judgement).await?;
    event::append(tx, subject.event(judgement, EventOp::Update), now).await?;
    Ok(())
}

/// The counterexample of a judgement.
pub async fn of_judgement(
    executor: impl SqliteExecutor<'_>,
    judgement: JudgementId,
) -> Result<Option<Counterexample>, StoreError> {
    let found = sqlx::query_as!(
        Counterexample,
        r#"select state as "state: _", input, answer, output, output_bytes as "output_bytes: _",
            original_bytes as "original_bytes: _"
        from counterexample where judgement_id = ?"#,
        judgement
    )
    .fetch_optional(executor)
    .await?;
    Ok(found)
}
