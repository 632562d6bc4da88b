//! How the judge does, for judges and up.

use super::{Actor, Forbidden, Service, require};
use crate::domain::account::Role;
use crate::domain::time::EpochMs;
use crate::store::StoreError;
use crate::store::health::{self, Ended, Failure, KindCount, RunningJob};

/// How many spans throughput is shown for.
pub const SPANS: u32 = 96;
/// The length of such a span, milliseconds.
pub const SPAN_MS: i64 = 15 * 60_000;
/// How many failures are listed.
const FAILURES: u32 = 20;

/// Why it can't be seen.
#[derive(Debug, thiserror::Error)]
pub enum HealthError {
    /// The role doesn't allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a look at the judge shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// What waits and runs, by kind.
    pub queue: Vec<KindCount>,
    /// Who works on what.
    pub running: Vec<RunningJob>,
    /// What was given up last.
    pub failures: Vec<Failure>,
    /// When the first span of `ended` began.
    pub from: EpochMs,
    /// Judgements that ended, by span of [`SPAN_MS`]; there are [`SPANS`].
    pub ended: Vec<Ended>,
    /// The size of the database, bytes.
    pub database_bytes: u64,
}

impl Service {
    /// A look at the judge.
    ///
    /// # Errors
    /// [`HealthError::Forbidden`] below judge.
    pub async fn health(&self, actor: &Actor, now: EpochMs) -> Result<Health, HealthError> {
        require(actor, Role::Judge)?;
        let read = self.store.read();
        // Spans begin at whole multiples, so that the same judgements stand together at each look.
        let end = EpochMs(now.0 - now.0.rem_euclid(SPAN_MS) + SPAN_MS);
        let from = end.plus_ms(-SPAN_MS * i64::from(SPANS));
        Ok(Health {
            queue: health::queue(read).await?,
            running: health::running(read).await?,
            failures: health::failures(read, FAILURES).await?,
            ended: health::throughput(read, from, SPAN_MS, SPANS).await?,
            from,
            database_bytes: health::database_bytes(read).await?,
        })
    }
}
