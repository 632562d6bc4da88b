//! Preparation jobs: a package's tests, and one more input for it.

use crate::domain::hash::Sha256;
use crate::package::{AllowedLanguages, Package, PackagePath, PackageTree, PlacedFile, TestKind};

use super::fault::JudgeFault;
use super::job_source::{
    MadeTest, Origin, PackageFacts, PrepareWork, PreparedOutcome, ProposeWork, ProposedInput, ProposedOutcome,
    StatementFile,
};
use super::opened;
use super::package_program::run_limits;
use super::picture_job::Artist;
use super::prepare::{Depth, NotPrepared, OneInput, prepare as prepare_tests, prepare_one};
use super::progress::Progress;
use super::rules::JudgingRules;
use super::test_file::TestFile;
use super::verify::UNSET_LIMIT_MS;
use super::worker::{Ending, Tools};
use super::workshop::Workshop;

fn read(tools: &Tools, work: &PrepareWork) -> Result<Result<(PackageTree, Package), String>, JudgeFault> {
    let tree = match opened::tree(tools, work.files.iter().map(|(path, digest)| (path.as_str(), digest)))? {
        Ok(tree) => tree,
        Err(sentence) => return Ok(Err(sentence)),
    };
    let read = Package::read(&tree, &work.problem);
    Ok(match read.and_then(|(package, _)| package.check_supported().map(|()| package)) {
        Ok(package) => match package.with_constants(tree) {
            Ok(tree) => Ok((tree, package)),
            Err(error) => Err(error.to_string()),
        },
        Err(error) => Err(error.to_string()),
    })
}

/// Where what a job made is kept.
pub trait Shelf {
    /// Keeps small contents.
    fn put(&self, contents: Vec<u8>) -> Result<Sha256, JudgeFault>;
    /// Keeps a file.
    fn put_file(&self, file: &TestFile) -> Result<(), JudgeFault>;
}

/// Makes the tests of a package.
pub fn prepare(
    tools: &Tools,
    work: &PrepareWork,
    progress: &dyn Progress,
    shelf: &impl Shelf,
) -> Result<Option<Ending>, JudgeFault> {
    let (tree, package) = match read(tools, work)? {
        Ok(read) => read,
        Err(sentence) => return Ok(Some(Ending::Prepared(PreparedOutcome::Refused(sentence)))),
    };
    let workshop = &tools.workshop;
    let preparation = match prepare_tests(workshop, &tree, &package, Depth::AllReferences, tools.threads, progress) {
        Ok(preparation) => preparation,
        Err(NotPrepared::Refused(sentences)) => {
            return Ok(Some(Ending::Prepared(PreparedOutcome::Refused(sentences.join("\n")))));
        }
        Err(NotPrepared::Fault(fault)) => return Err(fault),
    };
    let mut tests = Vec::with_capacity(preparation.tests.len() + work.added.len());
    for (at, (case, test)) in package.test_cases().zip(&preparation.tests).enumerate() {
        progress.step("keeping tests", at, preparation.tests.len());
        shelf.put_file(&test.input)?;
        shelf.put_file(&test.answer)?;
        tests.push(MadeTest {
            name: test.name.clone(),
            sample: test.kind == TestKind::Sample,
            input: test.input.sha256(),
            answer: test.answer.sha256(),
            checker_args: case.output_validator_args.clone(),
            args: case.args.clone(),
            files: blobs_of(work, &case.files)?,
            group: case.listed_group.clone(),
            origin: test.recipe.clone().map_or(Origin::File, Origin::Generated),
        });
    }
    let artist = Artist::of(workshop, &tree, &package);
    let samples = preparation.tests.iter().filter(|test| test.kind == TestKind::Sample);
    let pictures = samples
        .filter_map(|test| Some((test.input.sha256(), artist.as_ref()?.draw(&test.input, &test.answer)?)))
        .collect();
    for added in &work.added {
        let input = opened::file(tools, &added.input, &added.name)?;
        let given = OneInput::Given(input);
        match prepare_one(workshop, &tree, &package, &added.name, given, tools.threads) {
            Ok(made) => {
                shelf.put_file(&made.answer)?;
                tests.push(MadeTest {
                    name: added.name.clone(),
                    sample: added.sample,
                    input: added.input,
                    answer: made.answer.sha256(),
                    checker_args: made.checker_args,
                    args: made.args,
                    files: blobs_of(work, &made.files)?,
                    group: None,
                    origin: Origin::Added(added.recipe.clone()),
                });
            }
            Err(NotPrepared::Refused(sentences)) => {
                return Ok(Some(Ending::Prepared(PreparedOutcome::Refused(sentences.join("\n")))));
            }
            Err(NotPrepared::Fault(fault)) => return Err(fault),
        }
    }
    let mut rules = JudgingRules::of(&package);
    let named: Vec<PackagePath> = rules.files().cloned().collect();
    for path in named {
        // With the package's constants put in, so not the file as it came.
        let contents = tree.read(&path).map_err(JudgeFault::io("read a package"))?;
        rules.contents.insert(path, shelf.put(contents)?);
    }
    let facts = Box::new(facts(workshop, &package, rules));
    Ok(Some(Ending::Prepared(PreparedOutcome::Ready { facts, tests, notes: preparation.not_run.clone(), pictures })))
}

/// Files of the package under the names that a program finds beside it, with their blobs.
fn blobs_of(work: &PrepareWork, files: &[PlacedFile]) -> Result<Vec<(String, Sha256)>, JudgeFault> {
    files.iter().map(|file| Ok((file.name.clone(), blob_of(work, &file.path)?))).collect()
}

/// The blob of a file of the package.
fn blob_of(work: &PrepareWork, path: &PackagePath) -> Result<Sha256, JudgeFault> {
    let found = work.files.iter().find(|(name, _)| name == path.as_str());
    found.map(|(_, digest)| *digest).ok_or_else(|| JudgeFault::Data(format!("the package has no blob for {path}")))
}

/// Validates and answers one more input.
pub fn propose(tools: &Tools, work: &ProposeWork, shelf: &impl Shelf) -> Result<Option<Ending>, JudgeFault> {
    let (tree, package) = match read(tools, &work.package)? {
        Ok(read) => read,
        Err(sentence) => return Ok(Some(Ending::Proposed(ProposedOutcome::Refused(sentence)))),
    };
    let input = match &work.input {
        ProposedInput::Given(input) => OneInput::Given(opened::file(tools, input, &work.name)?),
        ProposedInput::Made(command) => OneInput::Made(command),
    };
    match prepare_one(&tools.workshop, &tree, &package, &work.name, input, tools.threads) {
        Ok(made) => {
            shelf.put_file(&made.input)?;
            shelf.put_file(&made.answer)?;
            Ok(Some(Ending::Proposed(ProposedOutcome::Accepted {
                package_id: work.package_id,
                input: made.input.sha256(),
                answer: made.answer.sha256(),
                checker_args: made.checker_args,
                args: made.args,
                files: blobs_of(&work.package, &made.files)?,
            })))
        }
        Err(NotPrepared::Refused(sentences)) => {
            Ok(Some(Ending::Proposed(ProposedOutcome::Refused(sentences.join("\n")))))
        }
        Err(NotPrepared::Fault(fault)) => Err(fault),
    }
}

fn facts(workshop: &Workshop, package: &Package, rules: JudgingRules) -> PackageFacts {
    PackageFacts {
        rules,
        names: package.names.iter().map(|(tag, name)| (tag.to_string(), name.clone())).collect(),
        statements: package
            .statements
            .iter()
            .map(|statement| StatementFile {
                language: statement.language.to_string(),
                kind: statement.kind,
                path: statement.path.to_string(),
            })
            .collect(),
        limits: run_limits(&package.limits, UNSET_LIMIT_MS),
        code_bytes: package.limits.code_kib << 10,
        languages: match &package.languages {
            AllowedLanguages::All => None,
            // A code stands for all its standards; the form and the check know only languages.
            AllowedLanguages::Only(codes) => {
                let languages = codes.iter().flat_map(|code| workshop.languages_of_code(code.as_str()));
                Some(languages.map(|language| language.id.to_string()).collect())
            }
        },
    }
}
