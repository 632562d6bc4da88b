//! The server's side: it takes jobs for its workers from the queue in the database, and puts their results there.
//!
//! Owns: the connection to NATS, who is heard and in which order, the bell. The queue stays the only order: a job is taken
//! from it when a slot asks, never before. Must not know: accounts, pages.

mod depot;
mod measure;
mod roll;
mod seal;
mod slot;
mod upload;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::{self, stream};
use async_nats::{Client, Message};
use tokio::sync::{mpsc, watch};
use tokio_stream::StreamExt as _;

use crate::clock;
use crate::domain::worker_name::WorkerName;
use crate::judge::job_source::SourceError;
use crate::store::job::LEASE_MS;
use crate::store::{Store, StoreError, farm_worker, host_fit};

use super::connect::{Address, Link, LinkError, connect, shown};
use super::wire::call::{Answer, Call, Hello, Measure, Offered};
use super::wire::envelope::{decode_with, encode};
use super::wire::subjects;

use depot::Depot;
use roll::Roll;
use seal::Sealer;
use slot::Slot;

/// The most slots that one machine may have.
pub const MAX_SLOTS: u16 = 256;
/// How many calls of one slot may wait; a worker repeats what is dropped.
const CALLS_WAITING: usize = 32;
/// How long NATS keeps what nobody takes.
const KEPT: Duration = Duration::from_hours(24);
/// Within what time NATS knows a message again.
const KNOWN_AGAIN: Duration = Duration::from_mins(2);
/// What is waited before NATS is tried again.
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(2);
/// How often somebody looks for what only becomes a job when somebody looks.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// How a sentence begins that says that NATS doesn't keep something.
const NO_ROOM: &str = "NATS takes no";
/// The longest sentence of a worker's that is kept.
const TROUBLE_CHARS: usize = 500;
/// How often what waits for machines that are gone is dropped.
const TIDY_EVERY: Duration = Duration::from_mins(1);
/// The bell rings at most this often.
const BELL_EVERY: Duration = Duration::from_millis(10);

/// How a farm is set up.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Where NATS is.
    pub address: Address,
    /// The most bytes of contents that NATS holds on their way.
    pub capacity: u64,
    /// What the server itself judges with; workers are measured by it.
    pub own: Option<Measure>,
    /// A folder for what is on its way; its contents are of no use after a stop.
    pub scratch: PathBuf,
    /// The key of the judge's own words, kept with its data.
    pub key: [u8; 32],
    /// Hears which languages the machines can judge, where the server doesn't judge itself.
    pub offers: Option<watch::Sender<Vec<Offered>>>,
}

/// What the slots share.
pub struct Farm {
    store: Store,
    client: Client,
    stream: jetstream::Context,
    jobs: stream::Stream,
    sealer: Sealer,
    depot: Depot,
    roll: Roll,
    scratch: PathBuf,
    looked: Mutex<Instant>,
    link: Link,
    offers: Option<watch::Sender<Vec<Offered>>>,
}

/// Which languages the machines that are known can judge, where the server doesn't judge itself: as of the last time, until they
/// come.
///
/// # Errors
/// [`StoreError`].
pub async fn known_offers(store: &Store) -> Result<Vec<Offered>, StoreError> {
    Roll::new(store.clone(), None).offers().await
}

/// Serves workers until `stop` becomes true. NATS may be away at the start and at any time; `link` tells how it is.
pub async fn run(store: Store, setup: Setup, link: Link, mut stop: watch::Receiver<bool>) {
    if let Some(own) = &setup.own
        && let Err(error) = say_own_kind(&store, own).await
    {
        tracing::error!(%error, "what kind of machine this is can't be written down; limits are measured on it anew");
    }
    let mut told = None;
    while !*stop.borrow() {
        let failed = tokio::select! {
            failed = serve(&store, &setup, &link) => failed,
            _ = stop.wait_for(|stop| *stop) => return,
        };
        let words = failed.to_string();
        if told.as_ref() != Some(&words) {
            tracing::error!(cause = words, "the farm is closed; it is tried again every few seconds");
        }
        link.send_replace(Some(words.clone()));
        told = Some(words);
        let _ = tokio::time::timeout(TRY_AGAIN_AFTER, stop.wait_for(|stop| *stop)).await;
    }
}

/// What the server's own workers verify counts for machines of its kind.
async fn say_own_kind(store: &Store, own: &Measure) -> Result<(), StoreError> {
    let mut tx = store.begin_write().await?;
    host_fit::set_own_kind(&mut tx, &measure::kind(own)).await?;
    tx.commit().await
}

/// Serves for as long as the connection can be mended.
async fn serve(store: &Store, setup: &Setup, link: &Link) -> LinkError {
    let farm = match open(store, setup, link).await {
        Ok(farm) => Arc::new(farm),
        Err(error) => return error,
    };
    let ended = |cause: String| LinkError::Unreachable { url: shown(&setup.address.url), cause };
    let mut calls = match farm.client.subscribe(subjects::CALLS).await {
        Ok(calls) => calls,
        Err(error) => return ended(error.to_string()),
    };
    tracing::info!(nats = shown(&setup.address.url), "the farm is open: workers may come");
    link.send_replace(None);
    let bell = tokio::spawn(ring(store.clone(), farm.client.clone()));
    let tidying = tokio::spawn(drop_abandoned(store.clone()));
    let mut slots: HashMap<(WorkerName, u16), mpsc::Sender<Message>> = HashMap::new();
    while let Some(message) = calls.next().await {
        let Some((worker, number)) = subjects::caller(&message.subject).filter(|(_, slot)| *slot <= MAX_SLOTS) else {
            continue;
        };
        let waiting = slots.entry((worker, number)).or_insert_with_key(|(worker, number)| {
            let (tell, told) = mpsc::channel(CALLS_WAITING);
            tokio::spawn(listen(Arc::clone(&farm), worker.clone(), *number, told));
            tell
        });
        // Full: the worker says it again.
        let _ = waiting.try_send(message);
    }
    bell.abort();
    tidying.abort();
    ended("the connection was closed".to_owned())
}

/// Connects, and sees to it that NATS keeps what the farm needs.
async fn open(store: &Store, setup: &Setup, link: &Link) -> Result<Farm, LinkError> {
    let client = connect(&setup.address, "touchstone serve", "_INBOX_serve", link.clone()).await?;
    let stream = jetstream::new(client.clone());
    let failed = |cause: String| LinkError::Streams { url: shown(&setup.address.url), cause };
    let jobs = stream::Config {
        name: subjects::JOBS.to_owned(),
        description: Some("Jobs on their way to workers, until their results are stored".to_owned()),
        subjects: vec![subjects::ALL_JOBS.to_owned()],
        retention: stream::RetentionPolicy::WorkQueue,
        storage: stream::StorageType::File,
        max_age: KEPT,
        duplicate_window: KNOWN_AGAIN,
        ..stream::Config::default()
    };
    let blobs = stream::Config {
        name: subjects::BLOBS.to_owned(),
        description: Some("Contents on their way to workers; what is dropped is put in again".to_owned()),
        subjects: vec![subjects::ALL_BLOBS.to_owned()],
        storage: stream::StorageType::File,
        max_age: KEPT,
        max_bytes: i64::try_from(setup.capacity).unwrap_or(i64::MAX),
        max_messages_per_subject: 1,
        discard: stream::DiscardPolicy::Old,
        allow_direct: true,
        ..stream::Config::default()
    };
    for config in [jobs, blobs] {
        stream.create_or_update_stream(config).await.map_err(|error| failed(error.to_string()))?;
    }
    let jobs = stream.get_stream(subjects::JOBS).await.map_err(|error| failed(error.to_string()))?;
    std::fs::create_dir_all(&setup.scratch)
        .map_err(|error| failed(format!("{} can't be made: {error}", setup.scratch.display())))?;
    let sealer = Sealer::new(setup.key);
    Ok(Farm {
        depot: Depot::new(stream.clone(), setup.scratch.clone(), setup.capacity),
        roll: Roll::new(store.clone(), setup.own.clone()),
        store: store.clone(),
        client,
        stream,
        jobs,
        sealer,
        scratch: setup.scratch.clone(),
        looked: Mutex::new(Instant::now()),
        link: link.clone(),
        offers: setup.offers.clone(),
    })
}

/// Answers one slot's calls in order. Slot 0 is the worker as a whole.
async fn listen(farm: Arc<Farm>, worker: WorkerName, number: u16, mut calls: mpsc::Receiver<Message>) {
    let mut slot = (number > 0).then(|| Slot::new(Arc::clone(&farm), worker.clone(), number));
    while let Some(call) = calls.recv().await {
        // Looked at before anything is done: NATS itself can be made to repeat a message under another's subject, but not
        // with an inbox to answer to. And the server speaks to nobody in another's name.
        let Some(reply) = call.reply.filter(|reply| subjects::is_inbox_of(&worker, reply)) else {
            tracing::warn!(%worker, "something was said in a worker's name that it can't have said; it is not heard");
            continue;
        };
        let answer = match &mut slot {
            Some(slot) => slot.answer(&call.payload).await,
            None => farm.hear(&worker, &call.payload).await,
        };
        match encode(&answer) {
            // It asks again when this does not reach it.
            Ok(bytes) => drop(farm.client.publish(reply, bytes.into()).await),
            Err(error) => tracing::error!(%error, "an answer can't be sent"),
        }
    }
}

impl Farm {
    /// What a worker as a whole is answered.
    async fn hear(&self, worker: &WorkerName, bytes: &[u8]) -> Answer {
        let heard = match decode_with::<Call>(bytes) {
            Ok((Call::Hello(hello), _)) => match self.make_room(worker).await {
                Ok(()) => self.introduce(worker, &hello).await,
                Err(words) => return Answer::Unavailable(words),
            },
            Ok((Call::Alive, _)) => self.roll.alive(worker, clock::now()).await,
            Ok(_) => return Answer::Refused("only one of its slots says that".to_owned()),
            Err(error) => return Answer::Refused(error.to_string()),
        };
        heard.unwrap_or_else(|error| Answer::Unavailable(error.to_string()))
    }

    async fn introduce(&self, worker: &WorkerName, hello: &Hello) -> Result<Answer, StoreError> {
        let answer = self.roll.introduce(worker, hello, clock::now()).await?;
        self.tell_offers().await?;
        Ok(answer)
    }

    async fn tell_offers(&self) -> Result<(), StoreError> {
        if let Some(offers) = &self.offers {
            offers.send_replace(self.roll.offers().await?);
        }
        Ok(())
    }

    /// A worker that says who it is begins anew: nothing waits for it, and it can be given jobs.
    async fn make_room(&self, worker: &WorkerName) -> Result<(), String> {
        let subject = format!("touchstone.j.{worker}.*");
        self.jobs.purge().filter(&subject).await.map_err(|error| error.to_string())?;
        let consumer = pull::Config {
            durable_name: Some(worker.to_string()),
            ack_policy: AckPolicy::Explicit,
            // The lease in the database decides; this only hands out again what nobody took.
            ack_wait: Duration::from_millis(LEASE_MS.unsigned_abs()),
            filter_subject: subject,
            ..pull::Config::default()
        };
        self.jobs.create_consumer(consumer).await.map_err(|error| error.to_string())?;
        Ok(())
    }

    /// What went wrong on a worker stands beside it on the health page.
    async fn note_trouble(&self, worker: &WorkerName, words: &str) {
        let words: String = words.chars().take(TROUBLE_CHARS).collect();
        let noted = async {
            let mut tx = self.store.begin_write().await?;
            farm_worker::note_trouble(&mut tx, worker, &words, clock::now()).await?;
            tx.commit().await
        };
        if let Err(error) = noted.await {
            tracing::error!(%error, "what went wrong on a worker can't be written down");
        }
    }

    /// Whether NATS keeps what it is given: what it refuses stands on the health page until it keeps something again.
    fn note_room(&self, refused: Option<&SourceError>) {
        let refused = refused.map(ToString::to_string);
        // The database's own trouble is told elsewhere.
        if refused.as_ref().is_some_and(|words| !words.starts_with(NO_ROOM)) {
            return;
        }
        let is_new = self.link.send_if_modified(|told| {
            let is_other = told.as_ref().is_some_and(|told| !told.starts_with(NO_ROOM));
            let changes = !is_other && *told != refused;
            if changes {
                told.clone_from(&refused);
            }
            changes
        });
        if let Some(cause) = refused.filter(|_| is_new) {
            tracing::error!(cause, "NATS has no room; jobs go to other workers");
        }
    }

    /// Whether it is time to look for what only becomes a job when somebody looks; then nobody else is told so for a while.
    fn is_time_to_look(&self) -> bool {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let due = looked.elapsed() > LOOK_EVERY;
        if due {
            *looked = Instant::now();
        }
        due
    }
}

/// Drops the measuring that waits for machines that are gone.
async fn drop_abandoned(store: Store) {
    let mut times = tokio::time::interval(TIDY_EVERY);
    loop {
        times.tick().await;
        let dropped = async {
            let mut tx = store.begin_write().await?;
            let dropped = host_fit::drop_abandoned(&mut tx, clock::now()).await?;
            tx.commit().await?;
            Ok::<_, StoreError>(dropped)
        };
        match dropped.await {
            Ok(0) => {}
            Ok(dropped) => {
                tracing::info!(dropped, "nobody is left to measure these problems' limits for its kind of machine");
            }
            Err(error) => tracing::error!(%error, "measuring that nobody will do can't be dropped"),
        }
    }
}

/// Tells waiting workers that there may be a job.
async fn ring(store: Store, client: Client) {
    let mut offered = store.jobs();
    while offered.changed().await.is_ok() {
        // Who misses it asks again by itself.
        let _ = client.publish(subjects::BELL, Vec::new().into()).await;
        tokio::time::sleep(BELL_EVERY).await;
    }
}
