//! Tests that were changed since the package came: whatever was done to them, the package that comes out says just these
//! tests, in their order, and reading it says so.

use std::borrow::Cow;

use proptest::prelude::*;
use touchstone::domain::slug::Slug;
use touchstone::package::{
    CurrentTest, FormatVersion, Package, PackageTree, TestInput, TestKind, TestPart, with_tests,
};

use super::written::Written;

const GENERATORS: &str = "# Ours.\ndata:\n  secret:\n    data:\n      made: gen 1 2 # a sum\n      large: gen 1 3\n      \
                          1:\n  sample:\n    data:\n      written:\n        in: 7 7\n";
/// The same in a way to which lines can't be added.
const IN_BRACES: &str =
    "data: {secret: {data: {made: gen 1 2, large: gen 1 3}}, sample: {data: {written: {in: 7 7}}}}\n";

/// A package of each format and of each way to have groups; their tests' inputs all differ.
fn packages() -> Vec<Written> {
    let legacy =
        |format: &str| Written::legacy().adding("problem.yaml", &format!("problem_format_version: {format}\n"));
    let with_files = |written: Written| {
        written
            .with("data/secret/2.yaml", "args: [fast]\nhint: Think.\n")
            .with("data/secret/2.files/words.txt", "a b\n")
            .with("data/secret/2.in.statement", "two\n")
            .with("data/secret/2.in.download", "two\n")
    };
    let flat = |written: Written| {
        written
            .with("generators/gen.py", "")
            .with("generators/generators.yaml", GENERATORS)
            .with("data/sample/2.in", "s2\n")
            .with("data/sample/2.ans", "3\n")
            .with("data/secret/1.in", "1 3\n")
            .with("data/secret/2.in", "t2\n")
            .with("data/secret/2.ans", "3\n")
    };
    let grouped = |written: Written| {
        let written = written.without("data/secret/").with("generators/gen.py", "");
        ["a/1", "a/2", "b/1", "b/3"].into_iter().fold(written, |written, name| {
            let written = written.with(&format!("data/secret/{name}.in"), &format!("{name}\n"));
            written.with(&format!("data/secret/{name}.ans"), "3\n")
        })
    };
    vec![
        with_files(flat(Written::modern("2025-09"))),
        with_files(flat(Written::modern("2023-07-draft"))),
        flat(Written::modern("2025-09")).with("generators/generators.yaml", IN_BRACES),
        flat(legacy("legacy")).with("data/secret/2.hint", "Think.\n"),
        flat(legacy("legacy-icpc")),
        grouped(Written::modern("2025-09")).with("data/secret/a/test_group.yaml", "args: [slow]\n"),
        grouped(legacy("legacy")).with("data/secret/a/testdata.yaml", "output_validator_flags: case_sensitive\n"),
    ]
}

/// A test with what it asks.
#[derive(Debug, Clone, PartialEq)]
struct Known {
    test: CurrentTest,
    /// The input, or the arguments of the generator that makes it.
    input: String,
}

fn asked(tree: &PackageTree, input: &TestInput) -> String {
    match input {
        TestInput::File(path) => String::from_utf8(tree.read(path).unwrap()).unwrap(),
        TestInput::Inline(text) => text.clone(),
        TestInput::Generated { args, .. } => args.join(" "),
    }
}

/// What a judge has of a package's tests.
fn known(tree: &PackageTree, package: &Package) -> Vec<Known> {
    let of = |case: &touchstone::package::TestCase| {
        let recipe = match &case.input {
            TestInput::Generated { program, args } => Some(format!("{} {}", program.name, args.join(" "))),
            TestInput::File(_) | TestInput::Inline(_) => None,
        };
        let sample = case.kind == TestKind::Sample;
        let folder = case.name.rsplit_once('/').unwrap().0.to_owned();
        let group = case.listed_group.clone().unwrap_or(folder);
        let test = CurrentTest {
            name: case.name.clone(),
            group: if sample { "sample".to_owned() } else { group },
            sample,
            own: true,
            recipe,
            args: case.args.clone(),
            output_validator_args: case.output_validator_args.clone(),
        };
        Known { test, input: asked(tree, &case.input) }
    };
    package.cases.iter().map(of).collect()
}

#[derive(Debug, Clone)]
enum Change {
    Add(u8),
    Generate(u8),
    Edit(usize),
    Move(usize, usize),
    Group(usize, usize),
    Sample(usize, bool),
    Delete(usize),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        (0..4_u8).prop_map(Change::Add),
        (0..4_u8).prop_map(Change::Generate),
        any::<usize>().prop_map(Change::Edit),
        any::<(usize, usize)>().prop_map(|(at, to)| Change::Move(at, to)),
        (any::<usize>(), 0..5_usize).prop_map(|(at, group)| Change::Group(at, group)),
        any::<(usize, bool)>().prop_map(|(at, sample)| Change::Sample(at, sample)),
        any::<usize>().prop_map(Change::Delete),
    ];
    proptest::collection::vec(change, 0..7)
}

/// As the desk changes tests.
fn change(tests: &mut Vec<Known>, change: &Change, number: usize) {
    let count = tests.len();
    let one = |at: usize| at % count;
    let added = |name: String, recipe: Option<String>, input: String| {
        let (group, output_validator_args) = ("secret".to_owned(), Vec::new());
        let test =
            CurrentTest { name, group, sample: false, own: false, recipe, args: Vec::new(), output_validator_args };
        Known { test, input }
    };
    match *change {
        Change::Add(name) => {
            let name = ["1", "typed", "test_group", "large"][usize::from(name)];
            let name = if tests.iter().any(|known| known.test.name == name) {
                format!("{name}-{number}")
            } else {
                name.to_owned()
            };
            tests.push(added(name, None, format!("typed {number}\n")));
        }
        Change::Generate(name) => {
            let args = format!("{number} {name}");
            tests.push(added(format!("gen-{number}"), Some(format!("gen {args}")), args));
        }
        Change::Edit(at) => {
            let known = &mut tests[one(at)];
            (known.test.own, known.test.recipe) = (false, None);
            known.input = format!("edited {number}\n");
        }
        Change::Move(at, to) => {
            let known = tests.remove(one(at));
            tests.insert(to % count, known);
        }
        Change::Group(at, group) => {
            let test = &mut tests[one(at)].test;
            if !test.sample {
                ["secret", "secret/a", "secret/b", "secret/new", "secret/1"][group].clone_into(&mut test.group);
            }
        }
        Change::Sample(at, sample) => {
            let test = &mut tests[one(at)].test;
            if test.sample != sample {
                test.sample = sample;
                if sample { "sample" } else { "secret" }.clone_into(&mut test.group);
            }
        }
        Change::Delete(at) => {
            if count > 1 {
                tests.remove(one(at));
            }
        }
    }
}

/// The package that comes out, with what it lacked.
fn come_out(tree: &PackageTree, tests: &[Known]) -> PackageTree {
    let slug: Slug = "sum".parse().unwrap();
    let current: Vec<CurrentTest> = tests.iter().map(|known| known.test.clone()).collect();
    let with = with_tests(tree, &slug, &current).unwrap();
    let there = with.tree.paths().map(|path| (path.to_string(), Cow::Owned(with.tree.read(path).unwrap())));
    let beside = with.missing.iter().map(|missing| {
        let contents = match missing.part {
            TestPart::Input => tests[missing.test].input.clone(),
            TestPart::Answer => "3\n".to_owned(),
        };
        (missing.path.clone(), Cow::Owned(contents.into_bytes()))
    });
    PackageTree::from_files(there.chain(beside)).unwrap()
}

proptest! {
    #[test]
    fn the_package_says_exactly_the_tests_that_are(which in 0..7_usize, changes in changes()) {
        let slug: Slug = "sum".parse().unwrap();
        let tree = packages().swap_remove(which).tree();
        let (package, _) = Package::read(&tree, &slug).unwrap();
        let mut tests = known(&tree, &package);
        for (number, one) in changes.iter().enumerate() {
            change(&mut tests, one, number);
        }
        // Neither can a package be without one.
        prop_assume!(tests.iter().any(|known| !known.test.sample));
        let out = come_out(&tree, &tests);
        let (again, warnings) = Package::read(&out, &slug).unwrap();
        let claimed: Vec<String> = warnings.iter().map(ToString::to_string).filter(|told| told.contains("generators.yaml")).collect();
        prop_assert_eq!(claimed, Vec::<String>::new());
        // Of a sample the formats before can't say how it is judged.
        let said = |known: &Known| {
            let judged = (known.test.args.clone(), known.test.output_validator_args.clone());
            let judged = Some(judged).filter(|_| !(known.test.sample && package.format == FormatVersion::Legacy));
            (known.input.clone(), known.test.group.clone(), known.test.sample, judged)
        };
        let all: Vec<_> = known(&out, &again).iter().map(said).collect();
        prop_assert_eq!(all, tests.iter().map(said).collect::<Vec<_>>());
        // It is the same package as before to whoever takes it and lets it out again.
        let once_more = come_out(&out, &known(&out, &again));
        prop_assert_eq!(once_more.hash().unwrap(), out.hash().unwrap());
    }
}

#[test]
fn nothing_changes_where_nothing_was_changed() {
    for written in packages() {
        let tree = written.tree();
        let (package, _) = Package::read(&tree, &"sum".parse().unwrap()).unwrap();
        assert_eq!(come_out(&tree, &known(&tree, &package)).hash().unwrap(), tree.hash().unwrap());
    }
}

#[test]
fn an_edited_test_keeps_its_settings_and_nothing_of_the_old_input() {
    let tree = packages().remove(0).tree();
    let (package, _) = Package::read(&tree, &"sum".parse().unwrap()).unwrap();
    let mut tests = known(&tree, &package);
    for name in ["secret/2", "secret/made"] {
        let at = tests.iter().position(|known| known.test.name == name).unwrap();
        change(&mut tests, &Change::Edit(at), at);
    }
    let out = come_out(&tree, &tests);
    let data: Vec<String> = out.below("data/secret").map(ToString::to_string).collect();
    let wanted = ["1.ans", "1.in", "2.ans", "2.files/words.txt", "2.in", "2.yaml", "made.ans", "made.in"];
    assert_eq!(data, wanted.map(|name| format!("data/secret/{name}")));
    let text = |path: &str| String::from_utf8(out.read(out.find(path).unwrap()).unwrap()).unwrap();
    assert_eq!(text("generators/generators.yaml"), GENERATORS.replace("      made: gen 1 2 # a sum\n", ""));
    assert!(text("data/secret/made.in").starts_with("edited"));
    assert_eq!(out.find("touchstone-tests.yaml"), None, "names and folders say it all");
}

#[test]
fn the_listing_says_what_names_and_folders_cannot() {
    let written = Written::modern("2025-09")
        .test("secret/2")
        .with("touchstone-tests.yaml", "- secret/2: secret/large\n- sample/1\n");
    let package = written.read();
    let cases: Vec<_> = package.cases.iter().map(|case| (case.name.as_str(), case.listed_group.as_deref())).collect();
    assert_eq!(cases, [("secret/2", Some("secret/large")), ("sample/1", None), ("secret/1", None)]);
    let names: Vec<&str> = package.data.cases().into_iter().map(|at| package.cases[at].name.as_str()).collect();
    assert_eq!(names, ["sample/1", "secret/1", "secret/2"], "groups name their tests as before");
    assert_eq!(written.warnings(), [] as [String; 0]);
    for (text, told) in [
        ("tests: []\n", "touchstone-tests.yaml:1: it must be a list of tests"),
        ("- [secret/1]\n", "each item must be a test"),
        ("- secret/1\n- secret/1\n", "touchstone-tests.yaml:2: the test `secret/1` is there twice"),
        ("- sample/1: secret/x\n", "`secret/x` can't be the group of `sample/1`"),
        ("- secret/1: ../x\n", "`../x` can't be the group of `secret/1`"),
    ] {
        let faults = written.clone().with("touchstone-tests.yaml", text).faults();
        assert!(faults.contains(told), "{text}: {faults}");
    }
    let gone = written.clone().with("touchstone-tests.yaml", "- secret/9\n");
    assert_eq!(gone.warnings(), ["touchstone-tests.yaml:1: there is no test `secret/9`"]);
    let scored = written.adding("problem.yaml", "type: scoring\n");
    assert!(scored.warnings().iter().any(|told| told.contains("the groups decide")), "{:?}", scored.warnings());
}
