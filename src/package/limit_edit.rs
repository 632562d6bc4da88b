//! Other limits in a `problem.yaml` that people wrote: one line changes, all else stays as it is. Must not know: what the
//! limits mean.

use super::yaml::{self, Value};

/// The file with `limits.KEY` set to this number, or `None` where that can't be done without writing the file anew (a
/// `limits` map in braces, say). What comes out was read again and says what it should.
pub fn with_limit(contents: &[u8], key: &str, number: &str) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(contents).ok()?;
    if read_limit(contents, key).as_deref() == Some(number) {
        return Some(contents.to_vec());
    }
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_limits = |line: &String| line.strip_prefix("limits:").is_some_and(is_blank);
    match lines.iter().position(is_limits) {
        None => {
            lines.push("limits:".to_owned());
            lines.push(format!("  {key}: {number}"));
        }
        Some(at) => {
            let inside = |line: &&String| line.starts_with([' ', '\t']) || is_blank(line);
            let end = at + 1 + lines[at + 1..].iter().take_while(inside).count();
            let first = lines[at + 1..end].iter().find(|line| !is_blank(line));
            let indent: String =
                first.map_or("  ".to_owned(), |line| line.chars().take_while(|c| c.is_whitespace()).collect());
            let starts = format!("{indent}{key}:");
            match (at + 1..end).find(|&line| lines[line].starts_with(&starts)) {
                Some(line) => {
                    let comment = lines[line].find(" #").map(|from| lines[line][from..].to_owned()).unwrap_or_default();
                    lines[line] = format!("{starts} {number}{comment}");
                }
                None => lines.insert(at + 1, format!("{starts} {number}")),
            }
        }
    }
    let changed = (lines.join("\n") + "\n").into_bytes();
    (read_limit(&changed, key).as_deref() == Some(number)).then_some(changed)
}

fn is_blank(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || text.starts_with('#')
}

fn read_limit(contents: &[u8], key: &str) -> Option<String> {
    let Value::Map(entries) = yaml::parse(contents).ok()?.value else { return None };
    let limits = entries.into_iter().find(|entry| entry.key == "limits")?;
    let Value::Map(limits) = limits.node.value else { return None };
    limits.into_iter().find(|entry| entry.key == key)?.node.as_text().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::with_limit;

    #[rstest]
    #[case("name: a\n", "name: a\nlimits:\n  time_limit: 2\n")]
    #[case("limits:\n  time_limit: 1 # s\n  memory: 64\n", "limits:\n  time_limit: 2 # s\n  memory: 64\n")]
    #[case("limits: # ours\n    memory: 64\nname: a\n", "limits: # ours\n    time_limit: 2\n    memory: 64\nname: a\n")]
    #[case("limits:\n  time_limit: 2\nname: a", "limits:\n  time_limit: 2\nname: a")]
    fn one_line_changes(#[case] before: &str, #[case] after: &str) {
        let changed = with_limit(before.as_bytes(), "time_limit", "2").expect("it can be changed");
        assert_eq!(String::from_utf8_lossy(&changed), after);
    }

    #[rstest]
    #[case("limits: {time_limit: 1}\n")]
    #[case("- a\n")]
    #[case("limits: [\n")]
    fn what_would_be_written_anew_is_left(#[case] before: &str) {
        assert_eq!(with_limit(before.as_bytes(), "time_limit", "2"), None);
    }

    proptest! {
        #[test]
        fn what_comes_out_says_so(before in "(name: a\n|limits:\n|  memory: 1\n|  time_limit: 1\n|# x\n|a: \\{b: c\\}\n){0,6}") {
            if let Some(changed) = with_limit(before.as_bytes(), "time_limit", "7") {
                prop_assert_eq!(with_limit(&changed, "time_limit", "7"), Some(changed.clone()));
                prop_assert!(String::from_utf8_lossy(&changed).contains("time_limit: 7"));
            }
        }
    }
}
