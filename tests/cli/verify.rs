//! `touchstone problem verify`.

use serde_json::Value;

use crate::package::{Sum, complaint, stdout, touchstone};

fn verify(sum: &Sum, code: i32) -> Value {
    let text = stdout(touchstone(&sum.path()).args(["problem", "verify", "--json"]).arg(sum.path()), code);
    serde_json::from_str(&text).unwrap()
}

/// All faults as text.
fn faults(report: &Value) -> String {
    report["faults"].to_string()
}

#[test]
fn a_sound_package_holds() {
    let sum = Sum::new();
    let report = verify(&sum, 0);
    assert_eq!(report["holds"], true);
    assert_eq!(report["rows"].as_array().unwrap().len(), 4);
    let table = stdout(touchstone(&sum.path()).args(["problem", "verify"]).arg(sum.path()), 0);
    assert!(table.contains("sum: holds, 2 tests"), "{table}");
}

#[test]
fn a_program_that_does_not_get_what_it_promises_is_a_fault() {
    let sum = Sum::new();
    sum.write("submissions/wrong_answer/right.py", "print(sum(map(int, input().split())))\n");
    let report = verify(&sum, 1);
    assert!(faults(&report).contains("wrong_answer/right.py"), "{report}");
    let comment = Sum::new();
    comment.write("submissions/mixed/odd.py", "# @EXPECTED_RESULTS@: RUN-ERROR\nprint(input().split()[0])\n");
    assert!(faults(&verify(&comment, 1)).contains("mixed/odd.py"));
    comment.write("submissions/mixed/odd.py", "# @EXPECTED_RESULTS@: RUN-ERROR\nraise SystemExit(7)\n");
    verify(&comment, 0);
}

#[test]
fn an_input_that_the_validator_refuses_is_told_with_its_words() {
    let sum = Sum::new();
    sum.write("data/secret/2.in", "5\n");
    let report = verify(&sum, 1);
    assert!(faults(&report).contains("line 1: not two numbers"), "{report}");
}

#[test]
fn an_invalid_input_that_is_taken_is_a_fault() {
    let sum = Sum::new();
    sum.write("data/invalid_input/fine.in", "1 2\n");
    assert!(faults(&verify(&sum, 1)).contains("invalid_input/fine"));
}

#[test]
fn references_that_disagree_are_told_with_the_first_difference() {
    let sum = Sum::new();
    sum.write("submissions/accepted/sum.py", "print(3)\n");
    let report = verify(&sum, 1);
    let text = faults(&report);
    assert!(text.contains("references disagree") && text.contains("12"), "{text}");
}

#[test]
fn an_answer_that_is_not_the_references_is_a_fault() {
    let sum = Sum::new();
    sum.write("data/sample/1.ans", "4\n");
    let text = faults(&verify(&sum, 1));
    assert!(text.contains("data/sample/1.ans"), "{text}");
}

#[test]
fn a_package_that_can_not_be_read_ends_with_2() {
    let sum = Sum::new();
    sum.remove("problem.yaml");
    let said = complaint(touchstone(&sum.path()).args(["problem", "verify"]).arg(sum.path()));
    assert!(said.contains("problem.yaml"), "{said}");
}
