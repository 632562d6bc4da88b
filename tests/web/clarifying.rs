//! Questions, answers, announcements: who may say what, and who reads it.

use axum::http::StatusCode;
use rstest::rstest;
use touchstone::domain::account::Role;

use crate::world::TestApp;

const ASK: [(&str, &str); 2] = [("problem", "sum"), ("text", "Can a be <0>?")];

#[tokio::test]
async fn a_question_is_private_until_it_is_answered_to_all() {
    let app = TestApp::new().await;
    let (mut ada, mut bob, mut judge) =
        (app.contestant("wilma").await, app.contestant("bob").await, app.with_role("jo", Role::Judge).await);
    let mut stranger = app.browser();
    assert_eq!(ada.post("/clarifications", &ASK).await.location(), "/clarifications");
    let page = ada.get("/clarifications").await.body;
    assert!(page.contains("Your question") && page.contains("A plus B") && !page.contains("<0>"));
    for other in [&mut bob, &mut stranger] {
        assert!(!other.get("/clarifications").await.body.contains("Can a be"));
        assert!(!other.first_event("/clarifications/events").await.contains("Can a be"));
    }
    let page = judge.get("/admin/clarifications").await.body;
    assert!(page.contains("Question of wilma") && page.contains("name=\"question\" value=\"1\""));

    // To the team alone.
    let answer = [("question", "1"), ("text", "Read the limits.")];
    assert_eq!(judge.post("/admin/clarifications", &answer).await.location(), "/admin/clarifications");
    assert!(ada.get("/clarifications").await.body.contains("Read the limits."));
    assert!(!bob.get("/clarifications").await.body.contains("Read the limits."));

    // To all: with the question, without the team's name.
    let mut events = bob.events("/clarifications/events").await;
    assert!(events.next().await.contains("Nothing was asked"));
    let answer = [("question", "1"), ("text", "No, never."), ("all", "1")];
    judge.post("/admin/clarifications", &answer).await;
    assert!(events.next().await.contains("No, never."), "it arrives at once");
    let page = bob.get("/clarifications").await.body;
    assert!(page.contains("Can a be") && page.contains("No, never.") && !page.contains("Read the limits."));
    assert!(!page.contains("wilma"), "who asked is nobody's business");
    assert!(stranger.get("/clarifications").await.body.contains("No, never."));
}

#[tokio::test]
async fn announcements_are_for_all() {
    let app = TestApp::new().await;
    let mut judge = app.with_role("jo", Role::Judge).await;
    let said = [("problem", ""), ("text", "Lunch is at noon.")];
    assert_eq!(judge.post("/admin/clarifications", &said).await.status, StatusCode::SEE_OTHER);
    let mut stranger = app.browser();
    stranger.language = "zh";
    let page = stranger.get("/clarifications").await.body;
    assert!(page.contains("公告") && page.contains("Lunch is at noon."));
}

#[rstest]
#[case::stranger(None, 401, 401)]
#[case::contestant(Some(Role::Contestant), 303, 403)]
#[case::setter(Some(Role::Setter), 303, 403)]
#[case::judge(Some(Role::Judge), 303, 303)]
#[case::admin(Some(Role::Admin), 303, 303)]
#[tokio::test]
async fn roles_decide_who_asks_and_who_answers(
    #[case] role: Option<Role>,
    #[case] asking: u16,
    #[case] announcing: u16,
) {
    let app = TestApp::new().await;
    let mut browser = match role {
        Some(role) => app.with_role("somebody", role).await,
        None => app.browser(),
    };
    assert_eq!(browser.post("/clarifications", &ASK).await.status.as_u16(), asking);
    assert_eq!(browser.post("/admin/clarifications", &ASK).await.status.as_u16(), announcing);
    let page = browser.get("/admin/clarifications").await.status;
    assert_eq!(page == StatusCode::OK, announcing == 303);
}

#[tokio::test]
async fn refused_texts_come_back() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let long = "x".repeat(2_001);
    for (text, problem, status, words) in [
        (" \n", "sum", 422, "The text is empty"),
        (long.as_str(), "sum", 422, "at most 2,000|at most 2000"),
        ("why", "nosuch", 422, "There is no problem with the name"),
    ] {
        let answer = ada.post("/clarifications", &[("problem", problem), ("text", text)]).await;
        assert_eq!(answer.status.as_u16(), status);
        assert!(words.split('|').any(|words| answer.body.contains(words)), "{words}");
        assert!(answer.body.contains(text.trim()), "what was typed is kept");
    }
    for _ in 0..5 {
        assert_eq!(ada.post("/clarifications", &ASK).await.status, StatusCode::SEE_OTHER);
    }
    assert_eq!(ada.post("/clarifications", &ASK).await.status, StatusCode::TOO_MANY_REQUESTS);
}
