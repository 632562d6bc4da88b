//! One line in the log per request: method, path without its query, status, milliseconds; and a number, which stands in
//! every line that the request caused and in the answer's `X-Request-Id`. Must not know: who asked.

use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument as _;

use crate::web::state::AppState;

/// Logs and counts the request when it is answered.
pub async fn log(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    // A link's token must not end up in a log.
    let path = match request.uri().path() {
        path if path.starts_with("/setup/") => "/setup/…".to_owned(),
        path if path.starts_with("/password/") => "/password/…".to_owned(),
        path => path.to_owned(),
    };
    let id = state.answers.next_id();
    let span = tracing::info_span!("request", request = id);
    let mut response = next.run(request).instrument(span.clone()).await;
    let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    state.answers.count(response.status(), ms);
    response.headers_mut().insert("x-request-id", HeaderValue::from(id));
    span.in_scope(|| tracing::info!(%method, path, status = response.status().as_u16(), ms, "request"));
    response
}
