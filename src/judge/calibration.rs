//! A fixed set of work that tells how fast a machine is beside another.
//!
//! Owns: the work. Each part is short and done often, its processor time is taken, and the best counts: what else the machine
//! does meanwhile only makes some of them longer. Must not know: which machines are fast enough.

use std::hint::black_box;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// How often each part is done.
const TIMES: u32 = 100;
/// Steps of arithmetic.
const STEPS: u64 = 1 << 16;
/// Memory that is read in leaps: larger than the caches of one core.
const MEMORY_WORDS: usize = 4 << 20;
/// Leaps through it.
const LEAPS: usize = 1 << 12;
/// System calls.
const CALLS: u32 = 1 << 10;

/// How long each part would take if it always went as well as at best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calibration {
    /// Arithmetic.
    pub cpu: Duration,
    /// Reading memory in an order that no cache foresees.
    pub memory: Duration,
    /// System calls.
    pub calls: Duration,
}

/// Does the work: less than a second.
pub fn calibrate() -> Calibration {
    let chain = chain();
    Calibration { cpu: best(arithmetic), memory: best(|| leap(&chain)), calls: best(call) }
}

fn best<T>(mut work: impl FnMut() -> T) -> Duration {
    let time = |_| {
        let start = processor_time();
        black_box(work());
        processor_time().saturating_sub(start)
    };
    (0..TIMES).map(time).min().unwrap_or_default() * TIMES
}

/// What this thread has used.
fn processor_time() -> Duration {
    let used = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(used.tv_sec.unsigned_abs(), u32::try_from(used.tv_nsec).unwrap_or_default())
}

/// Marsaglia's xorshift: each step needs the one before.
const fn step(mut state: u64) -> u64 {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    state
}

fn arithmetic() -> u64 {
    (0..STEPS).fold(black_box(1), |state, _| step(state))
}

/// One ring through the whole memory (Sattolo's shuffle): each word names the next.
fn chain() -> Vec<u32> {
    let mut ring: Vec<u32> = (0..u32::try_from(MEMORY_WORDS).unwrap_or(u32::MAX)).collect();
    let mut state = 1;
    for last in (1..ring.len()).rev() {
        state = step(state);
        ring.swap(last, usize::try_from(state % last as u64).unwrap_or_default());
    }
    ring
}

fn leap(ring: &[u32]) -> u32 {
    (0..LEAPS).fold(0, |at, _| ring[at as usize])
}

fn call() {
    for _ in 0..CALLS {
        black_box(rustix::process::getppid());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_the_memory_is_one_ring() {
        let ring = chain();
        let (mut at, mut length) = (ring[0], 1);
        while at != 0 {
            at = ring[at as usize];
            length += 1;
        }
        assert_eq!(length, ring.len());
    }

    #[test]
    fn every_part_takes_time() {
        let took = calibrate();
        assert!([took.cpu, took.memory, took.calls].iter().all(|part| *part > Duration::from_micros(10)), "{took:?}");
    }
}
