//! Calls to the server, repeated until they are answered, and the boxes into which jobs come.
//!
//! Owns: waiting and repeating. Must not know: what is said.

use std::time::Duration;

use async_nats::{Client, Message};
use serde_json::json;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_stream::StreamExt as _;

use crate::domain::hash::Sha256;
use crate::domain::worker_name::WorkerName;
use crate::farm::wire::call::{Answer, Call};
use crate::farm::wire::envelope::{decode, encode};
use crate::farm::wire::subjects;
use crate::judge::job_source::SourceError;

/// How long one call waits for its answer before it is said again.
const SAY_AGAIN_AFTER: Duration = Duration::from_secs(5);
/// What is waited when nobody listens at all.
const NOBODY_THERE: Duration = Duration::from_millis(500);
/// How long NATS may look for a job that was put into its stream a moment ago.
const PULL_WITHIN: Duration = Duration::from_secs(5);

/// What the slots of a worker share.
#[derive(Debug)]
pub struct Post {
    client: Client,
    worker: WorkerName,
    /// Where jobs come.
    inbox: String,
    bell: watch::Receiver<u64>,
}

impl Post {
    /// Listens for jobs and the bell. The boxes are those of slots 1, 2, ...
    pub async fn open(
        client: Client,
        worker: WorkerName,
        slots: u16,
    ) -> Result<(Self, Vec<mpsc::UnboundedReceiver<Message>>), String> {
        let inbox = client.new_inbox();
        let mut jobs = client.subscribe(inbox.clone()).await.map_err(|error| error.to_string())?;
        let mut rings = client.subscribe(subjects::BELL).await.map_err(|error| error.to_string())?;
        let (tell, boxes): (Vec<_>, Vec<_>) = (0..slots).map(|_| mpsc::unbounded_channel()).unzip();
        let own = worker.clone();
        tokio::spawn(async move {
            while let Some(message) = jobs.next().await {
                let slot = (1..).zip(&tell).find(|(slot, _)| *message.subject == *subjects::job(&own, *slot));
                // Anything else is NATS' own word that there was nothing.
                if let Some((_, tell)) = slot {
                    let _ = tell.send(message);
                }
            }
        });
        let (ring, bell) = watch::channel(0);
        tokio::spawn(async move {
            while rings.next().await.is_some() {
                ring.send_modify(|count| *count += 1);
            }
        });
        Ok((Self { client, worker, inbox, bell }, boxes))
    }

    /// Changes whenever there may be a job.
    pub fn bell(&self) -> watch::Receiver<u64> {
        self.bell.clone()
    }

    /// Says something for a slot until it is answered.
    ///
    /// # Errors
    /// [`SourceError::Unavailable`] when nobody answered for so long.
    pub async fn call(&self, slot: u16, call: &Call, patience: Duration) -> Result<Answer, SourceError> {
        let bytes = encode(call).map_err(|error| SourceError::Unavailable(error.to_string()))?;
        self.say(slot, bytes, patience).await
    }

    /// The same with the message's bytes.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn say(&self, slot: u16, bytes: Vec<u8>, patience: Duration) -> Result<Answer, SourceError> {
        let (subject, bytes) = (subjects::call(&self.worker, slot), bytes::Bytes::from(bytes));
        let give_up = Instant::now() + patience;
        loop {
            let until = give_up.min(Instant::now() + SAY_AGAIN_AFTER);
            match tokio::time::timeout_at(until, self.client.request(subject.clone(), bytes.clone())).await {
                Ok(Ok(answer)) => match decode(&answer.payload) {
                    Ok(answer) => return Ok(answer),
                    Err(error) => return Err(SourceError::Unavailable(format!("of the server's answer: {error}"))),
                },
                Ok(Err(error)) => {
                    tracing::debug!(%error, "nobody answers");
                    tokio::time::sleep_until(give_up.min(Instant::now() + NOBODY_THERE)).await;
                }
                Err(_) => {}
            }
            if Instant::now() >= give_up {
                return Err(SourceError::Unavailable("the server doesn't answer".to_owned()));
            }
        }
    }

    /// Asks NATS for one more of this worker's jobs; it comes into its slot's box.
    pub async fn pull(&self) -> Result<(), SourceError> {
        let subject = format!("$JS.API.CONSUMER.MSG.NEXT.{}.{}", subjects::JOBS, self.worker);
        let ask = json!({ "batch": 1, "expires": PULL_WITHIN.as_nanos() }).to_string();
        let sent = self.client.publish_with_reply(subject, self.inbox.clone(), ask.into()).await;
        sent.map_err(|error| SourceError::Unavailable(error.to_string()))
    }

    /// A message of NATS' own about a job that came: that it is done, or still worked on.
    pub async fn acknowledge(&self, job: &str, word: &'static str) {
        // Lost, it is handed out again, and found to be over.
        let _ = self.client.publish(job.to_owned(), word.into()).await;
    }

    /// A chunk of contents; `None` when it isn't there.
    pub async fn chunk(
        client: Client,
        worker: WorkerName,
        contents: Sha256,
        number: u64,
    ) -> Result<Option<bytes::Bytes>, SourceError> {
        let subject = format!("$JS.API.DIRECT.GET.{}.{}", subjects::BLOBS, subjects::chunk(&worker, &contents, number));
        let answer = tokio::time::timeout(SAY_AGAIN_AFTER, client.request(subject, bytes::Bytes::new())).await;
        match answer {
            Ok(Ok(message)) if message.status.is_none() => Ok(Some(message.payload)),
            Ok(Ok(_)) => Ok(None),
            Ok(Err(error)) => Err(SourceError::Unavailable(format!("contents don't come: {error}"))),
            Err(_) => Err(SourceError::Unavailable("contents don't come: NATS doesn't answer".to_owned())),
        }
    }

    /// Whose it is.
    pub fn worker(&self) -> WorkerName {
        self.worker.clone()
    }

    /// The connection.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Waits a moment for what was said last to leave.
    pub async fn flush(&self) {
        let _ = tokio::time::timeout(NOBODY_THERE, self.client.flush()).await;
    }
}
