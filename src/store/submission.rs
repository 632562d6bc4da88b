//! Submissions: what was handed in, and the lists that show them with the judgement that counts.

use sqlx::{SqliteExecutor, SqlitePool};

use super::codec::{Names, int};
use super::event::{self, EventKind, EventOp, NewEvent};
use super::judgement::JudgementState;
use super::{GroupResults, StoreError, WriteTx};
use crate::domain::hash::Sha256;
use crate::domain::ids::{AccountId, ContestId, JudgementId, ProblemId, SubmissionId, TeamId, VirtualRunId};
use crate::domain::language::LanguageId;
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;

/// A submission to be written. The blobs of its files must be there.
#[derive(Debug, Clone)]
pub struct NewSubmission {
    /// The contest.
    pub contest_id: ContestId,
    /// The problem, which is in the contest.
    pub problem_id: ProblemId,
    /// For whom.
    pub team_id: TeamId,
    /// By whom.
    pub account_id: AccountId,
    /// The language.
    pub language: LanguageId,
    /// Main file or class, where the language needs one and the contestant named it.
    pub entry_point: Option<String>,
    /// The same key of the same account names the same submission.
    pub dedupe_key: Option<String>,
    /// Its files, in the order they were given.
    pub files: Vec<SubmissionFile>,
    /// By which clock, if the contest itself is over for it.
    pub virtual_run: Option<VirtualRunId>,
}

/// A file of a submission; its contents are a blob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmissionFile {
    /// Its name.
    pub name: String,
    /// Hash of its contents.
    pub sha256: Sha256,
    /// Its size, bytes.
    pub bytes: u64,
}

/// A line of a list of submissions, with the judgement that counts. Not yet cut to what the viewer may see: pages get
/// it through `service::submissions`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmissionRow {
    /// The submission.
    pub id: SubmissionId,
    /// Its contest.
    pub contest_id: ContestId,
    /// That contest's name in addresses.
    pub contest_slug: Slug,
    /// Its problem.
    pub problem_id: ProblemId,
    /// That problem's name in addresses.
    pub problem_slug: Slug,
    /// That problem's names for people.
    pub problem_names: Names,
    /// That problem's letter in the contest.
    pub label: String,
    /// For whom it was handed in.
    pub team_id: TeamId,
    /// That team's display name.
    pub team_name: String,
    /// Whether that team is hidden from other contestants.
    pub team_hidden: bool,
    /// Who handed it in.
    pub account_id: AccountId,
    /// The language.
    pub language: LanguageId,
    /// Main file or class, where its author named one.
    pub entry_point: Option<String>,
    /// When it was handed in.
    pub submitted: EpochMs,
    /// Whether it was handed in by a clock of the team's own, after the contest.
    pub in_virtual_run: bool,
    /// Size of all its files, bytes.
    pub bytes: u64,
    /// The judgement that counts.
    pub judgement_id: JudgementId,
    /// How far that judgement is.
    pub state: JudgementState,
    /// Its verdict, once done.
    pub verdict: Option<Verdict>,
    /// The test that decided.
    pub failed_ordinal: Option<u32>,
    /// How many tests there are.
    pub tests_total: u32,
    /// How many runs are recorded.
    pub tests_done: u32,
    /// cpu of the slowest run, milliseconds.
    pub cpu_ms: Option<u64>,
    /// Memory of the largest run, bytes.
    pub memory_bytes: Option<u64>,
}

/// Which submissions a list shows. `None` doesn't restrict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubmissionFilter {
    /// Of this contest.
    pub contest: Option<ContestId>,
    /// For this problem.
    pub problem: Option<ProblemId>,
    /// Of this team.
    pub team: Option<TeamId>,
    /// In this language.
    pub language: Option<LanguageId>,
    /// With this verdict.
    pub verdict: Option<Verdict>,
    /// Older than this one: the next page of a list.
    pub before: Option<SubmissionId>,
}

/// What a scoreboard needs of a submission.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// The submission.
    pub submission_id: SubmissionId,
    /// For whom.
    pub team_id: TeamId,
    /// That team's display name.
    pub team_name: String,
    /// Whether that team has no row.
    pub team_hidden: bool,
    /// For which problem.
    pub problem_id: ProblemId,
    /// When.
    pub submitted: EpochMs,
    /// The verdict that counts; `None` while there is none.
    pub verdict: Option<Verdict>,
    /// Its points, where the problem gives points.
    pub score: Option<f64>,
    /// What its test groups came to, where the contest's points are from groups.
    pub groups: Option<GroupResults>,
}

/// Writes a submission and its event.
pub async fn insert(tx: &mut WriteTx, new: &NewSubmission, now: EpochMs) -> Result<SubmissionId, StoreError> {
    let bytes = int(new.files.iter().map(|file| file.bytes).sum());
    let id = sqlx::query_scalar!(
        r#"insert into submission
            (contest_id, problem_id, team_id, account_id, language, entry_point, submitted_ms, bytes, dedupe_key,
            virtual_run_id)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id as "id!: SubmissionId""#,
        new.contest_id,
        new.problem_id,
        new.team_id,
        new.account_id,
        new.language,
        new.entry_point,
        now,
        bytes,
        new.dedupe_key,
        new.virtual_run
    )
    .fetch_one(&mut **tx)
    .await?;
    for (ordinal, file) in (1_u32..).zip(&new.files) {
        let bytes = int(file.bytes);
        sqlx::query!(
            "insert into submission_file (submission_id, ordinal, name, sha256, bytes) values (?, ?, ?, ?, ?)",
            id,
            ordinal,
            file.name,
            file.sha256,
            bytes
        )
        .execute(&mut **tx)
        .await?;
    }
    let event = NewEvent::new(EventKind::Submission, EventOp::Create, id.0);
    event::append(tx, event.contest(new.contest_id).problem(new.problem_id).submission(id), now).await?;
    Ok(id)
}

/// The submission that this account handed in under this key.
pub async fn by_dedupe_key(
    executor: impl SqliteExecutor<'_>,
    account: AccountId,
    key: &str,
) -> Result<Option<SubmissionId>, StoreError> {
    let id = sqlx::query_scalar!(
        r#"select id as "id!: SubmissionId" from submission where account_id = ? and dedupe_key = ?"#,
        account,
        key
    )
    .fetch_optional(executor)
    .await?;
    Ok(id)
}

/// What an account handed in for a problem in a language since then, newest first.
pub async fn since(
    executor: impl SqliteExecutor<'_>,
    account: AccountId,
    problem: ProblemId,
    language: &LanguageId,
    since: EpochMs,
) -> Result<Vec<SubmissionId>, StoreError> {
    let ids = sqlx::query_scalar!(
        r#"select id as "id!: SubmissionId" from submission
        where account_id = ? and submitted_ms >= ? and problem_id = ? and language = ? order by id desc"#,
        account,
        since,
        problem,
        language
    )
    .fetch_all(executor)
    .await?;
    Ok(ids)
}

/// When an account handed in its `nth` submission, counted back from `now`; `None` if it has fewer.
pub async fn nth_newest(
    executor: impl SqliteExecutor<'_>,
    account: AccountId,
    nth: u32,
    now: EpochMs,
) -> Result<Option<EpochMs>, StoreError> {
    let skip = nth.saturating_sub(1);
    let submitted = sqlx::query_scalar!(
        r#"select submitted_ms as "submitted!: EpochMs" from submission where account_id = ?
            and submitted_ms <= ?
        order by submitted_ms desc limit 1 offset ?"#,
        account,
        now,
        skip
    )
    .fetch_optional(executor)
    .await?;
    Ok(submitted)
}

/// The files of a submission, in order.
pub async fn files(
    executor: impl SqliteExecutor<'_>,
    submission: SubmissionId,
) -> Result<Vec<SubmissionFile>, StoreError> {
    let files = sqlx::query_as!(
        SubmissionFile,
        r#"select name, sha256 as "sha256: _", bytes as "bytes: _"
        from submission_file where submission_id = ? order by ordinal"#,
        submission
    )
    .fetch_all(executor)
    .await?;
    Ok(files)
}

/// A page of a list, newest first. A first query finds the ids along the index that fits the filter.
pub async fn list(pool: &SqlitePool, filter: &SubmissionFilter, limit: u32) -> Result<Vec<SubmissionRow>, StoreError> {
    let before = filter.before.unwrap_or(SubmissionId(i64::MAX));
    let ids = if let Some(team) = filter.team {
        sqlx::query_scalar!(
            r#"select s.id as "id!: SubmissionId" from submission s
            where s.team_id = ?1 and s.id < ?2 and (?3 is null or s.contest_id = ?3)
                and (?4 is null or s.problem_id = ?4) and (?5 is null or s.language = ?5)
                and (?6 is null or exists (select 1 from judgement j
                    where j.submission_id = s.id and j.valid = 1 and j.verdict = ?6))
            order by s.id desc limit ?7"#,
            team,
            before,
            filter.contest,
            filter.problem,
            filter.language,
            filter.verdict,
            limit
        )
        .fetch_all(pool)
        .await?
    } else if let Some(problem) = filter.problem {
        sqlx::query_scalar!(
            r#"select s.id as "id!: SubmissionId" from submission s
            where s.problem_id = ?1 and s.id < ?2 and (?3 is null or s.contest_id = ?3)
                and (?4 is null or s.language = ?4)
                and (?5 is null or exists (select 1 from judgement j
                    where j.submission_id = s.id and j.valid = 1 and j.verdict = ?5))
            order by s.id desc limit ?6"#,
            problem,
            before,
            filter.contest,
            filter.language,
            filter.verdict,
            limit
        )
        .fetch_all(pool)
        .await?
    } else if let Some(verdict) = filter.verdict {
        // A cross join keeps this order of tables: along the verdicts' index, not through everything for a rare one.
        sqlx::query_scalar!(
            r#"select s.id as "id!: SubmissionId" from judgement j cross join submission s on s.id = j.submission_id
            where j.valid = 1 and j.verdict = ?1 and j.submission_id < ?2 and (?3 is null or s.contest_id = ?3)
                and (?4 is null or s.language = ?4)
            order by j.submission_id desc limit ?5"#,
            verdict,
            before,
            filter.contest,
            filter.language,
            limit
        )
        .fetch_all(pool)
        .await?
    } else {
        sqlx::query_scalar!(
            r#"select s.id as "id!: SubmissionId" from submission s
            where s.id < ?1 and (?2 is null or s.contest_id = ?2) and (?3 is null or s.language = ?3)
            order by s.id desc limit ?4"#,
            before,
            filter.contest,
            filter.language,
            limit
        )
        .fetch_all(pool)
        .await?
    };
    rows(pool, &ids).await
}

/// The lines of these, newest first.
pub async fn by_ids(pool: &SqlitePool, ids: &[SubmissionId]) -> Result<Vec<SubmissionRow>, StoreError> {
    rows(pool, ids).await
}

/// One line.
pub async fn row(executor: impl SqliteExecutor<'_>, id: SubmissionId) -> Result<Option<SubmissionRow>, StoreError> {
    Ok(rows(executor, &[id]).await?.pop())
}

/// These lines, newest first.
pub async fn rows(executor: impl SqliteExecutor<'_>, ids: &[SubmissionId]) -> Result<Vec<SubmissionRow>, StoreError> {
    let ids = id_array(ids);
    let rows = sqlx::query_as!(
        SubmissionRow,
        r#"select s.id as "id!: _", s.contest_id as "contest_id: _", c.slug as "contest_slug: _",
            s.problem_id as "problem_id: _", p.slug as "problem_slug: _", k.names as "problem_names!: _", cp.label,
            s.team_id as "team_id: _", t.display_name as team_name, t.hidden as "team_hidden: _",
            s.account_id as "account_id: _", s.language as "language: _", s.entry_point,
            s.submitted_ms as "submitted: _", (s.virtual_run_id is not null) as "in_virtual_run!: bool",
            s.bytes as "bytes: _", j.id as "judgement_id!: _", j.state as "state: _", j.verdict as "verdict: _",
            j.failed_ordinal as "failed_ordinal: _", j.tests_total as "tests_total: _",
            (select count(*) from run r where r.judgement_id = j.id) as "tests_done!: _",
            j.cpu_ms as "cpu_ms: _", j.memory_bytes as "memory_bytes: _"
        from submission s
            join judgement j on j.submission_id = s.id and j.valid = 1
            join package k on k.id = j.package_id
            join problem p on p.id = s.problem_id
            join contest c on c.id = s.contest_id
            join contest_problem cp on cp.contest_id = s.contest_id and cp.problem_id = s.problem_id
            join team t on t.id = s.team_id
        where s.id in (select value from json_each(?))
        order by s.id desc"#,
        ids
    )
    .fetch_all(executor)
    .await?;
    Ok(rows)
}

/// What the scoreboard of a contest is made of; of hidden teams too. What came by somebody's own clock is no part of it.
pub async fn facts(executor: impl SqliteExecutor<'_>, contest: ContestId) -> Result<Vec<Fact>, StoreError> {
    let facts = sqlx::query_as!(
        Fact,
        r#"select s.id as "submission_id!: _", s.team_id as "team_id: _", t.display_name as team_name,
            t.hidden as "team_hidden: _", s.problem_id as "problem_id: _", s.submitted_ms as "submitted: _",
            j.verdict as "verdict: _", j.score,
            case c.points_from when 'groups' then j.groups end as "groups: _"
        from submission s join judgement j on j.submission_id = s.id and j.valid = 1 join team t on t.id = s.team_id
            join contest c on c.id = s.contest_id
        where s.contest_id = ? and s.virtual_run_id is null"#,
        contest
    )
    .fetch_all(executor)
    .await?;
    Ok(facts)
}

/// The same, only of these submissions.
pub async fn facts_of(executor: impl SqliteExecutor<'_>, ids: &[SubmissionId]) -> Result<Vec<Fact>, StoreError> {
    let ids = id_array(ids);
    let facts = sqlx::query_as!(
        Fact,
        r#"select s.id as "submission_id!: _", s.team_id as "team_id: _", t.display_name as team_name,
            t.hidden as "team_hidden: _", s.problem_id as "problem_id: _", s.submitted_ms as "submitted: _",
            j.verdict as "verdict: _", j.score,
            case c.points_from when 'groups' then j.groups end as "groups: _"
        from submission s join judgement j on j.submission_id = s.id and j.valid = 1 join team t on t.id = s.team_id
            join contest c on c.id = s.contest_id
        where s.id in (select value from json_each(?)) and s.virtual_run_id is null"#,
        ids
    )
    .fetch_all(executor)
    .await?;
    Ok(facts)
}

/// Ids as a JSON array: SQLite's way to take a list as one argument.
pub(super) fn id_array(ids: &[SubmissionId]) -> String {
    serde_json::Value::from(ids.iter().map(|id| id.0).collect::<Vec<_>>()).to_string()
}
