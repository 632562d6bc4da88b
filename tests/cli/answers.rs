//! `touchstone problem answers`.

use serde_json::Value;

use crate::package::{Sum, complaint, stdout, touchstone};

fn answers(sum: &Sum, flags: &[&str], code: i32) -> Value {
    let text = stdout(touchstone(&sum.path()).args(["problem", "answers", "--json"]).args(flags).arg(sum.path()), code);
    serde_json::from_str(&text).unwrap()
}

fn changes(report: &Value) -> Vec<(&str, &str)> {
    let files = report["files"].as_array().unwrap();
    files.iter().map(|file| (file["path"].as_str().unwrap(), file["change"].as_str().unwrap())).collect()
}

#[test]
fn missing_answers_are_made_wrong_ones_refreshed_and_right_ones_left() {
    let sum = Sum::new();
    sum.write("data/sample/1.ans", "  3\n");
    sum.write("data/secret/1.ans", "13\n");
    sum.write("data/secret/2.in", "-1 -1\n");
    let expected = [("data/sample/1.ans", "kept"), ("data/secret/1.ans", "changed"), ("data/secret/2.ans", "new")];
    let report = answers(&sum, &["--check"], 1);
    assert_eq!(changes(&report), expected);
    assert_eq!(report["files"][1]["difference"], "line 1, token 1: expected `12`, got `13`");
    assert!(!sum.path().join("data/secret/2.ans").exists(), "--check changes nothing");
    assert_eq!(changes(&answers(&sum, &[], 0)), expected);
    let read = |name: &str| std::fs::read_to_string(sum.path().join(name)).unwrap();
    assert_eq!((read("data/sample/1.ans"), read("data/secret/1.ans")), ("  3\n".to_owned(), "12\n".to_owned()));
    assert_eq!(read("data/secret/2.ans"), "-2\n");
    assert_eq!(answers(&sum, &["--check"], 0)["files"][2]["change"], "kept");
    let said = stdout(touchstone(&sum.path()).args(["problem", "answers"]).arg(sum.path()), 0);
    assert_eq!(said, "sum: 0 of 3 answer files written\n");
}

#[test]
fn nothing_is_written_unless_all_references_agree_on_valid_inputs() {
    let sum = Sum::new();
    sum.write("data/secret/2.in", "2 2\n");
    sum.write("submissions/accepted/zz.py", "a, b = map(int, input().split())\nprint(a + b + (a == 2))\n");
    let run = |sum: &Sum| complaint(touchstone(&sum.path()).args(["problem", "answers"]).arg(sum.path()));
    let said = run(&sum);
    assert!(said.contains("the references disagree") && said.contains("accepted/zz.py"), "{said}");
    assert!(!sum.path().join("data/secret/2.ans").exists());
    sum.remove("submissions/accepted/zz.py");
    sum.write("data/secret/2.in", "two 2\n");
    let said = run(&sum);
    assert!(said.contains("refuses this input: line 1: not two numbers"), "{said}");
}
