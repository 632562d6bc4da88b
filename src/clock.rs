//! The one place that reads the wall clock. Only the edges (web, cli, the worker loop) call it.

use crate::domain::time::EpochMs;

/// The current time.
#[expect(clippy::disallowed_methods, reason = "this is the place that the ban points to")]
pub fn now() -> EpochMs {
    let passed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    EpochMs(i64::try_from(passed.as_millis()).unwrap_or(i64::MAX))
}
