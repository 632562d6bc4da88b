//! Claims of a process that is no more: they are put back at once instead of when their leases end.
//!
//! A server that was killed did nothing wrong with the job, so the attempt doesn't count. A job that was begun again and
//! again and each time the whole server ended is another matter: it may be what ends it, and is given up.

use super::job;
use super::{StoreError, WriteTx};
use crate::domain::ids::{JobId, JudgementId, PackageId, ProposalId, TrialId};
use crate::domain::time::EpochMs;

/// How often a job may have been begun when the server ends in the middle of it; each claim counts, whatever came of it.
pub const MAX_CLAIMS: i64 = 20;

/// Puts all claimed jobs back, and gives up those that were begun [`MAX_CLAIMS`] times. Returns how many were claimed.
pub async fn take_back_claims(tx: &mut WriteTx, now: EpochMs) -> Result<usize, StoreError> {
    let claimed = sqlx::query!(
        r#"select id as "id!: JobId", token, judgement_id as "judgement_id: JudgementId",
            package_id as "package_id: PackageId", proposal_id as "proposal_id: ProposalId",
            trial_id as "trial_id: TrialId"
        from job where state = 'leased'"#
    )
    .fetch_all(&mut **tx)
    .await?;
    for job in &claimed {
        if job.token >= MAX_CLAIMS {
            job::give_up(tx, job.id, job.token, "the server ended in the middle of this each time", now).await?;
            continue;
        }
        sqlx::query!(
            "update job set state = 'queued', worker = null, lease_until_ms = null, not_before_ms = ?,
                attempts = max(attempts - 1, 0)
            where id = ?",
            now,
            job.id
        )
        .execute(&mut **tx)
        .await?;
        let work = job::work(job.judgement_id, job.package_id, job.proposal_id, job.trial_id)?;
        job::put_back(tx, work, now).await?;
    }
    Ok(claimed.len())
}
