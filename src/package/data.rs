//! Test data: files under `data/`, joined with what `generators.yaml` makes (format, "Test data").
//!
//! Owns: which file belongs to which test and in which order tests come. Must not read inputs or answers: they may be
//! large.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::fault::Findings;
use super::generators_yaml::{Generators, ListedCase};
use super::model::{
    InvalidInput, Member, OnReject, PlacedFile, PlantedOutput, SampleFiles, TestCase, TestGroup, TestInput, TestKind,
    VerdictRule,
};
use super::path::PackagePath;
use super::test_config::{self, Scope, TestConfig};
use super::tree::PackageTree;
use super::yaml;

/// All that `data/` holds.
#[derive(Debug)]
pub(crate) struct TestData {
    pub(crate) cases: Vec<TestCase>,
    pub(crate) root: TestGroup,
    pub(crate) invalid_inputs: Vec<InvalidInput>,
    pub(crate) planted_outputs: Vec<PlantedOutput>,
}

const ROOTS: [&str; 5] = ["sample", "secret", "invalid_input", "invalid_output", "valid_output"];

/// Endings of a test's files, longer ones first.
const ENDINGS: [&str; 13] = [
    ".in.statement",
    ".ans.statement",
    ".in.download",
    ".ans.download",
    ".interaction",
    ".in",
    ".ans",
    ".out",
    ".yaml",
    ".png",
    ".jpeg",
    ".jpg",
    ".svg",
];

/// The files of one test by ending, and those in its `.files` folder.
#[derive(Debug, Default)]
struct CaseFiles {
    by_ending: BTreeMap<&'static str, PackagePath>,
    files: Vec<PlacedFile>,
}

impl CaseFiles {
    fn get(&self, ending: &str) -> Option<PackagePath> {
        self.by_ending.get(ending).cloned()
    }
}

/// Reads everything under `data/`.
pub(crate) fn read(tree: &PackageTree, generators: Generators, findings: &mut Findings) -> io::Result<TestData> {
    let mut reader = Reader { tree, findings, cases: BTreeMap::new(), configs: BTreeMap::new() };
    reader.sort_files()?;
    let has_solution = generators.solution.is_some();
    let mut listed: BTreeMap<String, ListedCase> = BTreeMap::new();
    for case in generators.cases {
        reader.cases.entry(case.name.clone()).or_default();
        listed.insert(case.name.clone(), case);
    }
    let mut data = TestData {
        cases: Vec::new(),
        root: group("data", Vec::new()),
        invalid_inputs: Vec::new(),
        planted_outputs: Vec::new(),
    };
    let mut groups: BTreeMap<String, Vec<TestCase>> = BTreeMap::new();
    for (name, files) in std::mem::take(&mut reader.cases) {
        let made = listed.remove(&name);
        let own = reader.own_config(&files)?;
        let Some(input) = reader.input(&name, &files, made.as_ref()) else { continue };
        match name.split('/').next() {
            Some("invalid_input") => data.invalid_inputs.push(reader.invalid_input(name, input, &files, made, own)),
            Some("invalid_output" | "valid_output") => data.planted_outputs.extend(reader.planted(name, &files, own)),
            _ => {
                let case = reader.case(name, input, files, made, own);
                if case.answer.is_none() && !has_solution && matches!(case.input, TestInput::File(_)) {
                    let sentence = "there is no .ans file; the primary reference makes the answer";
                    reader.findings.warn(format!("data/{}", case.name), None, sentence);
                }
                groups.entry(group_of(&case.name).to_owned()).or_default().push(case);
            }
        }
    }
    reader.check_groups(&groups);
    let mut secret = Vec::new();
    for (name, cases) in groups {
        let members = (data.cases.len()..).take(cases.len()).map(Member::Case).collect();
        data.cases.extend(cases);
        if name == "sample" {
            data.root.members.push(Member::Group(group("sample", members)));
        } else if name == "secret" {
            secret.extend(members);
        } else {
            secret.push(Member::Group(group(&name, members)));
        }
    }
    data.root.members.push(Member::Group(group("secret", secret)));
    Ok(data)
}

/// A group of a pass-fail problem.
fn group(name: &str, members: Vec<Member>) -> TestGroup {
    TestGroup {
        name: name.to_owned(),
        members,
        verdict: VerdictRule::FirstError,
        accept_if_any_accepted: false,
        ignore_sample: false,
        on_reject: OnReject::Break,
        require_pass: Vec::new(),
        score: None,
    }
}

/// The group of a test: `sample`, `secret`, or the folder directly below `secret`.
fn group_of(name: &str) -> &str {
    let mut slashes = name.match_indices('/').map(|(at, _)| at);
    let (first, second) = (slashes.next(), slashes.next());
    let end = match (name.starts_with("secret/"), second) {
        (true, Some(second)) => Some(second),
        _ => first,
    };
    end.and_then(|end| name.get(..end)).unwrap_or(name)
}

struct Reader<'a> {
    tree: &'a PackageTree,
    findings: &'a mut Findings,
    /// By the test's name: the path below `data/` without ending.
    cases: BTreeMap<String, CaseFiles>,
    /// By folder below `data/`.
    configs: BTreeMap<String, TestConfig>,
}

impl Reader<'_> {
    /// Finds out to which test each file belongs.
    fn sort_files(&mut self) -> io::Result<()> {
        for path in self.tree.below("data") {
            let Some(rest) = path.below("data") else { continue };
            let root = rest.split('/').next().unwrap_or_default();
            if !ROOTS.contains(&root) || root == rest {
                let sentence = format!("only folders belong into data/: {}", ROOTS.join(", "));
                self.findings.fault(path, None, sentence);
                continue;
            }
            if let Some((name, inside)) = rest.split_once(".files/") {
                let file = PlacedFile { name: inside.to_owned(), path: path.clone() };
                self.cases.entry(name.to_owned()).or_default().files.push(file);
                continue;
            }
            if path.file_name() == "test_group.yaml" {
                self.group_config(path, rest)?;
                continue;
            }
            let ending = ENDINGS
                .into_iter()
                .find(|ending| rest.strip_suffix(ending).is_some_and(|name| !name.is_empty() && !name.ends_with('/')));
            let Some(ending) = ending else {
                let sentence = match path.extension() {
                    Some("hint" | "desc") => "format 2025-09 has no such file; write it into the test's .yaml",
                    _ => "it belongs to no test; remove it, or give it an ending of the format (.in, .ans, .yaml, ...)",
                };
                self.findings.fault(path, None, sentence);
                continue;
            };
            let name = rest.strip_suffix(ending).unwrap_or(rest);
            self.cases.entry(name.to_owned()).or_default().by_ending.insert(ending, path.clone());
        }
        Ok(())
    }

    fn group_config(&mut self, path: &PackagePath, rest: &str) -> io::Result<()> {
        let folder = rest.strip_suffix("/test_group.yaml").unwrap_or_default();
        let depth = folder.split('/').count();
        if depth > 2 || (depth == 2 && !folder.starts_with("secret/")) {
            self.findings.fault(path, None, "a test_group.yaml may lie only in a folder of data/ or of data/secret/");
            return Ok(());
        }
        if let Some(node) = yaml::read(self.tree, path, self.findings)? {
            let config = test_config::read(path.as_str(), node, Scope::Group, self.findings);
            self.configs.insert(folder.to_owned(), config);
        }
        Ok(())
    }

    fn own_config(&mut self, files: &CaseFiles) -> io::Result<TestConfig> {
        let Some(path) = files.get(".yaml") else { return Ok(TestConfig::default()) };
        let node = yaml::read(self.tree, &path, self.findings)?;
        Ok(node.map(|node| test_config::read(path.as_str(), node, Scope::Case, self.findings)).unwrap_or_default())
    }

    /// The settings of a test: its own, else its group's, else those of the folder around.
    fn merged(&self, name: &str, own: TestConfig) -> TestConfig {
        let group = group_of(name);
        let root = name.split('/').next().unwrap_or_default();
        [group, root].into_iter().fold(own, |own, folder| match self.configs.get(folder) {
            None => own,
            Some(outer) => TestConfig {
                args: own.args.or_else(|| outer.args.clone()),
                input_validator_args: own.input_validator_args.or_else(|| outer.input_validator_args.clone()),
                output_validator_args: own.output_validator_args.or_else(|| outer.output_validator_args.clone()),
                full_feedback: own.full_feedback.or(outer.full_feedback),
                ..own
            },
        })
    }

    /// Where a test's input comes from; `None` after noting that there is none.
    fn input(&mut self, name: &str, files: &CaseFiles, made: Option<&ListedCase>) -> Option<TestInput> {
        let committed = files.get(".in");
        let generated = made.and_then(|case| case.input.clone());
        match (committed, generated, made) {
            (Some(path), Some(_), _) => {
                let sentence = "the committed file is used; generators.yaml makes this test too, which is not run";
                self.findings.warn(&path, None, sentence);
                Some(TestInput::File(path))
            }
            (Some(path), None, _) => Some(TestInput::File(path)),
            (None, Some(input), _) => Some(input),
            (None, None, Some(case)) => {
                let sentence = format!("the test `{name}` has no command, and there is no file data/{name}.in");
                self.findings.fault(super::generators_yaml::FILE, Some(case.line), sentence);
                None
            }
            (None, None, None) => {
                let path = files.by_ending.values().chain(files.files.iter().map(|file| &file.path)).next();
                let path = path.map_or_else(|| format!("data/{name}"), ToString::to_string);
                self.findings.fault(path, None, format!("it belongs to no test: there is no file data/{name}.in"));
                None
            }
        }
    }

    fn case(
        &mut self,
        name: String,
        input: TestInput,
        files: CaseFiles,
        made: Option<ListedCase>,
        own: TestConfig,
    ) -> TestCase {
        let kind = if name.starts_with("sample/") { TestKind::Sample } else { TestKind::Secret };
        let config = self.merged(&name, own);
        let (copied_answer, description, hint) =
            made.map(|case| (case.answer, case.description, case.hint)).unwrap_or_default();
        let mut pictures = [".png", ".jpg", ".jpeg", ".svg"].into_iter().filter_map(|ending| files.get(ending));
        let illustration = pictures.next();
        if let Some(second) = pictures.next() {
            self.findings.fault(second, None, format!("the test {name} has more than one picture; keep one"));
        }
        if files.get(".out").is_some() && files.get(".ans.statement").is_some() {
            self.findings.fault(format!("data/{name}.out"), None, "there can't be both .out and .ans.statement");
        }
        TestCase {
            kind,
            input,
            answer: files.get(".ans").or(copied_answer),
            args: config.args.unwrap_or_default(),
            input_validator_args: config.input_validator_args.unwrap_or_default(),
            output_validator_args: config.output_validator_args.unwrap_or_default(),
            output_visualizer_args: Vec::new(),
            full_feedback: config.full_feedback.unwrap_or(kind == TestKind::Sample),
            description: config.description.or(description),
            hint: config.hint.or(hint),
            illustration,
            sample_files: SampleFiles {
                input_statement: files.get(".in.statement"),
                answer_statement: files.get(".ans.statement"),
                output: files.get(".out"),
                input_download: files.get(".in.download"),
                answer_download: files.get(".ans.download"),
                interaction: files.get(".interaction"),
            },
            files: files.files,
            name,
        }
    }

    fn invalid_input(
        &mut self,
        name: String,
        input: TestInput,
        files: &CaseFiles,
        made: Option<ListedCase>,
        own: TestConfig,
    ) -> InvalidInput {
        if let Some(answer) = files.get(".ans") {
            self.findings.fault(answer, None, "an invalid input has no answer; remove it");
        }
        let config = self.merged(&name, own);
        InvalidInput {
            input,
            input_validator_args: config.input_validator_args.unwrap_or_default(),
            description: config.description.or_else(|| made.and_then(|case| case.description)),
            name,
        }
    }

    fn planted(&mut self, name: String, files: &CaseFiles, own: TestConfig) -> Option<PlantedOutput> {
        let mut need = |ending: &str| {
            let file = files.get(ending);
            if file.is_none() {
                self.findings.fault(format!("data/{name}"), None, format!("the file data/{name}{ending} is missing"));
            }
            file
        };
        let (input, answer, output) = (need(".in"), need(".ans"), need(".out"));
        let config = self.merged(&name, own);
        Some(PlantedOutput {
            valid: name.starts_with("valid_output/"),
            input: input?,
            answer: answer?,
            output: output?,
            input_validator_args: config.input_validator_args.unwrap_or_default(),
            output_validator_args: config.output_validator_args.unwrap_or_default(),
            description: config.description,
            name,
        })
    }

    fn check_groups(&mut self, groups: &BTreeMap<String, Vec<TestCase>>) {
        let names: BTreeSet<&str> = groups.keys().map(String::as_str).collect();
        if !names.iter().any(|name| name.starts_with("secret")) {
            self.findings.fault("data/secret", None, "there is no secret test; at least one is needed");
        }
        if !names.contains("sample") {
            let sentence = "there is no sample; contestants will see no example of input and output";
            self.findings.warn("data/sample", None, sentence);
        }
        if names.contains("secret") && names.iter().any(|name| name.starts_with("secret/")) {
            let sentence = "it has both tests and groups of tests; move the tests into a group";
            self.findings.fault("data/secret", None, sentence);
        }
        let cases: BTreeSet<&str> = groups.values().flatten().map(|case| case.name.as_str()).collect();
        for name in &cases {
            let place = format!("data/{name}");
            if name.starts_with("sample/") && name.matches('/').count() > 1 {
                self.findings.fault(&place, None, "data/sample must not have folders in it");
            }
            // `secret/group1/huge.in` and `secret/group1/huge/` may not both exist.
            let inside = format!("{name}/");
            if cases.range(inside.as_str()..).next().is_some_and(|other| other.starts_with(&inside)) {
                self.findings.fault(&place, None, "a folder has the same name as this test; rename one of them");
            }
            if name.ends_with("/test_group") {
                self.findings.fault(&place, None, "a test can't be called test_group");
            }
        }
    }
}
