//! The log of a real server: each line says which request or which job it belongs to, in both forms; slow statements are
//! told once, without the values in them; and nothing secret is ever there.

use std::collections::BTreeMap;

use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::Value;

use crate::copies::tamper;
use crate::faults::{DONE, submit};
use crate::folder::Folder;
use crate::server::Server;

/// What somebody types and sends, and what must not be found in a log.
const PASSWORD: &str = "correct-horse-battery";
const NAME: &str = "somebody-unknown";
const SOURCE: &str = "print(sum(map(int, input().split()))) # all-my-own-work";

/// Sends a request: its number and the status of the answer. The body is read to its end.
async fn ask(request: RequestBuilder) -> (u64, StatusCode) {
    let answer = request.send().await.unwrap();
    let id = answer.headers()["x-request-id"].to_str().unwrap().parse().unwrap();
    let status = answer.status();
    answer.bytes().await.unwrap();
    (id, status)
}

/// A log-in that fails, as from the page.
async fn log_in(address: &str) -> RequestBuilder {
    let browser = Client::builder().cookie_store(true).build().unwrap();
    let page = browser.get(format!("{address}/login")).send().await.unwrap().text().await.unwrap();
    let token = page.split("name=\"csrf\" value=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    browser
        .post(format!("{address}/login"))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("csrf={token}&name={NAME}&password={PASSWORD}"))
}

/// What was done to a server, by the numbers of its requests.
struct Walk {
    refused: u64,
    failed: u64,
    refused_token: u64,
}

/// A submission that is judged, a failed log-in, a token that nobody has, a page that fails, and a judging that
/// fails.
async fn walk(folder: &Folder, address: &str) -> Walk {
    submit(address, &folder.tokens[0], SOURCE).await;
    folder.until("the verdict", DONE, 1).await;
    let client = Client::new();
    let (refused, status) = ask(log_in(address).await).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    let list = format!("{address}/api/v4/contests/practice/submissions");
    let (refused_token, status) = ask(client.get(&list).bearer_auth(PASSWORD)).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);

    // The tests are damaged, in the database and in the cache: no program can be judged.
    std::fs::remove_dir_all(folder.path().join("cache/blobs")).unwrap();
    tamper(&folder.database(), "drop trigger blob_keeps_update; update blob set contents = x'00'").await;
    submit(address, &folder.tokens[0], &format!("{SOURCE} again")).await;
    folder.until("a failure", "select count(*) from job where kind = 'judge' and last_error is not null", 1).await;

    // A table is gone: a page doesn't come.
    tamper(&folder.database(), "alter table clarification rename to gone").await;
    let (failed, status) = ask(client.get(format!("{address}/clarifications"))).await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    Walk { refused, failed, refused_token }
}

/// A line of the log: what it says, and whose it is.
#[derive(Debug, Default)]
struct Line {
    text: String,
    request: Option<u64>,
    job: Option<u64>,
    judgement: Option<u64>,
}

fn of_json(line: &str) -> Line {
    let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let mut found = Line { text: value["fields"].to_string(), ..Line::default() };
    for span in value["spans"].as_array().into_iter().flatten() {
        let number = |key: &str| span[key].as_u64();
        found.request = found.request.or(number("request"));
        found.job = found.job.or(number("job"));
        found.judgement = found.judgement.or(number("judgement"));
    }
    found
}

/// `TIME LEVEL request{request=7}: what it says`, with the terminal's colours taken out.
fn of_text(line: &str) -> Line {
    let mut plain = String::new();
    let mut rest = line;
    while let Some((before, colour)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = colour.split_once('m').map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    let number = |key: &str| {
        let (_, digits) = plain.split_once(key)?;
        digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    let (request, job) = (number("request{request="), number("job{job="));
    let judgement = job.and_then(|_| number(" judgement="));
    Line { text: plain, request, job, judgement }
}

/// What may be said of no request and no job.
const OF_THE_SERVER: [&str; 3] = ["stopping: jobs under way are given back", "layer", "contents that nothing named"];

fn check(lines: &[Line], walk: &Walk, folder: &Folder) {
    for line in lines {
        let of_server = OF_THE_SERVER.iter().any(|words| line.text.contains(words));
        assert!(line.request.is_some() || line.job.is_some() || of_server, "whose is this? {line:?}");
        for secret in [PASSWORD, NAME, "all-my-own-work", "map(int", &folder.tokens[0]] {
            assert!(!line.text.contains(secret), "{secret} is in the log: {line:?}");
        }
    }
    let says = |request: u64, words: &str| {
        let own: Vec<&Line> = lines.iter().filter(|line| line.request == Some(request)).collect();
        assert!(own.iter().any(|line| line.text.contains(words)), "request {request} doesn't say `{words}`: {own:?}");
    };
    says(walk.refused, "/login");
    says(walk.refused_token, "/api/v4/contests/practice/submissions");
    says(walk.failed, "a page failed");
    says(walk.failed, "clarification");
    says(walk.failed, "500");
    // Handing in tells which judgement came of it, and everything about that has its number.
    for (judgement, words) in [(1, "AC"), (2, "a job failed for a fault of ours"), (2, "damaged")] {
        let handed_in = |line: &&Line| line.text.contains("handed in") && line.request.is_some();
        assert_eq!(lines.iter().filter(handed_in).count(), 2, "{lines:?}");
        let own: Vec<&Line> = lines.iter().filter(|line| line.judgement == Some(judgement)).collect();
        assert!(own.iter().all(|line| line.job.is_some()), "{own:?}");
        assert!(own.iter().any(|line| line.text.contains(words)), "judgement {judgement} without `{words}`: {own:?}");
    }
    // The preparation and the verification of the problem.
    for words in ["prepared", "verified"] {
        let of_job = |line: &&Line| line.job.is_some() && line.judgement.is_none() && line.text.contains(words);
        assert_eq!(lines.iter().filter(of_job).count(), 1, "{words}: {lines:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_line_says_whose_it_is_as_json() {
    let folder = Folder::new(1).await;
    let mut server = Server::spawn(folder.path());
    let address = server.address().await.expect("the server ended");
    folder.ready().await;
    let walk = walk(&folder, &address).await;
    assert!(server.terminate().success());
    let lines: Vec<Line> = folder.whole_log().lines().map(of_json).collect();
    check(&lines, &walk, &folder);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_line_says_whose_it_is_on_a_terminal() {
    let folder = Folder::new(1).await;
    let mut server = Server::spawn_on_terminal(folder.path());
    let address = server.address().await.expect("the server ended");
    folder.ready().await;
    let walk = walk(&folder, &address).await;
    assert!(server.terminate().success());
    // The terminal also shows what is said on standard output, which has no time before it.
    let log = folder.whole_log();
    let lines: Vec<Line> = log.lines().filter(|line| line.starts_with('\u{1b}')).map(of_text).collect();
    check(&lines, &walk, &folder);
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_statements_are_told_once_without_values() {
    let folder = Folder::new(1).await;
    // Each statement takes longer than nothing.
    let mut server = Server::spawn_with(folder.path(), &["--slow-statement-ms", "0"]);
    let address = server.address().await.expect("the server ended");
    folder.ready().await;
    let (refused, _) = ask(log_in(&address).await).await;
    submit(&address, &folder.tokens[0], SOURCE).await;
    folder.until("the verdict", DONE, 1).await;
    assert!(server.terminate().success());

    let log = folder.whole_log();
    for secret in [PASSWORD, NAME, "all-my-own-work", &folder.tokens[0]] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
    let slow = |line: &&str| line.contains("slow statement");
    let mut statements: BTreeMap<(Option<u64>, String), usize> = BTreeMap::new();
    for line in log.lines().filter(slow) {
        let value: Value = serde_json::from_str(line).unwrap();
        assert!(value["fields"]["elapsed_secs"].as_f64().is_some_and(|seconds| seconds > 0.0), "{line}");
        let statement = format!("{} {}", value["fields"]["summary"], value["fields"]["db.statement"]);
        *statements.entry((of_json(line).request, statement)).or_default() += 1;
    }
    // A log-in looks an account up by its name, once.
    let by_name = |((request, statement), _): &(&(Option<u64>, String), &usize)| {
        *request == Some(refused) && statement.contains("from account") && statement.contains("name = ?")
    };
    let found: Vec<_> = statements.iter().filter(by_name).collect();
    let own: Vec<_> = statements.keys().filter(|(request, _)| *request == Some(refused)).collect();
    assert_eq!(found.len(), 1, "{own:?}");
    assert_eq!(*found[0].1, 1, "{found:?}");
    // And judging has them too.
    let of_judging = |line: &Line| line.job.is_some() && line.judgement.is_some();
    assert!(log.lines().filter(slow).map(of_json).any(|line| of_judging(&line)));

    // The same with another threshold, from the settings' file: nothing takes an hour.
    std::fs::remove_file(folder.path().join("log")).unwrap();
    let config = folder.path().join("config.toml");
    let settings = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("{settings}slow_statement_ms = 3600000\n")).unwrap();
    let mut server = Server::spawn(folder.path());
    let address = server.address().await.expect("the server ended");
    ask(log_in(&address).await).await;
    assert!(server.terminate().success());
    let log = folder.whole_log();
    assert!(log.contains("/login") && !log.contains("slow statement"), "{log}");
}
