//! What NATS' permissions and the server let a worker say and read, and what a worker says of wrong addresses and keys.

use std::path::{Path, PathBuf};
use std::process::Command;

use sqlx::Row as _;
use tokio_stream::StreamExt as _;
use touchstone::domain::hash::Sha256;

use crate::farm::{People, STORE_BYTES};
use crate::folder::Folder;
use crate::nats::Nats;
use crate::server::Server;
use crate::staff::Staff;
use crate::waiting::WAIT;
use crate::worker::Worker;

/// Runs `touchstone farm keys` for these workers.
pub fn keys(folder: &Folder, names: &[&str]) -> PathBuf {
    keys_with(folder, names, &[])
}

pub fn keys_with(folder: &Folder, names: &[&str], arguments: &[&str]) -> PathBuf {
    let out = folder.path().join("keys");
    let made = Command::new(env!("CARGO_BIN_EXE_touchstone"))
        .args(["farm", "keys", "--listen", "127.0.0.1:4222", "--out"])
        .arg(&out)
        .args(names)
        .args(arguments)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    out
}

/// NATS with the permissions that `farm keys` wrote; its address is the test's own.
pub fn guarded(keys: &Path) -> Nats {
    let written = std::fs::read_to_string(keys.join("nats.conf")).unwrap();
    let begins = |what| written.find(what);
    Nats::start_with(&written[begins("\ntls {").or_else(|| begins("\nauthorization")).unwrap()..])
}

async fn client(nats: &Nats, keys: &Path, name: &str) -> (async_nats::Client, Errors) {
    let text = std::fs::read_to_string(keys.join(format!("{name}.creds"))).unwrap();
    let seed = text.lines().find_map(|line| line.strip_prefix("seed = \"")).unwrap().trim_end_matches('"');
    let (tell, errors) = tokio::sync::mpsc::unbounded_channel();
    let client = async_nats::ConnectOptions::with_nkey(seed.to_owned())
        .custom_inbox_prefix(format!("_INBOX_{name}"))
        .event_callback(move |event| {
            let _ = tell.send(event.to_string());
            async {}
        })
        .connect(nats.url())
        .await
        .unwrap();
    (client, errors)
}

type Errors = tokio::sync::mpsc::UnboundedReceiver<String>;

/// NATS says no, to this client, about this subject.
async fn is_refused(errors: &mut Errors, subject: &str) {
    let looking = async {
        while let Some(event) = errors.recv().await {
            let event = event.to_lowercase();
            if event.contains("permissions violation") && event.contains(&subject.to_lowercase()) {
                return;
            }
        }
    };
    assert!(tokio::time::timeout(WAIT, looking).await.is_ok(), "{subject} was not refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_is_kept_to_its_own_subjects() {
    let folder = Folder::new(1).await;
    let keys = keys(&folder, &["one", "rogue"]);
    let nats = guarded(&keys);
    let creds = |name: &str| keys.join(format!("{name}.creds")).display().to_string();
    let server_creds = creds("server");
    let arguments =
        ["--nats", &nats.url(), "--nats-creds", &server_creds, "--nats-store", STORE_BYTES, "--no-embedded-worker"];
    let mut server = Server::spawn_with(folder.path(), &arguments);
    server.address().await.expect("the server ended");
    // Its permissions are enough: it prepares the problem, which needs all that a worker ever does.
    let worker = Worker::start_with(&folder, &nats.url(), "one", &["--creds", &creds("one")]);
    folder.ready().await;

    let (rogue, mut errors) = client(&nats, &keys, "rogue").await;
    for subject in ["touchstone.w.>", "touchstone.j.one.1", "_INBOX_one.>", "touchstone.b.>", "$JS.ACK.>", ">"] {
        let _heard = rogue.subscribe(subject).await.unwrap();
        is_refused(&mut errors, subject).await;
    }
    for subject in [
        "touchstone.w.one.1",
        "touchstone.j.rogue.1",
        "touchstone.bell",
        "touchstone.b.00.0",
        "$JS.API.STREAM.INFO.TOUCHSTONE_BLOBS",
        "$JS.API.STREAM.MSG.GET.TOUCHSTONE_BLOBS",
        "$JS.API.DIRECT.GET.TOUCHSTONE_BLOBS",
        "$JS.API.DIRECT.GET.TOUCHSTONE_BLOBS.touchstone.b.one.00.0",
        "$JS.API.DIRECT.GET.TOUCHSTONE_BLOBS.touchstone.b.*.*.*",
        "$JS.API.DIRECT.GET.TOUCHSTONE_BLOBS.touchstone.b.>",
        "$JS.API.DIRECT.GET.TOUCHSTONE_JOBS.touchstone.j.one.1",
        "$JS.API.CONSUMER.CREATE.TOUCHSTONE_BLOBS.x",
        "$JS.API.CONSUMER.MSG.NEXT.TOUCHSTONE_JOBS.one",
        "$JS.API.STREAM.PURGE.TOUCHSTONE_JOBS",
    ] {
        rogue.publish(subject, "{}".into()).await.unwrap();
        is_refused(&mut errors, subject).await;
    }
    worker.terminate();
    server.terminate();
}

/// What a client that speaks as this worker is answered.
async fn says(client: &async_nats::Client, subject: &str, call: &serde_json::Value) -> serde_json::Value {
    let asked = client.request(subject.to_owned(), call.to_string().into_bytes().into());
    let answer = tokio::time::timeout(WAIT, asked).await.expect("no answer").unwrap();
    serde_json::from_slice(&answer.payload).unwrap()
}

fn hello(version: &str, measure: &serde_json::Value) -> serde_json::Value {
    let clock_ms = 9_999_999_999_999_i64;
    serde_json::json!({ "hello": {
        "protocol": 1, "version": version, "slots": 1, "clock_ms": clock_ms, "measure": measure,
    } })
}

/// A worker that is allowed in, and lies.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_given_to_a_worker_it_can_neither_report_nor_read() {
    let folder = Folder::new(1).await;
    let keys = keys(&folder, &["one", "rogue"]);
    let nats = guarded(&keys);
    let server_creds = keys.join("server.creds").display().to_string();
    let arguments =
        ["--nats", &nats.url(), "--nats-creds", &server_creds, "--nats-store", STORE_BYTES, "--no-embedded-worker"];
    let token = folder.staff().await;
    let mut server = Server::spawn_with(folder.path(), &arguments);
    let address = server.address().await.expect("the server ended");
    let staff = Staff::new(&address, token);
    let creds = keys.join("one.creds").display().to_string();
    let honest = Worker::start_with(&folder, &nats.url(), "one", &["--creds", &creds]);
    folder.ready().await;
    assert!(honest.terminate().success());
    let (_tell, address) = tokio::sync::watch::channel(Some(address));
    let people = People::begin(&folder, &address);
    folder.until("a submission", "select count(*) from submission", 1).await;
    people.stop().await;
    let pool = folder.look().await;
    let measure: String = sqlx::query("select measure from worker").fetch_one(&pool).await.unwrap().get(0);
    pool.close().await;
    let measure: serde_json::Value = serde_json::from_str(&measure).unwrap();

    let (rogue, _) = client(&nats, &keys, "rogue").await;
    let own = "touchstone.w.rogue.1";
    let refused = says(&rogue, "touchstone.w.rogue.0", &hello("0.0.0", &measure)).await;
    assert!(refused["refused"].as_str().unwrap().contains("install the server's version"), "{refused}");
    let refused = says(&rogue, own, &serde_json::json!("ask")).await;
    assert!(refused["refused"].is_string(), "an old version gets no job: {refused}");
    let shown = staff.machine("rogue").await;
    assert!(shown["refused"].as_str().unwrap().contains("it runs version 0.0.0"), "{shown}");
    assert!(folder.whole_log().contains("it runs version 0.0.0"), "{}", folder.log());

    // The right version gets a job.
    let welcome = says(&rogue, "touchstone.w.rogue.0", &hello(env!("CARGO_PKG_VERSION"), &measure)).await;
    assert_eq!(welcome, "done");
    let coming = says(&rogue, own, &serde_json::json!("ask")).await;
    let Some(claim) = coming.get("coming") else { panic!("{coming}") };
    let sealed = |job: i64, token: i64| serde_json::json!({ "job": job, "token": token, "seal": claim["seal"] });
    let (job, token) = (claim["job"].as_i64().unwrap(), claim["token"].as_i64().unwrap());
    assert_eq!(says(&rogue, own, &serde_json::json!({ "renew": claim })).await, "done");
    for (other, another) in [(job + 1, token), (job, token + 1)] {
        let call = serde_json::json!({ "failed": [sealed(other, another), "x"] });
        assert_eq!(says(&rogue, own, &call).await, "lease_lost", "a claim that was never given");
    }
    assert_eq!(
        says(&rogue, "touchstone.w.rogue.2", &serde_json::json!({ "renew": claim })).await,
        "lease_lost",
        "a seal is of one slot"
    );
    let anything = "0".repeat(64);
    let unneeded = says(&rogue, own, &serde_json::json!({ "need": [claim, anything] })).await;
    assert!(unneeded["refused"].as_str().unwrap().contains("doesn't use"), "{unneeded}");
    for nonsense in ["", "null", "[]", "{\"renew\":1}", "\u{0}", "(\u{b5}/\u{fd}"] {
        let answer = rogue.request(own, nonsense.to_owned().into()).await.unwrap();
        assert!(String::from_utf8_lossy(&answer.payload).contains("refused"), "{nonsense:?}");
    }
    // What its job needs it can read.
    let next = "$JS.API.CONSUMER.MSG.NEXT.TOUCHSTONE_JOBS.rogue".to_owned();
    let inbox = rogue.new_inbox();
    let mut jobs = rogue.subscribe(inbox.clone()).await.unwrap();
    let ask = r#"{"batch":1,"expires":60000000000}"#;
    rogue.publish_with_reply(next, inbox, ask.into()).await.unwrap();
    let came = tokio::time::timeout(WAIT, jobs.next()).await.expect("no job comes").unwrap();
    let work: serde_json::Value = serde_json::from_slice(&came.payload).unwrap();
    assert_eq!(work["claim"], *claim);
    let needed = work["work"]["judge"]["sources"][0][1].as_str().unwrap();
    let contents = says(&rogue, own, &serde_json::json!({ "need": [claim, needed] })).await;
    assert!(contents["contents"]["bytes"].as_u64().unwrap() > 0, "{contents}");
    let read = format!("$JS.API.DIRECT.GET.TOUCHSTONE_BLOBS.touchstone.b.rogue.{needed}.0");
    let read = rogue.request(read, "".into()).await.unwrap();
    assert_eq!(Sha256::of(&read.payload).to_string(), needed);

    // A clock that is far off is told and changes nothing.
    let ahead = "select count(*) from worker where clock_ahead_ms > 3600000 and refused is null";
    assert_eq!(folder.count(ahead).await, 1);
    assert!(staff.machine("rogue").await["clock_ahead_ms"].as_i64().unwrap() > 3_600_000);
    assert!(folder.whole_log().contains("a worker's clock"), "{}", folder.log());
    // Asking again is a new start: the same job comes under another claim, and the old one is worth nothing.
    let again = says(&rogue, own, &serde_json::json!("ask")).await;
    assert_eq!((again["coming"]["job"].as_i64(), again["coming"]["token"].as_i64()), (Some(job), Some(token + 1)));
    assert_eq!(says(&rogue, own, &serde_json::json!({ "renew": claim })).await, "lease_lost");
    assert_eq!(
        folder.count("select max(attempts) from job where kind = 'judge'").await,
        1,
        "that was no failed attempt"
    );

    // An honest worker then does it all the same, once the other is forbidden.
    let forbidden = Command::new(env!("CARGO_BIN_EXE_touchstone"))
        .args(["farm", "forbid", "rogue", "--data"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(forbidden.status.success(), "{}", String::from_utf8_lossy(&forbidden.stderr));
    let resting = says(&rogue, own, &serde_json::json!("ask")).await;
    assert!(resting["resting"].as_str().unwrap().contains("forbidden"), "{resting}");
    damaged_contents_are_sent_again(&folder, &nats, &keys, &staff).await;
    server.terminate();
}

/// A worker that is honest does what the other could not.
async fn damaged_contents_are_sent_again(folder: &Folder, nats: &Nats, keys: &Path, staff: &Staff) {
    // It has lost its cache, and a test that was put there for it is damaged meanwhile.
    std::fs::remove_dir_all(folder.path().join("one/cache")).unwrap();
    let pool = folder.look().await;
    let input = sqlx::query("select lower(hex(input_sha256)) from test_case order by id").fetch_one(&pool).await;
    let chunk = format!("touchstone.b.one.{}.0", input.unwrap().get::<String, _>(0));
    pool.close().await;
    let (operator, _) = client(nats, keys, "server").await;
    async_nats::jetstream::new(operator).publish(chunk, "damaged".into()).await.unwrap().await.unwrap();
    let creds = keys.join("one.creds").display().to_string();
    let honest = Worker::start_with(folder, &nats.url(), "one", &["--creds", &creds]);
    folder.until("the verdict", "select count(*) = count(verdict) from judgement", 1).await;
    assert!(honest.log().contains("contents came damaged"), "{}", honest.log());
    let trouble = staff.machine("one").await["trouble"].clone();
    assert!(trouble.as_str().is_some_and(|words| words.contains("gone or damaged")), "{trouble}");
    assert!(folder.whole_log().contains("contents did not reach a worker whole"), "{}", folder.log());
    honest.terminate();
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_addresses_and_credentials_are_sentences() {
    let folder = Folder::new(1).await;
    let keys = keys(&folder, &["one"]);
    let nats = guarded(&keys);
    let creds = keys.join("one.creds").display().to_string();
    // Somebody else's key: made in another folder.
    let strange = Folder::new(0).await;
    let strange_creds = self::keys(&strange, &["one"]).join("one.creds").display().to_string();
    let garbage = folder.path().join("garbage.creds");
    std::fs::write(&garbage, "seed = SUSECRET").unwrap();
    let garbage = garbage.display().to_string();
    for (url, creds, words) in [
        (nats.url(), strange_creds.as_str(), "refuses these credentials"),
        (nats.url(), garbage.as_str(), "can't be used"),
        ("nats://".to_owned(), creds.as_str(), "is no address of NATS"),
        ("https://127.0.0.1:4222".to_owned(), creds.as_str(), "is no address of NATS"),
    ] {
        let worker = Worker::start_with(&folder, &url, "one", &["--creds", creds]);
        worker.says(words).await;
        assert!(!worker.log().contains("SUSECRET"));
        std::fs::remove_file(worker.log_file()).unwrap();
        assert_eq!(worker.ended().code(), Some(2), "{words}");
    }
    // Where nobody is, somebody may come.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let worker = Worker::start_with(&folder, &format!("nats://{closed}"), "one", &["--creds", &creds]);
    worker.says("NATS can't be reached").await;
    assert!(worker.terminate().success());
}
