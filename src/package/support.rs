//! What the format has and the judge doesn't honour yet. A package that needs it is refused, never half understood.
//!
//! Each refusal is removed here when the feature comes.

use super::fault::Findings;
use super::model::{OutputValidator, Package};
use super::problem_yaml::ProblemYaml;
use super::tree::PackageTree;

/// Folders of the format that would change how submissions are judged.
const FOLDERS: [(&str, &str); 3] = [
    ("include", "files added to every submission"),
    ("static_validator", "static validators"),
    ("output_visualizer", "output visualizers"),
];

/// Refuses what only the tree and `problem.yaml` show.
pub(crate) fn check_files(tree: &PackageTree, yaml: &ProblemYaml, findings: &mut Findings) {
    let types = [
        ("scoring", yaml.problem_type.scoring),
        ("multi-pass", yaml.problem_type.multi_pass),
        ("interactive", yaml.problem_type.interactive),
        ("submit-answer", yaml.problem_type.submit_answer),
    ];
    for (name, wanted) in types {
        if wanted {
            findings.fault(super::problem_yaml::FILE, None, format!("{name} problems are not supported yet"));
        }
    }
    if yaml.has_constants {
        findings.fault(super::problem_yaml::FILE, None, "`constants` are not supported yet; write the values out");
    }
    if yaml.allow_file_writing {
        findings.fault(super::problem_yaml::FILE, None, "`allow_file_writing` is not supported yet");
    }
    for (folder, what) in FOLDERS {
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

/// Refuses what shows only in the finished package.
pub(crate) fn check_package(package: &Package, findings: &mut Findings) {
    if let OutputValidator::Custom(program) = &package.output_validator {
        let sentence = "custom output validators are not supported yet; the default one has tolerances and more";
        findings.fault(&program.entry, None, sentence);
    }
    for case in package.test_cases() {
        let place = || format!("data/{}", case.name);
        if let Some(file) = case.files.first() {
            findings.fault(file, None, "files beside a test's input are not supported yet");
        }
        if !case.args.is_empty() {
            findings.fault(place(), None, "`args` (arguments for submissions) are not supported yet");
        }
        let own = &case.sample_files;
        let replaced = [&own.input_statement, &own.answer_statement, &own.output, &own.input_download];
        for path in replaced.into_iter().chain([&own.answer_download, &own.interaction]).flatten() {
            findings.fault(path, None, "other files to show instead of a test's input or answer are not supported yet");
        }
    }
    for planted in &package.planted_outputs {
        let sentence = "planted outputs (data/valid_output, data/invalid_output) are not supported yet";
        findings.fault(&planted.output, None, sentence);
    }
}
