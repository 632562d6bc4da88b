//! The contest API for programs: CLICS Contest API 2023-06, in the form that DOMjudge's `submit` client and
//! `bapctools` speak it. Owns: JSON shapes (one file a resource), tokens and Basic authentication, errors as
//! `{code, message}`. Must not know: cookies, pages, the words of the interface.
//!
//! It hangs below `/api/v4`, and below `/api` for clients that name no version. Field names are CLICS's; the few that are
//! DOMjudge's own say so.

mod access;
mod awards;
mod caller;
mod clarifications;
mod collection;
mod contest_state;
mod contests;
mod error;
mod event_feed;
mod file;
mod groups;
mod info;
mod judgement_types;
mod judgements;
mod languages;
mod manage;
mod new_submission;
mod openapi;
mod organizations;
mod problems;
mod runs;
mod scoreboard;
mod source_zip;
mod submissions;
mod teams;
mod time;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::uri::PathAndQuery;
use axum::http::{StatusCode, Uri};
use axum::middleware::map_response;
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;

pub use error::ApiError;
pub use manage::openapi::document as managing_document;
pub use openapi::document;

use super::middleware::panics;
use super::state::AppState;
use crate::domain::source::MAX_BINARY_BYTES;

/// The largest request, bytes: the largest program in base64, with what stands around it.
const MAX_BODY: usize = MAX_BINARY_BYTES / 3 * 4 + 1024 * 1024;

/// All addresses of the API.
pub fn router() -> Router<AppState> {
    let v4 = endpoints();
    Router::new()
        .nest("/api/v4", v4.clone())
        .nest("/api", v4)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(CatchPanicLayer::custom(panics::json))
        .layer(map_response(error::as_json))
}

/// Takes off the slash that some clients (`bapctools`) write at the end of an address, before a route is looked up.
pub fn without_slash(mut request: Request) -> Request {
    let uri = request.uri();
    let path = uri.path().trim_end_matches('/');
    if path.len() < uri.path().len() && (path == "/api" || path.starts_with("/api/")) {
        let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        let mut parts = uri.clone().into_parts();
        parts.path_and_query = PathAndQuery::try_from(format!("{path}{query}")).ok();
        if let Ok(shorter) = Uri::from_parts(parts) {
            *request.uri_mut() = shorter;
        }
    }
    request
}

fn endpoints() -> Router<AppState> {
    Router::new()
        .route("/", get(info::show))
        .route("/info", get(info::show))
        .route("/version", get(info::version))
        .route("/openapi.json", get(openapi::show))
        .route("/contests", get(contests::list))
        .route("/contests/{contest}", get(contests::show))
        .route("/contests/{contest}/state", get(contest_state::show))
        .route("/contests/{contest}/scoreboard", get(scoreboard::show))
        .route("/contests/{contest}/access", get(access::show))
        .route("/contests/{contest}/event-feed", get(event_feed::show))
        .route("/contests/{contest}/submissions", get(collection::submissions).post(submissions::submit))
        .route("/contests/{contest}/submissions/{id}/files", get(submissions::files))
        .route("/contests/{contest}/submissions/{id}/source-code", get(submissions::source_code))
        .route("/contests/{contest}/problems/{id}/statement/{language}", get(problems::statement))
        .route("/contests/{contest}/problems/{id}/package", get(problems::package))
        .route("/contests/{contest}/{collection}", get(collection::list))
        .route("/contests/{contest}/{collection}/{id}", get(collection::show))
        .route("/touchstone/openapi.json", get(manage::openapi::show))
        .merge(manage::router())
        .fallback(async || ApiError::new(StatusCode::NOT_FOUND, "the API has no such address"))
}
