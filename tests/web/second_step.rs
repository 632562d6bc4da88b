//! The second step of logging in: set up, asked for, used up, lost, and made a must.

use axum::body::Body;
use axum::http::{Method, StatusCode, header};
use base64::Engine as _;
use touchstone::domain::account::Role;
use touchstone::domain::one_time_code::{STEP_MS, Secret};
use touchstone::service::log_in_guard::{PER_ACCOUNT, WINDOW_MS};
use touchstone::service::second_step::{HALF_MS, RECOVERY_CODES};
use touchstone::store::api_token::Scopes;
use touchstone::store::audit::{self, ActFilter};

use crate::world::{Answer, Browser, TestApp};

const PASSWORD: &str = "correct horse";

/// What an authenticator app reads from what a person types into it.
fn secret_of(page: &str) -> Secret {
    let start = page.find("<pre id=\"secret\" tabindex=\"0\">").expect("a secret");
    let typed = page[start..].split(['>', '<']).nth(2).expect("a text");
    let (mut bits, mut held, mut bytes) = (0, 0_u32, Vec::new());
    for letter in typed.chars().filter(|c| *c != ' ') {
        held = held << 5 | u32::try_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".find(letter).expect("base 32")).unwrap();
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 255).unwrap());
        }
    }
    Secret::new(bytes.try_into().unwrap())
}

fn codes_of(page: &str) -> Vec<String> {
    let start = page.find("<pre id=\"codes\" tabindex=\"0\">").expect("codes");
    let text = page[start..].split(['>', '<']).nth(2).expect("a text");
    text.split_whitespace().map(str::to_owned).collect()
}

/// What the app shows now.
fn code(app: &TestApp, secret: &Secret) -> String {
    secret.code(app.now().0 / STEP_MS)
}

/// One that is none of those around now.
fn wrong(app: &TestApp, secret: &Secret) -> String {
    let now = app.now();
    (0..10).map(|n| format!("{n:06}")).find(|code| secret.step_of(code, now).is_none()).expect("a wrong code")
}

async fn set_up(app: &TestApp, browser: &mut Browser) -> (Secret, Vec<String>) {
    let shown = browser.post("/account/second-step", &[("password", PASSWORD)]).await;
    assert_eq!(shown.status, StatusCode::OK, "{}", shown.body);
    let secret = secret_of(&shown.body);
    let done = browser.post("/account/second-step/confirm", &[("code", &code(app, &secret))]).await;
    assert_eq!(done.status, StatusCode::OK, "{}", done.body);
    app.pass_ms(STEP_MS);
    (secret, codes_of(&done.body))
}

async fn password(browser: &mut Browser, name: &str) -> Answer {
    browser.post("/login", &[("name", name), ("password", PASSWORD), ("next", "/submissions")]).await
}

async fn is_in(browser: &mut Browser) -> bool {
    browser.get("/account").await.status == StatusCode::OK
}

async fn acts(app: &TestApp, act: &str) -> Vec<(Option<String>, String, Option<String>)> {
    let filter = ActFilter { act: Some(act.to_owned()), ..ActFilter::default() };
    let acts = audit::list(app.store.read(), &filter, None, 100).await.unwrap();
    acts.into_iter().map(|act| (act.actor, act.subject, act.address)).collect()
}

#[tokio::test]
async fn it_is_set_up_with_a_code_and_its_secrets_are_shown_once() {
    let app = TestApp::new().await;
    let mut root = app.staff("root").await;
    root.connect_from("192.0.2.7:4000".parse().unwrap());
    let mut elsewhere = app.browser();
    password(&mut elsewhere, "root").await;
    assert!(is_in(&mut elsewhere).await);

    let refused = root.post("/account/second-step", &[("password", "wrong horse")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(!refused.body.contains("id=\"secret\""), "{}", refused.body);
    let none = root.post("/account/second-step/confirm", &[("code", "000000")]).await;
    assert_eq!(none.status, StatusCode::CONFLICT, "{}", none.body);
    let shown = root.post("/account/second-step", &[("password", PASSWORD)]).await;
    assert_eq!(shown.headers[header::CACHE_CONTROL], "no-store");
    assert!(shown.body.contains("<svg class=\"qr\""), "{}", shown.body);
    let secret = secret_of(&shown.body);
    let typed = secret.typed();
    // Until a code is right nothing is asked for.
    let mut other = app.browser();
    assert_eq!(password(&mut other, "root").await.location(), "/submissions");
    let again = root.post("/account/second-step/confirm", &[("code", &wrong(&app, &secret))]).await;
    assert_eq!(again.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(!again.body.contains(&typed), "{}", again.body);
    let done = root.post("/account/second-step/confirm", &[("code", &code(&app, &secret))]).await;
    assert_eq!((done.status, &done.headers[header::CACHE_CONTROL]), (StatusCode::OK, &"no-store".parse().unwrap()));
    let codes = codes_of(&done.body);
    assert_eq!(codes.len(), RECOVERY_CODES);
    assert!(is_in(&mut root).await && !is_in(&mut elsewhere).await && !is_in(&mut other).await, "the others are out");
    for path in ["/account/second-step", "/account", "/admin/people/1", "/admin/log"] {
        let page = root.get(path).await.body;
        assert!(!page.contains(&typed) && !page.contains(&codes[0]), "{path}: {page}");
    }
    let late = root.post("/account/second-step", &[("password", PASSWORD)]).await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    assert!(!late.body.contains("id=\"secret\""), "{}", late.body);
    let late = root.post("/account/second-step/confirm", &[("code", &code(&app, &secret))]).await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    assert!(!late.body.contains("id=\"codes\""), "{}", late.body);
    // The codes lie in the file as hashes only.
    let files = ["", "-wal"].map(|end| std::fs::read(format!("{}{end}", app.database().display())).unwrap());
    let holds = |text: &str| files.iter().any(|file| file.windows(text.len()).any(|window| window == text.as_bytes()));
    assert!(holds("second_step.on"), "the act is there");
    assert!(!holds(&codes[0]) && !holds(&codes[0].replace('-', "")));
    let by_root = (Some("root".to_owned()), "root".to_owned(), Some("192.0.2.7".to_owned()));
    assert_eq!(acts(&app, "second_step.on").await, [by_root]);
}

#[tokio::test]
async fn it_is_asked_for_after_the_password_and_each_code_opens_once() {
    let app = TestApp::new().await;
    let mut root = app.staff("root").await;
    let (secret, _) = set_up(&app, &mut root).await;
    let mut browser = app.browser();
    assert_eq!(browser.get("/login/code").await.location(), "/login", "the password comes first");
    let answer = password(&mut browser, "root").await;
    assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, "/login/code?next=%2Fsubmissions"));
    let cookie = answer.headers.get_all(header::SET_COOKIE).iter().next().unwrap().to_str().unwrap();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax") && cookie.contains("Max-Age=600"),
        "{cookie}"
    );
    assert!(!is_in(&mut browser).await, "the password alone opens nothing");
    let form = browser.get(answer.location()).await;
    assert!(form.body.contains("autocomplete=\"one-time-code\"") && form.body.contains("value=\"/submissions\""));
    let no = browser.post("/login/code", &[("code", &wrong(&app, &secret)), ("next", "/submissions")]).await;
    assert_eq!(no.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(no.body.contains("This code is not right") && !is_in(&mut browser).await);
    // With a space in the middle, as apps show it.
    let used = code(&app, &secret);
    let spaced = format!("{} {}", &used[..3], &used[3..]);
    let yes = browser.post("/login/code", &[("code", &spaced), ("next", "/submissions")]).await;
    assert_eq!((yes.status, yes.location()), (StatusCode::SEE_OTHER, "/submissions"));
    assert!(is_in(&mut browser).await);

    // Somebody who looked over the shoulder has the password and the code of this half minute.
    let mut thief = app.browser();
    password(&mut thief, "root").await;
    for ms in [0, STEP_MS - 1] {
        app.pass_ms(ms);
        let no = thief.post("/login/code", &[("code", &used)]).await;
        assert_eq!(no.status, StatusCode::UNPROCESSABLE_ENTITY, "used codes are used");
    }
    let mut late = app.browser();
    password(&mut late, "root").await;
    app.pass_ms(HALF_MS);
    let gone = late.post("/login/code", &[("code", &code(&app, &secret))]).await;
    assert_eq!(gone.location(), "/login", "the password was long ago");
    assert!(!is_in(&mut late).await);
    // A password that is set by a link is no way around it.
    let link = app.state.service.password_link(None, "root", app.now()).await.unwrap();
    let mut finder = app.browser();
    let form = [("password", "battery staple"), ("again", "battery staple")];
    let answer = finder.post(&format!("/password/{link}"), &form).await;
    assert_eq!(answer.location(), "/login/code?next=%2F");
    assert!(!is_in(&mut finder).await);
}

#[tokio::test]
async fn wrong_codes_are_looked_at_as_rarely_as_wrong_passwords() {
    let app = TestApp::new().await;
    let mut root = app.staff("root").await;
    let (secret, codes) = set_up(&app, &mut root).await;
    app.pass_ms(WINDOW_MS);
    let mut thief = app.browser();
    password(&mut thief, "root").await;
    for _ in 0..PER_ACCOUNT {
        let no = thief.post("/login/code", &[("code", &wrong(&app, &secret))]).await;
        assert_eq!(no.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    for right in [code(&app, &secret), codes[0].clone()] {
        let no = thief.post("/login/code", &[("code", &right)]).await;
        assert_eq!(no.status, StatusCode::TOO_MANY_REQUESTS, "not looked at");
        let after: i64 = no.headers[header::RETRY_AFTER].to_str().unwrap().parse().unwrap();
        assert!((1..=WINDOW_MS / 1_000).contains(&after), "{after}");
    }
    assert_eq!(password(&mut app.browser(), "root").await.status, StatusCode::TOO_MANY_REQUESTS, "one count for both");
    app.pass_ms(WINDOW_MS);
    let yes = thief.post("/login/code", &[("code", &code(&app, &secret))]).await;
    assert_eq!(yes.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn a_recovery_code_stands_in_for_the_app_once() {
    let app = TestApp::new().await;
    let mut root = app.staff("root").await;
    let (secret, codes) = set_up(&app, &mut root).await;
    let mut browser = app.browser();
    password(&mut browser, "root").await;
    let typed = format!(" {} ", codes[3].to_uppercase().replace('-', " "));
    assert_eq!(browser.post("/login/code", &[("code", &typed)]).await.status, StatusCode::SEE_OTHER);
    assert!(browser.get("/account/second-step").await.body.contains("9 recovery codes left"));
    assert_eq!(acts(&app, "second_step.recovery").await.len(), 1);
    let mut again = app.browser();
    password(&mut again, "root").await;
    assert_eq!(again.post("/login/code", &[("code", &codes[3])]).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    // New ones end the old ones.
    let no = root.post("/account/second-step/codes", &[("code", "x")]).await;
    assert_eq!(no.status, StatusCode::UNPROCESSABLE_ENTITY);
    let made = root.post("/account/second-step/codes", &[("code", &code(&app, &secret))]).await;
    let new = codes_of(&made.body);
    assert!(new.iter().all(|code| !codes.contains(code)));
    assert_eq!(again.post("/login/code", &[("code", &codes[4])]).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(again.post("/login/code", &[("code", &new[4])]).await.status, StatusCode::SEE_OTHER);
    assert_eq!(acts(&app, "second_step.codes").await.len(), 1);
    app.pass_ms(STEP_MS);
    let off = root.post("/account/second-step/off", &[("code", &code(&app, &secret))]).await;
    assert_eq!(off.location(), "/account/second-step");
    assert_eq!(password(&mut app.browser(), "root").await.location(), "/submissions", "the password is enough again");
    assert_eq!(acts(&app, "second_step.off").await.len(), 1);
}

#[tokio::test]
async fn an_admin_or_the_command_line_helps_who_is_locked_out() {
    let app = TestApp::new().await;
    let (mut root, mut jo) = (app.staff("root").await, app.with_role("jo", Role::Judge).await);
    let (_, _) = set_up(&app, &mut jo).await;
    let list = root.get("/admin/people?q=jo").await.body;
    let start = list.find("row-link\" href=\"").unwrap() + "row-link\" href=\"".len();
    let person = list[start..].split('"').next().unwrap().to_owned();
    assert!(root.get(&person).await.body.contains("Take the second step off"));
    let mut half = app.browser();
    password(&mut half, "jo").await;
    let done = root.post(&format!("{person}/second-step"), &[]).await;
    assert_eq!((done.status, done.location()), (StatusCode::SEE_OTHER, person.as_str()));
    assert!(!root.get(&person).await.body.contains("Take the second step off"));
    assert!(!is_in(&mut jo).await, "sessions end");
    assert_eq!(half.get("/login/code").await.location(), "/login");
    assert_eq!(password(&mut jo, "jo").await.location(), "/submissions");
    assert_eq!(acts(&app, "second_step.reset").await[0].0.as_deref(), Some("root"));
    let (_, _) = set_up(&app, &mut jo).await;
    assert!(app.state.service.reset_second_step(None, "jo", app.now()).await.unwrap());
    assert_eq!(password(&mut app.browser(), "jo").await.location(), "/submissions");
    assert_eq!(acts(&app, "second_step.reset").await[0].0, None, "the command line");
}

async fn api(app: &TestApp, authorization: &str) -> StatusCode {
    let browser = app.browser();
    let request = browser.prepare(Method::GET, "/api/v4/contests/practice/submissions");
    let request = request.header(header::AUTHORIZATION, authorization).body(Body::empty()).unwrap();
    browser.clone().request(request).await.status()
}

#[tokio::test]
async fn where_it_is_a_must_a_role_counts_only_with_it() {
    let app = TestApp::new().await;
    let (mut root, mut jo) = (app.staff("root").await, app.with_role("jo", Role::Judge).await);
    let first = root.post("/admin/second-step", &[("must", "1")]).await;
    assert_eq!(first.status, StatusCode::CONFLICT);
    assert!(first.body.contains("Set up your own second step first"), "{}", first.body);
    let (secret, _) = set_up(&app, &mut root).await;
    assert_eq!(root.post("/admin/second-step", &[("must", "1")]).await.status, StatusCode::SEE_OTHER);
    assert_eq!(root.get("/admin/people").await.status, StatusCode::OK);
    let kept = root.post("/account/second-step/off", &[("code", &code(&app, &secret))]).await;
    assert_eq!(kept.status, StatusCode::CONFLICT, "{}", kept.body);

    let shut = jo.get("/admin").await;
    assert_eq!(shut.status, StatusCode::FORBIDDEN);
    assert!(shut.body.contains("href=\"/account/second-step\"") && shut.body.contains("Your role counts once"));
    assert_eq!(jo.actor(&app).await.role, Role::Contestant, "also for every other use of the role");
    let scopes = Scopes { read: true, submit: true, manage: false };
    let token = app.state.service.create_token(&jo.actor(&app).await, "script", scopes, app.now()).await.unwrap();
    let by_token = async || app.state.service.token_holder(&token, app.now()).await.unwrap().unwrap().0.role;
    assert_eq!(by_token().await, Role::Contestant);
    let basic = |name: &str| format!("Basic {}", base64::prelude::BASE64_STANDARD.encode(format!("{name}:{PASSWORD}")));
    assert_eq!(
        api(&app, &basic("root")).await,
        StatusCode::UNAUTHORIZED,
        "a password alone is not enough for programs"
    );
    assert_eq!(api(&app, &basic("jo")).await, StatusCode::OK);
    let (_, _) = set_up(&app, &mut jo).await;
    assert_eq!(jo.get("/admin").await.status, StatusCode::OK);
    assert_eq!(by_token().await, Role::Judge);
    assert_eq!(api(&app, &basic("jo")).await, StatusCode::UNAUTHORIZED);
    let mut ada = app.contestant("ada").await;
    let page = ada.get("/account/second-step").await.body;
    assert!(page.contains("your account needs none") && !page.contains("type=\"password\""), "{page}");
    let refused = ada.post("/account/second-step", &[("password", PASSWORD)]).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    // And a choice again.
    assert_eq!(root.post("/admin/second-step", &[]).await.status, StatusCode::SEE_OTHER);
    let mut kim = app.with_role("kim", Role::Setter).await;
    assert_eq!(kim.get("/admin").await.status, StatusCode::OK);
    let told = acts(&app, "second_step.must").await;
    assert_eq!(told.len(), 2);
    for (language, word) in [("en", "Second step"), ("zh", "两步登录")] {
        root.language = language;
        for path in ["/account/second-step", "/admin/people", "/account"] {
            assert!(root.get(path).await.body.contains(word), "{path}");
        }
    }
}
