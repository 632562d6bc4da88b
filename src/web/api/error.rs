//! What went wrong, as CLICS writes it: `{"code": 404, "message": "..."}`. Must not know: single resources.

use std::error::Error;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::service::sessions::LogInError;
use crate::service::submissions::SubmitError;
use crate::store::{StoreError, is_disk_trouble};

/// Why there is no answer.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    message: String,
    /// Seconds, where waiting helps.
    retry_after: Option<u64>,
}

/// CLICS's error object.
#[derive(Serialize, ToSchema)]
#[schema(as = Error)]
pub(super) struct Body<'a> {
    /// The HTTP status.
    code: u16,
    /// A sentence for people.
    message: &'a str,
}

impl ApiError {
    /// A refusal.
    pub fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), retry_after: None }
    }

    /// There is no such object, or it is not for this caller: the two are not told apart.
    pub fn no_such(kind: &str, id: &str) -> Self {
        let id: String = id.chars().take(64).collect();
        Self::new(StatusCode::NOT_FOUND, format!("there is no {kind} `{id}`"))
    }

    /// The request's form is wrong.
    pub fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// A fault of ours: the cause goes to the log, the caller gets a fixed sentence.
    pub fn internal(cause: &(dyn Error + 'static)) -> Self {
        let mut causes = vec![cause.to_string()];
        let mut source = cause.source();
        while let Some(error) = source {
            causes.push(error.to_string());
            source = error.source();
        }
        tracing::error!(cause = causes.join(": "), "an API request failed");
        if is_disk_trouble(cause) {
            let message = "the judge's disk takes nothing in now; nothing was handed in, please try again later";
            return Self { retry_after: Some(60), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, message) };
        }
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "the judge has a fault; it is in its log, please try again later")
    }

    fn later(message: String, retry_after_ms: i64) -> Self {
        let seconds = u64::try_from(retry_after_ms).unwrap_or_default().div_ceil(1_000);
        Self { retry_after: Some(seconds), ..Self::new(StatusCode::TOO_MANY_REQUESTS, message) }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = Body { code: self.status.as_u16(), message: &self.message };
        let mut response = (self.status, Json(body)).into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"Touchstone\""));
        }
        response
    }
}

/// An empty refusal of the framework (wrong method, body too large) becomes one of ours.
pub(super) async fn as_json(response: Response) -> Response {
    let status = response.status();
    let plain = |kind: &HeaderValue| !kind.as_bytes().starts_with(b"application/");
    if !status.is_client_error() || !response.headers().get(header::CONTENT_TYPE).is_none_or(plain) {
        return response;
    }
    let message = match status {
        StatusCode::METHOD_NOT_ALLOWED => "this address takes no such request",
        StatusCode::PAYLOAD_TOO_LARGE => "the request is too large",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "send multipart/form-data or application/json",
        _ => "the request can't be read",
    };
    let mut ours = ApiError::new(status, message).into_response();
    if let Some(allow) = response.headers().get(header::ALLOW) {
        ours.headers_mut().insert(header::ALLOW, allow.clone());
    }
    ours
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Self::internal(&error)
    }
}

impl From<LogInError> for ApiError {
    fn from(error: LogInError) -> Self {
        match error {
            LogInError::Wrong | LogInError::CodeNeeded => Self::new(StatusCode::UNAUTHORIZED, error.to_string()),
            LogInError::TooMany { retry_after_ms } => Self::later(error.to_string(), retry_after_ms),
            LogInError::Hashing(_) | LogInError::Random(_) | LogInError::Store(_) => Self::internal(&error),
        }
    }
}

impl From<SubmitError> for ApiError {
    fn from(error: SubmitError) -> Self {
        let status = match &error {
            SubmitError::NoSuchContest(_) | SubmitError::NoSuchProblem(_) => StatusCode::NOT_FOUND,
            SubmitError::NotBegun(_)
            | SubmitError::Over(_)
            | SubmitError::Paused(_)
            | SubmitError::NotInvited(_)
            | SubmitError::NotPublished(_)
            | SubmitError::NoTeam => StatusCode::FORBIDDEN,
            SubmitError::LanguageNotAllowed { .. }
            | SubmitError::NoFile
            | SubmitError::TooManyFiles
            | SubmitError::TooMuchCode { .. }
            | SubmitError::SameName(_)
            | SubmitError::BadDedupeKey => StatusCode::BAD_REQUEST,
            SubmitError::TooFast { retry_after_ms } => return Self::later(error.to_string(), *retry_after_ms),
            SubmitError::Store(_) => return Self::internal(&error),
        };
        Self::new(status, error.to_string())
    }
}
