//! What a call brings: JSON, values in the address, or a file as the body itself. Each refusal says what is wrong. Must
//! not know: what it is for.

use std::fs::File;
use std::io;

use axum::Json;
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use tokio::io::AsyncWriteExt as _;
use tokio_stream::StreamExt as _;

use super::ApiError;
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

fn too_large(limit: usize) -> ApiError {
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the file is too large; at most {limit} bytes are taken"))
}

/// The whole body.
pub(super) async fn bytes(body: Body, limit: usize) -> Result<Vec<u8>, ApiError> {
    Ok(to_bytes(body, limit).await.map_err(|_| too_large(limit))?.to_vec())
}

/// The body as a file on our disk, at its start, that goes when nobody reads it any more.
pub(super) async fn file(state: &AppState, body: Body, limit: usize) -> Result<File, ApiError> {
    let ours = |error: io::Error| ApiError::internal(&error);
    tokio::fs::create_dir_all(&*state.scratch).await.map_err(ours)?;
    let file = tempfile::tempfile_in(&*state.scratch).map_err(ours)?;
    let mut writer = tokio::fs::File::from_std(file);
    let (mut pieces, mut taken) = (body.into_data_stream(), 0);
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|_| ApiError::bad("the file did not come to its end"))?;
        taken += piece.len();
        if taken > limit {
            return Err(too_large(limit));
        }
        writer.write_all(&piece).await.map_err(ours)?;
    }
    writer.flush().await.map_err(ours)?;
    let mut file = writer.into_std().await;
    io::Seek::rewind(&mut file).map_err(ours)?;
    Ok(file)
}
