//! One line in the log per request: method, path without its query, status, milliseconds. Must not know: who asked.

use std::time::Instant;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;

/// Logs the request when it is answered.
pub async fn log(request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    // A link's token must not end up in a log.
    let path = match request.uri().path() {
        path if path.starts_with("/setup/") => "/setup/…".to_owned(),
        path if path.starts_with("/password/") => "/password/…".to_owned(),
        path => path.to_owned(),
    };
    let response = next.run(request).await;
    let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    tracing::info!(%method, path, status = response.status().as_u16(), ms, "request");
    response
}
