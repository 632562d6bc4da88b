//! Which contents a job reads and makes. Must not know: where they come from.

use std::collections::HashSet;

use crate::domain::hash::Sha256;

use super::job_source::{JudgeWork, ProposedInput, TestRef, TrialOn, Work};

/// The submission that the job is about, if it is about one.
pub fn judged(work: &Work) -> Option<&JudgeWork> {
    match work {
        Work::Judge(work) => Some(work),
        Work::Counterexample(work) => Some(&work.judged),
        _ => None,
    }
}

/// All that the job may ask for.
pub fn of(work: &Work) -> HashSet<Sha256> {
    let sources = judged(work).into_iter().flat_map(|work| work.sources.iter().map(|(_, digest)| *digest));
    sources.chain(on_disk(work)).collect()
}

/// Whether the job's result may name contents that the worker made.
pub const fn makes_contents(work: &Work) -> bool {
    matches!(work, Work::Prepare(_) | Work::Propose(_))
}

/// The blobs that a job reads as files.
pub fn on_disk(work: &Work) -> Vec<Sha256> {
    let tests = |tests: &[TestRef]| -> Vec<Sha256> {
        let of = |test: &TestRef| {
            let beside: Vec<Sha256> = test.files.iter().map(|(_, digest)| *digest).collect();
            [test.input, test.answer].into_iter().chain(beside)
        };
        tests.iter().flat_map(of).collect()
    };
    let of_package = |files: &[(String, Sha256)]| files.iter().map(|(_, digest)| *digest).collect::<Vec<_>>();
    let (mut found, rules) = match work {
        Work::Judge(work) => (tests(&work.tests), Some(&work.rules)),
        Work::Trial(work) => match &work.on {
            TrialOn::Samples(samples) => (tests(samples), Some(&work.rules)),
            TrialOn::Own(_) => (Vec::new(), Some(&work.rules)),
        },
        Work::Verify(work) => {
            let mut found = of_package(&work.files);
            found.extend(tests(&work.tests));
            (found, Some(&work.rules))
        }
        Work::Counterexample(work) => {
            let mut found = of_package(&work.files);
            found.push(work.input);
            (found, Some(&work.judged.rules))
        }
        Work::Prepare(work) => {
            let mut found = of_package(&work.files);
            found.extend(work.added.iter().map(|added| added.input));
            (found, None)
        }
        Work::Propose(work) => {
            let mut found = of_package(&work.package.files);
            if let ProposedInput::Given(input) = work.input {
                found.push(input);
            }
            (found, None)
        }
    };
    found.extend(rules.into_iter().flat_map(|rules| rules.contents.values()));
    found
}
