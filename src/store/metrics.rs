//! Counts for whoever watches the judge.

use sqlx::SqlitePool;

use super::StoreError;

/// What the file holds, by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// Submissions.
    pub submissions: i64,
    /// Accounts.
    pub accounts: i64,
    /// Number of the latest event.
    pub events: i64,
    /// Jobs that were given up.
    pub failed_jobs: i64,
    /// Size of the file, bytes.
    pub bytes: i64,
    /// When the oldest job that nobody has was queued, epoch milliseconds.
    pub oldest_queued_ms: Option<i64>,
    /// Judgements that count, by verdict.
    pub verdicts: Vec<(String, i64)>,
}

/// Counts all of it.
pub async fn counts(pool: &SqlitePool) -> Result<Counts, StoreError> {
    let row = sqlx::query!(
        r#"select (select count(*) from submission) as "submissions!: i64", (select count(*) from account) as "accounts!: i64",
            (select coalesce(max(id), 0) from event) as "events!: i64",
            (select count(*) from job where state = 'failed') as "failed_jobs!: i64",
            (select page_count * page_size from pragma_page_count(), pragma_page_size()) as "bytes!: i64",
            (select min(created_ms) from job where state = 'queued') as "oldest_queued_ms: i64""#
    )
    .fetch_one(pool)
    .await?;
    let verdicts = sqlx::query!(
        r#"select verdict as "verdict!", count(*) as "count!: i64" from judgement
        where valid = 1 and verdict is not null group by verdict order by verdict"#
    )
    .fetch_all(pool)
    .await?;
    Ok(Counts {
        submissions: row.submissions,
        accounts: row.accounts,
        events: row.events,
        failed_jobs: row.failed_jobs,
        bytes: row.bytes,
        oldest_queued_ms: row.oldest_queued_ms,
        verdicts: verdicts.into_iter().map(|row| (row.verdict, row.count)).collect(),
    })
}

/// How much work waits and runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueLength {
    /// Jobs that nobody has.
    pub queued: u64,
    /// Jobs that somebody works on.
    pub leased: u64,
}

/// How much work waits and runs now.
pub async fn queue_length(pool: &sqlx::SqlitePool) -> Result<QueueLength, StoreError> {
    let length = sqlx::query_as!(
        QueueLength,
        r#"select coalesce(sum(state = 'queued'), 0) as "queued!: _", coalesce(sum(state = 'leased'), 0) as "leased!: _"
        from job where state in ('queued', 'leased')"#
    )
    .fetch_one(pool)
    .await?;
    Ok(length)
}
