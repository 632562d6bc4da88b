//! What judges answer often: kept by judges, chosen instead of written.

use super::clarifications::{ClarifyError, checked};
use super::{Actor, Service, record, require};
use crate::domain::account::Role;
use crate::domain::ids::CannedAnswerId;
use crate::domain::time::EpochMs;
use crate::store::canned_answer::{self, CannedAnswer};

/// What the log calls them.
const SUBJECT: &str = "canned answers";

impl Service {
    /// All of them.
    ///
    /// # Errors
    /// [`ClarifyError::Forbidden`] below judge.
    pub async fn canned_answers(&self, actor: &Actor) -> Result<Vec<CannedAnswer>, ClarifyError> {
        require(actor, Role::Judge)?;
        Ok(canned_answer::list(self.store.read()).await?)
    }

    /// Keeps one. One that is there already stays as it is.
    ///
    /// # Errors
    /// [`ClarifyError`]: every variant but `Store` is for the form.
    pub async fn keep_canned_answer(&self, actor: &Actor, text: &str, now: EpochMs) -> Result<(), ClarifyError> {
        require(actor, Role::Judge)?;
        let text = checked(text)?;
        let mut tx = self.store.begin_write().await?;
        if canned_answer::insert(&mut tx, &text, actor.account_id, now).await? {
            record(&mut tx, Some(actor), "canned_answer.keep", SUBJECT, None, Some(&text), now).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Lets one go; what was answered with it stays.
    ///
    /// # Errors
    /// [`ClarifyError::Forbidden`] below judge.
    pub async fn drop_canned_answer(
        &self,
        actor: &Actor,
        id: CannedAnswerId,
        now: EpochMs,
    ) -> Result<(), ClarifyError> {
        require(actor, Role::Judge)?;
        let mut tx = self.store.begin_write().await?;
        if let Some(text) = canned_answer::delete(&mut tx, id).await? {
            record(&mut tx, Some(actor), "canned_answer.drop", SUBJECT, Some(&text), None, now).await?;
        }
        tx.commit().await?;
        Ok(())
    }
}
