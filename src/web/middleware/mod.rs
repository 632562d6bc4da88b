//! What happens around every handler. Must not know: single pages.

pub mod panics;
pub mod request_log;
pub mod security;
pub mod visit;
