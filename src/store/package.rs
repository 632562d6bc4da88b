//! Versions of problem packages: their files, statements and limits.

use sqlx::{SqliteExecutor, SqlitePool};

use super::codec::{Texts, int, text_enum};
use super::event::{self, EventKind, EventOp, NewEvent};
use super::{StoreError, WriteTx};
use crate::domain::hash::Sha256;
use crate::domain::ids::{AccountId, PackageId, ProblemId};
use crate::domain::limits::Limits;
use crate::domain::time::EpochMs;

text_enum! {
    /// Where a version of a package is in its life.
    pub enum PackageState {
        /// Its tests are being made, or its programs judged.
        Queued = "queued",
        /// Its tests exist and its references agree; if it isn't built in, all its promises are kept.
        Ready = "ready",
        /// It can't be used; its message says why.
        Refused = "refused",
    }
}

text_enum! {
    /// What a statement is written in.
    pub enum StatementFormat {
        /// Markdown with math.
        Markdown = "markdown",
        /// LaTeX.
        Tex = "tex",
        /// PDF.
        Pdf = "pdf",
    }
}

/// A file of a package; its contents are a blob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageFile {
    /// Relative to the package's folder, with `/`.
    pub path: String,
    /// Hash of its contents.
    pub sha256: Sha256,
    /// Its size, bytes.
    pub bytes: u64,
    /// Whether an execute bit was set.
    pub executable: bool,
}

/// One of the package's files that is a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Language tag, e.g. `en`, `zh`.
    pub language: String,
    /// What it is written in.
    pub format: StatementFormat,
    /// Its path in the package; images are relative to its folder.
    pub path: String,
    /// Hash of its contents.
    pub sha256: Sha256,
}

/// A version of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Its id.
    pub id: PackageId,
    /// Its problem.
    pub problem_id: ProblemId,
    /// 1, 2, 3, ...
    pub version: u64,
    /// Hash of all its files.
    pub tree_sha256: Sha256,
    /// Its state.
    pub state: PackageState,
    /// Why it was refused.
    pub message: Option<String>,
    /// When it was offered.
    pub created: EpochMs,
    /// By whom; `None` is built in.
    pub created_by: Option<AccountId>,
}

/// Writes a new version with its files, whose blobs must be there.
pub async fn insert(
    tx: &mut WriteTx,
    problem: ProblemId,
    tree_sha256: Sha256,
    files: &[PackageFile],
    created_by: Option<AccountId>,
    now: EpochMs,
) -> Result<PackageId, StoreError> {
    let id = sqlx::query_scalar!(
        r#"insert into package (problem_id, version, tree_sha256, state, created_ms, created_by)
        values (?1, (select coalesce(max(version), 0) + 1 from package where problem_id = ?1), ?2, 'queued', ?3, ?4)
        returning id as "id!: PackageId""#,
        problem,
        tree_sha256,
        now,
        created_by
    )
    .fetch_one(&mut **tx)
    .await?;
    for file in files {
        let bytes = int(file.bytes);
        sqlx::query!(
            "insert into package_file (package_id, path, sha256, bytes, executable) values (?, ?, ?, ?, ?)",
            id,
            file.path,
            file.sha256,
            bytes,
            file.executable
        )
        .execute(&mut **tx)
        .await?;
    }
    let event = NewEvent::new(EventKind::Package, EventOp::Create, id.0).problem(problem);
    event::append(tx, event, now).await?;
    Ok(id)
}

/// Sets a refused version back to queued, to be tried again (e.g. after a missing tool was installed).
pub async fn requeue(tx: &mut WriteTx, id: PackageId) -> Result<(), StoreError> {
    sqlx::query!("update package set state = 'queued', message = null where id = ? and state = 'refused'", id)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Sets the limits of a run.
pub(super) async fn set_limits(tx: &mut WriteTx, id: PackageId, limits: Limits) -> Result<(), StoreError> {
    let Limits { cpu_ms, wall_ms, memory_bytes, output_bytes, processes } = limits;
    let (cpu_ms, wall_ms, memory_bytes) = (int(cpu_ms), int(wall_ms), int(memory_bytes));
    let (output_bytes, processes) = (int(output_bytes), int(processes));
    sqlx::query!(
        "update package set cpu_ms = ?, wall_ms = ?, memory_bytes = ?, output_bytes = ?, processes = ? where id = ?",
        cpu_ms,
        wall_ms,
        memory_bytes,
        output_bytes,
        processes,
        id
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The version of a problem with this hash.
pub async fn by_tree(
    executor: impl SqliteExecutor<'_>,
    problem: ProblemId,
    tree_sha256: Sha256,
) -> Result<Option<Package>, StoreError> {
    let package = sqlx::query_as!(
        Package,
        r#"select id as "id!: _", problem_id as "problem_id: _", version as "version: _",
            tree_sha256 as "tree_sha256: _", state as "state: _", message, created_ms as "created: _",
            created_by as "created_by: _"
        from package where problem_id = ? and tree_sha256 = ?"#,
        problem,
        tree_sha256
    )
    .fetch_optional(executor)
    .await?;
    Ok(package)
}

/// A version as a problem's history shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Its id.
    pub id: PackageId,
    /// 1, 2, 3, ...
    pub version: u64,
    /// Its state.
    pub state: PackageState,
    /// Why it was refused.
    pub message: Option<String>,
    /// When it was offered.
    pub created: EpochMs,
    /// The login name of who offered it; `None` is built in or the command line.
    pub created_by: Option<String>,
    /// How many of its files are new or other than in the version before it, or gone.
    pub changed: u64,
    /// One of them.
    pub changed_path: Option<String>,
}

/// The versions of a problem with what each changed, newest first.
pub async fn history(executor: impl SqliteExecutor<'_>, problem: ProblemId) -> Result<Vec<Version>, StoreError> {
    let versions = sqlx::query_as!(
        Version,
        r#"with change as (
            select k.id as package_id, f.path from package k join package_file f on f.package_id = k.id
            where k.problem_id = ?1 and not exists (select 1 from package o join package_file g on g.package_id = o.id
                where o.problem_id = ?1 and o.version = k.version - 1 and g.path = f.path and g.sha256 = f.sha256)
            union all
            select k.id, g.path from package k join package o on o.problem_id = ?1 and o.version = k.version - 1
                join package_file g on g.package_id = o.id
            where k.problem_id = ?1
                and not exists (select 1 from package_file f where f.package_id = k.id and f.path = g.path)
        )
        select k.id as "id!: _", k.version as "version!: _", k.state as "state!: _", k.message,
            k.created_ms as "created!: _", a.name as "created_by?",
            (select count(*) from change c where c.package_id = k.id) as "changed!: _",
            (select min(c.path) from change c where c.package_id = k.id) as "changed_path?: _"
        from package k left join account a on a.id = k.created_by where k.problem_id = ?1 order by k.version desc"#,
        problem
    )
    .fetch_all(executor)
    .await?;
    Ok(versions)
}

/// Which version of its problem's package it is.
pub async fn version(executor: impl SqliteExecutor<'_>, id: PackageId) -> Result<u64, StoreError> {
    let version = sqlx::query_scalar!(r#"select version as "version: u64" from package where id = ?"#, id)
        .fetch_one(executor)
        .await?;
    Ok(version)
}

/// JSON: what a version's preparation wrote down.
pub async fn metadata(executor: impl SqliteExecutor<'_>, id: PackageId) -> Result<Option<String>, StoreError> {
    Ok(sqlx::query_scalar!("select metadata from package where id = ?", id).fetch_one(executor).await?)
}

/// The most code that a version takes, bytes; `None`: it was prepared before that was written down.
pub async fn code_bytes(executor: impl SqliteExecutor<'_>, id: PackageId) -> Result<Option<u64>, StoreError> {
    let bytes = sqlx::query_scalar!(
        r#"select json_extract(metadata, '$.code_bytes') as "bytes?: u64" from package where id = ?"#,
        id
    )
    .fetch_one(executor)
    .await?;
    Ok(bytes)
}

/// The versions of a problem, newest first.
pub async fn versions(pool: &SqlitePool, problem: ProblemId) -> Result<Vec<Package>, StoreError> {
    let packages = sqlx::query_as!(
        Package,
        r#"select id as "id!: _", problem_id as "problem_id: _", version as "version: _",
            tree_sha256 as "tree_sha256: _", state as "state: _", message, created_ms as "created: _",
            created_by as "created_by: _"
        from package where problem_id = ? order by version desc"#,
        problem
    )
    .fetch_all(pool)
    .await?;
    Ok(packages)
}

/// The languages that a version allows; `None`: all.
pub async fn languages(executor: impl SqliteExecutor<'_>, package: PackageId) -> Result<Option<Texts>, StoreError> {
    let languages = sqlx::query_scalar!(r#"select languages as "languages: Texts" from package where id = ?"#, package)
        .fetch_one(executor)
        .await?;
    Ok(languages)
}

/// All files of a version, in path order.
pub async fn files(executor: impl SqliteExecutor<'_>, package: PackageId) -> Result<Vec<PackageFile>, StoreError> {
    let files = sqlx::query_as!(
        PackageFile,
        r#"select path, sha256 as "sha256: _", bytes as "bytes: _", executable as "executable: _"
        from package_file where package_id = ? order by path"#,
        package
    )
    .fetch_all(executor)
    .await?;
    Ok(files)
}

/// One file of a version, e.g. a picture of a statement. The caller decides which paths are public.
pub async fn file(
    executor: impl SqliteExecutor<'_>,
    package: PackageId,
    path: &str,
) -> Result<Option<PackageFile>, StoreError> {
    let file = sqlx::query_as!(
        PackageFile,
        r#"select path, sha256 as "sha256: _", bytes as "bytes: _", executable as "executable: _"
        from package_file where package_id = ? and path = ?"#,
        package,
        path
    )
    .fetch_optional(executor)
    .await?;
    Ok(file)
}

/// The statements of a version, by language.
pub async fn statements(executor: impl SqliteExecutor<'_>, package: PackageId) -> Result<Vec<Statement>, StoreError> {
    let statements = sqlx::query_as!(
        Statement,
        r#"select s.language, s.format as "format: _", s.path, f.sha256 as "sha256: _"
        from statement s join package_file f on f.package_id = s.package_id and f.path = s.path
        where s.package_id = ? order by s.language, s.format"#,
        package
    )
    .fetch_all(executor)
    .await?;
    Ok(statements)
}

/// The limits of a version of a problem's package; `None` when it was never ready.
pub async fn limits(
    executor: impl SqliteExecutor<'_>,
    problem: ProblemId,
    version: u64,
) -> Result<Option<Limits>, StoreError> {
    let version = int(version);
    let row = sqlx::query!(
        r#"select cpu_ms as "cpu_ms: u64", wall_ms as "wall_ms: u64", memory_bytes as "memory_bytes: u64",
            output_bytes as "output_bytes: u64", processes as "processes: u64"
        from package where problem_id = ? and version = ?"#,
        problem,
        version
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.and_then(|row| {
        Some(Limits {
            cpu_ms: row.cpu_ms?,
            wall_ms: row.wall_ms?,
            memory_bytes: row.memory_bytes?,
            output_bytes: row.output_bytes?,
            processes: row.processes?,
        })
    }))
}
