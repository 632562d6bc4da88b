//! Looking for an input on which a program goes wrong, and making it small.
//!
//! Owns: the round of generator, validators, references and program. Where a program talks with its validator, or is run
//! in several passes, there is no output to compare: the validator must accept every reference, and refuse the program,
//! on the same input with an empty answer. What smaller inputs are tried is
//! `grading::shrink`'s. Must not know: terminals, where the input is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::domain::limits::Limits;
use crate::domain::verdict::Verdict;
use crate::grading::shrink::shrink;
use crate::package::{Package, PackageTree, Program, TestInput, TestKind};
use crate::sandbox::Freshness;

use super::fault::JudgeFault;
use super::package_program::run_limits;
use super::parallel;
use super::prepare::{
    Maker, NotPrepared, PreparedChecker, PreparedTest, Reference, Validator, answer_limits, generator,
};
use super::program::{BuiltProgram, Start};
use super::progress::Progress;
use super::run_test::{Headroom, run_test};
use super::test_file::TestFile;
use super::workshop::Workshop;

/// Inputs that may be invalid in a row before it is the generator's fault.
const MOST_INVALID: usize = 20;
/// The most candidates that shrinking asks about.
const SHRINK_TRIES: usize = 5_000;
/// The limit of a package without one, milliseconds.
const UNSET_LIMIT_MS: u64 = 10_000;

/// Where inputs come from: a program of `generators/` and its arguments, in which `{seed}` stands for a number.
#[derive(Debug, Clone)]
pub struct Recipe {
    program: Program,
    args: Vec<String>,
}

/// How long and from where it is searched.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// The first seed; the others follow.
    pub first_seed: u64,
    /// How long to search.
    pub search: Duration,
    /// How long to shrink what was found.
    pub shrink: Duration,
}

/// What the search came to.
#[derive(Debug)]
pub enum Found {
    /// Nothing, on so many valid inputs.
    Nothing {
        /// How many.
        inputs: usize,
    },
    /// An input on which the program goes wrong.
    Counterexample(Box<Counterexample>),
}

/// An input on which the program is wrong and the references agree.
#[derive(Debug)]
pub struct Counterexample {
    /// The generator's command that made it.
    pub command: String,
    /// How many valid inputs were tried.
    pub inputs: usize,
    /// What it gets.
    pub verdict: Verdict,
    /// Why, where more is known.
    pub message: String,
    /// The size of the input before it was made small, bytes.
    pub original_bytes: usize,
    /// The input.
    pub input: Vec<u8>,
    /// What the primary answers; `None` where nothing is compared with it.
    pub answer: Option<Vec<u8>>,
    /// What the program prints; `None` where that was said to the validator.
    pub output: Option<Vec<u8>>,
}

impl Recipe {
    /// Reads `gen args {seed}`.
    ///
    /// # Errors
    /// A sentence, when the package has no such generator.
    pub fn parse(tree: &PackageTree, command: &str) -> Result<Self, String> {
        let (program, args) = generator(tree, command)?;
        if !args.iter().any(|arg| arg.contains("{seed}")) {
            return Err(format!("`{command}` has no {{seed}}, so that it would make the same input again and again"));
        }
        Ok(Self { program, args })
    }

    /// The package's own commands, one of each generator, the first whole number among the arguments being the seed.
    pub fn of_package(package: &Package) -> Vec<Self> {
        let mut recipes: Vec<Self> = Vec::new();
        for case in package.test_cases() {
            let TestInput::Generated { program, args } = &case.input else { continue };
            let Some(seed) = args.iter().position(|arg| arg.parse::<u64>().is_ok()) else { continue };
            let mut args = args.clone();
            "{seed}".clone_into(&mut args[seed]);
            let recipe = Self { program: program.clone(), args };
            if !recipes.iter().any(|known| known.program.name == recipe.program.name && known.args == recipe.args) {
                recipes.push(recipe);
            }
        }
        recipes
    }

    fn with_seed(&self, seed: u64) -> Vec<String> {
        self.args.iter().map(|arg| arg.replace("{seed}", &seed.to_string())).collect()
    }
}

/// Runs generator, validators, references and the program until they differ, then makes the input small.
///
/// # Errors
/// [`NotPrepared::Refused`] when a generator makes invalid inputs only, a reference fails, or the references disagree;
/// the sentence then has the generator's command.
#[expect(clippy::too_many_arguments, reason = "all of it is needed once; a struct would only rename it")]
pub fn stress(
    workshop: &Workshop,
    tree: &PackageTree,
    package: &Package,
    subject: &Arc<BuiltProgram>,
    recipes: &[Recipe],
    effort: Effort,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Found, NotPrepared> {
    let folder = folder(workshop)?;
    let maker = Maker { workshop, tree, package, threads, progress: &super::progress::Silent, folder: folder.path() };
    let limits = run_limits(&package.limits, UNSET_LIMIT_MS);
    Round::new(maker, subject, limits)?.search(recipes, effort, progress)
}

/// Makes an input small on which the program is known to go wrong: every input that is tried is valid, the references
/// agree on it, and the program gets `verdict` as before. `None` when it doesn't get it any more. `goes_on` is asked
/// before each try; once it says no, what was found so far is the end.
///
/// # Errors
/// [`NotPrepared::Refused`] when a reference fails or they disagree on the input itself.
#[expect(clippy::too_many_arguments, reason = "all of it is needed once; a struct would only rename it")]
pub fn reduce(
    workshop: &Workshop,
    tree: &PackageTree,
    package: &Package,
    subject: &Arc<BuiltProgram>,
    limits: Limits,
    input: &[u8],
    verdict: Verdict,
    goes_on: &dyn Fn() -> bool,
) -> Result<Option<Counterexample>, NotPrepared> {
    let folder = folder(workshop)?;
    let silent = super::progress::Silent;
    let maker = Maker { workshop, tree, package, threads: 1, progress: &silent, folder: folder.path() };
    let round = Round::new(maker, subject, limits)?;
    match round.look(input)? {
        Shown::Wrong { verdict: got, .. } if got == verdict => {}
        _ => return Ok(None),
    }
    let found = round.shrunk(input, verdict, goes_on, &silent)?;
    Ok(Some(Counterexample { original_bytes: input.len(), inputs: 1, ..found }))
}

fn folder(workshop: &Workshop) -> Result<tempfile::TempDir, JudgeFault> {
    let made = tempfile::Builder::new().prefix("stress-").tempdir_in(workshop.folder());
    made.map_err(JudgeFault::io("make a folder for inputs"))
}

/// What a round needs, built once.
struct Round<'a> {
    maker: Maker<'a>,
    validators: Vec<Validator>,
    primary: Reference,
    others: Vec<Reference>,
    checker: PreparedChecker,
    /// The validator takes part in the run.
    talks: bool,
    subject: &'a Arc<BuiltProgram>,
    limits: Limits,
    answer_limits: Limits,
    next: AtomicUsize,
}

/// What one input showed.
enum Shown {
    /// A validator refuses it, with its words.
    Invalid(String),
    /// The program is right on it.
    Right,
    /// It is not.
    Wrong { verdict: Verdict, message: String, answer: Option<Vec<u8>> },
}

impl<'a> Round<'a> {
    fn new(maker: Maker<'a>, subject: &'a Arc<BuiltProgram>, limits: Limits) -> Result<Self, NotPrepared> {
        let own = maker.output_validator()?;
        let last = maker.package.test_cases().last();
        let args = last.map(|case| case.output_validator_args.clone()).unwrap_or_default();
        Ok(Round {
            validators: maker.validators()?,
            primary: maker.primary()?,
            others: maker.other_references()?.0,
            checker: Maker::checker("stress", own.as_ref(), &args)?,
            talks: own.is_some_and(|own| own.talks()),
            answer_limits: answer_limits(maker.package),
            next: AtomicUsize::new(0),
            limits,
            maker,
            subject,
        })
    }

    fn search(&self, recipes: &[Recipe], effort: Effort, progress: &dyn Progress) -> Result<Found, NotPrepared> {
        let begun = Instant::now();
        let (mut seed, mut inputs, mut invalid) = (effort.first_seed, 0, 0);
        while begun.elapsed() < effort.search {
            let batch: Vec<(Vec<String>, &Program)> = (0..self.maker.threads.max(1))
                .flat_map(|ahead| {
                    let seed = seed.wrapping_add(ahead as u64);
                    recipes.iter().map(move |recipe| (recipe.with_seed(seed), &recipe.program))
                })
                .collect();
            seed = seed.wrapping_add(self.maker.threads.max(1) as u64);
            let shown = parallel::map(self.maker.threads, &batch, |_, (args, program)| self.generated(program, args));
            for ((args, program), shown) in batch.iter().zip(shown) {
                let command = format!("{} {}", program.name, args.join(" "));
                let (input, shown) = shown.map_err(|fault| with_command(fault, &command))?;
                match shown {
                    Shown::Invalid(words) => {
                        invalid += 1;
                        if invalid >= MOST_INVALID && inputs == 0 {
                            let sentence = format!("`{command}` makes inputs that are not valid: {words}");
                            return Err(NotPrepared::Refused(vec![sentence]));
                        }
                    }
                    Shown::Right => inputs += 1,
                    Shown::Wrong { verdict, .. } => {
                        let shrinking = Instant::now();
                        let goes_on = || shrinking.elapsed() <= effort.shrink;
                        let found = self.shrunk(&input, verdict, &goes_on, progress)?;
                        let found =
                            Counterexample { command, inputs: inputs + 1, original_bytes: input.len(), ..found };
                        return Ok(Found::Counterexample(Box::new(found)));
                    }
                }
            }
            progress.step("searching", inputs, inputs + batch.len());
        }
        Ok(Found::Nothing { inputs })
    }

    fn generated(&self, program: &Program, args: &[String]) -> Result<(Vec<u8>, Shown), NotPrepared> {
        let report = self.maker.generate("stress", program, args)?;
        let input = bytes_of(&report.stdout)?;
        let shown = self.look(&input)?;
        Ok((input, shown))
    }

    /// One input through validators, references and program.
    fn look(&self, input: &[u8]) -> Result<Shown, NotPrepared> {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        let file = |ending: &str| self.maker.folder.join(format!("{at}.{ending}"));
        let input = TestFile::write(&file("in"), input)?;
        let shown = self.look_at(input, &file("ans"));
        // Thousands of them would fill the disk.
        for ending in ["in", "ans"] {
            let _ = std::fs::remove_file(file(ending));
        }
        shown
    }

    fn look_at(&self, input: TestFile, answer: &std::path::Path) -> Result<Shown, NotPrepared> {
        let workshop = self.maker.workshop;
        match self.maker.validate_one(&self.validators, "stress", &input) {
            Ok(()) => {}
            Err(NotPrepared::Refused(sentences)) => return Ok(Shown::Invalid(sentences.join("; "))),
            Err(fault) => return Err(fault),
        }
        let answer = if self.talks {
            TestFile::write(answer, b"")?
        } else {
            self.primary.answer(workshop, "stress", &input, &[], &[], &self.answer_limits, answer)?
        };
        let test = PreparedTest {
            name: "stress".to_owned(),
            kind: TestKind::Secret,
            input,
            answer,
            checker: self.checker.clone(),
            args: Vec::new(),
            files: Vec::new(),
            recipe: None,
        };
        self.references_are_right(&test)?;
        let result = run_test(workshop, self.subject, test.data(), &self.limits, Headroom::Judging, 0)?;
        if result.verdict == Verdict::Accepted {
            return Ok(Shown::Right);
        }
        let read = || std::fs::read(test.answer.path()).map_err(JudgeFault::io("read an answer"));
        let answer = if self.talks { None } else { Some(read()?) };
        let message = result.difference.unwrap_or(result.message);
        Ok(Shown::Wrong { verdict: result.verdict, message, answer })
    }

    /// The other references say what the primary does; where there is nothing to compare, the validator accepts all.
    fn references_are_right(&self, test: &PreparedTest) -> Result<(), NotPrepared> {
        let workshop = self.maker.workshop;
        if self.talks {
            for reference in std::iter::once(&self.primary).chain(&self.others) {
                let limits = &self.answer_limits;
                let result = run_test(workshop, &reference.program, test.data(), limits, Headroom::Judging, 0)?;
                if result.verdict != Verdict::Accepted {
                    let (name, got) = (&reference.name, result.verdict.name().to_lowercase());
                    let words = result.difference.unwrap_or(result.message);
                    return Err(NotPrepared::Refused(vec![format!("the reference {name} gets {got}: {words}")]));
                }
            }
            return Ok(());
        }
        for other in &self.others {
            let ran = other.run(workshop, test.input.stdin()?, &[], &[], &self.answer_limits)?;
            let objection = match ran {
                Ok(report) => self.checker.objection(workshop, &test.input, &test.answer, &report.stdout)?,
                Err(failure) => Some(failure),
            };
            if let Some(words) = objection {
                let (one, two) = (&self.primary.name, &other.name);
                return Err(NotPrepared::Refused(vec![format!("the references {one} and {two} disagree: {words}")]));
            }
        }
        Ok(())
    }

    /// The smallest input found that gets the same verdict.
    fn shrunk(
        &self,
        input: &[u8],
        verdict: Verdict,
        goes_on: &dyn Fn() -> bool,
        progress: &dyn Progress,
    ) -> Result<Counterexample, NotPrepared> {
        let mut tries = 0;
        let smallest = shrink(input, SHRINK_TRIES, &mut |candidate| {
            if !goes_on() {
                return Ok(false);
            }
            tries += 1;
            progress.step("shrinking", tries, SHRINK_TRIES);
            match self.look(candidate) {
                Ok(Shown::Wrong { verdict: got, .. }) => Ok(got == verdict),
                // A small input on which references or the validator itself fail shows something else.
                Ok(Shown::Right | Shown::Invalid(_))
                | Err(NotPrepared::Refused(_) | NotPrepared::Fault(JudgeFault::Problem(_))) => Ok(false),
                Err(fault @ NotPrepared::Fault(_)) => Err(fault),
            }
        })?;
        let shown = self.look(&smallest)?;
        let (Shown::Wrong { message, answer, .. }, input) = (shown, smallest) else {
            let sentence = "the program is right when it is run on the same input again".to_owned();
            return Err(NotPrepared::Refused(vec![sentence]));
        };
        let output = if self.talks { None } else { Some(self.output(&input)?) };
        let (command, original_bytes) = (String::new(), 0);
        Ok(Counterexample { command, inputs: 0, verdict, message, original_bytes, input, answer, output })
    }

    /// What the program prints for an input.
    fn output(&self, input: &[u8]) -> Result<Vec<u8>, JudgeFault> {
        let start = Start {
            arguments: &[],
            stdin: crate::sandbox::Stdin::Bytes(Arc::new(input.to_vec())),
            limits: self.limits,
            binds: Vec::new(),
            work_files: Vec::new(),
            collect: Vec::new(),
            freshness: Freshness::Fresh,
        };
        bytes_of(&self.subject.run(self.maker.workshop, start)?.stdout)
    }
}

fn bytes_of(captured: &crate::sandbox::Captured) -> Result<Vec<u8>, JudgeFault> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    super::test_file::reader(captured)?.read_to_end(&mut bytes).map_err(JudgeFault::io("read an output"))?;
    Ok(bytes)
}

fn with_command(fault: NotPrepared, command: &str) -> NotPrepared {
    match fault {
        NotPrepared::Refused(sentences) => {
            NotPrepared::Refused(sentences.into_iter().map(|sentence| format!("`{command}`: {sentence}")).collect())
        }
        // The package's validator failed, which is nobody's fault but the package's.
        NotPrepared::Fault(JudgeFault::Problem(words)) => NotPrepared::Refused(vec![format!("`{command}`: {words}")]),
        fault @ NotPrepared::Fault(_) => fault,
    }
}
