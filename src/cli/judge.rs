//! `touchstone judge`: files against a package, no server, no database.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, bail};
use serde::Serialize;

use crate::domain::language::LanguageId;
use crate::domain::source::{MAX_SOURCE_FILES, SourceFile};
use crate::domain::verdict::Verdict;
use crate::grading::aggregate::{AfterFailure, GroupResult};
use crate::judge::fault::JudgeFault;
use crate::judge::groups;
use crate::judge::judgement::{Judged, Request, judge};
use crate::judge::package_program::{run_limits, with_included};
use crate::judge::parallel;
use crate::judge::prepare::{Depth, Preparation, prepare};
use crate::judge::progress::Progress as _;
use crate::judge::run_test::Headroom;
use crate::judge::workshop::Workshop;
use crate::package::{AllowedLanguages, Package, PackageTree};

use super::progress::Bar;
use super::workshop;

/// Judge program files against a problem package, without a server or a database
///
/// Each FILE is one submission; a folder is one submission of several files. The language comes from the file name
/// ending unless it is named. Tests are made by the package's generators and answered by its primary reference. Ends
/// with 0 when all were judged, whatever the verdicts.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  touchstone judge problems/curling mine.cpp\n  touchstone judge problems/curling \
                        first.py second.py folder/ --json\n  touchstone judge problems/curling old.c --language c11")]
pub struct JudgeArgs {
    /// Folder of a problem package
    package: PathBuf,
    /// Programs to judge
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Language of all of them, for example cpp20; see `touchstone doctor` for those of this host
    #[arg(long, value_name = "ID")]
    language: Option<LanguageId>,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
    /// A language table that replaces the built-in one
    #[arg(long, value_name = "FILE")]
    languages: Option<PathBuf>,
}

/// A submission as read from disk.
pub(super) struct Candidate {
    names: Vec<String>,
    pub(super) language: LanguageId,
    pub(super) sources: Vec<SourceFile>,
}

#[derive(Debug, Serialize)]
struct Report<'a> {
    problem: &'a str,
    submissions: Vec<SubmissionReport>,
}

#[derive(Debug, Serialize)]
struct SubmissionReport {
    files: Vec<String>,
    language: LanguageId,
    verdict: Verdict,
    /// Only scoring problems have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<GroupResult>,
    cpu_ms: u64,
    memory_bytes: u64,
    message: String,
    runs: Vec<RunReport>,
}

#[derive(Debug, Serialize)]
struct RunReport {
    test: String,
    verdict: Verdict,
    cpu_ms: u64,
    wall_ms: u64,
    memory_bytes: u64,
}

pub fn run(args: &JudgeArgs) -> anyhow::Result<ExitCode> {
    let (tree, package) = workshop::read_package(&args.package)?;
    let bench = workshop::open(args.languages.as_deref())?;
    let candidates = args
        .files
        .iter()
        .map(|path| read_candidate(&bench.workshop, path, args.language.as_ref()))
        .collect::<anyhow::Result<Vec<_>>>()?;
    for candidate in &candidates {
        check_allowed(&bench.workshop, &package, candidate)?;
    }
    let candidates = candidates
        .into_iter()
        .map(|candidate| include(&tree, &package, candidate))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let bar = Bar::new(package.slug.as_str());
    let preparation = prepare(&bench.workshop, &tree, &package, Depth::PrimaryOnly, bench.threads, &bar)
        .with_context(|| format!("the package {} can't be judged with", args.package.display()))?;
    let done = AtomicUsize::new(0);
    let judged = parallel::map(bench.threads, &candidates, |_, candidate| {
        let judged = judge_candidate(&bench.workshop, &package, &preparation, candidate);
        bar.step("judging", done.fetch_add(1, Ordering::Relaxed) + 1, candidates.len());
        judged
    });
    drop(bar);
    let mut submissions = Vec::with_capacity(judged.len());
    for (candidate, judged) in candidates.iter().zip(judged) {
        submissions.push(report(candidate, &preparation, &judged?));
    }
    let report = Report { problem: package.slug.as_str(), submissions };
    print(&report, args.json)?;
    // A fault of ours is no verdict: not all were judged.
    let all_judged = report.submissions.iter().all(|submission| submission.verdict != Verdict::JudgingError);
    Ok(ExitCode::from(u8::from(!all_judged)))
}

pub(super) fn read_candidate(
    workshop: &Workshop,
    path: &Path,
    language: Option<&LanguageId>,
) -> anyhow::Result<Candidate> {
    let paths = if path.is_dir() { files_below(path)? } else { vec![path.to_owned()] };
    if paths.is_empty() {
        bail!("{} holds no files", path.display());
    }
    if paths.len() > MAX_SOURCE_FILES {
        bail!("{} holds {} files; at most {MAX_SOURCE_FILES} are taken", path.display(), paths.len());
    }
    let name_of = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let language = match language {
        Some(language) => language.clone(),
        None => paths.iter().find_map(|path| workshop.language_for_file(&name_of(path))).with_context(|| {
            format!("{}: no language has this file name ending; name one with --language", path.display())
        })?,
    };
    if !workshop.offered().iter().any(|offered| offered.id == language) {
        let offered: Vec<String> = workshop.offered().iter().map(|offered| offered.id.to_string()).collect();
        bail!("the language `{language}` is not offered on this host; it has {}", offered.join(", "));
    }
    let sources = paths
        .iter()
        .map(|path| {
            let contents = std::fs::read(path).with_context(|| format!("{} can't be read", path.display()))?;
            let is_elf = language.as_str() == "elf";
            let make = if is_elf { SourceFile::elf } else { SourceFile::text };
            Ok(make(&name_of(path), contents)?)
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    Ok(Candidate { names: paths.iter().map(|path| path.display().to_string()).collect(), language, sources })
}

/// What the package itself refuses at upload: a language, or more code than it allows.
fn check_allowed(workshop: &Workshop, package: &Package, candidate: &Candidate) -> anyhow::Result<()> {
    let names = candidate.names.join(" ");
    if let AllowedLanguages::Only(codes) = &package.languages
        && !workshop.allows(&package.languages, &candidate.language)
    {
        let codes: Vec<String> = codes.iter().map(ToString::to_string).collect();
        bail!(
            "{names}: the problem does not take the language `{}`; it takes {}",
            candidate.language,
            codes.join(", ")
        );
    }
    let bytes: usize = candidate.sources.iter().map(|source| source.contents().len()).sum();
    let most = package.limits.code_kib << 10;
    // A ready program is no code; its own limit was checked when it was read.
    if candidate.language.as_str() != "elf" && bytes as u64 > most {
        bail!("{names}: {bytes} bytes of code; the problem takes at most {most}");
    }
    Ok(())
}

/// The submission with the files that the package includes.
fn include(tree: &PackageTree, package: &Package, candidate: Candidate) -> anyhow::Result<Candidate> {
    let sources = with_included(tree, package, &candidate.language, candidate.sources).map_err(anyhow::Error::msg)?;
    Ok(Candidate { sources, ..candidate })
}

fn files_below(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn judge_candidate(
    workshop: &Workshop,
    package: &Package,
    preparation: &Preparation,
    candidate: &Candidate,
) -> anyhow::Result<Judged> {
    let tests = preparation.data();
    let request = Request {
        language: &candidate.language,
        sources: &candidate.sources,
        limits: run_limits(&package.limits, 10_000),
        tests: &tests,
        rule: groups::rule(package, AfterFailure::Stop),
        headroom: Headroom::Judging,
    };
    match judge(workshop, &request, &mut |_, _| true) {
        Ok(Some(judged)) => Ok(judged),
        Ok(None) => bail!("the judging was stopped"),
        Err(fault @ JudgeFault::NotOffered { .. }) => Err(fault.into()),
        Err(fault) => Ok(Judged {
            verdict: Verdict::JudgingError,
            built: false,
            compiler_output: String::new(),
            runs: Vec::new(),
            deciding: None,
            score: None,
            groups: Vec::new(),
            fault: Some(fault.to_string()),
        }),
    }
}

fn report(candidate: &Candidate, preparation: &Preparation, judged: &Judged) -> SubmissionReport {
    let test_name = |index: usize| preparation.tests[index].name.clone();
    let message = match (&judged.fault, judged.verdict) {
        (Some(fault), _) => fault.clone(),
        (None, Verdict::CompileError) => judged.compiler_output.clone(),
        (None, _) => judged
            .deciding_run()
            .map(|run| run.difference.clone().unwrap_or_else(|| run.message.clone()))
            .unwrap_or_default(),
    };
    SubmissionReport {
        files: candidate.names.clone(),
        language: candidate.language.clone(),
        verdict: judged.verdict,
        score: judged.score,
        groups: judged.groups.clone(),
        cpu_ms: judged.cpu_ms(),
        memory_bytes: judged.memory_bytes(),
        message,
        runs: judged
            .runs
            .iter()
            .map(|(index, run)| RunReport {
                test: test_name(*index),
                verdict: run.verdict,
                cpu_ms: run.cpu_ms,
                wall_ms: run.wall_ms,
                memory_bytes: run.memory_bytes,
            })
            .collect(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "megabytes for people")]
fn print(report: &Report<'_>, json: bool) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    if json {
        serde_json::to_writer_pretty(&mut out, report)?;
        writeln!(out)?;
        return Ok(());
    }
    let mut by_verdict: HashMap<Verdict, usize> = HashMap::new();
    for submission in &report.submissions {
        *by_verdict.entry(submission.verdict).or_default() += 1;
        write!(out, "{:<4} {}", submission.verdict, submission.files.join(" "))?;
        if submission.verdict != Verdict::CompileError && submission.verdict != Verdict::JudgingError {
            let seconds = submission.cpu_ms as f64 / 1_000.0;
            let megabytes = submission.memory_bytes as f64 / f64::from(1 << 20);
            write!(out, "  ({}, {seconds:.2} s, {megabytes:.1} MB)", submission.language)?;
        }
        if let Some(score) = submission.score {
            write!(out, "  {score} points")?;
        }
        writeln!(out)?;
        for group in submission.groups.iter().filter(|group| group.name.contains('/')) {
            if let Some(score) = group.score {
                writeln!(out, "     {}: {} {score}", group.name, group.verdict)?;
            }
        }
        if let Some(last) = submission.runs.last().filter(|_| submission.verdict != Verdict::Accepted) {
            writeln!(out, "     on test {}, {}: {}", submission.runs.len(), last.test, submission.verdict.name())?;
        }
        for line in submission.message.lines().take(40) {
            writeln!(out, "     {line}")?;
        }
    }
    if report.submissions.len() > 1 {
        let counts: Vec<String> = Verdict::ALL
            .iter()
            .filter_map(|verdict| by_verdict.get(verdict).map(|count| format!("{count} {verdict}")))
            .collect();
        writeln!(out, "{} submissions: {}", report.submissions.len(), counts.join(", "))?;
    }
    Ok(())
}
