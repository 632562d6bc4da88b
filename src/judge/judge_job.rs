//! A judge job: from blobs to a judgement, with a report after each run.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc::UnboundedSender;

use crate::domain::source::SourceFile;
use crate::domain::verdict::Verdict;
use crate::grading::aggregate::{AfterFailure, Rule};
use crate::grading::checker::CheckerFlags;

use super::fault::JudgeFault;
use super::job_source::{JudgeWork, JudgedOutcome, RunRecord, TestRef};
use super::judgement::{Judged, Request, judge};
use super::receipt::Receipt;
use super::run_test::{Checker, Headroom, TestData};
use super::test_file::TestFile;
use super::worker::{Ending, Fetched, Report, Tools};

/// Judges; `None` when it was cancelled.
pub fn run(
    tools: &Tools,
    work: &JudgeWork,
    fetched: &Fetched,
    reports: &UnboundedSender<Report>,
    cancelled: &AtomicBool,
) -> Result<Option<Ending>, JudgeFault> {
    let sources = sources(work, fetched)?;
    let tests = work.tests.iter().map(|test| Opened::new(tools, test)).collect::<Result<Vec<_>, _>>()?;
    let data: Vec<TestData<'_>> = tests.iter().map(Opened::data).collect();
    let request = Request {
        language: &work.language,
        sources: &sources,
        limits: work.limits,
        tests: &data,
        rule: Rule::PassFail { after_failure: AfterFailure::Stop },
        headroom: Headroom::Judging,
    };
    let judged = judge(&tools.workshop, &request, &mut |index, run| {
        let record = RunRecord {
            test_case: work.tests[index].id,
            ordinal: u32::try_from(index + 1).unwrap_or(u32::MAX),
            verdict: run.verdict,
            cpu_ms: run.cpu_ms,
            wall_ms: run.wall_ms,
            memory_bytes: run.memory_bytes,
            message: run.message.clone(),
            difference: run.difference.clone(),
            cause: run.cause,
            times_run: run.times_run,
            // A secret test's output could tell of its input: it is not kept at all.
            printed: run.printed.clone().filter(|_| work.tests[index].sample),
        };
        // Nobody listens any more when the lease was lost; then `cancelled` is set too.
        let is_heard = reports.send(Report::Run(record)).is_ok();
        is_heard && !cancelled.load(Ordering::Relaxed)
    })?;
    let Some(judged) = judged else { return Ok(None) };
    if judged.verdict == Verdict::JudgingError {
        return Err(JudgeFault::Data("the judgement came to no verdict: the problem has no tests".to_owned()));
    }
    let receipt = Receipt::of(&tools.workshop, work)?.to_json();
    Ok(Some(Ending::Judged(outcome(judged, receipt))))
}

fn outcome(judged: Judged, receipt: String) -> JudgedOutcome {
    let ran = !judged.runs.is_empty();
    let deciding_run = judged.deciding_run();
    JudgedOutcome {
        verdict: judged.verdict,
        deciding: judged.deciding.and_then(|index| u32::try_from(index + 1).ok()),
        message: deciding_run.map(|run| run.message.clone()).unwrap_or_default(),
        difference: deciding_run.and_then(|run| run.difference.clone()),
        cpu_ms: ran.then(|| judged.cpu_ms()),
        memory_bytes: ran.then(|| judged.memory_bytes()),
        compiler_output: judged.compiler_output,
        receipt,
    }
}

fn sources(work: &JudgeWork, fetched: &Fetched) -> Result<Vec<SourceFile>, JudgeFault> {
    let make = if work.language.as_str() == "elf" { SourceFile::elf } else { SourceFile::text };
    work.sources
        .iter()
        .map(|(name, digest)| {
            let contents = fetched.contents.get(digest).cloned();
            let contents = contents.ok_or_else(|| JudgeFault::Data(format!("the source {name} was not fetched")))?;
            make(name, contents).map_err(|bad| JudgeFault::Data(format!("a stored source is not valid: {bad}")))
        })
        .collect()
}

/// A test whose files are in the cache.
pub(super) struct Opened {
    input: TestFile,
    answer: TestFile,
    flags: CheckerFlags,
}

impl Opened {
    pub(super) fn new(tools: &Tools, test: &TestRef) -> Result<Self, JudgeFault> {
        let file = |digest| {
            let missing =
                || JudgeFault::Data(format!("test {} has gone from the cache; it is fetched again", test.name));
            tools.cache.get(digest).ok_or_else(missing)
        };
        let flags = CheckerFlags::parse(&test.checker_args).map_err(|bad| JudgeFault::Data(bad.to_string()))?;
        Ok(Self { input: file(&test.input)?, answer: file(&test.answer)?, flags })
    }

    pub(super) fn data(&self) -> TestData<'_> {
        let checker = Checker::Default(&self.flags);
        TestData { input: &self.input, answer: &self.answer, checker, args: &[], files: &[] }
    }
}
