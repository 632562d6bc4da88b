//! The slots of a sandbox.
//!
//! Owns: which of them a run gets, and making them when they are needed. Must not know: what a run does.

use std::mem;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::SandboxError;
use super::cgroup::Found;
use super::slot::Slot;
use super::spawner_handle::SpawnerHandle;
use super::spec::Freshness;

/// A fixed number of slots, each idle, in use, or not made yet.
#[derive(Debug)]
pub(super) struct Pool {
    spawner: Arc<SpawnerHandle>,
    found: Arc<Found>,
    /// The number of the first slot, and the processors that they get in turn.
    first: u32,
    cores: Vec<usize>,
    slots: Mutex<Slots>,
    freed: Condvar,
}

#[derive(Debug)]
struct Slots {
    idle: Vec<Slot>,
    /// Numbers of the slots that aren't made.
    vacant: Vec<u32>,
}

impl Pool {
    /// Makes no slot yet.
    pub(super) fn new(numbers: Range<u32>, cores: &[usize], spawner: &Arc<SpawnerHandle>, found: &Arc<Found>) -> Self {
        Self {
            spawner: Arc::clone(spawner),
            found: Arc::clone(found),
            first: numbers.start,
            cores: cores.to_vec(),
            slots: Mutex::new(Slots { idle: Vec::new(), vacant: numbers.rev().collect() }),
            freed: Condvar::new(),
        }
    }

    /// Makes all slots, with their keepers.
    pub(super) fn warm(&self) -> Result<(), SandboxError> {
        let mut slots = self.lock();
        while let Some(index) = slots.vacant.pop() {
            let mut slot = self.make(index)?;
            slot.warm()?;
            slots.idle.push(slot);
        }
        Ok(())
    }

    fn make(&self, index: u32) -> Result<Slot, SandboxError> {
        let turn = usize::try_from(index - self.first).unwrap_or(0);
        Slot::new(index, core_of(turn, &self.cores), &self.spawner, &self.found)
    }

    /// The best slot for a run, once there is one.
    pub(super) fn take(&self, freshness: Freshness) -> Result<Slot, SandboxError> {
        let mut slots = self.lock();
        loop {
            if let Some(index) = fitting(&slots.idle, freshness) {
                return Ok(slots.idle.swap_remove(index));
            }
            if let Some(index) = slots.vacant.pop() {
                drop(slots);
                return self.make(index).inspect_err(|_| {
                    self.lock().vacant.push(index);
                    self.freed.notify_one();
                });
            }
            slots = self.freed.wait(slots).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn give_back(&self, slot: Slot) {
        self.lock().idle.push(slot);
        self.freed.notify_one();
    }

    /// Unmakes the idle slots.
    pub(super) fn retire(&self) {
        let idle = mem::take(&mut self.lock().idle);
        let indices: Vec<u32> = idle.iter().map(Slot::index).collect();
        // Takes as long as the kernel needs to end the processes.
        drop(idle);
        self.lock().vacant.extend(indices);
        self.freed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        // A panic elsewhere leaves a slot missing at most; the others are whole.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The processor of a pool's slot. Slots share one only when there are more of them than processors.
fn core_of(turn: usize, cores: &[usize]) -> Option<usize> {
    turn.checked_rem(cores.len()).map(|turn| cores[turn])
}

/// The best of these slots for a run.
fn fitting(slots: &[Slot], freshness: Freshness) -> Option<usize> {
    let fitting = match freshness {
        Freshness::Wiped { tag } => slots.iter().position(|slot| slot.serves(tag)),
        Freshness::Fresh => None,
    };
    // Else one whose generation nobody will miss.
    fitting.or_else(|| slots.iter().position(Slot::is_bare)).or(slots.len().checked_sub(1))
}

#[cfg(test)]
mod tests {
    use super::core_of;

    #[test]
    fn no_two_slots_share_a_processor_while_there_are_enough() {
        let cores = |slots: usize, cores: &[usize]| (0..slots).map(|turn| core_of(turn, cores)).collect::<Vec<_>>();
        assert_eq!(cores(2, &[0, 1, 4]), [Some(0), Some(1)]);
        assert_eq!(cores(5, &[2, 3]), [2, 3, 2, 3, 2].map(Some));
        assert_eq!(cores(2, &[]), [None, None]);
    }
}
