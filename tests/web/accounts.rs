//! Registering, logging in and out, the first admin's link, and the token that every form carries.

use axum::http::StatusCode;

use crate::world::TestApp;

#[tokio::test]
async fn somebody_registers_logs_out_and_in_again() {
    let app = TestApp::new().await;
    let mut browser = app.contestant("ada").await;
    assert!(browser.get("/").await.body.contains("<bdi>ada</bdi>"));
    let answer = browser.post("/logout", &[]).await;
    assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, "/"));
    assert!(!browser.get("/").await.body.contains("<bdi>ada</bdi>"));
    let form = [("name", "ada"), ("password", "correct horse"), ("next", "/problems/sum/submit")];
    let answer = browser.post("/login", &form).await;
    assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, "/problems/sum/submit"));
    assert_eq!(browser.get("/problems/sum/submit").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_log_in_never_leads_to_another_site() {
    let app = TestApp::new().await;
    let mut browser = app.contestant("ada").await;
    for next in ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example"] {
        let answer = browser.post("/login", &[("name", "ada"), ("password", "correct horse"), ("next", next)]).await;
        assert_eq!(answer.location(), "/", "{next}");
    }
}

#[tokio::test]
async fn a_wrong_password_keeps_the_name() {
    let app = TestApp::new().await;
    app.contestant("ada").await;
    let mut browser = app.browser();
    for name in ["ada", "nobody"] {
        let answer = browser.post("/login", &[("name", name), ("password", "wrong"), ("next", "/")]).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(answer.body.contains("The name or the password is wrong"), "{}", answer.body);
        assert!(answer.body.contains(&format!("value=\"{name}\"")), "the name is lost");
    }
}

#[tokio::test]
async fn bad_registrations_come_back_with_a_sentence() {
    let app = TestApp::new().await;
    app.contestant("ada").await;
    let long = "x".repeat(41);
    let table = [
        ("ada", "correct horse", "correct horse", "Somebody has the name"),
        ("ADA", "correct horse", "correct horse", "Somebody has the name"),
        ("", "correct horse", "correct horse", "A name has 1 to 40"),
        ("<b>", "correct horse", "correct horse", "A name has 1 to 40"),
        (&long, "correct horse", "correct horse", "A name has 1 to 40"),
        ("bob", "short", "short", "A password has 8 to 200"),
        ("bob", "correct horse", "correct hors", "The two passwords differ"),
    ];
    for (name, password, again, sentence) in table {
        let answer = app.browser().post("/register", &[("name", name), ("password", password), ("again", again)]).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{name}");
        assert!(answer.body.contains(sentence), "{name}: {sentence}");
        assert!(!answer.body.contains(password), "a password stands in the page");
    }
}

#[tokio::test]
async fn the_setup_link_makes_one_admin() {
    let app = TestApp::empty().await;
    let token = app.state.service.first_admin_link(app.now()).await.unwrap().unwrap();
    let link = format!("/setup/{token}");
    let mut browser = app.browser();
    assert_eq!(browser.get(&link).await.status, StatusCode::OK);
    let short = [("name", "root"), ("password", "short"), ("again", "short")];
    assert_eq!(browser.post(&link, &short).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    let form = [("name", "root"), ("password", "correct horse"), ("again", "correct horse")];
    let answer = browser.post(&link, &form).await;
    assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, "/admin"));
    assert_eq!(browser.get("/admin").await.status, StatusCode::OK);
    let again = app.browser().get(&link).await;
    assert_eq!(again.status, StatusCode::GONE);
    assert!(again.body.contains("This link was used before"));
    assert_eq!(app.browser().get("/setup/nonsense").await.status, StatusCode::GONE);
}

#[tokio::test]
async fn forms_without_their_token_do_nothing() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let stranger = app.browser().token().await;
    let before = ada.token().await;
    for path in
        ["/logout", "/preferences", "/login", "/register", "/submissions/1/rejudge", "/admin/problems/sum/rejudge"]
    {
        for (token, site) in [("", None), (stranger.as_str(), None), (before.as_str(), Some("cross-site"))] {
            let answer = ada.post_with(path, &[("name", "x"), ("lang", "zh")], token, site).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path} {site:?}");
            assert!(answer.body.contains("The form was too old"), "{path}");
        }
    }
    assert!(ada.get("/").await.body.contains("<bdi>ada</bdi>"), "somebody logged ada out");
    ada.post("/logout", &[]).await;
    let answer = ada.post_with("/preferences", &[("lang", "zh")], &before, None).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN, "a session's token outlives it");
}

#[tokio::test]
async fn language_and_theme_are_remembered() {
    let app = TestApp::new().await;
    let mut browser = app.browser();
    assert!(browser.get("/").await.body.contains("<html lang=\"en\">"));
    let answer = browser.post("/preferences", &[("lang", "zh"), ("back", "/scoreboard")]).await;
    assert_eq!(answer.location(), "/scoreboard");
    browser.post("/preferences", &[("theme", "dark")]).await;
    assert!(browser.get("/").await.body.contains("<html lang=\"zh-Hans\" data-theme=\"dark\">"));
    browser.post("/preferences", &[("theme", "auto")]).await;
    assert!(browser.get("/").await.body.contains("<html lang=\"zh-Hans\">"));
    let mut other = app.browser();
    other.language = "de,zh-CN;q=0.9,en;q=0.1";
    assert!(other.get("/").await.body.contains("<html lang=\"zh-Hans\">"));
}
