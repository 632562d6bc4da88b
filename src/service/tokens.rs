//! Random tokens that stand for a right: in a cookie, in a one-time link. Only their SHA-256 is stored.

use crate::domain::hash::Sha256;

/// 256 random bits, written as 64 hexadecimal digits.
pub(super) fn random() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(Sha256::from_bytes(bytes).to_string())
}

/// What is stored of a token.
pub(super) fn stored(token: &str) -> Sha256 {
    Sha256::of_parts([("token", token.as_bytes())])
}

/// The CSRF token that belongs to a session's token: it can't be made without the cookie, nor the cookie from it.
pub(super) fn csrf(session_token: &str) -> String {
    Sha256::of_parts([("csrf", session_token.as_bytes())]).to_string()
}
