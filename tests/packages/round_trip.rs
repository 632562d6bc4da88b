//! Out as a zip and back: every format's package is the same afterwards, byte for byte and in what it means.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use rstest::rstest;
use touchstone::domain::slug::Slug;
use touchstone::package::{FormatVersion, Package, PackageTree, Unpacked, ZipCaps};

use super::written::Written;

/// Bytes that a well-meaning tool would "mend": line ends, encodings, an end without a line feed, nothing at all.
const ODD_BYTES: [(&str, &[u8]); 5] = [
    ("crlf", b"1 2\r\n"),
    ("latin1", b"caf\xe9 \xff\x00\n"),
    ("no-end", b"1 2"),
    ("bom", b"\xef\xbb\xbf1 2\n"),
    ("empty", b""),
];

fn with_all_kinds_of_files(mut written: Written) -> Written {
    for (name, bytes) in ODD_BYTES {
        written.0.insert(format!("data/secret/{name}.in"), bytes.to_vec());
        written.0.insert(format!("data/secret/{name}.ans"), bytes.to_vec());
    }
    written
        .with("attachments/tool.py", "print(1)\n")
        .with("generators/README.txt", "By hand.\n")
        .with("include/cpp/lib.h", "#pragma once\n")
        .with("data/secret/1.png", "\u{89}PNG")
        .with("submissions/wrong_answer/folder/main.py", "import part\n")
        .with("submissions/wrong_answer/folder/part.py", "")
}

fn legacy() -> Written {
    with_all_kinds_of_files(Written::legacy())
        .adding(
            "problem.yaml",
            "validation: custom\nvalidator_flags: a 'b c'\ntype: scoring\ngrading: {objective: min}\n",
        )
        .with("output_validators/a.py", "")
        .with("output_validators/b/run", "#!/bin/sh\n")
        .with("domjudge-problem.ini", "timelimit = 3\ncolor = red\n")
        .with("data/testdata.yaml", "grader_flags: min\n")
        .with("data/secret/1.hint", "Think.\n")
        .with("data/secret/1.desc", "Small.\n")
}

fn legacy_icpc() -> Written {
    with_all_kinds_of_files(Written::legacy())
        .adding("problem.yaml", "problem_format_version: legacy-icpc\nvalidation: custom interactive\n")
        .with("output_validators/talk/main.py", "")
        .with("data/sample/1.interaction", "<1\n>2\n")
        .with("data/sample/only.interaction", ">1\n")
}

fn modern(format: &str) -> Written {
    with_all_kinds_of_files(Written::modern(format))
        .adding("problem.yaml", "constants: {n: 5}\nkeywords: [sums]\n")
        .with("statement/picture.png", "\u{89}PNG")
        .with("solution/solution.en.md", "Add.\n")
        .with("data/sample/1.files/table.txt", "7\n")
        .with("data/secret/1.yaml", "args: [-n]\nhint: Think.\n")
        .with("data/invalid_input/words.in", "one\n")
        .with("data/invalid_output/less.in", "1 2\n")
        .with("data/invalid_output/less.ans", "3\n")
        .with("data/invalid_output/less.out", "4\n")
        .with("submissions/submissions.yaml", "accepted:\n  authors: Ada\n")
}

/// The written files in a folder, with `run` executable and one test as a link to another.
fn on_disk(written: &Written, folder: &Path) -> PathBuf {
    let root = folder.join("sum");
    for (name, bytes) in &written.0 {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        let mode = if name.ends_with("/run") { 0o755 } else { 0o644 };
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    for ending in ["in", "ans"] {
        std::os::unix::fs::symlink(format!("1.{ending}"), root.join(format!("data/secret/link.{ending}"))).unwrap();
    }
    root
}

/// Out and back, twice: through a zip, and through the folder that it is unpacked to.
fn comes_back(root: &Path) -> Package {
    let slug: Slug = root.file_name().unwrap().to_str().unwrap().parse().unwrap();
    let before = PackageTree::from_folder(root).unwrap();
    let (package, warnings) = Package::read(&before, &slug).unwrap_or_else(|error| panic!("{error}"));
    let zip = before.write_zip(Cursor::new(Vec::new()), slug.as_str()).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let Unpacked { tree, top } =
        PackageTree::from_zip(Cursor::new(zip.get_ref()), scratch.path(), ZipCaps::default()).unwrap();
    assert_eq!(top.as_deref(), Some(slug.as_str()));
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().join(slug.as_str());
    tree.materialize(&folder).unwrap();
    for after in [tree, PackageTree::from_folder(&folder).unwrap()] {
        assert_eq!(after.manifest().unwrap(), before.manifest().unwrap());
        assert_eq!(after.hash().unwrap(), before.hash().unwrap());
        let (again, told) = Package::read(&after, &slug).unwrap();
        assert!(again == package && told == warnings, "it means the same");
        let zip_again = after.write_zip(Cursor::new(Vec::new()), slug.as_str()).unwrap();
        assert!(zip_again == zip, "and packs to the same bytes");
    }
    package
}

#[rstest]
#[case(legacy(), FormatVersion::Legacy)]
#[case(legacy_icpc(), FormatVersion::LegacyIcpc)]
#[case(modern("2023-07-draft"), FormatVersion::Draft202307)]
#[case(modern("2025-09"), FormatVersion::V202509)]
fn written_packages_come_back(#[case] written: Written, #[case] format: FormatVersion) {
    let folder = tempfile::tempdir().unwrap();
    let package = comes_back(&on_disk(&written, folder.path()));
    assert_eq!(package.format, format);
    assert!(package.cases.iter().any(|case| case.name == "secret/link"));
}

#[rstest]
#[case("tests/packages/minimal")]
#[case("problems/lianliankan")]
#[case("problems/curling")]
fn real_packages_come_back(#[case] folder: &str) {
    comes_back(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
}

/// Tests and attachments, all with any bytes.
fn any_files() -> impl Strategy<Value = BTreeMap<String, Vec<u8>>> {
    let bytes = || proptest::collection::vec(any::<u8>(), 0..200);
    let tests = proptest::collection::vec(("[a-z0-9]{1,8}", bytes(), bytes()), 0..8);
    let attached = proptest::collection::vec(("[a-z]{1,3}(/[a-z]{1,3})?\\.[a-z]{1,4}", bytes()), 0..5);
    (tests, attached).prop_map(|(tests, attached)| {
        let attached = attached.into_iter().map(|(name, bytes)| (format!("attachments/{name}"), bytes));
        let tests = tests.into_iter().flat_map(|(name, input, answer)| {
            let path = format!("data/secret/t{name}");
            [(format!("{path}.in"), input), (format!("{path}.ans"), answer)]
        });
        attached.chain(tests).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_tests_and_attachments_come_back(files in any_files(), modern in any::<bool>()) {
        let mut written = if modern { Written::modern("2025-09") } else { Written::legacy() };
        let is_input = |name: &&String| name.starts_with("data/") && name.strip_suffix(".in").is_some();
        let (tests, own) = (files.keys().filter(is_input).count(), written.0.keys().filter(is_input).count());
        written.0.extend(files);
        let folder = tempfile::tempdir().unwrap();
        // And the link that every folder here has.
        prop_assert_eq!(comes_back(&on_disk(&written, folder.path())).cases.len(), own + tests + 1);
    }
}
