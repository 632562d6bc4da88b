//! A form with files of any size: they are written to disk as they come, and nothing of them stays in memory. Only for
//! setters and up, and only from one of our own pages; both are asked before a byte of a file is taken. Whatever could be
//! read is kept beside the reason why the rest couldn't. Must not know: what is in the files.

use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{HeaderMap, StatusCode};

use super::form::{self, BodyLimit, Fields};
use super::spool::{Part, Spool};
use super::upload::Refusal;
use super::visit::Visit;
use crate::domain::account::Role;
use crate::service::incoming::Slice;
use crate::web::error::WebError;
use crate::web::i18n::Message;
use crate::web::state::AppState;
use crate::web::view::format;

/// The most text that a form's fields may hold together, bytes: they are held in memory, several times over.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// What came in.
#[derive(Debug, Default)]
pub struct LargeUpload {
    /// The text fields that were read.
    pub fields: Fields,
    /// The chosen files.
    pub files: Vec<LargeFile>,
    /// Why not everything is here, or why it may not be used.
    pub problem: Option<Refusal>,
}

/// A file on our disk.
#[derive(Debug)]
pub struct LargeFile {
    /// What the browser calls it; unchecked.
    pub name: String,
    /// It.
    pub contents: Slice,
}

/// Why reading stopped.
enum Stop {
    /// The form is shown again with this.
    Refused(Refusal),
    /// Our fault.
    Ours(std::io::Error),
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::Ours(error)
    }
}

impl FromRequest<AppState> for LargeUpload {
    type Rejection = WebError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Self::Rejection> {
        let visit = Visit::of(request.extensions())?;
        // A session can end while somebody writes: then the fields come back, with what to do, and no file is taken.
        let signed_in = match visit.at_least(Role::Setter) {
            Ok(_) => true,
            Err(WebError::LogInFirst) => false,
            Err(error) => return Err(error),
        };
        let (headers, limit) = (request.headers().clone(), BodyLimit::of(request.extensions()));
        let broken = |_| WebError::refused(StatusCode::BAD_REQUEST, Message::new("error-form"));
        let multipart = Multipart::from_request(request, state).await.map_err(broken)?;
        let mut reading = Reading { visit: &visit, headers, limit, signed_in, pairs: Vec::new(), text: 0 };
        let mut spool = Spool::create(&state.scratch).await.map_err(WebError::internal)?;
        let mut found: Vec<(String, Part)> = Vec::new();
        let problem = match reading.all(multipart, &mut spool, &mut found).await {
            Ok(()) => reading.may_use().err(),
            Err(Stop::Refused(refusal)) => Some(refusal),
            Err(Stop::Ours(error)) => return Err(WebError::internal(error)),
        };
        let (names, parts): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let slices = spool.parts(parts).await.map_err(WebError::internal)?;
        let files = names.into_iter().zip(slices).map(|(name, contents)| LargeFile { name, contents }).collect();
        Ok(Self { fields: Fields::new(reading.pairs), files, problem })
    }
}

struct Reading<'a> {
    visit: &'a Visit,
    headers: HeaderMap,
    limit: BodyLimit,
    signed_in: bool,
    pairs: Vec<(String, String)>,
    /// Bytes of the fields so far.
    text: usize,
}

impl Reading<'_> {
    /// Whether the form comes from one of our own pages, as far as its fields say yet.
    fn may_use(&self) -> Result<(), Refusal> {
        match form::check_csrf(self.visit, &self.headers, &Fields::new(self.pairs.clone())) {
            Err(WebError::Refused { status, what, .. }) => Err(Refusal::new(status, what)),
            _ => Ok(()),
        }
    }

    fn broken(&self, error: &MultipartError) -> Stop {
        let too_large = error.status() == StatusCode::PAYLOAD_TOO_LARGE;
        let message = if too_large { self.limit.exceeded() } else { Message::new("error-form") };
        Stop::Refused(Refusal::new(error.status(), message))
    }

    async fn all(
        &mut self,
        mut multipart: Multipart,
        spool: &mut Spool,
        found: &mut Vec<(String, Part)>,
    ) -> Result<(), Stop> {
        while let Some(field) = multipart.next_field().await.map_err(|error| self.broken(&error))? {
            match field.file_name().map(str::to_owned) {
                None => self.text(field).await?,
                // A browser sends an empty, nameless file when none was chosen.
                Some(name) if name.is_empty() => {}
                Some(_) if !self.signed_in => return Ok(()),
                Some(name) => {
                    // The forms' own fields come before their files.
                    self.may_use().map_err(Stop::Refused)?;
                    found.push((name, self.file(field, spool).await?));
                }
            }
        }
        Ok(())
    }

    async fn text(&mut self, mut field: Field<'_>) -> Result<(), Stop> {
        let key = field.name().unwrap_or_default().to_owned();
        let mut value = Vec::new();
        while let Some(piece) = field.chunk().await.map_err(|error| self.broken(&error))? {
            self.text += piece.len();
            if self.text > MAX_TEXT_BYTES {
                let message = Message::new("error-text-too-large").with("limit", format::bytes(MAX_TEXT_BYTES as u64));
                return Err(Stop::Refused(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)));
            }
            value.extend_from_slice(&piece);
        }
        self.pairs.push((key, String::from_utf8_lossy(&value).into_owned()));
        Ok(())
    }

    async fn file(&self, mut field: Field<'_>, spool: &mut Spool) -> Result<Part, Stop> {
        let from = spool.bytes();
        while let Some(piece) = field.chunk().await.map_err(|error| self.broken(&error))? {
            spool.write(&piece).await?;
        }
        Ok(spool.since(from))
    }
}
