//! What one server's queue holds: jobs with nothing in them, claimed and ended through SQLite alone, and through SQLite and
//! NATS, in one run. Prints figures and whether the goal is met; exit code 1 if not.
//!
//!     scripts/bench farm --only empty     5,000 jobs wait, more than a contest of 10,000 hands in in its last minute
//!
//! Jobs are ended as soon as they are claimed, as programs that don't compile, by workers without a sandbox in this very
//! process: so all of it shares the machine, and what is left over on a server of its own is more.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::disallowed_methods, reason = "the real nats-server is started, and tables are filled straight away")]

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::JoinSet;
use touchstone::domain::verdict::Verdict;
use touchstone::domain::worker_name::WorkerName;
use touchstone::farm::connect::{Address, connect};
use touchstone::farm::server::{self, Setup};
use touchstone::farm::wire::call::{Answer, Call, Hello, Measure};
use touchstone::farm::wire::{PROTOCOL, subjects};
use touchstone::farm::worker::{NatsSource, Post};
use touchstone::judge::job_source::{JobSource, JudgedOutcome, SourceError};
use touchstone::judge::local::LocalSource;
use touchstone::store::Store;

const GOAL: usize = 1_000;
const JOBS: usize = 5_000;
/// Doors that work at the same time on one side or the other.
const LOCAL_SLOTS: usize = 4;
const MACHINES: usize = 4;
const SLOTS: u16 = 8;
const CONNECTED_WITHIN: Duration = Duration::from_secs(30);

/// People, a problem of twenty tests, and as many submissions as there are to be jobs.
const QUEUE: &str = "
    insert into blob (sha256, bytes, encoding, contents) values (zeroblob(32), 1, 'raw', x'31');
    insert into problem (slug, state, created_ms) values ('empty', 'preparing', 0);
    insert into package (problem_id, version, tree_sha256, state, names, cpu_ms, wall_ms, memory_bytes, output_bytes,
            processes, metadata, created_ms)
        values (1, 1, zeroblob(32), 'ready', '{\"en\":\"Empty\"}', 1000, 3000, 268435456, 1048576, 64, '{}', 0);
    insert into test_set (problem_id, package_id, version, sha256, reason, created_ms)
        values (1, 1, 1, zeroblob(32), 'bench', 0);
    insert into test_case (test_set_id, ordinal, name, test_group, sample, input_sha256, answer_sha256, input_bytes,
            answer_bytes, origin)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 20)
        select 1, i, 'secret/' || i, 'secret', 0, zeroblob(32), zeroblob(32), 1, 1, 'file' from n;
    update problem set state = 'published', package_id = 1, test_set_id = 1;
    insert into verification (problem_id, package_id, test_set_id, decides, state, created_ms, end_ms)
        values (1, 1, 1, 1, 'holds', 0, 0);
    insert into contest (slug, name, start_ms, duration_ms, penalty_minutes, scoring, created_ms)
        values ('cup', 'Cup', 0, 18000000, 20, 'pass-fail', 0);
    insert into contest_problem (contest_id, problem_id, ordinal, label, rgb)
        values ((select id from contest where slug = 'cup'), 1, 1, 'A', '#336699');
    insert into team (name, display_name, created_ms)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000) select 'team' || i, 'Team', 0 from n;
    insert into account (name, display_name, role, team_id, created_ms)
        select name, display_name, 'contestant', id, 0 from team;
    insert into submission (contest_id, problem_id, team_id, account_id, language, submitted_ms, bytes)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < :jobs)
        select (select id from contest where slug = 'cup'), 1, 1 + i % 1000, 1 + i % 1000, 'cpp17', i, 1 from n;
    insert into submission_file (submission_id, ordinal, name, sha256, bytes) select id, 1, 'a.cpp', zeroblob(32), 1 from submission;
    insert into judgement (submission_id, package_id, test_set_id, reason, state, valid, tests_total, created_ms)
        select id, 1, 1, 'submission', 'queued', 1, 20, 0 from submission;
    insert into job (kind, judgement_id, priority, owner_id, state, not_before_ms, created_ms)
        select 'judge', j.id, 0, s.account_id, 'queued', 0, 0 from judgement j join submission s on s.id = j.submission_id;
";

/// A store with a queue.
async fn queue(jobs: usize) -> anyhow::Result<(Store, TempDir)> {
    let folder = tempfile::tempdir()?;
    let store = Store::open(&folder.path().join("bench.sqlite")).await?;
    let mut tx = store.begin_write().await?;
    let script = QUEUE.replace(":jobs", &jobs.to_string());
    sqlx::raw_sql(sqlx::AssertSqlSafe(script)).execute(&mut *tx).await?;
    tx.commit().await?;
    Ok((store, folder))
}

fn nothing() -> JudgedOutcome {
    JudgedOutcome {
        verdict: Verdict::CompileError,
        score: None,
        groups: Vec::new(),
        compiler_output: "nothing is compiled here".to_owned(),
        deciding: None,
        message: String::new(),
        difference: None,
        cpu_ms: None,
        memory_bytes: None,
        receipt: "{}".to_owned(),
    }
}

/// Claims and ends until all are done.
async fn drain<S: JobSource>(source: S, done: Arc<AtomicUsize>, jobs: usize) -> Result<(), SourceError> {
    while done.load(Ordering::Relaxed) < jobs {
        if let Some(job) = source.claim().await? {
            source.finish_judgement(job.lease, nothing()).await?;
            done.fetch_add(1, Ordering::Relaxed);
        }
    }
    Ok(())
}

/// Jobs a second by these doors.
async fn measure<S: JobSource>(store: &Store, doors: Vec<S>, jobs: usize) -> anyhow::Result<f64> {
    let (done, mut working) = (Arc::new(AtomicUsize::new(0)), JoinSet::new());
    let begin = Instant::now();
    for door in doors {
        working.spawn(drain(door, Arc::clone(&done), jobs));
    }
    while let Some(ended) = working.join_next().await {
        ended??;
    }
    let took = begin.elapsed();
    let (judged,): (i64,) =
        sqlx::query_as("select count(*) from judgement where verdict = 'CE'").fetch_one(store.read()).await?;
    anyhow::ensure!(usize::try_from(judged)? == jobs, "{judged} of {jobs} were judged");
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    Ok(jobs as f64 / took.as_secs_f64())
}

/// nats-server, until it is dropped.
struct Nats {
    child: Child,
    url: String,
    _folder: TempDir,
}

impl Nats {
    fn start() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let path = format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default());
        let child = Command::new("nats-server")
            .args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"])
            .arg(folder.path())
            .env("PATH", path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("nats-server can't be started; apt-get install nats-server")?;
        Ok(Self { child, url: format!("nats://127.0.0.1:{port}"), _folder: folder })
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The doors of a machine's slots.
async fn machine(address: &Address, name: &str) -> anyhow::Result<Vec<NatsSource>> {
    let worker: WorkerName = name.parse()?;
    let (link, _) = watch::channel(None);
    let client = connect(address, name, &subjects::inbox(&worker), link).await?;
    let (post, boxes) = Post::open(client, worker, SLOTS).await.map_err(anyhow::Error::msg)?;
    let post = Arc::new(post);
    let hello = Hello {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        slots: SLOTS,
        clock_ms: 0,
        measure: Measure::default(),
    };
    let answer = post.call(0, &Call::Hello(hello), CONNECTED_WITHIN).await?;
    anyhow::ensure!(answer == Answer::Done, "{answer:?}");
    Ok((1..).zip(boxes).map(|(number, jobs)| NatsSource::new(Arc::clone(&post), number, jobs)).collect())
}

async fn over_nats(jobs: usize) -> anyhow::Result<f64> {
    let (store, folder) = queue(jobs).await?;
    let nats = Nats::start()?;
    let address = Address { url: nats.url.clone(), credentials: None, authorities: None };
    let setup = Setup {
        address: address.clone(),
        capacity: 64 << 20,
        own: None,
        scratch: folder.path().join("farm"),
        key: [7; 32],
        offers: None,
    };
    let ((link, mut linked), (stop, stopping)) = (watch::channel(Some("not yet".to_owned())), watch::channel(false));
    let serving = tokio::spawn(server::run(store.clone(), setup, link, stopping));
    tokio::time::timeout(CONNECTED_WITHIN, linked.wait_for(Option::is_none))
        .await
        .context("NATS doesn't come up")??;
    let mut doors = Vec::new();
    for number in 1..=MACHINES {
        doors.extend(machine(&address, &format!("machine-{number}")).await?);
    }
    // The problem's limit was measured on their kind, so that they judge at once.
    let mut tx = store.begin_write().await?;
    let measured = "insert into host_fit (package_id, test_set_id, kind, verification_id, state)
        select distinct 1, 1, kind, 1, 'fits' from worker";
    sqlx::raw_sql(measured).execute(&mut *tx).await?;
    tx.commit().await?;
    let rate = measure(&store, doors, jobs).await?;
    stop.send_replace(true);
    serving.await?;
    Ok(rate)
}

async fn alone(jobs: usize) -> anyhow::Result<f64> {
    let (store, _folder) = queue(jobs).await?;
    let doors = (1..=LOCAL_SLOTS).map(|number| LocalSource::new(store.clone(), format!("embedded-{number}"))).collect();
    measure(&store, doors, jobs).await
}

#[tokio::main]
async fn main() -> anyhow::Result<std::process::ExitCode> {
    let jobs = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(JOBS);
    let here = alone(jobs).await?;
    println!("jobs a second through SQLite alone, {LOCAL_SLOTS} slots: {here:.0}");
    let there = over_nats(jobs).await?;
    println!("jobs a second through SQLite and NATS, {MACHINES} machines of {SLOTS} slots: {there:.0}");
    println!("the second is {:.2} of the first", there / here);
    #[expect(clippy::cast_precision_loss, reason = "a thousand")]
    let met = there > GOAL as f64;
    println!("{} more than {GOAL} jobs a second through both", if met { "met   " } else { "MISSED" });
    Ok(if met { std::process::ExitCode::SUCCESS } else { std::process::ExitCode::FAILURE })
}
