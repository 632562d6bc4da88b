//! `domjudge-problem.ini`: what packages for `DOMjudge` say beside `problem.yaml`.
//!
//! Its time limit is taken where `problem.yaml` has none; what belongs to a contest is named and left to the contest.

use std::io;

use super::arguments;
use super::fault::Findings;
use super::problem_yaml::{ProblemYaml, milliseconds};
use super::tree::PackageTree;

/// The file's name.
const FILE: &str = "domjudge-problem.ini";
/// The most that is read of it, bytes.
const MAX_BYTES: u64 = 64 << 10;
/// Keys about the problem's place in a contest.
const OF_THE_CONTEST: [&str; 8] =
    ["short-name", "probid", "externalid", "color", "points", "allow_submit", "allow_judge", "cid"];
/// Keys that name programs by their place in `DOMjudge`'s own store.
const OF_THE_JUDGE: [&str; 3] = ["special_run", "special_compare", "special_output"];

/// Reads the file, if there is one, into what `problem.yaml` said.
pub(crate) fn read(tree: &PackageTree, yaml: &mut ProblemYaml, findings: &mut Findings) -> io::Result<()> {
    let Some(path) = tree.find(FILE) else { return Ok(()) };
    let bytes = tree.read_start(path, MAX_BYTES)?;
    let Ok(text) = std::str::from_utf8(&bytes) else {
        findings.fault(FILE, None, "it is not UTF-8; save it as UTF-8");
        return Ok(());
    };
    for (index, line) in text.lines().enumerate() {
        let number = Some(index + 1);
        let line = line.trim();
        if line.is_empty() || line.starts_with([';', '#', '[']) {
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            findings.fault(FILE, number, "a line must be `key = value`");
            continue;
        };
        let value = value.trim();
        let value = value.trim_matches(if value.starts_with('\'') { '\'' } else { '"' });
        match key.trim() {
            "timelimit" => match value.parse::<f64>() {
                Ok(seconds) if (0.001..=1e6).contains(&seconds) => {
                    yaml.limits.time_limit_ms = yaml.limits.time_limit_ms.or(Some(milliseconds(seconds)));
                }
                _ => findings.fault(FILE, number, "`timelimit` must be a number of seconds of at least 0.001"),
            },
            "special_compare_args" if yaml.validator_flags.is_empty() => {
                yaml.validator_flags = arguments::of_key(FILE, number, "special_compare_args", value, findings);
            }
            "special_compare_args" => {
                findings.warn(FILE, number, "`validator_flags` of problem.yaml hold instead");
            }
            "name" => {
                if yaml.common_name.is_none() && yaml.names.is_empty() && !value.is_empty() {
                    yaml.common_name = Some(value.to_owned());
                }
            }
            key if OF_THE_CONTEST.contains(&key) => {
                findings.warn(FILE, number, format!("`{key}` belongs to a contest; set it there"));
            }
            key if OF_THE_JUDGE.contains(&key) => {
                let sentence = format!("`{key}` names a program that is not in the package; bring an output validator");
                findings.fault(FILE, number, sentence);
            }
            key => {
                let known = OF_THE_CONTEST.join(", ");
                findings.fault(FILE, number, format!("`{key}` isn't known here; known are timelimit, name, {known}"));
            }
        }
    }
    Ok(())
}
