//! The embedded worker's door: jobs, blobs and results straight from and to the database of this process.
//!
//! Owns: the translation between the worker's words and the store's, one short transaction a call. This is the only
//! folder of the judge that knows the store and reads the clock.

mod stored_work;

use std::fs::File;
use std::time::Duration;

use tokio::sync::{Mutex, watch};

use crate::clock;
use crate::domain::hash::Sha256;
use crate::domain::ids::JudgementId;
use crate::domain::trial::TrialOutcome;
use crate::domain::verification::ProgramResult;
use crate::grading::host_fit::{HostFit, fit};
use crate::package;
use crate::store::farm_claim::{self, Entitled};
use crate::store::host_fit::{self, FitState, Measured};
use crate::store::job::{self, ClaimedJob, JobError};
use crate::store::judging::{self, NewRun, Outcome, RunFacts};
use crate::store::package::StatementFormat;
use crate::store::preparation::{self, NewStatement, Preparation};
use crate::store::proposal::{self, Answer};
use crate::store::test_case::{NewTestCase, TestOrigin};
use crate::store::{
    GroupResults, Names, Store, StoreError, Texts, blob, counterexample, judgement, trial, verification,
    verification_end,
};

use super::job_source::{
    FoundCounterexample, Job, JobSource, JudgeWork, JudgedOutcome, Lease, MadeTest, Origin, PreparedOutcome,
    ProposedOutcome, RunRecord, SourceError, Step, VerifiedOutcome, Work,
};
use super::test_config::TestConfig;
use super::test_file::TestFile;

/// How often the queue is looked at although nothing was said: leases of dead workers end silently.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The door of one embedded worker.
#[derive(Debug)]
pub struct LocalSource {
    store: Store,
    worker: String,
    bell: Mutex<watch::Receiver<u64>>,
}

impl LocalSource {
    /// All that a judgement was or is to be made from.
    pub async fn judge_work(&self, id: JudgementId) -> Result<JudgeWork, SourceError> {
        stored_work::judge_work(judgement::task(&self.store, id).await?)
    }

    /// A door for the worker of this name.
    pub fn new(store: Store, worker: String) -> Self {
        // Subscribed before the first look, so that no job can be missed in between.
        let bell = Mutex::new(store.jobs());
        Self { store, worker, bell }
    }
}

impl From<StoreError> for SourceError {
    fn from(error: StoreError) -> Self {
        if error.is_disk_trouble() {
            return Self::DiskTrouble(error.to_string());
        }
        Self::Unavailable(error.to_string())
    }
}

impl From<JobError> for SourceError {
    fn from(error: JobError) -> Self {
        match error {
            JobError::LeaseLost => Self::LeaseLost,
            JobError::Outdated => Self::Unavailable(error.to_string()),
            JobError::Store(error) => error.into(),
        }
    }
}

const fn stored(lease: Lease) -> job::Lease {
    job::Lease { job: lease.job, token: lease.token }
}

impl JobSource for LocalSource {
    async fn claim(&self) -> Result<Option<Job>, SourceError> {
        let what = (self.worker.clone(), clock::now());
        let claimed = self
            .store
            .write_together(what, |(worker, now), tx| Box::pin(async move { Ok(job::claim(tx, worker, *now).await?) }));
        let claimed = claimed.await?;
        self.with_its_work(claimed).await
    }

    async fn wait(&self) {
        let mut bell = self.bell.lock().await;
        // A closed bell means that the store is going; the caller then finds no job.
        let _ = tokio::time::timeout(LOOK_EVERY, bell.changed()).await;
    }

    async fn blob(&self, sha256: Sha256) -> Result<Vec<u8>, SourceError> {
        Ok(blob::read(self.store.read(), sha256).await?)
    }

    async fn copy_blob(&self, sha256: Sha256, to: File) -> Result<(), SourceError> {
        Ok(blob::copy_to(self.store.read(), sha256, to).await?)
    }

    async fn put_file(&self, file: TestFile) -> Result<(), SourceError> {
        let stream = file.open().map_err(|error| SourceError::Unavailable(error.to_string()))?;
        Ok(blob::store(&self.store, file.sha256(), file.len(), Box::new(stream)).await?)
    }

    async fn put_blob(&self, contents: Vec<u8>) -> Result<Sha256, SourceError> {
        let prepared = blob::Blob::prepare(contents).await?;
        let mut tx = self.store.begin_write().await?;
        blob::insert(&mut tx, &prepared).await?;
        tx.commit().await?;
        Ok(prepared.sha256())
    }

    async fn renew(&self, lease: Lease) -> Result<(), SourceError> {
        let what = (stored(lease), clock::now());
        self.store.write_together(what, |(lease, now), tx| Box::pin(job::renew(tx, *lease, *now))).await?;
        Ok(())
    }

    async fn record_run(&self, lease: Lease, run: RunRecord) -> Result<(), SourceError> {
        let RunRecord { test_case, ordinal, score, result } = run;
        let run = NewRun {
            ordinal,
            test_case_id: test_case,
            verdict: result.verdict,
            score,
            cpu_ms: result.cpu_ms,
            wall_ms: result.wall_ms,
            memory_bytes: result.memory_bytes,
            message: Some(result.message).filter(|message| !message.is_empty()),
            judge_message: result.difference,
            facts: RunFacts {
                cause: result.cause.and_then(|cause| serde_json::to_string(&cause).ok()),
                times_run: result.times_run,
                output: result.printed.map(|printed| (printed.head, printed.bytes)),
            },
        };
        let what = (stored(lease), run, clock::now());
        let written = self
            .store
            .write_together(what, |(lease, run, now), tx| Box::pin(judging::record_run(tx, *lease, run, *now)));
        Ok(written.await?)
    }

    async fn record_step(&self, lease: Lease, step: Step) -> Result<(), SourceError> {
        let (done, total) = (step.done as u64, step.total as u64);
        let step = verification::Step { part: &step.part, done, total };
        let mut tx = self.store.begin_write().await?;
        verification::progress(&mut tx, stored(lease), step, clock::now()).await?;
        Ok(tx.commit().await?)
    }

    async fn record_program(&self, lease: Lease, result: ProgramResult) -> Result<(), SourceError> {
        let json = json(&result)?;
        let mut tx = self.store.begin_write().await?;
        verification::record_program(&mut tx, stored(lease), &result.name, &json, clock::now()).await?;
        Ok(tx.commit().await?)
    }

    async fn is_urgent_waiting(&self, lease: Lease) -> Result<bool, SourceError> {
        Ok(job::is_urgent_waiting(self.store.read(), stored(lease), clock::now()).await?)
    }

    async fn finish_verification(&self, lease: Lease, outcome: VerifiedOutcome) -> Result<(), SourceError> {
        let VerifiedOutcome { report, limits } = outcome;
        let found = &report.verification;
        let limit_ms = host_fit::limit_of(self.store.read(), stored(lease)).await?;
        let limit_ms = limit_ms.or(limits.map(|limits| limits.cpu_ms)).unwrap_or(found.margins.limit_ms);
        let faults: Vec<String> =
            found.faults.iter().map(|fault| format!("{}: {}", fault.subject, fault.sentence)).collect();
        let outcome = verification_end::Outcome {
            holds: found.holds(),
            message: (!found.holds()).then(|| faults.join("\n")),
            report: json(&report)?,
            limits,
            measured: Some(Measured {
                state: fit_state(fit(limit_ms, found)),
                limit_ms,
                least_ms: found.margins.least_ms,
                most_ms: found.margins.most_ms,
            }),
        };
        let mut tx = self.store.begin_write().await?;
        verification_end::finish(&mut tx, stored(lease), &outcome, clock::now()).await?;
        Ok(tx.commit().await?)
    }

    async fn finish_judgement(&self, lease: Lease, outcome: JudgedOutcome) -> Result<(), SourceError> {
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        let outcome = Outcome {
            verdict: outcome.verdict,
            score: outcome.score,
            groups: Some(GroupResults(outcome.groups)).filter(|groups| !groups.0.is_empty()),
            failed_ordinal: outcome.deciding,
            compiler_output: some(outcome.compiler_output),
            message: some(outcome.message),
            judge_message: outcome.difference,
            cpu_ms: outcome.cpu_ms,
            memory_bytes: outcome.memory_bytes,
            receipt: some(outcome.receipt),
        };
        let what = (stored(lease), outcome, clock::now());
        let written = self.store.write_together(what, |(lease, outcome, now), tx| {
            Box::pin(judging::finish_judgement(tx, *lease, outcome, *now))
        });
        Ok(written.await?)
    }

    async fn finish_preparation(&self, lease: Lease, outcome: PreparedOutcome) -> Result<(), SourceError> {
        let result = match outcome {
            PreparedOutcome::Refused(message) => {
                let mut tx = self.store.begin_write().await?;
                preparation::refuse_preparation(&mut tx, stored(lease), &message, clock::now()).await?;
                return Ok(tx.commit().await?);
            }
            PreparedOutcome::Ready { facts, tests, notes, pictures } => {
                let mut made = Vec::with_capacity(tests.len());
                for test in tests {
                    made.push(self.new_test_case(test).await?);
                }
                let preparation = Preparation {
                    names: Names(facts.names.into_iter().collect()),
                    languages: facts.languages.map(Texts),
                    limits: facts.limits,
                    metadata: json(&stored_work::Metadata {
                        not_run: notes,
                        rules: facts.rules,
                        code_bytes: Some(facts.code_bytes),
                    })?,
                    statements: facts
                        .statements
                        .into_iter()
                        .map(|statement| NewStatement {
                            language: statement.language,
                            format: match statement.kind {
                                package::StatementKind::Markdown => StatementFormat::Markdown,
                                package::StatementKind::Tex => StatementFormat::Tex,
                                package::StatementKind::Pdf => StatementFormat::Pdf,
                            },
                            path: statement.path,
                        })
                        .collect(),
                    tests: made,
                    pictures,
                };
                let mut tx = self.store.begin_write().await?;
                match preparation::finish_preparation(&mut tx, stored(lease), &preparation, clock::now()).await {
                    Ok(_) => return Ok(tx.commit().await?),
                    Err(error) => {
                        tx.roll_back().await?;
                        error
                    }
                }
            }
        };
        self.outdated(lease, result).await
    }

    async fn finish_proposal(&self, lease: Lease, outcome: ProposedOutcome) -> Result<(), SourceError> {
        let mut tx = self.store.begin_write().await?;
        let result = match outcome {
            ProposedOutcome::Accepted { package_id, input, answer, checker_args, args, files } => {
                let made = Some((input, blob::size(&mut *tx, input).await?.unwrap_or_default()));
                let bytes = blob::size(&mut *tx, answer).await?.unwrap_or_default();
                let config = TestConfig { output_validator_args: checker_args, args, files }.json();
                let answer = Answer { package_id, sha256: answer, bytes, config, made };
                proposal::accept_proposal(&mut tx, stored(lease), answer, clock::now()).await.map(|_| ())
            }
            ProposedOutcome::Refused(message) => {
                proposal::refuse_proposal(&mut tx, stored(lease), &message, None, clock::now()).await
            }
        };
        match result {
            Ok(()) => Ok(tx.commit().await?),
            Err(error) => {
                tx.roll_back().await?;
                self.outdated(lease, error).await
            }
        }
    }

    async fn finish_counterexample(&self, lease: Lease, found: Option<FoundCounterexample>) -> Result<(), SourceError> {
        let found = found.and_then(kept);
        let mut tx = self.store.begin_write().await?;
        counterexample::finish(&mut tx, stored(lease), found.as_ref(), clock::now()).await?;
        Ok(tx.commit().await?)
    }

    async fn finish_trial(&self, lease: Lease, outcome: TrialOutcome) -> Result<(), SourceError> {
        let mut tx = self.store.begin_write().await?;
        trial::finish(&mut tx, stored(lease), &outcome, clock::now()).await?;
        Ok(tx.commit().await?)
    }

    async fn fail(&self, lease: Lease, reason: String) -> Result<(), SourceError> {
        tracing::error!(reason, "a job failed for a fault of ours");
        let mut tx = self.store.begin_write().await?;
        job::fail_attempt(&mut tx, stored(lease), &reason, clock::now()).await?;
        Ok(tx.commit().await?)
    }

    async fn give_back(&self, lease: Lease) -> Result<(), SourceError> {
        let mut tx = self.store.begin_write().await?;
        job::give_back(&mut tx, stored(lease), clock::now()).await?;
        Ok(tx.commit().await?)
    }
}

impl LocalSource {
    /// Takes the next job that a worker with this entitlement may have. What it held until now goes back: it asks, so it
    /// does not work on it. `thorough`: also look for what only becomes a job when somebody looks.
    ///
    /// # Errors
    /// [`SourceError`].
    pub async fn claim_instead(&self, entitled: &Entitled, thorough: bool) -> Result<Option<Job>, SourceError> {
        let now = clock::now();
        // Workers that wait ask again and again: that must not write.
        if !thorough && !farm_claim::is_anything_for(self.store.read(), &self.worker, now).await? {
            return Ok(None);
        }
        let what = (self.worker.clone(), entitled.clone(), now);
        let claimed = self.store.write_together(what, |(worker, entitled, now), tx| {
            Box::pin(async move { Ok(farm_claim::claim(tx, worker, entitled, *now).await?) })
        });
        let claimed = claimed.await?;
        self.with_its_work(claimed).await
    }

    /// Whether a job that goes before this one waits for a worker with this entitlement.
    ///
    /// # Errors
    /// [`SourceError`].
    pub async fn is_urgent_waiting_for(&self, entitled: &Entitled, lease: Lease) -> Result<bool, SourceError> {
        let pool = self.store.read();
        Ok(farm_claim::is_urgent_waiting(pool, &self.worker, entitled, stored(lease), clock::now()).await?)
    }

    async fn with_its_work(&self, claimed: Option<ClaimedJob>) -> Result<Option<Job>, SourceError> {
        let Some(claimed) = claimed else { return Ok(None) };
        let lease = Lease { job: claimed.lease.job, token: claimed.lease.token };
        let work = stored_work::work(&self.store, claimed.work).await?;
        Ok(Some(Job { lease, work }))
    }

    /// What the holder of this claim works on.
    ///
    /// # Errors
    /// [`SourceError::LeaseLost`].
    pub async fn held_work(&self, lease: Lease) -> Result<Work, SourceError> {
        let held = farm_claim::held(self.store.read(), stored(lease)).await?;
        stored_work::work(&self.store, held).await
    }

    /// The size of contents, bytes.
    ///
    /// # Errors
    /// [`SourceError::Unavailable`] when they aren't there.
    pub async fn size(&self, sha256: Sha256) -> Result<u64, SourceError> {
        let size = blob::size(self.store.read(), sha256).await?;
        size.ok_or_else(|| StoreError::BlobMissing(sha256).into())
    }

    /// The problem changed while the job was worked on: it is done anew.
    async fn outdated(&self, lease: Lease, error: JobError) -> Result<(), SourceError> {
        match error {
            JobError::Outdated => self.give_back(lease).await,
            error => Err(error.into()),
        }
    }

    async fn new_test_case(&self, test: MadeTest) -> Result<NewTestCase, SourceError> {
        let size = |digest| async move {
            Ok::<u64, SourceError>(blob::size(self.store.read(), digest).await?.unwrap_or_default())
        };
        let folder = test.name.rsplit_once('/').map_or("secret", |(folder, _)| folder);
        let group = test.group.unwrap_or_else(|| folder.to_owned());
        let (origin, recipe) = match test.origin {
            Origin::File => (TestOrigin::File, None),
            Origin::Generated(recipe) => (TestOrigin::Generated, Some(recipe)),
            Origin::Added(recipe) => (TestOrigin::Added, recipe),
        };
        Ok(NewTestCase {
            group: if test.sample { "sample".to_owned() } else { group },
            sample: test.sample,
            input_sha256: test.input,
            answer_sha256: test.answer,
            input_bytes: size(test.input).await?,
            answer_bytes: size(test.answer).await?,
            origin,
            recipe,
            config: TestConfig { output_validator_args: test.checker_args, args: test.args, files: test.files }.json(),
            name: test.name,
        })
    }
}

const fn fit_state(fit: HostFit) -> FitState {
    match fit {
        HostFit::Fits => FitState::Fits,
        HostFit::TooSlow => FitState::TooSlow,
        HostFit::TooFast => FitState::TooFast,
        HostFit::NotAccepted => FitState::NotAccepted,
        HostFit::NotMeasured => FitState::NotMeasured,
    }
}

fn json(value: &impl serde::Serialize) -> Result<String, SourceError> {
    serde_json::to_string(value).map_err(|error| SourceError::Unavailable(error.to_string()))
}

/// Only what is small enough to be shown whole; of the output its beginning.
fn kept(found: FoundCounterexample) -> Option<counterexample::FoundCounterexample> {
    let most = counterexample::MAX_KEPT_BYTES;
    let fits = found.input.len() <= most && found.answer.as_ref().is_none_or(|answer| answer.len() <= most);
    let output_bytes = found.output.as_ref().map_or(0, Vec::len) as u64;
    let output = found.output.map(|mut output| {
        output.truncate(most);
        output
    });
    let (input, answer, original_bytes) = (found.input, found.answer, found.original_bytes);
    fits.then_some(counterexample::FoundCounterexample { input, answer, output, output_bytes, original_bytes })
}
