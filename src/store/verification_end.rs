//! The end of a verification, and what follows from it: a package that waited for it is published or refused, an added
//! test that breaks what is in force goes again.
//!
//! Must not know what a report says: it is JSON here.

use super::event::{self, EventKind, EventOp, NewEvent};
use super::job::{self, JobError, Lease, PRIORITY_PREPARE, Work};
use super::test_case::{self, NewTestCase};
use super::verification::{NewVerification, Verification, VerificationState, by_id, insert, open_of, tell};
use super::{StoreError, WriteTx, package, preparation, problem};
use crate::domain::ids::{PackageId, ProposalId, TestSetId, VerificationId};
use crate::domain::limits::Limits;
use crate::domain::time::EpochMs;

/// How a verification ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Whether every promise is kept.
    pub holds: bool,
    /// JSON: what was found.
    pub report: String,
    /// Why it doesn't hold, a sentence a line.
    pub message: Option<String>,
    /// The limits that the measured times ask for, where the package sets none.
    pub limits: Option<Limits>,
}

/// Writes the outcome and lets follow from it what must.
///
/// # Errors
/// [`JobError::LeaseLost`].
pub async fn finish(tx: &mut WriteTx, lease: Lease, outcome: &Outcome, now: EpochMs) -> Result<(), JobError> {
    let Work::Verify(id) = job::held(tx, lease).await? else { return Err(JobError::LeaseLost) };
    job::done(tx, lease).await?;
    let row = by_id(&mut **tx, id).await?.ok_or(StoreError::RowMissing("verification"))?;
    let set = row.test_set_id.ok_or(StoreError::RowMissing("test set"))?;
    if row.decides && outcome.holds && has_other_tests(tx, &row, set).await? {
        // Tests were added or taken out meanwhile: the package must answer what is there now.
        close(tx, id, VerificationState::Dropped, None, None, now).await?;
        let again = NewVerification { problem: row.problem_id, package: row.package_id, test_set: None, decides: true };
        insert(tx, again, now).await?;
        job::queue(tx, Work::Prepare(row.package_id), PRIORITY_PREPARE, None, now).await?;
        return Ok(());
    }
    let state = if outcome.holds { VerificationState::Holds } else { VerificationState::Broken };
    close(tx, id, state, Some(&outcome.report), outcome.message.as_deref(), now).await?;
    let message = outcome.message.as_deref().unwrap_or("the package does not keep what it promises");
    match (row.decides, outcome.holds) {
        (true, true) => {
            if let Some(limits) = outcome.limits {
                package::set_limits(tx, row.package_id, limits).await?;
            }
            preparation::publish(tx, row.package_id, set, now).await?;
        }
        (true, false) => preparation::close_refused(tx, row.package_id, message, now).await?,
        (false, true) => {}
        (false, false) => fall_back(tx, &row, set, message, now).await?,
    }
    Ok(())
}

async fn has_other_tests(tx: &mut WriteTx, row: &Verification, set: TestSetId) -> Result<bool, StoreError> {
    let problem = problem::by_id(&mut **tx, row.problem_id).await?.ok_or(StoreError::RowMissing("problem"))?;
    let tests: Vec<NewTestCase> = test_case::list(&mut **tx, set).await?.into_iter().map(NewTestCase::from).collect();
    preparation::has_other_added(tx, &problem, &tests).await
}

async fn close(
    tx: &mut WriteTx,
    id: VerificationId,
    state: VerificationState,
    report: Option<&str>,
    message: Option<&str>,
    now: EpochMs,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update verification set state = ?, report = ?, message = ?, part = null, end_ms = ? where id = ?",
        state,
        report,
        message,
        now,
        id
    )
    .execute(&mut **tx)
    .await?;
    tell(tx, id, now).await
}

/// The package itself was refused before its programs were judged.
pub(super) async fn close_open(
    tx: &mut WriteTx,
    package: PackageId,
    message: &str,
    now: EpochMs,
) -> Result<(), StoreError> {
    match open_of(tx, package).await? {
        Some((id, _)) => close(tx, id, VerificationState::Broken, None, Some(message), now).await,
        None => Ok(()),
    }
}

/// An attempt failed too often. What waits for it can't be published.
pub(super) async fn give_up(
    tx: &mut WriteTx,
    id: VerificationId,
    message: &str,
    now: EpochMs,
) -> Result<(), StoreError> {
    let row = by_id(&mut **tx, id).await?.ok_or(StoreError::RowMissing("verification"))?;
    close(tx, id, VerificationState::Broken, None, Some(message), now).await?;
    if row.decides { preparation::close_refused(tx, row.package_id, message, now).await } else { Ok(()) }
}

/// Tests in force break a promise: the newest ones of this package that kept all are in force again, and the tests that
/// were added since are refused with the reason.
async fn fall_back(
    tx: &mut WriteTx,
    row: &Verification,
    set: TestSetId,
    message: &str,
    now: EpochMs,
) -> Result<(), StoreError> {
    let problem = problem::by_id(&mut **tx, row.problem_id).await?.ok_or(StoreError::RowMissing("problem"))?;
    if problem.test_set_id != Some(set) {
        return Ok(());
    }
    let earlier = sqlx::query_scalar!(
        r#"select test_set_id as "id!: TestSetId" from verification
        where problem_id = ? and package_id = ? and state = 'holds' and test_set_id < ? order by id desc limit 1"#,
        row.problem_id,
        row.package_id,
        set
    )
    .fetch_optional(&mut **tx)
    .await?;
    let Some(earlier) = earlier else { return Ok(()) };
    problem::set_current(tx, row.problem_id, row.package_id, earlier, now).await?;
    sqlx::query!(
        "update test_set set refused = ? where problem_id = ? and id > ? and id <= ?",
        message,
        row.problem_id,
        earlier,
        set
    )
    .execute(&mut **tx)
    .await?;
    let refused = sqlx::query_scalar!(
        r#"update test_proposal set state = 'refused', message = ?, test_set_id = null
        where problem_id = ? and state = 'accepted' and test_set_id > ? and test_set_id <= ?
        returning id as "id!: ProposalId""#,
        message,
        row.problem_id,
        earlier,
        set
    )
    .fetch_all(&mut **tx)
    .await?;
    for id in refused {
        let event = NewEvent::new(EventKind::Proposal, EventOp::Update, id.0).problem(row.problem_id);
        event::append(tx, event, now).await?;
    }
    Ok(())
}
