//! What happens when two things meet: a problem withdrawn while its contest runs, a test deleted that was judged, a
//! rejudging begun in the middle of judging, two editors of one problem. Nothing is lost, and whoever comes late is told.

use axum::http::StatusCode;
use touchstone::domain::account::Role;
use touchstone::domain::verdict::Verdict::{Accepted, WrongAnswer};

use crate::contests::made;
use crate::world::{Part, TestApp};

const PROGRAM: [Part<'static>; 2] = [Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")];

#[tokio::test]
async fn a_problem_withdrawn_during_a_contest_keeps_what_was_won() {
    let app = TestApp::new().await;
    let mut admin = made(&app, "open").await;
    let mut ada = app.contestant("ada").await;
    app.pass_ms(70 * 60_000);
    let handed_in = ada.upload("/contests/cup/problems/sum/submit", &PROGRAM).await;
    let page = handed_in.location().to_owned();
    assert!(page.contains("/submissions/"), "{}", handed_in.body);
    app.judge(&[Accepted; 3]).await;
    let rows = |page: String| {
        page.split("<tbody").nth(1).expect("the board's rows").split("</tbody>").next().unwrap().to_owned()
    };
    let before = rows(ada.get("/contests/cup/scoreboard").await.body);
    assert!(before.contains("ada"), "{before}");
    assert_eq!(admin.post("/admin/problems/sum/state", &[("withdraw", "1")]).await.status, StatusCode::SEE_OTHER);
    assert!(ada.get(&page).await.body.contains("All 3 tests passed"), "the submission stays");
    assert_eq!(rows(ada.get("/contests/cup/scoreboard").await.body), before, "and counts");
    app.pass_ms(60_000);
    let late = ada.upload("/contests/cup/problems/sum/submit", &PROGRAM).await;
    assert!(late.status.is_client_error() && !late.body.contains("fault"), "{}", late.body);
    admin.post("/admin/problems/sum/state", &[]).await;
    app.pass_ms(60_000);
    let again = ada.upload("/contests/cup/problems/sum/submit", &PROGRAM).await;
    assert!(again.location().contains("/submissions/"), "{}", again.body);
}

#[tokio::test]
async fn a_deleted_test_stays_with_its_judgements() {
    let app = TestApp::new().await;
    let mut judge = app.with_role("jo", Role::Judge).await;
    let mut ada = app.contestant("ada").await;
    ada.upload("/problems/sum/submit", &PROGRAM).await;
    app.judge(&[Accepted, Accepted, WrongAnswer]).await;
    let form = [("change", "delete"), ("reason", "twice there"), ("version", "1")];
    let done = judge.post("/admin/problems/sum/tests/3", &form).await;
    assert_eq!(done.location(), "/admin/problems/sum#tests", "{}", done.body);
    app.verify(true).await;
    // The verdict stands as it was given, on the test that is no longer asked.
    let shown = ada.get("/submissions/1").await.body;
    assert!(shown.contains("Wrong answer on test 3"), "{shown}");
    assert!(judge.get("/admin/problems/sum/tests/3").await.body.contains("belongs to an earlier version"));
    let desk = judge.get("/admin/problems/sum").await.body;
    assert!(desk.contains("action=\"/admin/problems/sum/rejudge\""), "the way to judge it with the tests in force");
    judge.post("/admin/problems/sum/rejudge", &[]).await;
    app.judge(&[Accepted, Accepted]).await;
    let preview = judge.get("/admin/rejudgings/1").await.body;
    assert!(preview.contains("Apply: change 1 verdict"), "{preview}");
}

#[tokio::test]
async fn a_rejudging_begun_in_the_middle_of_judging_leaves_it_alone() {
    let app = TestApp::new().await;
    let mut judge = app.with_role("jo", Role::Judge).await;
    let (mut ada, mut bob) = (app.contestant("ada").await, app.contestant("bob").await);
    ada.upload("/problems/sum/submit", &PROGRAM).await;
    app.judge(&[Accepted; 3]).await;
    bob.upload("/problems/sum/submit", &PROGRAM).await;
    let in_the_middle = app.claim().await.expect("bob's submission");
    let begun = judge.post("/admin/rejudgings", &[("problem", "sum")]).await;
    assert_eq!(begun.location(), "/admin/rejudgings/1", "{}", begun.body);
    let page = judge.get("/admin/rejudgings/1").await.body;
    assert!(page.contains("0 of 1 judged"), "bob's is being judged with these tests already: {page}");
    app.finish(in_the_middle, &[Accepted; 3]).await;
    app.judge(&[WrongAnswer]).await;
    assert!(bob.get("/submissions/2").await.body.contains("All 3 tests passed"));
    assert!(judge.get("/admin/rejudgings/1").await.body.contains("Apply: change 1 verdict"));
}

#[tokio::test]
async fn the_second_editor_of_a_problem_is_told() {
    let app = TestApp::new().await;
    let mut sue = app.with_role("sue", Role::Setter).await;
    let mut sam = app.with_role("sam", Role::Setter).await;
    let seen = [("version", "1"), ("cpu_ms", "2000"), ("memory_mib", "256")];
    assert_eq!(sue.post("/admin/problems/sum/limits", &seen).await.location(), "/admin/problems/sum/verification");
    for (path, form) in [
        ("/admin/problems/sum/limits", vec![("version", "1"), ("cpu_ms", "3000"), ("memory_mib", "256")]),
        ("/admin/problems/sum/checker", vec![("version", "1"), ("case_sensitive", "1")]),
        ("/admin/problems/sum/languages", vec![("version", "1"), ("allow", "some"), ("language-cpp20", "1")]),
    ] {
        let late = sam.post(path, &form).await;
        assert_eq!(late.status, StatusCode::CONFLICT, "{path}: {}", late.body);
    }
    let log = app.state.service.acts(None, &touchstone::store::audit::ActFilter::default(), None, 100).await.unwrap();
    let by_sam =
        log.iter().filter(|act| act.actor.as_deref() == Some("sam") && act.act.starts_with("problem.")).count();
    assert_eq!(by_sam, 0, "nothing of it was kept");
}
