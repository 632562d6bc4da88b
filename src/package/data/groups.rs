//! The tree of groups and what each member gets, with every format's defaults and inferences filled in (format, "Result
//! aggregation"; `2023-07-draft`, "Verdict/Score Aggregation"; `legacy`, "Graders").

use std::collections::{BTreeMap, BTreeSet};

use super::super::fault::Findings;
use super::super::metadata::FormatVersion;
use super::super::model::{
    Aggregation, CaseScore, GroupScore, Member, OnReject, ScoreBound, TestCase, TestGroup, VerdictRule,
};
use super::Context;
use super::files::{folders_around, group_of};
use super::settings::{GroupConfig, WrittenScore};
use super::testdata_yaml::LegacyRule;

/// The most that a problem's `secret` gives where nothing is said.
const FULL_SCORE: f64 = 100.0;

/// A group of a pass-fail problem without members.
pub(super) fn empty(name: &str) -> TestGroup {
    TestGroup {
        name: name.to_owned(),
        members: Vec::new(),
        verdict: VerdictRule::FirstError,
        accept_if_any_accepted: false,
        ignore_sample: false,
        on_reject: OnReject::Break,
        require_pass: Vec::new(),
        score: None,
    }
}

/// Builds the tree and brings the cases into judging order.
pub(super) fn build(
    context: &Context<'_>,
    configs: &BTreeMap<String, GroupConfig>,
    cases: &mut Vec<TestCase>,
    findings: &mut Findings,
) -> TestGroup {
    let mut root = Branch::default();
    // `sample` and `secret` are there even when they are empty; so are the groups that have settings.
    for name in ["secret"].into_iter().chain(configs.keys().map(String::as_str)) {
        if is_judged(name) {
            root.branch(name);
        }
    }
    for (index, case) in cases.iter().enumerate() {
        let group = group_of(&case.name, context.format());
        let name = case.name.get(group.len() + 1..).unwrap_or_default();
        root.branch(group).cases.insert(name.to_owned(), index);
    }
    let mut builder = Builder { context, configs, findings, order: Vec::new() };
    builder.check(&root, cases);
    let tree = builder.group("", &root, None);
    builder.check_requirements(&tree);
    let mut ordered: Vec<Option<TestCase>> = std::mem::take(cases).into_iter().map(Some).collect();
    cases.extend(builder.order.iter().filter_map(|&index| ordered.get_mut(index)?.take()));
    tree
}

fn is_judged(folder: &str) -> bool {
    matches!(folder.split('/').next(), Some("sample" | "secret"))
}

/// A group before its settings: what is in it, by name.
#[derive(Default)]
struct Branch {
    cases: BTreeMap<String, usize>,
    groups: BTreeMap<String, Branch>,
}

impl Branch {
    /// The group with this path below `data/`, made with those around it when it isn't there.
    fn branch(&mut self, path: &str) -> &mut Self {
        let mut here = self;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            here = here.groups.entry(name.to_owned()).or_default();
        }
        here
    }
}

/// What a group leaves to its members.
#[derive(Clone, Copy)]
struct Outer {
    aggregation: Aggregation,
    /// What a subgroup gets at most if it doesn't say.
    most: ScoreBound,
    /// What the group itself gets at most.
    own_most: ScoreBound,
}

struct Builder<'a, 'f> {
    context: &'a Context<'a>,
    configs: &'a BTreeMap<String, GroupConfig>,
    findings: &'f mut Findings,
    /// The cases in judging order, as indices into the unordered ones.
    order: Vec<usize>,
}

impl Builder<'_, '_> {
    fn fault(&mut self, folder: &str, line: Option<usize>, sentence: impl Into<String>) {
        let file = self.context.layout.group_file;
        let path = if folder.is_empty() { format!("data/{file}") } else { format!("data/{folder}/{file}") };
        // Without a line there is no such file.
        let path = if line.is_some() { path } else { path.trim_end_matches(file).trim_end_matches('/').to_owned() };
        self.findings.fault(path, line, sentence);
    }

    /// What must be there.
    fn check(&mut self, root: &Branch, cases: &[TestCase]) {
        if !cases.iter().any(|case| case.name.starts_with("secret/")) {
            self.findings.fault("data/secret", None, "there is no secret test; at least one is needed");
        }
        if !cases.iter().any(|case| case.name.starts_with("sample/")) {
            let sentence = "there is no sample; contestants will see no example of input and output";
            self.findings.warn("data/sample", None, sentence);
        }
        if self.context.format() != FormatVersion::V202509 {
            return;
        }
        let Some(secret) = root.groups.get("secret") else { return };
        if !secret.cases.is_empty() && !secret.groups.is_empty() {
            let sentence = "it has both tests and groups of tests; move the tests into a group";
            self.findings.fault("data/secret", None, sentence);
        }
        for (name, group) in &secret.groups {
            if group.cases.is_empty() {
                self.findings.fault(
                    format!("data/secret/{name}"),
                    None,
                    "the group has no test; at least one is needed",
                );
            }
        }
    }

    fn group(&mut self, folder: &str, branch: &Branch, outer: Option<Outer>) -> TestGroup {
        if self.context.layout.is_legacy() { self.legacy(folder, branch) } else { self.modern(folder, branch, outer) }
    }

    /// The members in judging order: cases and groups by name in byte order.
    fn members(&mut self, folder: &str, branch: &Branch, outer: Option<Outer>) -> Vec<Member> {
        let names: BTreeSet<&str> = branch.cases.keys().chain(branch.groups.keys()).map(String::as_str).collect();
        let mut members = Vec::new();
        for name in names {
            if let Some(&index) = branch.cases.get(name) {
                members.push(Member::Case(self.order.len()));
                self.order.push(index);
            }
            if let Some(inner) = branch.groups.get(name) {
                let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
                members.push(Member::Group(self.group(&path, inner, outer)));
            }
        }
        members
    }

    /// A group of format `legacy`: the nearest file of settings holds as a whole.
    fn legacy(&mut self, folder: &str, branch: &Branch) -> TestGroup {
        let inside = format!("{folder}/.");
        let inside = inside.trim_start_matches('/');
        let nearest = folders_around(inside).find_map(|folder| self.configs.get(folder));
        let rule = nearest.map(|config| config.legacy.clone()).unwrap_or_default();
        let LegacyRule { range: (least, most), .. } = rule;
        let own = self.configs.get(folder).is_some_and(|config| config.legacy.ignore_sample);
        if own && !folder.is_empty() {
            self.fault(folder, Some(1), "`ignore_sample` may stand only in data/testdata.yaml");
        }
        let score = self.context.yaml.problem_type.scoring.then(|| GroupScore {
            aggregation: rule.aggregation,
            least,
            most: most.map_or(ScoreBound::Unbounded, ScoreBound::Bounded),
            case: CaseScore::Fixed {
                accepted: rule.accept_score,
                rejected: rule.reject_score,
                validator_scores: self.context.yaml.validator_scores,
            },
        });
        TestGroup {
            name: shown(folder),
            members: self.members(folder, branch, None),
            verdict: rule.verdict,
            accept_if_any_accepted: rule.accept_if_any_accepted,
            ignore_sample: rule.ignore_sample && folder.is_empty(),
            on_reject: rule.on_reject,
            require_pass: Vec::new(),
            score,
        }
    }

    fn modern(&mut self, folder: &str, branch: &Branch, outer: Option<Outer>) -> TestGroup {
        let written = self.configs.get(folder).map(|config| config.score.clone()).unwrap_or_default();
        let scoring = self.context.yaml.problem_type.scoring;
        if let Some(line) = written.line {
            if !scoring {
                let sentence = "only scoring problems have scores and groups to pass; remove these keys";
                self.fault(folder, Some(line), sentence);
            } else if !folder.starts_with("secret") {
                self.fault(folder, Some(line), "only data/secret and its groups have scores and groups to pass");
            }
        }
        let mut group = TestGroup { require_pass: written.require_pass.clone(), ..empty(&shown(folder)) };
        if !scoring {
            group.members = self.members(folder, branch, None);
            return group;
        }
        if folder.is_empty() {
            // The submission's score is that of `secret`; samples say only whether they pass.
            group.ignore_sample = true;
            group.on_reject = OnReject::Continue;
            group.members = self.members(folder, branch, None);
            let secret = group.members.iter().find_map(|member| match member {
                Member::Group(inner) if inner.name == "secret" => inner.score,
                _ => None,
            });
            let most = secret.map_or(ScoreBound::Unbounded, |score| score.most);
            group.score =
                Some(GroupScore { aggregation: Aggregation::Sum, least: Some(0.0), most, case: CaseScore::None });
            return group;
        }
        if folder == "sample" {
            let most = ScoreBound::Bounded(0.0);
            group.score =
                Some(GroupScore { aggregation: Aggregation::PassFail, least: Some(0.0), most, case: CaseScore::None });
            group.members = self.members(folder, branch, None);
            return group;
        }
        let (score, inner) = self.score(folder, branch, &written, outer);
        // Where every case is needed, the first failure settles it: for a sum it doesn't.
        group.on_reject = if score.aggregation == Aggregation::Sum { OnReject::Continue } else { OnReject::Break };
        group.score = Some(score);
        group.members = self.members(folder, branch, Some(inner));
        group
    }

    /// What `secret` or a group in it gets, and what it leaves to its members.
    fn score(
        &mut self,
        folder: &str,
        branch: &Branch,
        written: &WrittenScore,
        outer: Option<Outer>,
    ) -> (GroupScore, Outer) {
        let line = written.line;
        let default = if outer.is_none() { Aggregation::Sum } else { Aggregation::PassFail };
        let aggregation = written.aggregation.unwrap_or(default);
        let inferred = outer.map_or(ScoreBound::Bounded(FULL_SCORE), |outer| outer.most);
        let mut most = written.most.unwrap_or(inferred);
        if let Some(outer) = outer {
            let is_bounded = matches!(outer.own_most, ScoreBound::Bounded(_));
            if outer.aggregation == Aggregation::PassFail {
                if aggregation != Aggregation::PassFail {
                    self.fault(folder, line, "the group around it is pass-fail, so it must be pass-fail too");
                }
                // Only the group around it is scored.
                most = written.most.unwrap_or(outer.own_most);
            } else if most == ScoreBound::Unbounded && is_bounded {
                let sentence = match self.context.format() {
                    FormatVersion::V202509 => {
                        "`max_score` is missing: data/secret has a greatest score, so this needs one"
                    }
                    _ => "it can't be unbounded, since the group around it is bounded",
                };
                self.fault(folder, line, sentence);
            }
        }
        if aggregation == Aggregation::PassFail && most == ScoreBound::Unbounded {
            let sentence = "a pass-fail group can't be unbounded: say what it gives when it is passed";
            self.fault(folder, line, sentence);
        }
        let share = self.share(folder, branch, aggregation, most);
        let case = match aggregation {
            Aggregation::PassFail => CaseScore::None,
            _ => CaseScore::UpTo(share),
        };
        let inferred = match self.context.format() {
            FormatVersion::V202509 => ScoreBound::Unbounded,
            _ => share,
        };
        let inner = Outer { aggregation, most: inferred, own_most: most };
        (GroupScore { aggregation, least: Some(0.0), most, case }, inner)
    }

    /// What each member gets at most that doesn't say so itself: its part of what the others leave.
    fn share(&mut self, folder: &str, branch: &Branch, aggregation: Aggregation, most: ScoreBound) -> ScoreBound {
        let ScoreBound::Bounded(total) = most else { return ScoreBound::Unbounded };
        if aggregation != Aggregation::Sum {
            return most;
        }
        let mut taken = 0.0;
        let mut sharing: u32 = branch.cases.len().try_into().unwrap_or(u32::MAX);
        for name in branch.groups.keys() {
            match self.configs.get(&format!("{folder}/{name}")).and_then(|config| config.score.most) {
                Some(ScoreBound::Bounded(own)) => taken += own,
                Some(ScoreBound::Unbounded) => {}
                None => sharing += 1,
            }
        }
        if taken > total {
            let line = self.configs.get(folder).and_then(|config| config.score.line);
            let sentence = format!("its groups give up to {taken} together, but it gives only up to {total}");
            self.fault(folder, line, sentence);
        }
        ScoreBound::Bounded((total - taken).max(0.0) / f64::from(sharing.max(1)))
    }

    /// Groups to pass must be there, come earlier and be pass-fail; `secret` itself may name only the samples.
    fn check_requirements(&mut self, root: &TestGroup) {
        for group in root.all() {
            for required in &group.require_pass {
                let line = self.configs.get(&group.name).and_then(|config| config.score.line);
                let found = root.find(required).filter(|found| found.name != "data" && found.name != "secret");
                let scores =
                    |found: &TestGroup| found.score.is_some_and(|score| score.aggregation != Aggregation::PassFail);
                let sentence = match found {
                    None => format!("`require_pass`: there is no group `{required}`; write it as in secret/group1"),
                    Some(_) if group.name == "secret" && required != "sample" => {
                        "`require_pass` of data/secret may name only `sample`".to_owned()
                    }
                    Some(found) if scores(found) => format!("`require_pass`: `{required}` must be pass-fail"),
                    Some(found) if found.name >= group.name => {
                        format!("`require_pass`: `{required}` must come earlier than this group")
                    }
                    Some(_) => continue,
                };
                self.fault(&group.name, line, sentence);
            }
        }
    }
}

/// A group's name: the root's is that of its folder.
fn shown(folder: &str) -> String {
    if folder.is_empty() { "data".to_owned() } else { folder.to_owned() }
}
