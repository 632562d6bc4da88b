//! Contents that are sent as they are read, so that at most a piece of them is in memory. Must not know: what they are.

use std::fs::File;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use tokio::io::AsyncReadExt as _;

use super::state::AppState;
use crate::domain::hash::Sha256;
use crate::store::{StoreError, blob};

/// How much of a file is sent at once, bytes.
const PIECE: usize = 64 * 1024;

/// A stored content of so many bytes, to be saved under this name.
pub fn stored(state: &AppState, name: &str, sha256: Sha256, bytes: u64) -> Response {
    let store = state.store().clone();
    let pieces = async_stream::try_stream! {
        for number in 0_u32.. {
            match blob::piece(store.read(), sha256, number).await? {
                Some(piece) => yield Bytes::from(piece),
                None => break,
            }
        }
    };
    let body: std::pin::Pin<Box<dyn tokio_stream::Stream<Item = Result<Bytes, StoreError>> + Send>> = Box::pin(pieces);
    (headers("application/octet-stream", name, bytes), Body::from_stream(body)).into_response()
}

/// A zip from where it stands, to be saved under this name.
///
/// # Errors
/// When its size can't be found out.
pub fn zip(file: File, name: &str) -> std::io::Result<Response> {
    let bytes = file.metadata()?.len();
    let mut file = tokio::fs::File::from_std(file);
    let pieces = async_stream::stream! {
        loop {
            let mut piece = vec![0; PIECE];
            match file.read(&mut piece).await {
                Ok(0) => break,
                Ok(read) => {
                    piece.truncate(read);
                    yield Ok::<_, std::io::Error>(Bytes::from(piece));
                }
                Err(error) => {
                    yield Err(error);
                    break;
                }
            }
        }
    };
    Ok((headers("application/zip", name, bytes), Body::from_stream(pieces)).into_response())
}

fn headers(kind: &'static str, name: &str, bytes: u64) -> [(header::HeaderName, HeaderValue); 3] {
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')).collect();
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_LENGTH, HeaderValue::from(bytes)),
        (header::CONTENT_DISPOSITION, disposition.unwrap_or(HeaderValue::from_static("attachment"))),
    ]
}
