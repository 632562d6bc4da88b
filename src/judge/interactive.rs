//! A program and the package's interactor in conversation.
//!
//! Owns: starting both and saying what it came to. The rule ("Interactive" in the judging rules): if the interactor
//! ended first with "wrong", that beats the program's time and its crash, since what it did afterwards was no answer to
//! anything; otherwise they stand.

use std::sync::Arc;

use crate::domain::limits::Limits;
use crate::domain::verdict::Verdict;
use crate::grading::classify::{Cause, Classified, RunFacts, classify};
use crate::sandbox::{Freshness, PairReport, RunReport, Side, Stdin};

use super::custom_validator::{CustomValidator, Opinion, Question};
use super::fault::JudgeFault;
use super::program::{BuiltProgram, Start};
use super::workshop::{Company, Workshop};

/// What a conversation came to.
pub(super) struct Conversation {
    /// What the program used.
    pub(super) program: RunReport,
    /// What the program did, where that decides.
    pub(super) cause: Option<Cause>,
    /// What the interactor said, where that decides.
    pub(super) opinion: Option<Opinion>,
}

impl Conversation {
    /// The verdict, before more passes are asked for.
    pub(super) fn verdict(&self) -> Verdict {
        match (&self.cause, &self.opinion) {
            (Some(cause), _) => cause.verdict(),
            (None, Some(opinion)) if opinion.accepted => Verdict::Accepted,
            (None, _) => Verdict::WrongAnswer,
        }
    }
}

/// Where a testlib interactor writes what a checker would read. Nobody reads it here.
const TESTLIB_OUTPUT: &str = "/w/tout";

/// Lets both talk until both have ended. `limits` name what the program did; those of `start` end it.
pub(super) fn converse(
    workshop: &Workshop,
    program: &Arc<BuiltProgram>,
    start: Start<'_>,
    validator: &CustomValidator,
    question: Question<'_>,
    limits: &Limits,
    company: Company,
) -> Result<Conversation, JudgeFault> {
    let arguments = validator.arguments(question.args, TESTLIB_OUTPUT);
    let mut listening = Start { arguments: &arguments, ..validator.start(question)? };
    // It waits as long as the program may think, and does its own work besides.
    listening.limits.wall_ms = listening.limits.wall_ms.saturating_add(start.limits.wall_ms);
    // What it says is the program's input, and no output of anybody's.
    listening.limits.output_bytes = listening.limits.output_bytes.max(super::prepare::LARGEST_TEST);
    let start = Start { stdin: Stdin::Null, freshness: Freshness::Fresh, ..start };
    let report = workshop.run_pair(&validator.program, listening, program, start, company)?;
    weigh(validator, report, limits)
}

fn weigh(validator: &CustomValidator, report: PairReport, limits: &Limits) -> Result<Conversation, JudgeFault> {
    let PairReport { ended_first, first, second: program } = report;
    let cause = match classify(&RunFacts::from(&program), limits) {
        Classified::Decided { cause, .. } => Some(cause),
        Classified::NeedsChecker => None,
    };
    let judged = validator.opinion(first);
    match (cause, judged) {
        // It said "wrong" and left: the program then waits for nobody, or writes to nobody.
        (_, Ok(opinion)) if !opinion.accepted && ended_first == Side::First => {
            Ok(Conversation { program, cause: None, opinion: Some(opinion) })
        }
        // A program that vanishes in the middle may well upset its interactor; the program was the first to fail.
        (Some(cause), _) if ended_first == Side::Second => {
            Ok(Conversation { program, cause: Some(cause), opinion: None })
        }
        (cause, Ok(opinion)) => Ok(Conversation { program, cause, opinion: Some(opinion) }),
        (_, Err(fault)) => Err(fault),
    }
}
