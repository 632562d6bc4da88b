//! The embedded worker's door: jobs, blobs and results straight from and to the database of this process.
//!
//! Owns: the translation between the worker's words and the store's, one short transaction a call. This is the only
//! file of the judge that knows the store and reads the clock.

use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use tokio::sync::{Mutex, watch};

use crate::clock;
use crate::domain::hash::Sha256;
use crate::domain::ids::JudgementId;
use crate::domain::trial::TrialOutcome;
use crate::domain::verification::ProgramResult;
use crate::package;
use crate::store::job::{self, JobError, Work as StoredWork};
use crate::store::judging::{self, NewRun, Outcome, RunFacts};
use crate::store::package::StatementFormat;
use crate::store::preparation::{self, NewStatement, Preparation};
use crate::store::proposal::{self, Answer};
use crate::store::test_case::{NewTestCase, TestCase, TestOrigin};
use crate::store::{
    GroupResults, Names, Store, StoreError, Texts, blob, counterexample, judgement, trial, verification,
    verification_end,
};

use super::job_source::{
    AddedInput, CounterexampleWork, FoundCounterexample, Job, JobSource, JudgeWork, JudgedOutcome, Lease, MadeTest,
    Origin, PrepareWork, PreparedOutcome, ProposeWork, ProposedInput, ProposedOutcome, RunRecord, SourceError, Step,
    TestRef, TrialOn, TrialWork, VerifiedOutcome, VerifyWork, Work,
};
use super::known_runs::KnownRuns;
use super::rules::JudgingRules;
use super::test_config::TestConfig;
use super::test_file::TestFile;
use super::verify::Known;

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
        judge_work(judgement::task(self.store.read(), id).await?)
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

/// What a preparation writes down beside the columns.
#[derive(Debug, Default, serde::Serialize, Deserialize)]
#[serde(default)]
struct Metadata {
    not_run: Vec<String>,
    rules: JudgingRules,
    /// The service reads it too: `store::package::code_bytes`.
    code_bytes: Option<u64>,
}

fn rules(metadata: Option<&str>) -> Result<Arc<JudgingRules>, SourceError> {
    let metadata: Metadata = serde_json::from_str(metadata.unwrap_or("{}"))
        .map_err(|error| SourceError::Unavailable(format!("a package is stored wrongly: {error}")))?;
    Ok(Arc::new(metadata.rules))
}

const fn stored(lease: Lease) -> job::Lease {
    job::Lease { job: lease.job, token: lease.token }
}

impl JobSource for LocalSource {
    async fn claim(&self) -> Result<Option<Job>, SourceError> {
        let mut tx = self.store.begin_write().await?;
        let claimed = job::claim(&mut tx, &self.worker, clock::now()).await?;
        tx.commit().await?;
        let Some(claimed) = claimed else { return Ok(None) };
        let lease = Lease { job: claimed.lease.job, token: claimed.lease.token };
        let work = match claimed.work {
            StoredWork::Judge(id) => Work::Judge(judge_work(judgement::task(self.store.read(), id).await?)?),
            StoredWork::Prepare(id) => {
                let task = preparation::task(self.store.read(), id).await?;
                Work::Prepare(PrepareWork {
                    problem: task.problem_slug,
                    files: files(&task.files),
                    added: task
                        .added
                        .into_iter()
                        .map(|added| AddedInput {
                            name: added.name,
                            sample: added.sample,
                            input: added.input_sha256,
                            recipe: added.recipe,
                        })
                        .collect(),
                })
            }
            StoredWork::Trial(id) => Work::Trial(trial_work(trial::task(self.store.read(), id).await?)?),
            StoredWork::Verify(id) => Work::Verify(verify_work(verification::task(self.store.read(), id).await?)?),
            StoredWork::Counterexample(id) => {
                let task = counterexample::task(self.store.read(), id).await?;
                Work::Counterexample(CounterexampleWork {
                    files: files(&task.package_files),
                    verdict: task.verdict,
                    input: task.input_sha256,
                    judged: judge_work(task.judged)?,
                })
            }
            StoredWork::Propose(id) => {
                let task = proposal::task(self.store.read(), id).await?;
                Work::Propose(ProposeWork {
                    package_id: task.package_id,
                    package: PrepareWork {
                        problem: task.problem_slug,
                        files: files(&task.package_files),
                        added: Vec::new(),
                    },
                    name: task.name,
                    input: match (task.input_sha256, task.recipe) {
                        (Some(input), _) => ProposedInput::Given(input),
                        (None, command) => ProposedInput::Made(command.unwrap_or_default()),
                    },
                })
            }
        };
        Ok(Some(Job { lease, work }))
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
        let mut tx = self.store.begin_write().await?;
        job::renew(&mut tx, stored(lease), clock::now()).await?;
        Ok(tx.commit().await?)
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
        let mut tx = self.store.begin_write().await?;
        judging::record_run(&mut tx, stored(lease), &run, clock::now()).await?;
        Ok(tx.commit().await?)
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
        let faults: Vec<String> =
            found.faults.iter().map(|fault| format!("{}: {}", fault.subject, fault.sentence)).collect();
        let outcome = verification_end::Outcome {
            holds: found.holds(),
            message: (!found.holds()).then(|| faults.join("\n")),
            report: json(&report)?,
            limits,
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
        let mut tx = self.store.begin_write().await?;
        judging::finish_judgement(&mut tx, stored(lease), &outcome, clock::now()).await?;
        Ok(tx.commit().await?)
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
                    metadata: json(&Metadata {
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

fn files(files: &[crate::store::package::PackageFile]) -> Vec<(String, Sha256)> {
    files.iter().map(|file| (file.path.clone(), file.sha256)).collect()
}

fn test_ref(test: TestCase) -> Result<TestRef, SourceError> {
    let config: TestConfig = serde_json::from_str(&test.config)
        .map_err(|error| SourceError::Unavailable(format!("test {} is stored wrongly: {error}", test.name)))?;
    Ok(TestRef {
        id: test.id,
        name: test.name,
        sample: test.sample,
        input: test.input_sha256,
        answer: test.answer_sha256,
        checker_args: config.output_validator_args,
        args: config.args,
        files: config.files,
    })
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

fn verify_work(task: verification::VerificationTask) -> Result<VerifyWork, SourceError> {
    let done = task.done.iter().map(|result| serde_json::from_str(result)).collect::<Result<_, _>>();
    let identity = |test: &TestCase| (test.input_sha256, test.answer_sha256, test.config.clone());
    let tests: Vec<_> = task.tests.iter().map(identity).collect();
    // What another version of the program wrote and this one can't read is found out again.
    let read = |programs: Vec<String>| programs.iter().filter_map(|result| serde_json::from_str(result).ok()).collect();
    let earlier: Vec<_> = task
        .earlier
        .into_iter()
        .map(|before| (before.tests.iter().map(identity).collect::<Vec<_>>(), read(before.programs)))
        .collect();
    Ok(VerifyWork {
        problem: task.problem_slug,
        files: files(&task.files),
        rules: rules(task.package_metadata.as_deref())?,
        known: Known {
            programs: done.map_err(|error| SourceError::Unavailable(format!("a result is stored wrongly: {error}")))?,
            runs: KnownRuns::new(&tests, &earlier),
        },
        tests: task.tests.into_iter().map(test_ref).collect::<Result<_, _>>()?,
        awaited: task.decides,
    })
}

fn trial_work(task: trial::TrialTask) -> Result<TrialWork, SourceError> {
    Ok(TrialWork {
        problem: task.problem_slug,
        language: task.language,
        file_name: task.file_name,
        source: task.source,
        limits: task.limits,
        rules: rules(task.package_metadata.as_deref())?,
        on: match task.input {
            Some(input) => TrialOn::Own(input),
            None => TrialOn::Samples(task.samples.into_iter().map(test_ref).collect::<Result<_, _>>()?),
        },
    })
}

fn judge_work(task: judgement::JudgeTask) -> Result<JudgeWork, SourceError> {
    let tests = task.tests.into_iter().map(test_ref).collect::<Result<_, _>>()?;
    Ok(JudgeWork {
        judgement: task.judgement_id,
        problem: task.problem_slug,
        language: task.language,
        sources: task.sources.into_iter().map(|source| (source.name, source.sha256)).collect(),
        limits: task.limits,
        rules: rules(task.package_metadata.as_deref())?,
        tests,
    })
}
