//! Whatever bytes somebody sends: forms, uploads, the API's bodies, headers and addresses. The judge answers, and the
//! fault is never its own (5xx). The parsers themselves have properties beside their code.

use std::fmt::Write as _;

use axum::body::Body;
use axum::http::{HeaderValue, Method, StatusCode, header};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use touchstone::store::api_token::Scopes;

use crate::world::{Browser, TestApp};

/// Runs a property against one site. Each case is a request, so there are fewer than usual.
fn holds<S: Strategy>(input: S, property: &impl AsyncFn(&TestApp, &Browser, &str, S::Value)) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (app, browser, token) = runtime.block_on(async {
        let app = TestApp::new().await;
        let mut ada = app.staff("ada").await;
        let actor = ada.actor(&app).await;
        let scopes = Scopes { read: true, submit: true, manage: true };
        let token = app.state.service.create_token(&actor, "script", scopes, app.now()).await.unwrap();
        (app, ada, token)
    });
    let config = Config { cases: 96, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&input, |input| {
            runtime.block_on(property(&app, &browser, &token, input));
            Ok(())
        })
        .unwrap();
}

async fn send(browser: &Browser, request: axum::http::request::Builder, body: Vec<u8>) -> StatusCode {
    let request = request.body(Body::from(body)).unwrap();
    browser.clone().request(request).await.status()
}

async fn submissions(app: &TestApp) -> u64 {
    let filter = touchstone::store::submission::SubmissionFilter::default();
    touchstone::store::submission::list(app.store.read(), &filter, 1_000).await.unwrap().len() as u64
}

/// Pieces that multipart bodies are made of, and what tears them apart.
fn torn() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"--edge\r\n".to_vec()),
        Just(b"--edge--\r\n".to_vec()),
        Just(b"\r\n\r\n".to_vec()),
        Just(b"Content-Disposition: form-data; name=\"code[]\"; filename=\"a.py\"\r\n\r\n".to_vec()),
        Just(b"Content-Disposition: form-data; name=\"language\"\r\n\r\npython3\r\n".to_vec()),
        Just(b"Content-Disposition: form-data; name=\"csrf\"\r\n\r\nx\r\n".to_vec()),
        Just(b"Content-Disposition: form-data; filename=\"\r\n".to_vec()),
        vec(any::<u8>(), 0..40),
    ];
    vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

#[test]
fn torn_uploads_are_refused_and_hand_nothing_in() {
    holds(torn(), &async |app, browser, token, body| {
        let kind = "multipart/form-data; boundary=edge";
        for path in ["/problems/sum/submit", "/admin/import", "/admin/people/import", "/problems/sum/try"] {
            let request = browser.prepare(Method::POST, path).header(header::CONTENT_TYPE, kind);
            let status = send(browser, request, body.clone()).await;
            assert!(status.is_client_error(), "{path}: {status}");
        }
        let request = browser.prepare(Method::POST, "/api/v4/contests/practice/submissions");
        let request =
            request.header(header::CONTENT_TYPE, kind).header(header::AUTHORIZATION, format!("Bearer {token}"));
        let status = send(browser, request, body).await;
        assert!(status.is_client_error(), "{status}");
        assert_eq!(submissions(app).await, 0);
    });
}

#[test]
fn any_form_without_the_pages_token_is_refused() {
    let pairs = vec(("[a-z_]{0,8}|name|password|code|csrf", "\\PC{0,20}"), 0..6);
    holds((pairs, vec(any::<u8>(), 0..60)), &async |_, browser, _, (pairs, rest)| {
        let mut body: Vec<u8> =
            pairs.iter().flat_map(|(name, value)| format!("{name}={value}&").into_bytes()).collect();
        body.extend(rest);
        for path in
            ["/login", "/login/code", "/register", "/account/second-step", "/clarifications", "/admin/people/1/role"]
        {
            let request = browser.prepare(Method::POST, path);
            let request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
            let status = send(browser, request, body.clone()).await;
            assert!(matches!(status, StatusCode::FORBIDDEN | StatusCode::BAD_REQUEST), "{path}: {status}");
        }
    });
}

#[test]
fn any_body_of_a_submission_by_json_is_answered() {
    let zip = vec(any::<u8>(), 0..80).prop_map(|bytes| [b"PK\x03\x04".to_vec(), bytes].concat());
    let files = prop_oneof![
        zip.prop_map(
            |zip| serde_json::json!([{"data": base64::Engine::encode(&base64::prelude::BASE64_STANDARD, zip)}])
        ),
        "\\PC{0,30}".prop_map(|text| serde_json::json!([{"data": text}])),
        Just(serde_json::json!([])),
        Just(serde_json::json!("x")),
    ];
    let body =
        (files, "\\PC{0,10}|sum", "\\PC{0,10}|python3", any::<bool>()).prop_map(|(files, problem, language, whole)| {
            let text = serde_json::json!({"problem_id": problem, "language_id": language, "files": files}).to_string();
            let end = if whole {
                text.len()
            } else {
                text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at)
            };
            text.as_bytes()[..end].to_vec()
        });
    holds(body, &async |app, browser, token, body| {
        let request = browser.prepare(Method::POST, "/api/v4/contests/practice/submissions");
        let request = request
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::AUTHORIZATION, format!("Bearer {token}"));
        let status = send(browser, request, body.clone()).await;
        assert!(status.is_client_error(), "{status}: {}", String::from_utf8_lossy(&body));
        assert_eq!(submissions(app).await, 0);
    });
}

#[test]
fn any_headers_are_answered() {
    let value = || vec(prop_oneof![32_u8..127, 128..=255_u8], 0..60);
    let words = prop_oneof![
        value(),
        "(Basic|Bearer|basic) [A-Za-z0-9+/=:]{0,40}".prop_map(String::into_bytes),
        "(touchstone_(session|browser|lang|theme|seen|half)=[^;\\x00-\\x1f\\x7f]{0,70}; ?){0,5}"
            .prop_map(String::into_bytes),
    ];
    holds((words, value()), &async |_, browser, _, (first, second)| {
        let (Ok(first), Ok(second)) = (HeaderValue::from_bytes(&first), HeaderValue::from_bytes(&second)) else {
            return;
        };
        for name in ["cookie", "accept-language", "host", "origin", "x-forwarded-for", "x-forwarded-host"] {
            let request = axum::http::Request::builder().uri("/login").header(name, &first).header(name, &second);
            let status = send(browser, request, Vec::new()).await;
            assert_eq!(status, StatusCode::OK, "{name}");
        }
        let request = axum::http::Request::builder().uri("/api/v4/contests").header("authorization", &first);
        let status = send(browser, request, Vec::new()).await;
        assert!(status.is_success() || status.is_client_error(), "{status}");
    });
}

#[test]
fn any_address_and_query_is_answered() {
    let piece =
        "[a-z0-9._~-]{0,8}|%[0-9A-F]{2}|submissions|admin|problems|sum|scoreboard|contests|practice|[0-9]{1,25}";
    let query = "((q|after|before|mine|verdict|language|problem|from|until|next|page|group|judgement)=(\\PC{0,12}|[0-9T:.-]{0,20})&?){0,4}";
    holds((vec(piece, 0..5), query), &async |_, browser, _, (pieces, query)| {
        let mut escaped = String::new();
        for byte in query.bytes() {
            // `=` and `&` part the fields, all else is somebody's.
            let _ = if b"=&".contains(&byte) {
                write!(escaped, "{}", char::from(byte))
            } else {
                write!(escaped, "%{byte:02X}")
            };
        }
        let query = escaped;
        let fixed =
            ["/submissions", "/scoreboard", "/admin/people", "/admin/log", "/admin/log/export", "/login", "/news"];
        let asked = fixed.into_iter().map(str::to_owned).chain([format!("/{}", pieces.join("/"))]);
        for path in asked {
            let address = format!("{path}?{query}");
            let Ok(uri) = address.parse::<axum::http::Uri>() else { continue };
            let status = send(browser, browser.prepare(Method::GET, &uri.to_string()), Vec::new()).await;
            assert!(!status.is_server_error(), "{address}: {status}");
        }
    });
}
