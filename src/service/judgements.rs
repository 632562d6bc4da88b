//! How a contest's submissions went, for those who follow all of them.

use std::collections::HashMap;

use super::{Actor, Service, visibility};
use crate::domain::ids::{JudgementId, SubmissionId};
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;
use crate::store::contest::Contest;
use crate::store::judgement::RunFact;
use crate::store::{StoreError, judgement};

/// The judgement that counts of a submission, once it has begun.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgementFacts {
    /// The judgement.
    pub id: JudgementId,
    /// Its submission.
    pub submission_id: SubmissionId,
    /// Its verdict, once done.
    pub verdict: Option<Verdict>,
    /// When a worker began.
    pub start: EpochMs,
    /// When it was done.
    pub end: Option<EpochMs>,
    /// cpu of the slowest run, milliseconds.
    pub cpu_ms: Option<u64>,
    /// Its points, where the problem gives points.
    pub score: Option<f64>,
}

impl Service {
    /// The judgements that count and that the viewer may see, oldest submission first. One that the freeze hides looks as
    /// if nobody had begun it, and so isn't there.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn judgements(
        &self,
        viewer: Option<&Actor>,
        contest: &Contest,
        only: Option<&[SubmissionId]>,
    ) -> Result<Vec<JudgementFacts>, StoreError> {
        let mut rows = self.submissions_of(viewer, contest.id, only).await?;
        // What comes after the end is for practice, or by somebody's own clock.
        rows.retain(|row| contest.times().end().is_none_or(|end| row.submitted < end) && !row.in_virtual_run);
        let times = match only {
            Some(ids) => judgement::times_of(self.store.read(), ids).await?,
            None => judgement::times(self.store.read(), contest.id).await?,
        };
        let times: HashMap<_, _> = times.into_iter().map(|times| (times.judgement_id, times)).collect();
        let facts = rows.into_iter().filter(|row| row.state != judgement::JudgementState::Queued).filter_map(|row| {
            let times = times.get(&row.judgement_id)?;
            Some(JudgementFacts {
                id: row.judgement_id,
                submission_id: row.id,
                verdict: row.verdict,
                start: times.start?,
                // Judged between the two reads: it has no end yet, as it has no verdict.
                end: times.end.filter(|_| row.verdict.is_some()),
                cpu_ms: row.cpu_ms,
                score: times.score.filter(|_| row.verdict.is_some()),
            })
        });
        Ok(facts.collect())
    }

    /// The runs of the judgements that count, for judges; nobody else sees any.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn run_facts(
        &self,
        viewer: Option<&Actor>,
        contest: &Contest,
        only: Option<&[SubmissionId]>,
    ) -> Result<Vec<RunFact>, StoreError> {
        if !visibility::is_judge(viewer) {
            return Ok(Vec::new());
        }
        let end = contest.times().end().unwrap_or(EpochMs(i64::MAX));
        judgement::run_facts(self.store.read(), contest.id, end, only).await
    }
}
