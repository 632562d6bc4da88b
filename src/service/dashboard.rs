//! What wants a look now: for judges and up, on one page. Must not know: how it is drawn.

use super::health::{Health, HealthError};
use super::{Actor, Service, require};
use crate::domain::account::Role;
use crate::domain::contest::Phase;
use crate::domain::time::EpochMs;
use crate::store::clarification;
use crate::store::contest::{self, Contest};
use crate::store::rejudging::{self, Rejudging, RejudgingState};

/// How far back rejudgings are looked through.
const REJUDGINGS: u32 = 100;
/// How long after its end a contest's questions still want an answer, milliseconds.
const AFTER_END_MS: i64 = 7 * 24 * 3_600_000;

/// What wants a look.
#[derive(Debug, Clone)]
pub struct Dashboard {
    /// How the judge does.
    pub health: Health,
    /// Contests that run or ended lately, with how many questions have no answer.
    pub contests: Vec<(Contest, u32)>,
    /// Rejudgings that nobody has decided.
    pub undecided: Vec<Rejudging>,
}

impl Service {
    /// What wants a look now.
    ///
    /// # Errors
    /// [`HealthError::Forbidden`] below judge.
    pub async fn dashboard(&self, actor: &Actor, now: EpochMs) -> Result<Dashboard, HealthError> {
        require(actor, Role::Judge)?;
        let read = self.store.read();
        let mut contests = Vec::new();
        for contest in contest::list(read).await? {
            let times = contest.times();
            let lately = times.end().is_none_or(|end| now.since(end) < AFTER_END_MS);
            if times.phase(now) != Phase::Before && lately {
                let unanswered = clarification::unanswered(read, contest.id).await?;
                contests.push((contest, unanswered));
            }
        }
        let mut undecided = rejudging::list(read, None, REJUDGINGS).await?;
        undecided.retain(|one| one.state == RejudgingState::Open);
        Ok(Dashboard { health: self.health(actor, now).await?, contests, undecided })
    }
}
