//! A judge job: from blobs to a judgement, with a report after each run.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc::UnboundedSender;

use crate::domain::source::SourceFile;
use crate::domain::verdict::Verdict;
use crate::grading::aggregate::AfterFailure;

use super::fault::JudgeFault;
use super::job_source::{JudgeWork, JudgedOutcome, RunRecord};
use super::judgement::{Judged, Request, judge};
use super::opened::OpenedRules;
use super::prepare::PreparedTest;
use super::receipt::Receipt;
use super::run_test::{Headroom, TestData};
use super::worker::{Ending, Fetched, Report, Tools};

/// Judges; `None` when it was cancelled.
pub fn run(
    tools: &Tools,
    work: &JudgeWork,
    fetched: &Fetched,
    reports: &UnboundedSender<Report>,
    cancelled: &AtomicBool,
) -> Result<Option<Ending>, JudgeFault> {
    let opened = OpenedRules::new(tools, &work.rules)?;
    let sources = opened.sources(&work.language, sources(work, fetched)?)?;
    let tests = work.tests.iter().map(|test| opened.test(tools, test)).collect::<Result<Vec<_>, _>>()?;
    let data: Vec<TestData<'_>> = tests.iter().map(PreparedTest::data).collect();
    let rule = work.rules.rule(work.tests.iter().map(|test| test.sample), AfterFailure::Stop);
    let request = Request {
        language: &work.language,
        sources: &sources,
        limits: work.limits,
        tests: &data,
        rule: rule.clone(),
        headroom: Headroom::Judging,
    };
    let judged = judge(&tools.workshop, &request, &mut |index, run| {
        let mut result = run.clone();
        // A secret test's output could tell of its input: it is not kept at all.
        result.printed = result.printed.filter(|_| work.tests[index].sample);
        let record = RunRecord {
            test_case: work.tests[index].id,
            ordinal: u32::try_from(index + 1).unwrap_or(u32::MAX),
            score: rule.score_of(index, result.verdict, result.points),
            result,
        };
        // Nobody listens any more when the lease was lost; then `cancelled` is set too.
        let is_heard = reports.send(Report::Run(record)).is_ok();
        is_heard && !cancelled.load(Ordering::Relaxed)
    })?;
    let Some(judged) = judged else { return Ok(None) };
    if judged.verdict == Verdict::JudgingError {
        return Err(JudgeFault::Data("the judgement came to no verdict: the problem has no tests".to_owned()));
    }
    let receipt = Receipt::of(&tools.workshop, work, opened.validator())?.to_json();
    Ok(Some(Ending::Judged(outcome(judged, receipt))))
}

fn outcome(judged: Judged, receipt: String) -> JudgedOutcome {
    let ran = !judged.runs.is_empty();
    let deciding_run = judged.deciding_run();
    JudgedOutcome {
        verdict: judged.verdict,
        score: judged.score,
        deciding: judged.deciding.and_then(|index| u32::try_from(index + 1).ok()),
        message: deciding_run.map(|run| run.message.clone()).unwrap_or_default(),
        difference: deciding_run.and_then(|run| run.difference.clone()),
        cpu_ms: ran.then(|| judged.cpu_ms()),
        memory_bytes: ran.then(|| judged.memory_bytes()),
        groups: judged.groups,
        compiler_output: judged.compiler_output,
        receipt,
    }
}

/// What was handed in.
pub(super) fn sources(work: &JudgeWork, fetched: &Fetched) -> Result<Vec<SourceFile>, JudgeFault> {
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
