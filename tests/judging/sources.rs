//! The habits of real sources: old C, byte-order marks, other encodings, Java's file names, and what is refused.

use rstest::rstest;
use touchstone::domain::source::SourceFile;
use touchstone::domain::verdict::Verdict;
use touchstone::judge::languages::LanguageTable;

use crate::bench::{BENCH, Bench, limits};

const JAVA_BODY: &str = "public static void main(String[] a) { java.util.Scanner in = new java.util.Scanner(System.in); System.out.println(in.nextLong() + in.nextLong()); }";

fn bytes(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

fn with(prefix: &[u8], text: &str) -> Vec<u8> {
    [prefix, text.as_bytes()].concat()
}

#[rstest]
#[case::gets_in_c(
    "c11",
    "a.c",
    bytes(
        "#include <stdio.h>\n#include <stdlib.h>\nint main() { char s[99]; gets(s); char *e; long a = strtol(s, &e, 10); printf(\"%ld\\n\", a + strtol(e, 0, 10)); return 0; }"
    ),
    Verdict::Accepted
)]
#[case::gets_in_c17(
    "c17",
    "a.c",
    bytes(
        "#include <stdio.h>\n#include <stdlib.h>\nint main() { char s[99]; gets(s); char *e; long a = strtol(s, &e, 10); printf(\"%ld\\n\", a + strtol(e, 0, 10)); return 0; }"
    ),
    Verdict::Accepted
)]
#[case::crlf(
    "cpp17",
    "a.cpp",
    bytes(
        "#include <cstdio>\r\nint main() {\r\n  long long a, b; scanf(\"%lld%lld\", &a, &b);\r\n  printf(\"%lld\\r\\n\", a + b);\r\n}\r\n"
    ),
    Verdict::Accepted
)]
#[case::bom_in_c(
    "c17",
    "a.c",
    with(
        b"\xEF\xBB\xBF",
        "#include <stdio.h>\nint main() { long a, b; scanf(\"%ld%ld\", &a, &b); printf(\"%ld\", a + b); }"
    ),
    Verdict::Accepted
)]
#[case::bom_in_python(
    "python3",
    "a.py",
    with(b"\xEF\xBB\xBF", "print(sum(map(int, input().split())))"),
    Verdict::Accepted
)]
#[case::bom_in_java("java", "A.java", with(b"\xEF\xBB\xBF", &format!("public class A {{ {JAVA_BODY} }}")), Verdict::Accepted)]
#[case::gbk_comment_in_c(
    "c17",
    "a.c",
    with(
        b"// \xD6\xD0\xCE\xC4\n",
        "#include <stdio.h>\nint main() { long a, b; scanf(\"%ld%ld\", &a, &b); printf(\"%ld\", a + b); }"
    ),
    Verdict::Accepted
)]
#[case::gbk_comment_in_java("java", "A.java", with(b"// \xD6\xD0\xCE\xC4\n", &format!("public class A {{ {JAVA_BODY} }}")), Verdict::Accepted)]
#[case::java_other_name("java", "Anything.java", bytes(&format!("public class Solution {{ {JAVA_BODY} }}")), Verdict::Accepted)]
#[case::java_package("java", "A.java", bytes(&format!("package contest.a;\npublic class A {{ {JAVA_BODY} }}")), Verdict::Accepted)]
#[case::java_not_public("java", "A.java", bytes(&format!("class Helper {{}}\nclass B {{ {JAVA_BODY} }}")), Verdict::Accepted)]
#[case::void_main(
    "c17",
    "a.c",
    bytes(
        "#include <stdio.h>\nvoid main() { long a, b; scanf(\"%ld%ld\", &a, &b); printf(\"%ld, is it\\n\", a + b); }"
    ),
    Verdict::RunTimeError
)]
#[case::exit_code(
    "python3",
    "a.py",
    bytes("print(sum(map(int, input().split())))\nraise SystemExit(3)"),
    Verdict::RunTimeError
)]
#[case::exception("python3", "a.py", bytes("[][0]"), Verdict::RunTimeError)]
#[case::windows_format(
    "c17",
    "a.c",
    bytes(
        "#include <stdio.h>\nint main() { long long a, b; scanf(\"%I64d%I64d\", &a, &b); printf(\"%I64d\\n\", a + b); return 0; }"
    ),
    Verdict::WrongAnswer
)]
#[case::windows_header("c17", "a.c", bytes("#include <windows.h>\nint main() { return 0; }"), Verdict::CompileError)]
fn sources_are_taken_as_people_write_them(
    #[case] language: &str,
    #[case] name: &str,
    #[case] source: Vec<u8>,
    #[case] expected: Verdict,
) {
    let judged = BENCH.judge(language, name, source);
    assert_eq!(judged.verdict, expected, "{judged:?}");
}

#[test]
fn two_mains_in_java_are_named() {
    let source = format!("class A {{ {JAVA_BODY} }} class B {{ {JAVA_BODY} }}");
    let judged = BENCH.judge("java", "A.java", source);
    assert_eq!(judged.verdict, Verdict::CompileError);
    assert!(
        judged.compiler_output.contains("more than one class has a method `main`: A, B"),
        "{}",
        judged.compiler_output
    );
    let none = BENCH.judge("java", "A.java", "class A {}");
    assert!(none.compiler_output.contains("no class has a method"), "{}", none.compiler_output);
}

/// A source that reaches for what is not its own: it must not compile, and nothing of the file may come back.
#[rstest]
#[case::include_passwd("c17", "a.c", "#include \"/etc/shadow\"\nint main() { return 0; }")]
#[case::include_zero("c17", "a.c", "#include \"/dev/zero\"\nint main() { return 0; }")]
#[case::incbin("c17", "a.c", "__asm__(\".incbin \\\"/etc/shadow\\\"\");\nint main() { return 0; }")]
#[case::template_flood(
    "cpp17",
    "a.cpp",
    "template<int N> struct A { typename A<N+1>::x y; using x = int; };\ntemplate<int N> struct B { A<N> a; B<N*2> l; B<N*2+1> r; };\nint main() { B<1> b; }"
)]
#[case::include_random("c17", "a.c", "#include \"/dev/random\"\nint main() { return 0; }")]
#[case::include_urandom("cpp17", "a.cpp", "#include \"/dev/urandom\"\nint main() { return 0; }")]
#[case::incbin_zero("c17", "a.c", "__asm__(\".incbin \\\"/dev/zero\\\"\");\nint main() { return 0; }")]
#[case::large_object("c17", "a.c", "char a[1UL << 30] = {1};\nint main() { return a[5]; }")]
#[case::macro_bomb(
    "c17",
    "a.c",
    "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(x)))\n#define C(x) B(B(B(x)))\nint main() { return 0 C(+1); }"
)]
#[case::constexpr_bomb(
    "cpp20",
    "a.cpp",
    "constexpr long f(long n) { long s = 0; for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) s += i ^ j; return s; }\nstatic_assert(f(1000000000) == 1);\nint main() {}"
)]
#[case::error_bomb(
    "cpp17",
    "a.cpp",
    "#define E x y z w;\n#define F E E E E E E E E\n#define G F F F F F F F F\n#define H G G G G G G G G\nH H H H H H H H\nint main() {}"
)]
#[case::include_self("c17", "a.c", "#include __FILE__\n#include __FILE__\nint main() { return 0; }")]
#[case::include_str_in_rust("rust", "a.rs", "fn main() { print!(\"{}\", include_str!(\"/etc/shadow\")); }")]
fn a_source_that_reaches_out_is_a_bounded_compile_error(
    #[case] language: &str,
    #[case] name: &str,
    #[case] source: &str,
) {
    let judged = BENCH.judge(language, name, source);
    assert_eq!(judged.verdict, Verdict::CompileError, "{judged:?}");
    assert!(!judged.compiler_output.is_empty());
    assert!(judged.compiler_output.len() < 140_000, "{}", judged.compiler_output.len());
    assert!(!judged.compiler_output.contains("root:"), "{}", judged.compiler_output);
}

/// A processor of annotations would run while the compiler does.
#[test]
fn annotation_processors_do_not_run() {
    let source = "import java.util.*; import javax.annotation.processing.*; import javax.lang.model.element.*;\n\
        @Deprecated public class A extends AbstractProcessor {\n\
        static { if (System.getProperty(\"java.class.path\", \"\").isEmpty()) throw new Error(); }\n\
        public boolean process(Set<? extends TypeElement> a, RoundEnvironment r) { throw new Error(\"it ran\"); }\n\
        public static void main(String[] a) { Scanner in = new Scanner(System.in); System.out.println(in.nextLong() + in.nextLong()); } }";
    let judged = BENCH.judge("java", "A.java", source);
    assert_eq!(judged.verdict, Verdict::Accepted, "{judged:?}");
}

/// Names that a compiler would take for an option or a list of options.
#[rstest]
#[case("@x.c")]
#[case("-wrapper")]
#[case("-o.c")]
#[case("../a.c")]
#[case("a/b.c")]
fn names_that_are_options_are_refused_or_harmless(#[case] name: &str) {
    let source =
        bytes("#include <stdio.h>\nint main() { long a, b; scanf(\"%ld%ld\", &a, &b); printf(\"%ld\", a + b); }");
    if let Ok(file) = SourceFile::text(name, source) {
        let judged = BENCH.judge_files("c17", &[file], limits());
        assert_eq!(judged.verdict, Verdict::Accepted, "{judged:?}");
    }
}

/// A compiler that leaves something running, whatever made it do so.
#[test]
fn a_daemon_left_by_a_compiler_is_gone() {
    let table = r#"
        [[tool]]
        id = "shell"
        names = ["dash", "bash"]
        version = ["-c", "echo shell 1"]

        [[language]]
        id = "shell"
        name = "Shell"
        extensions = ["sh"]
        main = "main.sh"
        tools = ["shell"]
        compile = ["{tool:shell}", "-c", "setsid sleep 987654 & trap '' TERM; cp main.sh program; chmod 755 program"]
        keep = ["program"]
        run = ["/box/program"]
    "#;
    let bench = Bench::with(LanguageTable::parse(table).unwrap());
    let source = "#!/bin/sh\nread a b\necho $((a + b))\n";
    let judged = bench.judge("shell", "main.sh", source);
    assert_eq!(judged.verdict, Verdict::Accepted, "{judged:?}");
    let left = std::fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains("987654")
    });
    assert_eq!(left.count(), 0);
}

/// A neighbour of all of these compiles and runs as ever.
#[test]
fn a_source_after_an_attack_is_judged_as_ever() {
    let attack = BENCH.judge("c17", "a.c", "#include \"/dev/zero\"\nint main() { return 0; }");
    assert_eq!(attack.verdict, Verdict::CompileError, "{attack:?}");
    let judged = BENCH.judge("python3", "a.py", "print(sum(map(int, input().split())))");
    assert_eq!(judged.verdict, Verdict::Accepted, "{judged:?}");
}
