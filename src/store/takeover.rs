//! Claims that nobody keeps: those of a process that is no more are put back at once instead of when their leases end.
//!
//! A server that was killed did nothing wrong with the job, so the attempt doesn't count. A job in the middle of which the
//! whole server ended again and again is another matter: it may be what ends it, and is given up. But others may end the
//! server as well, many times in a minute, and then the same job is hit each time because it is the first. So a job that
//! was hit a few times is held back, longer each time: the others get their turn, and a job that is given up was there
//! each time for more than an hour, whatever else went on.

use super::job::{self, JobError, Lease};
use super::{StoreError, WriteTx};
use crate::domain::ids::JobId;
use crate::domain::time::EpochMs;

/// In the middle of how many of its attempts the whole server may end before a job is given up.
pub const MAX_INTERRUPTIONS: i64 = 20;
/// After so many interruptions a job is still begun again at once.
pub const FREE_INTERRUPTIONS: i64 = 3;
/// The longest that an interrupted job is held back, milliseconds.
pub const LONGEST_HOLD_MS: i64 = 600_000;
/// How long it is held back when it first is; twice as long each time after that, milliseconds.
const FIRST_HOLD_MS: i64 = 1_000;

/// How long a job is held back after so many interruptions, milliseconds.
fn hold_ms(interruptions: i64) -> i64 {
    let Ok(held) = u32::try_from(interruptions - FREE_INTERRUPTIONS - 1) else { return 0 };
    FIRST_HOLD_MS.saturating_mul(2_i64.saturating_pow(held)).min(LONGEST_HOLD_MS)
}

/// No job that was hit more than [`FREE_INTERRUPTIONS`] times is held back until then: the clock has been set back, and it is
/// due.
pub(super) fn held_too_far(now: EpochMs) -> EpochMs {
    now.plus_ms(LONGEST_HOLD_MS)
}

/// Puts back all jobs that this process's own workers had claimed, and gives up those that were interrupted
/// [`MAX_INTERRUPTIONS`] times. Returns how many
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
        let due = now.plus_ms(hold_ms(job.interruptions));
        match job::give_back_until(tx, Lease { job: job.id, token: job.token }, due, now).await {
            Err(JobError::Store(error)) => return Err(error),
            // It was claimed a moment ago, in this transaction's view.
            Ok(()) | Err(JobError::LeaseLost | JobError::Outdated) => {}
        }
    }
    Ok(claimed.len())
}

/// Sees to leases that nobody keeps. Mostly all are kept, which one look shows.
pub(super) async fn end_silent(tx: &mut WriteTx, now: EpochMs) -> Result<(), StoreError> {
    // Once is enough for all claims of a transaction.
    if tx.silent_ended.replace(now).is_some() {
        return Ok(());
    }
    let latest = now.plus_ms(job::LEASE_MS);
    let any = sqlx::query_scalar!(
        r#"select exists (select 1 from job where state = 'leased' and lease_until_ms > ?2)
            or exists (select 1 from job where state = 'leased' and lease_until_ms <= ?1 and attempts >= ?3) as "any!: bool""#,
        now,
        latest,
        job::MAX_ATTEMPTS
    )
    .fetch_one(&mut **tx)
    .await?;
    if any {
        bound_leases(tx, now).await?;
        give_up_silent(tx, now).await?;
    }
    Ok(())
}

/// After the clock was set back a silent worker's lease must not last until the old time comes again. One that lives
/// renews its own.
async fn bound_leases(tx: &mut WriteTx, now: EpochMs) -> Result<(), StoreError> {
    let latest = now.plus_ms(job::LEASE_MS);
    sqlx::query!("update job set lease_until_ms = ?1 where state = 'leased' and lease_until_ms > ?1", latest)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

async fn give_up_silent(tx: &mut WriteTx, now: EpochMs) -> Result<(), StoreError> {
    let silent = sqlx::query_scalar!(
        r#"select id as "id!: JobId" from job
        where state = 'leased' and lease_until_ms <= ? and attempts >= ?"#,
        now,
        job::MAX_ATTEMPTS
    )
    .fetch_all(&mut **tx)
    .await?;
    for id in silent {
        job::give_up(tx, id, i64::from(job::MAX_ATTEMPTS), "the worker fell silent while it worked on this", now)
            .await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_given_up_only_when_it_was_there_for_an_hour() {
        let holds: Vec<i64> = (1..MAX_INTERRUPTIONS).map(hold_ms).collect();
        assert_eq!(holds[..6], [0, 0, 0, 1_000, 2_000, 4_000]);
        assert!(holds.is_sorted() && holds.iter().all(|hold| *hold <= LONGEST_HOLD_MS));
        assert!(holds.iter().sum::<i64>() > 3_600_000, "{holds:?}");
    }
}
