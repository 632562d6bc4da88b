//! Problems, whatever their versions: their state, and what the list and the problem's own page show.

use sqlx::{SqliteExecutor, SqlitePool};

use super::codec::{Names, Texts, text_enum};
use super::event::{self, EventKind, EventOp, NewEvent};
use super::{StoreError, WriteTx};
use crate::domain::ids::{ContestId, PackageId, ProblemId, TestSetId};
use crate::domain::limits::Limits;
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;

text_enum! {
    /// Where a problem is in its life.
    pub enum ProblemState {
        /// No version of its package is ready yet.
        Preparing = "preparing",
        /// It takes submissions.
        Published = "published",
        /// It was published and takes no submissions now.
        Withdrawn = "withdrawn",
        /// No version of its package is ready, and the last one was refused.
        Refused = "refused",
    }
}

/// A problem's state and current versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Its id.
    pub id: ProblemId,
    /// Its name in addresses.
    pub slug: Slug,
    /// Its state.
    pub state: ProblemState,
    /// Its current package.
    pub package_id: Option<PackageId>,
    /// Its current tests.
    pub test_set_id: Option<TestSetId>,
}

/// A published problem of a contest: what its list shows of the problem itself.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedProblem {
    /// The problem.
    pub id: ProblemId,
    /// Its name in addresses.
    pub slug: Slug,
    /// Its letter in the contest.
    pub label: String,
    /// Its colour, `#rrggbb`.
    pub rgb: String,
    /// Its names for people.
    pub names: Names,
    /// cpu limit, milliseconds.
    pub cpu_ms: u64,
    /// Memory limit, bytes.
    pub memory_bytes: u64,
    /// How many test cases it has.
    pub tests: u64,
    /// The most that a submission can come to, where it gives points and has such a bound.
    pub max_score: Option<f64>,
    /// The languages of its statements that are PDF files, separated by spaces.
    pub pdf_statements: String,
}

/// A line of the staff's list of all problems.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProblemOverview {
    /// The problem.
    pub id: ProblemId,
    /// Its name in addresses.
    pub slug: Slug,
    /// Its names for people; empty while no version is ready.
    pub names: Names,
    /// Its state.
    pub state: ProblemState,
    /// Version of its newest package, ready or not.
    pub newest_version: u64,
    /// State of that package.
    pub newest_state: super::package::PackageState,
    /// Why that package was refused.
    pub newest_message: Option<String>,
    /// How many test cases are in force.
    pub tests: u64,
}

/// What a problem's page shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProblemPage {
    /// The problem.
    pub id: ProblemId,
    /// Its name in addresses.
    pub slug: Slug,
    /// Its state: published or withdrawn.
    pub state: ProblemState,
    /// Its current package.
    pub package_id: PackageId,
    /// Its current tests.
    pub test_set_id: TestSetId,
    /// Its names for people.
    pub names: Names,
    /// The languages that are allowed; `None`: all.
    pub languages: Option<Texts>,
    /// Limits of a run.
    pub limits: Limits,
    /// How many test cases it has.
    pub tests: u64,
    /// Its statements; their contents are blobs.
    pub statements: Vec<super::package::Statement>,
}

/// The problem with this slug.
pub async fn by_slug(executor: impl SqliteExecutor<'_>, slug: &str) -> Result<Option<Problem>, StoreError> {
    let problem = sqlx::query_as!(
        Problem,
        r#"select id as "id!: _", slug as "slug: _", state as "state: _", package_id as "package_id: _",
            test_set_id as "test_set_id: _"
        from problem where slug = ?"#,
        slug
    )
    .fetch_optional(executor)
    .await?;
    Ok(problem)
}

/// The problem with this id.
pub async fn by_id(executor: impl SqliteExecutor<'_>, id: ProblemId) -> Result<Option<Problem>, StoreError> {
    let problem = sqlx::query_as!(
        Problem,
        r#"select id as "id!: _", slug as "slug: _", state as "state: _", package_id as "package_id: _",
            test_set_id as "test_set_id: _"
        from problem where id = ?"#,
        id
    )
    .fetch_optional(executor)
    .await?;
    Ok(problem)
}

/// Makes a problem that has nothing yet.
pub async fn insert(tx: &mut WriteTx, slug: &Slug, now: EpochMs) -> Result<ProblemId, StoreError> {
    let id = sqlx::query_scalar!(
        r#"insert into problem (slug, state, created_ms) values (?, 'preparing', ?) returning id as "id!: ProblemId""#,
        slug,
        now
    )
    .fetch_one(&mut **tx)
    .await?;
    event::append(tx, NewEvent::new(EventKind::Problem, EventOp::Create, id.0).problem(id), now).await?;
    Ok(id)
}

/// Changes its state.
pub async fn set_state(tx: &mut WriteTx, id: ProblemId, state: ProblemState, now: EpochMs) -> Result<(), StoreError> {
    sqlx::query!("update problem set state = ? where id = ?", state, id).execute(&mut **tx).await?;
    event::append(tx, NewEvent::new(EventKind::Problem, EventOp::Update, id.0).problem(id), now).await?;
    Ok(())
}

/// Puts a package and a test set in force; the next judgements use them.
pub async fn set_current(
    tx: &mut WriteTx,
    id: ProblemId,
    package: PackageId,
    test_set: TestSetId,
    now: EpochMs,
) -> Result<(), StoreError> {
    sqlx::query!("update problem set package_id = ?, test_set_id = ? where id = ?", package, test_set, id)
        .execute(&mut **tx)
        .await?;
    event::append(tx, NewEvent::new(EventKind::Problem, EventOp::Update, id.0).problem(id), now).await?;
    Ok(())
}

/// The published problems of a contest, in order; how teams fare with them is known to `service::problem_list`.
pub async fn published(pool: &SqlitePool, contest: ContestId) -> Result<Vec<PublishedProblem>, StoreError> {
    let problems = sqlx::query_as!(
        PublishedProblem,
        r#"select p.id as "id!: _", p.slug as "slug: _", c.label, c.rgb, k.names as "names!: _", k.cpu_ms as "cpu_ms!: _",
            k.memory_bytes as "memory_bytes!: _",
            (select count(*) from test_case t where t.test_set_id = p.test_set_id) as "tests!: _",
            json_extract(k.metadata, '$.rules.groups.score.most') as "max_score?: _",
            coalesce((select group_concat(s.language, ' ') from statement s
                where s.package_id = k.id and s.format = 'pdf'), '') as "pdf_statements!: _"
        from contest_problem c join problem p on p.id = c.problem_id join package k on k.id = p.package_id
        where c.contest_id = ? and p.state = 'published' order by c.ordinal"#,
        contest
    )
    .fetch_all(pool)
    .await?;
    Ok(problems)
}

/// All problems with the state of their newest package: for setters and up.
pub async fn overview(pool: &SqlitePool) -> Result<Vec<ProblemOverview>, StoreError> {
    let rows = sqlx::query_as!(
        ProblemOverview,
        r#"select p.id as "id!: _", p.slug as "slug: _", coalesce(k.names, '{}') as "names!: _", p.state as "state: _",
            n.version as "newest_version!: _", n.state as "newest_state!: _", n.message as "newest_message?",
            (select count(*) from test_case t where t.test_set_id = p.test_set_id) as "tests!: _"
        from problem p left join package k on k.id = p.package_id
            join package n on n.id = (select id from package where problem_id = p.id order by version desc limit 1)
        order by p.slug"#
    )
    .fetch_all(pool)
    .await?;
    Ok(rows)
}

/// What a problem's page shows; `None` when there is no such problem or no version of it is ready.
pub async fn page(pool: &SqlitePool, slug: &str) -> Result<Option<ProblemPage>, StoreError> {
    let mut tx = pool.begin().await?;
    let row = sqlx::query!(
        r#"select p.id as "id!: ProblemId", p.slug as "slug: Slug", p.state as "state: ProblemState",
            k.id as "package_id!: PackageId", p.test_set_id as "test_set_id!: TestSetId", k.names as "names!: Names",
            k.languages as "languages: Texts", k.cpu_ms as "cpu_ms!: u64", k.wall_ms as "wall_ms!: u64",
            k.memory_bytes as "memory_bytes!: u64", k.output_bytes as "output_bytes!: u64",
            k.processes as "processes!: u64",
            (select count(*) from test_case t where t.test_set_id = p.test_set_id) as "tests!: u64"
        from problem p join package k on k.id = p.package_id where p.slug = ?"#,
        slug
    )
    .fetch_optional(&mut *tx)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let statements = super::package::statements(&mut *tx, row.package_id).await?;
    Ok(Some(ProblemPage {
        id: row.id,
        slug: row.slug,
        state: row.state,
        package_id: row.package_id,
        test_set_id: row.test_set_id,
        names: row.names,
        languages: row.languages,
        limits: Limits {
            cpu_ms: row.cpu_ms,
            wall_ms: row.wall_ms,
            memory_bytes: row.memory_bytes,
            output_bytes: row.output_bytes,
            processes: row.processes,
        },
        tests: row.tests,
        statements,
    }))
}
