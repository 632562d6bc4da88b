//! Settings of test cases: `test_group.yaml` and a case's own `.yaml` (format, "Test case configuration").

use std::collections::BTreeMap;

use super::fault::Findings;
use super::model::ValidatorArgs;
use super::yaml::{Entry, Fields, Node, Value, texts_of};

/// What such a file says; `None` where it says nothing and the outer setting holds.
#[derive(Debug, Clone, Default)]
pub(crate) struct TestConfig {
    pub(crate) args: Option<Vec<String>>,
    pub(crate) input_validator_args: Option<ValidatorArgs>,
    pub(crate) output_validator_args: Option<Vec<String>>,
    pub(crate) full_feedback: Option<bool>,
    pub(crate) hint: Option<String>,
    pub(crate) description: Option<String>,
}

/// Whose settings they are: decides which keys there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// `test_group.yaml`.
    Group,
    /// A test case's own.
    Case,
}

/// Keys that only scoring problems have.
const SCORING: [&str; 5] =
    ["max_score", "score_aggregation", "require_pass", "static_validation_score", "static_validator_args"];

/// Reads the file's map.
pub(crate) fn read(path: &str, node: Node, scope: Scope, findings: &mut Findings) -> TestConfig {
    let mut fields = Fields::of(path, "", node, findings);
    if scope == Scope::Group {
        for key in SCORING {
            if let Some(entry) = fields.take(key) {
                let sentence = format!("`{key}` is for scoring problems, which are not supported yet");
                findings.fault(path, Some(entry.line), sentence);
            }
        }
    }
    // Arguments of programs that the judge doesn't run: checked for their type only.
    let _ = (fields.texts("input_visualizer_args", findings), fields.texts("output_visualizer_args", findings));
    let config = TestConfig {
        args: fields.texts("args", findings),
        input_validator_args: fields
            .take("input_validator_args")
            .and_then(|entry| validator_args(path, &entry, findings)),
        output_validator_args: fields.texts("output_validator_args", findings),
        full_feedback: fields.flag("full_feedback", findings),
        hint: if scope == Scope::Case { fields.text("hint", findings) } else { None },
        // A group may describe itself where its cases can't: the format allows it for invalid inputs and outputs.
        description: fields.text("description", findings),
    };
    fields.finish(findings);
    config
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
