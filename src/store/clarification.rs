//! Questions of teams, answers of judges, announcements to all. Not yet cut to what a viewer may see.

use sqlx::SqliteExecutor;

use super::codec::Names;
use super::event::{self, EventKind, EventOp, NewEvent};
use super::{StoreError, WriteTx};
use crate::domain::ids::{AccountId, ClarificationId, ContestId, ProblemId, TeamId};
use crate::domain::time::EpochMs;

/// A message to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewClarification {
    /// The contest.
    pub contest: ContestId,
    /// The problem; `None`: about the contest.
    pub problem: Option<ProblemId>,
    /// The team that asks; `None`: the judges speak.
    pub from_team: Option<TeamId>,
    /// The team that is answered; `None`: all.
    pub to_team: Option<TeamId>,
    /// The question that is answered.
    pub reply_to: Option<ClarificationId>,
    /// Who typed it.
    pub author: AccountId,
    /// The text.
    pub text: String,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clarification {
    /// Its id.
    pub id: ClarificationId,
    /// The problem.
    pub problem_id: Option<ProblemId>,
    /// The problem's names.
    pub problem_names: Option<Names>,
    /// The team that asks; `None`: the judges speak.
    pub from_team: Option<TeamId>,
    /// That team's name.
    pub from_name: Option<String>,
    /// The team that is answered; `None`: all.
    pub to_team: Option<TeamId>,
    /// The question that is answered.
    pub reply_to: Option<ClarificationId>,
    /// The text.
    pub text: String,
    /// When.
    pub created: EpochMs,
}

/// Writes a message; its followers wake after the commit.
pub async fn insert(tx: &mut WriteTx, new: &NewClarification, now: EpochMs) -> Result<ClarificationId, StoreError> {
    let id = sqlx::query_scalar!(
        r#"insert into clarification (contest_id, problem_id, from_team_id, to_team_id, reply_to, author_id, text, created_ms)
        values (?, ?, ?, ?, ?, ?, ?, ?) returning id as "id!: ClarificationId""#,
        new.contest,
        new.problem,
        new.from_team,
        new.to_team,
        new.reply_to,
        new.author,
        new.text,
        now
    )
    .fetch_one(&mut **tx)
    .await?;
    // The event tells that there is something, not what: who may read it is decided where it is read.
    tx.clarified = true;
    event::append(tx, NewEvent::new(EventKind::Clarification, EventOp::Create, id.0), now).await?;
    Ok(id)
}

/// The messages of a contest, newest first.
pub async fn list(
    executor: impl SqliteExecutor<'_>,
    contest: ContestId,
    limit: u32,
) -> Result<Vec<Clarification>, StoreError> {
    let rows = sqlx::query_as!(
        Clarification,
        r#"select c.id as "id!: _", c.problem_id as "problem_id: _", k.names as "problem_names: _",
            c.from_team_id as "from_team: _", t.display_name as "from_name?", c.to_team_id as "to_team: _",
            c.reply_to as "reply_to: _", c.text, c.created_ms as "created: _"
        from clarification c left join team t on t.id = c.from_team_id
            left join problem p on p.id = c.problem_id left join package k on k.id = p.package_id
        where c.contest_id = ? order by c.id desc limit ?"#,
        contest,
        limit
    )
    .fetch_all(executor)
    .await?;
    Ok(rows)
}

/// How many answers and announcements for a team came after `seen`.
pub async fn news(
    executor: impl SqliteExecutor<'_>,
    contest: ContestId,
    team: Option<TeamId>,
    seen: ClarificationId,
) -> Result<u32, StoreError> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!: u32" from clarification
        where contest_id = ?1 and id > ?2 and from_team_id is null and (to_team_id is null or to_team_id = ?3)"#,
        contest,
        seen,
        team
    )
    .fetch_one(executor)
    .await?;
    Ok(count)
}

/// How many questions nobody has answered.
pub async fn unanswered(executor: impl SqliteExecutor<'_>, contest: ContestId) -> Result<u32, StoreError> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!: u32" from clarification q
        where q.contest_id = ? and q.from_team_id is not null
            and not exists (select 1 from clarification a where a.reply_to = q.id)"#,
        contest
    )
    .fetch_one(executor)
    .await?;
    Ok(count)
}

/// When a team asked its `nth` question, counted from the newest; `None` if it asked fewer.
pub async fn nth_newest(
    executor: impl SqliteExecutor<'_>,
    team: TeamId,
    nth: u32,
) -> Result<Option<EpochMs>, StoreError> {
    let skip = nth.saturating_sub(1);
    let asked = sqlx::query_scalar!(
        r#"select created_ms as "asked!: EpochMs" from clarification where from_team_id = ?
        order by created_ms desc limit 1 offset ?"#,
        team,
        skip
    )
    .fetch_optional(executor)
    .await?;
    Ok(asked)
}

/// The team and the problem of a question; `None` when there is no such question.
pub async fn question(
    executor: impl SqliteExecutor<'_>,
    contest: ContestId,
    id: ClarificationId,
) -> Result<Option<(TeamId, Option<ProblemId>)>, StoreError> {
    let row = sqlx::query!(
        r#"select from_team_id as "team: TeamId", problem_id as "problem: ProblemId" from clarification
        where id = ? and contest_id = ?"#,
        id,
        contest
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.and_then(|row| Some((row.team?, row.problem))))
}
