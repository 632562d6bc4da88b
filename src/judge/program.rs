//! A built program: a folder and how to start it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use tempfile::TempDir;

use crate::domain::hash::Sha256;
use crate::domain::language::LanguageId;
use crate::domain::limits::Limits;
use crate::sandbox::{Bind, Collect, Contents, Cores, End, Freshness, ResourceLimits, RunReport, RunSpec, Stdin};

use super::fault::JudgeFault;
use super::languages::{Values, fill};
use super::workshop::{Company, Workshop};

/// What is kept of a program's standard error, bytes.
const STDERR_BYTES: u64 = 64 << 10;

/// A program that can be started.
#[derive(Debug)]
pub struct BuiltProgram {
    pub(super) folder: TempDir,
    /// What was put into the folder: paths in it and sizes.
    pub(super) files: Vec<(PathBuf, u64)>,
    /// The sources of a program that has several, copied into each run's `/w`: what the author or the package put beside
    /// the program is opened by its name alone (format, "Included files").
    pub(super) beside: Vec<WorkFile>,
    /// Its language.
    pub language: LanguageId,
    pub(super) run: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) binds: Vec<Bind>,
    pub(super) tools: Vec<(String, String)>,
    pub(super) main: String,
    pub(super) class: String,
    pub(super) processes: u64,
    /// Everything that the program depends on: source, compiler, flags.
    pub identity: Sha256,
    /// What the compiler said, if anything.
    pub compiler_output: String,
}

/// A file put into a program's working folder: its name and contents.
pub type WorkFile = (String, Contents);

/// One start of a built program.
#[derive(Debug)]
pub struct Start<'a> {
    /// Arguments behind the program's own.
    pub arguments: &'a [String],
    /// Standard input.
    pub stdin: Stdin,
    /// Limits.
    pub limits: Limits,
    /// More read-only files or folders.
    pub binds: Vec<Bind>,
    /// Files put into `/w` first; plain names. They replace the program's own of the same name.
    pub work_files: Vec<WorkFile>,
    /// Files to read back from `/w`.
    pub collect: Vec<Collect>,
    /// Slot.
    pub freshness: Freshness,
}

impl BuiltProgram {
    /// The folder that is shown as `/box`.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs it once, beside whatever else runs.
    pub fn run(self: &Arc<Self>, workshop: &Workshop, start: Start<'_>) -> Result<RunReport, JudgeFault> {
        self.run_in(workshop, start, Company::Shared)
    }

    /// Runs it once in this company.
    pub fn run_in(
        self: &Arc<Self>,
        workshop: &Workshop,
        start: Start<'_>,
        company: Company,
    ) -> Result<RunReport, JudgeFault> {
        let report = workshop.in_company(company, || workshop.sandbox().run(self.spec(start)))?;
        if report.end != End::Exited(0) {
            self.check()?;
        }
        Ok(report)
    }

    /// Whether its files are there as they were built: the cache may be deleted at any time.
    pub(super) fn is_whole(&self) -> bool {
        files_of(self.folder.path()).is_ok_and(|found| found == self.files)
    }

    /// A program that lost its files while it was started did not fail by itself.
    pub(super) fn check(&self) -> Result<(), JudgeFault> {
        if self.is_whole() {
            return Ok(());
        }
        Err(JudgeFault::Data("the built program's files were taken away while it ran".to_owned()))
    }

    pub(super) fn spec(&self, start: Start<'_>) -> RunSpec {
        let memory_mb = (start.limits.memory_bytes >> 20).max(16);
        // Java and Node reserve address space for it, not memory: a quarter of the limit is in proportion, and 1 GiB
        // is the most that java takes.
        let stack_mb = (memory_mb / 4).clamp(8, 1024);
        let tools: Vec<(&str, &str)> = self.tools.iter().map(|(id, path)| (id.as_str(), path.as_str())).collect();
        let mut argv = fill(
            &self.run,
            &Values {
                tools: &tools,
                sources: &[],
                other: &[
                    ("main", &self.main),
                    ("class", &self.class),
                    ("memory_mb", &memory_mb.to_string()),
                    ("stack_mb", &stack_mb.to_string()),
                ],
            },
        );
        argv.extend(start.arguments.iter().cloned());
        let mut work_files = start.work_files;
        for (name, contents) in &self.beside {
            // A test's own file of the same name wins (format, "Input").
            if !work_files.iter().any(|(taken, _)| taken == name) {
                work_files.push((name.clone(), contents.clone()));
            }
        }
        // What is put there takes nothing from what it may write.
        let brought: u64 = work_files.iter().map(|(_, contents)| contents.len()).sum();
        let mut binds = self.binds.clone();
        binds.extend(start.binds);
        RunSpec {
            argv,
            env: self.env.clone(),
            stdin: start.stdin,
            program_dir: Some(PathBuf::from(self.folder.path())),
            binds,
            work_files,
            collect: start.collect,
            limits: ResourceLimits {
                cpu_ms: start.limits.cpu_ms,
                wall_ms: start.limits.wall_ms,
                memory_bytes: start.limits.memory_bytes,
                stdout_bytes: start.limits.output_bytes,
                stderr_bytes: STDERR_BYTES,
                written_bytes: start.limits.output_bytes.saturating_add(brought),
                processes: start.limits.processes + self.processes,
                open_files: 256,
                stack_bytes: start.limits.memory_bytes,
            },
            freshness: start.freshness,
            cores: Cores::OfSlot,
        }
    }
}

/// The files below a folder with their sizes, in order of their paths.
pub(super) fn files_of(folder: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(inside) = open.pop() {
        for entry in fs::read_dir(folder.join(&inside))? {
            let entry = entry?;
            let path = inside.join(entry.file_name());
            let about = entry.metadata()?;
            if about.is_dir() { open.push(path) } else { found.push((path, about.len())) }
        }
    }
    found.sort_unstable();
    Ok(found)
}
