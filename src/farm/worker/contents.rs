//! Contents from and to the server.
//!
//! Owns: that what arrives is what was asked for, and that a damaged or lost chunk is asked for again. Must not know: where
//! contents are kept here.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::time::{Duration, Instant};

use sha2::Digest as _;

use crate::domain::hash::Sha256;
use crate::farm::wire::call::{Answer, Call, Claim, Part};
use crate::farm::wire::envelope::{CHUNK_BYTES, encode_with};
use crate::judge::job_source::SourceError;

use super::post::Post;

/// How many chunks are on their way at once.
const IN_FLIGHT: usize = 4;
/// How often contents are asked for before they are taken for damaged where they come from.
const TRIES: u32 = 3;
/// How long the server may take to put contents into NATS, or to take a part of them.
const PATIENCE: Duration = Duration::from_mins(2);
/// Long contents take long: so often the claim is kept meanwhile.
const RENEW_EVERY: Duration = Duration::from_secs(5);
/// What is waited before contents are asked for again.
const REST: Duration = Duration::from_millis(500);

/// Where contents go.
#[derive(Debug)]
pub enum Sink {
    /// Small ones.
    Memory(Vec<u8>),
    /// Any.
    File(File),
}

impl Sink {
    fn write(&mut self, chunk: &[u8]) -> io::Result<()> {
        match self {
            Self::Memory(contents) => contents.extend_from_slice(chunk),
            Self::File(file) => file.write_all(chunk)?,
        }
        Ok(())
    }

    fn empty(&mut self) -> io::Result<()> {
        match self {
            Self::Memory(contents) => contents.clear(),
            Self::File(file) => {
                file.set_len(0)?;
                file.seek(SeekFrom::Start(0))?;
            }
        }
        Ok(())
    }
}

fn disk(error: &io::Error) -> SourceError {
    SourceError::Unavailable(format!("contents can't be written here: {error}"))
}

/// Fetches contents that the job in hand needs.
///
/// # Errors
/// [`SourceError`]; then what the sink holds is of no use.
pub async fn fetch(post: &Post, slot: u16, claim: &Claim, digest: Sha256, mut sink: Sink) -> Result<Sink, SourceError> {
    let mut call = Call::Need(claim.clone(), digest);
    let mut fault = None;
    for _ in 0..TRIES {
        let bytes = match post.call(slot, &call, PATIENCE).await? {
            Answer::Contents { bytes } => bytes,
            Answer::LeaseLost => return Err(SourceError::LeaseLost),
            Answer::DiskTrouble(words) => return Err(SourceError::DiskTrouble(words)),
            Answer::Unavailable(words) | Answer::Refused(words) => return Err(SourceError::Unavailable(words)),
            answer => return Err(SourceError::Unavailable(format!("the server's answer makes no sense: {answer:?}"))),
        };
        sink.empty().map_err(|error| disk(&error))?;
        match chunks(post, (slot, claim), (digest, bytes), sink).await? {
            (all, Ok(found)) if found == digest => return Ok(all),
            (partly, Ok(_)) => {
                sink = partly;
                tracing::warn!(blob = %digest.short(), "contents came damaged; they are fetched again");
                fault = Some("they came damaged".to_owned());
            }
            (partly, Err(words)) => {
                sink = partly;
                fault = Some(words);
            }
        }
        call = Call::Missing(claim.clone(), digest);
        tokio::time::sleep(REST).await;
    }
    let words = fault.unwrap_or_default();
    Err(SourceError::Unavailable(format!("the contents {} can't be had: {words}", digest.short())))
}

/// All chunks in order into the sink, and what they hash to, or why they don't come.
async fn chunks(
    post: &Post,
    (slot, claim): (u16, &Claim),
    (digest, bytes): (Sha256, u64),
    mut sink: Sink,
) -> Result<(Sink, Result<Sha256, String>), SourceError> {
    let count = bytes.div_ceil(CHUNK_BYTES as u64);
    let mut hasher = sha2::Sha256::new();
    let (mut next, mut coming) = (0, VecDeque::new());
    let mut renewed = Instant::now();
    for _ in 0..count {
        while next < count && coming.len() < IN_FLIGHT {
            coming.push_back(tokio::spawn(Post::chunk(post.client(), post.worker(), digest, next)));
            next += 1;
        }
        let Some(first) = coming.pop_front() else { break };
        let chunk = match first.await {
            Ok(Ok(Some(chunk))) => chunk,
            Ok(Ok(None)) => return Ok((sink, Err("a part of them is gone".to_owned()))),
            Ok(Err(error)) => return Ok((sink, Err(error.to_string()))),
            Err(error) => return Ok((sink, Err(error.to_string()))),
        };
        let written = tokio::task::spawn_blocking(move || {
            hasher.update(&chunk);
            sink.write(&chunk).map(|()| (sink, hasher))
        });
        let written = written.await.map_err(|error| SourceError::Unavailable(error.to_string()))?;
        (sink, hasher) = written.map_err(|error| disk(&error))?;
        if renewed.elapsed() > RENEW_EVERY {
            renewed = Instant::now();
            if let Answer::LeaseLost = post.call(slot, &Call::Renew(claim.clone()), RENEW_EVERY).await? {
                return Err(SourceError::LeaseLost);
            }
        }
    }
    Ok((sink, Ok(Sha256::from_bytes(hasher.finalize().into()))))
}

/// Gives the server contents that were made here.
///
/// # Errors
/// [`SourceError`].
pub async fn put(
    post: &Post,
    slot: u16,
    claim: &Claim,
    (sha256, bytes): (Sha256, u64),
    mut stream: Box<dyn Read + Send>,
) -> Result<(), SourceError> {
    let mut offset = 0;
    loop {
        let read = tokio::task::spawn_blocking(move || {
            let mut chunk = Vec::with_capacity(CHUNK_BYTES);
            (&mut stream).take(CHUNK_BYTES as u64).read_to_end(&mut chunk).map(|_| (stream, chunk))
        });
        let read = read.await.map_err(|error| SourceError::Unavailable(error.to_string()))?;
        let chunk;
        (stream, chunk) = read.map_err(|error| SourceError::Unavailable(format!("contents can't be read: {error}")))?;
        let part = Part { sha256, bytes, offset };
        let message = encode_with(&Call::Put(claim.clone(), part), &chunk)
            .map_err(|error| SourceError::Unavailable(error.to_string()))?;
        super::source::done(post.say(slot, message, PATIENCE).await?)?;
        offset += chunk.len() as u64;
        if offset >= bytes || chunk.is_empty() {
            return Ok(());
        }
    }
}
