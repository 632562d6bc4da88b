//! Judging again: one submission, or those of a problem that were judged with older tests. Old judgements stay readable; each new one counts once it is done.

use super::{Actor, Forbidden, Service, require};
use crate::domain::account::Role;
use crate::domain::ids::{RejudgingId, SubmissionId};
use crate::domain::time::EpochMs;
use crate::store::audit::{self, NewAct};
use crate::store::job::{self, PRIORITY_REJUDGE, Work};
use crate::store::{StoreError, WriteTx, judgement, problem, rejudging, submission};

/// What is judged again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// One submission.
    Submission(SubmissionId),
    /// The submissions for this problem, by its slug, that were judged with older tests.
    Problem(String),
}

/// A rejudging that has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rejudging {
    /// Its id.
    pub id: RejudgingId,
    /// How many judgements were queued.
    pub judgements: usize,
}

/// Why nothing is judged again. The sentences are for people.
#[derive(Debug, thiserror::Error)]
pub enum RejudgeError {
    /// The role doesn't allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// No such submission.
    #[error("there is no submission {0}")]
    NoSuchSubmission(SubmissionId),
    /// No such problem.
    #[error("there is no problem `{0}`")]
    NoSuchProblem(String),
    /// Whatever could be judged again is waiting for it already.
    #[error("nothing to judge again: every submission was judged with the tests in force, or waits for it already")]
    Nothing,
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Service {
    /// Queues new judgements with the current package and tests, behind everybody's new submissions.
    ///
    /// # Errors
    /// [`RejudgeError`]: every variant but `Store` is for the form. [`RejudgeError::Forbidden`] below judge.
    pub async fn rejudge(
        &self,
        actor: &Actor,
        scope: &Scope,
        reason: &str,
        now: EpochMs,
    ) -> Result<Rejudging, RejudgeError> {
        require(actor, Role::Judge)?;
        let mut tx = self.store.begin_write().await?;
        let submissions = in_scope(&mut tx, scope).await?;
        if submissions.is_empty() {
            return Err(RejudgeError::Nothing);
        }
        let id = rejudging::insert(&mut tx, reason, actor.account_id, now).await?;
        for &submission in &submissions {
            let judgement = judgement::insert(&mut tx, submission, Some(id), now).await?;
            job::queue(&mut tx, Work::Judge(judgement), PRIORITY_REJUDGE, Some(actor.account_id), now).await?;
        }
        let subject = match scope {
            Scope::Submission(id) => format!("submission {id}"),
            Scope::Problem(slug) => format!("problem {slug}"),
        };
        let act = NewAct {
            actor: Some(actor.account_id),
            act: "rejudge",
            subject: &subject,
            before: None,
            after: Some(reason),
            address: None,
        };
        audit::append(&mut tx, act, now).await?;
        tx.commit().await?;
        Ok(Rejudging { id, judgements: submissions.len() })
    }
}

async fn in_scope(tx: &mut WriteTx, scope: &Scope) -> Result<Vec<SubmissionId>, RejudgeError> {
    match scope {
        Scope::Submission(id) => {
            submission::row(&mut **tx, *id).await?.ok_or(RejudgeError::NoSuchSubmission(*id))?;
            Ok(if rejudging::is_waiting(tx, *id).await? { Vec::new() } else { vec![*id] })
        }
        Scope::Problem(slug) => {
            let found = problem::by_slug(&mut **tx, slug).await?;
            let problem = found.ok_or_else(|| RejudgeError::NoSuchProblem(slug.clone()))?;
            Ok(rejudging::candidates(&mut **tx, problem.id).await?)
        }
    }
}
