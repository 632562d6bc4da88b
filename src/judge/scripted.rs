//! Programs of a package that say themselves how they are built and started (format, "Other programs"): a folder with
//! a script `build`, a program `run`, or both.
//!
//! Owns: the build step, with every tool of the language table that such a script may count on, and the environment of
//! both. Must not know what the program is for.

use std::path::Path;

use crate::domain::hash::Sha256;
use crate::package::{PackagePath, PackageTree};
use crate::sandbox::{Bind, Collect, CollectedFile, Cores, End, Freshness, KillReason, RunSpec, Stdin};

use super::compile::{self, Build, COMPILE_MESSAGES};
use super::fault::JudgeFault;
use super::program::{self, BuiltProgram};
use super::workshop::{InstalledTool, Workshop};

/// The script that builds.
const BUILD: &str = "build";
/// What is started.
const RUN: &str = "run";
/// "Scripts may assume that a Python 3 interpreter, C compiler, and C++ compiler are available on the system search path".
const TOOLS: [&str; 3] = ["gcc", "g++", "python3"];
/// Where the package's files lie for the build step, which gets a copy of them.
const COPY: &str = "cp -R /box/. /w/ && cd /w && exec ./build";
/// What such a program is called where a language is named.
const LANGUAGE: &str = "script";
/// Processes that the scripts themselves may need.
const PROCESSES: u64 = 64;

/// The program's folder, if a `build` or `run` in it says how the program is made.
pub(super) fn folder_of<'a>(files: &[PackagePath], entry: &'a PackagePath) -> Option<&'a str> {
    let folder = entry.parent().filter(|_| matches!(entry.file_name(), BUILD | RUN))?;
    files.iter().all(|file| file.below(folder).is_some()).then_some(folder)
}

/// A file of the program: its path in the program's folder and its contents.
type Part = (String, Vec<u8>);

/// Builds the program whose files lie in `folder` of the package.
///
/// # Errors
/// A fault of ours. What the package did wrong is a [`Build::Refused`].
pub(super) fn build(
    workshop: &Workshop,
    tree: &PackageTree,
    folder: &str,
    files: &[PackagePath],
) -> Result<Build, JudgeFault> {
    let mut parts: Vec<Part> = Vec::with_capacity(files.len());
    for file in files {
        let contents = tree.read(file).map_err(|error| JudgeFault::Data(error.to_string()))?;
        parts.push((file.below(folder).unwrap_or(file.file_name()).to_owned(), contents));
    }
    let tools: Vec<&InstalledTool> = TOOLS.iter().filter_map(|id| workshop.tool(id)).collect();
    let mut identity: Vec<(&str, Vec<u8>)> = vec![("language", LANGUAGE.as_bytes().to_vec())];
    identity.extend(tools.iter().map(|tool| ("tool", tool.identity().as_bytes().to_vec())));
    identity.extend(parts.iter().map(|(name, contents)| (name.as_str(), contents.clone())));
    let identity = Sha256::of_parts(identity.iter().map(|(label, part)| (*label, part.as_slice())));
    if let Some(program) = workshop.remembered(&identity) {
        return Ok(Build::Ready(program));
    }
    let step = Step { workshop, tools, identity };
    let brought = step.folder("scripts-")?;
    for (name, contents) in &parts {
        // Which files may be executed is easily lost on the way; that these two may is what they are for.
        compile::write_program_file(brought.path(), name, contents, matches!(name.as_str(), BUILD | RUN))?;
    }
    if !parts.iter().any(|(name, _)| name == BUILD) {
        return step.finish(brought, String::new());
    }
    step.run_build(brought.path(), folder)
}

/// What one build needs.
struct Step<'a> {
    workshop: &'a Workshop,
    tools: Vec<&'a InstalledTool>,
    identity: Sha256,
}

impl Step<'_> {
    fn folder(&self, prefix: &str) -> Result<tempfile::TempDir, JudgeFault> {
        let folder = tempfile::Builder::new()
            .prefix(prefix)
            .tempdir_in(self.workshop.folder())
            .map_err(JudgeFault::io("make a folder for a program"))?;
        compile::set_mode(folder.path(), 0o755)?;
        Ok(folder)
    }

    /// The environment of both scripts: the tools come first on the search path.
    fn environment(&self) -> Vec<(String, String)> {
        let mut env = compile::tool_environment(self.tools.iter().map(|tool| &tool.tool));
        let folders = self.tools.iter().filter_map(|tool| tool.tool.inside_path.rsplit_once('/'));
        let mut path: Vec<&str> = folders.map(|(folder, _)| folder).chain(["/usr/bin", "/bin"]).collect();
        let mut seen = std::collections::BTreeSet::new();
        path.retain(|folder| seen.insert(*folder));
        let path = path.join(":");
        for (name, value) in &mut env {
            if name == "PATH" {
                value.clone_from(&path);
            }
        }
        env
    }

    fn binds(&self) -> Vec<Bind> {
        let mut binds: Vec<Bind> = Vec::new();
        for bind in self.tools.iter().flat_map(|tool| &tool.tool.binds) {
            if !binds.contains(bind) {
                binds.push(bind.clone());
            }
        }
        binds
    }

    fn run_build(&self, brought: &Path, folder: &str) -> Result<Build, JudgeFault> {
        let spec = RunSpec {
            argv: ["/bin/sh", "-c", COPY].map(str::to_owned).to_vec(),
            env: self.environment(),
            stdin: Stdin::Null,
            program_dir: Some(brought.to_owned()),
            binds: self.binds(),
            work_files: Vec::new(),
            collect: vec![Collect { path: "**".to_owned(), max_bytes: compile::COMPILE_FILES }],
            limits: compile::compile_limits(),
            freshness: Freshness::Fresh,
            cores: Cores::All,
        };
        let report = self.workshop.run_shared(spec)?;
        let mut words = compile::text_of(&report.stdout);
        words.push_str(&compile::text_of(&report.stderr));
        let words: String = words.chars().take(usize::try_from(COMPILE_MESSAGES).unwrap_or(usize::MAX)).collect();
        let failed = |how: &str| Ok(Build::Refused(format!("{folder}/{BUILD} {how}\n{}", words.trim_end())));
        match (report.killed, report.end) {
            (Some(KillReason::Cpu | KillReason::Wall), _) => return failed("takes too long"),
            (Some(KillReason::Memory), _) => return failed("needs too much memory"),
            (Some(KillReason::Output), _) => return failed("writes too much"),
            (None, End::Exited(0)) => {}
            (None, End::Exited(code)) => return failed(&format!("ends with exit code {code}")),
            (None, End::Signaled(signal)) => return failed(&format!("is ended by signal {signal}")),
        }
        match report.files.iter().find(|file| file.path == RUN) {
            None => return failed(&format!("made no `{RUN}`")),
            Some(run) if !run.executable => return failed(&format!("made a `{RUN}` that may not be executed")),
            Some(_) => {}
        }
        let built = self.folder("program-")?;
        for CollectedFile { path, contents, executable, len } in report.files {
            let Some(contents) = contents else {
                return failed(&format!(
                    "made `{path}` with {} MB; all files may have {} MB",
                    len >> 20,
                    compile::COMPILE_FILES >> 20
                ));
            };
            compile::write_program_file(built.path(), &path, &contents, executable)?;
        }
        self.finish(built, words)
    }

    fn finish(&self, folder: tempfile::TempDir, words: String) -> Result<Build, JudgeFault> {
        let language = LANGUAGE.parse().map_err(|_| JudgeFault::Data(format!("`{LANGUAGE}` is no language id")))?;
        let files = program::files_of(folder.path()).map_err(JudgeFault::io("look at a built program"))?;
        let program = BuiltProgram {
            folder,
            files,
            beside: Vec::new(),
            language,
            run: vec![format!("/box/{RUN}")],
            env: self.environment(),
            binds: self.binds(),
            tools: Vec::new(),
            main: String::new(),
            class: String::new(),
            processes: PROCESSES,
            identity: self.identity,
            compiler_output: words,
        };
        let program = std::sync::Arc::new(program);
        self.workshop.remember(self.identity, &program);
        Ok(Build::Ready(program))
    }
}
