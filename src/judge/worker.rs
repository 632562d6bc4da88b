//! The worker loop: claim, work, report. Knows jobs only through `JobSource`.
//!
//! Owns: the order of a job's life, the renewal of leases, the clean stop. The judging itself is blocking work on a
//! thread of its own; nothing here waits inside a transaction.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tracing::{Instrument as _, Span};

use crate::domain::hash::Sha256;
use crate::sandbox::SandboxError;

use super::blob_cache::BlobCache;
use super::fault::JudgeFault;
use super::job_source::{Job, JobSource, Lease, SourceError, Step, Work};
use super::prepare_job::Shelf;
use super::test_file::TestFile;
use super::verify_job::Reporter;
use super::workshop::Workshop;
use super::{counterexample_job, judge_job, needs, prepare_job, trial_job, verify_job};

/// How often a claim is renewed while nothing else reports progress. A third of the shortest sensible lease.
const RENEW_EVERY: Duration = Duration::from_secs(5);
/// Rest after the door failed, so that a full disk doesn't make a busy loop.
const REST_AFTER_FAILURE: Duration = Duration::from_secs(1);
/// How long a program that runs may go on after the stop; then its job is given back without waiting for it.
const GIVE_BACK_AFTER: Duration = Duration::from_secs(3);
/// How often it is told how far long work is.
const TELL_EVERY: Duration = Duration::from_millis(500);

/// What every worker of a process shares.
#[derive(Debug)]
pub struct Tools {
    /// Builds and runs programs.
    pub workshop: Workshop,
    /// Blobs as files.
    pub cache: BlobCache,
    /// Threads that a preparation may use.
    pub threads: usize,
    /// How long a job may go on without a report of any kind; then its thread is taken for hung, and the job is tried
    /// again without it.
    pub patience: Duration,
}

/// What a job reports while it is worked on.
#[derive(Debug)]
pub enum Report {
    /// A run is done.
    Run(super::job_source::RunRecord),
    /// So far it is.
    Step(Step),
    /// A package's program was judged.
    Program(crate::domain::verification::ProgramResult),
}

/// The end of a job's work.
#[derive(Debug)]
pub enum Ending {
    /// A judgement.
    Judged(super::job_source::JudgedOutcome),
    /// A preparation.
    Prepared(super::job_source::PreparedOutcome),
    /// A proposal.
    Proposed(super::job_source::ProposedOutcome),
    /// A verification.
    Verified(super::job_source::VerifiedOutcome),
    /// The search for a counterexample.
    Reduced(Option<super::job_source::FoundCounterexample>),
    /// A trial.
    Tried(crate::domain::trial::TrialOutcome),
}

/// Ends of a job without a result, for the log.
const FAILED: &str = "failed";
const GIVEN_BACK: &str = "given back";

impl Ending {
    /// What it is, for the log.
    const fn in_a_word(&self) -> &'static str {
        match self {
            Self::Judged(outcome) => outcome.verdict.code(),
            Self::Prepared(_) => "prepared",
            Self::Proposed(_) => "proposed",
            Self::Verified(_) => "verified",
            Self::Reduced(_) => "reduced",
            Self::Tried(_) => "tried",
        }
    }
}

/// Works until `stop` becomes true. A job that is under way then is given back.
pub async fn run<S: JobSource>(source: Arc<S>, tools: Arc<Tools>, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        let claimed = match source.claim().await {
            Ok(claimed) => claimed,
            Err(error) => {
                tracing::error!(%error, "no job can be claimed");
                rest(&mut stop).await;
                continue;
            }
        };
        let Some(job) = claimed else {
            tokio::select! {
                () = source.wait() => {}
                _ = stop.changed() => {}
            }
            continue;
        };
        let span = if let Work::Judge(work) = &job.work {
            tracing::info_span!("job", job = job.lease.job.0, judgement = work.judgement.0)
        } else {
            tracing::info_span!("job", job = job.lease.job.0)
        };
        one(&source, &tools, job, &mut stop).instrument(span).await;
    }
}

/// One job, to whatever end; every line that is logged meanwhile is in its span.
async fn one<S: JobSource>(source: &Arc<S>, tools: &Arc<Tools>, job: Job, stop: &mut watch::Receiver<bool>) {
    let lease = job.lease;
    let begun = Instant::now();
    match work_on(source, tools, job, stop.clone()).await {
        Ok(end) => {
            let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            tracing::info!(end, ms, "a job ended");
        }
        Err(SourceError::LeaseLost) => tracing::warn!("the lease was lost; the work is dropped"),
        Err(error) => {
            tracing::error!(%error, "the result could not be stored; the job is done again");
            let_go(source, lease, &error, stop).await;
        }
    }
}

/// Tries until the job is in other hands: its lease would only end much later. A full disk is not the job's fault, so it
/// costs no attempt; anything else does, for the same thing may happen again.
async fn let_go<S: JobSource>(source: &Arc<S>, lease: Lease, cause: &SourceError, stop: &mut watch::Receiver<bool>) {
    while !*stop.borrow() {
        rest(stop).await;
        let let_go = match cause {
            SourceError::DiskTrouble(_) => source.give_back(lease).await,
            _ => source.fail(lease, cause.to_string()).await,
        };
        if matches!(let_go, Ok(()) | Err(SourceError::LeaseLost)) {
            return;
        }
    }
}

async fn rest(stop: &mut watch::Receiver<bool>) {
    tokio::select! {
        () = tokio::time::sleep(REST_AFTER_FAILURE) => {}
        _ = stop.changed() => {}
    }
}

/// Fetches what the job needs, does the work on a blocking thread, passes on its reports, and ends it.
async fn work_on<S: JobSource>(
    source: &Arc<S>,
    tools: &Arc<Tools>,
    job: Job,
    mut stop: watch::Receiver<bool>,
) -> Result<&'static str, SourceError> {
    let lease = job.lease;
    let fetched = match fetch(source, tools, &job.work).await {
        Ok(fetched) => fetched,
        Err(FetchError::Source(error)) => return Err(error),
        Err(FetchError::Fault(fault)) => return source.fail(lease, fault.to_string()).await.map(|()| FAILED),
    };
    let cancelled = Arc::new(AtomicBool::new(false));
    let (reports, mut incoming) = mpsc::unbounded_channel();
    // A verification remembers what it has done, and nobody waits for a counterexample: both are interrupted for
    // something more urgent.
    let makes_way = matches!(job.work, Work::Verify(_) | Work::Counterexample(_));
    let mut working = {
        let (tools, cancelled, shelf) = (Arc::clone(tools), Arc::clone(&cancelled), BlobShelf::new(source));
        let span = Span::current();
        let work = move || match job.work {
            Work::Judge(work) => judge_job::run(&tools, &work, &fetched, &reports, &cancelled),
            Work::Prepare(work) => {
                let reporter = Reporter { reports: &reports, cancelled: &cancelled };
                prepare_job::prepare(&tools, &work, &reporter, &shelf)
            }
            Work::Trial(work) => trial_job::run(&tools, &work, &cancelled),
            Work::Propose(work) => prepare_job::propose(&tools, &work, &shelf),
            Work::Verify(work) => verify_job::run(&tools, &work, &reports, &cancelled),
            Work::Counterexample(work) => counterexample_job::run(&tools, &work, &fetched, &cancelled),
        };
        tokio::task::spawn_blocking(move || span.in_scope(work))
    };
    let mut renewal = tokio::time::interval(RENEW_EVERY);
    let mut telling = tokio::time::interval(TELL_EVERY);
    let mut latest = None;
    let hung = tokio::time::sleep(tools.patience);
    let left_alone = tokio::time::sleep(tools.patience);
    tokio::pin!(hung, left_alone);
    let mut is_stopping = false;
    let ending = loop {
        let result = tokio::select! {
            // Reports before the end, so that every run is stored when the verdict is.
            biased;
            Some(report) = incoming.recv() => {
                hung.as_mut().reset(tokio::time::Instant::now() + tools.patience);
                match report {
                    Report::Run(run) => source.record_run(lease, run).await,
                    Report::Program(result) => source.record_program(lease, result).await,
                    Report::Step(reached) => {
                        latest = Some(reached);
                        Ok(())
                    }
                }
            }
            ended = &mut working => break ended,
            _ = telling.tick() => match latest.take() {
                Some(reached) => source.record_step(lease, reached).await,
                None => Ok(()),
            },
            _ = renewal.tick() => {
                if makes_way && source.is_urgent_waiting(lease).await.unwrap_or(false) {
                    cancelled.store(true, Ordering::Relaxed);
                }
                match source.renew(lease).await {
                    Err(SourceError::LeaseLost) => Err(SourceError::LeaseLost),
                    // The next renewal may go well; until then the lease lasts.
                    _ => Ok(()),
                }
            }
            _ = stop.changed(), if !is_stopping => {
                cancelled.store(true, Ordering::Relaxed);
                is_stopping = true;
                left_alone.as_mut().reset(tokio::time::Instant::now() + GIVE_BACK_AFTER);
                Ok(())
            }
            // Whatever the thread still finds out is fenced off by the next claim.
            () = &mut left_alone, if is_stopping => return source.give_back(lease).await.map(|()| GIVEN_BACK),
            () = &mut hung => {
                cancelled.store(true, Ordering::Relaxed);
                let seconds = tools.patience.as_secs();
                let reason = format!("nothing was heard of this for {seconds} seconds; its thread hangs");
                return source.fail(lease, reason).await.map(|()| FAILED);
            }
        };
        if let Err(error) = result {
            cancelled.store(true, Ordering::Relaxed);
            return Err(error);
        }
    };
    match ending {
        Ok(Ok(Some(ending))) => {
            let end = ending.in_a_word();
            finish(source, lease, ending).await.map(|()| end)
        }
        Ok(Ok(None) | Err(JudgeFault::Stopped | JudgeFault::Sandbox(SandboxError::Closed))) => {
            source.give_back(lease).await.map(|()| GIVEN_BACK)
        }
        Ok(Err(fault)) => source.fail(lease, fault.to_string()).await.map(|()| FAILED),
        Err(panic) => source.fail(lease, format!("the worker's own code failed: {panic}")).await.map(|()| FAILED),
    }
}

/// Ends a job by what its work came to.
pub async fn finish<S: JobSource>(source: &Arc<S>, lease: Lease, ending: Ending) -> Result<(), SourceError> {
    match ending {
        Ending::Judged(outcome) => source.finish_judgement(lease, outcome).await,
        Ending::Prepared(outcome) => source.finish_preparation(lease, outcome).await,
        Ending::Proposed(outcome) => source.finish_proposal(lease, outcome).await,
        Ending::Tried(outcome) => source.finish_trial(lease, outcome).await,
        Ending::Verified(outcome) => source.finish_verification(lease, outcome).await,
        Ending::Reduced(found) => source.finish_counterexample(lease, found).await,
    }
}

/// The blobs that a job's work reads, already at hand.
#[derive(Debug, Default)]
pub struct Fetched {
    /// Contents by digest: a submission's sources.
    pub contents: std::collections::HashMap<crate::domain::hash::Sha256, Vec<u8>>,
}

/// Why what a job needs is not at hand.
pub(super) enum FetchError {
    Source(SourceError),
    Fault(JudgeFault),
}

impl From<FetchError> for SourceError {
    fn from(error: FetchError) -> Self {
        match error {
            FetchError::Source(error) => error,
            FetchError::Fault(fault) => Self::Unavailable(fault.to_string()),
        }
    }
}

/// Brings sources into memory; everything that may be large into the cache, one file at a time.
pub(super) async fn fetch<S: JobSource>(
    source: &Arc<S>,
    tools: &Arc<Tools>,
    work: &Work,
) -> Result<Fetched, FetchError> {
    let mut fetched = Fetched::default();
    if let Some(work) = needs::judged(work) {
        for (_, digest) in &work.sources {
            let contents = source.blob(*digest).await.map_err(FetchError::Source)?;
            fetched.contents.insert(*digest, contents);
        }
    }
    for digest in needs::on_disk(work) {
        let shared = Arc::clone(tools);
        let span = Span::current();
        let look = move || span.in_scope(|| shared.cache.get(&digest).is_some());
        let is_there = tokio::task::spawn_blocking(look).await;
        if is_there.unwrap_or(false) {
            continue;
        }
        let file = tools.cache.begin(&digest).map_err(FetchError::Fault)?;
        let handle = file.reopen().map_err(JudgeFault::io("write to the blob cache")).map_err(FetchError::Fault)?;
        source.copy_blob(digest, handle).await.map_err(FetchError::Source)?;
        let shared = Arc::clone(tools);
        let span = Span::current();
        let put = move || span.in_scope(|| shared.cache.put(&digest, file).map(|_| ()));
        tokio::task::spawn_blocking(put)
            .await
            .unwrap_or_else(|panic| Err(JudgeFault::Data(panic.to_string())))
            .map_err(FetchError::Fault)?;
    }
    Ok(fetched)
}

/// Stores blobs from a blocking thread.
struct BlobShelf<S> {
    source: Arc<S>,
    runtime: tokio::runtime::Handle,
}

impl<S: JobSource> BlobShelf<S> {
    fn new(source: &Arc<S>) -> Self {
        Self { source: Arc::clone(source), runtime: tokio::runtime::Handle::current() }
    }
}

impl<S: JobSource> Shelf for BlobShelf<S> {
    fn put(&self, contents: Vec<u8>) -> Result<Sha256, JudgeFault> {
        self.runtime.block_on(self.source.put_blob(contents)).map_err(|error| JudgeFault::Data(error.to_string()))
    }

    fn put_file(&self, file: &TestFile) -> Result<(), JudgeFault> {
        self.runtime.block_on(self.source.put_file(file.clone())).map_err(|error| JudgeFault::Data(error.to_string()))
    }
}
