//! The hashes that a verdict depends on.
//!
//! Owns: what goes into a receipt, and its form as JSON. Two judgements with equal receipts must agree.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::domain::hash::Sha256;
use crate::domain::limits::Limits;

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
}

impl Receipt {
    /// The receipt of a judgement on this host.
    pub fn of(workshop: &Workshop, work: &JudgeWork) -> Result<Self, JudgeFault> {
        let language = workshop.language(&work.language)?;
        let tools =
            workshop.tools_for(language)?.into_iter().map(|tool| (tool.tool.id.clone(), tool.identity())).collect();
        let flags: Vec<(&str, &[u8])> =
            language.compile.iter().chain(&language.run).map(|flag| ("flag", flag.as_bytes())).collect();
        let source: Vec<(&str, &[u8])> =
            work.sources.iter().map(|(name, digest)| (name.as_str(), digest.as_bytes().as_slice())).collect();
        let own =
            work.tests.iter().flat_map(|test| test.checker_args.iter().map(|arg| (test.name.as_str(), arg.as_bytes())));
        let checker: Vec<(&str, &[u8])> = std::iter::once(("checker", DEFAULT_CHECKER)).chain(own).collect();
        Ok(Self {
            source: Sha256::of_parts(source),
            tests: prepare::digest(work.tests.iter().map(|test| (test.name.as_str(), &test.input, &test.answer))),
            checker: Sha256::of_parts(checker),
            language: work.language.to_string(),
            tools,
            flags: Sha256::of_parts(flags),
            limits: work.limits,
            sandbox: crate::sandbox::version(),
        })
    }

    /// As stored.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
