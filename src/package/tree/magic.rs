//! What a file is by its first bytes, for a sentence about files that only have a zip's name.

/// First bytes and what they mean.
const KINDS: [(&[u8], &str); 10] = [
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x1f\x8b", "a gzip file"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ\x00", "an xz file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"MZ", "a Windows program"),
    (b"\x7fELF", "a Linux program"),
    (b"%PDF-", "a PDF file"),
    (b"<", "a page of text"),
];
/// Where a tar archive says that it is one.
const TAR: (usize, &[u8]) = (257, b"ustar");
/// How many first bytes are needed to tell.
pub(super) const NEEDED: usize = 262;

/// What it is, if it is something known that is no zip.
pub(super) fn other_than_zip(start: &[u8]) -> Option<&'static str> {
    let tar = start.get(TAR.0..).is_some_and(|rest| rest.starts_with(TAR.1));
    let known = KINDS.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, kind)| *kind);
    known.or(tar.then_some("a tar archive"))
}
