//! How long work says how far it is, and hears that nobody waits for it any more.

/// Hears of the progress of long work. Called from several threads.
pub trait Progress: Sync {
    /// `done` of `total` steps of the part called `part` are over.
    fn step(&self, part: &str, done: usize, total: usize);

    /// Whether to go on; asked before each piece of work.
    fn goes_on(&self) -> bool {
        true
    }
}

/// Nobody is listening.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn step(&self, _part: &str, _done: usize, _total: usize) {}
}
