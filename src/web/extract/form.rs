//! A POST form's fields, once its CSRF token is found good. Must not know: which forms there are.

use axum::extract::{Form, FromRequest, Request};
use axum::http::{Extensions, StatusCode};

use super::visit::Visit;
use super::{client, csrf};
use crate::web::error::WebError;
use crate::web::i18n::Message;
use crate::web::view::format;

/// What a page takes at most, as its visitors are told: of a file, where it takes one, else of the form. In bytes.
#[derive(Debug, Clone, Copy)]
pub struct BodyLimit(pub usize);

impl BodyLimit {
    /// For a page without a file.
    pub const FORM: Self = Self(1024 * 1024);

    /// The one that the router attached.
    pub fn of(extensions: &Extensions) -> Self {
        extensions.get().copied().unwrap_or(Self::FORM)
    }

    /// What is said of a body that is larger.
    pub fn exceeded(self) -> Message {
        Message::new("error-too-large").with("limit", format::bytes(self.0 as u64))
    }
}

/// The fields of a form, in order. A missing field reads as empty, so that one check covers both.
#[derive(Debug, Clone, Default)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// From pairs.
    pub const fn new(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }

    /// The first value of this name.
    pub fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// The first value of this name without white space around it.
    pub fn trimmed(&self, name: &str) -> &str {
        self.get(name).trim()
    }

    /// Whether a check box was ticked.
    pub fn ticked(&self, name: &str) -> bool {
        !self.get(name).is_empty()
    }
}

/// Refuses a request that didn't come from one of this visitor's own pages.
pub fn check_csrf(visit: &Visit, headers: &axum::http::HeaderMap, fields: &Fields) -> Result<(), WebError> {
    if client::from_elsewhere(headers) || !csrf::matches(&visit.csrf, fields.get("csrf")) {
        return Err(WebError::refused(StatusCode::FORBIDDEN, Message::new("error-csrf")));
    }
    Ok(())
}

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = WebError;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        let visit = Visit::of(request.extensions())?;
        let headers = request.headers().clone();
        let limit = BodyLimit::of(request.extensions());
        let form = Form::<Vec<(String, String)>>::from_request(request, state).await;
        let Form(pairs) = form.map_err(|rejection| match rejection {
            axum::extract::rejection::FormRejection::BytesRejection(_) => {
                WebError::refused(StatusCode::PAYLOAD_TOO_LARGE, limit.exceeded())
            }
            _ => WebError::refused(StatusCode::BAD_REQUEST, Message::new("error-form")),
        })?;
        let fields = Self(pairs);
        check_csrf(&visit, &headers, &fields)?;
        Ok(fields)
    }
}
