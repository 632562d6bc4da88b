//! Whatever people put into names and texts comes out as text, on every page that anybody can open.

use std::collections::BTreeSet;

use axum::http::{Method, StatusCode, header};
use serde_json::json;
use touchstone::domain::account::Role;
use touchstone::domain::verdict::Verdict::{Accepted, CompileError, WrongAnswer};
use touchstone::store::api_token::Scopes;
use touchstone::store::contest;

use crate::routes::pages;
use crate::world::{Part, TestApp};

/// Would be an element, would end an attribute of either kind and begin a handler, would be an entity.
fn hostile(field: &str) -> String {
    format!("<i id={field}>\"onload=x '{field}' &lt;")
}

/// Every field that somebody fills in and others look at.
const FIELDS: [&str; 12] = [
    "h-team",
    "h-group",
    "h-organization",
    "h-problem",
    "h-contest",
    "h-question",
    "h-answer",
    "h-canned",
    "h-token",
    "h-reason",
    "h-source",
    "h-note",
];

async fn fill(app: &TestApp) {
    app.add_problem("hostile", &hostile("h-problem"), &hostile("h-problem"), 2).await;
    let mut root = app.staff("root").await;
    // Teams, groups and organizations, as a contest's tools write them.
    let rows = [
        ("groups.json", json!([{"id": "g1", "name": hostile("h-group"), "hidden": false}])),
        (
            "organizations.json",
            json!([{"id": "o1", "name": hostile("h-organization"), "formal_name": hostile("h-organization")}]),
        ),
        (
            "teams.json",
            json!([{"id": "t1", "name": hostile("h-team"), "display_name": hostile("h-team"), "group_ids": ["g1"], "organization_id": "o1"}]),
        ),
        (
            "accounts.json",
            json!([{"id": "a1", "username": "tess", "password": "correct horse", "type": "team", "team_id": "t1"}]),
        ),
    ];
    let files: Vec<_> = rows.iter().map(|(name, rows)| json!({"name": name, "text": rows.to_string()})).collect();
    let actor = root.actor(app).await;
    let scopes = Scopes { read: true, submit: true, manage: true };
    let token = app.state.service.create_token(&actor, &hostile("h-token"), scopes, app.now()).await.unwrap();
    let request = root
        .prepare(Method::POST, "/api/v4/touchstone/people/import")
        .header(header::AUTHORIZATION, format!("Bearer {token}"))
        .header(header::CONTENT_TYPE, "application/json")
        .body(json!({"files": files}).to_string().into())
        .unwrap();
    let response = app.browser().request(request).await;
    let status = response.status();
    let said = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
    assert!(status.is_success(), "{}", String::from_utf8_lossy(&said));

    let mut tess = app.browser();
    tess.post("/login", &[("name", "tess"), ("password", "correct horse")]).await;
    tess.post("/account/tokens", &[("name", &*hostile("h-token")), ("may_read", "1")]).await;
    for verdicts in [vec![Accepted, Accepted], vec![Accepted, WrongAnswer], vec![CompileError]] {
        let source = format!("int main() {{}} // {}", hostile("h-source"));
        let file = format!("{}.cpp", "<i id=h-file>");
        let parts = [Part::Text("language", "cpp20"), Part::File("file", &file, source.as_bytes())];
        tess.upload("/problems/hostile/submit", &parts).await;
        app.judge(&verdicts).await;
    }
    tess.post("/clarifications", &[("text", &*hostile("h-question"))]).await;
    root.post("/admin/clarifications", &[("question", "1"), ("text", &*hostile("h-answer"))]).await;
    root.post("/admin/clarifications/canned", &[("text", &*hostile("h-canned"))]).await;
    root.post("/admin/rejudgings", &[("problem", "hostile"), ("reason", &*hostile("h-reason"))]).await;
    root.post("/admin/invitations", &[("places", "3"), ("days", "3"), ("note", &*hostile("h-note"))]).await;
    let name = hostile("h-contest");
    let form = [
        ("slug", "cup"),
        ("name", &*name),
        ("start", "2026-03-01T12:00"),
        ("duration", "5:00"),
        ("penalty", "20"),
        ("scoring", "pass-fail"),
        ("failed_tests", "nothing"),
        ("access", "open"),
        ("language-cpp20", "1"),
    ];
    let made = root.post("/admin/contests", &form).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.body);
    let version = contest::by_slug(app.store.read(), "cup").await.unwrap().unwrap().version.to_string();
    root.post("/admin/contests/cup/problems", &[("version", &*version), ("label-hostile", "A")]).await;
}

#[tokio::test]
async fn no_name_and_no_text_becomes_markup() {
    let app = TestApp::new().await;
    fill(&app).await;
    let mut tess = app.browser();
    tess.post("/login", &[("name", "tess"), ("password", "correct horse")]).await;
    let (mut root, mut judge) = (app.staff("head").await, app.with_role("jo", Role::Judge).await);
    // Addresses of the table of routes, and those of what was filled in.
    let own = [
        "/problems/hostile",
        "/problems/hostile/submit",
        "/submissions/1",
        "/submissions/2",
        "/submissions/3",
        "/submissions?mine=1",
        "/contests/cup",
        "/contests/cup/scoreboard",
        "/contests/cup/clarifications",
        "/contests/cup/submissions",
        "/scoreboard?group=g1",
        "/admin/problems/hostile",
        "/admin/problems/hostile/versions",
        "/admin/contests/cup",
        "/admin/rejudgings/1",
    ];
    let mut seen = BTreeSet::new();
    for browser in [&mut root, &mut judge, &mut tess, &mut app.browser()] {
        for path in pages().iter().map(String::as_str).chain(own) {
            let answer = browser.get(path).await;
            assert_ne!(answer.status, StatusCode::INTERNAL_SERVER_ERROR, "{path}");
            if !answer.body.starts_with("<!doctype html>") {
                continue;
            }
            for field in FIELDS {
                assert!(!answer.body.contains(&format!("<i id={field}")), "{path}: {field} becomes an element");
                assert!(!answer.body.contains(&format!("id={field}>\"onload")), "{path}: {field} ends an attribute");
                assert!(!answer.body.contains(&format!(" '{field}' ")), "{path}: {field} ends an attribute");
                if answer.body.contains(field) {
                    seen.insert(field);
                }
            }
            assert!(!answer.body.contains("<i id=h-file"), "{path}: a file's name becomes an element");
            assert!(
                !answer.body.contains("<script>alert('compiler')"),
                "{path}: the compiler's words become an element"
            );
        }
    }
    let unseen: Vec<&str> = FIELDS.into_iter().filter(|field| !seen.contains(field)).collect();
    assert!(unseen.is_empty(), "no page shows {unseen:?}, so nothing is said of them");
}
