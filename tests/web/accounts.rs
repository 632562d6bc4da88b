//! Registering, logging in and out, the first admin's link, and the token that every form carries.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Method, Request, StatusCode};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use touchstone::service::log_in_guard::{PER_ACCOUNT, PER_ADDRESS};

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

#[tokio::test]
async fn too_many_wrong_passwords_are_not_looked_at() {
    let app = TestApp::new().await;
    app.contestant("ada").await;
    app.contestant("bob").await;
    for name in ["ada", "nobody"] {
        for number in 0..PER_ACCOUNT {
            // Through the form and the API alike.
            if number % 2 == 0 {
                let wrong = [("name", name), ("password", "wrong"), ("next", "/")];
                assert_eq!(app.browser().post("/login", &wrong).await.status, StatusCode::UNPROCESSABLE_ENTITY);
            } else {
                assert_eq!(basic(&app, name, "wrong").await.status(), StatusCode::UNAUTHORIZED);
            }
        }
        // Not even the right one, and for no other name more or less.
        let right = [("name", name), ("password", "correct horse"), ("next", "/")];
        let answer = app.browser().post("/login", &right).await;
        assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(answer.headers.get("retry-after").unwrap(), "300");
        assert!(answer.body.contains("Too many wrong passwords") && answer.body.contains(&format!("value=\"{name}\"")));
        let answer = basic(&app, name, "correct horse").await;
        assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(answer.headers().get("retry-after").unwrap(), "300");
    }
    let bob = [("name", "bob"), ("password", "correct horse"), ("next", "/")];
    assert_eq!(app.browser().post("/login", &bob).await.status, StatusCode::SEE_OTHER);
    app.pass_ms(300_000);
    let ada = [("name", "ada"), ("password", "correct horse"), ("next", "/")];
    assert_eq!(app.browser().post("/login", &ada).await.status, StatusCode::SEE_OTHER);
}

async fn basic(app: &TestApp, name: &str, password: &str) -> axum::response::Response {
    let key = format!("Basic {}", BASE64_STANDARD.encode(format!("{name}:{password}")));
    let request = Request::builder().uri("/api/v4/contests").header("authorization", key);
    app.browser().request(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn an_address_that_guesses_is_stopped_whatever_names_it_tries() {
    let app = TestApp::new().await;
    app.contestant("ada").await;
    let guess = async |name: &str, password: &str, from: &str| {
        let key = format!("Basic {}", BASE64_STANDARD.encode(format!("{name}:{password}")));
        let from = ConnectInfo::<SocketAddr>(format!("{from}:4000").parse().unwrap());
        let request = Request::builder().uri("/api/v4/contests").header("authorization", key).extension(from);
        app.browser().request(request.body(Body::empty()).unwrap()).await.status()
    };
    for number in 0..PER_ADDRESS {
        assert_eq!(guess(&format!("name{number}"), "wrong", "192.0.2.1").await, StatusCode::UNAUTHORIZED);
    }
    assert_eq!(guess("ada", "correct horse", "192.0.2.1").await, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(guess("ada", "correct horse", "192.0.2.2").await, StatusCode::OK);
}

#[tokio::test]
async fn a_name_that_looks_like_another_is_refused() {
    let app = TestApp::new().await;
    for name in ["admin", "paypal", "王小明"] {
        app.contestant(name).await;
    }
    for (name, like) in [("аdmin", "admin"), ("ａｄｍｉｎ", "admin"), ("paypaI", "paypal"), ("pаypal", "paypal")]
    {
        let form = [("name", name), ("password", "correct horse"), ("again", "correct horse")];
        let answer = app.browser().post("/register", &form).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{name}");
        assert!(answer.body.contains(&format!("That name looks like “{like}”")), "{name}: {}", answer.body);
    }
    for name in ["admins", "王小朋", "Paul"] {
        app.contestant(name).await;
    }
}

#[tokio::test]
async fn a_form_from_another_origin_is_refused_though_its_token_is_right() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let token = ada.token().await;
    for (headers, refused) in [
        (vec![("origin", "https://evil.example")], true),
        (vec![("origin", "null")], true),
        (vec![("origin", "http://judge.example:81")], true),
        (vec![("sec-fetch-site", "same-site")], true),
        (vec![("origin", "http://judge.example")], false),
        (vec![], false),
    ] {
        let mut request = ada
            .prepare(Method::POST, "/preferences")
            .header("host", "judge.example")
            .header("content-type", "application/x-www-form-urlencoded");
        for (name, value) in &headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(format!("theme=dark&csrf={token}"))).unwrap();
        let status = ada.request(request).await.status();
        assert_eq!(status, if refused { StatusCode::FORBIDDEN } else { StatusCode::SEE_OTHER }, "{headers:?}");
    }
}

fn session_of(answer: &crate::world::Answer) -> Option<String> {
    answer.headers.get_all("set-cookie").iter().find_map(|line| {
        let value = line.to_str().unwrap().strip_prefix("touchstone_session=")?;
        Some(value.split(';').next().unwrap().to_owned())
    })
}

#[tokio::test]
async fn each_log_in_gets_a_session_of_its_own_and_forms_of_the_old_one_end() {
    let app = TestApp::new().await;
    app.contestant("ada").await;
    let mut browser = app.browser();
    let form = [("name", "ada"), ("password", "correct horse"), ("next", "/")];
    let (before, first) = (browser.token().await, browser.post("/login", &form).await);
    let between = browser.token().await;
    let second = browser.post("/login", &form).await;
    let after = browser.token().await;
    let (first, second) = (session_of(&first).unwrap(), session_of(&second).unwrap());
    assert!(first.len() == 64 && second.len() == 64 && first != second);
    assert!(before != between && between != after);
    let old = browser.post_with("/preferences", &[("lang", "zh")], &between, None).await;
    assert_eq!(old.status, StatusCode::FORBIDDEN, "a page of the session before");
    // A session that somebody put into the browser beforehand is not taken over.
    let mut planted = app.browser();
    planted.keep("touchstone_session", &"a".repeat(64));
    let answer = planted.post("/login", &form).await;
    assert_ne!(session_of(&answer).unwrap(), "a".repeat(64));
}

#[tokio::test]
async fn one_who_logs_out_everywhere_is_out_everywhere() {
    let app = TestApp::new().await;
    let mut here = app.contestant("ada").await;
    let mut there = app.browser();
    there.post("/login", &[("name", "ada"), ("password", "correct horse"), ("next", "/")]).await;
    let mut bob = app.contestant("bob").await;
    assert!(here.get("/account").await.body.contains("action=\"/account/log-out-everywhere\""));
    let kept = here.clone();
    let answer = here.post("/account/log-out-everywhere", &[]).await;
    assert_eq!(
        (answer.status, session_of(&answer).as_deref()),
        (StatusCode::SEE_OTHER, Some("")),
        "the cookie goes too"
    );
    for browser in [&mut here, &mut there, &mut kept.clone()] {
        assert!(browser.get("/account").await.location().starts_with("/login"));
    }
    assert_eq!(bob.get("/account").await.status, StatusCode::OK);
}
