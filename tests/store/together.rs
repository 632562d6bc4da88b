//! Writes that share a transaction.

use std::collections::BTreeSet;
use std::time::Duration;

use touchstone::domain::ids::{JobId, PackageId};
use touchstone::domain::verdict::Verdict;
use touchstone::store::job::{self, ClaimedJob, JobError, LEASE_MS, PRIORITY_PREPARE, Work};
use touchstone::store::{Store, WriteTx};

use crate::fixture::{Judge, T0, at};

/// Queues a job of the package, and then fails if it should.
async fn queue(tx: &mut WriteTx, package: PackageId, fails: bool) -> Result<JobId, JobError> {
    let id = job::queue(tx, Work::Prepare(package), PRIORITY_PREPARE, None, T0).await?;
    if fails { Err(JobError::LeaseLost) } else { Ok(id) }
}

async fn jobs(store: &Store) -> BTreeSet<i64> {
    let rows: Vec<(i64,)> = sqlx::query_as("select id from job").fetch_all(store.read()).await.expect("reads");
    rows.into_iter().map(|(id,)| id).collect()
}

#[tokio::test]
async fn writes_that_wait_share_a_transaction_and_one_that_fails_leaves_the_others_alone() {
    let judge = Judge::empty().await;
    let package = judge.offer("sums", "sums").await;
    for fails in [None, Some(7), Some(0)] {
        let before = jobs(&judge.store).await;
        let mut bell = judge.store.jobs();
        let rung = *bell.borrow_and_update();
        // All come while somebody else writes.
        let busy = judge.store.begin_write().await.expect("begins");
        let writes: Vec<_> = (0..20)
            .map(|number| {
                let (store, what) = (judge.store.clone(), (package, Some(number) == fails));
                tokio::spawn(async move {
                    store.write_together(what, |(package, fails), tx| Box::pin(queue(tx, *package, *fails))).await
                })
            })
            .collect();
        tokio::task::yield_now().await;
        busy.commit().await.expect("commits");
        let mut made = BTreeSet::new();
        for (number, write) in writes.into_iter().enumerate() {
            match write.await.expect("ends") {
                Ok(id) => assert!(made.insert(id.0) && Some(number) != fails),
                Err(error) => assert!(matches!(error, JobError::LeaseLost) && Some(number) == fails, "{error}"),
            }
        }
        assert_eq!(jobs(&judge.store).await.difference(&before).copied().collect::<BTreeSet<_>>(), made);
        let transactions = *bell.borrow_and_update() - rung;
        match fails {
            None => assert!(transactions <= 3, "20 writes took {transactions} transactions"),
            Some(_) => assert_eq!(made.len(), 19),
        }
    }
}

#[tokio::test]
async fn what_nobody_waits_for_any_more_is_written_all_the_same() {
    let judge = Judge::empty().await;
    let package = judge.offer("sums", "sums").await;
    let busy = judge.store.begin_write().await.expect("begins");
    let mut bell = judge.store.jobs();
    bell.mark_unchanged();
    let write = judge.store.write_together(package, |package, tx| Box::pin(queue(tx, *package, false)));
    tokio::time::timeout(Duration::ZERO, write).await.expect_err("somebody else writes");
    busy.commit().await.expect("commits");
    bell.changed().await.expect("the store lives");
    assert_eq!(jobs(&judge.store).await.len(), 2);
}

#[tokio::test]
async fn a_disk_that_takes_nothing_fails_each_write_in_its_own_words() {
    let judge = Judge::empty().await;
    let package = judge.offer("sums", "sums").await;
    judge.store.close().await;
    for _ in 0..2 {
        let write = judge.store.write_together(package, |package, tx| Box::pin(queue(tx, *package, false)));
        assert!(matches!(write.await, Err(JobError::Store(_))));
    }
}

#[tokio::test]
async fn a_job_that_its_late_worker_ends_is_not_handed_out_in_the_same_transaction() {
    let judge = Judge::with_problem().await;
    let (ann, bob) = (judge.contestant("ann").await, judge.contestant("bob").await);
    judge.submit(&ann, T0).await;
    judge.submit(&bob, T0).await;
    let (first, late) = (judge.claim(T0).await.expect("a job"), judge.claim(T0).await.expect("a job"));
    let now = at(1).plus_ms(LEASE_MS);
    let mut tx = judge.store.begin_write().await.expect("begins");
    // Both leases are over, so both jobs are due; the first claim looks at both.
    let claimed: Option<ClaimedJob> = job::claim(&mut tx, "another", now).await.expect("claims");
    assert_eq!(claimed.map(|job| job.lease.job), Some(first.lease.job));
    let outcome = touchstone::store::judging::Outcome::new(Verdict::Accepted);
    touchstone::store::judging::finish_judgement(&mut tx, late.lease, &outcome, now)
        .await
        .expect("has the lease still");
    assert_eq!(job::claim(&mut tx, "another", now).await.expect("claims"), None);
    tx.commit().await.expect("commits");
}
