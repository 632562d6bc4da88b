//! One workshop for all tests of this binary, and a small problem: print the sum of two numbers.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use tempfile::TempDir;
use touchstone::domain::limits::Limits;
use touchstone::domain::source::SourceFile;
use touchstone::grading::aggregate::{AfterFailure, Rule};
use touchstone::grading::checker::CheckerFlags;
use touchstone::judge::compile::Build;
use touchstone::judge::judgement::{Judged, Request, judge};
use touchstone::judge::languages::LanguageTable;
use touchstone::judge::program::BuiltProgram;
use touchstone::judge::run_test::{Checker, Headroom, TestData};
use touchstone::judge::test_file::TestFile;
use touchstone::judge::toolchain::SearchPath;
use touchstone::judge::workshop::{Workshop, WorkshopConfig};
use touchstone::sandbox::{Sandbox, SandboxConfig};

use crate::waiting::{LOOK_EVERY, WAIT};

/// The shared workshop.
pub struct Bench {
    pub workshop: Workshop,
    tests: Vec<(TestFile, TestFile)>,
    folder: TempDir,
}

pub static BENCH: LazyLock<Bench> = LazyLock::new(|| Bench::with(LanguageTable::built_in().unwrap()));

fn open(table: LanguageTable, programs: Option<PathBuf>) -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let helper = PathBuf::from(env!("CARGO_BIN_EXE_touchstone"));
    let sandbox = Sandbox::start(SandboxConfig { slots: 2, helper, ..SandboxConfig::default() }).unwrap();
    let folder_of_work = folder.path().join("programs");
    let config = WorkshopConfig { table, search: SearchPath::from_env(), folder: folder_of_work, programs };
    let workshop = Workshop::open(Arc::new(sandbox), config).unwrap();
    let tests = [("1 2\n", "3\n"), ("3000000000 1000000000\n", "4000000000\n")]
        .iter()
        .enumerate()
        .map(|(at, (input, answer))| {
            let file = |ending: &str, text: &str| {
                TestFile::write(&folder.path().join(format!("{at}.{ending}")), text.as_bytes()).unwrap()
            };
            (file("in", input), file("ans", answer))
        })
        .collect();
    Bench { workshop, tests, folder }
}

pub fn limits() -> Limits {
    Limits { cpu_ms: 3_000, wall_ms: 10_000, memory_bytes: 512 << 20, output_bytes: 1 << 20, processes: 64 }
}

/// A test without arguments or files beside the program.
pub fn data<'a>(input: &'a TestFile, answer: &'a TestFile, checker: Checker<'a>) -> TestData<'a> {
    TestData { input, answer, checker, args: &[], files: &[] }
}

impl Bench {
    /// One that has other languages.
    pub fn with(table: LanguageTable) -> Self {
        open(table, None)
    }

    /// One that keeps built programs in this folder.
    pub fn keeping(table: LanguageTable, programs: PathBuf) -> Self {
        open(table, Some(programs))
    }

    /// Judges one file.
    pub fn judge(&self, language: &str, name: &str, source: impl Into<Vec<u8>>) -> Judged {
        self.judge_files(language, &[SourceFile::text(name, source.into()).unwrap()], limits())
    }

    /// A test file of its own.
    pub fn file(&self, contents: &[u8]) -> TestFile {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("file-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        TestFile::write(&self.folder.path().join(name), contents).unwrap()
    }

    /// Builds a program that must compile.
    pub fn build(&self, language: &str, files: &[(&str, &str)]) -> Arc<BuiltProgram> {
        let sources: Vec<SourceFile> =
            files.iter().map(|(name, text)| SourceFile::text(name, text.as_bytes().to_vec()).unwrap()).collect();
        match self.workshop.build(&language.parse().unwrap(), &sources).unwrap() {
            Build::Ready(program) => program,
            Build::Refused(words) => panic!("{words}"),
        }
    }

    /// The tests of the small problem.
    pub fn tests<'a>(&'a self, checker: Checker<'a>) -> Vec<TestData<'a>> {
        self.tests.iter().map(|(input, answer)| data(input, answer, checker)).collect()
    }

    /// Judges several files under these limits.
    pub fn judge_files(&self, language: &str, sources: &[SourceFile], limits: Limits) -> Judged {
        let flags = CheckerFlags::parse(&[]).unwrap();
        let tests = self.tests(Checker::Default(&flags));
        let request = Request {
            language: &language.parse().unwrap(),
            sources,
            limits,
            tests: &tests,
            rule: Rule::PassFail { after_failure: AfterFailure::Stop },
            headroom: Headroom::Judging,
        };
        judge(&self.workshop, &request, &mut |_, _| true).unwrap().unwrap()
    }
}

/// Blocks until it is so.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < WAIT, "{what}: it doesn't come");
        std::thread::park_timeout(LOOK_EVERY);
    }
}
