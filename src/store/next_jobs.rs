//! Whose job is next, looked up for several claims at once: what one claim reads is of all that wait, and the next one would
//! read nearly the same.
//!
//! Owns: how long that holds. It is handed from one write transaction to the next, so a queue that this process changes is
//! never looked at in an old state. What another process changes is seen within [`FRESH_MS`], and a job that is no longer to
//! be had is found out when it is taken.

use std::collections::VecDeque;

use crate::domain::ids::JobId;
use crate::domain::time::EpochMs;

/// How many are looked up at once.
pub(super) const LOOKED_UP: i64 = 32;
/// How old it may be, milliseconds.
const FRESH_MS: i64 = 100;

/// Jobs in the order of their turns, one of each owner, and as of when.
#[derive(Debug, Default)]
pub(super) struct NextJobs {
    ids: VecDeque<JobId>,
    at: EpochMs,
}

impl NextJobs {
    pub(super) fn new(ids: Vec<JobId>, at: EpochMs) -> Self {
        Self { ids: ids.into(), at }
    }

    /// The first, if what was looked up still holds.
    pub(super) fn first(&self, now: EpochMs) -> Option<JobId> {
        let is_fresh = now.0.abs_diff(self.at.0) <= FRESH_MS.unsigned_abs();
        self.ids.front().copied().filter(|_| is_fresh)
    }

    pub(super) fn forget(&mut self) {
        self.ids.clear();
    }

    pub(super) fn withhold(&mut self, id: JobId) {
        self.ids.retain(|next| *next != id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_looked_up_holds_for_a_moment() {
        let mut next = NextJobs::new(vec![JobId(3), JobId(1)], EpochMs(1_000));
        for (now, first) in
            [(1_000, Some(3)), (1_100, Some(3)), (900, Some(3)), (1_101, None), (899, None), (i64::MIN, None)]
        {
            assert_eq!(next.first(EpochMs(now)), first.map(JobId), "{now}");
        }
        next.withhold(JobId(3));
        assert_eq!(next.first(EpochMs(1_000)), Some(JobId(1)));
        next.forget();
        assert_eq!(next.first(EpochMs(1_000)), None);
        assert_eq!(NextJobs::default().first(EpochMs(0)), None);
    }
}
