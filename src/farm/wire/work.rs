//! Jobs on their way from the server to a worker.
//!
//! Owns: these types and their translation from and to the judge's. Contents are named by their digests; only what is no
//! blob (a program that is tried) goes with the job.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::hash::Sha256;
use crate::domain::ids::{JudgementId, PackageId, TestCaseId};
use crate::domain::language::LanguageId;
use crate::domain::limits::Limits;
use crate::domain::slug::Slug;
use crate::domain::verdict::Verdict;
use crate::domain::verification::{ProgramResult, TestResult};
use crate::judge::job_source as judge;
use crate::judge::rules::JudgingRules;
use crate::judge::verify::Known;

use super::bytes64;
use super::call::Claim;

/// A job that is handed to a slot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The claim, to be shown with each call about it.
    pub claim: Claim,
    /// What to do.
    pub work: Work,
}

/// What there is to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Judge a submission.
    Judge(Judge),
    /// Make the tests of a package.
    Prepare(Prepare),
    /// Validate and answer one more input.
    Propose(Propose),
    /// Try a program.
    Trial(Trial),
    /// Judge a package's own programs.
    Verify(Verify),
    /// Look for a small input.
    Counterexample(Counterexample),
}

/// A judgement to make.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judge {
    judgement: JudgementId,
    problem: Slug,
    language: LanguageId,
    sources: Files,
    limits: Limits,
    rules: JudgingRules,
    tests: Vec<Test>,
}

/// Name or path, and contents.
type Files = Vec<(String, Sha256)>;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Test {
    id: TestCaseId,
    name: String,
    #[serde(default, skip_serializing_if = "is_false")]
    sample: bool,
    input: Sha256,
    answer: Sha256,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    checker_args: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    args: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Files,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// A package to prepare.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepare {
    problem: Slug,
    files: Files,
    added: Vec<Added>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Added {
    name: String,
    sample: bool,
    input: Sha256,
    recipe: Option<String>,
}

/// A test that somebody wants to add.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Propose {
    package_id: PackageId,
    package: Prepare,
    name: String,
    input: Input,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Input {
    Given(Sha256),
    Made(String),
}

/// A program to try.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    problem: Slug,
    language: LanguageId,
    file_name: String,
    #[serde(with = "bytes64")]
    source: Vec<u8>,
    limits: Limits,
    rules: JudgingRules,
    on: On,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum On {
    Samples(Vec<Test>),
    Own(#[serde(with = "bytes64")] Vec<u8>),
}

/// A package whose programs are to be judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verify {
    problem: Slug,
    files: Files,
    rules: JudgingRules,
    tests: Vec<Test>,
    known_programs: Vec<ProgramResult>,
    known_runs: Vec<(String, Vec<TestResult>)>,
    awaited: bool,
}

/// A submission for which a smaller input is looked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Counterexample {
    judged: Judge,
    files: Files,
    verdict: Verdict,
    input: Sha256,
}

impl From<judge::Work> for Work {
    fn from(work: judge::Work) -> Self {
        match work {
            judge::Work::Judge(work) => Self::Judge(work.into()),
            judge::Work::Prepare(work) => Self::Prepare(work.into()),
            judge::Work::Propose(work) => Self::Propose(Propose {
                package_id: work.package_id,
                package: work.package.into(),
                name: work.name,
                input: match work.input {
                    judge::ProposedInput::Given(input) => Input::Given(input),
                    judge::ProposedInput::Made(command) => Input::Made(command),
                },
            }),
            judge::Work::Trial(work) => Self::Trial(Trial {
                problem: work.problem,
                language: work.language,
                file_name: work.file_name,
                source: work.source,
                limits: work.limits,
                rules: unshared(work.rules),
                on: match work.on {
                    judge::TrialOn::Samples(tests) => On::Samples(all(tests)),
                    judge::TrialOn::Own(input) => On::Own(input),
                },
            }),
            judge::Work::Verify(work) => {
                let mut known_runs: Vec<(String, Vec<TestResult>)> = Vec::new();
                for (program, run) in work.known.runs.all() {
                    match known_runs.last_mut() {
                        Some((last, runs)) if last == program => runs.push(run),
                        _ => known_runs.push((program.to_owned(), vec![run])),
                    }
                }
                Self::Verify(Verify {
                    problem: work.problem,
                    files: work.files,
                    rules: unshared(work.rules),
                    tests: all(work.tests),
                    known_programs: work.known.programs,
                    known_runs,
                    awaited: work.awaited,
                })
            }
            judge::Work::Counterexample(work) => Self::Counterexample(Counterexample {
                judged: work.judged.into(),
                files: work.files,
                verdict: work.verdict,
                input: work.input,
            }),
        }
    }
}

impl From<Work> for judge::Work {
    fn from(work: Work) -> Self {
        match work {
            Work::Judge(work) => Self::Judge(work.into()),
            Work::Prepare(work) => Self::Prepare(work.into()),
            Work::Propose(work) => Self::Propose(judge::ProposeWork {
                package_id: work.package_id,
                package: work.package.into(),
                name: work.name,
                input: match work.input {
                    Input::Given(input) => judge::ProposedInput::Given(input),
                    Input::Made(command) => judge::ProposedInput::Made(command),
                },
            }),
            Work::Trial(work) => Self::Trial(judge::TrialWork {
                problem: work.problem,
                language: work.language,
                file_name: work.file_name,
                source: work.source,
                limits: work.limits,
                rules: Arc::new(work.rules),
                on: match work.on {
                    On::Samples(tests) => judge::TrialOn::Samples(all(tests)),
                    On::Own(input) => judge::TrialOn::Own(input),
                },
            }),
            Work::Verify(work) => Self::Verify(judge::VerifyWork {
                problem: work.problem,
                files: work.files,
                rules: Arc::new(work.rules),
                tests: all(work.tests),
                known: Known {
                    programs: work.known_programs,
                    runs: work
                        .known_runs
                        .into_iter()
                        .flat_map(|(program, runs)| runs.into_iter().map(move |run| (program.clone(), run)))
                        .collect(),
                },
                awaited: work.awaited,
            }),
            Work::Counterexample(work) => Self::Counterexample(judge::CounterexampleWork {
                judged: work.judged.into(),
                files: work.files,
                verdict: work.verdict,
                input: work.input,
            }),
        }
    }
}

fn unshared(rules: Arc<JudgingRules>) -> JudgingRules {
    Arc::unwrap_or_clone(rules)
}

fn all<A: Into<B>, B>(list: Vec<A>) -> Vec<B> {
    list.into_iter().map(Into::into).collect()
}

impl From<judge::JudgeWork> for Judge {
    fn from(work: judge::JudgeWork) -> Self {
        let judge::JudgeWork { judgement, problem, language, sources, limits, rules, tests } = work;
        Self { judgement, problem, language, sources, limits, rules: unshared(rules), tests: all(tests) }
    }
}

impl From<Judge> for judge::JudgeWork {
    fn from(work: Judge) -> Self {
        let Judge { judgement, problem, language, sources, limits, rules, tests } = work;
        Self { judgement, problem, language, sources, limits, rules: Arc::new(rules), tests: all(tests) }
    }
}

impl From<judge::TestRef> for Test {
    fn from(test: judge::TestRef) -> Self {
        let judge::TestRef { id, name, sample, input, answer, checker_args, args, files } = test;
        Self { id, name, sample, input, answer, checker_args, args, files }
    }
}

impl From<Test> for judge::TestRef {
    fn from(test: Test) -> Self {
        let Test { id, name, sample, input, answer, checker_args, args, files } = test;
        Self { id, name, sample, input, answer, checker_args, args, files }
    }
}

impl From<judge::PrepareWork> for Prepare {
    fn from(work: judge::PrepareWork) -> Self {
        let added =
            |one: judge::AddedInput| Added { name: one.name, sample: one.sample, input: one.input, recipe: one.recipe };
        Self { problem: work.problem, files: work.files, added: work.added.into_iter().map(added).collect() }
    }
}

impl From<Prepare> for judge::PrepareWork {
    fn from(work: Prepare) -> Self {
        let added =
            |one: Added| judge::AddedInput { name: one.name, sample: one.sample, input: one.input, recipe: one.recipe };
        Self { problem: work.problem, files: work.files, added: work.added.into_iter().map(added).collect() }
    }
}
