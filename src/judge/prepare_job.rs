//! Preparation jobs: a package's tests, and one more input for it.

use std::borrow::Cow;

use crate::domain::hash::Sha256;
use crate::package::{AllowedLanguages, OutputValidator, Package, PackageTree, TestGroup, TestKind, VerdictRule};

use super::fault::JudgeFault;
use super::job_source::{
    MadeTest, Origin, PackageFacts, PrepareWork, PreparedOutcome, ProposeWork, ProposedOutcome, StatementFile,
};
use super::package_program::run_limits;
use super::picture_job::Artist;
use super::prepare::{Depth, NotPrepared, OneTest, prepare as prepare_tests, prepare_one};
use super::progress::Silent;
use super::worker::{Ending, Fetched, Tools};
use super::workshop::Workshop;

/// The limit that a package without one gets until it is measured, milliseconds.
const UNSET_LIMIT_MS: u64 = 10_000;

fn read(work: &PrepareWork, fetched: &Fetched) -> Result<Result<(PackageTree, Package), String>, JudgeFault> {
    let files = work
        .files
        .iter()
        .map(|(path, digest)| Ok((path.clone(), Cow::Owned(content(fetched, digest)?.to_vec()))))
        .collect::<Result<Vec<(String, Cow<'static, [u8]>)>, JudgeFault>>()?;
    let tree = match PackageTree::from_files(files) {
        Ok(tree) => tree,
        Err(error) => return Ok(Err(error.to_string())),
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

/// Makes the tests of a package.
pub fn prepare(
    tools: &Tools,
    work: &PrepareWork,
    fetched: &Fetched,
    put: impl Fn(Vec<u8>) -> Result<Sha256, JudgeFault>,
) -> Result<Option<Ending>, JudgeFault> {
    let (tree, package) = match read(work, fetched)? {
        Ok(read) => read,
        Err(sentence) => return Ok(Some(Ending::Prepared(PreparedOutcome::Refused(sentence)))),
    };
    let workshop = &tools.workshop;
    if let Some(sentence) = not_judged_here(&package) {
        return Ok(Some(Ending::Prepared(PreparedOutcome::Refused(sentence))));
    }
    let preparation = match prepare_tests(workshop, &tree, &package, Depth::AllReferences, tools.threads, &Silent) {
        Ok(preparation) => preparation,
        Err(NotPrepared::Refused(sentences)) => {
            return Ok(Some(Ending::Prepared(PreparedOutcome::Refused(sentences.join("\n")))));
        }
        Err(NotPrepared::Fault(fault)) => return Err(fault),
    };
    let mut tests = Vec::with_capacity(preparation.tests.len() + work.added.len());
    for (case, test) in package.test_cases().zip(&preparation.tests) {
        let store = |file: &super::test_file::TestFile| {
            put(std::fs::read(file.path()).map_err(JudgeFault::io("read a prepared test"))?)
        };
        tests.push(MadeTest {
            name: test.name.clone(),
            sample: test.kind == TestKind::Sample,
            input: store(&test.input)?,
            answer: store(&test.answer)?,
            checker_args: case.output_validator_args.clone(),
            origin: test.recipe.clone().map_or(Origin::File, Origin::Generated),
        });
    }
    let artist = Artist::of(workshop, &tree, &package);
    let samples = preparation.tests.iter().filter(|test| test.kind == TestKind::Sample);
    let pictures = samples
        .filter_map(|test| Some((test.input.sha256(), artist.as_ref()?.draw(&test.input, &test.answer)?)))
        .collect();
    for added in &work.added {
        let input = content(fetched, &added.input)?;
        match prepare_one(workshop, &tree, &package, &added.name, input, tools.threads) {
            Ok(OneTest { answer, checker_args }) => tests.push(MadeTest {
                name: added.name.clone(),
                sample: added.sample,
                input: added.input,
                answer: put(answer)?,
                checker_args,
                origin: Origin::Added,
            }),
            Err(NotPrepared::Refused(sentences)) => {
                return Ok(Some(Ending::Prepared(PreparedOutcome::Refused(sentences.join("\n")))));
            }
            Err(NotPrepared::Fault(fault)) => return Err(fault),
        }
    }
    let facts = Box::new(facts(workshop, &package));
    Ok(Some(Ending::Prepared(PreparedOutcome::Ready { facts, tests, notes: preparation.not_run.clone(), pictures })))
}

/// What a judge job can't carry yet: a package that needs it would be judged wrongly, so it is not published.
fn not_judged_here(package: &Package) -> Option<String> {
    let problem_type = package.problem_type;
    let lenient = |group: &TestGroup| group.accept_if_any_accepted || group.verdict == VerdictRule::AlwaysAccept;
    let mut cases = package.test_cases();
    let what = if package.output_validator != OutputValidator::Default {
        "a package's own output validator"
    } else if problem_type.scoring {
        "scores"
    } else if package.data.all().into_iter().any(lenient) {
        "groups that are accepted in spite of a failed test"
    } else if !package.include.is_empty() {
        "files added to every submission"
    } else if cases.any(|case| !case.args.is_empty() || !case.files.is_empty()) {
        "tests with arguments or files beside the program"
    } else {
        return None;
    };
    Some(format!("this server can't judge with {what} yet; `touchstone judge` and `touchstone problem verify` can"))
}

fn content<'a>(fetched: &'a Fetched, digest: &Sha256) -> Result<&'a [u8], JudgeFault> {
    let contents = fetched.contents.get(digest).map(Vec::as_slice);
    contents.ok_or_else(|| JudgeFault::Data(format!("the blob {} was not fetched", digest.short())))
}

/// Validates and answers one more input.
pub fn propose(
    tools: &Tools,
    work: &ProposeWork,
    fetched: &Fetched,
    put: impl Fn(Vec<u8>) -> Result<Sha256, JudgeFault>,
) -> Result<Option<Ending>, JudgeFault> {
    let (tree, package) = match read(&work.package, fetched)? {
        Ok(read) => read,
        Err(sentence) => return Ok(Some(Ending::Proposed(ProposedOutcome::Refused(sentence)))),
    };
    let input = content(fetched, &work.input)?;
    match prepare_one(&tools.workshop, &tree, &package, &work.name, input, tools.threads) {
        Ok(answered) => {
            let OneTest { answer, checker_args } = answered;
            Ok(Some(Ending::Proposed(ProposedOutcome::Accepted {
                package_id: work.package_id,
                answer: put(answer)?,
                checker_args,
            })))
        }
        Err(NotPrepared::Refused(sentences)) => {
            Ok(Some(Ending::Proposed(ProposedOutcome::Refused(sentences.join("\n")))))
        }
        Err(NotPrepared::Fault(fault)) => Err(fault),
    }
}

fn facts(workshop: &Workshop, package: &Package) -> PackageFacts {
    PackageFacts {
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
