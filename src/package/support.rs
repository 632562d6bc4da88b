//! What a package may ask for and the judge doesn't do yet. Such a package is read, and refused at the door: never half
//! understood.
//!
//! Each refusal is removed here when the feature comes. Must not know how features are done.

use super::fault::{Fault, PackageError};
use super::model::{OutputValidator, Package};
use super::problem_yaml::FILE;

impl Package {
    /// Refuses a package that needs what the judge can't do.
    ///
    /// # Errors
    /// [`PackageError::Faults`] with a sentence for each thing.
    pub fn check_supported(&self) -> Result<(), PackageError> {
        let faults = unsupported(self);
        if faults.is_empty() { Ok(()) } else { Err(PackageError::Faults(faults)) }
    }
}

fn unsupported(package: &Package) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut refuse = |path: &dyn std::fmt::Display, sentence: &str| {
        faults.push(Fault { path: path.to_string(), line: None, sentence: sentence.to_owned() });
    };
    let types = [
        ("scoring", package.problem_type.scoring),
        ("multi-pass", package.problem_type.multi_pass),
        ("interactive", package.problem_type.interactive),
        ("submit-answer", package.problem_type.submit_answer),
    ];
    for (name, wanted) in types {
        if wanted {
            refuse(&FILE, &format!("{name} problems are not supported yet"));
        }
    }
    if package.allow_file_writing {
        refuse(&FILE, "`allow_file_writing` is not supported yet");
    }
    if !package.include.is_empty() {
        refuse(&"include", "files added to every submission are not supported yet");
    }
    if let OutputValidator::Custom(program) = &package.output_validator {
        let sentence = "custom output validators are not supported yet; the default one has tolerances and more";
        refuse(&program.entry, sentence);
    }
    for group in package.data.all() {
        if group.accept_if_any_accepted || group.verdict == super::model::VerdictRule::AlwaysAccept {
            refuse(
                &format!("data/{}", group.name),
                "groups that are accepted in spite of a failed test are not supported yet",
            );
        }
    }
    for case in package.test_cases() {
        if let Some(file) = case.files.first() {
            refuse(&file.path, "files beside a test's input are not supported yet");
        }
        if !case.args.is_empty() {
            refuse(&format!("data/{}", case.name), "`args` (arguments for submissions) are not supported yet");
        }
    }
    for planted in &package.planted_outputs {
        let sentence = "planted outputs (data/valid_output, data/invalid_output) are not supported yet";
        refuse(&planted.output, sentence);
    }
    for submission in &package.submissions {
        let place = format!("submissions/{}", submission.name);
        if submission.language.is_some() || submission.entry_point.is_some() {
            refuse(&place, "`language` and `entrypoint` of submissions.yaml are not supported yet");
        }
        if submission.expectations.iter().any(|expected| expected.score.is_some() || !expected.message.is_empty()) {
            refuse(&place, "`score` and `message` of submissions.yaml are not supported yet");
        }
    }
    faults.dedup();
    faults
}
