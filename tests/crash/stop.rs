//! SIGTERM: work is given back, open pages are let go, and the process is gone in time.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reqwest::StatusCode;
use rustix::process::Signal;

use crate::faults::{DONE, GO_ON, LEASED, RIGHT, patient, submit};
use crate::folder::{Folder, TESTS};
use crate::server::Server;
use crate::waiting::{LOOK_EVERY, WAIT, descendants, tell, waiting, waits};

/// What is promised: systemd and people wait no longer.
const STOP_WITHIN: Duration = Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread")]
async fn sigterm_gives_work_back_and_ends_in_time() {
    let folder = Folder::new(2).await;
    let mut server = Server::spawn(folder.path());
    let address = server.address().await.expect("the server ended");
    folder.ready().await;
    // Both workers sit on a program that waits until its wall time is over.
    for token in &folder.tokens {
        submit(&address, token, "import time\ntime.sleep(1000)\n").await;
    }
    folder.until("two claims", LEASED, 2).await;
    // Somebody follows a live page, and somebody has sent half a request.
    let follower = reqwest::get(format!("{address}/scoreboard/events")).await.unwrap();
    assert_eq!(follower.status(), StatusCode::OK);
    let mut half = tokio::net::TcpStream::connect(address.trim_start_matches("http://")).await.unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut half, b"POST /login HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nab")
        .await
        .unwrap();

    let asked = Instant::now();
    let status = server.terminate();
    assert!(status.success(), "{status}: {}", folder.log());
    // A bound of the promise itself, not a measurement.
    assert!(asked.elapsed() < STOP_WITHIN, "it took {:?}", asked.elapsed());
    let given_back = folder
        .count("select count(*) from job where state = 'queued' and attempts = 0 and lease_until_ms is null and kind = 'judge'")
        .await;
    assert_eq!(given_back, 2, "both jobs are given back, as if never begun");
    drop(half);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_stop_finds_in_the_middle_is_finished_by_the_next_server() {
    const EACH: i64 = 3;
    let folder = Folder::new(2).await;
    let mut server = Server::spawn(folder.path());
    let mut address = server.address().await.expect("the server ended");
    folder.ready().await;
    // Some run, some wait; each stop comes in the middle of a claim.
    for round in 1..=2 {
        for number in 1..=EACH {
            for token in &folder.tokens {
                submit(&address, token, &format!("{}# {round} {number}\n", patient())).await;
            }
        }
        folder.until("two claims", LEASED, 2).await;
        let asked = Instant::now();
        let status = server.terminate();
        assert!(status.success(), "{status}: {}", folder.log());
        assert!(asked.elapsed() < STOP_WITHIN, "it took {:?}", asked.elapsed());
        assert_eq!(folder.count("select count(*) from job where state = 'leased'").await, 0, "nothing is left claimed");
        server = Server::spawn(folder.path());
        address = server.address().await.expect("the server ended");
    }
    let all = 2 * 2 * EACH;
    folder.until_doing("all verdicts", DONE, all, || tell(server.id(), GO_ON)).await;
    assert_eq!(folder.count(RIGHT).await, all, "each is right, and judged once; the log: {}", folder.log());
    assert_eq!(folder.count("select count(*) from judgement").await, all);
    let counted = "select coalesce(sum(attempts > 1 or interruptions > 0), 0) from job where kind = 'judge'";
    assert_eq!(folder.count(counted).await, 0, "a stop counts as no attempt");
    assert_eq!(folder.count("select count(*) from run").await, all * i64::try_from(TESTS).unwrap());
    assert!(server.terminate().success());
}

/// The control groups that a server's sandbox has made.
fn groups(server: u32) -> Vec<PathBuf> {
    fn below(folder: &Path, prefix: &str, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if entry.file_name().to_string_lossy().starts_with(prefix) {
                    found.push(entry.path());
                }
                below(&entry.path(), prefix, found);
            }
        }
    }
    let mut found = Vec::new();
    below(Path::new("/sys/fs/cgroup"), &format!("touchstone.{server}."), &mut found);
    found
}

/// A stop in the middle of this kind of job, while a program of the package waits. It takes little time and leaves
/// nothing; the next server begins the work anew, and then it ends as it should.
async fn stop_in_the_middle(signal: Signal, kind: &'static str, changes: &[(&str, &str)], tests: i64) {
    let folder = Folder::with(0, changes).await;
    let mut server = Server::spawn(folder.path());
    server.address().await.expect("the server ended");
    let mut looks = tokio::time::interval(LOOK_EVERY);
    let waits = async {
        while waiting(server.id(), signal).is_empty() {
            looks.tick().await;
        }
    };
    tokio::time::timeout(WAIT, waits).await.unwrap_or_else(|_| panic!("nothing waits; the log: {}", folder.log()));
    let leased = match kind {
        "prepare" => "select count(*) from job where kind = 'prepare' and state = 'leased'",
        _ => "select count(*) from job where kind = 'verify' and state = 'leased'",
    };
    assert_eq!(folder.count(leased).await, 1, "the program that waits is the {kind} job's");

    let (id, all) = (server.id(), descendants(server.id()));
    // Only where the host has groups to make; then there must be some.
    let had_groups = !groups(id).is_empty();
    let asked = Instant::now();
    let status = server.terminate();
    assert!(status.success(), "{status}: {}", folder.log());
    assert!(asked.elapsed() < STOP_WITHIN, "it took {:?}", asked.elapsed());
    // The kernel may still be burying the last of them.
    let left = || all.iter().copied().filter(|pid| Path::new(&format!("/proc/{pid}")).exists()).collect::<Vec<u32>>();
    let buried = async {
        while !left().is_empty() {
            looks.tick().await;
        }
    };
    let buried = tokio::time::timeout(STOP_WITHIN, buried).await;
    assert!(buried.is_ok(), "processes of the sandbox are left: {:?}", left());
    assert_eq!(groups(id), Vec::<PathBuf>::new(), "groups are left (there were some: {had_groups})");
    let given_back = "select count(*) from job where state = 'queued' and attempts = 0 and lease_until_ms is null";
    assert_eq!(folder.count(given_back).await, 1, "the job is given back, as if never begun: {}", folder.log());
    assert_eq!(folder.count("select count(*) from problem where state = 'published'").await, 0);

    let mut server = Server::spawn(folder.path());
    server.address().await.expect("the server ended");
    let published = "select count(*) from problem where state = 'published'";
    folder.until_doing("the problem", published, 1, || tell(server.id(), signal)).await;
    assert_eq!(folder.count("select count(*) from test_case").await, tests, "each test is there once");
    assert_eq!(folder.count("select coalesce(sum(attempts > 1 or interruptions > 0), 0) from job").await, 0);
    assert!(server.terminate().success());
    let work = folder.path().join("cache/work");
    assert_eq!(std::fs::read_dir(work).map_or(0, Iterator::count), 0, "folders of work are left");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_in_the_middle_of_a_preparation_leaves_nothing() {
    let validator = waits(Signal::USR2, "import sys\nsys.stdin.read()\nsys.exit(42)\n");
    let changes = [("input_validators/two.py", validator.as_str())];
    stop_in_the_middle(Signal::USR2, "prepare", &changes, 3).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_in_the_middle_of_a_verification_leaves_nothing() {
    let wrong = waits(Signal::URG, "print('no number')\n");
    stop_in_the_middle(Signal::URG, "verify", &[("submissions/wrong_answer/w.py", &wrong)], 3).await;
}
