//! A path inside a package. Owns what a name may look like; must not know what lies behind it.

use std::fmt;
use std::str::FromStr;

/// The longest path taken, bytes.
const MAX_PATH_BYTES: usize = 1024;
/// The longest component, bytes (the format's rule, and what Linux file systems take).
const MAX_NAME_BYTES: usize = 255;
/// The deepest nesting taken.
const MAX_DEPTH: usize = 16;

/// A relative path with `/` between its components: none empty, none `.` or `..`, no backslash, no control character.
///
/// Joined to any folder it stays inside that folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String")]
pub struct PackagePath(String);

/// Why a text can't be a path in a package.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPath {
    /// Nothing, or an empty component as in `a//b`.
    #[error("the path `{0}` has an empty name in it")]
    Empty(String),
    /// Begins with `/` or a drive letter.
    #[error("the path `{0}` is absolute; paths in a package are relative to its folder")]
    Absolute(String),
    /// A `.` or `..` component.
    #[error("the path `{0}` has `.` or `..` in it; a package can't point outside its folder")]
    Dots(String),
    /// A backslash or a control character.
    #[error("the path `{0}` has a backslash or a control character in it; rename the file")]
    Character(String),
    /// Too long or too deep.
    #[error("the path `{0}` is too long; at most 1024 bytes, 255 a name and 16 names deep are taken")]
    TooLong(String),
}

impl PackagePath {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The file name up to its last period, if there is a period after the first character.
    pub fn stem(&self) -> &str {
        split_extension(self.file_name()).0
    }

    /// What follows the file name's last period, without it.
    pub fn extension(&self) -> Option<&str> {
        split_extension(self.file_name()).1
    }

    /// The folder that holds it; `None` at the root.
    pub fn parent(&self) -> Option<&str> {
        self.0.rsplit_once('/').map(|(parent, _)| parent)
    }

    /// The components, outermost first.
    pub fn components(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// The rest of the path below `folder`, or `None` when it doesn't lie there.
    pub fn below(&self, folder: &str) -> Option<&str> {
        self.0.strip_prefix(folder)?.strip_prefix('/')
    }
}

fn split_extension(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, Some(extension)),
        _ => (name, None),
    }
}

impl FromStr for PackagePath {
    type Err = BadPath;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let shown = || text.chars().take(120).flat_map(char::escape_debug).collect::<String>();
        if text.starts_with('/') || text.as_bytes().get(1) == Some(&b':') {
            return Err(BadPath::Absolute(shown()));
        }
        if text.chars().any(|c| c == '\\' || c.is_control()) {
            return Err(BadPath::Character(shown()));
        }
        if text.len() > MAX_PATH_BYTES {
            return Err(BadPath::TooLong(shown()));
        }
        for (index, name) in text.split('/').enumerate() {
            if name.is_empty() {
                return Err(BadPath::Empty(shown()));
            }
            if name == "." || name == ".." {
                return Err(BadPath::Dots(shown()));
            }
            if name.len() > MAX_NAME_BYTES || index >= MAX_DEPTH {
                return Err(BadPath::TooLong(shown()));
            }
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for PackagePath {
    type Error = BadPath;

    fn try_from(text: String) -> Result<Self, BadPath> {
        text.parse()
    }
}

impl fmt::Display for PackagePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl AsRef<str> for PackagePath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Whether the format lets this be a file's or folder's name; others are to be treated as if they weren't there
/// (format, "General requirements").
pub(crate) fn is_format_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let starts_well = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    starts_well && name.len() <= MAX_NAME_BYTES && name.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("", BadPath::Empty(String::new()))]
    #[case("a//b", BadPath::Empty("a//b".into()))]
    #[case("a/", BadPath::Empty("a/".into()))]
    #[case("/etc/passwd", BadPath::Absolute("/etc/passwd".into()))]
    #[case("C:/x", BadPath::Absolute("C:/x".into()))]
    #[case("../x", BadPath::Dots("../x".into()))]
    #[case("a/./b", BadPath::Dots("a/./b".into()))]
    #[case("a\\b", BadPath::Character("a\\\\b".into()))]
    #[case("a\0b", BadPath::Character("a\\0b".into()))]
    fn bad_paths_are_refused(#[case] text: &str, #[case] expected: BadPath) {
        assert_eq!(text.parse::<PackagePath>(), Err(expected));
    }

    #[test]
    fn long_and_deep_paths_are_refused() {
        assert!(matches!("a".repeat(256).parse::<PackagePath>(), Err(BadPath::TooLong(_))));
        assert!(matches!(["a"; 17].join("/").parse::<PackagePath>(), Err(BadPath::TooLong(_))));
        assert!(["a"; 16].join("/").parse::<PackagePath>().is_ok());
    }

    #[test]
    fn parts_of_a_path() {
        let path: PackagePath = "data/secret/01-a.in.statement".parse().unwrap();
        assert_eq!((path.file_name(), path.stem()), ("01-a.in.statement", "01-a.in"));
        assert_eq!((path.extension(), path.parent()), (Some("statement"), Some("data/secret")));
        assert_eq!(path.below("data"), Some("secret/01-a.in.statement"));
        assert_eq!(path.below("dat"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_refused_or_stays_inside(text in "\\PC*|[./a\\\\:]{0,20}") {
            if let Ok(path) = text.parse::<PackagePath>() {
                let joined = std::path::Path::new("/somewhere/inner").join(path.as_str());
                let mut depth = 0_i32;
                for component in joined.components().skip(3) {
                    prop_assert!(matches!(component, std::path::Component::Normal(_)));
                    depth += 1;
                }
                prop_assert!(depth > 0 && joined.starts_with("/somewhere/inner"));
            }
        }
    }
}
