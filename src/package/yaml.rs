//! YAML as the format's files need it: a tree with line numbers.
//!
//! Plain scalars stay texts until somebody asks for a number or a flag, so that a test called `01` keeps its name.
//! Anchors, aliases, tags and several documents in a file are refused: no file of the format needs them, and what they
//! mean differs between readers. Must not know any file's meaning.

use std::collections::BTreeSet;

use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle};

use super::fault::Findings;
use super::path::PackagePath;
use super::tree::PackageTree;

/// The largest YAML file taken, bytes.
pub(crate) const MAX_BYTES: u64 = 1 << 20;
/// The deepest nesting taken.
const MAX_DEPTH: usize = 24;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) line: usize,
    pub(crate) value: Value,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// Nothing, `~` or `null`.
    Null,
    /// A scalar without quotes: a number, a flag or a text.
    Plain(String),
    /// A scalar in quotes or a block: always a text.
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key of a map with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) line: usize,
    pub(crate) node: Node,
}

/// Why a text isn't taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadYaml {
    pub(crate) line: Option<usize>,
    pub(crate) sentence: String,
}

fn bad(line: usize, sentence: impl Into<String>) -> BadYaml {
    BadYaml { line: Some(line), sentence: sentence.into() }
}

/// Reads one document. An empty file is [`Value::Null`].
pub(crate) fn parse(bytes: &[u8]) -> Result<Node, BadYaml> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(BadYaml { line: None, sentence: format!("it has more than {MAX_BYTES} bytes") });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = before.split(|&byte| byte == b'\n').count();
        bad(line, "it is not UTF-8; save it as UTF-8")
    })?;
    if text.starts_with('\u{feff}') {
        return Err(bad(1, "it begins with a byte-order mark; save it as UTF-8 without one"));
    }
    Builder::default().document(text)
}

/// A list or map that is being read.
enum Open {
    List { line: usize, items: Vec<Node> },
    Map { line: usize, entries: Vec<Entry>, seen: BTreeSet<String>, key: Option<(String, usize)> },
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Option<Node>,
    documents: usize,
}

impl Builder {
    fn document(mut self, text: &str) -> Result<Node, BadYaml> {
        for event in Parser::new_from_str(text) {
            let (event, span) =
                event.map_err(|error| bad(error.marker().line(), format!("it is not YAML: {}", error.info())))?;
            let line = span.start.line();
            match event {
                Event::DocumentStart(..) => {
                    self.documents += 1;
                    if self.documents > 1 {
                        return Err(bad(line, "a second YAML document begins here; keep one in a file"));
                    }
                }
                Event::Scalar(text, style, anchor, tag) => {
                    Self::refuse(line, anchor, tag.is_some())?;
                    let value = match style {
                        ScalarStyle::Plain if matches!(&*text, "" | "~" | "null" | "Null" | "NULL") => Value::Null,
                        ScalarStyle::Plain => Value::Plain(text.into_owned()),
                        _ => Value::Text(text.into_owned()),
                    };
                    self.add(Node { line, value })?;
                }
                Event::SequenceStart(_, anchor, tag) => {
                    Self::refuse(line, anchor, tag.is_some())?;
                    self.begin(line, Open::List { line, items: Vec::new() })?;
                }
                Event::MappingStart(_, anchor, tag) => {
                    Self::refuse(line, anchor, tag.is_some())?;
                    self.begin(line, Open::Map { line, entries: Vec::new(), seen: BTreeSet::new(), key: None })?;
                }
                Event::SequenceEnd | Event::MappingEnd => {
                    let node = match self.open.pop() {
                        Some(Open::List { line, items }) => Node { line, value: Value::List(items) },
                        Some(Open::Map { line, entries, .. }) => Node { line, value: Value::Map(entries) },
                        None => return Err(bad(line, "it is not YAML: something ends here that never began")),
                    };
                    self.add(node)?;
                }
                Event::Alias(_) | Event::Anchor(..) | Event::UnresolvedAlias(_) => Self::refuse(line, 1, false)?,
                // Ends, comments, and whatever the parser may come to report without it being a value.
                _ => {}
            }
        }
        Ok(self.root.unwrap_or(Node { line: 1, value: Value::Null }))
    }

    fn refuse(line: usize, anchor: usize, tagged: bool) -> Result<(), BadYaml> {
        if anchor != 0 {
            return Err(bad(line, "anchors and aliases (`&name`, `*name`) are not taken; write the value out"));
        }
        if tagged {
            return Err(bad(line, "tags (`!name`) are not taken; write the value without one"));
        }
        Ok(())
    }

    fn begin(&mut self, line: usize, open: Open) -> Result<(), BadYaml> {
        if self.open.len() >= MAX_DEPTH {
            return Err(bad(line, "it is nested too deep"));
        }
        self.open.push(open);
        Ok(())
    }

    fn add(&mut self, node: Node) -> Result<(), BadYaml> {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { entries, seen, key, .. }) => {
                if let Some((key, line)) = key.take() {
                    entries.push(Entry { key, line, node });
                    return Ok(());
                }
                let text = match node.value {
                    Value::Plain(text) | Value::Text(text) => text,
                    Value::Null => String::new(),
                    Value::List(_) | Value::Map(_) => return Err(bad(node.line, "a key must be a text")),
                };
                if !seen.insert(text.clone()) {
                    return Err(bad(node.line, format!("the key `{text}` is there twice")));
                }
                *key = Some((text, node.line));
            }
        }
        Ok(())
    }
}

impl Node {
    /// What it is, for a sentence.
    pub(crate) fn what(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Plain(_) | Value::Text(_) => "a single value",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    /// A scalar's text.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Plain(text) | Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Reads a YAML file of the package; faults are noted. `None` when there is nothing to go on with.
pub(crate) fn read(tree: &PackageTree, path: &PackagePath, findings: &mut Findings) -> std::io::Result<Option<Node>> {
    let bytes = tree.read_start(path, MAX_BYTES + 1)?;
    Ok(parse_noting(path, &bytes, findings))
}

/// Reads the bytes of a YAML file; faults are noted.
pub(crate) fn parse_noting(path: &PackagePath, bytes: &[u8], findings: &mut Findings) -> Option<Node> {
    match parse(bytes) {
        Ok(node) => Some(node),
        Err(BadYaml { line, sentence }) => {
            findings.fault(path, line, sentence);
            None
        }
    }
}

/// The texts of a list of scalars.
pub(crate) fn texts_of(node: &Node) -> Option<Vec<String>> {
    match &node.value {
        Value::List(items) => items.iter().map(|item| item.as_text().map(str::to_owned)).collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[test]
    fn names_that_look_like_numbers_stay_texts() {
        let node = parse(b"01: 1e-6\n2: 'x'\n~: null\n").unwrap();
        let Value::Map(entries) = node.value else { panic!("a map") };
        let keys: Vec<_> = entries.iter().map(|entry| (entry.key.as_str(), entry.line)).collect();
        assert_eq!(keys, [("01", 1), ("2", 2), ("", 3)]);
        assert_eq!(entries[0].node.value, Value::Plain("1e-6".into()));
        assert_eq!(entries[1].node.value, Value::Text("x".into()));
        assert_eq!(entries[2].node.value, Value::Null);
    }

    #[rstest]
    #[case(b"a: [1", "it is not YAML")]
    #[case(b"a: &x 1\nb: *x\n", "anchors and aliases")]
    #[case(b"a: !!str 1\n", "tags")]
    #[case(b"a: 1\n---\nb: 2\n", "a second YAML document")]
    #[case(b"a: 1\na: 2\n", "the key `a` is there twice")]
    #[case(b"? [1]\n: 2\n", "a key must be a text")]
    #[case(b"a: \xff\n", "it is not UTF-8")]
    #[case(b"\xef\xbb\xbfa: 1\n", "it begins with a byte-order mark")]
    fn refused(#[case] bytes: &[u8], #[case] sentence: &str) {
        let error = parse(bytes).unwrap_err();
        assert!(error.sentence.starts_with(sentence), "{}", error.sentence);
    }

    #[test]
    fn deep_nesting_is_refused() {
        assert!(parse("[".repeat(100).as_bytes()).is_err());
        assert!(parse(&b"- ".repeat(10_000)).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }

        #[test]
        fn any_yaml_like_text_is_read_or_refused(text in "([a-z01\"'&*!|>#:?{}\\[\\], \t\n-]|: |- |\n  ){0,60}") {
            let _ = parse(text.as_bytes());
        }
    }
}
