//! Pages that follow what happens: server-sent events, and refreshing without scripts.

use std::time::Duration;

use touchstone::domain::verdict::Verdict::{Accepted, WrongAnswer};

use crate::world::{Browser, NOON, Part, TestApp};

#[tokio::test]
async fn a_submission_is_followed_test_by_test() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let parts = [Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")];
    ada.upload("/problems/sum/submit", &parts).await;
    let page = ada.get("/submissions/1").await.body;
    assert!(
        page.contains("<noscript><meta http-equiv=\"refresh\"") && page.contains("data-live=\"/submissions/1/events\"")
    );
    let mut events = ada.events("/submissions/1/events").await;
    assert!(events.next().await.contains("Waiting"));
    let claimed = app.claim().await.unwrap();
    app.run_tests(claimed, &[Accepted]).await;
    // What comes close together may come as one.
    let mut part = events.next().await;
    while !part.contains("1 of 3 tests are done") {
        part = events.next().await;
    }
    app.finish_without_runs(claimed, WrongAnswer, 2).await;
    let mut part = events.next().await;
    while !part.contains("Wrong answer on test 2") {
        part = events.next().await;
    }
    assert!(part.contains("data-finished=\"true\""));
    assert!(events.next().await.contains("event: end"));
    let page = ada.get("/submissions/1").await.body;
    assert!(!page.contains("http-equiv=\"refresh\"") && !page.contains("data-live=\""));
}

#[tokio::test]
async fn the_board_is_sent_again_when_it_changes() {
    let app = TestApp::new().await;
    let mut stranger = app.browser();
    let mut events = stranger.events("/scoreboard/events").await;
    assert!(events.next().await.contains("Nobody is on the board yet"));
    let mut ada = app.contestant("ada").await;
    let parts = [Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")];
    ada.upload("/problems/sum/submit", &parts).await;
    app.judge(&[Accepted; 3]).await;
    let mut part = events.next().await;
    while !part.contains("data-verdict=\"AC\"") {
        part = events.next().await;
    }
    assert!(part.contains("<bdi>ada</bdi>"));
    let page = ada.get("/scoreboard").await.body;
    assert!(!page.contains("<tbody class=\"mine\">"), "who is first is seen once");
    for name in ["bob", "cid", "dan", "eve"] {
        app.contestant(name).await.upload("/problems/sum/submit", &parts).await;
        app.judge(&[Accepted; 3]).await;
    }
    let mut last = app.contestant("zoe").await;
    last.upload("/problems/sum/submit", &parts).await;
    app.judge(&[WrongAnswer]).await;
    let page = last.get("/scoreboard").await.body;
    assert!(page.contains("<tbody class=\"mine\">"), "a row further down is pinned");
}

/// A board's page begins with the first rows; the others are asked for, and one's own row comes by itself.
#[tokio::test]
async fn a_long_board_begins_with_its_first_rows() {
    let app = TestApp::new().await;
    let state = app.state.clone().with_board_rows(3);
    let parts = [Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")];
    let names = ["ada", "bob", "cid", "dan", "eve", "fay"];
    let mut people = Vec::new();
    for name in names {
        app.contestant(name).await.upload("/problems/sum/submit", &parts).await;
        app.judge(&[Accepted; 3]).await;
        app.pass_ms(60_000);
        let mut browser = Browser::of(state.clone());
        browser.post("/login", &[("name", name), ("password", "correct horse")]).await;
        people.push(browser);
    }
    let shown = |page: &str| -> Vec<&str> {
        names.into_iter().filter(|name| page.contains(&format!("<bdi>{name}</bdi>"))).collect()
    };
    let mut stranger = Browser::of(state.clone());
    let page = stranger.get("/scoreboard").await.body;
    assert_eq!(shown(&page), ["ada", "bob", "cid"]);
    assert!(page.contains("<small>6/6</small>"), "the columns count every team");
    assert!(page.contains("href=\"?rows=all\">Show 3 more teams</a>"), "{page}");
    for whole in ["/scoreboard?rows=all", "/scoreboard?projector"] {
        let page = stranger.get(whole).await.body;
        assert_eq!(shown(&page), names);
        assert!(!page.contains("more teams") && page.contains("/scoreboard/events?rows=all&#38;have="), "{page}");
    }
    let last = people.last_mut().unwrap();
    let page = last.get("/scoreboard").await.body;
    assert_eq!(shown(&page), ["ada", "bob", "cid", "fay"]);
    let mut events = last.events("/scoreboard/events").await;
    let first = events.next().await;
    let own = events.next().await;
    assert!(first.contains("event: part") && own.contains("event: own") && own.contains("<bdi>fay</bdi>"), "{own}");
}

/// In the freeze there is still one board for all; what a team knows of itself stands on top of it.
#[tokio::test]
async fn a_frozen_board_is_one_for_all_and_a_teams_own_row_comes_beside_it() {
    let app = TestApp::new().await;
    crate::contests::made(&app, "open").await;
    app.pass_ms(3_600_000 + 4 * 3_600_000 + 60_000);
    let parts = [Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")];
    let mut ada = app.contestant("ada").await;
    let mut bob = app.contestant("bob").await;
    for browser in [&mut ada, &mut bob] {
        browser.upload("/contests/cup/problems/sum/submit", &parts).await;
    }
    app.judge(&[Accepted; 3]).await;
    let board = "/contests/cup/scoreboard";
    let rows = |page: &str| page.split_once("<tbody><tr").unwrap().1.to_owned();
    let public = app.browser().get(board).await.body;
    assert!(!public.contains("data-verdict=\"AC\"") && public.contains("data-verdict=\"pending\""), "{public}");
    let page = ada.get(board).await.body;
    assert_eq!(rows(&page).split("</tbody>").next(), rows(&public).split("</tbody>").next(), "the same for all");
    let own = page.split_once("<tbody class=\"mine\">").unwrap().1.split_once("</tbody>").unwrap().0;
    assert!(own.contains("<bdi>ada</bdi>") && own.contains("data-verdict=\"AC\""), "{own}");
    assert!(own.contains("Your team as you know it"), "{own}");
    // Nobody else's; and where a team knows no more than the others, nothing is added.
    let page = bob.get(board).await.body;
    assert!(!page.contains("data-verdict=\"AC\"") && !page.contains("<tbody class=\"mine\">"), "{page}");
    let mut events = ada.events("/contests/cup/scoreboard/events").await;
    let (part, own) = (events.next().await, events.next().await);
    assert!(part.contains("event: part") && !part.contains("data-verdict=\"AC\""), "{part}");
    assert!(own.contains("event: own") && own.contains("data-verdict=\"AC\""), "{own}");
}

#[tokio::test]
async fn live_pages_end_when_the_server_stops() {
    let app = TestApp::new().await;
    let (stop, stopping) = tokio::sync::watch::channel(false);
    let mut browser = Browser::of(app.state.clone().until(stopping));
    let mut events = browser.events("/scoreboard/events").await;
    events.next().await;
    stop.send(true).unwrap();
    let end = tokio::time::timeout(Duration::from_secs(5), events.finished()).await;
    assert!(end.is_ok(), "the stream goes on");
}

#[tokio::test]
async fn the_contests_clock_can_go_on_by_the_servers_time() {
    let app = TestApp::new().await;
    crate::contests::made(&app, "open").await;
    app.pass_ms(3_600_000 + 61_000);
    let mut browser = app.browser();
    let page = browser.get("/contests/cup/").await.body;
    // Without scripts it stands still; with them it counts from the difference of the two.
    assert!(page.contains(">4:58:59 left</span>"), "{page}");
    let start = NOON.0 + 3_600_000;
    let (now, until) = (start + 61_000, start + 5 * 3_600_000);
    assert!(page.contains(&format!("data-countdown=\"% left\" data-now=\"{now}\" data-until=\"{until}\"")), "{page}");
    browser.language = "zh";
    assert!(
        browser.get("/contests/cup/").await.body.contains("data-countdown=\"") && !page.contains("data-countdown=\"\"")
    );
    assert!(!app.browser().get("/").await.body.contains("data-countdown"), "what never ends has nothing to count");
}
