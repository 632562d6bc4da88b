//! Programs under `submissions/` and what each promises (format, "Example submissions").

use std::io;

use super::fault::Findings;
use super::layout::Layout;
use super::metadata::ProblemType;
use super::model::ExampleSubmission;
use super::path::PackagePath;
use super::programs;
use super::promise::{Promise, expected_results};
use super::submissions_yaml::{self, Rules};
use super::tree::PackageTree;

/// The most of a source in which `@EXPECTED_RESULTS@` is looked for, bytes.
const MAX_BYTES: u64 = 1 << 20;
/// The file with more about them.
const YAML: &str = "submissions.yaml";

/// Finds the programs, by path.
pub(crate) fn read(
    tree: &PackageTree,
    layout: &Layout,
    problem_type: ProblemType,
    findings: &mut Findings,
) -> io::Result<Vec<ExampleSubmission>> {
    let mut rules =
        if layout.is_legacy() { Rules::default() } else { submissions_yaml::read(tree, problem_type, findings)? };
    let mut submissions = Vec::new();
    for (folder, files) in programs::children(tree, "submissions") {
        let path = format!("submissions/{folder}");
        if matches!(files.as_slice(), [only] if only.as_str() == path) {
            if folder != YAML || layout.is_legacy() {
                let sentence = "a submission must lie in a folder that says what it gets, as in submissions/accepted/";
                findings.fault(path, None, sentence);
            }
            continue;
        }
        if folder == "partially_accepted" && !problem_type.scoring {
            findings.fault(&path, None, "only scoring problems have partially accepted submissions");
        }
        for (name, files) in programs::children(tree, &path) {
            let name = format!("{folder}/{name}");
            for script in files.iter().filter(|file| matches!(file.below(&path), Some(rest) if is_script(rest))) {
                let sentence = "submissions can't bring `build` or `run` scripts; the format has them for validators \
                                and visualizers only";
                findings.fault(script, None, sentence);
            }
            let of_folder =
                if layout.is_legacy() { Promise::of_legacy_folder(&folder) } else { Promise::of_folder(&folder) };
            let mut submission = ExampleSubmission {
                promise: of_folder.unwrap_or_else(Promise::anything),
                name,
                folder: folder.clone(),
                files,
                expectations: Vec::new(),
                language: None,
                entry_point: None,
                authors: Vec::new(),
                model_solution: false,
            };
            let is_told = rules.apply(&mut submission, of_folder.is_some());
            if promise(tree, &mut submission, of_folder, is_told, findings)? {
                submissions.push(submission);
            }
        }
    }
    rules.check_all_used(findings);
    if !submissions.iter().any(ExampleSubmission::is_reference) {
        let sentence = "there is no accepted submission; put a reference solution there, it makes the answers";
        findings.fault("submissions/accepted", None, sentence);
    }
    Ok(submissions)
}

/// Whether a file, by its path below `submissions/<folder>/`, would say how the program around it is built.
fn is_script(path: &str) -> bool {
    matches!(path.split_once('/'), Some((_, "build" | "run")))
}

/// Settles what the program promises, with the comment in its source. Whether anything says what it is to get.
fn promise(
    tree: &PackageTree,
    submission: &mut ExampleSubmission,
    of_folder: Option<Promise>,
    is_told: bool,
    findings: &mut Findings,
) -> io::Result<bool> {
    let folder = &submission.folder;
    let Some((file, list, line)) = comment(tree, &submission.files)? else {
        if of_folder.is_none() && !is_told {
            let sentence = format!(
                "nothing says what it is to get: `{folder}` is no folder of the format; move it, or write `@EXPECTED_RESULTS@: WRONG-ANSWER` or the like into a comment"
            );
            findings.fault(format!("submissions/{}", submission.name), None, sentence);
            return Ok(false);
        }
        return Ok(true);
    };
    let promise = match Promise::of_results(&list) {
        Ok(promise) => promise,
        Err(word) => {
            let known = "CORRECT, WRONG-ANSWER, TIMELIMIT, RUN-ERROR, MEMORY-LIMIT, OUTPUT-LIMIT, COMPILER-ERROR";
            let sentence = format!("`{word}` in @EXPECTED_RESULTS@ is no result; known are {known}");
            findings.fault(file, Some(line), sentence);
            return Ok(false);
        }
    };
    if submission.promise.required.is_disjoint(promise.required) {
        let elsewhere = if is_told { YAML.to_owned() } else { format!("the folder `{folder}`") };
        let sentence = format!("@EXPECTED_RESULTS@ says {promise}, but {elsewhere} says otherwise");
        findings.fault(file, Some(line), sentence);
    }
    submission.promise = promise;
    Ok(true)
}

/// The first `@EXPECTED_RESULTS@` in the files: the file, the list and its line.
fn comment(tree: &PackageTree, files: &[PackagePath]) -> io::Result<Option<(PackagePath, String, usize)>> {
    for file in files {
        if let Some((list, line)) = expected_results(&tree.read_start(file, MAX_BYTES)?) {
            return Ok(Some((file.clone(), list, line)));
        }
    }
    Ok(None)
}
