//! A verification job: a package's own programs on the tests that the server keeps for it.
//!
//! Owns: what is told on the way, and the way out when something more urgent waits. The judging and what it means are
//! `verify`'s, as for the command line. Must not know: what follows from the report.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc::UnboundedSender;

use crate::domain::limits::Limits;
use crate::domain::verification::ProgramResult;
use crate::package::Package;

use super::fault::JudgeFault;
use super::job_source::{Step, VerifiedOutcome, VerifyWork};
use super::opened::{self, OpenedRules};
use super::package_program::run_limits;
use super::progress::Progress;
use super::verify::{Audience, Judging};
use super::worker::{Ending, Report, Tools};

/// Passes on what a job tells of itself.
pub(super) struct Reporter<'a> {
    /// To the worker's loop.
    pub(super) reports: &'a UnboundedSender<Report>,
    /// Set when the work is to stop.
    pub(super) cancelled: &'a AtomicBool,
}

impl Progress for Reporter<'_> {
    fn step(&self, part: &str, done: usize, total: usize) {
        // Nobody listens any more when the lease was lost.
        let _ = self.reports.send(Report::Step(Step { part: part.to_owned(), done, total }));
    }

    fn goes_on(&self) -> bool {
        !self.cancelled.load(Ordering::Relaxed)
    }
}

impl Audience for Reporter<'_> {
    fn judged(&self, result: &ProgramResult) {
        let _ = self.reports.send(Report::Program(result.clone()));
    }

    fn goes_on(&self) -> bool {
        Progress::goes_on(self)
    }
}

/// Verifies; `None` when it was cancelled.
pub fn run(
    tools: &Tools,
    work: &VerifyWork,
    reports: &UnboundedSender<Report>,
    cancelled: &AtomicBool,
) -> Result<Option<Ending>, JudgeFault> {
    let files = work.files.iter().map(|(path, digest)| (path.as_str(), digest));
    let tree = opened::tree(tools, files)?.map_err(JudgeFault::Data)?;
    let (package, _) = Package::read(&tree, &work.problem).map_err(|bad| JudgeFault::Data(bad.to_string()))?;
    let tree = package.with_constants(tree).map_err(JudgeFault::io("read a package"))?;
    let rules = OpenedRules::new(tools, &work.rules)?;
    let tests = work.tests.iter().map(|test| rules.test(tools, test)).collect::<Result<Vec<_>, _>>()?;
    let reporter = Reporter { reports, cancelled };
    let judging = Judging {
        workshop: &tools.workshop,
        tree: &tree,
        package: &package,
        tests: &tests,
        threads: if work.awaited { tools.threads } else { 1 },
        // The other workers go on.
        in_company: tools.threads > 1,
        progress: &reporter,
    };
    let Some(report) = judging.verify(&work.known, &reporter)? else { return Ok(None) };
    // A package without a limit is judged with the one that its own programs ask for.
    let proposed = report.verification.proposed_limit_ms.filter(|_| package.limits.time_limit_ms.is_none());
    let limits = proposed.map(|cpu_ms| Limits {
        cpu_ms,
        wall_ms: Limits::wall_for_cpu(cpu_ms),
        ..run_limits(&package.limits, cpu_ms)
    });
    Ok(Some(Ending::Verified(VerifiedOutcome { report, limits })))
}
