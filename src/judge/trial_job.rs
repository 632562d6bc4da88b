//! A trial: a program on the samples, or on its author's own input, in the same sandbox under the same limits. Must not
//! know: whose it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::domain::source::SourceFile;
use crate::domain::trial::{TrialOutcome, TrialRun};
use crate::domain::verdict::Verdict;
use crate::grading::classify::{Cause, Classified, RunFacts, classify};
use crate::sandbox::{Freshness, Stdin};

use super::compile::Build;
use super::fault::JudgeFault;
use super::job_source::{TestRef, TrialOn, TrialWork};
use super::opened::OpenedRules;
use super::printed::Printed;
use super::program::{BuiltProgram, Start};
use super::run_test::{Headroom, run_test};
use super::worker::{Ending, Tools};

/// Tries; `None` when it was cancelled.
pub fn run(tools: &Tools, work: &TrialWork, cancelled: &AtomicBool) -> Result<Option<Ending>, JudgeFault> {
    let make = if work.language.as_str() == "elf" { SourceFile::elf } else { SourceFile::text };
    let source = make(&work.file_name, work.source.clone())
        .map_err(|bad| JudgeFault::Data(format!("a stored source is not valid: {bad}")))?;
    let opened = OpenedRules::new(tools, &work.rules)?;
    let sources = opened.sources(&work.language, vec![source])?;
    let program = match tools.workshop.build(&work.language, &sources)? {
        Build::Ready(program) => program,
        Build::Refused(words) => return Ok(Some(Ending::Tried(TrialOutcome::compile_error(words)))),
    };
    let runs = match &work.on {
        TrialOn::Own(input) => vec![on_own(tools, work, &program, input)?],
        TrialOn::Samples(tests) => {
            let mut runs = Vec::with_capacity(tests.len());
            for test in tests {
                if cancelled.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                runs.push(on_sample(tools, work, &opened, &program, test)?);
            }
            runs
        }
    };
    let compiler_output = program.compiler_output.clone();
    Ok(Some(Ending::Tried(TrialOutcome { compiler_output, compiled: true, fault: false, runs })))
}

fn on_sample(
    tools: &Tools,
    work: &TrialWork,
    opened: &OpenedRules<'_>,
    program: &Arc<BuiltProgram>,
    test: &TestRef,
) -> Result<TrialRun, JudgeFault> {
    let prepared = opened.test(tools, test)?;
    let data = prepared.data();
    let tag = super::judgement::fresh_tag();
    let result = run_test(&tools.workshop, program, data, &work.limits, Headroom::Judging, tag)?;
    let printed = result.printed.unwrap_or_default();
    Ok(TrialRun {
        test: Some(test.id),
        verdict: result.verdict,
        cpu_ms: result.cpu_ms,
        memory_bytes: result.memory_bytes,
        cause: json(result.cause),
        output: printed.text(),
        output_bytes: printed.bytes,
        errors: result.errors.unwrap_or_default().text(),
    })
}

fn on_own(tools: &Tools, work: &TrialWork, program: &Arc<BuiltProgram>, input: &[u8]) -> Result<TrialRun, JudgeFault> {
    let start = Start {
        arguments: &[],
        stdin: Stdin::Bytes(Arc::new(input.to_vec())),
        limits: work.limits,
        binds: Vec::new(),
        work_files: Vec::new(),
        collect: Vec::new(),
        freshness: Freshness::Fresh,
    };
    let report = program.run(&tools.workshop, start)?;
    let (verdict, cause) = match classify(&RunFacts::from(&report), &work.limits) {
        Classified::Decided { verdict, cause } => (verdict, Some(cause)),
        Classified::NeedsChecker => (Verdict::Accepted, None),
    };
    let printed = Printed::of(&report.stdout)?;
    Ok(TrialRun {
        test: None,
        verdict,
        cpu_ms: report.cpu_us / 1_000,
        memory_bytes: report.memory_bytes,
        cause: json(cause),
        output: printed.text(),
        output_bytes: printed.bytes,
        errors: Printed::of(&report.stderr)?.text(),
    })
}

fn json(cause: Option<Cause>) -> Option<String> {
    cause.and_then(|cause| serde_json::to_string(&cause).ok())
}
