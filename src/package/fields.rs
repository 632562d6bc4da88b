//! Reads the keys of a YAML map with their types, and names the keys that nobody knows. Must not know any file's meaning.

use super::fault::Findings;
use super::yaml::{Entry, Node, Value, texts_of};

/// A map of which each key is taken once; what is left over is named as unknown.
pub(crate) struct Fields<'a> {
    /// The file, for faults.
    path: &'a str,
    /// What the map is, for faults: "", "limits.".
    prefix: &'static str,
    line: usize,
    entries: Vec<Entry>,
    /// Keys that were asked for.
    known: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// The fields of a map; anything else is a fault, but nothing at all is an empty map.
    pub(crate) fn of(path: &'a str, prefix: &'static str, node: Node, findings: &mut Findings) -> Self {
        let line = node.line;
        let entries = match node.value {
            Value::Map(entries) => entries,
            Value::Null => Vec::new(),
            _ => {
                let what = node.what();
                let name = if prefix.is_empty() { "the file" } else { prefix.trim_end_matches('.') };
                findings.fault(path, Some(line), format!("{name} must be a map of keys and values, not {what}"));
                Vec::new()
            }
        };
        Self { path, prefix, line, entries, known: Vec::new() }
    }

    /// Where the map begins.
    pub(crate) const fn line(&self) -> usize {
        self.line
    }

    /// The value of a key, if it is there and isn't null.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<Entry> {
        self.known.push(key);
        let at = self.entries.iter().position(|entry| entry.key == key)?;
        let entry = self.entries.remove(at);
        (entry.node.value != Value::Null).then_some(entry)
    }

    fn wrong(&self, findings: &mut Findings, line: usize, key: &str, wanted: &str) {
        findings.fault(self.path, Some(line), format!("`{}{key}` must be {wanted}", self.prefix));
    }

    /// A text.
    pub(crate) fn text(&mut self, key: &'static str, findings: &mut Findings) -> Option<String> {
        let entry = self.take(key)?;
        let text = entry.node.as_text().map(str::to_owned);
        if text.is_none() {
            self.wrong(findings, entry.line, key, "a text");
        }
        text
    }

    /// `true` or `false`.
    pub(crate) fn flag(&mut self, key: &'static str, findings: &mut Findings) -> Option<bool> {
        let entry = self.take(key)?;
        match &entry.node.value {
            Value::Plain(text) if matches!(text.as_str(), "true" | "True" | "TRUE") => Some(true),
            Value::Plain(text) if matches!(text.as_str(), "false" | "False" | "FALSE") => Some(false),
            _ => {
                self.wrong(findings, entry.line, key, "true or false");
                None
            }
        }
    }

    /// A whole number of at least `least`.
    pub(crate) fn integer(&mut self, key: &'static str, least: u64, findings: &mut Findings) -> Option<u64> {
        let entry = self.take(key)?;
        let number = match &entry.node.value {
            // Far more than any limit needs, and small enough to be turned into bytes or microseconds.
            Value::Plain(text) => text.parse().ok().filter(|number| (least..=1 << 30).contains(number)),
            _ => None,
        };
        if number.is_none() {
            self.wrong(findings, entry.line, key, &format!("a whole number of at least {least}"));
        }
        number
    }

    /// A decimal number of at least `least`.
    pub(crate) fn decimal(&mut self, key: &'static str, least: f64, findings: &mut Findings) -> Option<f64> {
        let entry = self.take(key)?;
        let number = match &entry.node.value {
            Value::Plain(text) if text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) => {
                text.parse().ok().filter(|number: &f64| (least..=1e9).contains(number))
            }
            _ => None,
        };
        if number.is_none() {
            self.wrong(findings, entry.line, key, &format!("a number of at least {least}"));
        }
        number
    }

    /// A list of texts.
    pub(crate) fn texts(&mut self, key: &'static str, findings: &mut Findings) -> Option<Vec<String>> {
        let entry = self.take(key)?;
        let texts = texts_of(&entry.node);
        if texts.is_none() {
            self.wrong(findings, entry.line, key, "a list of texts");
        }
        texts
    }

    /// A text, or a list of texts that isn't empty.
    pub(crate) fn text_or_texts(&mut self, key: &'static str, findings: &mut Findings) -> Option<(Vec<String>, usize)> {
        let entry = self.take(key)?;
        let texts = match entry.node.as_text() {
            Some(text) => Some(vec![text.to_owned()]),
            None => texts_of(&entry.node).filter(|texts| !texts.is_empty()),
        };
        if texts.is_none() {
            self.wrong(findings, entry.line, key, "a text or a list of texts");
        }
        texts.map(|texts| (texts, entry.line))
    }

    /// Names every key that nobody asked for.
    pub(crate) fn finish(self, findings: &mut Findings) {
        for entry in &self.entries {
            if self.known.contains(&entry.key.as_str()) {
                continue;
            }
            let known = self.known.join(", ");
            let sentence = format!("`{}{}` isn't known here; known are {known}", self.prefix, entry.key);
            findings.fault(self.path, Some(entry.line), sentence);
        }
    }
}
