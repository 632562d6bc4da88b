//! What a worker reports of a judgement: its runs, and once, atomically, its outcome.

use super::codec::int;
use super::event::{self, EventKind, EventOp};
use super::job::{self, JobError, Lease, Work};
use super::{GroupResults, StoreError, WriteTx, counterexample, rejudging};
use crate::domain::ids::{JudgementId, RejudgingId, SubmissionId, TestCaseId};
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;

/// What the author reads when the judge itself failed; the cause is for the staff.
const JUDGE_FAILED: &str =
    "The judge itself failed on this submission. Your program is not to blame; a judge can have it judged again.";

/// A run to be recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRun {
    /// Which test, 1, 2, 3, ...
    pub ordinal: u32,
    /// The test case.
    pub test_case_id: TestCaseId,
    /// The verdict; never CE.
    pub verdict: Verdict,
    /// Its score, where tests have scores of their own.
    pub score: Option<f64>,
    /// User + system time, milliseconds.
    pub cpu_ms: u64,
    /// Wall-clock time, milliseconds.
    pub wall_ms: u64,
    /// Peak memory, bytes.
    pub memory_bytes: u64,
    /// A sentence for the author: the signal, the exit code, a checker's team message. Must not quote the test.
    pub message: Option<String>,
    /// The difference and the checker's words: for those who may see the test.
    pub judge_message: Option<String>,
    /// What happened, for readers of any language.
    pub facts: RunFacts,
}

/// What a page needs to explain a run in its reader's language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFacts {
    /// JSON: why it failed without its output being looked at.
    pub cause: Option<String>,
    /// How often it was run: near the limit up to three times.
    pub times_run: u32,
    /// The beginning of what it printed, and how much that was, bytes; only of a failed sample.
    pub output: Option<(Vec<u8>, u64)>,
}

impl Default for RunFacts {
    fn default() -> Self {
        Self { cause: None, times_run: 1, output: None }
    }
}

/// How a judgement ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// Its score, where the problem has scores.
    pub score: Option<f64>,
    /// What each test group came to; `None` where they don't matter.
    pub groups: Option<GroupResults>,
    /// The test that decided, 1, 2, 3, ...
    pub failed_ordinal: Option<u32>,
    /// What the compiler said, bounded.
    pub compiler_output: Option<String>,
    /// A sentence for the author. Must not quote a secret test.
    pub message: Option<String>,
    /// A text for those who may see the test data.
    pub judge_message: Option<String>,
    /// cpu of the slowest run, milliseconds.
    pub cpu_ms: Option<u64>,
    /// Memory of the largest run, bytes.
    pub memory_bytes: Option<u64>,
    /// JSON: the hashes that the verdict depends on.
    pub receipt: Option<String>,
}

impl Outcome {
    /// An outcome with this verdict and nothing else.
    pub const fn new(verdict: Verdict) -> Self {
        Self {
            verdict,
            score: None,
            groups: None,
            failed_ordinal: None,
            compiler_output: None,
            message: None,
            judge_message: None,
            cpu_ms: None,
            memory_bytes: None,
            receipt: None,
        }
    }

    /// The judge's own fault, with its cause for the staff.
    pub fn judging_error(cause: String) -> Self {
        Self { message: Some(JUDGE_FAILED.to_owned()), judge_message: Some(cause), ..Self::new(Verdict::JudgingError) }
    }
}

/// Records a run and renews the lease.
///
/// # Errors
/// [`JobError::LeaseLost`] when somebody else has the judgement now.
pub async fn record_run(tx: &mut WriteTx, lease: Lease, run: &NewRun, now: EpochMs) -> Result<(), JobError> {
    let Work::Judge(judgement) = job::renew(tx, lease, now).await? else { return Err(JobError::LeaseLost) };
    let (cpu_ms, wall_ms, memory_bytes) = (int(run.cpu_ms), int(run.wall_ms), int(run.memory_bytes));
    let facts = &run.facts;
    let (output, output_bytes) = facts.output.as_ref().map(|(head, bytes)| (head.as_slice(), int(*bytes))).unzip();
    let id = sqlx::query_scalar!(
        r#"insert into run (judgement_id, ordinal, test_case_id, verdict, score, cpu_ms, wall_ms, memory_bytes, message,
            judge_message, cause, times_run, output, output_bytes, created_ms)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (judgement_id, ordinal) do nothing returning id as "id!""#,
        judgement,
        run.ordinal,
        run.test_case_id,
        run.verdict,
        run.score,
        cpu_ms,
        wall_ms,
        memory_bytes,
        run.message,
        run.judge_message,
        facts.cause,
        facts.times_run,
        output,
        output_bytes,
        now
    )
    .fetch_optional(&mut **tx)
    .await?;
    // A claim begins without runs: what is there was said under this one, and its answer was lost on the way.
    if let Some(id) = id {
        event::append_of_judgement(tx, judgement, (EventKind::Run, EventOp::Create, id), now).await?;
    }
    Ok(())
}

/// Writes the outcome, makes the judgement count if it should, and ends the job.
///
/// # Errors
/// [`JobError::LeaseLost`] when somebody else has the judgement now, or it is done.
pub async fn finish_judgement(tx: &mut WriteTx, lease: Lease, outcome: &Outcome, now: EpochMs) -> Result<(), JobError> {
    let Work::Judge(judgement) = job::done(tx, lease).await? else { return Err(JobError::LeaseLost) };
    close(tx, judgement, outcome, now).await?;
    Ok(())
}

/// A worker begins. What an earlier attempt recorded goes; nothing is there at the first.
pub(super) async fn start(tx: &mut WriteTx, id: JudgementId, first: bool, now: EpochMs) -> Result<(), StoreError> {
    if !first {
        let dropped = sqlx::query_scalar!(r#"delete from run where judgement_id = ? returning id as "id!""#, id)
            .fetch_all(&mut **tx)
            .await?;
        for run in dropped {
            event::append_of_judgement(tx, id, (EventKind::Run, EventOp::Delete, run), now).await?;
        }
    }
    sqlx::query!("update judgement set state = 'running', start_ms = ? where id = ?", now, id)
        .execute(&mut **tx)
        .await?;
    event::append_of_judgement(tx, id, (EventKind::Judgement, EventOp::Update, id.0), now).await?;
    Ok(())
}

/// Writes the outcome of a judgement that has none yet.
pub(super) async fn close(
    tx: &mut WriteTx,
    id: JudgementId,
    outcome: &Outcome,
    now: EpochMs,
) -> Result<(), StoreError> {
    let (cpu_ms, memory_bytes) = (outcome.cpu_ms.map(int), outcome.memory_bytes.map(int));
    let closed = sqlx::query!(
        r#"update judgement set state = 'done', verdict = ?, score = ?, groups = ?, failed_ordinal = ?, compiler_output = ?,
            message = ?, judge_message = ?, cpu_ms = ?, memory_bytes = ?, receipt = ?, end_ms = ?
        where id = ? and verdict is null
        returning submission_id as "submission: SubmissionId", rejudging_id as "rejudging: RejudgingId""#,
        outcome.verdict,
        outcome.score,
        outcome.groups,
        outcome.failed_ordinal,
        outcome.compiler_output,
        outcome.message,
        outcome.judge_message,
        cpu_ms,
        memory_bytes,
        outcome.receipt,
        now,
        id
    )
    .fetch_optional(&mut **tx)
    .await?;
    if let Some(closed) = closed {
        if let Some(rejudging) = closed.rejudging {
            rejudging::judgement_done(tx, rejudging, id, closed.submission, now).await?;
        }
        if outcome.failed_ordinal.is_some() {
            counterexample::queue_late(tx, id, now).await?;
        }
    }
    event::append_of_judgement(tx, id, (EventKind::Judgement, EventOp::Update, id.0), now).await?;
    Ok(())
}
