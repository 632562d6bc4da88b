//! Files of every earlier version open, and keep what is in them.
//!
//! `fixtures/at_NNNN.sql` holds what the version with that migration can hold beyond the one before. A new migration is
//! tried from every earlier version without a change here.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use sqlx::{AssertSqlSafe, Row as _, SqlitePool};
use touchstone::domain::hash::Sha256;
use touchstone::domain::ids::SubmissionId;
use touchstone::domain::verdict::Verdict;
use touchstone::store::job::Work;
use touchstone::store::{Store, api_token, backup, blob, clarification, contest, event, job, judgement, submission};

use crate::fixture::T0;

fn root(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

/// Files of a folder that begin with a number, after this many characters, in order.
fn numbered(folder: &str, prefix: &str) -> Vec<(u32, PathBuf)> {
    let mut found: Vec<(u32, PathBuf)> = fs::read_dir(root(folder))
        .expect("is a folder")
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let number = path.file_name()?.to_str()?.strip_prefix(prefix)?.get(..4)?.parse().ok()?;
            Some((number, path))
        })
        .collect();
    found.sort();
    found
}

/// A populated file as the version that ends with this migration left it.
async fn file_at(version: u32, file: &Path, scratch: &Path) -> SqlitePool {
    fs::create_dir(scratch).expect("makes a folder");
    for (number, path) in numbered("migrations", "") {
        if number <= version {
            fs::copy(&path, scratch.join(path.file_name().expect("has a name"))).expect("copies");
        }
    }
    let options = SqliteConnectOptions::new().filename(file).create_if_missing(true).foreign_keys(true);
    let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options).await.expect("opens");
    Migrator::new(scratch).await.expect("reads the migrations").run(&pool).await.expect("migrates");
    for (number, path) in numbered("tests/store/fixtures", "at_") {
        if number <= version {
            let sql = fs::read_to_string(&path).expect("reads");
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(&pool).await.expect("populates");
        }
    }
    pool
}

/// How many rows each table has.
async fn rows(pool: &SqlitePool) -> BTreeMap<String, i64> {
    let names = sqlx::raw_sql(
        "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like '_sqlx%'",
    );
    let mut rows = BTreeMap::new();
    for row in names.fetch_all(pool).await.expect("reads") {
        let name: String = row.get(0);
        let count = sqlx::raw_sql(AssertSqlSafe(format!("select count(*) from {name}"))).fetch_one(pool).await;
        rows.insert(name, count.expect("counts").get(0));
    }
    rows
}

#[tokio::test]
async fn a_file_of_every_earlier_version_opens_and_keeps_what_is_in_it() {
    let versions: Vec<u32> = numbered("migrations", "").into_iter().map(|(number, _)| number).collect();
    assert!(versions.len() >= 4, "{versions:?}");
    for version in versions {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("judge.sqlite");
        let pool = file_at(version, &file, &folder.path().join("migrations")).await;
        let before = rows(&pool).await;
        pool.close().await;

        let store = Store::open(&file).await.unwrap_or_else(|error| panic!("version {version}: {error}"));
        let after = rows(store.read()).await;
        for (table, count) in &before {
            assert!(after.get(table) >= Some(count), "version {version}: {table} had {count} rows, now {after:?}");
        }
        reads(&store, version).await;
        store.close().await;
        assert_eq!(backup::faults(&file).await.expect("reads"), Vec::<String>::new(), "version {version}");
    }
}

/// The program reads what earlier versions wrote, and works on.
async fn reads(store: &Store, version: u32) {
    let row = submission::row(store.read(), SubmissionId(1)).await.expect("reads").expect("is there");
    assert_eq!(row.verdict, Some(Verdict::Accepted), "version {version}");
    let judgements = judgement::of_submission(store.read(), SubmissionId(1)).await.expect("reads");
    assert_eq!(judgements.len(), 2, "version {version}");
    assert_eq!(judgement::runs(store.read(), judgements[0].id).await.expect("reads").len(), 1, "version {version}");
    let source = blob::read(store.read(), Sha256::of(b"print(42)\n")).await.expect("reads");
    assert_eq!(source, b"print(42)\n");
    assert_eq!(event::last(store.read()).await.expect("reads").0, 4, "version {version}: events stay as they were");
    let practice = contest::by_slug(store.read(), contest::PRACTICE).await.expect("reads").expect("is there");
    assert_eq!(
        clarification::list(store.read(), practice.id, 10).await.expect("reads").len(),
        if version >= 2 { 2 } else { 0 }
    );
    let token = api_token::holder(store.read(), Sha256::of(b"touchstone_token")).await.expect("reads");
    assert_eq!(token.is_some(), version >= 4, "version {version}");
    // The waiting submission is judged by the new version.
    let mut tx = store.begin_write().await.expect("begins");
    let job = job::claim(&mut tx, "new", T0).await.expect("claims").expect("the waiting job");
    tx.commit().await.expect("commits");
    let Work::Judge(id) = job.work else { panic!("version {version}: {job:?}") };
    assert_eq!(judgement::task(store.read(), id).await.expect("reads").tests.len(), 1, "version {version}");
}
