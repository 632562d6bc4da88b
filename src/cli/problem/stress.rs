//! `touchstone problem stress`: a small input on which a program goes wrong.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::json;

use crate::cli::judge::read_candidate;
use crate::cli::progress::Bar;
use crate::cli::workshop;
use crate::domain::language::LanguageId;
use crate::grading::checker::Excerpt;
use crate::judge::compile::Build;
use crate::judge::package_program::with_included;
use crate::judge::stress::{Counterexample, Effort, Found, Recipe, stress};

/// The most of an input or an output that is printed, bytes.
const SHOWN: usize = 2_000;

/// Search for a small input on which a program goes wrong
///
/// Runs generator, validators, references and the program over and over. What is found loses lines and tokens, kept
/// valid by the validators, for as long as the program gets the same verdict. Ends with 1 if something was found, with 0
/// if nothing was, and with 2 if it could not be searched.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: touchstone problem stress problems/curling mine.cpp --generator 'random_boards {seed} 4'"
)]
pub struct StressArgs {
    /// Folder of a problem package
    package: PathBuf,
    /// The program: a file, or a folder of them
    file: PathBuf,
    /// A generator and its arguments, with {seed} for a number; without it the package's own commands with their first
    /// whole number as the seed
    #[arg(long, value_name = "COMMAND")]
    generator: Vec<String>,
    /// How long to search; shrinking then takes as long again at most
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Keep the input as the test data/secret/NAME.in, with the references' answer
    #[arg(long, value_name = "NAME")]
    keep: Option<String>,
    /// Language of the program, for example cpp20
    #[arg(long, value_name = "ID")]
    language: Option<LanguageId>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// A language table that replaces the built-in one
    #[arg(long, value_name = "FILE")]
    languages: Option<PathBuf>,
}

pub fn run(args: &StressArgs) -> anyhow::Result<ExitCode> {
    let (tree, package) = workshop::read_package(&args.package)?;
    let kept = args.keep.as_deref().map(|name| kept_path(args, name)).transpose()?;
    let recipes = if args.generator.is_empty() {
        Recipe::of_package(&package)
    } else {
        let parse = |command: &String| Recipe::parse(&tree, command).map_err(anyhow::Error::msg);
        args.generator.iter().map(parse).collect::<anyhow::Result<Vec<_>>>()?
    };
    if recipes.is_empty() {
        bail!("no test of {} is generated with a number; name a generator with --generator", package.slug);
    }
    let bench = workshop::open(args.languages.as_deref())?;
    let candidate = read_candidate(&bench.workshop, &args.file, args.language.as_ref())?;
    let sources = with_included(&tree, &package, &candidate.language, candidate.sources).map_err(anyhow::Error::msg)?;
    let subject = match bench.workshop.build(&candidate.language, &sources)? {
        Build::Ready(subject) => subject,
        Build::Refused(words) => bail!("{} does not compile:\n{words}", args.file.display()),
    };
    let time = Duration::from_secs(args.seconds);
    let effort = Effort { first_seed: args.seed, search: time, shrink: time };
    let bar = Bar::new(package.slug.as_str());
    let found = stress(&bench.workshop, &tree, &package, &subject, &recipes, effort, bench.threads, &bar)?;
    drop(bar);
    if let (Some(path), Found::Counterexample(found)) = (&kept, &found) {
        let answer = path.with_extension("ans");
        for (path, contents) in [(path, found.input.as_slice()), (&answer, found.answer.as_deref().unwrap_or_default())]
        {
            std::fs::write(path, contents).with_context(|| format!("{} can't be written", path.display()))?;
        }
    }
    print(args, &found, kept.as_ref())?;
    Ok(ExitCode::from(u8::from(matches!(found, Found::Counterexample(_)))))
}

/// Where the input is kept. Asked first, so that no search is for nothing.
fn kept_path(args: &StressArgs, name: &str) -> anyhow::Result<PathBuf> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let begins_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !begins_well || !name.chars().all(fits) {
        bail!("`{name}` can't be a test's name: take letters, digits, `_`, `-` and `.`");
    }
    if !args.package.is_dir() {
        bail!("{} is not a folder, so no input can be kept in it", args.package.display());
    }
    let folder = args.package.join("data/secret");
    let path = folder.join(format!("{name}.in"));
    for taken in [path.clone(), path.with_extension("ans")] {
        if taken.exists() {
            bail!("{} is there already; take another name", taken.display());
        }
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("{} can't be made", folder.display()))?;
    Ok(path)
}

fn print(args: &StressArgs, found: &Found, kept: Option<&PathBuf>) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let found = match found {
        Found::Nothing { inputs } if args.json => {
            writeln!(out, "{}", json!({ "found": false, "inputs": inputs }))?;
            return Ok(());
        }
        Found::Nothing { inputs } => {
            writeln!(out, "no difference on {inputs} inputs")?;
            return Ok(());
        }
        Found::Counterexample(found) => found,
    };
    let Counterexample { command, inputs, verdict, message, original_bytes, input, answer, output } = &**found;
    if args.json {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let report = json!({
            "found": true, "inputs": inputs, "command": command, "verdict": verdict, "message": message,
            "original_bytes": original_bytes, "input": text(input), "answer": answer.as_deref().map(text),
            "output": output.as_deref().map(text),
            "kept": kept.map(|path| path.display().to_string()),
        });
        writeln!(out, "{report:#}")?;
        return Ok(());
    }
    let bytes = input.len();
    writeln!(out, "{} ({verdict}) after {inputs} inputs, by `{command}`: {message}", verdict.name())?;
    let parts = [
        (format!("input, {bytes} bytes made from {original_bytes}"), Some(input)),
        ("answer of the references".to_owned(), answer.as_ref()),
        ("output of the program".to_owned(), output.as_ref()),
    ];
    for (title, bytes) in parts.into_iter().filter_map(|(title, bytes)| Some((title, bytes?))) {
        let shown = &bytes[..bytes.len().min(SHOWN)];
        let excerpt = Excerpt { bytes: shown.to_vec(), cut_before: false, cut_after: shown.len() < bytes.len() };
        let text = excerpt.to_lines();
        writeln!(out, "--- {title}\n{}", text.trim_end_matches('\n'))?;
    }
    if let Some(path) = kept {
        writeln!(out, "--- kept as {}, with its answer", path.display())?;
    }
    Ok(())
}
