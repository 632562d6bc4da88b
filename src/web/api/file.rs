//! References to files, as CLICS's objects carry them. Must not know: what is in them.

use serde::Serialize;
use utoipa::ToSchema;

/// CLICS file reference.
#[derive(Serialize, ToSchema)]
#[schema(as = File)]
pub(super) struct FileReference {
    /// `href`, relative to the API's address.
    href: String,
    /// `filename`.
    filename: String,
    /// `mime`.
    mime: &'static str,
}

impl FileReference {
    /// A zip file.
    pub(super) fn zip(href: String, filename: impl Into<String>) -> Self {
        Self { href, filename: filename.into(), mime: "application/zip" }
    }

    /// A PDF file.
    pub(super) fn pdf(href: String, filename: impl Into<String>) -> Self {
        Self { href, filename: filename.into(), mime: "application/pdf" }
    }
}
