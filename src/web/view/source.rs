//! A program's text on a page: line by line, so that lines can be linked and counted, and cut where a page would grow
//! too large. Must not know: who may see it.

use crate::domain::family::Family;
use crate::web::view::highlight;

/// The most bytes of a text that a page shows; the whole is one link away.
pub const SHOWN_BYTES: usize = 16 * 1024;

/// What stands around one more file on the same page, bytes.
pub const BESIDE_A_FILE: usize = 256;

/// A text as a page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its lines, without ends.
    pub lines: Vec<String>,
    /// Something was left out at the end.
    pub cut: bool,
}

impl Shown {
    /// Its lines as markup, in the colours of a family of languages.
    pub fn highlighted(&self, family: Option<Family>) -> Vec<String> {
        if self.lines.is_empty() { Vec::new() } else { highlight::lines(&self.lines.join("\n"), family) }
    }
}

/// Bytes of any encoding as lines; what isn't UTF-8 becomes U+FFFD.
pub fn shown(contents: &[u8]) -> Shown {
    shown_within(contents, &mut SHOWN_BYTES.clone())
}

/// The same, when several texts share the room of a page: `room` bytes are left, and become fewer.
pub fn shown_within(contents: &[u8], room: &mut usize) -> Shown {
    let cut = contents.len() > *room;
    let head = contents.get(..*room).unwrap_or(contents);
    *room -= head.len();
    // A cut ends at a line's end, so that no character and no line is shown in half.
    let head = match (cut, head.iter().rposition(|&byte| byte == b'\n')) {
        (true, Some(end)) => head.get(..end).unwrap_or(head),
        _ => head,
    };
    let text = String::from_utf8_lossy(head);
    Shown { lines: text.trim_start_matches('\u{feff}').lines().map(str::to_owned).collect(), cut }
}

/// Whether these bytes are a ready program and no text.
pub fn is_binary(contents: &[u8]) -> bool {
    contents.starts_with(b"\x7fELF")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_at_a_line() {
        let text = "0123456789abcde\n".repeat(2_000);
        let shown = shown(text.as_bytes());
        assert!(shown.cut);
        assert!(shown.lines.iter().all(|line| line.len() == 15));
        assert!(!super::shown(b"a\r\nb").cut);
        assert_eq!(super::shown(b"\xef\xbb\xbfa\r\nb\xff").lines, ["a", "b\u{fffd}"]);
    }
}
