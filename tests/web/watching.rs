//! What whoever runs the judge sees: health, readiness, counters, request numbers.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode};
use touchstone::domain::verdict::Verdict::{Accepted, WrongAnswer};

use crate::world::{Browser, Part, TestApp};

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

/// The judge, with a clock that stands still from this look at it on: whoever looks panics.
fn with_broken_clock(app: &TestApp, from: usize) -> Browser {
    let (looks, now) = (AtomicUsize::new(0), app.now());
    Browser::of(app.state.clone().with_clock(move || {
        assert!(looks.fetch_add(1, Ordering::Relaxed) < from, "the clock stands still");
        now
    }))
}

#[tokio::test]
async fn whoever_panics_is_answered_and_counted() {
    let app = TestApp::new().await;
    // Before anything is known of the visitor, in a page, in the API.
    let faults = "touchstone_http_answers_total{status=\"5xx\"} ";
    for (at, (path, from, words)) in [
        ("/scoreboard", 0, "The judge has a fault; it is in its log."),
        ("/scoreboard", 1, "<h1"),
        ("/api/v4/contests", 0, "\"code\":500"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut browser = with_broken_clock(&app, from);
        let answer = browser.get(path).await;
        assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR, "{path} {from}: {}", answer.body);
        assert!(answer.body.contains(words), "{path} {from}: {}", answer.body);
        assert!(!answer.body.contains("clock"), "what the panic said is for the log: {}", answer.body);
        assert!(answer.headers.contains_key("x-request-id"), "{path} {from}");
        assert!(ask(&app, "/metrics", "127.0.0.1", None).await.1.contains(&format!("{faults}{}\n", at + 1)));
    }
}

/// What is logged by this thread, a JSON object a line.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A live page is written after its answer has begun; what goes wrong with it then is still of its request.
#[tokio::test]
async fn a_live_page_that_breaks_off_is_logged_with_its_number() {
    let log = Log::default();
    let to = log.clone();
    let subscriber = tracing_subscriber::fmt().json().with_writer(move || to.clone()).finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    let app = TestApp::new().await;
    // Others, which log nowhere, may have been asked first whether they want to.
    app.browser().get("/healthz").await;
    tracing::callsite::rebuild_interest_cache();
    let response = app.browser().request(Request::get("/news/events").body(Body::empty()).unwrap()).await;
    assert_eq!(response.status(), StatusCode::OK);
    let id: u64 = response.headers()["x-request-id"].to_str().unwrap().parse().unwrap();
    app.state.store().close().await;
    axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let failed: Vec<serde_json::Value> = text
        .lines()
        .filter(|line| line.contains("a page failed"))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(failed.len(), 1, "{text}");
    assert_eq!(failed[0]["span"]["request"], id, "{text}");
}
