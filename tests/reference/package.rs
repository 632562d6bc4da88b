//! A problem package on disk: its programs built and run, its tests generated, and the claims it makes checked.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

const VALID: i32 = 42;
const INVALID: i32 = 43;

/// A package, and a folder for what is built from it, deleted with this value.
pub struct Package {
    root: PathBuf,
    scratch: TempDir,
}

/// A program, ready to be run.
pub struct Program {
    name: String,
    command: Vec<String>,
}

/// One test of the package; `answer` is there for the samples.
struct TestCase {
    name: String,
    input: PathBuf,
    answer: Option<PathBuf>,
}

impl Package {
    pub fn open(slug: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems").join(slug);
        assert!(root.join("problem.yaml").is_file(), "there is no package at {}", root.display());
        Self { root, scratch: TempDir::new().unwrap() }
    }

    pub fn scratch_file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.scratch.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// The programs in `submissions/<folder>`, by name.
    pub fn programs(&self, folder: &str) -> Vec<PathBuf> {
        files(&self.root.join("submissions").join(folder))
    }

    /// Compiles the program if its language needs it and it hasn't been done.
    pub fn build(&self, source: &Path) -> Program {
        let stem = source.file_stem().unwrap().to_str().unwrap();
        let kind = source.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let target = self.scratch.path().join(format!("{kind}-{stem}"));
        let (source_text, target_text) = (source.to_str().unwrap(), target.to_str().unwrap());
        let compile = |command: &[&str]| {
            if !target.exists() {
                compile(command);
            }
        };
        let command: Vec<&str> = match source.extension().and_then(|extension| extension.to_str()) {
            Some("rs") => {
                compile(&["rustc", "--edition", "2021", "-O", "-o", target_text, source_text]);
                vec![target_text]
            }
            Some("c") => {
                compile(&["gcc", "-std=gnu17", "-O2", "-o", target_text, source_text, "-lm"]);
                vec![target_text]
            }
            Some("cpp") => {
                compile(&["g++", "-std=gnu++17", "-O2", "-o", target_text, source_text]);
                vec![target_text]
            }
            Some("java") => {
                compile(&["javac", "-encoding", "UTF-8", "-d", target_text, source_text]);
                vec!["java", "-Xss64m", "-cp", target_text, stem]
            }
            Some("js") => vec!["node", source_text],
            Some("py") => vec!["python3", source_text],
            other => panic!("{} is in no language that is known here: {other:?}", source.display()),
        };
        Program { name: format!("{kind}/{stem}"), command: command.into_iter().map(String::from).collect() }
    }

    /// The validator accepts all tests and refuses the planted bad inputs, the references agree on every test, the
    /// samples' answers are theirs, and each wrong program gives a wrong answer somewhere.
    pub fn assert_tests_are_sound(&self) {
        let validator = self.validator();
        let primary = self.build(&self.primary());
        let tests = self.tests();
        let answers: Vec<String> = tests.iter().map(|test| normal(&primary.output(&test.input))).collect();
        for (test, answer) in tests.iter().zip(&answers) {
            let (code, complaint) = validator.exit_code(&test.input);
            assert_eq!(code, Some(VALID), "the validator refuses {}: {complaint}", test.name);
            if let Some(shown) = &test.answer {
                let shown = normal(&std::fs::read(shown).unwrap());
                assert_eq!(&shown, answer, "the answer shown for {} is not the reference's", test.name);
            }
        }

        for input in files(&self.root.join("data/invalid_input")) {
            if input.extension().is_some_and(|extension| extension == "in") {
                assert_complaint(&validator, &input);
            }
        }

        for source in self.programs("accepted") {
            let program = self.build(&source);
            for (test, answer) in tests.iter().zip(&answers) {
                assert!(normal(&program.output(&test.input)) == *answer, "{} errs on {}", program.name, test.name);
            }
        }

        for source in self.programs("wrong_answer") {
            let program = self.build(&source);
            let caught =
                tests.iter().zip(&answers).any(|(test, answer)| normal(&program.output(&test.input)) != *answer);
            assert!(caught, "no test of the package catches {}", program.name);
        }
    }

    /// The validator refuses this text.
    pub fn assert_refused(&self, name: &str, input: &str) {
        assert_complaint(&self.validator(), &self.scratch_file(name, input.as_bytes()));
    }

    fn validator(&self) -> Program {
        let sources = files(&self.root.join("input_validators"));
        assert_eq!(sources.len(), 1, "one input validator is expected");
        self.build(&sources[0])
    }

    fn recipe(&self) -> String {
        std::fs::read_to_string(self.root.join("generators/generators.yaml")).unwrap()
    }

    fn primary(&self) -> PathBuf {
        let recipe = self.recipe();
        let path = recipe.lines().find_map(|line| line.strip_prefix("solution: /")).unwrap();
        self.root.join(path)
    }

    /// Samples, committed tests and generated tests.
    fn tests(&self) -> Vec<TestCase> {
        let mut tests = Vec::new();
        for group in ["sample", "secret"] {
            for input in files(&self.root.join("data").join(group)) {
                if input.extension().is_some_and(|extension| extension == "in") {
                    let answer = Some(input.with_extension("ans")).filter(|path| path.is_file());
                    assert_eq!(answer.is_some(), group == "sample", "only samples have answers: {}", input.display());
                    tests.push(TestCase { name: input.display().to_string(), input, answer });
                }
            }
        }
        for line in self.recipe().lines() {
            let Some((name, command)) = line.trim().strip_prefix("- '").and_then(|rest| rest.split_once("': ")) else {
                continue;
            };
            let mut words = command.split(' ');
            let generator = self.build(&self.root.join("generators").join(format!("{}.rs", words.next().unwrap())));
            let output = Command::new(&generator.command[0]).args(words).output().unwrap();
            assert!(output.status.success(), "the generator of {name} failed: {}", output.status);
            let input = self.scratch_file(&format!("{name}.in"), &output.stdout);
            tests.push(TestCase { name: name.into(), input, answer: None });
        }
        tests
    }
}

impl Program {
    /// What it prints for this input; it must end well.
    pub fn output(&self, input: &Path) -> Vec<u8> {
        let output = self.start(input);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{} ended with {} on {}: {complaint}",
            self.name,
            output.status,
            input.display()
        );
        output.stdout
    }

    fn exit_code(&self, input: &Path) -> (Option<i32>, String) {
        let output = self.start(input);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    fn start(&self, input: &Path) -> std::process::Output {
        let (program, arguments) = self.command.split_first().unwrap();
        Command::new(program)
            .args(arguments)
            .stdin(File::open(input).unwrap())
            .stderr(Stdio::piped())
            .output()
            .unwrap_or_else(|error| panic!("{program} can't be started, is it installed? {error}"))
    }
}

fn assert_complaint(validator: &Program, input: &Path) {
    let (code, complaint) = validator.exit_code(input);
    assert_eq!(code, Some(INVALID), "the validator lets {} pass", input.display());
    assert!(complaint.starts_with("line "), "the complaint about {} names no line: {complaint}", input.display());
}

fn compile(command: &[&str]) {
    let output = Command::new(command[0])
        .args(&command[1..])
        .output()
        .unwrap_or_else(|error| panic!("{} can't be started, is it installed? {error}", command[0]));
    assert!(output.status.success(), "{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The files of a folder by name; none if there is no such folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The words, as the default output validator sees them.
fn normal(output: &[u8]) -> String {
    String::from_utf8_lossy(output).split_ascii_whitespace().collect::<Vec<_>>().join("\n")
}
