//! Compiling less often and faster must not show: the same bytes, the same words, the same receipt.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use touchstone::domain::source::SourceFile;
use touchstone::judge::compile::Build;
use touchstone::judge::languages::LanguageTable;
use touchstone::judge::program::Start;
use touchstone::judge::workshop::{Builds, Workshop};
use touchstone::sandbox::{Bind, Cores, End, Freshness, ResourceLimits, RunSpec, Stdin};

use crate::bench::{BENCH, Bench, limits};

/// Compiles without any header made beforehand.
static PLAIN: LazyLock<Bench> = LazyLock::new(|| {
    let mut table = LanguageTable::built_in().unwrap();
    for language in &mut table.languages {
        language.precompiled = None;
    }
    Bench::with(table)
});

const SUM: &str = "#include <bits/stdc++.h>\nint main() { long long a, b; std::cin >> a >> b; std::cout << a + b; }\n";

/// The program's files, or the compiler's refusal; and its words.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    files: Option<BTreeMap<PathBuf, Vec<u8>>>,
    words: String,
}

fn build(workshop: &Workshop, language: &str, source: &str) -> Outcome {
    build_files(workshop, language, &[("a.cpp", source)])
}

fn build_files(workshop: &Workshop, language: &str, sources: &[(&str, &str)]) -> Outcome {
    let sources: Vec<SourceFile> =
        sources.iter().map(|(name, text)| SourceFile::text(name, text.as_bytes().to_vec()).unwrap()).collect();
    match workshop.build(&language.parse().unwrap(), &sources).unwrap() {
        Build::Refused(words) => Outcome { files: None, words },
        Build::Ready(program) => {
            let files = fs::read_dir(program.folder()).unwrap().map(|entry| entry.unwrap().path());
            let files = files.map(|path| (path.file_name().unwrap().into(), fs::read(&path).unwrap())).collect();
            Outcome { files: Some(files), words: program.compiler_output.clone() }
        }
    }
}

/// A workshop of its own whose next program of this language has the header.
fn warmed_up(language: &str) -> Bench {
    let bench = Bench::with(LanguageTable::built_in().unwrap());
    warm_up(&bench.workshop, language);
    bench
}

fn warm_up(workshop: &Workshop, language: &str) {
    for number in 0..10 {
        let before = workshop.builds().with_header;
        build(workshop, language, &format!("{SUM}// {number}"));
        if workshop.builds().with_header > before {
            return;
        }
    }
    panic!("the header is never used for {language}");
}

/// What a program may say before, with and after the header: (source, whether the header made beforehand is used).
const PROGRAMS: &[(&str, bool)] = &[
    (SUM, true),
    (
        "// who\n/* what */\n\n#include <bits/stdc++.h>\n#include <bits/stdc++.h>\nint main() { std::puts(__TIME__ __DATE__); }",
        true,
    ),
    ("#include <bits/stdc++.h>\n#define NDEBUG\n#include <cassert>\nint main() { assert(0); }", true),
    ("#include <bits/stdc++.h>\nint main() { assert(__LINE__ == 3); std::puts(__FILE__); }", true),
    (
        "#include <bits/stdc++.h>\n#pragma GCC optimize(\"O3,unroll-loops\")\n#pragma GCC target(\"avx2\")\nusing namespace std;\n\
         int main() { int n; cin >> n; vector<int> v(n); for (int &x : v) cin >> x; long s = 0; for (int x : v) s += x * x; cout << s; }",
        true,
    ),
    (
        "#include <bits/stdc++.h>\n#include <ext/pb_ds/assoc_container.hpp>\nusing namespace std;\nmt19937 dice(7);\n\
         struct { map<string, vector<int>> m; set<pair<int, int>> s; } all;\nstatic auto global = make_shared<regex>(\"a+b\");\n\
         int main() { unordered_map<long, deque<string>> u; u[dice()].push_back(\"x\"); all.m[\"y\"].push_back(__COUNTER__);\n\
         sort(all.m[\"y\"].begin(), all.m[\"y\"].end(), [](int a, int b) { return a > b; });\n\
         try { throw runtime_error(\"z\"); } catch (exception &e) { cout << e.what() << regex_match(\"ab\", *global); } }",
        true,
    ),
    // What stands before it could change it.
    ("#define NDEBUG\n#include <bits/stdc++.h>\nint main() { assert(0); }", false),
    ("#define _GLIBCXX_DEBUG\n#include <bits/stdc++.h>\nint main() { std::vector<int> v; return v[1]; }", false),
    (
        "#pragma GCC optimize(\"O3,unroll-loops\")\n#pragma GCC target(\"avx2\")\n#include <bits/stdc++.h>\n\
         int main() { std::vector<int> v(1000); for (int &x : v) std::cin >> x; std::cout << std::accumulate(v.begin(), v.end(), 0); }",
        false,
    ),
    ("#include <cstdio>\n#include <bits/stdc++.h>\nint main() { std::puts(\"x\"); }", false),
    ("int first;\n#include <bits/stdc++.h>\nint main() {}", false),
    // No such header at all.
    ("#include <cstdio>\nint main() { std::puts(\"x\"); }", false),
];

#[test]
fn a_program_is_the_same_with_a_header_made_beforehand() {
    for language in ["cpp11", "cpp14", "cpp17", "cpp20", "cpp23"] {
        let bench = warmed_up(language);
        // The others differ by a flag only; one with all programs is enough.
        let programs = if language == "cpp17" { PROGRAMS } else { &PROGRAMS[..1] };
        for (source, expected) in programs {
            let before = bench.workshop.builds().with_header;
            let with = build(&bench.workshop, language, source);
            assert_eq!(bench.workshop.builds().with_header > before, *expected, "{language}: {source}");
            let without = build(&PLAIN.workshop, language, source);
            assert!(with.files.is_some() && with == without, "{language}: {source}\n{}\n{}", with.words, without.words);
        }
        fs::remove_dir_all(bench.workshop.folder()).unwrap();
    }
    assert_eq!(PLAIN.workshop.builds().with_header, 0);
}

#[test]
fn the_compilers_words_are_the_same_with_a_header_made_beforehand() {
    let bench = warmed_up("cpp17");
    for body in [
        "int main() { int x = \"a\"; foo(); }",
        "struct S {}; int main() { std::vector<S> all; std::sort(all.begin(), all.end()); }",
        "int main() { std::vector<int> v = 1; return v; }",
        "#include <nowhere.h>\nint main() {}",
        "#error no\nint main() {}",
        "int main() { char c = 300; return c; }",
        "int main() { return 'ab'; }",
        "std::auto_ptr<int> old; int main() {}",
    ] {
        let source = format!("#include <bits/stdc++.h>\n{body}\n");
        let (with, without) = (build(&bench.workshop, "cpp17", &source), build(&PLAIN.workshop, "cpp17", &source));
        assert!(!without.words.is_empty(), "{body} should be spoken of");
        assert_eq!(with.words, without.words);
        assert_eq!(with, without, "{body}");
    }
}

#[test]
fn several_sources_of_which_one_says_something_first_are_compiled_without() {
    let bench = warmed_up("cpp17");
    let one = ("a.cpp", "#include <bits/stdc++.h>\nint twice(int);\nint main() { std::cout << twice(4); }");
    let after_a_define =
        ("b.cpp", "#define NDEBUG\n#include <bits/stdc++.h>\nint twice(int a) { assert(0); return 2 * a; }");
    let at_once = ("b.cpp", "#include <bits/stdc++.h>\nint twice(int a) { return 2 * a; }");
    let before = bench.workshop.builds().with_header;
    assert_eq!(
        build_files(&bench.workshop, "cpp17", &[one, after_a_define]),
        build_files(&PLAIN.workshop, "cpp17", &[one, after_a_define])
    );
    assert_eq!(bench.workshop.builds().with_header, before);
    assert_eq!(
        build_files(&bench.workshop, "cpp17", &[one, at_once]),
        build_files(&PLAIN.workshop, "cpp17", &[one, at_once])
    );
    assert_eq!(bench.workshop.builds().with_header, before + 1);
}

fn header_of(workshop: &Workshop) -> PathBuf {
    let folders = fs::read_dir(workshop.folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut headers = folders.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("header-"));
    headers.next().unwrap().join("bits/stdc++.h.gch")
}

#[test]
fn a_damaged_or_deleted_header_is_made_again() {
    let bench = warmed_up("cpp17");
    let without = build(&PLAIN.workshop, "cpp17", SUM);
    let damage: [fn(&Path); 3] = [
        |header| {
            fs::set_permissions(header, fs::Permissions::from_mode(0o644)).unwrap();
            let mut contents = fs::read(header).unwrap();
            let middle = contents.len() / 2;
            contents[middle..middle + 4096].fill(0xAA);
            fs::write(header, contents).unwrap();
        },
        |header| fs::remove_file(header).unwrap(),
        |header| fs::remove_dir_all(header.ancestors().nth(3).unwrap()).unwrap(),
    ];
    for (number, damage) in damage.iter().enumerate() {
        damage(&header_of(&bench.workshop));
        let before = bench.workshop.builds().with_header;
        let source = format!("{SUM}//{number}\n");
        let with = build(&bench.workshop, "cpp17", &source);
        assert_eq!(with.files, without.files);
        assert_eq!(bench.workshop.builds().with_header, before + 1, "{number}");
    }
}

#[test]
fn nothing_in_the_sandbox_can_change_the_header() {
    let bench = warmed_up("cpp17");
    let header = header_of(&bench.workshop);
    let before = fs::metadata(&header).unwrap();
    assert_eq!(before.permissions().mode() & 0o222, 0);
    assert_eq!(before.uid(), rustix::process::geteuid().as_raw());
    let script = "h=/opt/precompiled/bits/stdc++.h.gch; [ -r $h ] || exit 9; \
                  { echo x >> $h || rm $h || mv $h /w || chmod 666 $h || ln $h /w/h || touch /opt/precompiled/x; } 2>/dev/null && exit 7; exit 0";
    let spec = RunSpec {
        argv: ["/bin/sh", "-c", script].map(str::to_owned).to_vec(),
        env: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
        stdin: Stdin::Null,
        program_dir: None,
        binds: vec![Bind {
            source: header.ancestors().nth(2).unwrap().to_owned(),
            target: "/opt/precompiled".into(),
            exec: false,
        }],
        work_files: Vec::new(),
        collect: Vec::new(),
        limits: ResourceLimits::default(),
        freshness: Freshness::Fresh,
        cores: Cores::All,
    };
    assert_eq!(bench.workshop.sandbox().run(spec).unwrap().end, End::Exited(0));
    let after = fs::metadata(&header).unwrap();
    assert_eq!((after.ctime(), after.ctime_nsec(), after.len()), (before.ctime(), before.ctime_nsec(), before.len()));
    // A program itself doesn't see it.
    let look =
        "#include <bits/stdc++.h>\nint main() { return std::ifstream(\"/opt/precompiled/bits/stdc++.h.gch\").good(); }";
    let judged = bench.judge("cpp17", "a.cpp", look);
    assert_eq!(judged.runs[0].1.verdict, touchstone::domain::verdict::Verdict::WrongAnswer, "{:?}", judged.runs[0]);
}

#[test]
fn one_program_alone_does_not_wait_for_a_header() {
    let bench = Bench::with(LanguageTable::built_in().unwrap());
    build(&bench.workshop, "cpp17", SUM);
    assert_eq!(bench.workshop.builds(), Builds { compiled: 1, with_header: 0, kept: 0 });
}

/// The built-in table with one more flag for C++17.
fn with_flag(flag: &str) -> LanguageTable {
    let mut table = LanguageTable::built_in().unwrap();
    let language = table.languages.iter_mut().find(|language| language.id.as_str() == "cpp17").unwrap();
    language.compile.push(flag.to_owned());
    table
}

const TALKATIVE: &str = "int main() { char c = 300; return c; }\n";

#[test]
fn a_program_is_compiled_once_and_found_by_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let start = || Bench::keeping(LanguageTable::built_in().unwrap(), folder.path().join("programs"));
    let java = "public class A { interface B {} public static void main(String[] a) { System.out.println(7); } }";
    let first = start();
    let sources = [("cpp17", "a.cpp", TALKATIVE), ("java", "A.java", java)];
    let built = sources.map(|(language, name, source)| build_files(&first.workshop, language, &[(name, source)]));
    assert!(!built[0].words.is_empty());
    assert_eq!(built[1].files.as_ref().unwrap().len(), 2);
    assert_eq!(first.workshop.builds(), Builds { compiled: 2, with_header: 0, kept: 0 });
    let second = start();
    let found = sources.map(|(language, name, source)| build_files(&second.workshop, language, &[(name, source)]));
    assert_eq!(second.workshop.builds(), Builds { compiled: 0, with_header: 0, kept: 2 });
    assert_eq!(found, built);
    // What a receipt says of a program is the same too, and it runs.
    let judge = |bench: &Bench| bench.judge("cpp17", "a.cpp", SUM);
    assert_eq!(judge(&second).verdict, judge(&start()).verdict);
    let identity = |bench: &Bench| bench.build("cpp17", &[("a.cpp", SUM)]).identity;
    assert_eq!(identity(&start()), identity(&BENCH));
    // Gone while the server runs: built again.
    fs::remove_dir_all(folder.path().join("programs")).unwrap();
    let third = start();
    assert_eq!(build(&third.workshop, "cpp17", TALKATIVE), built[0]);
    assert_eq!(third.workshop.builds().compiled, 1);
}

#[test]
fn a_damaged_program_is_built_again() {
    let folder = tempfile::tempdir().unwrap();
    let start = || Bench::keeping(LanguageTable::built_in().unwrap(), folder.path().to_owned());
    let built = build(&start().workshop, "cpp17", TALKATIVE);
    let entry = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let mut contents = fs::read(&entry).unwrap();
    let middle = contents.len() / 2;
    contents[middle] ^= 1;
    fs::write(&entry, contents).unwrap();
    let again = start();
    assert_eq!(build(&again.workshop, "cpp17", TALKATIVE), built);
    assert_eq!(again.workshop.builds(), Builds { compiled: 1, with_header: 0, kept: 0 });
    let whole = start();
    build(&whole.workshop, "cpp17", TALKATIVE);
    assert_eq!(whole.workshop.builds().kept, 1);
}

#[test]
fn nothing_is_shared_where_an_input_of_the_compiler_differs() {
    let folder = tempfile::tempdir().unwrap();
    let keeping = |table| Bench::keeping(table, folder.path().to_owned());
    let one = keeping(LanguageTable::built_in().unwrap());
    let main = "#include \"grader.h\"\nint main() { return answer(); }\n";
    let with = |bench: &Bench, language: &str, grader: &str| {
        build_files(&bench.workshop, language, &[("a.cpp", main), ("grader.h", grader)])
    };
    // The file that a problem adds, the language, its flags, and what it finds beside the source.
    let first = with(&one, "cpp17", "inline int answer() { return 1; }");
    assert_ne!(first, with(&one, "cpp17", "inline int answer() { return 2; }"));
    with(&one, "cpp20", "inline int answer() { return 1; }");
    assert_eq!(one.workshop.builds(), Builds { compiled: 3, with_header: 0, kept: 0 });
    let flagged = keeping(with_flag("-DMORE"));
    with(&flagged, "cpp17", "inline int answer() { return 1; }");
    assert_eq!(flagged.workshop.builds().kept, 0);
    let mut table = LanguageTable::built_in().unwrap();
    let language = table.languages.iter_mut().find(|language| language.id.as_str() == "cpp17").unwrap();
    language.files.insert("beside.h".to_owned(), "int x;\n".to_owned());
    let beside = keeping(table);
    with(&beside, "cpp17", "inline int answer() { return 1; }");
    assert_eq!(beside.workshop.builds().kept, 0);
    // All the same again.
    let same = keeping(LanguageTable::built_in().unwrap());
    assert_eq!(with(&same, "cpp17", "inline int answer() { return 1; }"), first);
    assert_eq!(same.workshop.builds(), Builds { compiled: 0, with_header: 0, kept: 1 });
}

#[test]
fn what_the_compiler_refused_is_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let start = || Bench::keeping(LanguageTable::built_in().unwrap(), folder.path().to_owned());
    let words = build(&start().workshop, "cpp17", "int main() { return x; }").words;
    let again = start();
    assert_eq!(build(&again.workshop, "cpp17", "int main() { return x; }").words, words);
    assert_eq!(again.workshop.builds().kept, 0);
    assert_eq!(fs::read_dir(folder.path()).map_or(0, Iterator::count), 0);
}

#[test]
fn the_time_of_compiling_is_not_in_a_program() {
    let source = "#include <cstdio>\nint main() { std::puts(__DATE__ \" \" __TIME__); }\n";
    let program = Arc::clone(&BENCH.build("cpp17", &[("a.cpp", source)]));
    let binary = fs::read(program.folder().join("program")).unwrap();
    assert!(binary.windows(20).any(|bytes| bytes == b"Jan  1 1970 00:00:00"));
}

fn only_file(folder: &Path) -> PathBuf {
    fs::read_dir(folder).unwrap().next().unwrap().unwrap().path()
}

#[test]
fn a_program_whose_files_were_taken_away_did_not_fail_by_itself() {
    let workshop = &BENCH.workshop;
    let sources = [SourceFile::text("a.py", b"print('taken away')\n".to_vec()).unwrap()];
    let built = || match workshop.build(&"python3".parse().unwrap(), &sources).unwrap() {
        Build::Ready(program) => program,
        Build::Refused(words) => panic!("{words}"),
    };
    let start = || Start {
        arguments: &[],
        stdin: Stdin::Null,
        limits: limits(),
        binds: Vec::new(),
        work_files: Vec::new(),
        collect: Vec::new(),
        freshness: Freshness::Fresh,
    };
    let damages: [fn(&Path); 3] = [
        |folder| fs::remove_dir_all(folder).unwrap(),
        |folder| fs::remove_file(only_file(folder)).unwrap(),
        |folder| fs::write(only_file(folder), "1/0").unwrap(),
    ];
    for damage in damages {
        let program = built();
        damage(program.folder());
        // Neither "exit code 2" nor anything else that would be told to the contestant.
        assert!(program.run(workshop, start()).is_err());
        let report = built().run(workshop, start()).unwrap();
        assert_eq!(report.end, End::Exited(0), "it is built again");
    }
}
