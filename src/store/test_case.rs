//! Test sets and their test cases. Both never change; a new list is a new version.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use sqlx::{SqliteExecutor, SqlitePool};

use super::blob;
use super::codec::{int, text_enum};
use super::event::{self, EventKind, EventOp, NewEvent};
use super::{Store, StoreError, WriteTx};
use crate::domain::hash::Sha256;
use crate::domain::ids::{AccountId, PackageId, ProblemId, TestCaseId, TestSetId};
use crate::domain::time::EpochMs;

text_enum! {
    /// Where a test's input comes from.
    pub enum TestOrigin {
        /// A file of the package.
        File = "file",
        /// A generator of the package.
        Generated = "generated",
        /// Added by its input alone.
        Added = "added",
    }
}

/// A test case to be written. Its blobs must be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTestCase {
    /// Its name, unique in the set, e.g. `secret/07-big`.
    pub name: String,
    /// Its test group.
    pub group: String,
    /// Whether everybody may see it.
    pub sample: bool,
    /// Hash of the input.
    pub input_sha256: Sha256,
    /// Hash of the answer.
    pub answer_sha256: Sha256,
    /// Size of the input, bytes.
    pub input_bytes: u64,
    /// Size of the answer, bytes.
    pub answer_bytes: u64,
    /// Where it comes from.
    pub origin: TestOrigin,
    /// The generator's command line: of a generated one, or of an added one that was made so.
    pub recipe: Option<String>,
    /// JSON of its own configuration, e.g. the output validator's arguments; `{}` when there is none.
    pub config: String,
}

/// A test case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestCase {
    /// Its id.
    pub id: TestCaseId,
    /// 1, 2, 3, ... in the order of judging.
    pub ordinal: u32,
    /// Its name.
    pub name: String,
    /// Its test group.
    pub group: String,
    /// Whether everybody may see it.
    pub sample: bool,
    /// Hash of the input.
    pub input_sha256: Sha256,
    /// Hash of the answer.
    pub answer_sha256: Sha256,
    /// Size of the input, bytes.
    pub input_bytes: u64,
    /// Size of the answer, bytes.
    pub answer_bytes: u64,
    /// Where it comes from.
    pub origin: TestOrigin,
    /// The generator's command line.
    pub recipe: Option<String>,
    /// JSON of its own configuration.
    pub config: String,
}

/// A version of a problem's tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestSet {
    /// Its id.
    pub id: TestSetId,
    /// The package whose references made its answers.
    pub package_id: PackageId,
    /// 1, 2, 3, ...
    pub version: u64,
    /// Hash over everything in it that a verdict depends on.
    pub sha256: Sha256,
    /// Why it was made.
    pub reason: String,
    /// Why it doesn't count, or does so no more: it broke a promise of the package.
    pub refused: Option<String>,
    /// Whether it is still to be verified, and counts only then.
    pub waits: bool,
    /// When.
    pub created: EpochMs,
    /// The login name of who made it; `None`: a package's preparation.
    pub created_by: Option<String>,
}

/// A sample as a problem's page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Its name.
    pub name: String,
    /// Its input.
    pub input: Vec<u8>,
    /// Its answer.
    pub answer: Vec<u8>,
}

/// A test set to be written.
#[derive(Debug, Clone, Copy)]
pub struct NewTestSet<'a> {
    /// Its problem.
    pub problem: ProblemId,
    /// The package whose references made its answers.
    pub package: PackageId,
    /// Why it is made.
    pub reason: &'a str,
    /// By whom; `None` is the judge itself.
    pub created_by: Option<AccountId>,
    /// The tests that were changed, or from which changes were carried over.
    pub made_from: Option<TestSetId>,
    /// Whether they count only once they are verified; see `waiting_tests`.
    pub waits: bool,
}

/// Writes a problem's next test set.
pub async fn insert_set(
    tx: &mut WriteTx,
    set: NewTestSet<'_>,
    tests: &[NewTestCase],
    now: EpochMs,
) -> Result<TestSetId, StoreError> {
    let sha256 = set_sha256(tests);
    let id = sqlx::query_scalar!(
        r#"insert into test_set (problem_id, package_id, version, sha256, reason, created_ms, created_by, made_from, waits)
        values (?1, ?2, (select coalesce(max(version), 0) + 1 from test_set where problem_id = ?1), ?3, ?4, ?5, ?6, ?7, ?8)
        returning id as "id!: TestSetId""#,
        set.problem,
        set.package,
        sha256,
        set.reason,
        now,
        set.created_by,
        set.made_from,
        set.waits
    )
    .fetch_one(&mut **tx)
    .await?;
    for (ordinal, test) in (1_u32..).zip(tests) {
        let (input_bytes, answer_bytes) = (int(test.input_bytes), int(test.answer_bytes));
        let generated = test.origin == TestOrigin::Generated;
        let recipe = test.recipe.as_deref().filter(|_| generated);
        let made_by = test.recipe.as_deref().filter(|_| !generated);
        sqlx::query!(
            "insert into test_case (test_set_id, ordinal, name, test_group, sample, input_sha256, answer_sha256,
                input_bytes, answer_bytes, origin, recipe, made_by, config)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            id,
            ordinal,
            test.name,
            test.group,
            test.sample,
            test.input_sha256,
            test.answer_sha256,
            input_bytes,
            answer_bytes,
            test.origin,
            recipe,
            made_by,
            test.config
        )
        .execute(&mut **tx)
        .await?;
    }
    let event = NewEvent::new(EventKind::TestSet, EventOp::Create, id.0).problem(set.problem);
    event::append(tx, event, now).await?;
    Ok(id)
}

/// The hash over everything in a list of tests that a verdict depends on.
fn set_sha256(tests: &[NewTestCase]) -> Sha256 {
    Sha256::of_parts(tests.iter().flat_map(|test| {
        [
            ("group", test.group.as_bytes()),
            ("input", test.input_sha256.as_bytes().as_slice()),
            ("answer", test.answer_sha256.as_bytes().as_slice()),
            ("config", test.config.as_bytes()),
        ]
    }))
}

/// The tests of a set, in the order of judging.
pub async fn list(executor: impl SqliteExecutor<'_>, set: TestSetId) -> Result<Vec<TestCase>, StoreError> {
    let tests = sqlx::query_as!(
        TestCase,
        r#"select id as "id!: _", ordinal as "ordinal: _", name, test_group as "group", sample as "sample: _",
            input_sha256 as "input_sha256: _", answer_sha256 as "answer_sha256: _", input_bytes as "input_bytes: _",
            answer_bytes as "answer_bytes: _", origin as "origin: _", coalesce(recipe, made_by) as "recipe?", config
        from test_case where test_set_id = ? order by ordinal"#,
        set
    )
    .fetch_all(executor)
    .await?;
    Ok(tests)
}

/// So many tests are kept in memory, a few hundred bytes each.
const MOST_KEPT: usize = 20_000;

/// The sets that were judged with lately.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<HashMap<TestSetId, Arc<[TestCase]>>>);

/// As [`list`]. Every judgement asks for it, and sets never change, so they are kept.
pub async fn kept(store: &Store, set: TestSetId) -> Result<Arc<[TestCase]>, StoreError> {
    let kept = || store.inner.tests.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(tests) = kept().get(&set) {
        return Ok(Arc::clone(tests));
    }
    let tests: Arc<[TestCase]> = list(store.read(), set).await?.into();
    let mut kept = kept();
    if kept.values().map(|tests| tests.len()).sum::<usize>() + tests.len() > MOST_KEPT {
        kept.clear();
    }
    // None: the set isn't there, or not yet.
    if !tests.is_empty() {
        kept.insert(set, Arc::clone(&tests));
    }
    Ok(tests)
}

/// One test case.
pub async fn by_id(executor: impl SqliteExecutor<'_>, id: TestCaseId) -> Result<Option<TestCase>, StoreError> {
    let test = sqlx::query_as!(
        TestCase,
        r#"select id as "id!: _", ordinal as "ordinal: _", name, test_group as "group", sample as "sample: _",
            input_sha256 as "input_sha256: _", answer_sha256 as "answer_sha256: _", input_bytes as "input_bytes: _",
            answer_bytes as "answer_bytes: _", origin as "origin: _", coalesce(recipe, made_by) as "recipe?", config
        from test_case where id = ?"#,
        id
    )
    .fetch_optional(executor)
    .await?;
    Ok(test)
}

/// Whether a test is a sample of a set in force of a published problem.
pub async fn is_public_sample(executor: impl SqliteExecutor<'_>, id: TestCaseId) -> Result<bool, StoreError> {
    let public = sqlx::query_scalar!(
        r#"select exists (select 1 from test_case t join problem p on p.test_set_id = t.test_set_id
            where t.id = ? and t.sample = 1 and p.state = 'published') as "public!: bool""#,
        id
    )
    .fetch_one(executor)
    .await?;
    Ok(public)
}

/// The samples of a set with their contents: what everybody may see.
pub async fn samples(pool: &SqlitePool, set: TestSetId) -> Result<Vec<Sample>, StoreError> {
    let rows = sqlx::query!(
        r#"select name, input_sha256 as "input_sha256: Sha256", answer_sha256 as "answer_sha256: Sha256"
        from test_case where test_set_id = ? and sample = 1 order by ordinal"#,
        set
    )
    .fetch_all(pool)
    .await?;
    let mut samples = Vec::with_capacity(rows.len());
    for row in rows {
        let input = blob::read(pool, row.input_sha256).await?;
        let answer = blob::read(pool, row.answer_sha256).await?;
        samples.push(Sample { name: row.name, input, answer });
    }
    Ok(samples)
}

/// A test with its contents, if it is a sample.
pub async fn sample(pool: &SqlitePool, id: TestCaseId) -> Result<Option<Sample>, StoreError> {
    let Some(test) = by_id(pool, id).await?.filter(|test| test.sample) else { return Ok(None) };
    let input = blob::read(pool, test.input_sha256).await?;
    let answer = blob::read(pool, test.answer_sha256).await?;
    Ok(Some(Sample { name: test.name, input, answer }))
}

/// Which version of its problem's tests a set is.
pub async fn version(executor: impl SqliteExecutor<'_>, set: TestSetId) -> Result<u64, StoreError> {
    let version = sqlx::query_scalar!(r#"select version as "version: u64" from test_set where id = ?"#, set)
        .fetch_one(executor)
        .await?;
    Ok(version)
}

/// The set that a test belongs to, and that set's problem.
pub async fn place(
    executor: impl SqliteExecutor<'_>,
    id: TestCaseId,
) -> Result<Option<(TestSetId, ProblemId)>, StoreError> {
    let row = sqlx::query!(
        r#"select s.id as "set: TestSetId", s.problem_id as "problem: ProblemId"
        from test_case t join test_set s on s.id = t.test_set_id where t.id = ?"#,
        id
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map(|row| (row.set, row.problem)))
}

/// The versions of a problem's tests, newest first.
pub async fn sets(pool: &SqlitePool, problem: ProblemId) -> Result<Vec<TestSet>, StoreError> {
    let sets = sqlx::query_as!(
        TestSet,
        r#"select s.id as "id!: _", s.package_id as "package_id: _", s.version as "version: _", s.sha256 as "sha256: _",
            s.reason, s.refused, s.waits as "waits: _", s.created_ms as "created: _", a.name as "created_by?"
        from test_set s left join account a on a.id = s.created_by where s.problem_id = ? order by s.version desc"#,
        problem
    )
    .fetch_all(pool)
    .await?;
    Ok(sets)
}

impl From<TestCase> for NewTestCase {
    fn from(test: TestCase) -> Self {
        Self {
            name: test.name,
            group: test.group,
            sample: test.sample,
            input_sha256: test.input_sha256,
            answer_sha256: test.answer_sha256,
            input_bytes: test.input_bytes,
            answer_bytes: test.answer_bytes,
            origin: test.origin,
            recipe: test.recipe,
            config: test.config,
        }
    }
}
