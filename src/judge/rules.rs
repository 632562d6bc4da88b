//! How the programs of a package are judged, apart from its tests and limits: who checks outputs, what is added to each
//! submission, how runs add up.
//!
//! Owns: this as plain data, so that a judgement needs neither the package nor its format. A preparation writes it, every
//! judgement and trial reads it. The command line and the server judge by it alike. Must not know: the database.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::hash::Sha256;
use crate::domain::limits::Limits;
use crate::grading::aggregate::{AfterFailure, Group, Rule};
use crate::package::{IncludedFiles, OutputValidator, Package, PackagePath, ProblemType};

use super::groups;
use super::package_program::validation_limits;

/// How a package's programs are judged.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct JudgingRules {
    /// Who judges an output.
    pub output_validator: OutputValidator,
    /// What the output validator may do.
    pub validator: ValidatorRules,
    /// Files added to every submission.
    pub include: IncludedFiles,
    /// How the runs add up; `None`: the first failing test decides.
    pub groups: Option<Group>,
    /// How many tests the groups know. Those behind them were added by themselves.
    pub grouped_tests: usize,
    /// Whether submissions get a score.
    pub scoring: bool,
    /// Whether contestants see what the groups came to.
    pub shows_groups: bool,
    /// Blobs of the files that validator and include name, with the package's constants put in.
    pub contents: BTreeMap<PackagePath, Sha256>,
}

/// What an output validator may do and use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValidatorRules {
    /// It talks with the submission.
    pub interactive: bool,
    /// It may ask for more passes.
    pub multi_pass: bool,
    /// The most runs of one test.
    pub passes: u64,
    /// It may give points.
    pub points: bool,
    /// Its own limits.
    pub limits: Limits,
}

impl ValidatorRules {
    /// As the package says.
    pub fn of(package: &Package) -> Self {
        let ProblemType { interactive, multi_pass, scoring, .. } = package.problem_type;
        Self {
            interactive,
            multi_pass,
            passes: if multi_pass { package.limits.validation_passes } else { 1 },
            points: scoring,
            limits: validation_limits(&package.limits),
        }
    }
}

impl Default for ValidatorRules {
    fn default() -> Self {
        let limits = Limits { cpu_ms: 0, wall_ms: 0, memory_bytes: 0, output_bytes: 0, processes: 0 };
        Self { interactive: false, multi_pass: false, passes: 1, points: false, limits }
    }
}

impl JudgingRules {
    /// As the package says. The blobs are still to be named.
    pub fn of(package: &Package) -> Self {
        Self {
            output_validator: package.output_validator.clone(),
            validator: ValidatorRules::of(package),
            include: package.include.clone(),
            groups: groups::tree(package),
            grouped_tests: package.cases.len(),
            scoring: package.problem_type.scoring,
            shows_groups: package.shows_groups,
            contents: BTreeMap::new(),
        }
    }

    /// The files whose contents judging needs.
    pub fn files(&self) -> impl Iterator<Item = &PackagePath> {
        let validator = self.output_validator.programs().iter().flat_map(|program| &program.files);
        let included = self.include.by_language.values().chain([&self.include.default]).flatten();
        validator.chain(included.map(|file| &file.path))
    }

    /// How the runs add up; `samples` tells of each test in judging order whether it is one.
    pub fn rule(&self, samples: impl IntoIterator<Item = bool>, after_failure: AfterFailure) -> Rule {
        let Some(groups) = &self.groups else { return Rule::PassFail { after_failure } };
        let mut root = groups.clone();
        for (index, sample) in samples.into_iter().enumerate().skip(self.grouped_tests) {
            root.add_test(if sample { "sample" } else { "secret" }, index);
        }
        Rule::Groups { root: root.into(), after_failure }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_before_are_the_plain_ones() {
        let rules: JudgingRules = serde_json::from_str("{}").unwrap();
        assert_eq!(rules, JudgingRules::default());
        assert_eq!(rules.rule([true, false], AfterFailure::Stop), Rule::PassFail { after_failure: AfterFailure::Stop });
    }
}
