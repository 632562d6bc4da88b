//! Problem packages: what is in one, how it is read, what verifying it found.
//!
//! Owns: the ICPC problem package format, its files and their meaning, as plain data. Must not know: processes, the
//! sandbox, the database, HTTP, verdict rules. Programs of a package are named here and run elsewhere (`judge`).
//! The format's text: <https://www.kattis.com/problem-package-format/spec/2025-09>; "the format" in this room means it.

mod data;
pub mod fault;
mod fields;
mod generators_yaml;
pub mod metadata;
pub mod model;
pub mod path;
mod problem_yaml;
mod programs;
pub mod promise;
mod reader;
mod statements;
mod submissions;
mod support;
mod test_config;
pub mod tree;
pub mod visualizer;
mod yaml;

pub use fault::{Fault, PackageError, Warning};
pub use metadata::{
    AllowedLanguages, BadLanguageTag, Credits, FormatVersion, LanguageTag, License, PackageLimits, Person, ProblemType,
    SourceRef,
};
pub use model::{
    ExampleSubmission, InvalidInput, OutputValidator, Package, PlantedOutput, Program, SampleFiles, Statement,
    StatementKind, TestCase, TestGroup, TestInput, TestKind, ValidatorArgs,
};
pub use path::{BadPath, PackagePath};
pub use promise::{Broken, Promise, VerdictSet};
pub use tree::{ManifestEntry, PackageTree, TreeError};
