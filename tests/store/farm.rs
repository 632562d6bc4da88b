//! Workers on other machines at the queue: what they may claim, and what becomes of what they held.

use touchstone::domain::verdict::Verdict;
use touchstone::store::farm_claim::{self, Abilities};
use touchstone::store::farm_worker::{self, Introduction, WorkerState};
use touchstone::store::job::{ClaimedJob, LEASE_MS};
use touchstone::store::judging::{self, NewRun, RunFacts};
use touchstone::store::{Texts, job};

use crate::fixture::{Judge, T0, at};

fn only(language: &str) -> Abilities {
    Abilities::Only(Texts(vec![language.to_owned()]))
}

async fn claim(judge: &Judge, slot: &str, may: &Abilities) -> Option<ClaimedJob> {
    let mut tx = judge.store.begin_write().await.expect("begins");
    let claimed = farm_claim::claim(&mut tx, slot, may, at(1)).await.expect("claims");
    tx.commit().await.expect("commits");
    claimed
}

#[tokio::test]
async fn other_tools_claim_only_judging_in_their_languages() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    judge.submit(&ann, T0).await;
    let (language,): (String,) =
        sqlx::query_as("select language from submission").fetch_one(judge.store.read()).await.expect("a submission");
    assert_eq!(claim(&judge, "one/1", &only("cobol")).await, None);
    let mut tx = judge.store.begin_write().await.expect("begins");
    let _: (i64,) = sqlx::query_as("update contest set equal_toolchains = 1 returning id")
        .fetch_one(&mut *tx)
        .await
        .expect("demands the server's tools");
    tx.commit().await.expect("commits");
    assert_eq!(claim(&judge, "one/1", &only(&language)).await, None, "the contest demands the server's tools");
    let mut tx = judge.store.begin_write().await.expect("begins");
    let _: (i64,) = sqlx::query_as("update contest set equal_toolchains = 0 returning id")
        .fetch_one(&mut *tx)
        .await
        .expect("no longer");
    tx.commit().await.expect("commits");
    assert!(claim(&judge, "one/1", &only(&language)).await.is_some());
}

#[tokio::test]
async fn whoever_asks_holds_nothing_any_more() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    let id = judge.submit(&ann, T0).await;
    let first = claim(&judge, "one/1", &Abilities::All).await.expect("a job");
    assert!(
        farm_claim::is_anything_for(judge.store.read(), "one/1", at(1)).await.expect("reads"),
        "it holds something"
    );
    assert!(!farm_claim::is_anything_for(judge.store.read(), "two/1", at(1)).await.expect("reads"));
    let mut tx = judge.store.begin_write().await.expect("begins");
    assert_eq!(farm_claim::give_back_all_of(&mut tx, "two/1", at(1)).await.expect("writes"), 0);
    assert_eq!(farm_claim::give_back_all_of(&mut tx, "one/1", at(1)).await.expect("writes"), 1);
    tx.commit().await.expect("commits");
    let second = claim(&judge, "one/1", &Abilities::All).await.expect("the same job");
    assert_eq!((second.work, second.attempt), (first.work, 1), "that was no failed attempt");
    assert!(judge.finish(first, Verdict::WrongAnswer, at(1)).await.is_err(), "the old claim is fenced off");
    let mut tx = judge.store.begin_write().await.expect("begins");
    assert_eq!(farm_claim::give_back_all_of_machine(&mut tx, "on", at(1)).await.expect("writes"), 0);
    assert_eq!(farm_claim::give_back_all_of_machine(&mut tx, "one", at(1)).await.expect("writes"), 1);
    tx.commit().await.expect("commits");
    assert_eq!(judge.verdict(id).await, None);
}

#[tokio::test]
async fn a_server_that_is_started_again_leaves_remote_claims_alone() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    judge.submit(&ann, T0).await;
    let remote = claim(&judge, "one/1", &Abilities::All).await.expect("a job");
    assert_eq!(judge.service.take_back_claims(at(LEASE_MS - 5)).await.expect("writes"), 0);
    // A whole lease more, from the start on.
    assert_eq!(judge.claim(at(LEASE_MS + 10)).await, None);
    judge.finish(remote, Verdict::Accepted, at(LEASE_MS + 20)).await.expect("its result counts");
}

#[tokio::test]
async fn a_run_that_is_told_twice_is_there_once() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    judge.submit(&ann, T0).await;
    let claimed = claim(&judge, "one/1", &Abilities::All).await.expect("a job");
    let (test_case_id,): (i64,) =
        sqlx::query_as("select min(id) from test_case").fetch_one(judge.store.read()).await.expect("a test");
    let run = NewRun {
        ordinal: 1,
        test_case_id: touchstone::domain::ids::TestCaseId(test_case_id),
        verdict: Verdict::Accepted,
        score: None,
        cpu_ms: 1,
        wall_ms: 1,
        memory_bytes: 1,
        message: None,
        judge_message: None,
        facts: RunFacts::default(),
    };
    for _ in 0..2 {
        let mut tx = judge.store.begin_write().await.expect("begins");
        judging::record_run(&mut tx, claimed.lease, &run, at(1)).await.expect("records");
        tx.commit().await.expect("commits");
    }
    let (runs, events): (i64, i64) =
        sqlx::query_as("select (select count(*) from run), (select count(*) from event where kind = 'run')")
            .fetch_one(judge.store.read())
            .await
            .expect("counts");
    assert_eq!((runs, events), (1, 1));
}

#[tokio::test]
async fn what_the_staff_says_of_a_machine_outlives_its_restarts() {
    let judge = Judge::empty().await;
    let name = "judge-1".parse().expect("a name");
    let said = Introduction { version: "1", slots: 2, refused: None, measure: "{}", clock_ahead_ms: -3_600_000 };
    for now in [T0, at(5)] {
        let mut tx = judge.store.begin_write().await.expect("begins");
        farm_worker::introduce(&mut tx, &name, &said, now).await.expect("writes");
        farm_worker::set_state(&mut tx, &name, WorkerState::Draining).await.expect("writes");
        farm_worker::introduce(&mut tx, &name, &said, now).await.expect("writes");
        tx.commit().await.expect("commits");
    }
    let all = farm_worker::all(judge.store.read()).await.expect("reads");
    assert_eq!(all.len(), 1);
    let one = &all[0];
    assert_eq!((one.state, one.first_seen, one.last_seen), (WorkerState::Draining, T0, at(5)));
    assert_eq!(job::LEASE_MS, 60_000, "docs/operating.md names it");
}
