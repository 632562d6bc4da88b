//! What can go wrong on the way to a page, and how it is said. A refusal says what, why and the next thing to do; a
//! fault of ours says a fixed sentence, and its cause goes to the log once. Must not know: single pages.

use std::error::Error;
use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::i18n::Message;
use crate::service::Forbidden;
use crate::store::{StoreError, is_disk_trouble};

/// Why there is no page.
#[derive(Debug, Clone, thiserror::Error)]
pub enum WebError {
    /// The visitor asked for something that can't be had.
    #[error("refused with {status}: {what:?}")]
    Refused {
        /// 4xx.
        status: StatusCode,
        /// What and why.
        what: Message,
        /// Where to go instead.
        next: Next,
    },
    /// Only for people who are logged in.
    #[error("not logged in")]
    LogInFirst,
    /// Our own fault.
    #[error("internal error: {0}")]
    Internal(Arc<dyn Error + Send + Sync>),
}

/// The one next thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Next {
    /// The address.
    pub href: String,
    /// What is there.
    pub label: Message,
}

impl Next {
    /// The list of problems.
    pub fn problems() -> Self {
        Self { href: "/".to_owned(), label: Message::new("next-problems") }
    }

    /// The list of submissions.
    pub fn submissions() -> Self {
        Self { href: "/submissions".to_owned(), label: Message::new("next-submissions") }
    }

    /// The list of contests.
    pub fn contests() -> Self {
        Self { href: "/contests".to_owned(), label: Message::new("next-contests") }
    }

    /// The admin's page.
    pub fn admin() -> Self {
        Self { href: "/admin".to_owned(), label: Message::new("next-admin") }
    }
}

impl WebError {
    /// A refusal that offers the list of problems.
    pub fn refused(status: StatusCode, what: Message) -> Self {
        Self::Refused { status, what, next: Next::problems() }
    }

    /// There is no such thing; `next` is the list it would be in.
    pub const fn not_found(what: Message, next: Next) -> Self {
        Self::Refused { status: StatusCode::NOT_FOUND, what, next }
    }

    /// Our own fault.
    pub fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Internal(Arc::from(cause.into()))
    }

    /// Notes a fault of ours with its causes. Whoever ends an error's way calls it, once.
    pub fn log(&self) {
        let Self::Internal(cause) = self else { return };
        let mut causes = vec![cause.to_string()];
        let mut source = cause.source();
        while let Some(error) = source {
            causes.push(error.to_string());
            source = error.source();
        }
        tracing::error!(cause = causes.join(": "), "a page failed");
    }

    /// Whether the judge's disk takes no writes.
    pub fn is_disk_trouble(&self) -> bool {
        matches!(self, Self::Internal(cause) if is_disk_trouble(cause.as_ref()))
    }

    /// The HTTP status.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Refused { status, .. } => *status,
            Self::LogInFirst => StatusCode::UNAUTHORIZED,
            Self::Internal(_) if self.is_disk_trouble() => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl IntoResponse for WebError {
    /// A bare answer that carries the error: the visit middleware knows the visitor's language and makes it a page.
    fn into_response(self) -> Response {
        self.log();
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<StoreError> for WebError {
    fn from(error: StoreError) -> Self {
        Self::internal(error)
    }
}

impl From<Forbidden> for WebError {
    fn from(_: Forbidden) -> Self {
        Self::refused(StatusCode::FORBIDDEN, Message::new("error-role"))
    }
}

impl From<askama::Error> for WebError {
    fn from(error: askama::Error) -> Self {
        Self::internal(error)
    }
}
