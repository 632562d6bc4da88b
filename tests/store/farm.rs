//! Workers on other machines at the queue: what they may claim, and what becomes of what they held.

use touchstone::domain::hash::Sha256;
use touchstone::domain::ids::{PackageId, ProblemId, TestSetId};
use touchstone::domain::verdict::Verdict;
use touchstone::store::farm_claim::{self, Abilities, Entitled};
use touchstone::store::farm_worker::{self, Introduction, WorkerState};
use touchstone::store::host_fit::{self, FitState, Measured};
use touchstone::store::job::{ClaimedJob, LEASE_MS, Work};
use touchstone::store::judging::{self, NewRun, RunFacts};
use touchstone::store::verification::{self, NewVerification};
use touchstone::store::{Texts, job, metrics, verification_end};

use crate::fixture::{Judge, T0, at};

fn only(language: &str) -> Abilities {
    Abilities::Only(Texts(vec![language.to_owned()]))
}

/// The kind of machine that most of these tests have.
fn kind() -> Sha256 {
    Sha256::of(b"a kind of machine")
}

/// A claim by a machine of a kind that was measured already.
async fn claim(judge: &Judge, slot: &str, may: &Abilities) -> Option<ClaimedJob> {
    measured(judge, &kind(), FitState::Fits).await;
    claim_on(judge, slot, may, &kind(), 1).await
}

async fn claim_on(judge: &Judge, slot: &str, may: &Abilities, kind: &Sha256, seconds: i64) -> Option<ClaimedJob> {
    let mut tx = judge.store.begin_write().await.expect("begins");
    let entitled = Entitled { may: may.clone(), kind: *kind };
    let claimed = farm_claim::claim(&mut tx, slot, &entitled, at(seconds)).await.expect("claims");
    tx.commit().await.expect("commits");
    claimed
}

/// The limit of the problem in force was measured on this kind.
async fn measured(judge: &Judge, kind: &Sha256, state: FitState) {
    let mut tx = judge.store.begin_write().await.expect("begins");
    let _: Option<(String,)> = sqlx::query_as(
        "insert into host_fit (package_id, test_set_id, kind, verification_id, state)
        select p.package_id, p.test_set_id, ?, (select max(id) from verification), ? from problem p where p.package_id > 0
        on conflict do update set state = excluded.state returning state",
    )
    .bind(kind.as_bytes().as_slice())
    .bind(state.as_str())
    .fetch_optional(&mut *tx)
    .await
    .expect("writes");
    tx.commit().await.expect("commits");
}

/// A machine says who it is.
async fn introduce(judge: &Judge, name: &str, kind: &Sha256) {
    let said = Introduction { version: "1", slots: 2, refused: None, measure: "{}", clock_ahead_ms: 0, kind };
    let mut tx = judge.store.begin_write().await.expect("begins");
    farm_worker::introduce(&mut tx, &name.parse().expect("a name"), &said, T0).await.expect("writes");
    tx.commit().await.expect("commits");
}

/// A verification ends with this measurement.
async fn report(judge: &Judge, job: ClaimedJob, state: FitState) {
    let outcome = verification_end::Outcome {
        holds: state == FitState::Fits,
        report: "{}".to_owned(),
        message: None,
        limits: None,
        measured: Some(Measured { state, limit_ms: 1_000, least_ms: 1_200, most_ms: None }),
    };
    let mut tx = judge.store.begin_write().await.expect("begins");
    verification_end::finish(&mut tx, job.lease, &outcome, at(2)).await.expect("has the lease");
    tx.commit().await.expect("commits");
}

#[tokio::test]
async fn a_new_kind_of_machine_measures_a_problem_before_it_judges_it() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    judge.submit(&ann, T0).await;
    introduce(&judge, "one", &kind()).await;
    let (all, other) = (Abilities::All, Sha256::of(b"another kind"));
    let measuring = claim_on(&judge, "one/1", &only("cobol"), &kind(), 1).await;
    assert_eq!(measuring, None, "nothing here is for it, so nothing is measured for it");
    let measuring = claim_on(&judge, "one/1", &all, &kind(), 1).await.expect("a job");
    let Work::Verify(id) = measuring.work else { panic!("{measuring:?} is no verification") };
    assert_eq!(claim_on(&judge, "one/2", &all, &kind(), 1).await, None, "it is measured once for all of the kind");
    assert!(!job::is_urgent_waiting(judge.store.read(), measuring.lease, at(1)).await.expect("reads"), "it goes first");
    let misfits = host_fit::misfits(judge.store.read()).await.expect("reads");
    assert_eq!(misfits.iter().map(|one| one.state).collect::<Vec<_>>(), [FitState::Measuring]);
    // It is nobody else's business, not even when it lies there.
    let mut tx = judge.store.begin_write().await.expect("begins");
    job::give_back(&mut tx, measuring.lease, at(1)).await.expect("has the lease");
    tx.commit().await.expect("commits");
    let elsewhere = judge.claim(at(1)).await.expect("the submission");
    assert!(matches!(elsewhere.work, Work::Judge(_)), "the server's own workers judge meanwhile: {elsewhere:?}");
    let again = claim_on(&judge, "one/2", &all, &kind(), 1).await.expect("the same measuring");
    assert_eq!(again.work, Work::Verify(id));
    let of_problem = verification::of_problem(judge.store.read(), ProblemId(1), 10).await.expect("reads");
    assert!(of_problem.iter().all(|one| one.id != id), "the problem's own verifications are others");

    report(&judge, again, FitState::Fits).await;
    judge.submit(&ann, T0).await;
    let judged = claim_on(&judge, "one/1", &all, &kind(), 3).await.expect("a job");
    assert!(matches!(judged.work, Work::Judge(_)), "{judged:?}");
    // Another kind finds it out for itself.
    judge.submit(&ann, T0).await;
    let measuring = claim_on(&judge, "two/1", &all, &other, 3).await.expect("a job");
    assert!(matches!(measuring.work, Work::Verify(_)), "{measuring:?}");
}

/// Otherwise it would drop its work for a job that it doesn't get, and begin the same work again, and again.
#[tokio::test]
async fn a_worker_makes_way_only_for_what_it_would_get() {
    let judge = Judge::with_problem().await;
    let (ann, all) = (judge.contestant("ann").await, Abilities::All);
    introduce(&judge, "one", &kind()).await;
    let mut tx = judge.store.begin_write().await.expect("begins");
    let (problem, package, test_set) = (ProblemId(1), PackageId(1), Some(TestSetId(1)));
    let new = NewVerification { problem, package, test_set, decides: false };
    let id = verification::insert(&mut tx, new, T0).await.expect("writes");
    verification::queue(&mut tx, id, false, None, T0).await.expect("writes");
    tx.commit().await.expect("commits");
    let verifying = claim_on(&judge, "one/1", &all, &kind(), 1).await.expect("a job");
    let makes_way = async |may: &Abilities| {
        let entitled = Entitled { may: may.clone(), kind: kind() };
        let pool = judge.store.read();
        farm_claim::is_urgent_waiting(pool, "one/1", &entitled, verifying.lease, at(2)).await.expect("reads")
    };
    assert!(!makes_way(&all).await, "nothing waits");
    judge.submit(&ann, at(1)).await;
    assert!(makes_way(&all).await, "the submission has to be measured for, and then judged");
    assert!(!makes_way(&only("cobol")).await, "not in its languages");
    let measuring = claim_on(&judge, "one/2", &all, &kind(), 2).await.expect("a job");
    assert!(matches!(measuring.work, Work::Verify(_)));
    assert!(!makes_way(&all).await, "it is being measured for already");
    report(&judge, measuring, FitState::Fits).await;
    assert!(makes_way(&all).await, "now it can be judged");
    measured(&judge, &kind(), FitState::TooSlow).await;
    assert!(!makes_way(&all).await, "its kind doesn't judge this problem");
}

#[tokio::test]
async fn a_kind_that_a_limit_does_not_fit_is_left_out_of_that_problem() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    judge.submit(&ann, T0).await;
    introduce(&judge, "one", &kind()).await;
    let measuring = claim_on(&judge, "one/1", &Abilities::All, &kind(), 1).await.expect("a job");
    report(&judge, measuring, FitState::TooSlow).await;
    assert_eq!(claim_on(&judge, "one/1", &Abilities::All, &kind(), 3).await, None);
    let misfits = host_fit::misfits(judge.store.read()).await.expect("reads");
    let facts: Vec<_> =
        misfits.iter().map(|one| (one.kind, one.state, one.limit_ms, one.least_ms, one.most_ms)).collect();
    assert_eq!(facts, [(kind(), FitState::TooSlow, Some(1_000), Some(1_200), None)]);
    assert!(matches!(judge.claim(at(3)).await.expect("a job").work, Work::Judge(_)), "others judge it");
    // A machine of that kind that is started again finds it out anew.
    judge.submit(&ann, T0).await;
    introduce(&judge, "one", &kind()).await;
    let measuring = claim_on(&judge, "one/1", &Abilities::All, &kind(), 3).await.expect("a job");
    assert!(matches!(measuring.work, Work::Verify(_)), "{measuring:?}");
}

#[tokio::test]
async fn a_measuring_that_fails_again_and_again_leaves_the_kind_out() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    let id = judge.submit(&ann, T0).await;
    introduce(&judge, "one", &kind()).await;
    for attempt in 1..=i64::from(job::MAX_ATTEMPTS) {
        let seconds = attempt * 100;
        let measuring = claim_on(&judge, "one/1", &Abilities::All, &kind(), seconds).await.expect("a job");
        assert!(matches!(measuring.work, Work::Verify(_)), "{measuring:?}");
        let mut tx = judge.store.begin_write().await.expect("begins");
        job::fail_attempt(&mut tx, measuring.lease, "no compiler", at(seconds)).await.expect("has the lease");
        tx.commit().await.expect("commits");
    }
    assert_eq!(claim_on(&judge, "one/1", &Abilities::All, &kind(), 900).await, None);
    let misfits = host_fit::misfits(judge.store.read()).await.expect("reads");
    assert_eq!(misfits.iter().map(|one| one.state).collect::<Vec<_>>(), [FitState::NotMeasured]);
    assert_eq!(judge.verdict(id).await, None, "the submission waits for somebody else");
}

#[tokio::test]
async fn what_only_machines_that_are_gone_could_measure_does_not_wait_for_ever() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    judge.submit(&ann, T0).await;
    introduce(&judge, "one", &kind()).await;
    let measuring = claim_on(&judge, "one/1", &Abilities::All, &kind(), 1).await.expect("a job");
    let dropped_at = async |seconds| {
        let mut tx = judge.store.begin_write().await.expect("begins");
        let dropped = host_fit::drop_abandoned(&mut tx, at(seconds)).await.expect("writes");
        tx.commit().await.expect("commits");
        dropped
    };
    let mut tx = judge.store.begin_write().await.expect("begins");
    job::renew(&mut tx, measuring.lease, at(880)).await.expect("has the lease");
    tx.commit().await.expect("commits");
    assert_eq!(dropped_at(900).await, 0, "somebody holds it; the lease decides");
    let mut tx = judge.store.begin_write().await.expect("begins");
    job::give_back(&mut tx, measuring.lease, at(900)).await.expect("has the lease");
    tx.commit().await.expect("commits");
    assert_eq!(dropped_at(500).await, 0, "its machine was heard a while ago");
    assert_eq!(dropped_at(900).await, 1);
    assert!(matches!(judge.claim(at(900)).await.expect("a job").work, Work::Judge(_)));
    let length = metrics::queue_length(judge.store.read()).await.expect("reads");
    assert_eq!((length.queued, length.leased), (0, 1));
    // A machine that comes back measures when it is needed.
    judge.submit(&ann, T0).await;
    introduce(&judge, "one", &kind()).await;
    let again = claim_on(&judge, "one/1", &Abilities::All, &kind(), 901).await.expect("a job");
    assert!(matches!(again.work, Work::Verify(_)), "{again:?}");
}

#[tokio::test]
async fn what_a_verification_found_out_counts_for_the_kind_that_made_it() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    introduce(&judge, "one", &kind()).await;
    judge.offer("sums", "the second version").await;
    let prepare = claim_on(&judge, "one/1", &Abilities::All, &kind(), 1).await.expect("a job");
    judge.prepare(prepare, 3).await.expect("has the lease");
    let verify = claim_on(&judge, "one/1", &Abilities::All, &kind(), 1).await.expect("a job");
    report(&judge, verify, FitState::Fits).await;
    judge.submit(&ann, T0).await;
    let judged = claim_on(&judge, "one/1", &Abilities::All, &kind(), 3).await.expect("a job");
    assert!(matches!(judged.work, Work::Judge(_)), "nothing has to be measured: {judged:?}");
}

#[tokio::test]
async fn a_job_that_failed_on_a_machine_goes_elsewhere_first() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    judge.submit(&ann, T0).await;
    measured(&judge, &kind(), FitState::Fits).await;
    let all = Abilities::All;
    let first = claim_on(&judge, "one/1", &all, &kind(), 1).await.expect("a job");
    let mut tx = judge.store.begin_write().await.expect("begins");
    job::fail_attempt(&mut tx, first.lease, "on one: its disk is full", at(1)).await.expect("has the lease");
    tx.commit().await.expect("commits");
    assert_eq!(claim_on(&judge, "one/2", &all, &kind(), 5).await, None, "not on the same machine");
    let second = claim_on(&judge, "two/1", &all, &kind(), 5).await.expect("the same job");
    assert_eq!(second.work, first.work);
    let mut tx = judge.store.begin_write().await.expect("begins");
    job::fail_attempt(&mut tx, second.lease, "on two: its disk is full", at(5)).await.expect("has the lease");
    tx.commit().await.expect("commits");
    // Where there is no other it comes back after a while.
    assert_eq!(claim_on(&judge, "two/1", &all, &kind(), 10).await, None);
    let third = claim_on(&judge, "two/1", &all, &kind(), 60).await.expect("the same job");
    assert_eq!((third.work, third.attempt), (first.work, 3));
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
    let said = Introduction {
        version: "1",
        slots: 2,
        refused: None,
        measure: "{}",
        clock_ahead_ms: -3_600_000,
        kind: &kind(),
    };
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
