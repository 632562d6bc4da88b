//! Making a package ready: what a worker needs for it, and what it reports.

use sqlx::SqlitePool;

use super::codec::{Names, Texts};
use super::event::{self, EventKind, EventOp, NewEvent};
use super::job::{self, JobError, Lease, Work};
use super::package::{self, PackageFile, StatementFormat};
use super::problem::{self, ProblemState};
use super::test_case::{self, NewTestCase, NewTestSet, TestCase, TestOrigin};
use super::verification::{self, NewVerification};
use super::verification_end;
use super::{StoreError, WriteTx, contest, picture, test_change, waiting_tests};
use crate::domain::hash::Sha256;
use crate::domain::ids::{AccountId, PackageId, ProblemId, TestSetId};
use crate::domain::limits::Limits;
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;

/// An input that was added to the problem by itself and stays with it in its next version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedInput {
    /// The test's name.
    pub name: String,
    /// Its group.
    pub group: String,
    /// Whether everybody may see it.
    pub sample: bool,
    /// Hash of the input.
    pub input_sha256: Sha256,
    /// Its size, bytes.
    pub input_bytes: u64,
    /// The generator's command that made it.
    pub recipe: Option<String>,
}

/// Everything a worker needs to make a package ready; contents are blobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrepareTask {
    /// The package.
    pub package_id: PackageId,
    /// Its problem.
    pub problem_id: ProblemId,
    /// That problem's name in addresses.
    pub problem_slug: Slug,
    /// All its files.
    pub files: Vec<PackageFile>,
    /// Tests that were added by their input alone: validated and answered anew, they come after the package's own.
    pub added: Vec<AddedInput>,
}

/// One of the package's files that is a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewStatement {
    /// Language tag, e.g. `en`, `zh`.
    pub language: String,
    /// What it is written in.
    pub format: StatementFormat,
    /// Its path in the package.
    pub path: String,
}

/// What the preparation found out. The blobs of all inputs and answers must be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preparation {
    /// The problem's names.
    pub names: Names,
    /// The languages that are allowed; `None`: all.
    pub languages: Option<Texts>,
    /// Limits of a run.
    pub limits: Limits,
    /// JSON: whatever else judging needs to know.
    pub metadata: String,
    /// Its statements.
    pub statements: Vec<NewStatement>,
    /// Its tests in the order of judging, the added ones too.
    pub tests: Vec<NewTestCase>,
    /// Pictures of samples: the input's hash and the safe SVG.
    pub pictures: Vec<(Sha256, String)>,
}

/// Everything a worker needs to prepare it.
pub async fn task(pool: &SqlitePool, id: PackageId) -> Result<PrepareTask, StoreError> {
    let mut tx = pool.begin().await?;
    let row = sqlx::query!(
        r#"select p.id as "problem_id!: ProblemId", p.slug as "slug: Slug"
        from package k join problem p on p.id = k.problem_id where k.id = ?"#,
        id
    )
    .fetch_one(&mut *tx)
    .await?;
    let added = sqlx::query_as!(
        AddedInput,
        r#"select t.name, t.test_group as "group", t.sample as "sample: _", t.input_sha256 as "input_sha256: _",
            t.input_bytes as "input_bytes: _", t.made_by as recipe
        from test_case t join problem p on p.test_set_id = t.test_set_id
        where p.id = ? and t.origin = 'added' order by t.ordinal"#,
        row.problem_id
    )
    .fetch_all(&mut *tx)
    .await?;
    Ok(PrepareTask {
        package_id: id,
        problem_id: row.problem_id,
        problem_slug: row.slug,
        files: package::files(&mut *tx, id).await?,
        added,
    })
}

/// The package's tests are made. If nothing waits for its verification it is put in force and published at once;
/// otherwise its verification decides. Either way its programs are judged next.
///
/// # Errors
/// [`JobError::LeaseLost`]; [`JobError::Outdated`] when the added tests are others meanwhile.
pub async fn finish_preparation(
    tx: &mut WriteTx,
    lease: Lease,
    preparation: &Preparation,
    now: EpochMs,
) -> Result<TestSetId, JobError> {
    let Work::Prepare(package) = job::held(tx, lease).await? else { return Err(JobError::LeaseLost) };
    let row = sqlx::query!(
        r#"select problem_id as "problem_id: ProblemId", version, created_by as "created_by: AccountId" from package
        where id = ?"#,
        package
    )
    .fetch_one(&mut **tx)
    .await?;
    let problem = problem::by_id(&mut **tx, row.problem_id).await?.ok_or(StoreError::RowMissing("problem"))?;
    if has_other_added(tx, &problem, &preparation.tests).await? {
        return Err(JobError::Outdated);
    }
    write_facts(tx, package, preparation).await?;
    for (input, svg) in &preparation.pictures {
        picture::insert(tx, package, *input, svg).await?;
    }
    let reason = format!("package version {}", row.version);
    let set = NewTestSet {
        problem: problem.id,
        package,
        reason: &reason,
        created_by: None,
        made_from: problem.test_set_id,
        waits: false,
    };
    let tests = with_changes(tx, &problem, preparation).await?;
    let test_set = test_case::insert_set(tx, set, &tests, now).await?;
    let (verification, decides) = if let Some(open) = verification::open_of(tx, package).await? {
        open
    } else {
        let new = NewVerification { problem: problem.id, package, test_set: None, decides: true };
        (verification::insert(tx, new, now).await?, true)
    };
    if !decides {
        publish(tx, package, test_set, now).await?;
    }
    verification::has_tests(tx, verification, test_set).await?;
    verification::queue(tx, verification, decides, row.created_by, now).await?;
    job::done(tx, lease).await?;
    let event = NewEvent::new(EventKind::Package, EventOp::Update, package.0).problem(problem.id);
    event::append(tx, event, now).await?;
    Ok(test_set)
}

/// Puts a package with its tests in force, publishes the problem (unless it was withdrawn) and gives it a letter in the
/// practice contest.
pub(super) async fn publish(
    tx: &mut WriteTx,
    package: PackageId,
    test_set: TestSetId,
    now: EpochMs,
) -> Result<(), StoreError> {
    let problem = sqlx::query_scalar!(
        r#"update package set state = 'ready', message = null where id = ? returning problem_id as "id: ProblemId""#,
        package
    )
    .fetch_one(&mut **tx)
    .await?;
    // Nobody asks any more how good the version before it is.
    verification::drop_waiting(tx, problem, now).await?;
    let message = "another version of the package came into force first; make this change again";
    waiting_tests::refuse_all(tx, problem, message, now).await?;
    problem::set_current(tx, problem, package, test_set, now).await?;
    let current = problem::by_id(&mut **tx, problem).await?.ok_or(StoreError::RowMissing("problem"))?;
    if current.state != ProblemState::Withdrawn {
        problem::set_state(tx, problem, ProblemState::Published, now).await?;
    }
    let practice = contest::ensure_practice(tx, now).await?;
    contest::add_problem(tx, practice, problem, now).await?;
    let event = NewEvent::new(EventKind::Package, EventOp::Update, package.0).problem(problem);
    event::append(tx, event, now).await?;
    Ok(())
}

/// Whether the tests that were added to the problem are others than those among `tests`.
async fn has_other_added(
    tx: &mut WriteTx,
    problem: &problem::Problem,
    tests: &[NewTestCase],
) -> Result<bool, StoreError> {
    let current = match problem.test_set_id {
        Some(current) => test_case::list(&mut **tx, current).await?,
        None => Vec::new(),
    };
    let ours: Vec<Sha256> = added(current.iter().map(|test| (test.origin, test.input_sha256)));
    let theirs: Vec<Sha256> = added(tests.iter().map(|test| (test.origin, test.input_sha256)));
    Ok(ours.iter().any(|one| !theirs.contains(one)) || theirs.iter().any(|one| !ours.contains(one)))
}

fn added(tests: impl Iterator<Item = (TestOrigin, Sha256)>) -> Vec<Sha256> {
    tests.filter(|(origin, _)| *origin == TestOrigin::Added).map(|(_, input)| input).collect()
}

/// The package's tests with what was changed of the tests in force: a change stays until the package itself changes the
/// test. Where groups count tests by their place, the package alone decides.
async fn with_changes(
    tx: &mut WriteTx,
    problem: &problem::Problem,
    preparation: &Preparation,
) -> Result<Vec<NewTestCase>, StoreError> {
    let made = test_change::without_taken_in(preparation.tests.clone());
    let (Some(package), Some(current)) = (problem.package_id, problem.test_set_id) else { return Ok(made) };
    let current: Vec<TestCase> = test_case::list(&mut **tx, current).await?;
    if test_change::has_groups(Some(&preparation.metadata)) {
        return Ok(test_change::with_free_names(made));
    }
    let first = test_change::first_of_package(tx, package).await?;
    let first = match first {
        Some(first) => test_case::list(&mut **tx, first).await?,
        None => Vec::new(),
    };
    Ok(test_change::carried_over(&first, &current, made))
}

/// What its pages and its judging need to know of it. An earlier attempt may have written the same.
async fn write_facts(tx: &mut WriteTx, package: PackageId, preparation: &Preparation) -> Result<(), StoreError> {
    package::set_limits(tx, package, preparation.limits).await?;
    sqlx::query!(
        "update package set names = ?, languages = ?, metadata = ? where id = ?",
        preparation.names,
        preparation.languages,
        preparation.metadata,
        package
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!("delete from statement where package_id = ?", package).execute(&mut **tx).await?;
    for statement in &preparation.statements {
        sqlx::query!(
            "insert into statement (package_id, language, format, path) values (?, ?, ?, ?)",
            package,
            statement.language,
            statement.format,
            statement.path
        )
        .execute(&mut **tx)
        .await?;
    }
    Ok(())
}

/// The package can't be used, and why; the version in force stays.
///
/// # Errors
/// [`JobError::LeaseLost`].
pub async fn refuse_preparation(tx: &mut WriteTx, lease: Lease, message: &str, now: EpochMs) -> Result<(), JobError> {
    let Work::Prepare(package) = job::done(tx, lease).await? else { return Err(JobError::LeaseLost) };
    close_refused(tx, package, message, now).await?;
    Ok(())
}

pub(super) async fn close_refused(
    tx: &mut WriteTx,
    package: PackageId,
    message: &str,
    now: EpochMs,
) -> Result<(), StoreError> {
    let problem = sqlx::query_scalar!(
        r#"update package set state = 'refused', message = ? where id = ? returning problem_id as "id: ProblemId""#,
        message,
        package
    )
    .fetch_one(&mut **tx)
    .await?;
    verification_end::close_open(tx, package, message, now).await?;
    let current = problem::by_id(&mut **tx, problem).await?;
    if current.is_some_and(|problem| problem.state == ProblemState::Preparing) {
        problem::set_state(tx, problem, ProblemState::Refused, now).await?;
    }
    let event = NewEvent::new(EventKind::Package, EventOp::Update, package.0).problem(problem);
    event::append(tx, event, now).await?;
    Ok(())
}
