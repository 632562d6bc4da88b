//! People and places that a package thanks: `credits`, `source`, and authors of submissions.

use std::collections::BTreeMap;

use super::fault::Findings;
use super::fields::Fields;
use super::metadata::{Credits, LanguageTag, Person, SourceRef};
use super::problem_yaml::FILE;
use super::yaml::{Entry, Node, Value};

/// `credits` of `problem.yaml`.
pub(crate) fn credits(node: Node, findings: &mut Findings) -> Credits {
    if let Some(author) = node.as_text() {
        return Credits { authors: vec![person_of_text(author)], ..Credits::default() };
    }
    let mut fields = Fields::of(FILE, "credits.", node, findings);
    let mut people = |key| fields.take(key).map(|entry| persons(FILE, &entry.node, findings)).unwrap_or_default();
    let mut credits = Credits {
        authors: people("authors"),
        contributors: people("contributors"),
        testers: people("testers"),
        packagers: people("packagers"),
        acknowledgements: people("acknowledgements"),
        translators: BTreeMap::new(),
    };
    if let Some(entry) = fields.take("translators") {
        if let Value::Map(entries) = &entry.node.value {
            for entry in entries {
                match entry.key.parse::<LanguageTag>() {
                    Ok(tag) => drop(credits.translators.insert(tag, persons(FILE, &entry.node, findings))),
                    Err(bad) => findings.fault(FILE, Some(entry.line), bad.to_string()),
                }
            }
        } else {
            findings.fault(FILE, Some(entry.line), "`credits.translators` must be a map from language to people");
        }
    }
    fields.finish(findings);
    credits
}

/// One person or a list of them.
pub(crate) fn persons(path: &str, node: &Node, findings: &mut Findings) -> Vec<Person> {
    match &node.value {
        Value::List(items) => items.iter().filter_map(|item| person(path, item, findings)).collect(),
        _ => person(path, node, findings).into_iter().collect(),
    }
}

fn person(path: &str, node: &Node, findings: &mut Findings) -> Option<Person> {
    if let Some(text) = node.as_text() {
        return Some(person_of_text(text));
    }
    if !matches!(node.value, Value::Map(_)) {
        findings.fault(path, Some(node.line), "a person is written as `Full Name <mail>` or as a map with `name`");
        return None;
    }
    let mut fields = Fields::of(path, "person.", node.clone(), findings);
    let name = fields.text("name", findings);
    let person = Person {
        name: name.clone().unwrap_or_default(),
        email: fields.text("email", findings),
        orcid: fields.text("orcid", findings),
        kattis: fields.text("kattis", findings),
    };
    if name.is_none() {
        findings.fault(path, Some(node.line), "a person needs a `name`");
    }
    fields.finish(findings);
    Some(person)
}

/// `Full Name` or `Full Name <mail>`.
pub(crate) fn person_of_text(text: &str) -> Person {
    let (name, email) = match text.strip_suffix('>').and_then(|text| text.rsplit_once('<')) {
        Some((name, email)) => (name.trim(), Some(email.trim().to_owned())),
        None => (text.trim(), None),
    };
    Person { name: name.to_owned(), email, orcid: None, kattis: None }
}

/// `source` of `problem.yaml`.
pub(crate) fn sources(entry: Option<Entry>, findings: &mut Findings) -> Vec<SourceRef> {
    let Some(entry) = entry else { return Vec::new() };
    match entry.node.value {
        Value::List(items) => items.into_iter().filter_map(|item| source(item, findings)).collect(),
        _ => source(entry.node, findings).into_iter().collect(),
    }
}

fn source(node: Node, findings: &mut Findings) -> Option<SourceRef> {
    if let Some(name) = node.as_text() {
        return Some(SourceRef { name: name.to_owned(), url: None });
    }
    let line = node.line;
    let mut fields = Fields::of(FILE, "source.", node, findings);
    let (name, url) = (fields.text("name", findings), fields.text("url", findings));
    fields.finish(findings);
    if name.is_none() {
        findings.fault(FILE, Some(line), "a source needs a `name`");
    }
    Some(SourceRef { name: name?, url })
}
