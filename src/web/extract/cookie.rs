//! The cookies: session, browser (for CSRF), and three choices. Must not know: what they are worth.

use axum::http::{HeaderMap, HeaderValue, header};
use axum_extra::extract::cookie::CookieJar;

use crate::domain::ids::{ClarificationId, ContestId};

/// The session token.
pub const SESSION: &str = "touchstone_session";
/// The token of somebody who owes the code after the password.
pub const HALF: &str = "touchstone_half";
/// A random name of the browser: forms are bound to it before there is a session.
pub const BROWSER: &str = "touchstone_browser";
/// The chosen language.
pub const LANG: &str = "touchstone_lang";
/// The chosen theme.
pub const THEME: &str = "touchstone_theme";

/// The programming language of the last submission.
pub const LANGUAGE: &str = "touchstone_language";

/// The newest message of a contest's judges that was shown: the contest's number follows, what is read in one is not read
/// in another.
const SEEN: &str = "touchstone_seen_";

const YEAR_SECONDS: u32 = 365 * 24 * 3600;

/// The value of a cookie.
pub fn read(headers: &HeaderMap, name: &str) -> Option<String> {
    CookieJar::from_headers(headers).get(name).map(|cookie| cookie.value().to_owned())
}

/// The newest message of this contest's judges that was shown in this browser; 0 for none.
pub fn seen(headers: &HeaderMap, contest: ContestId) -> ClarificationId {
    ClarificationId(read(headers, &format!("{SEEN}{contest}")).and_then(|id| id.parse().ok()).unwrap_or(0))
}

/// Notes the newest message of this contest's judges that was shown.
pub fn set_seen(headers: &mut HeaderMap, contest: ContestId, newest: ClarificationId, secure: bool) {
    set(headers, &format!("{SEEN}{contest}"), &newest.to_string(), secure);
}

/// Adds a cookie that scripts can't read and that other sites' forms don't send. The value is plain ASCII: a token or
/// a code of ours.
pub fn set(headers: &mut HeaderMap, name: &str, value: &str, secure: bool) {
    append(headers, name, value, YEAR_SECONDS, secure);
}

/// The same for so many seconds.
pub fn set_for(headers: &mut HeaderMap, name: &str, value: &str, seconds: u32, secure: bool) {
    append(headers, name, value, seconds, secure);
}

/// Takes a cookie back.
pub fn forget(headers: &mut HeaderMap, name: &str, secure: bool) {
    append(headers, name, "", 0, secure);
}

fn append(headers: &mut HeaderMap, name: &str, value: &str, seconds: u32, secure: bool) {
    let secure = if secure { "; Secure" } else { "" };
    let line = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}");
    if let Ok(line) = HeaderValue::from_str(&line) {
        headers.append(header::SET_COOKIE, line);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_set_is_read_among_whatever_else_is_sent(
            token in "[0-9a-f]{64}", before in "[^\\x00-\\x1f\\x7f;]{0,40}", after in "[^\\x00-\\x1f\\x7f]{0,40}",
        ) {
            prop_assume!(!before.contains(SESSION) && !after.contains(SESSION));
            let mut answer = HeaderMap::new();
            set(&mut answer, SESSION, &token, true);
            let line = answer[header::SET_COOKIE].to_str().unwrap();
            for word in ["HttpOnly", "SameSite=Lax", "Secure", "Path=/"] {
                prop_assert!(line.contains(word), "{line}");
            }
            let pair = line.split(';').next().unwrap();
            let mut sent = HeaderMap::new();
            sent.insert(header::COOKIE, HeaderValue::from_bytes(format!("{before}; {pair}; {after}").as_bytes()).unwrap());
            // A header that is no text is no cookie at all.
            let wanted = before.is_ascii() && after.is_ascii();
            prop_assert!(read(&sent, SESSION) == Some(token) || !wanted);
        }

        #[test]
        fn no_value_becomes_a_second_attribute_or_header(value in "\\PC{0,20}|[\r\n;=a-z ]{0,20}") {
            let mut answer = HeaderMap::new();
            set(&mut answer, THEME, &value, false);
            prop_assert!(answer.len() <= 1);
            if value.contains(['\r', '\n']) {
                prop_assert!(answer.is_empty());
            }
        }
    }
}
