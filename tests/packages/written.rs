//! Packages written out in tests: a small one of each format, and changes to it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use touchstone::package::{Package, PackageError, PackageTree, Warning};

/// Files by name.
#[derive(Debug, Clone, Default)]
pub struct Written(pub BTreeMap<String, Vec<u8>>);

impl Written {
    /// A small package of format `legacy`, with a statement in TeX.
    pub fn legacy() -> Self {
        Self::default()
            .with("problem.yaml", "author: Ada Example and Bo Example, Cy Example\nlimits:\n  memory: 512\n")
            .with("problem_statement/problem.tex", "\\problemname{Sum}\nAdd.\n")
            .with("input_validators/numbers.py", "")
            .with("submissions/accepted/sum.py", "")
            .with("submissions/accepted/sum.c", "")
            .with("data/sample/1.in", "1 2\n")
            .with("data/sample/1.ans", "3\n")
            .with("data/secret/1.in", "1 2\n")
            .with("data/secret/1.ans", "3\n")
    }

    /// A small package of a later format.
    pub fn modern(format: &str) -> Self {
        let yaml = format!(
            "problem_format_version: {format}\nname: Sum\nuuid: 5b8e1c1e-0f5e-4f6e-9c39-5e3d7a4f6b11\nlicense: unknown\n"
        );
        Self::legacy()
            .with("problem.yaml", &yaml)
            .without("problem_statement/")
            .with("statement/problem.en.md", "Add.\n")
    }

    /// One file more, or another text in it.
    pub fn with(mut self, name: &str, text: &str) -> Self {
        self.0.insert(name.to_owned(), text.as_bytes().to_vec());
        self
    }

    /// More text at a file's end.
    pub fn adding(mut self, name: &str, text: &str) -> Self {
        self.0.entry(name.to_owned()).or_default().extend(text.bytes());
        self
    }

    /// A test with an input and an answer.
    pub fn test(self, name: &str) -> Self {
        self.with(&format!("data/{name}.in"), "1 2\n").with(&format!("data/{name}.ans"), "3\n")
    }

    /// No files whose names begin so.
    pub fn without(mut self, prefix: &str) -> Self {
        self.0.retain(|name, _| !name.starts_with(prefix));
        self
    }

    pub fn tree(&self) -> PackageTree {
        let files = self.0.iter().map(|(name, bytes)| (name.clone(), Cow::Owned(bytes.clone())));
        PackageTree::from_files(files).unwrap()
    }

    pub fn try_read(&self) -> Result<(Package, Vec<Warning>), PackageError> {
        Package::read(&self.tree(), &"sum".parse().unwrap())
    }

    pub fn read(&self) -> Package {
        self.try_read().unwrap_or_else(|error| panic!("{error}")).0
    }

    pub fn warnings(&self) -> Vec<String> {
        self.try_read().unwrap_or_else(|error| panic!("{error}")).1.iter().map(ToString::to_string).collect()
    }

    /// The sentences about what is wrong, one a line.
    pub fn faults(&self) -> String {
        match self.try_read() {
            Ok(_) => panic!("it was taken"),
            Err(error) => error.to_string(),
        }
    }
}
