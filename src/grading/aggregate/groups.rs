//! The rule of test groups: what each says about verdict and score, and what its members' results come to.
//!
//! Owns: the graders of format `legacy` (`first_error`, `worst_error`, `always_accept`, `accept_if_any_accepted`,
//! `ignore_sample`; sum, avg, min, max) and the result aggregation of 2025-09 (pass-fail, sum, min, `require_pass`).
//! Must not know how a run was made. A score outside its bounds is a fault of the package's validator, hence ours.

use super::{AfterFailure, GroupResult, RunState};
use crate::domain::verdict::Verdict;
use crate::grading::feedback::Points;

/// Test cases and groups that belong together.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Group {
    /// `data` (the root), `sample`, `secret/a`.
    pub name: String,
    /// What it holds, in judging order.
    pub members: Vec<Member>,
    /// Whether it is accepted.
    pub verdict: VerdictRule,
    /// Accepted as soon as one member is, whatever `verdict` says.
    pub accept_if_any_accepted: bool,
    /// The result is that of the member `secret` alone.
    pub ignore_sample: bool,
    /// The members behind one that isn't accepted are not run.
    pub stop_on_reject: bool,
    /// Groups that must be accepted, or this one is not run and gets nothing.
    pub require_pass: Vec<String>,
    /// How it is scored; `None` where there are no scores.
    pub score: Option<GroupScore>,
}

/// Something in a group.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Member {
    /// The test with this index.
    Test(usize),
    /// A group.
    Group(Group),
}

/// When a group is accepted, and which verdict it has otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum VerdictRule {
    /// All members accepted; else the worst: RTE, MLE, TLE, OLE, WA in this order.
    WorstError,
    /// All members accepted; else the first that isn't.
    FirstError,
    /// Always.
    AlwaysAccept,
}

/// How a group is scored.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct GroupScore {
    /// From its members' scores.
    pub aggregation: Aggregation,
    /// The least it may come to; `None`: no bound.
    pub least: Option<f64>,
    /// The most it may come to; `None`: no bound.
    pub most: Option<f64>,
    /// What a test directly in it gets.
    pub test: TestScore,
}

/// How scores of members become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Aggregation {
    /// The most if the group is accepted, else 0.
    PassFail,
    /// Their sum.
    Sum,
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// Their mean.
    Avg,
}

/// What a test gets.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum TestScore {
    /// Nothing of its own; a validator that gives points is at fault.
    None,
    /// 0 if rejected. If accepted: the validator's points, or the most without any; without a most (`None`) the
    /// validator must give points.
    UpTo(Option<f64>),
    /// One of two.
    Fixed {
        /// When accepted, and the validator gives no points.
        accepted: f64,
        /// When rejected.
        rejected: f64,
        /// Whether the validator may say otherwise.
        validator_scores: bool,
    },
}

impl Group {
    /// Indices of the tests in it, however deep, in judging order.
    pub fn tests(&self) -> Vec<usize> {
        let inside = |member: &Member| match member {
            Member::Test(index) => vec![*index],
            Member::Group(group) => group.tests(),
        };
        self.members.iter().flat_map(inside).collect()
    }

    /// Puts a test into the group of this name, behind what it holds; where there is no such group, into this one.
    pub fn add_test(&mut self, to: &str, index: usize) {
        let place = self.members.iter().position(|member| matches!(member, Member::Group(group) if group.name == to));
        match place.and_then(|at| self.members.get_mut(at)) {
            Some(Member::Group(group)) => group.members.push(Member::Test(index)),
            _ => self.members.push(Member::Test(index)),
        }
    }
}

/// What a test is worth by itself; `None` where it has no score, or a validator gave one that it may not give.
pub(super) fn score_of(group: &Group, index: usize, verdict: Verdict, points: Option<Points>) -> Option<f64> {
    group.members.iter().find_map(|member| match member {
        Member::Test(test) if *test == index => {
            let rule = group.score?.test;
            if rule == TestScore::None { None } else { test_score(group, rule, verdict, points).ok() }
        }
        Member::Test(_) => None,
        Member::Group(inner) => score_of(inner, index, verdict, points),
    })
}

/// What is known of a member.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Seen {
    /// This test must be run first.
    Run(usize),
    /// A run that is under way must end first.
    Wait,
    /// Its result.
    Done(Sum),
}

/// A member's result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sum {
    pub(super) verdict: Verdict,
    pub(super) score: Option<f64>,
    /// The run to which it owes its verdict, when that isn't "accepted".
    pub(super) deciding: Option<usize>,
}

/// One look at all groups, from where each run stands.
pub(super) struct Look<'a> {
    runs: &'a [RunState],
    run_all: bool,
    /// Groups that are done, inner ones first.
    pub(super) done: Vec<GroupResult>,
}

impl<'a> Look<'a> {
    pub(super) fn new(runs: &'a [RunState], after_failure: AfterFailure) -> Self {
        Self { runs, run_all: after_failure == AfterFailure::RunAll, done: Vec::new() }
    }

    /// What a group comes to. An error is a sentence about a validator's or a package's fault.
    pub(super) fn group(&mut self, group: &Group) -> Result<Seen, String> {
        let seen = match self.requirement(group)? {
            Some(Seen::Done(missed)) if self.run_all => self.pending(&group.tests()).unwrap_or(Seen::Done(missed)),
            Some(seen) => seen,
            None => self.members(group)?,
        };
        if let Seen::Done(sum) = seen {
            self.done.push(GroupResult {
                name: group.name.clone(),
                verdict: sum.verdict,
                score: sum.score,
                most: group.score.and_then(|score| score.most),
            });
        }
        Ok(seen)
    }

    /// What stands against running the group at all; `None`: nothing.
    fn requirement(&self, group: &Group) -> Result<Option<Seen>, String> {
        for name in &group.require_pass {
            let Some(required) = self.done.iter().find(|done| done.name == *name) else {
                // Required groups come earlier; one that isn't done has a run under way.
                if self.runs.contains(&RunState::Running) {
                    return Ok(Some(Seen::Wait));
                }
                return Err(format!("{} needs the group {name}, which does not come before it", group.name));
            };
            if required.verdict != Verdict::Accepted {
                let score = group.score.map(|_| 0.0);
                return Ok(Some(Seen::Done(Sum { verdict: required.verdict, score, deciding: None })));
            }
        }
        Ok(None)
    }

    /// The next thing to do among these tests, if there is any.
    fn pending(&self, tests: &[usize]) -> Option<Seen> {
        let stands = |wanted: RunState| tests.iter().copied().find(|&test| self.runs.get(test) == Some(&wanted));
        stands(RunState::Waiting).map(Seen::Run).or_else(|| stands(RunState::Running).map(|_| Seen::Wait))
    }

    fn members(&mut self, group: &Group) -> Result<Seen, String> {
        let mut sums = Vec::with_capacity(group.members.len());
        let (mut waits, mut stopped) = (false, false);
        for member in &group.members {
            if stopped {
                if !self.run_all {
                    break;
                }
                let tests = match member {
                    Member::Test(index) => vec![*index],
                    Member::Group(inner) => inner.tests(),
                };
                match self.pending(&tests) {
                    Some(run @ Seen::Run(_)) => return Ok(run),
                    Some(_) => waits = true,
                    None => {}
                }
                continue;
            }
            let seen = match member {
                Member::Test(index) => self.test(group, *index)?,
                Member::Group(inner) => self.group(inner)?,
            };
            let ignored = group.ignore_sample && matches!(member, Member::Group(inner) if inner.name == "sample");
            match seen {
                Seen::Run(_) => return Ok(seen),
                // Later members may turn out to be needed, so they are looked at meanwhile.
                Seen::Wait => waits = true,
                Seen::Done(_) if ignored => {}
                Seen::Done(sum) => {
                    sums.push(sum);
                    stopped = group.stop_on_reject && sum.verdict != Verdict::Accepted;
                }
            }
        }
        if waits { Ok(Seen::Wait) } else { sum_up(group, &sums).map(Seen::Done) }
    }

    fn test(&self, group: &Group, index: usize) -> Result<Seen, String> {
        Ok(match self.runs.get(index) {
            Some(RunState::Waiting) => Seen::Run(index),
            Some(RunState::Running) => Seen::Wait,
            Some(&RunState::Done(verdict, points)) => {
                let score = group.score.map(|score| test_score(group, score.test, verdict, points)).transpose()?;
                let deciding = (verdict != Verdict::Accepted).then_some(index);
                Seen::Done(Sum { verdict, score, deciding })
            }
            None => return Err(format!("{} has a test that does not exist", group.name)),
        })
    }
}

fn test_score(group: &Group, rule: TestScore, verdict: Verdict, points: Option<Points>) -> Result<f64, String> {
    let accepted = verdict == Verdict::Accepted;
    // "If a score.txt file is produced on sample test cases on a scoring problem, it is […] simply ignored."
    let points = points.filter(|_| group.name != "sample" && !group.name.starts_with("sample/"));
    let fault = |what: &str| Err(format!("the output validator {what} on a test of {}", group.name));
    match (rule, points) {
        (TestScore::None, None) => Ok(0.0),
        (TestScore::None, Some(_)) => fault("gave points"),
        (TestScore::UpTo(_), _) if !accepted => Ok(0.0),
        (TestScore::UpTo(Some(most)), Some(Points::Score(score))) if score > most => {
            fault(&format!("gave {score} points, more than the {most} that there are,"))
        }
        (TestScore::UpTo(_), Some(Points::Score(score))) => Ok(score),
        (TestScore::UpTo(Some(most)), Some(Points::Multiplier(part))) => Ok(part * most),
        (TestScore::UpTo(Some(most)), None) => Ok(most),
        (TestScore::UpTo(None), Some(Points::Multiplier(_))) => fault("gave a part of a score without bound"),
        // Samples count for nothing, so nothing is missing there.
        (TestScore::UpTo(None), None) if group.name == "sample" => Ok(0.0),
        (TestScore::UpTo(None), None) => fault("gave no points"),
        (TestScore::Fixed { validator_scores: true, .. }, Some(Points::Score(score))) if accepted => Ok(score),
        (TestScore::Fixed { validator_scores: true, .. }, Some(Points::Multiplier(_))) => {
            fault("gave a part of a score")
        }
        (TestScore::Fixed { accepted: right, rejected: wrong, .. }, _) => Ok(if accepted { right } else { wrong }),
    }
}

/// Puts the results of the members that were run together. Those that weren't count for nothing.
fn sum_up(group: &Group, members: &[Sum]) -> Result<Sum, String> {
    let rejected = || members.iter().filter(|member| member.verdict != Verdict::Accepted);
    let blamed = match group.verdict {
        _ if group.accept_if_any_accepted && rejected().count() < members.len() => None,
        VerdictRule::AlwaysAccept => None,
        VerdictRule::FirstError => rejected().next(),
        // The first of the worst ones.
        VerdictRule::WorstError => rejected().min_by_key(|member| badness(member.verdict)),
    };
    let verdict = blamed.map_or(Verdict::Accepted, |member| member.verdict);
    let score = match &group.score {
        None => None,
        Some(rule) => Some(score(group, rule, verdict, members)?),
    };
    Ok(Sum { verdict, score, deciding: blamed.and_then(|member| member.deciding) })
}

/// "the first of JE, IF, RTE, MLE, TLE, OLE, WA" (format `legacy`, "Default Grader Specification").
const fn badness(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::JudgingError => 0,
        Verdict::CompileError => 1,
        Verdict::RunTimeError => 2,
        Verdict::MemoryLimit => 3,
        Verdict::TimeLimit => 4,
        Verdict::OutputLimit => 5,
        Verdict::WrongAnswer => 6,
        Verdict::Accepted => 7,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a number of tests is far below 2^52")]
fn score(group: &Group, rule: &GroupScore, verdict: Verdict, members: &[Sum]) -> Result<f64, String> {
    let scores = || members.iter().map(|member| member.score.unwrap_or(0.0));
    let score = match rule.aggregation {
        Aggregation::PassFail if verdict != Verdict::Accepted => 0.0,
        Aggregation::PassFail => {
            rule.most.ok_or_else(|| format!("{} is all or nothing, but has no score to give", group.name))?
        }
        Aggregation::Sum => scores().sum(),
        Aggregation::Min => scores().reduce(f64::min).unwrap_or(0.0),
        Aggregation::Max => scores().reduce(f64::max).unwrap_or(0.0),
        Aggregation::Avg if members.is_empty() => 0.0,
        Aggregation::Avg => scores().sum::<f64>() / members.len() as f64,
    };
    // Thirds of 100 add up to a little more or less than 100; that is nobody's fault.
    let slack = 1e-9 * score.abs().max(1.0);
    match (rule.least, rule.most) {
        (Some(least), _) if score < least - slack => {
            Err(format!("{} comes to {score}, less than its least score of {least}", group.name))
        }
        (_, Some(most)) if score > most + slack => {
            Err(format!("{} comes to {score}, more than its most of {most}", group.name))
        }
        (least, most) => Ok(score.max(least.unwrap_or(score)).min(most.unwrap_or(score))),
    }
}
