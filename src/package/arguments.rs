//! Arguments that formats before `2023-07-draft` write as one text, as for a shell. Must not know what they are for.

use super::fault::Findings;

/// The words of a text: blanks separate them, quotes keep them together, and a backslash takes the next character as it
/// is. `None` when a quote has no end.
pub(crate) fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (_, Some(open)) if letter == open => quote = None,
            ('\\', None | Some('"')) => word.get_or_insert_default().push(letters.next()?),
            ('"' | '\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (_, None) if letter.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// The words of a key's text; a quote without an end is a fault.
pub(crate) fn of_key(path: &str, line: Option<usize>, key: &str, text: &str, findings: &mut Findings) -> Vec<String> {
    words(text).unwrap_or_else(|| {
        findings.fault(path, line, format!("`{key}` has a quote or a backslash without an end"));
        Vec::new()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("", &[])]
    #[case("  a  b\t", &["a", "b"])]
    #[case(r#"--say "two words" x"#, &["--say", "two words", "x"])]
    #[case(r#"a'b "c'd "" e\ f "\"""#, &["ab \"cd", "", "e f", "\""])]
    fn texts_are_split_as_a_shell_does(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(words(text).unwrap(), expected);
    }

    #[test]
    fn an_open_quote_is_refused() {
        assert_eq!((words("a 'b"), words("\"a"), words("a\\")), (None, None, None));
    }

    proptest! {
        #[test]
        fn words_without_quotes_are_those_between_blanks(text in "[a-z0-9=. \t-]{0,40}") {
            let expected: Vec<String> = text.split_ascii_whitespace().map(str::to_owned).collect();
            prop_assert_eq!(words(&text), Some(expected));
        }

        #[test]
        fn any_text_is_split_or_refused(text in "\\PC{0,40}") {
            let _ = words(&text);
        }
    }
}
