//! What must hold of the file whoever writes the SQL: migrations, append-only records, whole blobs.

use sqlx::Connection as _;
use touchstone::domain::account::Role;
use touchstone::domain::hash::Sha256;
use touchstone::domain::ids::EventId;
use touchstone::domain::verdict::Verdict;
use touchstone::store::blob::{self, Blob};
use touchstone::store::{Store, StoreError, event, setting};

use crate::fixture::{Judge, T0};

#[tokio::test]
async fn a_file_opens_again_with_everything_in_it() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    let id = judge.submit(&ann, T0).await;
    judge.judge_next(Verdict::Accepted, T0).await;
    judge.store.close().await;
    let store = Store::open(&judge.folder.path().join("judge.sqlite")).await.expect("opens again");
    let row = touchstone::store::submission::row(store.read(), id).await.expect("reads").expect("is there");
    assert_eq!(row.verdict, Some(Verdict::Accepted));
}

#[tokio::test]
async fn a_second_process_may_write_beside_the_first() {
    let judge = Judge::empty().await;
    let other = Store::open(&judge.folder.path().join("judge.sqlite")).await.expect("opens beside it");
    let mut tx = other.begin_write().await.expect("begins");
    setting::set(&mut tx, "registration", "open").await.expect("writes");
    setting::set(&mut tx, "registration", "closed").await.expect("writes over it");
    tx.commit().await.expect("commits");
    let value = setting::get(judge.store.read(), "registration").await.expect("reads");
    assert_eq!(value.as_deref(), Some("closed"));
}

#[tokio::test]
async fn readers_cannot_write() {
    let judge = Judge::empty().await;
    let written = sqlx::raw_sql("insert into setting (key, value) values ('a', 'b')").execute(judge.store.read()).await;
    assert!(written.expect_err("is refused").to_string().contains("readonly"));
}

#[tokio::test]
async fn records_keep_what_is_in_them() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    judge.submit(&ann, T0).await;
    let job = judge.claim(T0).await.expect("a job");
    judge.record(job, 1, Verdict::Accepted, T0).await.expect("has the lease");
    judge.finish(job, Verdict::Accepted, T0).await.expect("has the lease");
    let root = judge.actor("root", Role::Admin).await;
    judge.service.set_withdrawn(&root, "sums", true, T0).await.expect("an act for the audit log");
    let mut tx = judge.store.begin_write().await.expect("begins");
    for (statement, why) in [
        ("update event set data = '{}'", "append-only"),
        ("delete from event", "append-only"),
        ("update audit set act = ''", "append-only"),
        ("delete from audit", "append-only"),
        ("update submission set bytes = 1", "never changes"),
        ("delete from submission", "never changes"),
        ("update submission_file set name = 'b'", "never changes"),
        ("delete from submission_file", "never changes"),
        ("update judgement set verdict = 'WA'", "written once"),
        ("update judgement set message = 'x'", "written once"),
        ("update judgement set state = 'running', verdict = null, end_ms = null", "written once"),
        ("delete from judgement", "stays readable"),
        ("update run set cpu_ms = 0", "never changes"),
        ("delete from run", "stay"),
        ("update test_case set name = 'x'", "never changes"),
        ("delete from test_case", "never changes"),
        ("update blob set contents = x'00'", "never changes"),
        ("update judgement set groups = '[]'", "written once"),
        (
            "insert into judgement select 99, submission_id, package_id, test_set_id, reason, rejudging_id, 'queued', 1,
                null, null, null, 0, null, null, null, null, null, null, 0, null, null, null from judgement",
            "UNIQUE constraint failed: judgement.submission_id",
        ),
        ("update problem set package_id = 99, test_set_id = 99; commit", "FOREIGN KEY constraint failed"),
    ] {
        let refused = sqlx::raw_sql(statement).execute(&mut *tx).await.expect_err(statement).to_string();
        assert!(refused.contains(why), "{statement}: {refused}");
    }
}

#[tokio::test]
async fn events_have_no_gaps_also_after_an_undone_transaction() {
    let judge = Judge::with_problem().await;
    let ann = judge.contestant("ann").await;
    judge.submit(&ann, T0).await;
    let mut tx = judge.store.begin_write().await.expect("begins");
    touchstone::store::contest::ensure_practice(&mut tx, T0).await.expect("is there");
    let slug = "other".parse().expect("a slug");
    touchstone::store::problem::insert(&mut tx, &slug, T0).await.expect("inserts");
    drop(tx);
    judge.judge_next(Verdict::Accepted, T0).await;
    let events = event::after(judge.store.read(), EventId(0), 10_000).await.expect("reads");
    let numbers: Vec<i64> = events.iter().map(|event| event.id.0).collect();
    let last = i64::try_from(numbers.len()).expect("few");
    assert_eq!(numbers, (1..=last).collect::<Vec<_>>());
    assert_eq!(*judge.store.events().borrow(), EventId(last));
}

#[tokio::test]
async fn blobs_are_checked_when_they_are_read() {
    let judge = Judge::empty().await;
    let large = Blob::prepare(b"0 1 2 3 4 5 6 7 8 9\n".repeat(50_000)).await.expect("is packed");
    let mut tx = judge.store.begin_write().await.expect("begins");
    blob::insert(&mut tx, &large).await.expect("inserts");
    blob::insert(&mut tx, &large).await.expect("a second time changes nothing");
    tx.commit().await.expect("commits");
    assert_eq!(blob::read(judge.store.read(), large.sha256()).await.expect("reads").len(), 1_000_000);
    let missing = blob::read(judge.store.read(), Sha256::of(b"never written")).await;
    assert!(matches!(missing, Err(StoreError::BlobMissing(_))));

    let url = format!("sqlite://{}", judge.folder.path().join("judge.sqlite").display());
    let mut raw = sqlx::SqliteConnection::connect(&url).await.expect("opens");
    sqlx::raw_sql("drop trigger blob_keeps_update; update blob set contents = substr(contents, 1, 100)")
        .execute(&mut raw)
        .await
        .expect("damages");
    let damaged = blob::read(judge.store.read(), large.sha256()).await;
    assert!(matches!(damaged, Err(StoreError::BlobDamaged(_))));
}
