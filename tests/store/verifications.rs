//! What follows from verifications: publishing, refusing, going back; and contents that are too large to hold.

use touchstone::domain::account::Role;
use touchstone::domain::hash::Sha256;
use touchstone::service::problems::{OfferedFile, ProblemError};
use touchstone::service::test_cases::NewTest;
use touchstone::store::blob::{self, PART_BYTES};
use touchstone::store::job::{self, Work};
use touchstone::store::problem::{self, ProblemState};
use touchstone::store::proposal::{self, Answer, ProposalState};
use touchstone::store::verification::{self, Step, VerificationState};
use touchstone::store::{StoreError, package};

use crate::fixture::{Judge, T0};

async fn sums(judge: &Judge) -> problem::Problem {
    problem::by_slug(judge.store.read(), "sums").await.expect("reads").expect("is there")
}

async fn newest(judge: &Judge) -> verification::Verification {
    let problem = sums(judge).await;
    verification::of_problem(judge.store.read(), problem.id, 1).await.expect("reads").remove(0)
}

#[tokio::test]
async fn a_package_is_published_when_its_verification_holds_and_not_before() {
    let judge = Judge::empty().await;
    let package = judge.offer("sums", "one").await;
    let prepare = judge.claim(T0).await.expect("a job");
    let set = judge.prepare(prepare, 3).await.expect("has the lease");
    assert_eq!((sums(&judge).await.state, sums(&judge).await.package_id), (ProblemState::Preparing, None));
    let waiting = newest(&judge).await;
    assert_eq!((waiting.state, waiting.decides, waiting.test_set_id), (VerificationState::Queued, true, Some(set)));
    judge.verify_next().await;
    assert_eq!((sums(&judge).await.state, sums(&judge).await.package_id), (ProblemState::Published, Some(package)));
    assert_eq!(newest(&judge).await.state, VerificationState::Holds);
    assert_eq!(judge.claim(T0).await, None);
}

#[tokio::test]
async fn a_version_that_breaks_a_promise_leaves_the_one_before_in_force_and_keeps_the_reason() {
    let judge = Judge::with_problem().await;
    let before = sums(&judge).await;
    let second = judge.offer("sums", "two").await;
    let prepare = judge.claim(T0).await.expect("a job");
    judge.prepare(prepare, 5).await.expect("has the lease");
    let verify = judge.claim(T0).await.expect("a job");
    judge.verify(verify, false).await.expect("has the lease");
    assert_eq!(sums(&judge).await, before);
    let versions = package::versions(judge.store.read(), before.id).await.expect("reads");
    assert_eq!((versions[0].id, versions[0].state.as_str()), (second, "refused"));
    assert!(versions[0].message.as_deref().unwrap_or_default().contains("no test rejects this wrong program"));
    assert_eq!(newest(&judge).await.state, VerificationState::Broken);

    // A new problem whose first version is broken is never seen.
    judge.offer("fresh", "one").await;
    let prepare = judge.claim(T0).await.expect("a job");
    judge.prepare(prepare, 1).await.expect("has the lease");
    let verify = judge.claim(T0).await.expect("a job");
    judge.verify(verify, false).await.expect("has the lease");
    let fresh = problem::by_slug(judge.store.read(), "fresh").await.expect("reads").expect("is there");
    assert_eq!((fresh.state, fresh.package_id), (ProblemState::Refused, None));
}

#[tokio::test]
async fn a_verification_that_the_judge_fails_at_publishes_nothing() {
    let judge = Judge::empty().await;
    judge.offer("sums", "one").await;
    let prepare = judge.claim(T0).await.expect("a job");
    judge.prepare(prepare, 1).await.expect("has the lease");
    let mut now = T0;
    for _ in 0..job::MAX_ATTEMPTS {
        let job = judge.claim(now).await.expect("a job");
        assert!(matches!(job.work, Work::Verify(_)), "{job:?}");
        let mut tx = judge.store.begin_write().await.expect("begins");
        job::fail_attempt(&mut tx, job.lease, "the disk is full", now).await.expect("has the lease");
        tx.commit().await.expect("commits");
        now = now.plus_ms(60_000);
    }
    assert_eq!(sums(&judge).await.state, ProblemState::Refused);
    assert!(newest(&judge).await.message.unwrap_or_default().contains("the disk is full"));
}

/// Adds a test by its input and lets it be answered.
async fn add(judge: &Judge, name: &str) -> proposal::Proposal {
    let sol = touchstone::store::account::by_name(judge.store.read(), "sol").await.expect("reads");
    let sol = match sol {
        Some(sol) => Judge::acting(sol.id, Role::Setter, "sol"),
        None => judge.actor("sol", Role::Setter).await,
    };
    let new = NewTest { name: name.to_owned(), input: format!("{name} 1\n").into_bytes(), sample: false };
    let id = judge.service.add_test_case(&sol, "sums", new, T0).await.expect("is taken");
    let job = judge.claim(T0).await.expect("a job");
    assert!(matches!(job.work, Work::Propose(_)), "before any verification: {job:?}");
    let package_id = proposal::task(judge.store.read(), id).await.expect("reads").package_id;
    let answer = blob::Blob::new(b"43\n".to_vec());
    let mut tx = judge.store.begin_write().await.expect("begins");
    blob::insert(&mut tx, &answer).await.expect("inserts");
    let (sha256, bytes) = (answer.sha256(), answer.bytes());
    let answer = Answer { package_id, sha256, bytes, config: "{}".to_owned(), made: None };
    proposal::accept_proposal(&mut tx, job.lease, answer, T0).await.expect("has the lease");
    tx.commit().await.expect("commits");
    proposal::by_id(judge.store.read(), id).await.expect("reads").expect("is there")
}

#[tokio::test]
async fn an_added_test_counts_at_once_and_goes_again_when_it_breaks_a_promise() {
    let judge = Judge::with_problem().await;
    let first = sums(&judge).await.test_set_id;
    let good = add(&judge, "good").await;
    assert_eq!(sums(&judge).await.test_set_id, good.test_set_id);
    judge.verify_next().await;
    let bad = add(&judge, "bad").await;
    let late = add(&judge, "late").await;
    assert_eq!(sums(&judge).await.test_set_id, late.test_set_id);
    // The look at `bad` alone is dropped: the newest tests hold it too.
    let job = judge.claim(T0).await.expect("a job");
    judge.verify(job, false).await.expect("has the lease");
    assert_eq!(judge.claim(T0).await, None);
    assert_eq!(sums(&judge).await.test_set_id, good.test_set_id, "the newest tests that kept all promises");
    assert_ne!(sums(&judge).await.test_set_id, first);
    for (id, state) in [(good.id, ProposalState::Accepted), (bad.id, ProposalState::Refused)] {
        let found = proposal::by_id(judge.store.read(), id).await.expect("reads").expect("is there");
        assert_eq!(found.state, state, "{found:?}");
        let reason = found.message.unwrap_or_default();
        assert_eq!(reason.contains("no test rejects"), state == ProposalState::Refused, "{reason}");
    }
}

#[tokio::test]
async fn a_built_in_package_is_published_at_once_and_verified_behind_everything_else() {
    let judge = Judge::empty().await;
    let file = OfferedFile { path: "statement/problem.en.md".to_owned(), contents: b"x".to_vec() };
    let packages = vec![("sums".parse().expect("a slug"), vec![file])];
    judge.service.ensure_builtin(packages, T0).await.expect("is taken");
    let prepare = judge.claim(T0).await.expect("a job");
    judge.prepare(prepare, 2).await.expect("has the lease");
    let published = sums(&judge).await;
    assert_eq!(published.state, ProblemState::Published);
    let ann = judge.contestant("ann").await;
    judge.submit(&ann, T0).await;
    let first = judge.claim(T0).await.expect("a job");
    assert!(matches!(first.work, Work::Judge(_)), "{first:?}");
    let second = judge.claim(T0).await.expect("a job");
    judge.verify(second, false).await.expect("has the lease");
    assert_eq!(sums(&judge).await, published, "there is nothing to go back to; the outcome is kept");
    let kept = newest(&judge).await;
    assert_eq!((kept.state, kept.decides), (VerificationState::Broken, false));
}

#[tokio::test]
async fn an_interrupted_verification_goes_on_where_it_was() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    add(&judge, "more").await;
    let job = judge.claim(T0).await.expect("a job");
    let Work::Verify(id) = job.work else { panic!("{job:?}") };
    let mut tx = judge.store.begin_write().await.expect("begins");
    let step = Step { part: "judging programs", done: 1, total: 4 };
    verification::progress(&mut tx, job.lease, step, T0).await.expect("has the lease");
    verification::record_program(&mut tx, job.lease, "accepted/a.c", "{\"n\": 1}", T0).await.expect("has the lease");
    tx.commit().await.expect("commits");
    let seen = newest(&judge).await;
    assert_eq!((seen.part.as_deref(), seen.part_done, seen.part_total), (Some("judging programs"), 1, 4));

    assert!(!job::is_urgent_waiting(judge.store.read(), job.lease, T0).await.expect("reads"));
    judge.submit(&ann, T0).await;
    assert!(job::is_urgent_waiting(judge.store.read(), job.lease, T0).await.expect("reads"));
    let mut tx = judge.store.begin_write().await.expect("begins");
    job::give_back(&mut tx, job.lease, T0).await.expect("has the lease");
    tx.commit().await.expect("commits");
    let next = judge.claim(T0).await.expect("a job");
    assert!(matches!(next.work, Work::Judge(_)), "{next:?}");
    let again = judge.claim(T0).await.expect("a job");
    assert_eq!(again.work, Work::Verify(id));
    let task = verification::task(judge.store.read(), id).await.expect("reads");
    assert_eq!(task.done, ["{\"n\": 1}"]);
}

#[tokio::test]
async fn a_test_that_is_added_while_a_package_is_verified_is_answered_by_it_first() {
    let judge = Judge::with_problem().await;
    let package = judge.offer("sums", "two").await;
    let prepare = judge.claim(T0).await.expect("a job");
    judge.prepare(prepare, 4).await.expect("has the lease");
    let verify = judge.claim(T0).await.expect("a job");
    add(&judge, "more").await;
    judge.verify(verify, true).await.expect("has the lease");
    assert_ne!(sums(&judge).await.package_id, Some(package), "its tests lack the one that was added");
    let prepare = judge.claim(T0).await.expect("a job");
    assert_eq!(prepare.work, Work::Prepare(package));
    judge.prepare(prepare, 4).await.expect("has the lease");
    judge.verify_next().await;
    assert_eq!(sums(&judge).await.package_id, Some(package));
    let page = problem::page(judge.store.read(), "sums").await.expect("reads").expect("is there");
    assert_eq!(page.tests, 5);
}

#[tokio::test]
async fn verifications_are_for_setters_and_up() {
    let judge = Judge::with_problem().await;
    let (ann, sol) = (judge.contestant("ann").await, judge.actor("sol", Role::Setter).await);
    let seen = judge.service.verification(&ann, "sums", None).await;
    assert!(matches!(seen, Err(ProblemError::Forbidden(_))));
    assert!(matches!(judge.service.verify_again(&ann, "sums", T0).await, Err(ProblemError::Forbidden(_))));
    let id = judge.service.verify_again(&sol, "sums", T0).await.expect("is queued");
    let page = judge.service.verification(&sol, "sums", Some(id)).await.expect("reads");
    assert_eq!(page.shown.expect("is there").state, VerificationState::Queued);
    assert!(matches!(judge.service.verification(&sol, "none", None).await, Err(ProblemError::NoSuchProblem(_))));
}

#[tokio::test]
async fn large_contents_lie_in_parts_and_come_back_whole() {
    let judge = Judge::empty().await;
    let contents: Vec<u8> = (0..PART_BYTES * 2 + 17).map(|at| u8::try_from(at * at % 251).unwrap_or(0)).collect();
    let (digest, bytes) = (Sha256::of(&contents), contents.len() as u64);
    let stream = || Box::new(std::io::Cursor::new(contents.clone()));
    let other = Sha256::of(b"something else");
    let refused = blob::store(&judge.store, other, bytes, stream()).await;
    assert!(matches!(refused, Err(StoreError::BlobDamaged(_))), "{refused:?}");
    assert_eq!(blob::size(judge.store.read(), other).await.expect("reads"), None);
    for _ in 0..2 {
        blob::store(&judge.store, digest, bytes, stream()).await.expect("is stored");
    }
    assert_eq!(blob::size(judge.store.read(), digest).await.expect("reads"), Some(bytes));
    assert_eq!(blob::read(judge.store.read(), digest).await.expect("reads"), contents);
    let path = judge.folder.path().join("copy");
    let file = std::fs::File::create(&path).expect("makes a file");
    blob::copy_to(judge.store.read(), digest, file).await.expect("copies");
    assert_eq!(std::fs::read(&path).expect("reads"), contents);

    // A part that is lost or damaged is never judged with.
    let mut tx = judge.store.begin_write().await.expect("begins");
    sqlx::raw_sql("delete from blob_part where ordinal = 2").execute(&mut *tx).await.expect("deletes");
    tx.commit().await.expect("commits");
    let file = std::fs::File::create(&path).expect("makes a file");
    let damaged = blob::copy_to(judge.store.read(), digest, file).await;
    assert!(matches!(damaged, Err(StoreError::BlobDamaged(found)) if found == digest), "{damaged:?}");
}
