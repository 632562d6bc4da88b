//! A counterexample job: the input of the secret test on which a submission failed, made as small as it gets within a
//! while. Every smaller input is validated and answered by the references, so what comes out is a real test. Must not
//! know: who may see it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::package::Package;

use super::compile::Build;
use super::fault::JudgeFault;
use super::job_source::{CounterexampleWork, FoundCounterexample};
use super::judge_job::sources;
use super::opened::{self, OpenedRules};
use super::prepare::NotPrepared;
use super::stress::reduce;
use super::worker::{Ending, Fetched, Tools};

/// How long one is made smaller.
const SHRINK_FOR: Duration = Duration::from_mins(1);

/// Looks for one; `None` when it was cancelled.
pub fn run(
    tools: &Tools,
    work: &CounterexampleWork,
    fetched: &Fetched,
    cancelled: &AtomicBool,
) -> Result<Option<Ending>, JudgeFault> {
    let judged = &work.judged;
    let files = work.files.iter().map(|(path, digest)| (path.as_str(), digest));
    let tree = opened::tree(tools, files)?.map_err(JudgeFault::Data)?;
    let (package, _) = Package::read(&tree, &judged.problem).map_err(|bad| JudgeFault::Data(bad.to_string()))?;
    let tree = package.with_constants(tree).map_err(JudgeFault::io("read a package"))?;
    let rules = OpenedRules::new(tools, &judged.rules)?;
    let sources = rules.sources(&judged.language, sources(judged, fetched)?)?;
    let subject = match tools.workshop.build(&judged.language, &sources)? {
        Build::Ready(subject) => subject,
        // It compiled once. Without its program there is nothing to show.
        Build::Refused(_) => return Ok(Some(Ending::Reduced(None))),
    };
    let input = opened::file(tools, &work.input, "the test's input")?;
    let input = std::fs::read(input.path()).map_err(JudgeFault::io("read an input"))?;
    let begun = Instant::now();
    let goes_on = || !cancelled.load(Ordering::Relaxed) && begun.elapsed() <= SHRINK_FOR;
    let workshop = &tools.workshop;
    let found = reduce(workshop, &tree, &package, &subject, judged.limits, &input, work.verdict, &goes_on);
    if cancelled.load(Ordering::Relaxed) {
        return Ok(None);
    }
    match found {
        Ok(found) => Ok(Some(Ending::Reduced(found.map(|found| FoundCounterexample {
            input: found.input,
            answer: found.answer,
            output: found.output,
            original_bytes: found.original_bytes as u64,
        })))),
        // It can't be shown on this package, and that is no fault that trying again would mend.
        Err(NotPrepared::Refused(_) | NotPrepared::Fault(JudgeFault::Problem(_))) => Ok(Some(Ending::Reduced(None))),
        Err(NotPrepared::Fault(fault)) => Err(fault),
    }
}
