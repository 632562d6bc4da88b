//! Test data: adding a test by its input alone, and who may see which test's contents.

use std::collections::BTreeSet;

use super::incoming::{self, Incoming};
use super::{Actor, Forbidden, Service, record, require, visibility};
use crate::domain::account::Role;
use crate::domain::hash::Sha256;
use crate::domain::ids::{ProposalId, TestCaseId, TestSetId};
use crate::domain::slug::Slug;
use crate::domain::test_name::look;
use crate::domain::time::EpochMs;
use crate::store::job::{self, PRIORITY_PREPARE, Work};
use crate::store::problem::Problem;
use crate::store::proposal::{self, NewProposal, Proposal};
use crate::store::{StoreError, WriteTx, blob, package, problem, test_case, waiting_tests};

/// The largest input that is taken, bytes.
pub const MAX_INPUT_BYTES: usize = 64 * 1024 * 1024;
/// The longest command of a generator, characters.
const MAX_COMMAND: usize = 1_000;
/// The longest name of a test, characters.
const MAX_TEST_NAME: usize = 80;

/// Why a test could not be added. The sentences are for people.
#[derive(Debug, thiserror::Error)]
pub enum AddTestError {
    /// The role doesn't allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// No such problem.
    #[error("there is no problem `{0}`")]
    NoSuchProblem(String),
    /// Nobody could answer it yet.
    #[error("the problem `{0}` has no version that is ready, so there are no references to answer a test")]
    NotReady(Slug),
    /// Nothing in it.
    #[error("the input is empty")]
    Empty,
    /// Too large.
    #[error("the input has {bytes} bytes; at most {MAX_INPUT_BYTES} are taken")]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// The name can't be used.
    #[error(
        "a test's name has 1 to {MAX_TEST_NAME} of the characters a-z, A-Z, 0-9, `_`, `-`, `.`, beginning with a letter or digit"
    )]
    BadName,
    /// Another test has it.
    #[error("the test `{0}` has this name already or nearly the same, or is waiting")]
    NameTaken(String),
    /// The generator's command can't be used.
    #[error("a generator's command has 1 to {MAX_COMMAND} characters")]
    BadCommand,
    /// No such test.
    #[error("there is no test `{0}` among the newest tests")]
    NoSuchTest(String),
    /// Somebody else changed the tests meanwhile.
    #[error("the tests were changed meanwhile: version {version} was edited, version {newest} is the newest")]
    Changed {
        /// The version that was edited.
        version: u64,
        /// The newest one, which may wait for its verification.
        newest: u64,
    },
    /// Another test is the same.
    #[error("the test `{0}` has the very same input")]
    SameInput(String),
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A test's contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestData {
    /// Its name.
    pub name: String,
    /// The input.
    pub input: Vec<u8>,
    /// The answer.
    pub answer: Vec<u8>,
}

/// A test to be added by its input alone.
#[derive(Debug, Clone)]
pub struct NewTest {
    /// Its name; empty: one is made from the input's hash.
    pub name: String,
    /// Its input.
    pub input: Incoming,
    /// Whether everybody may see it.
    pub sample: bool,
}

/// What was wrong with some of several tests; none of them was taken.
#[derive(Debug, Default)]
pub struct SomeRefused(pub Vec<(String, AddTestError)>);

impl Service {
    /// Offers a test to a problem. A worker validates it and the references answer it; see [`Service::proposals`].
    ///
    /// # Errors
    /// [`AddTestError`]: every variant but `Store` is for the form.
    pub async fn add_test_case(
        &self,
        actor: &Actor,
        slug: &str,
        test: NewTest,
        now: EpochMs,
    ) -> Result<ProposalId, AddTestError> {
        require(actor, Role::Setter)?;
        let (name, input) = checked(&test.name, test.input).await?;
        self.keep(std::slice::from_ref(&input)).await?;
        let mut tx = self.store.begin_write().await?;
        let (problem, top) = ready(&mut tx, slug).await?;
        let offered =
            Offered { name: &name, input: Some(named(&input)), recipe: None, replaces: None, sample: test.sample };
        let id = offer(&mut tx, actor, &problem, top, offered, now).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// Offers several tests at once: all of them or, if one can't be taken, none.
    ///
    /// # Errors
    /// [`AddTestError`] for all of them; inside, what is wrong with which.
    pub async fn add_test_cases(
        &self,
        actor: &Actor,
        slug: &str,
        tests: Vec<NewTest>,
        now: EpochMs,
    ) -> Result<Result<Vec<ProposalId>, SomeRefused>, AddTestError> {
        require(actor, Role::Setter)?;
        if tests.is_empty() {
            return Err(AddTestError::Empty);
        }
        let (mut refused, mut good, mut inputs) = (SomeRefused::default(), Vec::new(), Vec::new());
        for test in tests {
            match checked(&test.name, test.input).await {
                Ok((name, input)) => {
                    good.push((name, named(&input), test.sample));
                    inputs.push(input);
                }
                Err(error @ AddTestError::Store(_)) => return Err(error),
                Err(error) => refused.0.push((test.name, error)),
            }
        }
        self.keep(&inputs).await?;
        let mut tx = self.store.begin_write().await?;
        let (problem, top) = ready(&mut tx, slug).await?;
        let (mut ids, mut seen): (Vec<ProposalId>, Vec<(Sha256, &str)>) = (Vec::new(), Vec::new());
        for (name, input, sample) in &good {
            if let Some((_, same)) = seen.iter().find(|(seen, _)| *seen == input.0) {
                refused.0.push((name.clone(), AddTestError::SameInput((*same).to_owned())));
                continue;
            }
            seen.push((input.0, name));
            let offered = Offered { name, input: Some(*input), recipe: None, replaces: None, sample: *sample };
            match offer(&mut tx, actor, &problem, top, offered, now).await {
                Ok(id) => ids.push(id),
                Err(error @ (AddTestError::Store(_) | AddTestError::Forbidden(_))) => return Err(error),
                Err(error) => refused.0.push((name.clone(), error)),
            }
        }
        if !refused.0.is_empty() {
            tx.roll_back().await?;
            return Ok(Err(refused));
        }
        tx.commit().await?;
        Ok(Ok(ids))
    }

    /// Offers a test whose input a generator of the package makes: `command` is its name and arguments.
    ///
    /// # Errors
    /// [`AddTestError`]: every variant but `Store` is for the form.
    pub async fn add_generated_test(
        &self,
        actor: &Actor,
        slug: &str,
        name: &str,
        command: &str,
        sample: bool,
        now: EpochMs,
    ) -> Result<ProposalId, AddTestError> {
        require(actor, Role::Setter)?;
        let command = command.split_whitespace().collect::<Vec<_>>().join(" ");
        if command.is_empty() || command.chars().count() > MAX_COMMAND {
            return Err(AddTestError::BadCommand);
        }
        let generated = Sha256::of(command.as_bytes());
        let name = test_name(name, generated)?;
        let mut tx = self.store.begin_write().await?;
        let (problem, top) = ready(&mut tx, slug).await?;
        let offered = Offered { name: &name, input: None, recipe: Some(&command), replaces: None, sample };
        let id = offer(&mut tx, actor, &problem, top, offered, now).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// What a command of [`Service::add_generated_test`] may begin with: the programs in the `generators/` of the package
    /// in force, by name and without ending.
    ///
    /// # Errors
    /// [`AddTestError::Forbidden`] below setter, [`AddTestError::NoSuchProblem`].
    pub async fn generators(&self, actor: &Actor, slug: &str) -> Result<Vec<String>, AddTestError> {
        require(actor, Role::Setter)?;
        let found = problem::by_slug(self.store.read(), slug).await?;
        let problem = found.ok_or_else(|| AddTestError::NoSuchProblem(slug.to_owned()))?;
        let Some(package) = problem.package_id else { return Ok(Vec::new()) };
        let files = package::files(self.store.read(), package).await?;
        let programs = files.iter().filter_map(|file| file.path.strip_prefix("generators/")?.split('/').next());
        let names: BTreeSet<&str> =
            programs.map(|first| first.rsplit_once('.').map_or(first, |(stem, _)| stem)).collect();
        // The file that lists tests is no program.
        Ok(names.into_iter().filter(|name| *name != "generators").map(str::to_owned).collect())
    }

    /// Offers another input in the place of a test. `version` is the version of the tests that the editor saw.
    ///
    /// # Errors
    /// [`AddTestError`]: every variant but `Store` is for the form.
    pub async fn edit_test_case(
        &self,
        actor: &Actor,
        slug: &str,
        edited: (&str, u64),
        input: Incoming,
        now: EpochMs,
    ) -> Result<ProposalId, AddTestError> {
        require(actor, Role::Setter)?;
        let (name, version) = edited;
        let (_, input) = checked("", input).await?;
        self.keep(std::slice::from_ref(&input)).await?;
        let mut tx = self.store.begin_write().await?;
        let (problem, top) = ready(&mut tx, slug).await?;
        let newest = test_case::version(&mut *tx, top).await?;
        if newest != version {
            return Err(AddTestError::Changed { version, newest });
        }
        let tests = test_case::list(&mut *tx, top).await?;
        let test = tests.into_iter().find(|test| test.name == name);
        let sample = test.ok_or_else(|| AddTestError::NoSuchTest(name.to_owned()))?.sample;
        let offered = Offered { name, input: Some(named(&input)), recipe: None, replaces: Some(name), sample };
        let id = offer(&mut tx, actor, &problem, top, offered, now).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// What became of the tests that were offered to a problem, newest first.
    ///
    /// # Errors
    /// [`AddTestError::Forbidden`] below setter, [`AddTestError::NoSuchProblem`].
    pub async fn proposals(&self, actor: &Actor, slug: &str, limit: u32) -> Result<Vec<Proposal>, AddTestError> {
        require(actor, Role::Setter)?;
        let found = problem::by_slug(self.store.read(), slug).await?;
        let problem = found.ok_or_else(|| AddTestError::NoSuchProblem(slug.to_owned()))?;
        Ok(proposal::list(self.store.read(), problem.id, limit).await?)
    }

    /// One of them.
    ///
    /// # Errors
    /// [`AddTestError::Forbidden`] below setter.
    pub async fn proposal(&self, actor: &Actor, id: ProposalId) -> Result<Option<Proposal>, AddTestError> {
        require(actor, Role::Setter)?;
        Ok(proposal::by_id(self.store.read(), id).await?)
    }

    /// A test's contents, if the viewer may see it: samples of problems in force are public, the rest is for setters
    /// and up. `None` also when there is no such test, so that nobody learns which exist.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn test_data(&self, viewer: Option<&Actor>, id: TestCaseId) -> Result<Option<TestData>, StoreError> {
        let Some(test) = test_case::by_id(self.store.read(), id).await? else { return Ok(None) };
        let public = test.sample && test_case::is_public_sample(self.store.read(), id).await?;
        if !public && !visibility::may_see_tests(viewer) {
            return Ok(None);
        }
        let input = blob::read(self.store.read(), test.input_sha256).await?;
        let answer = blob::read(self.store.read(), test.answer_sha256).await?;
        Ok(Some(TestData { name: test.name, input, answer }))
    }
}

/// A test as it is offered.
struct Offered<'a> {
    name: &'a str,
    /// Hash and size, bytes, of an input that is kept.
    input: Option<(Sha256, u64)>,
    recipe: Option<&'a str>,
    replaces: Option<&'a str>,
    sample: bool,
}

async fn checked(name: &str, input: Incoming) -> Result<(String, (Sha256, Incoming)), AddTestError> {
    match input.bytes() {
        0 => return Err(AddTestError::Empty),
        bytes if bytes > MAX_INPUT_BYTES as u64 => return Err(AddTestError::TooLarge { bytes }),
        _ => {}
    }
    let sha256 = input.sha256().await?;
    Ok((test_name(name, sha256)?, (sha256, input)))
}

/// How a kept input is named.
fn named((sha256, input): &(Sha256, Incoming)) -> (Sha256, u64) {
    (*sha256, input.bytes())
}

/// The problem with its newest tests, in force or waiting.
async fn ready(tx: &mut WriteTx, slug: &str) -> Result<(Problem, TestSetId), AddTestError> {
    let found = problem::by_slug(&mut **tx, slug).await?;
    let problem = found.ok_or_else(|| AddTestError::NoSuchProblem(slug.to_owned()))?;
    match waiting_tests::top(&mut **tx, problem.id).await? {
        Some(top) => Ok((problem, top)),
        None => Err(AddTestError::NotReady(problem.slug)),
    }
}

async fn offer(
    tx: &mut WriteTx,
    actor: &Actor,
    problem: &Problem,
    top: TestSetId,
    offered: Offered<'_>,
    now: EpochMs,
) -> Result<ProposalId, AddTestError> {
    let tests = test_case::list(&mut **tx, top).await?;
    let waiting = proposal::waiting_names(tx, problem.id).await?;
    // A test that gets another input keeps its name, however near to others it is.
    let taken = |name: &&str| match offered.replaces {
        Some(replaced) => *name == replaced,
        None => look(name) == look(offered.name),
    };
    let there = tests.iter().map(|test| test.name.as_str()).filter(|_| offered.replaces.is_none());
    if let Some(near) = there.chain(waiting.iter().map(String::as_str)).find(taken) {
        return Err(AddTestError::NameTaken(near.to_owned()));
    }
    if let Some((input, _)) = offered.input {
        if let Some(same) = tests.into_iter().find(|test| test.input_sha256 == input) {
            return Err(AddTestError::SameInput(same.name));
        }
        incoming::claim(tx, input).await?;
    }
    let new = NewProposal {
        problem: problem.id,
        name: offered.name,
        replaces: offered.replaces,
        recipe: offered.recipe,
        input_sha256: offered.input.map(|(sha256, _)| sha256),
        input_bytes: offered.input.map_or(0, |(_, bytes)| bytes),
        sample: offered.sample,
        created_by: actor.account_id,
    };
    let id = proposal::insert(tx, new, now).await?;
    job::queue(tx, Work::Propose(id), PRIORITY_PREPARE, Some(actor.account_id), now).await?;
    let act = if offered.replaces.is_some() { "test.edit" } else { "test.propose" };
    let after = Some(offered.recipe.unwrap_or(offered.name));
    record(tx, Some(actor), act, problem.slug.as_str(), offered.replaces, after, now).await?;
    Ok(id)
}

fn test_name(given: &str, input: Sha256) -> Result<String, AddTestError> {
    let given = given.trim();
    if given.is_empty() {
        return Ok(format!("added-{}", &input.short()));
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let starts_well = given.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !starts_well || given.len() > MAX_TEST_NAME || !given.chars().all(allowed) {
        return Err(AddTestError::BadName);
    }
    Ok(given.to_owned())
}
