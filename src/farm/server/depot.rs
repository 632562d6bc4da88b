//! Contents on their way to workers: put into NATS when a worker needs them, for this worker alone.
//!
//! Not once for all: whoever may read one subject of a stream may read all that a wildcard in its place names, so that only a
//! worker's name in the subject keeps others' tests from it.
//!
//! Owns: the stream's layout (a message a chunk) and what lies there. The stream is only a way: what is dropped from it is
//! put in again when it is missed. Must not know: who may have which contents (`slot` asks that).

use std::collections::{HashMap, VecDeque};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use async_nats::jetstream::Context;
use async_nats::jetstream::context::PublishAckFuture;
use async_nats::jetstream::publish::PublishAck;

use crate::domain::hash::Sha256;
use crate::domain::worker_name::WorkerName;
use crate::farm::wire::envelope::CHUNK_BYTES;
use crate::farm::wire::subjects;
use crate::judge::job_source::{JobSource as _, SourceError};
use crate::judge::local::LocalSource;

use super::NO_ROOM;

/// How many chunks are on their way to NATS at once.
const IN_FLIGHT: usize = 8;

/// What lies in NATS.
#[derive(Debug)]
pub struct Depot {
    stream: Context,
    /// For contents that are too large for memory.
    scratch: PathBuf,
    /// The most that the stream holds, bytes.
    capacity: u64,
    there: Mutex<HashMap<(WorkerName, Sha256), u64>>,
    /// One at a time: who waits meanwhile mostly waits for the same.
    putting: tokio::sync::Mutex<()>,
}

impl Depot {
    /// Over this connection, in a stream of so many bytes.
    pub fn new(stream: Context, scratch: PathBuf, capacity: u64) -> Self {
        Self { stream, scratch, capacity, there: Mutex::default(), putting: tokio::sync::Mutex::default() }
    }

    /// Sees to it that these contents lie in NATS for a worker, and tells their size, bytes. `missed`: it looked, and they
    /// didn't, or were damaged.
    ///
    /// # Errors
    /// [`SourceError`] when the database doesn't have them or NATS doesn't take them.
    pub async fn offer(
        &self,
        worker: &WorkerName,
        door: &LocalSource,
        digest: Sha256,
        missed: bool,
    ) -> Result<u64, SourceError> {
        let what = (worker.clone(), digest);
        if missed {
            self.known().remove(&what);
        }
        let _alone = self.putting.lock().await;
        let there = self.known().get(&what).copied();
        if let Some(bytes) = there {
            return Ok(bytes);
        }
        let bytes = door.size(digest).await?;
        if bytes > self.capacity / 2 {
            return Err(SourceError::Unavailable(format!(
                "{NO_ROOM} contents of {bytes} bytes into its stream {} of {} bytes; give it more with --nats-store",
                subjects::BLOBS,
                self.capacity
            )));
        }
        if bytes <= CHUNK_BYTES as u64 {
            let contents = door.blob(digest).await?;
            if !contents.is_empty() {
                stored(self.send(&what, 0, contents).await?).await?;
            }
        } else {
            self.put_large(door, &what).await?;
        }
        self.known().insert(what, bytes);
        Ok(bytes)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<(WorkerName, Sha256), u64>> {
        self.there.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn put_large(&self, door: &LocalSource, what: &(WorkerName, Sha256)) -> Result<(), SourceError> {
        let unavailable =
            |error: std::io::Error| SourceError::Unavailable(format!("contents can't be copied: {error}"));
        let mut file = tempfile::tempfile_in(&self.scratch).map_err(unavailable)?;
        door.copy_blob(what.1, file.try_clone().map_err(unavailable)?).await?;
        file.seek(SeekFrom::Start(0)).map_err(unavailable)?;
        let mut on_their_way = VecDeque::new();
        for number in 0.. {
            let mut chunk = Vec::with_capacity(CHUNK_BYTES);
            // A page of the cache: it was written a moment ago.
            (&mut file).take(CHUNK_BYTES as u64).read_to_end(&mut chunk).map_err(unavailable)?;
            if chunk.is_empty() {
                break;
            }
            if on_their_way.len() == IN_FLIGHT
                && let Some(oldest) = on_their_way.pop_front()
            {
                stored(oldest).await?;
            }
            on_their_way.push_back(self.send(what, number, chunk).await?);
        }
        for rest in on_their_way {
            stored(rest).await?;
        }
        Ok(())
    }

    async fn send(
        &self,
        (worker, contents): &(WorkerName, Sha256),
        number: u64,
        chunk: Vec<u8>,
    ) -> Result<PublishAckFuture, SourceError> {
        self.stream.publish(subjects::chunk(worker, contents, number), chunk.into()).await.map_err(full)
    }
}

async fn stored(sent: PublishAckFuture) -> Result<PublishAck, SourceError> {
    sent.await.map_err(full)
}

#[expect(clippy::needless_pass_by_value, reason = "the form that map_err asks for")]
fn full(error: async_nats::jetstream::context::PublishError) -> SourceError {
    SourceError::Unavailable(format!("{NO_ROOM} contents into its stream {}: {error}", subjects::BLOBS))
}
