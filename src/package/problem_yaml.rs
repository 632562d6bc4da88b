//! `problem.yaml` of format 2025-09 ("Problem metadata"): every key, its type and its default.

use std::collections::BTreeMap;

use super::fault::Findings;
use super::model::{AllowedLanguages, Credits, LanguageTag, License, PackageLimits, Person, ProblemType, SourceRef};
use super::yaml::{Entry, Fields, Node, Value};

/// The file's name.
pub(crate) const FILE: &str = "problem.yaml";

/// What the file says.
#[derive(Debug, Default)]
pub(crate) struct ProblemYaml {
    pub(crate) names: BTreeMap<LanguageTag, String>,
    pub(crate) uuid: String,
    pub(crate) version: Option<String>,
    pub(crate) problem_type: ProblemType,
    pub(crate) limits: PackageLimits,
    pub(crate) languages: Option<AllowedLanguages>,
    pub(crate) credits: Credits,
    pub(crate) source: Vec<SourceRef>,
    pub(crate) license: Option<License>,
    pub(crate) rights_owner: Option<String>,
    pub(crate) embargo_until: Option<String>,
    pub(crate) keywords: Vec<String>,
    pub(crate) allow_file_writing: bool,
    pub(crate) has_constants: bool,
}

/// Reads the file's map; faults are noted and a default goes on in their place.
pub(crate) fn read(node: Node, findings: &mut Findings) -> ProblemYaml {
    let mut fields = Fields::of(FILE, "", node, findings);
    let line = fields.line();
    // Looked at before, when the format's version was decided.
    let _ = fields.take("problem_format_version");
    let names = names(fields.take("name"), line, findings);
    let uuid = uuid(&mut fields, findings);
    let problem_type = problem_type(&mut fields, findings);
    let limits = fields.take("limits").map(|entry| limits(entry.node, findings)).unwrap_or_default();
    let yaml = ProblemYaml {
        names,
        uuid,
        version: fields.text("version", findings),
        problem_type,
        limits,
        languages: languages(&mut fields, findings),
        credits: fields.take("credits").map(|entry| credits(entry.node, findings)).unwrap_or_default(),
        source: sources(fields.take("source"), findings),
        license: license(&mut fields, findings),
        rights_owner: fields.text("rights_owner", findings),
        embargo_until: embargo(&mut fields, findings),
        keywords: fields.texts("keywords", findings).unwrap_or_default(),
        allow_file_writing: fields.flag("allow_file_writing", findings).unwrap_or(false),
        has_constants: fields.take("constants").is_some(),
    };
    if yaml.license == Some(License::PublicDomain) && yaml.rights_owner.is_some() {
        findings.fault(FILE, None, "`rights_owner` must not be set when the license is `public domain`");
    }
    fields.finish(findings);
    yaml
}

fn names(entry: Option<Entry>, line: usize, findings: &mut Findings) -> BTreeMap<LanguageTag, String> {
    let mut names = BTreeMap::new();
    let Some(entry) = entry else {
        findings.fault(FILE, Some(line), "`name` is missing; write the problem's name, or a map from language to name");
        return names;
    };
    let mut add = |language: &str, name: &Node, findings: &mut Findings| {
        let text = name.as_text().map(str::trim).filter(|text| !text.is_empty());
        match (language.parse::<LanguageTag>(), text) {
            (Ok(tag), Some(text)) => drop(names.insert(tag, text.to_owned())),
            (Err(bad), _) => findings.fault(FILE, Some(name.line), bad.to_string()),
            (_, None) => findings.fault(FILE, Some(name.line), format!("the name for `{language}` must be a text")),
        }
    };
    match &entry.node.value {
        Value::Map(entries) => {
            for entry in entries {
                add(&entry.key, &entry.node, findings);
            }
        }
        _ => add("en", &entry.node, findings),
    }
    names
}

fn uuid(fields: &mut Fields<'_>, findings: &mut Findings) -> String {
    let line = fields.line();
    let Some(uuid) = fields.text("uuid", findings) else {
        findings.fault(
            FILE,
            Some(line),
            "`uuid` is missing; it follows the problem through renames (`uuidgen` makes one)",
        );
        return String::new();
    };
    let parts: Vec<usize> = uuid.split('-').map(str::len).collect();
    let digits = uuid.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if parts != [8, 4, 4, 4, 12] || !digits {
        findings.fault(FILE, None, format!("`uuid: {uuid}` is no UUID; write 8-4-4-4-12 hexadecimal digits"));
    }
    uuid.to_ascii_lowercase()
}

fn problem_type(fields: &mut Fields<'_>, findings: &mut Findings) -> ProblemType {
    let mut problem_type = ProblemType::default();
    let Some((words, line)) = fields.text_or_texts("type", findings) else { return problem_type };
    let mut pass_fail = false;
    for (index, word) in words.iter().enumerate() {
        if words.iter().take(index).any(|earlier| earlier == word) {
            findings.fault(FILE, Some(line), format!("`type` has `{word}` twice"));
        }
        match word.as_str() {
            "pass-fail" => pass_fail = true,
            "scoring" => problem_type.scoring = true,
            "multi-pass" => problem_type.multi_pass = true,
            "interactive" => problem_type.interactive = true,
            "submit-answer" => problem_type.submit_answer = true,
            _ => {
                let known = "pass-fail, scoring, multi-pass, interactive, submit-answer";
                findings.fault(FILE, Some(line), format!("`{word}` is no problem type; known are {known}"));
            }
        }
    }
    let clash = (pass_fail && problem_type.scoring)
        || (problem_type.submit_answer && (problem_type.multi_pass || problem_type.interactive));
    if clash {
        let words = words.join(" and ");
        findings.fault(FILE, Some(line), format!("a problem can't be {words} at once"));
    }
    problem_type
}

fn limits(node: Node, findings: &mut Findings) -> PackageLimits {
    let mut limits = PackageLimits::default();
    let mut fields = Fields::of(FILE, "limits.", node, findings);
    if let Some(entry) = fields.take("time_multipliers") {
        let mut fields = Fields::of(FILE, "limits.time_multipliers.", entry.node, findings);
        if let Some(factor) = fields.decimal("ac_to_time_limit", 1.0, findings) {
            limits.ac_to_time_limit = factor;
        }
        if let Some(factor) = fields.decimal("time_limit_to_tle", 1.0, findings) {
            limits.time_limit_to_tle = factor;
        }
        fields.finish(findings);
    }
    limits.time_limit_ms = fields.decimal("time_limit", 0.001, findings).map(milliseconds);
    if let Some(resolution) = fields.decimal("time_resolution", 0.001, findings) {
        limits.time_resolution_ms = milliseconds(resolution);
    }
    let mut set = |slot: &mut u64, key, least| {
        if let Some(number) = fields.integer(key, least, findings) {
            *slot = number;
        }
    };
    set(&mut limits.memory_mib, "memory", 1);
    set(&mut limits.output_mib, "output", 1);
    set(&mut limits.code_kib, "code", 1);
    set(&mut limits.compilation_time_s, "compilation_time", 1);
    set(&mut limits.compilation_memory_mib, "compilation_memory", 1);
    set(&mut limits.validation_time_s, "validation_time", 1);
    set(&mut limits.validation_memory_mib, "validation_memory", 1);
    set(&mut limits.validation_output_mib, "validation_output", 1);
    set(&mut limits.validation_passes, "validation_passes", 2);
    fields.finish(findings);
    limits
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value was checked to lie between 0.001 and 10^9 seconds"
)]
fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1_000.0).round() as u64
}

fn languages(fields: &mut Fields<'_>, findings: &mut Findings) -> Option<AllowedLanguages> {
    let (codes, line) = fields.text_or_texts("languages", findings)?;
    if codes == ["all"] {
        return Some(AllowedLanguages::All);
    }
    let mut languages = Vec::new();
    for code in codes {
        match code.parse() {
            Ok(language) => languages.push(language),
            Err(_) => findings.fault(FILE, Some(line), format!("`{code}` is no language code, as in cpp or python3")),
        }
    }
    Some(AllowedLanguages::Only(languages))
}

fn credits(node: Node, findings: &mut Findings) -> Credits {
    if let Some(author) = node.as_text() {
        return Credits { authors: vec![person_of_text(author)], ..Credits::default() };
    }
    let mut fields = Fields::of(FILE, "credits.", node, findings);
    let mut people = |key| fields.take(key).map(|entry| persons(&entry.node, findings)).unwrap_or_default();
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
                    Ok(tag) => drop(credits.translators.insert(tag, persons(&entry.node, findings))),
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

fn persons(node: &Node, findings: &mut Findings) -> Vec<Person> {
    match &node.value {
        Value::List(items) => items.iter().filter_map(|item| person(item, findings)).collect(),
        _ => person(node, findings).into_iter().collect(),
    }
}

fn person(node: &Node, findings: &mut Findings) -> Option<Person> {
    if let Some(text) = node.as_text() {
        return Some(person_of_text(text));
    }
    if !matches!(node.value, Value::Map(_)) {
        findings.fault(FILE, Some(node.line), "a person is written as `Full Name <mail>` or as a map with `name`");
        return None;
    }
    let mut fields = Fields::of(FILE, "credits.person.", node.clone(), findings);
    let name = fields.text("name", findings);
    let person = Person {
        name: name.clone().unwrap_or_default(),
        email: fields.text("email", findings),
        orcid: fields.text("orcid", findings),
        kattis: fields.text("kattis", findings),
    };
    if name.is_none() {
        findings.fault(FILE, Some(node.line), "a person needs a `name`");
    }
    fields.finish(findings);
    Some(person)
}

/// `Full Name` or `Full Name <mail>`.
fn person_of_text(text: &str) -> Person {
    let (name, email) = match text.strip_suffix('>').and_then(|text| text.rsplit_once('<')) {
        Some((name, email)) => (name.trim(), Some(email.trim().to_owned())),
        None => (text.trim(), None),
    };
    Person { name: name.to_owned(), email, orcid: None, kattis: None }
}

fn sources(entry: Option<Entry>, findings: &mut Findings) -> Vec<SourceRef> {
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

fn license(fields: &mut Fields<'_>, findings: &mut Findings) -> Option<License> {
    let entry = fields.take("license")?;
    let license = match entry.node.as_text() {
        Some("unknown") => License::Unknown,
        Some("public domain") => License::PublicDomain,
        Some("cc0") => License::Cc0,
        Some("cc by") => License::CcBy,
        Some("cc by-sa") => License::CcBySa,
        Some("educational") => License::Educational,
        Some("permission") => License::Permission,
        _ => {
            let known = "unknown, public domain, cc0, cc by, cc by-sa, educational, permission";
            findings.fault(FILE, Some(entry.line), format!("`license` must be one of {known}"));
            return None;
        }
    };
    Some(license)
}

fn embargo(fields: &mut Fields<'_>, findings: &mut Findings) -> Option<String> {
    let entry = fields.take("embargo_until")?;
    let text = entry.node.as_text().unwrap_or_default();
    let date = |text: &str| text.parse::<jiff::civil::Date>().is_ok() && text.len() == 10;
    let moment = |text: &str| text.len() == 20 && text.ends_with('Z') && text.parse::<jiff::Timestamp>().is_ok();
    if !date(text) && !moment(text) {
        let sentence = "`embargo_until` must be a date in UTC, as 2026-05-01 or 2026-05-01T12:00:00Z";
        findings.fault(FILE, Some(entry.line), sentence);
        return None;
    }
    Some(text.to_owned())
}
