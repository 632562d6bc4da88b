//! Verifications: whether a package with its tests keeps what it promises, how far a look at that is, what it found.
//!
//! Owns: which are there, who waits for them, how far they are. Must not know what a report says, it is JSON here, and what
//! follows from one: `verification_end`.

use sqlx::{SqliteExecutor, SqlitePool};

use super::codec::{int, text_enum};
use super::event::{self, EventKind, EventOp, NewEvent};
use super::job::{self, JobError, Lease, PRIORITY_PREPARE, PRIORITY_VERIFY, Work};
use super::package::{self, PackageFile};
use super::test_case::{self, TestCase};
use super::{StoreError, WriteTx};
use crate::domain::hash::Sha256;
use crate::domain::ids::{AccountId, PackageId, ProblemId, TestSetId, VerificationId};
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;

text_enum! {
    /// How far a verification is.
    pub enum VerificationState {
        /// It waits for a worker.
        Queued = "queued",
        /// A worker has it.
        Running = "running",
        /// Every promise is kept.
        Holds = "holds",
        /// One isn't.
        Broken = "broken",
        /// Nobody needs its answer any more.
        Dropped = "dropped",
    }
}

/// A verification to be written.
#[derive(Debug, Clone, Copy)]
pub struct NewVerification {
    /// Its problem.
    pub problem: ProblemId,
    /// The package.
    pub package: PackageId,
    /// The tests; `None` until they are made.
    pub test_set: Option<TestSetId>,
    /// Whether publishing waits for it.
    pub decides: bool,
}

/// A verification as its page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// Its id.
    pub id: VerificationId,
    /// Its problem.
    pub problem_id: ProblemId,
    /// The package.
    pub package_id: PackageId,
    /// Which version of it.
    pub package_version: u64,
    /// The tests, once they are made.
    pub test_set_id: Option<TestSetId>,
    /// Which version of them.
    pub test_set_version: Option<u64>,
    /// Whether publishing waits for it.
    pub decides: bool,
    /// Whether only the tests are others than those in force before, not the package.
    pub of_changed_tests: bool,
    /// How far it is.
    pub state: VerificationState,
    /// What is being done.
    pub part: Option<String>,
    /// How many steps of that are done.
    pub part_done: u64,
    /// Of how many.
    pub part_total: u64,
    /// JSON: the report, once there is one.
    pub report: Option<String>,
    /// Why it is broken.
    pub message: Option<String>,
    /// When it was queued.
    pub created: EpochMs,
    /// When it ended.
    pub end: Option<EpochMs>,
    /// The kind of machine on which it only measures the limit in force; `None`: it looks at the package.
    pub of_kind: Option<Sha256>,
}

/// Everything a worker needs; contents are blobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerificationTask {
    /// The problem's name in addresses.
    pub problem_slug: Slug,
    /// All files of the package.
    pub files: Vec<PackageFile>,
    /// JSON: what its preparation wrote down.
    pub package_metadata: Option<String>,
    /// Whether publishing waits for it.
    pub decides: bool,
    /// The tests, in the order of judging.
    pub tests: Vec<TestCase>,
    /// JSON: results of programs that an interrupted attempt has judged already.
    pub done: Vec<String>,
    /// Earlier verifications of this version of the package, newest first; only where the tests alone were changed.
    pub earlier: Vec<EarlierVerification>,
}

/// What an earlier verification found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierVerification {
    /// Its tests, in the order of judging.
    pub tests: Vec<TestCase>,
    /// JSON of what each program did that it judged.
    pub programs: Vec<String>,
}

/// How many earlier verifications are looked at.
const EARLIER: u32 = 4;

/// How far a piece of work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step<'a> {
    /// What is being done.
    pub part: &'a str,
    /// So many steps of it are done.
    pub done: u64,
    /// Of so many.
    pub total: u64,
}

/// Writes a verification that nobody has begun. One that only looks at what was in force before is dropped.
pub async fn insert(tx: &mut WriteTx, new: NewVerification, now: EpochMs) -> Result<VerificationId, StoreError> {
    if !new.decides {
        drop_waiting(tx, new.problem, now).await?;
    }
    let id = sqlx::query_scalar!(
        r#"insert into verification (problem_id, package_id, test_set_id, decides, state, created_ms)
        values (?, ?, ?, ?, 'queued', ?) returning id as "id!: VerificationId""#,
        new.problem,
        new.package,
        new.test_set,
        new.decides,
        now
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(id)
}

/// Looks at what is no longer in force, at which nobody works, are dropped.
pub(super) async fn drop_waiting(tx: &mut WriteTx, problem: ProblemId, now: EpochMs) -> Result<(), StoreError> {
    let waiting = sqlx::query_scalar!(
        r#"update verification set state = 'dropped', part = null, end_ms = ?
        where problem_id = ? and decides = 0 and of_kind is null and end_ms is null and test_set_id is not null
            and exists (select 1 from job j where j.verification_id = verification.id and j.state = 'queued')
        returning id as "id!: VerificationId""#,
        now,
        problem
    )
    .fetch_all(&mut **tx)
    .await?;
    for id in waiting {
        sqlx::query!("update job set state = 'done' where verification_id = ? and state = 'queued'", id)
            .execute(&mut **tx)
            .await?;
    }
    Ok(())
}

/// Queues the judging of a package's programs.
pub async fn queue(
    tx: &mut WriteTx,
    id: VerificationId,
    decides: bool,
    owner: Option<AccountId>,
    now: EpochMs,
) -> Result<(), StoreError> {
    let priority = if decides { PRIORITY_PREPARE } else { PRIORITY_VERIFY };
    job::queue(tx, Work::Verify(id), priority, owner, now).await?;
    Ok(())
}

/// A package's verification that hasn't ended: its id, and whether it decides.
pub(super) async fn open_of(
    tx: &mut WriteTx,
    package: PackageId,
) -> Result<Option<(VerificationId, bool)>, StoreError> {
    let open = sqlx::query!(
        r#"select id as "id!: VerificationId", decides as "decides: bool" from verification
        where package_id = ? and test_set_id is null and end_ms is null order by id desc limit 1"#,
        package
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(open.map(|open| (open.id, open.decides)))
}

/// Whether a version of the problem waits for a verification that decides.
pub async fn is_deciding(tx: &mut WriteTx, problem: ProblemId) -> Result<bool, StoreError> {
    let waits = sqlx::query_scalar!(
        r#"select exists (select 1 from verification where problem_id = ? and decides = 1 and end_ms is null)
            as "waits!: bool""#,
        problem
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(waits)
}

/// The tests of a package are made: its verification goes on with them.
pub(super) async fn has_tests(tx: &mut WriteTx, id: VerificationId, set: TestSetId) -> Result<(), StoreError> {
    sqlx::query!(
        "update verification set test_set_id = ?, state = 'queued', part = null, part_done = 0, part_total = 0 where id = ?",
        set,
        id
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// A worker begins to make a package's tests.
pub(super) async fn start_preparation(tx: &mut WriteTx, package: PackageId, now: EpochMs) -> Result<(), StoreError> {
    match open_of(tx, package).await? {
        Some((id, _)) => start(tx, id, now).await,
        None => Ok(()),
    }
}

/// A worker begins.
pub(super) async fn start(tx: &mut WriteTx, id: VerificationId, now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!("update verification set state = 'running', start_ms = coalesce(start_ms, ?) where id = ?", now, id)
        .execute(&mut **tx)
        .await?;
    tell(tx, id, now).await
}

/// Whoever follows the problem's package hears of it.
pub(super) async fn tell(tx: &mut WriteTx, id: VerificationId, now: EpochMs) -> Result<(), StoreError> {
    let row = sqlx::query!(
        r#"select problem_id as "problem_id: ProblemId", package_id as "package_id: PackageId" from verification
        where id = ?"#,
        id
    )
    .fetch_one(&mut **tx)
    .await?;
    let event = NewEvent::new(EventKind::Package, EventOp::Update, row.package_id.0).problem(row.problem_id);
    event::append(tx, event, now).await?;
    Ok(())
}

/// Notes how far a preparation or verification is, and renews the lease. Nothing happens for other work.
///
/// # Errors
/// [`JobError::LeaseLost`].
pub async fn progress(tx: &mut WriteTx, lease: Lease, step: Step<'_>, now: EpochMs) -> Result<(), JobError> {
    let id = match job::renew(tx, lease, now).await? {
        Work::Verify(id) => id,
        Work::Prepare(package) => match open_of(tx, package).await? {
            Some((id, _)) => id,
            None => return Ok(()),
        },
        _ => return Ok(()),
    };
    let (done, total) = (int(step.done), int(step.total));
    sqlx::query!(
        "update verification set part = ?, part_done = ?, part_total = ? where id = ?",
        step.part,
        done,
        total,
        id
    )
    .execute(&mut **tx)
    .await?;
    tell(tx, id, now).await?;
    Ok(())
}

/// Keeps what a program did.
///
/// # Errors
/// [`JobError::LeaseLost`].
pub async fn record_program(
    tx: &mut WriteTx,
    lease: Lease,
    name: &str,
    result: &str,
    now: EpochMs,
) -> Result<(), JobError> {
    let Work::Verify(id) = job::renew(tx, lease, now).await? else { return Err(JobError::LeaseLost) };
    sqlx::query!(
        "insert into verification_program (verification_id, name, result) values (?, ?, ?)
        on conflict (verification_id, name) do update set result = excluded.result",
        id,
        name,
        result
    )
    .execute(&mut **tx)
    .await?;
    tell(tx, id, now).await?;
    Ok(())
}

/// Everything a worker needs to make it.
pub async fn task(pool: &SqlitePool, id: VerificationId) -> Result<VerificationTask, StoreError> {
    let mut tx = pool.begin().await?;
    let row = sqlx::query!(
        r#"select p.slug as "slug: Slug", k.id as "package_id!: PackageId", k.metadata, v.decides as "decides: bool",
            v.test_set_id as "test_set_id!: TestSetId", t.waits as "waits: bool", v.of_kind as "of_kind: Sha256"
        from verification v join test_set t on t.id = v.test_set_id join problem p on p.id = v.problem_id join package k on k.id = v.package_id where v.id = ?"#,
        id
    )
    .fetch_one(&mut *tx)
    .await?;
    let mut earlier = Vec::new();
    // Of a kind of machine only what was measured on that kind is taken over.
    if row.waits || row.of_kind.is_some() {
        let verifications = sqlx::query!(
            r#"select v.id as "id!: VerificationId", v.test_set_id as "test_set_id!: TestSetId" from verification v
            where v.package_id = ?1 and v.id < ?2 and v.test_set_id is not null and v.of_kind is ?4
                and exists (select 1 from verification_program p where p.verification_id = v.id)
            order by v.id desc limit ?3"#,
            row.package_id,
            id,
            EARLIER,
            row.of_kind
        )
        .fetch_all(&mut *tx)
        .await?;
        for before in verifications {
            let tests = test_case::list(&mut *tx, before.test_set_id).await?;
            earlier.push(EarlierVerification { tests, programs: programs(&mut *tx, before.id).await? });
        }
    }
    Ok(VerificationTask {
        problem_slug: row.slug,
        files: package::files(&mut *tx, row.package_id).await?,
        package_metadata: row.metadata,
        decides: row.decides,
        tests: test_case::list(&mut *tx, row.test_set_id).await?,
        done: programs(&mut *tx, id).await?,
        earlier,
    })
}

/// JSON of what each program did that is judged already, by name.
pub async fn programs(executor: impl SqliteExecutor<'_>, id: VerificationId) -> Result<Vec<String>, StoreError> {
    let results =
        sqlx::query_scalar!("select result from verification_program where verification_id = ? order by name", id)
            .fetch_all(executor)
            .await?;
    Ok(results)
}

/// One verification.
pub async fn by_id(executor: impl SqliteExecutor<'_>, id: VerificationId) -> Result<Option<Verification>, StoreError> {
    let row = sqlx::query_as!(
        Verification,
        r#"select v.id as "id!: _", v.problem_id as "problem_id: _", v.package_id as "package_id: _",
            k.version as "package_version: _", v.test_set_id as "test_set_id: _", t.version as "test_set_version?: _",
            v.decides as "decides: _",
            exists (select 1 from test_set b where b.id = t.made_from and b.package_id = t.package_id)
                as "of_changed_tests!: _",
            v.state as "state: _", v.part, v.part_done as "part_done: _",
            v.part_total as "part_total: _", v.report, v.message, v.created_ms as "created: _", v.end_ms as "end: _",
            v.of_kind as "of_kind: _"
        from verification v join package k on k.id = v.package_id left join test_set t on t.id = v.test_set_id
        where v.id = ?"#,
        id
    )
    .fetch_optional(executor)
    .await?;
    Ok(row)
}

/// The verifications of a problem, newest first, without the ones that were dropped or only measure a machine.
pub async fn of_problem(
    executor: impl SqliteExecutor<'_>,
    problem: ProblemId,
    limit: u32,
) -> Result<Vec<Verification>, StoreError> {
    let rows = sqlx::query_as!(
        Verification,
        r#"select v.id as "id!: _", v.problem_id as "problem_id: _", v.package_id as "package_id: _",
            k.version as "package_version: _", v.test_set_id as "test_set_id: _", t.version as "test_set_version?: _",
            v.decides as "decides: _",
            exists (select 1 from test_set b where b.id = t.made_from and b.package_id = t.package_id)
                as "of_changed_tests!: _",
            v.state as "state: _", v.part, v.part_done as "part_done: _",
            v.part_total as "part_total: _", v.report, v.message, v.created_ms as "created: _", v.end_ms as "end: _",
            v.of_kind as "of_kind: _"
        from verification v join package k on k.id = v.package_id left join test_set t on t.id = v.test_set_id
        where v.problem_id = ? and v.state <> 'dropped' and v.of_kind is null order by v.id desc limit ?"#,
        problem,
        limit
    )
    .fetch_all(executor)
    .await?;
    Ok(rows)
}
