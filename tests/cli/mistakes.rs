//! Wrong arguments and files: exit code 2, a sentence, nothing half done.

use std::path::PathBuf;

use rstest::rstest;

use crate::package::{RIGHT, Sum, complaint, touchstone};

#[rstest]
#[case::too_large("big.py", vec![b'#'; 300_000], "300000 bytes; at most 262144")]
#[case::nul("nul.py", b"print(1)\0".to_vec(), "NUL byte at offset 8")]
#[case::empty("empty.py", Vec::new(), "is empty")]
#[case::unknown_ending("a.zzz", RIGHT.as_bytes().to_vec(), "no language has this file name ending")]
fn sources_that_can_not_be_taken(#[case] name: &str, #[case] contents: Vec<u8>, #[case] sentence: &str) {
    let sum = Sum::new();
    let path = sum.beside(name, &contents);
    let said = complaint(touchstone(&sum.path()).arg("judge").arg(sum.path()).arg(path));
    assert!(said.contains(sentence), "{said}");
}

#[test]
fn things_that_are_not_there_are_named() {
    let sum = Sum::new();
    let right = sum.beside("right.py", RIGHT.as_bytes());
    let nowhere = PathBuf::from("no/such/package");
    let judge = || {
        let mut command = touchstone(&std::env::temp_dir());
        command.arg("judge");
        command
    };
    let said = complaint(judge().arg(&nowhere).arg(&right));
    assert!(said.contains("no/such/package is not a folder"), "{said}");
    let said = complaint(judge().arg(sum.path()).arg("missing.py"));
    assert!(said.contains("missing.py can't be read"), "{said}");
    let said = complaint(judge().arg(sum.path()).arg(&right).args(["--language", "cobol"]));
    assert!(said.contains("`cobol` is not offered") && said.contains("python3"), "{said}");
    let said = complaint(judge().arg(sum.path()).arg(&right).args(["--language", "No!"]));
    assert!(said.contains("No!"), "{said}");
}

#[test]
fn a_folder_that_is_no_package_is_refused_before_all_of_it_is_read() {
    let sum = Sum::new();
    let around = sum.path().parent().unwrap().to_owned();
    let parent = around.join("parent");
    std::fs::create_dir(&parent).unwrap();
    // Reading everything would meet this and complain of it instead.
    std::os::unix::fs::symlink("/nowhere", parent.join("link")).unwrap();
    let verify = |folder: &std::path::Path| complaint(touchstone(&around).args(["problem", "verify"]).arg(folder));
    let said = verify(&parent);
    assert!(said.ends_with("there is no problem.yaml, so this is no problem package\n"), "{said}");
    std::fs::rename(sum.path(), parent.join("sum")).unwrap();
    let said = verify(&parent);
    assert!(said.ends_with("there is no problem.yaml here, but in sum/; give that folder\n"), "{said}");
    std::fs::rename(parent.join("sum/problem.yaml"), parent.join("sum/problem.yml")).unwrap();
    let said = verify(&parent.join("sum"));
    assert!(said.ends_with("there is no problem.yaml; rename problem.yml\n"), "{said}");
}

#[test]
fn a_file_that_is_no_database_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("touchstone.sqlite"), "not a database at all").unwrap();
    let mut create = touchstone(folder.path());
    create.args(["user", "create", "ann", "--role", "judge", "--password-stdin", "--data", "."]);
    let said = complaint(create.write_stdin("long enough\n"));
    assert_eq!(said.matches("file is not a database").count(), 1, "{said}");
}

#[test]
fn a_user_needs_a_good_name_role_and_password() {
    let folder = tempfile::tempdir().unwrap();
    let create = |name: &str, role: &str, password: &str| {
        let mut command = touchstone(folder.path());
        command.args(["user", "create", name, "--role", role, "--password-stdin"]);
        command.write_stdin(format!("{password}\n"));
        command
    };
    assert!(complaint(&mut create("ann", "king", "long enough")).contains("`king` is not a role"));
    assert!(complaint(&mut create("<ann>", "judge", "long enough")).contains("a name has 1 to 40"));
    assert!(complaint(&mut create("ann", "judge", "short")).contains("8 to 200 characters"));
    create("ann", "judge", "long enough").assert().success();
    let said = complaint(&mut create("ann", "judge", "long enough"));
    assert!(said.contains("ann"), "{said}");
}
