//! From what is stored about a job to what a worker needs for it.
//!
//! Owns: the translation of the store's words into the worker's. Must not know: claims, results.

use std::sync::Arc;

use serde::Deserialize;

use crate::domain::hash::Sha256;
use crate::judge::job_source::{
    AddedInput, CounterexampleWork, JudgeWork, PrepareWork, ProposeWork, ProposedInput, SourceError, TestRef, TrialOn,
    TrialWork, VerifyWork, Work,
};
use crate::judge::known_runs::KnownRuns;
use crate::judge::rules::JudgingRules;
use crate::judge::test_config::TestConfig;
use crate::judge::verify::Known;
use crate::store::job::Work as StoredWork;
use crate::store::test_case::TestCase;
use crate::store::{Store, counterexample, judgement, preparation, proposal, trial, verification};

/// What a preparation writes down beside the columns.
#[derive(Debug, Default, serde::Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Metadata {
    pub(super) not_run: Vec<String>,
    pub(super) rules: JudgingRules,
    /// The service reads it too: `store::package::code_bytes`.
    pub(super) code_bytes: Option<u64>,
}

fn rules(metadata: Option<&str>) -> Result<Arc<JudgingRules>, SourceError> {
    let metadata: Metadata = serde_json::from_str(metadata.unwrap_or("{}"))
        .map_err(|error| SourceError::Unavailable(format!("a package is stored wrongly: {error}")))?;
    Ok(Arc::new(metadata.rules))
}

/// All that a worker needs for a job about this.
pub(super) async fn work(store: &Store, stored: StoredWork) -> Result<Work, SourceError> {
    Ok(match stored {
        StoredWork::Judge(id) => Work::Judge(judge_work(judgement::task(store, id).await?)?),
        StoredWork::Prepare(id) => {
            let task = preparation::task(store.read(), id).await?;
            Work::Prepare(PrepareWork {
                problem: task.problem_slug,
                files: files(&task.files),
                added: task
                    .added
                    .into_iter()
                    .map(|added| AddedInput {
                        name: added.name,
                        sample: added.sample,
                        input: added.input_sha256,
                        recipe: added.recipe,
                    })
                    .collect(),
            })
        }
        StoredWork::Trial(id) => Work::Trial(trial_work(trial::task(store.read(), id).await?)?),
        StoredWork::Verify(id) => Work::Verify(verify_work(verification::task(store.read(), id).await?)?),
        StoredWork::Counterexample(id) => {
            let task = counterexample::task(store, id).await?;
            Work::Counterexample(CounterexampleWork {
                files: files(&task.package_files),
                verdict: task.verdict,
                input: task.input_sha256,
                judged: judge_work(task.judged)?,
            })
        }
        StoredWork::Propose(id) => {
            let task = proposal::task(store.read(), id).await?;
            Work::Propose(ProposeWork {
                package_id: task.package_id,
                package: PrepareWork {
                    problem: task.problem_slug,
                    files: files(&task.package_files),
                    added: Vec::new(),
                },
                name: task.name,
                input: match (task.input_sha256, task.recipe) {
                    (Some(input), _) => ProposedInput::Given(input),
                    (None, command) => ProposedInput::Made(command.unwrap_or_default()),
                },
            })
        }
    })
}

fn files(files: &[crate::store::package::PackageFile]) -> Vec<(String, Sha256)> {
    files.iter().map(|file| (file.path.clone(), file.sha256)).collect()
}

fn test_ref(test: TestCase) -> Result<TestRef, SourceError> {
    let config: TestConfig = serde_json::from_str(&test.config)
        .map_err(|error| SourceError::Unavailable(format!("test {} is stored wrongly: {error}", test.name)))?;
    Ok(TestRef {
        id: test.id,
        name: test.name,
        sample: test.sample,
        input: test.input_sha256,
        answer: test.answer_sha256,
        checker_args: config.output_validator_args,
        args: config.args,
        files: config.files,
    })
}

fn verify_work(task: verification::VerificationTask) -> Result<VerifyWork, SourceError> {
    let done = task.done.iter().map(|result| serde_json::from_str(result)).collect::<Result<_, _>>();
    let identity = |test: &TestCase| (test.input_sha256, test.answer_sha256, test.config.clone());
    let tests: Vec<_> = task.tests.iter().map(identity).collect();
    // What another version of the program wrote and this one can't read is found out again.
    let read = |programs: Vec<String>| programs.iter().filter_map(|result| serde_json::from_str(result).ok()).collect();
    let earlier: Vec<_> = task
        .earlier
        .into_iter()
        .map(|before| (before.tests.iter().map(identity).collect::<Vec<_>>(), read(before.programs)))
        .collect();
    Ok(VerifyWork {
        problem: task.problem_slug,
        files: files(&task.files),
        rules: rules(task.package_metadata.as_deref())?,
        known: Known {
            programs: done.map_err(|error| SourceError::Unavailable(format!("a result is stored wrongly: {error}")))?,
            runs: KnownRuns::new(&tests, &earlier),
        },
        tests: task.tests.into_iter().map(test_ref).collect::<Result<_, _>>()?,
        awaited: task.decides,
    })
}

fn trial_work(task: trial::TrialTask) -> Result<TrialWork, SourceError> {
    Ok(TrialWork {
        problem: task.problem_slug,
        language: task.language,
        file_name: task.file_name,
        source: task.source,
        limits: task.limits,
        rules: rules(task.package_metadata.as_deref())?,
        on: match task.input {
            Some(input) => TrialOn::Own(input),
            None => TrialOn::Samples(task.samples.into_iter().map(test_ref).collect::<Result<_, _>>()?),
        },
    })
}

pub(super) fn judge_work(task: judgement::JudgeTask) -> Result<JudgeWork, SourceError> {
    let tests = task.tests.iter().cloned().map(test_ref).collect::<Result<_, _>>()?;
    Ok(JudgeWork {
        judgement: task.judgement_id,
        problem: task.problem_slug,
        language: task.language,
        sources: task.sources.into_iter().map(|source| (source.name, source.sha256)).collect(),
        limits: task.limits,
        rules: rules(task.package_metadata.as_deref())?,
        tests,
    })
}
