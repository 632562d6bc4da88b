//! The server under many visitors, in one run: the scoreboard's page beside a constant answer of the same size, live
//! viewers who wait for a change, and a contest's first minute.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::http::header;
use axum::routing::get;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use touchstone::domain::account::{NewPassword, Role, UserName};
use touchstone::domain::language::LanguageId;
use touchstone::domain::source::SourceFile;
use touchstone::service::submissions::{NewSubmission, Repeat};
use touchstone::service::{Actor, Service};
use touchstone::store::api_token::Scopes;
use touchstone::store::{Store, contest};
use touchstone::web::listen::{Patience, serve};
use touchstone::web::{self, AppState, OfferedLanguage};

use super::Goal;

/// For how long a page is asked for.
/// The page with every row.
const BOARD: &str = "/contests/cup/scoreboard?rows=all";
const ASKING: Duration = Duration::from_secs(5);
/// Connections that ask at the same time.
const AT_ONCE: usize = 8;
/// Rounds of page and constant in turn, so that both see the same machine.
const ROUNDS: usize = 3;
const VIEWERS: usize = 2_000;
const FIRST_MINUTE: usize = 500;
/// Who hands in in the first minute; each account may hand in 20 times a minute.
const TEAMS_AT_START: usize = 50;

/// A contest with teams and submissions that are judged, on a server of its own.
struct Site {
    address: SocketAddr,
    service: Arc<Service>,
    _folder: TempDir,
}

/// A contest that has run for an hour, straight into the tables: what came before is not measured.
const PLAYED: &str = "
    insert into problem (slug, state, created_ms)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 13) select 'p' || i, 'preparing', 0 from n;
    insert into package (problem_id, version, tree_sha256, state, names, cpu_ms, wall_ms, memory_bytes, output_bytes,
            processes, metadata, created_ms)
        select id, 1, randomblob(32), 'ready', '{\"en\":\"A problem\"}', 1000, 3000, 268435456, 1048576, 64, '{}', 0
        from problem;
    insert into test_set (problem_id, package_id, version, sha256, reason, created_ms)
        select id, id, 1, randomblob(32), 'bench', 0 from problem;
    update problem set state = 'published', package_id = id, test_set_id = id;
    insert into contest (slug, name, start_ms, duration_ms, freeze_ms, penalty_minutes, scoring, created_ms)
        values ('cup', 'Cup', :start, 18000000, 3600000, 20, 'pass-fail', 0);
    insert into contest_problem (contest_id, problem_id, ordinal, label, rgb)
        select (select id from contest where slug = 'cup'), id, id, char(64 + id), '#336699' from problem;
    insert into team (name, display_name, created_ms)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < :teams)
        select 'team' || i, 'University of Somewhere ' || i, 0 from n;
    insert into account (name, display_name, role, team_id, created_ms)
        select name, display_name, 'contestant', id, 0 from team;
    insert into submission (contest_id, problem_id, team_id, account_id, language, submitted_ms, bytes)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < :submissions)
        select (select id from contest where slug = 'cup'), 1 + (i * 7 + i / 13) % 13, 1 + (i * 31) % :teams,
            1 + (i * 31) % :teams, 'cpp17', :start + i * 3500000 / :submissions, 100
        from n;
    insert into judgement (submission_id, package_id, test_set_id, reason, state, valid, verdict, tests_total, created_ms,
            start_ms, end_ms)
        select id, problem_id, problem_id, 'submission', 'done', 1,
            case when (id * 2654435761) % 5 < 2 then 'AC' else 'WA' end, 10, submitted_ms, submitted_ms, submitted_ms
        from submission;
";

impl Site {
    async fn start(teams: usize, submissions: usize) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let store = Store::open(&folder.path().join("bench.sqlite")).await?;
        let now = touchstone::clock::now();
        let mut tx = store.begin_write().await?;
        contest::ensure_practice(&mut tx, now).await?;
        let script = PLAYED
            .replace(":start", &(now.0 - 3_600_000).to_string())
            .replace(":teams", &teams.to_string())
            .replace(":submissions", &submissions.to_string());
        sqlx::raw_sql(sqlx::AssertSqlSafe(script)).execute(&mut *tx).await?;
        tx.commit().await?;
        let service = Arc::new(Service::new(store));
        let language = OfferedLanguage {
            id: "cpp17".parse()?,
            name: "C++17".to_owned(),
            version: String::new(),
            extensions: vec!["cpp".to_owned()],
            default_for: vec!["cpp".to_owned()],
            compiler: None,
            runner: None,
        };
        let state = AppState::new(Arc::clone(&service), vec![language]).await?;
        let site = web::router(state);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        // The constant answer is as long as the board's page, which is known once it was asked for.
        let as_long = Arc::new(std::sync::OnceLock::<Bytes>::new());
        let constant = Arc::clone(&as_long);
        let answer = get(async move || {
            let body = constant.get().cloned().unwrap_or_default();
            ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], body)
        });
        let router = Router::new().route("/constant", answer).fallback_service(site);
        tokio::spawn(serve(listener, router, Patience::default(), std::future::pending()));
        let page = fetch(address, BOARD).await?;
        let _ = as_long.set(vec![b'x'; page].into());
        Ok(Self { address, service, _folder: folder })
    }
}

/// One connection that is kept.
struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    async fn new(address: SocketAddr) -> anyhow::Result<Self> {
        Ok(Self { stream: TcpStream::connect(address).await?, buffer: vec![0; 256 * 1024] })
    }

    /// Bytes of the body of an answer that says how long it is.
    async fn get(&mut self, path: &str) -> anyhow::Result<usize> {
        let request = format!("GET {path} HTTP/1.1\r\nhost: bench\r\n\r\n");
        self.stream.write_all(request.as_bytes()).await?;
        let mut head = Vec::new();
        let (length, mut have) = loop {
            let read = self.stream.read(&mut self.buffer).await?;
            anyhow::ensure!(read > 0, "the server hung up");
            head.extend_from_slice(&self.buffer[..read]);
            if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
                let text = String::from_utf8_lossy(&head[..end]).to_ascii_lowercase();
                anyhow::ensure!(text.starts_with("http/1.1 200"), "{path}: {text}");
                let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
                let length: usize = length.ok_or_else(|| anyhow::anyhow!("no length: {text}"))?.parse()?;
                break (length, head.len() - end - 4);
            }
        };
        while have < length {
            let read = self.stream.read(&mut self.buffer).await?;
            anyhow::ensure!(read > 0, "the server hung up");
            have += read;
        }
        Ok(length)
    }
}

async fn fetch(address: SocketAddr, path: &str) -> anyhow::Result<usize> {
    Client::new(address).await?.get(path).await
}

/// Answers a second.
async fn rate(address: SocketAddr, path: &'static str) -> anyhow::Result<f64> {
    let over = Arc::new(AtomicBool::new(false));
    let answers = Arc::new(AtomicUsize::new(0));
    let mut clients = JoinSet::new();
    let begin = Instant::now();
    for _ in 0..AT_ONCE {
        let (over, answers) = (Arc::clone(&over), Arc::clone(&answers));
        clients.spawn(async move {
            let mut client = Client::new(address).await?;
            while !over.load(Ordering::Relaxed) {
                client.get(path).await?;
                answers.fetch_add(1, Ordering::Relaxed);
            }
            anyhow::Ok(())
        });
    }
    tokio::time::sleep(ASKING / u32::try_from(ROUNDS)?).await;
    over.store(true, Ordering::Relaxed);
    while let Some(client) = clients.join_next().await {
        client??;
    }
    #[expect(clippy::cast_precision_loss, reason = "answers are far below 2^52")]
    Ok(answers.load(Ordering::Relaxed) as f64 / begin.elapsed().as_secs_f64())
}

/// The board's page beside a constant answer of its size.
pub async fn page(goal: &mut Goal) -> anyhow::Result<()> {
    let site = Site::start(1_000, 60_000).await?;
    let bytes = fetch(site.address, BOARD).await?;
    let (mut board, mut constant) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        board.push(rate(site.address, BOARD).await?);
        constant.push(rate(site.address, "/constant").await?);
    }
    let median = |mut all: Vec<f64>| {
        all.sort_by(f64::total_cmp);
        all[ROUNDS / 2]
    };
    let (board, constant) = (median(board), median(constant));
    let part = board / constant;
    println!("the page of 1,000 teams, {} KiB: {board:.0}/s, a constant answer: {constant:.0}/s", bytes / 1_024);
    goal.check("the page's rate of a constant's", part >= 0.5, format!("{part:.2}, goal 0.5"));
    Ok(())
}

async fn somebody(service: &Service, name: &str) -> anyhow::Result<Actor> {
    let (user, password): (UserName, NewPassword) = (name.parse()?, "correct horse".parse()?);
    let now = touchstone::clock::now();
    service.create_user(&user, Role::Contestant, Some(&password), now).await?;
    Ok(service.check_password(name, "correct horse", None, now).await?)
}

/// Live viewers of a board of so many teams: how long until the last of them has a change.
pub async fn viewers(goal: &mut Goal, teams: usize) -> anyhow::Result<()> {
    let site = Site::start(teams, teams * 30).await?;
    let actor = somebody(&site.service, "newcomer").await?;
    let ready = Arc::new(AtomicUsize::new(0));
    let mut viewers = JoinSet::new();
    for _ in 0..VIEWERS {
        let (address, ready) = (site.address, Arc::clone(&ready));
        viewers.spawn(async move {
            let mut stream = TcpStream::connect(address).await?;
            let request = "GET /contests/cup/scoreboard/events?rows=all HTTP/1.1\r\nhost: bench\r\n\r\n";
            stream.write_all(request.as_bytes()).await?;
            let mut buffer = vec![0; 64 * 1024];
            // An empty line ends an event; the first is the board as it is.
            let (mut events, mut before) = (0, 0);
            loop {
                let read = stream.read(&mut buffer).await?;
                anyhow::ensure!(read > 0, "the server hung up");
                for &byte in &buffer[..read] {
                    if byte == b'\n' && before == b'\n' {
                        events += 1;
                        if events == 1 {
                            ready.fetch_add(1, Ordering::Relaxed);
                        } else {
                            return anyhow::Ok(Instant::now());
                        }
                    }
                    before = byte;
                }
            }
        });
    }
    while ready.load(Ordering::Relaxed) < VIEWERS {
        anyhow::ensure!(viewers.len() == VIEWERS, "a viewer gave up");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let begin = Instant::now();
    hand_in(&site.service, &actor, "// the change").await?;
    let mut last = begin;
    while let Some(viewer) = viewers.join_next().await {
        last = last.max(viewer??);
    }
    let took = last.duration_since(begin);
    let text = format!("{took:.2?}, goal 1 s");
    goal.check(&format!("{VIEWERS} live viewers of {teams} teams have a change"), took <= Duration::from_secs(1), text);
    Ok(())
}

async fn hand_in(service: &Service, actor: &Actor, text: &str) -> anyhow::Result<()> {
    let new = NewSubmission {
        contest: Some("cup".to_owned()),
        problem: "p1".to_owned(),
        language: "cpp17".parse::<LanguageId>()?,
        entry_point: None,
        files: vec![SourceFile::text("a.cpp", text.as_bytes().to_vec())?],
        repeat: Repeat::Never,
    };
    service.submit(actor, new, touchstone::clock::now()).await?;
    Ok(())
}

/// A contest's first minute: everybody hands in over the API, all at once.
pub async fn first_minute(goal: &mut Goal) -> anyhow::Result<()> {
    let site = Site::start(100, 100).await?;
    let mut keys = Vec::new();
    for number in 0..TEAMS_AT_START {
        let actor = somebody(&site.service, &format!("start{number}")).await?;
        let scopes = Scopes { read: false, submit: true, manage: false };
        keys.push(site.service.create_token(&actor, "bench", scopes, touchstone::clock::now()).await?);
    }
    let client = reqwest::Client::new();
    let url = format!("http://{}/api/v4/contests/cup/submissions", site.address);
    let begin = Instant::now();
    let mut sending = JoinSet::new();
    for number in 0..FIRST_MINUTE {
        let form = reqwest::multipart::Form::new().text("problem", "A").text("language", "cpp17");
        let program = format!("int main() {{ return {number}; }}");
        let form = form.part("code[]", reqwest::multipart::Part::text(program).file_name("a.cpp"));
        let request = client.post(&url).bearer_auth(&keys[number % TEAMS_AT_START]).multipart(form);
        sending.spawn(async move { anyhow::Ok(request.send().await?.status()) });
    }
    let mut taken = 0;
    while let Some(status) = sending.join_next().await {
        taken += usize::from(status??.is_success());
    }
    let took = begin.elapsed();
    let counted: (i64,) = sqlx::query_as(
        "select count(*) from submission s join judgement j on j.submission_id = s.id join job b on b.judgement_id = j.id
        where s.language = 'cpp17' and b.state = 'queued'",
    )
    .fetch_one(site.service.store().read())
    .await?;
    let text = format!("{taken} answered, {} stored and queued, in {took:.2?}", counted.0);
    let all = taken == FIRST_MINUTE && usize::try_from(counted.0)? == FIRST_MINUTE && took < Duration::from_mins(1);
    goal.check(&format!("{FIRST_MINUTE} submissions of the first minute"), all, text);
    Ok(())
}
