//! `touchstone check`.

use rstest::rstest;

use crate::package::{complaint, stdout, touchstone};

#[rstest]
#[case("1 2 3\n", "1\r\n2 3", &[], 42)]
#[case("Yes\n", "yes\n", &[], 42)]
#[case("Yes\n", "yes\n", &["case_sensitive"], 43)]
#[case("1.0\n", "1.0000001\n", &["float_tolerance", "1e-6"], 42)]
#[case("1.0\n", "1.1\n", &["float_absolute_tolerance", "1e-6"], 43)]
#[case("a b\n", "a  b\n", &["space_change_sensitive"], 43)]
#[case("1\n", "1\n2\n", &[], 43)]
fn outputs_are_compared(#[case] answer: &str, #[case] output: &str, #[case] flags: &[&str], #[case] code: i32) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), answer).unwrap();
    std::fs::write(folder.path().join("o"), output).unwrap();
    let said = stdout(touchstone(folder.path()).args(["check", "a", "o"]).args(flags), code);
    assert_eq!(said.is_empty(), code == 42, "{said}");
}

#[test]
fn mistakes_are_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), "1").unwrap();
    let missing = complaint(touchstone(folder.path()).args(["check", "a", "nothing"]));
    assert!(missing.contains("nothing can't be read"), "{missing}");
    let flag = complaint(touchstone(folder.path()).args(["check", "a", "a", "float_tolerence", "1"]));
    assert!(flag.contains("float_tolerence"), "{flag}");
}
