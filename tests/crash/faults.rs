//! What the server stands on goes away under it: its sandbox helper, its cache. It says nothing wrong and goes on.

use std::path::Path;

use reqwest::StatusCode;
use rustix::process::Signal;

use crate::folder::Folder;
use crate::server::Server;
use crate::waiting::{descendants, tell, waits};

/// What the programs wait for that are to be in the middle when harm is done.
pub const GO_ON: Signal = Signal::USR1;

/// A right program that goes on at each test only when it is told to.
pub fn patient() -> String {
    waits(GO_ON, "print(sum(map(int, input().split())))\n")
}

pub async fn submit(server: &str, token: &str, source: &str) {
    let form = reqwest::multipart::Form::new()
        .text("problem", "sum")
        .text("language", "python3")
        .part("code[]", reqwest::multipart::Part::text(source.to_owned()).file_name("a.py"));
    let answer = reqwest::Client::new()
        .post(format!("{server}/api/v4/contests/practice/submissions"))
        .bearer_auth(token)
        .header("Idempotency-Key", format!("{:?}", std::time::Instant::now()))
        .multipart(form)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), StatusCode::OK, "{}", answer.text().await.unwrap());
}

pub const DONE: &str = "select count(*) from judgement where state = 'done'";
pub const RIGHT: &str = "select count(*) from judgement where verdict = 'AC' and valid = 1";
pub const LEASED: &str = "select count(*) from job where state = 'leased' and kind = 'judge'";

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_sandbox_helper_costs_nobody_a_verdict() {
    let folder = Folder::new(2).await;
    let mut server = Server::spawn(folder.path());
    let address = server.address().await.expect("the server ended");
    folder.ready().await;
    for round in 1..=2 {
        for token in &folder.tokens {
            submit(&address, token, &patient()).await;
        }
        folder.until("two claims", LEASED, 2).await;
        let helpers = descendants(server.id());
        assert!(!helpers.is_empty(), "the sandbox has processes of its own");
        for pid in helpers {
            // It may have ended by itself or with its parent.
            let _ = std::process::Command::new("kill")
                .args(["-9", &pid.to_string()])
                .stderr(std::process::Stdio::null())
                .status();
        }
        folder.until_doing("both verdicts", DONE, 2 * round, || tell(server.id(), GO_ON)).await;
        assert_eq!(folder.count(RIGHT).await, 2 * round, "never the contestant's fault; the log: {}", folder.log());
    }
    assert!(server.terminate().success());
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() { found.extend(files(&entry.path())) } else { found.push(entry.path()) }
    }
    found
}

/// The server may put something in while this goes on.
fn delete(folder: &Path) {
    while let Err(error) = std::fs::remove_dir_all(folder) {
        match error.kind() {
            std::io::ErrorKind::DirectoryNotEmpty => {}
            std::io::ErrorKind::NotFound => break,
            _ => panic!("{}: {error}", folder.display()),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cache_that_is_deleted_or_damaged_is_filled_again() {
    let folder = Folder::new(2).await;
    let mut server = Server::spawn(folder.path());
    let address = server.address().await.expect("the server ended");
    folder.ready().await;
    submit(&address, &folder.tokens[0], "print(sum(map(int, input().split())))").await;
    folder.until("the first verdict", DONE, 1).await;
    let cache = folder.path().join("cache");

    // Deleted while the server works, and while a program runs.
    submit(&address, &folder.tokens[0], &patient()).await;
    folder.until("a claim", LEASED, 1).await;
    delete(&cache);
    folder.until_doing("the verdict", DONE, 2, || tell(server.id(), GO_ON)).await;
    submit(&address, &folder.tokens[1], "print(sum(map(int, input().split())), end='')").await;
    folder.until("the next verdict", DONE, 3).await;
    assert_eq!(folder.count(RIGHT).await, 3, "the log: {}", folder.log());

    // Damaged while the server works: as long as before, and shorter.
    for (round, damage) in [(4, true), (5, false)] {
        for file in files(&cache.join("blobs")) {
            let mut contents = std::fs::read(&file).unwrap();
            if damage {
                contents.fill(b'7');
            } else {
                contents.clear();
            }
            std::fs::remove_file(&file).unwrap();
            std::fs::write(&file, contents).unwrap();
        }
        submit(&address, &folder.tokens[1], &format!("print(sum(map(int, input().split())))# {round}")).await;
        folder.until("the verdict", DONE, round).await;
        assert_eq!(
            folder.count(RIGHT).await,
            round,
            "damage is never the contestant's fault; the log: {}",
            folder.log()
        );
    }
    assert!(server.terminate().success());
}
