//! Programs under `submissions/` and what each promises (format, "Example submissions").

use std::io;

use super::fault::Findings;
use super::model::ExampleSubmission;
use super::programs;
use super::promise::{Promise, expected_results};
use super::tree::PackageTree;

/// Finds the programs, by path.
pub(crate) fn read(tree: &PackageTree, findings: &mut Findings) -> io::Result<Vec<ExampleSubmission>> {
    let mut submissions = Vec::new();
    for (folder, files) in programs::children(tree, "submissions") {
        let path = format!("submissions/{folder}");
        if matches!(files.as_slice(), [only] if only.as_str() == path) {
            // The support check has a sentence of its own for it.
            if folder != "submissions.yaml" {
                let sentence = "a submission must lie in a folder that says what it gets, as in submissions/accepted/";
                findings.fault(path, None, sentence);
            }
            continue;
        }
        for (name, files) in programs::children(tree, &path) {
            let name = format!("{folder}/{name}");
            let mut written = None;
            for file in &files {
                if written.is_none()
                    && let Some((list, line)) = expected_results(&tree.read(file)?)
                {
                    written = Some((file.clone(), list, line));
                }
            }
            let from_folder = Promise::of_folder(&folder);
            let promise = match &written {
                None => from_folder.or_else(|| {
                    let sentence = format!(
                        "nothing says what it is to get: `{folder}` is no folder of the format; move it, or write `@EXPECTED_RESULTS@: WRONG-ANSWER` or the like into a comment"
                    );
                    findings.fault(format!("submissions/{name}"), None, sentence);
                    None
                }),
                Some((file, list, line)) => match Promise::of_results(list) {
                    Err(word) => {
                        let known = "CORRECT, WRONG-ANSWER, TIMELIMIT, RUN-ERROR, MEMORY-LIMIT, OUTPUT-LIMIT, COMPILER-ERROR";
                        let sentence = format!("`{word}` in @EXPECTED_RESULTS@ is no result; known are {known}");
                        findings.fault(file, Some(*line), sentence);
                        None
                    }
                    Ok(promise) => {
                        if from_folder.is_some_and(|from_folder| from_folder.required.is_disjoint(promise.required)) {
                            let sentence =
                                format!("@EXPECTED_RESULTS@ says {promise}, but the folder `{folder}` says otherwise");
                            findings.fault(file, Some(*line), sentence);
                        }
                        Some(promise)
                    }
                },
            };
            if let Some(promise) = promise {
                submissions.push(ExampleSubmission {
                    name,
                    folder: folder.clone(),
                    files,
                    promise,
                    expectations: Vec::new(),
                    language: None,
                    entry_point: None,
                    authors: Vec::new(),
                    model_solution: false,
                });
            }
        }
    }
    if !submissions.iter().any(ExampleSubmission::is_reference) {
        let sentence = "there is no accepted submission; put a reference solution there, it makes the answers";
        findings.fault("submissions/accepted", None, sentence);
    }
    Ok(submissions)
}
