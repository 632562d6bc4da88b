//! Where a request comes from, and under which address its sender knows this site. Must not know: who it is from.

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap, header};

use crate::domain::network::Network;

/// Whose word about a client's address is taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<Network>);

impl TrustedProxies {
    /// These networks.
    pub const fn new(networks: Vec<Network>) -> Self {
        Self(networks)
    }

    /// Whether nobody is trusted.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn has(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }
}

/// The address that a request comes from. A trusted proxy tells from whom it has the request by adding that one's address
/// to the end of `X-Forwarded-For`; what an address that is not trusted says of itself counts for nothing.
pub fn address(headers: &HeaderMap, extensions: &Extensions, proxies: &TrustedProxies) -> Option<IpAddr> {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip().to_canonical())?;
    let told: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .map(|value| value.to_str().unwrap_or_default())
        .flat_map(|list| list.split(','))
        .collect();
    let mut from = peer;
    for word in told.into_iter().rev() {
        if !proxies.has(from) {
            break;
        }
        let Ok(before) = word.trim().parse::<IpAddr>() else { break };
        from = before.to_canonical();
    }
    Some(from)
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
    use proptest::prelude::*;
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

    #[rstest]
    #[case::nobody_is_trusted(&[], "10.0.0.1", "6.6.6.6, 192.0.2.7", "10.0.0.1")]
    #[case::the_proxys_own_word(&["10.0.0.1"], "10.0.0.1", "6.6.6.6, 192.0.2.7", "192.0.2.7")]
    #[case::two_proxies(&["10.0.0.0/8"], "10.0.0.1", "6.6.6.6, 192.0.2.7, 10.0.0.2", "192.0.2.7")]
    #[case::somebody_beside_the_proxy(&["10.0.0.1"], "10.0.0.9", "192.0.2.7", "10.0.0.9")]
    #[case::no_header(&["10.0.0.1"], "10.0.0.1", "", "10.0.0.1")]
    #[case::nonsense(&["10.0.0.1"], "10.0.0.1", "192.0.2.7, <script>", "10.0.0.1")]
    #[case::all_trusted(&["0.0.0.0/0"], "10.0.0.1", "192.0.2.7", "192.0.2.7")]
    #[case::version_4_in_6(&["10.0.0.1"], "::ffff:10.0.0.1", "2001:db8::1", "2001:db8::1")]
    fn only_a_trusted_proxys_word_counts(
        #[case] trusted: &[&str],
        #[case] peer: &str,
        #[case] told: &'static str,
        #[case] from: &str,
    ) {
        let trusted = TrustedProxies::new(trusted.iter().map(|network| network.parse().unwrap()).collect());
        let mut extensions = Extensions::new();
        extensions.insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 5)));
        let headers = headers(&[("x-forwarded-for", told)]);
        assert_eq!(address(&headers, &extensions, &trusted), Some(from.parse().unwrap()));
        assert_eq!(address(&headers, &Extensions::new(), &trusted), None);
    }

    #[test]
    fn a_host_that_is_none_is_not_repeated() {
        assert_eq!(site(&headers(&[("host", "judge.example:8443")]), true), "https://judge.example:8443");
        assert_eq!(site(&headers(&[("host", "x\"; rm -rf ~")]), false), "http://localhost:8080");
    }

    fn any_value(bytes: &[u8]) -> HeaderValue {
        let seen: Vec<u8> = bytes.iter().copied().filter(|byte| *byte >= 32 && *byte != 127).collect();
        HeaderValue::from_bytes(&seen).unwrap()
    }

    proptest! {
        #[test]
        fn whatever_is_forwarded_only_the_chain_of_trust_is_followed(
            told in "((10\\.0\\.0\\.[12]|192\\.0\\.2\\.7|::1|[0-9a-f:.]{0,9}|\\PC{0,6})[, ]{0,2}){0,6}", trusts in any::<bool>(),
        ) {
            let peer: IpAddr = "10.0.0.1".parse().unwrap();
            let mut extensions = Extensions::new();
            extensions.insert(ConnectInfo(SocketAddr::new(peer, 5)));
            let mut headers = HeaderMap::new();
            headers.insert("x-forwarded-for", any_value(told.as_bytes()));
            let networks = if trusts { vec!["10.0.0.0/24".parse().unwrap()] } else { Vec::new() };
            let proxies = TrustedProxies::new(networks);
            let from = address(&headers, &extensions, &proxies).unwrap();
            if trusts {
                // All that stand behind it in the list are trusted ones.
                let chain: Vec<&str> = told.split(',').map(str::trim).collect();
                let at = chain.iter().rposition(|word| word.parse::<IpAddr>().is_ok_and(|one| one.to_canonical() == from));
                prop_assert!(from == peer || at.is_some(), "{from}");
            } else {
                prop_assert_eq!(from, peer);
            }
        }

        #[test]
        fn whatever_host_is_said_nothing_but_a_host_is_repeated(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, any_value(&bytes));
            headers.insert(header::ORIGIN, any_value(&bytes));
            let site = site(&headers, true);
            let plain = |c: char| c.is_ascii_alphanumeric() || "-._:[]/".contains(c);
            prop_assert!(site.chars().all(plain) && site.len() <= 255 + "https://".len(), "{site}");
            // An origin without a scheme is nobody's page.
            prop_assert!(from_elsewhere(&headers) || any_value(&bytes).to_str().is_ok_and(|text| text.contains("://")));
        }
    }
}
