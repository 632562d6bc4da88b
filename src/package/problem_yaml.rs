//! `problem.yaml` of formats `2025-09` and `2023-07-draft` ("Problem metadata"): every key, its type and its default.

use std::collections::BTreeMap;

use super::credits::{credits, sources};
use super::fault::Findings;
use super::fields::Fields;
use super::metadata::{
    AllowedLanguages, Credits, FormatVersion, LanguageTag, License, Objective, PackageLimits, ProblemType, SourceRef,
};
use super::yaml::{Entry, Node, Value};

/// The file's name.
pub(crate) const FILE: &str = "problem.yaml";

/// What the file says.
#[derive(Debug, Default)]
pub(crate) struct ProblemYaml {
    pub(crate) names: BTreeMap<LanguageTag, String>,
    /// `legacy`: one name for every statement that has none of its own.
    pub(crate) common_name: Option<String>,
    pub(crate) uuid: Option<String>,
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
    pub(crate) constants: BTreeMap<String, String>,
    /// `legacy`: whether `validation` says that the output validator is custom or not.
    pub(crate) custom_validation: Option<bool>,
    /// `legacy`: the validator may write a score.
    pub(crate) validator_scores: bool,
    /// `legacy`: arguments of the output validator for every test.
    pub(crate) validator_flags: Vec<String>,
    pub(crate) objective: Objective,
    pub(crate) shows_groups: bool,
}

/// Reads the file's map; faults are noted and a default goes on in their place.
pub(crate) fn read(node: Node, format: FormatVersion, findings: &mut Findings) -> ProblemYaml {
    let mut fields = Fields::of(FILE, "", node, findings);
    let line = fields.line();
    // Looked at before, when the format's version was decided.
    let _ = fields.take("problem_format_version");
    let names = names(fields.take("name"), line, findings);
    let uuid = uuid(&mut fields, format, findings);
    let problem_type = problem_type(&mut fields, findings);
    let limits = fields.take("limits").map(|entry| limits(entry.node, problem_type, findings)).unwrap_or_default();
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
        constants: fields.take("constants").map(|entry| constants(entry, findings)).unwrap_or_default(),
        ..ProblemYaml::default()
    };
    fields.finish(findings);
    yaml
}

/// `constants`: names and the texts that stand for them.
fn constants(entry: Entry, findings: &mut Findings) -> BTreeMap<String, String> {
    let Value::Map(entries) = entry.node.value else {
        findings.fault(FILE, Some(entry.line), "`constants` must be a map from names to values");
        return BTreeMap::new();
    };
    let mut constants = BTreeMap::new();
    for Entry { key, line, node } in entries {
        let starts_well = key.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        if !starts_well || !key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            let sentence = format!("`{key}` can't be a constant's name; take letters, digits and `_`, no digit first");
            findings.fault(FILE, Some(line), sentence);
        } else if let Some(text) = node.as_text() {
            constants.insert(key, text.to_owned());
        } else {
            findings.fault(FILE, Some(line), format!("the constant `{key}` must be a number or a text"));
        }
    }
    constants
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

fn uuid(fields: &mut Fields<'_>, format: FormatVersion, findings: &mut Findings) -> Option<String> {
    let line = fields.line();
    let Some(uuid) = fields.text("uuid", findings) else {
        let sentence = "`uuid` is missing; it follows the problem through renames (`uuidgen` makes one)";
        // Packages of the time before the draft asked for it are still about.
        match format {
            FormatVersion::Draft202307 => findings.warn(FILE, Some(line), sentence),
            _ => findings.fault(FILE, Some(line), sentence),
        }
        return None;
    };
    let parts: Vec<usize> = uuid.split('-').map(str::len).collect();
    let digits = uuid.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if parts != [8, 4, 4, 4, 12] || !digits {
        findings.fault(FILE, None, format!("`uuid: {uuid}` is no UUID; write 8-4-4-4-12 hexadecimal digits"));
    }
    Some(uuid.to_ascii_lowercase())
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

fn limits(node: Node, problem_type: ProblemType, findings: &mut Findings) -> PackageLimits {
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
    if let Some(resolution) = fields.decimal("time_resolution", 0.001, findings) {
        limits.time_resolution_ms = milliseconds(resolution);
    }
    common_limits(&mut limits, &mut fields, problem_type, findings);
    fields.finish(findings);
    limits
}

/// The keys of `limits` that every format has, and `time_limit`, which judges read from `legacy` packages too.
pub(crate) fn common_limits(
    limits: &mut PackageLimits,
    fields: &mut Fields<'_>,
    problem_type: ProblemType,
    findings: &mut Findings,
) {
    limits.time_limit_ms = fields.decimal("time_limit", 0.001, findings).map(milliseconds);
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
    if let Some(passes) = fields.integer("validation_passes", 2, findings) {
        limits.validation_passes = passes;
        if !problem_type.multi_pass {
            findings.fault(FILE, None, "`limits.validation_passes` is only for multi-pass problems; remove it");
        }
    }
}

/// Seconds as milliseconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value was checked to lie between 0.001 and 10^9 seconds"
)]
pub(crate) fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1_000.0).round() as u64
}

/// `languages`: codes, or `all`.
pub(crate) fn languages(fields: &mut Fields<'_>, findings: &mut Findings) -> Option<AllowedLanguages> {
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

/// `license`.
pub(crate) fn license(fields: &mut Fields<'_>, findings: &mut Findings) -> Option<License> {
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
