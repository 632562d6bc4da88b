//! Contests: when they run and when the board freezes. Field meanings are CLICS 2023-06's.

use super::time::EpochMs;

/// Where a contest is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The start lies ahead, or isn't set.
    Before,
    /// Submissions count.
    Running,
    /// Over.
    Ended,
}

/// A contest's times. The practice contest has no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContestTimes {
    /// When it starts.
    pub start: EpochMs,
    /// How long it lasts, milliseconds; `None` lasts for ever.
    pub duration_ms: Option<i64>,
    /// For how long before the end the public board is frozen, milliseconds.
    pub freeze_ms: Option<i64>,
}

impl ContestTimes {
    /// The phase at `now`. A submission at or after the end doesn't count (ICPC), so the end belongs to `Ended`.
    pub fn phase(&self, now: EpochMs) -> Phase {
        let passed = now.since(self.start);
        if passed < 0 {
            Phase::Before
        } else if self.duration_ms.is_some_and(|duration| passed >= duration) {
            Phase::Ended
        } else {
            Phase::Running
        }
    }
}
