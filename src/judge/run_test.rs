//! One program on one test: run, classify, compare, and run again where noise could decide.
//!
//! Owns: the way from a `RunReport` to a run's result. Must not know: which test is next (`grading::aggregate`).

use std::sync::Arc;

use crate::domain::limits::Limits;
use crate::domain::verdict::Verdict;
use crate::grading::checker::CheckerFlags;
use crate::grading::classify::{Cause, Classified, RunFacts, classify};
use crate::grading::feedback::Points;
use crate::grading::timing;
use crate::sandbox::{Freshness, KillReason, RunReport, Stdin};

use super::custom_validator::{CustomValidator, Opinion, Question};
use super::fault::JudgeFault;
use super::interactive::converse;
use super::judgement::fresh_tag;
use super::printed::Printed;
use super::program::{BuiltProgram, Start, WorkFile};
use super::test_file::{self, TestFile};
use super::workshop::{Company, Workshop};

/// A test to run on.
#[derive(Debug, Clone, Copy)]
pub struct TestData<'a> {
    /// What the program reads.
    pub input: &'a TestFile,
    /// What is right.
    pub answer: &'a TestFile,
    /// Who says whether an output is right.
    pub checker: Checker<'a>,
    /// The program's arguments.
    pub args: &'a [String],
    /// Files beside the program.
    pub files: &'a [WorkFile],
}

/// Who says whether an output is right.
#[derive(Debug, Clone, Copy)]
pub enum Checker<'a> {
    /// The format's default output validator.
    Default(&'a CheckerFlags),
    /// The package's own.
    Custom {
        /// It.
        validator: &'a CustomValidator,
        /// The test's `output_validator_args`.
        args: &'a [String],
    },
}

/// The result of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// Its verdict.
    pub verdict: Verdict,
    /// What an accepted run is worth, when a custom validator said so.
    pub points: Option<Points>,
    /// cpu of the whole tree, milliseconds; of several passes, the most.
    pub cpu_ms: u64,
    /// Wall time, milliseconds; of several passes, the most.
    pub wall_ms: u64,
    /// Peak resident memory, bytes; of several passes, the most.
    pub memory_bytes: u64,
    /// What happened, for the author; says nothing of the test's data unless the package's validator chose to.
    pub message: String,
    /// The first difference, or the custom validator's message for judges; for those who may see the test.
    pub difference: Option<String>,
    /// Why it failed without its output being looked at.
    pub cause: Option<Cause>,
    /// How often it was run.
    pub times_run: u32,
    /// The beginning of what it printed, if it failed.
    pub printed: Option<Printed>,
    /// The beginning of what it wrote to standard error, if it failed.
    pub errors: Option<Printed>,
}

/// How far beyond the limit a run may go before it is ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Headroom {
    /// Just past what counts as near the limit.
    Judging,
    /// So far that the margin for too slow programs shows; the factor is the format's `time_limit_to_tle`.
    Measuring(f64),
}

impl Headroom {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "milliseconds of a run are far below 2^52, and the casts saturate"
    )]
    fn kill_after_ms(self, limit_ms: u64) -> u64 {
        let judging = timing::kill_after_ms(limit_ms);
        match self {
            Self::Judging => judging,
            Self::Measuring(factor) => judging.max((limit_ms as f64 * factor).ceil() as u64 + 1),
        }
    }
}

/// Runs the program on the test: each pass up to three times by the rule of `grading::timing`, and as many passes as
/// a multi-pass problem's validator asks for.
///
/// `tag` names the submission: runs of one tag may share a wiped slot.
pub fn run_test(
    workshop: &Workshop,
    program: &Arc<BuiltProgram>,
    test: TestData<'_>,
    limits: &Limits,
    headroom: Headroom,
    tag: u64,
) -> Result<RunResult, JudgeFault> {
    Runner { workshop, program, test, limits, headroom, tag, company: Company::Shared }.run()
}

/// The same while nothing else runs, for a time that decides something.
pub fn run_test_alone(
    workshop: &Workshop,
    program: &Arc<BuiltProgram>,
    test: TestData<'_>,
    limits: &Limits,
    headroom: Headroom,
) -> Result<RunResult, JudgeFault> {
    Runner { workshop, program, test, limits, headroom, tag: fresh_tag(), company: Company::Alone }.run()
}

/// What a multi-pass validator asks for: the next input, and its folder as it left it.
struct NextPass {
    input: Arc<Vec<u8>>,
    folder: Vec<WorkFile>,
}

/// What was seen of one output.
struct Graded {
    verdict: Verdict,
    points: Option<Points>,
    message: String,
    difference: Option<String>,
    cause: Option<Cause>,
    next: Option<NextPass>,
}

impl Checker<'_> {
    const fn passes(&self) -> u64 {
        match self {
            Self::Default(_) => 1,
            Self::Custom { validator, .. } => validator.passes,
        }
    }
}

/// One program on one test.
struct Runner<'a> {
    workshop: &'a Workshop,
    program: &'a Arc<BuiltProgram>,
    test: TestData<'a>,
    limits: &'a Limits,
    headroom: Headroom,
    tag: u64,
    company: Company,
}

/// Several runs of the same, and which of them counts.
struct Measured<T> {
    runs: Vec<T>,
    counted: usize,
    /// How often it was run because its time was near the limit.
    times_run: u32,
    /// Why there is more than one, for the author.
    note: Option<String>,
}

impl<T> Measured<T> {
    /// The run that counts.
    fn counted(&self) -> &T {
        &self.runs[self.counted]
    }
}

impl Runner<'_> {
    /// All passes.
    fn run(&self) -> Result<RunResult, JudgeFault> {
        let mut earlier: Option<RunResult> = None;
        let mut next: Option<NextPass> = None;
        for pass in 1.. {
            let (mut result, wanted) = self.pass(next.as_ref())?;
            if let Some(earlier) = earlier {
                // Limits hold for each pass; the longest says how near they were.
                result.cpu_ms = result.cpu_ms.max(earlier.cpu_ms);
                result.wall_ms = result.wall_ms.max(earlier.wall_ms);
                result.memory_bytes = result.memory_bytes.max(earlier.memory_bytes);
                result.times_run = result.times_run.max(earlier.times_run);
                if result.verdict != Verdict::Accepted && result.message.is_empty() {
                    result.message = format!("in pass {pass}");
                }
            }
            let Some(wanted) = wanted else { return Ok(result) };
            let most = self.test.checker.passes();
            if pass >= most {
                return Err(JudgeFault::Problem(format!(
                    "the output validator asks for pass {}; validation_passes allows {most}",
                    pass + 1
                )));
            }
            earlier = Some(result);
            next = Some(wanted);
        }
        Err(JudgeFault::Problem("the output validator never stops asking for passes".to_owned()))
    }

    /// One pass: the first reads the test's input.
    fn pass(&self, pass: Option<&NextPass>) -> Result<(RunResult, Option<NextPass>), JudgeFault> {
        if let Checker::Custom { validator, args } = self.test.checker
            && validator.interactive
        {
            return self.conversation(validator, args, pass);
        }
        let measured = self.measure(
            |freshness, company| {
                let stdin = match pass {
                    None => self.test.input.stdin()?,
                    Some(pass) => Stdin::Bytes(Arc::clone(&pass.input)),
                };
                self.program.run_in(self.workshop, self.start(stdin, freshness), company)
            },
            |report| report,
        )?;
        let report = measured.counted();
        let graded = self.grade(report, pass.map_or(&[], |pass| &pass.folder))?;
        let result = RunResult {
            verdict: graded.verdict,
            points: graded.points,
            cpu_ms: report.cpu_us / 1_000,
            wall_ms: report.wall_us / 1_000,
            memory_bytes: report.memory_bytes,
            message: noted(graded.message, measured.note.as_deref()),
            difference: graded.difference,
            cause: graded.cause,
            times_run: measured.times_run,
            printed: if graded.verdict.solved() { None } else { Some(Printed::of(&report.stdout)?) },
            errors: if graded.verdict.solved() { None } else { Some(Printed::of(&report.stderr)?) },
        };
        Ok((result, graded.next))
    }

    /// One pass of a program that talks with the validator. Near the limit the whole conversation is held again: a time
    /// counts only with the words that were said in it.
    fn conversation(
        &self,
        validator: &CustomValidator,
        args: &[String],
        pass: Option<&NextPass>,
    ) -> Result<(RunResult, Option<NextPass>), JudgeFault> {
        let TestData { input, answer, .. } = self.test;
        let question = Question { input, answer, args, folder: pass.map_or(&[], |pass| &pass.folder) };
        let measured = self.measure(
            |freshness, company| {
                let start = self.start(Stdin::Null, freshness);
                converse(self.workshop, self.program, start, validator, question, self.limits, company)
            },
            |talk| &talk.program,
        )?;
        let Measured { mut runs, counted, times_run, note } = measured;
        let talk = runs.swap_remove(counted);
        let verdict = talk.verdict();
        let report = &talk.program;
        let (cpu_ms, wall_ms, memory_bytes) = (report.cpu_us / 1_000, report.wall_us / 1_000, report.memory_bytes);
        let graded = talk.opinion.map(Graded::from);
        let (message, difference, points, next) = match (graded, &talk.cause) {
            (Some(graded), None) => (graded.message, graded.difference, graded.points, graded.next),
            (Some(graded), Some(cause)) => (cause.to_string(), graded.difference, None, None),
            (None, cause) => (cause.map(|cause| cause.to_string()).unwrap_or_default(), None, None, None),
        };
        let result = RunResult {
            verdict,
            points,
            cpu_ms,
            wall_ms,
            memory_bytes,
            message: noted(message, note.as_deref()),
            difference,
            cause: talk.cause,
            times_run,
            // What the two said to each other may tell of the test.
            printed: None,
            errors: if verdict.solved() { None } else { Some(Printed::of(&report.stderr)?) },
        };
        Ok((result, next))
    }

    /// A start with the limits that end it.
    fn start(&self, stdin: Stdin, freshness: Freshness) -> Start<'_> {
        let limits = self.limits;
        let cpu_ms = self.headroom.kill_after_ms(limits.cpu_ms);
        let wall_ms = limits.wall_ms.max(Limits::wall_for_cpu(cpu_ms));
        Start {
            arguments: self.test.args,
            stdin,
            limits: Limits { cpu_ms, wall_ms, ..*limits },
            binds: Vec::new(),
            work_files: self.test.files.to_vec(),
            collect: Vec::new(),
            freshness,
        }
    }

    /// Runs it, and again alone where its time lies near the limit, or where it may only have waited for a core.
    fn measure<T>(
        &self,
        mut run: impl FnMut(Freshness, Company) -> Result<T, JudgeFault>,
        report: impl Fn(&T) -> &RunReport,
    ) -> Result<Measured<T>, JudgeFault> {
        let mut runs = vec![run(Freshness::Wiped { tag: self.tag }, self.company)?];
        let mut times = vec![report(&runs[0]).cpu_us / 1_000];
        while timing::run_again(&times, self.limits.cpu_ms) {
            runs.push(run(Freshness::Fresh, Company::Alone)?);
            times.extend(runs.last().map(|run| report(run).cpu_us / 1_000));
        }
        if runs.len() > 1 {
            let note = format!("near the time limit, so run {} times; the median counts", runs.len());
            let times_run = u32::try_from(runs.len()).unwrap_or(u32::MAX);
            return Ok(Measured {
                counted: timing::counted_run(&times).unwrap_or(0),
                runs,
                times_run,
                note: Some(note),
            });
        }
        if self.only_waited(report(&runs[0])) {
            // It may have waited for a core that a neighbour had; alone, only its own idleness is left.
            runs.push(run(Freshness::Fresh, Company::Alone)?);
            let note = "run again alone, in case it had waited for a core".to_owned();
            return Ok(Measured { counted: 1, runs, times_run: 1, note: Some(note) });
        }
        Ok(Measured { runs, counted: 0, times_run: 1, note: None })
    }

    /// Whether the clock alone, and no work of its own, took it over a limit.
    fn only_waited(&self, report: &RunReport) -> bool {
        let over = report.killed == Some(KillReason::Wall) || report.wall_us / 1_000 > self.limits.wall_ms;
        over && report.cpu_us / 1_000 <= self.limits.cpu_ms
    }

    fn grade(&self, report: &RunReport, folder: &[WorkFile]) -> Result<Graded, JudgeFault> {
        let decided = |verdict, message, difference, cause| Graded {
            verdict,
            points: None,
            message,
            difference,
            cause,
            next: None,
        };
        if let Classified::Decided { verdict, cause } = classify(&RunFacts::from(report), self.limits) {
            return Ok(decided(verdict, cause.to_string(), None, Some(cause)));
        }
        let TestData { input, answer, checker, .. } = self.test;
        match checker {
            Checker::Default(flags) => {
                let difference = answer.differs_from(test_file::reader(&report.stdout)?, flags)?;
                let verdict = if difference.is_none() { Verdict::Accepted } else { Verdict::WrongAnswer };
                Ok(decided(verdict, String::new(), difference.map(|difference| difference.to_string()), None))
            }
            Checker::Custom { validator, args } => {
                let question = Question { input, answer, args, folder };
                Ok(validator.check(self.workshop, question, &report.stdout)?.into())
            }
        }
    }
}

/// A message with a note behind it.
fn noted(message: String, note: Option<&str>) -> String {
    match note {
        None => message,
        Some(note) if message.is_empty() => note.to_owned(),
        Some(note) => format!("{message}; {note}"),
    }
}

impl From<Opinion> for Graded {
    fn from(opinion: Opinion) -> Self {
        let Opinion { accepted, feedback, folder } = opinion;
        Self {
            verdict: if accepted { Verdict::Accepted } else { Verdict::WrongAnswer },
            points: feedback.points,
            message: feedback.team,
            difference: Some(feedback.judge).filter(|words| !words.is_empty()),
            cause: None,
            next: feedback.next_pass.map(|input| NextPass { input: Arc::new(input), folder }),
        }
    }
}
