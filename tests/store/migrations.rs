//! Files of every earlier version open, and keep what is in them.
//!
//! `fixtures/at_NNNN.sql` holds what the version with that migration can hold beyond the one before. A new migration is
//! tried from every earlier version without a change here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use sqlx::{AssertSqlSafe, Row as _, SqlitePool};
use touchstone::domain::hash::Sha256;
use touchstone::domain::ids::{AccountId, JudgementId, RejudgingId, SubmissionId, VerificationId};
use touchstone::domain::verdict::Verdict;
use touchstone::store::job::Work;
use touchstone::store::{
    Store, api_token, backup, blob, clarification, contest, contest_team, counterexample, event, invitation, job,
    judgement, rejudging, roster, second_step, submission, verification,
};

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

/// The tables and their columns.
async fn tables(pool: &SqlitePool) -> BTreeMap<String, BTreeSet<String>> {
    let columns = sqlx::raw_sql(
        "select t.name, c.name from sqlite_schema t, pragma_table_info(t.name) c
        where t.type = 'table' and t.name not like 'sqlite_%' and t.name not like '_sqlx%'",
    );
    let mut tables: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in columns.fetch_all(pool).await.expect("reads") {
        tables.entry(row.get(0)).or_default().insert(row.get(1));
    }
    tables
}

/// The rows of a table, as these columns say.
async fn rows(pool: &SqlitePool, table: &str, columns: &BTreeSet<String>) -> BTreeSet<String> {
    let said: Vec<String> = columns.iter().map(|name| format!("'{name}=' || quote({name})")).collect();
    let sql = format!("select {} from {table}", said.join(" || ' ' || "));
    let rows = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_all(pool).await.expect("reads");
    rows.iter().map(|row| row.get(0)).collect()
}

/// What has rows in some fixture of this version or an earlier one; the others hold nothing that could be lost.
async fn empty_tables(pool: &SqlitePool) -> Vec<String> {
    let mut empty = Vec::new();
    for (table, columns) in tables(pool).await {
        if rows(pool, &table, &columns).await.is_empty() {
            empty.push(table);
        }
    }
    empty
}

#[tokio::test]
async fn a_file_of_every_earlier_version_opens_and_keeps_what_is_in_it() {
    let versions: Vec<u32> = numbered("migrations", "").into_iter().map(|(number, _)| number).collect();
    assert!(versions.len() >= 4, "{versions:?}");
    for version in versions {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("judge.sqlite");
        let pool = file_at(version, &file, &folder.path().join("migrations")).await;
        assert_eq!(empty_tables(&pool).await, Vec::<String>::new(), "write a fixture for what version {version} adds");
        let kept = tables(&pool).await;
        let mut before = BTreeMap::new();
        for (table, columns) in &kept {
            before.insert(table, rows(&pool, table, columns).await);
        }
        pool.close().await;

        let store = Store::open(&file).await.unwrap_or_else(|error| panic!("version {version}: {error}"));
        for (table, columns) in &kept {
            let after = rows(store.read(), table, columns).await;
            let lost: Vec<_> = before[table].difference(&after).collect();
            assert!(lost.is_empty(), "version {version}: {table} no longer has {lost:#?}, but {after:#?}");
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
    if version >= 3 {
        let parts = blob::read(store.read(), Sha256::of(b"aaaaaaaaaabbbbb")).await.expect("reads");
        assert_eq!(parts, b"aaaaaaaaaabbbbb", "version {version}: a blob in parts");
        let programs = verification::programs(store.read(), VerificationId(7)).await.expect("reads");
        assert_eq!(programs.len(), 2, "version {version}");
        let scored = judgement::of_submission(store.read(), SubmissionId(3)).await.expect("reads");
        assert_eq!(scored[0].score, Some(40.0), "version {version}");
        assert!(scored[0].groups.is_some(), "version {version}");
    }
    if version >= 5 {
        let undone = rejudging::by_id(store.read(), RejudgingId(2)).await.expect("reads").expect("is there");
        assert!(undone.undone.is_some() && undone.left_out == 1, "version {version}: {undone:?}");
        let lynx = roster::team(store.read(), "7").await.expect("reads").expect("is there");
        assert_eq!(roster::groups_of(store.read(), lynx.id).await.expect("reads"), ["nordic"], "version {version}");
        let invitations = invitation::list(store.read(), 10).await.expect("reads");
        assert_eq!((invitations[0].places, invitations[0].used), (30, 4), "version {version}");
    }
    if version >= 6 {
        let cup = contest::by_slug(store.read(), "cup").await.expect("reads").expect("is there");
        assert!(cup.paused.is_some() && cup.practice_after && cup.languages.is_some(), "version {version}");
        assert_eq!(contest_team::invited(store.read(), cup.id).await.expect("reads").len(), 2, "version {version}");
    }
    let cup = contest::by_slug(store.read(), "cup").await.expect("reads");
    let from = cup.map_or(contest::PointsFrom::Submissions, |cup| cup.points_from);
    assert_eq!(from == contest::PointsFrom::Groups, version >= 16, "version {version}");
    if version >= 8 {
        let found = counterexample::of_judgement(store.read(), JudgementId(1)).await.expect("reads");
        assert!(found.is_some(), "version {version}");
    }
    let standing = second_step::standing(store.read(), AccountId(2)).await.expect("reads");
    assert_eq!(standing.on, version >= 10, "version {version}");
    // The waiting submission is judged by the new version.
    let mut tx = store.begin_write().await.expect("begins");
    let job = job::claim(&mut tx, "new", T0).await.expect("claims").expect("the waiting job");
    tx.commit().await.expect("commits");
    let Work::Judge(id) = job.work else { panic!("version {version}: {job:?}") };
    assert_eq!(judgement::task(store, id).await.expect("reads").tests.len(), 1, "version {version}");
}
