//! The first difference between an output and its answer, for people. Must not be shown to who may not see the test.

use std::fmt;

/// Where and how an output first differs from the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What kind it is.
    pub kind: DifferenceKind,
    /// The place in the answer.
    pub answer: Side,
    /// The place in the output.
    pub output: Side,
}

/// Kinds of difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// A token is another one, or a number too far off.
    Token,
    /// The output ends although the answer goes on.
    MissingOutput,
    /// The output goes on although the answer ends.
    ExtraOutput,
    /// The white space differs where it counts.
    WhiteSpace,
}

/// One stream at the difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// Line, from 1.
    pub line: u64,
    /// Token on that line, from 1; for a missing token, the number that it would have had.
    pub token: u64,
    /// Where the stream stood, bytes from its start.
    pub offset: u64,
    /// The token or white space that differs, at most 200 bytes; empty at the stream's end.
    pub text: Excerpt,
    /// What lies around it, at most 2 KiB.
    pub around: Excerpt,
}

/// A piece of a stream: raw bytes, and whether there is more on either side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Something was cut off before them.
    pub cut_before: bool,
    /// Something was cut off after them.
    pub cut_after: bool,
}

impl Excerpt {
    /// As text over several lines: line feeds and tabs stay, other control characters and broken UTF-8 are escaped.
    pub fn to_lines(&self) -> String {
        self.escaped(|c| c == '\n' || c == '\t')
    }

    fn escaped(&self, keep: impl Fn(char) -> bool) -> String {
        let mut text = String::new();
        if self.cut_before {
            text.push('…');
        }
        for chunk in self.bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                // The byte-order mark and other invisible characters would hide exactly what differs.
                let invisible =
                    c.is_control() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}');
                if invisible && !keep(c) {
                    text.extend(c.escape_default());
                } else {
                    text.push(c);
                }
            }
            text.extend(chunk.invalid().iter().flat_map(|byte| byte.escape_ascii()).map(char::from));
        }
        if self.cut_after {
            text.push('…');
        }
        text
    }
}

/// On one line, everything invisible escaped.
impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.escaped(|_| false))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, answer, output } = self;
        let (expected, got) = (&answer.text, &output.text);
        match kind {
            DifferenceKind::Token => {
                write!(f, "line {}, token {}: expected `{expected}`, got `{got}`", output.line, output.token)?;
                if (answer.line, answer.token) != (output.line, output.token) {
                    write!(f, " (line {}, token {} of the answer)", answer.line, answer.token)?;
                }
                Ok(())
            }
            DifferenceKind::MissingOutput => write!(
                f,
                "the output ends on line {} although the answer goes on with `{expected}` (line {}, token {})",
                output.line, answer.line, answer.token
            ),
            DifferenceKind::ExtraOutput => write!(
                f,
                "line {}, token {}: the output goes on with `{got}` although the answer has ended",
                output.line, output.token
            ),
            DifferenceKind::WhiteSpace => {
                let named = |text: &Excerpt| {
                    if text.bytes.is_empty() { "nothing".to_owned() } else { format!("`{text}`") }
                };
                write!(f, "line {}: white space differs: expected {}, got {}", output.line, named(expected), named(got))
            }
        }
    }
}
