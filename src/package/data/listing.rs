//! `touchstone-tests.yaml`: in which order tests are judged where their names don't say so, and their groups where their
//! folders don't.
//!
//! In the format samples come first, names order the tests, and folders are their groups. A judge's tests may lie
//! otherwise once somebody moved them, and a package that it exports says so here. Other judges don't know the file and
//! go by names and folders, as does this one where groups decide about verdict or score: their order is their own.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use super::super::fault::Findings;
use super::super::model::{Member, TestCase, TestGroup, TestKind};
use super::super::path::is_format_name;
use super::super::tree::PackageTree;
use super::super::yaml::{self, Value};

/// Where the file lies.
pub(crate) const FILE: &str = "touchstone-tests.yaml";

/// The longest name of a group, bytes.
const MAX_GROUP: usize = 80;

/// Whether a test that is no sample may be in a group called so.
pub(crate) fn is_group(name: &str) -> bool {
    name.len() <= MAX_GROUP && name.split('/').next() == Some("secret") && name.split('/').all(is_format_name)
}

/// The file for these tests, in their order: their names, and a group where the folder says another.
pub(crate) fn text<'a>(tests: impl Iterator<Item = (&'a str, Option<&'a str>)>) -> String {
    let mut text = "# The order of judging, and the groups that the folders don't say.\n".to_owned();
    for (name, group) in tests {
        let end = group.map(|group| format!(": {group}")).unwrap_or_default();
        let _ = writeln!(text, "- {name}{end}");
    }
    text
}

/// Brings the tests into the order of the file, if there is one. Tests that it doesn't name come last.
pub(super) fn apply(
    tree: &PackageTree,
    root: &mut TestGroup,
    cases: &mut Vec<TestCase>,
    findings: &mut Findings,
) -> io::Result<()> {
    let Some(path) = tree.find(FILE) else { return Ok(()) };
    let Some(node) = yaml::read(tree, path, findings)? else { return Ok(()) };
    if root.decides() {
        findings.warn(FILE, None, "it is not used, since the groups decide in which order tests are judged");
        return Ok(());
    }
    let Value::List(items) = node.value else {
        findings.fault(FILE, Some(node.line), "it must be a list of tests");
        return Ok(());
    };
    let at: BTreeMap<String, usize> = cases.iter().enumerate().map(|(at, case)| (case.name.clone(), at)).collect();
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    for (place, item) in items.into_iter().enumerate() {
        let line = Some(item.line);
        let (name, group) = match item.value {
            Value::Plain(name) | Value::Text(name) => (name, None),
            Value::Map(entries) if entries.len() == 1 && entries.iter().all(|entry| entry.node.as_text().is_some()) => {
                let mut entries = entries.into_iter();
                let Some(entry) = entries.next() else { continue };
                (entry.key, entry.node.as_text().map(str::to_owned))
            }
            _ => {
                findings.fault(FILE, line, "each item must be a test, or a map from a test to its group");
                continue;
            }
        };
        let Some(case) = at.get(&name).and_then(|&at| cases.get_mut(at)) else {
            findings.warn(FILE, line, format!("there is no test `{name}`"));
            continue;
        };
        if let Some(group) = group {
            if case.kind == TestKind::Sample || !is_group(&group) {
                let sentence = format!("`{group}` can't be the group of `{name}`; only secret tests have others");
                findings.fault(FILE, line, sentence);
            }
            case.listed_group = Some(group);
        }
        if at.get(&name).is_some_and(|&at| places.insert(at, place).is_some()) {
            findings.fault(FILE, line, format!("the test `{name}` is there twice"));
        }
    }
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|at| places.get(at).copied().unwrap_or(usize::MAX));
    let mut unordered: Vec<Option<TestCase>> = std::mem::take(cases).into_iter().map(Some).collect();
    cases.extend(order.iter().filter_map(|&at| unordered.get_mut(at)?.take()));
    let new_of: BTreeMap<usize, usize> = order.into_iter().enumerate().map(|(new, old)| (old, new)).collect();
    renumber(root, &new_of);
    Ok(())
}

/// The groups name their cases by index.
fn renumber(group: &mut TestGroup, new_of: &BTreeMap<usize, usize>) {
    for member in &mut group.members {
        match member {
            Member::Case(at) => *at = new_of.get(at).copied().unwrap_or(*at),
            Member::Group(inner) => renumber(inner, new_of),
        }
    }
}
