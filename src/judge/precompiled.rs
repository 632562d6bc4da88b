//! Headers compiled beforehand: a small program behind `#include <bits/stdc++.h>` takes a quarter of the time then.
//!
//! Owns: when one may be used, making it, and that it is still what was made. Must not know: programs. A program built
//! with one is the same, byte for byte, as without; `docs/adr/0012` says why that holds, and tests look.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::TempDir;

use crate::domain::language::LanguageId;
use crate::sandbox::{Bind, Collect, Cores, End, Freshness, ResourceLimits, RunSpec, Stdin};

use super::compile::{compile_limits, set_mode, tool_environment};
use super::fault::JudgeFault;
use super::languages::{LanguageSpec, Values, fill};
use super::workshop::{InstalledTool, Workshop};

/// Where it is shown to the compiler: as the first of its own folders of headers.
const SHOWN_AT: &str = "/opt/precompiled";
/// What the file that includes the header is called. Messages that tell the way to a header name it.
const WRAPPER: &str = ".precompiled.h";
/// What the compiler calls a compiled header, behind its name.
const ENDING: &str = ".gch";
/// As many programs are compiled without: who judges one or two doesn't wait for what pays later.
const PAYS_AFTER: u32 = 2;
/// How large it may be, bytes. That of C++20 has about 110 MB.
const MOST_BYTES: u64 = 512 << 20;
/// Memory for making it, bytes; it lies in memory itself meanwhile.
const MEMORY: u64 = 2 << 30;

/// A compiled header.
#[derive(Debug)]
pub(super) struct Precompiled {
    folder: TempDir,
    file: PathBuf,
    /// Device, inode, size, time of the last change: another when somebody wrote to it.
    stamp: (u64, u64, u64, i64, i64),
}

/// The compiled headers of a workshop, by language: each language has flags of its own.
#[derive(Debug, Default)]
pub(super) struct PrecompiledHeaders(Mutex<HashMap<LanguageId, State>>);

#[derive(Debug)]
enum State {
    /// So many programs would have used it.
    Missed(u32),
    /// Somebody makes it.
    InWork,
    Ready(Arc<Precompiled>),
    /// It can't be made here; nobody tries again.
    Impossible,
}

impl Precompiled {
    /// What shows it inside.
    pub(super) fn bind(&self) -> Bind {
        Bind { source: self.folder.path().to_owned(), target: SHOWN_AT.into(), exec: false }
    }

    /// What the compiler is told of it.
    pub(super) fn arguments() -> [String; 2] {
        ["-isystem".to_owned(), SHOWN_AT.to_owned()]
    }

    fn is_whole(&self) -> bool {
        stamp(&self.file).is_some_and(|now| now == self.stamp)
    }
}

/// Whether the compiler's words would be others without the compiled header.
pub(super) fn shows_in(words: &str) -> bool {
    words.contains(WRAPPER) || words.contains(SHOWN_AT)
}

fn stamp(file: &Path) -> Option<(u64, u64, u64, i64, i64)> {
    let found = fs::symlink_metadata(file).ok()?;
    Some((found.dev(), found.ino(), found.len(), found.ctime(), found.ctime_nsec()))
}

/// Whether the header is the very first thing that a source says, comments aside. What stands before it (a `#define`, a
/// `#pragma GCC optimize`) could change what it means.
pub(super) fn begins_with(source: &[u8], header: &str) -> bool {
    let mut rest = source;
    loop {
        rest = rest.trim_ascii_start();
        if let Some(comment) = rest.strip_prefix(b"//") {
            let Some(end) = comment.iter().position(|byte| *byte == b'\n') else { return false };
            // A backslash or a trigraph for one goes on with the comment in the next line.
            if comment[..end].trim_ascii_end().ends_with(b"\\") || comment[..end].trim_ascii_end().ends_with(b"??/") {
                return false;
            }
            rest = &comment[end..];
        } else if let Some(comment) = rest.strip_prefix(b"/*") {
            let Some(end) = comment.windows(2).position(|two| two == b"*/") else { return false };
            rest = &comment[end + 2..];
        } else {
            break;
        }
    }
    let directive = || {
        let name = rest.strip_prefix(b"#")?.trim_ascii_start().strip_prefix(b"include")?.trim_ascii_start();
        name.strip_prefix(b"<")?.strip_prefix(header.as_bytes())?.strip_prefix(b">")
    };
    directive().is_some_and(|behind| behind.first().is_none_or(u8::is_ascii_whitespace))
}

impl PrecompiledHeaders {
    /// The compiled header for a program of this language whose sources begin with it; nothing while there is none.
    pub(super) fn of(
        &self,
        workshop: &Workshop,
        language: &LanguageSpec,
        tools: &[&InstalledTool],
    ) -> Option<Arc<Precompiled>> {
        let header = language.precompiled.as_deref()?;
        {
            let mut states = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let state = states.entry(language.id.clone()).or_insert(State::Missed(0));
            match state {
                // The cache may be deleted at any time.
                State::Ready(ready) if ready.is_whole() => return Some(Arc::clone(ready)),
                State::Missed(times) if *times < PAYS_AFTER => {
                    *times += 1;
                    return None;
                }
                State::InWork | State::Impossible => return None,
                State::Missed(_) | State::Ready(_) => *state = State::InWork,
            }
        }
        let made = make(workshop, language, tools, header);
        let (state, ready) = match made {
            Ok(Some(made)) => {
                let made = Arc::new(made);
                (State::Ready(Arc::clone(&made)), Some(made))
            }
            Ok(None) => (State::Impossible, None),
            Err(fault) => {
                tracing::warn!(%fault, language = %language.id, "a header can't be compiled beforehand");
                (State::Missed(0), None)
            }
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(language.id.clone(), state);
        ready
    }
}

/// Compiles the header with the language's own command; `None` when the compiler can't.
fn make(
    workshop: &Workshop,
    language: &LanguageSpec,
    tools: &[&InstalledTool],
    header: &str,
) -> Result<Option<Precompiled>, JudgeFault> {
    let inside: Vec<(&str, &str)> =
        tools.iter().map(|tool| (tool.tool.id.as_str(), tool.tool.inside_path.as_str())).collect();
    let values = Values { tools: &inside, sources: &[WRAPPER], other: &[] };
    let mut argv = fill(&language.compile, &values);
    // Behind the program's name, so that it holds for the file and not for what is linked.
    let source = argv.iter().position(|argument| argument == WRAPPER);
    let Some(source) = source else { return Ok(None) };
    argv.splice(source..source, ["-x", "c++-header"].map(str::to_owned));
    let written = language.keep.first().map_or("", String::as_str);
    let limits = compile_limits();
    let spec = RunSpec {
        argv,
        env: tool_environment(tools.iter().map(|tool| &tool.tool)),
        stdin: Stdin::Null,
        program_dir: None,
        binds: tools.iter().flat_map(|tool| tool.tool.binds.clone()).collect(),
        work_files: vec![(WRAPPER.to_owned(), format!("#include <{header}>\n").into_bytes().into())],
        collect: vec![Collect { path: written.to_owned(), max_bytes: MOST_BYTES }],
        limits: ResourceLimits {
            cpu_ms: 2 * limits.cpu_ms,
            wall_ms: 2 * limits.wall_ms,
            written_bytes: MOST_BYTES,
            memory_bytes: MEMORY,
            ..limits
        },
        freshness: Freshness::Fresh,
        cores: Cores::All,
    };
    let report = workshop.run_shared(spec)?;
    let contents = report.files.into_iter().find(|file| file.path == written).and_then(|file| file.contents);
    let Some(contents) = contents.filter(|_| report.end == End::Exited(0) && report.killed.is_none()) else {
        tracing::info!(language = %language.id, header, "the compiler makes nothing of this header beforehand");
        return Ok(None);
    };
    let doing = || JudgeFault::io("keep a compiled header");
    let folder = tempfile::Builder::new().prefix("header-").tempdir_in(workshop.folder()).map_err(doing())?;
    set_mode(folder.path(), 0o755)?;
    let file = folder.path().join(format!("{header}{ENDING}"));
    if let Some(parent) = file.parent() {
        fs::create_dir_all(parent).map_err(doing())?;
        set_mode(parent, 0o755)?;
    }
    // A header that is included again is read, and must be there: it leads on to the real one.
    let beside = folder.path().join(header);
    fs::write(&beside, format!("#include_next <{header}>\n")).map_err(doing())?;
    set_mode(&beside, 0o444)?;
    fs::File::create_new(&file).and_then(|mut file| file.write_all(&contents)).map_err(doing())?;
    set_mode(&file, 0o444)?;
    let stamp = stamp(&file).ok_or_else(|| doing()(std::io::ErrorKind::NotFound.into()))?;
    Ok(Some(Precompiled { folder, file, stamp }))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    #[rstest]
    #[case("#include <bits/stdc++.h>\nint main() {}", true)]
    #[case("#include<bits/stdc++.h>", true)]
    #[case("# include\t<bits/stdc++.h>\r\nint x;", true)]
    #[case("// a #define b\n\n/* #pragma\n*/ #include <bits/stdc++.h>\n", true)]
    #[case("#include <bits/stdc++.h> // all", true)]
    #[case("#include <iostream>\n#include <bits/stdc++.h>", false)]
    #[case("#define NDEBUG\n#include <bits/stdc++.h>", false)]
    #[case("#pragma GCC optimize(\"O3\")\n#include <bits/stdc++.h>", false)]
    #[case("#ifdef X\n#include <bits/stdc++.h>\n#endif", false)]
    #[case("int a;\n#include <bits/stdc++.h>", false)]
    #[case("// \\\n#include <bits/stdc++.h>\n", false)]
    #[case("// ??/\n#include <bits/stdc++.h>\n", false)]
    #[case("/* #include <bits/stdc++.h>", false)]
    #[case("#include \"bits/stdc++.h\"\n", false)]
    #[case("#include <bits/stdc++.h>x", false)]
    #[case("#include_next <bits/stdc++.h>", false)]
    #[case("%:include <bits/stdc++.h>", false)]
    #[case("", false)]
    fn only_the_first_thing_said_counts(#[case] source: &str, #[case] expected: bool) {
        assert_eq!(super::begins_with(source.as_bytes(), "bits/stdc++.h"), expected);
    }
}
