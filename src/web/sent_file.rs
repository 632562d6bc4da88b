//! A file as the body of an answer, read while it is sent. Must not know: what is in it.

use std::fs::File;
use std::io;

use axum::body::{Body, Bytes};
use tokio::io::AsyncReadExt as _;

/// It is sent in pieces of so many bytes.
const PIECE: usize = 64 * 1024;

/// From where the file stands to its end.
pub fn body(file: File) -> Body {
    let mut file = tokio::fs::File::from_std(file);
    Body::from_stream(async_stream::stream! {
        loop {
            let mut piece = vec![0; PIECE];
            match file.read(&mut piece).await {
                Ok(0) => break,
                Ok(read) => {
                    piece.truncate(read);
                    yield Ok::<_, io::Error>(Bytes::from(piece));
                }
                Err(error) => {
                    yield Err(error);
                    break;
                }
            }
        }
    })
}
