//! Whether two machines judge alike, and of what kind one is. Pure.
//!
//! The margin is the ICPC format's `time_limit_to_tle`: a program that is to be too slow must need at least half as long
//! again as the limit. A machine that is more than that slower or faster would give a borderline program another verdict.

use crate::domain::hash::Sha256;
use crate::farm::wire::call::{Calibration, Measure};

/// How many times as long the same work may take, in tenths.
const MARGIN_TENTHS: u64 = 15;

/// Whether the tools are the same, version for version, and used alike.
pub fn judges_alike(one: &Measure, other: &Measure) -> bool {
    (&one.tools, &one.commands, &one.sandbox) == (&other.tools, &other.commands, &other.sandbox)
}

/// What machines have in common whose times may be compared: tools, sandbox, processor, and about how fast they are. Where
/// two of a kind are told apart since one lies just over a step of speed, the limits are measured once more than necessary.
pub fn kind(of: &Measure) -> Sha256 {
    let tools = of.tools.iter().map(|(name, identity)| (name.as_str(), identity.as_bytes().as_slice()));
    let host = ["processor", "architecture"].map(|what| (what, of.host.get(what).map_or("", String::as_str)));
    let speed = of.calibration.map_or(0, |calibration| step(total(calibration))).to_le_bytes();
    let commands = of.commands.as_ref().map_or(&[][..], |commands| commands.as_bytes());
    let parts = [("commands", commands), ("sandbox", of.sandbox.as_bytes()), ("speed", speed.as_slice())];
    Sha256::of_parts(tools.chain(host.map(|(what, text)| (what, text.as_bytes()))).chain(parts))
}

/// Within a step nothing takes more than [`MARGIN_TENTHS`] as long as anything else.
fn step(mut us: u64) -> u32 {
    let mut step = 0;
    while us >= MARGIN_TENTHS {
        us = us / MARGIN_TENTHS * 10 + us % MARGIN_TENTHS * 10 / MARGIN_TENTHS;
        step += 1;
    }
    step
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
    fn a_kind_is_tools_processor_and_about_the_speed() {
        let one = takes(1_000);
        let with = |change: &dyn Fn(&mut Measure)| {
            let mut other = one.clone();
            change(&mut other);
            kind(&other) == kind(&one)
        };
        assert!(with(&|_| {}));
        let host = |what: &'static str| {
            with(&move |other| {
                other.host.insert(what.to_owned(), "another".to_owned());
            })
        };
        assert!(host("kernel"), "times don't depend on it");
        assert!(!host("processor"));
        assert!(!with(&|other| {
            other.tools.insert("gcc".to_owned(), Sha256::of(b"13"));
        }));
        assert!(!with(&|other| other.sandbox = "2".to_owned()));
        assert!(!with(&|other| other.calibration = takes(2_000).calibration));
    }

    #[test]
    fn steps_of_speed_are_as_wide_as_the_margin() {
        assert_eq!((step(0), step(14), step(15)), (0, 0, 1));
        assert!(step(u64::MAX) > step(u64::MAX / 2));
        for us in [3_000, 90_000, 7_654_321] {
            let (slower, much_slower) = (us / 20 * 21, us / 10 * 16);
            assert!(step(slower) - step(us) <= 1, "{us}");
            assert!(step(much_slower) > step(us), "{us}");
        }
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
