//! Programs of a package other than plain sources: with `build` and `run`, several output validators, testlib's.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::package::{Sum, complaint, stdout, touchstone};

fn verify(sum: &Sum, code: i32) -> Value {
    let text = stdout(touchstone(&sum.path()).args(["problem", "verify", "--json"]).arg(sum.path()), code);
    serde_json::from_str(&text).unwrap()
}

fn executable(sum: &Sum, name: &str, text: &str) {
    sum.write(name, text);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(sum.path().join(name), mode).unwrap();
}

/// Reads two numbers, with a bound that another file of the folder says.
const SMALL: &str = "#include <stdio.h>\n#include \"bound.h\"\n\
    int main(void) { long a, b; if (scanf(\"%ld%ld\", &a, &b) != 2 || a > BOUND) { fputs(\"too large\", stderr); return 43; } return 42; }\n";

#[test]
fn a_validator_is_built_by_its_script() {
    let sum = Sum::new();
    executable(
        &sum,
        "input_validators/small/build",
        "#!/bin/sh\nset -e\npython3 make.py > bound.h\ncc -o run lib/small.c -I .\n",
    );
    sum.write("input_validators/small/make.py", "print('#define BOUND', 9)\n");
    sum.write("input_validators/small/lib/small.c", SMALL);
    assert_eq!(verify(&sum, 0)["holds"], true);
    sum.write("data/secret/2.in", "10 1\n");
    let said = verify(&sum, 1)["faults"].to_string();
    assert!(said.contains("the input validator small refuses this input: too large"), "{said}");
}

#[test]
fn a_run_script_is_the_program_and_finds_what_lies_beside_it() {
    let sum = Sum::new();
    executable(&sum, "output_validator/run", "#!/bin/sh\nexec python3 \"$(dirname \"$0\")/check.py\" \"$@\"\n");
    sum.write(
        "output_validator/check.py",
        "import sys\nwanted = open(sys.argv[2]).read().split()\n\
         sys.exit(42 if sys.stdin.read().split()[-1:] == wanted else 43)\n",
    );
    sum.write("submissions/accepted/chatty.py", "print('the sum is', sum(map(int, input().split())))\n");
    assert_eq!(verify(&sum, 0)["rows"].as_array().unwrap().len(), 5);
}

#[test]
fn what_is_wrong_with_a_script_is_told() {
    let cases = [
        (
            "#!/bin/sh\necho no compiler here >&2\nexit 3\n",
            "input_validators/v/build ends with exit code 3\\nno compiler here",
        ),
        ("#!/bin/sh\ntrue\n", "input_validators/v/build made no `run`"),
        ("#!/bin/sh\necho 'exit 42' > run\n", "input_validators/v/build made a `run` that may not be executed"),
    ];
    for (script, sentence) in cases {
        let sum = Sum::new();
        executable(&sum, "input_validators/v/build", script);
        let said = verify(&sum, 1)["faults"].to_string();
        assert!(said.contains(sentence), "{said}");
    }
    let sum = Sum::new();
    executable(&sum, "submissions/accepted/own/run", "#!/bin/sh\necho 3\n");
    let said = complaint(touchstone(&sum.path()).args(["problem", "verify"]).arg(sum.path()));
    assert!(said.contains("submissions/accepted/own/run: submissions can't bring `build` or `run` scripts"), "{said}");
}

/// The package in format `legacy`, with two output validators: the number must be right, and stand alone.
fn with_two_validators() -> Sum {
    let sum = Sum::new();
    for name in ["problem.yaml", "statement/problem.en.md", "data/invalid_input/words.in"] {
        sum.remove(name);
    }
    sum.write("problem.yaml", "name: Sum\nvalidation: custom\nlimits:\n  time_limit: 2\n");
    sum.write("problem_statement/problem.en.md", "Print the sum of two numbers.\n");
    sum.write(
        "output_validators/right.py",
        "import sys\nwanted = open(sys.argv[2]).read().strip()\nsys.exit(42 if wanted in sys.stdin.read().split() else 43)\n",
    );
    sum.write(
        "output_validators/alone.py",
        "import sys\nif len(sys.stdin.read().split()) == 1: sys.exit(42)\n\
         open(sys.argv[3] + 'judgemessage.txt', 'w').write('more than one word')\nsys.exit(43)\n",
    );
    sum
}

#[test]
fn every_output_validator_must_accept() {
    let sum = with_two_validators();
    sum.write("submissions/wrong_answer/chatty.py", "print('it is', sum(map(int, input().split())))\n");
    assert_eq!(verify(&sum, 0)["rows"].as_array().unwrap().len(), 5);
    sum.write("submissions/accepted/chatty.py", "print('it is', sum(map(int, input().split())))\n");
    let said = verify(&sum, 1)["faults"].to_string();
    assert!(said.contains("accepted/chatty.py") && said.contains("more than one word"), "{said}");
}

#[test]
fn several_output_validators_must_not_have_to_share_a_voice() {
    let sum = with_two_validators();
    sum.write("problem.yaml", "name: Sum\nvalidation: custom interactive\nlimits:\n  time_limit: 2\n");
    let said = complaint(touchstone(&sum.path()).args(["problem", "verify"]).arg(sum.path()));
    assert!(said.contains("of several output validators (alone, right) it is not defined who talks"), "{said}");
}
