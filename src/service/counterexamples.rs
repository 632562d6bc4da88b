//! Who may see a counterexample: the submission's own people, once the contest that allows it is over; judges and setters
//! whenever there is one.

use super::{Actor, Service, visibility};
use crate::domain::contest::Phase;
use crate::domain::ids::JudgementId;
use crate::domain::time::EpochMs;
use crate::store::contest::FailedTests;
use crate::store::counterexample::{self, Counterexample};
use crate::store::submission::SubmissionRow;
use crate::store::{StoreError, contest};

impl Service {
    /// The counterexample of a judgement of this submission, if the viewer may see it. The caller must have read the
    /// judgement among those of the submission.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn counterexample(
        &self,
        viewer: Option<&Actor>,
        row: &SubmissionRow,
        judgement: JudgementId,
        now: EpochMs,
    ) -> Result<Option<Counterexample>, StoreError> {
        if !visibility::may_see_source(viewer, row) {
            return Ok(None);
        }
        if !visibility::is_judge(viewer) && !visibility::may_see_tests(viewer) {
            let contest = contest::by_id(self.store.read(), row.contest_id).await?;
            let contest = contest.ok_or(StoreError::RowMissing("contest"))?;
            // A contest that was prolonged is not over, whatever was made before.
            let over = contest.times().phase(now) == Phase::Ended;
            if !over || contest.failed_tests != FailedTests::CounterexampleAfterEnd {
                return Ok(None);
            }
        }
        counterexample::of_judgement(self.store.read(), judgement).await
    }
}
