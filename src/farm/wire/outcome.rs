//! Results on their way from a worker to the server.
//!
//! Owns: these types and their translation from and to the judge's.

use serde::{Deserialize, Serialize};

use crate::domain::cause::Cause;
use crate::domain::group_result::GroupResult;
use crate::domain::hash::Sha256;
use crate::domain::ids::{PackageId, TestCaseId};
use crate::domain::limits::Limits;
use crate::domain::trial::TrialOutcome;
use crate::domain::verdict::Verdict;
use crate::domain::verification::VerificationReport;
use crate::grading::feedback;
use crate::judge::job_source as judge;
use crate::judge::printed;
use crate::judge::rules::JudgingRules;
use crate::judge::run_test::RunResult;
use crate::judge::worker;
use crate::package::StatementKind;

use super::bytes64;

/// One run's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "as the judge's own type calls it")]
pub struct Run {
    test_case: TestCaseId,
    ordinal: u32,
    score: Option<f64>,
    verdict: Verdict,
    points: Option<Points>,
    cpu_ms: u64,
    wall_ms: u64,
    memory_bytes: u64,
    message: String,
    difference: Option<String>,
    cause: Option<Cause>,
    times_run: u32,
    printed: Option<Printed>,
    errors: Option<Printed>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Points {
    Score(f64),
    Multiplier(f64),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Printed {
    #[serde(with = "bytes64")]
    head: Vec<u8>,
    bytes: u64,
}

impl From<printed::Printed> for Printed {
    fn from(printed::Printed { head, bytes }: printed::Printed) -> Self {
        Self { head, bytes }
    }
}

impl From<Printed> for printed::Printed {
    fn from(Printed { head, bytes }: Printed) -> Self {
        Self { head, bytes }
    }
}

impl From<judge::RunRecord> for Run {
    fn from(run: judge::RunRecord) -> Self {
        let judge::RunRecord { test_case, ordinal, score, result } = run;
        Self {
            test_case,
            ordinal,
            score,
            verdict: result.verdict,
            points: result.points.map(|points| match points {
                feedback::Points::Score(score) => Points::Score(score),
                feedback::Points::Multiplier(part) => Points::Multiplier(part),
            }),
            cpu_ms: result.cpu_ms,
            wall_ms: result.wall_ms,
            memory_bytes: result.memory_bytes,
            message: result.message,
            difference: result.difference,
            cause: result.cause,
            times_run: result.times_run,
            printed: result.printed.map(Into::into),
            errors: result.errors.map(Into::into),
        }
    }
}

impl From<Run> for judge::RunRecord {
    fn from(run: Run) -> Self {
        Self {
            test_case: run.test_case,
            ordinal: run.ordinal,
            score: run.score,
            result: RunResult {
                verdict: run.verdict,
                points: run.points.map(|points| match points {
                    Points::Score(score) => feedback::Points::Score(score),
                    Points::Multiplier(part) => feedback::Points::Multiplier(part),
                }),
                cpu_ms: run.cpu_ms,
                wall_ms: run.wall_ms,
                memory_bytes: run.memory_bytes,
                message: run.message,
                difference: run.difference,
                cause: run.cause,
                times_run: run.times_run,
                printed: run.printed.map(Into::into),
                errors: run.errors.map(Into::into),
            },
        }
    }
}

/// How far long work is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    part: String,
    done: u64,
    total: u64,
}

impl From<judge::Step> for Step {
    fn from(judge::Step { part, done, total }: judge::Step) -> Self {
        Self { part, done: done as u64, total: total as u64 }
    }
}

impl From<Step> for judge::Step {
    fn from(Step { part, done, total }: Step) -> Self {
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Self { part, done: number(done), total: number(total) }
    }
}

/// The end of a job's work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// A judgement.
    Judged(Judged),
    /// A preparation.
    Prepared(Box<Prepared>),
    /// A proposal.
    Proposed(Proposed),
    /// A verification.
    Verified {
        /// What was found.
        report: Box<VerificationReport>,
        /// The limits that the measured times ask for.
        limits: Option<Limits>,
    },
    /// The search for a counterexample.
    Reduced(Option<Found>),
    /// A trial.
    Tried(TrialOutcome),
}

/// How a judgement ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    verdict: Verdict,
    score: Option<f64>,
    groups: Vec<GroupResult>,
    compiler_output: String,
    deciding: Option<u32>,
    message: String,
    difference: Option<String>,
    cpu_ms: Option<u64>,
    memory_bytes: Option<u64>,
    receipt: String,
}

/// How a preparation ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prepared {
    /// The problem may be published.
    Ready(Box<Ready>),
    /// The package is at fault.
    Refused(String),
}

/// A prepared package.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ready {
    names: Vec<(String, String)>,
    /// Language tag, how it is written, path.
    statements: Vec<(String, Statement, String)>,
    limits: Limits,
    code_bytes: u64,
    languages: Option<Vec<String>>,
    rules: JudgingRules,
    tests: Vec<MadeTest>,
    notes: Vec<String>,
    pictures: Vec<(Sha256, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Statement {
    Markdown,
    Tex,
    Pdf,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct MadeTest {
    name: String,
    sample: bool,
    input: Sha256,
    answer: Sha256,
    checker_args: Vec<String>,
    args: Vec<String>,
    files: Vec<(String, Sha256)>,
    group: Option<String>,
    origin: Origin,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Origin {
    File,
    Generated(String),
    Added(Option<String>),
}

/// How a proposal ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proposed {
    /// The test is valid.
    Accepted {
        /// The package whose references answered.
        package_id: PackageId,
        /// The input.
        input: Sha256,
        /// The answer.
        answer: Sha256,
        /// The checker's arguments.
        checker_args: Vec<String>,
        /// The program's arguments.
        args: Vec<String>,
        /// Files beside the program: name, contents.
        files: Vec<(String, Sha256)>,
    },
    /// It is not, and why.
    Refused(String),
}

/// A counterexample that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    #[serde(with = "bytes64")]
    input: Vec<u8>,
    #[serde(with = "bytes64::option")]
    answer: Option<Vec<u8>>,
    #[serde(with = "bytes64::option")]
    output: Option<Vec<u8>>,
    original_bytes: u64,
}

impl From<worker::Ending> for Ending {
    fn from(ending: worker::Ending) -> Self {
        match ending {
            worker::Ending::Judged(outcome) => Self::Judged(Judged {
                verdict: outcome.verdict,
                score: outcome.score,
                groups: outcome.groups,
                compiler_output: outcome.compiler_output,
                deciding: outcome.deciding,
                message: outcome.message,
                difference: outcome.difference,
                cpu_ms: outcome.cpu_ms,
                memory_bytes: outcome.memory_bytes,
                receipt: outcome.receipt,
            }),
            worker::Ending::Prepared(outcome) => Self::Prepared(Box::new(outcome.into())),
            worker::Ending::Proposed(judge::ProposedOutcome::Refused(why)) => Self::Proposed(Proposed::Refused(why)),
            worker::Ending::Proposed(judge::ProposedOutcome::Accepted {
                package_id,
                input,
                answer,
                checker_args,
                args,
                files,
            }) => Self::Proposed(Proposed::Accepted { package_id, input, answer, checker_args, args, files }),
            worker::Ending::Verified(judge::VerifiedOutcome { report, limits }) => {
                Self::Verified { report: Box::new(report), limits }
            }
            worker::Ending::Reduced(found) => Self::Reduced(found.map(|found| Found {
                input: found.input,
                answer: found.answer,
                output: found.output,
                original_bytes: found.original_bytes,
            })),
            worker::Ending::Tried(outcome) => Self::Tried(outcome),
        }
    }
}

impl From<Ending> for worker::Ending {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Judged(outcome) => Self::Judged(judge::JudgedOutcome {
                verdict: outcome.verdict,
                score: outcome.score,
                groups: outcome.groups,
                compiler_output: outcome.compiler_output,
                deciding: outcome.deciding,
                message: outcome.message,
                difference: outcome.difference,
                cpu_ms: outcome.cpu_ms,
                memory_bytes: outcome.memory_bytes,
                receipt: outcome.receipt,
            }),
            Ending::Prepared(outcome) => Self::Prepared((*outcome).into()),
            Ending::Proposed(Proposed::Refused(why)) => Self::Proposed(judge::ProposedOutcome::Refused(why)),
            Ending::Proposed(Proposed::Accepted { package_id, input, answer, checker_args, args, files }) => {
                Self::Proposed(judge::ProposedOutcome::Accepted {
                    package_id,
                    input,
                    answer,
                    checker_args,
                    args,
                    files,
                })
            }
            Ending::Verified { report, limits } => Self::Verified(judge::VerifiedOutcome { report: *report, limits }),
            Ending::Reduced(found) => Self::Reduced(found.map(|found| judge::FoundCounterexample {
                input: found.input,
                answer: found.answer,
                output: found.output,
                original_bytes: found.original_bytes,
            })),
            Ending::Tried(outcome) => Self::Tried(outcome),
        }
    }
}

impl From<judge::PreparedOutcome> for Prepared {
    fn from(outcome: judge::PreparedOutcome) -> Self {
        let (facts, tests, notes, pictures) = match outcome {
            judge::PreparedOutcome::Refused(why) => return Self::Refused(why),
            judge::PreparedOutcome::Ready { facts, tests, notes, pictures } => (*facts, tests, notes, pictures),
        };
        let statement = |file: judge::StatementFile| {
            let kind = match file.kind {
                StatementKind::Markdown => Statement::Markdown,
                StatementKind::Tex => Statement::Tex,
                StatementKind::Pdf => Statement::Pdf,
            };
            (file.language, kind, file.path)
        };
        Self::Ready(Box::new(Ready {
            names: facts.names,
            statements: facts.statements.into_iter().map(statement).collect(),
            limits: facts.limits,
            code_bytes: facts.code_bytes,
            languages: facts.languages,
            rules: facts.rules,
            tests: tests.into_iter().map(Into::into).collect(),
            notes,
            pictures,
        }))
    }
}

impl From<Prepared> for judge::PreparedOutcome {
    fn from(outcome: Prepared) -> Self {
        let ready = match outcome {
            Prepared::Refused(why) => return Self::Refused(why),
            Prepared::Ready(ready) => *ready,
        };
        let statement = |(language, kind, path)| {
            let kind = match kind {
                Statement::Markdown => StatementKind::Markdown,
                Statement::Tex => StatementKind::Tex,
                Statement::Pdf => StatementKind::Pdf,
            };
            judge::StatementFile { language, kind, path }
        };
        Self::Ready {
            facts: Box::new(judge::PackageFacts {
                names: ready.names,
                statements: ready.statements.into_iter().map(statement).collect(),
                limits: ready.limits,
                code_bytes: ready.code_bytes,
                languages: ready.languages,
                rules: ready.rules,
            }),
            tests: ready.tests.into_iter().map(Into::into).collect(),
            notes: ready.notes,
            pictures: ready.pictures,
        }
    }
}

impl From<judge::MadeTest> for MadeTest {
    fn from(test: judge::MadeTest) -> Self {
        let judge::MadeTest { name, sample, input, answer, checker_args, args, files, group, origin } = test;
        let origin = match origin {
            judge::Origin::File => Origin::File,
            judge::Origin::Generated(command) => Origin::Generated(command),
            judge::Origin::Added(command) => Origin::Added(command),
        };
        Self { name, sample, input, answer, checker_args, args, files, group, origin }
    }
}

impl From<MadeTest> for judge::MadeTest {
    fn from(test: MadeTest) -> Self {
        let MadeTest { name, sample, input, answer, checker_args, args, files, group, origin } = test;
        let origin = match origin {
            Origin::File => judge::Origin::File,
            Origin::Generated(command) => judge::Origin::Generated(command),
            Origin::Added(command) => judge::Origin::Added(command),
        };
        Self { name, sample, input, answer, checker_args, args, files, group, origin }
    }
}
