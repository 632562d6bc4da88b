//! Input validators and the output validator (format, "Input validators", "Output validator").
//!
//! Owns: which programs they are and how each is called. Must not run them.

use std::io;

use super::fault::Findings;
use super::layout::Layout;
use super::model::{OutputValidator, Program, Protocol};
use super::problem_yaml::{FILE, ProblemYaml};
use super::programs;
use super::tree::PackageTree;
use crate::domain::protocol::{TESTLIB, line_with_testlib};

/// The most that is read of a source to find out how it is called, bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Every input validator.
pub(crate) fn input(tree: &PackageTree, layout: &Layout, findings: &mut Findings) -> io::Result<Vec<Program>> {
    let folders: &[&str] =
        if layout.is_legacy() { &["input_validators", "input_format_validators"] } else { &["input_validators"] };
    let mut validators = Vec::new();
    for folder in folders {
        for mut program in programs::in_folder(tree, folder) {
            if let Some(kind @ ("viva" | "ctd")) = program.entry.extension() {
                let sentence = format!("input validators in .{kind} are not supported yet; write a program");
                findings.fault(&program.entry, None, sentence);
                continue;
            }
            program.protocol = protocol(tree, &program, findings)?;
            validators.push(program);
        }
    }
    if validators.is_empty() {
        let sentence = "there is no input validator; write a program that exits with 42 for a valid input";
        findings.fault("input_validators", None, sentence);
    }
    for (index, program) in validators.iter().enumerate() {
        if validators.iter().take(index).any(|earlier| earlier.name == program.name) {
            findings.fault(&program.entry, None, format!("there are two input validators called `{}`", program.name));
        }
    }
    Ok(validators)
}

/// The output validator; in formats before `2023-07-draft` there may be several ("All output validators provided will be
/// run on the output").
pub(crate) fn output(
    tree: &PackageTree,
    layout: &Layout,
    yaml: &ProblemYaml,
    findings: &mut Findings,
) -> io::Result<OutputValidator> {
    let folder = layout.output_validator;
    let mut found = if layout.is_legacy() {
        programs::in_folder(tree, folder)
    } else {
        programs::of_folder(tree, folder).into_iter().collect()
    };
    let problem_type = yaml.problem_type;
    if found.len() > 1 && (problem_type.interactive || problem_type.multi_pass || yaml.validator_scores) {
        let names: Vec<&str> = found.iter().map(|program| program.name.as_str()).collect();
        let sentence = format!(
            "of several output validators ({}) it is not defined who talks with the submission or gives the score; \
             put one program there",
            names.join(", ")
        );
        findings.fault(folder, None, sentence);
    }
    let wanted = [("interactive", problem_type.interactive), ("multi-pass", problem_type.multi_pass)];
    match (yaml.custom_validation, found.is_empty()) {
        (Some(true), true) => {
            let sentence = format!("`validation: custom` needs an output validator in {folder}/");
            findings.fault(FILE, None, sentence);
        }
        (Some(false), false) => {
            let sentence = "it is there, but `validation` in problem.yaml doesn't begin with `custom`";
            findings.fault(folder, None, sentence);
        }
        (None, true) => {
            for (name, _) in wanted.into_iter().filter(|(_, wanted)| *wanted) {
                let sentence = format!("{name} problems need an output validator in {folder}/");
                findings.fault(FILE, None, sentence);
            }
        }
        _ => {}
    }
    for program in &mut found {
        program.protocol = protocol(tree, program, findings)?;
    }
    Ok(if found.is_empty() { OutputValidator::Default } else { OutputValidator::Custom(found) })
}

/// How a program is called, by its sources. One that needs testlib.h must bring it.
fn protocol(tree: &PackageTree, program: &Program, findings: &mut Findings) -> io::Result<Protocol> {
    let mut sources = Vec::new();
    for file in &program.files {
        if matches!(file.extension(), Some("c" | "cc" | "cpp" | "cxx" | "c++" | "h" | "hpp")) {
            sources.push((file, tree.read_start(file, MAX_BYTES)?));
        }
    }
    let found = Protocol::of_sources(sources.iter().map(|(file, text)| (file.file_name(), text.as_slice())));
    if found == Protocol::Testlib && !sources.iter().any(|(file, _)| file.file_name() == TESTLIB) {
        let including = sources.iter().find_map(|(file, text)| Some((file, line_with_testlib(text)?)));
        if let Some((file, line)) = including {
            let sentence = "it includes testlib.h, which is not beside it; put testlib.h there";
            findings.fault(file, Some(line), sentence);
        }
    }
    Ok(found)
}
