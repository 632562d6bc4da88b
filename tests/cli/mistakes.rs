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
