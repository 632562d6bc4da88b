//! Judging again: choosing submissions, judging them beside the verdicts that count, then applying or dropping what came
//! out, and taking it back. What it would change is in `rejudge_preview`.

use std::fmt;

use super::rejudge_preview::digest;
use super::{Actor, Forbidden, Service, record, require_or_terminal};
use crate::domain::account::Role;
use crate::domain::ids::{RejudgingId, SubmissionId};
use crate::domain::language::LanguageId;
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;
use crate::store::rejudging::{self, Chosen, NewRejudging, Rejudging, RejudgingState};
use crate::store::{StoreError, WriteTx, contest, job, problem, submission};

/// The longest reason, characters.
pub const MAX_REASON: usize = 200;

/// Which submissions to judge again: those that fit everything that is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Selection {
    /// This one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submission: Option<SubmissionId>,
    /// Of the contest with this slug.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contest: Option<String>,
    /// For the problem with this slug.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// In this language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<LanguageId>,
    /// With this verdict, JE above all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Handed in at or after this moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<EpochMs>,
    /// Handed in before this moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<EpochMs>,
    /// Only those that were judged with other tests than the ones in force.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub outdated: bool,
}

impl Selection {
    /// One submission.
    pub fn submission(id: SubmissionId) -> Self {
        Self { submission: Some(id), ..Self::default() }
    }

    /// Those of a problem that were judged with older tests.
    pub fn outdated(problem: &str) -> Self {
        Self { problem: Some(problem.to_owned()), outdated: true, ..Self::default() }
    }
}

impl fmt::Display for Selection {
    /// In short, for the log: `problem=curling verdict=JE`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |value: &dyn fmt::Display| value.to_string();
        let parts = [
            ("submission", self.submission.as_ref().map(|id| text(id))),
            ("contest", self.contest.clone()),
            ("problem", self.problem.clone()),
            ("language", self.language.as_ref().map(|id| text(id))),
            ("verdict", self.verdict.map(|verdict| verdict.code().to_owned())),
            ("from", self.from.map(|at| at.0.to_string())),
            ("until", self.until.map(|at| at.0.to_string())),
            ("outdated", self.outdated.then(|| "yes".to_owned())),
        ];
        let parts: Vec<_> =
            parts.into_iter().filter_map(|(name, value)| value.map(|value| format!("{name}={value}"))).collect();
        f.write_str(&parts.join(" "))
    }
}

/// A rejudging that has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Begun {
    /// Its id.
    pub id: RejudgingId,
    /// How many judgements were queued.
    pub judgements: usize,
    /// How many more fitted, but are being judged with the package and tests in force already.
    pub left_out: usize,
}

/// Why nothing is judged again, applied or taken back. The sentences are for people.
#[derive(Debug, thiserror::Error)]
pub enum RejudgeError {
    /// The role doesn't allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// Nothing was chosen: that would be everything.
    #[error("choose at least one of: a submission, a contest, a problem, a language, a verdict, a time span")]
    NothingChosen,
    /// The reason is too long.
    #[error("the reason has at most {MAX_REASON} characters")]
    LongReason,
    /// No such submission.
    #[error("there is no submission {0}")]
    NoSuchSubmission(SubmissionId),
    /// No such problem.
    #[error("there is no problem `{0}`")]
    NoSuchProblem(String),
    /// No such contest.
    #[error("there is no contest `{0}`")]
    NoSuchContest(String),
    /// Nothing fits, or all of it waits already.
    #[error("nothing to judge again: no submission fits, or all that fit wait already ({waiting} of them)")]
    Nothing {
        /// How many wait.
        waiting: usize,
    },
    /// No such rejudging.
    #[error("there is no rejudging {0}")]
    NoSuchRejudging(RejudgingId),
    /// It is not judged to the end.
    #[error("{open} judgements of this rejudging are not done yet")]
    NotDone {
        /// How many are open.
        open: u32,
    },
    /// Somebody did something to it meanwhile.
    #[error("the rejudging is not open any more, or not applied: somebody else acted on it; look at it again")]
    NotNow,
    /// What it would change is no longer what was looked at.
    #[error("what this rejudging would change is no longer what you saw; look at it again")]
    Changed,
    /// Another rejudging that was applied later builds on it.
    #[error("rejudging {0} was applied on top of this one; undo that one first")]
    Below(RejudgingId),
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Service {
    /// Queues new judgements with the package and tests in force, behind everything that somebody waits for. None of
    /// them counts before [`Service::apply_rejudging`]. `None` is the command line.
    ///
    /// # Errors
    /// [`RejudgeError`]: every variant but `Store` is for the form. [`RejudgeError::Forbidden`] below judge.
    pub async fn begin_rejudging(
        &self,
        actor: Option<&Actor>,
        selection: &Selection,
        reason: &str,
        now: EpochMs,
    ) -> Result<Begun, RejudgeError> {
        require_or_terminal(actor, Role::Judge)?;
        if *selection == Selection::default() {
            return Err(RejudgeError::NothingChosen);
        }
        let reason = reason.trim();
        if reason.chars().count() > MAX_REASON {
            return Err(RejudgeError::LongReason);
        }
        let mut tx = self.store.begin_write().await?;
        let chosen = chosen(&mut tx, selection).await?;
        let (waiting, ids): (Vec<_>, Vec<_>) =
            rejudging::candidates(&mut *tx, &chosen).await?.into_iter().partition(|candidate| candidate.waits);
        if ids.is_empty() {
            return Err(RejudgeError::Nothing { waiting: waiting.len() });
        }
        let ids: Vec<SubmissionId> = ids.into_iter().map(|candidate| candidate.id).collect();
        let owner = actor.map(|actor| actor.account_id);
        let scope = serde_json::to_string(selection).unwrap_or_default();
        let left_out = u32::try_from(waiting.len()).unwrap_or(u32::MAX);
        let new = NewRejudging { reason, scope: &scope, left_out, created_by: owner };
        let id = rejudging::insert(&mut tx, new, now).await?;
        rejudging::insert_judgements(&mut tx, id, &ids, now).await?;
        job::queue_rejudging(&mut tx, id, owner, now).await?;
        let after = format!("{selection} judgements={}", ids.len());
        record(&mut tx, actor, "rejudging.begin", &subject(id), None, Some(&after), now).await?;
        tx.commit().await?;
        Ok(Begun { id, judgements: ids.len(), left_out: waiting.len() })
    }

    /// Lets a rejudging that is judged to the end count, in one transaction. With `seen`, the digest of what somebody
    /// looked at, only if it would still change just that.
    ///
    /// # Errors
    /// [`RejudgeError::NotDone`], [`RejudgeError::NotNow`], [`RejudgeError::Changed`],
    /// [`RejudgeError::NoSuchRejudging`], [`RejudgeError::Forbidden`] below judge.
    pub async fn apply_rejudging(
        &self,
        actor: Option<&Actor>,
        id: RejudgingId,
        seen: Option<&str>,
        now: EpochMs,
    ) -> Result<(), RejudgeError> {
        require_or_terminal(actor, Role::Judge)?;
        let mut tx = self.store.begin_write().await?;
        let found = find(&mut tx, id).await?;
        let again = found.state == RejudgingState::Applied && found.undone.is_some();
        if found.state != RejudgingState::Open && !again {
            return Err(RejudgeError::NotNow);
        }
        if found.done < found.total {
            return Err(RejudgeError::NotDone { open: found.total - found.done });
        }
        let pairs = rejudging::pairs(&mut *tx, id).await?;
        if seen.is_some_and(|seen| seen != digest(&pairs)) {
            return Err(RejudgeError::Changed);
        }
        rejudging::apply(&mut tx, id, actor.map(|actor| actor.account_id), now).await?;
        let changed = pairs.iter().filter(|pair| pair.differs()).count();
        let after = format!("applied, {changed} of {} verdicts changed", found.total);
        let (act, before) = if again { ("rejudging.redo", "undone") } else { ("rejudging.apply", "open") };
        record(&mut tx, actor, act, &subject(id), Some(before), Some(&after), now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Gives an open rejudging up: nothing of it will ever count, and what is not judged yet is not.
    ///
    /// # Errors
    /// [`RejudgeError::NotNow`], [`RejudgeError::NoSuchRejudging`], [`RejudgeError::Forbidden`] below judge.
    pub async fn drop_rejudging(
        &self,
        actor: Option<&Actor>,
        id: RejudgingId,
        now: EpochMs,
    ) -> Result<(), RejudgeError> {
        require_or_terminal(actor, Role::Judge)?;
        let mut tx = self.store.begin_write().await?;
        if find(&mut tx, id).await?.state != RejudgingState::Open {
            return Err(RejudgeError::NotNow);
        }
        rejudging::discard(&mut tx, id, actor.map(|actor| actor.account_id), now).await?;
        record(&mut tx, actor, "rejudging.drop", &subject(id), Some("open"), Some("dropped"), now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Takes an applied rejudging back: what counted before it counts again. [`Service::apply_rejudging`] undoes this.
    ///
    /// # Errors
    /// [`RejudgeError::NotNow`], [`RejudgeError::Below`], [`RejudgeError::NoSuchRejudging`],
    /// [`RejudgeError::Forbidden`] below judge.
    pub async fn undo_rejudging(
        &self,
        actor: Option<&Actor>,
        id: RejudgingId,
        now: EpochMs,
    ) -> Result<(), RejudgeError> {
        require_or_terminal(actor, Role::Judge)?;
        let mut tx = self.store.begin_write().await?;
        let found = find(&mut tx, id).await?;
        // One from before there were previews kept nothing to put back.
        if found.state != RejudgingState::Applied || found.undone.is_some() || !found.preview {
            return Err(RejudgeError::NotNow);
        }
        if let Some(later) = rejudging::on_top(&mut *tx, id).await? {
            return Err(RejudgeError::Below(later));
        }
        rejudging::undo(&mut tx, id, now).await?;
        record(&mut tx, actor, "rejudging.undo", &subject(id), Some("applied"), Some("undone"), now).await?;
        tx.commit().await?;
        Ok(())
    }
}

fn subject(id: RejudgingId) -> String {
    format!("rejudging {id}")
}

async fn find(tx: &mut WriteTx, id: RejudgingId) -> Result<Rejudging, RejudgeError> {
    rejudging::by_id(&mut **tx, id).await?.ok_or(RejudgeError::NoSuchRejudging(id))
}

async fn chosen(tx: &mut WriteTx, selection: &Selection) -> Result<Chosen, RejudgeError> {
    let mut chosen = Chosen {
        submission: selection.submission,
        language: selection.language.clone(),
        verdict: selection.verdict,
        from: selection.from,
        until: selection.until,
        outdated: selection.outdated,
        ..Chosen::default()
    };
    if let Some(id) = selection.submission {
        submission::row(&mut **tx, id).await?.ok_or(RejudgeError::NoSuchSubmission(id))?;
    }
    if let Some(slug) = &selection.problem {
        let found = problem::by_slug(&mut **tx, slug).await?;
        chosen.problem = Some(found.ok_or_else(|| RejudgeError::NoSuchProblem(slug.clone()))?.id);
    }
    if let Some(slug) = &selection.contest {
        let found = contest::by_slug(&mut **tx, slug).await?;
        chosen.contest = Some(found.ok_or_else(|| RejudgeError::NoSuchContest(slug.clone()))?.id);
    }
    Ok(chosen)
}
