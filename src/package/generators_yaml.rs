//! `generators/generators.yaml`: which tests are made instead of committed.
//!
//! The format leaves this to tools; this is a strict small part of what `BAPCtools` reads: `solution`, `version`,
//! `random_salt`, and `data` with `sample`, `secret` and `invalid_input`, whose tests are commands, `generate`, `copy`,
//! `in`, or nothing for a committed file. `{seed}` in a command is the same number as there, so that tests are too.
//! Whatever else is written there is refused by name.

use std::collections::{BTreeMap, BTreeSet};

use super::fault::Findings;
use super::fields::Fields;
use super::model::{Program, TestInput};
use super::path::{PackagePath, is_format_name};
use super::programs;
use super::seed;
use super::tree::PackageTree;
use super::yaml::{self, Entry, Node, Value};

/// Where the file lies.
pub(crate) const FILE: &str = "generators/generators.yaml";

/// The most tests a file may list.
const MAX_CASES: usize = 10_000;

/// What the file says.
#[derive(Debug, Default)]
pub(crate) struct Generators {
    /// The reference that makes the answers.
    pub(crate) solution: Option<(PackagePath, usize)>,
    /// The tests it names.
    pub(crate) cases: Vec<ListedCase>,
}

/// A test that the file names.
#[derive(Debug)]
pub(crate) struct ListedCase {
    /// Path below `data/`: `secret/02-tiny`.
    pub(crate) name: String,
    pub(crate) line: usize,
    /// What makes its input; `None`: it is committed.
    pub(crate) input: Option<TestInput>,
    /// An answer that is copied with the input.
    pub(crate) answer: Option<PackagePath>,
    pub(crate) description: Option<String>,
    pub(crate) hint: Option<String>,
}

/// Reads the file, if there is one.
pub(crate) fn read(tree: &PackageTree, findings: &mut Findings) -> std::io::Result<Generators> {
    let programs = programs::children(tree, "generators");
    let mut reader = Reader { tree, findings, cases: Vec::new(), names: BTreeSet::new(), programs };
    let Some(path) = tree.find(FILE) else { return Ok(Generators::default()) };
    let Some(node) = yaml::read(tree, path, reader.findings)? else { return Ok(Generators::default()) };
    let solution = reader.root(node);
    Ok(Generators { solution, cases: reader.cases })
}

/// What a test of a list is called: its number, padded to so many digits, before the name that it has in the list.
pub(super) fn numbered_name(index: usize, width: usize, key: &str) -> String {
    let number = format!("{:0width$}", index + 1);
    if key.is_empty() { number } else { format!("{number}-{key}") }
}

struct Reader<'a> {
    tree: &'a PackageTree,
    findings: &'a mut Findings,
    cases: Vec<ListedCase>,
    names: BTreeSet<String>,
    /// Files of each program in `generators/`.
    programs: BTreeMap<String, Vec<PackagePath>>,
}

impl Reader<'_> {
    fn fault(&mut self, line: usize, sentence: impl Into<String>) {
        self.findings.fault(FILE, Some(line), sentence);
    }

    fn root(&mut self, node: Node) -> Option<(PackagePath, usize)> {
        let mut fields = Fields::of(FILE, "", node, self.findings);
        let solution = fields.take("solution");
        let _ = fields.text("version", self.findings);
        let salt = fields.text("random_salt", self.findings).unwrap_or_default();
        let data = fields.take("data");
        fields.finish(self.findings);
        if let Some(data) = data {
            let mut fields = Fields::of(FILE, "data.", data.node, self.findings);
            let roots = ["sample", "secret", "invalid_input"].map(|root| (root, fields.take(root)));
            fields.finish(self.findings);
            for (root, entry) in roots {
                if let Some(entry) = entry {
                    self.folder(root, entry.node, &salt, root == "secret");
                }
            }
        }
        solution.and_then(|entry| self.solution(&entry))
    }

    fn solution(&mut self, entry: &Entry) -> Option<(PackagePath, usize)> {
        let text = entry.node.as_text().unwrap_or_default();
        let path = text.strip_prefix('/').and_then(|text| text.parse().ok());
        if path.is_none() {
            let sentence = "`solution` must be a path from the package's root, as in /submissions/accepted/solve.rs";
            self.fault(entry.line, sentence);
        }
        path.map(|path| (path, entry.line))
    }

    /// A folder of tests: a map with `data`.
    fn folder(&mut self, name: &str, node: Node, salt: &str, may_have_groups: bool) {
        let line = node.line;
        let mut fields = Fields::of(FILE, "data.", node, self.findings);
        let own_salt = fields.text("random_salt", self.findings);
        let salt = own_salt.as_deref().unwrap_or(salt);
        let data = fields.take("data");
        fields.finish(self.findings);
        match data.map(|entry| entry.node.value) {
            None => self.fault(line, format!("`{name}` needs `data` with its tests")),
            Some(Value::Map(entries)) => {
                for entry in entries {
                    self.member(name, entry, salt, may_have_groups);
                }
            }
            Some(Value::List(items)) => self.numbered(name, items, salt),
            Some(_) => self.fault(line, format!("the `data` of `{name}` must be a map or a list of tests")),
        }
    }

    /// A list of tests: `BAPCtools` puts each one's number, padded with zeros, before its name.
    fn numbered(&mut self, folder: &str, items: Vec<Node>, salt: &str) {
        let width = items.len().to_string().len();
        for (index, item) in items.into_iter().enumerate() {
            let line = item.line;
            let entries = match item.value {
                Value::Map(entries) if entries.len() == 1 => entries,
                _ => {
                    self.fault(line, "each item of a list of tests must be a map with one test: `- name: command`");
                    continue;
                }
            };
            for mut entry in entries {
                let name = numbered_name(index, width, &entry.key);
                if entry.key.starts_with(|c: char| c.is_ascii_digit()) {
                    let sentence = format!(
                        "a list numbers its tests, so this one is called `{name}`; write a map (without the `-`) to keep `{}`",
                        entry.key
                    );
                    self.findings.warn(FILE, Some(line), sentence);
                }
                entry.key = name;
                self.member(folder, entry, salt, false);
            }
        }
    }

    /// A test, or a group of tests.
    fn member(&mut self, folder: &str, entry: Entry, salt: &str, may_be_group: bool) {
        let Entry { key, line, node } = entry;
        if !is_format_name(&key) {
            let sentence = format!("`{key}` can't be a test's name; take letters, digits, `_`, `-` and `.`");
            return self.fault(line, sentence);
        }
        let name = format!("{folder}/{key}");
        let is_group = matches!(&node.value, Value::Map(entries) if entries.iter().any(|entry| entry.key == "data"));
        if is_group && may_be_group {
            return self.folder(&name, node, salt, false);
        }
        if !self.names.insert(name.clone()) {
            return self.fault(line, format!("the test `{name}` is there twice"));
        }
        if self.names.len() > MAX_CASES {
            if self.names.len() == MAX_CASES + 1 {
                self.fault(line, format!("there are more than {MAX_CASES} tests"));
            }
            return;
        }
        let mut case = ListedCase { name, line, input: None, answer: None, description: None, hint: None };
        let complete = match node.value {
            Value::Null => true,
            Value::Plain(command) | Value::Text(command) => self.command(&mut case, &command, salt),
            Value::Map(_) => self.details(&mut case, node, salt),
            Value::List(_) => {
                self.fault(line, format!("the test `{}` must be a command or a map, not a list", case.name));
                false
            }
        };
        if complete {
            self.cases.push(case);
        }
    }

    /// The long form of a test. Whether it could be understood.
    fn details(&mut self, case: &mut ListedCase, node: Node, salt: &str) -> bool {
        let mut fields = Fields::of(FILE, "test.", node, self.findings);
        let own_salt = fields.text("random_salt", self.findings);
        let salt = own_salt.as_deref().unwrap_or(salt);
        let generate = fields.text("generate", self.findings);
        let copy = fields.text("copy", self.findings);
        let inline = fields.text("in", self.findings);
        case.description = fields.text("desc", self.findings);
        case.hint = fields.text("hint", self.findings);
        let answer = fields.take("ans");
        fields.finish(self.findings);
        if let Some(answer) = answer {
            self.fault(answer.line, "answers aren't written down here: the reference solutions make them");
        }
        match (generate, copy, inline) {
            (Some(command), None, None) => self.command(case, &command, salt),
            (None, Some(path), None) => self.copy(case, &path),
            (None, None, Some(text)) => {
                // BAPCtools ends the text with a line feed, which every text file of a package must have.
                let ended = text.is_empty() || text.ends_with('\n');
                case.input = Some(TestInput::Inline(if ended { text } else { text + "\n" }));
                true
            }
            _ => {
                let sentence = format!("the test `{}` needs exactly one of `generate`, `copy` and `in`", case.name);
                self.fault(case.line, sentence);
                false
            }
        }
    }

    fn copy(&mut self, case: &mut ListedCase, path: &str) -> bool {
        let Some(input) = self.tree.find(&format!("generators/{path}.in")) else {
            self.fault(case.line, format!("there is no file generators/{path}.in to copy"));
            return false;
        };
        case.input = Some(TestInput::File(input.clone()));
        case.answer = self.tree.find(&format!("generators/{path}.ans")).cloned();
        true
    }

    fn command(&mut self, case: &mut ListedCase, command: &str, salt: &str) -> bool {
        let command = command.trim();
        let with_seed = match seed::fill(command, salt) {
            Ok(with_seed) => with_seed,
            Err(sentence) => {
                self.fault(case.line, format!("`{command}`: {sentence}"));
                return false;
            }
        };
        let mut words = with_seed.split_ascii_whitespace().map(str::to_owned);
        let Some(name) = words.next() else {
            self.fault(case.line, format!("the test `{}` has an empty command", case.name));
            return false;
        };
        match self.generator(&name) {
            Ok(program) => {
                case.input = Some(TestInput::Generated { program, args: words.collect() });
                true
            }
            Err(sentence) => {
                self.fault(case.line, sentence);
                false
            }
        }
    }

    /// The program with this name in `generators/`: `gen`, `gen.rs`, or the folder `gen/`.
    fn generator(&self, name: &str) -> Result<Program, String> {
        let mut found = Vec::new();
        for (child, files) in &self.programs {
            let stem = child.rsplit_once('.').map_or(child.as_str(), |(stem, _)| stem);
            if (child == name || stem == name) && child != "generators.yaml" {
                found.extend(programs::program(child, files.clone()).map(|program| (child, program)));
            }
        }
        match found.len() {
            0 => Err(format!("there is no generator generators/{name}, with or without an extension")),
            1 => Ok(found.remove(0).1),
            _ => match found.iter().position(|(child, _)| *child == name) {
                Some(exact) => Ok(found.swap_remove(exact).1),
                None => Err(format!("there are several generators called `{name}`; write the extension too")),
            },
        }
    }
}
