//! `problem.yaml` of formats `legacy` and `legacy-icpc` ("Problem Metadata"): every key, its type and its default.
//!
//! Beyond the format's text, what the judges that use it have always read: `limits.time_limit`, `languages`, names and
//! keywords as maps and lists, and `multi-pass` after `validation: custom`.

use super::arguments;
use super::credits::person_of_text;
use super::fault::Findings;
use super::fields::Fields;
use super::metadata::{Credits, FormatVersion, LanguageTag, License, Objective, PackageLimits, ProblemType, SourceRef};
use super::problem_yaml::{FILE, ProblemYaml, common_limits, languages, license};
use super::yaml::{Node, Value, texts_of};

/// `time_multiplier` where nothing is said.
const TIME_MULTIPLIER: f64 = 5.0;
/// `time_safety_margin` where nothing is said.
const TIME_SAFETY_MARGIN: f64 = 2.0;

/// Reads the file's map; faults are noted and a default goes on in their place.
pub(crate) fn read(node: Node, format: FormatVersion, findings: &mut Findings) -> ProblemYaml {
    let mut fields = Fields::of(FILE, "", node, findings);
    // Looked at before, when the format's version was decided.
    let _ = fields.take("problem_format_version");
    let mut yaml = ProblemYaml::default();
    names(&mut yaml, &mut fields, findings);
    yaml.uuid = fields.text("uuid", findings).map(|uuid| uuid.to_ascii_lowercase());
    let author = fields.text("author", findings);
    yaml.credits = Credits { authors: author.map(|text| people(&text)).unwrap_or_default(), ..Credits::default() };
    sources(&mut yaml, &mut fields, findings);
    yaml.license = license(&mut fields, findings);
    yaml.rights_owner = fields.text("rights_owner", findings);
    yaml.languages = languages(&mut fields, findings);
    if format == FormatVersion::Legacy {
        problem_type(&mut yaml, &mut fields, findings);
    }
    validation(&mut yaml, &mut fields, format, findings);
    if format == FormatVersion::Legacy {
        grading(&mut yaml, &mut fields, findings);
    }
    yaml.limits = limits(&mut fields, yaml.problem_type, findings);
    keywords(&mut yaml, &mut fields, findings);
    fields.finish(findings);
    yaml
}

/// One name for all languages, or a map.
fn names(yaml: &mut ProblemYaml, fields: &mut Fields<'_>, findings: &mut Findings) {
    let Some(entry) = fields.take("name") else { return };
    let Value::Map(entries) = &entry.node.value else {
        yaml.common_name = entry.node.as_text().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        if yaml.common_name.is_none() {
            findings.fault(FILE, Some(entry.line), "`name` must be a text");
        }
        return;
    };
    for entry in entries {
        match (entry.key.parse::<LanguageTag>(), entry.node.as_text()) {
            (Ok(tag), Some(name)) => drop(yaml.names.insert(tag, name.trim().to_owned())),
            (Err(bad), _) => findings.fault(FILE, Some(entry.line), bad.to_string()),
            (_, None) => findings.fault(FILE, Some(entry.line), format!("the name for `{}` must be a text", entry.key)),
        }
    }
}

/// Names with `,` or `and` between them.
fn people(text: &str) -> Vec<super::metadata::Person> {
    let names = text.split(',').flat_map(|part| part.split(" and ")).map(str::trim);
    let names = names.map(|name| name.strip_prefix("and ").unwrap_or(name));
    names.filter(|name| !name.is_empty()).map(person_of_text).collect()
}

fn sources(yaml: &mut ProblemYaml, fields: &mut Fields<'_>, findings: &mut Findings) {
    let (name, url) = (fields.text("source", findings), fields.text("source_url", findings));
    match (name, url) {
        (Some(name), url) => yaml.source = vec![SourceRef { name, url }],
        (None, Some(_)) => findings.fault(FILE, None, "`source_url` is there without `source`"),
        (None, None) => {}
    }
}

fn problem_type(yaml: &mut ProblemYaml, fields: &mut Fields<'_>, findings: &mut Findings) {
    match fields.text("type", findings).as_deref() {
        None | Some("pass-fail") => {}
        Some("scoring") => yaml.problem_type.scoring = true,
        Some(other) => {
            findings.fault(FILE, None, format!("`{other}` is no problem type; known are pass-fail, scoring"));
        }
    }
}

/// `validation` and `validator_flags`.
fn validation(yaml: &mut ProblemYaml, fields: &mut Fields<'_>, format: FormatVersion, findings: &mut Findings) {
    let text = fields.text("validation", findings).unwrap_or_else(|| "default".to_owned());
    let mut words = text.split_ascii_whitespace();
    let custom = match words.next() {
        Some("default") => false,
        Some("custom") => true,
        _ => {
            findings.fault(FILE, None, "`validation` must begin with `default` or `custom`");
            return;
        }
    };
    yaml.custom_validation = Some(custom);
    let problem_type: &mut ProblemType = &mut yaml.problem_type;
    for word in words {
        match word {
            _ if !custom => {
                findings.fault(FILE, None, format!("`validation: default` can't be followed by `{word}`"));
            }
            "interactive" => problem_type.interactive = true,
            "multi-pass" | "multipass" => problem_type.multi_pass = true,
            "score" if format == FormatVersion::Legacy => {
                yaml.validator_scores = true;
                if !problem_type.scoring {
                    findings.fault(FILE, None, "`validation: custom score` is only for problems of `type: scoring`");
                }
            }
            _ => {
                let known = "interactive, multi-pass, and in format legacy score";
                findings.fault(FILE, None, format!("`{word}` in `validation` isn't known; known are {known}"));
            }
        }
    }
    if let Some(entry) = fields.take("validator_flags") {
        match entry.node.as_text() {
            Some(text) => {
                yaml.validator_flags = arguments::of_key(FILE, Some(entry.line), "validator_flags", text, findings);
            }
            None => findings.fault(FILE, Some(entry.line), "`validator_flags` must be a text"),
        }
    }
}

fn grading(yaml: &mut ProblemYaml, fields: &mut Fields<'_>, findings: &mut Findings) {
    let Some(entry) = fields.take("grading") else { return };
    if !yaml.problem_type.scoring {
        findings.fault(FILE, Some(entry.line), "`grading` is only for problems of `type: scoring`");
    }
    let mut fields = Fields::of(FILE, "grading.", entry.node, findings);
    yaml.objective = match fields.text("objective", findings).as_deref() {
        None | Some("max") => Objective::Max,
        Some("min") => Objective::Min,
        Some(_) => {
            findings.fault(FILE, Some(entry.line), "`grading.objective` must be min or max");
            Objective::Max
        }
    };
    yaml.shows_groups = fields.flag("show_test_data_groups", findings).unwrap_or(false);
    fields.finish(findings);
}

fn limits(fields: &mut Fields<'_>, problem_type: ProblemType, findings: &mut Findings) -> PackageLimits {
    let mut limits = PackageLimits {
        ac_to_time_limit: TIME_MULTIPLIER,
        time_limit_to_tle: TIME_SAFETY_MARGIN,
        ..PackageLimits::default()
    };
    let Some(entry) = fields.take("limits") else { return limits };
    let mut fields = Fields::of(FILE, "limits.", entry.node, findings);
    if let Some(factor) = fields.decimal("time_multiplier", 1.0, findings) {
        limits.ac_to_time_limit = factor;
    }
    if let Some(factor) = fields.decimal("time_safety_margin", 1.0, findings) {
        limits.time_limit_to_tle = factor;
    }
    common_limits(&mut limits, &mut fields, problem_type, findings);
    fields.finish(findings);
    limits
}

/// Words with blanks between them, or a list.
fn keywords(yaml: &mut ProblemYaml, fields: &mut Fields<'_>, findings: &mut Findings) {
    let Some(entry) = fields.take("keywords") else { return };
    match (entry.node.as_text(), texts_of(&entry.node)) {
        (Some(text), _) => yaml.keywords = text.split_ascii_whitespace().map(str::to_owned).collect(),
        (None, Some(texts)) => yaml.keywords = texts,
        (None, None) => findings.fault(FILE, Some(entry.line), "`keywords` must be a text with blanks between words"),
    }
}

impl ProblemYaml {
    /// Checks what all formats say about rights.
    pub(crate) fn check_rights(&self, findings: &mut Findings) {
        let license = self.license.unwrap_or(License::Unknown);
        if license == License::PublicDomain && self.rights_owner.is_some() {
            findings.fault(FILE, None, "`rights_owner` must not be set when the license is `public domain`");
        }
        let needs_owner = !matches!(license, License::Unknown | License::PublicDomain);
        if needs_owner && self.rights_owner.is_none() && self.credits.authors.is_empty() && self.source.is_empty() {
            let sentence = "this license needs `rights_owner`, or authors or a source that stand for one";
            findings.warn(FILE, None, sentence);
        }
    }
}
