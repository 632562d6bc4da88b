//! `testdata.yaml`: a group's settings in format `legacy` (format, "Test Data Groups", "Default Grader Specification").

use std::collections::BTreeMap;

use super::super::arguments;
use super::super::fault::Findings;
use super::super::fields::Fields;
use super::super::model::{Aggregation, OnReject, ValidatorArgs, VerdictRule};
use super::super::yaml::{Entry, Node, Value};
use super::settings::{CaseConfig, GroupConfig, WrittenScore};

/// What the format calls the default grader's flags and the scores it begins with.
#[derive(Debug, Clone)]
pub(crate) struct LegacyRule {
    pub(crate) on_reject: OnReject,
    pub(crate) verdict: VerdictRule,
    pub(crate) aggregation: Aggregation,
    pub(crate) ignore_sample: bool,
    pub(crate) accept_if_any_accepted: bool,
    pub(crate) accept_score: f64,
    pub(crate) reject_score: f64,
    /// The least and the most, where there is one.
    pub(crate) range: (Option<f64>, Option<f64>),
    /// The keys that the file has, for a warning when a file further inside leaves one out.
    pub(crate) keys: Vec<String>,
}

impl Default for LegacyRule {
    fn default() -> Self {
        Self {
            on_reject: OnReject::Break,
            verdict: VerdictRule::WorstError,
            aggregation: Aggregation::Sum,
            ignore_sample: false,
            accept_if_any_accepted: false,
            accept_score: 1.0,
            reject_score: 0.0,
            range: (None, None),
            keys: Vec::new(),
        }
    }
}

/// Reads the file. `output_validators` are the names of those that there are.
pub(crate) fn read(
    path: &str,
    node: Node,
    scoring: bool,
    output_validators: &[String],
    findings: &mut Findings,
) -> GroupConfig {
    let mut rule = LegacyRule::default();
    if let Value::Map(entries) = &node.value {
        rule.keys = entries.iter().map(|entry| entry.key.clone()).collect();
    }
    let mut fields = Fields::of(path, "", node, findings);
    let line = fields.line();
    match fields.text("on_reject", findings).as_deref() {
        None | Some("break") => {}
        Some("continue") => rule.on_reject = OnReject::Continue,
        Some(_) => findings.fault(path, Some(line), "`on_reject` must be break or continue"),
    }
    match fields.text("grading", findings).as_deref() {
        None | Some("default") => {}
        Some("custom") => {
            let sentence = "graders of the package's own are not supported yet; the default one adds up in four ways";
            findings.fault(path, Some(line), sentence);
        }
        Some(_) => findings.fault(path, Some(line), "`grading` must be default or custom"),
    }
    let grader_flags = fields.text("grader_flags", findings).unwrap_or_default();
    for flag in grader_flags.split_ascii_whitespace() {
        if !apply_flag(&mut rule, flag) {
            let sentence = format!("`{flag}` in `grader_flags` is no flag of the default grader");
            findings.fault(path, Some(line), sentence);
        }
    }
    let input = fields.take("input_validator_flags").and_then(|entry| input_flags(path, &entry, findings));
    let output = fields.take("output_validator_flags");
    let output = output.and_then(|entry| output_flags(path, &entry, output_validators, findings));
    let mut number = |key, otherwise| {
        let entry = fields.take(key)?;
        let number = entry.node.as_text().and_then(|text| text.parse::<f64>().ok()).filter(|number| number.is_finite());
        if number.is_none() {
            findings.fault(path, Some(entry.line), format!("`{key}` must be a number"));
        }
        if !scoring {
            findings.fault(path, Some(entry.line), format!("`{key}` is only for scoring problems"));
        }
        Some(number.unwrap_or(otherwise))
    };
    rule.accept_score = number("accept_score", 1.0).unwrap_or(1.0);
    rule.reject_score = number("reject_score", 0.0).unwrap_or(0.0);
    if let Some(entry) = fields.take("range") {
        if !scoring {
            findings.fault(path, Some(entry.line), "`range` is only for scoring problems");
        }
        match entry.node.as_text().and_then(range) {
            Some(range) => rule.range = range,
            None => findings.fault(path, Some(entry.line), "`range` must be two numbers, the least and the most"),
        }
    }
    fields.finish(findings);
    let cases = CaseConfig { input_validator_args: input, output_validator_args: output, ..CaseConfig::default() };
    GroupConfig { cases, score: WrittenScore::default(), legacy: rule }
}

/// Whether the default grader has such a flag. Of flags that contradict each other the last one holds.
fn apply_flag(rule: &mut LegacyRule, flag: &str) -> bool {
    match flag {
        "worst_error" => rule.verdict = VerdictRule::WorstError,
        "first_error" => rule.verdict = VerdictRule::FirstError,
        "always_accept" => rule.verdict = VerdictRule::AlwaysAccept,
        "sum" => rule.aggregation = Aggregation::Sum,
        "avg" => rule.aggregation = Aggregation::Avg,
        "min" => rule.aggregation = Aggregation::Min,
        "max" => rule.aggregation = Aggregation::Max,
        "ignore_sample" => rule.ignore_sample = true,
        "accept_if_any_accepted" => rule.accept_if_any_accepted = true,
        _ => return false,
    }
    true
}

/// Flags for all input validators, or for one by name.
fn input_flags(path: &str, entry: &Entry, findings: &mut Findings) -> Option<ValidatorArgs> {
    match &entry.node.value {
        Value::Map(_) => {
            let (name, args) = named_flags(path, entry, findings)?;
            Some(ValidatorArgs::ByName(BTreeMap::from([(name, args)])))
        }
        _ => text_flags(path, entry, findings).map(ValidatorArgs::All),
    }
}

/// Flags for the output validator. By the format's text a text alone is a validator's name; the judges that read this
/// format have always taken it as flags, so it is a name only if there is such a validator.
fn output_flags(path: &str, entry: &Entry, validators: &[String], findings: &mut Findings) -> Option<Vec<String>> {
    let Value::Map(_) = &entry.node.value else {
        let flags = text_flags(path, entry, findings)?;
        let is_name = matches!(flags.as_slice(), [only] if validators.contains(only));
        if is_name && validators.len() > 1 {
            let sentence = "it names one of several output validators; whether the others are run then is not defined";
            findings.fault(path, Some(entry.line), sentence);
        }
        return Some(if is_name { Vec::new() } else { flags });
    };
    let (name, args) = named_flags(path, entry, findings)?;
    if !validators.contains(&name) {
        findings.fault(path, Some(entry.line), format!("there is no output validator called `{name}`"));
    } else if validators.len() > 1 {
        // "All output validators provided will be run", and a named one is "the output validator that will be used".
        let sentence = format!(
            "whether the output validators besides `{name}` are run then is not defined; write flags for all, as a text"
        );
        findings.fault(path, Some(entry.line), sentence);
    }
    Some(args)
}

fn text_flags(path: &str, entry: &Entry, findings: &mut Findings) -> Option<Vec<String>> {
    if entry.node.value == Value::Null {
        return Some(Vec::new());
    }
    let text = entry.node.as_text();
    let args = text.map(|text| arguments::of_key(path, Some(entry.line), &entry.key, text, findings));
    if args.is_none() {
        let sentence = format!("`{}` must be a text with flags, or a map with `name` and `flags`", entry.key);
        findings.fault(path, Some(entry.line), sentence);
    }
    args
}

fn named_flags(path: &str, entry: &Entry, findings: &mut Findings) -> Option<(String, Vec<String>)> {
    let mut fields = Fields::of(path, "flags.", entry.node.clone(), findings);
    let (name, args) = (fields.text("name", findings), fields.text("flags", findings));
    fields.finish(findings);
    if name.is_none() {
        findings.fault(path, Some(entry.line), format!("`{}` needs the `name` of a validator", entry.key));
    }
    let args = args.unwrap_or_default();
    Some((name?, arguments::of_key(path, Some(entry.line), &entry.key, &args, findings)))
}

/// Two numbers, of which each may be infinite.
fn range(text: &str) -> Option<(Option<f64>, Option<f64>)> {
    let mut words = text.split_ascii_whitespace().map(|word| match word {
        "inf" | "+inf" => Some(f64::INFINITY),
        "-inf" => Some(f64::NEG_INFINITY),
        _ => word.parse::<f64>().ok().filter(|number| number.is_finite()),
    });
    let (least, most) = (words.next()??, words.next()??);
    let fits = words.next().is_none() && least <= most && least < f64::INFINITY && most > f64::NEG_INFINITY;
    fits.then_some((Some(least).filter(|least| least.is_finite()), Some(most).filter(|most| most.is_finite())))
}
