//! Where a request comes from, and under which address its sender knows this site. Must not know: who it is from.

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap, header};

/// The address that a request comes from. Behind a proxy that ends TLS it is what that proxy added last to
/// `X-Forwarded-For`; whatever stands before that was sent by anybody.
pub fn address(headers: &HeaderMap, extensions: &Extensions, behind_proxy: bool) -> Option<IpAddr> {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip());
    if !behind_proxy {
        return peer;
    }
    let forwarded = headers.get_all("x-forwarded-for").iter().next_back().and_then(|value| value.to_str().ok());
    forwarded.and_then(|list| list.rsplit(',').next()?.trim().parse().ok()).or(peer)
}

/// This site's address as the sender wrote it, e.g. `https://judge.example.org`; without a usable `Host` a plain
/// placeholder.
pub fn site(headers: &HeaderMap, secure: bool) -> String {
    let host = host(headers).unwrap_or("localhost:8080");
    format!("{}://{host}", if secure { "https" } else { "http" })
}

/// Whether the browser says that another site sent this request: by Fetch Metadata where it speaks of it (only over TLS
/// and on this machine), else by `Origin`. Programs that say neither pass.
pub fn from_elsewhere(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site") {
        return !matches!(site, "same-origin" | "none");
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return false };
    let Some(origin) = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, host)| host) else {
        return true;
    };
    // A proxy may have put its own name into `Host`.
    let own = [host(headers), text("x-forwarded-host")];
    !own.into_iter().flatten().any(|host| host.eq_ignore_ascii_case(origin))
}

fn host(headers: &HeaderMap) -> Option<&str> {
    let host = headers.get(header::HOST)?.to_str().ok()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']' | '_');
    (!host.is_empty() && host.len() <= 255 && host.chars().all(plain)).then_some(host)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};
    use rstest::rstest;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    #[rstest]
    #[case::a_program(&[("host", "judge:1")], false)]
    #[case::own_origin(&[("host", "judge:1"), ("origin", "http://judge:1")], false)]
    #[case::other_port(&[("host", "judge:1"), ("origin", "http://judge:2")], true)]
    #[case::other_host(&[("host", "judge"), ("origin", "https://evil.example")], true)]
    #[case::opaque(&[("host", "judge"), ("origin", "null")], true)]
    #[case::behind_a_proxy(&[("host", "10.0.0.1:8080"), ("x-forwarded-host", "judge"), ("origin", "https://judge")], false)]
    #[case::metadata_same(&[("host", "10.0.0.1"), ("origin", "https://judge"), ("sec-fetch-site", "same-origin")], false)]
    #[case::metadata_typed(&[("host", "judge"), ("sec-fetch-site", "none")], false)]
    #[case::metadata_sibling(&[("host", "judge"), ("sec-fetch-site", "same-site")], true)]
    #[case::metadata_cross(&[("host", "judge"), ("origin", "http://judge"), ("sec-fetch-site", "cross-site")], true)]
    fn another_site_is_told_apart(#[case] pairs: &[(&'static str, &'static str)], #[case] elsewhere: bool) {
        assert_eq!(from_elsewhere(&headers(pairs)), elsewhere, "{pairs:?}");
    }

    #[test]
    fn only_the_proxys_own_word_counts() {
        let sent = headers(&[("x-forwarded-for", "6.6.6.6, 192.0.2.7")]);
        let mut peer = Extensions::new();
        peer.insert(ConnectInfo::<SocketAddr>("10.0.0.1:5".parse().unwrap()));
        assert_eq!(address(&sent, &peer, true), Some("192.0.2.7".parse().unwrap()));
        assert_eq!(address(&sent, &peer, false), Some("10.0.0.1".parse().unwrap()));
        assert_eq!(address(&HeaderMap::new(), &peer, true), Some("10.0.0.1".parse().unwrap()));
    }

    #[test]
    fn a_host_that_is_none_is_not_repeated() {
        assert_eq!(site(&headers(&[("host", "judge.example:8443")]), true), "https://judge.example:8443");
        assert_eq!(site(&headers(&[("host", "x\"; rm -rf ~")]), false), "http://localhost:8080");
    }
}
