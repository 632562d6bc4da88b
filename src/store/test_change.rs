//! Changes of a problem's tests: what becomes of them when a package comes that has the changed tests too.
//!
//! Must not know: who may change what, when a change counts (`waiting_tests`).

use std::collections::{BTreeMap, BTreeSet};

use super::test_case::{NewTestCase, TestCase, TestOrigin};
use super::{StoreError, WriteTx};
use crate::domain::hash::Sha256;
use crate::domain::ids::{PackageId, TestSetId};

/// The tests that a package came with.
pub(super) async fn first_of_package(tx: &mut WriteTx, package: PackageId) -> Result<Option<TestSetId>, StoreError> {
    let first = sqlx::query_scalar!(
        r#"select id as "id!: TestSetId" from test_set where package_id = ? order by id limit 1"#,
        package
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(first)
}

/// Whether a package's groups count its tests by their place, so that no single one can be taken out or moved.
pub fn has_groups(metadata: Option<&str>) -> bool {
    let read: Option<serde_json::Value> = metadata.and_then(|json| serde_json::from_str(json).ok());
    read.is_some_and(|json| json.pointer("/rules/groups").is_some_and(|groups| !groups.is_null()))
}

/// The name, with a number where another test has it.
pub(super) fn free_name<'a>(name: &str, taken: impl Iterator<Item = &'a str>) -> String {
    let taken: Vec<&str> = taken.collect();
    let mut free = name.to_owned();
    // One of so many names is free: there are fewer tests.
    for number in 2..taken.len() + 3 {
        if !taken.contains(&free.as_str()) {
            break;
        }
        free = format!("{name}-{number}");
    }
    free
}

/// The tests without those added ones that the package itself has now: it came out with them and is back.
pub(super) fn without_taken_in(made: Vec<NewTestCase>) -> Vec<NewTestCase> {
    let own: BTreeSet<Sha256> =
        made.iter().filter(|test| test.origin != TestOrigin::Added).map(|test| test.input_sha256).collect();
    made.into_iter().filter(|test| test.origin != TestOrigin::Added || !own.contains(&test.input_sha256)).collect()
}

/// The same tests; an added one that is called like one of the package's own gets a name of its own.
pub(super) fn with_free_names(made: Vec<NewTestCase>) -> Vec<NewTestCase> {
    let mut named: Vec<NewTestCase> = Vec::with_capacity(made.len());
    for mut test in made {
        test.name = free_name(&test.name, named.iter().map(|test| test.name.as_str()));
        named.push(test);
    }
    named
}

/// A new package's tests, `made`, with what was changed between `first`, the tests that the package in force came with, and
/// `current`, the ones in force: what was deleted, edited, moved or shown to all stays so as long as the new package has
/// the very same test. A test that the new package itself changed is as it says; an edited one then stands beside it.
pub(super) fn carried_over(first: &[TestCase], current: &[TestCase], made: Vec<NewTestCase>) -> Vec<NewTestCase> {
    let first_of: BTreeMap<&str, &TestCase> = first.iter().map(|test| (test.name.as_str(), test)).collect();
    let current_of: BTreeMap<&str, &TestCase> = current.iter().map(|test| (test.name.as_str(), test)).collect();
    let (own, mut added): (Vec<_>, Vec<_>) = made.into_iter().partition(|test| test.origin != TestOrigin::Added);
    let mut kept: Vec<NewTestCase> = Vec::new();
    for mut test in own {
        let before = first_of.get(test.name.as_str()).filter(|before| before.input_sha256 == test.input_sha256);
        let Some(before) = before.filter(|before| before.origin != TestOrigin::Added) else {
            kept.push(test);
            continue;
        };
        match current_of.get(test.name.as_str()) {
            None => {}
            Some(now) if now.origin == TestOrigin::Added => {
                let edited = added.iter().position(|added| added.name == test.name);
                if let Some(edited) = edited {
                    let mut edited = added.remove(edited);
                    edited.group.clone_from(&now.group);
                    edited.sample = now.sample;
                    kept.push(edited);
                } else {
                    kept.push(test);
                }
            }
            Some(now) => {
                if now.sample != before.sample {
                    test.sample = now.sample;
                }
                if now.group != before.group {
                    test.group.clone_from(&now.group);
                }
                kept.push(test);
            }
        }
    }
    for mut test in added {
        if let Some(now) = current_of.get(test.name.as_str()) {
            test.group.clone_from(&now.group);
            test.sample = now.sample;
        }
        kept.push(test);
    }
    if was_reordered(&first_of, first, current) {
        in_order_of(current, &mut kept);
    }
    with_free_names(kept)
}

/// Whether somebody moved a test: else the package's own come in its order, then the added ones.
fn was_reordered(first_of: &BTreeMap<&str, &TestCase>, first: &[TestCase], current: &[TestCase]) -> bool {
    let names = |tests: &[TestCase]| tests.iter().map(|test| test.name.clone()).collect::<Vec<_>>();
    let there = names(current);
    let (known, new): (Vec<_>, Vec<_>) = there.iter().cloned().partition(|name| first_of.contains_key(name.as_str()));
    let in_first: Vec<String> = names(first).into_iter().filter(|name| known.contains(name)).collect();
    let unmoved: Vec<String> = in_first.into_iter().chain(new).collect();
    unmoved != there
}

/// Puts the tests that `current` has into its order, in the places that they take together.
fn in_order_of(current: &[TestCase], tests: &mut [NewTestCase]) {
    let place = |name: &str| current.iter().position(|test| test.name == name);
    let places: Vec<usize> = (0..tests.len()).filter(|&at| place(&tests[at].name).is_some()).collect();
    let mut known: Vec<NewTestCase> = places.iter().map(|&at| tests[at].clone()).collect();
    known.sort_by_key(|test| place(&test.name));
    for (at, test) in places.into_iter().zip(known) {
        tests[at] = test;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::TestCaseId;

    fn test(name: &str, input: &str, origin: TestOrigin) -> TestCase {
        TestCase {
            id: TestCaseId(1),
            ordinal: 1,
            name: name.to_owned(),
            group: "secret".to_owned(),
            sample: false,
            input_sha256: Sha256::of(input.as_bytes()),
            answer_sha256: Sha256::of(b"answer"),
            input_bytes: 1,
            answer_bytes: 1,
            origin,
            recipe: None,
            config: "{}".to_owned(),
        }
    }

    fn own(name: &str) -> TestCase {
        test(name, name, TestOrigin::File)
    }

    fn made(tests: &[TestCase]) -> Vec<NewTestCase> {
        tests.iter().cloned().map(NewTestCase::from).collect()
    }

    fn names(tests: &[NewTestCase]) -> Vec<&str> {
        tests.iter().map(|test| test.name.as_str()).collect()
    }

    #[test]
    fn what_was_deleted_moved_and_shown_stays_so() {
        let first = [own("a"), own("b"), own("c"), own("d")];
        let mut current = vec![own("d"), own("a"), test("x", "x", TestOrigin::Added), own("c")];
        current[1].sample = true;
        current[3].group = "secret/large".to_owned();
        let next = made(&[own("a"), own("b"), own("c"), own("d"), own("e"), test("x", "x", TestOrigin::Added)]);
        let carried = carried_over(&first, &current, next);
        assert_eq!(names(&carried), ["d", "a", "x", "e", "c"]);
        assert!(carried[1].sample && !carried[0].sample && carried[4].group == "secret/large");
    }

    #[test]
    fn an_edited_test_keeps_its_place_until_the_package_changes_it() {
        let edited = test("b", "edited", TestOrigin::Added);
        let first = [own("a"), own("b"), own("c")];
        let current = [own("a"), edited.clone(), own("c")];
        let carried = carried_over(&first, &current, made(&[own("a"), own("b"), own("c"), edited.clone()]));
        assert_eq!(names(&carried), ["a", "b", "c"]);
        assert_eq!(carried[1].input_sha256, edited.input_sha256);
        let changed = test("b", "the package's other", TestOrigin::File);
        let carried = carried_over(&first, &current, made(&[own("a"), changed.clone(), own("c"), edited.clone()]));
        assert_eq!(names(&carried), ["a", "b", "c", "b-2"]);
        assert_eq!((carried[1].input_sha256, carried[3].input_sha256), (changed.input_sha256, edited.input_sha256));
    }

    #[test]
    fn what_came_back_with_the_package_is_there_once() {
        let made =
            made(&[own("a"), own("x"), test("typed", "x", TestOrigin::Added), test("y", "y", TestOrigin::Added)]);
        assert_eq!(names(&without_taken_in(made)), ["a", "x", "y"]);
    }

    #[test]
    fn without_changes_the_package_decides() {
        let first = [own("a"), own("b")];
        let added = test("x", "x", TestOrigin::Added);
        let current = [own("a"), own("b"), added.clone()];
        let carried = carried_over(&first, &current, made(&[own("b"), own("a"), added]));
        assert_eq!(names(&carried), ["b", "a", "x"]);
    }

    #[test]
    fn only_groups_that_are_there_count() {
        assert!(has_groups(Some(r#"{"rules":{"groups":{"name":"data"}}}"#)));
        for none in [None, Some("{}"), Some(r#"{"rules":{"groups":null}}"#), Some("not json")] {
            assert!(!has_groups(none), "{none:?}");
        }
    }
}
