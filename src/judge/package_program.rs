//! The programs that come with a package: validators, generators, references, as built programs.

use std::sync::Arc;

use crate::domain::language::LanguageId;
use crate::domain::limits::Limits;
use crate::domain::source::SourceFile;
use crate::package::{ExampleSubmission, IncludedFiles, Package, PackageLimits, PackagePath, PackageTree};

use super::compile::Build;
use super::fault::JudgeFault;
use super::program::BuiltProgram;
use super::scripted;
use super::workshop::Workshop;

/// What came of building a program of a package.
#[derive(Debug)]
pub enum PackageBuild {
    /// It can be started.
    Ready(Arc<BuiltProgram>),
    /// The package is at fault; a sentence.
    Refused(String),
    /// This host has no tool for its language.
    NotOffered {
        /// The language.
        language: LanguageId,
        /// What is missing.
        reason: String,
    },
}

/// The language of a program, by the first of its files that has one; `entry` is asked first.
pub fn language_of(workshop: &Workshop, files: &[PackagePath], entry: &PackagePath) -> Option<LanguageId> {
    std::iter::once(entry).chain(files).find_map(|path| workshop.language_for_file(path.file_name()))
}

/// Reads a program's files from the package. A folder's files keep their own names, without sub-folders.
pub fn sources(tree: &PackageTree, files: &[PackagePath]) -> Result<Vec<SourceFile>, String> {
    files
        .iter()
        .map(|path| {
            let contents = tree.read(path).map_err(|error| error.to_string())?;
            SourceFile::text(path.file_name(), contents).map_err(|bad| format!("{path}: {bad}"))
        })
        .collect()
}

/// A submission's files with those that the package includes for its language.
pub fn with_included(
    tree: &PackageTree,
    package: &Package,
    language: &LanguageId,
    own: Vec<SourceFile>,
) -> Result<Vec<SourceFile>, String> {
    include(tree, &package.include, language, own)
}

/// A submission's files with the ones that are included for its language (format, "Included files").
///
/// An included file replaces the submission's own of the same name. A driver, which is named `main` or `__main__`, is
/// put first: it is what is started.
pub fn include(
    tree: &PackageTree,
    files: &IncludedFiles,
    language: &LanguageId,
    own: Vec<SourceFile>,
) -> Result<Vec<SourceFile>, String> {
    let mut included = Vec::new();
    for file in files.of(language.as_str()) {
        if file.name.contains('/') {
            return Err(format!("{}: included files can't lie in a folder of their own", file.path));
        }
        let contents = tree.read(&file.path).map_err(|error| error.to_string())?;
        included.push(SourceFile::text(&file.name, contents).map_err(|bad| format!("{}: {bad}", file.path))?);
    }
    let is_driver = |file: &SourceFile| {
        let stem = file.name().split('.').next().unwrap_or_default();
        stem.eq_ignore_ascii_case("main") || stem == "__main__"
    };
    let (drivers, others): (Vec<_>, Vec<_>) = included.into_iter().partition(is_driver);
    let kept = own.into_iter().filter(|own| drivers.iter().chain(&others).all(|file| file.name() != own.name()));
    let kept: Vec<SourceFile> = kept.collect();
    Ok(drivers.into_iter().chain(kept).chain(others).collect())
}

/// A program under `submissions/`: its language and its files, as they are to be built.
pub fn example(
    workshop: &Workshop,
    tree: &PackageTree,
    package: &Package,
    submission: &ExampleSubmission,
) -> Result<(LanguageId, Vec<SourceFile>), String> {
    let name = &submission.name;
    let language = match &submission.language {
        Some(code) => workshop.language_of_code(code.as_str()).ok_or_else(|| {
            format!("submissions/{name}: no known language has the code `{code}` of submissions.yaml")
        })?,
        None => language_of(workshop, &submission.files, &submission.files[0])
            .ok_or_else(|| format!("submissions/{name}: no known language has this file name ending"))?,
    };
    let mut own = sources(tree, &submission.files)?;
    if let Some(entry) = &submission.entry_point {
        let at = own.iter().position(|file| file.name() == entry || file.name().split('.').next() == Some(entry));
        match at {
            Some(at) => own[..=at].rotate_right(1),
            None => return Err(format!("submissions/{name}: it has no file for its entrypoint `{entry}`")),
        }
    }
    Ok((language.clone(), with_included(tree, package, &language, own)?))
}

/// Builds a program under `submissions/`.
pub fn build_example(
    workshop: &Workshop,
    tree: &PackageTree,
    package: &Package,
    submission: &ExampleSubmission,
) -> Result<PackageBuild, JudgeFault> {
    match example(workshop, tree, package, submission) {
        Ok((language, files)) => build_sources(workshop, language, &files, &format!("submissions/{}", submission.name)),
        Err(sentence) => Ok(PackageBuild::Refused(sentence)),
    }
}

/// Builds a program of a package that is no submission.
pub fn build(
    workshop: &Workshop,
    tree: &PackageTree,
    files: &[PackagePath],
    entry: &PackagePath,
) -> Result<PackageBuild, JudgeFault> {
    if let Some(folder) = scripted::folder_of(files, entry) {
        return Ok(match scripted::build(workshop, tree, folder, files)? {
            Build::Ready(program) => PackageBuild::Ready(program),
            Build::Refused(words) => PackageBuild::Refused(words),
        });
    }
    let Some(language) = language_of(workshop, files, entry) else {
        return Ok(PackageBuild::Refused(format!("{entry}: no known language has this file name ending")));
    };
    let mut sources = match sources(tree, files) {
        Ok(sources) => sources,
        Err(sentence) => return Ok(PackageBuild::Refused(sentence)),
    };
    // The entry leads: it is the one that is started.
    sources.sort_by_key(|source| source.name() != entry.file_name());
    build_sources(workshop, language, &sources, entry.as_str())
}

fn build_sources(
    workshop: &Workshop,
    language: LanguageId,
    sources: &[SourceFile],
    name: &str,
) -> Result<PackageBuild, JudgeFault> {
    match workshop.build(&language, sources) {
        Ok(Build::Ready(program)) => Ok(PackageBuild::Ready(program)),
        Ok(Build::Refused(words)) => Ok(PackageBuild::Refused(format!("{name} does not compile:\n{words}"))),
        Err(JudgeFault::NotOffered { language: _, reason }) => Ok(PackageBuild::NotOffered { language, reason }),
        Err(fault) => Err(fault),
    }
}

/// What a validator or generator may use: the format's `validation_*` limits.
pub fn validation_limits(limits: &PackageLimits) -> Limits {
    let cpu_ms = limits.validation_time_s * 1_000;
    Limits {
        cpu_ms,
        wall_ms: Limits::wall_for_cpu(cpu_ms),
        memory_bytes: limits.validation_memory_mib << 20,
        output_bytes: limits.validation_output_mib << 20,
        processes: 64,
    }
}

/// What a contestant's program may use on one test. `fallback_ms` stands in for a time limit that is not set yet.
pub fn run_limits(limits: &PackageLimits, fallback_ms: u64) -> Limits {
    let cpu_ms = limits.time_limit_ms.unwrap_or(fallback_ms);
    Limits {
        cpu_ms,
        wall_ms: Limits::wall_for_cpu(cpu_ms),
        memory_bytes: limits.memory_mib << 20,
        output_bytes: limits.output_mib << 20,
        processes: 64,
    }
}
