//! Who is served next.

use std::collections::BTreeSet;

use touchstone::store::job::{self, Work};
use touchstone::store::judgement;

use crate::fixture::{Judge, T0, at};

#[tokio::test]
async fn one_with_many_submissions_does_not_delay_anothers_first() {
    let judge = Judge::with_problem().await;
    let (ann, bob, eve) = (judge.contestant("ann").await, judge.contestant("bob").await, judge.contestant("eve").await);
    for _ in 0..4 {
        judge.submit(&ann, at(1)).await;
    }
    judge.submit(&bob, at(2)).await;
    judge.submit(&bob, at(2)).await;
    let mut order = Vec::new();
    for turn in 0..7 {
        if turn == 3 {
            judge.submit(&eve, at(3)).await;
        }
        let job = judge.claim(at(10)).await.expect("a job");
        let Work::Judge(id) = job.work else { panic!("{job:?}") };
        let task = judgement::task(judge.store.read(), id).await.expect("reads");
        let row = touchstone::store::submission::row(judge.store.read(), task.submission_id).await.expect("reads");
        order.push(row.expect("is there").team_name);
    }
    assert_eq!(order, ["ann", "bob", "ann", "eve", "bob", "ann", "ann"]);
}

#[tokio::test]
async fn workers_that_claim_at_once_get_different_jobs() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    for _ in 0..10 {
        judge.submit(&ann, T0).await;
    }
    let claims = (0..12).map(|_| {
        let store = judge.store.clone();
        tokio::spawn(async move {
            let mut tx = store.begin_write().await.expect("begins");
            let job = job::claim(&mut tx, "worker", T0).await.expect("claims");
            tx.commit().await.expect("commits");
            job.map(|job| job.lease.job)
        })
    });
    let mut jobs = Vec::new();
    for claim in claims.collect::<Vec<_>>() {
        jobs.extend(claim.await.expect("ends"));
    }
    assert_eq!((jobs.len(), jobs.into_iter().collect::<BTreeSet<_>>().len()), (10, 10));
}

#[tokio::test]
async fn a_commit_wakes_the_workers_and_the_followers_of_events() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    let (mut jobs, mut events) = (judge.store.jobs(), judge.store.events());
    jobs.mark_unchanged();
    events.mark_unchanged();
    judge.submit(&ann, T0).await;
    assert!(jobs.has_changed().expect("the store lives") && events.has_changed().expect("the store lives"));
    let length = job::queue_length(judge.store.read()).await.expect("reads");
    assert_eq!((length.queued, length.leased), (1, 0));
}
