//! `/contests/{slug}/...`: the contestants' pages of a contest. The part before the page is taken off before the router
//! sees the address, and kept beside the request: so every page is there for every contest, and the practice contest has
//! the short addresses. Must not know: single pages.

use axum::extract::Request;
use axum::http::Uri;
use axum::http::uri::PathAndQuery;

/// The contest that the address names, by its slug.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InContest(pub String);

/// Pages that every contest has.
const PAGES: [&str; 9] =
    ["problems", "submissions", "scoreboard", "clarifications", "news", "trials", "resolver", "virtual", "admin"];

/// Takes the contest off the address.
pub fn take_off(mut request: Request) -> Request {
    if let Some((contest, uri)) = split(request.uri()) {
        *request.uri_mut() = uri;
        request.extensions_mut().insert(contest);
    }
    request
}

fn split(uri: &Uri) -> Option<(InContest, Uri)> {
    let (slug, page) = match uri.path().strip_prefix("/contests/")?.split_once('/') {
        Some((slug, rest)) => (slug, rest),
        None => (uri.path().strip_prefix("/contests/")?, ""),
    };
    let known = page.is_empty() || PAGES.contains(&page.split('/').next()?);
    if slug.is_empty() || !known {
        return None;
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(format!("/{page}{query}")).ok()?);
    Some((InContest(slug.to_owned()), Uri::from_parts(parts).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contests_pages_are_the_pages() {
        for (asked, contest, page) in [
            ("/contests/cup", "cup", "/"),
            ("/contests/cup/", "cup", "/"),
            ("/contests/cup/scoreboard?projector", "cup", "/scoreboard?projector"),
            ("/contests/cup/problems/sum/submit", "cup", "/problems/sum/submit"),
        ] {
            let expected = Some((InContest(contest.to_owned()), page.parse::<Uri>().unwrap()));
            assert_eq!(split(&asked.parse().unwrap()), expected, "{asked}");
        }
        for other in ["/", "/contests", "/contests/", "/contests/cup/account", "/api/v4/contests/cup/problems"] {
            assert_eq!(split(&other.parse().unwrap()), None, "{other}");
        }
    }
}
