//! Rejudgings: previews touch nothing, applying is one step, undoing puts everything back, and what comes in between is
//! defined.

use std::sync::Arc;

use touchstone::domain::account::Role;
use touchstone::domain::ids::{RejudgingId, SubmissionId};
use touchstone::domain::verdict::Verdict::{self, Accepted, JudgingError, WrongAnswer};
use touchstone::service::rejudge::{RejudgeError, Selection};
use touchstone::service::rejudge_preview::Preview;
use touchstone::service::teams::WantedTeam;
use touchstone::service::{Actor, Service};
use touchstone::store::event::{self, EventKind, EventOp, NewEvent};
use touchstone::store::judging::{self, Outcome};
use touchstone::store::rejudging::{self, RejudgingState};
use touchstone::store::{judgement, problem};

use crate::fixture::{Judge, T0, at};

struct Desk {
    judge: Judge,
    head: Actor,
    ann: Actor,
    bob: Actor,
}

impl Desk {
    async fn new() -> Self {
        let judge = Judge::with_problem().await;
        let (ann, bob) = (judge.contestant("ann").await, judge.contestant("bob").await);
        let head = judge.actor("head", Role::Judge).await;
        Self { judge, head, ann, bob }
    }

    async fn submit(&self, who: &Actor, second: i64, verdict: Verdict) -> SubmissionId {
        let id = self.judge.submit(who, at(second)).await;
        self.judge.judge_next(verdict, at(second)).await;
        id
    }

    async fn begin(&self, selection: Selection) -> RejudgingId {
        self.judge.service.begin_rejudging(Some(&self.head), &selection, "why", at(900)).await.expect("begins").id
    }

    async fn all(&self, verdicts: &[Verdict]) -> RejudgingId {
        let id = self.begin(of_problem()).await;
        self.judge_all(verdicts).await;
        id
    }

    async fn judge_all(&self, verdicts: &[Verdict]) {
        for &verdict in verdicts {
            self.judge.judge_next(verdict, at(901)).await;
        }
    }

    /// A preview, which is the one that somebody gets who never looked before.
    async fn preview(&self, id: RejudgingId) -> Arc<Preview> {
        let seen = self.judge.service.rejudging(Some(&self.head), id).await.expect("reads");
        let again = self.judge.service.rejudging(Some(&self.head), id).await.expect("reads");
        assert!(Arc::ptr_eq(&seen, &again), "nothing happened in between");
        let fresh = Service::new(self.judge.store.clone()).rejudging(Some(&self.head), id).await.expect("reads");
        assert!(format!("{seen:?}") == format!("{fresh:?}"), "{:?}, not {:?}", seen.rejudging, fresh.rejudging);
        seen
    }

    async fn apply(&self, id: RejudgingId) -> Result<(), RejudgeError> {
        self.judge.service.apply_rejudging(Some(&self.head), id, None, at(902)).await
    }

    async fn undo(&self, id: RejudgingId) -> Result<(), RejudgeError> {
        self.judge.service.undo_rejudging(Some(&self.head), id, at(903)).await
    }

    async fn verdicts(&self, ids: &[SubmissionId]) -> Vec<Option<Verdict>> {
        let mut verdicts = Vec::new();
        for &id in ids {
            verdicts.push(self.judge.verdict(id).await);
        }
        verdicts
    }

    async fn solved(&self) -> Vec<(String, u32, u32)> {
        let board = self.judge.service.board("practice", None, at(999)).await.expect("reads").expect("is there");
        board.scoreboard.rows.iter().map(|row| (row.name.to_string(), row.rank, row.num_solved)).collect()
    }
}

fn of_problem() -> Selection {
    Selection { problem: Some("sums".to_owned()), ..Selection::default() }
}

#[tokio::test]
async fn a_preview_shows_all_and_changes_nothing_until_it_is_applied_and_undone_and_applied_again() {
    let desk = Desk::new().await;
    let ids = [
        desk.submit(&desk.ann, 60, Accepted).await,
        desk.submit(&desk.bob, 120, Accepted).await,
        desk.submit(&desk.bob, 180, Accepted).await,
    ];
    let before = desk.solved().await;
    assert_eq!(before, [("ann".to_owned(), 1, 1), ("bob".to_owned(), 2, 1)]);
    let id = desk.begin(of_problem()).await;
    assert!(matches!(desk.apply(id).await, Err(RejudgeError::NotDone { open: 3 })));
    desk.judge_all(&[WrongAnswer, Accepted]).await;
    let half = desk.preview(id).await;
    assert_eq!((half.rejudging.done, half.rejudging.total, half.changes.len(), half.same), (2, 3, 1, 1));
    desk.judge_all(&[JudgingError]).await;
    assert_eq!(desk.solved().await, before, "nothing moves");
    assert_eq!(desk.verdicts(&ids).await, [Some(Accepted); 3]);

    let preview = desk.preview(id).await;
    assert!(preview.may_apply() && !preview.may_undo());
    let change = &preview.changes[0];
    assert_eq!((change.submission_id, change.before, change.after), (ids[0], Some(Accepted), Some(WrongAnswer)));
    assert_eq!((preview.changes.len(), preview.same, preview.kept.failed), (1, 1, 1), "a fault keeps the old verdict");
    let sums = problem::by_slug(desk.judge.store.read(), "sums").await.expect("reads").expect("is there").id;
    let ranks = |preview: &Preview| -> Vec<_> {
        let moved = &preview.boards[0].moved;
        let rank = |one: Option<touchstone::ranking::difference::Standing>| one.map(|one| (one.rank, one.num_solved));
        moved
            .iter()
            .map(|m| (m.name.to_string(), rank(m.before), rank(m.after), m.firsts_won.clone(), m.firsts_lost.clone()))
            .collect()
    };
    let wanted = [
        ("bob".to_owned(), Some((2, 1)), Some((1, 1)), vec![sums], vec![]),
        ("ann".to_owned(), Some((1, 1)), Some((2, 0)), vec![], vec![sums]),
    ];
    assert_eq!(ranks(&preview), wanted);

    // A contestant learns nothing of it meanwhile.
    let page = desk.judge.service.submission(Some(&desk.ann), ids[0]).await.expect("reads").expect("is there");
    assert_eq!(page.history.len(), 1);
    let page = desk.judge.service.submission(Some(&desk.head), ids[0]).await.expect("reads").expect("is there");
    assert_eq!(page.history.len(), 2);

    desk.judge.service.apply_rejudging(Some(&desk.head), id, Some(&preview.digest), at(902)).await.expect("applies");
    assert_eq!(desk.solved().await, [("bob".to_owned(), 1, 1), ("ann".to_owned(), 2, 0)]);
    assert_eq!(desk.verdicts(&ids).await, [Some(WrongAnswer), Some(Accepted), Some(Accepted)]);
    let applied = desk.preview(id).await;
    assert!(applied.may_undo() && !applied.may_apply());
    assert_eq!((ranks(&applied), applied.changes.len()), (wanted.to_vec(), 1), "it still shows what it changed");
    assert!(matches!(desk.apply(id).await, Err(RejudgeError::NotNow)), "once");

    desk.undo(id).await.expect("undoes");
    assert_eq!((desk.solved().await, desk.verdicts(&ids).await), (before.clone(), vec![Some(Accepted); 3]));
    assert!(matches!(desk.undo(id).await, Err(RejudgeError::NotNow)));
    let page = desk.judge.service.submission(Some(&desk.ann), ids[0]).await.expect("reads").expect("is there");
    assert_eq!(page.history.len(), 2, "what once counted stays readable");
    desk.apply(id).await.expect("undoing can be undone");
    assert_eq!(desk.verdicts(&ids).await, [Some(WrongAnswer), Some(Accepted), Some(Accepted)]);
}

/// What is remembered of a preview goes as soon as something that it shows changes, and no board is ranked again for
/// anything else.
#[tokio::test]
async fn a_preview_that_was_looked_at_follows_all_that_changes() {
    let desk = Desk::new().await;
    desk.submit(&desk.ann, 60, Accepted).await;
    desk.submit(&desk.bob, 120, Accepted).await;
    let id = desk.begin(of_problem()).await;
    assert_eq!(desk.preview(id).await.rejudging.done, 0);
    desk.judge_all(&[WrongAnswer]).await;
    let one = desk.preview(id).await;
    assert_eq!((one.rejudging.done, one.changes.len(), one.boards[0].moved.len()), (1, 1, 2));
    let carl = desk.judge.contestant("carl").await;
    assert!(Arc::ptr_eq(&one.boards, &desk.preview(id).await.boards), "he hasn't handed in");

    // Somebody hands in, a team is called otherwise, another rejudging overtakes this one.
    desk.submit(&carl, 90, Accepted).await;
    let with_carl = desk.preview(id).await;
    assert_eq!(with_carl.boards[0].moved.len(), 3, "carl is the first now");
    let team = carl.team_id.expect("a team");
    let (found, _) = desk.judge.service.team(None, team).await.expect("reads");
    let renamed = WantedTeam { display_name: "Carl the Great".to_owned(), ..WantedTeam::from(&found) };
    desk.judge.service.edit_team(None, team, None, &renamed, at(905)).await.expect("is changed");
    let names: Vec<String> = desk.preview(id).await.boards[0].moved.iter().map(|one| one.name.to_string()).collect();
    assert!(names.contains(&"Carl the Great".to_owned()), "{names:?}");
    desk.judge_all(&[Accepted]).await;
    let second = desk.all(&[Accepted, Accepted, WrongAnswer]).await;
    desk.preview(second).await;
    desk.apply(second).await.expect("applies");
    assert_eq!(desk.preview(id).await.kept.overtaken, 2);
    desk.preview(second).await;
    desk.undo(second).await.expect("undoes");
    assert_eq!(desk.preview(id).await.kept.overtaken, 0);
    desk.preview(second).await;
}

/// A team, and its rank and points before and after.
type Ranked = (String, [Option<(u32, i64)>; 2]);

/// Where points are counted a preview moves teams by their points, also where no verdict changes.
#[tokio::test]
async fn a_preview_in_a_contest_of_points_counts_points() {
    let desk = Desk::new().await;
    let mut tx = desk.judge.store.begin_write().await.expect("begins");
    sqlx::raw_sql("update contest set scoring = 'score'").execute(&mut *tx).await.expect("updates");
    tx.commit().await.expect("commits");
    let score = async |points: f64| {
        let job = desk.judge.claim(at(900)).await.expect("a job");
        let outcome = Outcome { score: Some(points), ..Outcome::new(WrongAnswer) };
        let mut tx = desk.judge.store.begin_write().await.expect("begins");
        judging::finish_judgement(&mut tx, job.lease, &outcome, at(900)).await.expect("has the lease");
        tx.commit().await.expect("commits");
    };
    for (who, second, points) in [(&desk.ann, 60, 40.0), (&desk.bob, 120, 30.0)] {
        desk.judge.submit(who, at(second)).await;
        score(points).await;
    }
    let id = desk.begin(of_problem()).await;
    score(40.0).await;
    score(70.5).await;
    let ranks = |preview: &Preview| -> Vec<Ranked> {
        let standing = |one: Option<touchstone::ranking::difference::Standing>| one.map(|one| (one.rank, one.points));
        let moved = preview.boards.iter().flat_map(|board| &board.moved);
        moved.map(|one| (one.name.to_string(), [standing(one.before), standing(one.after)])).collect()
    };
    let wanted = [
        ("bob".to_owned(), [Some((2, 30_000)), Some((1, 70_500))]),
        ("ann".to_owned(), [Some((1, 40_000)), Some((2, 40_000))]),
    ];
    let preview = desk.preview(id).await;
    assert_eq!(ranks(&preview), wanted);
    desk.apply(id).await.expect("applies");
    let applied = desk.preview(id).await;
    assert_eq!(ranks(&applied), wanted, "it still shows what it changed");
}

#[tokio::test]
async fn only_judges_rejudge() {
    let desk = Desk::new().await;
    desk.submit(&desk.ann, 60, Accepted).await;
    let id = desk.all(&[WrongAnswer]).await;
    let setter = desk.judge.actor("sam", Role::Setter).await;
    let service = &desk.judge.service;
    for who in [&desk.ann, &setter] {
        let who = Some(who);
        assert!(matches!(service.begin_rejudging(who, &of_problem(), "", T0).await, Err(RejudgeError::Forbidden(_))));
        assert!(matches!(service.rejudging(who, id).await, Err(RejudgeError::Forbidden(_))));
        assert!(matches!(service.rejudgings(who, None, 9).await, Err(RejudgeError::Forbidden(_))));
        assert!(matches!(service.apply_rejudging(who, id, None, T0).await, Err(RejudgeError::Forbidden(_))));
        assert!(matches!(service.drop_rejudging(who, id, T0).await, Err(RejudgeError::Forbidden(_))));
        assert!(matches!(service.undo_rejudging(who, id, T0).await, Err(RejudgeError::Forbidden(_))));
    }
    service.apply_rejudging(None, id, None, T0).await.expect("the command line may");
}

#[tokio::test]
async fn submissions_are_chosen_by_everything_together() {
    let desk = Desk::new().await;
    let ids = [
        desk.submit(&desk.ann, 60, Accepted).await,
        desk.submit(&desk.bob, 120, JudgingError).await,
        desk.submit(&desk.ann, 180, JudgingError).await,
    ];
    let service = &desk.judge.service;
    let nothing = |error| matches!(error, Err(RejudgeError::Nothing { waiting: 0 }));
    let python = || Some("python3".parse().expect("a language"));
    let table: Vec<(Selection, &[usize])> = vec![
        (Selection::submission(ids[1]), &[1]),
        (of_problem(), &[0, 1, 2]),
        (Selection { contest: Some("practice".to_owned()), ..Selection::default() }, &[0, 1, 2]),
        (Selection { language: python(), ..Selection::default() }, &[0, 1, 2]),
        (Selection { verdict: Some(JudgingError), ..Selection::default() }, &[1, 2]),
        (Selection { from: Some(at(120)), until: Some(at(180)), ..Selection::default() }, &[1]),
        (Selection { verdict: Some(JudgingError), from: Some(at(121)), language: python(), ..of_problem() }, &[2]),
    ];
    for (selection, wanted) in table {
        let begun = service.begin_rejudging(Some(&desk.head), &selection, "", at(900)).await.expect("begins");
        let judgements = judgement::of_submission(desk.judge.store.read(), ids[0]).await.expect("reads");
        assert_eq!((begun.judgements, begun.left_out), (wanted.len(), 0), "{selection}");
        assert_eq!(judgements.len(), 1 + usize::from(wanted.contains(&0)), "{selection}");
        service.drop_rejudging(Some(&desk.head), begun.id, at(900)).await.expect("drops");
    }
    let none = Selection { until: Some(at(60)), ..of_problem() };
    assert!(nothing(service.begin_rejudging(Some(&desk.head), &none, "", T0).await));
    assert!(nothing(service.begin_rejudging(Some(&desk.head), &Selection::outdated("sums"), "", T0).await));
    let all = service.begin_rejudging(Some(&desk.head), &Selection::default(), "", T0).await;
    assert!(matches!(all, Err(RejudgeError::NothingChosen)));
    for (selection, what) in [
        (Selection::submission(SubmissionId(99)), "no submission 99"),
        (Selection::outdated("nosuch"), "no problem `nosuch`"),
        (Selection { contest: Some("nosuch".to_owned()), ..Selection::default() }, "no contest `nosuch`"),
    ] {
        let error = service.begin_rejudging(Some(&desk.head), &selection, "", T0).await.expect_err("is refused");
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[tokio::test]
async fn dropping_ends_the_work_and_leaves_no_trace_that_counts() {
    let desk = Desk::new().await;
    let ids = [desk.submit(&desk.ann, 60, Accepted).await, desk.submit(&desk.bob, 120, Accepted).await];
    let id = desk.begin(of_problem()).await;
    let under_way = desk.judge.claim(at(901)).await.expect("a job");
    desk.judge.service.drop_rejudging(Some(&desk.head), id, at(902)).await.expect("drops");
    assert!(desk.judge.finish(under_way, WrongAnswer, at(903)).await.is_err(), "the worker lost its lease");
    assert!(desk.judge.claim(at(903)).await.is_none(), "nothing is left to do");
    assert_eq!(desk.verdicts(&ids).await, [Some(Accepted); 2]);
    assert!(matches!(desk.apply(id).await, Err(RejudgeError::NotNow)));
    assert_eq!(desk.preview(id).await.rejudging.state, RejudgingState::Dropped);
    let history = judgement::of_submission(desk.judge.store.read(), ids[0]).await.expect("reads");
    assert_eq!(history.len(), 1, "what was never judged is no judgement to read");
    // It can be judged again.
    let again = desk.all(&[WrongAnswer, Accepted]).await;
    desk.apply(again).await.expect("applies");
    assert_eq!(desk.verdicts(&ids).await, [Some(WrongAnswer), Some(Accepted)]);
}

#[tokio::test]
async fn overlapping_rejudgings_never_go_back_in_time() {
    let desk = Desk::new().await;
    let id = desk.submit(&desk.ann, 60, Accepted).await;
    let waiting = desk.begin(of_problem()).await;
    let twice = desk.judge.service.begin_rejudging(Some(&desk.head), &Selection::submission(id), "", at(900)).await;
    assert!(matches!(twice, Err(RejudgeError::Nothing { waiting: 1 })), "it waits already");
    desk.judge_all(&[WrongAnswer]).await;
    let second = desk.all(&[Verdict::TimeLimit]).await;

    // The later one first: the earlier one changes nothing any more.
    let seen = desk.preview(waiting).await;
    desk.apply(second).await.expect("applies");
    let late = desk.judge.service.apply_rejudging(Some(&desk.head), waiting, Some(&seen.digest), at(904)).await;
    assert!(matches!(late, Err(RejudgeError::Changed)), "it is no longer what was looked at");
    let preview = desk.preview(waiting).await;
    assert_eq!((preview.changes.len(), preview.kept.overtaken), (0, 1));
    desk.apply(waiting).await.expect("applies to nothing");
    assert_eq!(desk.judge.verdict(id).await, Some(Verdict::TimeLimit));
    desk.undo(waiting).await.expect("undoes nothing");
    assert_eq!(desk.judge.verdict(id).await, Some(Verdict::TimeLimit));

    // One on top of another: the lower one can't go first.
    let third = desk.all(&[Accepted]).await;
    desk.apply(third).await.expect("applies");
    assert!(matches!(desk.undo(second).await, Err(RejudgeError::Below(later)) if later == third));
    assert_eq!(desk.preview(second).await.below, Some(third));
    desk.undo(third).await.expect("undoes");
    assert_eq!(desk.judge.verdict(id).await, Some(Verdict::TimeLimit));
    desk.undo(second).await.expect("undoes");
    assert_eq!(desk.judge.verdict(id).await, Some(Accepted));
}

#[tokio::test]
async fn what_comes_in_between_is_left_alone() {
    let desk = Desk::new().await;
    let old = desk.submit(&desk.ann, 60, Accepted).await;
    let first = desk.judge.submit(&desk.bob, at(120)).await;
    // Judging is under way: its first judgement is one with the tests in force.
    let begun = desk.judge.service.begin_rejudging(Some(&desk.head), &of_problem(), "", at(121)).await.expect("begins");
    assert_eq!((begun.judgements, begun.left_out), (1, 1));
    assert_eq!(desk.preview(begun.id).await.rejudging.left_out, 1);
    let later = desk.judge.submit(&desk.bob, at(122)).await;
    desk.judge_all(&[Accepted, Accepted]).await;
    assert_eq!(desk.verdicts(&[first, later]).await, [Some(Accepted); 2], "new submissions go first");
    // The problem is withdrawn meanwhile: what was begun goes on, and is applied.
    let root = desk.judge.actor("root", Role::Admin).await;
    desk.judge.service.set_withdrawn(&root, "sums", true, at(130)).await.expect("withdraws");
    desk.judge_all(&[WrongAnswer]).await;
    desk.apply(begun.id).await.expect("applies");
    assert_eq!(desk.verdicts(&[old, first, later]).await, [Some(WrongAnswer), Some(Accepted), Some(Accepted)]);
    let again = desk.all(&[Accepted; 3]).await;
    desk.apply(again).await.expect("a withdrawn problem's submissions can be judged again");
    assert_eq!(desk.judge.verdict(old).await, Some(Accepted));
}

#[tokio::test]
async fn a_late_first_judgement_does_not_overrule_a_rejudging() {
    let desk = Desk::new().await;
    let judge = &desk.judge;
    let id = judge.submit(&desk.ann, T0).await;
    let first = judge.claim(T0).await.expect("a job");
    // New tests make the running judgement one of old tests, so a rejudging is due before it is done.
    judge.offer("sums", "a new version").await;
    let prepare = judge.claim(T0).await.expect("a job");
    judge.prepare(prepare, 4).await.expect("has the lease");
    judge.verify_next().await;
    let sums = problem::by_slug(judge.store.read(), "sums").await.expect("reads").expect("is there");
    assert_eq!(rejudging::outdated(judge.store.read(), sums.id).await.expect("reads"), 1);
    let begun = judge.service.begin_rejudging(Some(&desk.head), &Selection::outdated("sums"), "", T0).await;
    let rejudging = begun.expect("begins").id;
    judge.judge_next(WrongAnswer, T0).await;
    desk.apply(rejudging).await.expect("applies");
    assert_eq!(rejudging::outdated(judge.store.read(), sums.id).await.expect("reads"), 0);
    judge.finish(first, Accepted, T0).await.expect("has the lease");
    assert_eq!(judge.verdict(id).await, Some(WrongAnswer));
    desk.undo(rejudging).await.expect("undoes");
    assert_eq!(judge.verdict(id).await, Some(Accepted), "the first one's verdict, which came meanwhile");
}

#[tokio::test]
async fn thousands_are_one_transaction_each_way() {
    const MANY: i64 = 5_000;
    let desk = Desk::new().await;
    let id = desk.submit(&desk.ann, 60, Accepted).await;
    let mut tx = desk.judge.store.begin_write().await.expect("begins");
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!(
        "with recursive n (i) as (select 1 union all select i + 1 from n where i < {MANY})
        insert into submission (contest_id, problem_id, team_id, account_id, language, submitted_ms, bytes)
            select s.contest_id, s.problem_id, s.team_id, s.account_id, s.language, s.submitted_ms + i, 1
            from n, submission s where s.id = {id};
        insert into judgement (submission_id, package_id, test_set_id, reason, state, valid, verdict, tests_total,
                created_ms, end_ms)
            select s.id, j.package_id, j.test_set_id, 'submission', 'done', 1, 'JE', 3, 0, 0
            from submission s, judgement j where s.id > {id} and j.submission_id = {id};"
    )))
    .execute(&mut *tx)
    .await
    .expect("writes");
    tx.commit().await.expect("commits");
    let chosen = Selection { verdict: Some(JudgingError), ..Selection::default() };
    let rejudging = desk.begin(chosen).await;
    assert_eq!(desk.preview(rejudging).await.rejudging.total, 5_000);
    // The workers' part, in bulk: they tell of what they write.
    let mut tx = desk.judge.store.begin_write().await.expect("begins");
    sqlx::raw_sql(
        "update judgement set state = 'done', verdict = 'AC', end_ms = 1 where rejudging_id is not null;
        update job set state = 'done' where state = 'queued';",
    )
    .execute(&mut *tx)
    .await
    .expect("writes");
    let told = NewEvent::new(EventKind::Rejudging, EventOp::Update, rejudging.0);
    event::append(&mut tx, told, at(901)).await.expect("writes");
    tx.commit().await.expect("commits");
    let preview = desk.preview(rejudging).await;
    assert_eq!((preview.changes.len(), preview.same), (5_000, 0));
    desk.apply(rejudging).await.expect("applies");
    let counts = async |verdict: &str| -> i64 {
        sqlx::query_scalar("select count(*) from judgement where valid = 1 and verdict = ?")
            .bind(verdict.to_owned())
            .fetch_one(desk.judge.store.read())
            .await
            .expect("reads")
    };
    assert_eq!((counts("AC").await, counts("JE").await), (MANY + 1, 0));
    desk.undo(rejudging).await.expect("undoes");
    assert_eq!((counts("AC").await, counts("JE").await), (1, MANY));
}
