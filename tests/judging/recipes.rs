//! Tests that a generator made at an admin's word leave the judge as its commands, and come back as the same tests.

use std::collections::BTreeSet;
use std::io::{Read as _, Seek as _};

use touchstone::clock;
use touchstone::domain::account::Role;
use touchstone::domain::hash::Sha256;
use touchstone::package::{PackagePath, PackageTree, ZipCaps};
use touchstone::service::Actor;
use touchstone::service::incoming::Slice;
use touchstone::service::problems::{OfferedFile, OfferedZip};
use touchstone::store::proposal::ProposalState;
use touchstone::store::{problem, test_case};

use crate::worker::{FILES, Judge};

const OWN: &str =
    "# By hand.\nsolution: /submissions/accepted/a.py\ndata:\n  secret:\n    data:\n      own: pair 6 6 # why\n";

/// What is asked and answered, and whether everybody may see it.
async fn tests(judge: &Judge, slug: &str) -> BTreeSet<(Sha256, Sha256, bool)> {
    let page = problem::page(judge.store.read(), slug).await.unwrap().unwrap();
    let tests = test_case::list(judge.store.read(), page.test_set_id).await.unwrap();
    tests.into_iter().map(|test| (test.input_sha256, test.answer_sha256, test.sample)).collect()
}

async fn published(judge: &Judge, slug: &str) {
    judge.until(async |judge| problem::page(judge.store.read(), slug).await.unwrap()).await;
}

async fn generate(judge: &Judge, root: &Actor, name: &str, command: &str, sample: bool) {
    let id = judge.service.add_generated_test(root, "sum", name, command, sample, clock::now()).await.unwrap();
    let found = judge
        .until(async |judge| {
            let found = judge.service.proposal(root, id).await.unwrap().unwrap();
            (found.state != ProposalState::Queued && !found.waits).then_some(found)
        })
        .await;
    assert_eq!(found.state, ProposalState::Accepted, "{found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_has_commands_and_an_import_of_it_has_the_same_tests() {
    let judge = Judge::start().await;
    let file = |&(path, text): &(&str, &str)| OfferedFile { path: path.to_owned(), contents: text.as_bytes().to_vec() };
    let files = FILES.iter().chain([&("generators/generators.yaml", OWN)]).map(file).collect();
    judge.service.offer_package(None, &"sum".parse().unwrap(), files, clock::now()).await.unwrap();
    published(&judge, "sum").await;
    let root = judge.person("root", Role::Admin).await;
    generate(&judge, &root, "made", "pair 40 2", false).await;
    generate(&judge, &root, "shown", "pair.py 3 4", true).await;
    judge.propose(&root, "typed", "9 9\n").await;
    let before = tests(&judge, "sum").await;
    assert_eq!(before.len(), 6);

    let scratch = judge.folder.path().join("scratch");
    let mut zip = judge.service.export_package(&root, "sum", 1, &scratch).await.unwrap();
    let tree = PackageTree::from_zip(&mut zip, &scratch, ZipCaps::default()).unwrap().tree;
    let data: Vec<&str> = tree.below("data").map(PackagePath::as_str).collect();
    let wanted = ["sample/1.ans", "sample/1.in", "secret/1.in", "secret/typed.ans", "secret/typed.in"];
    assert_eq!(data, wanted.map(|name| format!("data/{name}")));
    let mut text = String::new();
    tree.open(tree.find("generators/generators.yaml").unwrap()).unwrap().read_to_string(&mut text).unwrap();
    let added = "      \"made\": 'pair 40 2'\n  sample:\n    data:\n      \"shown\": 'pair.py 3 4'\n";
    assert_eq!(text, format!("{OWN}{added}"));

    zip.rewind().unwrap();
    let zip = OfferedZip { file: Slice::whole(zip).unwrap(), name: String::new(), slug: "again".to_owned() };
    judge.service.offer_zip(Some(&root), zip, &scratch, clock::now()).await.unwrap();
    published(&judge, "again").await;
    assert_eq!(tests(&judge, "again").await, before);
}
