//! The worker's side: jobs and contents come over NATS, results go back over it. There is no database here.
//!
//! Owns: the life of a worker as a whole: it says who it is, lives, and works until it is told to stop. The work itself is
//! `judge::worker`, as in the server.

mod contents;
mod post;
mod source;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::domain::worker_name::WorkerName;
use crate::judge::worker::{self, Tools};

use super::connect::{Address, LinkError, connect};
use super::wire::call::{Answer, Call, Hello};
use super::wire::subjects;

pub use post::Post;
pub use source::NatsSource;

/// How often a worker says that it lives.
const ALIVE_EVERY: Duration = Duration::from_secs(5);
/// What is waited before NATS is tried again.
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(2);
/// How often a machine that is refused is measured again.
const MEASURED_AGAIN: u32 = 2;
/// How long the server may take to answer before the same is said again and again.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// Why a worker ended by itself.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// NATS can't be used.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// The server wants nothing of this worker.
    #[error("the server gives this machine no jobs: {0}")]
    Refused(String),
}

/// Works until `stop` becomes true. Jobs that are under way then are given back.
///
/// # Errors
/// [`WorkerError`] when trying again is of no use.
pub async fn run(
    address: &Address,
    name: &WorkerName,
    slots: u16,
    tools: Arc<Tools>,
    hello: impl Fn() -> Hello,
    mut stop: watch::Receiver<bool>,
) -> Result<(), WorkerError> {
    // A worker has no page; its log says how the connection is.
    let (link, _) = watch::channel(None);
    let mut told = None;
    let client = loop {
        match connect(address, &format!("touchstone worker {name}"), &subjects::inbox(name), link.clone()).await {
            Ok(client) => break client,
            Err(error) if error.is_final() => return Err(error.into()),
            Err(error) => {
                let words = error.to_string();
                if told.as_ref() != Some(&words) {
                    tracing::error!(%error, "tried again every few seconds");
                }
                told = Some(words);
            }
        }
        if tokio::time::timeout(TRY_AGAIN_AFTER, stop.wait_for(|stop| *stop)).await.is_ok() {
            return Ok(());
        }
    };
    let unreachable = |cause: String| LinkError::Unreachable { url: super::connect::shown(&address.url), cause };
    let (post, boxes) = Post::open(client, name.clone(), slots).await.map_err(unreachable)?;
    let post = Arc::new(post);
    introduce(&post, &hello, &mut stop).await?;
    let mut working = JoinSet::new();
    for (number, jobs) in (1..).zip(boxes) {
        let source = Arc::new(NatsSource::new(Arc::clone(&post), number, jobs));
        working.spawn(worker::run(source, Arc::clone(&tools), stop.clone()));
    }
    let mut beats = tokio::time::interval(ALIVE_EVERY);
    let ended = loop {
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break Ok(()),
            _ = beats.tick() => {}
        }
        // A server that was started anew knows nobody.
        if let Ok(Answer::Unknown) = post.call(0, &Call::Alive, ALIVE_EVERY).await
            && let Err(error) = introduce(&post, &hello, &mut stop).await
        {
            break Err(error);
        }
    };
    if ended.is_ok() {
        while working.join_next().await.is_some() {}
    }
    // What was said last must leave this machine.
    post.flush().await;
    ended
}

/// Says who it is until somebody hears it.
async fn introduce(
    post: &Post,
    hello: &impl Fn() -> Hello,
    stop: &mut watch::Receiver<bool>,
) -> Result<(), WorkerError> {
    let mut refused = 0;
    loop {
        // It measures the machine.
        let said = Call::Hello(tokio::task::block_in_place(hello));
        let answer = tokio::select! {
            answer = post.call(0, &said, ANSWER_WITHIN) => answer,
            _ = stop.wait_for(|stop| *stop) => return Ok(()),
        };
        match answer {
            Ok(Answer::Done) => {
                tracing::info!("the server knows this worker");
                return Ok(());
            }
            Ok(Answer::Refused(why)) if refused == MEASURED_AGAIN => return Err(WorkerError::Refused(why)),
            // It may have been measured in a bad moment.
            Ok(Answer::Refused(why)) => {
                refused += 1;
                tracing::warn!(why, "the server gives this machine no jobs; it is measured again");
                tokio::time::sleep(TRY_AGAIN_AFTER).await;
            }
            Ok(answer) => {
                tracing::warn!(?answer, "the server can't take this worker in yet");
                tokio::time::sleep(TRY_AGAIN_AFTER).await;
            }
            Err(error) => tracing::warn!(%error, "no server answers yet; it is tried again"),
        }
    }
}
