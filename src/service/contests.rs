//! Settings of contests.

use super::{Actor, Forbidden, Service, record, require};
use crate::domain::account::Role;
use crate::domain::time::EpochMs;
use crate::store::StoreError;
use crate::store::contest::{self, FailedTests};

/// Why a contest was not changed. The sentences are for people.
#[derive(Debug, thiserror::Error)]
pub enum ContestError {
    /// The role doesn't allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// No such contest.
    #[error("there is no contest `{0}`")]
    NoSuchContest(String),
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Service {
    /// Changes what contestants learn of secret tests that failed, also of submissions that were judged before.
    ///
    /// # Errors
    /// [`ContestError::Forbidden`] below judge, [`ContestError::NoSuchContest`].
    pub async fn set_failed_tests(
        &self,
        actor: &Actor,
        slug: &str,
        rule: FailedTests,
        now: EpochMs,
    ) -> Result<(), ContestError> {
        require(actor, Role::Judge)?;
        let mut tx = self.store.begin_write().await?;
        let found = contest::by_slug(&mut *tx, slug).await?;
        let contest = found.ok_or_else(|| ContestError::NoSuchContest(slug.to_owned()))?;
        contest::set_failed_tests(&mut tx, contest.id, rule, now).await?;
        let (before, after) = (Some(contest.failed_tests.as_str()), Some(rule.as_str()));
        record(&mut tx, Some(actor), "contest.failed_tests", contest.slug.as_str(), before, after, now).await?;
        tx.commit().await?;
        Ok(())
    }
}
