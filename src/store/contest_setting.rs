//! What the staff writes of contests: settings, times, problems, teams. Every change makes the contest's version grow.

use sqlx::SqliteExecutor;

use super::codec::Texts;
use super::contest::{Access, FailedTests, PointsFrom, Scoring};
use super::event::{self, EventKind, EventOp, NewEvent};
use super::{StoreError, WriteTx};
use crate::domain::ids::{ContestId, ProblemId, TeamId};
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;

/// All that is set of a contest beside its problems and teams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Its name for people.
    pub name: String,
    /// When it starts.
    pub start: EpochMs,
    /// How long it lasts, milliseconds; `None`: it never ends.
    pub duration_ms: Option<i64>,
    /// For how long before the end the public board is frozen, milliseconds.
    pub freeze_ms: Option<i64>,
    /// What a rejected try costs, minutes.
    pub penalty_minutes: i64,
    /// How it is scored.
    pub scoring: Scoring,
    /// What points are the best of.
    pub points_from: PointsFrom,
    /// What contestants learn of a secret test that failed.
    pub failed_tests: FailedTests,
    /// Who takes part.
    pub access: Access,
    /// The languages that it allows; `None`: all.
    pub languages: Option<Texts>,
    /// Whether its problems take submissions that don't count once it is over.
    pub practice_after: bool,
    /// Whether its submissions are judged only where the tools are the server's own, version for version.
    pub equal_toolchains: bool,
}

/// A problem's place in a contest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The problem.
    pub problem: ProblemId,
    /// Its letter.
    pub label: String,
    /// Its colour, `#rrggbb`, in lower case.
    pub rgb: String,
}

/// What moves a contest's clock or its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// When it starts.
    pub start: EpochMs,
    /// How long it lasts, milliseconds.
    pub duration_ms: Option<i64>,
    /// For how long before the end the public board is frozen, milliseconds.
    pub freeze_ms: Option<i64>,
    /// Since when its clock stands still.
    pub paused: Option<EpochMs>,
    /// When its result was made final.
    pub finalized: Option<EpochMs>,
    /// When the board was thawed.
    pub thawed: Option<EpochMs>,
}

/// Makes a contest without problems.
pub async fn insert(tx: &mut WriteTx, slug: &Slug, settings: &Settings, now: EpochMs) -> Result<ContestId, StoreError> {
    let id = sqlx::query_scalar!(
        r#"insert into contest (slug, name, start_ms, duration_ms, freeze_ms, penalty_minutes, scoring, failed_tests,
            access, languages, practice_after, points_from, equal_toolchains, created_ms)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id as "id!: ContestId""#,
        slug,
        settings.name,
        settings.start,
        settings.duration_ms,
        settings.freeze_ms,
        settings.penalty_minutes,
        settings.scoring,
        settings.failed_tests,
        settings.access,
        settings.languages,
        settings.practice_after,
        settings.points_from,
        settings.equal_toolchains,
        now
    )
    .fetch_one(&mut **tx)
    .await?;
    event::append(tx, NewEvent::new(EventKind::Contest, EventOp::Create, id.0).contest(id), now).await?;
    Ok(id)
}

/// Changes its settings.
pub async fn update(tx: &mut WriteTx, id: ContestId, settings: &Settings, now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!(
        "update contest set name = ?, start_ms = ?, duration_ms = ?, freeze_ms = ?, penalty_minutes = ?, scoring = ?,
            failed_tests = ?, access = ?, languages = ?, practice_after = ?, points_from = ?, equal_toolchains = ?,
            version = version + 1
        where id = ?",
        settings.name,
        settings.start,
        settings.duration_ms,
        settings.freeze_ms,
        settings.penalty_minutes,
        settings.scoring,
        settings.failed_tests,
        settings.access,
        settings.languages,
        settings.practice_after,
        settings.points_from,
        settings.equal_toolchains,
        id
    )
    .execute(&mut **tx)
    .await?;
    event::append(tx, NewEvent::new(EventKind::Contest, EventOp::Update, id.0).contest(id), now).await?;
    Ok(())
}

/// Moves its clock or its state.
pub async fn set_times(tx: &mut WriteTx, id: ContestId, times: Times, now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!(
        "update contest set start_ms = ?, duration_ms = ?, freeze_ms = ?, paused_ms = ?, finalized_ms = ?,
            thawed_ms = ?, version = version + 1
        where id = ?",
        times.start,
        times.duration_ms,
        times.freeze_ms,
        times.paused,
        times.finalized,
        times.thawed,
        id
    )
    .execute(&mut **tx)
    .await?;
    event::append(tx, NewEvent::new(EventKind::State, EventOp::Update, id.0).contest(id), now).await?;
    Ok(())
}

/// Makes these, in this order, the contest's problems. None that leaves may have submissions in it.
pub async fn set_problems(tx: &mut WriteTx, id: ContestId, places: &[Place], now: EpochMs) -> Result<(), StoreError> {
    // Letters and places are unique: they step aside first.
    sqlx::query!(
        "update contest_problem set ordinal = ordinal + 1000000, label = '~' || label where contest_id = ?",
        id
    )
    .execute(&mut **tx)
    .await?;
    for (ordinal, place) in (1_i64..).zip(places) {
        sqlx::query!(
            "insert into contest_problem (contest_id, problem_id, ordinal, label, rgb) values (?, ?, ?, ?, ?)
            on conflict (contest_id, problem_id) do update set ordinal = excluded.ordinal, label = excluded.label,
                rgb = excluded.rgb",
            id,
            place.problem,
            ordinal,
            place.label,
            place.rgb
        )
        .execute(&mut **tx)
        .await?;
    }
    sqlx::query!("delete from contest_problem where contest_id = ? and ordinal > 1000000", id)
        .execute(&mut **tx)
        .await?;
    sqlx::query!("update contest set version = version + 1 where id = ?", id).execute(&mut **tx).await?;
    event::append(tx, NewEvent::new(EventKind::Contest, EventOp::Update, id.0).contest(id), now).await?;
    Ok(())
}

/// The problems of a contest that have submissions in it.
pub async fn tried_problems(executor: impl SqliteExecutor<'_>, id: ContestId) -> Result<Vec<ProblemId>, StoreError> {
    let problems = sqlx::query_scalar!(
        r#"select c.problem_id as "id!: ProblemId" from contest_problem c where c.contest_id = ?1
            and exists (select 1 from submission s where s.problem_id = c.problem_id and s.contest_id = ?1)"#,
        id
    )
    .fetch_all(executor)
    .await?;
    Ok(problems)
}

/// Makes these the contest's teams.
pub async fn set_teams(tx: &mut WriteTx, id: ContestId, teams: &[TeamId], now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!("delete from contest_team where contest_id = ?", id).execute(&mut **tx).await?;
    for team in teams {
        sqlx::query!("insert or ignore into contest_team (contest_id, team_id) values (?, ?)", id, team)
            .execute(&mut **tx)
            .await?;
    }
    sqlx::query!("update contest set version = version + 1 where id = ?", id).execute(&mut **tx).await?;
    event::append(tx, NewEvent::new(EventKind::Contest, EventOp::Update, id.0).contest(id), now).await?;
    Ok(())
}

/// The team with this name.
pub async fn team_by_name(executor: impl SqliteExecutor<'_>, name: &str) -> Result<Option<TeamId>, StoreError> {
    let id = sqlx::query_scalar!(r#"select id as "id!: TeamId" from team where name = ?"#, name)
        .fetch_optional(executor)
        .await?;
    Ok(id)
}

/// Whether the team is invited.
pub async fn has_team(executor: impl SqliteExecutor<'_>, id: ContestId, team: TeamId) -> Result<bool, StoreError> {
    let has = sqlx::query_scalar!(
        r#"select exists (select 1 from contest_team where contest_id = ? and team_id = ?) as "has!: bool""#,
        id,
        team
    )
    .fetch_one(executor)
    .await?;
    Ok(has)
}

/// What stands against making a contest's result final.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Open {
    /// Submissions of its time without a verdict.
    pub unjudged: u32,
    /// Submissions of its time whose judging failed.
    pub judging_errors: u32,
    /// Questions without an answer.
    pub unanswered: u32,
}

/// What stands against making its result final; `before`: the end.
pub async fn open(executor: impl SqliteExecutor<'_>, id: ContestId, before: EpochMs) -> Result<Open, StoreError> {
    let open = sqlx::query_as!(
        Open,
        r#"select
            (select count(*) from submission s where s.contest_id = ?1 and s.submitted_ms < ?2
                and (exists (select 1 from judgement j where j.submission_id = s.id and j.state <> 'done'
                        and (j.rejudging_id is null or exists (select 1 from rejudging r
                            where r.id = j.rejudging_id and r.state = 'open')))
                    or not exists (select 1 from judgement j where j.submission_id = s.id and j.valid = 1
                        and j.state = 'done'))) as "unjudged!: u32",
            (select count(*) from submission s join judgement j on j.submission_id = s.id and j.valid = 1
                where s.contest_id = ?1 and s.submitted_ms < ?2 and j.verdict = 'JE') as "judging_errors!: u32",
            (select count(*) from clarification q where q.contest_id = ?1 and q.from_team_id is not null
                and not exists (select 1 from clarification a where a.reply_to = q.id)) as "unanswered!: u32""#,
        id,
        before
    )
    .fetch_one(executor)
    .await?;
    Ok(open)
}

/// Whether contestants may know the problem at `now`: it is in a contest that has begun.
pub async fn is_revealed(
    executor: impl SqliteExecutor<'_>,
    problem: ProblemId,
    now: EpochMs,
) -> Result<bool, StoreError> {
    let revealed = sqlx::query_scalar!(
        r#"select exists (select 1 from contest_problem p join contest c on c.id = p.contest_id
            where p.problem_id = ?1 and c.start_ms <= min(?2, coalesce(c.paused_ms, ?2))) as "revealed!: bool""#,
        problem,
        now
    )
    .fetch_one(executor)
    .await?;
    Ok(revealed)
}
