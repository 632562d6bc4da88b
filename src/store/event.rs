//! The append-only event table: what changed, numbered without gaps, written in the transaction that it tells of.
//!
//! It feeds the live pages, the scoreboard and the contest API. Events carry ids and small facts, never sources,
//! test data or texts that not everybody may see: who reads one decides by the ids what to show.

use sqlx::{SqliteExecutor, SqlitePool};

use super::codec::text_enum;
use super::{StoreError, WriteTx};
use crate::domain::ids::{ContestId, EventId, JudgementId, ProblemId, RejudgingId, SubmissionId};
use crate::domain::time::EpochMs;

text_enum! {
    /// What kind of thing an event is about; CLICS's words where it has one.
    pub enum EventKind {
        /// A contest's own settings.
        Contest = "contest",
        /// A problem, or its place in a contest.
        Problem = "problem",
        /// A version of a problem's package.
        Package = "package",
        /// A version of a problem's tests.
        TestSet = "test_set",
        /// A test offered by its input.
        Proposal = "proposal",
        /// A team.
        Team = "team",
        /// An account.
        Account = "account",
        /// A submission.
        Submission = "submission",
        /// A judgement.
        Judgement = "judgement",
        /// One test case's result.
        Run = "run",
        /// A rejudging.
        Rejudging = "rejudging",
        /// A contest's state: started, frozen, ended, thawed, finalized.
        State = "state",
        /// A question or an announcement.
        Clarification = "clarification",
        /// An award.
        Award = "award",
    }
}

text_enum! {
    /// What happened to it.
    pub enum EventOp {
        /// It is new.
        Create = "create",
        /// It changed.
        Update = "update",
        /// It is gone.
        Delete = "delete",
    }
}

/// An event that is about to be written.
#[derive(Debug, Clone)]
pub struct NewEvent {
    kind: EventKind,
    op: EventOp,
    contest_id: Option<ContestId>,
    problem_id: Option<ProblemId>,
    submission_id: Option<SubmissionId>,
    judgement_id: Option<JudgementId>,
    object_id: i64,
    data: serde_json::Value,
}

impl NewEvent {
    /// An event about the thing of this kind with this id.
    pub const fn new(kind: EventKind, op: EventOp, object_id: i64) -> Self {
        Self {
            kind,
            op,
            contest_id: None,
            problem_id: None,
            submission_id: None,
            judgement_id: None,
            object_id,
            data: serde_json::Value::Null,
        }
    }

    /// It belongs to this contest.
    #[must_use]
    pub const fn contest(mut self, id: ContestId) -> Self {
        self.contest_id = Some(id);
        self
    }

    /// It belongs to this problem.
    #[must_use]
    pub const fn problem(mut self, id: ProblemId) -> Self {
        self.problem_id = Some(id);
        self
    }

    /// It belongs to this submission.
    #[must_use]
    pub const fn submission(mut self, id: SubmissionId) -> Self {
        self.submission_id = Some(id);
        self
    }

    /// It belongs to this judgement.
    #[must_use]
    pub const fn judgement(mut self, id: JudgementId) -> Self {
        self.judgement_id = Some(id);
        self
    }

    /// Small facts that everybody who may see the thing may see.
    #[must_use]
    pub fn data(mut self, data: serde_json::Value) -> Self {
        self.data = data;
        self
    }
}

/// A written event.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Event {
    /// Its number: 1, 2, 3, ...
    pub id: EventId,
    /// What it is about.
    pub kind: EventKind,
    /// What happened.
    pub op: EventOp,
    /// The contest it belongs to.
    pub contest_id: Option<ContestId>,
    /// The problem it belongs to.
    pub problem_id: Option<ProblemId>,
    /// The submission it belongs to.
    pub submission_id: Option<SubmissionId>,
    /// The judgement it belongs to.
    pub judgement_id: Option<JudgementId>,
    /// The id of what `kind` names.
    pub object_id: i64,
    /// Small facts, JSON.
    pub data: String,
    /// When.
    pub created: EpochMs,
}

/// Writes an event; its followers wake when the transaction is committed.
pub async fn append(tx: &mut WriteTx, event: NewEvent, now: EpochMs) -> Result<EventId, StoreError> {
    let data = event.data.to_string();
    let id = sqlx::query_scalar!(
        r#"insert into event (kind, op, contest_id, problem_id, submission_id, judgement_id, object_id, data, created_ms)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?) returning id as "id!: EventId""#,
        event.kind,
        event.op,
        event.contest_id,
        event.problem_id,
        event.submission_id,
        event.judgement_id,
        event.object_id,
        data,
        now
    )
    .fetch_one(&mut **tx)
    .await?;
    tx.last_event = Some(id);
    Ok(id)
}

/// Writes an event about this thing of a judgement's, or about the judgement itself.
pub(super) async fn append_of_judgement(
    tx: &mut WriteTx,
    judgement: JudgementId,
    (kind, op, object): (EventKind, EventOp, i64),
    now: EpochMs,
) -> Result<EventId, StoreError> {
    let id = sqlx::query_scalar!(
        r#"insert into event (kind, op, contest_id, problem_id, submission_id, judgement_id, object_id, data, created_ms)
        select ?2, ?3, s.contest_id, s.problem_id, s.id, j.id, ?4, 'null', ?5
        from judgement j join submission s on s.id = j.submission_id where j.id = ?1 returning id as "id!: EventId""#,
        judgement,
        kind,
        op,
        object,
        now
    )
    .fetch_one(&mut **tx)
    .await?;
    tx.last_event = Some(id);
    Ok(id)
}

/// Writes the event of every judgement of a rejudging, however many there are.
pub(super) async fn append_judgements(
    tx: &mut WriteTx,
    rejudging: RejudgingId,
    op: EventOp,
    now: EpochMs,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into event
            (kind, op, contest_id, problem_id, submission_id, judgement_id, object_id, data, created_ms)
        select 'judgement', ?2, s.contest_id, s.problem_id, s.id, j.id, j.id, 'null', ?3
        from judgement j join submission s on s.id = j.submission_id where j.rejudging_id = ?1 order by j.id",
        rejudging,
        op,
        now
    )
    .execute(&mut **tx)
    .await?;
    tx.last_event = Some(last(&mut **tx).await?);
    Ok(())
}

/// The number of the latest event; 0 when there is none.
pub async fn last(executor: impl SqliteExecutor<'_>) -> Result<EventId, StoreError> {
    let id =
        sqlx::query_scalar!(r#"select coalesce(max(id), 0) as "id!: EventId" from event"#).fetch_one(executor).await?;
    Ok(id)
}

/// The events after `id`, oldest first, at most `limit`.
pub async fn after(pool: &SqlitePool, id: EventId, limit: u32) -> Result<Vec<Event>, StoreError> {
    let events = sqlx::query_as!(
        Event,
        r#"select id as "id!: _", kind as "kind!: _", op as "op!: _", contest_id as "contest_id: _",
            problem_id as "problem_id: _", submission_id as "submission_id: _", judgement_id as "judgement_id: _",
            object_id, data, created_ms as "created!: _"
        from event where id > ? order by id limit ?"#,
        id,
        limit
    )
    .fetch_all(pool)
    .await?;
    Ok(events)
}

/// The events of one contest after `id`, oldest first, at most `limit`.
pub async fn of_contest(
    executor: impl SqliteExecutor<'_>,
    contest: ContestId,
    id: EventId,
    limit: u32,
) -> Result<Vec<Event>, StoreError> {
    let events = sqlx::query_as!(
        Event,
        r#"select id as "id!: _", kind as "kind!: _", op as "op!: _", contest_id as "contest_id: _",
            problem_id as "problem_id: _", submission_id as "submission_id: _", judgement_id as "judgement_id: _",
            object_id, data, created_ms as "created!: _"
        from event where contest_id = ? and id > ? order by id limit ?"#,
        contest,
        id,
        limit
    )
    .fetch_all(executor)
    .await?;
    Ok(events)
}

/// Whether a team was changed (renamed, hidden) after `id`.
pub async fn has_team_change(executor: impl SqliteExecutor<'_>, id: EventId) -> Result<bool, StoreError> {
    let has = sqlx::query_scalar!(
        r#"select exists (select 1 from event where id > ? and kind = 'team' and op <> 'create') as "has!: bool""#,
        id
    )
    .fetch_one(executor)
    .await?;
    Ok(has)
}

/// The number of the latest event of a submission: its page is out of date when this has grown.
pub async fn last_of_submission(pool: &SqlitePool, submission: SubmissionId) -> Result<EventId, StoreError> {
    let id = sqlx::query_scalar!(
        r#"select coalesce(max(id), 0) as "id!: EventId" from event where submission_id = ?"#,
        submission
    )
    .fetch_one(pool)
    .await?;
    Ok(id)
}
