//! The staff's acts by programs: who may call what, each act by its address, and that nothing the staff does is only in
//! the browser.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use serde_json::{Value, json};
use touchstone::domain::account::Role;
use touchstone::domain::verdict::Verdict::{Accepted, WrongAnswer};
use touchstone::store::api_token::Scopes;

use crate::routes::{MANAGE, routes_below};
use crate::staff_acts::kinds_in_sources;
use crate::world::{Part, TestApp};

const ALL: Scopes = Scopes { read: true, submit: true, manage: true };

/// Method, route below `/touchstone`, who may, an address that it leads to.
const ROUTES: &[(&str, &str, Role, &str)] = &[
    ("GET", "/problems", Role::Setter, "/problems"),
    ("POST", "/problems", Role::Setter, "/problems"),
    ("GET", "/problems/{slug}", Role::Setter, "/problems/sum"),
    ("GET", "/problems/{slug}/package", Role::Setter, "/problems/sum/package"),
    ("POST", "/problems/{slug}/state", Role::Admin, "/problems/sum/state"),
    ("POST", "/problems/{slug}/limits", Role::Setter, "/problems/sum/limits"),
    ("GET", "/problems/{slug}/settings", Role::Setter, "/problems/sum/settings"),
    ("POST", "/problems/{slug}/checker", Role::Setter, "/problems/sum/checker"),
    ("POST", "/problems/{slug}/languages", Role::Setter, "/problems/sum/languages"),
    ("POST", "/problems/{slug}/create", Role::Setter, "/problems/sum/create"),
    ("POST", "/problems/{slug}/statement", Role::Setter, "/problems/sum/statement"),
    ("POST", "/problems/{slug}/restore", Role::Setter, "/problems/sum/restore"),
    ("GET", "/problems/{slug}/verification", Role::Setter, "/problems/sum/verification"),
    ("POST", "/problems/{slug}/verification", Role::Setter, "/problems/sum/verification"),
    ("GET", "/problems/{slug}/tests", Role::Setter, "/problems/sum/tests"),
    ("POST", "/problems/{slug}/tests", Role::Setter, "/problems/sum/tests"),
    ("POST", "/problems/{slug}/tests/zip", Role::Setter, "/problems/sum/tests/zip"),
    ("POST", "/problems/{slug}/tests/generate", Role::Setter, "/problems/sum/tests/generate"),
    ("PATCH", "/problems/{slug}/tests/{id}", Role::Setter, "/problems/sum/tests/2"),
    ("DELETE", "/problems/{slug}/tests/{id}", Role::Setter, "/problems/sum/tests/2?version=9"),
    ("GET", "/problems/{slug}/tests/{id}/input", Role::Setter, "/problems/sum/tests/2/input"),
    ("PUT", "/problems/{slug}/tests/{id}/input", Role::Setter, "/problems/sum/tests/2/input?version=9"),
    ("GET", "/problems/{slug}/tests/{id}/answer", Role::Setter, "/problems/sum/tests/2/answer"),
    ("GET", "/problems/{slug}/proposals", Role::Setter, "/problems/sum/proposals"),
    ("GET", "/rejudgings", Role::Judge, "/rejudgings"),
    ("POST", "/rejudgings", Role::Judge, "/rejudgings"),
    ("GET", "/rejudgings/{id}", Role::Judge, "/rejudgings/9"),
    ("POST", "/rejudgings/{id}/apply", Role::Judge, "/rejudgings/9/apply"),
    ("POST", "/rejudgings/{id}/drop", Role::Judge, "/rejudgings/9/drop"),
    ("POST", "/rejudgings/{id}/undo", Role::Judge, "/rejudgings/9/undo"),
    ("GET", "/people", Role::Admin, "/people"),
    ("POST", "/people/import", Role::Admin, "/people/import"),
    ("POST", "/people/{name}/role", Role::Admin, "/people/nobody/role"),
    ("POST", "/people/{name}/disabled", Role::Admin, "/people/nobody/disabled"),
    ("POST", "/people/{name}/sign-out", Role::Admin, "/people/nobody/sign-out"),
    ("POST", "/people/{name}/password-link", Role::Admin, "/people/nobody/password-link"),
    ("POST", "/people/{name}/second-step/reset", Role::Admin, "/people/nobody/second-step/reset"),
    ("GET", "/teams", Role::Admin, "/teams"),
    ("POST", "/teams", Role::Admin, "/teams"),
    ("GET", "/teams/{id}", Role::Admin, "/teams/999"),
    ("PUT", "/teams/{id}", Role::Admin, "/teams/999"),
    ("POST", "/teams/{id}/members", Role::Admin, "/teams/999/members"),
    ("POST", "/teams/{id}/disabled", Role::Admin, "/teams/999/disabled"),
    ("GET", "/groups", Role::Admin, "/groups"),
    ("POST", "/groups", Role::Admin, "/groups"),
    ("PUT", "/groups/{id}", Role::Admin, "/groups/none"),
    ("DELETE", "/groups/{id}", Role::Admin, "/groups/none"),
    ("GET", "/organizations", Role::Admin, "/organizations"),
    ("POST", "/organizations", Role::Admin, "/organizations"),
    ("PUT", "/organizations/{id}", Role::Admin, "/organizations/none"),
    ("DELETE", "/organizations/{id}", Role::Admin, "/organizations/none"),
    ("POST", "/second-step", Role::Admin, "/second-step"),
    ("GET", "/registration", Role::Admin, "/registration"),
    ("POST", "/registration", Role::Admin, "/registration"),
    ("GET", "/invitations", Role::Admin, "/invitations"),
    ("POST", "/invitations", Role::Admin, "/invitations"),
    ("DELETE", "/invitations/{id}", Role::Admin, "/invitations/9"),
    ("GET", "/contests", Role::Judge, "/contests"),
    ("POST", "/contests", Role::Admin, "/contests"),
    ("GET", "/contests/{contest}", Role::Judge, "/contests/practice"),
    ("PATCH", "/contests/{contest}", Role::Admin, "/contests/practice"),
    ("POST", "/contests/{contest}/clone", Role::Admin, "/contests/practice/clone"),
    ("POST", "/contests/{contest}/failed-tests", Role::Judge, "/contests/none/failed-tests"),
    ("PUT", "/contests/{contest}/problems", Role::Admin, "/contests/none/problems"),
    ("PUT", "/contests/{contest}/teams", Role::Admin, "/contests/none/teams"),
    ("POST", "/contests/{contest}/steps", Role::Admin, "/contests/none/steps"),
    ("GET", "/contests/{contest}/clarifications", Role::Judge, "/contests/practice/clarifications"),
    ("POST", "/contests/{contest}/clarifications", Role::Judge, "/contests/practice/clarifications"),
    ("GET", "/canned-answers", Role::Judge, "/canned-answers"),
    ("POST", "/canned-answers", Role::Judge, "/canned-answers"),
    ("DELETE", "/canned-answers/{id}", Role::Judge, "/canned-answers/9"),
    ("GET", "/health", Role::Judge, "/health"),
    ("GET", "/machines", Role::Judge, "/machines"),
    ("POST", "/machines/{name}/state", Role::Admin, "/machines/judge-1/state"),
    ("GET", "/log", Role::Admin, "/log"),
];

/// A program with a token.
struct Program<'a> {
    app: &'a TestApp,
    key: Option<String>,
}

impl<'a> Program<'a> {
    async fn of(app: &'a TestApp, name: &str, scopes: Scopes) -> Self {
        let actor = app.state.service.check_password(name, "correct horse", None, app.now()).await.unwrap();
        let token = app.state.service.create_token(&actor, "program", scopes, app.now()).await.unwrap();
        Self { app, key: Some(format!("Bearer {token}")) }
    }

    async fn raw(&self, method: &str, path: &str, kind: &str, body: Vec<u8>) -> (StatusCode, Vec<u8>) {
        let mut request = Request::builder().method(method).uri(format!("/api/v4/touchstone{path}"));
        if let Some(key) = &self.key {
            request = request.header(header::AUTHORIZATION, key);
        }
        let request = request.header(header::CONTENT_TYPE, kind).body(Body::from(body)).unwrap();
        let response = self.app.browser().request(request).await;
        let status = response.status();
        (status, axum::body::to_bytes(response.into_body(), 64 << 20).await.unwrap().to_vec())
    }

    async fn call(&self, method: &str, path: &str, body: Value) -> (StatusCode, Value) {
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let (status, told) = self.raw(method, path, "application/json", body).await;
        (status, serde_json::from_slice(&told).unwrap_or(Value::Null))
    }

    /// What comes back of a call that is answered well.
    async fn done(&self, method: &str, path: &str, body: Value) -> Value {
        let (status, told) = self.call(method, path, body).await;
        assert!(status.is_success(), "{method} {path}: {status} {told}");
        told
    }

    /// The sentence of a call that is refused with this status.
    async fn refused(&self, method: &str, path: &str, body: Value, wanted: u16) -> String {
        let (status, told) = self.call(method, path, body).await;
        assert_eq!((status.as_u16(), told["code"].as_u64()), (wanted, Some(wanted.into())), "{method} {path}: {told}");
        told["message"].as_str().unwrap().to_owned()
    }
}

#[test]
fn every_route_has_a_line() {
    let known: BTreeSet<(String, String)> =
        ROUTES.iter().map(|&(method, path, ..)| (method.to_owned(), format!("/touchstone{path}"))).collect();
    assert_eq!(routes_below(MANAGE), known);
}

#[test]
fn every_address_is_told_to_people() {
    let told = fs::read_to_string("docs/managing.md").unwrap();
    for (method, path, ..) in ROUTES {
        let last = path.rsplit('/').next().unwrap();
        let line = told.lines().find(|line| line.starts_with('|') && line.contains(method) && line.contains(path));
        let short = told.lines().find(|line| line.contains(method) && line.contains(&format!("`.../{last}`")));
        let deep =
            told.lines().find(|line| line.contains(&format!("second-step/{last}`")) && path.contains("second-step"));
        assert!(line.or(short).or(deep).is_some(), "docs/managing.md doesn't tell {method} {path}");
    }
}

#[tokio::test]
async fn the_document_says_what_the_addresses_take() {
    let app = TestApp::new().await;
    app.staff("root").await;
    let root = Program::of(&app, "root", ALL).await;
    let mut browser = app.browser();
    let document: Value = serde_json::from_str(&browser.get("/api/v4/touchstone/openapi.json").await.body).unwrap();
    let mut told = BTreeSet::new();
    let words = |text: &str| -> BTreeSet<String> { text.split('`').skip(3).step_by(2).map(str::to_owned).collect() };
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let method = method.to_uppercase();
            let (.., role, address) =
                ROUTES.iter().find(|one| (one.0, one.1) == (method.as_str(), path.as_str())).unwrap();
            assert_eq!(operation["x-least-role"], role.as_str(), "{method} {path}");
            told.insert((method.clone(), format!("/touchstone{path}")));
            // An address that is asked for what it doesn't know names what it knows.
            let asked = operation["parameters"].as_array().unwrap().iter().filter(|one| one["in"] == "query");
            let asked: BTreeSet<String> = asked.map(|one| one["name"].as_str().unwrap().to_owned()).collect();
            if !asked.is_empty() {
                let plain = address.split('?').next().unwrap();
                let (status, answer) = root.call(&method, &format!("{plain}?nosuch=1"), json!({})).await;
                assert!(status.is_client_error(), "{method} {path}: {answer}");
                let known = words(answer["message"].as_str().unwrap().split_once("unknown field").unwrap().1);
                assert_eq!(known, asked, "{method} {path}: {answer}");
            }
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            let Some(fields) = schema["properties"].as_object() else { continue };
            let mut fields: BTreeSet<String> = fields.keys().cloned().collect();
            let mut body = json!({"nosuch": 1});
            // Of what is made with an id of its own choice, the id is told apart.
            if method == "POST" && ["/contests", "/groups", "/organizations"].contains(&path.as_str()) {
                body["id"] = json!("x");
                fields.remove("id");
            }
            let (status, answer) = root.call(&method, address, body).await;
            assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{method} {path}: {answer}");
            let known = answer["message"].as_str().unwrap().split_once("unknown field").unwrap().1;
            let mut known = words(known);
            // Both kinds are read alike; each is told without what only the other has.
            if path.starts_with("/groups") || path.starts_with("/organizations") {
                known.retain(|name| fields.contains(name));
            }
            if path.starts_with("/contests") {
                known.retain(|name| name != "version" || fields.contains(name));
            }
            assert_eq!(known, fields, "{method} {path}: {answer}");
        }
    }
    assert_eq!(told, routes_below(MANAGE));
    for language in ["en", "zh"] {
        browser.language = language;
        let page = browser.get("/help/api/managing").await;
        assert!(page.status == StatusCode::OK && page.body.len() < 60_000, "{}", page.body.len());
        for (method, path, ..) in ROUTES {
            assert!(page.body.contains(&format!("{method} {path}</code>")), "{method} {path}");
        }
    }
}

#[tokio::test]
async fn every_route_lets_in_just_whom_it_should() {
    let app = TestApp::new().await;
    let mut programs = Vec::new();
    for role in Role::ALL.into_iter().filter(|role| *role != Role::Contestant) {
        app.with_role(role.as_str(), role).await;
        programs.push((role, Program::of(&app, role.as_str(), ALL).await));
    }
    // A contestant can't make such a token, but may have one from before.
    app.with_role("was-judge", Role::Judge).await;
    let was = Program::of(&app, "was-judge", ALL).await;
    app.state.service.set_role(None, "was-judge", Role::Contestant, app.now()).await.unwrap();
    programs.push((Role::Contestant, was));
    let reader = Program::of(&app, "admin", Scopes { manage: false, ..ALL }).await;
    let nobody = Program { app: &app, key: None };
    for &(method, route, least, address) in ROUTES {
        let shown = format!("{method} {route}");
        for (program, wanted) in [(&nobody, StatusCode::UNAUTHORIZED), (&reader, StatusCode::FORBIDDEN)] {
            let (status, told) = program.call(method, address, json!({})).await;
            assert_eq!(status, wanted, "{shown}");
            assert!(told["message"].as_str().is_some_and(|it| it.contains("/account")), "{shown}: {told}");
        }
        for (role, program) in &programs {
            let (status, told) = program.call(method, address, json!({})).await;
            assert!(!status.is_server_error() && status != StatusCode::METHOD_NOT_ALLOWED, "{shown}: {status}");
            // A body that can't be read is told to all alike: that says nothing about the judge.
            let unreadable = status == StatusCode::UNPROCESSABLE_ENTITY && *role < least;
            if !unreadable {
                assert_eq!(status == StatusCode::FORBIDDEN, *role < least, "{shown} as {role}: {status} {told}");
            }
            assert!(status.is_success() || told["message"].is_string(), "{shown} as {role}: {status} {told}");
        }
    }
    let mut admin = app.browser();
    admin.post("/login", &[("name", "admin"), ("password", "correct horse"), ("next", "/")]).await;
    assert_eq!(admin.get("/api/v4/touchstone/people").await.status, StatusCode::UNAUTHORIZED, "a cookie is no token");
}

#[tokio::test]
async fn problems_and_tests_are_managed() {
    let app = TestApp::new().await;
    app.staff("root").await;
    let root = Program::of(&app, "root", ALL).await;
    let all = root.done("GET", "/problems", Value::Null).await;
    let sum = all.as_array().unwrap().iter().find(|one| one["id"] == "sum").expect("the problem");
    assert_eq!((&sum["state"], &sum["tests"]), (&json!("published"), &json!(3)), "{all}");
    let tests = root.done("GET", "/problems/sum/tests", Value::Null).await;
    assert_eq!((&tests["version"], tests["tests"].as_array().map(Vec::len)), (&json!(1), Some(3)));
    let id = tests["tests"][1]["id"].as_str().unwrap();
    let (status, input) = root.raw("GET", &format!("/problems/sum/tests/{id}/input"), "text/plain", Vec::new()).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(input.len() as u64, tests["tests"][1]["input"]["bytes"].as_u64().unwrap());

    // One change at a time, of the version that was looked at.
    let path = format!("/problems/sum/tests/{id}");
    let told = root.refused("PATCH", &path, json!({"version": 1}), 400).await;
    assert!(told.contains("give one of"), "{told}");
    let told = root.refused("PATCH", &path, json!({"version": 7, "place": 1}), 409).await;
    assert!(told.contains("version 1 is the newest"), "{told}");
    let told = root.refused("PATCH", &path, json!({"versoin": 1, "place": 1}), 422).await;
    assert!(told.contains("versoin"), "{told}");
    root.done("PATCH", &path, json!({"version": 1, "place": 1, "reason": "first"})).await;
    app.verify(true).await;
    let tests = root.done("GET", "/problems/sum/tests", Value::Null).await;
    assert_eq!((&tests["version"], &tests["tests"][0]["name"]), (&json!(2), &json!("secret/02")), "{tests}");
    let path = format!("/problems/sum/tests/{}", tests["tests"][0]["id"].as_str().unwrap());
    root.done("PATCH", &path, json!({"version": 2, "group": "secret/large"})).await;
    app.verify(true).await;
    root.done("PATCH", &path, json!({"version": 3, "sample": true})).await;
    app.verify(true).await;
    let told = root.refused("DELETE", &format!("{path}?version=4"), Value::Null, 422).await;
    assert!(told.contains("reason"), "{told}");
    root.done("DELETE", &format!("{path}?version=4&reason=twice%20there"), Value::Null).await;
    app.verify(true).await;

    // New tests by their input alone.
    let (status, _) = root.raw("POST", "/problems/sum/tests?name=big", "text/plain", b"7 8\n".to_vec()).await;
    assert_eq!(status, StatusCode::ACCEPTED);
    root.done("POST", "/problems/sum/tests/generate", json!({"command": "random_numbers 9", "name": "made"})).await;
    let tests = root.done("GET", "/problems/sum/tests", Value::Null).await;
    let last = tests["tests"][1]["id"].as_str().unwrap();
    let edit = format!("/problems/sum/tests/{last}/input?version=5");
    assert_eq!(root.raw("PUT", &edit, "text/plain", b"40 2\n".to_vec()).await.0, StatusCode::ACCEPTED);
    assert_eq!(root.raw("POST", "/problems/sum/tests/zip", "application/zip", b"no zip".to_vec()).await.0, 422);
    let offered = root.done("GET", "/problems/sum/proposals", Value::Null).await;
    let waiting: Vec<&Value> = offered.as_array().unwrap().iter().map(|one| &one["state"]).collect();
    assert_eq!(waiting, [&json!("queued"); 3], "{offered}");
    let (status, told) = root.raw("POST", "/problems", "application/zip", b"no zip".to_vec()).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{}", String::from_utf8_lossy(&told));

    // What makes another version of the package.
    let settings = root.done("GET", "/problems/paths/settings", Value::Null).await;
    assert_eq!(settings, json!({"checker": {"arguments": []}, "languages": null}));
    let told = root.refused("POST", "/problems/paths/limits", json!({"version": 1, "cpu_ms": 0, "memory_mib": 1}), 422);
    assert!(told.await.contains("600 seconds"));
    let told =
        root.refused("POST", "/problems/paths/checker", json!({"version": 1, "float_absolute_tolerance": -1.0}), 422);
    assert!(told.await.contains("as in 1e-6"));
    let told = root.refused("POST", "/problems/paths/languages", json!({"version": 1, "languages": []}), 422).await;
    assert!(told.contains("at least one language"), "{told}");
    let checker = json!({"version": 1, "case_sensitive": true, "float_absolute_tolerance": 1e-6});
    root.done("POST", "/problems/paths/checker", checker.clone()).await;
    root.refused("POST", "/problems/paths/checker", checker, 409).await;
    app.refuse_package().await;
    root.done("POST", "/problems/paths/languages", json!({"version": 1, "languages": ["cpp20", "python3"]})).await;
    app.refuse_package().await;
    root.done("POST", "/problems/paths/statement", json!({"version": 1, "language": "en", "text": "Go."})).await;
    app.refuse_package().await;
    let shown = root.done("GET", "/problems/paths", Value::Null).await;
    assert_eq!((&shown["version"], shown["versions"].as_array().map(Vec::len)), (&json!(1), Some(4)), "{shown}");
    root.done("POST", "/problems/paths/restore", json!({"version": 1, "restore": 3})).await;
    root.done("POST", "/problems/sum/verification", Value::Null).await;
    let verification = root.done("GET", "/problems/sum/verification", Value::Null).await;
    assert_eq!(verification["verification"]["state"], "queued", "{verification}");
    root.done("POST", "/problems/next/create", Value::Null).await;
    assert!(root.refused("POST", "/problems/sum/create", Value::Null, 409).await.contains("already"));
    let (status, zip) = root.raw("GET", "/problems/sum/package", "", Vec::new()).await;
    assert_eq!((status, &zip[..2]), (StatusCode::OK, &b"PK"[..]));
    assert!(root.refused("POST", "/problems/sum/state", json!({"state": "gone"}), 400).await.contains("withdrawn"));
    root.done("POST", "/problems/sum/state", json!({"state": "withdrawn"})).await;
    let all = root.done("GET", "/problems", Value::Null).await;
    assert!(all.as_array().unwrap().iter().any(|one| one["id"] == "sum" && one["state"] == "withdrawn"), "{all}");
}

#[tokio::test]
async fn rejudgings_people_and_messages_are_managed() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    app.staff("root").await;
    let root = Program::of(&app, "root", ALL).await;
    ada.upload("/problems/sum/submit", &[Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")]).await;
    app.judge(&[Accepted; 3]).await;
    assert!(root.refused("POST", "/rejudgings", json!({"selection": {}}), 422).await.contains("at least one of"));
    let begun = root.done("POST", "/rejudgings", json!({"selection": {"problem": "sum"}, "reason": "a fault"})).await;
    assert_eq!((&begun["id"], &begun["judgements"]), (&json!(1), &json!(1)), "{begun}");
    assert!(root.refused("POST", "/rejudgings/1/apply", Value::Null, 409).await.contains("not done yet"));
    app.judge(&[WrongAnswer]).await;
    let shown = root.done("GET", "/rejudgings/1", Value::Null).await;
    assert_eq!((&shown["changes"][0]["before"], &shown["changes"][0]["after"]), (&json!("AC"), &json!("WA")));
    assert!(root.refused("POST", "/rejudgings/1/apply?seen=other", Value::Null, 409).await.contains("no longer what"));
    let digest = shown["digest"].as_str().unwrap();
    root.done("POST", &format!("/rejudgings/1/apply?seen={digest}"), Value::Null).await;
    assert!(ada.get("/submissions/1").await.body.contains("Wrong answer on test 1"));
    root.done("POST", "/rejudgings/1/undo", Value::Null).await;
    root.refused("POST", "/rejudgings/1/drop", Value::Null, 409).await;
    assert_eq!(root.done("GET", "/rejudgings", Value::Null).await[0]["reason"], "a fault");

    let files = json!([{"name": "a.csv", "text": "username,role\n-x,\nann,king\n"}]);
    let told = root.refused("POST", "/people/import", json!({"files": files}), 422).await;
    assert!(told.contains("a.csv:2: ") && told.contains("a.csv:3: "), "{told}");
    let files = json!([{"name": "a.csv", "text": "username,role,team\nann,,Lynx\n"}]);
    let plan = root.done("POST", "/people/import", json!({"files": files, "dry_run": true})).await;
    assert_eq!(plan["accounts"][0]["username"], "ann", "{plan}");
    let made = root.done("POST", "/people/import", json!({"files": files})).await;
    assert!(made["logins"][0]["password"].as_str().is_some_and(|password| password.len() >= 8), "{made}");
    root.refused("POST", "/people/ann/role", json!({"role": "setter", "seen": "judge"}), 409).await;
    root.done("POST", "/people/ann/role", json!({"role": "setter"})).await;
    root.done("POST", "/people/ann/disabled", json!({"disabled": true})).await;
    root.done("POST", "/people/ann/sign-out", Value::Null).await;
    let link = root.done("POST", "/people/ann/password-link", Value::Null).await;
    assert!(link["path"].as_str().unwrap().starts_with("/password/"));
    let people = root.done("GET", "/people?prefix=an&disabled=true", Value::Null).await;
    assert_eq!((&people[0]["name"], &people[0]["role"]), (&json!("ann"), &json!("setter")), "{people}");
    assert!(root.refused("POST", "/people/root/role", json!({"role": "judge"}), 409).await.contains("last admin"));
    root.done("POST", "/groups", json!({"id": "juniors", "name": "Juniors"})).await;
    root.done("POST", "/organizations", json!({"name": "Hill", "country": "nor"})).await;
    assert!(root.refused("POST", "/groups", json!({"name": "X", "hiden": true}), 422).await.contains("hiden"));
    let made = root.done("POST", "/teams", json!({"name": "Owls", "organization": "1", "groups": ["juniors"]})).await;
    let owls = format!("/teams/{}", made["id"].as_str().unwrap());
    assert!(root.refused("POST", "/teams", json!({"name": "Owls"}), 409).await.contains("called `Owls`"));
    root.done("POST", &format!("{owls}/members"), json!({"join": "ann"})).await;
    let shown = root.done("GET", &owls, Value::Null).await;
    let told = (&shown["organization"], &shown["groups"], &shown["members"][0]["name"]);
    assert_eq!(told, (&json!("1"), &json!(["juniors"]), &json!("ann")), "{shown}");
    let edit = format!("{owls}?seen={}", shown["seen"].as_str().unwrap());
    root.done("PUT", &edit, json!({"name": "Grey Owls", "hidden": true})).await;
    assert!(root.refused("PUT", &edit, json!({"name": "Owls"}), 409).await.contains("somebody else"));
    root.done("POST", &format!("{owls}/disabled"), json!({"disabled": true})).await;
    root.refused("POST", &format!("{owls}/members"), json!({"leave": "root"}), 409).await;
    let listed = root.done("GET", "/teams?contains=owls&hidden=true", Value::Null).await;
    assert_eq!((&listed[0]["name"], &listed[0]["member_count"]), (&json!("Grey Owls"), &json!(1)), "{listed}");
    root.done("PUT", "/groups/juniors", json!({"name": "Seniors"})).await;
    root.done("PUT", "/organizations/1", json!({"name": "Vale", "formal_name": "Vale School"})).await;
    root.refused("PUT", "/organizations/2", json!({"name": "Vale"}), 404).await;
    assert_eq!(root.done("GET", "/groups?contains=sen", Value::Null).await[0]["id"], "juniors");
    assert_eq!(root.done("GET", "/organizations", Value::Null).await[0]["formal_name"], "Vale School");
    root.refused("DELETE", "/organizations/1?seen=other", Value::Null, 409).await;
    root.done("DELETE", "/organizations/1", Value::Null).await;
    root.refused("DELETE", "/organizations/1", Value::Null, 404).await;
    root.done("POST", "/registration", json!({"registration": "closed"})).await;
    assert_eq!(root.done("GET", "/registration", Value::Null).await, json!({"registration": "closed"}));
    root.done("POST", "/invitations", json!({"places": 2, "days": 3})).await;
    root.done("DELETE", "/invitations/1", Value::Null).await;
    assert!(root.done("GET", "/invitations", Value::Null).await[0]["revoked"].is_i64());

    ada.post("/clarifications", &[("text", "why?"), ("problem", "")]).await;
    let messages = "/contests/practice/clarifications";
    let threads = root.done("GET", messages, Value::Null).await;
    assert_eq!((&threads[0]["text"], &threads[0]["answers"]), (&json!("why?"), &json!([])), "{threads}");
    root.done("POST", messages, json!({"reply_to": 1, "text": "because"})).await;
    root.done("POST", messages, json!({"text": "lunch", "problem": "sum"})).await;
    let seen = ada.get("/clarifications").await.body;
    assert!(seen.contains("because") && seen.contains("lunch"), "{seen}");
    root.done("POST", "/canned-answers", json!({"text": "Read it."})).await;
    assert_eq!(root.done("GET", "/canned-answers", Value::Null).await, json!([{"id": "1", "text": "Read it."}]));
    root.done("DELETE", "/canned-answers/1", Value::Null).await;
    app.machine("judge-1").await;
    root.done("POST", "/machines/judge-1/state", json!({"state": "draining"})).await;
    root.refused("POST", "/machines/judge-2/state", json!({"state": "draining"}), 404).await;
    let machines = root.done("GET", "/machines", Value::Null).await;
    assert_eq!((&machines[0]["name"], &machines[0]["state"]), (&json!("judge-1"), &json!("draining")), "{machines}");
    let health = root.done("GET", "/health", Value::Null).await;
    assert!(health["queue"].is_array() && health["database_bytes"].as_u64().unwrap() > 0, "{health}");
    let log = root.done("GET", "/log?subject=ann&act=account.role", Value::Null).await;
    assert_eq!((&log[0]["actor"], &log[0]["after"]), (&json!("root"), &json!("setter")), "{log}");
}

#[tokio::test]
async fn contests_are_made_set_and_run() {
    let app = TestApp::new().await;
    app.contestant("ada").await;
    app.staff("root").await;
    let root = Program::of(&app, "root", ALL).await;
    let cup = "/contests/cup";
    let start = app.now().plus_ms(3_600_000);
    let settings = json!({
        "id": "cup", "name": "City Cup", "start": start, "duration_ms": 18_000_000, "freeze_ms": 3_600_000,
        "access": "invitation", "languages": ["cpp20"],
    });
    root.done("POST", "/contests", settings.clone()).await;
    assert!(root.refused("POST", "/contests", settings, 409).await.contains("already"));
    for (body, words) in [
        (json!({"id": "x", "nmae": "X"}), "nmae"),
        (json!({"id": "x", "scoring": "golf"}), "`golf` is no Scoring"),
        (json!({"id": "x", "freeze_ms": 18_000_001}), "longer than the contest"),
        (json!({"id": "x", "duration_ms": 0}), "more than 0 ms"),
        (json!({"id": "No"}), "No"),
    ] {
        let told = root.refused("POST", "/contests", body, 422).await;
        assert!(told.contains(words), "{words}: {told}");
    }
    let shown = root.done("GET", cup, Value::Null).await;
    let told = (&shown["name"], &shown["state"], &shown["freeze_ms"], &shown["languages"]);
    assert_eq!(told, (&json!("City Cup"), &json!("before"), &json!(3_600_000), &json!(["cpp20"])), "{shown}");
    let version = &shown["version"];
    let problems = json!({"version": version, "problems": [{"id": "paths", "label": "A"}, {"id": "sum", "label": "B", "rgb": "#123456"}]});
    root.done("PUT", "/contests/cup/problems", problems.clone()).await;
    assert!(root.refused("PUT", "/contests/cup/problems", problems, 409).await.contains("somebody else"));
    root.done("PUT", "/contests/cup/teams", json!({"teams": ["ada"]})).await;
    let told = root.refused("PUT", "/contests/cup/teams", json!({"teams": ["nobody"]}), 422).await;
    assert!(told.contains("no team `nobody`"), "{told}");
    // What isn't named stays; null is named.
    root.done("PATCH", cup, json!({"name": "Cup", "freeze_ms": null, "languages": null})).await;
    let shown = root.done("GET", cup, Value::Null).await;
    let told = (&shown["name"], &shown["freeze_ms"], &shown["languages"], &shown["duration_ms"], &shown["teams"]);
    assert_eq!(told, (&json!("Cup"), &Value::Null, &Value::Null, &json!(18_000_000), &json!(["ada"])), "{shown}");
    assert_eq!(shown["problems"][1], json!({"id": "sum", "label": "B", "rgb": "#123456"}));
    let late = json!({"version": version, "name": "Late"});
    assert!(root.refused("PATCH", cup, late, 409).await.contains("somebody else"));
    root.done("POST", "/contests/cup/failed-tests", json!({"failed_tests": "number"})).await;
    root.done("POST", "/contests/cup/clone", json!({"id": "next", "start": start})).await;
    assert_eq!(root.done("GET", "/contests/next", Value::Null).await["teams"], json!(["ada"]));

    let steps = "/contests/cup/steps";
    assert!(root.refused("POST", steps, json!({"step": "end"}), 409).await.contains("not begun"));
    assert!(root.refused("POST", steps, json!({"step": "jump"}), 400).await.contains("one of start"));
    assert!(root.refused("POST", steps, json!({"step": "extend"}), 400).await.contains("milliseconds"));
    for step in [
        json!({"step": "start"}),
        json!({"step": "pause"}),
        json!({"step": "resume"}),
        json!({"step": "extend", "ms": 600_000}),
    ] {
        root.done("POST", steps, step).await;
    }
    root.done("PATCH", cup, json!({"freeze_ms": 18_600_000})).await;
    app.pass_ms(60_000);
    for step in ["end", "finalize", "thaw"] {
        root.done("POST", steps, json!({ "step": step })).await;
    }
    let all = root.done("GET", "/contests", Value::Null).await;
    let cup = all.as_array().unwrap().iter().find(|one| one["id"] == "cup").unwrap();
    assert_eq!(cup["state"], "final", "{all}");
    assert!(
        root.refused("POST", "/contests/practice/steps", json!({"step": "end"}), 409).await.contains("always open")
    );
    let log = root.done("GET", "/log?subject=cup", Value::Null).await;
    let acts: BTreeSet<&str> = log.as_array().unwrap().iter().map(|act| act["act"].as_str().unwrap()).collect();
    let wanted = ACTS.iter().map(|(act, ..)| *act).filter(|act| act.starts_with("contest.") && *act != "contest.clone");
    assert_eq!(acts, wanted.collect(), "{log}");
}

/// Where an act is done: a page's route, a command, an API route; or why there is none.
#[derive(Clone, Copy)]
enum Place {
    At(&'static str),
    Not(&'static str),
}

use Place::{At, Not};

const ONE_S_OWN: &str = "what people do for themselves needs their password";

/// Each kind of act of the staff: page, command, API.
const ACTS: &[(&str, Place, Place, Place)] = &[
    ("account.create", At("POST /admin/people/import/{id}"), At("user create"), At("POST /people/import")),
    ("account.role", At("POST /admin/people/{id}/role"), At("account role"), At("POST /people/{name}/role")),
    (
        "account.disable",
        At("POST /admin/people/{id}/disabled"),
        At("account disable"),
        At("POST /people/{name}/disabled"),
    ),
    (
        "account.enable",
        At("POST /admin/people/{id}/disabled"),
        At("account enable"),
        At("POST /people/{name}/disabled"),
    ),
    (
        "account.sign_out",
        At("POST /admin/people/{id}/sign-out"),
        At("account sign-out"),
        At("POST /people/{name}/sign-out"),
    ),
    (
        "account.password_link",
        At("POST /admin/people/{id}/password-link"),
        At("account password-link"),
        At("POST /people/{name}/password-link"),
    ),
    ("account.password", At("POST /password/{token}"), Not(ONE_S_OWN), Not(ONE_S_OWN)),
    (
        "account.first_admin",
        At("POST /setup/{token}"),
        At("user create"),
        Not("before there is an admin there is no token"),
    ),
    ("roster.import", At("POST /admin/people/import/{id}"), At("account import"), At("POST /people/import")),
    ("team.create", At("POST /admin/teams"), At("team create"), At("POST /teams")),
    ("team.edit", At("POST /admin/teams/{id}"), At("team edit"), At("PUT /teams/{id}")),
    ("team.join", At("POST /admin/teams/{id}/members"), At("team join"), At("POST /teams/{id}/members")),
    ("team.leave", At("POST /admin/teams/{id}/members"), At("team leave"), At("POST /teams/{id}/members")),
    ("team.disable", At("POST /admin/teams/{id}/disabled"), At("team disable"), At("POST /teams/{id}/disabled")),
    ("team.enable", At("POST /admin/teams/{id}/disabled"), At("team enable"), At("POST /teams/{id}/disabled")),
    ("group.create", At("POST /admin/groups"), At("team group create"), At("POST /groups")),
    ("group.edit", At("POST /admin/groups/{id}"), At("team group edit"), At("PUT /groups/{id}")),
    ("group.delete", At("POST /admin/groups/{id}/delete"), At("team group delete"), At("DELETE /groups/{id}")),
    ("organization.create", At("POST /admin/organizations"), At("team organization create"), At("POST /organizations")),
    (
        "organization.edit",
        At("POST /admin/organizations/{id}"),
        At("team organization edit"),
        At("PUT /organizations/{id}"),
    ),
    (
        "organization.delete",
        At("POST /admin/organizations/{id}/delete"),
        At("team organization delete"),
        At("DELETE /organizations/{id}"),
    ),
    ("registration.set", At("POST /admin/registration"), At("account registration"), At("POST /registration")),
    ("invitation.make", At("POST /admin/invitations"), At("account invite"), At("POST /invitations")),
    (
        "invitation.revoke",
        At("POST /admin/invitations/{id}/revoke"),
        At("account revoke"),
        At("DELETE /invitations/{id}"),
    ),
    (
        "second_step.reset",
        At("POST /admin/people/{id}/second-step"),
        At("account reset-second-step"),
        At("POST /people/{name}/second-step/reset"),
    ),
    ("second_step.must", At("POST /admin/second-step"), At("account second-step"), At("POST /second-step")),
    ("second_step.on", At("POST /account/second-step/confirm"), Not(ONE_S_OWN), Not(ONE_S_OWN)),
    ("second_step.codes", At("POST /account/second-step/codes"), Not(ONE_S_OWN), Not(ONE_S_OWN)),
    ("second_step.off", At("POST /account/second-step/off"), Not(ONE_S_OWN), Not(ONE_S_OWN)),
    ("second_step.recovery", At("POST /login/code"), Not(ONE_S_OWN), Not(ONE_S_OWN)),
    ("machine.state", At("POST /admin/machines/{name}/state"), At("farm drain"), At("POST /machines/{name}/state")),
    ("token.create", At("POST /account/tokens"), At("account token"), Not("a token makes no other tokens")),
    ("token.revoke", At("POST /account/tokens/{id}/revoke"), Not(ONE_S_OWN), Not("a token ends no other tokens")),
    ("package.offer", At("POST /admin/import"), At("problem publish"), At("POST /problems")),
    (
        "problem.checker",
        At("POST /admin/problems/{slug}/checker"),
        At("problem checker"),
        At("POST /problems/{slug}/checker"),
    ),
    (
        "problem.languages",
        At("POST /admin/problems/{slug}/languages"),
        At("problem languages"),
        At("POST /problems/{slug}/languages"),
    ),
    (
        "problem.limits",
        At("POST /admin/problems/{slug}/limits"),
        At("problem limits"),
        At("POST /problems/{slug}/limits"),
    ),
    (
        "problem.statement",
        At("POST /admin/problems/{slug}/statement"),
        At("problem statement"),
        At("POST /problems/{slug}/statement"),
    ),
    (
        "problem.restore",
        At("POST /admin/problems/{slug}/versions"),
        At("problem restore"),
        At("POST /problems/{slug}/restore"),
    ),
    (
        "problem.state",
        At("POST /admin/problems/{slug}/state"),
        At("problem withdraw"),
        At("POST /problems/{slug}/state"),
    ),
    (
        "problem.verify",
        At("POST /admin/problems/{slug}/verification"),
        At("problem recheck"),
        At("POST /problems/{slug}/verification"),
    ),
    ("test.propose", At("POST /admin/problems/{slug}/tests/new"), At("test add"), At("POST /problems/{slug}/tests")),
    (
        "test.edit",
        At("POST /admin/problems/{slug}/tests/{id}/edit"),
        At("test edit"),
        At("PUT /problems/{slug}/tests/{id}/input"),
    ),
    (
        "test.move",
        At("POST /admin/problems/{slug}/tests/{id}"),
        At("test move"),
        At("PATCH /problems/{slug}/tests/{id}"),
    ),
    (
        "test.group",
        At("POST /admin/problems/{slug}/tests/{id}"),
        At("test group"),
        At("PATCH /problems/{slug}/tests/{id}"),
    ),
    (
        "test.sample",
        At("POST /admin/problems/{slug}/tests/{id}"),
        At("test sample"),
        At("PATCH /problems/{slug}/tests/{id}"),
    ),
    (
        "test.delete",
        At("POST /admin/problems/{slug}/tests/{id}"),
        At("test delete"),
        At("DELETE /problems/{slug}/tests/{id}"),
    ),
    ("rejudging.begin", At("POST /admin/rejudgings"), At("rejudge start"), At("POST /rejudgings")),
    (
        "rejudging.apply",
        At("POST /admin/rejudgings/{id}/apply"),
        At("rejudge apply"),
        At("POST /rejudgings/{id}/apply"),
    ),
    ("rejudging.redo", At("POST /admin/rejudgings/{id}/apply"), At("rejudge apply"), At("POST /rejudgings/{id}/apply")),
    ("rejudging.drop", At("POST /admin/rejudgings/{id}/drop"), At("rejudge drop"), At("POST /rejudgings/{id}/drop")),
    ("rejudging.undo", At("POST /admin/rejudgings/{id}/undo"), At("rejudge undo"), At("POST /rejudgings/{id}/undo")),
    (
        "clarification.answer",
        At("POST /admin/clarifications"),
        At("message answer"),
        At("POST /contests/{contest}/clarifications"),
    ),
    (
        "clarification.announce",
        At("POST /admin/clarifications"),
        At("message announce"),
        At("POST /contests/{contest}/clarifications"),
    ),
    ("canned_answer.keep", At("POST /admin/clarifications/canned"), At("message keep"), At("POST /canned-answers")),
    (
        "canned_answer.drop",
        At("POST /admin/clarifications/canned/{id}/delete"),
        At("message forget"),
        At("DELETE /canned-answers/{id}"),
    ),
    ("contest.create", At("POST /admin/contests"), At("contest create"), At("POST /contests")),
    (
        "contest.clone",
        At("POST /admin/contests/{slug}/clone"),
        At("contest clone"),
        At("POST /contests/{contest}/clone"),
    ),
    ("contest.edit", At("POST /admin/contests/{slug}"), At("contest edit"), At("PATCH /contests/{contest}")),
    (
        "contest.failed_tests",
        At("POST /admin/contests/{slug}/failed-tests"),
        At("contest edit"),
        At("POST /contests/{contest}/failed-tests"),
    ),
    (
        "contest.problems",
        At("POST /admin/contests/{slug}/problems"),
        At("contest problems"),
        At("PUT /contests/{contest}/problems"),
    ),
    (
        "contest.teams",
        At("POST /admin/contests/{slug}/teams"),
        At("contest teams"),
        At("PUT /contests/{contest}/teams"),
    ),
    (
        "contest.start",
        At("POST /admin/contests/{slug}/steps"),
        At("contest start"),
        At("POST /contests/{contest}/steps"),
    ),
    (
        "contest.pause",
        At("POST /admin/contests/{slug}/steps"),
        At("contest pause"),
        At("POST /contests/{contest}/steps"),
    ),
    (
        "contest.resume",
        At("POST /admin/contests/{slug}/steps"),
        At("contest resume"),
        At("POST /contests/{contest}/steps"),
    ),
    (
        "contest.extend",
        At("POST /admin/contests/{slug}/steps"),
        At("contest extend"),
        At("POST /contests/{contest}/steps"),
    ),
    ("contest.end", At("POST /admin/contests/{slug}/steps"), At("contest end"), At("POST /contests/{contest}/steps")),
    (
        "contest.finalize",
        At("POST /admin/contests/{slug}/steps"),
        At("contest finalize"),
        At("POST /contests/{contest}/steps"),
    ),
    ("contest.thaw", At("POST /admin/contests/{slug}/steps"), At("contest thaw"), At("POST /contests/{contest}/steps")),
];

#[test]
#[expect(clippy::disallowed_methods, reason = "the program's own help is asked")]
fn every_act_has_a_page_a_command_and_an_address() {
    let known: BTreeSet<String> = ACTS.iter().map(|(act, ..)| (*act).to_owned()).collect();
    assert_eq!(kinds_in_sources(), known, "say in ACTS where each act of the staff is done");
    let route = |method: &str, path: &str| format!("{method} {path}");
    let pages: BTreeSet<String> =
        routes_below("src/web/").into_iter().map(|(method, path)| route(&method, &path)).collect();
    let api: BTreeSet<String> = ROUTES.iter().map(|(method, path, ..)| route(method, path)).collect();
    let mut commands = BTreeSet::new();
    for (act, page, command, address) in ACTS {
        for (place, all) in [(page, &pages), (address, &api)] {
            match place {
                At(place) => assert!(all.contains(*place), "{act}: there is no {place}"),
                Not(why) => assert!(why.len() > 20, "{act}: say why"),
            }
        }
        match command {
            At(command) => drop(commands.insert(*command)),
            Not(why) => assert!(why.len() > 20, "{act}: say why"),
        }
    }
    for command in commands {
        let told =
            Command::new(env!("CARGO_BIN_EXE_touchstone")).args(command.split(' ')).arg("--help").output().unwrap();
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        assert!(told.status.success() && text.contains(&format!("Usage: touchstone {command}")), "{command}: {text}");
    }
}

#[test]
fn the_reader_of_acts_finds_them() {
    assert!(fs::read_dir(MANAGE).unwrap().count() > 5 && kinds_in_sources().len() > 30);
}
