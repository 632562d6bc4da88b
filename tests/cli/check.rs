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

#[rstest]
#[case::case_counts(&["case_sensitive"], "A\n", "A\n", "a\n")]
#[case::space_counts(&["space_change_sensitive"], "a b\n", "A b\n", "a  b\n")]
#[case::absolute(&["float_absolute_tolerance", "0.5"], "10\n", "10.5\n", "10.51\n")]
#[case::relative(&["float_relative_tolerance", "0.1"], "10\n", "11.0\n", "11.1\n")]
#[case::both(&["float_tolerance", "1e-2"], "0 1000\n", "0.01 1010\n", "0.011 1000\n")]
#[case::together(
    &["case_sensitive", "space_change_sensitive", "float_absolute_tolerance", "1", "float_relative_tolerance", "0"],
    "X 1\n",
    "X 2.0\n",
    "x 1\n"
)]
fn every_flag_accepts_and_rejects(
    #[case] flags: &[&str],
    #[case] answer: &str,
    #[case] right: &str,
    #[case] wrong: &str,
) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), answer).unwrap();
    for (output, code) in [(right, 42), (wrong, 43)] {
        std::fs::write(folder.path().join("o"), output).unwrap();
        let said = stdout(touchstone(folder.path()).args(["check", "a", "o", "--json"]).args(flags), code);
        let json: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(json["accepted"], code == 42, "{said}");
        assert_eq!(json["difference"].is_string(), code == 43, "{said}");
    }
}

#[rstest]
#[case::no_value(&["float_tolerance"], "needs a number")]
#[case::negative(&["float_tolerance", "-1"], "at least 0")]
#[case::no_number(&["float_absolute_tolerance", "nan"], "`nan` can't be the tolerance")]
#[case::twice(&["float_relative_tolerance", "1", "float_tolerance", "1"], "set already")]
fn flags_that_can_not_be_taken_are_a_fault_and_no_verdict(#[case] flags: &[&str], #[case] sentence: &str) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), "1").unwrap();
    let said = complaint(touchstone(folder.path()).args(["check", "a", "a"]).args(flags));
    assert!(said.contains(sentence), "{said}");
}
