//! Programs of a package: a single file or a folder of them (format, "Programs"). Must not know languages: which
//! compiler takes a program is decided where it is run.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{Program, Protocol};
use super::path::PackagePath;
use super::tree::PackageTree;

/// The programs in a folder, by name: each file and each folder in it is one.
pub(crate) fn in_folder(tree: &PackageTree, folder: &str) -> Vec<Program> {
    children(tree, folder).into_iter().filter_map(|(name, files)| program(&name, files)).collect()
}

/// The files below each direct child of a folder. A file is its own only child.
pub(crate) fn children(tree: &PackageTree, folder: &str) -> BTreeMap<String, Vec<PackagePath>> {
    let mut children: BTreeMap<String, Vec<PackagePath>> = BTreeMap::new();
    for path in tree.below(folder) {
        if let Some(name) = path.below(folder).and_then(|rest| rest.split('/').next()) {
            children.entry(name.to_owned()).or_default().push(path.clone());
        }
    }
    children
}

/// What stands at the package's root, each once.
pub(crate) fn root_names(tree: &PackageTree) -> BTreeSet<&str> {
    tree.paths().filter_map(|path| path.components().next()).collect()
}

/// A whole folder as one program, as `output_validator/` is.
pub(crate) fn of_folder(tree: &PackageTree, folder: &str) -> Option<Program> {
    program(folder, tree.below(folder).cloned().collect())
}

/// The program of a child with these files.
pub(crate) fn program(name: &str, files: Vec<PackagePath>) -> Option<Program> {
    let entry = entry(&files)?.clone();
    let is_file = matches!(files.as_slice(), [only] if only.file_name() == name);
    let name = if is_file { entry.stem() } else { name }.to_owned();
    Some(Program { name, files, entry, protocol: Protocol::Icpc })
}

/// The file to begin with.
fn entry(files: &[PackagePath]) -> Option<&PackagePath> {
    let named = |wanted: &str| files.iter().find(|path| path.file_name() == wanted);
    let main = || files.iter().find(|path| path.stem().eq_ignore_ascii_case("main"));
    named("run").or_else(|| named("build")).or_else(|| named("__main__.py")).or_else(main).or_else(|| files.first())
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    #[test]
    fn files_and_folders_are_programs() {
        let names =
            ["v/a.py", "v/b/util.h", "v/b/main.cpp", "v/c/__init__.py", "v/c/__main__.py", "v/d/build", "v/d/x.c"];
        let tree = PackageTree::from_files(names.map(|name| (name.to_owned(), Cow::Borrowed(b"".as_slice())))).unwrap();
        let programs = in_folder(&tree, "v");
        let shown: Vec<_> = programs.iter().map(|p| (p.name.as_str(), p.entry.as_str(), p.files.len())).collect();
        assert_eq!(
            shown,
            [("a", "v/a.py", 1), ("b", "v/b/main.cpp", 2), ("c", "v/c/__main__.py", 2), ("d", "v/d/build", 2)]
        );
    }
}
