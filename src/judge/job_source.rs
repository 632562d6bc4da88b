//! The worker's only door to jobs, blobs and results.
//!
//! Owns: what a job carries and what comes back, as plain data. There is one implementation for the embedded worker
//! (`local`); a worker on another machine gets its own without a change to the loop.

use std::fs::File;
use std::future::Future;
use std::sync::Arc;

use crate::domain::hash::Sha256;
use crate::domain::ids::{JobId, JudgementId, PackageId, TestCaseId};
use crate::domain::language::LanguageId;
use crate::domain::limits::Limits;
use crate::domain::slug::Slug;
use crate::domain::trial::TrialOutcome;
use crate::domain::verdict::Verdict;
use crate::domain::verification::{ProgramResult, VerificationReport};
use crate::grading::aggregate::GroupResult;
use crate::package::StatementKind;

use super::rules::JudgingRules;
use super::run_test::RunResult;
use super::test_file::TestFile;
use super::verify::Known;

/// A timed, fenced claim on one job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// The job.
    pub job: JobId,
    /// Grows with each claim; a result under an older one is refused.
    pub token: i64,
}

/// A claimed job.
#[derive(Debug, Clone)]
pub struct Job {
    /// The claim.
    pub lease: Lease,
    /// What to do.
    pub work: Work,
}

/// What there is to do.
#[derive(Debug, Clone)]
pub enum Work {
    /// Judge a submission.
    Judge(JudgeWork),
    /// Make the tests of a package.
    Prepare(PrepareWork),
    /// Validate and answer one more input.
    Propose(ProposeWork),
    /// Try a program that is not handed in.
    Trial(TrialWork),
    /// Judge a package's own programs.
    Verify(VerifyWork),
    /// Look for a small input on which a submission goes wrong.
    Counterexample(CounterexampleWork),
}

/// A judgement to make.
#[derive(Debug, Clone)]
pub struct JudgeWork {
    /// Which.
    pub judgement: JudgementId,
    /// The problem's short name, for logs.
    pub problem: Slug,
    /// Language of the submission.
    pub language: LanguageId,
    /// Source files: name, blob.
    pub sources: Vec<(String, Sha256)>,
    /// Limits of each run.
    pub limits: Limits,
    /// Who checks outputs, what is added to the sources, how runs add up.
    pub rules: Arc<JudgingRules>,
    /// Tests in judging order.
    pub tests: Vec<TestRef>,
}

/// One test of a judgement.
#[derive(Debug, Clone)]
pub struct TestRef {
    /// Which.
    pub id: TestCaseId,
    /// Its name.
    pub name: String,
    /// Whether contestants may see it.
    pub sample: bool,
    /// What the program reads.
    pub input: Sha256,
    /// What is right.
    pub answer: Sha256,
    /// The checker's arguments.
    pub checker_args: Vec<String>,
    /// The program's arguments.
    pub args: Vec<String>,
    /// Files beside the program: name, blob.
    pub files: Vec<(String, Sha256)>,
}

/// A package to prepare.
#[derive(Debug, Clone)]
pub struct PrepareWork {
    /// The problem's short name.
    pub problem: Slug,
    /// Files of the package: path, blob.
    pub files: Vec<(String, Sha256)>,
    /// Inputs that were added to the problem by themselves; they come after the package's own tests.
    pub added: Vec<AddedInput>,
}

/// An input that stays with the problem whatever its package says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedInput {
    /// The test's name.
    pub name: String,
    /// Whether contestants may see it.
    pub sample: bool,
    /// The input.
    pub input: Sha256,
    /// The generator's command that made it.
    pub recipe: Option<String>,
}

/// A test case that somebody wants to add, by its input alone.
#[derive(Debug, Clone)]
pub struct ProposeWork {
    /// Which package it is; named again with the answer.
    pub package_id: PackageId,
    /// The package whose validators and references decide.
    pub package: PrepareWork,
    /// The test's name.
    pub name: String,
    /// The input.
    pub input: ProposedInput,
}

/// Where a proposed test's input comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProposedInput {
    /// It is this blob.
    Given(Sha256),
    /// This generator's command prints it.
    Made(String),
}

/// A submission that failed on a secret test, for which a smaller input is looked for.
#[derive(Debug, Clone)]
pub struct CounterexampleWork {
    /// How it was judged.
    pub judged: JudgeWork,
    /// Files of the package: path, blob.
    pub files: Vec<(String, Sha256)>,
    /// What it got on that test.
    pub verdict: Verdict,
    /// The test's input.
    pub input: Sha256,
}

/// A counterexample that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCounterexample {
    /// The input.
    pub input: Vec<u8>,
    /// What the references answer; `None` where nothing is compared with it.
    pub answer: Option<Vec<u8>>,
    /// What the program prints; `None` where that was said to the validator.
    pub output: Option<Vec<u8>>,
    /// Size of the test's input, bytes.
    pub original_bytes: u64,
}

/// A package whose programs are to be judged with these tests.
#[derive(Debug, Clone)]
pub struct VerifyWork {
    /// The problem's short name.
    pub problem: Slug,
    /// Files of the package: path, blob.
    pub files: Vec<(String, Sha256)>,
    /// Who checks outputs.
    pub rules: Arc<JudgingRules>,
    /// Tests in judging order.
    pub tests: Vec<TestRef>,
    /// What an interrupted attempt and earlier verifications found out already.
    pub known: Known,
    /// Somebody waits for it; otherwise it works one program at a time and makes way for everything else.
    pub awaited: bool,
}

/// A program to try.
#[derive(Debug, Clone)]
pub struct TrialWork {
    /// The problem's short name, for logs.
    pub problem: Slug,
    /// Language of the program.
    pub language: LanguageId,
    /// Its file's name.
    pub file_name: String,
    /// Its text. Not a blob: it goes with the trial.
    pub source: Vec<u8>,
    /// Limits of each run.
    pub limits: Limits,
    /// Who checks outputs, what is added to the source.
    pub rules: Arc<JudgingRules>,
    /// What to run it on.
    pub on: TrialOn,
}

/// What a program is tried on.
#[derive(Debug, Clone)]
pub enum TrialOn {
    /// The problem's samples.
    Samples(Vec<TestRef>),
    /// The author's own input.
    Own(Vec<u8>),
}

/// One run's result, as it is stored and published.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// The test.
    pub test_case: TestCaseId,
    /// Position in judging order, from 1.
    pub ordinal: u32,
    /// What the test is worth by itself, where tests have scores of their own.
    pub score: Option<f64>,
    /// The result. What it printed is only there for a failed sample.
    pub result: RunResult,
}

/// The end of a judgement.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedOutcome {
    /// The verdict; `CE` and `JE` come without runs.
    pub verdict: Verdict,
    /// The score, where the problem has scores.
    pub score: Option<f64>,
    /// What each test group came to, inner ones first; empty where they don't matter.
    pub groups: Vec<GroupResult>,
    /// What the compiler said, for the author.
    pub compiler_output: String,
    /// The deciding run's position, from 1.
    pub deciding: Option<u32>,
    /// The deciding run's sentence for the author.
    pub message: String,
    /// Its difference, for those who may see the test.
    pub difference: Option<String>,
    /// cpu of the slowest run, milliseconds; `None` when nothing ran.
    pub cpu_ms: Option<u64>,
    /// Memory of the largest run, bytes; `None` when nothing ran.
    pub memory_bytes: Option<u64>,
    /// What the verdict depends on, as JSON.
    pub receipt: String,
}

/// A test made by preparation.
#[derive(Debug, Clone)]
pub struct MadeTest {
    /// `secret/03-rows`.
    pub name: String,
    /// Whether contestants may see it.
    pub sample: bool,
    /// Blob of the input.
    pub input: Sha256,
    /// Blob of the answer.
    pub answer: Sha256,
    /// The checker's arguments.
    pub checker_args: Vec<String>,
    /// The program's arguments.
    pub args: Vec<String>,
    /// Files beside the program: name, blob.
    pub files: Vec<(String, Sha256)>,
    /// Its group, where that isn't the folder in its name.
    pub group: Option<String>,
    /// Where its input comes from.
    pub origin: Origin,
}

/// Where a test's input comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A file of the package.
    File,
    /// This generator's command.
    Generated(String),
    /// Added by itself; the generator's command, where one made it.
    Added(Option<String>),
}

/// What a problem's page needs of its package.
#[derive(Debug, Clone)]
pub struct PackageFacts {
    /// (language tag, name).
    pub names: Vec<(String, String)>,
    /// Its statements.
    pub statements: Vec<StatementFile>,
    /// Limits of each run.
    pub limits: Limits,
    /// The most code that is taken, bytes of all files together.
    pub code_bytes: u64,
    /// Language codes that may be used; `None` for all.
    pub languages: Option<Vec<String>>,
    /// How programs are judged.
    pub rules: JudgingRules,
}

/// One of a package's statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementFile {
    /// Language tag.
    pub language: String,
    /// How it is written.
    pub kind: StatementKind,
    /// Path in the package.
    pub path: String,
}

/// The end of a preparation.
#[derive(Debug, Clone)]
pub enum PreparedOutcome {
    /// The problem may be published with these tests.
    Ready {
        /// For its page.
        facts: Box<PackageFacts>,
        /// In judging order.
        tests: Vec<MadeTest>,
        /// References that could not be run here.
        notes: Vec<String>,
        /// Pictures of samples: the input and the safe SVG.
        pictures: Vec<(Sha256, String)>,
    },
    /// The package is at fault; for its author.
    Refused(String),
}

/// The end of a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProposedOutcome {
    /// Valid, and all references agree on this answer.
    Accepted {
        /// The package whose references answered.
        package_id: PackageId,
        /// Blob of the input.
        input: Sha256,
        /// Blob of the answer.
        answer: Sha256,
        /// The checker's arguments: those of the test whose place it takes, or of the package's others.
        checker_args: Vec<String>,
        /// The program's arguments.
        args: Vec<String>,
        /// Files beside the program: name, blob.
        files: Vec<(String, Sha256)>,
    },
    /// The validator's words, or the references' first difference.
    Refused(String),
}

/// The end of a verification.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedOutcome {
    /// What was found.
    pub report: VerificationReport,
    /// The limits that the measured times ask for, where the package sets none.
    pub limits: Option<Limits>,
}

/// How far long work is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What is being done.
    pub part: String,
    /// So many steps of it are done.
    pub done: usize,
    /// Of so many.
    pub total: usize,
}

/// Why the door did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The claim is over: somebody else has the job, or it was decided. Drop the work.
    #[error("the lease on the job is over")]
    LeaseLost,
    /// The disk is full or read-only: the work waits until somebody has mended that.
    #[error("the disk takes nothing in (it is full or read-only): {0}")]
    DiskTrouble(String),
    /// Anything else; the work may be tried again later.
    #[error("{0}")]
    Unavailable(String),
}

/// The worker's door.
pub trait JobSource: Send + Sync + 'static {
    /// Takes the next job, if there is one.
    fn claim(&self) -> impl Future<Output = Result<Option<Job>, SourceError>> + Send;
    /// Returns when there may be a job: at once after one was queued, and from time to time.
    fn wait(&self) -> impl Future<Output = ()> + Send;
    /// The blob of this digest. For small ones; those that may be large are copied.
    fn blob(&self, sha256: Sha256) -> impl Future<Output = Result<Vec<u8>, SourceError>> + Send;
    /// Copies the blob of this digest to a file.
    fn copy_blob(&self, sha256: Sha256, to: File) -> impl Future<Output = Result<(), SourceError>> + Send;
    /// Stores a small blob, so that a result may name it.
    fn put_blob(&self, contents: Vec<u8>) -> impl Future<Output = Result<Sha256, SourceError>> + Send;
    /// Stores a file as a blob.
    fn put_file(&self, file: TestFile) -> impl Future<Output = Result<(), SourceError>> + Send;
    /// Keeps the claim for another while.
    fn renew(&self, lease: Lease) -> impl Future<Output = Result<(), SourceError>> + Send;
    /// Stores and publishes one run; keeps the claim too.
    fn record_run(&self, lease: Lease, run: RunRecord) -> impl Future<Output = Result<(), SourceError>> + Send;
    /// Publishes how far a preparation or verification is; keeps the claim too.
    fn record_step(&self, lease: Lease, step: Step) -> impl Future<Output = Result<(), SourceError>> + Send;
    /// Keeps what a package's program did; keeps the claim too.
    fn record_program(
        &self,
        lease: Lease,
        result: ProgramResult,
    ) -> impl Future<Output = Result<(), SourceError>> + Send;
    /// Whether a job waits that goes before this one.
    fn is_urgent_waiting(&self, lease: Lease) -> impl Future<Output = Result<bool, SourceError>> + Send;
    /// Ends a judgement.
    fn finish_judgement(
        &self,
        lease: Lease,
        outcome: JudgedOutcome,
    ) -> impl Future<Output = Result<(), SourceError>> + Send;
    /// Ends a preparation.
    fn finish_preparation(
        &self,
        lease: Lease,
        outcome: PreparedOutcome,
    ) -> impl Future<Output = Result<(), SourceError>> + Send;
    /// Ends a proposal.
    fn finish_proposal(
        &self,
        lease: Lease,
        outcome: ProposedOutcome,
    ) -> impl Future<Output = Result<(), SourceError>> + Send;
    /// Ends a trial.
    fn finish_trial(&self, lease: Lease, outcome: TrialOutcome)
    -> impl Future<Output = Result<(), SourceError>> + Send;
    /// Ends a verification.
    fn finish_verification(
        &self,
        lease: Lease,
        outcome: VerifiedOutcome,
    ) -> impl Future<Output = Result<(), SourceError>> + Send;
    /// Ends the search for a counterexample; `None`: there is no small one.
    fn finish_counterexample(
        &self,
        lease: Lease,
        found: Option<FoundCounterexample>,
    ) -> impl Future<Output = Result<(), SourceError>> + Send;
    /// Says that a fault of ours stopped the work; it is tried again, up to a cap.
    fn fail(&self, lease: Lease, reason: String) -> impl Future<Output = Result<(), SourceError>> + Send;
    /// Gives a job back untouched, at a clean stop.
    fn give_back(&self, lease: Lease) -> impl Future<Output = Result<(), SourceError>> + Send;
}
