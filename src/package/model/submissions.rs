//! Programs under `submissions/` and what they are expected to get.

use super::PackagePath;
use crate::domain::language::LanguageId;
use crate::domain::verdict::Verdict;
use crate::package::metadata::Person;
use crate::package::promise::{Broken, Promise, VerdictSet};

/// A program under `submissions/`.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ExampleSubmission {
    /// Path below `submissions/`: `accepted/reach.rs`.
    pub name: String,
    /// The folder it lies in: `accepted`.
    pub folder: String,
    /// Its files; at least one.
    pub files: Vec<PackagePath>,
    /// What it is to get over all test cases.
    pub promise: Promise,
    /// What else it is to get, from `submissions.yaml`: every one must hold.
    pub expectations: Vec<Expectation>,
    /// Its language, where `submissions.yaml` says so; otherwise its files tell.
    pub language: Option<LanguageId>,
    /// Where it begins, where `submissions.yaml` says so: a file or class name.
    pub entry_point: Option<String>,
    /// Who wrote it.
    pub authors: Vec<Person>,
    /// Whether it may be published as a model solution.
    pub model_solution: bool,
}

/// Something that a program must get on some of the test cases.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Expectation {
    /// Which test cases and groups; `None`: all.
    pub tests: Option<Pattern>,
    /// Each of the cases must get one of these.
    pub permitted: VerdictSet,
    /// At least one of the cases must get one of these; empty: nothing is required.
    pub required: VerdictSet,
    /// The score of the submission, or of the group that `tests` names.
    pub score: Option<ExpectedScore>,
    /// Must be part of at least one `judgemessage.txt` of the cases; empty: nothing is.
    pub message: String,
    /// What it says about the time limit; `None`: what `permitted` and `required` imply.
    pub time_bound: Option<TimeBound>,
}

/// An inclusive range of scores.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct ExpectedScore {
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

/// How a program's times bound the time limit (`use_for_time_limit`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeBound {
    /// Not at all.
    None,
    /// It may not be too slow.
    Lower,
    /// It must be too slow.
    Upper,
}

/// A pattern over paths: `*` is any part of one name, `{a,b}` is one of several (format, "Glob patterns").
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Pattern {
    /// As written.
    pub text: String,
    /// The texts without braces that it stands for.
    pub(crate) alternatives: Vec<String>,
}

impl Pattern {
    /// Whether it matches this path or a folder that the path lies in.
    pub fn matches(&self, path: &str) -> bool {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        ends.filter_map(|end| path.get(..end))
            .any(|prefix| self.alternatives.iter().any(|one| matches_whole(one, prefix)))
    }
}

/// Whether a pattern with `*` only matches the whole text.
fn matches_whole(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), text.split('/').collect());
    pattern.len() == text.len() && pattern.iter().zip(text).all(|(pattern, name)| matches_name(pattern, name))
}

/// The pieces between stars must follow each other; the first and the last are bound to the ends.
fn matches_name(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let last = pieces.pop().unwrap_or_default();
    for piece in pieces {
        let Some(at) = name.find(piece) else { return false };
        name = name.get(at + piece.len()..).unwrap_or_default();
    }
    name.ends_with(last)
}

impl ExampleSubmission {
    /// Whether it is a reference solution: it lies in `accepted/` and promises nothing less.
    pub fn is_reference(&self) -> bool {
        self.folder == "accepted"
    }

    /// Whether these runs (test, verdict) are what it is to get: its promise, and each expectation's verdicts. Scores
    /// and messages are for whoever has them.
    pub fn check(&self, runs: &[(&str, Verdict)]) -> Result<(), Broken> {
        self.promise.check(runs.iter().copied())?;
        for expected in &self.expectations {
            let concerned = |test: &str| expected.tests.as_ref().is_none_or(|tests| tests.matches(test));
            let mut happened = expected.required == VerdictSet::default();
            for &(test, got) in runs.iter().filter(|(test, _)| concerned(test)) {
                if !expected.permitted.contains(got) {
                    return Err(Broken::NotPermitted { test: test.to_owned(), got, permitted: expected.permitted });
                }
                happened |= expected.required.contains(got);
            }
            if !happened {
                return Err(Broken::NeverHappened { required: expected.required });
            }
        }
        Ok(())
    }
}
