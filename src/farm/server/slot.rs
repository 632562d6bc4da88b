//! What one slot of a worker asks and tells, in order, and what it is answered.
//!
//! Owns: that only whoever was given a claim reports on it, and gets only what it needs. What a claim means and whether it is
//! still held is the store's word; `judge::local` speaks with it as it does for an embedded worker.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::message::PublishMessage;

use crate::domain::hash::Sha256;
use crate::domain::worker_name::WorkerName;
use crate::farm::wire::call::{Answer, Call, Claim, Part};
use crate::farm::wire::envelope::{decode_with, encode};
use crate::farm::wire::{subjects, work};
use crate::judge::job_source::{Job, JobSource, Lease, SourceError};
use crate::judge::local::LocalSource;
use crate::judge::{needs, receipt, worker};

use super::roll::Standing;
use super::upload::Upload;
use super::{Farm, NO_ROOM};

/// While a worker fetches contents it says nothing else; so often its claim is renewed meanwhile.
const RENEW_EVERY: Duration = Duration::from_secs(5);

/// One slot, as the server knows it.
pub struct Slot {
    farm: Arc<Farm>,
    worker: WorkerName,
    number: u16,
    name: String,
    door: Arc<LocalSource>,
    /// What the job in hand needs.
    needs: Option<(Lease, HashSet<Sha256>)>,
    renewed: Option<Instant>,
    upload: Option<Upload>,
}

impl Slot {
    /// The slot of this number, from 1.
    pub fn new(farm: Arc<Farm>, worker: WorkerName, number: u16) -> Self {
        let name = worker.slot(number);
        let door = Arc::new(LocalSource::new(farm.store.clone(), name.clone()));
        Self { farm, worker, number, name, door, needs: None, renewed: None, upload: None }
    }

    /// What it is answered to the message with these bytes.
    pub async fn answer(&mut self, bytes: &[u8]) -> Answer {
        let (call, contents) = match decode_with::<Call>(bytes) {
            Ok(read) => read,
            Err(error) => return Answer::Refused(error.to_string()),
        };
        match self.done(call, contents).await {
            Ok(answer) => answer,
            Err(SourceError::LeaseLost) => Answer::LeaseLost,
            Err(SourceError::DiskTrouble(words)) => Answer::DiskTrouble(words),
            Err(SourceError::Unavailable(words)) => Answer::Unavailable(words),
        }
    }

    async fn done(&mut self, call: Call, contents: &[u8]) -> Result<Answer, SourceError> {
        let door = Arc::clone(&self.door);
        match call {
            Call::Hello(_) | Call::Alive => {
                return Ok(Answer::Refused("only a worker as a whole says that".to_owned()));
            }
            Call::Ask => return self.ask().await,
            Call::Renew(claim) => door.renew(self.lease(&claim)?).await?,
            Call::IsUrgentWaiting(claim) => {
                let lease = self.lease(&claim)?;
                // One that gets nothing has nothing to make way for.
                let Standing::Works(may) = self.farm.roll.standing(&self.worker).await? else {
                    return Ok(Answer::Told(false));
                };
                return Ok(Answer::Told(door.is_urgent_waiting_for(&may, lease).await?));
            }
            Call::Run(claim, run) => door.record_run(self.lease(&claim)?, (*run).into()).await?,
            Call::Step(claim, step) => door.record_step(self.lease(&claim)?, step.into()).await?,
            Call::Program(claim, result) => door.record_program(self.lease(&claim)?, *result).await?,
            Call::Ended(claim, ending) => {
                let mut ending = (*ending).into();
                if let worker::Ending::Judged(outcome) = &mut ending {
                    outcome.receipt = receipt::on_machine(&outcome.receipt, self.worker.as_str());
                }
                worker::finish(&door, self.lease(&claim)?, ending).await?;
            }
            Call::Failed(claim, reason) => {
                let lease = self.lease(&claim)?;
                tracing::warn!(
                    worker = self.name,
                    job = lease.job.0,
                    "a worker could not do its job; it goes to another"
                );
                door.fail(lease, format!("on {}: {reason}", self.worker)).await?;
                self.farm.note_trouble(&self.worker, &reason).await;
            }
            Call::GivenBack(claim) => door.give_back(self.lease(&claim)?).await?,
            Call::Need(claim, digest) => return self.need(&claim, digest, false).await,
            Call::Missing(claim, digest) => return self.need(&claim, digest, true).await,
            Call::Put(claim, part) => return self.put(&claim, part, contents).await,
        }
        Ok(Answer::Done)
    }

    /// The claim, if this slot was given it. Whether it still holds it is found out with what is then done.
    fn lease(&self, claim: &Claim) -> Result<Lease, SourceError> {
        if self.farm.sealer.is_genuine(&self.name, claim.job, claim.token, &claim.seal) {
            return Ok(Lease { job: claim.job, token: claim.token });
        }
        tracing::warn!(worker = self.name, job = claim.job.0, "a worker spoke of a job that it was never given");
        Err(SourceError::LeaseLost)
    }

    async fn ask(&mut self) -> Result<Answer, SourceError> {
        (self.needs, self.upload) = (None, None);
        let may = match self.farm.roll.standing(&self.worker).await? {
            Standing::Works(may) => may,
            Standing::Unknown => return Ok(Answer::Unknown),
            Standing::Resting(why) => return Ok(Answer::Resting(why)),
            Standing::Refused(why) => return Ok(Answer::Refused(why)),
        };
        let Some(Job { lease, work }) = self.door.claim_instead(&may, self.farm.is_time_to_look()).await? else {
            return Ok(Answer::Nothing);
        };
        self.needs = Some((lease, needs::of(&work)));
        self.renewed = Some(Instant::now());
        let seal = self.farm.sealer.seal(&self.name, lease.job, lease.token);
        let claim = Claim { job: lease.job, token: lease.token, seal };
        let message = match encode(&work::Job { claim: claim.clone(), work: work.into() }) {
            Ok(message) => message,
            Err(error) => {
                // It would be no shorter for another one.
                self.door.fail(lease, error.to_string()).await?;
                return Ok(Answer::Nothing);
            }
        };
        match self.hand_over(lease, message).await {
            Ok(()) => {
                self.farm.note_room(None);
                Ok(Answer::Coming(claim))
            }
            Err(error) => {
                self.door.give_back(lease).await?;
                let error =
                    SourceError::Unavailable(format!("{NO_ROOM} job into its stream {}: {error}", subjects::JOBS));
                self.farm.note_room(Some(&error));
                Err(error)
            }
        }
    }

    async fn hand_over(
        &self,
        lease: Lease,
        message: Vec<u8>,
    ) -> Result<(), async_nats::jetstream::context::PublishError> {
        let message = PublishMessage::build()
            .payload(message.into())
            .message_id(format!("{}-{}", lease.job.0, lease.token))
            .expected_stream(subjects::JOBS);
        self.farm.stream.send_publish(subjects::job(&self.worker, self.number), message).await?.await?;
        Ok(())
    }

    async fn need(&mut self, claim: &Claim, digest: Sha256, missed: bool) -> Result<Answer, SourceError> {
        let lease = self.lease(claim)?;
        if self.needs.as_ref().is_none_or(|(of, _)| *of != lease) {
            // A server that was started in between looks the job up.
            self.needs = Some((lease, needs::of(&self.door.held_work(lease).await?)));
        }
        if self.needs.as_ref().is_none_or(|(_, needed)| !needed.contains(&digest)) {
            tracing::warn!(
                worker = self.name,
                job = lease.job.0,
                "a worker asked for contents that its job doesn't use"
            );
            return Ok(Answer::Refused("the job doesn't use these contents".to_owned()));
        }
        if self.renewed.is_none_or(|renewed| renewed.elapsed() > RENEW_EVERY) {
            self.door.renew(lease).await?;
            self.renewed = Some(Instant::now());
        }
        if missed {
            let words =
                format!("contents ({}) were gone or damaged when it fetched them; they are sent again", digest.short());
            tracing::warn!(worker = self.name, blob = %digest.short(), "contents did not reach a worker whole; they are sent again");
            self.farm.note_trouble(&self.worker, &words).await;
        }
        let offered = self.farm.depot.offer(&self.worker, &self.door, digest, missed).await;
        self.farm.note_room(offered.as_ref().err());
        Ok(Answer::Contents { bytes: offered? })
    }

    async fn put(&mut self, claim: &Claim, part: Part, contents: &[u8]) -> Result<Answer, SourceError> {
        let lease = self.lease(claim)?;
        if part.offset == 0 {
            // Only who makes tests stores contents; looked at once, for the rest of the file can't come without its start.
            if !needs::makes_contents(&self.door.held_work(lease).await?) {
                return Ok(Answer::Refused("the job makes no contents".to_owned()));
            }
            self.upload = Some(Upload::begin(&self.farm.scratch, lease, part)?);
        }
        let Some(upload) = self.upload.as_mut().filter(|upload| upload.is_of(lease, part)) else {
            return Ok(Answer::Unavailable("the start of these contents was not heard".to_owned()));
        };
        if upload.add(part, contents)? {
            self.door.put_file(upload.file()).await?;
        }
        Ok(Answer::Done)
    }
}
