//! Reads a whole package and tells all that is wrong with it at once.
//!
//! Owns: which version of the format it is, and what must be there. Each file of the format is read by a module of its
//! own, which knows what the versions have in common.

use std::collections::BTreeMap;
use std::io;

use super::data::{self, Context, TestData};
use super::domjudge_ini;
use super::fault::{Findings, PackageError, Warning};
use super::generators_yaml::{self, Generators};
use super::include;
use super::layout::Layout;
use super::metadata::{AllowedLanguages, FormatVersion, LanguageTag, License};
use super::model::{ExampleSubmission, Package, Statement};
use super::path::PackagePath;
use super::problem_yaml::{self, FILE, ProblemYaml};
use super::problem_yaml_legacy;
use super::programs;
use super::statements;
use super::submissions;
use super::tree::PackageTree;
use super::validators;
use super::yaml::{self, Node, Value};
use crate::domain::slug::Slug;

/// The most faults that are told at once.
const MAX_FAULTS: usize = 100;

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
        Some(format) => read_format(tree, slug, Layout::of(format), node, findings),
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

fn read_format(
    tree: &PackageTree,
    slug: &Slug,
    layout: Layout,
    node: Node,
    findings: &mut Findings,
) -> io::Result<Option<Package>> {
    check_root(tree, &layout, findings);
    let mut yaml = if layout.is_legacy() {
        problem_yaml_legacy::read(node, layout.format, findings)
    } else {
        problem_yaml::read(node, layout.format, findings)
    };
    yaml.check_rights(findings);
    domjudge_ini::read(tree, &mut yaml, findings)?;
    let statements = statements::read(tree, &layout, findings)?;
    let names = if layout.is_legacy() {
        names_of_statements(tree, &yaml, &statements, findings)?
    } else {
        names_with_statements(&yaml, &statements, findings)
    };
    let input_validators = validators::input(tree, &layout, findings)?;
    let output_validator = validators::output(tree, &layout, &yaml, findings)?;
    let generators = read_generators(tree, &layout, findings)?;
    let solution = generators.solution.clone();
    let output_validators: Vec<String> =
        output_validator.programs().iter().map(|program| program.name.clone()).collect();
    let context = Context { tree, layout: &layout, yaml: &yaml, output_validators: &output_validators };
    let data = data::read(context, generators, findings)?;
    let validator_names: Vec<String> = input_validators.iter().map(|program| program.name.clone()).collect();
    data::check_validator_names(&data, &validator_names, findings);
    let submissions = submissions::read(tree, &layout, yaml.problem_type, findings)?;
    let Some(primary) = primary(&submissions, solution, findings) else { return Ok(None) };
    let include = include::read(tree, yaml.languages.as_ref(), layout.is_legacy(), findings);
    let solutions = statements::solutions(tree, findings);
    let TestData { cases, root, invalid_inputs, planted_outputs, interactions } = data;
    Ok(Some(Package {
        slug: slug.clone(),
        format: layout.format,
        uuid: yaml.uuid,
        version: yaml.version,
        names,
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
        solutions,
        allow_file_writing: yaml.allow_file_writing,
        constants: yaml.constants,
        objective: yaml.objective,
        shows_groups: yaml.shows_groups,
        include,
        input_validators,
        output_validator,
        cases,
        data: root,
        sample_interactions: interactions,
        invalid_inputs,
        planted_outputs,
        submissions,
        primary,
    }))
}

/// Names and statements must be in the same languages.
fn names_with_statements(
    yaml: &ProblemYaml,
    statements: &[Statement],
    findings: &mut Findings,
) -> BTreeMap<LanguageTag, String> {
    for language in yaml.names.keys() {
        if !statements.is_empty() && !statements.iter().any(|statement| statement.language == *language) {
            findings.fault(FILE, None, format!("`name` has `{language}`, but there is no statement in it"));
        }
    }
    for statement in statements {
        if !yaml.names.is_empty() && !yaml.names.contains_key(&statement.language) {
            let sentence = format!("`name` in problem.yaml has no name in `{}`", statement.language);
            findings.fault(&statement.path, None, sentence);
        }
    }
    yaml.names.clone()
}

/// Formats before `2023-07-draft`: a statement in TeX names the problem in its language; otherwise `name` does.
fn names_of_statements(
    tree: &PackageTree,
    yaml: &ProblemYaml,
    statements: &[Statement],
    findings: &mut Findings,
) -> io::Result<BTreeMap<LanguageTag, String>> {
    let mut names = yaml.names.clone();
    for statement in statements {
        if names.contains_key(&statement.language) {
            continue;
        }
        let name = statements::name_in_tex(tree, statement)?.or_else(|| yaml.common_name.clone());
        match name {
            Some(name) => drop(names.insert(statement.language.clone(), name)),
            None => findings.fault(
                &statement.path,
                None,
                "nothing names the problem: write `name` into problem.yaml, or \\problemname{...} into the statement",
            ),
        }
    }
    Ok(names)
}

/// What `generators.yaml` makes. Formats before `2025-09` know nothing of it, so that a package of theirs whose file says
/// more than is read here is taken without it; then all its tests must be there as files.
pub(super) fn read_generators(tree: &PackageTree, layout: &Layout, findings: &mut Findings) -> io::Result<Generators> {
    if layout.format == FormatVersion::V202509 {
        return generators_yaml::read(tree, findings);
    }
    let mut own = Findings::default();
    let generators = generators_yaml::read(tree, &mut own)?;
    let Some(fault) = own.faults.into_iter().next() else {
        findings.warnings.extend(own.warnings);
        return Ok(generators);
    };
    let sentence = format!("it is not used, so every test must be there as a file: {}", fault.sentence);
    findings.warn(fault.path, fault.line, sentence);
    Ok(Generators::default())
}

/// The reference that makes the answers: the named one, else the first.
fn primary(
    submissions: &[ExampleSubmission],
    solution: Option<(PackagePath, usize)>,
    findings: &mut Findings,
) -> Option<usize> {
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
    let primary = named.or_else(|| submissions.iter().position(ExampleSubmission::is_reference))?;
    if submissions.iter().filter(|submission| submission.is_reference()).count() < 2 {
        let sentence =
            "there is only one accepted submission; a second, written independently, would check its answers";
        findings.warn("submissions/accepted", None, sentence);
    }
    Some(primary)
}

/// Names what the format doesn't know at the root, what isn't done, and what was left out because of its name.
fn check_root(tree: &PackageTree, layout: &Layout, findings: &mut Findings) {
    for name in programs::root_names(tree) {
        if let Some(now) = layout.now(name) {
            findings.fault(name, None, format!("format {} calls it {now}; rename it", layout.format));
        } else if !layout.has(name) {
            findings.warn(name, None, "the format has nothing of this name; it is not used");
        }
    }
    for (folder, sentence) in [
        ("static_validator", "static validators are not supported yet"),
        ("graders", "graders of the package's own are not supported yet"),
    ] {
        if tree.below(folder).next().is_some() && layout.has(folder) {
            findings.fault(folder, None, sentence);
        }
    }
    if tree.below("output_visualizer").next().is_some() {
        findings.warn("output_visualizer", None, "output visualizers are not run; outputs are shown as text");
    }
    for name in tree.ignored() {
        if name.split('/').any(|part| part.starts_with('.')) {
            continue;
        }
        let sentence = "the format allows only letters, digits, `_`, `-` and `.` in names; it is treated as not there";
        findings.warn(name, None, sentence);
    }
}
