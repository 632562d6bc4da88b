//! Independent pieces of work on several threads, results in order.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use tracing::Span;

/// Calls `work` for each item on up to `threads` threads and returns the results in the items' order.
pub fn map<I: Sync, O: Send>(threads: usize, items: &[I], work: impl Fn(usize, &I) -> O + Sync) -> Vec<O> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let take = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return };
            let result = work(at, item);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    // What they log is of the same job.
    let span = Span::current();
    std::thread::scope(|scope| {
        for _ in 1..threads.min(items.len()) {
            scope.spawn(|| span.in_scope(take));
        }
        take();
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_order() {
        let items: Vec<u32> = (0..100).collect();
        assert_eq!(super::map(4, &items, |_, item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert!(super::map(4, &[] as &[u32], |_, item| *item).is_empty());
    }
}
