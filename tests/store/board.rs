//! The scoreboard follows the events, and the freeze holds wherever a result could be seen.

use touchstone::domain::account::Role;
use touchstone::domain::verdict::Verdict;
use touchstone::service::rejudge::Selection;
use touchstone::service::submissions::NewSubmission;
use touchstone::store::submission::SubmissionFilter;

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
