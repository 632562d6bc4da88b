//! A form with a file of any size: it is written to disk as it comes, and nothing of it stays in memory. Only for setters
//! and up, and only from one of our own pages; both are asked before a byte of the file is taken. Must not know: what is
//! in the file.

use std::fs::File;
use std::io;

use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::StatusCode;
use tokio::io::AsyncWriteExt as _;

use super::form::{self, BodyLimit, Fields};
use super::upload::Refusal;
use super::visit::Visit;
use crate::domain::account::Role;
use crate::web::error::WebError;
use crate::web::i18n::Message;
use crate::web::state::AppState;

/// What came in.
#[derive(Debug, Default)]
pub struct LargeUpload {
    /// The text fields that were read.
    pub fields: Fields,
    /// The chosen file, if one was chosen.
    pub file: Option<LargeFile>,
    /// Why not everything is here.
    pub problem: Option<Refusal>,
}

/// A file on our disk that goes when nobody reads it any more.
#[derive(Debug)]
pub struct LargeFile {
    /// What the browser calls it; unchecked.
    pub name: String,
    /// It, at its start.
    pub file: File,
}

impl FromRequest<AppState> for LargeUpload {
    type Rejection = WebError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Self::Rejection> {
        let visit = Visit::of(request.extensions())?;
        visit.at_least(Role::Setter)?;
        let headers = request.headers().clone();
        let limit = BodyLimit::of(request.extensions());
        let broken = || WebError::refused(StatusCode::BAD_REQUEST, Message::new("error-form"));
        let mut multipart = Multipart::from_request(request, state).await.map_err(|_| broken())?;
        let mut upload = Self::default();
        let mut pairs = Vec::new();
        loop {
            let field = match multipart.next_field().await {
                Ok(Some(field)) => field,
                Ok(None) => break,
                Err(error) => {
                    upload.problem = Some(refusal(&error, limit));
                    break;
                }
            };
            let Some(name) = field.file_name().map(str::to_owned) else {
                let key = field.name().unwrap_or_default().to_owned();
                let value = field.bytes().await.map_err(|_| broken())?;
                pairs.push((key, String::from_utf8_lossy(&value).into_owned()));
                continue;
            };
            // The forms' own fields come before their file.
            form::check_csrf(&visit, &headers, &Fields::new(pairs.clone()))?;
            match keep(field, state).await {
                // A browser sends an empty, nameless file when none was chosen.
                Ok(Ok(_)) if name.is_empty() => {}
                Ok(Ok(file)) => upload.file = Some(LargeFile { name, file }),
                Ok(Err(error)) => {
                    upload.problem = Some(refusal(&error, limit));
                    break;
                }
                Err(error) => return Err(WebError::internal(error)),
            }
        }
        upload.fields = Fields::new(pairs);
        form::check_csrf(&visit, &headers, &upload.fields)?;
        Ok(upload)
    }
}

fn refusal(error: &MultipartError, limit: BodyLimit) -> Refusal {
    let too_large = error.status() == StatusCode::PAYLOAD_TOO_LARGE;
    Refusal::new(error.status(), if too_large { limit.exceeded() } else { Message::new("error-form") })
}

/// Writes what comes to a file without a name.
async fn keep(mut field: Field<'_>, state: &AppState) -> io::Result<Result<File, MultipartError>> {
    tokio::fs::create_dir_all(&*state.scratch).await?;
    let file = tempfile::tempfile_in(&*state.scratch)?;
    let mut writer = tokio::fs::File::from_std(file);
    loop {
        match field.chunk().await {
            Ok(Some(chunk)) => writer.write_all(&chunk).await?,
            Ok(None) => break,
            Err(error) => return Ok(Err(error)),
        }
    }
    writer.flush().await?;
    let mut file = writer.into_std().await;
    io::Seek::rewind(&mut file)?;
    Ok(Ok(file))
}
