//! Programs of a package: a single file or a folder of them (format, "Programs"). Must not know languages: which
//! compiler takes a program is decided where it is run.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{Program, Protocol};
use super::path::PackagePath;
use super::tree::PackageTree;

/// Endings of files that other programs include; such a file is no program.
const HEADERS: [&str; 4] = ["h", "hh", "hpp", "hxx"];
/// Endings of programs that may include them.
const INCLUDING: [&str; 5] = ["c", "cc", "cpp", "cxx", "c++"];

/// The programs in a folder, by name: each file and each folder in it is one. A header that lies between them, as
/// testlib.h often does, goes to each program of a single file that may include it.
pub(crate) fn in_folder(tree: &PackageTree, folder: &str) -> Vec<Program> {
    let is_alone = |(name, files): &(&String, &Vec<PackagePath>)| matches!(files.as_slice(), [only] if only.below(folder) == Some(name.as_str()));
    let children = children(tree, folder);
    let has_ending = |path: &PackagePath, endings: &[&str]| path.extension().is_some_and(|own| endings.contains(&own));
    let headers: Vec<PackagePath> = children
        .iter()
        .filter(is_alone)
        .filter_map(|(_, files)| files.first())
        .filter(|path| has_ending(path, &HEADERS))
        .cloned()
        .collect();
    let mut programs = Vec::new();
    for (name, files) in &children {
        let alone = is_alone(&(name, files));
        if alone && files.iter().any(|path| headers.contains(path)) {
            continue;
        }
        let Some(mut program) = program(name, files.clone()) else { continue };
        if alone && has_ending(&program.entry, &INCLUDING) {
            program.files.extend(headers.iter().cloned());
        }
        programs.push(program);
    }
    programs
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

    #[test]
    fn a_header_between_programs_goes_to_those_that_may_include_it() {
        let names = ["v/check.cpp", "v/testlib.h", "v/other.py", "v/d/main.cpp"];
        let tree = PackageTree::from_files(names.map(|name| (name.to_owned(), Cow::Borrowed(b"".as_slice())))).unwrap();
        let programs = in_folder(&tree, "v");
        let shown: Vec<_> = programs.iter().map(|p| (p.name.as_str(), p.files.len())).collect();
        assert_eq!(shown, [("check", 2), ("d", 1), ("other", 1)]);
    }
}
