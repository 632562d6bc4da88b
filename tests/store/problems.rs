//! Packages become problems; inputs become tests.

use touchstone::domain::account::Role;
use touchstone::domain::hash::Sha256;
use touchstone::domain::verdict::Verdict;
use touchstone::service::problem_list::Progress;
use touchstone::service::problems::{Offer, OfferedFile, ProblemError};
use touchstone::service::test_cases::{AddTestError, NewTest};
use touchstone::store::blob::{self, Blob};
use touchstone::store::job::{JobError, Work};
use touchstone::store::problem::{self, ProblemState};
use touchstone::store::proposal::{self, Answer, ProposalState};
use touchstone::store::test_case::{self, TestOrigin};
use touchstone::store::{contest, preparation};

use crate::fixture::{Judge, T0};

fn input(name: &str, text: &str) -> NewTest {
    NewTest { name: name.to_owned(), input: text.as_bytes().to_vec().into(), sample: false }
}

/// Answers a claimed proposal with this package's references.
async fn accept(judge: &Judge, job: touchstone::store::job::ClaimedJob) -> Result<(), JobError> {
    let Work::Propose(id) = job.work else { panic!("{job:?}") };
    let task = proposal::task(judge.store.read(), id).await.expect("reads");
    answer(judge, job, task.package_id).await
}

async fn answer(
    judge: &Judge,
    job: touchstone::store::job::ClaimedJob,
    package_id: touchstone::domain::ids::PackageId,
) -> Result<(), JobError> {
    let answer = Blob::new(b"43\n".to_vec());
    let mut tx = judge.store.begin_write().await.expect("begins");
    blob::insert(&mut tx, &answer).await.expect("inserts");
    let (sha256, bytes) = (answer.sha256(), answer.bytes());
    let answer = Answer { package_id, sha256, bytes, config: "{}".to_owned(), made: None };
    proposal::accept_proposal(&mut tx, job.lease, answer, T0).await?;
    tx.commit().await.expect("commits");
    Ok(())
}

#[tokio::test]
async fn a_prepared_package_is_published_in_practice() {
    let judge = Judge::empty().await;
    judge.service.ensure_builtin(Vec::new(), T0).await.expect("makes the practice contest");
    judge.publish("sums", 3).await;
    judge.publish("curling", 2).await;
    let practice = contest::by_slug(judge.store.read(), "practice").await.expect("reads").expect("is there");
    let problems = contest::problems(judge.store.read(), practice.id).await.expect("reads");
    let places: Vec<_> = problems.iter().map(|one| (one.label.as_str(), one.slug.as_str())).collect();
    assert_eq!(places, [("A", "sums"), ("B", "curling")]);

    let page = problem::page(judge.store.read(), "sums").await.expect("reads").expect("is there");
    assert_eq!(
        (page.state, page.tests, page.names.in_language("zh")),
        (ProblemState::Published, 3, Some("Problem sums"))
    );
    assert_eq!((page.statements.len(), page.limits.cpu_ms), (1, 1_000));
    let samples = test_case::samples(judge.store.read(), page.test_set_id).await.expect("reads");
    assert_eq!((samples.len(), samples[0].answer.as_slice()), (1, b"42\n".as_slice()));

    let ann = judge.contestant("ann").await;
    judge.submit(&ann, T0).await;
    judge.judge_next(Verdict::Accepted, T0).await;
    let list = judge.service.problem_list("practice", Some(&ann), T0).await.expect("reads").expect("is there");
    let lines: Vec<_> =
        list.iter().map(|row| (row.problem.slug.as_str(), row.teams_tried, row.teams_solved, row.progress)).collect();
    assert_eq!(lines, [("sums", 1, 1, Progress::Solved), ("curling", 0, 0, Progress::Untried)]);
    let overview = problem::overview(judge.store.read()).await.expect("reads");
    assert_eq!(overview.iter().map(|row| row.tests).collect::<Vec<_>>(), [2, 3]);
}

#[tokio::test]
async fn the_same_package_is_prepared_once_and_a_refused_one_again() {
    let judge = Judge::empty().await;
    let package = judge.offer("sums", "one").await;
    assert_eq!(judge.offer("sums", "one").await, package);
    let job = judge.claim(T0).await.expect("a job");
    let mut tx = judge.store.begin_write().await.expect("begins");
    preparation::refuse_preparation(&mut tx, job.lease, "gcc is missing", T0).await.expect("has the lease");
    tx.commit().await.expect("commits");
    let overview = problem::overview(judge.store.read()).await.expect("reads");
    assert_eq!(
        (overview[0].state, overview[0].newest_message.as_deref()),
        (ProblemState::Refused, Some("gcc is missing"))
    );
    assert_eq!(judge.claim(T0).await, None);

    assert_eq!(judge.offer("sums", "one").await, package, "it is tried again");
    let job = judge.claim(T0).await.expect("a job");
    judge.prepare(job, 1).await.expect("has the lease");
    judge.verify_next().await;
    let sums = problem::by_slug(judge.store.read(), "sums").await.expect("reads").expect("is there");
    assert_eq!(sums.state, ProblemState::Published);
    assert_eq!(judge.offer("sums", "one").await, package);
    assert_eq!(judge.claim(T0).await, None);
}

#[tokio::test]
async fn a_refused_new_version_leaves_the_old_in_force() {
    let judge = Judge::with_problem().await;
    judge.offer("sums", "two").await;
    let job = judge.claim(T0).await.expect("a job");
    let mut tx = judge.store.begin_write().await.expect("begins");
    preparation::refuse_preparation(&mut tx, job.lease, "references disagree", T0).await.expect("has the lease");
    tx.commit().await.expect("commits");
    let page = problem::page(judge.store.read(), "sums").await.expect("reads").expect("is there");
    assert_eq!((page.state, page.tests), (ProblemState::Published, 3));
}

#[tokio::test]
async fn bad_packages_are_refused_with_a_sentence() {
    let judge = Judge::empty().await;
    let slug = "sums".parse().expect("a slug");
    let file = |path: &str| OfferedFile { path: path.to_owned(), contents: b"x".to_vec() };
    for bad in [vec![], vec![file("a"), file("a")], vec![file("../a")], vec![file("/a")], vec![file("a\\b")]] {
        assert!(judge.service.offer_package(None, &slug, bad, T0).await.is_err());
    }
    let ann = judge.contestant("ann").await;
    let offered = judge.service.offer_package(Some(&ann), &slug, vec![file("a")], T0).await;
    assert!(matches!(offered, Err(ProblemError::Forbidden(_))));
    let sol = judge.actor("sol", Role::Setter).await;
    let offered = judge.service.offer_package(Some(&sol), &slug, vec![file("a")], T0).await;
    assert!(matches!(offered, Ok(Offer::Queued(_))));
}

#[tokio::test]
async fn a_test_is_added_by_its_input_alone() {
    let judge = Judge::with_problem().await;
    let (ann, sol) = (judge.contestant("ann").await, judge.actor("sol", Role::Setter).await);
    let service = &judge.service;
    let refused = service.add_test_case(&ann, "sums", input("x", "1 2\n"), T0).await;
    assert!(matches!(refused, Err(AddTestError::Forbidden(_))));
    let id = service.add_test_case(&sol, "sums", input("big", "1 2\n"), T0).await.expect("is taken");
    let twice = service.add_test_case(&sol, "sums", input("big", "3 4\n"), T0).await;
    assert!(matches!(twice, Err(AddTestError::NameTaken(_))));
    let same = service.add_test_case(&sol, "sums", input("same", "sums 02\n"), T0).await;
    assert!(matches!(same, Err(AddTestError::SameInput(name)) if name == "02"));

    let job = judge.claim(T0).await.expect("a job");
    assert_eq!(job.work, Work::Propose(id));
    accept(&judge, job).await.expect("has the lease");
    let waiting = service.proposal(&sol, id).await.expect("reads").expect("is there");
    assert_eq!((waiting.state, waiting.waits), (ProposalState::Accepted, true));
    let page = problem::page(judge.store.read(), "sums").await.expect("reads").expect("is there");
    assert_eq!(page.tests, 3, "it does not count yet");
    judge.verify_next().await;
    let accepted = service.proposal(&sol, id).await.expect("reads").expect("is there");
    assert_eq!((accepted.state, accepted.waits, accepted.created_by.as_str()), (ProposalState::Accepted, false, "sol"));
    let page = problem::page(judge.store.read(), "sums").await.expect("reads").expect("is there");
    assert_eq!((page.tests, Some(page.test_set_id)), (4, accepted.test_set_id));
    let tests = test_case::list(judge.store.read(), page.test_set_id).await.expect("reads");
    assert_eq!((tests[3].name.as_str(), tests[3].origin), ("big", TestOrigin::Added));
    assert_eq!(tests[3].answer_sha256, Sha256::of(b"43\n"));

    let secret = service.test_data(Some(&ann), tests[3].id).await.expect("reads");
    assert_eq!(secret, None);
    let seen = service.test_data(Some(&sol), tests[3].id).await.expect("reads").expect("a setter sees it");
    assert_eq!(seen.input, b"1 2\n");
    assert!(service.test_data(None, tests[0].id).await.expect("reads").is_some(), "samples are public");
}

#[tokio::test]
async fn a_refused_input_says_why() {
    let judge = Judge::with_problem().await;
    let sol = judge.actor("sol", Role::Setter).await;
    let id = judge.service.add_test_case(&sol, "sums", input("", "1 x\n"), T0).await.expect("is taken");
    let job = judge.claim(T0).await.expect("a job");
    let mut tx = judge.store.begin_write().await.expect("begins");
    proposal::refuse_proposal(&mut tx, job.lease, "line 1: expected a number", Some("a: 1\nb: 2"), T0)
        .await
        .expect("has the lease");
    tx.commit().await.expect("commits");
    let refused = &judge.service.proposals(&sol, "sums", 10).await.expect("reads")[0];
    assert_eq!((refused.id, refused.state), (id, ProposalState::Refused));
    assert_eq!(refused.message.as_deref(), Some("line 1: expected a number"));
    assert!(refused.name.starts_with("added-"));
    let page = problem::page(judge.store.read(), "sums").await.expect("reads").expect("is there");
    assert_eq!(page.tests, 3);
}

#[tokio::test]
async fn added_tests_stay_with_the_problem_in_its_next_version() {
    let judge = Judge::with_problem().await;
    let sol = judge.actor("sol", Role::Setter).await;
    judge.offer("sums", "two").await;
    let prepare = judge.claim(T0).await.expect("a job");
    judge.service.add_test_case(&sol, "sums", input("big", "1 2\n"), T0).await.expect("is taken");
    let propose = judge.claim(T0).await.expect("a job");
    let Work::Prepare(package) = prepare.work else { panic!("{prepare:?}") };
    let stranger = answer(&judge, propose, package).await;
    assert!(matches!(stranger, Err(JobError::Outdated)), "the new version's references are not in force yet");
    accept(&judge, propose).await.expect("has the lease");

    // The preparation's list, made before the test was accepted, is out of date; made again it has the test.
    judge.prepare(prepare, 2).await.expect("has the lease");
    // Whichever of the two is verified first: the test counts, and the version is prepared again.
    judge.verify_next().await;
    judge.verify_next().await;
    let page = problem::page(judge.store.read(), "sums").await.expect("reads").expect("is there");
    assert_eq!((page.package_id == package, page.tests), (false, 4));
    let prepare = judge.claim(T0).await.expect("a job");
    assert_eq!(prepare.work, Work::Prepare(package));
    judge.prepare(prepare, 2).await.expect("has the lease");
    judge.verify_next().await;
    let page = problem::page(judge.store.read(), "sums").await.expect("reads").expect("is there");
    let tests = test_case::list(judge.store.read(), page.test_set_id).await.expect("reads");
    assert_eq!(tests.iter().map(|test| test.name.as_str()).collect::<Vec<_>>(), ["01", "02", "big"]);
    assert_eq!(tests[2].answer_sha256, Sha256::of(b"42\n"), "answered anew");
}

#[tokio::test]
async fn a_preparation_that_misses_an_added_test_is_outdated() {
    let judge = Judge::with_problem().await;
    let sol = judge.actor("sol", Role::Setter).await;
    judge.service.add_test_case(&sol, "sums", input("big", "1 2\n"), T0).await.expect("is taken");
    let propose = judge.claim(T0).await.expect("a job");
    accept(&judge, propose).await.expect("has the lease");
    judge.verify_next().await;
    judge.offer("sums", "two").await;
    let prepare = judge.claim(T0).await.expect("a job");
    let mut tx = judge.store.begin_write().await.expect("begins");
    let without = preparation::Preparation {
        names: touchstone::store::Names::default(),
        languages: None,
        limits: crate::fixture::limits(),
        metadata: "{}".to_owned(),
        statements: Vec::new(),
        tests: Vec::new(),
        pictures: Vec::new(),
    };
    let outdated = preparation::finish_preparation(&mut tx, prepare.lease, &without, T0).await;
    assert!(matches!(outdated, Err(JobError::Outdated)));
}
