//! SIGTERM: work is given back, open pages are let go, and the process is gone in time.

use std::time::{Duration, Instant};

use reqwest::StatusCode;

use crate::faults::submit;
use crate::folder::Folder;
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
    folder.until("two claims", "select count(*) from job where state = 'leased'", 2).await;
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
