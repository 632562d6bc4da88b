//! A submission's way to its one verdict.

use touchstone::domain::verdict::Verdict;
use touchstone::store::job::{self, JobError, LEASE_MS, MAX_ATTEMPTS, Work};
use touchstone::store::judgement::{self, JudgementState};
use touchstone::store::submission;

use crate::fixture::{Judge, T0, at};

#[tokio::test]
async fn a_submission_is_claimed_recorded_and_finished() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    let id = judge.submit(&ann, at(1)).await;
    let job = judge.claim(at(2)).await.expect("a job");
    let Work::Judge(judgement) = job.work else { panic!("{job:?}") };
    let task = judgement::task(&judge.store, judgement).await.expect("reads");
    assert_eq!((task.submission_id, task.tests.len(), task.sources.len()), (id, 3, 1));
    assert_eq!(task.sources[0].name, "a.py");
    judge.record(job, 1, Verdict::Accepted, at(3)).await.expect("has the lease");
    let row = submission::row(judge.store.read(), id).await.expect("reads").expect("is there");
    assert_eq!((row.state, row.verdict, row.tests_done, row.tests_total), (JudgementState::Running, None, 1, 3));
    judge.record(job, 2, Verdict::WrongAnswer, at(4)).await.expect("has the lease");
    judge.finish(job, Verdict::WrongAnswer, at(5)).await.expect("has the lease");
    let row = submission::row(judge.store.read(), id).await.expect("reads").expect("is there");
    assert_eq!((row.state, row.verdict, row.tests_done), (JudgementState::Done, Some(Verdict::WrongAnswer), 2));
    assert_eq!((row.cpu_ms, row.label.as_str()), (Some(30), "A"));
    assert_eq!(judge.claim(at(600)).await, None);
}

#[tokio::test]
async fn a_lost_lease_writes_nothing() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    let id = judge.submit(&ann, at(1)).await;
    let slow = judge.claim(at(2)).await.expect("a job");
    judge.record(slow, 1, Verdict::WrongAnswer, at(3)).await.expect("has the lease");
    assert_eq!(judge.claim(at(4)).await, None, "the lease holds");

    let expired = at(3).plus_ms(LEASE_MS);
    let second = judge.claim(expired).await.expect("the job is free again");
    assert_eq!((second.lease.job, second.attempt), (slow.lease.job, 2));
    assert!(second.lease.token > slow.lease.token);
    let row = submission::row(judge.store.read(), id).await.expect("reads").expect("is there");
    assert_eq!(row.tests_done, 0, "the first attempt's runs are gone");

    assert!(matches!(judge.record(slow, 2, Verdict::WrongAnswer, expired).await, Err(JobError::LeaseLost)));
    assert!(matches!(judge.finish(slow, Verdict::WrongAnswer, expired).await, Err(JobError::LeaseLost)));
    judge.finish(second, Verdict::Accepted, expired).await.expect("has the lease");
    assert_eq!(judge.verdict(id).await, Some(Verdict::Accepted));
    assert!(matches!(judge.finish(second, Verdict::WrongAnswer, expired).await, Err(JobError::LeaseLost)));
    assert_eq!(judge.verdict(id).await, Some(Verdict::Accepted), "a verdict is written once");
}

#[tokio::test]
async fn a_recorded_run_renews_the_lease() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    judge.submit(&ann, T0).await;
    let job = judge.claim(T0).await.expect("a job");
    let almost = T0.plus_ms(LEASE_MS - 1);
    judge.record(job, 1, Verdict::Accepted, almost).await.expect("has the lease");
    assert_eq!(judge.claim(almost.plus_ms(LEASE_MS - 1)).await, None);
    assert!(judge.claim(almost.plus_ms(LEASE_MS)).await.is_some());
}

#[tokio::test]
async fn failed_attempts_end_as_a_judging_error() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    let id = judge.submit(&ann, T0).await;
    for attempt in 1..=MAX_ATTEMPTS {
        let now = at(100 * i64::from(attempt));
        let job = judge.claim(now).await.expect("a job");
        assert_eq!(job.attempt, attempt);
        let mut tx = judge.store.begin_write().await.expect("begins");
        let again = job::fail_attempt(&mut tx, job.lease, "the disk is full", now).await.expect("has the lease");
        tx.commit().await.expect("commits");
        assert_eq!(again, attempt < MAX_ATTEMPTS);
        assert_eq!(judge.claim(now).await, None, "it is not tried again at once");
    }
    assert_eq!(judge.verdict(id).await, Some(Verdict::JudgingError));
    let judgements = judgement::of_submission(judge.store.read(), id).await.expect("reads");
    let cause = judgements[0].judge_message.as_deref().expect("the staff reads the cause");
    assert!(cause.contains("the disk is full"), "{cause}");
    assert!(!judgements[0].message.as_deref().expect("the author reads a sentence").contains("disk"));
}

#[tokio::test]
async fn silent_workers_are_given_up_after_the_cap() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    let id = judge.submit(&ann, T0).await;
    let mut now = T0;
    for _ in 0..MAX_ATTEMPTS {
        judge.claim(now).await.expect("a job");
        now = now.plus_ms(LEASE_MS);
    }
    assert_eq!(judge.claim(now).await, None);
    assert_eq!(judge.verdict(id).await, Some(Verdict::JudgingError));
    let judgements = judgement::of_submission(judge.store.read(), id).await.expect("reads");
    let cause = judgements[0].judge_message.as_deref().expect("the staff reads the cause");
    assert!(cause.contains("fell silent") && cause.contains(&format!("{MAX_ATTEMPTS} attempts")), "{cause}");
}

#[tokio::test]
async fn giving_back_costs_no_attempt() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    judge.submit(&ann, T0).await;
    for _ in 0..5 {
        let job = judge.claim(T0).await.expect("a job");
        assert_eq!(job.attempt, 1);
        let mut tx = judge.store.begin_write().await.expect("begins");
        job::give_back(&mut tx, job.lease, T0).await.expect("has the lease");
        tx.commit().await.expect("commits");
        assert!(matches!(judge.finish(job, Verdict::Accepted, T0).await, Err(JobError::LeaseLost)));
    }
    judge.judge_next(Verdict::Accepted, T0).await;
}
