//! One file per page: extract, one service or read call, render. Must not know: SQL, how cookies are read.

pub mod account;
pub mod admin;
pub mod api_reference;
pub mod clarifications;
pub mod contests;
pub mod home;
pub mod log_in;
pub mod log_in_code;
pub mod log_out;
pub mod news;
pub mod password;
pub mod preferences;
pub mod problem;
pub mod problem_files;
pub mod register;
pub mod resolver;
pub mod scoreboard;
pub mod second_step;
pub mod setup;
pub mod submission;
pub mod submission_events;
pub mod submissions;
pub mod submit;
pub mod trial;
pub mod virtual_run;

/// A rendered page.
pub type Page = axum::response::Html<String>;

/// A rendered form: 200 when it is fresh, 4xx when it comes back with a sentence.
pub type FormPage = (axum::http::StatusCode, Page);

/// An address on this site to go on to, from a form or a query; anything that could lead elsewhere becomes `/`.
pub fn local_address(given: &str) -> &str {
    let path = given.starts_with('/') && !given.starts_with("//") && !given.contains(['\\', '\n', '\r', '\t']);
    if path { given } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::local_address;

    #[test]
    fn only_addresses_of_this_site_are_followed() {
        for (given, safe) in [
            ("/problems/a?x=1", "/problems/a?x=1"),
            ("", "/"),
            ("https://elsewhere.example", "/"),
            ("//elsewhere.example", "/"),
            ("/\\elsewhere.example", "/"),
            ("/a\r\nSet-Cookie: x", "/"),
            ("javascript:alert(1)", "/"),
        ] {
            assert_eq!(local_address(given), safe, "{given:?}");
        }
    }
}
