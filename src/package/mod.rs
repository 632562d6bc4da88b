//! Problem packages: what is in one, how it is read, what verifying it found.
//!
//! Owns: the ICPC problem package format, its files and their meaning, as plain data. Must not know: processes, the
//! sandbox, the database, HTTP, verdict rules. Programs of a package are named here and run elsewhere (`judge`).
//! The format's text: <https://www.kattis.com/problem-package-format/spec/2025-09>; "the format" in this room means it.

mod arguments;
mod constants;
mod credits;
mod data;
mod domjudge_ini;
pub mod fault;
mod fields;
mod generators_edit;
mod generators_yaml;
mod include;
mod layout;
mod limit_edit;
pub mod metadata;
pub mod model;
pub mod path;
mod problem_yaml;
mod problem_yaml_legacy;
mod programs;
pub mod promise;
mod reader;
mod seed;
mod setting_edit;
pub mod skeleton;
mod statements;
mod submissions;
mod submissions_yaml;
mod support;
mod tests_edit;
pub mod tex;
pub mod tree;
mod validators;
pub mod visualizer;
mod yaml;

pub use fault::{Fault, PackageError, Warning};
pub use generators_edit::{Recipe, WithRecipes, with_recipes};
pub use limit_edit::with_limit;
pub use metadata::{
    AllowedLanguages, BadLanguageTag, Credits, FormatVersion, LanguageTag, License, Objective, PackageLimits, Person,
    ProblemType, SourceRef,
};
pub use model::{
    Aggregation, CaseScore, ExampleSubmission, Expectation, ExpectedScore, GroupScore, IncludedFiles, InvalidInput,
    Member, OnReject, OutputValidator, Package, Pattern, PlacedFile, PlantedOutput, Program, Protocol, SampleFiles,
    SampleInteraction, ScoreBound, Statement, StatementKind, TestCase, TestGroup, TestInput, TestKind, TimeBound,
    ValidatorArgs, VerdictRule,
};
pub use path::{BadPath, PackagePath};
pub use promise::{Broken, Promise, VerdictSet};
pub use setting_edit::{setting, with_setting};
pub use tests_edit::{CurrentTest, Missing, TestPart, WithTests, with_tests};
pub use tree::{ManifestEntry, PackageTree, TreeError, Unpacked, ZipCaps};
