//! Where a package's programs run: each run in a working folder of its own, with what the format says lies in it and
//! nothing else, and without a trace of another run.

use std::fs;

use serde_json::Value;

use crate::package::{Sum, stdout, touchstone};

/// Looks at every place where a program may write, and leaves a trace in each.
const LOOK: &str = r"
import os, sys
def look(*expected):
    found = sorted(os.listdir('.')), os.listdir('/tmp'), os.listdir('/dev/shm')
    if found != (sorted(expected), [], []): sys.exit(f'in its folders it finds {found}')
    for place in '.', '/tmp', '/dev/shm': open(place + '/trace', 'w').write(str(os.getpid()))
";

fn program(rest: &str) -> String {
    format!("{LOOK}{rest}")
}

/// A package whose programs look around. Tests have files beside them, more than there are slots, so that slots are used
/// again.
fn looking() -> Sum {
    let sum = Sum::new();
    sum.remove("input_validators/two_numbers.py");
    // "the files in the program directory of the input validator in question, and the contents of the .files directory of
    // the test case" (format, "Working directory"). An invalid input has no such folder.
    sum.write(
        "input_validators/two/main.py",
        &program(
            "import re\n\
             table = ['table.txt'] if os.path.exists('table.txt') else []\n\
             look('main.py', 'words.txt', *table)\n\
             assert open('words.txt').read() == 'one two', 'a file that an earlier run has changed'\n\
             open('words.txt', 'a').write(' three')\n\
             sys.exit(42 if re.fullmatch(r'-?\\d+ -?\\d+\\n', sys.stdin.read()) else 43)\n",
        ),
    );
    sum.write("input_validators/two/words.txt", "one two");
    // A second one, which sees neither the first one's files nor its traces.
    sum.write(
        "input_validators/also.py",
        &program(
            "table = ['table.txt'] if os.path.exists('table.txt') else []\nlook('also.py', *table)\nsys.exit(42)\n",
        ),
    );
    // "the files in a program's directory are not included": its feedback folder is its working folder, and empty.
    sum.write(
        "output_validator/check.py",
        &program(
            "look()\nassert os.listdir(sys.argv[3]) == ['trace']\n\
             right = sys.stdin.read().split() == open(sys.argv[2]).read().split()\nsys.exit(42 if right else 43)\n",
        ),
    );
    let reference = program("look('table.txt')\nprint(sum(map(int, input().split())))\n");
    sum.write("submissions/accepted/sum.py", &reference);
    sum.write("submissions/accepted/again.py", &format!("{reference}# the same\n"));
    for (number, name) in ["sample/1", "secret/1", "secret/2", "secret/3", "secret/4"].into_iter().enumerate() {
        sum.write(&format!("data/{name}.in"), &format!("{number} 7\n"));
        sum.write(&format!("data/{name}.ans"), &format!("{}\n", number + 7));
        sum.write(&format!("data/{name}.files/table.txt"), &"x".repeat(number));
    }
    sum.write("data/invalid_input/words.in", "one two\n");
    sum
}

fn verify(sum: &Sum, code: i32) -> Value {
    let text = stdout(touchstone(&sum.path()).args(["problem", "verify", "--json"]).arg(sum.path()), code);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn each_run_has_a_working_folder_of_its_own() {
    let report = verify(&looking(), 0);
    assert_eq!(report["holds"], true, "{report}");
}

/// The look itself would see it: each place that is not as it should be is told.
#[test]
fn a_file_too_much_or_too_few_is_seen() {
    for (path, text, words) in [
        ("input_validators/two/more.txt", "", "more.txt"),
        ("data/secret/3.files/more.txt", "x", "more.txt"),
        ("output_validator/check.py", &*program("look('nothing')\nsys.exit(42)\n"), "in its folders it finds"),
    ] {
        let sum = looking();
        sum.write(path, text);
        let faults = verify(&sum, 1)["faults"].to_string();
        assert!(faults.contains(words), "{path}: {faults}");
    }
}

#[test]
fn names_that_collide_in_a_validators_folder_are_a_fault() {
    let sum = looking();
    sum.write("data/secret/2.files/words.txt", "another");
    let faults = verify(&sum, 1)["faults"].to_string();
    assert!(
        faults.contains("secret/2: words.txt lies in the test's .files folder") && faults.contains("rename one"),
        "{faults}"
    );
}

/// 60 tests with a file of 4 MB beside each: more than may be held in memory.
#[test]
fn files_beside_tests_are_not_held_in_memory() {
    let sum = Sum::new();
    let reference = "size = len(open('large.bin', 'rb').read())\nprint(sum(map(int, input().split())) if size == 4000000 else size)\n";
    sum.write("submissions/accepted/sum.py", reference);
    sum.remove("submissions/accepted/sum.c");
    fs::remove_dir_all(sum.path().join("submissions/wrong_answer")).unwrap();
    fs::remove_dir_all(sum.path().join("submissions/run_time_error")).unwrap();
    fs::remove_dir_all(sum.path().join("data/sample")).unwrap();
    fs::remove_dir_all(sum.path().join("data/secret")).unwrap();
    for number in 0..60 {
        sum.write(&format!("data/secret/{number:02}.in"), &format!("{number} 7\n"));
        sum.write(&format!("data/secret/{number:02}.ans"), &format!("{}\n", number + 7));
        let folder = sum.path().join(format!("data/secret/{number:02}.files"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("large.bin"), vec![b'a' + number; 4_000_000]).unwrap();
    }
    // The most that it, or any program that it started, has had in memory at once.
    let measure = "import resource, subprocess, sys\n\
                   code = subprocess.call(sys.argv[1:])\n\
                   print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)\n\
                   sys.exit(code)\n";
    let mut command = assert_cmd::Command::new("python3");
    command.args(["-c", measure, env!("CARGO_BIN_EXE_touchstone"), "problem", "verify", "--json"]).arg(sum.path());
    let output = command.output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}{words}", String::from_utf8_lossy(&output.stdout));
    let peak_kib: u64 = words.lines().last().unwrap().parse().unwrap();
    assert!(
        peak_kib < 150 << 10,
        "{peak_kib} KiB at once; all files beside the tests are {} KiB",
        60 * 4_000_000 / 1024
    );
}
