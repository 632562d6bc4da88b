//! Whether two machines judge alike. Pure.
//!
//! The margin is the ICPC format's `time_limit_to_tle`: a program that is to be too slow must need at least half as long
//! again as the limit. A machine that is more than that slower or faster would give a borderline program another verdict.

use crate::farm::wire::call::{Calibration, Measure};

/// How many times as long the same work may take, in tenths.
const MARGIN_TENTHS: u64 = 15;

/// Whether the tools are the same, version for version.
pub fn judges_alike(one: &Measure, other: &Measure) -> bool {
    (&one.tools, &one.sandbox) == (&other.tools, &other.sandbox)
}

/// # Errors
/// Why a machine is too fast or too slow beside the standard: a sentence.
pub fn fits(one: &Measure, standard: &Measure) -> Result<(), String> {
    let (Some(one), Some(standard)) = (one.calibration, standard.calibration) else { return Ok(()) };
    let parts = [
        ("arithmetic", one.cpu_us, standard.cpu_us),
        ("memory", one.memory_us, standard.memory_us),
        ("system calls", one.calls_us, standard.calls_us),
    ];
    // All together: a single part may differ from one processor to the next without a program's time doing so.
    if !is_far(total(one), total(standard)) {
        return Ok(());
    }
    let parts = parts.map(|(what, one, standard)| format!("{what} {one} to {standard}")).join(", ");
    Err(format!(
        "the same work takes this machine {} µs and the judge's {} µs ({parts}): more than the margin of 1.5, so its verdicts \
         could differ",
        total(one),
        total(standard)
    ))
}

const fn total(of: Calibration) -> u64 {
    of.cpu_us.saturating_add(of.memory_us).saturating_add(of.calls_us)
}

const fn is_far(one: u64, other: u64) -> bool {
    let (more, less) = if one > other { (one, other) } else { (other, one) };
    more.saturating_mul(10) > less.saturating_mul(MARGIN_TENTHS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(us: u64) -> Measure {
        Measure { calibration: Some(Calibration { cpu_us: us, memory_us: us, calls_us: us }), ..Measure::default() }
    }

    #[test]
    fn a_machine_outside_the_margin_is_left_out() {
        for near in [1000, 667, 1500] {
            assert_eq!(fits(&takes(near), &takes(1000)), Ok(()), "{near}");
        }
        for far in [1501, 666, 0, u64::MAX] {
            assert!(fits(&takes(far), &takes(1000)).unwrap_err().contains("margin"), "{far}");
        }
        assert_eq!(fits(&Measure::default(), &takes(1000)), Ok(()));
    }
}
