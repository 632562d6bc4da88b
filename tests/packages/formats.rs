//! What each format of packages means, file by file.

use proptest::prelude::*;
use rstest::rstest;
use touchstone::domain::verdict::Verdict;
use touchstone::package::{FormatVersion, Protocol, StatementKind, TestKind, TimeBound, ValidatorArgs, VerdictSet};

use super::written::Written;

const VALIDATION: &str = "validation: custom interactive\nvalidator_flags: fast 3\n";

fn names<T>(items: &[T], name: impl Fn(&T) -> &str) -> Vec<String> {
    items.iter().map(|item| name(item).to_owned()).collect()
}

#[test]
fn legacy_metadata() {
    let yaml = "uuid: ABCDEF00-0000-4000-8000-000000000000\nsource: Example Cup\nsource_url: https://example.org\n\
                license: cc by-sa\nkeywords: sums numbers\nlanguages: [c, cpp]\nvalidator_flags: float_tolerance 1e-6\n";
    let package = Written::legacy().adding("problem.yaml", yaml).read();
    assert_eq!(package.format, FormatVersion::Legacy);
    assert_eq!(names(&package.credits.authors, |person| &person.name), ["Ada Example", "Bo Example", "Cy Example"]);
    assert_eq!(package.uuid.as_deref(), Some("abcdef00-0000-4000-8000-000000000000"));
    assert_eq!((package.source[0].name.as_str(), package.source[0].url.is_some()), ("Example Cup", true));
    assert_eq!(package.keywords, ["sums", "numbers"]);
    assert_eq!((package.limits.memory_mib, package.limits.time_limit_ms), (512, None));
    assert_eq!((package.limits.ac_to_time_limit, package.limits.time_limit_to_tle), (5.0, 2.0), "its own defaults");
    assert_eq!(package.name(&"en".parse().unwrap()), "Sum", "from the statement");
    let statements: Vec<_> = package.statements.iter().map(|s| (s.language.as_str(), s.kind)).collect();
    assert_eq!(statements, [("en", StatementKind::Tex)]);
    assert!(package.cases.iter().all(|case| case.output_validator_args == ["float_tolerance", "1e-6"]));
}

#[rstest]
#[case("\\problemname{$x$}\n%% plainproblemname: x\n", "x")]
#[case("text \\problemname{ Plain name }", "Plain name")]
#[case("no name at all", "Given")]
#[case("\\problemname{\\emph{Odd}}", "Given")]
fn legacy_names(#[case] tex: &str, #[case] name: &str) {
    let package =
        Written::legacy().adding("problem.yaml", "name: Given\n").with("problem_statement/problem.tex", tex).read();
    assert_eq!(package.name(&"en".parse().unwrap()), name);
}

#[test]
fn legacy_icpc_is_a_part_of_legacy() {
    let package = Written::legacy().adding("problem.yaml", "problem_format_version: legacy-icpc\n").read();
    assert_eq!(package.format, FormatVersion::LegacyIcpc);
    let scoring = Written::legacy().adding("problem.yaml", "problem_format_version: legacy-icpc\ntype: scoring\n");
    assert!(scoring.faults().contains("problem.yaml:5: `type` isn't known here"), "{}", scoring.faults());
    let groups = Written::legacy()
        .adding("problem.yaml", "problem_format_version: legacy-icpc\n")
        .with("data/secret/testdata.yaml", "");
    assert!(groups.faults().contains("format legacy-icpc has no settings of groups; format legacy has"));
}

#[test]
fn legacy_words_about_tests_and_conversations() {
    let package = Written::legacy()
        .adding("problem.yaml", VALIDATION)
        .with("output_validators/talk/talk.cpp", "#include \"testlib.h\"\n")
        .with("output_validators/talk/testlib.h", "#define OK_EXIT_CODE 42\n")
        .with("data/secret/1.hint", "Think.\n")
        .with("data/secret/1.desc", "Small.\n")
        .with("data/secret/1.png", "")
        .with("data/sample/1.interaction", "<1\n>2\n")
        .with("data/sample/only.interaction", ">1\n")
        .read();
    assert!(package.problem_type.interactive && !package.problem_type.multi_pass);
    let [validator] = package.output_validator.programs() else { panic!("one of its own") };
    assert_eq!((validator.name.as_str(), validator.protocol), ("talk", Protocol::Icpc), "its testlib.h is adapted");
    let case = package.cases.iter().find(|case| case.kind == TestKind::Secret).unwrap();
    assert_eq!((case.hint.as_deref(), case.description.as_deref()), (Some("Think."), Some("Small.")));
    assert!(case.illustration.is_some());
    assert_eq!(case.output_validator_args, ["fast", "3"]);
    assert!(package.cases[0].sample_files.interaction.is_some());
    assert_eq!(names(&package.sample_interactions, |shown| &shown.name), ["sample/only"]);
}

#[test]
fn testlib_comes_along() {
    let package = Written::legacy()
        .adding("problem.yaml", "validation: custom\n")
        .with("input_validators/numbers.cpp", "#include \"testlib.h\"\n")
        .without("input_validators/numbers.py")
        .with("input_validators/testlib.h", "#define OK_EXIT_CODE 0\n")
        .with("output_validators/check.cpp", "// a checker\n#include <testlib.h>\n")
        .with("output_validators/testlib.h", "#define OK_EXIT_CODE 0\n")
        .read();
    let validators: Vec<_> =
        package.input_validators.iter().map(|v| (v.name.as_str(), v.files.len(), v.protocol)).collect();
    assert_eq!(validators, [("numbers", 2, Protocol::Testlib)]);
    let [checker] = package.output_validator.programs() else { panic!("one of its own") };
    assert_eq!((checker.files.len(), checker.protocol), (2, Protocol::Testlib));
    let alone = Written::legacy().with("input_validators/v.cpp", "\n#include \"testlib.h\"\n");
    let sentence = "input_validators/v.cpp:2: it includes testlib.h, which is not beside it; put testlib.h there";
    assert_eq!(alone.faults(), sentence);
}

#[test]
fn legacy_folders_promise_less() {
    let package = Written::legacy()
        .with("submissions/time_limit_exceeded/slow.py", "")
        .with("submissions/run_time_error/crash.py", "")
        .read();
    let promise = |name: &str| package.submissions.iter().find(|s| s.name == name).unwrap().promise;
    let slow = promise("time_limit_exceeded/slow.py");
    assert!(slow.permitted.contains(Verdict::WrongAnswer) && !slow.permitted.contains(Verdict::RunTimeError));
    assert!(promise("run_time_error/crash.py").permitted.contains(Verdict::TimeLimit));
}

#[test]
fn domjudge_ini_sets_the_time_limit() {
    let ini = "; for DOMjudge\nshort-name = A\ntimelimit='2.5'\ncolor=\"red\"\n";
    let written = Written::legacy().with("domjudge-problem.ini", ini);
    assert_eq!(written.read().limits.time_limit_ms, Some(2_500));
    let said = [
        "domjudge-problem.ini:2: `short-name` belongs to a contest; set it there",
        "domjudge-problem.ini:4: `color` belongs to a contest; set it there",
    ];
    assert_eq!(written.warnings(), said);
    let both = Written::legacy().with("domjudge-problem.ini", ini).with("problem.yaml", "limits: {time_limit: 1}\n");
    assert_eq!(both.read().limits.time_limit_ms, Some(1_000), "problem.yaml comes first");
}

#[test]
fn what_domjudge_packages_have() {
    let package = Written::legacy()
        .with("problem.yaml", "name: Words\nvalidation: custom multi-pass\nlimits: {validation_passes: 26}\n")
        .adding("problem.yaml", "validator_flags: --message \"more than one word\" -x\n")
        .with("output_validators/check/check.py", "")
        .with("data/secret/testdata.yaml", "output_validator_flags: --secret 'two words'\n")
        .without("problem_statement/")
        .with("problem.pdf", "%PDF-1.7\n")
        .with("submissions/mixed/any.py", "# @EXPECTED_RESULTS@: WRONG-ANSWER, CORRECT\n")
        .read();
    assert!(package.problem_type.multi_pass);
    assert_eq!(package.limits.validation_passes, 26);
    let expected = ["--message", "more than one word", "-x", "--secret", "two words"];
    assert_eq!(package.cases[1].output_validator_args, expected);
    assert_eq!((package.statements[0].kind, package.statements[0].path.as_str()), (StatementKind::Pdf, "problem.pdf"));
    assert_eq!(package.name(&"en".parse().unwrap()), "Words");
    let ini = Written::legacy().with("domjudge-problem.ini", "special_compare_args = float_tolerance 1E-6\n").read();
    assert_eq!(ini.cases[0].output_validator_args, ["float_tolerance", "1E-6"]);
}

#[test]
fn tex_that_is_not_plain_needs_a_pdf() {
    let tex = "\\problemname{Sum}\n\\begin{tabular}{c}1\\end{tabular}\n";
    let written = Written::legacy().with("problem_statement/problem.tex", tex);
    let sentence = "problem_statement/problem.tex:2: `\\begin{tabular}` can't be shown on a page; put problem.en.pdf beside it, which is shown instead";
    assert_eq!(written.warnings(), [sentence]);
    assert!(written.with("problem_statement/problem.en.pdf", "%PDF-1.4\n").warnings().is_empty());
}

#[test]
fn a_draft_without_a_uuid_is_taken() {
    let written = Written::modern("2023-07-draft");
    let yaml = "problem_format_version: 2023-07-draft\nname: Sum\n";
    let sentence = "problem.yaml:1: `uuid` is missing; it follows the problem through renames (`uuidgen` makes one)";
    assert_eq!(written.clone().with("problem.yaml", yaml).warnings(), [sentence]);
    assert_eq!(written.with("problem.yaml", &yaml.replace("2023-07-draft", "2025-09")).faults(), sentence);
}

#[test]
fn constants_are_put_in() {
    let written = Written::modern("2025-09")
        .adding("problem.yaml", "type: scoring\nconstants:\n  n: 1000\n  tight: 1e-9\n  most: 40\n")
        .with("statement/problem.en.md", "$n \\le {{n}}$, {{other}}\n")
        .with("input_validators/numbers.py", "N = {{n}}\n")
        .with("submissions/accepted/sum.c", "int a[{{n}}];\n")
        .with("data/secret/1.in", "{{n}}\n")
        .with(
            "data/secret/test_group.yaml",
            "max_score: {{most}}\noutput_validator_args: [float_tolerance, '{{tight}}']\n",
        );
    let package = written.read();
    let tree = written.tree();
    let hash = tree.hash().unwrap();
    assert_eq!(package.cases[1].output_validator_args, ["float_tolerance", "1e-9"]);
    let tree = package.with_constants(tree).unwrap();
    let text = |name: &str| String::from_utf8(tree.read(&name.parse().unwrap()).unwrap()).unwrap();
    assert_eq!(text("statement/problem.en.md"), "$n \\le 1000$, {{other}}\n");
    assert_eq!(text("input_validators/numbers.py"), "N = 1000\n");
    assert_eq!(text("submissions/accepted/sum.c"), "int a[1000];\n");
    assert_eq!(text("data/secret/1.in"), "{{n}}\n", "test data stays");
    assert_eq!(written.tree().hash().unwrap(), hash);
}

#[test]
fn included_files_args_and_files() {
    let package = Written::modern("2025-09")
        .with("include/default/readme.txt", "")
        .with("include/cpp/main.cpp", "")
        .with("include/cpp/lib/x.h", "")
        .with("data/secret/1.yaml", "args: [--fast, '7']\n")
        .with("data/secret/1.files/in/a.txt", "")
        .with("attachments/tool.py", "")
        .with("solution/solution.en.md", "Add them.\n")
        .read();
    let of = |language: &str| names(package.include.of(language), |file| &file.name);
    assert_eq!(of("cpp17"), ["lib/x.h", "main.cpp"]);
    assert_eq!(of("python3"), ["readme.txt"]);
    let case = &package.cases[1];
    assert_eq!(case.args, ["--fast", "7"]);
    assert_eq!(
        (case.files[0].name.as_str(), case.files[0].path.as_str()),
        ("in/a.txt", "data/secret/1.files/in/a.txt")
    );
    assert_eq!((package.attachments.len(), package.solutions.len()), (1, 1));
    let refused = package.check_supported().err().map(|error| error.to_string()).unwrap_or_default();
    assert!(!refused.contains("solution"), "{refused}");
}

#[test]
fn samples_are_shown_otherwise() {
    let package = Written::modern("2025-09")
        .with("data/sample/1.in.statement", "")
        .with("data/sample/1.in.download", "")
        .with("data/sample/1.out", "3\n")
        .with("data/sample/1.ans.download", "")
        .with("data/invalid_output/x.in", "1 2\n")
        .with("data/invalid_output/x.ans", "3\n")
        .with("data/invalid_output/x.out", "4\n")
        .with(
            "data/invalid_output/test_group.yaml",
            "description: All are wrong.\noutput_validator_args: [case_sensitive]\n",
        )
        .with("data/valid_output/y.in", "1 2\n")
        .with("data/valid_output/y.ans", "3\n")
        .with("data/valid_output/y.out", "03\n")
        .read();
    let shown = &package.cases[0].sample_files;
    assert!(shown.input_statement.is_some() && shown.input_download.is_some() && shown.output.is_some());
    let planted: Vec<_> = package.planted_outputs.iter().map(|p| (p.name.as_str(), p.valid)).collect();
    assert_eq!(planted, [("invalid_output/x", false), ("valid_output/y", true)]);
    assert_eq!(package.planted_outputs[0].description.as_deref(), Some("All are wrong."));
    assert_eq!(package.planted_outputs[0].output_validator_args, ["case_sensitive"]);
}

#[test]
fn submissions_yaml_adds_and_replaces() {
    let yaml = "\
accepted/*.c: {language: c, authors: [Ada Example], model_solution: true}
wrong_answer: {permitted: [AC, WA, RTE]}
'{mixed,odd}/half.py':
  use_for_time_limit: false
  sample: {permitted: [AC]}
  secret/*: {permitted: [AC, TLE], required: [TLE], use_for_time_limit: upper}
none/*: {required: [WA]}
";
    let written = Written::modern("2025-09")
        .with("submissions/submissions.yaml", yaml)
        .with("submissions/wrong_answer/minus.py", "")
        .with("submissions/mixed/half.py", "");
    assert_eq!(written.warnings(), ["submissions/submissions.yaml:7: `none/*` matches no submission; is it misspelt?"]);
    let package = written.read();
    let find = |name: &str| package.submissions.iter().find(|s| s.name == name).unwrap();
    let c = find("accepted/sum.c");
    assert_eq!((c.language.as_ref().unwrap().as_str(), c.authors.len(), c.model_solution), ("c", 1, true));
    assert!(find("accepted/sum.py").language.is_none());
    let minus = find("wrong_answer/minus.py").promise;
    assert!(minus.permitted.contains(Verdict::RunTimeError), "the folder's own name replaces");
    assert_eq!(minus.required, VerdictSet::of(&[Verdict::WrongAnswer]), "and what it leaves out stays");
    let half = find("mixed/half.py");
    let expected: Vec<_> =
        half.expectations.iter().map(|e| (e.tests.as_ref().map(|t| t.text.as_str()), e.time_bound)).collect();
    assert_eq!(
        expected,
        [(Some("sample"), None), (Some("secret/*"), Some(TimeBound::Upper)), (None, Some(TimeBound::None))]
    );
    assert!(half.check(&[("sample/1", Verdict::Accepted), ("secret/1", Verdict::TimeLimit)]).is_ok());
    let slow_sample = half.check(&[("sample/1", Verdict::TimeLimit), ("secret/1", Verdict::TimeLimit)]);
    assert_eq!(slow_sample.unwrap_err().to_string(), "got TLE on sample/1, but only AC may come up");
    let fast = half.check(&[("sample/1", Verdict::Accepted), ("secret/1", Verdict::Accepted)]);
    assert_eq!(fast.unwrap_err().to_string(), "no test gave TLE");
}

#[test]
fn draft_settings_are_inherited_through_all_folders() {
    let package = Written::modern("2023-07-draft")
        .without("data/secret/1")
        .test("secret/a/b/1")
        .test("secret/2")
        .with("data/test_group.yaml", "output_validator_args: [case_sensitive]\nhint: Look again.\n")
        .with("data/secret/a/test_group.yaml", "input_validator_args: {numbers: [big]}\nfull_feedback: true\n")
        .with("data/secret/a/b/1.yaml", "output_validator_args: []\n")
        .read();
    assert_eq!(package.format, FormatVersion::Draft202307);
    assert_eq!(names(&package.cases, |case| &case.name), ["sample/1", "secret/2", "secret/a/b/1"]);
    let case = &package.cases[2];
    assert!(case.full_feedback && case.output_validator_args.is_empty());
    assert!(matches!(&case.input_validator_args, ValidatorArgs::ByName(args) if args["numbers"] == ["big"]));
    assert_eq!(case.hint.as_deref(), Some("Look again."));
    assert_eq!(package.cases[1].output_validator_args, ["case_sensitive"]);
    let groups: Vec<_> = package.data.all().into_iter().map(|group| group.name.clone()).collect();
    assert_eq!(groups, ["data", "sample", "secret", "secret/a", "secret/a/b"]);
}

#[rstest]
#[case(Written::legacy().adding("problem.yaml", "colour: red\n"), "problem.yaml:4: `colour` isn't known here")]
#[case(
    Written::legacy().adding("problem.yaml", "limits2: 1\nvalidation: custom\n"),
    "problem.yaml: `validation: custom` needs an output validator in output_validators/"
)]
#[case(
    Written::legacy().with("output_validators/check.py", ""),
    "output_validators: it is there, but `validation` in problem.yaml doesn't begin with `custom`"
)]
#[case(
    Written::legacy().adding("problem.yaml", "validation: custom interactive\n").with("output_validators/a.py", "").with("output_validators/b.py", ""),
    "output_validators: of several output validators (a, b) it is not defined who talks with the submission or gives the score; put one program there"
)]
#[case(
    Written::legacy().adding("problem.yaml", "validation: custom\n").with("output_validators/a.py", "").with("output_validators/b.py", "")
        .with("data/secret/testdata.yaml", "output_validator_flags: {name: a, flags: x}\n"),
    "data/secret/testdata.yaml:1: whether the output validators besides `a` are run then is not defined; write flags for all, as a text"
)]
#[case(
    Written::legacy().adding("problem.yaml", "validation: custom\n").with("output_validators/a.py", "").with("output_validators/b.py", "")
        .with("data/secret/testdata.yaml", "output_validator_flags: b\n"),
    "data/secret/testdata.yaml:1: it names one of several output validators; whether the others are run then is not defined"
)]
#[case(
    Written::legacy().with("submissions/accepted/own/build", "").with("submissions/accepted/own/a.py", ""),
    "submissions/accepted/own/build: submissions can't bring `build` or `run` scripts; the format has them for validators and visualizers only"
)]
#[case(
    Written::legacy().adding("problem.yaml", "validation: custom score\n").with("output_validators/a.py", ""),
    "problem.yaml: `validation: custom score` is only for problems of `type: scoring`"
)]
#[case(
    Written::legacy().adding("problem.yaml", "validation: default interactive\n"),
    "problem.yaml: `validation: default` can't be followed by `interactive`"
)]
#[case(Written::legacy().adding("problem.yaml", "validation: none\n"), "problem.yaml: `validation` must begin with `default` or `custom`")]
#[case(Written::legacy().adding("problem.yaml", "grading: {objective: min}\n"), "problem.yaml:4: `grading` is only for problems of `type: scoring`")]
#[case(Written::legacy().adding("problem.yaml", "source_url: x\n"), "problem.yaml: `source_url` is there without `source`")]
#[case(
    Written::legacy().with("problem_statement/problem.tex", "Add.\n"),
    "problem_statement/problem.tex: nothing names the problem: write `name` into problem.yaml, or \\problemname{...} into the statement"
)]
#[case(
    Written::legacy().adding("problem.yaml", "validator_flags: a 'b\n"),
    "problem.yaml:4: `validator_flags` has a quote or a backslash without an end"
)]
#[case(Written::legacy().with("graders/g.py", ""), "graders: graders of the package's own are not supported yet")]
#[case(Written::legacy().with("data/secret/testdata.yaml", "grading: custom\n"), "data/secret/testdata.yaml:1: graders of the package's own are not supported yet; the default one adds up in four ways")]
#[case(Written::legacy().with("data/secret/testdata.yaml", "grader_flags: median\n"), "data/secret/testdata.yaml:1: `median` in `grader_flags` is no flag of the default grader")]
#[case(Written::legacy().with("data/secret/testdata.yaml", "range: 0 1\n"), "data/secret/testdata.yaml:1: `range` is only for scoring problems")]
#[case(Written::legacy().with("data/secret/testdata.yaml", "grader_flags: ignore_sample\n"), "data/secret/testdata.yaml:1: `ignore_sample` may stand only in data/testdata.yaml")]
#[case(Written::legacy().with("data/secret/testdata.yaml", "output_validator_flags: {name: check, flags: a}\n"), "data/secret/testdata.yaml:1: there is no output validator called `check`")]
#[case(Written::legacy().with("data/secret/testdata.yaml", "input_validator_flags: {name: other, flags: a}\n"), "data/secret/1: its arguments are for `other`, but there is no such input validator")]
#[case(Written::legacy().with("data/secret/test_group.yaml", ""), "data/secret/test_group.yaml: format legacy calls it testdata.yaml; rename it")]
#[case(Written::legacy().with("submissions/partially_accepted/x.py", ""), "submissions/partially_accepted: only scoring problems have partially accepted submissions")]
#[case(Written::legacy().with("input_validators/x.viva", ""), "input_validators/x.viva: input validators in .viva are not supported yet; write a program")]
#[case(Written::legacy().with("domjudge-problem.ini", "special_compare = x\n"), "domjudge-problem.ini:1: `special_compare` names a program that is not in the package; bring an output validator")]
#[case(Written::legacy().with("domjudge-problem.ini", "timelimit = soon\n"), "domjudge-problem.ini:1: `timelimit` must be a number of seconds of at least 0.001")]
#[case(Written::legacy().with("data/sample/1.in", "").with("data/sample/1.ans", ""), "data/sample/1.in: the sample is empty: it has neither an input nor an answer")]
#[case(Written::modern("2025-09").adding("problem.yaml", "type: interactive\n"), "problem.yaml: interactive problems need an output validator in output_validator/")]
#[case(Written::modern("2025-09").adding("problem.yaml", "limits: {validation_passes: 3}\n"), "problem.yaml: `limits.validation_passes` is only for multi-pass problems; remove it")]
#[case(Written::modern("2025-09").with("static_validator/v.py", ""), "static_validator: static validators are not supported yet")]
#[case(Written::modern("2025-09").with("include/x.h", ""), "include/x.h: it must lie in a folder for its language, as in include/cpp/")]
#[case(Written::modern("2025-09").adding("problem.yaml", "languages: [c]\n").with("include/cpp/x.h", ""), "include/cpp: `languages` in problem.yaml doesn't allow `cpp`")]
#[case(Written::modern("2025-09").with("data/sample/1.interaction", "<1\n"), "data/sample/1.interaction: only interactive and multi-pass problems have conversations; remove it")]
#[case(
    Written::modern("2025-09").adding("problem.yaml", "type: interactive\n").with("output_validator/v.py", "").with("data/sample/1.interaction", "<1\n2\n"),
    "data/sample/1.interaction:2: a line of a conversation begins with `<` (to the submission) or `>` (from it)"
)]
#[case(
    Written::modern("2025-09").adding("problem.yaml", "type: interactive\n").with("output_validator/v.py", "").with("data/sample/1.interaction", "<1\n").with("data/sample/1.out", ""),
    "data/sample/1.out: beside a .interaction file there can't be other files to show; remove one of them"
)]
#[case(Written::modern("2025-09").with("submissions/submissions.yaml", "accepted/**: {}\n"), "submissions/submissions.yaml:1: `accepted/**`: patterns have only `*` and `{a,b}`; `**`, `[...]` and `?` are none")]
#[case(Written::modern("2025-09").with("submissions/submissions.yaml", "'{a,b': {}\n"), "submissions/submissions.yaml:1: `{a,b`: its braces don't match, or stand for more than 200 names")]
#[case(Written::modern("2025-09").with("submissions/submissions.yaml", "accepted: {permitted: [MLE]}\n"), "submissions/submissions.yaml:1: `MLE` is no verdict of the format: AC, WA, TLE, RTE")]
#[case(Written::modern("2025-09").with("submissions/submissions.yaml", "accepted: {permitted: [AC], required: [WA]}\n"), "submissions/submissions.yaml:1: `required` has nothing in common with `permitted`, so no program can do both")]
#[case(Written::modern("2025-09").with("submissions/submissions.yaml", "accepted: {score: 5}\n"), "submissions/submissions.yaml:1: `score` is only for scoring problems")]
#[case(Written::modern("2025-09").with("submissions/submissions.yaml", "accepted: {colour: 5}\n"), "submissions/submissions.yaml:1: `colour` isn't known here; known are language, entrypoint, authors, model_solution, permitted, required, score, message, use_for_time_limit")]
#[case(Written::modern("2023-07-draft").with("data/secret/test_group.yaml", "static_validation: true\n"), "data/secret/test_group.yaml:1: `static_validation`: static validators are not supported yet")]
fn what_is_wrong_has_a_sentence(#[case] written: Written, #[case] sentence: &str) {
    let said = written.faults();
    assert!(said.lines().any(|line| line.starts_with(sentence)), "said:\n{said}\nwanted:\n{sentence}");
}

#[test]
fn a_nearer_file_that_leaves_a_key_out_is_told() {
    let written = Written::legacy()
        .with("data/testdata.yaml", "on_reject: continue\noutput_validator_flags: case_sensitive\n")
        .with("data/secret/testdata.yaml", "on_reject: continue\n");
    let sentence = "data/secret/testdata.yaml: output_validator_flags of data/testdata.yaml don't hold here, since the nearest file holds alone";
    assert_eq!(written.warnings(), [sentence]);
    let package = written.read();
    assert_eq!(package.cases[0].output_validator_args, ["case_sensitive"]);
    assert_eq!(package.cases[1].output_validator_args.len(), 0);
}

/// Texts of a package are UTF-8 without a byte-order mark ("General requirements"); inputs and answers are any bytes.
#[rstest]
#[case("problem.yaml", b"name: \xcb\xe3\n", "problem.yaml:1: it is not UTF-8; save it as UTF-8")]
#[case(
    "problem_statement/problem.tex",
    b"caf\xe9\n",
    "problem_statement/problem.tex: it is not UTF-8; save it as UTF-8"
)]
#[case(
    "problem_statement/problem.tex",
    b"\xff\xfeA\0",
    "problem_statement/problem.tex: it is not UTF-8; save it as UTF-8"
)]
#[case(
    "problem_statement/problem.tex",
    b"\xef\xbb\xbfAdd.\n",
    "problem_statement/problem.tex:1: it begins with a byte-order mark; save it as UTF-8 without one"
)]
#[case("data/secret/1.desc", b"\xe9\n", "data/secret/1.desc: it is not UTF-8; save it as UTF-8")]
#[case("data/testdata.yaml", b"on_reject: \xe9\n", "data/testdata.yaml:1: it is not UTF-8; save it as UTF-8")]
#[case("domjudge-problem.ini", b"name = \xe9\n", "domjudge-problem.ini: it is not UTF-8; save it as UTF-8")]
fn odd_encodings_are_told(#[case] name: &str, #[case] bytes: &[u8], #[case] sentence: &str) {
    let mut written = Written::legacy();
    written.0.insert(name.to_owned(), bytes.to_vec());
    let said = written.faults();
    assert!(said.lines().any(|line| line == sentence), "{said}");
    let mut tests = Written::legacy();
    for ending in ["in", "ans"] {
        tests.0.insert(format!("data/secret/1.{ending}"), bytes.to_vec());
    }
    assert_eq!(tests.read().cases.len(), 2);
}

#[test]
fn several_output_validators_are_read_in_order() {
    let package = Written::legacy()
        .adding("problem.yaml", "validation: custom\n")
        .with("output_validators/b.py", "")
        .with("output_validators/a/run", "")
        .read();
    let validators = package.output_validator.programs().iter();
    let validators: Vec<_> = validators.map(|program| (program.name.as_str(), program.entry.as_str())).collect();
    assert_eq!(validators, [("a", "output_validators/a/run"), ("b", "output_validators/b.py")]);
    package.check_supported().unwrap();
}

/// Something like YAML, of words that the formats know.
fn yaml_of_the_formats() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("validation"),
        Just("custom"),
        Just("score"),
        Just("scoring"),
        Just("type"),
        Just("limits"),
        Just("name"),
        Just("grader_flags"),
        Just("ignore_sample"),
        Just("range"),
        Just("-inf inf"),
        Just("max_score"),
        Just("unbounded"),
        Just("score_aggregation"),
        Just("aggregation"),
        Just("require_pass"),
        Just("secret/a"),
        Just("sample"),
        Just("sum"),
        Just("args"),
        Just("permitted"),
        Just("[AC, WA]"),
        Just("accepted"),
        Just("{a,b}/*"),
        Just("100"),
        Just("0.5"),
        Just("output_validator_flags"),
        Just("constants"),
        Just("time_limit"),
        Just("problem_format_version"),
        Just("legacy"),
        Just("2023-07-draft"),
        Just("2025-09"),
        Just("true"),
        Just("-"),
        Just("timelimit = 3"),
        Just("solution"),
        Just("/submissions/accepted/sum.py"),
        Just("data"),
        Just("secret"),
        Just("random_salt"),
        Just("gen {seed:1}"),
        Just("generate"),
        Just("copy"),
        Just("in"),
    ];
    let glue = prop_oneof![Just(": "), Just(":\n  "), Just("\n"), Just(", "), Just(" {"), Just("}\n"), Just("\n  - ")];
    proptest::collection::vec((word, glue), 0..14)
        .prop_map(|parts| parts.into_iter().flat_map(|(word, glue)| [word, glue]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever stands in any file of any format, reading ends with a package or with sentences.
    #[test]
    fn any_settings_are_read_or_refused(
        format in prop_oneof![Just(""), Just("legacy-icpc"), Just("2023-07-draft"), Just("2025-09")],
        file in prop_oneof![
            Just("problem.yaml"), Just("data/testdata.yaml"), Just("data/secret/testdata.yaml"),
            Just("data/test_group.yaml"), Just("data/secret/test_group.yaml"), Just("data/secret/a/test_group.yaml"),
            Just("data/secret/a/1.yaml"), Just("submissions/submissions.yaml"), Just("domjudge-problem.ini"),
            Just("generators/generators.yaml"),
        ],
        scoring in any::<bool>(),
        text in yaml_of_the_formats(),
    ) {
        let mut written = match format {
            "" => Written::legacy(),
            "legacy-icpc" => Written::legacy().adding("problem.yaml", "problem_format_version: legacy-icpc\n"),
            format => Written::modern(format),
        };
        written = written.test("secret/a/1").test("secret/b/1").without("data/secret/1");
        if scoring {
            written = written.adding("problem.yaml", "type: scoring\n");
        }
        written = written.adding(file, &text);
        if let Err(error) = written.try_read() {
            prop_assert!(!error.faults().is_empty());
            for fault in error.faults() {
                prop_assert!(!fault.path.is_empty() && fault.sentence.len() > 10, "{fault}");
            }
        }
    }

    /// Whatever lies in data/ under whatever name, reading ends with a package or with sentences.
    #[test]
    fn any_data_folder_is_read_or_refused(
        format in prop_oneof![Just(""), Just("2023-07-draft"), Just("2025-09")],
        names in proptest::collection::vec("(sample|secret|invalid_input|valid_output|x)(/[ab1]{1,2}){1,3}(\\.in|\\.ans|\\.out|\\.yaml|\\.files/q|\\.interaction|\\.hint|\\.png|\\.in\\.statement|/test_group\\.yaml)?", 0..12),
    ) {
        let mut written = if format.is_empty() { Written::legacy() } else { Written::modern(format) };
        for name in names {
            written = written.with(&format!("data/{name}"), "");
        }
        let files = written.0.iter().map(|(name, bytes)| (name.clone(), std::borrow::Cow::Owned(bytes.clone())));
        let Ok(tree) = touchstone::package::PackageTree::from_files(files) else { return Ok(()) };
        if let Err(error) = touchstone::package::Package::read(&tree, &"sum".parse().unwrap()) {
            prop_assert!(!error.faults().is_empty() && !error.to_string().is_empty());
        }
    }
}
