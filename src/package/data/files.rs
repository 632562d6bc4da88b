//! Which file below `data/` belongs to which test, by its name. Must not read inputs or answers: they may be large.

use std::collections::BTreeMap;

use super::super::fault::Findings;
use super::super::layout::Layout;
use super::super::metadata::FormatVersion;
use super::super::model::PlacedFile;
use super::super::path::PackagePath;
use super::super::tree::PackageTree;

/// Folders of `data/`.
const ROOTS: [&str; 5] = ["sample", "secret", "invalid_input", "invalid_output", "valid_output"];

/// Endings of a picture.
pub(crate) const PICTURES: [&str; 4] = [".png", ".jpg", ".jpeg", ".svg"];

/// Endings of a test's other files, longer ones first.
const ENDINGS: [&str; 9] = [
    ".in.statement",
    ".ans.statement",
    ".in.download",
    ".ans.download",
    ".interaction",
    ".in",
    ".ans",
    ".out",
    ".yaml",
];

/// The same in the formats before `2023-07-draft`, and those of planted outputs.
const LEGACY_ENDINGS: [&str; 6] = [".interaction", ".in", ".ans", ".out", ".hint", ".desc"];

/// The files of one test by ending, and those in its `.files` folder.
#[derive(Debug, Default)]
pub(crate) struct CaseFiles {
    by_ending: BTreeMap<&'static str, PackagePath>,
    pub(crate) files: Vec<PlacedFile>,
}

impl CaseFiles {
    /// The file with this ending.
    pub(crate) fn get(&self, ending: &str) -> Option<PackagePath> {
        self.by_ending.get(ending).cloned()
    }

    /// All with an ending of their own.
    pub(crate) fn endings(&self) -> impl Iterator<Item = (&'static str, &PackagePath)> {
        self.by_ending.iter().map(|(ending, path)| (*ending, path))
    }

    /// Any of them, for a sentence.
    pub(crate) fn any(&self) -> Option<&PackagePath> {
        self.by_ending.values().chain(self.files.iter().map(|file| &file.path)).next()
    }

    /// Whether this ending is the only thing there is.
    pub(crate) fn is_only(&self, ending: &str) -> bool {
        self.files.is_empty() && self.by_ending.len() == 1 && self.by_ending.contains_key(ending)
    }
}

/// What there is below `data/`.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    /// By the test's name: the path below `data/` without ending.
    pub(crate) cases: BTreeMap<String, CaseFiles>,
    /// Files with groups' settings, by the folder below `data/`; that of `data/` itself is called "".
    pub(crate) groups: BTreeMap<String, PackagePath>,
}

/// Finds out to which test each file belongs.
pub(crate) fn sort(tree: &PackageTree, layout: &Layout, findings: &mut Findings) -> Sorted {
    let mut sorted = Sorted::default();
    for path in tree.below("data") {
        let Some(rest) = path.below("data") else { continue };
        if path.file_name() == layout.group_file {
            let folder = path.parent().and_then(|folder| folder.strip_prefix("data")).unwrap_or_default();
            let folder = folder.trim_start_matches('/');
            if may_have_settings(folder, layout.format) {
                sorted.groups.insert(folder.to_owned(), path.clone());
            } else {
                let sentence = match layout.format {
                    FormatVersion::V202509 => "a test_group.yaml may lie only in a folder of data/ or of data/secret/",
                    FormatVersion::LegacyIcpc => "format legacy-icpc has no settings of groups; format legacy has",
                    _ => "it may lie only in data/ and its folders sample, secret, and those below",
                };
                findings.fault(path, None, sentence);
            }
            continue;
        }
        let root = rest.split('/').next().unwrap_or_default();
        if !ROOTS.contains(&root) || root == rest {
            findings.fault(path, None, format!("only folders belong into data/: {}", ROOTS.join(", ")));
            continue;
        }
        if !layout.is_legacy()
            && let Some((name, inside)) = rest.split_once(".files/")
        {
            let file = PlacedFile { name: inside.to_owned(), path: path.clone() };
            sorted.cases.entry(name.to_owned()).or_default().files.push(file);
            continue;
        }
        let endings: &[&'static str] = if layout.is_legacy() { &LEGACY_ENDINGS } else { &ENDINGS };
        let mut endings = endings.iter().chain(&PICTURES);
        let ending = endings
            .find(|ending| rest.strip_suffix(**ending).is_some_and(|name| !name.is_empty() && !name.ends_with('/')));
        let Some(ending) = ending else {
            if path.extension() == Some("download") && layout.format == FormatVersion::Draft202307 {
                findings.warn(path, None, "it is not offered for download; put it into attachments/");
            } else {
                findings.fault(path, None, no_test(path, layout));
            }
            continue;
        };
        let name = rest.strip_suffix(ending).unwrap_or(rest);
        sorted.cases.entry(name.to_owned()).or_default().by_ending.insert(ending, path.clone());
    }
    sorted
}

fn no_test(path: &PackagePath, layout: &Layout) -> String {
    match path.extension() {
        Some("hint" | "desc") if !layout.is_legacy() => {
            format!("format {} has no such file; write it into the test's .yaml", layout.format)
        }
        _ if path.file_name() == "testdata.yaml" || path.file_name() == "test_group.yaml" => {
            format!("format {} calls it {}; rename it", layout.format, layout.group_file)
        }
        _ => "it belongs to no test; remove it, or give it an ending of the format (.in, .ans, .yaml, ...)".to_owned(),
    }
}

/// Whether a folder below `data/` may have settings of its own.
fn may_have_settings(folder: &str, format: FormatVersion) -> bool {
    let depth = folder.split('/').count();
    let root = folder.split('/').next().unwrap_or_default();
    let known = folder.is_empty() || ROOTS.contains(&root);
    match format {
        FormatVersion::LegacyIcpc => false,
        FormatVersion::Legacy | FormatVersion::Draft202307 => known,
        FormatVersion::V202509 => !folder.is_empty() && known && (depth == 1 || (depth == 2 && root == "secret")),
    }
}

/// The folders around a test, the nearest first, and "" for `data/` itself.
pub(crate) fn folders_around(name: &str) -> impl Iterator<Item = &str> {
    let slashes: Vec<usize> = name.match_indices('/').map(|(at, _)| at).collect();
    slashes.into_iter().rev().chain([0]).filter_map(|at| name.get(..at))
}

/// The group that a test is in.
pub(crate) fn group_of(name: &str, format: FormatVersion) -> &str {
    let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
    if format != FormatVersion::V202509 {
        return folder;
    }
    // Only folders directly below data/secret are groups; others are there for order's sake.
    let kept = if folder.starts_with("secret/") { 2 } else { 1 };
    let end = folder.match_indices('/').map(|(at, _)| at).nth(kept - 1);
    end.and_then(|end| folder.get(..end)).unwrap_or(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_folders_of_a_test() {
        let modern = |name| group_of(name, FormatVersion::V202509);
        assert_eq!((modern("sample/1"), modern("secret/1")), ("sample", "secret"));
        assert_eq!((modern("secret/a/1"), modern("secret/a/b/1")), ("secret/a", "secret/a"));
        assert_eq!(group_of("secret/a/b/1", FormatVersion::Legacy), "secret/a/b");
        let around: Vec<_> = folders_around("secret/a/b/1").collect();
        assert_eq!(around, ["secret/a/b", "secret/a", "secret", ""]);
    }
}
