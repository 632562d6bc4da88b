//! Changed tests that don't count yet.
//!
//! Owns the rule: each change of a problem's tests makes the next version of them, built on the newest waiting version or,
//! where none waits, on the one in force. So waiting versions lie on each other like a stack. Only the top one is verified,
//! and only when no proposed test waits for its answer, so that many changes at once are one verification. If it keeps all
//! promises, it is in force, and those below it are part of it. If it breaks one, it is refused with the reason, and the
//! one below it is the top. The version in force stays until one above it has held.
//!
//! A version of the package that holds meanwhile was made from tests that may soon be others: it is prepared again as soon
//! as nothing waits. A built-in one comes into force at once; then what waits is refused.
//!
//! Must not know: who may change what, what a report says.

use super::event::{self, EventKind, EventOp, NewEvent};
use super::job::{self, PRIORITY_PREPARE, Work};
use super::test_case::{self, NewTestCase, NewTestSet};
use super::verification::{self, NewVerification};
use super::{StoreError, WriteTx, problem};
use crate::domain::ids::{AccountId, PackageId, ProblemId, ProposalId, TestSetId, VerificationId};
use crate::domain::time::EpochMs;

/// The version that the next change builds on: the newest waiting one, else the one in force.
pub async fn top(executor: impl sqlx::SqliteExecutor<'_>, problem: ProblemId) -> Result<Option<TestSetId>, StoreError> {
    let top = sqlx::query_scalar!(
        r#"select coalesce((select max(s.id) from test_set s where s.problem_id = p.id and s.waits = 1), p.test_set_id)
            as "top?: TestSetId"
        from problem p where p.id = ?"#,
        problem
    )
    .fetch_one(executor)
    .await?;
    Ok(top)
}

/// The newest waiting version.
pub(super) async fn newest(tx: &mut WriteTx, problem: ProblemId) -> Result<Option<TestSetId>, StoreError> {
    let newest = sqlx::query_scalar!(
        r#"select max(id) as "id?: TestSetId" from test_set where problem_id = ? and waits = 1"#,
        problem
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(newest)
}

/// Whether these tests wait to be verified.
pub(super) async fn waits(tx: &mut WriteTx, set: TestSetId) -> Result<bool, StoreError> {
    let waits = sqlx::query_scalar!(r#"select waits as "waits: bool" from test_set where id = ?"#, set)
        .fetch_one(&mut **tx)
        .await?;
    Ok(waits)
}

/// Writes changed tests, which count as soon as they are verified.
pub async fn change(
    tx: &mut WriteTx,
    problem: ProblemId,
    package: PackageId,
    tests: &[NewTestCase],
    reason: &str,
    by: AccountId,
    now: EpochMs,
) -> Result<TestSetId, StoreError> {
    let test_set = put(tx, problem, package, tests, reason, by, now).await?;
    verify_top(tx, problem, now).await?;
    Ok(test_set)
}

/// Puts changed tests on top of the others. Whoever does so lets the top be verified next.
pub(super) async fn put(
    tx: &mut WriteTx,
    problem: ProblemId,
    package: PackageId,
    tests: &[NewTestCase],
    reason: &str,
    by: AccountId,
    now: EpochMs,
) -> Result<TestSetId, StoreError> {
    let made_from = top(&mut **tx, problem).await?;
    let set = NewTestSet { problem, package, reason, created_by: Some(by), made_from, waits: true };
    test_case::insert_set(tx, set, tests, now).await
}

/// Lets the newest waiting version be verified, and no other of them, unless a proposed test is still to be answered.
pub(super) async fn verify_top(tx: &mut WriteTx, problem: ProblemId, now: EpochMs) -> Result<(), StoreError> {
    let top = sqlx::query!(
        r#"select s.id as "id!: TestSetId", s.package_id as "package_id!: PackageId",
            s.created_by as "created_by: AccountId",
            exists (select 1 from test_proposal t where t.problem_id = s.problem_id and t.state = 'queued')
                as "unanswered!: bool",
            exists (select 1 from verification v where v.test_set_id = s.id and v.end_ms is null) as "open!: bool"
        from test_set s where s.problem_id = ? and s.waits = 1 order by s.id desc limit 1"#,
        problem
    )
    .fetch_optional(&mut **tx)
    .await?;
    let Some(top) = top else { return Ok(()) };
    drop_verifications(tx, problem, Some(top.id), now).await?;
    if top.unanswered || top.open {
        return Ok(());
    }
    let new = NewVerification { problem, package: top.package_id, test_set: Some(top.id), decides: true };
    let verification = verification::insert(tx, new, now).await?;
    verification::queue(tx, verification, true, top.created_by, now).await?;
    verification::tell(tx, verification, now).await
}

/// These tests keep every promise: they are in force, and with them what they were built on.
pub(super) async fn count(
    tx: &mut WriteTx,
    problem: ProblemId,
    package: PackageId,
    set: TestSetId,
    now: EpochMs,
) -> Result<(), StoreError> {
    sqlx::query!("update test_set set waits = 0 where problem_id = ? and waits = 1 and id <= ?", problem, set)
        .execute(&mut **tx)
        .await?;
    // Nobody asks any more how good the tests before them are.
    verification::drop_waiting(tx, problem, now).await?;
    problem::set_current(tx, problem, package, set, now).await?;
    prepare_again(tx, problem, now).await
}

/// These tests break a promise. They never count; the ones that they were built on are looked at next.
pub(super) async fn refuse(
    tx: &mut WriteTx,
    problem: ProblemId,
    set: TestSetId,
    message: &str,
    now: EpochMs,
) -> Result<(), StoreError> {
    close(tx, problem, set, message, now).await?;
    verify_top(tx, problem, now).await?;
    prepare_again(tx, problem, now).await
}

/// Prepares the versions of the package for which nothing is queued, unless changed tests still wait.
pub(super) async fn prepare_again(tx: &mut WriteTx, problem: ProblemId, now: EpochMs) -> Result<(), StoreError> {
    if newest(tx, problem).await?.is_some() {
        return Ok(());
    }
    let packages = sqlx::query_scalar!(
        r#"select v.package_id as "id: PackageId" from verification v
        where v.problem_id = ? and v.test_set_id is null and v.end_ms is null and not exists (
            select 1 from job j where j.state in ('queued', 'leased') and j.package_id = v.package_id)"#,
        problem
    )
    .fetch_all(&mut **tx)
    .await?;
    for package in packages {
        job::queue(tx, Work::Prepare(package), PRIORITY_PREPARE, None, now).await?;
    }
    Ok(())
}

/// Another version of the package came into force: nobody can say any more whether these changes fit.
pub(super) async fn refuse_all(
    tx: &mut WriteTx,
    problem: ProblemId,
    message: &str,
    now: EpochMs,
) -> Result<(), StoreError> {
    drop_verifications(tx, problem, None, now).await?;
    while let Some(set) = newest(tx, problem).await? {
        close(tx, problem, set, message, now).await?;
    }
    Ok(())
}

async fn close(
    tx: &mut WriteTx,
    problem: ProblemId,
    set: TestSetId,
    message: &str,
    now: EpochMs,
) -> Result<(), StoreError> {
    sqlx::query!("update test_set set waits = 0, refused = ? where id = ?", message, set).execute(&mut **tx).await?;
    let refused = sqlx::query_scalar!(
        r#"update test_proposal set state = 'refused', message = ?, test_set_id = null
        where problem_id = ? and test_set_id = ? returning id as "id!: ProposalId""#,
        message,
        problem,
        set
    )
    .fetch_all(&mut **tx)
    .await?;
    for id in refused {
        let event = NewEvent::new(EventKind::Proposal, EventOp::Update, id.0).problem(problem);
        event::append(tx, event, now).await?;
    }
    Ok(())
}

/// Nobody needs to know any more how good waiting versions are by themselves, but for one. Whoever works on one is told
/// when it next reports: its lease is over.
async fn drop_verifications(
    tx: &mut WriteTx,
    problem: ProblemId,
    but: Option<TestSetId>,
    now: EpochMs,
) -> Result<(), StoreError> {
    let dropped = sqlx::query_scalar!(
        r#"update verification set state = 'dropped', part = null, end_ms = ?1
        where end_ms is null and test_set_id is not ?3
            and test_set_id in (select id from test_set where problem_id = ?2 and waits = 1)
        returning id as "id!: VerificationId""#,
        now,
        problem,
        but
    )
    .fetch_all(&mut **tx)
    .await?;
    for id in dropped {
        sqlx::query!(
            "update job set state = 'done', lease_until_ms = null
            where verification_id = ? and state in ('queued', 'leased')",
            id
        )
        .execute(&mut **tx)
        .await?;
        verification::tell(tx, id, now).await?;
    }
    Ok(())
}
