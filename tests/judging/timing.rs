//! Limits as contestants meet them.

use rstest::rstest;
use touchstone::domain::limits::Limits;
use touchstone::domain::source::SourceFile;
use touchstone::domain::verdict::Verdict;

use crate::bench::{BENCH, limits};

fn judge(language: &str, name: &str, source: &str, limits: Limits) -> touchstone::judge::judgement::Judged {
    BENCH.judge_files(language, &[SourceFile::text(name, source.as_bytes().to_vec()).unwrap()], limits)
}

#[rstest]
#[case::spin("c17", "a.c", "int main() { for (volatile int i = 0;; i++); }", Verdict::TimeLimit)]
#[case::sleep("python3", "a.py", "import time\nprint(3)\ntime.sleep(1000)", Verdict::TimeLimit)]
#[case::right_then_spin(
    "c17",
    "a.c",
    "#include <stdio.h>\nint main() { puts(\"3\"); fflush(stdout); for (volatile int i = 0;; i++); }",
    Verdict::TimeLimit
)]
#[case::memory(
    "c17",
    "a.c",
    "#include <stdlib.h>\n#include <string.h>\nint main() { for (;;) { char *p = malloc(1 << 20); if (!p) return 1; memset(p, 1, 1 << 20); } }",
    Verdict::MemoryLimit
)]
#[case::java_memory(
    "java",
    "A.java",
    "import java.util.*; class A { public static void main(String[] a) { List<long[]> l = new ArrayList<>(); for (;;) { long[] x = new long[1 << 17]; Arrays.fill(x, 7); l.add(x); } } }",
    Verdict::MemoryLimit
)]
#[case::output("python3", "a.py", "while True: print('x' * 1000)", Verdict::OutputLimit)]
#[case::stderr_is_no_output(
    "python3",
    "a.py",
    "import sys\nsys.stderr.write('x' * 3000000)\nprint(sum(map(int, input().split())))",
    Verdict::Accepted
)]
#[case::deep_recursion(
    "cpp17",
    "a.cpp",
    "#include <cstdio>\nint f(int n) { volatile char pad[64]; pad[0] = 1; return n ? f(n - 1) + pad[0] : 0; }\nint main() { long long a, b; scanf(\"%lld%lld\", &a, &b); volatile int x = f(1000000); (void)x; printf(\"%lld\\n\", a + b); }",
    Verdict::Accepted
)]
#[case::untouched_gigabyte(
    "c17",
    "a.c",
    "#include <stdio.h>\nstatic char big[1 << 30];\nint main() { long long a, b; scanf(\"%lld%lld\", &a, &b); printf(\"%lld\\n\", a + b + big[5]); }",
    Verdict::Accepted
)]
#[case::stdin_unread("python3", "a.py", "print(3)", Verdict::WrongAnswer)]
fn limits_lead_to(#[case] language: &str, #[case] name: &str, #[case] source: &str, #[case] expected: Verdict) {
    let tight = Limits { cpu_ms: 1_000, wall_ms: 3_000, memory_bytes: 256 << 20, ..limits() };
    let judged = judge(language, name, source, tight);
    assert_eq!(judged.verdict, expected, "{judged:?}");
}

#[test]
fn a_time_near_the_limit_is_measured_again_alone() {
    // Burns cpu until its own clock says 98 % of the limit: within the tenth around it, on every machine.
    let source = "#include <stdio.h>\n#include <time.h>\nint main() { long long a, b; scanf(\"%lld%lld\", &a, &b); while (clock() < CLOCKS_PER_SEC * 98 / 100); printf(\"%lld\\n\", a + b); }";
    let judged = judge("c17", "a.c", source, Limits { cpu_ms: 1_000, wall_ms: 6_000, ..limits() });
    let (_, first) = &judged.runs[0];
    assert!(first.message.contains("the median counts"), "{judged:?}");
}
