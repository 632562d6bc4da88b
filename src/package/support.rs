//! What a package may ask for and the judge doesn't do yet. Such a package is read, and refused at the door: never half
//! understood.
//!
//! Each refusal is removed here when the feature comes. Must not know how features are done.

use super::fault::{Fault, PackageError};
use super::model::Package;
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
    if package.problem_type.submit_answer {
        refuse(&FILE, "submit-answer problems are not supported yet");
    }
    faults.dedup();
    faults
}
