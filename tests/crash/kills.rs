//! SIGKILL at random moments while people hand in. Afterwards nothing is lost and nothing is there twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sqlx::Row as _;
use tokio::sync::watch;
use touchstone::store::takeover::LONGEST_HOLD_MS;

use crate::folder::Folder;
use crate::people::{Accepted, check, events, hand_in};
use crate::server::Server;
use crate::waiting::{LOOK_EVERY, WAIT};

/// How often the server is killed, unless `TOUCHSTONE_KILLS` says otherwise.
const KILLS: usize = 50;
/// How many people hand in at the same time.
const PEOPLE: usize = 6;

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
        .map(|token| {
            tokio::spawn(hand_in(
                token.clone(),
                address.clone(),
                enough.clone(),
                Arc::clone(&unanswered),
                Some(LOOK_EVERY),
            ))
        })
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
