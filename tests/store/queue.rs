//! Who is served next.

use std::collections::BTreeSet;

use touchstone::domain::verdict::Verdict;
use touchstone::store::job::{self, LEASE_MS, Work};
use touchstone::store::judgement;
use touchstone::store::takeover::MAX_INTERRUPTIONS;

use crate::fixture::{Judge, T0, at, program};

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

#[tokio::test]
async fn a_clock_set_back_neither_holds_up_the_queue_nor_keeps_a_silent_workers_lease() {
    const DAY: i64 = 24 * 3600;
    let judge = Judge::with_problem().await;
    let (ann, bob) = (judge.contestant("ann").await, judge.contestant("bob").await);
    judge.submit(&ann, at(DAY)).await;
    judge.submit(&bob, at(DAY)).await;
    let silent = judge.claim(at(DAY)).await.expect("a job");
    // The clock is a day back: what was queued under the old time is due all the same.
    let second = judge.claim(at(1)).await.expect("the other job is due");
    assert_ne!(second.lease.job, silent.lease.job);
    judge.finish(second, Verdict::Accepted, at(2)).await.expect("has the lease");
    // The lease that was to last until tomorrow lasts as long as any.
    assert_eq!(judge.claim(at(2)).await, None, "it may still be worked on");
    let again = judge.claim(at(2).plus_ms(LEASE_MS)).await.expect("its lease is over");
    assert_eq!(again.lease.job, silent.lease.job);
    assert!(judge.finish(silent, Verdict::WrongAnswer, at(3)).await.is_err(), "the old claim is fenced off");
    // People may hand in after the jump.
    judge.service.submit(&ann, program("sums"), at(3)).await.expect("is taken");
}

#[tokio::test]
async fn people_may_hand_in_after_the_clock_was_set_back() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    for _ in 0..touchstone::service::submissions::RATE {
        judge.submit(&ann, at(3600)).await;
    }
    assert!(judge.service.submit(&ann, program("sums"), at(3600)).await.is_err(), "too fast");
    for _ in 0..touchstone::service::submissions::RATE {
        judge.submit(&ann, at(0)).await;
    }
    assert!(judge.service.submit(&ann, program("sums"), at(0)).await.is_err(), "too fast in the new time too");
}

#[tokio::test]
async fn a_new_process_takes_the_claims_of_the_old_one_back() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    let id = judge.submit(&ann, T0).await;
    let mut last = None;
    for round in 1..MAX_INTERRUPTIONS {
        let job = judge.claim(at(1)).await.expect("no lease has to end first");
        assert_eq!(job.attempt, 1, "an interruption is no failed attempt (round {round})");
        if let Some(old) = last.replace(job) {
            assert!(judge.finish(old, Verdict::WrongAnswer, at(1)).await.is_err(), "the old claim is fenced off");
        }
        assert_eq!(judge.service.take_back_claims(at(1)).await.expect("writes"), 1);
        assert_eq!(judge.verdict(id).await, None);
    }
    // Whatever ends the whole server each time must not do so for ever.
    judge.claim(at(1)).await.expect("a job");
    assert_eq!(judge.service.take_back_claims(at(1)).await.expect("writes"), 1);
    assert_eq!(judge.verdict(id).await, Some(Verdict::JudgingError));
    assert_eq!(judge.claim(at(1)).await, None);
    assert_eq!(judge.service.take_back_claims(at(1)).await.expect("writes"), 0);
}
