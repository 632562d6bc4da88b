//! How the results of test cases add up: the tree of groups with what each says about verdict and score.
//!
//! Every format's settings end here with their defaults and inferences filled in, so that whoever adds up needs no
//! version. Must not know verdicts: that is grading's.

use serde::Serialize;

/// Test cases and groups that belong together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TestGroup {
    /// `data` (the root), `sample`, `secret`, `secret/<folder>`, and deeper where the format has such groups.
    pub name: String,
    /// What it holds, in judging order. May be empty.
    pub members: Vec<Member>,
    /// Whether it is accepted.
    pub verdict: VerdictRule,
    /// Accepted as soon as one member is, whatever `verdict` says (`accept_if_any_accepted`).
    pub accept_if_any_accepted: bool,
    /// Only at the root: the result, verdict and score, is that of `secret` alone (`ignore_sample`).
    pub ignore_sample: bool,
    /// Whether judging goes on in this group after a member that isn't accepted.
    pub on_reject: OnReject,
    /// Groups that must be accepted, or this one is not run and gets nothing: `sample`, `secret/a` (`require_pass`).
    pub require_pass: Vec<String>,
    /// How it is scored; `None` in pass-fail problems.
    pub score: Option<GroupScore>,
}

/// Something in a group.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Member {
    /// A test case: its index in `Package::cases`.
    Case(usize),
    /// A group in the group.
    Group(TestGroup),
}

impl TestGroup {
    /// This group and all inside it, outer ones first.
    pub fn all(&self) -> Vec<&Self> {
        let mut found = vec![self];
        for member in &self.members {
            if let Member::Group(group) = member {
                found.extend(group.all());
            }
        }
        found
    }

    /// Indices of the cases directly in it.
    pub fn own_cases(&self) -> impl Iterator<Item = usize> {
        self.members.iter().filter_map(|member| match member {
            Member::Case(index) => Some(*index),
            Member::Group(_) => None,
        })
    }

    /// Indices of the cases in it, however deep, in judging order.
    pub fn cases(&self) -> Vec<usize> {
        let mut found = Vec::new();
        for member in &self.members {
            match member {
                Member::Case(index) => found.push(*index),
                Member::Group(group) => found.extend(group.cases()),
            }
        }
        found
    }

    /// Whether it matters which group a test is in: there are scores, or a group asks for something special. Otherwise
    /// the first failing test decides, wherever it is.
    pub fn decides(&self) -> bool {
        self.all().into_iter().any(|group| {
            group.score.is_some()
                || group.accept_if_any_accepted
                || group.ignore_sample
                || group.verdict == VerdictRule::AlwaysAccept
                || !group.require_pass.is_empty()
        })
    }

    /// The group with this name, here or inside.
    pub fn find(&self, name: &str) -> Option<&Self> {
        self.all().into_iter().find(|group| group.name == name)
    }
}

/// When a group is accepted, and which verdict it has otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictRule {
    /// All members accepted; else the worst of their verdicts (`worst_error`).
    #[default]
    WorstError,
    /// All members accepted; else the first verdict that isn't (`first_error`).
    FirstError,
    /// Always accepted (`always_accept`).
    AlwaysAccept,
}

/// What happens after a member that isn't accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OnReject {
    /// The rest of the group is not run.
    #[default]
    Break,
    /// The rest of the group is run.
    Continue,
}

/// How a group of a scoring problem is scored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GroupScore {
    /// From its members' scores.
    pub aggregation: Aggregation,
    /// The least it can get; less is a judging error. `None`: no bound.
    pub least: Option<f64>,
    /// The most it can get; more is a judging error.
    pub most: ScoreBound,
    /// What a test case directly in it gets.
    pub case: CaseScore,
}

/// How scores of members become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aggregation {
    /// All of the most it can get if every case in it is accepted, else 0.
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

/// A limit of a score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreBound {
    /// This much.
    Bounded(f64),
    /// No limit.
    Unbounded,
}

/// What a test case gets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseScore {
    /// Nothing of its own: its group is all or nothing, and a validator that writes a score is at fault.
    None,
    /// 0 if it isn't accepted. If it is: a bounded one gets `score.txt`, or the bound times `score_multiplier.txt`, or
    /// without both the bound; an unbounded one gets `score.txt`, which must be there (formats from `2023-07-draft`).
    UpTo(ScoreBound),
    /// One of two scores (`legacy`).
    Fixed {
        /// When accepted, and the validator writes no `score.txt`.
        accepted: f64,
        /// When not.
        rejected: f64,
        /// Whether the validator may say otherwise by `score.txt` (`validation: custom score`).
        validator_scores: bool,
    },
}
