//! What measured times say: about a limit, and about a run that came close to it.
//!
//! Owns: the format's margins ("Problem timing") and the rule for runs near the limit. Must not measure anything.

pub use crate::domain::verification::Margins;

/// Safety margins around a time limit (format, `time_multipliers`).
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Multipliers {
    /// Slowest accepted × this ≤ limit; at least 1.
    pub ac_to_time_limit: f64,
    /// Limit × this ≤ fastest that is too slow; at least 1.
    pub time_limit_to_tle: f64,
}

impl Default for Multipliers {
    fn default() -> Self {
        Self { ac_to_time_limit: 2.0, time_limit_to_tle: 1.5 }
    }
}

/// The measured times that bound a limit, milliseconds of cpu time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Bounds {
    /// The slowest run of a program that may not be too slow.
    pub slowest_accepted_ms: u64,
    /// Over the programs that must be too slow: the smallest of their slowest runs. `None`: there is no such program.
    pub fastest_too_slow_ms: Option<u64>,
}

/// How `limit_ms` stands to the measured bounds.
pub fn margins(limit_ms: u64, bounds: Bounds, multipliers: Multipliers) -> Margins {
    let (least_ms, most_ms) = range(bounds, multipliers);
    Margins { limit_ms, least_ms, most_ms }
}

/// No multiple of the resolution lies between the bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "no time limit fits: the slowest accepted program needs at least {least_ms} ms, the fastest that is too slow allows at most {most_ms} ms; make the tests larger, or the programs differ more"
)]
pub struct NoLimit {
    /// The least limit, milliseconds.
    pub least_ms: u64,
    /// The most, milliseconds.
    pub most_ms: u64,
}

/// The smallest multiple of `resolution_ms` with the margins (format, "Problem timing": the default `time_limit`).
///
/// # Errors
/// [`NoLimit`] when no multiple has them.
pub fn propose_limit(bounds: Bounds, multipliers: Multipliers, resolution_ms: u64) -> Result<u64, NoLimit> {
    let (least_ms, most_ms) = range(bounds, multipliers);
    let resolution_ms = resolution_ms.max(1);
    // A limit of nothing can't be meant, even when the references take no measurable time.
    let limit_ms = least_ms.max(1).div_ceil(resolution_ms).saturating_mul(resolution_ms);
    match most_ms {
        Some(most_ms) if limit_ms > most_ms => Err(NoLimit { least_ms, most_ms }),
        _ => Ok(limit_ms),
    }
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "milliseconds of a run are far below 2^52, and the casts saturate"
)]
fn range(bounds: Bounds, multipliers: Multipliers) -> (u64, Option<u64>) {
    let least = (bounds.slowest_accepted_ms as f64 * multipliers.ac_to_time_limit.max(1.0)).ceil() as u64;
    let most = bounds.fastest_too_slow_ms.map(|ms| (ms as f64 / multipliers.time_limit_to_tle.max(1.0)).floor() as u64);
    (least, most)
}

/// The most times that a test is run when its time is near the limit.
pub const MOST_RUNS: usize = 3;

/// Whether a time is within 10 % of the limit, so that noise could decide.
pub const fn near_limit(cpu_ms: u64, limit_ms: u64) -> bool {
    cpu_ms.saturating_mul(10) >= limit_ms.saturating_mul(9) && cpu_ms.saturating_mul(10) <= limit_ms.saturating_mul(11)
}

/// The cpu time at which the sandbox should end a run, milliseconds: just past what counts as near the limit, so that a
/// program that never ends isn't taken for one that narrowly missed.
pub const fn kill_after_ms(limit_ms: u64) -> u64 {
    limit_ms.saturating_add(limit_ms.div_ceil(8)).saturating_add(10)
}

/// Whether a test has to be run again, alone, after these times (milliseconds, in order of running).
///
/// The fixed rule: a first time that isn't near the limit stands. Otherwise the test is run until two of at most three
/// times lie on the same side of the limit: the median then is on that side, whatever a third run would say.
pub fn run_again(cpu_ms: &[u64], limit_ms: u64) -> bool {
    match cpu_ms {
        [] => true,
        [first] => near_limit(*first, limit_ms),
        [first, second] => (*first > limit_ms) != (*second > limit_ms),
        _ => false,
    }
}

/// Index of the run that counts: the median of the times; of two on the same side of the limit, the faster.
pub fn counted_run(cpu_ms: &[u64]) -> Option<usize> {
    let mut order: Vec<usize> = (0..cpu_ms.len()).collect();
    order.sort_by_key(|&index| cpu_ms.get(index).copied().unwrap_or(u64::MAX));
    order.get(cpu_ms.len().saturating_sub(1) / 2).copied()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(430, None, 1_000, Ok(1_000))]
    #[case(500, None, 1_000, Ok(1_000))]
    #[case(501, None, 1_000, Ok(2_000))]
    #[case(0, None, 1_000, Ok(1_000))]
    #[case(120, None, 100, Ok(300))]
    #[case(430, Some(1_500), 1_000, Ok(1_000))]
    #[case(430, Some(1_499), 1_000, Err(NoLimit { least_ms: 860, most_ms: 999 }))]
    #[case(430, Some(1_499), 100, Ok(900))]
    fn limits_are_proposed(
        #[case] slowest_accepted_ms: u64,
        #[case] fastest_too_slow_ms: Option<u64>,
        #[case] resolution_ms: u64,
        #[case] expected: Result<u64, NoLimit>,
    ) {
        let bounds = Bounds { slowest_accepted_ms, fastest_too_slow_ms };
        assert_eq!(propose_limit(bounds, Multipliers::default(), resolution_ms), expected);
    }

    #[test]
    fn margins_are_checked_on_both_sides() {
        let bounds = Bounds { slowest_accepted_ms: 600, fastest_too_slow_ms: Some(2_000) };
        let at = |limit| margins(limit, bounds, Multipliers::default());
        assert!(!at(1_199).leaves_room() && at(1_199).cuts_off());
        assert!(at(1_200).hold() && at(1_333).hold());
        assert!(at(1_334).leaves_room() && !at(1_334).cuts_off());
    }

    #[rstest]
    #[case(&[], 1000, true)]
    #[case(&[500], 1000, false)]
    #[case(&[899], 1000, false)]
    #[case(&[900], 1000, true)]
    #[case(&[1100], 1000, true)]
    #[case(&[1101], 1000, false)]
    #[case(&[990, 980], 1000, false)]
    #[case(&[990, 1010], 1000, true)]
    #[case(&[1000, 1001], 1000, true)]
    #[case(&[990, 1010, 1005], 1000, false)]
    fn runs_near_the_limit_are_repeated(#[case] cpu_ms: &[u64], #[case] limit_ms: u64, #[case] again: bool) {
        assert_eq!(run_again(cpu_ms, limit_ms), again);
    }

    #[test]
    fn the_median_counts() {
        assert_eq!(counted_run(&[]), None);
        assert_eq!(counted_run(&[990]), Some(0));
        assert_eq!(counted_run(&[1010, 1005]), Some(1));
        assert_eq!(counted_run(&[990, 1010, 1005]), Some(2));
    }

    proptest! {
        #[test]
        fn a_proposed_limit_has_its_margins(
            slowest in 0_u64..100_000, slow in proptest::option::of(0_u64..1_000_000),
            ac in 1.0_f64..10.0, tle in 1.0_f64..10.0, resolution in 1_u64..5_000,
        ) {
            let bounds = Bounds { slowest_accepted_ms: slowest, fastest_too_slow_ms: slow };
            let multipliers = Multipliers { ac_to_time_limit: ac, time_limit_to_tle: tle };
            if let Ok(limit) = propose_limit(bounds, multipliers, resolution) {
                prop_assert!(margins(limit, bounds, multipliers).hold());
                prop_assert_eq!(limit % resolution, 0);
                let smaller = limit - resolution;
                prop_assert!(smaller == 0 || !margins(smaller, bounds, multipliers).hold());
            }
        }

        #[test]
        fn an_endless_run_is_not_near(limit in 1_u64..1_000_000) {
            prop_assert!(!near_limit(kill_after_ms(limit), limit));
        }

        #[test]
        fn stopping_after_two_decides_as_three_would(limit in 1_u64..2000, a in 0_u64..2500, b in 0_u64..2500, c in 0_u64..2500) {
            if run_again(&[a], limit) && !run_again(&[a, b], limit) {
                let two = [a, b][counted_run(&[a, b]).unwrap()] > limit;
                let three = [a, b, c][counted_run(&[a, b, c]).unwrap()] > limit;
                prop_assert_eq!(two, three);
            }
        }
    }
}
