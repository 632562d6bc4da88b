//! What a compiler said, with the places it names linked to the lines of the source. Must not know: compilers; a place
//! is `NAME:LINE` or `File "NAME", line LINE`, whoever writes it.

use std::fmt::Write as _;

use super::highlight::escape;

/// The anchor of a line of a submission's file, both counted from 1.
pub fn anchor(file: usize, line: usize) -> String {
    if file == 1 { format!("L{line}") } else { format!("F{file}L{line}") }
}

/// The text as markup. `files` are the names of the sources and how many of their lines are on the page, in order.
pub fn linked(text: &str, files: &[(String, usize)]) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut rest = text;
    while let Some(place) = next_place(rest, files) {
        escape(&mut out, &rest[..place.from]);
        let _ = write!(out, "<a href=\"#{}\">", anchor(place.file, place.line));
        escape(&mut out, &rest[place.from..place.to]);
        out.push_str("</a>");
        rest = &rest[place.to..];
    }
    escape(&mut out, rest);
    out
}

struct Place {
    from: usize,
    to: usize,
    file: usize,
    line: usize,
}

fn next_place(text: &str, files: &[(String, usize)]) -> Option<Place> {
    let places = files.iter().enumerate().filter_map(|(index, (name, lines))| {
        text.match_indices(name.as_str()).find_map(|(from, _)| place(text, from, name.len(), index + 1, *lines))
    });
    places.min_by_key(|place| place.from)
}

fn place(text: &str, from: usize, name_len: usize, file: usize, lines: usize) -> Option<Place> {
    // `amain.cpp:3` is another file.
    let before = text[..from].chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.')) {
        return None;
    }
    let behind = &text[from + name_len..];
    let (between, number) =
        [":", "\", line ", "("].iter().find_map(|mark| Some((mark.len(), behind.strip_prefix(mark)?)))?;
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let line: usize = number[..digits].parse().ok()?;
    let to = from + name_len + between + digits;
    (1..=lines).contains(&line).then_some(Place { from, to, file, line })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("main.cpp:2:5: error: <x>", "<a href=\"#L2\">main.cpp:2</a>:5: error: &lt;x&gt;")]
    #[case("  --> main.cpp:1:1", "  --&gt; <a href=\"#L1\">main.cpp:1</a>:1")]
    #[case("File \"b.py\", line 3", "File &quot;<a href=\"#F2L3\">b.py&quot;, line 3</a>")]
    #[case("amain.cpp:2: no", "amain.cpp:2: no")]
    #[case("main.cpp:9: beyond", "main.cpp:9: beyond")]
    #[case(
        "main.cpp: In function; b.py:1, main.cpp:2",
        "main.cpp: In function; <a href=\"#F2L1\">b.py:1</a>, <a href=\"#L2\">main.cpp:2</a>"
    )]
    #[case("main.cpp:99999999999999999999999", "main.cpp:99999999999999999999999")]
    fn places_become_links(#[case] text: &str, #[case] html: &str) {
        assert_eq!(linked(text, &[("main.cpp".to_owned(), 5), ("b.py".to_owned(), 5)]), html);
    }

    proptest! {
        #[test]
        fn whatever_a_compiler_says_is_text_with_links(text in "((main\\.cpp|b\\.py|[a-z]{1,3})(:|\\(|\", line )[0-9]{0,3}|[<>&\"' \n]|\\PC{0,4}){0,12}") {
            let html = linked(&text, &[("main.cpp".to_owned(), 5), ("b.py".to_owned(), 5)]);
            let mut plain = String::new();
            for (at, piece) in html.split('<').enumerate() {
                let said = if at == 0 { piece } else {
                    let (tag, said) = piece.split_once('>').unwrap();
                    prop_assert!(tag == "/a" || tag.starts_with("a href=\"#"), "<{tag}");
                    said
                };
                plain.push_str(said);
            }
            let mut escaped = String::new();
            escape(&mut escaped, &text);
            prop_assert_eq!(plain, escaped);
        }
    }
}
