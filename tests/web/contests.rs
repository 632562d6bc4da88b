//! Contests in the browser: made, changed, started, paused, ended; addresses of their own; who may.

use axum::http::StatusCode;
use touchstone::domain::account::Role;
use touchstone::domain::contest::Phase;
use touchstone::domain::verdict::Verdict::{Accepted, WrongAnswer};
use touchstone::store::audit::{self, ActFilter};
use touchstone::store::contest::{self, Contest};

use crate::world::{Browser, TestApp};

const MINUTE: i64 = 60_000;

async fn cup(app: &TestApp) -> Contest {
    contest::by_slug(app.store.read(), "cup").await.unwrap().unwrap()
}

fn form<'a>(slug: &'a str, start: &'a str, access: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("slug", slug),
        ("name", "City <Cup>"),
        ("start", start),
        ("duration", "5:00"),
        ("freeze", "1:00"),
        ("penalty", "20"),
        ("scoring", "pass-fail"),
        ("failed_tests", "nothing"),
        ("access", access),
        ("language-cpp20", "1"),
    ]
}

/// A contest with the problem `sum` as A that begins in an hour, and its admin.
pub async fn made(app: &TestApp, access: &str) -> Browser {
    let mut admin = app.staff("head").await;
    let answer = admin.post("/admin/contests", &form("cup", "2026-03-01T13:00", access)).await;
    assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, "/admin/contests/cup"), "{}", answer.body);
    let version = cup(app).await.version.to_string();
    let fields = [("version", version.as_str()), ("label-sum", "A"), ("rgb-sum", "#123456")];
    let answer = admin.post("/admin/contests/cup/problems", &fields).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.body);
    admin
}

async fn step(app: &TestApp, admin: &mut Browser, step: &str, span: &str) -> StatusCode {
    let version = cup(app).await.version.to_string();
    let fields = [("version", version.as_str()), ("step", step), ("span", span)];
    admin.post("/admin/contests/cup/steps", &fields).await.status
}

async fn assert_logged(app: &TestApp, act: &str) {
    let log = audit::list(app.store.read(), &ActFilter::default(), None, 50).await.unwrap();
    assert!(log.iter().any(|one| one.act == act && one.actor.as_deref() == Some("head")), "{act} is in the log");
}

async fn hand_in(browser: &mut Browser, base: &str) -> (StatusCode, String) {
    let fields = [crate::world::Part::Text("language", "cpp20"), crate::world::Part::Text("source", "int main() {}")];
    let answer = browser.upload(&format!("{base}/problems/sum/submit"), &fields).await;
    (answer.status, answer.location().to_owned())
}

#[tokio::test]
async fn a_contest_has_every_page_at_its_own_address() {
    let app = TestApp::new().await;
    let mut admin = made(&app, "open").await;
    let mut ada = app.contestant("ada").await;
    assert_eq!(hand_in(&mut ada, "/contests/cup").await.0, StatusCode::CONFLICT, "not begun");
    assert_eq!(step(&app, &mut admin, "start", "0:00").await, StatusCode::SEE_OTHER);
    let (status, to) = hand_in(&mut ada, "/contests/cup").await;
    assert_eq!((status, to.as_str()), (StatusCode::SEE_OTHER, "/contests/cup/submissions/1"));
    app.judge(&[Accepted, Accepted, Accepted]).await;
    for page in [
        "",
        "/scoreboard",
        "/submissions",
        "/submissions/1",
        "/clarifications",
        "/problems/sum",
        "/problems/sum/submit",
    ] {
        let answer = ada.get(&format!("/contests/cup{page}")).await;
        assert_eq!(answer.status, StatusCode::OK, "{page}");
        assert!(answer.body.contains("City &lt;Cup&gt;") || answer.body.contains("City &#60;Cup&#62;"), "{page}");
        for wrong in ["href=\"/problems/", "href=\"/scoreboard", "href=\"/submissions/", "href=\"/clarifications\""] {
            assert!(!answer.body.contains(wrong), "{page} leads out of the contest by {wrong}");
        }
    }
    assert!(ada.get("/contests/cup/scoreboard").await.body.contains("data-verdict=\"AC\""));
    assert!(!ada.get("/scoreboard").await.body.contains("data-team"), "practice has a board of its own");
    let elsewhere = ada.get("/submissions/1").await;
    assert_eq!(elsewhere.location(), "/contests/cup/submissions/1");
    assert!(ada.get("/contests").await.body.contains("href=\"/contests/cup\""));
    assert_eq!(ada.get("/contests/nosuch/scoreboard").await.status, StatusCode::NOT_FOUND);
    assert!(ada.first_event("/contests/cup/scoreboard/events").await.contains("data-team"));
    let csv = ada.get("/contests/cup/scoreboard/files/scoreboard.csv").await.body;
    assert!(csv.starts_with("rank,team,organization,solved,time,points,A\r\n1,ada,,1,0,,1/0\r\n"), "{csv}");
    let results = ada.get("/contests/cup/scoreboard/files/results.tsv").await.body;
    assert!(results.starts_with("results\t1\n"), "{results}");
    assert!(ada.get("/contests/cup/scoreboard?projector").await.body.contains("data-theme=\"dark\""));
}

#[tokio::test]
async fn a_problem_of_a_contest_ahead_is_secret() {
    let app = TestApp::empty().await;
    app.add_problem("sum", "A plus B", "两数之和", 2).await;
    let practice = contest::by_slug(app.store.read(), "practice").await.unwrap().unwrap();
    let mut tx = app.store.begin_write().await.unwrap();
    touchstone::store::contest_setting::set_problems(&mut tx, practice.id, &[], app.now()).await.unwrap();
    tx.commit().await.unwrap();
    let mut admin = made(&app, "open").await;
    let mut ada = app.contestant("ada").await;
    let pages = ["/problems/sum", "/problems/sum/samples.zip", "/problems/sum/pictures/1", "/problems/sum/submit"];
    for page in pages {
        for base in ["", "/contests/cup"] {
            let answer = ada.get(&format!("{base}{page}")).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{base}{page}");
        }
    }
    for page in
        ["/contests/cup", "/contests/cup/scoreboard", "/contests/cup/submissions", "/api/v4/contests/cup/problems"]
    {
        let body = ada.get(page).await.body;
        assert!(!body.contains("A plus B") && !body.contains("problems/sum"), "{page}");
    }
    assert_eq!(admin.get("/problems/sum").await.status, StatusCode::OK, "its staff sees it");
    app.pass_ms(60 * MINUTE);
    assert_eq!(ada.get("/contests/cup/problems/sum").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_contest_can_be_for_invited_teams_in_chosen_languages() {
    let app = TestApp::new().await;
    let mut admin = made(&app, "invitation").await;
    let (mut ada, mut eve) = (app.contestant("ada").await, app.contestant("eve").await);
    let version = cup(&app).await.version.to_string();
    let unknown = [("version", version.as_str()), ("teams", "ada\nnosuch")];
    let answer = admin.post("/admin/contests/cup/teams", &unknown).await;
    assert!(answer.status == StatusCode::CONFLICT && answer.body.contains("nosuch"), "{}", answer.body);
    let teams = [("version", version.as_str()), ("teams", "ada\r\n")];
    assert_eq!(admin.post("/admin/contests/cup/teams", &teams).await.status, StatusCode::SEE_OTHER);
    step(&app, &mut admin, "start", "0:00").await;
    assert_eq!(hand_in(&mut eve, "/contests/cup").await.0, StatusCode::FORBIDDEN);
    assert_eq!(hand_in(&mut ada, "/contests/cup").await.0, StatusCode::SEE_OTHER);
    let page = ada.get("/contests/cup/problems/sum/submit").await.body;
    assert!(page.contains("value=\"cpp20\"") && !page.contains("value=\"python3\""));
    let board = ada.get("/contests/cup/scoreboard").await.body;
    assert!(board.contains("<bdi>ada</bdi>") && !board.contains("<bdi>eve</bdi>"));
}

#[tokio::test]
async fn the_clock_is_paused_moved_and_ended() {
    let app = TestApp::new().await;
    let mut admin = made(&app, "open").await;
    let mut ada = app.contestant("ada").await;
    // A countdown that stands still doesn't begin.
    assert_eq!(step(&app, &mut admin, "start", "0:10").await, StatusCode::SEE_OTHER);
    assert_eq!(step(&app, &mut admin, "pause", "").await, StatusCode::SEE_OTHER);
    app.pass_ms(30 * MINUTE);
    assert_eq!(cup(&app).await.times().phase(app.now()), Phase::Before);
    assert!(ada.get("/contests/cup").await.body.contains("paused"));
    assert_eq!(step(&app, &mut admin, "pause", "").await, StatusCode::CONFLICT, "it is paused");
    assert_eq!(step(&app, &mut admin, "resume", "").await, StatusCode::SEE_OTHER);
    app.pass_ms(10 * MINUTE);
    assert_eq!(cup(&app).await.times().phase(app.now()), Phase::Running);
    assert_eq!(step(&app, &mut admin, "start", "0:10").await, StatusCode::CONFLICT, "it has begun");
    // While it is paused nothing is taken, and no time is lost.
    step(&app, &mut admin, "pause", "").await;
    assert_eq!(hand_in(&mut ada, "/contests/cup").await.0, StatusCode::CONFLICT);
    app.pass_ms(20 * MINUTE);
    step(&app, &mut admin, "resume", "").await;
    assert_eq!(cup(&app).await.duration_ms, Some(320 * MINUTE));
    assert_eq!(step(&app, &mut admin, "extend", "0:15").await, StatusCode::SEE_OTHER);
    assert_eq!(cup(&app).await.duration_ms, Some(335 * MINUTE));
    assert_eq!(cup(&app).await.freeze_ms, Some(60 * MINUTE), "a freeze ahead moves along");
    for early in ["finalize", "thaw"] {
        assert_eq!(step(&app, &mut admin, early, "").await, StatusCode::CONFLICT, "{early}");
    }
    // What was shown before an early end stays shown.
    app.pass_ms(30 * MINUTE);
    hand_in(&mut ada, "/contests/cup").await;
    app.judge(&[Accepted, Accepted, Accepted]).await;
    app.pass_ms(MINUTE);
    assert_eq!(step(&app, &mut admin, "end", "").await, StatusCode::SEE_OTHER);
    assert_eq!(cup(&app).await.freeze_ms, None);
    assert!(app.browser().get("/contests/cup/scoreboard").await.body.contains("data-verdict=\"AC\""));
    assert_eq!(hand_in(&mut ada, "/contests/cup").await.0, StatusCode::CONFLICT, "over, and no practice after it");
    assert_eq!(step(&app, &mut admin, "finalize", "").await, StatusCode::SEE_OTHER);
    assert_eq!(step(&app, &mut admin, "extend", "0:15").await, StatusCode::CONFLICT, "final");
    for act in ["create", "problems", "start", "pause", "resume", "extend", "end", "finalize"] {
        assert_logged(&app, &format!("contest.{act}")).await;
    }
}

#[tokio::test]
async fn the_second_of_two_editors_is_told() {
    let app = TestApp::new().await;
    let mut admin = made(&app, "open").await;
    let mut other = app.staff("second").await;
    let version = cup(&app).await.version.to_string();
    let with_version = |name: &'static str| {
        let mut fields = form("cup", "2026-03-01T13:00", "open");
        fields.retain(|(key, _)| !["name", "slug"].contains(key));
        fields.extend([("name", name), ("version", version.as_str())]);
        fields
    };
    assert_eq!(admin.post("/admin/contests/cup", &with_version("First")).await.status, StatusCode::SEE_OTHER);
    let answer = other.post("/admin/contests/cup", &with_version("Second")).await;
    assert_eq!(answer.status, StatusCode::CONFLICT);
    assert!(answer.body.contains("Somebody else changed the contest") && answer.body.contains("First"));
    assert_eq!(cup(&app).await.name, "First");
    let fields = [("version", version.as_str()), ("step", "start"), ("span", "0:00")];
    let stale = other.post("/admin/contests/cup/steps", &fields).await;
    assert_eq!(stale.status, StatusCode::CONFLICT);
    assert_logged(&app, "contest.edit").await;
}

/// What was typed comes back with the sentence, and saving a form changes nothing that wasn't touched.
#[tokio::test]
async fn a_refused_form_comes_back_as_it_was() {
    let app = TestApp::new().await;
    let mut admin = made(&app, "open").await;
    let fields = [
        ("name", "Spring"),
        ("slug", "spring"),
        ("start", "2026-05-01T13:00"),
        ("duration", "a while"),
        ("freeze", "0:30"),
        ("penalty", "7"),
        ("scoring", "score-groups"),
        ("failed_tests", "counterexample_after_end"),
        ("access", "invitation"),
        ("practice_after", "1"),
    ];
    for address in ["/admin/contests", "/admin/contests/cup"] {
        let version = cup(&app).await.version.to_string();
        let mut fields = fields.to_vec();
        fields.push(("version", &version));
        let refused = admin.post(address, &fields).await;
        assert!(refused.status.is_client_error(), "{address}: {}", refused.status);
        for kept in [
            "value=\"Spring\"",
            "value=\"2026-05-01T13:00\"",
            "value=\"a while\"",
            "value=\"0:30\"",
            "value=\"7\"",
            "value=\"score-groups\" selected",
            "value=\"counterexample_after_end\" selected",
            "value=\"invitation\" selected",
            "name=\"practice_after\" value=\"1\" checked",
        ] {
            assert!(refused.body.contains(kept), "{address}: {kept}: {}", refused.body);
        }
        fields.retain(|(name, _)| *name != "duration");
        fields.push(("duration", "5:00"));
        assert_eq!(admin.post(address, &fields).await.status, StatusCode::SEE_OTHER, "{address}");
    }
    let shown = admin.get("/admin/contests/spring").await.body;
    assert!(shown.contains("value=\"counterexample_after_end\" selected"), "{shown}");
    assert_eq!(cup(&app).await.failed_tests, touchstone::store::contest::FailedTests::CounterexampleAfterEnd);
}

/// A contest that `ada` was in is taken part in later by `bob`: his minutes, her ghost, and the contest as it was.
#[tokio::test]
async fn a_past_contest_is_taken_part_in_on_ones_own_clock() {
    let app = TestApp::new().await;
    let mut admin = made(&app, "open").await;
    let (mut ada, mut bob) = (app.contestant("ada").await, app.contestant("bob").await);
    let page = "/contests/cup/virtual";
    assert!(bob.get(page).await.body.contains("The contest is not over"));
    app.pass_ms(60 * MINUTE);
    // In the contest itself: ada is wrong at minute 30 and right at 100.
    for (minutes, verdicts) in [(30, vec![Accepted, WrongAnswer]), (70, vec![Accepted, Accepted, Accepted])] {
        app.pass_ms(minutes * MINUTE);
        assert_eq!(hand_in(&mut ada, "/contests/cup").await.0, StatusCode::SEE_OTHER);
        app.judge(&verdicts).await;
    }
    app.pass_ms(300 * MINUTE);
    let refused = bob.post(page, &[]).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert!(refused.body.contains("still frozen"), "{}", refused.body);
    assert_eq!(step(&app, &mut admin, "finalize", "").await, StatusCode::SEE_OTHER);
    assert_eq!(step(&app, &mut admin, "thaw", "").await, StatusCode::SEE_OTHER);
    let original = app.browser().get("/contests/cup/scoreboard").await.body;
    let api = app.browser().get("/api/v4/contests/cup/event-feed?stream=false").await.body;

    assert_eq!(app.browser().get(page).await.location(), "/login?next=%2Fcontests%2Fcup%2Fvirtual");
    assert!(ada.get(page).await.body.contains("was in the contest itself"));
    assert_eq!(ada.post(page, &[]).await.status, StatusCode::CONFLICT);
    assert_eq!(hand_in(&mut bob, "/contests/cup").await.0, StatusCode::CONFLICT, "his clock doesn't run");
    assert!(app.browser().get("/contests/cup/scoreboard").await.body.contains("/contests/cup/virtual\""));
    let offer = bob.get(page).await.body;
    assert!(offer.contains("action=\"/contests/cup/virtual\"") && offer.contains("5:00:00"), "{offer}");
    for _ in 0..2 {
        let begun = bob.post(page, &[]).await;
        assert_eq!((begun.status, begun.location()), (StatusCode::SEE_OTHER, page), "sent twice is begun once");
    }
    // His minute 20: she has not tried yet.
    app.pass_ms(20 * MINUTE);
    let now = bob.get(page).await.body;
    assert!(now.contains("4:40:00 left") && now.contains("data-countdown"), "{now}");
    assert!(!now.contains("data-verdict=\"AC\""), "{now}");
    // His minute 50: one wrong try, then right. She has one wrong try.
    app.pass_ms(30 * MINUTE);
    let mut live = bob.events("/contests/cup/virtual/events").await;
    let first = live.next().await;
    assert!(ranked(&first).iter().all(|(_, solved, _)| solved == "0"), "{first}");
    for verdicts in [vec![Accepted, WrongAnswer], vec![Accepted, Accepted, Accepted]] {
        let (status, at) = hand_in(&mut bob, "/contests/cup").await;
        assert_eq!(status, StatusCode::SEE_OTHER, "{at}");
        app.judge(&verdicts).await;
        app.pass_ms(11_000);
    }
    let told = loop {
        let event = live.next().await;
        if event.contains("data-verdict=\"AC\"") {
            break event;
        }
    };
    assert_eq!(ranked(&told)[0].0, "bob", "{told}");
    let own = ("bob", "1".to_owned(), "70".to_owned());
    assert_eq!(ranked(&bob.get(page).await.body), [own.clone(), ("ada", "0".to_owned(), "0".to_owned())]);
    // His minute 120: she has solved it in minute 100, with a wrong try.
    app.pass_ms(70 * MINUTE);
    assert_eq!(ranked(&bob.get(page).await.body), [own, ("ada", "1".to_owned(), "120".to_owned())]);
    app.pass_ms(180 * MINUTE);
    assert!(bob.get(page).await.body.contains("Your time is over"));
    let mut ended = bob.events("/contests/cup/virtual/events").await;
    assert!(ended.next().await.contains("event: part"));
    assert!(ended.next().await.contains("event: end"));
    assert_eq!(hand_in(&mut bob, "/contests/cup").await.0, StatusCode::CONFLICT, "his time is over");
    bob.language = "zh";
    assert!(bob.get(page).await.body.contains("你的比赛时间已结束"));

    // The contest is as it was, for all eyes.
    assert_eq!(rows(&app.browser().get("/contests/cup/scoreboard").await.body), rows(&original));
    assert_eq!(rows(&original).len(), 1, "only ada was there");
    assert_eq!(
        app.browser().get("/api/v4/contests/cup/event-feed?stream=false").await.body.lines().count(),
        api.lines().count()
    );
}

/// The team rows of a board, one text each.
fn rows(page: &str) -> Vec<&str> {
    page.split("<tr").filter(|row| row.contains("data-team=\"")).filter_map(|row| row.split("</tr>").next()).collect()
}

/// Name, solved and time of the rows of a board.
fn ranked(page: &str) -> Vec<(&'static str, String, String)> {
    let row = |row: &str| {
        let name = ["ada", "bob"].into_iter().find(|name| row.contains(&format!(">{name}<"))).unwrap();
        let figures = row.split_once("</th><td><b>").unwrap().1;
        let (solved, rest) = figures.split_once("</b></td><td>").unwrap();
        (name, solved.to_owned(), rest.split_once('<').unwrap().0.to_owned())
    };
    rows(page).into_iter().map(row).collect()
}

#[tokio::test]
async fn only_admins_set_contests() {
    let app = TestApp::new().await;
    made(&app, "open").await;
    for role in [Role::Contestant, Role::Setter, Role::Judge] {
        let mut browser = app.with_role(role.as_str(), role).await;
        for page in ["/admin/contests/new", "/admin/contests/cup"] {
            assert_eq!(browser.get(page).await.status, StatusCode::FORBIDDEN, "{role} {page}");
        }
        for act in ["", "/cup", "/cup/steps", "/cup/problems", "/cup/teams", "/cup/clone"] {
            let mut fields = form("other", "2026-03-01T13:00", "open");
            fields.extend([("version", "2"), ("step", "start"), ("span", "0:00")]);
            let answer = browser.post(&format!("/admin/contests{act}"), &fields).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{role} {act}");
        }
    }
    assert_eq!(contest::list(app.store.read()).await.unwrap().len(), 2);
}

/// What is set is what the form shows, so that saving it again changes nothing.
#[tokio::test]
async fn the_form_shows_every_choice_that_can_be_set() {
    let app = TestApp::new().await;
    let mut admin = made(&app, "open").await;
    let choices = [
        ("scoring", &["pass-fail", "score", "score-groups"][..]),
        ("failed_tests", &["nothing", "number", "counterexample_after_end"]),
        ("access", &["open", "invitation"]),
    ];
    for (name, values) in choices {
        for &value in values {
            let version = cup(&app).await.version.to_string();
            let mut fields = form("cup", "2026-03-01T13:00", "open");
            fields.retain(|(field, _)| *field != name && *field != "slug");
            fields.extend([(name, value), ("version", version.as_str())]);
            let answer = admin.post("/admin/contests/cup", &fields).await;
            assert_eq!(answer.status, StatusCode::SEE_OTHER, "{name}={value}: {}", answer.body);
            let page = admin.get("/admin/contests/cup").await.body;
            assert!(page.contains(&format!("<option value=\"{value}\" selected>")), "{name}={value} is not shown");
        }
    }
}

#[tokio::test]
async fn a_copy_has_the_settings_problems_and_teams() {
    let app = TestApp::new().await;
    let mut admin = made(&app, "invitation").await;
    app.contestant("ada").await;
    let version = cup(&app).await.version.to_string();
    admin.post("/admin/contests/cup/teams", &[("version", version.as_str()), ("teams", "ada")]).await;
    let answer = admin.post("/admin/contests/cup/clone", &[("slug", "next"), ("start", "2026-03-08T13:00")]).await;
    assert_eq!(answer.location(), "/admin/contests/next", "{}", answer.body);
    let page = admin.get("/admin/contests/next").await.body;
    assert!(page.contains("City") && page.contains("#123456") && page.contains("\nada</textarea>"), "{page}");
    assert!(page.contains("2026-03-08T13:00:00"));
    assert_logged(&app, "contest.clone").await;
    assert_logged(&app, "contest.teams").await;
}

#[tokio::test]
async fn the_resolver_opens_when_it_may() {
    let app = TestApp::new().await;
    let mut admin = made(&app, "open").await;
    let mut ada = app.contestant("ada").await;
    let mut tx = app.store.begin_write().await.unwrap();
    let group =
        "insert into team_group (id, external_id, name, created_ms) values (1, 'hearts', 'Winner of hearts', 0);
        insert into team_in_group select id, 1 from team where name = 'ada'";
    sqlx::raw_sql(group).execute(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
    step(&app, &mut admin, "start", "0:00").await;
    app.pass_ms(250 * MINUTE);
    hand_in(&mut ada, "/contests/cup").await;
    app.judge(&[Accepted, Accepted, Accepted]).await;
    let mut eve = app.contestant("eve").await;
    hand_in(&mut eve, "/contests/cup").await;
    app.judge(&[Accepted, WrongAnswer]).await;
    let public = app.browser().get("/contests/cup/scoreboard").await.body;
    assert!(public.contains("with 60 minutes remaining - submissions in the last 60 minutes"), "{public}");
    assert!(!public.contains("data-verdict=\"AC\"") && public.contains("data-verdict=\"pending\""));
    assert_eq!(admin.get("/contests/cup/resolver").await.status, StatusCode::NOT_FOUND, "it runs");
    app.pass_ms(60 * MINUTE);
    assert_eq!(ada.get("/contests/cup/resolver").await.status, StatusCode::NOT_FOUND, "frozen");
    let page = admin.get("/contests/cup/resolver").await;
    assert_eq!(page.status, StatusCode::OK);
    let data = page.body.split("id=\"resolver-data\">").nth(1).unwrap().split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["steps"].as_array().unwrap().len(), 2, "{data}");
    assert_eq!(data["rows"][0]["cells"][0]["state"], "pending");
    assert!(page.body.contains("data-verdict=\"AC\""), "without JavaScript the final table stands there");
    step(&app, &mut admin, "finalize", "").await;
    step(&app, &mut admin, "thaw", "").await;
    // Awards are said in the reader's language, and a group's name stays as it is, whatever words it begins with.
    for (language, words) in
        [("en", ["Winner", "Winner of Winner of hearts"]), ("zh", ["冠军", "Winner of hearts 第一名"])]
    {
        ada.language = language;
        let page = ada.get("/contests/cup/resolver").await;
        assert_eq!(page.status, StatusCode::OK);
        for words in words {
            assert!(page.body.contains(&format!("\"citation\":\"{words}\"")), "{}", page.body);
        }
    }
    let results = ada.get("/contests/cup/scoreboard/files/results.tsv").await.body;
    assert!(results.lines().any(|line| line.ends_with("\tWinner of hearts")), "{results}");
    assert_logged(&app, "contest.thaw").await;
}
