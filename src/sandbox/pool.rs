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
    pub(super) fn new(numbers: Range<u32>, spawner: &Arc<SpawnerHandle>, found: &Arc<Found>) -> Self {
        Self {
            spawner: Arc::clone(spawner),
            found: Arc::clone(found),
            slots: Mutex::new(Slots { idle: Vec::new(), vacant: numbers.rev().collect() }),
            freed: Condvar::new(),
        }
    }

    /// Makes all slots, with their keepers.
    pub(super) fn warm(&self) -> Result<(), SandboxError> {
        let mut slots = self.lock();
        while let Some(index) = slots.vacant.pop() {
            let mut slot = Slot::new(index, &self.spawner, &self.found)?;
            slot.warm()?;
            slots.idle.push(slot);
        }
        Ok(())
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
                return Slot::new(index, &self.spawner, &self.found).inspect_err(|_| {
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

/// The best of these slots for a run.
fn fitting(slots: &[Slot], freshness: Freshness) -> Option<usize> {
    let fitting = match freshness {
        Freshness::Wiped { tag } => slots.iter().position(|slot| slot.serves(tag)),
        Freshness::Fresh => None,
    };
    // Else one whose generation nobody will miss.
    fitting.or_else(|| slots.iter().position(Slot::is_bare)).or(slots.len().checked_sub(1))
}
