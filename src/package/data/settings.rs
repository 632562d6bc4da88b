//! Settings of test cases and groups in formats `2025-09` and `2023-07-draft`: `test_group.yaml` and a case's own `.yaml`
//! (format, "Test data configuration", "Test case configuration").

use std::collections::BTreeMap;

use super::super::fault::Findings;
use super::super::fields::Fields;
use super::super::metadata::FormatVersion;
use super::super::model::{Aggregation, ScoreBound, ValidatorArgs};
use super::super::yaml::{Entry, Node, Value, texts_of};
use super::testdata_yaml::LegacyRule;

/// What such a file says of test cases; `None` where it says nothing and the outer setting holds.
#[derive(Debug, Clone, Default)]
pub(crate) struct CaseConfig {
    pub(crate) args: Option<Vec<String>>,
    pub(crate) input_validator_args: Option<ValidatorArgs>,
    pub(crate) output_validator_args: Option<Vec<String>>,
    pub(crate) output_visualizer_args: Option<Vec<String>>,
    pub(crate) full_feedback: Option<bool>,
    pub(crate) hint: Option<String>,
    pub(crate) description: Option<String>,
}

impl CaseConfig {
    /// These settings, and the outer ones where these say nothing. Hints and descriptions are inherited only where asked.
    pub(crate) fn or(self, outer: &Self, with_words: bool) -> Self {
        let words = |own: Option<String>, outer: &Option<String>| {
            if with_words { own.or_else(|| outer.clone()) } else { own }
        };
        Self {
            args: self.args.or_else(|| outer.args.clone()),
            input_validator_args: self.input_validator_args.or_else(|| outer.input_validator_args.clone()),
            output_validator_args: self.output_validator_args.or_else(|| outer.output_validator_args.clone()),
            output_visualizer_args: self.output_visualizer_args.or_else(|| outer.output_visualizer_args.clone()),
            full_feedback: self.full_feedback.or(outer.full_feedback),
            hint: words(self.hint, &outer.hint),
            description: words(self.description, &outer.description),
        }
    }
}

/// What a group's file says.
#[derive(Debug, Clone, Default)]
pub(crate) struct GroupConfig {
    pub(crate) cases: CaseConfig,
    pub(crate) score: WrittenScore,
    /// Only in the formats before.
    pub(crate) legacy: LegacyRule,
}

/// How a group is scored, as written.
#[derive(Debug, Clone, Default)]
pub(crate) struct WrittenScore {
    /// Where the first of its keys stands; `None`: it says nothing.
    pub(crate) line: Option<usize>,
    pub(crate) most: Option<ScoreBound>,
    pub(crate) aggregation: Option<Aggregation>,
    pub(crate) require_pass: Vec<String>,
}

/// Reads a test case's own file.
pub(crate) fn read_case(path: &str, node: Node, findings: &mut Findings) -> CaseConfig {
    let mut fields = Fields::of(path, "", node, findings);
    let mut config = of_cases(path, &mut fields, findings);
    config.hint = fields.text("hint", findings);
    config.description = fields.text("description", findings);
    fields.finish(findings);
    config
}

/// Reads a `test_group.yaml`.
pub(crate) fn read_group(path: &str, node: Node, format: FormatVersion, findings: &mut Findings) -> GroupConfig {
    let mut fields = Fields::of(path, "", node, findings);
    let score = match format {
        FormatVersion::Draft202307 => scoring_map(path, &mut fields, findings),
        _ => scoring_keys(path, &mut fields, findings),
    };
    let mut cases = of_cases(path, &mut fields, findings);
    if format == FormatVersion::Draft202307 {
        cases.hint = fields.text("hint", findings);
    }
    cases.description = fields.text("description", findings);
    fields.finish(findings);
    GroupConfig { cases, score, legacy: LegacyRule::default() }
}

fn of_cases(path: &str, fields: &mut Fields<'_>, findings: &mut Findings) -> CaseConfig {
    // For a program that the judge doesn't run: checked for its type only.
    let _ = fields.texts("input_visualizer_args", findings);
    CaseConfig {
        output_visualizer_args: fields.texts("output_visualizer_args", findings),
        args: fields.texts("args", findings),
        input_validator_args: fields
            .take("input_validator_args")
            .and_then(|entry| validator_args(path, &entry, findings)),
        output_validator_args: fields.texts("output_validator_args", findings),
        full_feedback: fields.flag("full_feedback", findings),
        hint: None,
        description: None,
    }
}

/// The keys of format `2025-09`.
fn scoring_keys(path: &str, fields: &mut Fields<'_>, findings: &mut Findings) -> WrittenScore {
    for key in ["static_validation_score", "static_validator_args"] {
        if let Some(entry) = fields.take(key) {
            findings.fault(path, Some(entry.line), format!("`{key}`: static validators are not supported yet"));
        }
    }
    score(path, fields, ["max_score", "score_aggregation", "require_pass"], findings)
}

/// The `scoring` map of format `2023-07-draft`.
fn scoring_map(path: &str, fields: &mut Fields<'_>, findings: &mut Findings) -> WrittenScore {
    if let Some(entry) = fields.take("static_validation")
        && entry.node.as_text() != Some("false")
    {
        findings.fault(path, Some(entry.line), "`static_validation`: static validators are not supported yet");
    }
    let Some(entry) = fields.take("scoring") else { return WrittenScore::default() };
    let mut fields = Fields::of(path, "scoring.", entry.node, findings);
    let mut written = score(path, &mut fields, ["score", "aggregation", "require_pass"], findings);
    fields.finish(findings);
    written.line = Some(entry.line);
    written
}

/// The greatest score, the aggregation and the groups to pass, under these names.
fn score(path: &str, fields: &mut Fields<'_>, keys: [&'static str; 3], findings: &mut Findings) -> WrittenScore {
    let [most_key, aggregation_key, require_key] = keys;
    let mut written = WrittenScore::default();
    if let Some(entry) = fields.take(most_key) {
        written.line = Some(entry.line);
        written.most = match entry.node.as_text() {
            Some("unbounded") => Some(ScoreBound::Unbounded),
            Some(text) => text.parse::<u32>().ok().map(|score| ScoreBound::Bounded(f64::from(score))),
            None => None,
        };
        if written.most.is_none() {
            let sentence = format!("`{most_key}` must be a whole number of at least 0, or `unbounded`");
            findings.fault(path, Some(entry.line), sentence);
        }
    }
    if let Some(entry) = fields.take(aggregation_key) {
        written.line.get_or_insert(entry.line);
        written.aggregation = match entry.node.as_text() {
            Some("pass-fail") => Some(Aggregation::PassFail),
            Some("sum") => Some(Aggregation::Sum),
            Some("min") => Some(Aggregation::Min),
            _ => {
                let sentence = format!("`{aggregation_key}` must be pass-fail, sum or min");
                findings.fault(path, Some(entry.line), sentence);
                None
            }
        };
    }
    if let Some(entry) = fields.take(require_key) {
        written.line.get_or_insert(entry.line);
        let names = entry.node.as_text().map(|name| vec![name.to_owned()]).or_else(|| texts_of(&entry.node));
        if let Some(names) = names {
            written.require_pass = names;
        } else {
            let sentence = format!("`{require_key}` must be a group or a list of them");
            findings.fault(path, Some(entry.line), sentence);
        }
    }
    written
}

fn validator_args(path: &str, entry: &Entry, findings: &mut Findings) -> Option<ValidatorArgs> {
    let args = match &entry.node.value {
        Value::Map(entries) => {
            let named = entries.iter().map(|entry| Some((entry.key.clone(), texts_of(&entry.node)?)));
            named.collect::<Option<BTreeMap<_, _>>>().map(ValidatorArgs::ByName)
        }
        _ => texts_of(&entry.node).map(ValidatorArgs::All),
    };
    if args.is_none() {
        let sentence = "`input_validator_args` must be a list of texts, or a map from a validator's name to one";
        findings.fault(path, Some(entry.line), sentence);
    }
    args
}
