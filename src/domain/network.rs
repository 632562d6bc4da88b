//! A range of internet addresses: `10.0.0.0/8`, `2001:db8::/32`, or one address.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// A range of addresses of one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

/// A text that is no range of addresses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no address and no network; write for example 127.0.0.1 or 10.0.0.0/8")]
pub struct BadNetwork(String);

impl Network {
    /// Whether an address lies in it. An address of version 4 that is written as one of version 6 counts as what it is.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                same_start(own.to_bits().into(), other.to_bits().into(), 32, self.prefix)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => same_start(own.to_bits(), other.to_bits(), 128, self.prefix),
            _ => false,
        }
    }
}

fn same_start(one: u128, other: u128, bits: u32, prefix: u8) -> bool {
    let rest = bits - u32::from(prefix);
    one.checked_shr(rest).unwrap_or(0) == other.checked_shr(rest).unwrap_or(0)
}

impl FromStr for Network {
    type Err = BadNetwork;

    fn from_str(text: &str) -> Result<Self, BadNetwork> {
        let bad = || BadNetwork(text.chars().take(60).collect());
        let (address, prefix) = text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
        let address: IpAddr = address.parse().map_err(|_| bad())?;
        let bits = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            None => bits,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().map_err(|_| bad())?,
            Some(_) => return Err(bad()),
        };
        if prefix > bits { Err(bad()) } else { Ok(Self { address, prefix }) }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.address, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("10.0.0.0/8", "10.255.1.2", true)]
    #[case("10.0.0.0/8", "11.0.0.1", false)]
    #[case("10.1.2.3", "10.1.2.3", true)]
    #[case("10.1.2.3", "10.1.2.4", false)]
    #[case("0.0.0.0/0", "203.0.113.9", true)]
    #[case("0.0.0.0/0", "2001:db8::1", false)]
    #[case("2001:db8::/32", "2001:db8:1::1", true)]
    #[case("2001:db8::/32", "2001:db9::1", false)]
    #[case("::/0", "::1", true)]
    #[case("127.0.0.1", "::ffff:127.0.0.1", true)]
    fn addresses_lie_in_their_network(#[case] network: &str, #[case] address: &str, #[case] inside: bool) {
        assert_eq!(network.parse::<Network>().unwrap().contains(address.parse().unwrap()), inside);
    }

    #[rstest]
    #[case("")]
    #[case("localhost")]
    #[case("10.0.0.0/33")]
    #[case("10.0.0.0/+8")]
    #[case("10.0.0.0/")]
    #[case("10.0.0.0/8/9")]
    #[case("::/129")]
    fn other_words_are_none(#[case] text: &str) {
        assert!(text.parse::<Network>().unwrap_err().to_string().contains(text));
    }

    proptest! {
        #[test]
        fn any_words_are_answered(text in "\\PC{0,80}") {
            let _ = text.parse::<Network>();
        }

        #[test]
        #[expect(clippy::cast_possible_truncation, reason = "any 32 bits will do")]
        fn what_is_written_is_read_again(bits: u128, four: bool, prefix in 0u8..=128) {
            let address = if four { IpAddr::from((bits as u32).to_be_bytes()) } else { IpAddr::from(bits.to_be_bytes()) };
            let network = Network { address, prefix: if four { prefix.min(32) } else { prefix } };
            prop_assert_eq!(network.to_string().parse::<Network>(), Ok(network));
            prop_assert!(network.contains(address) || address.to_canonical() != address);
        }
    }
}
