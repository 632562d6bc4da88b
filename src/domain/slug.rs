//! Short names that stand in addresses, file names and the API.

use std::fmt;
use std::str::FromStr;

/// 1 to 64 characters of `a-z 0-9 - _`, beginning with a letter or digit: a problem's or contest's short name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct Slug(String);

impl Slug {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why a text is no slug.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` can't be a short name: use 1 to 64 of a-z, 0-9, - and _, beginning with a letter or digit")]
pub struct BadSlug(pub String);

impl FromStr for Slug {
    type Err = BadSlug;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
        let starts_well = text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        if !starts_well || text.len() > 64 || !text.bytes().all(allowed) {
            return Err(BadSlug(text.chars().take(80).collect()));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> serde::Deserialize<'de> for Slug {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
