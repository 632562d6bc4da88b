//! Source files as contestants hand them in.

/// The largest source that is taken, bytes.
pub const MAX_SOURCE_BYTES: usize = 256 * 1024;
/// The largest ready ELF program that is taken, bytes.
pub const MAX_BINARY_BYTES: usize = 16 * 1024 * 1024;
/// The most files one submission may have.
pub const MAX_SOURCE_FILES: usize = 32;

/// One file of a submission: a plain file name and its bytes, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    name: String,
    contents: Vec<u8>,
}

/// Why a file can't be a source. The sentence is shown to the contestant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSource {
    /// Nothing in it.
    #[error("{name} is empty; a submission needs a program")]
    Empty {
        /// The file's name.
        name: String,
    },
    /// Over the size limit.
    #[error("{name} has {bytes} bytes; at most {limit} are taken")]
    TooLarge {
        /// The file's name.
        name: String,
        /// Its size.
        bytes: usize,
        /// The most that is taken.
        limit: usize,
    },
    /// A NUL byte in a text.
    #[error(
        "{name} has a NUL byte at offset {offset}; a source is a text (choose the language \"ELF binary\" for a ready program)"
    )]
    Nul {
        /// The file's name.
        name: String,
        /// Where the first one is.
        offset: usize,
    },
    /// Said to be an ELF program, but isn't one.
    #[error("{name} is not an x86-64 ELF program")]
    NotElf {
        /// The file's name.
        name: String,
    },
    /// There is no name.
    #[error("`{0}` is no file name")]
    Name(String),
}

impl SourceFile {
    /// A text source: not empty, no NUL byte, at most [`MAX_SOURCE_BYTES`].
    pub fn text(name: &str, contents: Vec<u8>) -> Result<Self, BadSource> {
        let name = file_name(name)?;
        if contents.is_empty() {
            return Err(BadSource::Empty { name });
        }
        if contents.len() > MAX_SOURCE_BYTES {
            return Err(BadSource::TooLarge { name, bytes: contents.len(), limit: MAX_SOURCE_BYTES });
        }
        if let Some(offset) = contents.iter().position(|&byte| byte == 0) {
            return Err(BadSource::Nul { name, offset });
        }
        Ok(Self { name, contents })
    }

    /// A ready program: an x86-64 ELF file of at most [`MAX_BINARY_BYTES`].
    pub fn elf(name: &str, contents: Vec<u8>) -> Result<Self, BadSource> {
        let name = file_name(name)?;
        if contents.is_empty() {
            return Err(BadSource::Empty { name });
        }
        if contents.len() > MAX_BINARY_BYTES {
            return Err(BadSource::TooLarge { name, bytes: contents.len(), limit: MAX_BINARY_BYTES });
        }
        // ELF magic, class 64 (offset 4), little endian (5), machine 62 = x86-64 (18).
        let is_elf = contents.starts_with(b"\x7fELF\x02\x01") && contents.get(18..20) == Some(&[62, 0]);
        if !is_elf {
            return Err(BadSource::NotElf { name });
        }
        Ok(Self { name, contents })
    }

    /// The file's name: one path component.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bytes as they were handed in.
    pub fn contents(&self) -> &[u8] {
        &self.contents
    }
}

/// The longest file name, characters.
const MAX_NAME: usize = 100;

/// The last component of what a browser or a tool called the file, made harmless: `main (1).cpp` becomes
/// `main__1_.cpp`. Compilers get it as an argument, so it begins with a letter, a digit or `_`.
fn file_name(given: &str) -> Result<String, BadSource> {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    if last.trim_matches('.').trim().is_empty() {
        return Err(BadSource::Name(given.chars().take(120).collect()));
    }
    let harmless = |c: char| if c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+') { c } else { '_' };
    let mut name: String = last.chars().map(harmless).collect();
    if !name.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        name.insert(0, '_');
    }
    let excess = name.chars().count().saturating_sub(MAX_NAME);
    if excess > 0 {
        // The ending says the language, so the front goes.
        name = std::iter::once('_').chain(name.chars().skip(excess + 1)).collect();
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_cut_to_the_last_component_and_made_harmless() {
        let named = |given: &str| SourceFile::text(given, b"x".to_vec()).map(|file| file.name);
        for (given, name) in [
            ("a.c", "a.c"),
            ("C:\\me\\a.c", "a.c"),
            ("../../etc/a.c", "a.c"),
            ("名字.cpp", "名字.cpp"),
            ("main (1).cpp", "main__1_.cpp"),
            ("-wrapper", "_-wrapper"),
            ("@x", "_x"),
            (".bashrc", "_.bashrc"),
            ("a\n<b>.c", "a__b_.c"),
        ] {
            assert_eq!(named(given), Ok(name.to_owned()), "{given:?}");
        }
        for bad in ["", "..", ".", "a/", "/ "] {
            assert!(matches!(named(bad), Err(BadSource::Name(_))), "{bad:?}");
        }
        let long = named(&format!("{}.java", "é".repeat(300))).unwrap();
        assert!(long.chars().count() == 100 && long.ends_with("é.java"), "{long}");
    }

    #[test]
    fn contents_are_checked() {
        assert!(matches!(SourceFile::text("a.c", vec![]), Err(BadSource::Empty { .. })));
        assert!(matches!(SourceFile::text("a.c", b"a\0".to_vec()), Err(BadSource::Nul { offset: 1, .. })));
        assert!(matches!(SourceFile::text("a.c", vec![b'x'; MAX_SOURCE_BYTES + 1]), Err(BadSource::TooLarge { .. })));
        assert!(SourceFile::text("a.c", vec![b'x'; MAX_SOURCE_BYTES]).is_ok());
        assert!(matches!(SourceFile::elf("a", b"#!/bin/sh".to_vec()), Err(BadSource::NotElf { .. })));
    }

    proptest! {
        #[test]
        fn any_name_is_refused_or_made_harmless(given in "\\PC{0,130}|[./\\\\ a-]{0,12}|(?s).{0,20}") {
            let Ok(file) = SourceFile::text(&given, b"x".to_vec()) else { return Ok(()) };
            let name = file.name();
            prop_assert!(name.starts_with(|c: char| c.is_alphanumeric() || c == '_'), "{name}");
            prop_assert!(name.chars().all(|c| c.is_alphanumeric() || "_-.+".contains(c)) && name.chars().count() <= 100);
            prop_assert_eq!(SourceFile::text(name, b"x".to_vec()).map(|again| again.name), Ok(name.to_owned()), "and stays");
        }

        #[test]
        fn any_bytes_are_a_text_a_program_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(text) = SourceFile::text("a.c", bytes.clone()) {
                prop_assert!(!text.contents().contains(&0) && text.contents() == bytes);
            }
            if let Ok(elf) = SourceFile::elf("a", bytes) {
                prop_assert!(elf.contents().starts_with(b"\x7fELF"));
            }
        }
    }
}
