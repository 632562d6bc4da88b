//! Reading problem packages: a small complete one, and what is said about broken ones.
#![expect(clippy::unwrap_used, reason = "an unwrap that fails is a test that fails")]

#[path = "packages/current_tests.rs"]
mod current_tests;
#[path = "packages/formats.rs"]
mod formats;
#[path = "packages/groups.rs"]
mod groups;
#[path = "packages/recipes.rs"]
mod recipes;
#[path = "packages/round_trip.rs"]
mod round_trip;
#[path = "packages/written.rs"]
mod written;
#[path = "packages/zips.rs"]
mod zips;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use rstest::rstest;
use touchstone::domain::language::LanguageId;
use touchstone::domain::slug::Slug;
use touchstone::domain::verdict::Verdict;
use touchstone::package::{
    AllowedLanguages, FormatVersion, License, OutputValidator, Package, PackageError, PackagePath, PackageTree,
    StatementKind, TestInput, TestKind, ValidatorArgs, Warning,
};

fn minimal() -> PackageTree {
    PackageTree::from_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packages/minimal")).unwrap()
}

/// The small package as files in memory, to be broken.
fn files() -> BTreeMap<String, Vec<u8>> {
    let tree = minimal();
    tree.paths().map(|path| (path.to_string(), tree.read(path).unwrap())).collect()
}

fn read_files(files: BTreeMap<String, Vec<u8>>) -> Result<(Package, Vec<Warning>), PackageError> {
    let tree = PackageTree::from_files(files.into_iter().map(|(name, bytes)| (name, Cow::Owned(bytes)))).unwrap();
    let (package, warnings) = Package::read(&tree, &"sum".parse().unwrap())?;
    package.check_supported()?;
    Ok((package, warnings))
}

fn read_minimal() -> (Package, Vec<Warning>) {
    let slug: Slug = "sum".parse().unwrap();
    Package::read(&minimal(), &slug).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_metadata_is_read() {
    let (package, warnings) = read_minimal();
    assert_eq!(warnings, [], "nothing to remark");
    assert_eq!((package.slug.as_str(), package.format), ("sum", FormatVersion::V202509));
    assert_eq!(package.uuid.as_deref(), Some("5b8e1c1e-0f5e-4f6e-9c39-5e3d7a4f6b11"));
    assert_eq!(package.version.as_deref(), Some("1.2"));
    let name = |tag: &str| package.name(&tag.parse().unwrap()).to_owned();
    assert_eq!((name("zh"), name("en"), name("de")), ("求和".to_owned(), "Sum".to_owned(), "Sum".to_owned()));
    assert_eq!(package.limits.time_limit_ms, Some(1_500));
    assert_eq!((package.limits.memory_mib, package.limits.output_mib), (256, 8));
    assert_eq!((package.limits.ac_to_time_limit, package.limits.time_limit_to_tle), (2.0, 1.5));
    let AllowedLanguages::Only(languages) = &package.languages else { panic!("three languages") };
    assert_eq!(languages.iter().map(LanguageId::as_str).collect::<Vec<_>>(), ["c", "cpp", "python3"]);
    assert_eq!(package.credits.authors[0].name, "Ada Example");
    assert_eq!(package.credits.authors[0].email.as_deref(), Some("ada@example.org"));
    assert_eq!(package.credits.testers[0].orcid.as_deref(), Some("0000-0001-2345-6789"));
    assert_eq!(package.credits.translators.len(), 1);
    let sources: Vec<_> = package.source.iter().map(|source| (source.name.as_str(), source.url.is_some())).collect();
    assert_eq!(sources, [("Example Cup 2024", true), ("Example Course", false)]);
    assert_eq!(package.license, License::CcBySa);
    let statements: Vec<_> = package.statements.iter().map(|s| (s.language.as_str(), s.kind)).collect();
    assert_eq!(statements, [("en", StatementKind::Markdown), ("zh", StatementKind::Markdown)]);
    assert_eq!(package.input_validators.len(), 1);
    assert_eq!(package.output_validator, OutputValidator::Default);
}

#[test]
fn tests_come_in_order_from_files_and_generators() {
    let (package, _) = read_minimal();
    let names: Vec<_> = package.test_cases().map(|case| case.name.as_str()).collect();
    let expected =
        ["sample/1", "secret/01-zero", "secret/02-large", "secret/03-written", "secret/04-copied", "secret/05-made"];
    assert_eq!(names, expected);
    let cases: Vec<_> = package.test_cases().collect();
    assert_eq!((cases[0].kind, cases[1].kind), (TestKind::Sample, TestKind::Secret));
    assert_eq!((cases[0].full_feedback, cases[1].full_feedback), (true, false));
    assert_eq!(cases[0].answer.as_ref().map(PackagePath::as_str), Some("data/sample/1.ans"));
    assert_eq!(cases[1].output_validator_args, ["case_sensitive"]);
    assert_eq!(cases[1].description.as_deref(), Some("Both are zero."));
    assert_eq!(cases[1].hint.as_deref(), Some("Zero is a number too."));
    assert_eq!(cases[2].output_validator_args, ["space_change_sensitive"], "inherited from the group");
    assert_eq!(cases[2].answer, None);
    let TestInput::Generated { program, args } = &cases[2].input else { panic!("generated") };
    assert_eq!((program.entry.as_str(), args.len()), ("generators/pair.py", 2));
    assert_eq!(cases[3].input, TestInput::Inline("5 6\n".to_owned()));
    assert_eq!(cases[3].description.as_deref(), Some("Small and written here."));
    assert_eq!(cases[4].input, TestInput::File("generators/manual/carry.in".parse().unwrap()));
    assert!(matches!(&cases[5].input, TestInput::Generated { args, .. } if args == &["7", "8"]));

    let invalid: Vec<_> = package.invalid_inputs.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(invalid, ["invalid_input/negative", "invalid_input/too-large"]);
    assert_eq!(package.invalid_inputs[0].description.as_deref(), Some("Numbers are not negative."));
}

#[test]
fn submissions_promise() {
    let (package, _) = read_minimal();
    let names: Vec<_> = package.submissions.iter().map(|submission| submission.name.as_str()).collect();
    assert_eq!(names, ["accepted/sum.c", "accepted/sum.py", "wrong_answer/minus.py"]);
    let references: Vec<_> = package.references().map(|reference| reference.name.as_str()).collect();
    assert_eq!(references, ["accepted/sum.py", "accepted/sum.c"], "the named solution is the primary");
    let promise = package.submissions[2].promise;
    assert_eq!(promise.to_string(), "WA or RTE");
    assert!(promise.holds(Verdict::WrongAnswer) && !promise.holds(Verdict::Accepted) && promise.is_wrong());
}

/// What is done to the small package.
enum Change<'a> {
    Write(&'a str, &'a str),
    Add(&'a str, &'a str),
    Replace(&'a str, &'a str, &'a str),
    Remove(&'a str),
}
use Change::{Add, Remove, Replace, Write};

fn change(change: &Change<'_>) -> BTreeMap<String, Vec<u8>> {
    let mut files = files();
    match *change {
        Write(name, text) => drop(files.insert(name.to_owned(), text.as_bytes().to_vec())),
        Add(name, text) => files.get_mut(name).unwrap().extend(text.bytes()),
        Replace(name, from, to) => {
            let text = String::from_utf8(files.remove(name).unwrap()).unwrap();
            assert!(text.contains(from), "{name} has no {from}");
            files.insert(name.to_owned(), text.replace(from, to).into_bytes());
        }
        Remove(prefix) => files.retain(|name, _| !name.starts_with(prefix)),
    }
    files
}

const YAML: &str = "problem.yaml";
const GENERATORS: &str = "generators/generators.yaml";

#[rstest]
#[case(Remove(YAML), "problem.yaml: it is missing; is this a problem package?")]
#[case(Remove("statement/"), "statement: there is no statement; write statement/problem.en.md")]
#[case(Remove("statement/problem.zh.md"), "problem.yaml: `name` has `zh`, but there is no statement in it")]
#[case(
    Write("statement/problem.de.md", "Summe"),
    "statement/problem.de.md: `name` in problem.yaml has no name in `de`"
)]
#[case(Write("statement/problem.md", "Sum"), "statement/problem.md: it needs a language in its name: problem.en.md")]
#[case(Write("statement/problem.en.pdf", "Sum"), "statement/problem.en.pdf: it is not a PDF file")]
#[case(Write("statement/problem.en.md", " \n"), "statement/problem.en.md: it is empty")]
#[case(
    Remove("input_validators/"),
    "input_validators: there is no input validator; write a program that exits with 42 for a valid input"
)]
#[case(
    Write("input_validators/x.ctd", ""),
    "input_validators/x.ctd: input validators in .ctd are not supported yet; write a program"
)]
#[case(
    Write("input_validators/pair/main.c", ""),
    "input_validators/pair.py: there are two input validators called `pair`"
)]
#[case(
    Write("output_validator/check.py", ""),
    "data/secret/02-large: there is no .ans file; only with the default output validator the references can make it"
)]
#[case(
    Write("output_validators/check.py", ""),
    "output_validators: format 2025-09 calls it output_validator; rename it"
)]
#[case(
    Write("submissions/sum.py", ""),
    "submissions/sum.py: a submission must lie in a folder that says what it gets, as in submissions/accepted/"
)]
#[case(
    Write("submissions/slow/sum.py", ""),
    "submissions/slow/sum.py: nothing says what it is to get: `slow` is no folder of the format; move it, or write `@EXPECTED_RESULTS@: WRONG-ANSWER` or the like into a comment"
)]
#[case(
    Write("submissions/accepted/x.py", "pass\n# @EXPECTED_RESULTS@: WRONG-ANSWER\n"),
    "submissions/accepted/x.py:2: @EXPECTED_RESULTS@ says WA, but the folder `accepted` says otherwise"
)]
#[case(
    Write("submissions/rejected/x.py", "# @EXPECTED_RESULTS@: SLOW\n"),
    "submissions/rejected/x.py:1: `SLOW` in @EXPECTED_RESULTS@ is no result; known are CORRECT, WRONG-ANSWER, TIMELIMIT, RUN-ERROR, MEMORY-LIMIT, OUTPUT-LIMIT, COMPILER-ERROR"
)]
#[case(
    Replace(YAML, "problem_format_version: 2025-09", ""),
    "problem.yaml:8: `credits` isn't known here; known are problem_format_version, name, uuid, author, source, source_url, license, rights_owner, languages, type, validation, validator_flags, grading, limits, keywords"
)]
#[case(
    Replace(YAML, "problem_format_version: 2025-09", ""),
    "statement: format legacy calls it problem_statement; rename it"
)]
#[case(
    Replace(YAML, "2025-09", "2026"),
    "problem.yaml:1: `problem_format_version` must be 2025-09, 2023-07-draft, legacy or legacy-icpc"
)]
#[case(
    Replace(YAML, "type: pass-fail", "type: fun"),
    "problem.yaml:2: `fun` is no problem type; known are pass-fail, scoring, multi-pass, interactive, submit-answer"
)]
#[case(
    Replace(YAML, "type: pass-fail", "type: [pass-fail, pass-fail]"),
    "problem.yaml:2: `type` has `pass-fail` twice"
)]
#[case(
    Replace(YAML, "  zh: 求和", "  zh-Hans: 求和"),
    "problem.yaml:5: `zh-Hans` is no language code; write two or three lower-case letters and maybe a region: en, zh, pt-BR"
)]
#[case(
    Replace(YAML, "5b8e1c1e-0f5e", "5b8e1c1e_0f5e"),
    "problem.yaml: `uuid: 5b8e1c1e_0f5e-4f6e-9c39-5e3d7a4f6b11` is no UUID; write 8-4-4-4-12 hexadecimal digits"
)]
#[case(
    Replace(YAML, "  memory: 256", "  memory: 0.5"),
    "problem.yaml:22: `limits.memory` must be a whole number of at least 1"
)]
#[case(
    Replace(YAML, "time_limit: 1.5", "time_limit: fast"),
    "problem.yaml:21: `limits.time_limit` must be a number of at least 0.001"
)]
#[case(
    Replace(YAML, "time_limit: 1.5", "time_limit: .inf"),
    "problem.yaml:21: `limits.time_limit` must be a number of at least 0.001"
)]
#[case(
    Replace(YAML, "cc by-sa", "gpl"),
    "problem.yaml:19: `license` must be one of unknown, public domain, cc0, cc by, cc by-sa, educational, permission"
)]
#[case(
    Add(YAML, "constants: {n: 5, 2x: 3}\n"),
    "problem.yaml:25: `2x` can't be a constant's name; take letters, digits and `_`, no digit first"
)]
#[case(
    Add(YAML, "embargo_until: soon\n"),
    "problem.yaml:25: `embargo_until` must be a date in UTC, as 2026-05-01 or 2026-05-01T12:00:00Z"
)]
#[case(Add(YAML, "name: Again\n"), "problem.yaml:25: the key `name` is there twice")]
#[case(
    Write(YAML, "\u{feff}name: x\n"),
    "problem.yaml:1: it begins with a byte-order mark; save it as UTF-8 without one"
)]
#[case(Write(YAML, "- 1\n"), "problem.yaml:1: it must be a map of keys and values")]
#[case(
    Remove("data/sample/1.in"),
    "generators/generators.yaml:6: the test `sample/1` has no command, and there is no file data/sample/1.in"
)]
#[case(
    Write("data/secret/x.ans", "1\n"),
    "data/secret/x.ans: it belongs to no test: there is no file data/secret/x.in"
)]
#[case(
    Write("data/secret/x.txt", ""),
    "data/secret/x.txt: it belongs to no test; remove it, or give it an ending of the format (.in, .ans, .yaml, ...)"
)]
#[case(
    Write("data/secret/x.desc", ""),
    "data/secret/x.desc: format 2025-09 has no such file; write it into the test's .yaml"
)]
#[case(
    Write("data/extra/x.in", ""),
    "data/extra/x.in: only folders belong into data/: sample, secret, invalid_input, invalid_output, valid_output"
)]
#[case(
    Write("data/secret/group/x.in", ""),
    "data/secret: it has both tests and groups of tests; move the tests into a group"
)]
#[case(Write("data/sample/a/x.in", ""), "data/sample/a/x: data/sample must not have folders in it")]
#[case(
    Write("data/invalid_input/negative.ans", ""),
    "data/invalid_input/negative.ans: an invalid input has no answer; remove it"
)]
#[case(Write("data/invalid_output/x.in", ""), "data/invalid_output/x: the file data/invalid_output/x.ans is missing")]
#[case(
    Add("data/secret/01-zero.yaml", "colour: red\n"),
    "data/secret/01-zero.yaml:4: `colour` isn't known here; known are input_visualizer_args, output_visualizer_args, args, input_validator_args, output_validator_args, full_feedback, hint, description"
)]
#[case(
    Add("data/secret/test_group.yaml", "max_score: 5\n"),
    "data/secret/test_group.yaml:2: only scoring problems have scores and groups to pass; remove these keys"
)]
#[case(
    Add("data/secret/test_group.yaml", "input_validator_args: 5\n"),
    "data/secret/test_group.yaml:2: `input_validator_args` must be a list of texts, or a map from a validator's name to one"
)]
#[case(
    Replace(GENERATORS, "version: ", "visualizer: "),
    "generators/generators.yaml:2: `visualizer` isn't known here; known are solution, version, random_salt, data"
)]
#[case(
    Replace(GENERATORS, "accepted/sum.py", "accepted/none.py"),
    "generators/generators.yaml:1: `solution`: /submissions/accepted/none.py is no program in submissions/accepted/"
)]
#[case(
    Replace(GENERATORS, "/submissions/accepted/sum.py", "sum.py"),
    "generators/generators.yaml:1: `solution` must be a path from the package's root, as in /submissions/accepted/solve.rs"
)]
#[case(
    Replace(GENERATORS, "pair 1000000000 1000000000", "pear 1"),
    "generators/generators.yaml:10: there is no generator generators/pear, with or without an extension"
)]
#[case(
    Replace(GENERATORS, "pair 1000000000 1000000000", "pair {seed} {seed:2}"),
    "generators/generators.yaml:10: `pair {seed} {seed:2}`: `{seed}` may stand there once"
)]
#[case(
    Replace(GENERATORS, "pair 1000000000 1000000000", "pair {name} 1"),
    "generators/generators.yaml:10: `pair {name} 1`: `{name}` is for generators that write files of that name; here a generator prints the input"
)]
#[case(
    Replace(GENERATORS, "pair 1000000000 1000000000", "pair {count} 1"),
    "generators/generators.yaml:10: `pair {count} 1`: only `{seed}` and `{seed:2}` are filled in; write the value out"
)]
#[case(
    Replace(GENERATORS, "manual/carry", "manual/none"),
    "generators/generators.yaml:14: there is no file generators/manual/none.in to copy"
)]
#[case(
    Replace(GENERATORS, "        desc: Small and written here.", "        ans: '11'"),
    "generators/generators.yaml:13: answers aren't written down here: the reference solutions make them"
)]
#[case(
    Replace(GENERATORS, "        in: 5 6\n", ""),
    "generators/generators.yaml:11: the test `secret/03-written` needs exactly one of `generate`, `copy` and `in`"
)]
#[case(
    Replace(GENERATORS, "04-copied", "../x"),
    "generators/generators.yaml:14: `../x` can't be a test's name; take letters, digits, `_`, `-` and `.`"
)]
#[case(
    Write("generators/pair.rs", ""),
    "generators/generators.yaml:10: there are several generators called `pair`; write the extension too"
)]
fn each_fault_has_a_sentence(#[case] broken: Change<'_>, #[case] sentence: &str) {
    let Err(error) = read_files(change(&broken)) else { panic!("it was taken") };
    let said = error.to_string();
    assert!(said.lines().any(|line| line == sentence), "said:\n{said}\nwanted:\n{sentence}");
}

#[test]
fn all_faults_are_told_at_once() {
    let mut files = change(&Replace(YAML, "license: cc by-sa", "license: gpl\ncolour: red"));
    files.retain(|name, _| !name.starts_with("input_validators/") && !name.starts_with("submissions/accepted"));
    files.insert("data/secret/x.ans".to_owned(), Vec::new());
    insta::assert_snapshot!(read_files(files).unwrap_err(), @r"
    data/secret/x.ans: it belongs to no test: there is no file data/secret/x.in
    generators/generators.yaml:1: `solution`: /submissions/accepted/sum.py is no program in submissions/accepted/
    input_validators: there is no input validator; write a program that exits with 42 for a valid input
    problem.yaml:19: `license` must be one of unknown, public domain, cc0, cc by, cc by-sa, educational, permission
    problem.yaml:20: `colour` isn't known here; known are problem_format_version, name, uuid, type, limits, version, languages, credits, source, license, rights_owner, embargo_until, keywords, allow_file_writing, constants
    submissions/accepted: there is no accepted submission; put a reference solution there, it makes the answers
    ");
}

#[rstest]
#[case(Write("README.md", "x"), "README.md: the format has nothing of this name; it is not used")]
#[case(
    Write("data/secret/a b.in", "1"),
    "data/secret/a b.in: the format allows only letters, digits, `_`, `-` and `.` in names; it is treated as not there"
)]
#[case(
    Remove("submissions/accepted/sum.c"),
    "submissions/accepted: there is only one accepted submission; a second, written independently, would check its answers"
)]
#[case(
    Write("data/secret/02-large.in", "1 1\n"),
    "data/secret/02-large.in: the committed file is used; generators.yaml makes this test too, which is not run"
)]
fn each_slip_has_a_sentence(#[case] slip: Change<'_>, #[case] sentence: &str) {
    let (_, warnings) = read_files(change(&slip)).unwrap_or_else(|error| panic!("{error}"));
    let said: Vec<_> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(said, [sentence]);
}

#[test]
fn a_package_without_generators_or_samples_is_taken() {
    let mut files = files();
    files.retain(|name, _| !name.starts_with("generators/") && !name.starts_with("data/sample/"));
    files.remove("data/secret/01-zero.ans");
    let (package, warnings) = read_files(files).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(package.primary().name, "accepted/sum.c", "the first by name");
    let said: Vec<_> = warnings.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(said.join("\n"), @r"
    data/secret/01-zero: there is no .ans file; the primary reference makes the answer
    data/sample: there is no sample; contestants will see no example of input and output
    ");
}

#[test]
fn groups_follow_each_other_by_name() {
    let mut files = files();
    files.retain(|name, _| !name.starts_with("generators/") && !name.starts_with("data/secret/"));
    for name in ["b/1", "a/2", "a/10", "a/deep/1", "c/1"] {
        files.insert(format!("data/secret/{name}.in"), b"1 2\n".to_vec());
        files.insert(format!("data/secret/{name}.ans"), b"3\n".to_vec());
    }
    files.insert(
        "data/secret/b/test_group.yaml".to_owned(),
        b"input_validator_args: {pair: [big]}\nfull_feedback: true\n".to_vec(),
    );
    let (package, _) = read_files(files).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<_> =
        package.data.all().into_iter().map(|group| (group.name.as_str(), group.own_cases().count())).collect();
    assert_eq!(names, [("data", 0), ("sample", 1), ("secret", 0), ("secret/a", 3), ("secret/b", 1), ("secret/c", 1)]);
    let cases: Vec<_> = package.test_cases().map(|case| case.name.as_str()).collect();
    let expected = ["sample/1", "secret/a/10", "secret/a/2", "secret/a/deep/1", "secret/b/1", "secret/c/1"];
    assert_eq!(cases, expected, "byte order, not numbers");
    let case = package.test_cases().find(|case| case.name == "secret/b/1").unwrap();
    assert!(case.full_feedback);
    assert!(matches!(&case.input_validator_args, ValidatorArgs::ByName(_)));
    assert_eq!(
        (case.input_validator_args.of("pair"), case.input_validator_args.of("other").len()),
        (["big".to_owned()].as_slice(), 0)
    );
}

#[test]
fn a_list_of_tests_is_numbered() {
    let list = "solution: /submissions/accepted/sum.py\ndata:\n  sample:\n    data: {'1': }\n  secret:\n    data:\n      - a: pair 1 2\n      - '': pair 3 4\n      - 03-c: pair 5 6\n";
    let mut files = change(&Write(GENERATORS, list));
    files.retain(|name, _| !name.starts_with("data/secret/"));
    let (package, warnings) = read_files(files).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<_> = package.test_cases().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["sample/1", "secret/1-a", "secret/2", "secret/3-03-c"]);
    let said: Vec<_> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "generators/generators.yaml:9: a list numbers its tests, so this one is called `3-03-c`; write a map (without the `-`) to keep `03-c`"
        ]
    );
}

#[test]
fn very_many_tests_are_refused_quickly() {
    let mut list = String::from("data:\n  secret:\n    data:\n");
    for index in 0..60_000 {
        list.extend(["      a", &index.to_string(), ": pair 1\n"]);
    }
    let error = read_files(change(&Write(GENERATORS, &list[..list.len().min(1 << 20)]))).unwrap_err();
    assert!(error.to_string().contains("there are more than 10000 tests"), "{error}");
    assert!(error.faults().len() <= 101);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever one file turns into, reading ends with a package or with faults.
    #[test]
    fn any_bytes_in_any_file_are_read_or_refused(
        at in any::<prop::sample::Index>(), start in any::<prop::sample::Index>(), cut in 0_usize..20,
        bytes in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..30),
            "([a-z0-9\"'&*!|>#:?{}\\[\\], \n-]|: |- |\n  ){0,20}".prop_map(String::into_bytes),
        ],
    ) {
        let mut files = files();
        let name = files.keys().nth(at.index(files.len())).unwrap().clone();
        let contents = files.get_mut(&name).unwrap();
        let start = start.index(contents.len() + 1);
        let end = (start + cut).min(contents.len());
        contents.splice(start..end, bytes);
        if let Err(error) = read_files(files) {
            prop_assert!(!error.faults().is_empty() && !error.to_string().is_empty());
        }
    }
}
