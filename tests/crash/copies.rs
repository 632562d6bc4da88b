//! Receipts and backups: judgements made again from the stored file, copies taken from a running server and put back.

use std::path::Path;
use std::process::{Command, Output};

use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};

use crate::faults::submit;
use crate::folder::Folder;
use crate::server::Server;

fn touchstone(folder: &Folder, arguments: &[&str]) -> Output {
    let languages = folder.path().join("languages.toml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchstone"));
    command.args(arguments);
    if arguments[0] != "restore" {
        command.arg("--languages").arg(languages);
    }
    command.output().unwrap()
}

/// What it printed; it must end with this code.
fn said(folder: &Folder, arguments: &[&str], code: i32) -> String {
    let output = touchstone(folder, arguments);
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    text
}

/// Changes what the program itself never changes.
pub async fn tamper(database: &Path, sql: &'static str) {
    let pool = SqlitePoolOptions::new()
        .max_connections(1)
        .connect_with(SqliteConnectOptions::new().filename(database))
        .await
        .unwrap();
    sqlx::raw_sql(sql).execute(&pool).await.unwrap();
    pool.close().await;
}

/// A folder in which three programs were judged: right, wrong, failing. Its server still runs.
async fn judged() -> (Folder, Server) {
    let folder = Folder::new(1).await;
    let mut server = Server::spawn(folder.path());
    let address = server.address().await.expect("the server ended");
    folder.ready().await;
    for source in ["print(sum(map(int, input().split())))", "print(3)", "raise SystemExit(1)"] {
        submit(&address, &folder.tokens[0], source).await;
    }
    folder.until("all verdicts", "select count(*) from judgement where state = 'done'", 3).await;
    (folder, server)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receipt_is_verified_and_says_what_differs() {
    let (folder, server) = judged().await;
    let database = folder.database();
    let file = database.to_str().unwrap();
    // Beside the running server.
    for (id, verdict) in [("1", "AC"), ("2", "WA"), ("3", "RTE")] {
        let text = said(&folder, &["receipt", "verify", id, "--database", file], 0);
        assert!(text.contains(&format!("{verdict} now; it comes out the same")), "{text}");
    }
    let shown = said(&folder, &["receipt", "show", "1", "--database", file], 0);
    for part in [
        "source: ",
        "tests: ",
        "checker: ",
        "tools / python3: ",
        "flags: ",
        "limits / cpu_ms: 5000",
        "sandbox: ",
        "host / kernel: ",
    ] {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
    assert!(said(&folder, &["receipt", "verify", "9", "--database", file], 2).contains("there is no submission 9"));
    assert!(server.terminate().success());

    // Another compiler, as if the receipt came from it.
    tamper(
        &database,
        "drop trigger judgement_verdict_once;
        update judgement set receipt = json_set(receipt, '$.tools.python3', 'another', '$.host.kernel', 'older')
        where submission_id = 1;
        update judgement set verdict = 'AC' where submission_id = 2;",
    )
    .await;
    let text = said(&folder, &["receipt", "verify", "1", "--database", file], 1);
    assert!(text.contains("tools / python3: it was another, now it is "), "{text}");
    assert!(text.contains("host / kernel: it was older") && text.contains("(this doesn't count)"), "{text}");
    assert!(text.contains("AC now; it differs"), "{text}");
    let text = said(&folder, &["receipt", "verify", "2", "--database", file], 1);
    assert!(text.contains("verdict: it was AC, now it is WA"), "{text}");
    assert!(!text.contains("limits"), "only what differs is told: {text}");
    // Another limit, as if somebody had changed it behind the judge's back.
    tamper(&database, "update package set cpu_ms = 6000").await;
    let text = said(&folder, &["receipt", "verify", "3", "--database", file], 1);
    assert!(text.contains("limits / cpu_ms: it was 5000, now it is 6000"), "{text}");
    // Contents that are not what they were: our fault, and no verdict.
    tamper(&database, "drop trigger blob_keeps_update; update blob set contents = x'00' where encoding = 'raw'").await;
    let text = said(&folder, &["receipt", "verify", "3", "--database", file], 2);
    assert!(text.contains("damaged"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_a_running_server_is_whole_verified_and_put_back() {
    let (folder, server) = judged().await;
    let data = folder.path().to_str().unwrap();
    let copy = folder.path().join("copy.sqlite");
    let copy = copy.to_str().unwrap();
    let text = said(&folder, &["backup", copy, "--data", data, "--verify", "3"], 0);
    assert!(text.contains("3 judgements were made again; all hold"), "{text}");
    assert!(said(&folder, &["backup", copy, "--data", data], 2).contains("is there already"));
    // What comes after the copy is not in it.
    tamper(&folder.database(), "update setting set value = value").await;
    let text = said(&folder, &["restore", copy, "--data", data, "--replace"], 2);
    assert!(text.contains("another server or worker already uses the data folder"), "{text}");
    assert!(server.terminate().success());
    let text = said(&folder, &["restore", copy, "--data", data], 2);
    assert!(text.contains("--replace"), "{text}");
    tamper(&folder.database(), "delete from api_token").await;
    said(&folder, &["restore", copy, "--data", data, "--replace"], 0);
    assert!(folder.path().join("touchstone.sqlite.replaced").is_file(), "what was there is kept beside");
    assert_eq!(folder.count("select count(*) from api_token").await, 1, "as it was when the copy was taken");

    // The restored judge works on.
    let mut server = Server::spawn(folder.path());
    let address = server.address().await.expect("the server ended");
    submit(&address, &folder.tokens[0], "print(1 + sum(map(int, input().split())))").await;
    folder.until("a new verdict", "select count(*) from judgement where state = 'done'", 4).await;
    assert!(server.terminate().success());

    // A copy that somebody damaged, and a file that is none, are refused.
    let mut bytes = std::fs::read(copy).unwrap();
    let half = bytes.len() / 2;
    bytes[half..half + 4096].fill(0xff);
    let damaged = folder.path().join("damaged.sqlite");
    std::fs::write(&damaged, bytes).unwrap();
    let text = said(&folder, &["restore", damaged.to_str().unwrap(), "--data", data, "--replace"], 2);
    assert!(text.contains("damaged") || text.contains("malformed"), "{text}");
    std::fs::write(&damaged, "nothing of the kind").unwrap();
    let text = said(&folder, &["restore", damaged.to_str().unwrap(), "--data", data, "--replace"], 2);
    assert!(text.contains("damaged.sqlite can't be used: it is no SQLite database"), "{text}");
    assert_eq!(folder.count("select count(*) from judgement where state = 'done'").await, 4, "nothing was replaced");
}
