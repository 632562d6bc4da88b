//! Taking part in past contests: each team's own clock in one, and what it handed in by it.

use sqlx::SqliteExecutor;

use super::submission::Fact;
use super::{StoreError, WriteTx};
use crate::domain::ids::{ContestId, TeamId, VirtualRunId};
use crate::domain::time::EpochMs;

/// A team's own clock in a past contest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VirtualRun {
    /// Its id.
    pub id: VirtualRunId,
    /// When it began.
    pub start: EpochMs,
}

/// Begins one; a team has one at most in each contest.
pub async fn insert(
    tx: &mut WriteTx,
    contest: ContestId,
    team: TeamId,
    now: EpochMs,
) -> Result<VirtualRun, StoreError> {
    let id = sqlx::query_scalar!(
        r#"insert into virtual_run (contest_id, team_id, start_ms) values (?, ?, ?) returning id as "id!: VirtualRunId""#,
        contest,
        team,
        now
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(VirtualRun { id, start: now })
}

/// The team's own in this contest.
pub async fn of_team(
    executor: impl SqliteExecutor<'_>,
    contest: ContestId,
    team: TeamId,
) -> Result<Option<VirtualRun>, StoreError> {
    let run = sqlx::query_as!(
        VirtualRun,
        r#"select id as "id!: _", start_ms as "start: _" from virtual_run where contest_id = ? and team_id = ?"#,
        contest,
        team
    )
    .fetch_optional(executor)
    .await?;
    Ok(run)
}

/// What a team has to do with a contest that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Past {
    /// Whether it is invited.
    pub invited: bool,
    /// Whether it handed something in while the contest itself ran.
    pub took_part: bool,
    /// Whether it has begun a clock of its own.
    pub begun: bool,
}

/// What a team has to do with a contest that was over at `end`.
pub async fn past(
    executor: impl SqliteExecutor<'_>,
    contest: ContestId,
    team: TeamId,
    end: EpochMs,
) -> Result<Past, StoreError> {
    let past = sqlx::query_as!(
        Past,
        r#"select exists (select 1 from contest_team where contest_id = ?1 and team_id = ?2) as "invited!: bool",
            exists (select 1 from submission where team_id = ?2 and contest_id = ?1 and submitted_ms < ?3
                and virtual_run_id is null) as "took_part!: bool",
            exists (select 1 from virtual_run where contest_id = ?1 and team_id = ?2) as "begun!: bool""#,
        contest,
        team,
        end
    )
    .fetch_one(executor)
    .await?;
    Ok(past)
}

/// What was handed in by this clock.
pub async fn facts(executor: impl SqliteExecutor<'_>, run: VirtualRunId) -> Result<Vec<Fact>, StoreError> {
    let facts = sqlx::query_as!(
        Fact,
        r#"select s.id as "submission_id!: _", s.team_id as "team_id: _", t.display_name as team_name,
            t.hidden as "team_hidden: _", s.problem_id as "problem_id: _", s.submitted_ms as "submitted: _",
            j.verdict as "verdict: _", j.score,
            case c.points_from when 'groups' then j.groups end as "groups: _"
        from submission s join judgement j on j.submission_id = s.id and j.valid = 1 join team t on t.id = s.team_id
            join contest c on c.id = s.contest_id
        where s.virtual_run_id = ?"#,
        run
    )
    .fetch_all(executor)
    .await?;
    Ok(facts)
}
