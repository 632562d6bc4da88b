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

/// The most that is read of a source to find out how it is called, bytes.
const MAX_BYTES: u64 = 1 << 20;
/// The header of testlib.
const TESTLIB: &str = "testlib.h";
/// What a testlib.h has that answers as the format wants it.
const ADAPTED: &[u8] = b"OK_EXIT_CODE 42";

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

/// The output validator.
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
    if found.len() > 1 {
        let sentence = "more than one output validator is not supported; let one program decide";
        findings.fault(folder, None, sentence);
    }
    let problem_type = yaml.problem_type;
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
    if found.is_empty() {
        return Ok(OutputValidator::Default);
    }
    let mut program = found.swap_remove(0);
    program.protocol = protocol(tree, &program, findings)?;
    Ok(OutputValidator::Custom(program))
}

/// How a program is called: testlib's own way, if it is built with a testlib.h that wasn't adapted to the format.
fn protocol(tree: &PackageTree, program: &Program, findings: &mut Findings) -> io::Result<Protocol> {
    let mut wants_testlib = None;
    for file in &program.files {
        if file.file_name() == TESTLIB {
            let text = tree.read_start(file, MAX_BYTES)?;
            let adapted = text.windows(ADAPTED.len()).any(|window| window == ADAPTED);
            return Ok(if adapted { Protocol::Icpc } else { Protocol::Testlib });
        }
        if matches!(file.extension(), Some("c" | "cc" | "cpp" | "cxx" | "c++" | "h" | "hpp")) {
            let text = tree.read_start(file, MAX_BYTES)?;
            let text = String::from_utf8_lossy(&text);
            let includes = |line: &str| line.trim_start().starts_with("#include") && line.contains(TESTLIB);
            if let Some(at) = text.lines().position(includes) {
                wants_testlib.get_or_insert((file.clone(), at + 1));
            }
        }
    }
    if let Some((file, line)) = wants_testlib {
        findings.fault(file, Some(line), "it includes testlib.h, which is not beside it; put testlib.h there");
    }
    Ok(Protocol::Icpc)
}
