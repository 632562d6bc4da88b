//! Other tests in a `generators.yaml`: lines are added to what people wrote or taken out, all else stays as it is.
//!
//! Owns: where such a line goes, and that the package then has the tests it had and these, or all but these. Must not
//! know: where the recipes come from.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::fault::PackageError;
use super::generators_yaml::{FILE, numbered_name};
use super::model::{Package, TestCase, TestInput};
use super::path::{PackagePath, is_format_name};
use super::tree::PackageTree;
use super::yaml::{self, Entry, Node, Value};
use crate::domain::slug::Slug;

/// What a new file begins with.
const PREFACE: &str = "# Tests that generators make; the others are the files in data/.\n";

/// A test that a generator makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// The test's path below `data/`: `secret/07-large`.
    pub name: String,
    /// The generator's name and its arguments.
    pub command: String,
}

/// A package with some recipes more.
#[derive(Debug)]
pub struct WithRecipes {
    /// Its files.
    pub tree: PackageTree,
    /// Which of the recipes could be written down, by their place; the others must be there as files.
    pub written: Vec<usize>,
    /// Whether their answers must be there as files, since no reference can make them.
    pub needs_answers: bool,
}

/// Writes recipes into the package's `generators.yaml`, or into a new one. What comes out was read again: it has every
/// test that it had, as it was, and those that are said to be written.
///
/// # Errors
/// [`PackageError`] when the package itself can't be read.
pub fn with_recipes(tree: &PackageTree, slug: &Slug, recipes: &[Recipe]) -> Result<WithRecipes, PackageError> {
    let (before, _) = Package::read(tree, slug)?;
    let needs_answers = !before.output_validator.programs().is_empty();
    let nothing = WithRecipes { tree: tree.clone(), written: Vec::new(), needs_answers };
    let io = |source| PackageError::Io { path: FILE.to_owned(), source };
    let there = match tree.find(FILE) {
        Some(path) => String::from_utf8(tree.read(path).map_err(io)?).ok(),
        None => Some(PREFACE.to_owned()),
    };
    let (Some(mut text), Ok(file)) = (there, FILE.parse::<PackagePath>()) else { return Ok(nothing) };
    let mut written = Vec::new();
    for (at, recipe) in recipes.iter().enumerate() {
        if let Some(longer) = with_recipe(&text, recipe) {
            text = longer;
            written.push(at);
        }
    }
    if written.is_empty() {
        return Ok(nothing);
    }
    let with_file = tree.with_contents([(file, text.into_bytes())]);
    // Only for reading: whether it is there is all that is asked of an answer.
    let answers = written.iter().filter_map(|&at| format!("data/{}.ans", recipes.get(at)?.name).parse().ok());
    let answers = answers.filter(|_| needs_answers).map(|path: PackagePath| (path, Vec::new()));
    let named: Vec<&Recipe> = written.iter().filter_map(|&at| recipes.get(at)).collect();
    match Package::read(&with_file.with_contents(answers), slug) {
        Ok((after, _)) if adds_only(&before.cases, &after.cases, &named) => {
            Ok(WithRecipes { tree: with_file, written, needs_answers })
        }
        _ => Ok(nothing),
    }
}

/// Whether there are the same tests as before, and these.
fn adds_only(before: &[TestCase], after: &[TestCase], recipes: &[&Recipe]) -> bool {
    let recipe_of = |case: &TestCase| recipes.iter().find(|recipe| recipe.name == case.name).copied();
    let (new, old): (Vec<&TestCase>, Vec<&TestCase>) = after.iter().partition(|case| recipe_of(case).is_some());
    let made_so = |case: &&TestCase| match (&case.input, recipe_of(case)) {
        (TestInput::Generated { args, .. }, Some(recipe)) => {
            recipe.command.split_ascii_whitespace().skip(1).eq(args.iter().map(String::as_str))
        }
        _ => false,
    };
    old.into_iter().eq(before.iter()) && new.len() == recipes.len() && new.iter().all(made_so)
}

/// The text with one test more; `None` where that can't be done without writing the file anew.
fn with_recipe(text: &str, recipe: &Recipe) -> Option<String> {
    // What stands in braces would be filled in.
    let plain = |c: char| !c.is_control() && !matches!(c, '{' | '}');
    if !recipe.command.chars().all(plain) || !recipe.name.split('/').all(is_format_name) {
        return None;
    }
    let mut folders: Vec<&str> = recipe.name.split('/').collect();
    let name = folders.pop()?;
    let keys = std::iter::once("data").chain(folders.into_iter().flat_map(|folder| [folder, "data"]));
    let keys: Vec<&str> = keys.collect();
    let changed = insert(text, &keys, &format!("\"{name}\": '{}'", recipe.command.replace('\'', "''")))?;
    let said = |text: &str| Some(leaves(&yaml::parse(text.as_bytes()).ok()?));
    let (mut wanted, after) = (said(text)?, said(&changed)?);
    let path = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
    // A map with nothing in it is none once it has something.
    for depth in 0..=keys.len() {
        wanted.remove(&path(keys.get(..depth)?));
    }
    let leaf: Vec<String> = path(&keys).into_iter().chain([name.to_owned()]).collect();
    wanted.insert(leaf, format!("{:?}", Value::Text(recipe.command.clone())));
    (wanted == after).then_some(changed)
}

/// The package whose `generators.yaml` no longer makes or names these tests. Where lines can't be taken out by themselves
/// the file is written anew, without its comments.
pub(crate) fn without_tests(tree: &PackageTree, names: &BTreeSet<String>) -> PackageTree {
    let Some(path) = tree.find(FILE) else { return tree.clone() };
    let text = tree.read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    match text.and_then(|text| without(&text, names)) {
        Some(changed) => tree.with_contents([(path.clone(), changed.into_bytes())]),
        None => tree.clone(),
    }
}

/// The text without these tests, named by their paths below `data/`; `None`: it is no YAML.
fn without(text: &str, names: &BTreeSet<String>) -> Option<String> {
    let wanted = pruned(yaml::parse(text.as_bytes()).ok()?, names);
    let cut = names.iter().try_fold(text.to_owned(), |text, name| {
        let mut folders: Vec<&str> = name.split('/').collect();
        let last = folders.pop()?;
        let keys = std::iter::once("data").chain(folders.into_iter().flat_map(|folder| [folder, "data"])).chain([last]);
        cut(&text, &keys.collect::<Vec<_>>())
    });
    let says_so = |text: &String| {
        yaml::parse(text.as_bytes()).is_ok_and(|node| leaves(&node) == leaves(&wanted) || is_nothing(&node, &wanted))
    };
    Some(cut.filter(says_so).unwrap_or_else(|| {
        let mut text = String::new();
        written_out(&wanted, 0, &mut text);
        text
    }))
}

/// A file of comments alone says what a map without keys says.
fn is_nothing(node: &Node, wanted: &Node) -> bool {
    node.value == Value::Null && matches!(&wanted.value, Value::Map(entries) if entries.is_empty())
}

/// The document without these tests, and without groups that have no other. A list that numbers its tests becomes a map, so
/// that the others keep their names.
fn pruned(document: Node, names: &BTreeSet<String>) -> Node {
    let Value::Map(mut entries) = document.value else { return document };
    if let Some(at) = entries.iter().position(|entry| entry.key == "data")
        && let Value::Map(sections) = std::mem::replace(&mut entries[at].node.value, Value::Null)
    {
        let kept: Vec<Entry> = sections.into_iter().filter_map(|section| pruned_folder("", section, names)).collect();
        if kept.is_empty() {
            entries.remove(at);
        } else {
            entries[at].node.value = Value::Map(kept);
        }
    }
    Node { value: Value::Map(entries), ..document }
}

/// A folder of tests, if something is left of it; a folder in which nothing goes stays as it is.
fn pruned_folder(around: &str, mut folder: Entry, names: &BTreeSet<String>) -> Option<Entry> {
    let path = format!("{around}{}", folder.key);
    let inside = format!("{path}/");
    if !names.iter().any(|name| name.starts_with(&inside)) {
        return Some(folder);
    }
    let Value::Map(settings) = &mut folder.node.value else { return Some(folder) };
    let data = settings.iter_mut().find(|entry| entry.key == "data")?;
    let members = match std::mem::replace(&mut data.node.value, Value::Null) {
        Value::Map(members) => members,
        Value::List(items) => numbered(items),
        _ => Vec::new(),
    };
    let is_folder =
        |entry: &Entry| matches!(&entry.node.value, Value::Map(keys) if keys.iter().any(|key| key.key == "data"));
    let kept: Vec<Entry> = members
        .into_iter()
        .filter_map(|member| {
            if is_folder(&member) {
                return pruned_folder(&inside, member, names);
            }
            (!names.contains(&format!("{inside}{}", member.key))).then_some(member)
        })
        .collect();
    if kept.is_empty() {
        return None;
    }
    data.node.value = Value::Map(kept);
    Some(folder)
}

/// The tests of a list under the names that the list gives them.
fn numbered(items: Vec<Node>) -> Vec<Entry> {
    let width = items.len().to_string().len();
    let members = items.into_iter().enumerate().filter_map(|(at, item)| {
        let Value::Map(entries) = item.value else { return None };
        let entry = entries.into_iter().next()?;
        Some(Entry { key: numbered_name(at, width, &entry.key), ..entry })
    });
    members.collect()
}

/// The document in block style.
fn written_out(node: &Node, indent: usize, text: &mut String) {
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let Value::Map(entries) = &node.value else { return };
    for entry in entries {
        let key = if is_format_name(&entry.key) { entry.key.clone() } else { quoted(&entry.key) };
        let _ = write!(text, "{}{key}:", " ".repeat(indent));
        let _ = match &entry.node.value {
            Value::Null => writeln!(text),
            Value::Plain(value) | Value::Text(value) => writeln!(text, " {}", quoted(value)),
            Value::Map(inner) if !inner.is_empty() => {
                let _ = writeln!(text);
                written_out(&entry.node, indent + 2, text);
                Ok(())
            }
            Value::Map(_) | Value::List(_) => writeln!(text, " {}", in_a_line(&entry.node)),
        };
    }
}

/// A value on one line: JSON, which is YAML.
fn in_a_line(node: &Node) -> serde_json::Value {
    match &node.value {
        Value::Null => serde_json::Value::Null,
        Value::Plain(text) | Value::Text(text) => text.as_str().into(),
        Value::List(items) => items.iter().map(in_a_line).collect(),
        Value::Map(entries) => entries.iter().map(|entry| (entry.key.clone(), in_a_line(&entry.node))).collect(),
    }
}

/// The text without the lines of what the keys lead to, and without the maps around it that are empty then. Only block
/// style is understood.
fn cut(text: &str, keys: &[&str]) -> Option<String> {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut from, mut to) = (0, lines.len());
    let mut around = (0, lines.len());
    for key in keys {
        let indent = child_indent(&lines, from, to)?;
        let at = (from..to).find(|&at| lines.get(at).is_some_and(|line| has_key(line, indent, key)))?;
        around = (from, to);
        to = (at + 1..to).find(|&at| lines.get(at).is_some_and(|line| content(line, 0, indent))).unwrap_or(to);
        from = at + 1;
    }
    // Comments behind it belong to what follows.
    let end = (from..to).rev().find(|&at| lines.get(at).is_some_and(|line| !is_blank(line))).map_or(from, |at| at + 1);
    lines.drain(from.checked_sub(1)?..end);
    let (outer, rest) = (around.0, around.1 - (end + 1 - from));
    let cut_out = lines.concat();
    if lines.get(outer..rest)?.iter().any(|line| !is_blank(line)) || keys.len() == 1 {
        return Some(cut_out);
    }
    // Of a group its name goes, not only the `data` below it.
    let holder = if keys.len() > 3 { keys.len() - 2 } else { keys.len() - 1 };
    cut(&cut_out, keys.get(..holder)?)
}

/// Whether the line begins this key, written plainly or in quotes.
fn has_key(line: &str, indent: usize, key: &str) -> bool {
    let Some(rest) = line.get(indent..).filter(|_| indent_of(line) == indent) else { return false };
    [format!("{key}:"), format!("\"{key}\":"), format!("'{key}':")].iter().any(|start| rest.starts_with(start.as_str()))
}

/// Everything that a document says, by the keys that lead to it.
fn leaves(node: &Node) -> BTreeMap<Vec<String>, String> {
    fn walk(node: &Node, path: &mut Vec<String>, found: &mut BTreeMap<Vec<String>, String>) {
        let members: Vec<(String, &Node)> = match &node.value {
            Value::Map(entries) => entries.iter().map(|entry| (entry.key.clone(), &entry.node)).collect(),
            Value::List(items) => items.iter().enumerate().map(|(at, item)| (format!("[{at}]"), item)).collect(),
            value => {
                found.insert(path.clone(), format!("{value:?}"));
                return;
            }
        };
        for (key, member) in members {
            path.push(key);
            walk(member, path, found);
            path.pop();
        }
    }
    let mut found = BTreeMap::new();
    walk(node, &mut Vec::new(), &mut found);
    found
}

/// The text with this line at the end of the map to which the keys lead; maps that aren't there are begun. Only block
/// style is understood.
fn insert(text: &str, keys: &[&str], entry: &str) -> Option<String> {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if let Some(last) = lines.last_mut().filter(|last| !last.ends_with('\n')) {
        last.push('\n');
    }
    let (mut from, mut to, mut indent) = (0, lines.len(), 0);
    let mut missing = keys;
    while let Some((key, rest)) = missing.split_first() {
        indent = child_indent(&lines, from, to).unwrap_or(indent);
        let starts = format!("{}{key}:", " ".repeat(indent));
        let Some(at) = (from..to).find(|&at| lines.get(at).is_some_and(|line| line.starts_with(&starts))) else {
            break;
        };
        if !is_blank(lines.get(at)?.strip_prefix(&starts)?) {
            return None;
        }
        from = at + 1;
        to = (from..to).find(|&at| lines.get(at).is_some_and(|line| content(line, 0, indent))).unwrap_or(to);
        indent += 2;
        missing = rest;
    }
    indent = child_indent(&lines, from, to).unwrap_or(indent);
    let at = (from..to).rev().find(|&at| lines.get(at).is_some_and(|line| !is_blank(line))).map_or(from, |at| at + 1);
    // The comment at the top stays there.
    let at = if missing.len() == keys.len() { lines.len() } else { at };
    let begun = missing.iter().map(|key| format!("{key}:"));
    let added = begun.chain([entry.to_owned()]).enumerate();
    let added: Vec<String> = added.map(|(depth, line)| format!("{}{line}\n", " ".repeat(indent + 2 * depth))).collect();
    lines.splice(at..at, added);
    Some(lines.concat())
}

/// How far the first line that says something is indented.
fn child_indent<T: AsRef<str>>(lines: &[T], from: usize, to: usize) -> Option<usize> {
    lines.get(from..to)?.iter().map(AsRef::<str>::as_ref).find(|line| !is_blank(line)).map(indent_of)
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Whether the line says something and is indented so far.
fn content(line: &str, least: usize, most: usize) -> bool {
    !is_blank(line) && (least..=most).contains(&indent_of(line))
}

fn is_blank(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || text.starts_with('#')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::{Recipe, with_recipe, without};

    fn added(before: &str, name: &str) -> Option<String> {
        with_recipe(before, &Recipe { name: name.to_owned(), command: "gen 1 it's".to_owned() })
    }

    #[rstest]
    #[case("# ours\n", "# ours\ndata:\n  secret:\n    data:\n      \"x\": 'gen 1 it''s'\n")]
    #[case(
        "solution: /a # here\ndata:\n    sample:\n        data:\n            '1':\nversion: 1\n",
        "solution: /a # here\ndata:\n    sample:\n        data:\n            '1':\n    secret:\n      data:\n        \"x\": 'gen 1 it''s'\nversion: 1\n"
    )]
    #[case(
        "data:\n  secret:\n    random_salt: s\n    data:\n      a: gen 2\n      # last\n\n# end",
        "data:\n  secret:\n    random_salt: s\n    data:\n      a: gen 2\n      \"x\": 'gen 1 it''s'\n      # last\n\n# end\n"
    )]
    #[case("data:\n  secret:\n    data:\n", "data:\n  secret:\n    data:\n      \"x\": 'gen 1 it''s'\n")]
    #[case(
        "data:\r\n  secret:\r\n    data:\r\n      a: b\r\n",
        "data:\r\n  secret:\r\n    data:\r\n      a: b\r\n      \"x\": 'gen 1 it''s'\n"
    )]
    fn a_line_is_added(#[case] before: &str, #[case] after: &str) {
        assert_eq!(added(before, "secret/x").as_deref(), Some(after));
    }

    #[rstest]
    #[case("data: {secret: {data: {a: gen 2}}}\n", "secret/x")]
    #[case("data:\n  secret:\n    data:\n      - a: gen 2\n", "secret/x")]
    #[case("data:\n  'secret':\n    data:\n      a: gen 2\n", "secret/x")]
    #[case("data:\n  secret:\n    data:\n      x: gen 2\n", "secret/x")]
    #[case("data: [\n", "secret/x")]
    #[case("", "secret/../x")]
    fn what_would_be_written_anew_is_left(#[case] before: &str, #[case] name: &str) {
        assert_eq!(added(before, name), None);
    }

    #[test]
    fn a_group_is_begun_or_found() {
        let one = added("", "secret/large/1").unwrap();
        assert!(one.ends_with("      large:\n        data:\n          \"1\": 'gen 1 it''s'\n"), "{one}");
        let two = added(&one, "secret/large/2").unwrap();
        assert_eq!(two.matches("large:").count(), 1, "{two}");
    }

    fn gone(before: &str, names: &[&str]) -> Option<String> {
        without(before, &names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[rstest]
    #[case(
        "# ours\ndata:\n  secret:\n    data:\n      a: gen 1 # why\n      # of b\n      'b':\n        generate: gen 2\n      c:\n",
        &["secret/a", "secret/c"],
        "# ours\ndata:\n  secret:\n    data:\n      # of b\n      'b':\n        generate: gen 2\n"
    )]
    #[case(
        "data:\n  sample:\n    data:\n      \"1\": gen 1\n  secret:\n    data:\n      g:\n        data:\n          x: gen 2\n# end\n",
        &["secret/g/x"],
        "data:\n  sample:\n    data:\n      \"1\": gen 1\n# end\n"
    )]
    #[case("solution: /a\ndata:\n  secret:\n    data:\n      x: gen 2\n", &["secret/x"], "solution: /a\n")]
    #[case("# ours\ndata:\n  secret:\n    data:\n      x: gen 2\n", &["secret/x"], "# ours\n")]
    #[case(
        "version: 1 # x\ndata: {secret: {data: {a: gen 2, b: {generate: gen 3}}}}\n",
        &["secret/a"],
        "version: \"1\"\ndata:\n  secret:\n    data:\n      b:\n        generate: \"gen 3\"\n"
    )]
    #[case(
        "data:\n  secret:\n    data:\n      - x: gen 1\n      - '': gen 2\n",
        &["secret/1-x"],
        "data:\n  secret:\n    data:\n      2: \"gen 2\"\n"
    )]
    fn lines_are_taken_out(#[case] before: &str, #[case] names: &[&str], #[case] after: &str) {
        assert_eq!(gone(before, names).as_deref(), Some(after));
    }

    proptest! {
        /// What was added goes again, and nothing else does.
        #[test]
        fn added_and_taken_out(before in "(# x\n|v: 1\n)?(data:\n  secret:\n(    random_salt: s\n)?    data:\n      a: gen 1\n(      # b\n|      b:\n        generate: gen 3\n)?(  sample:\n    data:\n      '1':\n)?)?(# end\n)?") {
            if let Some(after) = added(&before, "secret/x") {
                prop_assert_eq!(gone(&after, &["secret/x"]), Some(before));
            }
        }

        /// Every line that was there is still there, in its order.
        #[test]
        fn nothing_is_lost(before in "(data:\n|  secret:\n|    data:\n|      a: gen\n|      b:\n        generate: gen 3\n|  sample:\n|# x\n|\n|v: \\{a: b\\}\n|t: \\|\n  data:\n    secret:\n|  - 1\n){0,9}") {
            if let Some(after) = added(&before, "secret/x") {
                let mut rest = after.lines();
                prop_assert!(before.lines().all(|line| rest.any(|other| other == line)), "{before}\n->\n{after}");
                prop_assert!(after.contains("\"x\": 'gen 1 it''s'\n"));
            }
        }
    }
}
