//! Refusals of the domain as sentences in the reader's language. Must not know: pages.

use axum::http::StatusCode;

use crate::domain::source::BadSource;
use crate::web::i18n::Message;
use crate::web::view::format;

/// Why a file can't be a source.
pub fn bad_source(error: &BadSource) -> Message {
    match error {
        BadSource::Empty { name } => Message::new("source-empty").with("name", name),
        BadSource::TooLarge { name, bytes, limit } => Message::new("source-too-large")
            .with("name", name)
            .with("size", format::bytes(*bytes as u64))
            .with("limit", format::bytes(*limit as u64)),
        BadSource::Nul { name, offset } => Message::new("source-nul").with("name", name).with("offset", offset),
        BadSource::NotElf { name } => Message::new("source-not-elf").with("name", name),
        BadSource::Name(name) => Message::new("source-name").with("name", name),
    }
}

/// The HTTP status that goes with it.
pub const fn bad_source_status(error: &BadSource) -> StatusCode {
    match error {
        BadSource::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}
