//! A package that leaves the judge has exactly the tests in force: whatever was done to them at the desk, whoever imports
//! it has the same tests in the same order, judged in the same way, and gets the same again.

use std::fs::File;

use touchstone::clock;
use touchstone::domain::account::Role;
use touchstone::domain::hash::Sha256;
use touchstone::package::{PackagePath, PackageTree, ZipCaps};
use touchstone::service::Actor;
use touchstone::service::incoming::Slice;
use touchstone::service::problems::{OfferedFile, OfferedZip};
use touchstone::service::test_changes::TestChange;
use touchstone::store::proposal::ProposalState;
use touchstone::store::{package, problem, test_case};

use crate::worker::{FILES, Judge};

const GENERATORS: &str = "# By hand.\ndata:\n  secret:\n    data:\n      own: pair 6 6 # why\n      other: pair 6 7\n";

/// Beside [`FILES`]: tests that generators make, and one with settings and a file of its own.
const MORE: &[(&str, &str)] = &[
    ("generators/generators.yaml", GENERATORS),
    ("data/secret/2.in", "20 2\n"),
    ("data/secret/2.yaml", "args: [fast]\ndescription: Large.\n"),
    ("data/secret/2.files/words.txt", "a b\n"),
];

/// The same problem as the format was before.
const LEGACY: &[(&str, &str)] = &[
    ("problem.yaml", "name: Sum\nlimits:\n  memory: 256\n"),
    ("domjudge-problem.ini", "timelimit = 2\n"),
    ("problem_statement/problem.tex", "\\problemname{Sum}\nPrint the sum of two numbers.\n"),
    ("generators/generators.yaml", GENERATORS),
    ("data/secret/2.in", "20 2\n"),
    ("data/secret/2.desc", "Large.\n"),
    ("data/secret/group/1.in", "30 3\n"),
    ("data/secret/group/testdata.yaml", "output_validator_flags: case_sensitive\n"),
];

/// A test: what is asked, what is right, where it belongs, whether all may see it, how it is judged.
type Test = (Sha256, Sha256, String, bool, String);

async fn tests(judge: &Judge, slug: &str) -> Vec<Test> {
    let page = problem::page(judge.store.read(), slug).await.unwrap().unwrap();
    let tests = test_case::list(judge.store.read(), page.test_set_id).await.unwrap();
    let told =
        |test: test_case::TestCase| (test.input_sha256, test.answer_sha256, test.group, test.sample, test.config);
    tests.into_iter().map(told).collect()
}

enum Step {
    Add(&'static str, &'static str),
    Generate(&'static str, &'static str),
    Edit(&'static str, &'static str),
    Change(&'static str, TestChange),
}

/// Does it, and waits until it counts.
async fn done(judge: &Judge, root: &Actor, step: &Step) {
    let now = clock::now();
    let set = problem::by_slug(judge.store.read(), "sum").await.unwrap().unwrap().test_set_id.unwrap();
    let version = test_case::version(judge.store.read(), set).await.unwrap();
    let proposal = match step {
        Step::Add(name, input) => {
            assert_eq!(judge.propose(root, name, input).await.state, ProposalState::Accepted, "{name}");
            return;
        }
        Step::Change(name, change) => {
            let place = (*name, version);
            let set = judge.service.change_test(root, "sum", place, change.clone(), "better so", now).await.unwrap();
            let counts = async |judge: &Judge| {
                let problem = problem::by_slug(judge.store.read(), "sum").await.unwrap().unwrap();
                (problem.test_set_id == Some(set)).then_some(())
            };
            return judge.until(counts).await;
        }
        Step::Generate(name, command) => judge.service.add_generated_test(root, "sum", name, command, false, now).await,
        Step::Edit(name, input) => {
            let input = input.as_bytes().to_vec().into();
            judge.service.edit_test_case(root, "sum", (name, version), input, now).await
        }
    };
    let id = proposal.unwrap();
    let answered = async |judge: &Judge| {
        let found = judge.service.proposal(root, id).await.unwrap().unwrap();
        (found.state != ProposalState::Queued && !found.waits).then_some(found)
    };
    let found = judge.until(answered).await;
    assert_eq!(found.state, ProposalState::Accepted, "{found:?}");
}

async fn exported(judge: &Judge, root: &Actor, version: u64) -> File {
    judge.service.export_package(root, "sum", version, &judge.folder.path().join("scratch")).await.unwrap()
}

async fn imported(judge: &Judge, root: &Actor, zip: File, slug: &str) {
    let zip = OfferedZip { file: Slice::whole(zip).unwrap(), name: String::new(), slug: slug.to_owned() };
    judge.service.offer_zip(Some(root), zip, &judge.folder.path().join("scratch"), clock::now()).await.unwrap();
}

async fn published(judge: &Judge, slug: &str) {
    judge.until(async |judge| problem::page(judge.store.read(), slug).await.unwrap()).await;
}

/// A judge with the problem `sum` made of these files, later ones in place of those before them.
async fn judge_with(more: &[(&str, &str)], without: &[&str]) -> (Judge, Actor) {
    let judge = Judge::start().await;
    let kept = FILES.iter().filter(|(path, _)| !without.contains(path) && !more.iter().any(|(other, _)| other == path));
    let file = |&(path, text): &(&str, &str)| OfferedFile { path: path.to_owned(), contents: text.as_bytes().to_vec() };
    let files = kept.chain(more).map(file).collect();
    judge.service.offer_package(None, &"sum".parse().unwrap(), files, clock::now()).await.unwrap();
    published(&judge, "sum").await;
    let root = judge.person("root", Role::Admin).await;
    (judge, root)
}

/// Each step, an export and an import of it; at the end the export is taken as the problem's own next version.
async fn holds_after_each(judge: &Judge, root: &Actor, steps: &[(&str, Step)]) {
    for (number, (what, step)) in steps.iter().enumerate() {
        done(judge, root, step).await;
        let slug = format!("again-{number}");
        imported(judge, root, exported(judge, root, 1).await, &slug).await;
        published(judge, &slug).await;
        assert_eq!(tests(judge, &slug).await, tests(judge, "sum").await, "{what}");
    }
    let before = tests(judge, "sum").await;
    let first = problem::by_slug(judge.store.read(), "sum").await.unwrap().unwrap();
    imported(judge, root, exported(judge, root, 1).await, "sum").await;
    let next = async |judge: &Judge| {
        let now = problem::by_slug(judge.store.read(), "sum").await.unwrap().unwrap();
        let history = package::history(judge.store.read(), now.id).await.unwrap();
        assert!(history[0].message.is_none(), "{:?}", history[0].message);
        (now.package_id != first.package_id).then_some(())
    };
    judge.until(next).await;
    assert_eq!(tests(judge, "sum").await, before, "as the problem's own next version");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_change_of_the_tests_comes_out_and_back() {
    let (judge, root) = judge_with(MORE, &[]).await;
    let steps = [
        ("an added test", Step::Add("typed", "9 9\n")),
        ("a made test", Step::Generate("made", "pair 40 2")),
        ("an edited test with settings", Step::Edit("secret/2", "21 2\n")),
        ("an edited test that a generator made", Step::Edit("secret/own", "6 8\n")),
        ("another order", Step::Change("made", TestChange::Move(1))),
        ("another group", Step::Change("typed", TestChange::Group("secret/large".to_owned()))),
        ("a secret test for all", Step::Change("secret/other", TestChange::Sample(true))),
        ("a sample for nobody", Step::Change("sample/1", TestChange::Sample(false))),
        ("no such test any more", Step::Change("secret/1", TestChange::Delete)),
    ];
    holds_after_each(&judge, &root, &steps).await;

    let mut zip = exported(&judge, &root, 2).await;
    let tree = PackageTree::from_zip(&mut zip, &judge.folder.path().join("scratch"), ZipCaps::default()).unwrap().tree;
    let data: Vec<&str> = tree.below("data").map(PackagePath::as_str).collect();
    let wanted = [
        "secret/1.ans",
        "secret/1.in",
        "secret/2.ans",
        "secret/2.files/words.txt",
        "secret/2.in",
        "secret/2.yaml",
        "secret/own.ans",
        "secret/own.in",
        "secret/typed.ans",
        "secret/typed.in",
    ];
    assert_eq!(data, wanted.map(|name| format!("data/{name}")));
    let text = |path: &str| String::from_utf8(tree.read(tree.find(path).unwrap()).unwrap()).unwrap();
    assert_eq!(text("data/secret/2.in"), "21 2\n");
    let made = "# By hand.\ndata:\n  secret:\n    data:\n      \"made\": 'pair 40 2'\n  sample:\n    data:\n      \"other\": 'pair 6 7'\n";
    assert_eq!(text("generators/generators.yaml"), made);
    assert!(
        text("touchstone-tests.yaml").ends_with("- secret/typed: secret/large\n"),
        "{}",
        text("touchstone-tests.yaml")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_package_of_the_format_before_too() {
    let (judge, root) = judge_with(LEGACY, &["statement/problem.en.md"]).await;
    let steps = [
        ("an edited test", Step::Edit("secret/2", "21 2\n")),
        ("another group", Step::Change("secret/own", TestChange::Group("secret/group".to_owned()))),
        ("out of its group", Step::Change("secret/group/1", TestChange::Group("secret".to_owned()))),
        ("a secret test for all", Step::Change("secret/other", TestChange::Sample(true))),
        ("another order", Step::Change("secret/2", TestChange::Move(1))),
        ("no such test any more", Step::Change("secret/1", TestChange::Delete)),
    ];
    holds_after_each(&judge, &root, &steps).await;
}
