//! A small package that verifies, to be changed into another problem. Must not know: who begins one.

use std::borrow::Cow;

use rust_embed::RustEmbed;

use super::{PackageTree, TreeError};
use crate::domain::slug::Slug;

/// The files of the small package. `NAME` and `UUID` in problem.yaml are filled in.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/src/package/skeleton"]
struct Skeleton;

/// The package of this name; `random` makes its UUID.
///
/// # Errors
/// As [`PackageTree::from_files`].
pub fn skeleton(slug: &Slug, random: [u8; 16]) -> Result<PackageTree, TreeError> {
    let uuid = uuid(random);
    PackageTree::from_files(Skeleton::iter().filter_map(|name| {
        let contents = Skeleton::get(&name)?.data;
        if name != "problem.yaml" {
            return Some((name.into_owned(), contents));
        }
        let text = String::from_utf8_lossy(&contents).replace("NAME", slug.as_str()).replace("UUID", &uuid);
        Some((name.into_owned(), Cow::Owned(text.into_bytes())))
    }))
}

/// A random UUID (RFC 9562, version 4).
fn uuid(random: [u8; 16]) -> String {
    let number = u128::from_be_bytes(random);
    let number = number & !(0xF000 << 64) & !(0xC000 << 48) | (0x4000 << 64) | (0x8000 << 48);
    let hex = format!("{number:032x}");
    [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| hex.get(range).unwrap_or_default().to_owned()).join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_says_its_version_and_variant() {
        for random in [[0; 16], [255; 16], *b"0123456789abcdef"] {
            let uuid = uuid(random);
            assert_eq!((uuid.len(), uuid.as_bytes()[14]), (36, b'4'), "{uuid}");
            assert!(b"89ab".contains(&uuid.as_bytes()[19]), "{uuid}");
        }
    }
}
