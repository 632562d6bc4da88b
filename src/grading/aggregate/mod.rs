//! From runs to a judgement: which test is next, and what the runs so far add up to.
//!
//! Owns: the pass-fail rule (ICPC: the first failing test in order decides) and, in `groups`, the rules of test groups
//! with scores. Must not know how a run was made.

mod groups;

use std::sync::Arc;

pub use groups::{Aggregation, Group, GroupScore, Member, TestScore, VerdictRule};
use groups::{Look, Seen};

use super::feedback::Points;
pub use crate::domain::group_result::GroupResult;
use crate::domain::verdict::Verdict;

/// How the runs of a judgement add up.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// Accepted if every test is; else the first failing test in order decides.
    PassFail {
        /// What happens to the tests after it.
        after_failure: AfterFailure,
    },
    /// As each group says.
    Groups {
        /// The root of the groups.
        root: Arc<Group>,
        /// Whether tests that can't change the result are run too.
        after_failure: AfterFailure,
    },
}

impl Rule {
    /// Whether tests that can't change the result are run.
    pub const fn after_failure(&self) -> AfterFailure {
        match self {
            Self::PassFail { after_failure } | Self::Groups { after_failure, .. } => *after_failure,
        }
    }
}

/// Whether tests after the deciding one are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterFailure {
    /// They aren't.
    Stop,
    /// All are run, for people who want to see every one. The verdict is the same.
    RunAll,
}

impl Rule {
    /// What this test is worth by itself, where tests have scores of their own.
    pub fn score_of(&self, index: usize, verdict: Verdict, points: Option<Points>) -> Option<f64> {
        match self {
            Self::PassFail { .. } => None,
            Self::Groups { root, .. } => groups::score_of(root, index, verdict, points),
        }
    }
}

/// What is to be done next.
#[derive(Debug, Clone, PartialEq)]
pub enum NextStep {
    /// Run the test with this index.
    Run(usize),
    /// Nothing to start now: runs that are under way decide first.
    Wait,
    /// The judgement is decided.
    Finish(Outcome),
}

/// The result of a judgement.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Its verdict.
    pub verdict: Verdict,
    /// Index of the run that decided; `None` when it is accepted, or when there was nothing to run.
    pub deciding: Option<usize>,
    /// Its score, where there are scores.
    pub score: Option<f64>,
    /// What each group came to, inner ones first; empty without groups.
    pub groups: Vec<GroupResult>,
    /// The cause of a JE that lies in what the runs add up to, for judges.
    pub fault: Option<String>,
}

impl Outcome {
    /// A verdict without scores.
    pub const fn plain(verdict: Verdict, deciding: Option<usize>) -> Self {
        Self { verdict, deciding, score: None, groups: Vec::new(), fault: None }
    }
}

/// Where one test of a judgement stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RunState {
    /// Not begun.
    Waiting,
    /// Under way.
    Running,
    /// Done.
    Done(Verdict, Option<Points>),
}

/// Decides the next step from where each test stands, in test order. Tests may be run one by one or several at once.
///
/// A run with JE ends the judgement with JE at once: it is to be retried as a whole. A judgement without tests is JE
/// too, never AC: nothing was shown.
pub fn next_step(rule: &Rule, runs: &[RunState]) -> NextStep {
    let judging_error = runs.iter().position(|run| matches!(run, RunState::Done(Verdict::JudgingError, _)));
    if judging_error.is_some() || runs.is_empty() {
        return NextStep::Finish(Outcome::plain(Verdict::JudgingError, judging_error));
    }
    match rule {
        Rule::PassFail { after_failure } => pass_fail(*after_failure, runs),
        Rule::Groups { root, after_failure } => {
            let mut look = Look::new(runs, *after_failure);
            let seen = look.group(root);
            match seen {
                Ok(Seen::Run(index)) => NextStep::Run(index),
                Ok(Seen::Wait) => NextStep::Wait,
                Ok(Seen::Done(sum)) => NextStep::Finish(Outcome {
                    verdict: sum.verdict,
                    deciding: sum.deciding,
                    score: sum.score,
                    groups: look.done,
                    fault: None,
                }),
                Err(fault) => NextStep::Finish(Outcome {
                    groups: look.done,
                    fault: Some(fault),
                    ..Outcome::plain(Verdict::JudgingError, None)
                }),
            }
        }
    }
}

fn pass_fail(after_failure: AfterFailure, runs: &[RunState]) -> NextStep {
    let failure = first_failure(runs);
    let needed = match (failure, after_failure) {
        // Only the tests before the first known failure can still decide otherwise.
        (Some((index, _)), AfterFailure::Stop) => &runs[..index],
        _ => runs,
    };
    if let Some(index) = needed.iter().position(|run| *run == RunState::Waiting) {
        return NextStep::Run(index);
    }
    if needed.contains(&RunState::Running) {
        return NextStep::Wait;
    }
    NextStep::Finish(match failure {
        Some((index, verdict)) => Outcome::plain(verdict, Some(index)),
        None => Outcome::plain(Verdict::Accepted, None),
    })
}

fn first_failure(runs: &[RunState]) -> Option<(usize, Verdict)> {
    runs.iter().enumerate().find_map(|(index, run)| match run {
        RunState::Done(verdict, _) if *verdict != Verdict::Accepted => Some((index, *verdict)),
        _ => None,
    })
}

#[cfg(test)]
mod group_tests;
#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STOP: Rule = Rule::PassFail { after_failure: AfterFailure::Stop };
    const ALL: Rule = Rule::PassFail { after_failure: AfterFailure::RunAll };

    /// Judges tests whose verdicts are known, one by one; the outcome and the tests that were run.
    fn judge(rule: &Rule, verdicts: &[Verdict]) -> (Outcome, Vec<usize>) {
        let mut runs = vec![RunState::Waiting; verdicts.len()];
        let mut order = Vec::new();
        loop {
            match next_step(rule, &runs) {
                NextStep::Run(index) => {
                    order.push(index);
                    runs[index] = RunState::Done(verdicts[index], None);
                }
                NextStep::Wait => panic!("nothing runs"),
                NextStep::Finish(outcome) => return (outcome, order),
            }
        }
    }

    #[test]
    fn the_first_failure_decides_and_stops() {
        use Verdict::{Accepted, TimeLimit, WrongAnswer};
        let verdicts = [Accepted, WrongAnswer, TimeLimit, Accepted];
        let outcome = Outcome::plain(WrongAnswer, Some(1));
        assert_eq!(judge(&STOP, &verdicts), (outcome.clone(), vec![0, 1]));
        assert_eq!(judge(&ALL, &verdicts), (outcome, vec![0, 1, 2, 3]));
    }

    #[test]
    fn no_tests_are_never_accepted() {
        let outcome = Outcome::plain(Verdict::JudgingError, None);
        assert_eq!(next_step(&STOP, &[]), NextStep::Finish(outcome));
    }

    #[test]
    fn an_earlier_run_under_way_is_awaited() {
        let runs = [RunState::Running, RunState::Done(Verdict::WrongAnswer, None), RunState::Waiting];
        assert_eq!(next_step(&STOP, &runs), NextStep::Wait);
        assert_eq!(next_step(&ALL, &runs), NextStep::Run(2));
    }

    fn verdict() -> impl Strategy<Value = Verdict> {
        prop_oneof![
            6 => Just(Verdict::Accepted),
            1 => Just(Verdict::WrongAnswer),
            1 => Just(Verdict::TimeLimit),
            1 => Just(Verdict::RunTimeError),
            1 => Just(Verdict::JudgingError),
        ]
    }

    proptest! {
        #[test]
        fn running_all_changes_no_verdict(verdicts in proptest::collection::vec(verdict(), 1..30)) {
            let (stopped, order) = judge(&STOP, &verdicts);
            prop_assert!(order.iter().copied().eq(0..order.len()), "in order, none twice");
            let first = verdicts.iter().position(|&v| v != Verdict::Accepted);
            prop_assert_eq!(stopped.deciding, first);
            prop_assert_eq!(stopped.verdict, first.map_or(Verdict::Accepted, |index| verdicts[index]));
            let (all, _) = judge(&ALL, &verdicts);
            if !verdicts.contains(&Verdict::JudgingError) {
                prop_assert_eq!(all, stopped);
            } else if all.verdict != stopped.verdict {
                prop_assert_eq!(all.verdict, Verdict::JudgingError);
            }
        }

        #[test]
        fn the_order_of_finishing_changes_nothing(
            verdicts in proptest::collection::vec(verdict().prop_filter("no JE", |v| *v != Verdict::JudgingError), 1..12),
            picks in proptest::collection::vec(0_usize..1000, 40),
        ) {
            // Two workers at once; which of the runs under way ends first is arbitrary.
            let mut runs = vec![RunState::Waiting; verdicts.len()];
            let mut picks = picks.into_iter().cycle();
            let outcome = loop {
                let running: Vec<usize> =
                    (0..runs.len()).filter(|&index| runs[index] == RunState::Running).collect();
                match next_step(&STOP, &runs) {
                    NextStep::Run(index) if running.len() < 2 => runs[index] = RunState::Running,
                    NextStep::Finish(outcome) => break outcome,
                    _ => {
                        let ends = running[picks.next().unwrap() % running.len()];
                        runs[ends] = RunState::Done(verdicts[ends], None);
                    }
                }
            };
            prop_assert_eq!(outcome, judge(&STOP, &verdicts).0);
        }
    }
}
