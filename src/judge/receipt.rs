//! The hashes that a verdict depends on.
//!
//! Owns: what goes into a receipt, and its form as JSON. Two judgements with equal receipts must agree.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::domain::hash::Sha256;
use crate::domain::limits::Limits;

use super::custom_validator::CustomValidator;
use super::fault::JudgeFault;
use super::job_source::JudgeWork;
use super::prepare;
use super::workshop::Workshop;

/// The default output validator as it is now: changes whenever the same output could be judged otherwise.
const DEFAULT_CHECKER: &[u8] = b"default output validator 1";

/// What a verdict depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// Digest over the source files' names and contents.
    pub source: Sha256,
    /// Digest over the tests: names, inputs, answers.
    pub tests: Sha256,
    /// Digest over the checker and its arguments of every test.
    pub checker: Sha256,
    /// The package's own output validator, built: its sources, compiler and flags. `None`: the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validator: Option<Sha256>,
    /// Digest over the files that the package adds to every submission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub included: Option<Sha256>,
    /// Digest over how the runs add up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Sha256>,
    /// The language.
    pub language: String,
    /// Each tool's identity (version and program).
    pub tools: BTreeMap<String, Sha256>,
    /// Digest over the compile and start commands.
    pub flags: Sha256,
    /// Limits of each run.
    pub limits: Limits,
    /// Version of the sandbox.
    pub sandbox: &'static str,
    /// The machine: kernel, processor. It explains times; equal receipts don't ask for an equal one.
    pub host: BTreeMap<String, String>,
}

/// A receipt as stored, which now names the machine that judged. The server says it, not the machine.
pub fn on_machine(receipt: &str, machine: &str) -> String {
    let Ok(mut read) = serde_json::from_str::<serde_json::Value>(receipt) else { return receipt.to_owned() };
    let Some(host) = read.get_mut("host").and_then(serde_json::Value::as_object_mut) else { return receipt.to_owned() };
    host.insert("machine".to_owned(), machine.into());
    read.to_string()
}

impl Receipt {
    /// The receipt of a judgement on this host.
    pub fn of(workshop: &Workshop, work: &JudgeWork, validator: Option<&CustomValidator>) -> Result<Self, JudgeFault> {
        let language = workshop.language(&work.language)?;
        let tools =
            workshop.tools_for(language)?.into_iter().map(|tool| (tool.tool.id.clone(), tool.identity())).collect();
        let flags: Vec<(&str, &[u8])> =
            language.compile.iter().chain(&language.run).map(|flag| ("flag", flag.as_bytes())).collect();
        let source: Vec<(&str, &[u8])> =
            work.sources.iter().map(|(name, digest)| (name.as_str(), digest.as_bytes().as_slice())).collect();
        let own =
            work.tests.iter().flat_map(|test| test.checker_args.iter().map(|arg| (test.name.as_str(), arg.as_bytes())));
        let rules = &work.rules;
        let identity = validator.map(|first| {
            let further = first.further.iter().map(|one| ("further", one.program.identity.as_bytes().as_slice()));
            let all: Vec<(&str, &[u8])> = further.collect();
            if all.is_empty() {
                return first.program.identity;
            }
            Sha256::of_parts([("first", first.program.identity.as_bytes().as_slice())].into_iter().chain(all))
        });
        let named = identity.as_ref().map_or(DEFAULT_CHECKER, |identity| identity.as_bytes().as_slice());
        let allowed = serde_json::to_vec(&rules.validator).unwrap_or_default();
        let allowed = validator.map(|_| ("may", allowed.as_slice()));
        let checker: Vec<(&str, &[u8])> = std::iter::once(("checker", named)).chain(allowed).chain(own).collect();
        let beside: Vec<(&str, &[u8])> = work
            .tests
            .iter()
            .flat_map(|test| {
                let args = test.args.iter().map(|arg| ("argument", arg.as_bytes()));
                let files = test.files.iter().map(|(name, digest)| (name.as_str(), digest.as_bytes().as_slice()));
                let all: Vec<_> = args.chain(files).collect();
                if all.is_empty() { all } else { std::iter::once(("test", test.name.as_bytes())).chain(all).collect() }
            })
            .collect();
        let tests = prepare::digest(work.tests.iter().map(|test| (test.name.as_str(), &test.input, &test.answer)));
        let included: Vec<(&str, &[u8])> = rules
            .include
            .of(work.language.as_str())
            .iter()
            .filter_map(|file| Some((file.name.as_str(), rules.contents.get(&file.path)?.as_bytes().as_slice())))
            .collect();
        Ok(Self {
            source: Sha256::of_parts(source),
            tests: if beside.is_empty() {
                tests
            } else {
                Sha256::of_parts([("tests", tests.as_bytes().as_slice())].into_iter().chain(beside))
            },
            checker: Sha256::of_parts(checker),
            validator: identity,
            included: (!included.is_empty()).then(|| Sha256::of_parts(included)),
            groups: rules.groups.as_ref().map(|groups| Sha256::of(&serde_json::to_vec(groups).unwrap_or_default())),
            language: work.language.to_string(),
            tools,
            flags: Sha256::of_parts(flags),
            limits: work.limits,
            sandbox: crate::sandbox::version(),
            host: super::host::facts().clone(),
        })
    }

    /// As stored.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
