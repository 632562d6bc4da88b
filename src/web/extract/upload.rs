//! A form with a file. It never fails on its own: whatever could be read is kept beside the reason why the rest
//! couldn't, so that the page can show the form again with nothing lost. Must not know: which forms there are.

use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::form::{self, BodyLimit, Fields};
use super::visit::Visit;
use crate::web::error::WebError;
use crate::web::i18n::Message;
use crate::web::pages::FormPage;

/// What came in.
#[derive(Debug, Default)]
pub struct Upload {
    /// The text fields that were read.
    pub fields: Fields,
    /// The chosen file, if one was chosen.
    pub file: Option<UploadedFile>,
    /// What was chosen beside it, where a field takes several.
    pub more: Vec<UploadedFile>,
    /// Why not everything is here, or why it may not be used.
    pub problem: Option<Refusal>,
}

/// A file as the browser sent it.
#[derive(Debug)]
pub struct UploadedFile {
    /// What the browser calls it; unchecked.
    pub name: String,
    /// Its bytes.
    pub contents: Vec<u8>,
}

/// A sentence and the status that goes with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// 4xx.
    pub status: StatusCode,
    /// What and why.
    pub message: Message,
    /// After how many seconds it may be sent again, where waiting helps.
    pub retry_after: Option<u64>,
}

impl Refusal {
    /// A refusal with this status and sentence.
    pub const fn new(status: StatusCode, message: Message) -> Self {
        Self { status, message, retry_after: None }
    }

    /// Too many within a while. The sentence may name the seconds.
    pub fn too_fast(key: &'static str, retry_after_ms: i64) -> Self {
        let seconds = u64::try_from(retry_after_ms).unwrap_or_default().div_ceil(1_000);
        let message = Message::new(key).with("seconds", seconds);
        Self { retry_after: Some(seconds), ..Self::new(StatusCode::TOO_MANY_REQUESTS, message) }
    }
}

impl<S: Send + Sync> FromRequest<S> for Upload {
    type Rejection = WebError;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        let visit = Visit::of(request.extensions())?;
        let headers = request.headers().clone();
        let limit = BodyLimit::of(request.extensions());
        let multipart = Multipart::from_request(request, state).await;
        let mut multipart =
            multipart.map_err(|_| WebError::refused(StatusCode::BAD_REQUEST, Message::new("error-form")))?;
        let (mut pairs, mut upload) = (Vec::new(), Self::default());
        if let Err(refusal) = read(&mut multipart, &mut pairs, &mut upload, limit).await {
            upload.problem = Some(refusal);
        }
        upload.fields = Fields::new(pairs);
        // A form that broke off before its token came is told why it broke off.
        let token_came = upload.problem.is_none() || !upload.fields.get("csrf").is_empty();
        if token_came
            && let Err(WebError::Refused { status, what, .. }) = form::check_csrf(&visit, &headers, &upload.fields)
        {
            upload.problem = Some(Refusal::new(status, what));
        }
        Ok(upload)
    }
}

async fn read(
    multipart: &mut Multipart,
    pairs: &mut Vec<(String, String)>,
    upload: &mut Upload,
    limit: BodyLimit,
) -> Result<(), Refusal> {
    let broken = |error: axum::extract::multipart::MultipartError| {
        let too_large = error.status() == StatusCode::PAYLOAD_TOO_LARGE;
        Refusal::new(error.status(), if too_large { limit.exceeded() } else { Message::new("error-form") })
    };
    while let Some(field) = multipart.next_field().await.map_err(broken)? {
        let name = field.name().unwrap_or_default().to_owned();
        if let Some(file_name) = field.file_name().map(str::to_owned) {
            let contents = field.bytes().await.map_err(broken)?;
            // A browser sends an empty, nameless file when none was chosen.
            if !file_name.is_empty() {
                let file = UploadedFile { name: file_name, contents: contents.to_vec() };
                match &upload.file {
                    None => upload.file = Some(file),
                    Some(_) => upload.more.push(file),
                }
            }
        } else {
            let value = field.bytes().await.map_err(broken)?;
            pairs.push((name, String::from_utf8_lossy(&value).into_owned()));
        }
    }
    Ok(())
}

/// A pasted text as it was meant: browsers send every line end of a text area as CR LF.
pub fn pasted(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// A form that comes back, with the time after which it may be sent again.
pub fn come_back(form: FormPage, retry_after: Option<u64>) -> Response {
    let mut response = form.into_response();
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
