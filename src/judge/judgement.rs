//! One submission on a list of tests: build, run test by test, add up.
//!
//! Owns: the order of events of a judgement. Must not know: the database, who is listening.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::domain::language::LanguageId;
use crate::domain::limits::Limits;
use crate::domain::source::SourceFile;
use crate::domain::verdict::Verdict;
use crate::grading::aggregate::{GroupResult, NextStep, Outcome, Rule, RunState, next_step};

use super::compile::Build;
use super::fault::JudgeFault;
use super::program::BuiltProgram;
use super::run_test::{Headroom, RunResult, TestData, run_test};
use super::workshop::Workshop;

/// What is asked.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The language.
    pub language: &'a LanguageId,
    /// The program.
    pub sources: &'a [SourceFile],
    /// Limits of each run.
    pub limits: Limits,
    /// Tests, in judging order.
    pub tests: &'a [TestData<'a>],
    /// How the runs add up.
    pub rule: Rule,
    /// How far a run may go.
    pub headroom: Headroom,
}

/// A judgement.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Its verdict.
    pub verdict: Verdict,
    /// The program was built; `false` for CE.
    pub built: bool,
    /// What the compiler said.
    pub compiler_output: String,
    /// Runs, in test order; (index of the test, result).
    pub runs: Vec<(usize, RunResult)>,
    /// Index of the deciding test.
    pub deciding: Option<usize>,
    /// Its score, where there are scores.
    pub score: Option<f64>,
    /// What each group came to, inner ones first; empty without groups.
    pub groups: Vec<GroupResult>,
    /// The cause of a JE, for judges.
    pub fault: Option<String>,
}

impl Judged {
    /// Most cpu that one run used, milliseconds.
    pub fn cpu_ms(&self) -> u64 {
        self.runs.iter().map(|(_, run)| run.cpu_ms).max().unwrap_or(0)
    }

    /// Most memory that one run used, bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.runs.iter().map(|(_, run)| run.memory_bytes).max().unwrap_or(0)
    }

    /// The deciding run.
    pub fn deciding_run(&self) -> Option<&RunResult> {
        let deciding = self.deciding?;
        self.runs.iter().find(|(index, _)| *index == deciding).map(|(_, run)| run)
    }
}

/// Whether to go on; asked after each run.
pub type Listener<'a> = &'a mut dyn FnMut(usize, &RunResult) -> bool;

/// A tag that no other judgement of this process has.
pub(super) fn fresh_tag() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Judges. A fault of ours is an `Err`; the caller decides whether to try again. `None` when the listener stopped it.
pub fn judge(workshop: &Workshop, request: &Request<'_>, listener: Listener<'_>) -> Result<Option<Judged>, JudgeFault> {
    let program = match workshop.build(request.language, request.sources)? {
        Build::Ready(program) => program,
        Build::Refused(words) => return Ok(Some(refused(words))),
    };
    conclude(workshop, Some(&program), request, fresh_tag(), &mut [], listener)
}

/// The judgement of a program that could not be built, with the compiler's words.
pub(super) const fn refused(words: String) -> Judged {
    Judged {
        verdict: Verdict::CompileError,
        built: false,
        compiler_output: words,
        runs: Vec::new(),
        deciding: None,
        score: None,
        groups: Vec::new(),
        fault: None,
    }
}

/// Runs a built program on the tests, one by one, as far as the rule asks. What is `known` of a test already is taken
/// from there instead; where that is all that is asked for, the program need not be built.
pub(super) fn conclude(
    workshop: &Workshop,
    program: Option<&Arc<BuiltProgram>>,
    request: &Request<'_>,
    tag: u64,
    known: &mut [Option<RunResult>],
    listener: Listener<'_>,
) -> Result<Option<Judged>, JudgeFault> {
    let not_built = || JudgeFault::Data("a program that was not built is to be run".to_owned());
    let mut states = vec![RunState::Waiting; request.tests.len()];
    let mut runs = Vec::new();
    loop {
        match next_step(&request.rule, &states) {
            NextStep::Run(index) => {
                let test = request.tests[index];
                let result = match known.get_mut(index).and_then(Option::take) {
                    Some(result) => result,
                    None => run_test(
                        workshop,
                        program.ok_or_else(not_built)?,
                        test,
                        &request.limits,
                        request.headroom,
                        tag,
                    )?,
                };
                states[index] = RunState::Done(result.verdict, result.points);
                let go_on = listener(index, &result);
                runs.push((index, result));
                if !go_on {
                    return Ok(None);
                }
            }
            // Nothing runs beside this loop, so there is nothing to wait for.
            NextStep::Wait => {
                return Err(JudgeFault::Data("a judgement waits for a run that nobody started".to_owned()));
            }
            NextStep::Finish(Outcome { fault: Some(words), .. }) => return Err(JudgeFault::Problem(words)),
            NextStep::Finish(outcome) => {
                return Ok(Some(Judged {
                    verdict: outcome.verdict,
                    built: true,
                    compiler_output: program.map(|program| program.compiler_output.clone()).unwrap_or_default(),
                    runs,
                    deciding: outcome.deciding,
                    score: outcome.score,
                    groups: outcome.groups,
                    fault: None,
                }));
            }
        }
    }
}
