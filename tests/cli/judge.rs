//! `touchstone judge`.

use serde_json::Value;

use crate::package::{RIGHT, Sum, complaint, stdout, touchstone};

#[test]
fn files_and_folders_are_judged_and_told_as_json() {
    let sum = Sum::new();
    let right = sum.beside("right.py", RIGHT.as_bytes());
    let wrong = sum.beside("wrong.c", b"#include <stdio.h>\nint main(void) { puts(\"3\"); return 0; }\n");
    let broken = sum.beside("broken.c", b"int main(void) { return x; }\n");
    let folder = sum.beside("x", b"").with_file_name("several");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("main.py"), "import other\nother.run()\n").unwrap();
    std::fs::write(folder.join("other.py"), format!("def run():\n    {RIGHT}")).unwrap();
    let text = stdout(
        touchstone(&sum.path()).arg("judge").arg(sum.path()).args([&right, &wrong, &broken, &folder]).arg("--json"),
        0,
    );
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["problem"], "sum");
    let submissions = json["submissions"].as_array().unwrap();
    let verdicts: Vec<&str> = submissions.iter().map(|one| one["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["AC", "WA", "CE", "AC"], "{text}");
    let languages: Vec<&str> = submissions.iter().map(|one| one["language"].as_str().unwrap()).collect();
    assert_eq!(languages, ["python3", "c17", "c17", "python3"]);
    assert_eq!(submissions[0]["files"][0], right.display().to_string());
    assert_eq!(submissions[3]["files"].as_array().unwrap().len(), 2);
    let runs = submissions[1]["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2, "the sample is right by chance, the secret test is not: {text}");
    assert_eq!((&runs[0]["test"], &runs[0]["verdict"]), (&"sample/1".into(), &"AC".into()));
    assert_eq!((&runs[1]["test"], &runs[1]["verdict"]), (&"secret/1".into(), &"WA".into()));
    for field in ["cpu_ms", "wall_ms", "memory_bytes"] {
        assert!(runs[0][field].is_u64(), "{text}");
    }
    assert!(submissions[0]["memory_bytes"].as_u64().unwrap() > 0);
    assert!(submissions[2]["message"].as_str().unwrap().contains("broken.c:1:"), "{text}");
    assert_eq!(submissions[2]["runs"], Value::Array(vec![]));
}

#[test]
fn people_get_a_table_and_the_language_can_be_named() {
    let sum = Sum::new();
    let odd = sum.beside("odd.txt", RIGHT.as_bytes());
    let said = stdout(touchstone(&sum.path()).arg("judge").arg(sum.path()).arg(odd).args(["--language", "python3"]), 0);
    assert!(said.starts_with("AC "), "{said}");
    assert!(said.contains("python3"), "{said}");
}

#[test]
fn the_packages_own_rules_about_code_are_kept() {
    let sum = Sum::new();
    let right = sum.beside("right.py", RIGHT.as_bytes());
    let yaml = std::fs::read_to_string(sum.path().join("problem.yaml")).unwrap();
    let judge = || {
        let mut command = touchstone(&sum.path());
        command.arg("judge").arg(sum.path()).arg(&right);
        command
    };
    sum.write("problem.yaml", &format!("{yaml}languages: [c, cpp]\n"));
    let said = complaint(&mut judge());
    assert!(said.contains("does not take the language `python3`; it takes c, cpp"), "{said}");
    let c = sum.beside(
        "right.cpp",
        b"#include <cstdio>\nint main() { int a, b; scanf(\"%d%d\", &a, &b); printf(\"%d\", a + b); }\n",
    );
    let said = stdout(touchstone(&sum.path()).arg("judge").arg(sum.path()).arg(c), 0);
    assert!(said.starts_with("AC "), "a code stands for all its standards: {said}");
    sum.write("problem.yaml", &format!("{yaml}  code: 1\n"));
    assert!(stdout(&mut judge(), 0).starts_with("AC "));
    std::fs::write(&right, format!("{RIGHT}#{}\n", "x".repeat(1_000))).unwrap();
    let said = complaint(&mut judge());
    assert!(said.contains("bytes of code; the problem takes at most 1024"), "{said}");
}

#[test]
fn included_files_arguments_and_files_of_a_test_reach_the_submission() {
    let sum = Sum::new();
    for name in ["sample/1.ans", "secret/1.ans"] {
        sum.remove(&format!("data/{name}"));
    }
    for name in ["accepted/sum.py", "accepted/sum.c", "run_time_error/crash.c"] {
        sum.remove(&format!("submissions/{name}"));
    }
    // The submission has only a function; the driver calls it with the test's own numbers.
    sum.write("include/python3/main.py", "import sys, solve\nprint(solve.add(*map(int, input().split())) + int(sys.argv[1]) + int(open('extra.txt').read()))\n");
    sum.write("data/secret/1.yaml", "args: ['100']\n");
    sum.write("data/secret/1.files/extra.txt", "1000\n");
    sum.write("data/sample/1.yaml", "args: ['0']\n");
    sum.write("data/sample/1.files/extra.txt", "0\n");
    sum.write("data/secret/1.ans", "1112\n");
    sum.write("data/sample/1.ans", "3\n");
    sum.write("submissions/accepted/solve/solve.py", "def add(a, b): return a + b\n");
    sum.write("submissions/accepted/other/solve.py", "def add(a, b): return b - -a\n");
    sum.write("submissions/wrong_answer/first.py", "");
    sum.remove("submissions/wrong_answer/first.py");
    sum.write("submissions/wrong_answer/first/solve.py", "def add(a, b): return a + 2\n");
    sum.write(
        "input_validators/two_numbers.py",
        "import re, sys\nassert open('extra.txt') and int(sys.argv[1]) >= 0\n\
         sys.exit(42 if re.fullmatch(r'\\d+ \\d+\\n', sys.stdin.read()) else 43)\n",
    );
    sum.remove("data/invalid_input/words.in");
    let mine = sum.beside("solve.py", b"def add(a, b): return sum((a, b))\n");
    let said = stdout(touchstone(&sum.path()).arg("judge").arg(sum.path()).arg(mine), 0);
    assert!(said.starts_with("AC "), "{said}");
    stdout(touchstone(&sum.path()).args(["problem", "verify"]).arg(sum.path()), 0);
}
