//! A package's test groups, in the words of those who add up.
//!
//! Owns: the translation, and when groups matter at all. Must not know what they come to.

use std::sync::Arc;

use crate::grading::aggregate::{AfterFailure, Aggregation, Group, GroupScore, Member, Rule, TestScore, VerdictRule};
use crate::package::{self, CaseScore, OnReject, Package, ScoreBound, TestGroup};

/// How the runs of a package's tests add up.
///
/// A pass-fail problem whose groups ask for nothing special is judged by the plain rule, which says the same and knows
/// the first failing test.
pub fn rule(package: &Package, after_failure: AfterFailure) -> Rule {
    match tree(package) {
        None => Rule::PassFail { after_failure },
        Some(root) => Rule::Groups { root: Arc::new(root), after_failure },
    }
}

/// The package's groups; `None` where the plain rule says the same.
pub fn tree(package: &Package) -> Option<Group> {
    package.data.decides().then(|| group(&package.data))
}

fn group(from: &TestGroup) -> Group {
    Group {
        name: from.name.clone(),
        members: from
            .members
            .iter()
            .map(|member| match member {
                package::Member::Case(index) => Member::Test(*index),
                package::Member::Group(inner) => Member::Group(group(inner)),
            })
            .collect(),
        verdict: match from.verdict {
            package::VerdictRule::WorstError => VerdictRule::WorstError,
            package::VerdictRule::FirstError => VerdictRule::FirstError,
            package::VerdictRule::AlwaysAccept => VerdictRule::AlwaysAccept,
        },
        accept_if_any_accepted: from.accept_if_any_accepted,
        ignore_sample: from.ignore_sample,
        stop_on_reject: from.on_reject == OnReject::Break,
        require_pass: from.require_pass.clone(),
        score: from.score.as_ref().map(|score| GroupScore {
            aggregation: match score.aggregation {
                package::Aggregation::PassFail => Aggregation::PassFail,
                package::Aggregation::Sum => Aggregation::Sum,
                package::Aggregation::Min => Aggregation::Min,
                package::Aggregation::Max => Aggregation::Max,
                package::Aggregation::Avg => Aggregation::Avg,
            },
            least: score.least,
            most: bound(score.most),
            test: match score.case {
                CaseScore::None => TestScore::None,
                CaseScore::UpTo(most) => TestScore::UpTo(bound(most)),
                CaseScore::Fixed { accepted, rejected, validator_scores } => {
                    TestScore::Fixed { accepted, rejected, validator_scores }
                }
            },
        }),
    }
}

const fn bound(bound: ScoreBound) -> Option<f64> {
    match bound {
        ScoreBound::Bounded(most) => Some(most),
        ScoreBound::Unbounded => None,
    }
}
