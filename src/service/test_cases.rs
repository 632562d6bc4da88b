//! Test data: adding a test by its input alone, and who may see which test's contents.

use super::{Actor, Forbidden, Service, record, require, visibility};
use crate::domain::account::Role;
use crate::domain::ids::{ProposalId, TestCaseId};
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;
use crate::store::blob::Blob;
use crate::store::job::{self, PRIORITY_PREPARE, Work};
use crate::store::proposal::{self, NewProposal, Proposal};
use crate::store::{StoreError, blob, problem, test_case};

/// The largest input that is taken, bytes.
pub const MAX_INPUT_BYTES: usize = 64 * 1024 * 1024;
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
        bytes: usize,
    },
    /// The name can't be used.
    #[error(
        "a test's name has 1 to {MAX_TEST_NAME} of the characters a-z, A-Z, 0-9, `_`, `-`, `.`, beginning with a letter or digit"
    )]
    BadName,
    /// Another test has it.
    #[error("there is a test `{0}` already, or one of that name is waiting")]
    NameTaken(String),
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTest {
    /// Its name; empty: one is made from the input's hash.
    pub name: String,
    /// Its input.
    pub input: Vec<u8>,
    /// Whether everybody may see it.
    pub sample: bool,
}

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
        if test.input.is_empty() {
            return Err(AddTestError::Empty);
        }
        if test.input.len() > MAX_INPUT_BYTES {
            return Err(AddTestError::TooLarge { bytes: test.input.len() });
        }
        let blob = Blob::prepare(test.input).await?;
        let name = test_name(&test.name, &blob)?;
        let mut tx = self.store.begin_write().await?;
        let found = problem::by_slug(&mut *tx, slug).await?;
        let problem = found.ok_or_else(|| AddTestError::NoSuchProblem(slug.to_owned()))?;
        let Some(current) = problem.test_set_id else { return Err(AddTestError::NotReady(problem.slug)) };
        if proposal::name_is_taken(&mut tx, problem.id, &name).await? {
            return Err(AddTestError::NameTaken(name));
        }
        let tests = test_case::list(&mut *tx, current).await?;
        if let Some(same) = tests.into_iter().find(|test| test.input_sha256 == blob.sha256()) {
            return Err(AddTestError::SameInput(same.name));
        }
        blob::insert(&mut tx, &blob).await?;
        let new = NewProposal {
            problem: problem.id,
            name: &name,
            input_sha256: blob.sha256(),
            input_bytes: blob.bytes(),
            sample: test.sample,
            created_by: actor.account_id,
        };
        let id = proposal::insert(&mut tx, new, now).await?;
        job::queue(&mut tx, Work::Propose(id), PRIORITY_PREPARE, Some(actor.account_id), now).await?;
        record(&mut tx, Some(actor), "test.propose", problem.slug.as_str(), None, Some(&name), now).await?;
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

    /// A test that was offered, with its input.
    ///
    /// # Errors
    /// [`AddTestError::Forbidden`] below setter.
    pub async fn proposed_input(
        &self,
        actor: &Actor,
        id: ProposalId,
    ) -> Result<Option<(Proposal, Vec<u8>)>, AddTestError> {
        let Some(found) = self.proposal(actor, id).await? else { return Ok(None) };
        let input = blob::read(self.store.read(), found.input_sha256).await?;
        Ok(Some((found, input)))
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

fn test_name(given: &str, input: &Blob) -> Result<String, AddTestError> {
    let given = given.trim();
    if given.is_empty() {
        return Ok(format!("added-{}", &input.sha256().short()));
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let starts_well = given.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !starts_well || given.len() > MAX_TEST_NAME || !given.chars().all(allowed) {
        return Err(AddTestError::BadName);
    }
    Ok(given.to_owned())
}
