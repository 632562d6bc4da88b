//! SIGTERM: work is given back, open pages are let go, and the process is gone in time.

use std::time::{Duration, Instant};

use reqwest::StatusCode;

use crate::faults::{DONE, LEASED, RIGHT, SLOW, submit};
use crate::folder::{Folder, TESTS};
use crate::server::Server;

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
                submit(&address, token, &format!("{SLOW}# {round} {number}\n")).await;
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
    folder.until("all verdicts", DONE, all).await;
    assert_eq!(folder.count(RIGHT).await, all, "each is right, and judged once; the log: {}", folder.log());
    assert_eq!(folder.count("select count(*) from judgement").await, all);
    let counted = "select coalesce(sum(attempts > 1 or interruptions > 0), 0) from job where kind = 'judge'";
    assert_eq!(folder.count(counted).await, 0, "a stop counts as no attempt");
    assert_eq!(folder.count("select count(*) from run").await, all * i64::try_from(TESTS).unwrap());
    assert!(server.terminate().success());
}
