//! `submissions/submissions.yaml`: what programs are to get beyond what their folder says (format, "Example submissions").
//!
//! Its four verdicts are mapped onto ours: `RTE` includes running out of memory and printing too much, for which the
//! format has no word.

use std::io;

use super::credits::persons;
use super::fault::Findings;
use super::fields::Fields;
use super::metadata::ProblemType;
use super::model::{ExampleSubmission, Expectation, ExpectedScore, Pattern, TimeBound};
use super::promise::{Promise, VerdictSet};
use super::tree::PackageTree;
use super::yaml::{self, Entry, Node, Value, texts_of};
use crate::domain::language::LanguageId;
use crate::domain::verdict::Verdict;

/// Where the file lies.
const FILE: &str = "submissions/submissions.yaml";
/// The most texts that a pattern's braces may stand for.
const MAX_ALTERNATIVES: usize = 200;

/// What the file says.
#[derive(Debug, Default)]
pub(crate) struct Rules(Vec<Rule>);

/// What it says about the programs that a pattern matches.
#[derive(Debug)]
struct Rule {
    programs: Pattern,
    line: usize,
    used: bool,
    language: Option<LanguageId>,
    entry_point: Option<String>,
    authors: Vec<super::metadata::Person>,
    model_solution: bool,
    /// For all tests, where the rule says something about that.
    overall: Option<Written>,
    /// For some tests.
    expectations: Vec<Expectation>,
}

/// Verdicts as written, before defaults.
#[derive(Debug, Default)]
struct Written {
    permitted: Option<VerdictSet>,
    required: Option<VerdictSet>,
    score: Option<ExpectedScore>,
    message: Option<String>,
    time_bound: Option<TimeBound>,
}

impl Written {
    fn says_something(&self) -> bool {
        self.permitted.is_some()
            || self.required.is_some()
            || self.score.is_some()
            || self.message.is_some()
            || self.time_bound.is_some()
    }

    fn expectation(self, tests: Option<Pattern>) -> Expectation {
        let anything = Promise::anything();
        let mut permitted = self.permitted.unwrap_or(anything.permitted);
        let mut required = self.required.unwrap_or_default();
        match self.time_bound {
            Some(TimeBound::Lower) => permitted = permitted.without(Verdict::TimeLimit),
            Some(TimeBound::Upper) if self.required.is_none() => required = VerdictSet::of(&[Verdict::TimeLimit]),
            _ => {}
        }
        let message = self.message.unwrap_or_default();
        Expectation { tests, permitted, required, score: self.score, message, time_bound: self.time_bound }
    }
}

impl Rules {
    /// Adds what the file says about a program. Whether it says what the program is to get.
    pub(crate) fn apply(&mut self, submission: &mut ExampleSubmission, has_promise: bool) -> bool {
        let mut ruled = false;
        for rule in &mut self.0 {
            if !rule.programs.matches(&submission.name) {
                continue;
            }
            rule.used = true;
            submission.language = rule.language.clone().or(submission.language.take());
            submission.entry_point = rule.entry_point.clone().or(submission.entry_point.take());
            submission.authors.extend(rule.authors.iter().cloned());
            submission.model_solution |= rule.model_solution;
            submission.expectations.extend(rule.expectations.iter().cloned());
            ruled |= !rule.expectations.is_empty();
            let Some(written) = &rule.overall else { continue };
            ruled = true;
            // A folder's own name replaces what the folder means, key by key; other patterns add to it.
            let replaces = rule.programs.text == submission.folder || !has_promise;
            if replaces {
                let before = submission.promise;
                submission.promise = Promise {
                    permitted: written.permitted.unwrap_or(before.permitted),
                    required: written.required.unwrap_or(before.required),
                };
            }
            let rest = Written {
                permitted: written.permitted.filter(|_| !replaces),
                required: written.required.filter(|_| !replaces),
                score: written.score,
                message: written.message.clone(),
                time_bound: written.time_bound,
            };
            if rest.says_something() {
                submission.expectations.push(rest.expectation(None));
            }
        }
        ruled
    }

    /// Names patterns that matched no program.
    pub(crate) fn check_all_used(&self, findings: &mut Findings) {
        for rule in self.0.iter().filter(|rule| !rule.used) {
            let sentence = format!("`{}` matches no submission; is it misspelt?", rule.programs.text);
            findings.warn(FILE, Some(rule.line), sentence);
        }
    }
}

/// Reads the file, if there is one.
pub(crate) fn read(tree: &PackageTree, problem_type: ProblemType, findings: &mut Findings) -> io::Result<Rules> {
    let Some(path) = tree.find(FILE) else { return Ok(Rules::default()) };
    let Some(node) = yaml::read(tree, path, findings)? else { return Ok(Rules::default()) };
    let entries = match node.value {
        Value::Map(entries) => entries,
        Value::Null => Vec::new(),
        _ => {
            findings.fault(FILE, Some(node.line), "it must be a map from patterns to what they get");
            Vec::new()
        }
    };
    let mut reader = Reader { scoring: problem_type.scoring, findings };
    Ok(Rules(entries.into_iter().filter_map(|entry| reader.rule(entry)).collect()))
}

struct Reader<'a> {
    scoring: bool,
    findings: &'a mut Findings,
}

impl Reader<'_> {
    fn fault(&mut self, line: usize, sentence: impl Into<String>) {
        self.findings.fault(FILE, Some(line), sentence);
    }

    fn rule(&mut self, entry: Entry) -> Option<Rule> {
        let Entry { key, line, node } = entry;
        let programs = self.pattern(&key, line)?;
        let (own, tests) = self.split(node);
        let mut fields = Fields::of(FILE, "", own, self.findings);
        let language = fields.text("language", self.findings);
        let entry_point = fields.text("entrypoint", self.findings);
        let authors = fields.take("authors").map(|entry| persons(FILE, &entry.node, self.findings));
        let model_solution = fields.flag("model_solution", self.findings).unwrap_or(false);
        let overall = self.written(&mut fields);
        fields.finish(self.findings);
        let language = language.and_then(|code| {
            let language = code.parse().ok();
            if language.is_none() {
                self.fault(line, format!("`{code}` is no language code, as in cpp or python3"));
            }
            language
        });
        let mut expectations = Vec::new();
        for entry in tests {
            let Some(pattern) = self.pattern(&entry.key, entry.line) else { continue };
            let mut fields = Fields::of(FILE, "test.", entry.node, self.findings);
            let written = self.written(&mut fields);
            fields.finish(self.findings);
            expectations.push(written.expectation(Some(pattern)));
        }
        Some(Rule {
            programs,
            line,
            used: false,
            language,
            entry_point,
            authors: authors.unwrap_or_default(),
            model_solution,
            overall: overall.says_something().then_some(overall),
            expectations,
        })
    }

    /// The keys about the program, and the patterns of tests with what holds for them: those begin with a folder of
    /// `data/`.
    fn split(&mut self, node: Node) -> (Node, Vec<Entry>) {
        let line = node.line;
        match node.value {
            Value::Map(entries) => {
                let is_test = |entry: &Entry| {
                    let root = entry.key.split('/').next().unwrap_or_default();
                    root == "sample" || root == "secret" || root.contains(['*', '{'])
                };
                let (tests, own) = entries.into_iter().partition(is_test);
                (Node { line, value: Value::Map(own) }, tests)
            }
            Value::Null => (Node { line, value: Value::Null }, Vec::new()),
            _ => {
                self.fault(line, "a pattern needs a map of what its submissions get");
                (Node { line, value: Value::Null }, Vec::new())
            }
        }
    }

    fn written(&mut self, fields: &mut Fields<'_>) -> Written {
        let permitted = fields.take("permitted").and_then(|entry| self.verdicts(&entry));
        let required = fields.take("required").and_then(|entry| self.verdicts(&entry));
        if let (Some(permitted), Some(required)) = (permitted, required)
            && permitted.is_disjoint(required)
        {
            self.fault(fields.line(), "`required` has nothing in common with `permitted`, so no program can do both");
        }
        Written {
            permitted,
            required,
            score: fields.take("score").and_then(|entry| self.score(&entry)),
            message: fields.text("message", self.findings).filter(|message| !message.is_empty()),
            time_bound: fields.take("use_for_time_limit").and_then(|entry| self.time_bound(&entry)),
        }
    }

    fn verdicts(&mut self, entry: &Entry) -> Option<VerdictSet> {
        let words = texts_of(&entry.node).filter(|words| !words.is_empty());
        let Some(words) = words else {
            self.fault(entry.line, format!("`{}` must be a list of AC, WA, TLE and RTE", entry.key));
            return None;
        };
        let mut set = VerdictSet::default();
        for word in words {
            set = match word.as_str() {
                "AC" => set.with(Verdict::Accepted),
                "WA" => set.with(Verdict::WrongAnswer),
                "TLE" => set.with(Verdict::TimeLimit),
                "RTE" => set.with(Verdict::RunTimeError).with(Verdict::MemoryLimit).with(Verdict::OutputLimit),
                _ => {
                    self.fault(entry.line, format!("`{word}` is no verdict of the format: AC, WA, TLE, RTE"));
                    return None;
                }
            };
        }
        Some(set)
    }

    fn score(&mut self, entry: &Entry) -> Option<ExpectedScore> {
        if !self.scoring {
            self.fault(entry.line, "`score` is only for scoring problems");
            return None;
        }
        let texts = entry.node.as_text().map(|text| vec![text.to_owned()]).or_else(|| texts_of(&entry.node));
        let numbers: Option<Vec<f64>> = texts.unwrap_or_default().iter().map(|text| text.parse().ok()).collect();
        let range = match numbers.unwrap_or_default().as_slice() {
            [score] => Some((*score, *score)),
            [least, most] if least <= most => Some((*least, *most)),
            _ => None,
        };
        let range = range.filter(|(least, most)| least.is_finite() && most.is_finite());
        if range.is_none() {
            self.fault(entry.line, "`score` must be a number, or a list of the least and the most");
        }
        range.map(|(least, most)| ExpectedScore { least, most })
    }

    fn time_bound(&mut self, entry: &Entry) -> Option<TimeBound> {
        match entry.node.as_text() {
            Some("true") => None,
            Some("false") => Some(TimeBound::None),
            Some("lower") => Some(TimeBound::Lower),
            Some("upper") => Some(TimeBound::Upper),
            _ => {
                self.fault(entry.line, "`use_for_time_limit` must be true, false, lower or upper");
                None
            }
        }
    }

    fn pattern(&mut self, text: &str, line: usize) -> Option<Pattern> {
        if text.contains("**") || text.contains(['[', ']', '?']) {
            self.fault(line, format!("`{text}`: patterns have only `*` and `{{a,b}}`; `**`, `[...]` and `?` are none"));
            return None;
        }
        let mut alternatives = Vec::new();
        if !expand(text, "", &mut alternatives) {
            self.fault(
                line,
                format!("`{text}`: its braces don't match, or stand for more than {MAX_ALTERNATIVES} names"),
            );
            return None;
        }
        Some(Pattern { text: text.to_owned(), alternatives })
    }
}

/// Writes out the braces of a pattern after what is written out already. Whether that could be done.
fn expand(pattern: &str, done: &str, into: &mut Vec<String>) -> bool {
    let Some((before, rest)) = pattern.split_once('{') else {
        into.push(format!("{done}{pattern}"));
        return into.len() <= MAX_ALTERNATIVES && !pattern.contains('}');
    };
    // Braces in braces are no pattern of the format.
    let Some((inside, after)) = rest.split_once('}') else { return false };
    if inside.contains('{') || before.contains('}') {
        return false;
    }
    inside.split(',').all(|choice| expand(after, &format!("{done}{before}{choice}"), into))
}
