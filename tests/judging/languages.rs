//! Every language of the table: a right, a wrong and a broken program.

use rstest::rstest;
use touchstone::domain::source::SourceFile;
use touchstone::domain::verdict::Verdict;

use crate::bench::{BENCH, limits};

const C: &str = "#include <stdio.h>\nint main(void) { long long a, b; scanf(\"%lld %lld\", &a, &b); printf(\"%lld\\n\", a + b); return 0; }\n";
const CPP: &str =
    "#include <bits/stdc++.h>\nint main() { long long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }\n";
const RUST: &str = "use std::io::Read;\nfn main() { let mut s = String::new(); std::io::stdin().read_to_string(&mut s).unwrap(); let t: i64 = s.split_whitespace().map(|x| x.parse::<i64>().unwrap()).sum(); println!(\"{t}\"); }\n";
const PYTHON: &str = "print(sum(map(int, input().split())))\n";
const JAVA: &str = "import java.util.*;\npublic class Main { public static void main(String[] args) { Scanner in = new Scanner(System.in); System.out.println(in.nextLong() + in.nextLong()); } }\n";
const JAVASCRIPT: &str = "const t = require('fs').readFileSync(0, 'utf8').split(/\\s+/).filter(x => x).map(Number);\nconsole.log(t[0] + t[1]);\n";

#[rstest]
#[case("c11", "a.c", C)]
#[case("c17", "a.c", C)]
#[case("cpp11", "a.cpp", CPP)]
#[case("cpp14", "a.cpp", CPP)]
#[case("cpp17", "a.cpp", CPP)]
#[case("cpp20", "a.cpp", CPP)]
#[case("cpp23", "a.cpp", CPP)]
#[case("rust", "a.rs", RUST)]
#[case("python3", "a.py", PYTHON)]
#[case("java", "Main.java", JAVA)]
#[case("javascript", "a.js", JAVASCRIPT)]
fn a_right_program_is_accepted(#[case] language: &str, #[case] name: &str, #[case] source: &str) {
    let judged = BENCH.judge(language, name, source);
    assert_eq!(judged.verdict, Verdict::Accepted, "{judged:?}");
    assert_eq!(judged.runs.len(), 2);
    assert!(judged.memory_bytes() > 0 && judged.memory_bytes() < limits().memory_bytes, "{judged:?}");
}

#[rstest]
#[case("c17", "a.c", C.replace("a + b", "a - b"))]
#[case("rust", "a.rs", RUST.replace("{t}", "{t}{t}"))]
#[case("python3", "a.py", PYTHON.replace("sum", "max"))]
#[case("java", "Main.java", JAVA.replace("nextLong() + ", "nextLong() - "))]
#[case("javascript", "a.js", JAVASCRIPT.replace("t[0] + t[1]", "t[0]"))]
fn a_wrong_one_is_not(#[case] language: &str, #[case] name: &str, #[case] source: String) {
    let judged = BENCH.judge(language, name, source);
    assert_eq!(judged.verdict, Verdict::WrongAnswer, "{judged:?}");
    assert_eq!(judged.deciding, Some(0));
    assert_eq!(judged.runs.len(), 1, "the rest is not run");
}

#[rstest]
#[case("c17", "mine.c", "int main(void) { return x; }", "mine.c:1:")]
#[case("cpp17", "mine.cc", "int main() { return x; }", "mine.cc:1:")]
#[case("rust", "mine.rs", "fn main() { x }", "mine.rs:1:")]
#[case("python3", "mine.py", "print 'x'\n", "Missing parentheses")]
#[case("java", "Mine.java", "public class Mine { int x }", "Mine.java:1:")]
#[case("javascript", "mine.js", "let let = ;", "SyntaxError")]
fn a_broken_one_is_a_compile_error_with_the_authors_file_name(
    #[case] language: &str,
    #[case] name: &str,
    #[case] source: &str,
    #[case] words: &str,
) {
    let judged = BENCH.judge(language, name, source);
    assert_eq!(judged.verdict, Verdict::CompileError, "{judged:?}");
    assert!(judged.compiler_output.contains(words), "{}", judged.compiler_output);
    assert!(!judged.compiler_output.contains("/w/"), "{}", judged.compiler_output);
    assert!(judged.runs.is_empty());
}

#[test]
fn a_ready_program_is_run_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.c"), C).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the test makes the program outside of the judge")]
    let status = std::process::Command::new("gcc")
        .args(["-O2", "-static", "-o", "a", "a.c"])
        .current_dir(folder.path())
        .status()
        .unwrap();
    assert!(status.success());
    let program = SourceFile::elf("a", std::fs::read(folder.path().join("a")).unwrap()).unwrap();
    let judged = BENCH.judge_files("elf", &[program], limits());
    assert_eq!(judged.verdict, Verdict::Accepted, "{judged:?}");
}

#[test]
fn several_files_make_one_submission() {
    let file = |name: &str, text: &str| SourceFile::text(name, text.as_bytes().to_vec()).unwrap();
    let cpp = [
        file("sum.h", "long long sum(long long, long long);\n"),
        file("sum.cpp", "#include \"sum.h\"\nlong long sum(long long a, long long b) { return a + b; }\n"),
        file(
            "main.cpp",
            "#include <cstdio>\n#include \"sum.h\"\nint main() { long long a, b; scanf(\"%lld%lld\", &a, &b); printf(\"%lld\", sum(a, b)); }\n",
        ),
    ];
    assert_eq!(BENCH.judge_files("cpp17", &cpp, limits()).verdict, Verdict::Accepted);
    let python = [
        file("main.py", "from other import total\nprint(total(input()))\n"),
        file("other.py", "def total(line): return sum(map(int, line.split()))\n"),
    ];
    let judged = BENCH.judge_files("python3", &python, limits());
    assert_eq!(judged.verdict, Verdict::Accepted, "{judged:?}");
}
