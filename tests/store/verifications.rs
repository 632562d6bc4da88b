//! What follows from verifications: publishing, refusing, which changed tests count; and contents that are too large to
//! hold.

use proptest::prelude::*;
use touchstone::domain::account::Role;
use touchstone::domain::hash::Sha256;
use touchstone::service::problems::{OfferedFile, ProblemError};
use touchstone::service::test_cases::NewTest;
use touchstone::service::test_changes::{ChangeTestsError, TestChange};
use touchstone::store::blob::{self, PART_BYTES};
use touchstone::store::job::{self, Work};
use touchstone::store::problem::{self, ProblemState};
use touchstone::store::proposal::{self, Answer, ProposalState};
use touchstone::store::verification::{self, VerificationState};
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
    let new = NewTest { name: name.to_owned(), input: format!("{name} 1\n").into_bytes().into(), sample: false };
    let id = judge.service.add_test_case(&sol, "sums", new, T0).await.expect("is taken");
    let job = judge.claim(T0).await.expect("a job");
    assert!(matches!(job.work, Work::Propose(_)), "before any verification: {job:?}");
    accept(judge, job).await;
    proposal::by_id(judge.store.read(), id).await.expect("reads").expect("is there")
}

/// Answers a claimed proposal.
async fn accept(judge: &Judge, job: job::ClaimedJob) {
    let Work::Propose(id) = job.work else { panic!("{job:?}") };
    let package_id = proposal::task(judge.store.read(), id).await.expect("reads").package_id;
    let answer = blob::Blob::new(b"43\n".to_vec());
    let mut tx = judge.store.begin_write().await.expect("begins");
    blob::insert(&mut tx, &answer).await.expect("inserts");
    let (sha256, bytes) = (answer.sha256(), answer.bytes());
    let answer = Answer { package_id, sha256, bytes, config: "{}".to_owned(), made: None };
    proposal::accept_proposal(&mut tx, job.lease, answer, T0).await.expect("has the lease");
    tx.commit().await.expect("commits");
}

async fn proposal_state(judge: &Judge, one: &proposal::Proposal) -> (ProposalState, bool, String) {
    let found = proposal::by_id(judge.store.read(), one.id).await.expect("reads").expect("is there");
    (found.state, found.waits, found.message.unwrap_or_default())
}

#[tokio::test]
async fn an_added_test_counts_only_once_it_is_verified_and_never_when_it_breaks_a_promise() {
    let judge = Judge::with_problem().await;
    let first = sums(&judge).await.test_set_id;
    let sol = judge.actor("sol", Role::Setter).await;
    let both = ["good", "bad"].map(|name| NewTest {
        name: name.to_owned(),
        input: name.as_bytes().to_vec().into(),
        sample: false,
    });
    let ids = judge.service.add_test_cases(&sol, "sums", both.into(), T0).await.expect("reads").expect("are taken");
    let mut added = Vec::new();
    for id in ids {
        let job = judge.claim(T0).await.expect("a job");
        accept(&judge, job).await;
        added.push(proposal::by_id(judge.store.read(), id).await.expect("reads").expect("is there"));
    }
    let (bad, good) = (added.remove(1), added.remove(0));
    assert_eq!((sums(&judge).await.test_set_id, good.waits, bad.waits), (first, true, true));
    // Only the newest tests are looked at; they hold the good one too.
    let job = judge.claim(T0).await.expect("a job");
    judge.verify(job, false).await.expect("has the lease");
    assert_eq!(sums(&judge).await.test_set_id, first);
    let (state, waits, reason) = proposal_state(&judge, &bad).await;
    assert_eq!((state, waits), (ProposalState::Refused, false));
    assert!(reason.contains("no test rejects"), "{reason}");
    // Then what it was built on is looked at.
    judge.verify_next().await;
    assert_eq!(judge.claim(T0).await, None);
    assert_eq!(sums(&judge).await.test_set_id, good.test_set_id);
    assert_eq!(proposal_state(&judge, &good).await, (ProposalState::Accepted, false, String::new()));
}

#[tokio::test]
async fn whoever_verifies_what_is_not_the_newest_any_more_is_told() {
    let judge = Judge::with_problem().await;
    let one = add(&judge, "one").await;
    let begun = judge.claim(T0).await.expect("a job");
    let Work::Verify(id) = begun.work else { panic!("{begun:?}") };
    let mut tx = judge.store.begin_write().await.expect("begins");
    verification::record_program(&mut tx, begun.lease, "accepted/a.c", "{\"n\": 1}", T0).await.expect("has the lease");
    tx.commit().await.expect("commits");
    let two = add(&judge, "two").await;
    assert!(matches!(judge.verify(begun, true).await, Err(job::JobError::LeaseLost)));
    let kept = verification::by_id(judge.store.read(), id).await.expect("reads").expect("is there");
    assert_eq!(kept.state, VerificationState::Dropped);
    // What it found out is handed on to the next.
    let next = judge.claim(T0).await.expect("a job");
    let Work::Verify(id) = next.work else { panic!("{next:?}") };
    let task = verification::task(judge.store.read(), id).await.expect("reads");
    assert_eq!((task.tests.len(), task.decides, task.earlier.len()), (5, true, 1));
    assert_eq!((task.earlier[0].tests.len(), task.earlier[0].programs.as_slice()), (4, &["{\"n\": 1}".to_owned()][..]));
    judge.verify(next, true).await.expect("has the lease");
    for one in [one, two] {
        assert_eq!(proposal_state(&judge, &one).await, (ProposalState::Accepted, false, String::new()));
    }
}

#[tokio::test]
async fn many_added_tests_are_one_verification() {
    let judge = Judge::with_problem().await;
    let sol = judge.actor("sol", Role::Setter).await;
    let tests =
        (0..4).map(|n| NewTest { name: format!("n{n}"), input: format!("{n} 1\n").into_bytes().into(), sample: false });
    let ids = judge.service.add_test_cases(&sol, "sums", tests.collect(), T0).await.expect("reads").expect("are taken");
    for (at, id) in ids.iter().enumerate() {
        let job = judge.claim(T0).await.expect("a job");
        assert_eq!(job.work, Work::Propose(*id), "no verification in between");
        if at == 3 {
            // The last is refused: the others go on without it.
            let mut tx = judge.store.begin_write().await.expect("begins");
            proposal::refuse_proposal(&mut tx, job.lease, "bad", None, T0).await.expect("has the lease");
            tx.commit().await.expect("commits");
        } else {
            accept(&judge, job).await;
        }
    }
    judge.verify_next().await;
    assert_eq!(judge.claim(T0).await, None);
    let page = problem::page(judge.store.read(), "sums").await.expect("reads").expect("is there");
    assert_eq!(page.tests, 6);
}

#[tokio::test]
async fn a_built_in_version_refuses_what_waits_with_a_sentence() {
    let judge = Judge::with_problem().await;
    let waiting = add(&judge, "more").await;
    let file = OfferedFile { path: "statement/problem.en.md".to_owned(), contents: b"another".to_vec() };
    judge.service.ensure_builtin(vec![("sums".parse().expect("a slug"), vec![file])], T0).await.expect("is taken");
    let jobs = [judge.claim(T0).await.expect("a job"), judge.claim(T0).await.expect("a job")];
    let prepare = jobs.into_iter().find(|job| matches!(job.work, Work::Prepare(_))).expect("is queued");
    judge.prepare(prepare, 2).await.expect("has the lease");
    let (state, _, reason) = proposal_state(&judge, &waiting).await;
    assert_eq!(state, ProposalState::Refused);
    assert!(reason.contains("make this change again"), "{reason}");
    // What is verified now is what is in force.
    judge.verify_next().await;
    assert_eq!(judge.claim(T0).await, None);
}

#[derive(Debug, Clone)]
enum Step {
    Move,
    Verify(bool),
    GiveUp,
}

/// What should be: the versions that wait, bottom first; the one in force; the refused ones.
#[derive(Debug, Default, PartialEq, Eq)]
struct Model {
    waiting: Vec<u64>,
    in_force: u64,
    refused: Vec<u64>,
    newest: u64,
}

async fn seen(judge: &Judge) -> Model {
    let problem = sums(judge).await;
    let mut sets = touchstone::store::test_case::sets(judge.store.read(), problem.id).await.expect("reads");
    sets.reverse();
    let versions = |which: &dyn Fn(&touchstone::store::test_case::TestSet) -> bool| -> Vec<u64> {
        sets.iter().filter(|set| which(set)).map(|set| set.version).collect()
    };
    Model {
        waiting: versions(&|set| set.waits),
        in_force: versions(&|set| Some(set.id) == problem.test_set_id)[0],
        refused: versions(&|set| set.refused.is_some()),
        newest: versions(&|_| true).last().copied().unwrap_or_default(),
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => Just(Step::Move),
        2 => Just(Step::Verify(true)),
        3 => Just(Step::Verify(false)),
        1 => Just(Step::GiveUp)
    ];
    proptest::collection::vec(step, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn versions_wait_on_each_other_like_a_stack(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let judge = Judge::with_problem().await;
            let root = judge.actor("root", Role::Admin).await;
            let mut model = Model { in_force: 1, newest: 1, ..Model::default() };
            for step in steps {
                match step {
                    Step::Move => {
                        let top = model.waiting.last().copied().unwrap_or(model.in_force);
                        let set = test_case_at(&judge, top).await;
                        let last = set.last().expect("a test").name.clone();
                        // Who looks at anything but the top is told which it is.
                        if top > 1 {
                            let late = judge.service.change_test(&root, "sums", (&last, top - 1), TestChange::Move(1), "", T0);
                            let told = matches!(late.await, Err(ChangeTestsError::Changed { newest, .. }) if newest == top);
                            prop_assert!(told);
                        }
                        let change = judge.service.change_test(&root, "sums", (&last, top), TestChange::Move(1), "", T0);
                        change.await.expect("is moved");
                        model.newest += 1;
                        model.waiting.push(model.newest);
                    }
                    Step::Verify(holds) => {
                        let job = judge.claim(T0).await;
                        prop_assert_eq!(job.is_some(), !model.waiting.is_empty(), "just the top is verified");
                        let Some(job) = job else { continue };
                        judge.verify(job, holds).await.expect("has the lease");
                        let top = model.waiting.pop().expect("one waits");
                        if holds {
                            model.in_force = top;
                            model.waiting.clear();
                        } else {
                            model.refused.push(top);
                        }
                    }
                    Step::GiveUp => {
                        let Some(top) = model.waiting.last().copied() else { continue };
                        for attempt in 1..=i64::from(job::MAX_ATTEMPTS) {
                            let now = T0.plus_ms(attempt * 10_000);
                            let job = judge.claim(now).await.expect("a job");
                            let mut tx = judge.store.begin_write().await.expect("begins");
                            job::fail_attempt(&mut tx, job.lease, "the disk is full", now).await.expect("has the lease");
                            tx.commit().await.expect("commits");
                        }
                        model.waiting.pop();
                        model.refused.push(top);
                    }
                }
                model.refused.sort_unstable();
                prop_assert_eq!(&seen(&judge).await, &model);
            }
            Ok(())
        })?;
    }
}

async fn test_case_at(judge: &Judge, version: u64) -> Vec<touchstone::store::test_case::TestCase> {
    let problem = sums(judge).await;
    let sets = touchstone::store::test_case::sets(judge.store.read(), problem.id).await.expect("reads");
    let set = sets.iter().find(|set| set.version == version).expect("is there");
    touchstone::store::test_case::list(judge.store.read(), set.id).await.expect("reads")
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
    let sol = judge.actor("sol", Role::Setter).await;
    judge.service.verify_again(&sol, "sums", T0).await.expect("is queued");
    let job = judge.claim(T0).await.expect("a job");
    let Work::Verify(id) = job.work else { panic!("{job:?}") };
    let mut tx = judge.store.begin_write().await.expect("begins");
    let step = verification::Step { part: "judging programs", done: 1, total: 4 };
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
    assert_ne!(sums(&judge).await.package_id, Some(package), "its tests may lack the one that was added");
    let verify = judge.claim(T0).await.expect("a job");
    assert!(matches!(verify.work, Work::Verify(_)), "nothing is prepared before that is decided: {verify:?}");
    judge.verify(verify, true).await.expect("has the lease");
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

async fn there(judge: &Judge, contents: &[u8]) -> bool {
    blob::size(judge.store.read(), Sha256::of(contents)).await.expect("reads").is_some()
}

#[tokio::test]
async fn contents_that_nothing_names_go_after_an_hour_and_no_others() {
    let judge = Judge::with_problem().await;
    let sweep = async |seconds| judge.service.sweep_blobs(crate::fixture::at(seconds)).await.expect("sweeps");
    // An interrupted import leaves a small blob, and parts of a large one without its row.
    let large: Vec<u8> = (0..PART_BYTES * 2).map(|at| u8::try_from(at % 251).unwrap_or(0)).collect();
    let mut tx = judge.store.begin_write().await.expect("begins");
    for contents in [&b"left behind"[..], b"named in time", b"written again", b"only in metadata"] {
        blob::insert(&mut tx, &blob::Blob::new(contents.to_vec())).await.expect("inserts");
    }
    let named = format!("{{\"rules\":{{\"contents\":{{\"a.py\":\"{}\"}}}}}}", Sha256::of(b"only in metadata"));
    let set = sqlx::query_as::<_, (i64,)>("update package set metadata = ? returning id").bind(named);
    set.fetch_all(&mut *tx).await.expect("writes");
    tx.commit().await.expect("commits");
    let digest = Sha256::of(&large);
    let whole = Box::new(std::io::Cursor::new(large));
    blob::store(&judge.store, digest, PART_BYTES as u64 * 2, whole).await.expect("is stored");
    let mut tx = judge.store.begin_write().await.expect("begins");
    let gone = sqlx::query_as::<_, (i64,)>("delete from blob where sha256 = ? returning bytes").bind(digest);
    gone.fetch_all(&mut *tx).await.expect("deletes");
    tx.commit().await.expect("commits");

    assert_eq!(sweep(0).await, 0);
    assert_eq!(sweep(3_599).await, 0, "whoever writes it has an hour to name it");
    let file = OfferedFile { path: "a.txt".to_owned(), contents: b"named in time".to_vec() };
    judge.service.offer_package(None, &"named".parse().expect("a slug"), vec![file], T0).await.expect("is taken");
    let mut tx = judge.store.begin_write().await.expect("begins");
    blob::insert(&mut tx, &blob::Blob::new(b"written again".to_vec())).await.expect("inserts");
    tx.commit().await.expect("commits");
    assert_eq!(sweep(3_600).await, 2, "the small one and the parts");
    assert!(!there(&judge, b"left behind").await);
    for kept in [&b"named in time"[..], b"written again", b"only in metadata", b"42\n", b"sums 02\n"] {
        assert!(there(&judge, kept).await, "{}", String::from_utf8_lossy(kept));
    }
    let parts: (i64,) =
        sqlx::query_as("select count(*) from blob_part").fetch_one(judge.store.read()).await.expect("reads");
    assert_eq!(parts.0, 0);
    assert_eq!(sweep(7_300).await, 1, "what was written again and not named either");
}
