//! How the judge does: what waits, who works on what, what went wrong, how much was judged.

use sqlx::SqlitePool;

use super::StoreError;
use super::job::JobKind;
use crate::domain::ids::{JobId, SubmissionId};
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;

/// How many jobs of a kind wait and run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindCount {
    /// The kind.
    pub kind: JobKind,
    /// Jobs that nobody has.
    pub queued: u64,
    /// Jobs that somebody works on.
    pub leased: u64,
    /// When the one that waits longest was queued.
    pub oldest: Option<EpochMs>,
}

/// A job that somebody works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningJob {
    /// The job.
    pub id: JobId,
    /// Its kind.
    pub kind: JobKind,
    /// Who works on it.
    pub worker: Option<String>,
    /// How often it was begun.
    pub attempts: u32,
    /// The submission that it is about.
    pub submission: Option<SubmissionId>,
    /// The problem that it is about.
    pub problem: Option<Slug>,
    /// When it was queued.
    pub created: EpochMs,
}

/// Something that the judge gave up for a fault of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The job.
    pub id: JobId,
    /// Its kind.
    pub kind: JobKind,
    /// Why.
    pub cause: Option<String>,
    /// The submission that it was about.
    pub submission: Option<SubmissionId>,
    /// The problem that it was about.
    pub problem: Option<Slug>,
    /// When it was queued.
    pub created: EpochMs,
}

/// How many judgements ended within a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// The span's number, counted from the first of the spans asked for.
    pub span: u32,
    /// How many ended in it.
    pub judgements: u64,
    /// How many of them by a fault of the judge's own.
    pub faults: u64,
}

/// What waits and runs, by kind. Kinds of which nothing does are left out.
pub async fn queue(pool: &SqlitePool) -> Result<Vec<KindCount>, StoreError> {
    let counts = sqlx::query_as!(
        KindCount,
        r#"select kind as "kind!: _", coalesce(sum(state = 'queued'), 0) as "queued!: _",
            coalesce(sum(state = 'leased'), 0) as "leased!: _",
            min(case when state = 'queued' then created_ms end) as "oldest: _"
        from job where state in ('queued', 'leased') group by kind order by min(priority), kind"#
    )
    .fetch_all(pool)
    .await?;
    Ok(counts)
}

/// Who works on what.
pub async fn running(pool: &SqlitePool) -> Result<Vec<RunningJob>, StoreError> {
    let jobs = sqlx::query_as!(
        RunningJob,
        r#"select q.id as "id!: _", q.kind as "kind!: _", q.worker, q.attempts as "attempts!: _",
            j.submission_id as "submission?: _", p.slug as "problem?: _", q.created_ms as "created!: _"
        from job q left join counterexample x on x.id = q.counterexample_id
            left join judgement j on j.id = coalesce(q.judgement_id, x.judgement_id)
            left join submission s on s.id = j.submission_id
            left join package k on k.id = q.package_id left join test_proposal t on t.id = q.proposal_id
            left join trial r on r.id = q.trial_id left join verification v on v.id = q.verification_id
            left join problem p
                on p.id = coalesce(s.problem_id, k.problem_id, t.problem_id, r.problem_id, v.problem_id)
        where q.state = 'leased' order by q.worker, q.id"#
    )
    .fetch_all(pool)
    .await?;
    Ok(jobs)
}

/// What was given up last, newest first.
pub async fn failures(pool: &SqlitePool, limit: u32) -> Result<Vec<Failure>, StoreError> {
    let failures = sqlx::query_as!(
        Failure,
        r#"select q.id as "id!: _", q.kind as "kind!: _", q.last_error as cause, j.submission_id as "submission?: _",
            p.slug as "problem?: _", q.created_ms as "created!: _"
        from job q left join counterexample x on x.id = q.counterexample_id
            left join judgement j on j.id = coalesce(q.judgement_id, x.judgement_id)
            left join submission s on s.id = j.submission_id
            left join package k on k.id = q.package_id left join test_proposal t on t.id = q.proposal_id
            left join trial r on r.id = q.trial_id left join verification v on v.id = q.verification_id
            left join problem p
                on p.id = coalesce(s.problem_id, k.problem_id, t.problem_id, r.problem_id, v.problem_id)
        where q.state = 'failed' order by q.id desc limit ?"#,
        limit
    )
    .fetch_all(pool)
    .await?;
    Ok(failures)
}

/// How many judgements ended in this many spans of this length, milliseconds, from `from` on. Spans without any are left
/// out, and so is what a clock that was wrong put into the future.
pub async fn throughput(pool: &SqlitePool, from: EpochMs, span_ms: i64, spans: u32) -> Result<Vec<Ended>, StoreError> {
    let end = from.plus_ms(span_ms * i64::from(spans));
    let ended = sqlx::query_as!(
        Ended,
        r#"select (end_ms - ?1) / ?2 as "span!: _", count(*) as "judgements!: _", sum(verdict = 'JE') as "faults!: _"
        from judgement where end_ms is not null and end_ms >= ?1 and end_ms < ?3 group by 1
        order by 1"#,
        from,
        span_ms,
        end
    )
    .fetch_all(pool)
    .await?;
    Ok(ended)
}

/// The size of the database, bytes: pages in use and pages that are free to be used again.
pub async fn database_bytes(pool: &SqlitePool) -> Result<u64, StoreError> {
    let (pages,): (i64,) = sqlx::query_as("pragma page_count").fetch_one(pool).await?;
    let (bytes,): (i64,) = sqlx::query_as("pragma page_size").fetch_one(pool).await?;
    Ok(u64::try_from(pages.saturating_mul(bytes)).unwrap_or_default())
}
