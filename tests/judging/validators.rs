//! Output validators of packages: the format's protocol, testlib's, and what becomes of their words.

use std::sync::Arc;

use rstest::rstest;
use touchstone::domain::limits::Limits;
use touchstone::domain::verdict::Verdict;
use touchstone::grading::feedback::{Expected, Points};
use touchstone::grading::validator::Protocol;
use touchstone::judge::custom_validator::CustomValidator;
use touchstone::judge::fault::JudgeFault;
use touchstone::judge::program::{BuiltProgram, WorkFile};
use touchstone::judge::run_test::{Checker, Headroom, RunResult, TestData, run_test};

use crate::bench::{BENCH, data, limits};

const TESTLIB: &str = include_str!("testlib_stand_in.h");

/// Prints what it reads.
const ECHO: &str = "import sys\nsys.stdout.write(sys.stdin.read())\n";

fn validator(program: Arc<BuiltProgram>, protocol: Protocol, expected: Expected, passes: u64) -> CustomValidator {
    let limits =
        Limits { cpu_ms: 1_000, wall_ms: 3_000, memory_bytes: 256 << 20, output_bytes: 1 << 20, processes: 64 };
    CustomValidator { program, protocol, interactive: false, passes, expected, limits, further: Vec::new() }
}

fn icpc(source: &str) -> CustomValidator {
    validator(BENCH.build("python3", &[("check.py", source)]), Protocol::Icpc, Expected::default(), 1)
}

fn testlib(body: &str) -> CustomValidator {
    let check = format!(
        "#include \"testlib.h\"\nint main(int argc, char **argv) {{\n    registerTestlibCmd(argc, argv);\n{body}\n}}\n"
    );
    let files = [("check.cpp", check.as_str()), ("testlib.h", TESTLIB)];
    let protocol = Protocol::of_sources(files.iter().map(|(name, text)| (*name, text.as_bytes())));
    validator(BENCH.build("cpp17", &files), protocol, Expected { points: true, passes: false }, 1)
}

fn run(
    program: &str,
    validator: &CustomValidator,
    args: &[String],
    input: &[u8],
    answer: &[u8],
) -> Result<RunResult, JudgeFault> {
    let program = BENCH.build("python3", &[("a.py", program)]);
    let (input, answer) = (BENCH.file(input), BENCH.file(answer));
    let test = data(&input, &answer, Checker::Custom { validator, args });
    run_test(&BENCH.workshop, &program, test, &limits(), Headroom::Judging, 1_000_000)
}

/// Accepts any order of the answer's numbers, and says why not.
const ANY_ORDER: &str = r#"
import os, sys
input_file, answer_file, feedback = sys.argv[1:4]
assert feedback.endswith("/") and os.path.isdir(feedback)
wanted = sorted(open(answer_file).read().split())
got = sorted(sys.stdin.read().split())
if got == wanted: sys.exit(42)
open(feedback + "judgemessage.txt", "w").write(f"wanted {wanted} for {open(input_file).read().strip()}, got {got}\n")
open(feedback + "teammessage.txt", "w").write("Look at the numbers again.\n")
sys.exit(43)
"#;

#[test]
fn a_validator_sees_input_answer_and_output_and_its_words_go_where_they_may() {
    let validator = icpc(ANY_ORDER);
    let right = run("print(*reversed(input().split()))", &validator, &[], b"1 2 3\n", b"1 2 3\n").unwrap();
    assert_eq!((right.verdict, right.message.as_str(), right.difference), (Verdict::Accepted, "", None));
    let wrong = run("print(4)", &validator, &[], b"1 2 3\n", b"1 2 3\n").unwrap();
    assert_eq!(wrong.verdict, Verdict::WrongAnswer);
    assert_eq!(wrong.message, "Look at the numbers again.");
    assert_eq!(wrong.difference.as_deref(), Some("wanted ['1', '2', '3'] for 1 2 3, got ['4']"));
}

#[test]
fn a_program_that_fails_by_itself_is_not_shown_to_the_validator() {
    let validator = icpc("import sys\nsys.exit(42)");
    let crashed = run("print(1)\nraise SystemExit(3)", &validator, &[], b"", b"").unwrap();
    assert_eq!(crashed.verdict, Verdict::RunTimeError);
}

#[rstest]
#[case::exit_0("import sys\nsys.exit(0)", "exited with code 0")]
#[case::exit_1("import sys\nsys.exit('the answer is 17')", "exited with code 1: the answer is 17")]
#[case::crash("import os\nos.abort()", "was ended by SIGABRT")]
#[case::endless("while True: pass", "took too long")]
#[case::flood("import sys\nwhile True: print('x' * 1000)", "wrote too much")]
#[case::too_much_memory("x = [0] * 10**9", "used too much memory")]
#[case::words_of_the_judge_message(
    "import sys\nopen(sys.argv[3] + 'judgemessage.txt', 'w').write('no such case')\nsys.exit(7)",
    "exited with code 7: no such case"
)]
#[case::another_pass_where_there_are_none(
    "import sys\nopen(sys.argv[3] + 'nextpass.in', 'w').write('1')\nsys.exit(42)",
    "not multi-pass"
)]
fn a_validator_that_fails_is_a_fault_of_ours_with_its_words(#[case] source: &str, #[case] words: &str) {
    let fault = run(ECHO, &icpc(source), &[], b"1\n", b"1\n").unwrap_err();
    assert!(matches!(&fault, JudgeFault::Problem(sentence) if sentence.contains(words)), "{fault}");
}

#[test]
fn arguments_come_after_the_three_and_bytes_stay_bytes() {
    let source = "import sys\nok = sys.argv[4:] == ['a b', '--c'] and sys.stdin.buffer.read() == b'\\0\\xff\\r\\n'\nsys.exit(42 if ok else 43)";
    let program = "import sys\nsys.stdout.buffer.write(b'\\0\\xff\\r\\n')";
    let args = ["a b".to_owned(), "--c".to_owned()];
    assert_eq!(run(program, &icpc(source), &args, b"", b"").unwrap().verdict, Verdict::Accepted);
}

#[test]
fn a_validator_can_change_nothing_and_sees_no_other_file() {
    let source = r#"
import os, sys
for path in sys.argv[1:3]:
    try:
        open(path, "w")
        sys.exit(43)
    except OSError: pass
sys.exit(42 if sorted(os.listdir("/test")) == ["answer", "input"] and os.listdir(sys.argv[3]) == [] else 43)
"#;
    assert_eq!(run(ECHO, &icpc(source), &[], b"1", b"1").unwrap().verdict, Verdict::Accepted);
}

#[rstest]
#[case::right("5\n", Ok((Verdict::Accepted, None)))]
#[case::wrong("6\n", Ok((Verdict::WrongAnswer, None)))]
#[case::presentation("\n", Ok((Verdict::WrongAnswer, None)))]
#[case::early_end("-4\n", Ok((Verdict::WrongAnswer, None)))]
#[case::partly("-8\n", Ok((Verdict::WrongAnswer, None)))]
#[case::points("-7\n", Ok((Verdict::Accepted, Some(Points::Score(2.5)))))]
#[case::failure("-3\n", Err("exited with code 3: FAIL the jury has no answer"))]
#[case::no_protocol("-9\n", Err("exited with code 9"))]
fn testlib_checkers_by_their_exit_codes(
    #[case] output: &str,
    #[case] expected: Result<(Verdict, Option<Points>), &str>,
) {
    let checker = testlib(
        r#"    int got = ouf.readInt(), wanted = ans.readInt();
    if (got == -3) quitf(_fail, "the jury has no answer");
    if (got == -4) quitf(_unexpected_eof, "more");
    if (got == -7) quitf(_points, "2.5 half of it");
    if (got == -8) quitf(_partially, "some");
    if (got == -9) exit(9);
    if (got != wanted || inf.readInt() != 5) quitf(_wa, "expected %d, found %d", wanted, got);
    quitf(_ok, "%d is right", got);"#,
    );
    assert_eq!(checker.protocol, Protocol::Testlib);
    let found = run(&format!("print({output:?}, end='')"), &checker, &[], b"5\n", b"5\n");
    match (found, expected) {
        (Ok(result), Ok((verdict, points))) => {
            assert_eq!((result.verdict, result.points), (verdict, points), "{result:?}");
            assert_eq!(result.message, "", "a checker's words may quote the answer: {result:?}");
            assert!(result.difference.is_some(), "{result:?}");
        }
        (Err(JudgeFault::Problem(sentence)), Err(words)) => assert!(sentence.contains(words), "{sentence}"),
        (found, expected) => panic!("{found:?} instead of {expected:?}"),
    }
}

#[test]
fn points_come_from_the_feedback_folder() {
    let source = "import sys\nopen(sys.argv[3] + sys.stdin.readline().strip(), 'w').write('0.5')\nsys.exit(42)";
    let program = BENCH.build("python3", &[("check.py", source)]);
    let scoring = validator(program, Protocol::Icpc, Expected { points: true, passes: false }, 1);
    let result = run("print('score.txt')", &scoring, &[], b"", b"").unwrap();
    assert_eq!(result.points, Some(Points::Score(0.5)));
    let result = run("print('score_multiplier.txt')", &scoring, &[], b"", b"").unwrap();
    assert_eq!(result.points, Some(Points::Multiplier(0.5)));
}

/// Asks for one pass after the other, each with the last output and one more, until it is 3; keeps a file between.
const COUNTING: &str = r#"
import sys
feedback = sys.argv[3]
assert open(sys.argv[1]).read() == "0\n", "the input is the test's in every pass"
open(feedback + "judgemessage.txt", "a").write("pass\n")
passes = open(feedback + "judgemessage.txt").read().count("pass")
number = int(sys.stdin.read())
if number != passes: sys.exit(43)
if number < 3: open(feedback + "nextpass.in", "w").write(f"{number}\n")
sys.exit(42)
"#;

fn counting(passes: u64) -> CustomValidator {
    let expected = Expected { points: false, passes: true };
    validator(BENCH.build("python3", &[("check.py", COUNTING)]), Protocol::Icpc, expected, passes)
}

#[test]
fn a_multi_pass_program_is_run_until_the_validator_is_content() {
    let right = run("print(int(input()) + 1)", &counting(3), &[], b"0\n", b"").unwrap();
    assert_eq!(right.verdict, Verdict::Accepted);
    assert_eq!(right.difference.as_deref(), Some("pass\npass\npass"), "the folder stays between passes");
    let wrong = run("n = int(input())\nprint(n + 1 if n < 1 else 9)", &counting(3), &[], b"0\n", b"").unwrap();
    assert_eq!((wrong.verdict, wrong.message.as_str()), (Verdict::WrongAnswer, "in pass 2"));
    let crash = run("n = int(input())\nprint(n + 1 if n < 2 else [][0])", &counting(3), &[], b"0\n", b"").unwrap();
    assert_eq!(crash.verdict, Verdict::RunTimeError);
    let fault = run("print(int(input()) + 1)", &counting(2), &[], b"0\n", b"").unwrap_err();
    assert!(fault.to_string().contains("asks for pass 3; validation_passes allows 2"), "{fault}");
}

/// Guess a number: the interactor says `<`, `>` or `=`.
const INTERACTOR: &str = r#"
import sys
secret = int(open(sys.argv[1]).read())
feedback = sys.argv[3]
for turn in range(20):
    line = sys.stdin.readline()
    if not line.strip().isdigit():
        open(feedback + "judgemessage.txt", "w").write(f"not a number: {line!r}")
        sys.exit(43)
    guess = int(line)
    print("=" if guess == secret else "<" if secret < guess else ">", flush=True)
    if guess == secret: sys.exit(42)
open(feedback + "judgemessage.txt", "w").write("20 guesses are too many")
sys.exit(43)
"#;

/// Guesses by halving.
const GUESSER: &str = "low, high = 0, 1000\nwhile True:\n    middle = (low + high) // 2\n    print(middle, flush=True)\n    said = input()\n    if said == '=': break\n    if said == '<': high = middle - 1\n    else: low = middle + 1\n";

fn interactive(validator: CustomValidator) -> CustomValidator {
    CustomValidator { interactive: true, ..validator }
}

fn talk(program: &str, validator: &CustomValidator) -> Result<RunResult, JudgeFault> {
    talk_within(2_500, program, validator)
}

fn talk_within(wall_ms: u64, program: &str, validator: &CustomValidator) -> Result<RunResult, JudgeFault> {
    let program = BENCH.build("python3", &[("a.py", program)]);
    let (input, answer) = (BENCH.file(b"777\n"), BENCH.file(b""));
    let test = data(&input, &answer, Checker::Custom { validator, args: &[] });
    let limits = Limits { cpu_ms: 1_000, wall_ms, ..limits() };
    run_test(&BENCH.workshop, &program, test, &limits, Headroom::Judging, 1_000_002)
}

#[rstest]
#[case::right(GUESSER, Verdict::Accepted, "")]
#[case::right_then_crash(&format!("{GUESSER}[][0]\n"), Verdict::RunTimeError, "exited with code 1")]
#[case::crash_before_a_word("[][0]", Verdict::RunTimeError, "exited with code 1")]
#[case::nonsense("print('what?', flush=True)\ninput()", Verdict::WrongAnswer, "not a number")]
#[case::nonsense_then_endless("print('what?', flush=True)\nwhile True: pass", Verdict::WrongAnswer, "not a number")]
#[case::too_many_then_crash(
    "for n in range(30):\n    print(1, flush=True)\n    input()",
    Verdict::WrongAnswer,
    "too many"
)]
#[case::never_speaks("import time\ntime.sleep(1000)", Verdict::TimeLimit, "idle too long")]
#[case::both_wait("import sys\nsys.stdout.write('500\\n')\nsys.stdin.readline()", Verdict::TimeLimit, "idle too long")]
#[case::leaves_in_the_middle("print(500)\ninput()", Verdict::WrongAnswer, "not a number: ''")]
fn conversations_by_the_rule(#[case] program: &str, #[case] verdict: Verdict, #[case] words: &str) {
    let result = talk(program, &interactive(icpc(INTERACTOR))).unwrap();
    assert_eq!(result.verdict, verdict, "{result:?}");
    let said = format!("{} {}", result.message, result.difference.clone().unwrap_or_default());
    assert!(said.contains(words), "{result:?}");
}

#[test]
fn a_conversation_near_the_limit_is_held_again_alone() {
    // Burns cpu until its own clock says 98 % of the limit, then guesses.
    let slow = format!("import time\nwhile time.process_time() < 0.98: pass\n{GUESSER}");
    // On a busy machine that may take long: only the cpu is to be near its limit.
    let result = talk_within(60_000, &slow, &interactive(icpc(INTERACTOR))).unwrap();
    assert!(result.times_run > 1 && result.message.contains("the median counts"), "{result:?}");
    let quick = talk_within(60_000, GUESSER, &interactive(icpc(INTERACTOR))).unwrap();
    assert_eq!((quick.times_run, quick.message.as_str()), (1, ""));
}

#[test]
fn an_interactor_that_fails_is_a_fault_of_ours() {
    let failing = interactive(icpc("import sys\nsys.stdin.readline()\nsys.exit('no secret')"));
    let fault = talk(GUESSER, &failing).unwrap_err();
    assert!(matches!(&fault, JudgeFault::Problem(words) if words.contains("no secret")), "{fault}");
}

#[test]
fn testlib_interactors_read_the_input_and_write_a_file() {
    let source = "#include \"testlib.h\"\nint main(int argc, char **argv) {\n    registerInteraction(argc, argv);\n    int secret = inf.readInt();\n    for (int turn = 0; turn < 20; turn++) {\n        int guess = ouf.readInt();\n        tout << guess << std::endl;\n        std::cout << (guess == secret ? \"=\" : secret < guess ? \"<\" : \">\") << std::endl;\n        if (guess == secret) quitf(_ok, \"%d turns\", turn);\n    }\n    quitf(_wa, \"too many turns\");\n}\n";
    let program = BENCH.build("cpp17", &[("interactor.cpp", source), ("testlib.h", TESTLIB)]);
    let interactor = interactive(validator(program, Protocol::Testlib, Expected::default(), 1));
    assert_eq!(talk(GUESSER, &interactor).unwrap().verdict, Verdict::Accepted);
    let wrong = talk("while True:\n    print(1, flush=True)\n    input()", &interactor).unwrap();
    assert_eq!(
        (wrong.verdict, wrong.difference.as_deref()),
        (Verdict::WrongAnswer, Some("wrong answer too many turns"))
    );
}

#[test]
fn arguments_and_files_of_a_test_reach_the_program() {
    let program = BENCH.build("python3", &[("a.py", "import sys\nprint(sys.argv[1:], open('table.txt').read())")]);
    let (input, answer) = (BENCH.file(b""), BENCH.file(b"['-n', 'two words'] 7\n"));
    let args = ["-n".to_owned(), "two words".to_owned()];
    let files: [WorkFile; 1] = [("table.txt".to_owned(), b"7".to_vec().into())];
    let flags = touchstone::grading::checker::CheckerFlags::default();
    let test = TestData { args: &args, files: &files, ..data(&input, &answer, Checker::Default(&flags)) };
    let result = run_test(&BENCH.workshop, &program, test, &limits(), Headroom::Judging, 1_000_001).unwrap();
    assert_eq!(result.verdict, Verdict::Accepted, "{result:?}");
}

/// A program reads files that were handed in or included with it by their names alone; a test's own file of that name
/// wins, and what a run does to its copy is gone with it.
#[rstest]
#[case(
    "python3",
    "a.py",
    "print(open('words.txt').read().strip(), open('table.txt').read().strip())\nopen('words.txt', 'w').write('spoilt')\n"
)]
#[case(
    "cpp17",
    "whatever.cc",
    "#include <bits/stdc++.h>\nint main() { std::string a, b; std::ifstream(\"words.txt\") >> a; std::ifstream(\"table.txt\") >> b;\nstd::cout << a << ' ' << b; std::ofstream(\"words.txt\") << \"spoilt\"; }\n"
)]
#[case(
    "java",
    "first.java",
    "import java.nio.file.*;\npublic class Reads { public static void main(String[] a) throws Exception {\nSystem.out.println(Files.readString(Path.of(\"words.txt\")).strip() + \" \" + Files.readString(Path.of(\"table.txt\")).strip());\nFiles.writeString(Path.of(\"words.txt\"), \"spoilt\"); } }\n"
)]
fn files_beside_the_source_are_in_the_working_folder(#[case] language: &str, #[case] name: &str, #[case] source: &str) {
    let program = BENCH.build(language, &[(name, source), ("words.txt", "theirs\n"), ("table.txt", "8\n")]);
    let input = BENCH.file(b"");
    let own: [WorkFile; 1] = [("table.txt".to_owned(), b"7".to_vec().into())];
    let flags = touchstone::grading::checker::CheckerFlags::default();
    for (files, printed) in [(&own[..], "theirs 7\n"), (&[], "theirs 8\n"), (&own[..], "theirs 7\n")] {
        let answer = BENCH.file(printed.as_bytes());
        let test = TestData { files, ..data(&input, &answer, Checker::Default(&flags)) };
        let result = run_test(&BENCH.workshop, &program, test, &limits(), Headroom::Judging, 1_000_001).unwrap();
        assert_eq!(result.verdict, Verdict::Accepted, "{printed}: {result:?}");
    }
}
