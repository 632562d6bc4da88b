//! Reads a whole package and tells all that is wrong with it at once.
//!
//! Owns: which version of the format it is, and what must be there. Each file of the format is read by a module of its
//! own; other versions of the format become further readers beside [`version_2025_09`].

use std::collections::BTreeMap;
use std::io;

use super::data;
use super::fault::{Findings, PackageError, Warning};
use super::generators_yaml;
use super::metadata::{AllowedLanguages, FormatVersion, License, Objective};
use super::model::{IncludedFiles, OutputValidator, Package};
use super::problem_yaml::{self, FILE, ProblemYaml};
use super::programs;
use super::statements;
use super::submissions;
use super::tree::PackageTree;
use super::yaml::{self, Node, Value};
use crate::domain::slug::Slug;

/// The most faults that are told at once.
const MAX_FAULTS: usize = 100;

/// What may stand at the package's root (format, "Problem package structure overview").
const ROOT: [&str; 13] = [
    "problem.yaml",
    "statement",
    "attachments",
    "solution",
    "data",
    "generators",
    "include",
    "submissions",
    "input_validators",
    "static_validator",
    "output_validator",
    "input_visualizer",
    "output_visualizer",
];

/// What older versions of the format call things.
const RENAMED: [(&str, &str); 4] = [
    ("problem_statement", "statement"),
    ("output_validators", "output_validator"),
    ("input_format_validators", "input_validators"),
    ("testdata.yaml", "data/secret/test_group.yaml"),
];

impl Package {
    /// Reads and checks the package in `tree`; `slug` is the name of its folder.
    ///
    /// # Errors
    /// [`PackageError::Faults`] with everything that was found wrong, [`PackageError::Io`] when a file couldn't be read.
    pub fn read(tree: &PackageTree, slug: &Slug) -> Result<(Self, Vec<Warning>), PackageError> {
        let mut findings = Findings::default();
        let package = read(tree, slug, &mut findings)
            .map_err(|source| PackageError::Io { path: format!("package {slug}"), source })?;
        match package {
            Some(package) if findings.faults.is_empty() => Ok((package, findings.warnings)),
            _ => {
                findings.faults.sort();
                findings.faults.dedup();
                let more = findings.faults.len().saturating_sub(MAX_FAULTS);
                if more > 0 {
                    findings.faults.truncate(MAX_FAULTS);
                    findings.fault("and more", None, format!("{more} further faults are not listed"));
                }
                Err(PackageError::Faults(findings.faults))
            }
        }
    }
}

fn read(tree: &PackageTree, slug: &Slug, findings: &mut Findings) -> io::Result<Option<Package>> {
    let Some(path) = tree.find(FILE) else {
        findings.fault(FILE, None, missing_problem_yaml(tree));
        return Ok(None);
    };
    let Some(node) = yaml::read(tree, path, findings)? else { return Ok(None) };
    match format_version(&node, findings) {
        None => Ok(None),
        Some(FormatVersion::V202509) => version_2025_09(tree, slug, node, findings),
        Some(other) => {
            let sentence = format!("packages of format {other} are not supported yet; 2025-09 is");
            findings.fault(FILE, None, sentence);
            Ok(None)
        }
    }
}

fn missing_problem_yaml(tree: &PackageTree) -> String {
    let deeper = tree.paths().find(|path| path.file_name() == FILE).and_then(|path| path.parent());
    match deeper {
        Some(folder) => format!("it is missing here, but lies in {folder}/; give that folder"),
        None if tree.find("problem.yml").is_some() => "it is missing; rename problem.yml".to_owned(),
        None => "it is missing; is this a problem package?".to_owned(),
    }
}

/// `problem_format_version`; a package without one is of the time before it.
fn format_version(node: &Node, findings: &mut Findings) -> Option<FormatVersion> {
    let Value::Map(entries) = &node.value else {
        findings.fault(FILE, Some(node.line), "it must be a map of keys and values");
        return None;
    };
    let Some(entry) = entries.iter().find(|entry| entry.key == "problem_format_version") else {
        return Some(FormatVersion::Legacy);
    };
    match entry.node.as_text() {
        Some("2025-09") => Some(FormatVersion::V202509),
        Some("2023-07-draft") => Some(FormatVersion::Draft202307),
        Some("legacy") => Some(FormatVersion::Legacy),
        Some("legacy-icpc") => Some(FormatVersion::LegacyIcpc),
        _ => {
            let sentence = "`problem_format_version` must be 2025-09, 2023-07-draft, legacy or legacy-icpc";
            findings.fault(FILE, Some(entry.line), sentence);
            None
        }
    }
}

fn version_2025_09(
    tree: &PackageTree,
    slug: &Slug,
    node: Node,
    findings: &mut Findings,
) -> io::Result<Option<Package>> {
    check_root(tree, findings);
    let yaml = problem_yaml::read(node, findings);
    refuse_parts(tree, &yaml, findings);

    let statements = statements::read(tree, findings)?;
    for language in yaml.names.keys() {
        if !statements.is_empty() && !statements.iter().any(|statement| statement.language == *language) {
            findings.fault(FILE, None, format!("`name` has `{language}`, but there is no statement in it"));
        }
    }
    for statement in &statements {
        if !yaml.names.is_empty() && !yaml.names.contains_key(&statement.language) {
            let sentence = format!("`name` in problem.yaml has no name in `{}`", statement.language);
            findings.fault(&statement.path, None, sentence);
        }
    }

    let input_validators = programs::in_folder(tree, "input_validators");
    if input_validators.is_empty() {
        let sentence = "there is no input validator; write a program that exits with 42 for a valid input";
        findings.fault("input_validators", None, sentence);
    }
    for (index, program) in input_validators.iter().enumerate() {
        if input_validators.iter().take(index).any(|earlier| earlier.name == program.name) {
            findings.fault(&program.entry, None, format!("there are two input validators called `{}`", program.name));
        }
    }

    let generators = generators_yaml::read(tree, findings)?;
    let solution = generators.solution.clone();
    let data = data::read(tree, generators, findings)?;
    let submissions = submissions::read(tree, findings)?;
    let named = solution.and_then(|(path, line)| {
        let found = submissions.iter().position(|submission| {
            submission.is_reference() && path.below("submissions") == Some(submission.name.as_str())
        });
        if found.is_none() {
            let sentence = format!("`solution`: /{path} is no program in submissions/accepted/");
            findings.fault(generators_yaml::FILE, Some(line), sentence);
        }
        found
    });
    let Some(primary) = named.or_else(|| submissions.iter().position(super::ExampleSubmission::is_reference)) else {
        return Ok(None);
    };
    if submissions.iter().filter(|submission| submission.is_reference()).count() < 2 {
        let sentence =
            "there is only one accepted submission; a second, written independently, would check its answers";
        findings.warn("submissions/accepted", None, sentence);
    }

    let package = Package {
        slug: slug.clone(),
        format: FormatVersion::V202509,
        uuid: Some(yaml.uuid),
        version: yaml.version,
        names: yaml.names,
        problem_type: yaml.problem_type,
        limits: yaml.limits,
        languages: yaml.languages.unwrap_or(AllowedLanguages::All),
        credits: yaml.credits,
        source: yaml.source,
        license: yaml.license.unwrap_or(License::Unknown),
        rights_owner: yaml.rights_owner,
        embargo_until: yaml.embargo_until,
        keywords: yaml.keywords,
        statements,
        attachments: tree.below("attachments").cloned().collect(),
        solutions: Vec::new(),
        allow_file_writing: yaml.allow_file_writing,
        constants: BTreeMap::new(),
        objective: Objective::Max,
        shows_groups: false,
        include: IncludedFiles::default(),
        input_validators,
        output_validator: programs::of_folder(tree, "output_validator")
            .map_or(OutputValidator::Default, OutputValidator::Custom),
        cases: data.cases,
        data: data.root,
        sample_interactions: Vec::new(),
        invalid_inputs: data.invalid_inputs,
        planted_outputs: data.planted_outputs,
        submissions,
        primary,
    };
    Ok(Some(package))
}

/// Refuses parts of the format that change how submissions are judged and that we don't do.
fn refuse_parts(tree: &PackageTree, yaml: &ProblemYaml, findings: &mut Findings) {
    if yaml.has_constants {
        findings.fault(FILE, None, "`constants` are not supported yet; write the values out");
    }
    for (folder, what) in [("static_validator", "static validators"), ("include", "files added to every submission")] {
        if tree.below(folder).next().is_some() {
            findings.fault(folder, None, format!("{what} are not supported yet"));
        }
    }
    if tree.find("submissions/submissions.yaml").is_some() {
        let sentence = "it is not supported yet; use the folders' names or @EXPECTED_RESULTS@ comments";
        findings.fault("submissions/submissions.yaml", None, sentence);
    }
    for path in tree.below("input_validators") {
        if let Some(kind @ ("viva" | "ctd")) = path.extension() {
            findings.fault(path, None, format!("input validators in .{kind} are not supported yet; write a program"));
        }
    }
}

/// Names what the format doesn't know at the root, and what was left out because of its name.
fn check_root(tree: &PackageTree, findings: &mut Findings) {
    for name in programs::root_names(tree) {
        if let Some((_, now)) = RENAMED.iter().find(|(then, _)| *then == name) {
            findings.fault(name, None, format!("format 2025-09 calls it {now}; rename it"));
        } else if !ROOT.contains(&name) {
            findings.warn(name, None, "the format has nothing of this name; it is not used");
        }
    }
    for name in tree.ignored() {
        if name.split('/').any(|part| part.starts_with('.')) {
            continue;
        }
        let sentence = "the format allows only letters, digits, `_`, `-` and `.` in names; it is treated as not there";
        findings.warn(name, None, sentence);
    }
}
