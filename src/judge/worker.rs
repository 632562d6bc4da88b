//! The worker loop: claim, work, report. Knows jobs only through `JobSource`.
//!
//! Owns: the order of a job's life, the renewal of leases, the clean stop. The judging itself is blocking work on a
//! thread of its own; nothing here waits inside a transaction.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use super::blob_cache::BlobCache;
use super::fault::JudgeFault;
use super::job_source::{Job, JobSource, Lease, SourceError, TrialOn, Work};
use super::workshop::Workshop;
use super::{judge_job, prepare_job, trial_job};

/// How often a claim is renewed while nothing else reports progress. A third of the shortest sensible lease.
const RENEW_EVERY: Duration = Duration::from_secs(5);
/// Rest after the door failed, so that a full disk doesn't make a busy loop.
const REST_AFTER_FAILURE: Duration = Duration::from_secs(1);

/// What every worker of a process shares.
#[derive(Debug)]
pub struct Tools {
    /// Builds and runs programs.
    pub workshop: Workshop,
    /// Blobs as files.
    pub cache: BlobCache,
    /// Threads that a preparation may use.
    pub threads: usize,
}

/// What a job reports while it is worked on.
#[derive(Debug)]
pub enum Report {
    /// A run is done.
    Run(super::job_source::RunRecord),
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
    /// A trial.
    Tried(crate::domain::trial::TrialOutcome),
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
        let lease = job.lease;
        let result = work_on(&source, &tools, job, stop.clone()).await;
        match result {
            Ok(()) => {}
            Err(SourceError::LeaseLost) => tracing::warn!(job = lease.job.0, "the lease was lost; the work is dropped"),
            Err(error) => {
                tracing::error!(job = lease.job.0, %error, "the result could not be stored");
                rest(&mut stop).await;
            }
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
) -> Result<(), SourceError> {
    let lease = job.lease;
    let fetched = match fetch(source, tools, &job.work).await {
        Ok(fetched) => fetched,
        Err(FetchError::Source(error)) => return Err(error),
        Err(FetchError::Fault(fault)) => return source.fail(lease, fault.to_string()).await,
    };
    let cancelled = Arc::new(AtomicBool::new(false));
    let (reports, mut incoming) = mpsc::unbounded_channel();
    let mut working = {
        let (tools, cancelled, blobs) = (Arc::clone(tools), Arc::clone(&cancelled), BlobStorer::new(source));
        tokio::task::spawn_blocking(move || match job.work {
            Work::Judge(work) => judge_job::run(&tools, &work, &fetched, &reports, &cancelled),
            Work::Prepare(work) => prepare_job::prepare(&tools, &work, &fetched, |bytes| blobs.put(bytes)),
            Work::Trial(work) => trial_job::run(&tools, &work, &cancelled),
            Work::Propose(work) => prepare_job::propose(&tools, &work, &fetched, |bytes| blobs.put(bytes)),
        })
    };
    let mut renewal = tokio::time::interval(RENEW_EVERY);
    let ending = loop {
        tokio::select! {
            // Reports before the end, so that every run is stored when the verdict is.
            biased;
            Some(Report::Run(run)) = incoming.recv() => {
                if let Err(error) = source.record_run(lease, run).await {
                    cancelled.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
            ended = &mut working => break ended,
            _ = renewal.tick() => {
                if let Err(error @ SourceError::LeaseLost) = source.renew(lease).await {
                    cancelled.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
            _ = stop.changed() => cancelled.store(true, Ordering::Relaxed),
        }
    };
    match ending {
        Ok(Ok(Some(ending))) => finish(source, lease, ending).await,
        Ok(Ok(None)) => source.give_back(lease).await,
        Ok(Err(fault)) => source.fail(lease, fault.to_string()).await,
        Err(panic) => source.fail(lease, format!("the worker's own code failed: {panic}")).await,
    }
}

async fn finish<S: JobSource>(source: &Arc<S>, lease: Lease, ending: Ending) -> Result<(), SourceError> {
    match ending {
        Ending::Judged(outcome) => source.finish_judgement(lease, outcome).await,
        Ending::Prepared(outcome) => source.finish_preparation(lease, outcome).await,
        Ending::Proposed(outcome) => source.finish_proposal(lease, outcome).await,
        Ending::Tried(outcome) => source.finish_trial(lease, outcome).await,
    }
}

/// The blobs that a job's work reads, already at hand.
#[derive(Debug, Default)]
pub struct Fetched {
    /// Contents by digest: sources and package files.
    pub contents: std::collections::HashMap<crate::domain::hash::Sha256, Vec<u8>>,
}

enum FetchError {
    Source(SourceError),
    Fault(JudgeFault),
}

/// Brings sources and package files into memory, and test files into the cache.
async fn fetch<S: JobSource>(source: &Arc<S>, tools: &Arc<Tools>, work: &Work) -> Result<Fetched, FetchError> {
    let mut fetched = Fetched::default();
    let (in_memory, on_disk) = match work {
        Work::Judge(work) => (
            work.sources.iter().map(|(_, digest)| *digest).collect::<Vec<_>>(),
            work.tests.iter().flat_map(|test| [test.input, test.answer]).collect::<Vec<_>>(),
        ),
        Work::Prepare(work) => {
            let files = work.files.iter().map(|(_, digest)| *digest);
            (files.chain(work.added.iter().map(|added| added.input)).collect(), Vec::new())
        }
        Work::Trial(work) => (
            Vec::new(),
            match &work.on {
                TrialOn::Samples(tests) => tests.iter().flat_map(|test| [test.input, test.answer]).collect(),
                TrialOn::Own(_) => Vec::new(),
            },
        ),
        Work::Propose(work) => {
            (work.package.files.iter().map(|(_, digest)| *digest).chain([work.input]).collect(), Vec::new())
        }
    };
    for digest in in_memory {
        let contents = source.blob(digest).await.map_err(FetchError::Source)?;
        fetched.contents.insert(digest, contents);
    }
    for digest in on_disk {
        let (cached, tools_of_check) = (digest, Arc::clone(tools));
        let is_there = tokio::task::spawn_blocking(move || tools_of_check.cache.get(&cached).is_some()).await;
        if !is_there.unwrap_or(false) {
            let contents = source.blob(digest).await.map_err(FetchError::Source)?;
            tools.cache.put(&digest, &contents).map_err(FetchError::Fault)?;
        }
    }
    Ok(fetched)
}

/// Stores blobs from a blocking thread.
struct BlobStorer<S> {
    source: Arc<S>,
    runtime: tokio::runtime::Handle,
}

impl<S: JobSource> BlobStorer<S> {
    fn new(source: &Arc<S>) -> Self {
        Self { source: Arc::clone(source), runtime: tokio::runtime::Handle::current() }
    }

    fn put(&self, contents: Vec<u8>) -> Result<crate::domain::hash::Sha256, JudgeFault> {
        self.runtime.block_on(self.source.put_blob(contents)).map_err(|error| JudgeFault::Data(error.to_string()))
    }
}
