//! Rejudgings: which submissions one is about, how far it is, and which judgements count because of it.
//!
//! A preview's judgements count only once it is applied; what they took the place of is kept, so that it can be taken
//! back. The old judgement counts until then, so a board never loses a verdict meanwhile.

use sqlx::SqliteExecutor;

use super::codec::text_enum;
use super::event::{self, EventKind, EventOp, NewEvent};
use super::{GroupResults, StoreError, WriteTx};
use crate::domain::ids::{AccountId, ContestId, JudgementId, ProblemId, RejudgingId, SubmissionId, TeamId};
use crate::domain::language::LanguageId;
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;

text_enum! {
    /// What became of a rejudging.
    pub enum RejudgingState {
        /// It is judged, or looked at.
        Open = "open",
        /// Its verdicts count (unless it was taken back).
        Applied = "applied",
        /// Its verdicts never count.
        Dropped = "dropped",
    }
}

/// A rejudging as lists and its page show it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Rejudging {
    /// Its id.
    pub id: RejudgingId,
    /// Why it was begun.
    pub reason: String,
    /// JSON: what was chosen.
    pub scope: String,
    /// Whether its verdicts are looked at before they count.
    pub preview: bool,
    /// What became of it.
    pub state: RejudgingState,
    /// When it was taken back after it was applied.
    pub undone: Option<EpochMs>,
    /// How many submissions fitted but waited already.
    pub left_out: u32,
    /// When it was begun.
    pub created: EpochMs,
    /// The login name of who began it; `None` is the command line.
    pub created_by: Option<String>,
    /// When it was applied or dropped.
    pub closed: Option<EpochMs>,
    /// The login name of who did that; `None` is the command line, or nobody yet.
    pub closed_by: Option<String>,
    /// How many judgements it has.
    pub total: u32,
    /// How many of them are done.
    pub done: u32,
}

/// A rejudging to be begun.
#[derive(Debug, Clone, Copy)]
pub struct NewRejudging<'a> {
    /// Why.
    pub reason: &'a str,
    /// JSON: what was chosen.
    pub scope: &'a str,
    /// How many submissions fitted but waited already.
    pub left_out: u32,
    /// By whom; `None` is the command line.
    pub created_by: Option<AccountId>,
}

/// Which submissions to judge again. `None` doesn't restrict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chosen {
    /// This one.
    pub submission: Option<SubmissionId>,
    /// Of this contest.
    pub contest: Option<ContestId>,
    /// For this problem.
    pub problem: Option<ProblemId>,
    /// In this language.
    pub language: Option<LanguageId>,
    /// Whose verdict that counts is this one.
    pub verdict: Option<Verdict>,
    /// Handed in at or after.
    pub from: Option<EpochMs>,
    /// Handed in before.
    pub until: Option<EpochMs>,
    /// Only those whose judgement that counts was made with other tests than the ones in force.
    pub outdated: bool,
}

/// A submission that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The submission.
    pub id: SubmissionId,
    /// Whether a judgement with the package and tests in force is on its way already: its first one, or one of a
    /// rejudging that is open.
    pub waits: bool,
}

/// A judgement of a rejudging beside the one whose place it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The submission.
    pub submission_id: SubmissionId,
    /// Its contest.
    pub contest_id: ContestId,
    /// Its problem.
    pub problem_id: ProblemId,
    /// Its team.
    pub team_id: TeamId,
    /// When it was handed in.
    pub submitted: EpochMs,
    /// The judgement that counts otherwise.
    pub before_id: JudgementId,
    /// Its verdict; `None` while it has none.
    pub before: Option<Verdict>,
    /// Its score.
    pub before_score: Option<f64>,
    /// What its test groups came to, where the contest's points are from groups.
    pub before_groups: Option<GroupResults>,
    /// The rejudging's judgement.
    pub after_id: JudgementId,
    /// Its verdict.
    pub after: Option<Verdict>,
    /// Its score.
    pub after_score: Option<f64>,
    /// What its test groups came to, where the contest's points are from groups.
    pub after_groups: Option<GroupResults>,
}

impl Pair {
    /// Whether it changes anything that somebody sees.
    pub fn differs(&self) -> bool {
        (&self.before, self.before_score, &self.before_groups) != (&self.after, self.after_score, &self.after_groups)
    }
}

/// Judgements of an open rejudging that would not take another's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// The judge itself failed on them: the old verdict stays.
    pub failed: u32,
    /// Something newer counts already: another rejudging was applied meanwhile.
    pub overtaken: u32,
}

/// Begins a rejudging that is looked at before it counts.
pub async fn insert(tx: &mut WriteTx, new: NewRejudging<'_>, now: EpochMs) -> Result<RejudgingId, StoreError> {
    let id = sqlx::query_scalar!(
        r#"insert into rejudging (reason, scope, left_out, preview, state, created_ms, created_by)
        values (?, ?, ?, 1, 'open', ?, ?) returning id as "id!: RejudgingId""#,
        new.reason,
        new.scope,
        new.left_out,
        now,
        new.created_by
    )
    .fetch_one(&mut **tx)
    .await?;
    event::append(tx, NewEvent::new(EventKind::Rejudging, EventOp::Create, id.0), now).await?;
    Ok(id)
}

/// Queues a judgement of each submission with the package and tests in force. None of them counts yet.
pub async fn insert_judgements(
    tx: &mut WriteTx,
    rejudging: RejudgingId,
    submissions: &[SubmissionId],
    now: EpochMs,
) -> Result<(), StoreError> {
    let ids = serde_json::Value::from(submissions.iter().map(|id| id.0).collect::<Vec<_>>()).to_string();
    sqlx::query!(
        "insert into judgement
            (submission_id, package_id, test_set_id, reason, rejudging_id, state, valid, tests_total, created_ms)
        select s.id, p.package_id, p.test_set_id, 'rejudge', ?2, 'queued', 0,
            (select count(*) from test_case t where t.test_set_id = p.test_set_id), ?3
        from submission s join problem p on p.id = s.problem_id
        where s.id in (select value from json_each(?1)) order by s.id",
        ids,
        rejudging,
        now
    )
    .execute(&mut **tx)
    .await?;
    event::append_judgements(tx, rejudging, EventOp::Create, now).await
}

/// The submissions that fit, oldest first.
pub async fn candidates(executor: impl SqliteExecutor<'_>, chosen: &Chosen) -> Result<Vec<Candidate>, StoreError> {
    let first = chosen.submission.map_or(0, |id| id.0);
    let last = chosen.submission.map_or(i64::MAX, |id| id.0);
    let found = sqlx::query_as!(
        Candidate,
        r#"select s.id as "id!: _",
            (c.state <> 'done' and c.package_id = p.package_id and c.test_set_id = p.test_set_id) or exists (
                select 1 from judgement j join rejudging r on r.id = j.rejudging_id
                where j.submission_id = s.id and j.state <> 'done' and r.state = 'open'
                    and j.package_id = p.package_id and j.test_set_id = p.test_set_id) as "waits!: bool"
        from submission s join problem p on p.id = s.problem_id
            join judgement c on c.submission_id = s.id and c.valid = 1
        where s.id between ?1 and ?2 and (?3 is null or s.contest_id = ?3) and (?4 is null or s.problem_id = ?4)
            and (?5 is null or s.language = ?5) and (?6 is null or c.verdict = ?6)
            and (?7 is null or s.submitted_ms >= ?7) and (?8 is null or s.submitted_ms < ?8)
            and (?9 = 0 or c.test_set_id <> p.test_set_id or c.package_id <> p.package_id)
        order by s.id"#,
        first,
        last,
        chosen.contest,
        chosen.problem,
        chosen.language,
        chosen.verdict,
        chosen.from,
        chosen.until,
        chosen.outdated
    )
    .fetch_all(executor)
    .await?;
    Ok(found)
}

/// How many submissions of a problem are judged with other tests than the ones in force and don't wait for a new
/// judgement: what the problem's page offers to judge again.
pub async fn outdated(executor: impl SqliteExecutor<'_>, problem: ProblemId) -> Result<u32, StoreError> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!: u32" from problem p
            join test_set t on t.problem_id = p.id and t.id <> p.test_set_id
            join judgement c on c.test_set_id = t.id and c.valid = 1
        where p.id = ? and not exists (
            select 1 from judgement j join rejudging r on r.id = j.rejudging_id
            where j.submission_id = c.submission_id and j.state <> 'done' and r.state = 'open'
                and j.package_id = p.package_id and j.test_set_id = p.test_set_id)"#,
        problem
    )
    .fetch_one(executor)
    .await?;
    Ok(count)
}

/// A rejudging.
pub async fn by_id(executor: impl SqliteExecutor<'_>, id: RejudgingId) -> Result<Option<Rejudging>, StoreError> {
    let up_to = list(executor, Some(RejudgingId(id.0.saturating_add(1))), 1).await?;
    Ok(up_to.into_iter().find(|found| found.id == id))
}

/// Rejudgings before `before`, newest first.
pub async fn list(
    executor: impl SqliteExecutor<'_>,
    before: Option<RejudgingId>,
    limit: u32,
) -> Result<Vec<Rejudging>, StoreError> {
    let before = before.unwrap_or(RejudgingId(i64::MAX));
    let found = sqlx::query_as!(
        Rejudging,
        r#"select r.id as "id!: _", r.reason, r.scope, r.preview as "preview: _", r.state as "state: _",
            r.undone_ms as "undone: _", r.left_out as "left_out: _", r.created_ms as "created: _",
            a.name as "created_by?", r.closed_ms as "closed: _", b.name as "closed_by?",
            (select count(*) from judgement j where j.rejudging_id = r.id) as "total!: u32",
            (select count(*) from judgement j where j.rejudging_id = r.id and j.state = 'done') as "done!: u32"
        from rejudging r left join account a on a.id = r.created_by left join account b on b.id = r.closed_by
        where r.id < ? order by r.id desc limit ?"#,
        before,
        limit
    )
    .fetch_all(executor)
    .await?;
    Ok(found)
}

/// What applying an open rejudging would put in whose place now. It takes over only from an older judgement (two may
/// overlap), and a fault of the judge's own never takes a verdict's place.
pub async fn pairs(executor: impl SqliteExecutor<'_>, id: RejudgingId) -> Result<Vec<Pair>, StoreError> {
    let pairs = sqlx::query_as!(
        Pair,
        r#"select s.id as "submission_id!: _", s.contest_id as "contest_id: _", s.problem_id as "problem_id: _",
            s.team_id as "team_id: _", s.submitted_ms as "submitted: _", c.id as "before_id!: _",
            c.verdict as "before: _", c.score as before_score, j.id as "after_id!: _", j.verdict as "after: _",
            j.score as after_score, case o.points_from when 'groups' then c.groups end as "before_groups: _",
            case o.points_from when 'groups' then j.groups end as "after_groups: _"
        from judgement j join judgement c on c.submission_id = j.submission_id and c.valid = 1
            join submission s on s.id = j.submission_id join contest o on o.id = s.contest_id
        where j.rejudging_id = ? and j.state = 'done' and c.id < j.id
            and (j.verdict <> 'JE' or c.verdict is null or c.verdict = 'JE')
        order by s.id"#,
        id
    )
    .fetch_all(executor)
    .await?;
    Ok(pairs)
}

/// What a rejudging put in whose place when it was applied.
pub async fn applied_pairs(executor: impl SqliteExecutor<'_>, id: RejudgingId) -> Result<Vec<Pair>, StoreError> {
    let pairs = sqlx::query_as!(
        Pair,
        r#"select s.id as "submission_id!: _", s.contest_id as "contest_id: _", s.problem_id as "problem_id: _",
            s.team_id as "team_id: _", s.submitted_ms as "submitted: _", c.id as "before_id!: _",
            c.verdict as "before: _", c.score as before_score, j.id as "after_id!: _", j.verdict as "after: _",
            j.score as after_score, case o.points_from when 'groups' then c.groups end as "before_groups: _",
            case o.points_from when 'groups' then j.groups end as "after_groups: _"
        from rejudging_change x join judgement c on c.id = x.before_id join judgement j on j.id = x.after_id
            join submission s on s.id = x.submission_id join contest o on o.id = s.contest_id
        where x.rejudging_id = ? order by s.id"#,
        id
    )
    .fetch_all(executor)
    .await?;
    Ok(pairs)
}

/// How many done judgements of an open rejudging would not count.
pub async fn kept(executor: impl SqliteExecutor<'_>, id: RejudgingId) -> Result<Kept, StoreError> {
    let kept = sqlx::query_as!(
        Kept,
        r#"select coalesce(sum(c.id > j.id), 0) as "overtaken!: u32",
            coalesce(sum(c.id < j.id and j.verdict = 'JE' and c.verdict <> 'JE'), 0) as "failed!: u32"
        from judgement j join judgement c on c.submission_id = j.submission_id and c.valid = 1
        where j.rejudging_id = ? and j.state = 'done'"#,
        id
    )
    .fetch_one(executor)
    .await?;
    Ok(kept)
}

/// Lets what [`pairs`] says count, and keeps what it took the place of.
pub async fn apply(
    tx: &mut WriteTx,
    id: RejudgingId,
    closed_by: Option<AccountId>,
    now: EpochMs,
) -> Result<(), StoreError> {
    sqlx::query!("delete from rejudging_change where rejudging_id = ?", id).execute(&mut **tx).await?;
    sqlx::query!(
        "insert into rejudging_change (rejudging_id, submission_id, before_id, after_id)
        select j.rejudging_id, j.submission_id, c.id, j.id
        from judgement j join judgement c on c.submission_id = j.submission_id and c.valid = 1
        where j.rejudging_id = ? and j.state = 'done' and c.id < j.id
            and (j.verdict <> 'JE' or c.verdict is null or c.verdict = 'JE')",
        id
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!(
        "update judgement set valid = 0 where id in (select before_id from rejudging_change where rejudging_id = ?)",
        id
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!(
        "update judgement set valid = 1 where id in (select after_id from rejudging_change where rejudging_id = ?)",
        id
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!(
        "update rejudging set state = 'applied', closed_ms = ?, closed_by = ?, undone_ms = null where id = ?",
        now,
        closed_by,
        id
    )
    .execute(&mut **tx)
    .await?;
    event::append_judgements(tx, id, EventOp::Update, now).await?;
    event::append(tx, NewEvent::new(EventKind::Rejudging, EventOp::Update, id.0), now).await?;
    Ok(())
}

/// Puts back what counted before it was applied.
pub async fn undo(tx: &mut WriteTx, id: RejudgingId, now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!(
        "update judgement set valid = 0 where id in (select after_id from rejudging_change where rejudging_id = ?)",
        id
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!(
        "update judgement set valid = 1 where id in (select before_id from rejudging_change where rejudging_id = ?)",
        id
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!("update rejudging set undone_ms = ? where id = ?", now, id).execute(&mut **tx).await?;
    event::append_judgements(tx, id, EventOp::Update, now).await?;
    event::append(tx, NewEvent::new(EventKind::Rejudging, EventOp::Update, id.0), now).await?;
    Ok(())
}

/// The rejudging that took the place of one of this one's judgements after it was applied: the later one must be taken
/// back first.
pub async fn on_top(executor: impl SqliteExecutor<'_>, id: RejudgingId) -> Result<Option<RejudgingId>, StoreError> {
    let later = sqlx::query_scalar!(
        r#"select y.rejudging_id as "id!: RejudgingId" from rejudging_change x
            join rejudging_change y on y.before_id = x.after_id
            join rejudging r on r.id = y.rejudging_id and r.state = 'applied' and r.undone_ms is null
        where x.rejudging_id = ? order by y.rejudging_id desc limit 1"#,
        id
    )
    .fetch_optional(executor)
    .await?;
    Ok(later)
}

/// Gives up an open rejudging: what is not judged yet never is, and a worker that is at it loses its lease.
pub async fn discard(
    tx: &mut WriteTx,
    id: RejudgingId,
    closed_by: Option<AccountId>,
    now: EpochMs,
) -> Result<(), StoreError> {
    sqlx::query!(
        "delete from job where judgement_id in (select id from judgement where rejudging_id = ? and state <> 'done')",
        id
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!(
        "update rejudging set state = 'dropped', closed_ms = ?, closed_by = ? where id = ?",
        now,
        closed_by,
        id
    )
    .execute(&mut **tx)
    .await?;
    event::append(tx, NewEvent::new(EventKind::Rejudging, EventOp::Update, id.0), now).await?;
    Ok(())
}

/// Takes note that a judgement of a rejudging is done.
///
/// A rejudging from before there were previews lets it count at once and closes after its last one. A preview only
/// tells when its last one is done.
pub(super) async fn judgement_done(
    tx: &mut WriteTx,
    rejudging: RejudgingId,
    judgement: JudgementId,
    submission: SubmissionId,
    now: EpochMs,
) -> Result<(), StoreError> {
    let takes_over = sqlx::query_scalar!(
        r#"select exists (
            select 1 from judgement old join judgement new on new.id = ?1 join rejudging r on r.id = new.rejudging_id
            where old.submission_id = ?2 and old.valid = 1 and old.id < new.id and r.preview = 0
                and (new.verdict <> 'JE' or old.verdict is null or old.verdict = 'JE')) as "takes_over!: bool""#,
        judgement,
        submission
    )
    .fetch_one(&mut **tx)
    .await?;
    if takes_over {
        sqlx::query!("update judgement set valid = 0 where submission_id = ? and valid = 1", submission)
            .execute(&mut **tx)
            .await?;
        sqlx::query!("update judgement set valid = 1 where id = ?", judgement).execute(&mut **tx).await?;
    }
    let last = sqlx::query_scalar!(
        r#"select not exists (select 1 from judgement where rejudging_id = ?1 and state <> 'done') as "last!: bool""#,
        rejudging
    )
    .fetch_one(&mut **tx)
    .await?;
    if last {
        sqlx::query!(
            "update rejudging set state = 'applied', closed_ms = ? where id = ? and preview = 0 and state = 'open'",
            now,
            rejudging
        )
        .execute(&mut **tx)
        .await?;
        event::append(tx, NewEvent::new(EventKind::Rejudging, EventOp::Update, rejudging.0), now).await?;
    }
    Ok(())
}
