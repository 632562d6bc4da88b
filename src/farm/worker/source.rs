//! The door of one slot: `JobSource` over NATS.
//!
//! Owns: which job is in hand, and what is said of it. An answer that doesn't come is waited for longer than a lease lasts:
//! then the job is in other hands anyway.

use std::fs::File;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use async_nats::Message;
use tokio::sync::{Mutex, mpsc, watch};

use crate::domain::hash::Sha256;
use crate::domain::trial::TrialOutcome;
use crate::domain::verification::ProgramResult;
use crate::farm::wire::call::{Answer, Call, Claim};
use crate::farm::wire::{envelope, work};
use crate::judge::job_source::{
    FoundCounterexample, Job, JobSource, JudgedOutcome, Lease, PreparedOutcome, ProposedOutcome, RunRecord,
    SourceError, Step, VerifiedOutcome,
};
use crate::judge::test_file::TestFile;
use crate::judge::worker::Ending;

use super::contents::{self, Sink};
use super::post::Post;

/// How often it asks although no bell rang.
const LOOK_EVERY: Duration = Duration::from_secs(4);
/// How long an asked job may take from the server to here.
const COMES_WITHIN: Duration = Duration::from_secs(6);
/// How long it waits for an answer without which the work goes on.
const SOON: Duration = Duration::from_secs(5);
/// How long it waits for an answer without which the work is lost.
const PATIENCE: Duration = Duration::from_mins(2);

/// NATS' words: the job is done with, it is still worked on.
const DONE: &str = "+ACK";
const IN_PROGRESS: &str = "+WPI";

/// One slot's door.
#[derive(Debug)]
pub struct NatsSource {
    post: Arc<Post>,
    slot: u16,
    jobs: Mutex<mpsc::UnboundedReceiver<Message>>,
    bell: Mutex<watch::Receiver<u64>>,
    inner: std::sync::Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// The job in hand and NATS' name for its message.
    held: Option<(Claim, Option<String>)>,
    /// Why there are no jobs, as it was told last.
    told: Option<String>,
}

impl NatsSource {
    /// The door of the slot of this number, into whose box jobs come.
    pub fn new(post: Arc<Post>, slot: u16, jobs: mpsc::UnboundedReceiver<Message>) -> Self {
        let bell = Mutex::new(post.bell());
        Self { post, slot, jobs: Mutex::new(jobs), bell, inner: std::sync::Mutex::default() }
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn claim_of(&self, lease: Lease) -> Result<Claim, SourceError> {
        let inner = self.inner();
        let claim = inner.held.as_ref().map(|(claim, _)| claim);
        let claim = claim.filter(|claim| (claim.job, claim.token) == (lease.job, lease.token));
        claim.cloned().ok_or(SourceError::LeaseLost)
    }

    fn in_hand(&self) -> Result<Claim, SourceError> {
        self.inner().held.as_ref().map(|(claim, _)| claim.clone()).ok_or(SourceError::LeaseLost)
    }

    /// Says once why there is nothing to do.
    fn tell(&self, why: Option<String>) {
        let mut inner = self.inner();
        if inner.told != why {
            if let Some(why) = &why {
                tracing::warn!(slot = self.slot, why, "no jobs come");
            } else {
                tracing::info!(slot = self.slot, "jobs may come again");
            }
            inner.told = why;
        }
    }

    async fn report(&self, call: Call, patience: Duration) -> Result<(), SourceError> {
        done(self.post.call(self.slot, &call, patience).await?)
    }

    /// Says the last thing about a job; then its message is done with, whatever the answer.
    async fn end(&self, lease: Lease, call: impl FnOnce(Claim) -> Call) -> Result<(), SourceError> {
        let answer = self.report(call(self.claim_of(lease)?), PATIENCE).await;
        if matches!(answer, Ok(()) | Err(SourceError::LeaseLost)) {
            let held = self.inner().held.take();
            if let Some((_, Some(message))) = held {
                self.post.acknowledge(&message, DONE).await;
            }
        }
        answer
    }

    async fn finish(&self, lease: Lease, ending: Ending) -> Result<(), SourceError> {
        let ending = Box::new(ending.into());
        self.end(lease, |claim| Call::Ended(claim, ending)).await
    }

    /// The job that the server announced; what else lies in the box is of earlier claims.
    async fn receive(&self, claim: &Claim) -> Result<Option<Message>, SourceError> {
        self.post.pull().await?;
        let mut jobs = self.jobs.lock().await;
        let coming = async {
            while let Some(message) = jobs.recv().await {
                let job = envelope::decode::<work::Job>(&message.payload);
                if job.map_or(true, |job| job.claim == *claim) {
                    return Some(message);
                }
                if let Some(earlier) = &message.reply {
                    self.post.acknowledge(earlier, DONE).await;
                }
                // It took the place of the one that was asked for.
                if self.post.pull().await.is_err() {
                    return None;
                }
            }
            None
        };
        Ok(tokio::time::timeout(COMES_WITHIN, coming).await.unwrap_or_default())
    }
}

pub(super) fn done(answer: Answer) -> Result<(), SourceError> {
    match answer {
        Answer::Done => Ok(()),
        Answer::LeaseLost => Err(SourceError::LeaseLost),
        Answer::DiskTrouble(words) => Err(SourceError::DiskTrouble(words)),
        Answer::Unavailable(words) | Answer::Refused(words) | Answer::Resting(words) => {
            Err(SourceError::Unavailable(words))
        }
        answer => Err(SourceError::Unavailable(format!("the server's answer makes no sense here: {answer:?}"))),
    }
}

impl JobSource for NatsSource {
    async fn claim(&self) -> Result<Option<Job>, SourceError> {
        self.inner().held = None;
        let claim = match self.post.call(self.slot, &Call::Ask, SOON).await {
            Ok(Answer::Coming(claim)) => claim,
            Ok(Answer::Nothing) => {
                self.tell(None);
                return Ok(None);
            }
            // The worker as a whole says who it is.
            Ok(Answer::Unknown) => return Ok(None),
            Ok(Answer::Resting(why) | Answer::Refused(why) | Answer::Unavailable(why) | Answer::DiskTrouble(why))
            | Err(SourceError::Unavailable(why)) => {
                self.tell(Some(why));
                return Ok(None);
            }
            Ok(answer) => return done(answer).map(|()| None),
            Err(error) => return Err(error),
        };
        self.tell(None);
        self.inner().held = Some((claim.clone(), None));
        // It doesn't come: the next time it asks, the server takes it back.
        let Some(message) = self.receive(&claim).await? else { return Ok(None) };
        let lease = Lease { job: claim.job, token: claim.token };
        self.inner().held = Some((claim, message.reply.map(|reply| reply.to_string())));
        match envelope::decode::<work::Job>(&message.payload) {
            Ok(job) => Ok(Some(Job { lease, work: job.work.into() })),
            Err(error) => {
                self.fail(lease, format!("of the job that came: {error}")).await?;
                Ok(None)
            }
        }
    }

    async fn wait(&self) {
        let mut bell = self.bell.lock().await;
        // A closed bell means that the connection is gone for good; then nothing else rings either.
        if let Ok(Err(_)) = tokio::time::timeout(LOOK_EVERY, bell.changed()).await {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    async fn blob(&self, sha256: Sha256) -> Result<Vec<u8>, SourceError> {
        let sink = contents::fetch(&self.post, self.slot, &self.in_hand()?, sha256, Sink::Memory(Vec::new())).await?;
        match sink {
            Sink::Memory(contents) => Ok(contents),
            Sink::File(_) => Err(SourceError::Unavailable("contents went into a file".to_owned())),
        }
    }

    async fn copy_blob(&self, sha256: Sha256, to: File) -> Result<(), SourceError> {
        contents::fetch(&self.post, self.slot, &self.in_hand()?, sha256, Sink::File(to)).await.map(|_| ())
    }

    async fn put_blob(&self, contents: Vec<u8>) -> Result<Sha256, SourceError> {
        let sha256 = Sha256::of(&contents);
        let bytes = contents.len() as u64;
        let reader = std::io::Cursor::new(contents);
        contents::put(&self.post, self.slot, &self.in_hand()?, (sha256, bytes), Box::new(reader)).await?;
        Ok(sha256)
    }

    async fn put_file(&self, file: TestFile) -> Result<(), SourceError> {
        let stream = file.open().map_err(|error| SourceError::Unavailable(error.to_string()))?;
        let what = (file.sha256(), file.len());
        contents::put(&self.post, self.slot, &self.in_hand()?, what, Box::new(stream)).await
    }

    async fn renew(&self, lease: Lease) -> Result<(), SourceError> {
        self.report(Call::Renew(self.claim_of(lease)?), SOON).await?;
        let message = self.inner().held.as_ref().and_then(|(_, message)| message.clone());
        if let Some(message) = message {
            self.post.acknowledge(&message, IN_PROGRESS).await;
        }
        Ok(())
    }

    async fn record_run(&self, lease: Lease, run: RunRecord) -> Result<(), SourceError> {
        self.report(Call::Run(self.claim_of(lease)?, Box::new(run.into())), PATIENCE).await
    }

    async fn record_step(&self, lease: Lease, step: Step) -> Result<(), SourceError> {
        self.report(Call::Step(self.claim_of(lease)?, step.into()), PATIENCE).await
    }

    async fn record_program(&self, lease: Lease, result: ProgramResult) -> Result<(), SourceError> {
        self.report(Call::Program(self.claim_of(lease)?, Box::new(result)), PATIENCE).await
    }

    async fn is_urgent_waiting(&self, lease: Lease) -> Result<bool, SourceError> {
        let call = Call::IsUrgentWaiting(self.claim_of(lease)?);
        match self.post.call(self.slot, &call, SOON).await? {
            Answer::Told(is_waiting) => Ok(is_waiting),
            answer => done(answer).map(|()| false),
        }
    }

    async fn finish_judgement(&self, lease: Lease, outcome: JudgedOutcome) -> Result<(), SourceError> {
        self.finish(lease, Ending::Judged(outcome)).await
    }

    async fn finish_preparation(&self, lease: Lease, outcome: PreparedOutcome) -> Result<(), SourceError> {
        self.finish(lease, Ending::Prepared(outcome)).await
    }

    async fn finish_proposal(&self, lease: Lease, outcome: ProposedOutcome) -> Result<(), SourceError> {
        self.finish(lease, Ending::Proposed(outcome)).await
    }

    async fn finish_trial(&self, lease: Lease, outcome: TrialOutcome) -> Result<(), SourceError> {
        self.finish(lease, Ending::Tried(outcome)).await
    }

    async fn finish_verification(&self, lease: Lease, outcome: VerifiedOutcome) -> Result<(), SourceError> {
        self.finish(lease, Ending::Verified(outcome)).await
    }

    async fn finish_counterexample(&self, lease: Lease, found: Option<FoundCounterexample>) -> Result<(), SourceError> {
        self.finish(lease, Ending::Reduced(found)).await
    }

    async fn fail(&self, lease: Lease, reason: String) -> Result<(), SourceError> {
        tracing::error!(job = lease.job.0, reason, "a job failed for a fault of ours");
        self.end(lease, |claim| Call::Failed(claim, reason)).await
    }

    async fn give_back(&self, lease: Lease) -> Result<(), SourceError> {
        self.end(lease, Call::GivenBack).await
    }
}
