//! `touchstone problem stress`.

use serde_json::Value;

use crate::package::{RIGHT, Sum, complaint, stdout, touchstone};

/// A list with its length in front; the answer is its sum.
fn list() -> Sum {
    let sum = Sum::new();
    for name in ["accepted/sum.py", "accepted/sum.c", "wrong_answer/first.py", "run_time_error/crash.c"] {
        sum.remove(&format!("submissions/{name}"));
    }
    for name in ["sample/1.in", "sample/1.ans", "secret/1.in", "secret/1.ans", "invalid_input/words.in"] {
        sum.remove(&format!("data/{name}"));
    }
    sum.write(
        "input_validators/two_numbers.py",
        "import re, sys\ntext = sys.stdin.read()\n\
         if not re.fullmatch(r'[1-9]\\d*\\n(-?\\d+\\n)+', text): sys.exit(43)\n\
         lines = text.split()\nsys.exit(42 if int(lines[0]) == len(lines) - 1 else 43)\n",
    );
    let read = "import sys\nnumbers = list(map(int, sys.stdin.read().split()))[1:]\n";
    sum.write("submissions/accepted/a.py", &format!("{read}print(sum(numbers))\n"));
    sum.write("submissions/accepted/b.py", &format!("{read}t = 0\nfor x in numbers: t += x\nprint(t)\n"));
    sum.write(
        "generators/many.py",
        "import random, sys\nrandom.seed(int(sys.argv[1]))\nn = int(sys.argv[2])\nprint(n)\n\
         for _ in range(n): print(random.randint(-100, 100))\n",
    );
    sum.write("data/secret/1.in", "2\n1\n2\n");
    sum
}

/// Wrong where a number over 50 follows a negative one.
const WRONG: &str = "import sys\nnumbers = list(map(int, sys.stdin.read().split()))[1:]\n\
    print(sum(numbers) + sum(a < 0 and b > 50 for a, b in zip(numbers, numbers[1:])))\n";

#[test]
fn a_wrong_program_is_found_shrunk_and_kept() {
    let list = list();
    let wrong = list.beside("wrong.py", WRONG.as_bytes());
    let run = |flags: &[&str], code: i32| {
        let mut command = touchstone(&list.path());
        command.args(["problem", "stress", "--generator", "many {seed} 12"]).args(flags).arg(list.path()).arg(&wrong);
        stdout(&mut command, code)
    };
    let report: Value = serde_json::from_str(&run(&["--json", "--keep", "small"], 1)).unwrap();
    assert_eq!(report["input"], "2\n-1\n51\n", "{report}");
    assert_eq!((&report["answer"], &report["output"]), (&"50\n".into(), &"51\n".into()));
    assert_eq!(report["verdict"], "WA");
    let kept = std::fs::read_to_string(list.path().join("data/secret/small.in")).unwrap();
    assert_eq!(kept, "2\n-1\n51\n");
    assert_eq!(std::fs::read_to_string(list.path().join("data/secret/small.ans")).unwrap(), "50\n");
    let text = run(&[], 1);
    assert!(text.contains("Wrong answer (WA)") && text.contains("--- output of the program\n51\n"), "{text}");
    let said = complaint(
        touchstone(&list.path())
            .args(["problem", "stress", "--keep", "small", "--generator", "many {seed} 3"])
            .arg(list.path())
            .arg(&wrong),
    );
    assert!(said.contains("is there already"), "{said}");
}

#[test]
fn a_crash_stays_a_crash_and_a_right_program_is_let_go() {
    let list = list();
    let crash = list.beside(
        "crash.py",
        b"import sys\nnumbers = list(map(int, sys.stdin.read().split()))[1:]\nassert 0 not in [x // 10 for x in numbers]\nprint(sum(numbers))\n",
    );
    let stress = |file: &std::path::Path, seconds: &str| {
        let mut command = touchstone(&list.path());
        command.args(["problem", "stress", "--json", "--seconds", seconds, "--generator", "many {seed} 5"]);
        command.arg(list.path()).arg(file);
        command
    };
    let report: Value = serde_json::from_str(&stdout(&mut stress(&crash, "60"), 1)).unwrap();
    assert_eq!((&report["verdict"], &report["input"]), (&"RTE".into(), &"1\n0\n".into()), "{report}");
    let right = list.beside("right.py", b"import sys\nprint(sum(map(int, sys.stdin.read().split()[1:])))\n");
    let report: Value = serde_json::from_str(&stdout(&mut stress(&right, "2"), 0)).unwrap();
    assert!(report["found"] == false && report["inputs"].as_u64().unwrap() > 0, "{report}");
}

#[test]
fn what_can_not_be_searched_is_told() {
    let list = list();
    let right = list.beside("right.py", RIGHT.as_bytes());
    let run = |flags: &[&str]| {
        complaint(touchstone(&list.path()).args(["problem", "stress"]).args(flags).arg(list.path()).arg(&right))
    };
    let said = run(&[]);
    assert!(said.contains("name a generator with --generator"), "{said}");
    let said = run(&["--generator", "few {seed}"]);
    assert!(said.contains("no generator `few`"), "{said}");
    let said = run(&["--generator", "many 1 2"]);
    assert!(said.contains("has no {seed}"), "{said}");
    let said = run(&["--generator", "many {seed} 0"]);
    assert!(said.contains("makes inputs that are not valid"), "{said}");
    let said = run(&["--generator", "many {seed} 2", "--keep", "../x"]);
    assert!(said.contains("can't be a test's name"), "{said}");
    list.write("submissions/accepted/b.py", "print(7)\n");
    let said = run(&["--generator", "many {seed} 2"]);
    assert!(said.contains("the references") && said.contains("disagree"), "{said}");
}

/// The list's numbers are told one at a time, when they are asked for, and the sum is asked at the end.
const ASKS: &str = "import sys\n\
    numbers = open(sys.argv[1]).read().split()[1:]\n\
    for number in [len(numbers)] + numbers:\n\
    \x20   if sys.stdin.readline().strip() != 'next': sys.exit(43)\n\
    \x20   print(number, flush=True)\n\
    right = sys.stdin.readline().strip() == str(sum(map(int, numbers)))\n\
    if right: sys.exit(42)\n\
    open(sys.argv[3] + 'judgemessage.txt', 'w').write('that is not the sum')\nsys.exit(43)\n";

#[test]
fn a_program_that_talks_is_searched_and_its_input_shrunk() {
    let list = list();
    let yaml = std::fs::read_to_string(list.path().join("problem.yaml")).unwrap();
    list.write("problem.yaml", &yaml.replace("type: pass-fail", "type: interactive"));
    list.write("output_validator/ask.py", ASKS);
    list.write("data/secret/1.ans", "");
    let ask =
        "def ask():\n    print('next', flush=True)\n    return int(input())\nnumbers = [ask() for _ in range(ask())]\n";
    list.write("submissions/accepted/a.py", &format!("{ask}print(sum(numbers))\n"));
    list.write("submissions/accepted/b.py", &format!("{ask}t = 0\nfor x in numbers: t += x\nprint(t)\n"));
    let wrong = format!("{ask}print(sum(numbers) + sum(a < 0 and b > 50 for a, b in zip(numbers, numbers[1:])))\n");
    let wrong = list.beside("wrong.py", wrong.as_bytes());
    let stress = |flags: &[&str], code: i32| {
        let mut command = touchstone(&list.path());
        command.args(["problem", "stress", "--seconds", "300", "--generator", "many {seed} 6"]).args(flags);
        stdout(command.arg(list.path()).arg(&wrong), code)
    };
    let report: Value = serde_json::from_str(&stress(&["--json", "--keep", "small"], 1)).unwrap();
    assert_eq!(report["input"], "2\n-1\n51\n", "{report}");
    assert_eq!((&report["verdict"], &report["message"]), (&"WA".into(), &"that is not the sum".into()));
    assert!(report["answer"].is_null() && report["output"].is_null(), "{report}");
    let kept = std::fs::read_to_string(list.path().join("data/secret/small.in")).unwrap();
    assert_eq!(kept, "2\n-1\n51\n");
    assert_eq!(std::fs::read_to_string(list.path().join("data/secret/small.ans")).unwrap(), "");
    list.write("submissions/accepted/b.py", &format!("{ask}print(7)\n"));
    let mut command = touchstone(&list.path());
    command.args(["problem", "stress", "--generator", "many {seed} 6"]).arg(list.path()).arg(&wrong);
    let said = complaint(&mut command);
    assert!(said.contains("the reference accepted/b.py gets wrong answer: that is not the sum"), "{said}");
}

/// In the first pass the list, in the second the sum of the first.
const TWICE: &str = "import os, sys\n\
    numbers = list(map(int, open(sys.argv[1]).read().split()[1:]))\n\
    feedback = sys.argv[3]\n\
    got = sys.stdin.read().strip()\n\
    second = os.path.exists(feedback + 'first')\n\
    if not second and got == str(sum(numbers)):\n\
    \x20   open(feedback + 'first', 'w').close()\n\
    \x20   open(feedback + 'nextpass.in', 'w').write(f'1\\n{sum(numbers)}\\n')\n\
    \x20   sys.exit(42)\n\
    sys.exit(42 if second and got == str(sum(numbers)) else 43)\n";

#[test]
fn a_program_of_several_passes_is_searched() {
    let list = list();
    let yaml = std::fs::read_to_string(list.path().join("problem.yaml")).unwrap();
    list.write("problem.yaml", &yaml.replace("type: pass-fail", "type: multi-pass"));
    list.write("output_validator/twice.py", TWICE);
    list.write("data/secret/1.ans", "");
    // Wrong only on a list of one number over 90, which the second pass is.
    let wrong = "import sys\nnumbers = list(map(int, sys.stdin.read().split()))[1:]\n\
        print(sum(numbers) + (len(numbers) == 1 and numbers[0] > 90))\n";
    let wrong = list.beside("wrong.py", wrong.as_bytes());
    let mut command = touchstone(&list.path());
    command.args(["problem", "stress", "--json", "--seconds", "300", "--generator", "many {seed} 6"]);
    command.arg(list.path()).arg(&wrong);
    let report: Value = serde_json::from_str(&stdout(&mut command, 1)).unwrap();
    assert_eq!((&report["verdict"], &report["message"]), (&"WA".into(), &"in pass 2".into()), "{report}");
    let input = report["input"].as_str().unwrap();
    let sum: i64 = input.lines().skip(1).map(|line| line.parse::<i64>().unwrap()).sum();
    assert_eq!(sum, 91, "no smaller sum goes wrong: {report}");
}
