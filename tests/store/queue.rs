//! Who is served next.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::{Strategy, prop_oneof};
use proptest::test_runner::{Config, TestRunner};
use touchstone::domain::account::Role;
use touchstone::domain::ids::{AccountId, JobId};
use touchstone::domain::source::SourceFile;
use touchstone::domain::verdict::Verdict;
use touchstone::service::contests::{Seen, WantedProblem};
use touchstone::service::rejudge::Selection;
use touchstone::service::submissions::NewSubmission;
use touchstone::service::trials::TryProgram;
use touchstone::store::contest::{Access, FailedTests, PointsFrom, Scoring};
use touchstone::store::contest_setting::Settings;
use touchstone::store::job::{self, LEASE_MS, Work};
use touchstone::store::takeover::{FREE_INTERRUPTIONS, LONGEST_HOLD_MS, MAX_INTERRUPTIONS};
use touchstone::store::{judgement, metrics};

use crate::fixture::{Judge, T0, at, program};

/// Lets the problem stand in a contest that runs for an hour.
async fn contest(judge: &Judge) {
    let settings = Settings {
        name: "Cup".to_owned(),
        start: T0,
        duration_ms: Some(3_600_000),
        freeze_ms: None,
        penalty_minutes: 20,
        scoring: Scoring::PassFail,
        points_from: PointsFrom::Submissions,
        failed_tests: FailedTests::Number,
        access: Access::Open,
        languages: None,
        practice_after: false,
        equal_toolchains: false,
    };
    judge.service.create_contest(None, &"cup".parse().expect("a slug"), &settings, T0).await.expect("is made");
    let sums = WantedProblem { slug: "sums".to_owned(), label: "A".to_owned(), rgb: String::new() };
    let cup = Seen { slug: "cup", version: None };
    judge.service.set_contest_problems(None, cup, &[sums], T0).await.expect("is set");
}

fn tried() -> TryProgram {
    let NewSubmission { contest, problem, language, .. } = program("sums");
    let file = SourceFile::text("a.py", b"print(1)\n".to_vec()).expect("a source");
    TryProgram { contest, problem, language, file, input: None }
}

#[tokio::test]
async fn contest_goes_before_a_package_before_practice_before_a_trial_before_a_rejudge_before_a_check() {
    let judge = Judge::with_problem().await;
    contest(&judge).await;
    let ann = judge.contestant("ann").await;
    let old = judge.submit(&ann, T0).await;
    judge.judge_next(Verdict::Accepted, T0).await;
    let setter = judge.actor("setter", Role::Setter).await;
    // Each is queued before all that go before it.
    judge.service.verify_again(&setter, "sums", T0).await.expect("is queued");
    judge.service.begin_rejudging(None, &Selection::submission(old), "", T0).await.expect("begins");
    judge.service.try_program(&ann, tried(), T0).await.expect("is taken");
    let practice = judge.submit(&ann, T0).await;
    judge.offer("products", "products").await;
    let in_contest = NewSubmission { contest: Some("cup".to_owned()), ..program("sums") };
    let counts = judge.service.submit(&ann, in_contest, at(1)).await.expect("is taken");
    let mut order = Vec::new();
    while let Some(job) = judge.claim(at(2)).await {
        order.push(match job.work {
            Work::Judge(id) => {
                let of = judgement::task(&judge.store, id).await.expect("reads").submission_id;
                let names = [(counts, "contest"), (practice, "practice"), (old, "rejudge")];
                names.iter().find(|(id, _)| *id == of).expect("one of these").1
            }
            Work::Prepare(_) => "package",
            Work::Trial(_) => "trial",
            Work::Verify(_) => "check",
            Work::Propose(_) => "proposal",
            Work::Counterexample(_) => "counterexample",
        });
    }
    assert_eq!(order, ["contest", "package", "practice", "trial", "rejudge", "check"]);
}

#[tokio::test]
async fn fifty_submissions_of_one_delay_anothers_first_by_no_more_than_what_runs() {
    let judge = Judge::with_problem().await;
    let (ann, bob) = (judge.contestant("ann").await, judge.contestant("bob").await);
    for number in 0..50 {
        // A minute holds no more than the rate.
        judge.submit(&ann, at(number * 4)).await;
    }
    let now = at(300);
    let runs = judge.claim(now).await.expect("a job");
    let first = judge.submit(&bob, now).await;
    let next = judge.claim(now).await.expect("a job");
    let Work::Judge(id) = next.work else { panic!("{next:?}") };
    assert_eq!(judgement::task(&judge.store, id).await.expect("reads").submission_id, first);
    judge.finish(runs, Verdict::Accepted, now).await.expect("has the lease");
    judge.finish(next, Verdict::Accepted, now).await.expect("has the lease");
    // Somebody who was served long ago goes before somebody who was served just now, however many wait.
    let second = judge.submit(&bob, now).await;
    judge.judge_next(Verdict::Accepted, now).await;
    judge.judge_next(Verdict::Accepted, now).await;
    assert_eq!(judge.verdict(second).await, Some(Verdict::Accepted));
}

#[tokio::test]
async fn a_long_rejudge_from_the_command_line_does_not_hold_up_a_persons() {
    let judge = Judge::with_problem().await;
    let (ann, head) = (judge.contestant("ann").await, judge.actor("head", Role::Judge).await);
    let mut ids = Vec::new();
    for _ in 0..6 {
        ids.push(judge.submit(&ann, T0).await);
        judge.judge_next(Verdict::Accepted, T0).await;
    }
    let own = ids.pop().expect("six");
    for id in ids {
        judge.service.begin_rejudging(None, &Selection::submission(id), "", T0).await.expect("begins");
    }
    judge.service.begin_rejudging(Some(&head), &Selection::submission(own), "", T0).await.expect("begins");
    let next = judge.claim(at(1)).await.expect("a job");
    let Work::Judge(id) = next.work else { panic!("{next:?}") };
    assert_eq!(judgement::task(&judge.store, id).await.expect("reads").submission_id, own);
}

#[derive(Debug, Clone, Copy)]
enum Step {
    /// Somebody queues a job of a priority.
    Queue(usize, i64),
    /// A worker takes the next one.
    Claim,
    /// What follows is written in another transaction.
    Commit,
}

/// The rule once more, as plainly as it can be written.
#[derive(Default)]
struct Rule {
    /// Priority, owner, number.
    waiting: Vec<(i64, Option<AccountId>, JobId)>,
    /// Whose turn it was, oldest first.
    turns: BTreeMap<AccountId, usize>,
    claims: usize,
}

impl Rule {
    fn next(&mut self) -> Option<JobId> {
        let served = |owner: &Option<AccountId>| owner.map_or(0, |owner| self.turns.get(&owner).copied().unwrap_or(0));
        let key =
            |(priority, owner, id): &(i64, Option<AccountId>, JobId)| (*priority, owner.is_none(), served(owner), *id);
        let at = (0..self.waiting.len()).min_by_key(|at| key(&self.waiting[*at]))?;
        let (_, owner, id) = self.waiting.remove(at);
        self.claims += 1;
        if let Some(owner) = owner {
            self.turns.insert(owner, self.claims);
        }
        Some(id)
    }
}

#[test]
fn any_queue_is_served_by_priority_then_turn_then_age() {
    let step = prop_oneof![
        3 => (0..4_usize, 0..3_i64).prop_map(|(who, priority)| Step::Queue(who, priority * 10)),
        3 => proptest::strategy::Just(Step::Claim),
        1 => proptest::strategy::Just(Step::Commit),
    ];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let config = Config { cases: 24, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&proptest::collection::vec(step, 1..60), |steps| {
            runtime.block_on(serves_by_the_rule(&steps));
            Ok(())
        })
        .expect("the rule holds");
}

async fn serves_by_the_rule(steps: &[Step]) {
    let judge = Judge::empty().await;
    let package = judge.offer("sums", "sums").await;
    let offered = judge.claim(T0).await.expect("the package's own job");
    let mut people = vec![None];
    for name in ["ann", "bob", "eve"] {
        people.push(Some(judge.contestant(name).await.account_id));
    }
    let mut rule = Rule::default();
    let rest = std::iter::repeat_n(&Step::Claim, steps.len());
    let mut tx = judge.store.begin_write().await.expect("begins");
    for step in steps.iter().chain(rest) {
        match *step {
            Step::Queue(who, priority) => {
                let id = job::queue(&mut tx, Work::Prepare(package), priority, people[who], T0).await.expect("queues");
                rule.waiting.push((priority, people[who], id));
            }
            Step::Commit => {
                tx.commit().await.expect("commits");
                tx = judge.store.begin_write().await.expect("begins");
            }
            Step::Claim => {
                let claimed = job::claim(&mut tx, "worker", T0).await.expect("claims").map(|job| job.lease.job);
                assert_ne!(claimed, Some(offered.lease.job));
                assert_eq!(claimed, rule.next(), "{steps:?}");
            }
        }
    }
    assert!(rule.waiting.is_empty());
}

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
        let task = judgement::task(&judge.store, id).await.expect("reads");
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
    let length = metrics::queue_length(judge.store.read()).await.expect("reads");
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
    // Whoever ends the server, the job is held back longer each time. A clock that is only a little off changes nothing.
    let (mut now, begun) = (at(1), at(1));
    for round in 1..MAX_INTERRUPTIONS {
        let job = loop {
            match judge.claim(now).await {
                Some(job) => break job,
                None => now = now.plus_ms(500),
            }
        };
        assert_eq!(job.attempt, 1, "an interruption is no failed attempt (round {round})");
        if round <= FREE_INTERRUPTIONS + 1 {
            assert_eq!(now, begun, "no lease has to end first, and a few times are nothing");
        }
        if let Some(old) = last.replace(job) {
            assert!(judge.finish(old, Verdict::WrongAnswer, now).await.is_err(), "the old claim is fenced off");
        }
        assert_eq!(judge.service.take_back_claims(now).await.expect("writes"), 1);
        assert_eq!(judge.verdict(id).await, None);
    }
    assert!(now.since(begun) > 3_600_000, "it was there for more than an hour: {} ms", now.since(begun));
    // Whatever ends the whole server each time must not do so for ever.
    now = now.plus_ms(LONGEST_HOLD_MS);
    judge.claim(now).await.expect("a job");
    assert_eq!(judge.service.take_back_claims(now).await.expect("writes"), 1);
    assert_eq!(judge.verdict(id).await, Some(Verdict::JudgingError));
    assert_eq!(judge.claim(now).await, None);
    assert_eq!(judge.service.take_back_claims(now).await.expect("writes"), 0);
}

/// A storm of restarts, as when the machine is short of memory: the first job isn't hit each time, and nobody's program
/// is answered with a fault of the judge.
#[tokio::test]
async fn a_server_that_ends_every_second_gives_nothing_up() {
    let judge = Judge::with_problem().await;
    let mut people = Vec::new();
    for name in ["ann", "bob", "cid"] {
        let person = judge.contestant(name).await;
        people.push(judge.submit(&person, T0).await);
    }
    let mut hit = std::collections::BTreeSet::new();
    for second in 0..3 * MAX_INTERRUPTIONS {
        for _ in 0..2 {
            hit.extend(judge.claim(at(second)).await.map(|job| job.lease.job));
        }
        judge.service.take_back_claims(at(second)).await.expect("writes");
    }
    assert_eq!(hit.len(), people.len(), "each had its turn");
    let calm = at(3 * MAX_INTERRUPTIONS).plus_ms(LONGEST_HOLD_MS);
    for id in people {
        assert_eq!(judge.verdict(id).await, None);
        let job = judge.claim(calm).await.expect("it is due");
        judge.finish(job, Verdict::Accepted, calm).await.expect("has the lease");
    }
}

#[tokio::test]
async fn a_job_that_is_held_back_is_due_when_the_clock_was_set_back() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    judge.submit(&ann, at(3600)).await;
    for _ in 0..FREE_INTERRUPTIONS + 5 {
        judge.claim(at(3600)).await;
        judge.service.take_back_claims(at(3600)).await.expect("writes");
    }
    assert_eq!(judge.claim(at(3600)).await, None, "it is held back");
    assert!(judge.claim(at(1)).await.is_some(), "nothing is held back for an hour");
}
