//! Other settings in a YAML file that people wrote: the lines of one key change, all else stays as it is. Must not know:
//! what a key means.

use super::yaml::{self, Node, Value};

/// The file with the top-level `key` set to this value, written as YAML on one line; `None` takes the key out. `None`
/// comes back where that can't be done without writing the file anew. What comes out was read again: it says what it
/// should, and says all else as before.
pub fn with_setting(contents: &[u8], key: &str, value: Option<&str>) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(contents).ok()?;
    let wanted = match value {
        Some(value) => Some(entries(format!("{key}: {value}\n").as_bytes())?.into_iter().next()?.1),
        None => None,
    };
    let (old, others) = split(entries(contents)?, key);
    if old == wanted {
        return Some(contents.to_vec());
    }
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let starts = format!("{key}:");
    match lines.iter().position(|line| line.starts_with(&starts)) {
        None => lines.extend(value.map(|value| format!("{starts} {value}"))),
        Some(at) => {
            // A block list may begin without being indented.
            let inside = |line: &&String| line.starts_with([' ', '\t', '-', ']', '}']);
            let end = at + 1 + lines.iter().skip(at + 1).take_while(inside).count();
            let comment = lines.get(at).and_then(|line| line.find(" #").map(|from| line[from..].to_owned()));
            let new = value.map(|value| format!("{starts} {value}{}", comment.unwrap_or_default()));
            lines.splice(at..end, new);
        }
    }
    let changed = if lines.is_empty() { Vec::new() } else { (lines.join("\n") + "\n").into_bytes() };
    (split(entries(&changed)?, key) == (wanted, others)).then_some(changed)
}

/// The text of a top-level key, if it has one.
pub fn setting(contents: &[u8], key: &str) -> Option<String> {
    let Value::Map(entries) = yaml::parse(contents).ok()?.value else { return None };
    entries.into_iter().find(|entry| entry.key == key)?.node.as_text().map(str::to_owned)
}

/// A map's keys with what they say, without the lines where they stand.
type Said = Vec<(String, String)>;

fn entries(contents: &[u8]) -> Option<Said> {
    match yaml::parse(contents).ok()?.value {
        Value::Null => Some(Vec::new()),
        Value::Map(entries) => Some(entries.into_iter().map(|entry| (entry.key, said(&entry.node))).collect()),
        _ => None,
    }
}

fn split(entries: Said, key: &str) -> (Option<String>, Said) {
    let (of_key, others): (Said, Said) = entries.into_iter().partition(|(name, _)| name == key);
    (of_key.into_iter().next().map(|(_, said)| said), others)
}

/// What a value says, wherever it stands.
fn said(node: &Node) -> String {
    match &node.value {
        Value::Null => "~".to_owned(),
        Value::Plain(text) => format!("p{text:?}"),
        Value::Text(text) => format!("t{text:?}"),
        Value::List(nodes) => format!("[{}]", nodes.iter().map(said).collect::<Vec<_>>().join(",")),
        Value::Map(entries) => {
            let entries = entries.iter().map(|entry| format!("{:?}:{}", entry.key, said(&entry.node)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::with_setting;

    #[rstest]
    #[case("name: a\n", Some("[c, d]"), "name: a\nlanguages: [c, d]\n")]
    #[case("", Some("[c]"), "languages: [c]\n")]
    #[case("languages: [c] # ours\nname: a\n", Some("all"), "languages: all # ours\nname: a\n")]
    #[case("languages:\n  - c\n  - d\nname: a\n", Some("[e]"), "languages: [e]\nname: a\n")]
    #[case("languages:\n- c\n# x\nname: a\n", None, "# x\nname: a\n")]
    #[case("languages: [c,\n d]\nname: a\n", None, "name: a\n")]
    #[case("languages: [c]\n", None, "")]
    #[case("languages: all", Some("all"), "languages: all")]
    fn the_lines_of_one_key_change(#[case] before: &str, #[case] value: Option<&str>, #[case] after: &str) {
        let changed = with_setting(before.as_bytes(), "languages", value).expect("it can be changed");
        assert_eq!(String::from_utf8_lossy(&changed), after);
    }

    #[rstest]
    #[case("{languages: [c]}\n")]
    #[case("- a\n")]
    #[case("\"languages\": [c]\n")]
    fn what_would_be_written_anew_is_left(#[case] before: &str) {
        assert_eq!(with_setting(before.as_bytes(), "languages", Some("all")), None);
    }

    proptest! {
        #[test]
        fn all_else_stays(before in "(name: a\n|k:\n  - b\n|k: [c,\n  d]\n|# x\n|n: \\{k: c\\}\n|t: \\|\n  k: no\n){0,6}") {
            if let Some(changed) = with_setting(before.as_bytes(), "k", Some("7")) {
                let text = String::from_utf8_lossy(&changed).into_owned();
                prop_assert!(text.contains("k: 7"));
                prop_assert_eq!(before.matches('#').count(), text.matches('#').count());
                prop_assert_eq!(with_setting(&changed, "k", Some("7")), Some(changed.clone()));
            }
        }
    }
}
