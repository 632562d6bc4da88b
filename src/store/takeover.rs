//! Claims of a process that is no more: they are put back at once instead of when their leases end.
//!
//! A server that was killed did nothing wrong with the job, so the attempt doesn't count. A job in the middle of which the
//! whole server ended again and again is another matter: it may be what ends it, and is given up.

use super::job::{self, JobError, Lease};
use super::{StoreError, WriteTx};
use crate::domain::ids::JobId;
use crate::domain::time::EpochMs;

/// In the middle of how many of its attempts the whole server may end before a job is given up.
pub const MAX_INTERRUPTIONS: i64 = 20;

/// Puts back all jobs that this process's own workers had claimed, and gives up those that were interrupted [`MAX_INTERRUPTIONS`] times. Returns how many
/// were claimed.
pub async fn take_back_claims(tx: &mut WriteTx, now: EpochMs) -> Result<usize, StoreError> {
    let claimed = sqlx::query!(
        r#"update job set interruptions = interruptions + 1 where state = 'leased' and instr(worker, '/') = 0
        returning id as "id!: JobId", token, interruptions"#
    )
    .fetch_all(&mut **tx)
    .await?;
    // Workers on other machines may be working still: they get as long as if they had just been heard.
    let until = now.plus_ms(job::LEASE_MS);
    sqlx::query!("update job set lease_until_ms = ? where state = 'leased' and instr(worker, '/') > 0", until)
        .execute(&mut **tx)
        .await?;
    for job in &claimed {
        if job.interruptions >= MAX_INTERRUPTIONS {
            job::give_up(tx, job.id, job.interruptions, "the server ended in the middle of this each time", now)
                .await?;
            continue;
        }
        match job::give_back(tx, Lease { job: job.id, token: job.token }, now).await {
            Err(JobError::Store(error)) => return Err(error),
            // It was claimed a moment ago, in this transaction's view.
            Ok(()) | Err(JobError::LeaseLost | JobError::Outdated) => {}
        }
    }
    Ok(claimed.len())
}
