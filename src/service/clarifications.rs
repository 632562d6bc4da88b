//! Questions and answers. A question is seen by its team and the judges; an answer by that team, or by all with the
//! question; an announcement by all, logged in or not.

use super::{Actor, Forbidden, Service, record, require, visibility, wait_ms};
use crate::domain::account::Role;
use crate::domain::contest::Phase;
use crate::domain::ids::{ClarificationId, ContestId, ProblemId};
use crate::domain::time::EpochMs;
use crate::store::clarification::{self, Clarification, NewClarification};
use crate::store::contest::{self, Access, Contest};
use crate::store::problem::{self, ProblemState};
use crate::store::{StoreError, WriteTx, contest_setting};

/// The longest text, characters.
pub const MAX_TEXT: usize = 2_000;
/// How many questions a team may ask within [`RATE_WINDOW_MS`].
pub const RATE: u32 = 5;
/// The span that [`RATE`] is counted over, milliseconds.
pub const RATE_WINDOW_MS: i64 = 300_000;
/// The most messages that are listed.
const LISTED: u32 = 500;

/// Why a message was not taken. The sentences are for people.
#[derive(Debug, thiserror::Error)]
pub enum ClarifyError {
    /// The role doesn't allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// An account without a team asks nothing.
    #[error("this account has no team to ask for")]
    NoTeam,
    /// Nothing in it.
    #[error("the text is empty")]
    Empty,
    /// Too long.
    #[error("the text has {0} characters; at most {MAX_TEXT} are taken")]
    TooLong(usize),
    /// No such problem in the contest.
    #[error("the contest has no problem `{0}`")]
    NoSuchProblem(String),
    /// No such question.
    #[error("there is no such question")]
    NoSuchQuestion,
    /// Too fast.
    #[error("that were many questions; please wait a little")]
    TooFast {
        /// After how many milliseconds it is sure to be taken.
        retry_after_ms: i64,
    },
    /// The contest takes none now.
    #[error("the contest has not begun")]
    NotBegun,
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A question, an announcement, with what was answered, oldest answer first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// What began it.
    pub first: Clarification,
    /// The answers that the viewer may see.
    pub answers: Vec<Clarification>,
}

/// What there is to read or to answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct News {
    /// Answers and announcements that the viewer has not seen.
    pub unread: u32,
    /// For judges: questions without an answer.
    pub unanswered: u32,
}

impl Service {
    /// Asks the judges.
    ///
    /// # Errors
    /// [`ClarifyError`]: every variant but `Store` is for the form.
    pub async fn ask(
        &self,
        actor: &Actor,
        contest: ContestId,
        problem: Option<&str>,
        text: &str,
        now: EpochMs,
    ) -> Result<ClarificationId, ClarifyError> {
        let team = actor.team_id.ok_or(ClarifyError::NoTeam)?;
        let text = checked(text)?;
        let mut tx = self.store.begin_write().await?;
        let contest = by_id(&mut tx, contest).await?;
        if contest.times().phase(now) == Phase::Before {
            return Err(ClarifyError::NotBegun);
        }
        if contest.access == Access::Invitation && !contest_setting::has_team(&mut *tx, contest.id, team).await? {
            return Err(ClarifyError::NoTeam);
        }
        let first = clarification::nth_newest(&mut *tx, team, RATE).await?;
        if let Some(retry_after_ms) = wait_ms(first, RATE_WINDOW_MS, now) {
            return Err(ClarifyError::TooFast { retry_after_ms });
        }
        let problem = find_problem(&mut tx, contest.id, problem).await?;
        let new = NewClarification {
            contest: contest.id,
            problem,
            from_team: Some(team),
            to_team: None,
            reply_to: None,
            author: actor.account_id,
            text,
        };
        let id = clarification::insert(&mut tx, &new, now).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// Answers a question, to its team or to all.
    ///
    /// # Errors
    /// [`ClarifyError`]: every variant but `Store` is for the form.
    pub async fn answer(
        &self,
        actor: &Actor,
        contest: ContestId,
        question: ClarificationId,
        text: &str,
        to_all: bool,
        now: EpochMs,
    ) -> Result<ClarificationId, ClarifyError> {
        require(actor, Role::Judge)?;
        let text = checked(text)?;
        let mut tx = self.store.begin_write().await?;
        let contest = by_id(&mut tx, contest).await?;
        let found = clarification::question(&mut *tx, contest.id, question).await?;
        let (team, problem) = found.ok_or(ClarifyError::NoSuchQuestion)?;
        let new = NewClarification {
            contest: contest.id,
            problem,
            from_team: None,
            to_team: (!to_all).then_some(team),
            reply_to: Some(question),
            author: actor.account_id,
            text,
        };
        let id = clarification::insert(&mut tx, &new, now).await?;
        let subject = format!("clarification {question}");
        record(&mut tx, Some(actor), "clarification.answer", &subject, None, Some(&new.text), now).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// Tells all.
    ///
    /// # Errors
    /// [`ClarifyError`]: every variant but `Store` is for the form.
    pub async fn announce(
        &self,
        actor: &Actor,
        contest: ContestId,
        problem: Option<&str>,
        text: &str,
        now: EpochMs,
    ) -> Result<ClarificationId, ClarifyError> {
        require(actor, Role::Judge)?;
        let text = checked(text)?;
        let mut tx = self.store.begin_write().await?;
        let contest = by_id(&mut tx, contest).await?;
        let problem = find_problem(&mut tx, contest.id, problem).await?;
        let new = NewClarification {
            contest: contest.id,
            problem,
            from_team: None,
            to_team: None,
            reply_to: None,
            author: actor.account_id,
            text,
        };
        let id = clarification::insert(&mut tx, &new, now).await?;
        let subject = format!("clarification {id}");
        record(&mut tx, Some(actor), "clarification.announce", &subject, None, Some(&new.text), now).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// What there is to read or to answer for a viewer who has seen the messages up to `seen`.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn news(
        &self,
        viewer: Option<&Actor>,
        contest: ContestId,
        seen: ClarificationId,
    ) -> Result<News, StoreError> {
        let team = visibility::own_team(viewer);
        Ok(News {
            unread: clarification::news(self.store.read(), contest, team, seen).await?,
            unanswered: if visibility::is_judge(viewer) {
                clarification::unanswered(self.store.read(), contest).await?
            } else {
                0
            },
        })
    }

    /// The threads that a viewer may see, the one with the newest message first.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn clarifications(&self, viewer: Option<&Actor>, contest: ContestId) -> Result<Vec<Thread>, StoreError> {
        let mut messages = clarification::list(self.store.read(), contest, LISTED).await?;
        messages.reverse();
        let mut threads: Vec<Thread> = Vec::new();
        for message in messages {
            let thread = message.reply_to.and_then(|id| threads.iter_mut().find(|thread| thread.first.id == id));
            match (thread, message.reply_to) {
                (Some(thread), _) => thread.answers.push(message),
                // The question is older than what is listed.
                (None, Some(_)) => {}
                (None, None) => threads.push(Thread { first: message, answers: Vec::new() }),
            }
        }
        threads.retain_mut(|thread| visibility::cut_thread(viewer, thread));
        threads
            .sort_by_key(|thread| std::cmp::Reverse(thread.answers.last().map_or(thread.first.id, |answer| answer.id)));
        Ok(threads)
    }
}

async fn by_id(tx: &mut WriteTx, id: ContestId) -> Result<Contest, StoreError> {
    contest::by_id(&mut **tx, id).await?.ok_or(StoreError::RowMissing("contest"))
}

async fn find_problem(
    tx: &mut WriteTx,
    contest: ContestId,
    slug: Option<&str>,
) -> Result<Option<ProblemId>, ClarifyError> {
    let Some(slug) = slug.filter(|slug| !slug.is_empty()) else { return Ok(None) };
    let unknown = || ClarifyError::NoSuchProblem(slug.to_owned());
    let found = problem::by_slug(&mut **tx, slug).await?.filter(|problem| problem.state == ProblemState::Published);
    let id = found.ok_or_else(unknown)?.id;
    if !contest::has_problem(&mut **tx, contest, id).await? {
        return Err(unknown());
    }
    Ok(Some(id))
}

pub(super) fn checked(text: &str) -> Result<String, ClarifyError> {
    let text = text.trim().replace("\r\n", "\n");
    match text.chars().count() {
        0 => Err(ClarifyError::Empty),
        1..=MAX_TEXT => Ok(text),
        long => Err(ClarifyError::TooLong(long)),
    }
}
