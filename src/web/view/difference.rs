//! What was expected and what was printed, side by side, with the first difference marked. Compares words as the
//! default checker does: cut at white space, capital letters and small ones alike. Must not know: checkers' options; where
//! they forgive a difference there is simply nothing to mark.

use std::ops::Range;

use super::highlight::escape;

/// The most of a text that is shown, bytes.
pub const SHOWN_BYTES: usize = 4096;

/// Two texts as markup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What was expected.
    pub expected: String,
    /// What was printed.
    pub got: String,
    /// The line of the first difference in what was printed, from 1.
    pub line: Option<usize>,
}

/// Marks the first word that differs. `got_is_cut`: there was more, so an early end is no difference.
pub fn compare(expected: &[u8], got: &[u8], got_is_cut: bool) -> Difference {
    let (expected_text, expected_is_cut) = shown(expected);
    let (got_text, cut) = shown(got);
    let got_is_cut = got_is_cut || cut;
    let (ours, theirs) = (words(&expected_text), words(&got_text));
    let same = ours
        .iter()
        .zip(&theirs)
        .take_while(|(a, b)| expected_text[(*a).clone()].eq_ignore_ascii_case(&got_text[(*b).clone()]));
    let at = same.count();
    let (our_mark, their_mark) = match (ours.get(at), theirs.get(at)) {
        (Some(a), Some(b)) => (Some(a.clone()), Some(b.clone())),
        // The output ends too early: what is missing is marked, and the place where it would stand.
        (Some(a), None) if !got_is_cut => (Some(a.clone()), Some(got_text.len()..got_text.len())),
        (None, Some(b)) if !expected_is_cut => (Some(expected_text.len()..expected_text.len()), Some(b.clone())),
        _ => (None, None),
    };
    let line = their_mark.as_ref().map(|mark| got_text[..mark.start].matches('\n').count() + 1);
    Difference {
        expected: marked(&expected_text, our_mark, expected_is_cut),
        got: marked(&got_text, their_mark, got_is_cut),
        line,
    }
}

/// Bytes as text, cut; whether they were.
pub fn shown(contents: &[u8]) -> (String, bool) {
    let head = contents.get(..SHOWN_BYTES).unwrap_or(contents);
    (String::from_utf8_lossy(head).into_owned(), contents.len() > SHOWN_BYTES)
}

/// A text's beginning, cut where a character ends.
pub fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(SHOWN_BYTES)).unwrap_or(text)
}

fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut from = None;
    for (at, byte) in text.bytes().enumerate() {
        let space = matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c);
        match (space, from) {
            (true, Some(start)) => {
                words.push(start..at);
                from = None;
            }
            (false, None) => from = Some(at),
            _ => {}
        }
    }
    words.extend(from.map(|start| start..text.len()));
    words
}

fn marked(text: &str, mark: Option<Range<usize>>, cut: bool) -> String {
    let mut out = String::new();
    match mark {
        Some(mark) => {
            escape(&mut out, &text[..mark.start]);
            out.push_str("<mark>");
            escape(&mut out, &text[mark.clone()]);
            out.push_str("</mark>");
            escape(&mut out, &text[mark.end..]);
        }
        None => escape(&mut out, text),
    }
    if cut {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("1 2\n3\n", "1 2\n4\n", "1 2\n<mark>3</mark>\n", "1 2\n<mark>4</mark>\n", Some(2))]
    #[case("a  b", "A b", "a  b", "A b", None)]
    #[case("1 2", "1", "1 <mark>2</mark>", "1<mark></mark>", Some(1))]
    #[case("1", "1\n2", "1<mark></mark>", "1\n<mark>2</mark>", Some(2))]
    #[case("<b>", "", "<mark>&lt;b&gt;</mark>", "<mark></mark>", Some(1))]
    fn the_first_difference_is_marked(
        #[case] expected: &str,
        #[case] got: &str,
        #[case] left: &str,
        #[case] right: &str,
        #[case] line: Option<usize>,
    ) {
        let found = compare(expected.as_bytes(), got.as_bytes(), false);
        assert_eq!((found.expected.as_str(), found.got.as_str(), found.line), (left, right, line));
    }

    proptest! {
        #[test]
        fn nothing_but_marks_is_added(a in proptest::collection::vec(any::<u8>(), 0..80), b in "[ a-c\n<&]{0,60}") {
            let found = compare(&a, b.as_bytes(), false);
            let bare = found.got.replace("<mark>", "").replace("</mark>", "");
            prop_assert!(!bare.contains(['<', '>']));
            prop_assert_eq!(bare.replace("&lt;", "<").replace("&amp;", "&"), b);
            prop_assert!(found.expected.matches("<mark>").count() <= 1);
        }
    }
}
