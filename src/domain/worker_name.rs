//! Names of machines that judge for a server. They stand in subjects of messages, in receipts and on pages.

use std::fmt;
use std::str::FromStr;

/// The longest name, bytes.
const MAX_BYTES: usize = 32;
/// How the workers inside the server begin; no machine may be called like one.
const EMBEDDED: &str = "embedded";

/// 1 to 32 of a-z, 0-9 and -, beginning with a letter or digit; not `embedded...`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct WorkerName(String);

impl WorkerName {
    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What one of its slots is called: `judge3/1`. Slots count from 1.
    pub fn slot(&self, slot: u16) -> String {
        format!("{}/{slot}", self.0)
    }
}

/// A text that can't be a worker's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` can't be a worker's name: use 1 to 32 of a-z, 0-9 and -, beginning with a letter or digit, and not `embedded`"
)]
pub struct BadWorkerName(pub String);

impl FromStr for WorkerName {
    type Err = BadWorkerName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let starts_well = text.bytes().next().is_some_and(letter) && !text.starts_with(EMBEDDED);
        if !starts_well || text.len() > MAX_BYTES || !text.bytes().all(|byte| letter(byte) || byte == b'-') {
            return Err(BadWorkerName(text.chars().take(80).collect()));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for WorkerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> serde::Deserialize<'de> for WorkerName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_into_subjects() {
        for good in ["a", "judge-3", "3rd", &"x".repeat(32)] {
            assert_eq!(good.parse::<WorkerName>().unwrap().as_str(), good);
        }
        for bad in ["", "-a", "A", "a.b", "a*", "a>", "a b", "a/1", "embedded", "embedded-1", "é", &"x".repeat(33)] {
            assert!(bad.parse::<WorkerName>().is_err(), "{bad}");
        }
    }
}
