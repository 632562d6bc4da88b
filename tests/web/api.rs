//! The contest API: its shapes, who may do what with which key, and the requests of DOMjudge's `submit` client.

use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use touchstone::domain::account::Role;
use touchstone::domain::verdict::Verdict::{Accepted, CompileError, WrongAnswer};
use touchstone::store::api_token::Scopes;

use crate::world::{Answer, TestApp};

const SOURCE: &[u8] = b"int main() { return 0; }\n";

/// A program that speaks the API.
struct Client<'a> {
    app: &'a TestApp,
    key: Option<String>,
}

impl<'a> Client<'a> {
    fn anonymous(app: &'a TestApp) -> Self {
        Self { app, key: None }
    }

    fn basic(app: &'a TestApp, name: &str, password: &str) -> Self {
        Self { app, key: Some(format!("Basic {}", BASE64_STANDARD.encode(format!("{name}:{password}")))) }
    }

    async fn token(app: &'a TestApp, name: &str, scopes: Scopes) -> Self {
        let actor = app.state.service.check_password(name, "correct horse", None, app.now()).await.unwrap();
        let token = app.state.service.create_token(&actor, "test", scopes, app.now()).await.unwrap();
        Self { app, key: Some(format!("Bearer {token}")) }
    }

    async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Answer {
        let mut request = Request::builder().method(method).uri(path).header(header::CONTENT_LENGTH, body.len());
        if let Some(key) = &self.key {
            request = request.header(header::AUTHORIZATION, key);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = self.app.browser().request(request.body(Body::from(body)).unwrap()).await;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = axum::body::to_bytes(response.into_body(), 64 << 20).await.unwrap();
        Answer { status, headers, body: String::from_utf8_lossy(&body).into_owned() }
    }

    async fn get(&self, path: &str) -> (StatusCode, Value) {
        let answer = self.send(Method::GET, path, &[], Vec::new()).await;
        assert!(is_json(&answer.headers), "{path}: {:?}", answer.headers);
        (answer.status, serde_json::from_str(&answer.body).unwrap())
    }

    /// What `requests.post(url, data=data, files=[('code[]', open(name, 'rb')), ...])` of DOMjudge's client sends.
    async fn submit(&self, fields: &[(&str, &str)], files: &[(&str, &[u8])], headers: &[(&str, &str)]) -> Answer {
        let mut body = Vec::new();
        for (name, value) in fields {
            body.extend(
                format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").bytes(),
            );
        }
        for (name, contents) in files {
            let head =
                format!("--edge\r\nContent-Disposition: form-data; name=\"code[]\"; filename=\"{name}\"\r\n\r\n");
            body.extend(head.bytes());
            body.extend_from_slice(contents);
            body.extend(b"\r\n");
        }
        body.extend(b"--edge--\r\n");
        let kind = [("content-type", "multipart/form-data; boundary=edge")];
        let headers: Vec<_> = kind.into_iter().chain(headers.iter().copied()).collect();
        self.send(Method::POST, "/api/contests/practice/submissions", &headers, body).await
    }

    async fn post_json(&self, body: &Value) -> Answer {
        let headers = [("content-type", "application/json")];
        self.send(Method::POST, "/api/v4/contests/practice/submissions", &headers, body.to_string().into_bytes()).await
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json")
}

fn id(answer: &Answer) -> String {
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    body["id"].as_str().expect("an id is a text").to_owned()
}

async fn count(app: &TestApp) -> usize {
    let (_, all) = Client::anonymous(app).get("/api/v4/contests/practice/submissions").await;
    all.as_array().unwrap().len()
}

#[tokio::test]
async fn the_shapes_are_clicss() {
    let app = TestApp::new().await;
    app.contestant("ada").await;
    let ada = Client::basic(&app, "ada", "correct horse");
    for (source, verdicts) in
        [("1", vec![Accepted, Accepted, Accepted]), ("2", vec![Accepted, WrongAnswer]), ("3", vec![CompileError])]
    {
        app.pass_ms(61_500);
        let answer = ada.submit(&[("problem", "A"), ("language", "cpp20")], &[("a.cpp", source.as_bytes())], &[]).await;
        id(&answer);
        app.pass_ms(2_000);
        app.judge(&verdicts).await;
    }
    app.pass_ms(60_000);
    id(&ada.submit(&[("problem", "B"), ("language", "python3")], &[("b.py", b"print()")], &[]).await);
    let mut shapes = serde_json::Map::new();
    for path in [
        "/api",
        "/api/v4/",
        "/api/v4/info",
        "/api/v4/version",
        "/api/v4/contests",
        "/api/v4/contests/practice",
        "/api/v4/contests/practice/judgement-types",
        "/api/v4/contests/practice/languages",
        "/api/v4/contests/practice/languages/elf",
        "/api/v4/contests/practice/problems",
        "/api/v4/contests/practice/problems/paths",
        "/api/v4/contests/practice/submissions",
        "/api/v4/contests/practice/submissions/1",
        "/api/v4/contests/practice/judgements",
        "/api/v4/contests/practice/judgements/2",
        "/api/v4/contests/practice/judgements?submission_id=3",
        "/api/v4/contests/practice/state",
        "/api/v4/contests/practice/groups",
        "/api/v4/contests/practice/organizations",
        "/api/v4/contests/practice/teams",
        "/api/v4/contests/practice/runs",
        "/api/v4/contests/practice/clarifications",
        "/api/v4/contests/practice/awards",
        "/api/v4/contests/practice/scoreboard",
        "/api/v4/contests/practice/access",
        "/api/v4/contests/practice/submissions/1/source-code",
    ] {
        let (status, body) = ada.get(path).await;
        assert_eq!(status, StatusCode::OK, "{path}: {body}");
        shapes.insert(path.to_owned(), body);
    }
    insta::assert_json_snapshot!("api_shapes", shapes);
}

/// A name, a client, the fields and the files it sends.
type Case<'a> = (&'a str, &'a Client<'a>, &'a [(&'a str, &'a str)], &'a [(&'a str, &'a [u8])]);

#[tokio::test]
async fn errors_are_a_code_and_a_sentence() {
    let app = TestApp::new().await;
    app.contestant("ada").await;
    let nobody = Client::anonymous(&app);
    let mut shapes = serde_json::Map::new();
    for path in [
        "/api/v4/nosuch",
        "/api/v4/contests/nosuch",
        "/api/v4/contests/nosuch/problems",
        "/api/v4/contests/practice/problems/nosuch",
        "/api/v4/contests/practice/languages/nosuch",
        "/api/v4/contests/practice/submissions/77",
        "/api/v4/contests/practice/submissions/x",
        "/api/v4/contests/practice/judgements/77",
        "/api/v4/contests/practice/judgement-types/XX",
    ] {
        let (status, body) = nobody.get(path).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
        shapes.insert(path.to_owned(), body);
    }
    let ada = Client::basic(&app, "ada", "correct horse");
    let files: &[(&str, &[u8])] = &[("a.cpp", SOURCE)];
    let table: [Case<'_>; 11] = [
        ("nobody", &nobody, &[("problem", "A"), ("language", "cpp20")], files),
        ("no problem", &ada, &[("language", "cpp20")], files),
        ("unknown problem", &ada, &[("problem", "Z"), ("language", "cpp20")], files),
        ("unknown language", &ada, &[("problem", "A"), ("language", "cobol")], files),
        ("no language", &ada, &[("problem", "A")], &[("a.unknown", b"?")]),
        ("no file", &ada, &[("problem", "A"), ("language", "cpp20")], &[]),
        ("empty file", &ada, &[("problem", "A"), ("language", "cpp20")], &[("a.cpp", b"")]),
        ("no ELF", &ada, &[("problem", "A"), ("language", "elf")], files),
        ("same name", &ada, &[("problem", "A"), ("language", "cpp20")], &[("a.cpp", b"1"), ("x/a.cpp", b"2")]),
        ("another's team", &ada, &[("problem", "A"), ("language", "cpp20"), ("team_id", "77")], files),
        ("own time", &ada, &[("problem", "A"), ("language", "cpp20"), ("time", "2020-01-01T00:00:00Z")], files),
    ];
    for (name, client, fields, files) in table {
        let answer = client.submit(fields, files, &[]).await;
        assert!(answer.status.is_client_error() && is_json(&answer.headers), "{name}: {}", answer.body);
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(body["code"], answer.status.as_u16(), "{name}");
        shapes.insert(format!("POST {name}"), body);
    }
    for (name, method, kind, body) in [
        ("wrong method", Method::DELETE, "text/plain", ""),
        ("wrong kind", Method::POST, "text/plain", "x"),
        ("no boundary", Method::POST, "multipart/form-data", "x"),
        ("broken JSON", Method::POST, "application/json", "{"),
        ("JSON without files", Method::POST, "application/json", r#"{"problem_id": "sum"}"#),
        ("no base64", Method::POST, "application/json", r#"{"problem_id":"sum","files":[{"data":"%%"}]}"#),
        ("no zip", Method::POST, "application/json", r#"{"problem_id":"sum","files":[{"data":"eA=="}]}"#),
    ] {
        let path = "/api/v4/contests/practice/submissions";
        let answer = ada.send(method, path, &[("content-type", kind)], body.as_bytes().to_vec()).await;
        assert!(answer.status.is_client_error() && is_json(&answer.headers), "{name}: {}", answer.body);
        shapes.insert(name.to_owned(), serde_json::from_str(&answer.body).unwrap());
    }
    insta::assert_json_snapshot!("api_errors", shapes);
    assert_eq!(count(&app).await, 0);
}

/// Each field of the JSON body: left out, and of a wrong kind. The sentence names it.
#[tokio::test]
async fn a_wrong_body_is_told_which_field() {
    let app = TestApp::new().await;
    app.contestant("ada").await;
    let ada = Client::basic(&app, "ada", "correct horse");
    let whole = json!({
        "problem_id": "sum", "language_id": "cpp20", "entry_point": "a.cpp", "team_id": "1", "files": [{ "data": "" }]
    });
    let mut table: Vec<(Value, &str)> = ["problem_id", "language_id", "entry_point", "team_id", "files"]
        .map(|field| {
            let mut body = whole.clone();
            body[field] = json!(5);
            (body, field)
        })
        .into();
    for field in ["problem_id", "files"] {
        let mut body = whole.clone();
        body.as_object_mut().unwrap().remove(field);
        table.push((body, field));
        let mut body = whole.clone();
        body[field] = Value::Null;
        table.push((body, field));
    }
    for files in [json!([]), json!([{}]), json!(["x"]), json!([{ "data": 5 }]), json!([{ "data": "" }, {}])] {
        let mut body = whole.clone();
        body["files"] = files;
        table.push((body, "files"));
    }
    table.push((json!([]), "JSON object"));
    for (body, named) in table {
        let answer = ada.post_json(&body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body}: {}", answer.body);
        assert!(answer.body.contains(named), "{body}: {}", answer.body);
    }
    assert_eq!(count(&app).await, 0);
}

/// `bapctools` asks for `/contests/cup/`.
#[tokio::test]
async fn a_slash_at_the_end_of_an_address_means_nothing() {
    let app = TestApp::new().await;
    let nobody = Client::anonymous(&app);
    for path in
        ["/api", "/api/v4", "/api/v4/contests", "/api/v4/contests/practice", "/api/v4/contests/practice/problems"]
    {
        let plain = nobody.get(path).await;
        assert_eq!(plain.0, StatusCode::OK, "{path}");
        assert_eq!(nobody.get(&format!("{path}/")).await, plain, "{path}/");
    }
    let filtered = nobody.get("/api/v4/contests/practice/problems/?id=sum").await;
    assert_eq!(filtered.1.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_problems_files_are_given_to_whom_they_are_for() {
    let app = TestApp::new().await;
    app.contestant("ada").await;
    app.with_role("sam", Role::Setter).await;
    let mut tx = app.store.begin_write().await.unwrap();
    sqlx::raw_sql(
        r#"update contest set scoring = 'score';
        update statement set format = 'pdf' where language = 'zh';
        update package set metadata = '{"rules": {"groups": {"score": {"most": 40.0}}}}' where id = 1"#,
    )
    .execute(&mut *tx)
    .await
    .unwrap();
    tx.commit().await.unwrap();
    let problems = "/api/v4/contests/practice/problems";
    for (client, sees) in [
        (Client::anonymous(&app), false),
        (Client::basic(&app, "ada", "correct horse"), false),
        (Client::basic(&app, "sam", "correct horse"), true),
    ] {
        let (_, all) = client.get(problems).await;
        assert_eq!([&all[0]["max_score"], &all[1]["max_score"]], [&json!(40.0), &json!(100.0)]);
        let statement = json!([{
            "href": "contests/practice/problems/sum/statement/zh", "filename": "sum.zh.pdf", "mime": "application/pdf"
        }]);
        assert_eq!(all[0]["statement"], statement);
        let href = format!("/api/v4/{}", statement[0]["href"].as_str().unwrap());
        let answer = client.send(Method::GET, &href, &[], Vec::new()).await;
        assert_eq!(
            (answer.status, &answer.headers["content-type"]),
            (StatusCode::OK, &"application/pdf".parse().unwrap())
        );
        assert!(answer.body.starts_with("读入两个整数"));
        let other = client.get(&href.replace("/zh", "/en")).await;
        assert_eq!(other.0, StatusCode::NOT_FOUND, "the English one is no PDF file");
        assert_eq!(all[0].get("package").is_some(), sees);
        let path = format!("{problems}/sum/package");
        let request =
            Request::builder().uri(&path).header(header::AUTHORIZATION, client.key.clone().unwrap_or_default());
        let mut request = request.body(Body::empty()).unwrap();
        if client.key.is_none() {
            request.headers_mut().remove(header::AUTHORIZATION);
        }
        let response = app.browser().request(request).await;
        assert_eq!(response.status(), if sees { StatusCode::OK } else { StatusCode::NOT_FOUND });
        if sees {
            let bytes = axum::body::to_bytes(response.into_body(), 64 << 20).await.unwrap();
            let archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
            let mut names: Vec<_> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
            names.sort_unstable();
            assert_eq!(names, ["sum/problem.yaml", "sum/statement/problem.en.md", "sum/statement/problem.zh.md"]);
        }
    }
}

/// The very requests of DOMjudge's `submit`: without a version, contest, languages, problems, then the form.
#[tokio::test]
async fn domjudges_client_is_understood() {
    let app = TestApp::new().await;
    app.contestant("ada").await;
    let client = Client::basic(&app, "ada", "correct horse");
    let (_, contests) = client.get("/api/contests").await;
    let contest = &contests[0];
    assert!(contest["shortname"].as_str().is_some_and(|name| !name.is_empty()) && contest["allow_submit"] == true);
    let contest = contest["id"].as_str().unwrap();
    let (_, languages) = client.get(&format!("/api/contests/{contest}/languages")).await;
    for language in languages.as_array().unwrap() {
        assert!(language["extensions"].as_array().is_some_and(|all| !all.is_empty()), "{language}");
        assert!(
            language["id"].is_string() && language["name"].is_string() && language["entry_point_required"] == false
        );
    }
    let (_, problems) = client.get(&format!("/api/contests/{contest}/problems")).await;
    for problem in problems.as_array().unwrap() {
        assert!(problem["id"].is_string() && problem["label"].is_string() && problem["name"].is_string());
    }
    let fields = [("problem", "sum"), ("language", "python3"), ("entry_point", "main.py")];
    let files: [(&str, &[u8]); 2] = [("main.py", b"import more"), ("more.py", b"print()")];
    let answer =
        client.submit(&fields, &files, &[("user-agent", "domjudge-submit-client (python-requests/2.34.2)")]).await;
    assert_eq!(id(&answer), "1");
    let submission: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(submission["entry_point"], "main.py");
    assert_eq!(submission["time"], "2026-03-01T12:00:00.000+00:00");
    assert_eq!(answer.headers.get("location").unwrap(), "/api/v4/contests/practice/submissions/1");
    // The page that it names to its user.
    let page = app.contestant("bob").await.get("/team/submission/1").await;
    assert_eq!(page.location(), "/submissions/1");
    let zip = client.send(Method::GET, "/api/v4/contests/practice/submissions/1/files", &[], Vec::new()).await;
    assert!(zip.body.starts_with("PK") && zip.body.contains("more.py") && zip.body.contains("print()"));
}

#[tokio::test]
async fn clicss_json_hands_in_a_zip_file() {
    let app = TestApp::new().await;
    app.contestant("ada").await;
    let client = Client::basic(&app, "ada", "correct horse");
    // What the judge gives out as files, it takes as files.
    id(&client.submit(&[("problem", "A"), ("language", "C++20")], &[("a.cpp", SOURCE)], &[]).await);
    let request = Request::builder().uri("/api/v4/contests/practice/submissions/1/files");
    let request = request.header(header::AUTHORIZATION, client.key.as_ref().unwrap()).body(Body::empty()).unwrap();
    let zip = axum::body::to_bytes(app.browser().request(request).await.into_body(), 1 << 20).await.unwrap();
    let data = BASE64_STANDARD.encode(&zip);
    let body =
        json!({"problem_id": "paths", "language_id": "cpp", "files": [{"data": data, "mime": "application/zip"}]});
    let answer = client.post_json(&body).await;
    assert_eq!(id(&answer), "2");
    let submission: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!((&submission["problem_id"], &submission["language_id"]), (&json!("paths"), &json!("cpp20")));
    assert!(submission["entry_point"].is_null() && submission.get("entry_point").is_some());
}

#[tokio::test]
async fn a_page_stays_small_however_many_files_there_are() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let text = "int main() { return 0; } // <b>\n".repeat(300);
    let names: Vec<String> = (0..32).map(|number| format!("part{number}.cpp")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), text.as_bytes())).collect();
    let client = Client::basic(&app, "ada", "correct horse");
    let number = id(&client.submit(&[("problem", "A"), ("language", "cpp20")], &files, &[]).await);
    let page = ada.get(&format!("/submissions/{number}")).await.body;
    assert!(page.len() < 60 * 1024, "{} bytes", page.len());
    assert!(
        page.contains("Only the first part is shown.") && page.contains(&format!("/submissions/{number}/files/32"))
    );
    assert_eq!(ada.get(&format!("/submissions/{number}/files/32")).await.body, text);
}

#[tokio::test]
async fn a_zip_bomb_is_not_unpacked() {
    let app = TestApp::new().await;
    app.contestant("ada").await;
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    writer.start_file("a.cpp", zip::write::SimpleFileOptions::default()).unwrap();
    std::io::Write::write_all(&mut writer, &vec![b' '; 17 << 20]).unwrap();
    let zip = writer.finish().unwrap().into_inner();
    assert!(zip.len() < 100_000);
    let body = json!({"problem_id": "sum", "language_id": "cpp20", "files": [{"data": BASE64_STANDARD.encode(zip)}]});
    let answer = Client::basic(&app, "ada", "correct horse").post_json(&body).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert!(answer.body.contains("unpack to more than 16 MiB"), "{}", answer.body);
}

#[tokio::test]
async fn sent_twice_is_one_submission() {
    let app = TestApp::new().await;
    app.contestant("ada").await;
    app.contestant("bob").await;
    let ada = Client::basic(&app, "ada", "correct horse");
    let fields = [("problem", "A"), ("language", "cpp20")];
    let first = id(&ada.submit(&fields, &[("a.cpp", SOURCE)], &[]).await);
    app.pass_ms(9_000);
    assert_eq!(id(&ada.submit(&fields, &[("a.cpp", SOURCE)], &[]).await), first, "the same at once");
    assert_ne!(id(&ada.submit(&fields, &[("a.cpp", b"other")], &[]).await), first);
    assert_ne!(id(&ada.submit(&[("problem", "B"), fields[1]], &[("a.cpp", SOURCE)], &[]).await), first);
    app.pass_ms(2_000);
    let later = id(&ada.submit(&fields, &[("a.cpp", SOURCE)], &[]).await);
    assert_ne!(later, first, "the same program after a while is meant");
    let keyed = id(&ada.submit(&fields, &[("a.cpp", b"keyed")], &[("idempotency-key", "7f")]).await);
    app.pass_ms(3_600_000);
    assert_eq!(id(&ada.submit(&fields, &[("a.cpp", b"keyed")], &[("idempotency-key", "7f")]).await), keyed);
    let bob = Client::basic(&app, "bob", "correct horse");
    assert_ne!(id(&bob.submit(&fields, &[("a.cpp", b"keyed")], &[("idempotency-key", "7f")]).await), keyed);
    let many = futures(&ada, &fields).await;
    assert!(many.iter().all(|one| *one == many[0]), "{many:?}");
}

async fn futures(client: &Client<'_>, fields: &[(&str, &str)]) -> Vec<String> {
    let send = || client.submit(fields, &[("a.cpp", b"at the same time")], &[]);
    let (a, b, c) = tokio::join!(send(), send(), send());
    [a, b, c].iter().map(id).collect()
}

#[tokio::test]
async fn a_token_allows_what_it_says_until_it_is_revoked() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let fields = [("problem", "A")];
    let files: [(&str, &[u8]); 1] = [("a.py", b"print(1)")];
    let list = "/api/v4/contests/practice/submissions";
    let reader = Client::token(&app, "ada", Scopes { read: true, submit: false, manage: false }).await;
    assert_eq!(reader.get(list).await.0, StatusCode::OK);
    assert_eq!(reader.submit(&fields, &files, &[]).await.status, StatusCode::FORBIDDEN);
    let sender = Client::token(&app, "ada", Scopes { read: false, submit: true, manage: false }).await;
    assert_eq!(sender.get(list).await.0, StatusCode::FORBIDDEN);
    app.pass_ms(90_000);
    id(&sender.submit(&fields, &files, &[]).await);
    let page = ada.get("/account").await.body;
    assert_eq!(page.matches("/revoke\"").count(), 2);
    assert!(page.contains("just now"), "the last use is shown");
    let (token, id) = (sender.key.clone().unwrap(), 2);
    assert!(!page.contains(token.trim_start_matches("Bearer ")), "a token is shown once");
    let mut bob = app.contestant("bob").await;
    bob.post(&format!("/account/tokens/{id}/revoke"), &[]).await;
    assert_eq!(
        sender.submit(&fields, &files, &[]).await.status,
        StatusCode::OK,
        "another's token is not bob's to revoke"
    );
    ada.post(&format!("/account/tokens/{id}/revoke"), &[]).await;
    let refused = sender.submit(&fields, &files, &[]).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    assert!(refused.headers.contains_key("www-authenticate"));
    assert_eq!(reader.get(list).await.0, StatusCode::OK);
    app.state.service.set_role(None, "bob", Role::Admin, app.now()).await.unwrap();
    let admin = bob.actor(&app).await;
    app.state.service.set_disabled(&admin, "ada", true, app.now()).await.unwrap();
    assert_eq!(reader.get(list).await.0, StatusCode::UNAUTHORIZED, "a disabled account's tokens end");
}

#[tokio::test]
async fn a_new_token_is_shown_once_and_its_hash_alone_is_kept() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let answer = ada.post("/account/tokens", &[("name", "laptop"), ("may_submit", "1"), ("may_read", "1")]).await;
    assert_eq!(answer.headers.get("cache-control").unwrap(), "no-store");
    let start = answer.body.find("touchstone_").expect("the token");
    let token = &answer.body[start..start + "touchstone_".len() + 64];
    let client = Client { app: &app, key: Some(format!("bearer {token}")) };
    assert_eq!(client.get("/api/v4/contests").await.0, StatusCode::OK);
    assert!(!ada.get("/account").await.body.contains("touchstone_"));
    let stored: Vec<u8> = app.stored_token_hash().await;
    assert_eq!(stored.len(), 32);
    assert_ne!(stored, token.trim_start_matches("touchstone_").as_bytes());
    for (fields, sentence) in [
        (vec![("name", ""), ("may_read", "1")], "A token needs a name"),
        (vec![("name", "x\ny"), ("may_read", "1")], "A token needs a name"),
        (vec![("name", "x")], "Tick at least one thing"),
    ] {
        let answer = ada.post("/account/tokens", &fields).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(answer.body.contains(sentence), "{}", answer.body);
    }
    for number in 0..19 {
        ada.post("/account/tokens", &[("name", &format!("more {number}")), ("may_read", "1")]).await;
    }
    let answer = ada.post("/account/tokens", &[("name", "one too many"), ("may_read", "1")]).await;
    assert!(answer.body.contains("You have 20 tokens"), "{}", answer.body);
}

#[tokio::test]
async fn a_cookie_is_no_key_to_the_api() {
    let app = TestApp::new().await;
    let ada = app.contestant("ada").await;
    let body = "--edge\r\nContent-Disposition: form-data; name=\"problem\"\r\n\r\nA\r\n--edge\r\n\
        Content-Disposition: form-data; name=\"code[]\"; filename=\"a.py\"\r\n\r\nprint(1)\r\n--edge--\r\n";
    let request = ada
        .prepare(Method::POST, "/api/v4/contests/practice/submissions")
        .header("content-type", "multipart/form-data; boundary=edge")
        .header("content-length", body.len());
    let response = ada.clone().request(request.body(Body::from(body)).unwrap()).await;
    assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
    assert!(!response.headers().contains_key("set-cookie"));
    // A browser sends a remembered Basic password with another site's form.
    let key = Client::basic(&app, "ada", "correct horse").key.unwrap();
    for elsewhere in [("sec-fetch-site", "cross-site"), ("origin", "https://evil.example")] {
        let client = Client { app: &app, key: Some(key.clone()) };
        let answer =
            client.submit(&[("problem", "A")], &[("a.py", b"print(1)")], &[elsewhere, ("host", "judge")]).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{elsewhere:?}");
    }
    assert_eq!(count(&app).await, 0);
}

#[tokio::test]
async fn programs_of_others_are_named_but_not_given() {
    let app = TestApp::new().await;
    for name in ["ada", "bob"] {
        app.contestant(name).await;
    }
    app.with_role("jo", Role::Judge).await;
    id(&Client::basic(&app, "ada", "correct horse").submit(&[("problem", "A")], &[("a.py", b"print(1)")], &[]).await);
    let one = "/api/v4/contests/practice/submissions/1";
    for (client, given) in [
        (Client::anonymous(&app), false),
        (Client::basic(&app, "bob", "correct horse"), false),
        (Client::basic(&app, "ada", "correct horse"), true),
        (Client::basic(&app, "jo", "correct horse"), true),
    ] {
        let (status, submission) = client.get(one).await;
        assert_eq!((status, submission.get("files").is_some()), (StatusCode::OK, given), "{:?}", client.key);
        let files = client.send(Method::GET, &format!("{one}/files"), &[], Vec::new()).await;
        assert_eq!(files.status, if given { StatusCode::OK } else { StatusCode::FORBIDDEN }, "{:?}", client.key);
    }
}

#[tokio::test]
async fn wrong_keys_are_refused() {
    let app = TestApp::new().await;
    app.contestant("ada").await;
    for key in ["Basic", "Basic %%", "Basic YWRh", "Bearer touchstone_00", "Digest x", "Basic YWRhOndyb25n"] {
        let client = Client { app: &app, key: Some(key.to_owned()) };
        let (status, body) = client.get("/api/v4/contests").await;
        assert_eq!((status, &body["code"]), (StatusCode::UNAUTHORIZED, &json!(401)), "{key}");
    }
}
