//! Test data: files under `data/`, joined with what `generators.yaml` makes (format, "Test data").
//!
//! Owns: what the tests, the planted inputs and outputs, and the groups are. Must not read inputs or answers: they may be
//! large.

mod case;
pub(crate) mod files;
mod groups;
pub(crate) mod listing;
mod settings;
mod testdata_yaml;

use std::collections::BTreeMap;
use std::io;

use super::constants;
use super::fault::Findings;
use super::generators_yaml::{FILE as GENERATORS, Generators, ListedCase};
use super::layout::Layout;
use super::metadata::FormatVersion;
use super::model::{InvalidInput, PlantedOutput, SampleInteraction, TestCase, TestGroup, TestInput, ValidatorArgs};
use super::problem_yaml::ProblemYaml;
use super::tree::PackageTree;
use super::yaml;
use files::{CaseFiles, folders_around};
use settings::{CaseConfig, GroupConfig};

/// All that `data/` holds.
#[derive(Debug)]
pub(crate) struct TestData {
    /// In judging order.
    pub(crate) cases: Vec<TestCase>,
    pub(crate) root: TestGroup,
    pub(crate) invalid_inputs: Vec<InvalidInput>,
    pub(crate) planted_outputs: Vec<PlantedOutput>,
    pub(crate) interactions: Vec<SampleInteraction>,
}

/// What the rest of the package says that matters here.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) tree: &'a PackageTree,
    pub(crate) layout: &'a Layout,
    pub(crate) yaml: &'a ProblemYaml,
    /// Names of the output validators; none: the default one judges.
    pub(crate) output_validators: &'a [String],
}

impl Context<'_> {
    fn format(&self) -> FormatVersion {
        self.layout.format
    }
}

/// Reads everything under `data/`.
pub(crate) fn read(context: Context<'_>, generators: Generators, findings: &mut Findings) -> io::Result<TestData> {
    let sorted = files::sort(context.tree, context.layout, findings);
    let mut configs = BTreeMap::new();
    for (folder, path) in &sorted.groups {
        let bytes = context.tree.read_start(path, yaml::MAX_BYTES + 1)?;
        let bytes = constants::apply(&bytes, &context.yaml.constants);
        let Some(node) = yaml::parse_noting(path, &bytes, findings) else { continue };
        let config = if context.layout.is_legacy() {
            let scoring = context.yaml.problem_type.scoring;
            testdata_yaml::read(path.as_str(), node, scoring, context.output_validators, findings)
        } else {
            settings::read_group(path.as_str(), node, context.format(), findings)
        };
        configs.insert(folder.clone(), config);
    }
    let mut reader = Reader { context, findings, configs, makes_answers: generators.solution.is_some() };
    reader.warn_of_keys_left_out();
    let mut data = reader.read(sorted.cases, generators.cases)?;
    reader.check_names(&data.cases);
    let Reader { configs, .. } = reader;
    data.root = groups::build(&context, &configs, &mut data.cases, findings);
    listing::apply(context.tree, &mut data.root, &mut data.cases, findings)?;
    Ok(data)
}

struct Reader<'a, 'f> {
    context: Context<'a>,
    findings: &'f mut Findings,
    /// By folder below `data/`.
    configs: BTreeMap<String, GroupConfig>,
    /// Whether a reference is named that makes the answers, so that their absence is meant.
    makes_answers: bool,
}

impl Reader<'_, '_> {
    fn read(&mut self, files: BTreeMap<String, CaseFiles>, made: Vec<ListedCase>) -> io::Result<TestData> {
        let mut cases: BTreeMap<String, (CaseFiles, Option<ListedCase>)> =
            files.into_iter().map(|(name, files)| (name, (files, None))).collect();
        for case in made {
            let name = case.name.clone();
            cases.entry(name).or_default().1 = Some(case);
        }
        let mut data = TestData {
            cases: Vec::new(),
            root: groups::empty("data"),
            invalid_inputs: Vec::new(),
            planted_outputs: Vec::new(),
            interactions: Vec::new(),
        };
        for (name, (files, made)) in cases {
            let root = name.split('/').next().unwrap_or_default();
            if root == "sample" && made.is_none() && files.is_only(".interaction") && self.context.layout.is_legacy() {
                data.interactions.extend(files.get(".interaction").map(|path| SampleInteraction { name, path }));
                continue;
            }
            let own = self.own_config(&files)?;
            let Some(input) = self.input(&name, &files, made.as_ref()) else { continue };
            match root {
                "invalid_input" => data.invalid_inputs.push(self.invalid_input(name, input, &files, made, own)),
                "invalid_output" | "valid_output" => data.planted_outputs.extend(self.planted(name, &files, own)),
                _ => data.cases.push(self.case(name, input, files, made, own)?),
            }
        }
        Ok(data)
    }

    fn own_config(&mut self, files: &CaseFiles) -> io::Result<CaseConfig> {
        let Some(path) = files.get(".yaml") else { return Ok(CaseConfig::default()) };
        let node = yaml::read(self.context.tree, &path, self.findings)?;
        Ok(node.map(|node| settings::read_case(path.as_str(), node, self.findings)).unwrap_or_default())
    }

    /// The settings of a test: its own, and what the groups around it say. In format `legacy` the nearest file of a group
    /// holds as a whole; in the others each key is looked up for itself, the nearest first.
    fn merged(&self, name: &str, own: CaseConfig) -> CaseConfig {
        let mut around = folders_around(name).filter_map(|folder| self.configs.get(folder));
        let mut config = if self.context.layout.is_legacy() {
            around.next().map_or_else(|| own.clone(), |outer| own.clone().or(&outer.cases, false))
        } else {
            let is_planted = !name.starts_with("sample/") && !name.starts_with("secret/");
            let with_words = is_planted || self.context.format() == FormatVersion::Draft202307;
            around.fold(own, |own, outer| own.or(&outer.cases, with_words))
        };
        let flags = &self.context.yaml.validator_flags;
        if !flags.is_empty() {
            let own = config.output_validator_args.take().unwrap_or_default();
            config.output_validator_args = Some(flags.iter().cloned().chain(own).collect());
        }
        config
    }

    /// Where a test's input comes from; `None` after noting that there is none.
    fn input(&mut self, name: &str, files: &CaseFiles, made: Option<&ListedCase>) -> Option<TestInput> {
        let generated = made.and_then(|case| case.input.clone());
        match (files.get(".in"), generated, made) {
            (Some(path), generated, _) => {
                if generated.is_some() {
                    let sentence = "the committed file is used; generators.yaml makes this test too, which is not run";
                    self.findings.warn(&path, None, sentence);
                }
                Some(TestInput::File(path))
            }
            (None, Some(input), _) => Some(input),
            (None, None, Some(case)) => {
                let sentence = format!("the test `{name}` has no command, and there is no file data/{name}.in");
                self.findings.fault(GENERATORS, Some(case.line), sentence);
                None
            }
            (None, None, None) => {
                let path = files.any().map_or_else(|| format!("data/{name}"), ToString::to_string);
                self.findings.fault(path, None, format!("it belongs to no test: there is no file data/{name}.in"));
                None
            }
        }
    }

    fn invalid_input(
        &mut self,
        name: String,
        input: TestInput,
        files: &CaseFiles,
        made: Option<ListedCase>,
        own: CaseConfig,
    ) -> InvalidInput {
        if let Some(answer) = files.get(".ans") {
            self.findings.fault(answer, None, "an invalid input has no answer; remove it");
        }
        let config = self.merged(&name, own);
        InvalidInput {
            input,
            args: config.args.unwrap_or_default(),
            files: files.files.clone(),
            input_validator_args: config.input_validator_args.unwrap_or_default(),
            description: config.description.or_else(|| made.and_then(|case| case.description)),
            name,
        }
    }

    fn planted(&mut self, name: String, files: &CaseFiles, own: CaseConfig) -> Option<PlantedOutput> {
        let problem_type = self.context.yaml.problem_type;
        if problem_type.interactive || problem_type.multi_pass {
            let sentence = "interactive and multi-pass problems have no planted outputs; remove it";
            self.findings.fault(format!("data/{name}"), None, sentence);
        }
        let mut need = |ending: &str| {
            let file = files.get(ending);
            if file.is_none() {
                self.findings.fault(format!("data/{name}"), None, format!("the file data/{name}{ending} is missing"));
            }
            file
        };
        let (input, answer, output) = (need(".in"), need(".ans"), need(".out"));
        let config = self.merged(&name, own);
        Some(PlantedOutput {
            valid: name.starts_with("valid_output/"),
            input: input?,
            answer: answer?,
            output: output?,
            input_validator_args: config.input_validator_args.unwrap_or_default(),
            output_validator_args: config.output_validator_args.unwrap_or_default(),
            description: config.description,
            name,
        })
    }

    /// In format `legacy` a file nearer to the tests silently undoes the one around it, which is easily overlooked.
    fn warn_of_keys_left_out(&mut self) {
        if !self.context.layout.is_legacy() {
            return;
        }
        for (folder, config) in &self.configs {
            let inside = format!("{folder}/.");
            let outer = folders_around(&inside).skip(1).find_map(|outer| Some((outer, self.configs.get(outer)?)));
            let Some((outer, around)) = outer.filter(|_| !folder.is_empty()) else { continue };
            let left_out: Vec<&str> =
                around.legacy.keys.iter().filter(|key| !config.legacy.keys.contains(key)).map(String::as_str).collect();
            if !left_out.is_empty() {
                let place = if outer.is_empty() {
                    "data/testdata.yaml".to_owned()
                } else {
                    format!("data/{outer}/testdata.yaml")
                };
                let sentence =
                    format!("{} of {place} don't hold here, since the nearest file holds alone", left_out.join(", "));
                self.findings.warn(format!("data/{folder}/testdata.yaml"), None, sentence);
            }
        }
    }

    fn check_names(&mut self, cases: &[TestCase]) {
        let names: std::collections::BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        for name in &names {
            let place = format!("data/{name}");
            if name.starts_with("sample/") && name.matches('/').count() > 1 && !self.context.layout.is_legacy() {
                self.findings.fault(&place, None, "data/sample must not have folders in it");
            }
            // `secret/group1/huge.in` and `secret/group1/huge/` may not both exist.
            let inside = format!("{name}/");
            if names.range(inside.as_str()..).next().is_some_and(|other| other.starts_with(&inside)) {
                self.findings.fault(&place, None, "a folder has the same name as this test; rename one of them");
            }
            if name.ends_with("/test_group") && !self.context.layout.is_legacy() {
                self.findings.fault(&place, None, "a test can't be called test_group");
            }
        }
    }
}

/// Names the input validators that settings speak of and that aren't there.
pub(crate) fn check_validator_names(data: &TestData, validators: &[String], findings: &mut Findings) {
    let of_cases = data.cases.iter().map(|case| (&case.name, &case.input_validator_args));
    let of_invalid = data.invalid_inputs.iter().map(|invalid| (&invalid.name, &invalid.input_validator_args));
    let of_planted = data.planted_outputs.iter().map(|planted| (&planted.name, &planted.input_validator_args));
    let mut told = std::collections::BTreeSet::new();
    for (case, args) in of_cases.chain(of_invalid).chain(of_planted) {
        let ValidatorArgs::ByName(args) = args else { continue };
        for name in args.keys().filter(|name| !validators.contains(name)) {
            if told.insert(name) {
                let sentence = format!("its arguments are for `{name}`, but there is no such input validator");
                findings.fault(format!("data/{case}"), None, sentence);
            }
        }
    }
}
