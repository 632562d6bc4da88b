//! One line in the log per request: method, path without its query, status, milliseconds; and a number, which stands in
//! every line that the request caused and in the answer's `X-Request-Id`. Must not know: who asked.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::middleware::Next;
use axum::response::Response;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tracing::{Instrument as _, Span};

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
    response.map(|body| Body::new(Numbered { body, span }))
}

/// A body whose making still belongs to its request: live pages and downloads are written after the answer has begun.
struct Numbered {
    body: Body,
    span: Span,
}

impl HttpBody for Numbered {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let _entered = this.span.enter();
        Pin::new(&mut this.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
