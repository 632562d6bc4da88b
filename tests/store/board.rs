//! The scoreboard follows the events, and the freeze holds wherever a result could be seen.

use touchstone::domain::account::Role;
use touchstone::domain::group_result::GroupResult;
use touchstone::domain::verdict::Verdict;
use touchstone::service::rejudge::Selection;
use touchstone::service::submissions::NewSubmission;
use touchstone::store::judging::Outcome;
use touchstone::store::submission::SubmissionFilter;
use touchstone::store::{GroupResults, judging};

use crate::fixture::{Judge, T0, at, program};

#[tokio::test]
async fn the_board_follows_submissions_verdicts_and_rejudges() {
    let judge = Judge::with_problem().await;
    let (ann, head) = (judge.contestant("ann").await, judge.actor("head", Role::Judge).await);
    let service = &judge.service;
    let board = async || service.board("practice", None, at(600)).await.expect("reads").expect("is there");
    let empty = board().await;
    assert_eq!((empty.problems.len(), empty.scoreboard.rows.len()), (1, 0));

    let id = judge.submit(&ann, at(60)).await;
    let pending = board().await;
    assert!(pending.version > empty.version);
    assert_eq!(pending.scoreboard.rows[0].cells[0].num_pending, 1);
    judge.judge_next(Verdict::Accepted, at(61)).await;
    let solved = board().await;
    let row = &solved.scoreboard.rows[0];
    assert_eq!((&*row.name, row.num_solved, row.total_time), ("ann", 1, 1));
    assert!(row.cells[0].first_to_solve);
    let again = board().await;
    assert_eq!(again.version, solved.version);
    assert!(std::sync::Arc::ptr_eq(&again.scoreboard, &solved.scoreboard), "drawn once per change");

    let begun = service.begin_rejudging(Some(&head), &Selection::submission(id), "a new test", at(70)).await;
    let begun = begun.expect("begins").id;
    assert_eq!(board().await.scoreboard.rows[0].num_solved, 1, "no verdict is lost meanwhile");
    judge.judge_next(Verdict::WrongAnswer, at(71)).await;
    assert_eq!(board().await.scoreboard.rows[0].num_solved, 1, "a preview touches no standings");
    service.apply_rejudging(Some(&head), begun, None, at(72)).await.expect("applies");
    assert_eq!(board().await.scoreboard.rows[0].num_solved, 0);

    judge.publish("curling", 1).await;
    assert_eq!(board().await.scoreboard.rows[0].cells.len(), 2, "a new problem makes a new column");
    assert!(service.board("nosuch", None, T0).await.expect("reads").is_none());
}

#[tokio::test]
async fn points_may_be_the_best_of_each_test_group() {
    let judge = Judge::with_problem().await;
    let (ann, head) = (judge.contestant("ann").await, judge.actor("head", Role::Judge).await);
    let mut tx = judge.store.begin_write().await.expect("begins");
    sqlx::raw_sql("update contest set scoring = 'score', points_from = 'groups'")
        .execute(&mut *tx)
        .await
        .expect("is set");
    tx.commit().await.expect("commits");
    let group = |name: &str, score: f64| GroupResult {
        name: name.to_owned(),
        verdict: Verdict::WrongAnswer,
        score: Some(score),
        most: None,
    };
    // Groups are named as judging names them: inner ones first, and the whole.
    let scored = |first: f64, second: f64| Outcome {
        score: Some(first + second),
        groups: Some(GroupResults(vec![
            group("sample", 0.0),
            group("secret/1/inner", first),
            group("secret/1", first),
            group("secret/2", second),
            group("secret", first + second),
            group("data", first + second),
        ])),
        ..Outcome::new(Verdict::WrongAnswer)
    };
    let judged = async |outcome: Outcome, now| {
        let job = judge.claim(now).await.expect("a job");
        let mut tx = judge.store.begin_write().await.expect("begins");
        judging::finish_judgement(&mut tx, job.lease, &outcome, now).await.expect("is taken");
        tx.commit().await.expect("commits");
    };
    let points = async || {
        let board = judge.service.board("practice", None, at(900)).await.expect("reads").expect("is there");
        board.scoreboard.rows[0].points
    };
    judge.submit(&ann, at(60)).await;
    judged(scored(30.0, 0.0), at(61)).await;
    assert_eq!(points().await, 30_000);
    let second = judge.submit(&ann, at(70)).await;
    judged(scored(10.0, 25.5), at(71)).await;
    assert_eq!(points().await, 55_500, "30 of the first, 25.5 of the second");

    // A product isn't parted: the whole submission counts.
    judge.submit(&ann, at(80)).await;
    judged(Outcome { score: Some(56.0), ..scored(7.0, 8.0) }, at(81)).await;
    assert_eq!(points().await, 56_000);

    let begun = judge.service.begin_rejudging(Some(&head), &Selection::submission(second), "a new test", at(90)).await;
    let begun = begun.expect("begins").id;
    judged(scored(0.0, 35.5), at(91)).await;
    let preview = judge.service.rejudging(Some(&head), begun).await.expect("reads");
    assert_eq!(preview.boards[0].moved[0].after.map(|after| after.points), Some(65_500), "equal sums, other groups");
    judge.service.apply_rejudging(Some(&head), begun, None, at(92)).await.expect("applies");
    assert_eq!(points().await, 65_500);
}

#[tokio::test]
async fn nothing_after_the_freeze_shows() {
    let judge = Judge::with_problem().await;
    let (ann, bob, head) =
        (judge.contestant("ann").await, judge.contestant("bob").await, judge.actor("head", Role::Judge).await);
    let mut tx = judge.store.begin_write().await.expect("begins");
    sqlx::raw_sql(
        "insert into contest (slug, name, start_ms, duration_ms, freeze_ms, penalty_minutes, scoring, created_ms)
            values ('cup', 'Cup', 1800000000000, 600000, 300000, 20, 'pass-fail', 0);
        insert into contest_problem select id, (select id from problem), 1, 'A', '#e6194b' from contest where slug = 'cup';",
    )
    .execute(&mut *tx)
    .await
    .expect("a contest of ten minutes, frozen after five");
    tx.commit().await.expect("commits");
    let cup = || NewSubmission { contest: Some("cup".to_owned()), ..program("sums") };
    let service = &judge.service;
    assert!(service.submit(&ann, cup(), at(-1)).await.is_err(), "not begun");
    assert!(service.submit(&ann, cup(), at(600)).await.is_err(), "over");
    let id = service.submit(&ann, cup(), at(300)).await.expect("is taken");
    judge.judge_next(Verdict::Accepted, at(301)).await;

    for (viewer, solved) in [(None, 0), (Some(&bob), 0), (Some(&ann), 1), (Some(&head), 1)] {
        let board = service.board("cup", viewer, at(400)).await.expect("reads").expect("is there");
        assert_eq!(board.scoreboard.rows[0].num_solved, solved, "{viewer:?}");
        let page = service.submission(viewer, id).await.expect("reads").expect("is there");
        assert_eq!(page.row.verdict.is_some(), solved == 1, "{viewer:?}");
        assert_eq!(page.result_hidden, solved == 0);
        let accepted = SubmissionFilter { verdict: Some(Verdict::Accepted), ..SubmissionFilter::default() };
        assert_eq!(service.submissions(viewer, &accepted, 10).await.expect("reads").len(), solved as usize);
        let all = service.submissions(viewer, &SubmissionFilter::default(), 10).await.expect("reads");
        assert_eq!(all[0].verdict.is_some(), solved == 1);
        let list = service.problem_list("cup", viewer, at(400)).await.expect("reads").expect("is there");
        assert_eq!((list[0].teams_tried, list[0].teams_solved), (1, usize::from(solved == 1)), "{viewer:?}");
    }
}
