//! What whoever runs the judge sees: health, readiness, counters, request numbers.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode};
use touchstone::domain::verdict::Verdict::{Accepted, WrongAnswer};

use crate::world::{Part, TestApp};

async fn ask(app: &TestApp, path: &str, peer: &str, forwarded: Option<&str>) -> (StatusCode, String) {
    let mut request = Request::get(path).body(Body::empty()).unwrap();
    request.extensions_mut().insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 1)));
    if let Some(forwarded) = forwarded {
        request.headers_mut().insert("x-forwarded-for", forwarded.parse().unwrap());
    }
    let response = app.browser().request(request).await;
    assert!(response.headers().contains_key("x-request-id"), "{path}");
    let status = response.status();
    let body = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn the_counters_count() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    for verdict in [Accepted, WrongAnswer] {
        let parts = [
            Part::Text("language", "cpp20"),
            Part::Text("source", if verdict == Accepted { "right" } else { "wrong" }),
        ];
        ada.upload("/problems/sum/submit", &parts).await;
        app.judge(&[verdict]).await;
    }
    ada.upload("/problems/sum/submit", &[Part::Text("language", "cpp20"), Part::Text("source", "waits")]).await;
    ada.get("/nosuch").await;
    let (status, text) = ask(&app, "/metrics", "127.0.0.1", None).await;
    assert_eq!(status, StatusCode::OK);
    for line in [
        "touchstone_submissions_total 3",
        "touchstone_judgements{verdict=\"AC\"} 1",
        "touchstone_judgements{verdict=\"WA\"} 1",
        "touchstone_jobs{state=\"queued\"} 1",
        "touchstone_jobs{state=\"leased\"} 0",
        "touchstone_http_answers_total{status=\"4xx\"} 1",
    ] {
        assert!(text.lines().any(|found| found == line), "no {line} in {text}");
    }
    // Prometheus' text format: a comment, or a name with labels and a number.
    for line in text.lines() {
        let is_sample = line.rsplit_once(' ').is_some_and(|(_, value)| value.parse::<f64>().is_ok());
        assert!(line.starts_with("# HELP ") || line.starts_with("# TYPE ") || is_sample, "{line}");
    }
}

#[tokio::test]
async fn the_counters_are_for_this_machine_only() {
    let app = TestApp::new().await;
    assert_eq!(ask(&app, "/metrics", "192.0.2.7", None).await.0, StatusCode::NOT_FOUND);
    assert_eq!(ask(&app, "/metrics", "127.0.0.1", Some("192.0.2.7")).await.0, StatusCode::NOT_FOUND, "by a proxy");
    assert_eq!(ask(&app, "/metrics", "192.0.2.7", Some("127.0.0.1")).await.0, StatusCode::NOT_FOUND, "by a claim");
}

#[tokio::test]
async fn health_and_readiness_are_told_apart() {
    let app = TestApp::new().await;
    assert_eq!(ask(&app, "/healthz", "192.0.2.7", None).await, (StatusCode::OK, "ok\n".to_owned()));
    assert_eq!(ask(&app, "/readyz", "192.0.2.7", None).await, (StatusCode::OK, "ready\n".to_owned()));
    app.state.store().close().await;
    let (status, text) = ask(&app, "/readyz", "192.0.2.7", None).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(text.contains("the database can't be written"), "{text}");
    assert_eq!(ask(&app, "/healthz", "192.0.2.7", None).await.0, StatusCode::OK);
}
