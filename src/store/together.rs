//! Small writes that wait at the same time share one transaction, and so one way to the disk.
//!
//! Owns: who is written with whom, and that each is still written wholly or not at all. While one transaction is on its
//! way others queue up; the next takes all of them. Alone, a write waits for nobody. Must not know: what is written.

use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;

use super::job::JobError;
use super::{Store, StoreError, WriteTx};

/// So many share a transaction at most; who writes by himself waits no longer than they take.
const MOST: usize = 64;

/// What a write does and when it is done.
pub type Writing<'t, T> = Pin<Box<dyn Future<Output = Result<T, JobError>> + Send + 't>>;

/// The writes that wait for a transaction.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    writes: Vec<Box<dyn Write>>,
    /// Whether somebody will come for them.
    is_served: bool,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Queue").field("waiting", &self.lock().writes.len()).finish()
    }
}

impl Queue {
    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A write and who waits for it.
trait Write: Send {
    /// Does it in this transaction. Tells whether it may be committed.
    fn run<'t>(&'t mut self, tx: &'t mut WriteTx) -> Pin<Box<dyn Future<Output = bool> + Send + 't>>;
    /// What became of it was committed, or this went wrong instead.
    fn tell(self: Box<Self>, wrong: Option<StoreError>);
}

struct One<S, T> {
    what: S,
    write: for<'t> fn(&'t S, &'t mut WriteTx) -> Writing<'t, T>,
    outcome: Option<Result<T, JobError>>,
    waiting: oneshot::Sender<Result<T, JobError>>,
}

impl<S: Send + Sync, T: Send> Write for One<S, T> {
    fn run<'t>(&'t mut self, tx: &'t mut WriteTx) -> Pin<Box<dyn Future<Output = bool> + Send + 't>> {
        let writing = (self.write)(&self.what, tx);
        let outcome = &mut self.outcome;
        Box::pin(async move { outcome.insert(writing.await).is_ok() })
    }

    fn tell(self: Box<Self>, wrong: Option<StoreError>) {
        let outcome = match wrong {
            Some(wrong) => Some(Err(wrong.into())),
            None => self.outcome,
        };
        // Who waited may be gone.
        let _ = self.waiting.send(outcome.unwrap_or(Err(StoreError::Stopping.into())));
    }
}

impl Store {
    /// Writes `what` in a transaction that may be shared with others that wait now. It is done on this runtime even if the
    /// caller stops waiting. `write` may be run again: when another one in its transaction failed, all are undone, and
    /// each is done by itself.
    ///
    /// # Errors
    /// Those of `write`, then nothing of it is written; [`StoreError::Database`] where the transaction fails.
    pub async fn write_together<S, T>(
        &self,
        what: S,
        write: for<'t> fn(&'t S, &'t mut WriteTx) -> Writing<'t, T>,
    ) -> Result<T, JobError>
    where
        S: Send + Sync + 'static,
        T: Send + 'static,
    {
        let (waiting, told) = oneshot::channel();
        let is_served = {
            let mut queue = self.inner.together.lock();
            queue.writes.push(Box::new(One { what, write, outcome: None, waiting }));
            mem::replace(&mut queue.is_served, true)
        };
        if !is_served {
            tokio::spawn(Service { store: self.clone(), is_over: false }.run());
        }
        told.await.unwrap_or(Err(StoreError::Stopping.into()))
    }
}

/// Writes what waits. Whatever ends it, the next write finds somebody again.
struct Service {
    store: Store,
    is_over: bool,
}

impl Drop for Service {
    fn drop(&mut self) {
        if !self.is_over {
            self.store.inner.together.lock().is_served = false;
        }
    }
}

impl Service {
    async fn run(mut self) {
        while let Some(batch) = self.next() {
            self.write(batch).await;
        }
    }

    fn next(&mut self) -> Option<Vec<Box<dyn Write>>> {
        let mut queue = self.store.inner.together.lock();
        let count = queue.writes.len().min(MOST);
        if count == 0 {
            // Said under the lock: what is pushed from now on sees that nobody comes.
            queue.is_served = false;
            self.is_over = true;
            return None;
        }
        Some(queue.writes.drain(..count).collect())
    }

    async fn write(&self, mut batch: Vec<Box<dyn Write>>) {
        if batch.len() > 1 && matches!(self.attempt(&mut batch).await, Ok(true)) {
            for write in batch {
                write.tell(None);
            }
            return;
        }
        // Each by itself: what is wrong with one is not the others' affair.
        for write in batch {
            let mut alone = [write];
            let wrong = self.attempt(&mut alone).await.err();
            let [write] = alone;
            write.tell(wrong);
        }
    }

    /// Does these in one transaction. Tells whether all were done and are committed; else nothing is.
    async fn attempt(&self, batch: &mut [Box<dyn Write>]) -> Result<bool, StoreError> {
        let mut tx = self.store.begin_write().await?;
        for write in batch {
            if !write.run(&mut tx).await {
                tx.roll_back().await?;
                return Ok(false);
            }
        }
        tx.commit().await?;
        Ok(true)
    }
}
