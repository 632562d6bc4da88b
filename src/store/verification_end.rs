//! The end of a verification, and what follows from it: a package or changed tests that waited for it are put in force or
//! refused. What was in force already stays, whatever is found.
//!
//! Must not know what a report says: it is JSON here.

use super::host_fit::{self, Measured};
use super::job::{self, JobError, Lease, Work};
use super::verification::{NewVerification, Verification, VerificationState, by_id, insert, open_of, tell};
use super::{StoreError, WriteTx, package, preparation, waiting_tests};
use crate::domain::ids::{PackageId, TestSetId, VerificationId};
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
    /// How the limit fits the machine on which it was made.
    pub measured: Option<Measured>,
}

/// Writes the outcome and lets follow from it what must.
///
/// # Errors
/// [`JobError::LeaseLost`].
pub async fn finish(tx: &mut WriteTx, lease: Lease, outcome: &Outcome, now: EpochMs) -> Result<(), JobError> {
    let Work::Verify(id) = job::done(tx, lease).await? else { return Err(JobError::LeaseLost) };
    let row = by_id(&mut **tx, id).await?.ok_or(StoreError::RowMissing("verification"))?;
    let set = row.test_set_id.ok_or(StoreError::RowMissing("test set"))?;
    let waits = waiting_tests::waits(tx, set).await?;
    if row.decides && outcome.holds && !waits && has_other_tests(tx, &row, set).await? {
        // The tests in force were changed meanwhile, or will be: the package must answer what is there then.
        close(tx, id, VerificationState::Dropped, None, None, now).await?;
        let again = NewVerification { problem: row.problem_id, package: row.package_id, test_set: None, decides: true };
        insert(tx, again, now).await?;
        return waiting_tests::prepare_again(tx, row.problem_id, now).await.map_err(JobError::from);
    }
    let state = if outcome.holds { VerificationState::Holds } else { VerificationState::Broken };
    close(tx, id, state, Some(&outcome.report), outcome.message.as_deref(), now).await?;
    let message = outcome.message.as_deref().unwrap_or("the package does not keep what it promises");
    // Of changed tests parts were measured before, wherever that was.
    if let Some(measured) = outcome.measured.filter(|_| !waits) {
        host_fit::note(tx, &row, lease, measured).await?;
    }
    if !row.decides {
        return Ok(());
    }
    match (waits, outcome.holds) {
        (true, true) => waiting_tests::count(tx, row.problem_id, row.package_id, set, now).await?,
        (true, false) => waiting_tests::refuse(tx, row.problem_id, set, message, now).await?,
        (false, true) => {
            if let Some(limits) = outcome.limits {
                package::set_limits(tx, row.package_id, limits).await?;
            }
            preparation::publish(tx, row.package_id, set, now).await?;
        }
        (false, false) => preparation::close_refused(tx, row.package_id, message, now).await?,
    }
    Ok(())
}

/// Whether a package's tests were made from others than are in force, or changed ones wait.
async fn has_other_tests(tx: &mut WriteTx, row: &Verification, set: TestSetId) -> Result<bool, StoreError> {
    let made_from = sqlx::query_scalar!(r#"select made_from as "id: TestSetId" from test_set where id = ?"#, set)
        .fetch_one(&mut **tx)
        .await?;
    Ok(waiting_tests::top(&mut **tx, row.problem_id).await? != made_from)
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

/// Nobody will make it.
pub(super) async fn drop_unmade(tx: &mut WriteTx, id: VerificationId, now: EpochMs) -> Result<(), StoreError> {
    close(tx, id, VerificationState::Dropped, None, None, now).await
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
    if row.of_kind.is_some() {
        host_fit::give_up(tx, id).await?;
    }
    if !row.decides {
        return Ok(());
    }
    match row.test_set_id {
        Some(set) if waiting_tests::waits(tx, set).await? => {
            waiting_tests::refuse(tx, row.problem_id, set, message, now).await
        }
        _ => preparation::close_refused(tx, row.package_id, message, now).await,
    }
}
