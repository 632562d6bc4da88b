//! Changing the tests without another input: order, groups, which are samples, which are there at all. Each change is a
//! new version of the tests on top of the newest (`store::waiting_tests`), in force as soon as it is verified: one that
//! breaks a promise of the package is refused with the reason. Judgements keep the versions that they were made with.

use super::{Actor, Forbidden, Service, record, require};
use crate::domain::account::Role;
use crate::domain::ids::TestSetId;
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;
use crate::store::test_case::{self, NewTestCase};
use crate::store::{StoreError, package, problem, test_change, waiting_tests};

/// The longest reason, characters.
pub const MAX_REASON: usize = 300;
/// The longest name of a group, characters.
const MAX_GROUP: usize = 80;
/// The group of samples, as in the package format.
const SAMPLE: &str = "sample";
/// The group of the other tests, as in the package format.
const SECRET: &str = "secret";

/// What is changed of one test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestChange {
    /// It is judged at this place, from 1.
    Move(usize),
    /// It belongs to this group.
    Group(String),
    /// Whether everybody may see it.
    Sample(bool),
    /// It is taken out.
    Delete,
}

/// Why tests were not changed. The sentences are for people.
#[derive(Debug, thiserror::Error)]
pub enum ChangeTestsError {
    /// The role doesn't allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// No such problem.
    #[error("there is no problem `{0}`")]
    NoSuchProblem(String),
    /// It has no tests.
    #[error("the problem `{0}` has no version that is ready")]
    NotReady(Slug),
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
    /// The package's groups count the tests by their place.
    #[error("the package's test groups decide what each test counts; change the package instead")]
    Grouped,
    /// No reason was given.
    #[error("a reason has 1 to {MAX_REASON} characters")]
    NoReason,
    /// The group's name can't be used.
    #[error("a group's name is `secret`, or `secret/` and letters, digits, `_` and `-`")]
    BadGroup,
    /// There is no such place.
    #[error("a place is between 1 and {0}")]
    BadPlace(usize),
    /// It would change nothing.
    #[error("that is how it is already")]
    Nothing,
    /// The last one.
    #[error("a problem keeps at least one test")]
    LastTest,
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Service {
    /// Changes one of the newest tests. `version` is the version of the tests that the editor saw; a reason is needed
    /// for taking a test out.
    ///
    /// # Errors
    /// [`ChangeTestsError`]: every variant but `Store` is for the form.
    pub async fn change_test(
        &self,
        actor: &Actor,
        slug: &str,
        (name, version): (&str, u64),
        change: TestChange,
        reason: &str,
        now: EpochMs,
    ) -> Result<TestSetId, ChangeTestsError> {
        require(actor, Role::Setter)?;
        let mut tx = self.store.begin_write().await?;
        let found = problem::by_slug(&mut *tx, slug).await?;
        let problem = found.ok_or_else(|| ChangeTestsError::NoSuchProblem(slug.to_owned()))?;
        let (Some(package), Some(top)) = (problem.package_id, waiting_tests::top(&mut *tx, problem.id).await?) else {
            return Err(ChangeTestsError::NotReady(problem.slug));
        };
        let newest = test_case::version(&mut *tx, top).await?;
        if newest != version {
            return Err(ChangeTestsError::Changed { version, newest });
        }
        if test_change::has_groups(package::metadata(&mut *tx, package).await?.as_deref()) {
            return Err(ChangeTestsError::Grouped);
        }
        let mut tests: Vec<NewTestCase> =
            test_case::list(&mut *tx, top).await?.into_iter().map(NewTestCase::from).collect();
        let at = tests.iter().position(|test| test.name == name);
        let at = at.ok_or_else(|| ChangeTestsError::NoSuchTest(name.to_owned()))?;
        let done = apply(&mut tests, at, change, reason)?;
        let set =
            waiting_tests::change(&mut tx, problem.id, package, &tests, &done.reason, actor.account_id, now).await?;
        let (before, after) = (Some(done.before.as_str()), Some(done.reason.as_str()));
        record(&mut tx, Some(actor), done.act, problem.slug.as_str(), before, after, now).await?;
        tx.commit().await?;
        Ok(set)
    }
}

/// What was done, for the log and the list of versions.
struct Done {
    act: &'static str,
    before: String,
    reason: String,
}

fn apply(tests: &mut Vec<NewTestCase>, at: usize, change: TestChange, reason: &str) -> Result<Done, ChangeTestsError> {
    let name = tests[at].name.clone();
    let given = reason.trim();
    if given.chars().count() > MAX_REASON {
        return Err(ChangeTestsError::NoReason);
    }
    let because = |what: String| if given.is_empty() { what } else { format!("{what}: {given}") };
    Ok(match change {
        TestChange::Move(to) => {
            if to == 0 || to > tests.len() {
                return Err(ChangeTestsError::BadPlace(tests.len()));
            }
            if to == at + 1 {
                return Err(ChangeTestsError::Nothing);
            }
            let test = tests.remove(at);
            tests.insert(to - 1, test);
            let before = format!("{name} at {}", at + 1);
            Done { act: "test.move", before, reason: because(format!("moved {name} to place {to}")) }
        }
        TestChange::Group(group) => {
            let rest = if group == SECRET { Some("") } else { group.strip_prefix("secret/") };
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/');
            let well_formed =
                rest.is_some_and(|rest| rest.chars().all(fits) && !rest.split('/').skip(1).any(str::is_empty));
            if !well_formed || group.ends_with('/') || group.len() > MAX_GROUP || tests[at].sample {
                return Err(ChangeTestsError::BadGroup);
            }
            if tests[at].group == group {
                return Err(ChangeTestsError::Nothing);
            }
            let before = format!("{name} in {}", tests[at].group);
            let reason = because(format!("moved {name} to group {group}"));
            tests[at].group = group;
            Done { act: "test.group", before, reason }
        }
        TestChange::Sample(sample) => {
            if tests[at].sample == sample {
                return Err(ChangeTestsError::Nothing);
            }
            tests[at].sample = sample;
            if sample { SAMPLE } else { SECRET }.clone_into(&mut tests[at].group);
            let (before, what) =
                if sample { ("secret", "made a sample of") } else { ("sample", "made a secret test of") };
            Done { act: "test.sample", before: format!("{name} {before}"), reason: because(format!("{what} {name}")) }
        }
        TestChange::Delete => {
            if given.is_empty() {
                return Err(ChangeTestsError::NoReason);
            }
            if tests.len() == 1 {
                return Err(ChangeTestsError::LastTest);
            }
            let before = format!("{name}, input {}", tests[at].input_sha256);
            tests.remove(at);
            Done { act: "test.delete", before, reason: because(format!("deleted {name}")) }
        }
    })
}
