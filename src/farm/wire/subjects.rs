//! The names under which messages travel, and what NATS keeps.
//!
//! A worker may publish below `touchstone.w.<its name>` and read below `touchstone.j.<its name>` and `touchstone.b.<its
//! name>`: that is all that NATS' permissions have to know. Answers come under `_INBOX_<its name>`, and the server answers nowhere else: a worker must not
//! make it speak to somebody else in the server's name.

use crate::domain::hash::Sha256;
use crate::domain::worker_name::WorkerName;

/// The stream that holds jobs on their way, until their results are stored.
pub const JOBS: &str = "TOUCHSTONE_JOBS";
/// The stream that holds contents on their way.
pub const BLOBS: &str = "TOUCHSTONE_BLOBS";
/// All that workers say.
pub const CALLS: &str = "touchstone.w.*.*";
/// Rings when there may be a job.
pub const BELL: &str = "touchstone.bell";
/// All jobs.
pub const ALL_JOBS: &str = "touchstone.j.*.*";
/// All contents.
pub const ALL_BLOBS: &str = "touchstone.b.*.*.*";

/// Under which a worker's slot calls the server. Slot 0 is the worker as a whole.
pub fn call(worker: &WorkerName, slot: u16) -> String {
    format!("touchstone.w.{worker}.{slot}")
}

/// Who calls under this subject.
pub fn caller(subject: &str) -> Option<(WorkerName, u16)> {
    let (worker, slot) = subject.strip_prefix("touchstone.w.")?.split_once('.')?;
    Some((worker.parse().ok()?, slot.parse().ok()?))
}

/// Under which a slot gets its jobs.
pub fn job(worker: &WorkerName, slot: u16) -> String {
    format!("touchstone.j.{worker}.{slot}")
}

/// The durable consumer from which a slot pulls its jobs.
pub fn consumer(worker: &WorkerName, slot: u16) -> String {
    format!("{worker}_{slot}")
}

/// A chunk of contents that were put there for a worker; chunks count from 0.
pub fn chunk(worker: &WorkerName, contents: &Sha256, chunk: u64) -> String {
    format!("touchstone.b.{worker}.{contents}.{chunk}")
}

/// All that was put there for a worker.
pub fn chunks_of(worker: &WorkerName) -> String {
    format!("touchstone.b.{worker}.*.*")
}

/// How the subjects of answers to a worker begin.
pub fn inbox(worker: &WorkerName) -> String {
    format!("_INBOX_{worker}")
}

/// Whether an answer to this worker may go there.
pub fn is_inbox_of(worker: &WorkerName, subject: &str) -> bool {
    subject.strip_prefix(&inbox(worker)).is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_are_read_back() {
        let name: WorkerName = "judge-3".parse().unwrap();
        assert_eq!(caller(&call(&name, 4)), Some((name.clone(), 4)));
        for wrong in ["touchstone.w.judge-3", "touchstone.w.judge-3.x", "touchstone.w..1", "touchstone.w.a.1.2", "x"] {
            assert_eq!(caller(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn answers_go_to_the_one_who_asked() {
        let name: WorkerName = "a".parse().unwrap();
        assert!(is_inbox_of(&name, "_INBOX_a.1.2"));
        for other in ["_INBOX_ab.1", "_INBOX_a", "_INBOX.1", "touchstone.w.a.1", "touchstone.w.b.1"] {
            assert!(!is_inbox_of(&name, other), "{other}");
        }
    }
}
