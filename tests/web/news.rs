//! New answers and announcements are told on every page, live and without scripts, until they were read.

use axum::http::StatusCode;
use touchstone::domain::account::Role;

use crate::contests;
use crate::world::TestApp;

#[tokio::test]
async fn an_announcement_stands_on_every_page_until_it_is_read() {
    let app = TestApp::new().await;
    let (mut ada, mut bob) = (app.contestant("ada").await, app.contestant("bob").await);
    let mut judge = app.with_role("jo", Role::Judge).await;
    assert!(!ada.get("/").await.body.contains("new message"));
    judge.post("/admin/clarifications", &[("text", "Lunch.")]).await;
    ada.post("/clarifications", &[("text", "How many?")]).await;
    for path in ["/", "/problems/sum", "/submissions", "/scoreboard", "/account", "/problems/sum/submit"] {
        assert!(ada.get(path).await.body.contains("A new message from the judges."), "{path}");
    }
    ada.language = "zh";
    assert!(ada.get("/").await.body.contains("裁判有 1 条新消息"));
    ada.language = "en";
    let list = ada.get("/clarifications").await.body;
    assert!(list.contains("Lunch.") && !list.contains("new message"), "the list itself needs no banner");
    assert!(!ada.get("/").await.body.contains("new message"), "it was read");
    // The answer is ada's alone.
    assert!(judge.get("/").await.body.contains("A question waits for an answer."));
    judge.post("/admin/clarifications", &[("question", "2"), ("text", "Ten.")]).await;
    assert!(!judge.get("/").await.body.contains("waits for an answer"));
    assert!(ada.get("/").await.body.contains("A new message from the judges."));
    bob.get("/clarifications").await;
    assert!(!bob.get("/").await.body.contains("new message"));
}

#[tokio::test]
async fn what_is_read_in_one_contest_is_not_read_in_another() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let mut root = contests::made(&app, "open").await;
    root.post("/contests/cup/admin/clarifications", &[("text", "Cup lunch.")]).await;
    root.post("/admin/clarifications", &[("text", "Practice lunch.")]).await;
    ada.get("/clarifications").await;
    assert!(!ada.get("/").await.body.contains("new message"), "the newest of all was read here");
    assert!(ada.get("/contests/cup").await.body.contains("A new message from the judges."), "but not there");
    ada.get("/contests/cup/clarifications").await;
    assert!(!ada.get("/contests/cup").await.body.contains("new message"));
}

#[tokio::test]
async fn the_banner_comes_while_a_page_is_open() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let mut judge = app.with_role("jo", Role::Judge).await;
    let mut events = ada.events("/news/events").await;
    assert!(!events.next().await.contains("new message"));
    judge.post("/admin/clarifications", &[("text", "Lunch.")]).await;
    assert!(events.next().await.contains("A new message from the judges."));
    judge.post("/admin/clarifications", &[("text", "Coffee.")]).await;
    assert!(events.next().await.contains("2 new messages from the judges."));
    assert!(ada.get("/news").await.body.contains("2 new messages"));
}

#[tokio::test]
async fn the_judges_list_is_live_and_theirs_alone() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let mut judge = app.with_role("jo", Role::Judge).await;
    let mut events = judge.events("/admin/clarifications/events").await;
    events.next().await;
    ada.post("/clarifications", &[("text", "How many?")]).await;
    let list = events.next().await;
    assert!(list.contains("How many?") && list.contains("name=\"question\" value=\"1\""), "{list}");
    assert_eq!(ada.get("/admin/clarifications/events").await.status, StatusCode::FORBIDDEN);
}
