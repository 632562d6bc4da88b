//! What is taken, and who sees what of it.

use touchstone::domain::account::Role;
use touchstone::domain::source::SourceFile;
use touchstone::domain::verdict::Verdict;
use touchstone::service::submissions::{NewSubmission, RATE, RATE_WINDOW_MS, Repeat, SubmitError};
use touchstone::store::submission::SubmissionFilter;

use crate::fixture::{Judge, T0, at, program};

#[tokio::test]
async fn the_same_key_hands_in_once() {
    let judge = Judge::with_problem().await;
    let (ann, bob) = (judge.contestant("ann").await, judge.contestant("bob").await);
    let keyed = || NewSubmission { repeat: Repeat::Key("form 7".to_owned()), ..program("sums") };
    let first = judge.service.submit(&ann, keyed(), T0).await.expect("is taken");
    let second = judge.service.submit(&ann, keyed(), at(1)).await.expect("is known");
    assert_eq!(first, second);
    let other = judge.service.submit(&bob, keyed(), T0).await.expect("is taken");
    assert_ne!(first, other, "keys are each account's own");
    let rows = judge.service.submissions(None, &SubmissionFilter::default(), 10).await.expect("reads");
    assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), [other, first]);
    // The browser's Back brings the key back with the form; what is edited then must not be thrown away.
    let source = SourceFile::text("a.py", b"print(43)\n".to_vec()).expect("a source");
    let edited = NewSubmission { files: vec![source], ..keyed() };
    let third = judge.service.submit(&ann, edited, at(2)).await.expect("is taken");
    assert!(third != first && third != other);
}

#[tokio::test]
async fn too_many_in_a_minute_are_refused() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    for _ in 0..RATE {
        judge.submit(&ann, T0).await;
    }
    let refused = judge.service.submit(&ann, program("sums"), at(1)).await;
    assert!(matches!(refused, Err(SubmitError::TooFast { .. })));
    judge.service.submit(&ann, program("sums"), T0.plus_ms(RATE_WINDOW_MS)).await.expect("is taken a minute later");
}

#[tokio::test]
async fn what_cannot_be_judged_is_refused_with_a_sentence() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    let refused = async |new: NewSubmission| match judge.service.submit(&ann, new, T0).await {
        Ok(id) => panic!("{id} was taken"),
        Err(error) => error.to_string(),
    };
    assert_eq!(refused(program("nosuch")).await, "the contest has no problem `nosuch`");
    let elsewhere = NewSubmission { contest: Some("nosuch".to_owned()), ..program("sums") };
    assert_eq!(refused(elsewhere).await, "there is no contest `nosuch`");
    let nothing = NewSubmission { files: Vec::new(), ..program("sums") };
    assert_eq!(refused(nothing).await, "a submission needs at least one file");
    let mut twice = program("sums");
    twice.files.push(twice.files[0].clone());
    assert_eq!(refused(twice).await, "two files are named a.py");
    let root = judge.actor("root", Role::Admin).await;
    judge.service.set_withdrawn(&root, "sums", true, T0).await.expect("withdraws");
    assert_eq!(refused(program("sums")).await, "the problem `sums` takes no submissions now");
    let rows = judge.service.submissions(None, &SubmissionFilter::default(), 10).await.expect("reads");
    assert!(rows.is_empty(), "nothing was written");
}

#[tokio::test]
async fn sources_and_secret_tests_stay_with_those_who_may_see_them() {
    let judge = Judge::with_problem().await;
    let (ann, bob) = (judge.contestant("ann").await, judge.contestant("bob").await);
    let (sol, head) = (judge.actor("sol", Role::Setter).await, judge.actor("head", Role::Judge).await);
    let id = judge.submit(&ann, T0).await;
    let job = judge.claim(T0).await.expect("a job");
    judge.record(job, 1, Verdict::Accepted, T0).await.expect("has the lease");
    judge.record(job, 2, Verdict::WrongAnswer, T0).await.expect("has the lease");
    judge.finish(job, Verdict::WrongAnswer, T0).await.expect("has the lease");

    let own = judge.service.submission(Some(&ann), id).await.expect("reads").expect("is there");
    assert_eq!((own.files.map(|files| files.len()), own.runs.len(), own.may_rejudge), (Some(1), 2, false));
    assert_eq!(own.runs[0].judge_message.as_deref(), Some("expected 42"), "the sample is public");
    assert_eq!((own.runs[1].judge_message.as_deref(), own.runs[1].test_name.as_str()), (None, ""));
    assert_eq!(own.runs[1].message.as_deref(), Some("exit code 0"));

    for other in [Some(&bob), Some(&sol), None] {
        let page = judge.service.submission(other, id).await.expect("reads").expect("is there");
        assert_eq!(page.row.verdict, Some(Verdict::WrongAnswer));
        assert!(page.files.is_none() && page.judgement.is_none() && page.runs.is_empty() && page.history.is_empty());
        assert_eq!(judge.service.source(other, id, "a.py").await.expect("reads"), None);
    }
    let all = judge.service.submission(Some(&head), id).await.expect("reads").expect("is there");
    assert_eq!(all.runs[1].judge_message.as_deref(), Some("expected 42"));
    let source = judge.service.source(Some(&head), id, "a.py").await.expect("reads");
    assert_eq!(source.as_deref(), Some(b"print(42)\n".as_slice()));
}

#[tokio::test]
async fn lists_are_cut_by_filter_and_page() {
    let judge = Judge::with_problem().await;
    judge.publish("curling", 1).await;
    let (ann, bob) = (judge.contestant("ann").await, judge.contestant("bob").await);
    let first = judge.submit(&ann, T0).await;
    judge.judge_next(Verdict::Accepted, T0).await;
    let second = judge.submit(&bob, T0).await;
    let third = judge.service.submit(&ann, program("curling"), T0).await.expect("is taken");
    let list = async |filter: SubmissionFilter| -> Vec<_> {
        let rows = judge.service.submissions(Some(&ann), &filter, 2).await.expect("reads");
        rows.iter().map(|row| row.id).collect()
    };
    assert_eq!(list(SubmissionFilter::default()).await, [third, second]);
    assert_eq!(list(SubmissionFilter { before: Some(second), ..SubmissionFilter::default() }).await, [first]);
    assert_eq!(list(SubmissionFilter { team: ann.team_id, ..SubmissionFilter::default() }).await, [third, first]);
    let accepted = SubmissionFilter { verdict: Some(Verdict::Accepted), ..SubmissionFilter::default() };
    assert_eq!(list(accepted).await, [first]);
    let sums = touchstone::store::problem::by_slug(judge.store.read(), "sums").await.expect("reads").expect("is there");
    assert_eq!(list(SubmissionFilter { problem: Some(sums.id), ..SubmissionFilter::default() }).await, [second, first]);
}
