//! How a contest's submissions went, for those who follow all of them.

use std::collections::HashMap;

use super::submissions::MAX_LISTED;
use super::{Actor, Service};
use crate::domain::ids::{ContestId, JudgementId, SubmissionId};
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;
use crate::store::submission::SubmissionFilter;
use crate::store::{StoreError, judgement};

/// The judgement that counts of a submission, once it has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
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
        contest: ContestId,
    ) -> Result<Vec<JudgementFacts>, StoreError> {
        let filter = SubmissionFilter { contest: Some(contest), ..SubmissionFilter::default() };
        let mut rows = self.submissions(viewer, &filter, MAX_LISTED).await?;
        rows.reverse();
        let times: HashMap<_, _> = judgement::times(self.store.read(), contest)
            .await?
            .into_iter()
            .map(|times| (times.judgement_id, times))
            .collect();
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
            })
        });
        Ok(facts.collect())
    }
}
