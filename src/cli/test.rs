//! `touchstone test`: tests of a judge's problems. An answer is never given: the references make it.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};

use super::judge_data::{Acting, JudgeData};
use crate::clock;
use crate::service::incoming::Slice;
use crate::service::test_cases::NewTest;
use crate::service::test_changes::TestChange;
use crate::service::test_zip::{inputs_of_zip, is_answer, name_of_input};
use crate::service::{Actor, Service, facts};
use crate::store::{problem, test_case};

/// Work with the tests of a judge's problems
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  touchstone test list sum\n  touchstone test add sum big.in\n  touchstone test generate sum \
                  \"random_numbers 100 7\" --name random-7\n  touchstone test delete sum secret/03 --reason \"too slow to make\""
)]
pub struct TestArgs {
    #[command(subcommand)]
    command: TestCommand,
    #[command(flatten)]
    acting: Acting,
    #[command(flatten)]
    judge: JudgeData,
}

/// A test.
#[derive(Debug, clap::Args)]
struct Which {
    /// The problem's short name
    problem: String,
    /// The test's name, as the list shows it
    test: String,
    /// Why, for the log
    #[arg(long, default_value = "")]
    reason: String,
}

#[derive(Debug, clap::Subcommand)]
enum TestCommand {
    /// List the tests in force
    List {
        /// The problem's short name
        problem: String,
    },
    /// List the tests that were offered, newest first, and what became of them
    Offered {
        /// The problem's short name
        problem: String,
    },
    /// Offer tests by their inputs: files, or zips of `.in` files; all are taken or none
    Add {
        /// The problem's short name
        problem: String,
        /// Inputs, or zips of them
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Let everybody see them
        #[arg(long)]
        sample: bool,
    },
    /// Offer a test whose input a generator of the package makes
    Generate {
        /// The problem's short name
        problem: String,
        /// Generator and arguments
        command: String,
        /// The test's name; left out, one is made
        #[arg(long, default_value = "")]
        name: String,
        /// Let everybody see it
        #[arg(long)]
        sample: bool,
    },
    /// Offer another input in the place of a test
    Edit {
        #[command(flatten)]
        which: Which,
        /// The new input
        #[arg(long)]
        file: PathBuf,
    },
    /// Put a test in another place
    Move {
        #[command(flatten)]
        which: Which,
        /// Its new place, from 1
        #[arg(long)]
        place: usize,
    },
    /// Put a test in another group, e.g. secret/large
    Group {
        #[command(flatten)]
        which: Which,
        /// The group
        #[arg(long)]
        group: String,
    },
    /// Let everybody see a test
    Sample(Which),
    /// Let only setters and up see a test
    Secret(Which),
    /// Take a test out; a reason is needed
    Delete(Which),
}

pub fn run(args: TestArgs) -> anyhow::Result<ExitCode> {
    let (json, command, acting) = (args.judge.json, args.command, args.acting);
    args.judge.run(async |service| {
        let actor = acting.actor(service).await?;
        let told = act(service, &actor, command, json).await?;
        std::io::stdout().lock().write_all(told.as_bytes())?;
        Ok(ExitCode::SUCCESS)
    })
}

async fn act(service: &Service, actor: &Actor, command: TestCommand, json: bool) -> anyhow::Result<String> {
    let now = clock::now();
    match command {
        TestCommand::List { problem } => list(service, &problem, json).await,
        TestCommand::Offered { problem } => {
            let mut told = String::new();
            for one in service.proposals(actor, &problem, 1_000).await? {
                let (id, state, message) = (one.id, one.state.as_str(), one.message.as_deref().unwrap_or_default());
                let line = if json {
                    facts::proposal(&one).to_string()
                } else {
                    format!("{id:>5}  {state:<9} {}  {message}", one.name)
                };
                told.push_str(&(line + "\n"));
            }
            Ok(told)
        }
        TestCommand::Add { problem, files, sample } => add(service, actor, &problem, &files, sample).await,
        TestCommand::Generate { problem, command, name, sample } => {
            let id = service.add_generated_test(actor, &problem, &name, &command, sample, now).await?;
            Ok(format!("{problem}: test {id} is offered\n"))
        }
        TestCommand::Edit { which, file } => {
            let input = on_disk(&file)?.into();
            let version = version(service, &which.problem).await?;
            let id = service.edit_test_case(actor, &which.problem, (&which.test, version), input, now).await?;
            Ok(format!("{}: test {id} is offered in the place of {}\n", which.problem, which.test))
        }
        TestCommand::Move { which, place } => change(service, actor, &which, TestChange::Move(place)).await,
        TestCommand::Group { which, group } => change(service, actor, &which, TestChange::Group(group)).await,
        TestCommand::Sample(which) => change(service, actor, &which, TestChange::Sample(true)).await,
        TestCommand::Secret(which) => change(service, actor, &which, TestChange::Sample(false)).await,
        TestCommand::Delete(which) => change(service, actor, &which, TestChange::Delete).await,
    }
}

async fn list(service: &Service, problem: &str, json: bool) -> anyhow::Result<String> {
    let read = service.store().read();
    let found = problem::page(read, problem).await?;
    let found =
        found.with_context(|| format!("the problem `{problem}` is not there, or has no version that is ready"))?;
    let mut told = String::new();
    for test in test_case::list(read, found.test_set_id).await? {
        let line = if json {
            facts::test(&test).to_string()
        } else {
            let recipe = test.recipe.map(|recipe| format!("  {recipe}")).unwrap_or_default();
            let (name, input, answer) = (&test.name, test.input_bytes, test.answer_bytes);
            format!("{:>5}  {name:<28} {input:>10} {answer:>10} bytes{recipe}", test.ordinal)
        };
        told.push_str(&(line + "\n"));
    }
    Ok(told)
}

async fn add(
    service: &Service,
    actor: &Actor,
    problem: &str,
    files: &[PathBuf],
    sample: bool,
) -> anyhow::Result<String> {
    let mut tests = Vec::new();
    for path in files {
        let shown = path.display();
        let contents = on_disk(path)?;
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip")) {
            let inputs = inputs_of_zip(contents, &std::env::temp_dir()).await.with_context(|| shown.to_string())?;
            tests.extend(inputs.into_iter().map(|(path, input)| NewTest { name: name_of_input(&path), input, sample }));
        } else if !is_answer(&path.to_string_lossy()) {
            let name = name_of_input(&path.to_string_lossy());
            tests.push(NewTest { name, input: contents.into(), sample });
        }
    }
    match service.add_test_cases(actor, problem, tests, clock::now()).await? {
        Ok(ids) => Ok(format!("{problem}: {} tests are offered\n", ids.len())),
        Err(refused) => {
            let told: Vec<String> = refused.0.iter().map(|(name, error)| format!("{name}: {error}")).collect();
            bail!("no test was taken\n{}", told.join("\n"))
        }
    }
}

/// A file of the caller's, read when it is taken.
fn on_disk(path: &Path) -> anyhow::Result<Slice> {
    File::open(path).and_then(Slice::whole).with_context(|| format!("{} can't be read", path.display()))
}

/// The version of the tests in force; 0: none is, which the use case says better.
async fn version(service: &Service, slug: &str) -> anyhow::Result<u64> {
    let read = service.store().read();
    match problem::by_slug(read, slug).await?.and_then(|problem| problem.test_set_id) {
        Some(set) => Ok(test_case::version(read, set).await?),
        None => Ok(0),
    }
}

async fn change(service: &Service, actor: &Actor, which: &Which, change: TestChange) -> anyhow::Result<String> {
    let (problem, test) = (which.problem.as_str(), which.test.as_str());
    let version = version(service, problem).await?;
    service.change_test(actor, problem, (test, version), change, &which.reason, clock::now()).await?;
    Ok(format!("{problem}: {test} is changed\n"))
}
