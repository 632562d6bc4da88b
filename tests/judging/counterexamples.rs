//! After the end of a contest that says so, a failed secret test becomes a small counterexample, made by real workers.

use touchstone::clock;
use touchstone::domain::account::Role;
use touchstone::domain::verdict::Verdict;
use touchstone::store::contest::{self, FailedTests};
use touchstone::store::counterexample::{self, CounterexampleState};

use crate::worker::Judge;

/// The practice contest, as if it had begun long ago and ended a minute ago.
async fn end_contest(judge: &Judge) {
    let mut tx = judge.store.begin_write().await.unwrap();
    let now = clock::now().0;
    let set = "update contest set start_ms = ?, duration_ms = 3600000 returning id";
    sqlx::query_as::<_, (i64,)>(set).bind(now - 3_660_000).fetch_all(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_secret_test_becomes_a_small_counterexample_after_the_end() {
    let judge = Judge::start().await;
    judge.offer(&[("data/secret/1.in", "123456 98765\n")]).await;
    let ann = judge.person("ann", Role::Contestant).await;
    let bob = judge.person("bob", Role::Contestant).await;
    let judy = judge.person("judy", Role::Judge).await;
    let source = "a, b = map(int, input().split())\nprint(a + b if a < 10 else 'no')";
    let id = judge.submit(&ann, "a.py", source).await;
    let page = judge.verdict(&ann, id).await;
    let judged = page.judgement.unwrap();
    assert_eq!((judged.verdict, judged.failed_ordinal), (Some(Verdict::WrongAnswer), Some(2)));
    let accepted = judge.submit(&ann, "a.py", "print(sum(map(int, input().split())))").await;
    judge.verdict(&ann, accepted).await;

    let rule = FailedTests::CounterexampleAfterEnd;
    judge.service.set_failed_tests(&judy, contest::PRACTICE, rule, clock::now()).await.unwrap();
    assert_eq!(counterexample::of_judgement(judge.store.read(), judged.id).await.unwrap(), None, "it is not over");
    end_contest(&judge).await;
    let found = judge
        .until(async |judge| {
            let found = judge.service.counterexample(Some(&ann), &page.row, judged.id, clock::now()).await.unwrap()?;
            (found.state != CounterexampleState::Queued).then_some(found)
        })
        .await;
    assert_eq!(found.state, CounterexampleState::Found, "{found:?}");
    let input = String::from_utf8(found.input.unwrap()).unwrap();
    let numbers: Vec<i64> = input.split_whitespace().map(|word| word.parse().unwrap()).collect();
    assert!(numbers.len() == 2 && numbers[0] >= 10, "valid, and it goes wrong: {input}");
    assert!(input.len() <= 6, "as small as it gets: {input}");
    assert_eq!(found.original_bytes, Some(13));
    let answer = String::from_utf8(found.answer.unwrap()).unwrap();
    assert_eq!(answer.trim(), (numbers[0] + numbers[1]).to_string(), "the references' answer");
    assert_eq!(found.output.as_deref(), Some(b"no\n".as_slice()));

    let seen = |viewer| judge.service.counterexample(viewer, &page.row, judged.id, clock::now());
    assert!(seen(Some(&bob)).await.unwrap().is_none() && seen(None).await.unwrap().is_none(), "nobody else's business");
    assert!(seen(Some(&judy)).await.unwrap().is_some());
    // A contest that goes on again hides what was made.
    let during = touchstone::domain::time::EpochMs(clock::now().0 - 600_000);
    assert_eq!(judge.service.counterexample(Some(&ann), &page.row, judged.id, during).await.unwrap(), None);
    let queued: (i64,) =
        sqlx::query_as("select count(*) from counterexample").fetch_one(judge.store.read()).await.unwrap();
    assert_eq!(queued.0, 1, "the accepted one needs none");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_generators_command_makes_a_test_and_is_kept() {
    let judge = Judge::start().await;
    // The generator comes with the package as one of its files.
    judge.offer(&[("statement/problem.en.md", "Sums.\n")]).await;
    let root = judge.person("root", Role::Admin).await;
    let id = judge.service.add_generated_test(&root, "sum", "made", "nothing 3 4", false, clock::now()).await.unwrap();
    let refused = judge
        .until(async |judge| {
            let found = judge.service.proposal(&root, id).await.unwrap().unwrap();
            (found.state != touchstone::store::proposal::ProposalState::Queued).then_some(found)
        })
        .await;
    assert!(refused.message.unwrap().contains("no generator `nothing`"));
    let id = judge.service.add_generated_test(&root, "sum", "made", "pair  30 4", false, clock::now()).await.unwrap();
    let made = judge
        .until(async |judge| {
            let found = judge.service.proposal(&root, id).await.unwrap().unwrap();
            (found.state != touchstone::store::proposal::ProposalState::Queued).then_some(found)
        })
        .await;
    assert_eq!(made.message, None);
    let set = made.test_set_id.unwrap();
    let tests = touchstone::store::test_case::list(judge.store.read(), set).await.unwrap();
    let test = tests.last().unwrap();
    assert_eq!((test.name.as_str(), test.recipe.as_deref()), ("made", Some("pair 30 4")));
    let input = touchstone::store::blob::read(judge.store.read(), test.input_sha256).await.unwrap();
    assert_eq!(input, b"30 4\n");
    // The very same input by another command is refused by the worker.
    let id = judge.service.add_generated_test(&root, "sum", "again", "pair 30 4 5", false, clock::now()).await.unwrap();
    let same = judge
        .until(async |judge| {
            let found = judge.service.proposal(&root, id).await.unwrap().unwrap();
            (found.state != touchstone::store::proposal::ProposalState::Queued).then_some(found)
        })
        .await;
    assert!(same.message.unwrap().contains("the test made has the very same input"));
}
