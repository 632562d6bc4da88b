//! `constants` of `problem.yaml`: values that stand for `{{name}}` in some files (format, "Constants").
//!
//! Owns: which files those are and how they are replaced. Digests are of the files as they came.

use std::collections::BTreeMap;
use std::io;

use super::model::Package;
use super::path::PackagePath;
use super::tree::PackageTree;

/// Folders of programs in which constants are replaced.
const FOLDERS: [&str; 4] = ["input_validators", "output_validator", "include", "submissions"];
/// The largest file that is looked through, bytes.
const MAX_BYTES: u64 = 4 << 20;

impl Package {
    /// The package's files with the constants put in: what is to be built, run and shown.
    ///
    /// # Errors
    /// When a file can't be read.
    pub fn with_constants(&self, tree: PackageTree) -> io::Result<PackageTree> {
        if self.constants.is_empty() {
            return Ok(tree);
        }
        let statements = self.statements.iter().map(|statement| &statement.path);
        let programs = FOLDERS.into_iter().flat_map(|folder| tree.below(folder));
        let mut changed = Vec::new();
        for path in statements.chain(programs) {
            if tree.size(path).is_none_or(|size| size > MAX_BYTES) || path.extension() == Some("pdf") {
                continue;
            }
            let before = tree.read(path)?;
            let after = replaced(&before, path, &self.constants);
            if after != before {
                changed.push((path.clone(), after));
            }
        }
        Ok(tree.with_contents(changed))
    }
}

/// Contents with constants put in, as this file's kind writes them.
fn replaced(contents: &[u8], path: &PackagePath, constants: &BTreeMap<String, String>) -> Vec<u8> {
    if path.extension() == Some("tex") && path.below("statement").is_some() {
        replace(contents, b"\\constant{", b"}", constants)
    } else {
        apply(contents, constants)
    }
}

/// Puts constants in for `{{name}}`. Names that aren't known stay as they are.
pub(crate) fn apply(contents: &[u8], constants: &BTreeMap<String, String>) -> Vec<u8> {
    replace(contents, b"{{", b"}}", constants)
}

fn replace(contents: &[u8], begin: &[u8], end: &[u8], constants: &BTreeMap<String, String>) -> Vec<u8> {
    let mut done = Vec::with_capacity(contents.len());
    let mut rest = contents;
    while let Some(first) = rest.first() {
        let value = rest.strip_prefix(begin).and_then(|inside| {
            let length = inside.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
            let (name, after) = inside.split_at_checked(length)?;
            let after = after.strip_prefix(end)?;
            Some((constants.get(std::str::from_utf8(name).ok()?)?, after))
        });
        if let Some((value, after)) = value {
            done.extend_from_slice(value.as_bytes());
            rest = after;
        } else {
            done.push(*first);
            rest = rest.get(1..).unwrap_or_default();
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_names_are_replaced() {
        let constants = BTreeMap::from([("n".to_owned(), "1000".to_owned()), ("m_2".to_owned(), "x".to_owned())]);
        let shown = |text: &str| String::from_utf8(apply(text.as_bytes(), &constants)).unwrap();
        assert_eq!(shown("a[{{n}}], {{m_2}}"), "a[1000], x");
        assert_eq!(shown("{{k}} {{ n }} {n} {{n} {{{n}}}"), "{{k}} {{ n }} {n} {{n} {1000}");
        assert_eq!(shown("{{n"), "{{n");
        let tex = replace(b"$n \\le \\constant{n}$ {{n}}", b"\\constant{", b"}", &constants);
        assert_eq!(tex, b"$n \\le 1000$ {{n}}");
    }
}
