//! The token that ties a form to the browser and the session it was made for. Must not know: forms, pages.

use crate::domain::hash::Sha256;

/// 32 random bytes as hexadecimal digits.
pub fn random_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(Sha256::from_bytes(bytes).to_string())
}

/// The token for forms of this browser in this session. Without the two `HttpOnly` cookies it can't be computed, and
/// it changes when somebody logs in or out.
pub fn token(browser: &str, session: Option<&str>) -> String {
    let session = session.unwrap_or_default();
    Sha256::of_parts([("browser", browser.as_bytes()), ("session", session.as_bytes())]).to_string()
}

/// Whether a form carries the right token; takes as long for a wrong one as for the right one.
pub fn matches(expected: &str, given: &str) -> bool {
    let same_length = expected.len() == given.len();
    same_length && expected.bytes().zip(given.bytes()).fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
}
