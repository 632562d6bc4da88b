//! SIGKILL at random moments while people hand in. Afterwards nothing is lost and nothing is there twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use reqwest::StatusCode;
use sqlx::{Row as _, SqlitePool};
use tokio::sync::watch;
use touchstone::store::takeover::LONGEST_HOLD_MS;

use crate::folder::{Folder, TESTS};
use crate::server::Server;
use crate::waiting::{LOOK_EVERY, WAIT};

/// How often the server is killed, unless `TOUCHSTONE_KILLS` says otherwise.
const KILLS: usize = 50;
/// How many people hand in at the same time.
const PEOPLE: usize = 6;
/// The most that one person has waiting: so the queue is never empty and never long.
const WAITING: usize = 2;

/// Numbers that look random, from a seed that is told.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// What a person was told: the number of the submission, and which program it was.
type Accepted = BTreeMap<i64, usize>;

/// Programs and the verdicts that they must get.
const PROGRAMS: [(&str, &str, usize); 3] =
    [("print(sum(map(int, input().split())))", "AC", TESTS), ("print(3)", "WA", 2), ("raise SystemExit(1)", "RTE", 1)];

/// Hands in until it is told to stop. An answer that never came is asked for again under the same key.
async fn hand_in(
    token: String,
    mut address: watch::Receiver<Option<String>>,
    mut enough: watch::Receiver<bool>,
    unanswered: Arc<AtomicUsize>,
) -> Accepted {
    let client = reqwest::Client::builder().timeout(Duration::from_secs(20)).build().unwrap();
    let (mut accepted, mut number) = (Accepted::new(), 0);
    loop {
        let program = number % PROGRAMS.len();
        let key = format!("{number}");
        // Once a key was sent it must be answered, also after the last kill.
        let id = loop {
            let Some(server) = address.wait_for(Option::is_some).await.unwrap().clone() else { continue };
            let form = reqwest::multipart::Form::new().text("problem", "sum").text("language", "python3").part(
                "code[]",
                reqwest::multipart::Part::text(format!("# {number}\n{}\n", PROGRAMS[program].0)).file_name("a.py"),
            );
            let sent = client
                .post(format!("{server}/api/v4/contests/practice/submissions"))
                .bearer_auth(&token)
                .header("Idempotency-Key", &key)
                .multipart(form)
                .send()
                .await;
            let answer = match sent {
                Ok(answer) if answer.status() == StatusCode::TOO_MANY_REQUESTS => {
                    // The key is not taken; others go on meanwhile, until it is enough, or as long as the server says.
                    let after = answer.headers()["retry-after"].to_str().unwrap().parse().unwrap();
                    if tokio::time::timeout(Duration::from_secs(after), enough.wait_for(|enough| *enough)).await.is_ok()
                    {
                        return accepted;
                    }
                    continue;
                }
                Ok(answer) => {
                    assert_eq!(answer.status(), StatusCode::OK, "{}", answer.text().await.unwrap());
                    answer.json::<serde_json::Value>().await
                }
                Err(error) => Err(error),
            };
            if let Ok(body) = answer {
                break body["id"].as_str().unwrap().parse::<i64>().unwrap();
            }
            unanswered.fetch_add(1, Ordering::Relaxed);
            // Either it is gone, then the next one comes, or it is going.
            let _ = tokio::time::timeout(Duration::from_millis(100), address.changed()).await;
        };
        assert!(accepted.insert(id, program).is_none(), "two keys of one person got the number {id}");
        number += 1;
        // No more than a few of one person wait.
        let mut looks = tokio::time::interval(LOOK_EVERY);
        let room = async {
            while waiting(&client, &token, &mut address).await >= WAITING {
                looks.tick().await;
            }
        };
        tokio::select! {
            _ = enough.wait_for(|enough| *enough) => return accepted,
            () = room => {}
        }
    }
}

/// How many of this person's judgements have no end yet; many, when nobody answers.
async fn waiting(client: &reqwest::Client, token: &str, address: &mut watch::Receiver<Option<String>>) -> usize {
    let Some(server) = address.borrow_and_update().clone() else { return usize::MAX };
    let get = async {
        let ask =
            |what: &str| client.get(format!("{server}/api/v4/contests/practice/{what}")).bearer_auth(token).send();
        let mine: Vec<serde_json::Value> = ask("submissions").await?.json().await?;
        let own: BTreeSet<String> = mine
            .iter()
            .filter(|row| row.get("files").is_some())
            .filter_map(|row| row["id"].as_str().map(str::to_owned))
            .collect();
        let judgements: Vec<serde_json::Value> = ask("judgements").await?.json().await?;
        let done = |row: &&serde_json::Value| {
            !row["judgement_type_id"].is_null() && row["submission_id"].as_str().is_some_and(|id| own.contains(id))
        };
        Ok::<usize, reqwest::Error>(own.len().saturating_sub(judgements.iter().filter(done).count()))
    };
    get.await.unwrap_or(usize::MAX)
}

/// Everything that a follower of the events is told, by number.
async fn events(pool: &SqlitePool, after: i64) -> Vec<(i64, String)> {
    let rows = sqlx::query(
        "select id, kind || ' ' || op || ' ' || object_id || ' ' || data as told from event where id > ? order by id",
    )
    .bind(after)
    .fetch_all(pool)
    .await
    .unwrap();
    rows.iter().map(|row| (row.get("id"), row.get("told"))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn kills_lose_nothing_and_double_nothing() {
    let kills = std::env::var("TOUCHSTONE_KILLS").map_or(KILLS, |text| text.parse().unwrap());
    let seed = std::env::var("TOUCHSTONE_SEED")
        .map_or_else(|_| u64::from(std::process::id()) * 2 + 1, |text| text.parse().unwrap());
    println!("seed {seed} (TOUCHSTONE_SEED repeats it)");
    let mut random = Random(seed);
    let folder = Folder::new(PEOPLE).await;

    // The first start also tells how long one takes here.
    let started = Instant::now();
    let mut server = Server::spawn(folder.path());
    let first = server.address().await.expect("the server ended");
    let start = started.elapsed();
    folder.ready().await;
    let (tell, address) = watch::channel(Some(first));
    let ((say_enough, enough), unanswered) = (watch::channel(false), Arc::new(AtomicUsize::new(0)));
    let people: Vec<_> = folder
        .tokens
        .iter()
        .map(|token| tokio::spawn(hand_in(token.clone(), address.clone(), enough.clone(), Arc::clone(&unanswered))))
        .collect();

    let (mut in_the_middle, mut while_starting, mut followed) = (0, 0, Vec::<(i64, String)>::new());
    for kill in 0..kills {
        // Before it is up, just after, or in the middle of its work; every other time surely there.
        let span = u64::try_from(start.as_millis()).unwrap() + 1_500;
        // Nothing is waited for: the moment is the choice of the dice, and whatever is going on then is cut off.
        let moment = tokio::time::Instant::now() + Duration::from_millis(random.below(span));
        let mut is_up = tell.borrow().is_some();
        if !is_up && let Ok(up) = tokio::time::timeout_at(moment, server.address()).await {
            is_up = true;
            assert!(up.is_some(), "the server ended by itself: {}", folder.log());
            tell.send_replace(up);
        }
        if is_up {
            let ended = tokio::time::timeout_at(moment, server.ended()).await;
            assert!(ended.is_err(), "the server ended by itself: {}", folder.log());
        }
        if kill % 2 == 1 {
            if !is_up {
                let up = server.address().await;
                assert!(up.is_some(), "the server ended by itself: {}", folder.log());
                is_up = true;
                tell.send_replace(up);
            }
            let working = "select exists (select 1 from job where state = 'leased')";
            folder.until("a job that is worked at", working, 1).await;
        }
        server.kill();
        tell.send_replace(None);
        while_starting += usize::from(!is_up);
        let pool = folder.look().await;
        let leased: i64 =
            sqlx::query("select count(*) from job where state = 'leased'").fetch_one(&pool).await.unwrap().get(0);
        in_the_middle += usize::from(leased > 0);
        // A follower goes on from the last event that it saw.
        followed.extend(events(&pool, followed.last().map_or(0, |(id, _)| *id)).await);
        pool.close().await;
        server = Server::spawn(folder.path());
    }

    // The last server does what is left; everybody gets an answer to what they sent.
    say_enough.send_replace(true);
    let up = server.address().await;
    assert!(up.is_some(), "the server ended by itself: {}", folder.log());
    tell.send_replace(up);
    let mut accepted = Accepted::new();
    let mut answers = 0;
    for person in people {
        let own = person.await.unwrap();
        answers += own.len();
        accepted.extend(own);
    }
    assert_eq!(answers, accepted.len(), "two people were told the same number");
    let all = i64::try_from(accepted.len()).unwrap();
    // On a machine that is too slow for these kills a job is hit again and again, and held back.
    let wait = WAIT + Duration::from_millis(LONGEST_HOLD_MS.unsigned_abs());
    let done = "select count(*) from judgement where state = 'done'";
    folder.until_within(wait, "the last verdict", done, all, || {}).await;
    assert!(server.terminate().success());

    let pool = folder.look().await;
    followed.extend(events(&pool, followed.last().map_or(0, |(id, _)| *id)).await);
    check(&pool, &accepted, &followed).await;
    println!(
        "{kills} kills, {in_the_middle} in the middle of a job, {while_starting} while starting; {} submissions, {} requests \
         without an answer, {} events, {} s",
        accepted.len(),
        unanswered.load(Ordering::Relaxed),
        followed.len(),
        started.elapsed().as_secs()
    );
    assert!(in_the_middle * 4 >= kills, "too few kills hit a job to show anything");
    pool.close().await;
}

/// Each submission that was accepted is there once, with one judgement that is final, and the events tell of all of it.
async fn check(pool: &SqlitePool, accepted: &Accepted, followed: &[(i64, String)]) {
    let rows = sqlx::query(
        "select s.id, count(*) as judgements, sum(j.valid) as valid, sum(j.state = 'done') as done, max(j.verdict) as verdict,
            max(j.judge_message) as message, (select count(*) from run r join judgement k on k.id = r.judgement_id where k.submission_id = s.id) as runs
        from submission s join judgement j on j.submission_id = s.id group by s.id",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    let mut there = BTreeSet::new();
    for row in &rows {
        let id: i64 = row.get("id");
        let (_, verdict, runs) = PROGRAMS[*accepted.get(&id).unwrap_or_else(|| panic!("{id} was never acknowledged"))];
        let facts: (i64, i64, i64) = (row.get("judgements"), row.get("valid"), row.get("done"));
        assert_eq!(facts, (1, 1, 1), "submission {id}");
        let why = row.get::<Option<String>, _>("message");
        assert_eq!(row.get::<String, _>("verdict"), verdict, "submission {id}: {why:?}");
        assert_eq!(row.get::<i64, _>("runs"), i64::try_from(runs).unwrap(), "submission {id}");
        there.insert(id);
    }
    let told: BTreeSet<i64> = accepted.keys().copied().collect();
    assert_eq!(there, told, "what was accepted is what is there");

    // A follower has seen each number once, in order, and nothing that it saw was taken back or changed.
    for (index, (id, _)) in followed.iter().enumerate() {
        assert_eq!(*id, i64::try_from(index + 1).unwrap(), "the events have a gap");
    }
    assert_eq!(followed, events(pool, 0).await, "what a follower saw is what stands");
    let created = followed.iter().filter(|(_, told)| told.starts_with("submission create ")).count();
    assert_eq!(created, accepted.len(), "one event for each submission");

    let sound: String = sqlx::query("pragma integrity_check").fetch_one(pool).await.unwrap().get(0);
    assert_eq!(sound, "ok");
    assert!(sqlx::query("pragma foreign_key_check").fetch_all(pool).await.unwrap().is_empty());
}
