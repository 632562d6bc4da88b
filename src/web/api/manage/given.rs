//! What a call brings: JSON, values in the address, or a file as the body itself. Each refusal says what is wrong. Must
//! not know: what it is for.

use std::io;

use axum::Json;
use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio_stream::StreamExt as _;

use super::ApiError;
use crate::service::incoming::Slice;
use crate::web::extract::spool::Spool;
use crate::web::state::AppState;

/// A JSON object.
pub(super) struct Given<T>(pub T);

/// Values in the address.
pub(super) struct Asked<T>(pub T);

impl<T: DeserializeOwned> FromRequest<AppState> for Given<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(value)) => Ok(Self(value)),
            Err(error) => Err(ApiError::new(error.status(), error.body_text())),
        }
    }
}

impl<T: DeserializeOwned> FromRequestParts<AppState> for Asked<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(value)) => Ok(Self(value)),
            Err(error) => Err(ApiError::new(error.status(), error.body_text())),
        }
    }
}

/// Whether somebody, or all of a team, may log in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Disabled {
    /// Not any more.
    pub disabled: bool,
}

fn too_large(limit: usize) -> ApiError {
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the file is too large; at most {limit} bytes are taken"))
}

/// The body on our disk; nothing of it stays in memory.
pub(super) async fn file(state: &AppState, body: Body, limit: usize) -> Result<Slice, ApiError> {
    let ours = |error: io::Error| ApiError::internal(&error);
    let mut spool = Spool::create(&state.scratch).await.map_err(ours)?;
    let mut pieces = body.into_data_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|_| ApiError::bad("the file did not come to its end"))?;
        if spool.bytes() + piece.len() as u64 > limit as u64 {
            return Err(too_large(limit));
        }
        spool.write(&piece).await.map_err(ours)?;
    }
    spool.whole().await.map_err(ours)
}
