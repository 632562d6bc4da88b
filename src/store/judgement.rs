//! Judgements and their runs: what a worker needs for one, and what a submission's page shows of them.

use std::sync::Arc;

use sqlx::{SqliteExecutor, SqlitePool};

use super::codec::text_enum;
use super::event::{self, EventKind, EventOp, NewEvent};
use super::submission::{self, SubmissionFile};
use super::test_case::{self, TestCase};
use super::{GroupResults, Store, StoreError, WriteTx};
use crate::domain::ids::{
    AccountId, ContestId, JudgementId, PackageId, ProblemId, RejudgingId, SubmissionId, TestCaseId, TestSetId,
};
use crate::domain::language::LanguageId;
use crate::domain::limits::Limits;
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;

text_enum! {
    /// How far a judgement is.
    pub enum JudgementState {
        /// No worker has it yet.
        Queued = "queued",
        /// A worker has it.
        Running = "running",
        /// It has its verdict.
        Done = "done",
    }
}

text_enum! {
    /// Why a judgement was made.
    pub enum JudgementReason {
        /// The submission was new.
        Submission = "submission",
        /// It was judged again.
        Rejudge = "rejudge",
    }
}

/// Everything a worker needs to judge; contents are blobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeTask {
    /// The judgement to be made.
    pub judgement_id: JudgementId,
    /// Its submission.
    pub submission_id: SubmissionId,
    /// Its problem.
    pub problem_slug: Slug,
    /// The language.
    pub language: LanguageId,
    /// Main file or class, where the contestant named one.
    pub entry_point: Option<String>,
    /// The sources.
    pub sources: Vec<SubmissionFile>,
    /// The problem's package.
    pub package_id: PackageId,
    /// JSON: what else its preparation wrote down.
    pub package_metadata: Option<String>,
    /// Limits of a run.
    pub limits: Limits,
    /// The test set.
    pub test_set_id: TestSetId,
    /// Its tests, in the order of judging.
    pub tests: Arc<[TestCase]>,
}

/// A judgement as the submission's page shows it. Not yet cut to what the viewer may see.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Its id.
    pub id: JudgementId,
    /// Its submission.
    pub submission_id: SubmissionId,
    /// Version of the package it was or is judged with.
    pub package_version: u64,
    /// Version of the tests it was or is judged with.
    pub test_set_version: u64,
    /// Why it was made.
    pub reason: JudgementReason,
    /// How far it is.
    pub state: JudgementState,
    /// Whether it is the one that counts.
    pub valid: bool,
    /// Whether it never counted so far: of a rejudging that is looked at or was dropped.
    pub unseen: bool,
    /// Its verdict, once done.
    pub verdict: Option<Verdict>,
    /// Its score, where the problem has scores.
    pub score: Option<f64>,
    /// What each test group came to, inner ones first; `None` where they don't matter.
    pub groups: Option<GroupResults>,
    /// Whether the problem shows its groups to contestants.
    pub shows_groups: bool,
    /// The test that decided.
    pub failed_ordinal: Option<u32>,
    /// How many tests there are.
    pub tests_total: u32,
    /// What the compiler said, cut and decoded.
    pub compiler_output: Option<String>,
    /// A sentence for the author.
    pub message: Option<String>,
    /// A text for those who may see the test data.
    pub judge_message: Option<String>,
    /// cpu of the slowest run, milliseconds.
    pub cpu_ms: Option<u64>,
    /// Memory of the largest run, bytes.
    pub memory_bytes: Option<u64>,
    /// JSON: the hashes that the verdict depends on.
    pub receipt: Option<String>,
    /// When it was queued.
    pub created: EpochMs,
    /// When a worker began.
    pub start: Option<EpochMs>,
    /// When it was done.
    pub end: Option<EpochMs>,
}

/// A run as the submission's page shows it. Not yet cut to what the viewer may see.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Which test, 1, 2, 3, ...
    pub ordinal: u32,
    /// The test case.
    pub test_case_id: TestCaseId,
    /// Its name.
    pub test_name: String,
    /// Its group.
    pub test_group: String,
    /// Whether everybody may see that test.
    pub sample: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// Its score, where tests have scores of their own.
    pub score: Option<f64>,
    /// User + system time, milliseconds.
    pub cpu_ms: u64,
    /// Wall-clock time, milliseconds.
    pub wall_ms: u64,
    /// Peak memory, bytes.
    pub memory_bytes: u64,
    /// A sentence for the author: the signal, the exit code.
    pub message: Option<String>,
    /// The difference and the checker's words: they may quote the test.
    pub judge_message: Option<String>,
    /// JSON: why it failed without its output being looked at.
    pub cause: Option<String>,
    /// How often it was run.
    pub times_run: u32,
    /// The beginning of what it printed; only of a failed sample.
    pub output: Option<Vec<u8>>,
    /// Size of all that it printed, bytes.
    pub output_bytes: Option<u64>,
}

/// What a judgement belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject {
    /// Its submission.
    pub submission_id: SubmissionId,
    /// That submission's contest.
    pub contest_id: ContestId,
    /// That submission's problem.
    pub problem_id: ProblemId,
    /// Who handed it in.
    pub account_id: AccountId,
    /// The rejudging that made it.
    pub rejudging_id: Option<RejudgingId>,
    /// Whether it counts.
    pub valid: bool,
}

impl Subject {
    /// An event about that judgement.
    pub(super) fn event(&self, id: JudgementId, op: EventOp) -> NewEvent {
        NewEvent::new(EventKind::Judgement, op, id.0)
            .contest(self.contest_id)
            .problem(self.problem_id)
            .submission(self.submission_id)
            .judgement(id)
    }
}

/// Queues a judgement with the problem's current package and tests. The first of a submission counts from the start;
/// one of a rejudging counts only once it is done, so that a board never loses a verdict meanwhile.
pub async fn insert(
    tx: &mut WriteTx,
    submission: SubmissionId,
    rejudging: Option<RejudgingId>,
    now: EpochMs,
) -> Result<JudgementId, StoreError> {
    let reason = if rejudging.is_some() { JudgementReason::Rejudge } else { JudgementReason::Submission };
    let valid = rejudging.is_none();
    let id = sqlx::query_scalar!(
        r#"insert into judgement
            (submission_id, package_id, test_set_id, reason, rejudging_id, state, valid, tests_total, created_ms)
        select s.id, p.package_id, p.test_set_id, ?2, ?3, 'queued', ?4,
            (select count(*) from test_case t where t.test_set_id = p.test_set_id), ?5
        from submission s join problem p on p.id = s.problem_id where s.id = ?1
        returning id as "id!: JudgementId""#,
        submission,
        reason,
        rejudging,
        valid,
        now
    )
    .fetch_one(&mut **tx)
    .await?;
    let subject = subject(tx, id).await?;
    event::append(tx, subject.event(id, EventOp::Create), now).await?;
    Ok(id)
}

/// What a judgement belongs to.
pub async fn subject(tx: &mut WriteTx, id: JudgementId) -> Result<Subject, StoreError> {
    let subject = sqlx::query_as!(
        Subject,
        r#"select s.id as "submission_id!: _", s.contest_id as "contest_id: _", s.problem_id as "problem_id: _",
            s.account_id as "account_id: _", j.rejudging_id as "rejudging_id: _", j.valid as "valid: _"
        from judgement j join submission s on s.id = j.submission_id where j.id = ?"#,
        id
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(subject)
}

/// Everything a worker needs to judge it.
pub async fn task(store: &Store, id: JudgementId) -> Result<JudgeTask, StoreError> {
    // Without a transaction: sources, packages and sets of tests never change once they are there.
    let mut reading = store.read().acquire().await?;
    let row = sqlx::query!(
        r#"select s.id as "submission_id!: SubmissionId", p.slug as "slug: Slug", s.language as "language: LanguageId",
            s.entry_point, k.id as "package_id!: PackageId", k.metadata, k.cpu_ms as "cpu_ms!: u64",
            k.wall_ms as "wall_ms!: u64", k.memory_bytes as "memory_bytes!: u64", k.output_bytes as "output_bytes!: u64",
            k.processes as "processes!: u64", j.test_set_id as "test_set_id: TestSetId"
        from judgement j join submission s on s.id = j.submission_id join problem p on p.id = s.problem_id
            join package k on k.id = j.package_id
        where j.id = ?"#,
        id
    )
    .fetch_one(&mut *reading)
    .await?;
    let sources = submission::files(&mut *reading, row.submission_id).await?;
    drop(reading);
    Ok(JudgeTask {
        judgement_id: id,
        submission_id: row.submission_id,
        problem_slug: row.slug,
        language: row.language,
        entry_point: row.entry_point,
        sources,
        package_id: row.package_id,
        package_metadata: row.metadata,
        limits: Limits {
            cpu_ms: row.cpu_ms,
            wall_ms: row.wall_ms,
            memory_bytes: row.memory_bytes,
            output_bytes: row.output_bytes,
            processes: row.processes,
        },
        test_set_id: row.test_set_id,
        tests: test_case::kept(store, row.test_set_id).await?,
    })
}

/// All judgements of a submission, newest first; without those that a dropped rejudging never made.
pub async fn of_submission(
    executor: impl SqliteExecutor<'_>,
    submission: SubmissionId,
) -> Result<Vec<Judgement>, StoreError> {
    let judgements = sqlx::query_as!(
        Judgement,
        r#"select j.id as "id!: _", j.submission_id as "submission_id: _", k.version as "package_version: _",
            t.version as "test_set_version: _", j.reason as "reason: _", j.state as "state: _", j.valid as "valid: _",
            coalesce(r.preview = 1 and j.valid = 0 and not exists (
                select 1 from rejudging_change x where x.after_id = j.id), 0) as "unseen!: bool",
            j.verdict as "verdict: _", j.score, j.groups as "groups: _",
            coalesce(json_extract(k.metadata, '$.rules.shows_groups'), 0) as "shows_groups!: _",
            j.failed_ordinal as "failed_ordinal: _",
            j.tests_total as "tests_total: _", j.compiler_output, j.message, j.judge_message, j.cpu_ms as "cpu_ms: _",
            j.memory_bytes as "memory_bytes: _", j.receipt, j.created_ms as "created: _", j.start_ms as "start: _",
            j.end_ms as "end: _"
        from judgement j join package k on k.id = j.package_id join test_set t on t.id = j.test_set_id
            left join rejudging r on r.id = j.rejudging_id
        where j.submission_id = ? and (j.state = 'done' or r.state is null or r.state <> 'dropped')
        order by j.id desc"#,
        submission
    )
    .fetch_all(executor)
    .await?;
    Ok(judgements)
}

/// Up to so many judgements that have a receipt, with their submissions, spread evenly over all, oldest first.
pub async fn spread(pool: &SqlitePool, count: u32) -> Result<Vec<(SubmissionId, JudgementId)>, StoreError> {
    let rows = sqlx::query!(
        r#"select submission_id as "submission_id!: SubmissionId", id as "id!: JudgementId" from judgement
        where id in (
            select min(id) from (select id, ntile(?) over (order by id) as part from judgement where receipt is not null)
            group by part
        ) order by id"#,
        count
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.submission_id, row.id)).collect())
}

/// When the judgement that counts of a submission began and ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgementTimes {
    /// The judgement.
    pub judgement_id: JudgementId,
    /// When a worker began.
    pub start: Option<EpochMs>,
    /// When it was done.
    pub end: Option<EpochMs>,
    /// Its points, where the problem gives points.
    pub score: Option<f64>,
}

/// A run as those see it who follow all of a contest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFact {
    /// Its number.
    pub id: i64,
    /// Its judgement.
    pub judgement_id: JudgementId,
    /// Which test, 1, 2, 3, ...
    pub ordinal: u32,
    /// Its verdict.
    pub verdict: Verdict,
    /// When it was recorded.
    pub created: EpochMs,
    /// cpu, milliseconds.
    pub cpu_ms: u64,
}

/// The runs of the judgements of a contest that count and have begun, of submissions before `before`.
pub async fn run_facts(
    pool: &SqlitePool,
    contest: ContestId,
    before: EpochMs,
    only: Option<&[SubmissionId]>,
) -> Result<Vec<RunFact>, StoreError> {
    let only = only.map(submission::id_array);
    let runs = sqlx::query_as!(
        RunFact,
        r#"select r.id as "id!", r.judgement_id as "judgement_id: _", r.ordinal as "ordinal: _",
            r.verdict as "verdict: _", r.created_ms as "created: _", r.cpu_ms as "cpu_ms: _"
        from submission s join judgement j on j.submission_id = s.id and j.valid = 1 join run r on r.judgement_id = j.id
        where s.contest_id = ?1 and s.submitted_ms < ?2 and s.virtual_run_id is null and j.state <> 'queued'
            and (?3 is null or s.id in (select value from json_each(?3)))
        order by r.id"#,
        contest,
        before,
        only
    )
    .fetch_all(pool)
    .await?;
    Ok(runs)
}

/// The times of the judgements of these submissions that count.
pub async fn times_of(pool: &SqlitePool, ids: &[SubmissionId]) -> Result<Vec<JudgementTimes>, StoreError> {
    let ids = submission::id_array(ids);
    let times = sqlx::query_as!(
        JudgementTimes,
        r#"select id as "judgement_id!: _", start_ms as "start: _", end_ms as "end: _", score
        from judgement where valid = 1 and submission_id in (select value from json_each(?))"#,
        ids
    )
    .fetch_all(pool)
    .await?;
    Ok(times)
}

/// The done judgements of these submissions whose place a later one took.
pub async fn superseded(pool: &SqlitePool, ids: &[SubmissionId]) -> Result<Vec<JudgementId>, StoreError> {
    let ids = submission::id_array(ids);
    let superseded = sqlx::query_scalar!(
        r#"select o.id as "id!: JudgementId" from judgement o
            join judgement v on v.submission_id = o.submission_id and v.valid = 1
        where o.submission_id in (select value from json_each(?)) and o.valid = 0 and o.state = 'done' and o.id < v.id"#,
        ids
    )
    .fetch_all(pool)
    .await?;
    Ok(superseded)
}

/// The times of all judgements of a contest that count.
pub async fn times(pool: &SqlitePool, contest: ContestId) -> Result<Vec<JudgementTimes>, StoreError> {
    let times = sqlx::query_as!(
        JudgementTimes,
        r#"select j.id as "judgement_id!: _", j.start_ms as "start: _", j.end_ms as "end: _",
            j.score
        from submission s join judgement j on j.submission_id = s.id and j.valid = 1 where s.contest_id = ?"#,
        contest
    )
    .fetch_all(pool)
    .await?;
    Ok(times)
}

/// The runs of a judgement, in order.
pub async fn runs(executor: impl SqliteExecutor<'_>, judgement: JudgementId) -> Result<Vec<Run>, StoreError> {
    let runs = sqlx::query_as!(
        Run,
        r#"select r.ordinal as "ordinal: _", r.test_case_id as "test_case_id: _", t.name as test_name, t.test_group,
            t.sample as "sample: _", r.verdict as "verdict: _", r.score, r.cpu_ms as "cpu_ms: _", r.wall_ms as "wall_ms: _",
            r.memory_bytes as "memory_bytes: _", r.message, r.judge_message, r.cause, r.times_run as "times_run: _",
            r.output, r.output_bytes as "output_bytes: _"
        from run r join test_case t on t.id = r.test_case_id where r.judgement_id = ? order by r.ordinal"#,
        judgement
    )
    .fetch_all(executor)
    .await?;
    Ok(runs)
}
