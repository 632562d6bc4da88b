//! Tests are changed: each change is a version of its own, two editors don't overwrite each other, a change that breaks a
//! promise never counts, and changes outlive the package that they were made to.

use touchstone::domain::account::Role;
use touchstone::domain::ids::TestSetId;
use touchstone::service::test_changes::{ChangeTestsError, TestChange};
use touchstone::store::job::Work;
use touchstone::store::{audit, problem, test_case, waiting_tests};

use crate::fixture::{Judge, T0};

async fn names(judge: &Judge) -> Vec<String> {
    let page = problem::page(judge.store.read(), "sums").await.expect("reads").expect("is there");
    names_of(judge, page.test_set_id).await
}

/// The names of the newest tests, in force or not.
async fn newest(judge: &Judge) -> Vec<String> {
    let page = problem::page(judge.store.read(), "sums").await.expect("reads").expect("is there");
    names_of(judge, waiting_tests::top(judge.store.read(), page.id).await.expect("reads").expect("is there")).await
}

async fn names_of(judge: &Judge, set: TestSetId) -> Vec<String> {
    let tests = test_case::list(judge.store.read(), set).await.expect("reads");
    tests.into_iter().map(|test| format!("{}{}", test.name, if test.sample { "*" } else { "" })).collect()
}

#[tokio::test]
async fn tests_are_moved_shown_and_deleted_as_versions_of_their_own() {
    let judge = Judge::empty().await;
    let root = judge.actor("root", Role::Admin).await;
    let ann = judge.contestant("ann").await;
    judge.publish("sums", 3).await;
    assert_eq!(names(&judge).await, ["01*", "02", "03"]);
    let change = |actor, name, version, change, reason| {
        judge.service.change_test(actor, "sums", (name, version), change, reason, T0)
    };
    let forbidden = change(&ann, "03", 1, TestChange::Move(1), "").await;
    assert!(matches!(forbidden, Err(ChangeTestsError::Forbidden(_))), "{forbidden:?}");
    change(&root, "03", 1, TestChange::Move(1), "fails soonest").await.expect("is moved");
    assert_eq!(
        (names(&judge).await[0].as_str(), newest(&judge).await),
        ("01*", ["03", "01*", "02"].map(str::to_owned).into())
    );
    // Somebody who still looks at version 1 is told.
    let late = change(&root, "02", 1, TestChange::Sample(true), "").await;
    assert!(matches!(late, Err(ChangeTestsError::Changed { version: 1, newest: 2 })), "{late:?}");
    change(&root, "02", 2, TestChange::Sample(true), "").await.expect("is shown");
    let no_reason = change(&root, "01", 3, TestChange::Delete, " ").await;
    assert!(matches!(no_reason, Err(ChangeTestsError::NoReason)), "{no_reason:?}");
    change(&root, "01", 3, TestChange::Delete, "the same as 02").await.expect("is deleted");
    assert_eq!(names(&judge).await, ["01*", "02", "03"], "nothing counts before it is verified");
    judge.verify_next().await;
    assert_eq!(judge.claim(T0).await, None, "one verification for all");
    assert_eq!(names(&judge).await, ["03", "02*"]);
    for (name, wrong) in
        [("03", TestChange::Move(9)), ("03", TestChange::Group("../x".to_owned())), ("01", TestChange::Delete)]
    {
        assert!(change(&root, name, 4, wrong.clone(), "why").await.is_err(), "{wrong:?}");
    }
    let page = problem::page(judge.store.read(), "sums").await.expect("reads").expect("is there");
    let sets = test_case::sets(judge.store.read(), page.id).await.expect("reads");
    let reasons: Vec<_> = sets.iter().map(|set| set.reason.as_str()).collect();
    assert_eq!(reasons[0], "deleted 01: the same as 02");
    assert_eq!(reasons[2], "moved 03 to place 1: fails soonest");
    assert_eq!(sets[0].created_by.as_deref(), Some("root"));
    let acts = audit::list(judge.store.read(), &audit::ActFilter::default(), None, 10).await.expect("reads");
    let acts: Vec<_> = acts.iter().map(|act| act.act.as_str()).filter(|act| act.starts_with("test.")).collect();
    assert_eq!(acts, ["test.delete", "test.sample", "test.move"]);
    // An older version's test is still there for the judgements that it was used in.
    assert_eq!(test_case::list(judge.store.read(), sets[3].id).await.expect("reads").len(), 3);
}

#[tokio::test]
async fn a_change_that_breaks_a_promise_never_counts_and_keeps_the_reason() {
    let judge = Judge::empty().await;
    let root = judge.actor("root", Role::Admin).await;
    judge.publish("sums", 2).await;
    judge.service.change_test(&root, "sums", ("02", 1), TestChange::Delete, "too easy", T0).await.expect("is deleted");
    assert_eq!((names(&judge).await.len(), newest(&judge).await.len()), (2, 1));
    let job = judge.claim(T0).await.expect("a job");
    assert!(matches!(job.work, Work::Verify(_)));
    judge.verify(job, false).await.expect("has the lease");
    assert_eq!(names(&judge).await, ["01*", "02"]);
    let page = problem::page(judge.store.read(), "sums").await.expect("reads").expect("is there");
    let sets = test_case::sets(judge.store.read(), page.id).await.expect("reads");
    assert!(sets[0].refused.as_deref().is_some_and(|why| why.contains("no test rejects")), "{:?}", sets[0]);
    assert_eq!(sets[1].refused, None);
}

#[tokio::test]
async fn changes_outlive_the_package_and_an_older_one_comes_back() {
    let judge = Judge::empty().await;
    let root = judge.actor("root", Role::Admin).await;
    judge.publish("sums", 3).await;
    judge.service.change_test(&root, "sums", ("02", 1), TestChange::Delete, "too easy", T0).await.expect("is deleted");
    judge.verify_next().await;
    judge.service.edit_statement(&root, "sums", "en", 1, "Add them.\n", T0).await.expect("is offered");
    let again = judge.service.edit_statement(&root, "sums", "en", 1, "Add them all.\n", T0).await;
    assert!(again.is_err(), "one version waits already: {again:?}");
    let job = judge.claim(T0).await.expect("a job");
    judge.prepare(job, 3).await.expect("has the lease");
    judge.verify_next().await;
    assert_eq!(names(&judge).await, ["01*", "03"], "what was deleted stays so");
    let history = judge.service.problem_history(&root, "sums").await.expect("reads");
    let changed: Vec<_> = history.packages.iter().map(|one| (one.version, one.changed)).collect();
    assert_eq!(changed, [(2, 1), (1, 1)]);
    assert_eq!(history.packages[0].created_by.as_deref(), Some("root"));

    let stale = judge.service.restore_package(&root, "sums", 1, 1, T0).await;
    assert!(stale.is_err(), "version 2 is in force: {stale:?}");
    judge.service.restore_package(&root, "sums", 1, 2, T0).await.expect("is verified again");
    let job = judge.claim(T0).await.expect("a job");
    judge.prepare(job, 3).await.expect("has the lease");
    judge.verify_next().await;
    let history = judge.service.problem_history(&root, "sums").await.expect("reads");
    assert_eq!(history.problem.package_id, Some(history.packages[1].id), "version 1 is in force");
}
