//! A program's text in colours: words of the language, comments, strings and numbers, line by line. It only ever cuts
//! the text into pieces; put together again they are the text. Must not know: compilers, pages.

use std::fmt::Write as _;

use crate::domain::family::Family;

/// What a piece of a program is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Anything else.
    Plain,
    /// A word of the language.
    Word,
    /// A comment.
    Comment,
    /// A string or a character.
    Text,
    /// A number.
    Number,
}

impl Kind {
    /// The element that stands for it; none of them says more than its colour.
    const fn element(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Word => Some("b"),
            Self::Comment => Some("i"),
            Self::Text => Some("u"),
            Self::Number => Some("data"),
        }
    }
}

/// How a family writes.
struct Grammar {
    words: &'static str,
    line_comment: &'static str,
    block_comment: bool,
    nested_comments: bool,
    /// Strings that may go over lines, longest first.
    long_strings: &'static [&'static str],
    strings: &'static [char],
    /// `'a` may be a lifetime.
    lifetimes: bool,
}

const C: &str = "auto break case char const continue default do double else enum extern float for goto if inline int long \
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while";
const CPP: &str = "alignas auto bool break case catch char class const consteval constexpr constinit continue co_await \
    co_return co_yield decltype default delete do double else enum explicit export extern false float for friend goto if \
    inline int long mutable namespace new noexcept nullptr operator private protected public requires return short signed \
    sizeof static static_assert static_cast struct switch template this throw true try typedef typename union unsigned \
    using virtual void volatile while";
const RUST: &str = "as async await bool break char const continue crate dyn else enum extern f32 f64 false fn for i128 i16 \
    i32 i64 i8 if impl in isize let loop match mod move mut pub ref return self Self static str struct super trait true \
    type u128 u16 u32 u64 u8 unsafe use usize where while";
const JAVA: &str = "abstract assert boolean break byte case catch char class const continue default do double else enum \
    extends false final finally float for if implements import instanceof int interface long native new null package \
    private protected public record return short static super switch synchronized this throw throws transient true try \
    var void volatile while yield";
const JAVASCRIPT: &str = "async await break case catch class const continue debugger default delete do else export extends \
    false finally for from function get if import in instanceof let new null of return set static super switch this throw \
    true try typeof undefined var void while with yield";
const PYTHON: &str = "False None True and as assert async await break class continue def del elif else except finally for \
    from global if import in is lambda match nonlocal not or pass raise return try while with yield";

fn grammar(family: Family) -> Grammar {
    let words = match family {
        Family::C => C,
        Family::Cpp => CPP,
        Family::Rust => RUST,
        Family::Java => JAVA,
        Family::JavaScript => JAVASCRIPT,
        Family::Python => PYTHON,
    };
    let python = family == Family::Python;
    Grammar {
        words,
        line_comment: if python { "#" } else { "//" },
        block_comment: !python,
        nested_comments: family == Family::Rust,
        long_strings: match family {
            Family::Python => &["\"\"\"", "'''"],
            Family::Java => &["\"\"\""],
            Family::JavaScript => &["`"],
            Family::Rust => &["\""],
            Family::C | Family::Cpp => &[],
        },
        strings: &['"', '\''],
        lifetimes: family == Family::Rust,
    }
}

/// The text in pieces. No piece is empty; together they are the text.
pub fn pieces(text: &str, family: Option<Family>) -> Vec<(Kind, &str)> {
    let Some(family) = family else { return Vec::from_iter((!text.is_empty()).then_some((Kind::Plain, text))) };
    let grammar = grammar(family);
    let mut pieces: Vec<(Kind, &str)> = Vec::new();
    let (mut plain_from, mut at) = (0, 0);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, len) = next(rest, first, &grammar);
        if kind != Kind::Plain {
            if plain_from < at {
                pieces.push((Kind::Plain, &text[plain_from..at]));
            }
            pieces.push((kind, &rest[..len]));
            plain_from = at + len;
        }
        at += len;
    }
    if plain_from < text.len() {
        pieces.push((Kind::Plain, &text[plain_from..]));
    }
    pieces
}

/// What the text begins with, and how many bytes of it; at least one character.
fn next(rest: &str, first: char, grammar: &Grammar) -> (Kind, usize) {
    if rest.starts_with(grammar.line_comment) {
        return (Kind::Comment, rest.find('\n').unwrap_or(rest.len()));
    }
    if grammar.block_comment && rest.starts_with("/*") {
        return (Kind::Comment, block_comment(rest, grammar.nested_comments));
    }
    if let Some(quote) = grammar.long_strings.iter().find(|quote| rest.starts_with(**quote)) {
        return (Kind::Text, string(rest, quote, true));
    }
    if grammar.strings.contains(&first) {
        if first == '\'' && grammar.lifetimes && !is_character(rest) {
            return (Kind::Plain, 1);
        }
        return (Kind::Text, string(rest, &rest[..first.len_utf8()], false));
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if first.is_ascii_digit() {
        let len = rest.find(|c: char| !is_word(c) && c != '.').unwrap_or(rest.len());
        return (Kind::Number, len);
    }
    if is_word(first) {
        let len = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let kind =
            if grammar.words.split_whitespace().any(|word| word == &rest[..len]) { Kind::Word } else { Kind::Plain };
        return (kind, len);
    }
    (Kind::Plain, first.len_utf8())
}

/// `'x'` or an escape, where `'x` would be a lifetime.
fn is_character(rest: &str) -> bool {
    let mut chars = rest.chars().skip(1);
    match (chars.next(), chars.next()) {
        (Some('\\'), _) => true,
        (Some(_), Some(end)) => end == '\'',
        _ => false,
    }
}

fn block_comment(rest: &str, nested: bool) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        let here = rest.get(at..).unwrap_or_default();
        if here.starts_with("/*") && (nested || depth == 0) {
            depth += 1;
            at += 2;
        } else if here.starts_with("*/") {
            at += 2;
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at;
            }
        } else {
            at += here.chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// The length of a string that begins with this quote; one that may not go over lines ends with its line.
fn string(rest: &str, quote: &str, long: bool) -> usize {
    let mut at = quote.len();
    while let Some(c) = rest.get(at..).and_then(|here| here.chars().next()) {
        if rest[at..].starts_with(quote) {
            return at + quote.len();
        }
        if c == '\n' && !long {
            return at;
        }
        at += c.len_utf8();
        if c == '\\'
            && let Some(escaped) = rest[at..].chars().next()
            && (long || escaped != '\n')
        {
            at += escaped.len_utf8();
        }
    }
    rest.len()
}

/// The text's lines as markup, without line ends.
pub fn lines(text: &str, family: Option<Family>) -> Vec<String> {
    let mut lines = vec![String::new()];
    for (kind, piece) in pieces(text, family) {
        for (index, part) in piece.split('\n').enumerate() {
            if index > 0 {
                lines.push(String::new());
            }
            let Some(line) = lines.last_mut().filter(|_| !part.is_empty()) else { continue };
            match kind.element() {
                Some(element) => {
                    let _ = write!(line, "<{element}>");
                    escape(line, part);
                    let _ = write!(line, "</{element}>");
                }
                None => escape(line, part),
            }
        }
    }
    lines
}

/// Appends text as markup.
pub fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FAMILIES: [Family; 6] =
        [Family::C, Family::Cpp, Family::Rust, Family::Java, Family::JavaScript, Family::Python];

    fn of(family: Family, text: &str) -> Vec<(Kind, &str)> {
        pieces(text, Some(family)).into_iter().filter(|(kind, _)| *kind != Kind::Plain).collect()
    }

    #[test]
    fn pieces_are_named() {
        assert_eq!(
            of(Family::Cpp, "int a = 0x1F; // x\nchar c = '\\''; /* \"b\n */ \"s//\" returned"),
            [
                (Kind::Word, "int"),
                (Kind::Number, "0x1F"),
                (Kind::Comment, "// x"),
                (Kind::Word, "char"),
                (Kind::Text, "'\\''"),
                (Kind::Comment, "/* \"b\n */"),
                (Kind::Text, "\"s//\""),
            ]
        );
        assert_eq!(
            of(Family::Rust, "fn f<'a>(x: &'a str) { /* /* */ */ 'x' }"),
            [(Kind::Word, "fn"), (Kind::Word, "str"), (Kind::Comment, "/* /* */ */"), (Kind::Text, "'x'")]
        );
        assert_eq!(
            of(Family::Python, "def f(): # no\n  '''a\nb''' + 'open\n"),
            [(Kind::Word, "def"), (Kind::Comment, "# no"), (Kind::Text, "'''a\nb'''"), (Kind::Text, "'open")]
        );
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_let_through(text in "[a-z0-9'\"/*#`\\\\\n<>&é中 ]{0,60}", which in 0_usize..6) {
            let family = FAMILIES[which];
            let joined: String = pieces(&text, Some(family)).into_iter().map(|(_, piece)| piece).collect();
            prop_assert_eq!(&joined, &text);
            let html = lines(&text, Some(family)).join("\n");
            let mut bare = html;
            for element in ["b", "i", "u", "data"] {
                bare = bare.replace(&format!("<{element}>"), "").replace(&format!("</{element}>"), "");
            }
            prop_assert!(!bare.contains(['<', '>', '"', '\'']));
            let back = bare.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
            prop_assert_eq!(back.replace("&amp;", "&"), text);
        }
    }
}
