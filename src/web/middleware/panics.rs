//! What a request gets whose handler panicked: an answer that says so, as for any other fault of ours. What the panic said
//! and where is in the log already (`telemetry`). Must not know: single pages.

use std::any::Any;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::web::api::ApiError;
use crate::web::error::WebError;

#[derive(Debug, thiserror::Error)]
#[error("its code panicked; the line `panicked` says where")]
struct Panicked;

/// An answer that `visit` makes a page of.
pub fn page(_panic: Box<dyn Any + Send>) -> Response {
    WebError::internal(Panicked).into_response()
}

/// The API's.
pub fn json(_panic: Box<dyn Any + Send>) -> Response {
    ApiError::internal(&Panicked).into_response()
}

/// Around everything else, where neither the visitor nor a page is known.
pub fn bare(_panic: Box<dyn Any + Send>) -> Response {
    (StatusCode::INTERNAL_SERVER_ERROR, "The judge has a fault; it is in its log. Please try again later.\n")
        .into_response()
}
