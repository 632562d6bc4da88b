//! Judging again. The old judgement counts until the new one is done, so a board never loses a verdict meanwhile.

use sqlx::SqliteExecutor;

use super::event::{self, EventKind, EventOp, NewEvent};
use super::judgement::Subject;
use super::{StoreError, WriteTx};
use crate::domain::ids::{AccountId, JudgementId, ProblemId, RejudgingId, SubmissionId};
use crate::domain::time::EpochMs;

/// Begins a rejudging whose judgements count as soon as each is done.
pub async fn insert(
    tx: &mut WriteTx,
    reason: &str,
    created_by: AccountId,
    now: EpochMs,
) -> Result<RejudgingId, StoreError> {
    let id = sqlx::query_scalar!(
        r#"insert into rejudging (reason, preview, state, created_ms, created_by) values (?, 0, 'open', ?, ?)
        returning id as "id!: RejudgingId""#,
        reason,
        now,
        created_by
    )
    .fetch_one(&mut **tx)
    .await?;
    event::append(tx, NewEvent::new(EventKind::Rejudging, EventOp::Create, id.0), now).await?;
    Ok(id)
}

/// The submissions of a problem that a rejudging of it would judge: those whose judgement that counts was made with
/// other tests or another package than the ones in force, and that don't wait for a new one already. Oldest first.
pub async fn candidates(
    executor: impl SqliteExecutor<'_>,
    problem: ProblemId,
) -> Result<Vec<SubmissionId>, StoreError> {
    let ids = sqlx::query_scalar!(
        r#"select s.id as "id!: SubmissionId" from submission s join problem p on p.id = s.problem_id
            join judgement c on c.submission_id = s.id and c.valid = 1
        where s.problem_id = ? and (c.test_set_id <> p.test_set_id or c.package_id <> p.package_id) and not exists (
            select 1 from judgement j where j.submission_id = s.id and j.state <> 'done'
                and j.package_id = p.package_id and j.test_set_id = p.test_set_id)
        order by s.id"#,
        problem
    )
    .fetch_all(executor)
    .await?;
    Ok(ids)
}

/// Whether a submission already waits for a judgement with the current package and tests.
pub async fn is_waiting(tx: &mut WriteTx, submission: SubmissionId) -> Result<bool, StoreError> {
    let waiting = sqlx::query_scalar!(
        r#"select exists (select 1 from judgement j join submission s on s.id = j.submission_id
                join problem p on p.id = s.problem_id
            where s.id = ? and j.state <> 'done' and j.package_id = p.package_id
                and j.test_set_id = p.test_set_id) as "waiting!: bool""#,
        submission
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(waiting)
}

/// Lets a done judgement of a rejudging count, and closes the rejudging after its last one.
///
/// It takes over only from an older judgement (two rejudgings may overlap), and a fault of the judge's own never
/// takes a verdict's place.
pub(super) async fn judgement_done(
    tx: &mut WriteTx,
    rejudging: RejudgingId,
    judgement: JudgementId,
    subject: Subject,
    now: EpochMs,
) -> Result<(), StoreError> {
    let takes_over = sqlx::query_scalar!(
        r#"select exists (
            select 1 from judgement old join judgement new on new.id = ?1 join rejudging r on r.id = new.rejudging_id
            where old.submission_id = ?2 and old.valid = 1 and old.id < new.id and r.preview = 0
                and (new.verdict <> 'JE' or old.verdict is null or old.verdict = 'JE')) as "takes_over!: bool""#,
        judgement,
        subject.submission_id
    )
    .fetch_one(&mut **tx)
    .await?;
    if takes_over {
        sqlx::query!("update judgement set valid = 0 where submission_id = ? and valid = 1", subject.submission_id)
            .execute(&mut **tx)
            .await?;
        sqlx::query!("update judgement set valid = 1 where id = ?", judgement).execute(&mut **tx).await?;
    }
    let closed = sqlx::query!(
        "update rejudging set state = 'applied' where id = ?1 and preview = 0 and state = 'open'
            and not exists (select 1 from judgement where rejudging_id = ?1 and state <> 'done')",
        rejudging
    )
    .execute(&mut **tx)
    .await?
    .rows_affected();
    if closed == 1 {
        event::append(tx, NewEvent::new(EventKind::Rejudging, EventOp::Update, rejudging.0), now).await?;
    }
    Ok(())
}
