//! The place where programs are built and run: the sandbox, the tools of this host and a memory of built programs.
//!
//! Owns: which languages this host offers, and the lock that gives a re-timed run the machine to itself. Must not
//! know: problems, tests, the database.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use crate::domain::hash::Sha256;
use crate::domain::language::{LanguageId, ShownCommand};
use crate::package::AllowedLanguages;
use crate::sandbox::{Cores, End, Freshness, PairReport, ResourceLimits, RunReport, RunSpec, Sandbox, Stdin};

use super::fault::JudgeFault;
use super::languages::{LanguageSpec, LanguageTable, ToolSpec, Values, fill};
use super::precompiled::PrecompiledHeaders;
use super::program::{BuiltProgram, Start};
use super::program_cache::ProgramCache;
use super::toolchain::{self, SearchPath, Tool};

/// How many built programs are kept for the next submission of the same source.
const KEPT_PROGRAMS: usize = 256;

/// What a workshop is made of.
#[derive(Debug)]
pub struct WorkshopConfig {
    /// The language table.
    pub table: LanguageTable,
    /// Where tools are looked for.
    pub search: SearchPath,
    /// Folder for built programs and work files; emptied by whoever owns it.
    pub folder: PathBuf,
    /// Folder in which built programs are kept from one start to the next; none: they aren't.
    pub programs: Option<PathBuf>,
}

/// How programs came to be since the workshop was opened.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Builds {
    /// Compiled.
    pub compiled: u64,
    /// Of these, with a header that had been compiled beforehand.
    pub with_header: u64,
    /// Taken from the folder of built programs.
    pub kept: u64,
}

/// Builds and runs programs.
#[derive(Debug)]
pub struct Workshop {
    sandbox: Arc<Sandbox>,
    table: LanguageTable,
    tools: HashMap<String, Result<InstalledTool, String>>,
    folder: PathBuf,
    built: Mutex<BuiltPrograms>,
    pub(super) kept: Option<ProgramCache>,
    pub(super) headers: PrecompiledHeaders,
    builds: Mutex<Builds>,
    /// Ordinary runs share it; a run that must be alone takes it whole.
    quiet: RwLock<()>,
}

/// What else may run at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Company {
    /// Whatever else this workshop runs.
    Shared,
    /// Nothing of this workshop's, so that the time measured is the program's own.
    Alone,
}

/// A tool that was found and answered.
#[derive(Debug)]
pub struct InstalledTool {
    /// Where it is.
    pub tool: Tool,
    /// What it says of its version.
    pub version: String,
    contents: OnceLock<Sha256>,
    parts: OnceLock<Sha256>,
}

impl InstalledTool {
    /// What a verdict depends on: the version's words and the program's own bytes.
    pub fn identity(&self) -> Sha256 {
        let contents = self.contents.get_or_init(|| {
            std::fs::read(&self.tool.host_path).map_or(Sha256::of(b"unreadable"), |bytes| Sha256::of(&bytes))
        });
        Sha256::of_parts([("version", self.version.as_bytes()), ("program", contents.as_bytes().as_slice())])
    }

    /// How the headers and libraries looked that go into what it makes, when they were first asked for.
    pub(super) fn parts(&self) -> Sha256 {
        *self.parts.get_or_init(|| toolchain::look_of(&self.tool.parts))
    }
}

/// A language that can be used here.
#[derive(Debug, Clone)]
pub struct OfferedLanguage {
    /// Its id.
    pub id: LanguageId,
    /// Its name.
    pub name: String,
    /// Its compiler or interpreter and that one's version, short: `g++ 12.2.0`.
    pub version: String,
    /// File name endings.
    pub extensions: Vec<String>,
    /// Endings for which it is the default.
    pub default_for: Vec<String>,
    /// What compiles or checks it, unless it is a ready program.
    pub compiler: Option<ShownCommand>,
    /// What runs it, unless it runs by itself.
    pub runner: Option<ShownCommand>,
}

impl Workshop {
    /// Looks for the tools and asks each for its version, in the sandbox.
    pub fn open(sandbox: Arc<Sandbox>, config: WorkshopConfig) -> Result<Self, JudgeFault> {
        std::fs::create_dir_all(&config.folder).map_err(JudgeFault::io("make the folder for built programs"))?;
        let mut tools = HashMap::new();
        for spec in &config.table.tools {
            // The first one that works; if none does, the reason of the best.
            let mut found = Err(format!("no {} was found", spec.names.join(" or ")));
            for (rank, tool) in toolchain::find(spec, &config.search).into_iter().enumerate() {
                match ask_version(&sandbox, &tool, &spec.version) {
                    Ok(version) => {
                        found = Ok(InstalledTool { tool, version, contents: OnceLock::new(), parts: OnceLock::new() });
                        break;
                    }
                    Err(reason) if rank == 0 => found = Err(reason),
                    Err(_) => {}
                }
            }
            tools.insert(spec.id.clone(), found);
        }
        Ok(Self {
            sandbox,
            table: config.table,
            tools,
            folder: config.folder,
            built: Mutex::default(),
            kept: config.programs.map(ProgramCache::open),
            headers: PrecompiledHeaders::default(),
            builds: Mutex::default(),
            quiet: RwLock::new(()),
        })
    }

    /// The sandbox that everything runs in.
    pub fn sandbox(&self) -> &Arc<Sandbox> {
        &self.sandbox
    }

    /// Runs two programs that talk to each other.
    pub(super) fn run_pair(
        &self,
        first: &BuiltProgram,
        one: Start<'_>,
        second: &BuiltProgram,
        other: Start<'_>,
        company: Company,
    ) -> Result<PairReport, JudgeFault> {
        let report = self.in_company(company, || self.sandbox.run_pair(first.spec(one), second.spec(other)))?;
        first.check()?;
        second.check()?;
        Ok(report)
    }

    /// Runs a step of building, beside whatever else runs.
    pub(super) fn run_shared(&self, spec: RunSpec) -> Result<RunReport, JudgeFault> {
        self.in_company(Company::Shared, || Ok(self.sandbox.run(spec)?))
    }

    /// Does something beside all else that runs, or while nothing else does.
    pub(super) fn in_company<T>(&self, company: Company, work: impl FnOnce() -> T) -> T {
        match company {
            Company::Shared => {
                let _shared = self.quiet.read();
                work()
            }
            Company::Alone => {
                let _alone = self.quiet.write();
                work()
            }
        }
    }

    /// The folder for files that live as long as a piece of work. It is made again when somebody deleted it.
    pub fn folder(&self) -> &std::path::Path {
        // A failure shows in whatever the caller does next with the folder.
        let _ = std::fs::create_dir_all(&self.folder);
        &self.folder
    }

    /// Digest over the commands with which languages compile and run: it changes whenever one does. It is only compared between
    /// processes of one version of this program.
    pub fn commands(&self) -> Sha256 {
        Sha256::of(format!("{:?}", self.table.languages).as_bytes())
    }

    /// The languages that this host can compile and run, in the table's order.
    pub fn offered(&self) -> Vec<OfferedLanguage> {
        let offered = self.table.languages.iter().filter_map(|language| {
            let tools = self.tools_for(language).ok()?;
            let version = tools.first().map(|tool| short_version(&tool.tool.id, &tool.version));
            Some(OfferedLanguage {
                id: language.id.clone(),
                name: language.name.clone(),
                version: version.unwrap_or_default(),
                extensions: language.extensions.clone(),
                default_for: language.default_for.clone(),
                compiler: self.shown(&language.compile),
                runner: self.shown(&language.run),
            })
        });
        offered.collect()
    }

    /// A command template for people; `None` where it begins with none of the tools.
    fn shown(&self, template: &[String]) -> Option<ShownCommand> {
        let name = |spec: &ToolSpec| {
            let tool = self.tools.get(&spec.id)?.as_ref().ok()?;
            Some((spec.id.clone(), tool.tool.host_path.file_name()?.to_string_lossy().into_owned()))
        };
        let names: Vec<(String, String)> = self.table.tools.iter().filter_map(name).collect();
        let first = template.first()?.strip_prefix("{tool:")?.strip_suffix('}')?;
        let spec = self.table.tools.iter().find(|spec| spec.id == first)?;
        let tools: Vec<(&str, &str)> = names.iter().map(|(id, name)| (id.as_str(), name.as_str())).collect();
        let values = Values {
            tools: &tools,
            sources: &["{files}"],
            other: &[("main", "{entry_point}"), ("class", "{entry_point}")],
        };
        let mut words = fill(template, &values).into_iter();
        let program = words.next()?;
        let arguments: Vec<String> = words.map(|word| quoted(&word)).collect();
        let version: Vec<String> = spec.version.iter().map(|word| quoted(word)).collect();
        Some(ShownCommand {
            arguments: arguments.join(" "),
            version_command: format!("{program} {}", version.join(" ")),
            program,
        })
    }

    /// Each tool of the table, and what was found or why it can't be used.
    pub fn tools(&self) -> Vec<(&ToolSpec, Result<&InstalledTool, &str>)> {
        self.table.tools.iter().map(|spec| (spec, self.tools[&spec.id].as_ref().map_err(String::as_str))).collect()
    }

    /// The table's entry for a language.
    pub fn language(&self, id: &LanguageId) -> Result<&LanguageSpec, JudgeFault> {
        self.table.get(id).ok_or_else(|| JudgeFault::NotOffered {
            language: id.to_string(),
            reason: "the language table does not have it".to_owned(),
        })
    }

    /// The default language for a file name.
    pub fn language_for_file(&self, file_name: &str) -> Option<LanguageId> {
        self.table.for_file(file_name).map(|language| language.id.clone())
    }

    /// The languages that one of the format's codes stands for: the one with this id, or all standards of it (`cpp`).
    pub fn languages_of_code(&self, code: &str) -> Vec<&LanguageSpec> {
        let is_standard = |id: &str| id.trim_end_matches(|c: char| c.is_ascii_digit()) == code;
        let exact = self.table.languages.iter().filter(|language| language.id.as_str() == code);
        let mut found: Vec<&LanguageSpec> = exact.collect();
        if found.is_empty() {
            found = self.table.languages.iter().filter(|language| is_standard(language.id.as_str())).collect();
        }
        found
    }

    /// The language that one of the format's codes means by itself: of several standards the default one.
    pub fn language_of_code(&self, code: &str) -> Option<LanguageId> {
        let standards = self.languages_of_code(code);
        let default = standards.iter().find(|language| !language.default_for.is_empty()).or(standards.last());
        default.map(|language| language.id.clone())
    }

    /// Whether a package lets this language be used.
    pub fn allows(&self, allowed: &AllowedLanguages, language: &LanguageId) -> bool {
        match allowed {
            AllowedLanguages::All => true,
            AllowedLanguages::Only(codes) => codes
                .iter()
                .any(|code| self.languages_of_code(code.as_str()).iter().any(|allowed| allowed.id == *language)),
        }
    }

    /// A tool, if it works here.
    pub(super) fn tool(&self, id: &str) -> Option<&InstalledTool> {
        self.tools.get(id)?.as_ref().ok()
    }

    /// The tools of a language, in the order of the table's `tools` list.
    pub(super) fn tools_for(&self, language: &LanguageSpec) -> Result<Vec<&InstalledTool>, JudgeFault> {
        language
            .tools
            .iter()
            .map(|id| {
                self.tools[id].as_ref().map_err(|reason| JudgeFault::NotOffered {
                    language: language.id.to_string(),
                    reason: reason.clone(),
                })
            })
            .collect()
    }

    /// How programs came to be so far.
    pub fn builds(&self) -> Builds {
        *self.builds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn count(&self, build: impl FnOnce(&mut Builds)) {
        build(&mut self.builds.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn remembered(&self, key: &Sha256) -> Option<Arc<BuiltProgram>> {
        let built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        // The cache may be deleted at any time; what is gone is built again.
        built.programs.get(key).filter(|program| program.is_whole()).cloned()
    }

    pub(super) fn remember(&self, key: Sha256, program: &Arc<BuiltProgram>) {
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        built.order.retain(|kept| *kept != key);
        built.order.push_back(key);
        built.programs.insert(key, Arc::clone(program));
        if built.order.len() > KEPT_PROGRAMS
            && let Some(oldest) = built.order.pop_front()
        {
            built.programs.remove(&oldest);
        }
    }
}

/// Programs built lately, oldest first in `order`. A program's folder goes when the last user lets go of it.
#[derive(Debug, Default)]
struct BuiltPrograms {
    programs: HashMap<Sha256, Arc<BuiltProgram>>,
    order: VecDeque<Sha256>,
}

/// The tool's id and the first word of its words that looks like a version.
fn short_version(id: &str, words: &str) -> String {
    let looks_like = |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    let mut candidates = words.split_whitespace().map(|word| word.trim_start_matches('v'));
    let Some(word) = candidates.find(looks_like) else { return id.to_owned() };
    let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
    format!("{id} {}", &word[..end])
}

fn ask_version(sandbox: &Sandbox, tool: &Tool, arguments: &[String]) -> Result<String, String> {
    let mut argv = vec![tool.inside_path.clone()];
    argv.extend(arguments.iter().cloned());
    let spec = RunSpec {
        argv,
        env: super::compile::tool_environment([tool]),
        stdin: Stdin::Null,
        program_dir: None,
        binds: tool.binds.clone(),
        work_files: Vec::new(),
        collect: Vec::new(),
        limits: ResourceLimits {
            cpu_ms: 10_000,
            wall_ms: 20_000,
            memory_bytes: 1 << 30,
            processes: 256,
            ..ResourceLimits::default()
        },
        freshness: Freshness::Fresh,
        cores: Cores::All,
    };
    let report = sandbox.run(spec).map_err(|error| format!("{} did not start: {error}", tool.host_path.display()))?;
    let mut text = super::compile::text_of(&report.stdout);
    if text.trim().is_empty() {
        text = super::compile::text_of(&report.stderr);
    }
    if report.end != End::Exited(0) || report.killed.is_some() {
        return Err(format!("{} does not tell its version: {}", tool.host_path.display(), text.trim()));
    }
    Ok(text.trim().to_owned())
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:@%{}*".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    #[rstest]
    #[case("g++", "x86_64-linux-gnu-g++-12 (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright", "g++ 12.2.0")]
    #[case("rustc", "rustc 1.95.0 (59807616e 2026-04-14)\nbinary: rustc", "rustc 1.95.0")]
    #[case("node", "v20.20.2", "node 20.20.2")]
    #[case("odd", "no version here", "odd")]
    fn versions_are_told_short(#[case] id: &str, #[case] words: &str, #[case] expected: &str) {
        assert_eq!(super::short_version(id, words), expected);
    }
}
