//! What judges answer often: kept by judges, chosen instead of written.

use super::clarifications::{ClarifyError, checked};
use super::{Actor, Service, require};
use crate::domain::account::Role;
use crate::domain::ids::CannedAnswerId;
use crate::domain::time::EpochMs;
use crate::store::audit::{self, NewAct};
use crate::store::canned_answer::{self, CannedAnswer};

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
            let act = act(actor, "canned_answer.keep", None, Some(&text));
            audit::append(&mut tx, act, now).await?;
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
            audit::append(&mut tx, act(actor, "canned_answer.drop", Some(&text), None), now).await?;
        }
        tx.commit().await?;
        Ok(())
    }
}

fn act<'a>(actor: &Actor, act: &'a str, before: Option<&'a str>, after: Option<&'a str>) -> NewAct<'a> {
    NewAct { actor: Some(actor.account_id), act, subject: "canned answers", before, after, address: None }
}
