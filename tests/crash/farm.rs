//! Workers on other machines, as processes of their own with a real NATS in between.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use rustix::process::Signal;
use sqlx::Row as _;
use tokio::sync::watch;

use crate::faults::submit;
use crate::folder::{Folder, TESTS, with_time_limit};
use crate::nats::Nats;
use crate::people::{Accepted, check, events, hand_in};
use crate::server::Server;
use crate::waiting::{LOOK_EVERY, WAIT, descendants, tell, waiting, waits};
use crate::worker::Worker;

/// Small: what does not fit is put in again.
pub const STORE_BYTES: &str = "67108864";

/// The server without a worker of its own, so that whatever is judged is judged elsewhere.
pub fn serve(folder: &Folder, nats: &str) -> Server {
    Server::spawn_with(folder.path(), &["--nats", nats, "--no-embedded-worker", "--nats-store", STORE_BYTES])
}

/// People who hand in until `enough`.
pub struct People {
    handing_in: Vec<tokio::task::JoinHandle<Accepted>>,
    say_enough: watch::Sender<bool>,
}

impl People {
    pub fn begin(folder: &Folder, address: &watch::Receiver<Option<String>>) -> Self {
        let ((say_enough, enough), unanswered) = (watch::channel(false), Arc::new(AtomicUsize::new(0)));
        let one = |token: &String| {
            tokio::spawn(hand_in(token.clone(), address.clone(), enough.clone(), Arc::clone(&unanswered), None))
        };
        Self { handing_in: folder.tokens.iter().map(one).collect(), say_enough }
    }

    /// What they were told.
    pub async fn stop(self) -> Accepted {
        self.say_enough.send_replace(true);
        let mut accepted = Accepted::new();
        for one in self.handing_in {
            accepted.extend(one.await.unwrap());
        }
        accepted
    }
}

/// Waits for the last verdict and looks at what is there.
async fn all_judged_once(folder: &Folder, accepted: &Accepted) {
    let all = i64::try_from(accepted.len()).unwrap();
    folder.until("the last verdict", "select count(*) from judgement where state = 'done'", all).await;
    let pool = folder.look().await;
    let followed = events(&pool, 0).await;
    check(&pool, accepted, &followed).await;
    pool.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_workers_prepare_and_judge_everything() {
    let (folder, nats) = (Folder::new(3).await, Nats::start());
    let mut server = serve(&folder, &nats.url());
    let address = server.address().await.expect("the server ended");
    assert_eq!(descendants(server.id()), [0; 0], "it needs no sandbox of its own");
    let workers = [Worker::start(&folder, &nats.url(), "one"), Worker::start(&folder, &nats.url(), "two")];
    // The package is prepared and verified by a worker: what it makes comes back as contents.
    folder.ready().await;
    let (_tell, address) = watch::channel(Some(address));
    let people = People::begin(&folder, &address);
    folder.until("submissions", "select count(*) from submission", 12).await;
    let by_both = "select count(distinct worker) from job where kind = 'judge' and state = 'done'";
    folder.until("work of both", by_both, 2).await;
    let accepted = people.stop().await;
    all_judged_once(&folder, &accepted).await;

    let pool = folder.look().await;
    let rows = sqlx::query("select j.receipt, q.worker from judgement j join job q on q.judgement_id = j.id");
    for row in rows.fetch_all(&pool).await.unwrap() {
        let receipt: serde_json::Value = serde_json::from_str(&row.get::<String, _>("receipt")).unwrap();
        let slot: String = row.get("worker");
        assert_eq!(receipt["host"]["machine"].as_str(), slot.strip_suffix("/1"), "the receipt names the machine");
    }
    pool.close().await;
    for worker in workers {
        assert!(worker.terminate().success());
    }
    assert!(server.terminate().success());
}

/// Whichever worker holds a job now; there is one soon.
async fn busy(folder: &Folder, names: &[&str]) -> String {
    let pool = folder.look().await;
    let looking = async {
        loop {
            let held = sqlx::query("select worker from job where state = 'leased' and kind = 'judge'");
            let held = held.fetch_all(&pool).await.unwrap();
            let held = held.iter().map(|row| row.get::<String, _>(0)).find_map(|slot| {
                let name = slot.strip_suffix("/1")?.to_owned();
                names.contains(&name.as_str()).then_some(name)
            });
            if let Some(name) = held {
                return name;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let name = tokio::time::timeout(WAIT, looking).await.expect("nobody works");
    pool.close().await;
    name
}

async fn handed_in(folder: &Folder, at_least: usize) {
    // A few at a time, so that only standing still is a fault.
    for some in (10..=at_least).step_by(10) {
        folder.until("submissions", "select count(*) from submission", i64::try_from(some).unwrap()).await;
    }
}

/// Five hundred submissions by three workers, while everything that can break breaks once: a worker is killed in the middle
/// of a run, another one hangs for longer than its lease, NATS is killed, the server is killed.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_and_nothing_is_there_twice() {
    let (folder, mut nats) = (Folder::new(24).await, Nats::start());
    let mut server = serve(&folder, &nats.url());
    let first = server.address().await.expect("the server ended");
    let (tell, address) = watch::channel(Some(first));
    let one = Worker::start(&folder, &nats.url(), "one");
    let two = Worker::start(&folder, &nats.url(), "two");
    let three = Worker::start(&folder, &nats.url(), "three");
    folder.ready().await;
    let people = People::begin(&folder, &address);

    handed_in(&folder, 60).await;
    assert_eq!(busy(&folder, &["one"]).await, "one");
    one.kill();
    let one = Worker::start(&folder, &nats.url(), "one");

    handed_in(&folder, 140).await;
    busy(&folder, &["two"]).await;
    two.signal("STOP");

    handed_in(&folder, 220).await;
    busy(&folder, &["one", "three"]).await;
    nats.kill();
    nats.start_again();

    handed_in(&folder, 300).await;
    busy(&folder, &["one", "three"]).await;
    server.kill();
    tell.send_replace(None);
    server = serve(&folder, &nats.url());
    tell.send_replace(server.address().await);

    handed_in(&folder, 500).await;
    let accepted = people.stop().await;
    assert!(accepted.len() >= 500);
    // What the one that hangs holds goes to another after its lease; then it wakes, and whatever it says comes too late.
    folder.until("the last verdict", "select count(*) = count(verdict) from judgement", 1).await;
    two.signal("CONT");
    all_judged_once(&folder, &accepted).await;
    let given_up = folder.count("select count(*) from job where state = 'failed'").await;
    assert_eq!(given_up, 0, "nothing was given up");
    for worker in [one, two, three] {
        assert!(worker.terminate().success());
    }
    assert!(server.terminate().success());
}

/// A worker's way to NATS, which can be cut: a wire into a network of its own, or where no such network may be made, the
/// worker's own breath.
struct Wire {
    /// The network's name and the host's end of the wire.
    network: Option<(String, String)>,
    host: String,
}

fn ip(arguments: &[&str]) -> bool {
    let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
    Command::new("ip").args(arguments).env("PATH", path).stderr(Stdio::null()).status().is_ok_and(|ip| ip.success())
}

impl Wire {
    fn lay() -> Self {
        let number = std::process::id() % 16_000;
        let (network, near, far) = (format!("touchstone{number}"), format!("tsn{number}"), format!("tsf{number}"));
        if !ip(&["netns", "add", &network]) {
            // None may be made here: the worker is stopped instead of cut off.
            return Self { network: None, host: "127.0.0.1".to_owned() };
        }
        // A pair of addresses of this test's own, four apart.
        let (third, fourth) = (number / 64, number % 64 * 4);
        let (host, guest) = (format!("10.213.{third}.{}", fourth + 1), format!("10.213.{third}.{}/30", fourth + 2));
        let laid = ip(&["link", "add", &near, "type", "veth", "peer", "name", &far, "netns", &network])
            && ip(&["addr", "add", &format!("{host}/30"), "dev", &near])
            && ip(&["link", "set", &near, "up"])
            && ip(&["-n", &network, "addr", "add", &guest, "dev", &far])
            && ip(&["-n", &network, "link", "set", &far, "up"])
            && ip(&["-n", &network, "link", "set", "lo", "up"]);
        assert!(laid, "the wire can't be laid");
        Self { network: Some((network, near)), host }
    }

    fn worker(&self, folder: &Folder, nats: &str, name: &str) -> Worker {
        let program = env!("CARGO_BIN_EXE_touchstone");
        let Some((network, _)) = &self.network else { return Worker::start(folder, nats, name) };
        let mut command = Command::new("ip");
        command.env("PATH", format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default()));
        command.args(["netns", "exec", network, program]);
        Worker::start_by(command, folder, nats, name, &[])
    }

    fn cut(&self, worker: &Worker) {
        match &self.network {
            Some((_, near)) => assert!(ip(&["link", "set", near, "down"])),
            None => worker.signal("STOP"),
        }
    }

    fn mend(&self, worker: &Worker) {
        match &self.network {
            Some((_, near)) => assert!(ip(&["link", "set", near, "up"])),
            None => worker.signal("CONT"),
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if let Some((network, _)) = &self.network {
            ip(&["netns", "del", network]);
        }
    }
}

/// What the program of the one that is cut off waits for.
const FAR: Signal = Signal::PROF;

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_is_cut_off_loses_its_job_and_its_late_result_is_refused() {
    let (wire, limits) = (Wire::lay(), ("problem.yaml", with_time_limit(60)));
    let folder = Folder::with(1, &[(limits.0, limits.1.as_str())]).await;
    let nats = Nats::start_on(&wire.host, "");
    let mut server = serve(&folder, &nats.url());
    let address = server.address().await.expect("the server ended");
    let far = wire.worker(&folder, &nats.url(), "far");
    folder.ready().await;
    // A right program that waits: as long as nobody tells it to go on, the far one has the job in hand and nothing to say.
    submit(&address, &folder.tokens[0], &waits(FAR, "print(sum(map(int, input().split())))\n")).await;
    let waits_far = "select count(*) from job where state = 'leased' and worker = 'far/1' and kind = 'judge'";
    folder.until("the far one's claim", waits_far, 1).await;
    let in_the_middle = async {
        while waiting(far.id(), FAR).is_empty() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    tokio::time::timeout(WAIT, in_the_middle).await.expect("the program doesn't begin");
    wire.cut(&far);
    // Its lease ends, and another one does the same work from the beginning.
    let near = Worker::start(&folder, &nats.url(), "near");
    let judged = "select count(*) from judgement where verdict = 'AC'";
    folder.until_doing("the other's verdict", judged, 1, || tell(near.id(), FAR)).await;
    wire.mend(&far);
    let late = async {
        while !far.log().contains("the lease was lost") {
            tell(far.id(), FAR);
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    assert!(tokio::time::timeout(WAIT, late).await.is_ok(), "it is not refused: {}", far.log());

    let once = "select count(*) from judgement j join job q on q.judgement_id = j.id
        where j.state = 'done' and j.verdict = 'AC' and q.state = 'done' and q.worker = 'near/1' and q.attempts = 2";
    assert_eq!(folder.count(once).await, 1);
    assert_eq!(folder.count("select count(*) from judgement").await, 1);
    assert_eq!(folder.count("select count(*) from run").await, i64::try_from(TESTS).unwrap(), "each run is there once");
    assert!(near.terminate().success());
    drop(far);
    assert!(server.terminate().success());
}
