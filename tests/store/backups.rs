//! Files that somebody calls a backup: whatever is in them, they are read or refused, and none that was cut is called whole.

use std::fs;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use touchstone::store::backup;

use crate::fixture::Judge;

#[derive(Debug, Clone)]
enum Harm {
    /// Only so much of it is there, in thousandths.
    Cut(usize),
    /// These bytes stand somewhere, in thousandths of its length.
    Overwrite(usize, Vec<u8>),
    /// It is something else.
    Other(Vec<u8>),
}

#[test]
fn a_harmed_file_is_read_or_refused_and_a_cut_one_is_never_whole() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = folder.path().join("copy.sqlite");
    runtime.block_on(async {
        let judge = Judge::with_problem().await;
        backup::copy(&judge.folder.path().join("judge.sqlite"), &copy).await.expect("copies");
        assert_eq!(backup::faults(&copy).await.expect("reads"), Vec::<String>::new());
    });
    let whole = fs::read(&copy).expect("reads");
    let bytes = || proptest::collection::vec(any::<u8>(), 1..300);
    let harm = prop_oneof![
        (0_usize..1_000).prop_map(Harm::Cut),
        (0_usize..1_000, bytes()).prop_map(|(at, bytes)| Harm::Overwrite(at, bytes)),
        bytes().prop_map(Harm::Other),
    ];
    let config = Config { cases: 64, failure_persistence: None, ..Config::default() };
    let harmed = folder.path().join("harmed.sqlite");
    TestRunner::new(config)
        .run(&harm, |harm| {
            let contents = match &harm {
                Harm::Cut(thousandths) => whole[..whole.len() * thousandths / 1_000].to_vec(),
                Harm::Overwrite(thousandths, bytes) => {
                    let mut contents = whole.clone();
                    let at = (whole.len() * thousandths / 1_000).min(whole.len() - bytes.len());
                    contents[at..at + bytes.len()].copy_from_slice(bytes);
                    contents
                }
                Harm::Other(bytes) => bytes.clone(),
            };
            fs::write(&harmed, contents).expect("writes");
            let said = runtime.block_on(backup::faults(&harmed));
            let is_whole = said.is_ok_and(|faults| faults.is_empty());
            prop_assert!(!is_whole || matches!(harm, Harm::Overwrite(..)), "it is called whole");
            Ok(())
        })
        .expect("holds");
}
