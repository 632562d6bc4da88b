//! What is wrong with NATS or a machine is a sentence on the page and in the log; jobs wait or go elsewhere, and no verdict is
//! made up.

use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

use crate::farm::{STORE_BYTES, serve};
use crate::farm_trust::{guarded, keys};
use crate::faults::submit;
use crate::folder::Folder;
use crate::nats::Nats;
use crate::server::Server;
use crate::staff::Staff;
use crate::worker::Worker;

const PROGRAM: &str = "print(sum(map(int, input().split())))";
const RIGHT: &str = "select count(*) from judgement where verdict = 'AC'";

/// An address where nobody is.
fn nowhere() -> String {
    format!("nats://{}", std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap())
}

/// The judge says in both places what is wrong, once in the log, and judges by itself meanwhile.
async fn is_told_and_judged(folder: &Folder, staff: String, arguments: &[&str], words: &str) {
    let mut server = Server::spawn_with(folder.path(), arguments);
    let address = server.address().await.expect("the server ended");
    Staff::new(&address, staff).is_told(Some(words)).await;
    folder.ready().await;
    submit(&address, &folder.tokens[0], PROGRAM).await;
    folder.until("the verdict", RIGHT, 1).await;
    let told = folder.whole_log().matches(words).count();
    assert_eq!(told, 1, "once, not every few seconds: {}", folder.log());
    assert!(server.terminate().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nats_that_is_not_there_is_told_and_the_server_judges_itself() {
    let folder = Folder::new(1).await;
    let staff = folder.staff().await;
    is_told_and_judged(&folder, staff, &["--nats", &nowhere()], "NATS can't be reached").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nats_without_room_is_told_and_the_server_judges_itself() {
    let (folder, nats) = (Folder::new(1).await, Nats::start());
    let staff = folder.staff().await;
    // More than the JetStream of these tests may hold.
    let arguments = ["--nats", &nats.url(), "--nats-store", "1099511627776"];
    is_told_and_judged(&folder, staff, &arguments, "can't keep jobs and contents").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nats_that_refuses_the_server_is_told_and_the_server_judges_itself() {
    let folder = Folder::new(1).await;
    let staff = folder.staff().await;
    let nats = guarded(&keys(&folder, &["one"]));
    // Of another judge.
    let strange = Folder::new(0).await;
    let strange = keys(&strange, &["one"]).join("server.creds").display().to_string();
    is_told_and_judged(&folder, staff, &["--nats", &nats.url(), "--nats-creds", &strange], "refuses these credentials")
        .await;
}

/// What a NATS says that is older than any that can still be installed: its greeting, and that it lives.
async fn of_version(version: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("nats://{}", listener.local_addr().unwrap());
    let info = json!({
        "server_id": "old", "server_name": "old", "version": version, "go": "go1.17", "host": "0.0.0.0", "port": 4222,
        "headers": true, "max_payload": 1_048_576, "proto": 1,
    });
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let info = format!("INFO {info}\r\n");
            tokio::spawn(async move {
                let (heard, mut says) = stream.into_split();
                let mut heard = BufReader::new(heard).lines();
                says.write_all(info.as_bytes()).await?;
                while let Some(line) = heard.next_line().await? {
                    if line == "PING" {
                        says.write_all(b"PONG\r\n").await?;
                    }
                }
                Ok::<_, std::io::Error>(())
            });
        }
    });
    url
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nats_that_is_too_old_is_told_and_the_server_judges_itself() {
    let folder = Folder::new(1).await;
    let staff = folder.staff().await;
    let url = of_version("2.8.4").await;
    is_told_and_judged(&folder, staff, &["--nats", &url], "has version 2.8.4; 2.9 or later is needed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nats_that_goes_away_is_told_until_it_is_back() {
    let (folder, mut nats) = (Folder::new(1).await, Nats::start());
    let token = folder.staff().await;
    let mut server = serve(&folder, &nats.url());
    let address = server.address().await.expect("the server ended");
    let staff = Staff::new(&address, token);
    let worker = Worker::start(&folder, &nats.url(), "one");
    folder.ready().await;
    staff.is_told(None).await;
    nats.kill();
    staff.is_told(Some("broke; it is tried again")).await;
    submit(&address, &folder.tokens[0], PROGRAM).await;
    nats.start_again();
    staff.is_told(None).await;
    folder.until("the verdict", RIGHT, 1).await;
    assert!(folder.whole_log().contains("the connection to NATS broke"), "{}", folder.log());
    assert!(worker.terminate().success());
    assert!(server.terminate().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nats_that_becomes_full_is_told_and_the_job_waits_without_a_verdict() {
    let (folder, nats) = (Folder::new(1).await, Nats::start_holding("127.0.0.1", "", "80M"));
    let token = folder.staff().await;
    let mut server = serve(&folder, &nats.url());
    let address = server.address().await.expect("the server ended");
    let staff = Staff::new(&address, token);
    let worker = Worker::start(&folder, &nats.url(), "one");
    folder.ready().await;
    // Somebody else's messages take what is left.
    let stream = async_nats::jetstream::new(async_nats::connect(nats.url()).await.unwrap());
    let filling = vec![7_u8; 900_000];
    while stream.publish("touchstone.j.filler.1", filling.clone().into()).await.unwrap().await.is_ok() {}
    submit(&address, &folder.tokens[0], PROGRAM).await;
    staff.is_told(Some("NATS takes no job")).await;
    assert!(folder.whole_log().contains("NATS takes no job"), "{}", folder.log());
    let waits = "select count(*) from job where kind = 'judge' and attempts <= 1 and state in ('queued', 'leased')";
    assert_eq!(folder.count(waits).await, 1, "that was no failed attempt");
    assert_eq!(folder.count("select count(*) from judgement where verdict is null").await, 1);
    // There is room again.
    stream.get_stream("TOUCHSTONE_JOBS").await.unwrap().purge().await.unwrap();
    folder.until("the verdict", RIGHT, 1).await;
    staff.is_told(None).await;
    assert!(worker.terminate().success());
    assert!(server.terminate().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_fails_on_one_machine_goes_to_another() {
    let folder = Folder::new(1).await;
    let nats = Nats::start();
    let token = folder.staff().await;
    let mut server = Server::spawn_with(
        folder.path(),
        &["--nats", &nats.url(), "--no-embedded-worker", "--nats-store", STORE_BYTES],
    );
    let address = server.address().await.expect("the server ended");
    let staff = Staff::new(&address, token);
    let broken = Worker::start(&folder, &nats.url(), "broken");
    folder.ready().await;
    // Its cache is no folder any more: nothing can be kept there.
    let blobs = folder.path().join("broken/cache/blobs");
    std::fs::remove_dir_all(&blobs).unwrap();
    std::fs::write(&blobs, "").unwrap();
    submit(&address, &folder.tokens[0], PROGRAM).await;
    folder.until("the failure", "select count(*) from job where failed_on = 'broken'", 1).await;
    let whole = Worker::start(&folder, &nats.url(), "whole");
    folder.until("the verdict", RIGHT, 1).await;
    let by = "select count(*) from job where kind = 'judge' and state = 'done' and worker = 'whole/1'";
    assert_eq!(folder.count(by).await, 1);
    let trouble = staff.machine("broken").await["trouble"].clone();
    assert!(trouble.as_str().is_some_and(|words| !words.is_empty()), "the page says what went wrong: {trouble}");
    assert!(folder.whole_log().contains("it goes to another"), "{}", folder.log());
    for worker in [broken, whole] {
        assert!(worker.terminate().success());
    }
    assert!(server.terminate().success());
}
