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
    assert!(table.ends_with("sum: holds, 2 tests\n"), "{table}");
    let (_, matrix) = table.split_once("which test rejects which wrong program:\n").unwrap();
    assert!(matrix.contains("wrong_answer/first.py   WA  WA\n"), "{table}");
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

/// Accepts every output that has the answer's number in it, and says what it looked for.
const CONTAINS: &str = "import sys\n\
    wanted = open(sys.argv[2]).read().split()\n\
    if set(wanted) <= set(sys.stdin.read().split()): sys.exit(42)\n\
    open(sys.argv[3] + 'judgemessage.txt', 'w').write('there is no ' + wanted[0])\n\
    sys.exit(43)\n";

fn with_own_validator() -> Sum {
    let sum = Sum::new();
    sum.write("output_validator/contains.py", CONTAINS);
    sum.write("data/valid_output/more.in", "1 2\n");
    sum.write("data/valid_output/more.ans", "3\n");
    sum.write("data/valid_output/more.out", "it is 3\n");
    sum.write("data/invalid_output/less.in", "1 2\n");
    sum.write("data/invalid_output/less.ans", "3\n");
    sum.write("data/invalid_output/less.out", "it is 4\n");
    sum
}

#[test]
fn a_package_with_its_own_output_validator_is_verified_by_it() {
    let sum = with_own_validator();
    sum.write("submissions/accepted/chatty.py", "print('the sum is', sum(map(int, input().split())))\n");
    sum.write("submissions/submissions.yaml", "wrong_answer/first.py:\n  message: there is no 12\n");
    assert_eq!(verify(&sum, 0)["rows"].as_array().unwrap().len(), 5);
    sum.write("submissions/submissions.yaml", "wrong_answer/first.py:\n  message: there is no 13\n");
    assert!(faults(&verify(&sum, 1)).contains("no judge message says `there is no 13`"));
}

#[test]
fn planted_outputs_must_get_what_they_are_planted_for() {
    let sum = with_own_validator();
    sum.write("data/valid_output/more.out", "it is 4\n");
    sum.write("data/invalid_output/less.out", "it is 3\n");
    let text = faults(&verify(&sum, 1));
    assert!(text.contains("data/valid_output/more.out: this output must be accepted: there is no 3"), "{text}");
    assert!(text.contains("data/invalid_output/less.out: this output must be rejected, and it is accepted"), "{text}");
    sum.write("data/valid_output/more.in", "one two\n");
    let text = faults(&verify(&sum, 1));
    assert!(text.contains("its input must be valid, but two_numbers refuses it"), "{text}");
    let default = Sum::new();
    default.write("data/invalid_output/spaces.in", "1 2\n");
    default.write("data/invalid_output/spaces.ans", "3\n");
    default.write("data/invalid_output/spaces.out", "  3\n");
    let text = faults(&verify(&default, 1));
    assert!(text.contains("spaces.out: this output must be rejected, and it is accepted"), "{text}");
}

#[test]
fn an_output_validator_that_fails_is_told_with_its_words() {
    let sum = with_own_validator();
    sum.write("output_validator/contains.py", "import sys\nsys.exit('out of order')\n");
    let text = faults(&verify(&sum, 1));
    assert!(text.contains("the output validator exited with code 1: out of order"), "{text}");
}

#[test]
fn every_validator_is_asked() {
    let sum = Sum::new();
    let folder = ["input_validators/small/small.cpp", "input_validators/small/testlib.h"];
    let source = "#include \"testlib.h\"\nint main() { int a; if (scanf(\"%d\", &a) != 1 || a > 9) { fputs(\"FAIL too large\", stderr); return 3; } return 0; }\n";
    sum.write(folder[0], source);
    sum.write(folder[1], "#include <cstdio>\n");
    assert_eq!(verify(&sum, 0)["holds"], true, "0 is testlib's word for valid");
    sum.write("data/secret/2.in", "10 1\n");
    let text = faults(&verify(&sum, 1));
    assert!(text.contains("the input validator small refuses this input: FAIL too large"), "{text}");
}

#[test]
fn a_scoring_package_is_judged_by_its_groups() {
    let sum = Sum::new();
    let yaml = std::fs::read_to_string(sum.path().join("problem.yaml")).unwrap();
    sum.write("problem.yaml", &yaml.replace("type: pass-fail", "type: scoring"));
    sum.remove("data/secret/1.in");
    sum.remove("data/secret/1.ans");
    for (group, points, input) in [("a", 30, "1 0\n"), ("b", 70, "5 7\n")] {
        sum.write(&format!("data/secret/{group}/test_group.yaml"), &format!("max_score: {points}\n"));
        sum.write(&format!("data/secret/{group}/1.in"), input);
    }
    sum.write("submissions/submissions.yaml", "wrong_answer/first.py:\n  score: 30\naccepted:\n  score: 100\n");
    sum.write("data/secret/a/1.ans", "1\n");
    sum.write("data/secret/b/1.ans", "12\n");
    verify(&sum, 0);
    sum.write("submissions/submissions.yaml", "wrong_answer/first.py:\n  score: 40\n");
    let text = faults(&verify(&sum, 1));
    assert!(text.contains("the submission gets 30, not 40 to 40"), "{text}");
    let partly = sum.beside("first.py", b"print(input().split()[0])\n");
    let text = stdout(touchstone(&sum.path()).arg("judge").arg(sum.path()).arg(partly).arg("--json"), 0);
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["submissions"][0]["score"], 30.0, "{text}");
}

#[test]
fn an_interactive_package_is_verified() {
    let sum = Sum::new();
    let yaml = std::fs::read_to_string(sum.path().join("problem.yaml")).unwrap();
    sum.write("problem.yaml", &yaml.replace("type: pass-fail", "type: interactive"));
    // The program gets one number only after it has asked for it.
    sum.write(
        "output_validator/ask.py",
        "import sys\nnumbers = open(sys.argv[1]).read().split()\n\
         for number in numbers:\n    if sys.stdin.readline().strip() != 'next': sys.exit(43)\n    print(number, flush=True)\n\
         sys.exit(42 if sys.stdin.readline().strip() == str(sum(map(int, numbers))) else 43)\n",
    );
    let ask = "def ask():\n    print('next', flush=True)\n    return int(input())\n";
    sum.remove("submissions/accepted/sum.c");
    sum.write("submissions/accepted/sum.py", &format!("{ask}print(ask() + ask())\n"));
    sum.write("submissions/accepted/other.py", &format!("{ask}a = ask()\nprint(a - -ask())\n"));
    sum.write("submissions/wrong_answer/first.py", &format!("{ask}a = ask()\nprint(a - ask())\n"));
    verify(&sum, 0);
}
