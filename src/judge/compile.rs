//! From source files to a built program, in the sandbox.
//!
//! Owns: the compile step and its limits, and what of the compiler's words is shown. Must not know: problems, tests.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path};
use std::sync::Arc;

use crate::domain::hash::Sha256;
use crate::domain::language::LanguageId;
use crate::domain::source::SourceFile;
use crate::sandbox::{
    Bind, Captured, Collect, CollectedFile, Contents, Cores, End, Freshness, KillReason, ResourceLimits, RunReport,
    RunSpec, Stdin,
};

use super::fault::JudgeFault;
use super::java;
use super::languages::{LanguageSpec, Values, fill};
use super::precompiled::{self, Precompiled};
use super::program::{self, BuiltProgram, WorkFile};
use super::program_cache::Compiled;
use super::toolchain::Tool;
use super::workshop::{InstalledTool, Workshop};

/// cpu time of a compile step, milliseconds.
const COMPILE_CPU_MS: u64 = 10_000;
/// Wall time of a compile step, milliseconds.
const COMPILE_WALL_MS: u64 = 30_000;
/// Memory of a compile step, bytes.
const COMPILE_MEMORY: u64 = 1 << 30;
/// Files that a compile step may write, bytes.
pub(super) const COMPILE_FILES: u64 = 64 << 20;
/// What is kept of a compiler's messages, bytes.
pub const COMPILE_MESSAGES: u64 = 64 << 10;

/// The time that a compiler writes into a program that asks for it (`__TIME__`), seconds since 1970: the same source is
/// the same program, whenever it is judged.
const COMPILED_AT: &str = "0";

/// What came of building.
#[derive(Debug, Clone)]
pub enum Build {
    /// A program.
    Ready(Arc<BuiltProgram>),
    /// The compiler refused it, with these words for the author.
    Refused(String),
}

/// The environment of these compilers and interpreters: nothing of the host's.
pub(super) fn tool_environment<'a>(tools: impl IntoIterator<Item = &'a Tool>) -> Vec<(String, String)> {
    let mut env = [("PATH", "/usr/bin:/bin"), ("HOME", "/w"), ("LANG", "C.UTF-8"), ("TMPDIR", "/tmp")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
    let libraries: Vec<&str> = tools.into_iter().filter_map(|tool| tool.libraries.as_deref()).collect();
    if !libraries.is_empty() {
        env.push(("LD_LIBRARY_PATH".to_owned(), libraries.join(":")));
    }
    env
}

/// The kept bytes as text, lossily.
pub(super) fn text_of(captured: &Captured) -> String {
    let mut bytes = Vec::new();
    let mut file = &captured.file;
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.take(captured.len).read_to_end(&mut bytes));
    match read {
        Ok(_) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => String::new(),
    }
}

impl Workshop {
    /// Builds a program from its sources, or takes the one built from the same sources earlier.
    pub fn build(&self, id: &LanguageId, sources: &[SourceFile]) -> Result<Build, JudgeFault> {
        let language = self.language(id)?;
        let tools = self.tools_for(language)?;
        let job = CompileJob::new(language, &tools, sources);
        if let Some(program) = self.remembered(&job.identity) {
            return Ok(Build::Ready(program));
        }
        let build = if language.compile.is_empty() {
            let files = job.files.iter().map(|(name, contents)| kept(name, contents)).collect();
            self.finish(&job, files, String::new())?
        } else {
            self.compile_or_find(&job)?
        };
        if let Build::Ready(program) = &build {
            self.remember(job.identity, program);
        }
        Ok(build)
    }

    /// Takes the files of an earlier start's compile step, or does it. What was refused isn't kept: a limit may have been
    /// met because the machine was busy, and a mistake is found soonest of all.
    fn compile_or_find(&self, job: &CompileJob<'_>) -> Result<Build, JudgeFault> {
        let Some(cache) = &self.kept else { return self.compile(job, &mut |_| {}) };
        let key = job.key();
        if let Some(found) = cache.get(&key) {
            self.count(|builds| builds.kept += 1);
            return self.finish(job, found.files, found.words);
        }
        self.compile(job, &mut |compiled| cache.put(&key, compiled))
    }

    /// Compiles, with the header compiled beforehand where there is one; `keep` is shown what came of it.
    fn compile(&self, job: &CompileJob<'_>, keep: &mut dyn FnMut(&Compiled)) -> Result<Build, JudgeFault> {
        self.count(|builds| builds.compiled += 1);
        let header = if job.begins_with_header() { self.headers.of(self, job.language, &job.tools) } else { None };
        if let Some(header) = header {
            let report = self.run_shared(job.spec(Some(&header)))?;
            // Whatever went wrong, and whatever names the way to the header, is told by a compiler that had no part in it.
            let is_plain = report.end == End::Exited(0) && report.killed.is_none();
            if is_plain && !precompiled::shows_in(&words_of(&report)) {
                self.count(|builds| builds.with_header += 1);
                return self.compiled(job, report, keep);
            }
        }
        let report = self.run_shared(job.spec(None))?;
        self.compiled(job, report, keep)
    }

    /// From the compile step's end to a program or the compiler's refusal.
    fn compiled(
        &self,
        job: &CompileJob<'_>,
        report: RunReport,
        keep: &mut dyn FnMut(&Compiled),
    ) -> Result<Build, JudgeFault> {
        let mut words = job.clean(&words_of(&report));
        if report.stderr.truncated || report.stdout.truncated {
            words.push_str("\n(the rest of the compiler's messages was cut)");
        }
        let stopped = match report.killed {
            Some(KillReason::Cpu | KillReason::Wall) => {
                Some(format!("The compiler was stopped after {} s of work.", COMPILE_CPU_MS / 1000))
            }
            Some(KillReason::Memory) => Some(format!("The compiler used more than {} MB.", COMPILE_MEMORY >> 20)),
            Some(KillReason::Output) => Some("The compiler wrote too much.".to_owned()),
            None if report.oom_killed => Some(format!("The compiler used more than {} MB.", COMPILE_MEMORY >> 20)),
            None => None,
        };
        if let Some(sentence) = stopped {
            return Ok(Build::Refused(join_words(&sentence, &words)));
        }
        match report.end {
            End::Exited(0) => {
                let of_program = report.files.into_iter().filter(|file| job.language.keeps(&file.path));
                let compiled = Compiled { files: of_program.collect(), words };
                if compiled.files.iter().all(|file| file.contents.is_some()) {
                    keep(&compiled);
                }
                self.finish(job, compiled.files, compiled.words)
            }
            // A part of the compiler that meets a limit dies, and the rest calls it an internal error.
            End::Exited(_) if gave_up(&words) => {
                let sentence = format!(
                    "The compiler gave up. The built program may have at most {} MB, large initialised arrays included.",
                    COMPILE_FILES >> 20
                );
                Ok(Build::Refused(join_words(&sentence, &words)))
            }
            End::Exited(_) => Ok(Build::Refused(words)),
            End::Signaled(signal) => {
                Ok(Build::Refused(join_words(&format!("The compiler was ended by signal {signal}."), &words)))
            }
        }
    }

    /// Puts the kept files into a folder of their own.
    fn finish(&self, job: &CompileJob<'_>, files: Vec<CollectedFile>, words: String) -> Result<Build, JudgeFault> {
        let mut kept = Vec::new();
        for file in files.into_iter().filter(|file| job.language.keeps(&file.path)) {
            let Some(contents) = file.contents else {
                let (size, most) = (file.len >> 20, COMPILE_FILES >> 20);
                return Ok(Build::Refused(format!("The program has {size} MB; at most {most} MB are taken.")));
            };
            kept.push((file.path, contents, file.executable));
        }
        if kept.is_empty() {
            return Ok(Build::Refused(join_words("The compiler made no program.", &words)));
        }
        let mut class = String::new();
        if job.language.id.as_str() == "java" {
            let classes = kept.iter().map(|(path, contents, _)| (path.as_str(), contents.as_slice()));
            match java::main_class(classes) {
                Ok(name) => class = name,
                Err(no_main) => return Ok(Build::Refused(no_main.to_string())),
            }
        }
        let folder = tempfile::Builder::new()
            .prefix("program-")
            .tempdir_in(self.folder())
            .map_err(JudgeFault::io("make a folder for a built program"))?;
        set_mode(folder.path(), 0o755)?;
        for (path, contents, executable) in kept {
            write_program_file(folder.path(), &path, &contents, executable)?;
        }
        let files = program::files_of(folder.path()).map_err(JudgeFault::io("look at a built program"))?;
        Ok(Build::Ready(Arc::new(BuiltProgram {
            folder,
            files,
            beside: job.beside(),
            language: job.language.id.clone(),
            run: job.language.run.clone(),
            env: job.environment(),
            binds: job.tools.iter().flat_map(|tool| tool.tool.binds.clone()).collect(),
            tools: job.tools.iter().map(|tool| (tool.tool.id.clone(), tool.tool.inside_path.clone())).collect(),
            main: job.main.clone(),
            class,
            processes: job.language.processes,
            identity: job.identity,
            compiler_output: words,
        })))
    }
}

/// What a compiler said, on both of its streams.
fn words_of(report: &RunReport) -> String {
    let mut words = text_of(&report.stdout);
    words.push_str(&text_of(&report.stderr));
    words
}

/// The limits of a compile step.
pub(super) const fn compile_limits() -> ResourceLimits {
    ResourceLimits {
        cpu_ms: COMPILE_CPU_MS,
        wall_ms: COMPILE_WALL_MS,
        memory_bytes: COMPILE_MEMORY,
        stdout_bytes: COMPILE_MESSAGES,
        stderr_bytes: COMPILE_MESSAGES,
        written_bytes: COMPILE_FILES,
        processes: 256,
        open_files: 1024,
        stack_bytes: 64 << 20,
    }
}

/// Whether the compiler's words are those of one whose parts were ended by a limit.
fn gave_up(words: &str) -> bool {
    ["internal compiler error", "File size limit exceeded", "No space left on device"]
        .iter()
        .any(|sign| words.contains(sign))
}

fn join_words(sentence: &str, words: &str) -> String {
    if words.trim().is_empty() { sentence.to_owned() } else { format!("{sentence}\n\n{words}") }
}

fn kept(name: &str, contents: &[u8]) -> CollectedFile {
    CollectedFile {
        path: name.to_owned(),
        len: contents.len() as u64,
        contents: Some(contents.to_vec()),
        executable: true,
    }
}

/// Writes one file below `folder`; the path comes from the sandbox, so only plain components are taken.
pub(super) fn write_program_file(
    folder: &Path,
    path: &str,
    contents: &[u8],
    executable: bool,
) -> Result<(), JudgeFault> {
    let relative = Path::new(path);
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(JudgeFault::Data(format!("the compile step left a file with the path `{path}`")));
    }
    let doing = || JudgeFault::io("write a built program");
    let target = folder.join(relative);
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent).map_err(doing())?;
    }
    fs::write(&target, contents).map_err(doing())?;
    set_mode(&target, if executable { 0o755 } else { 0o644 })
}

pub(super) fn set_mode(path: &Path, mode: u32) -> Result<(), JudgeFault> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(JudgeFault::io("make a program readable"))
}

/// One compile step, prepared.
struct CompileJob<'a> {
    language: &'a LanguageSpec,
    tools: Vec<&'a InstalledTool>,
    /// Names chosen by us for a single file, kept for several.
    files: Vec<(String, Arc<Vec<u8>>)>,
    main: String,
    /// (name inside, the author's own name), where they differ.
    renamed: Option<(String, String)>,
    encoding: &'static str,
    identity: Sha256,
}

impl<'a> CompileJob<'a> {
    fn new(language: &'a LanguageSpec, tools: &[&'a InstalledTool], sources: &[SourceFile]) -> Self {
        let is_text = !language.compile.is_empty();
        let contents = |source: &SourceFile| {
            let bytes = source.contents();
            // A byte-order mark says nothing in UTF-8, and javac refuses it.
            let bytes = if is_text { bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes) } else { bytes };
            Arc::new(bytes.to_vec())
        };
        let is_utf8 = sources.iter().all(|source| std::str::from_utf8(source.contents()).is_ok());
        let encoding = if is_utf8 { "UTF-8" } else { "ISO-8859-1" };
        // The only source of its language may be called as it likes; what lies beside it keeps its name.
        let mut of_language = sources.iter().filter(|source| sources.len() == 1 || language.owns(source.name()));
        let only = of_language.next().filter(|_| of_language.next().is_none());
        let mut renamed = None;
        let files: Vec<(String, Arc<Vec<u8>>)> = sources
            .iter()
            .map(|source| {
                let mut name = source.name().to_owned();
                if only.is_some_and(|only| only.name() == name) {
                    let inside = name_inside(language, source.contents());
                    if inside != name && sources.iter().all(|other| other.name() != inside) {
                        renamed = Some((inside.clone(), name));
                        name = inside;
                    }
                }
                (name, contents(source))
            })
            .collect();
        let named_main = files.iter().find(|(name, _)| *name == language.main);
        let main = named_main.or(files.first()).map_or_else(|| language.main.clone(), |(name, _)| name.clone());
        let mut parts: Vec<(&str, Vec<u8>)> = vec![("language", language.id.as_str().as_bytes().to_vec())];
        for argument in language.compile.iter().chain(&language.run) {
            parts.push(("flag", argument.as_bytes().to_vec()));
        }
        for tool in tools {
            parts.push(("tool", tool.identity().as_bytes().to_vec()));
        }
        for (name, contents) in &files {
            parts.push((name, contents.to_vec()));
        }
        let identity = Sha256::of_parts(parts.iter().map(|(label, part)| (*label, part.as_slice())));
        Self { language, tools: tools.to_vec(), files, main, renamed, encoding, identity }
    }

    /// What the runs find in their working folder: nothing for a single source.
    fn beside(&self) -> Vec<WorkFile> {
        if self.files.len() < 2 {
            return Vec::new();
        }
        self.files.iter().map(|(name, contents)| (name.clone(), Contents::Bytes(Arc::clone(contents)))).collect()
    }

    fn environment(&self) -> Vec<(String, String)> {
        let mut env = tool_environment(self.tools.iter().map(|tool| &tool.tool));
        env.extend(self.language.env.iter().map(|(name, value)| (name.clone(), value.clone())));
        env
    }

    /// Digest over all that the compile step's files depend on. More than the identity, since that is of this process:
    /// libraries and the language table may be others after the next start.
    fn key(&self) -> Sha256 {
        let language = self.language;
        let mut parts: Vec<(&str, &[u8])> = vec![("identity", self.identity.as_bytes())];
        parts.extend(language.keep.iter().map(|pattern| ("keep", pattern.as_bytes())));
        for (name, text) in language.env.iter().chain(&language.files) {
            parts.extend([("name", name.as_bytes()), ("text", text.as_bytes())]);
        }
        let looks: Vec<Sha256> = self.tools.iter().map(|tool| tool.parts()).collect();
        parts.extend(looks.iter().map(|look| ("parts", look.as_bytes().as_slice())));
        Sha256::of_parts(parts)
    }

    /// Whether all sources begin with the header that the language compiles beforehand.
    fn begins_with_header(&self) -> bool {
        let Some(header) = &self.language.precompiled else { return false };
        let mut sources = self.files.iter().filter(|(name, _)| self.language.owns(name)).peekable();
        sources.peek().is_some() && sources.all(|(_, contents)| precompiled::begins_with(contents, header))
    }

    fn spec(&self, header: Option<&Precompiled>) -> RunSpec {
        let tools: Vec<(&str, &str)> =
            self.tools.iter().map(|tool| (tool.tool.id.as_str(), tool.tool.inside_path.as_str())).collect();
        let sources: Vec<&str> =
            self.files.iter().map(|(name, _)| name.as_str()).filter(|name| self.language.owns(name)).collect();
        let values =
            Values { tools: &tools, sources: &sources, other: &[("main", &self.main), ("encoding", self.encoding)] };
        let own = self.files.iter().map(|(name, contents)| (name.clone(), Contents::Bytes(Arc::clone(contents))));
        let added = self.language.files.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes().into()));
        let work_files = own.chain(added).collect();
        let mut argv = fill(&self.language.compile, &values);
        let mut binds: Vec<Bind> = self.tools.iter().flat_map(|tool| tool.tool.binds.clone()).collect();
        if let Some(header) = header {
            argv.splice(1..1, Precompiled::arguments());
            binds.push(header.bind());
        }
        let mut env = self.environment();
        env.push(("SOURCE_DATE_EPOCH".to_owned(), COMPILED_AT.to_owned()));
        RunSpec {
            argv,
            env,
            stdin: Stdin::Null,
            program_dir: None,
            binds,
            work_files,
            collect: vec![Collect { path: "**".to_owned(), max_bytes: COMPILE_FILES }],
            limits: compile_limits(),
            freshness: Freshness::Fresh,
            cores: Cores::All,
        }
    }

    /// The compiler's words with the author's file name and without the sandbox's folder.
    fn clean(&self, words: &str) -> String {
        let words = words.replace("/w/", "");
        match &self.renamed {
            Some((inside, own)) => replace_file_name(&words, inside, own),
            None => words,
        }
    }
}

/// Replaces a file name where it stands as a word of its own.
fn replace_file_name(text: &str, from: &str, to: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, found) = rest.split_at(at);
        let after = &found[from.len()..];
        let stands_alone = !before.chars().next_back().is_some_and(is_part)
            && !after.chars().next().is_some_and(|c| is_part(c) && c != '.');
        out.push_str(before);
        out.push_str(if stands_alone { to } else { from });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// What a single source is called inside: chosen by us, never by the author.
fn name_inside(language: &LanguageSpec, contents: &[u8]) -> String {
    if language.id.as_str() == "java"
        && let Some(name) = java::public_type(&String::from_utf8_lossy(contents))
    {
        return format!("{name}.java");
    }
    language.main.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_authors_file_name_stands_in_messages() {
        let text = "main.cpp:3:1: error\nxmain.cpp main.cppx In file main.cpp.";
        assert_eq!(replace_file_name(text, "main.cpp", "a.cc"), "a.cc:3:1: error\nxmain.cpp main.cppx In file a.cc.");
    }

    #[test]
    fn paths_from_the_sandbox_stay_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        for bad in ["../x", "/etc/x", "a/../../x"] {
            assert!(write_program_file(folder.path(), bad, b"", false).is_err(), "{bad}");
        }
        write_program_file(folder.path(), "a/B.class", b"x", false).unwrap();
        assert!(folder.path().join("a/B.class").exists());
    }
}
