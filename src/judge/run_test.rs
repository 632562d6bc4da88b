//! One program on one test: run, classify, compare, and run again where noise could decide.
//!
//! Owns: the way from a `RunReport` to a run's result. Must not know: which test is next (`grading::aggregate`).

use std::sync::Arc;

use crate::domain::limits::Limits;
use crate::domain::verdict::Verdict;
use crate::grading::checker::CheckerFlags;
use crate::grading::classify::{Cause, Classified, RunFacts, classify};
use crate::grading::timing;
use crate::sandbox::{Freshness, RunReport};

use super::fault::JudgeFault;
use super::printed::Printed;
use super::program::{BuiltProgram, Start};
use super::test_file::{self, TestFile};
use super::workshop::Workshop;

/// A test to run on.
#[derive(Debug, Clone, Copy)]
pub struct TestData<'a> {
    /// What the program reads.
    pub input: &'a TestFile,
    /// What is right.
    pub answer: &'a TestFile,
    /// How outputs are compared.
    pub flags: &'a CheckerFlags,
}

/// The result of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunResult {
    /// Its verdict.
    pub verdict: Verdict,
    /// cpu of the whole tree, milliseconds.
    pub cpu_ms: u64,
    /// Wall time, milliseconds.
    pub wall_ms: u64,
    /// Peak resident memory, bytes.
    pub memory_bytes: u64,
    /// What happened, for the author; says nothing of the test's data.
    pub message: String,
    /// The first difference, for those who may see the test.
    pub difference: Option<String>,
    /// Why it failed without its output being looked at.
    pub cause: Option<Cause>,
    /// How often it was run.
    pub times_run: u32,
    /// The beginning of what it printed, if it failed.
    pub printed: Option<Printed>,
    /// The beginning of what it wrote to standard error, if it failed.
    pub errors: Option<Printed>,
}

/// How far beyond the limit a run may go before it is ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Headroom {
    /// Just past what counts as near the limit.
    Judging,
    /// So far that the margin for too slow programs shows; the factor is the format's `time_limit_to_tle`.
    Measuring(f64),
}

impl Headroom {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "milliseconds of a run are far below 2^52, and the casts saturate"
    )]
    fn kill_after_ms(self, limit_ms: u64) -> u64 {
        let judging = timing::kill_after_ms(limit_ms);
        match self {
            Self::Judging => judging,
            Self::Measuring(factor) => judging.max((limit_ms as f64 * factor).ceil() as u64 + 1),
        }
    }
}

/// Runs the program on the test, up to three times by the rule of `grading::timing`.
///
/// `tag` names the submission: runs of one tag may share a wiped slot.
pub fn run_test(
    workshop: &Workshop,
    program: &Arc<BuiltProgram>,
    test: TestData<'_>,
    limits: &Limits,
    headroom: Headroom,
    tag: u64,
) -> Result<RunResult, JudgeFault> {
    let cpu_ms = headroom.kill_after_ms(limits.cpu_ms);
    let enforced = Limits { cpu_ms, wall_ms: limits.wall_ms.max(Limits::wall_for_cpu(cpu_ms)), ..*limits };
    let start = |freshness| -> Result<Start<'_>, JudgeFault> {
        Ok(Start {
            arguments: &[],
            stdin: test.input.stdin()?,
            limits: enforced,
            binds: Vec::new(),
            collect: Vec::new(),
            freshness,
        })
    };
    let mut reports = vec![program.run(workshop, start(Freshness::Wiped { tag })?)?];
    let mut times = vec![reports[0].cpu_us / 1_000];
    while timing::run_again(&times, limits.cpu_ms) {
        let report = program.run_alone(workshop, start(Freshness::Fresh)?)?;
        times.push(report.cpu_us / 1_000);
        reports.push(report);
    }
    let counted = timing::counted_run(&times).unwrap_or(0);
    let mut result = grade(&reports[counted], test, limits)?;
    result.times_run = u32::try_from(reports.len()).unwrap_or(u32::MAX);
    if reports.len() > 1 {
        let note = format!("near the time limit, so run {} times; the median counts", reports.len());
        result.message = if result.message.is_empty() { note } else { format!("{}; {note}", result.message) };
    }
    Ok(result)
}

fn grade(report: &RunReport, test: TestData<'_>, limits: &Limits) -> Result<RunResult, JudgeFault> {
    let (verdict, cause, difference) = match classify(&RunFacts::from(report), limits) {
        Classified::Decided { verdict, cause } => (verdict, Some(cause), None),
        Classified::NeedsChecker => match test.answer.differs_from(test_file::reader(&report.stdout)?, test.flags)? {
            None => (Verdict::Accepted, None, None),
            Some(difference) => (Verdict::WrongAnswer, None, Some(difference.to_string())),
        },
    };
    Ok(RunResult {
        verdict,
        cpu_ms: report.cpu_us / 1_000,
        wall_ms: report.wall_us / 1_000,
        memory_bytes: report.memory_bytes,
        message: cause.map(|cause| cause.to_string()).unwrap_or_default(),
        difference,
        cause,
        times_run: 1,
        printed: if verdict.solved() { None } else { Some(Printed::of(&report.stdout)?) },
        errors: if verdict.solved() { None } else { Some(Printed::of(&report.stderr)?) },
    })
}
