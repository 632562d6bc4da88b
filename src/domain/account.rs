//! People and what they may do.

use std::fmt;
use std::str::FromStr;

use super::lookalike;

/// What an account may do. Each role may do what the ones before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Submits.
    Contestant,
    /// Writes problems: sees and changes test data.
    Setter,
    /// Sees every submission, rejudges, answers clarifications.
    Judge,
    /// Everything.
    Admin,
}

impl Role {
    /// All roles, weakest first.
    pub const ALL: [Self; 4] = [Self::Contestant, Self::Setter, Self::Judge, Self::Admin];

    /// As stored and written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Contestant => "contestant",
            Self::Setter => "setter",
            Self::Judge => "judge",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The text is no role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a role; known are contestant, setter, judge, admin")]
pub struct UnknownRole(pub String);

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or_else(|| UnknownRole(text.to_owned()))
    }
}

/// A login name: 1 to 40 letters, digits, `_`, `-`, `.`, of any script, beginning with a letter or digit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct UserName(String);

impl UserName {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why a text can't be a login name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a name has 1 to 40 letters, digits, `_`, `-` or `.`, and begins with a letter or digit")]
pub struct BadUserName;

impl FromStr for UserName {
    type Err = BadUserName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let starts_well = text.chars().next().is_some_and(char::is_alphanumeric);
        let allowed = |c: char| (c.is_alphanumeric() || matches!(c, '_' | '-' | '.')) && lookalike::is_seen(c);
        if !starts_well || text.chars().count() > 40 || !text.chars().all(allowed) {
            return Err(BadUserName);
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for UserName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A password somebody chose: 8 to 200 characters. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct NewPassword(String);

impl NewPassword {
    /// The text, for hashing.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for NewPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NewPassword(…)")
    }
}

/// Why a text can't be a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a password has 8 to 200 characters")]
pub struct BadPassword;

impl FromStr for NewPassword {
    type Err = BadPassword;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !(8..=200).contains(&text.chars().count()) {
            return Err(BadPassword);
        }
        Ok(Self(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_script_are_taken_and_markup_is_not() {
        for good in ["a", "王小明", "team-7", "x.y_z", "7up"] {
            assert!(good.parse::<UserName>().is_ok(), "{good}");
        }
        for bad in ["", "\u{3164}", "-a", "a b", "<b>", "a/b", &"x".repeat(41)] {
            assert!(bad.parse::<UserName>().is_err(), "{bad}");
        }
    }
}
