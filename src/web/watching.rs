//! For whoever runs the judge: `/healthz`, `/readyz`, `/metrics`. Must not know: visitors, pages.
//!
//! `/healthz` says that the process answers, `/readyz` that it can take and judge submissions, `/metrics` speaks
//! Prometheus' text format, to this machine only: it tells how many people are at work.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::extract::client;
use super::state::AppState;
use crate::store::metrics;

/// Upper ends of the classes of answer times, milliseconds.
const CLASSES_MS: [u64; 8] = [5, 10, 25, 50, 100, 250, 1_000, 5_000];
/// How long the database may take before the judge counts as not ready.
const ANSWER_WITHIN: Duration = Duration::from_secs(3);

/// What was answered since the start.
#[derive(Debug, Default)]
pub struct Answers {
    by_status: [AtomicU64; 6],
    by_time: [AtomicU64; CLASSES_MS.len()],
    count: AtomicU64,
    sum_ms: AtomicU64,
    next_id: AtomicU64,
}

impl Answers {
    /// A number for the next request, for the log.
    pub fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Counts an answer.
    pub fn count(&self, status: StatusCode, ms: u64) {
        let class = usize::from(status.as_u16() / 100).min(self.by_status.len() - 1);
        self.by_status[class].fetch_add(1, Ordering::Relaxed);
        for (bound, count) in CLASSES_MS.iter().zip(&self.by_time) {
            if ms <= *bound {
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        self.sum_ms.fetch_add(ms, Ordering::Relaxed);
    }
}

/// The process answers.
pub async fn health() -> &'static str {
    "ok\n"
}

/// It can take submissions and judge them.
pub async fn ready(State(state): State<AppState>) -> Response {
    let mut troubles = Vec::new();
    let writes = async {
        let tx = state.store().begin_write().await?;
        tx.roll_back().await
    };
    match tokio::time::timeout(ANSWER_WITHIN, writes).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::error!(%error, "the judge is not ready");
            troubles.push("the database can't be written; the log says why");
        }
        Err(_) => troubles.push("the database is busy for too long"),
    }
    if state.languages.is_empty() {
        troubles.push("nothing is judged here; `touchstone doctor` says why");
    }
    if troubles.is_empty() {
        return "ready\n".into_response();
    }
    (StatusCode::SERVICE_UNAVAILABLE, format!("{}\n", troubles.join("\n"))).into_response()
}

/// The counters, in Prometheus' text format.
pub async fn metrics(State(state): State<AppState>, request: Request) -> Response {
    let from = client::address(request.headers(), request.extensions(), &state.proxies);
    let through_proxy = request.headers().contains_key("x-forwarded-for");
    let is_local = from.is_some_and(|address| address.is_loopback());
    // A proxy on this machine that nobody named as trusted speaks for the whole world.
    if !is_local || (through_proxy && state.proxies.is_empty()) {
        return (StatusCode::NOT_FOUND, "the metrics are for this machine only\n").into_response();
    }
    match text(&state).await {
        Ok(text) => ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response(),
        Err(error) => {
            tracing::error!(%error, "the metrics can't be read");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

async fn text(state: &AppState) -> Result<String, crate::store::StoreError> {
    let pool = state.store().read();
    let (counts, queue) = (metrics::counts(pool).await?, metrics::queue_length(pool).await?);
    let mut page = Page::default();
    page.one("touchstone_submissions_total", "counter", "Submissions handed in", counts.submissions);
    page.family("touchstone_judgements", "gauge", "Judgements that count, by verdict");
    for (verdict, count) in &counts.verdicts {
        page.line("touchstone_judgements", &format!("{{verdict=\"{verdict}\"}}"), count);
    }
    page.family("touchstone_jobs", "gauge", "Jobs that wait and that are worked on");
    page.line("touchstone_jobs", "{state=\"queued\"}", queue.queued);
    page.line("touchstone_jobs", "{state=\"leased\"}", queue.leased);
    page.one("touchstone_jobs_failed", "gauge", "Jobs that were given up", counts.failed_jobs);
    let waits_ms = counts.oldest_queued_ms.map_or(0, |queued| (state.now().0 - queued).max(0));
    page.one("touchstone_oldest_job_milliseconds", "gauge", "How long the oldest waiting job has waited", waits_ms);
    page.one("touchstone_accounts", "gauge", "Accounts", counts.accounts);
    page.one("touchstone_events_total", "counter", "Number of the latest event", counts.events);
    page.one("touchstone_database_bytes", "gauge", "Size of the database", counts.bytes);
    if let Some(bytes) = resident_bytes() {
        page.one("process_resident_memory_bytes", "gauge", "Memory of the server itself", bytes);
    }
    page.answers(&state.answers);
    Ok(page.0)
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}.\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: impl std::fmt::Display) {
        self.family(name, kind, help);
        self.line(name, "", value);
    }

    fn answers(&mut self, answers: &Answers) {
        const NAME: &str = "touchstone_http_answer_milliseconds";
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        self.family("touchstone_http_answers_total", "counter", "Answers by class of status");
        for (class, count) in answers.by_status.iter().enumerate().skip(1) {
            self.line("touchstone_http_answers_total", &format!("{{status=\"{class}xx\"}}"), read(count));
        }
        self.family(NAME, "histogram", "Time to an answer's headers");
        for (bound, count) in CLASSES_MS.iter().zip(&answers.by_time) {
            self.line(&format!("{NAME}_bucket"), &format!("{{le=\"{bound}\"}}"), read(count));
        }
        self.line(&format!("{NAME}_bucket"), "{le=\"+Inf\"}", read(&answers.count));
        self.line(&format!("{NAME}_sum"), "", read(&answers.sum_ms));
        self.line(&format!("{NAME}_count"), "", read(&answers.count));
    }
}

fn resident_bytes() -> Option<u64> {
    let pages: u64 = std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}
