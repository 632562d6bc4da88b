//! A whole contest over the API: 40 teams, 6 problems, a freeze, clarifications, a rejudge, the end, finalize and thaw. The
//! boards equal a computation that knows nothing of the judge's own; the feed, replayed, gives the collections.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use serde_json::{Value, json};
use touchstone::domain::account::{NewPassword, Role, UserName};
use touchstone::domain::time::EpochMs;
use touchstone::domain::verdict::Verdict;
use touchstone::service::Actor;
use touchstone::service::contest_steps::Step;
use touchstone::service::contests::{ContestError, NotNow, Seen, WantedProblem, settings_of};
use touchstone::service::rejudge::Selection;
use touchstone::store::api_token::Scopes;
use touchstone::store::contest::{self, Access, FailedTests, PointsFrom, Scoring};
use touchstone::store::contest_setting::Settings;
use touchstone::web::board_folder;

use crate::world::{NOON, TestApp};

const MINUTE: i64 = 60_000;
const TEAMS: usize = 40;
const PROBLEMS: [&str; 6] = ["p-a", "p-b", "p-c", "p-d", "p-e", "p-f"];
/// Minutes.
const FREEZE_AT: i64 = 240;
const LENGTH: i64 = 300;

/// Numbers that look random and are the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

/// A submission as the script remembers it.
#[derive(Debug, Clone)]
struct Told {
    team: String,
    problem: &'static str,
    minute: i64,
    verdict: Verdict,
}

struct Api<'a> {
    app: &'a TestApp,
    token: Option<String>,
}

impl Api<'_> {
    async fn text(&self, method: Method, path: &str, body: Option<Value>) -> (StatusCode, String) {
        let mut request = Request::builder().method(method).uri(format!("/api/v4/contests/{path}"));
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let request = request.header(header::CONTENT_TYPE, "application/json").body(Body::from(body)).unwrap();
        let response = self.app.browser().request(request).await;
        let status = response.status();
        let bytes = axum::body::to_bytes(response.into_body(), 64 << 20).await.unwrap();
        (status, String::from_utf8(bytes.to_vec()).unwrap())
    }

    async fn get(&self, path: &str) -> Value {
        let (status, text) = self.text(Method::GET, path, None).await;
        assert_eq!(status, StatusCode::OK, "{path}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    async fn feed(&self, query: &str) -> Vec<Value> {
        let (status, text) = self.text(Method::GET, &format!("cup/event-feed?stream=false{query}"), None).await;
        assert_eq!(status, StatusCode::OK, "{text}");
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

async fn actor(app: &TestApp, name: &str, role: Role) -> Actor {
    let (user, password): (UserName, NewPassword) = (name.parse().unwrap(), "correct horse".parse().unwrap());
    app.state.service.create_user(&user, role, Some(&password), app.now()).await.unwrap();
    app.state.service.check_password(name, "correct horse", None, app.now()).await.unwrap()
}

async fn api<'a>(app: &'a TestApp, actor: &Actor) -> Api<'a> {
    let scopes = Scopes { read: true, submit: true, manage: false };
    Api { app, token: Some(app.state.service.create_token(actor, "script", scopes, app.now()).await.unwrap()) }
}

fn settings(start: EpochMs) -> Settings {
    Settings {
        name: "City Cup".to_owned(),
        start,
        duration_ms: Some(LENGTH * MINUTE),
        freeze_ms: Some((LENGTH - FREEZE_AT) * MINUTE),
        penalty_minutes: 20,
        scoring: Scoring::PassFail,
        points_from: PointsFrom::Submissions,
        failed_tests: FailedTests::Nothing,
        access: Access::Open,
        languages: None,
        practice_after: false,
        equal_toolchains: false,
    }
}

const fn cup() -> Seen<'static> {
    Seen { slug: "cup", version: None }
}

async fn make(app: &TestApp, admin: &Actor) {
    let service = &app.state.service;
    let now = app.now();
    service.create_contest(Some(admin), &"cup".parse().unwrap(), &settings(NOON.plus_ms(MINUTE)), now).await.unwrap();
    let wanted: Vec<WantedProblem> = PROBLEMS
        .iter()
        .zip(["A", "B", "C", "D", "E", "F"])
        .map(|(slug, label)| WantedProblem { slug: (*slug).to_owned(), label: label.to_owned(), rgb: String::new() })
        .collect();
    service.set_contest_problems(Some(admin), cup(), &wanted, now).await.unwrap();
}

/// Gives the teams organizations and groups; one group is the staff's own.
async fn belong(app: &TestApp) {
    let mut tx = app.store.begin_write().await.unwrap();
    sqlx::raw_sql(
        "insert into organization (external_id, icpc_id, name, country, created_ms)
            values ('north', '7', 'North University', 'ISL', 0), ('south', null, 'South College', null, 0);
        insert into team_group (external_id, name, hidden, created_ms)
            values ('first', 'First years', 0, 0), ('all', 'All', 0, 0), ('staff', 'Staff', 1, 0);
        update team set organization_id = 1 + id % 2 where name like 'team%' and id % 5 > 0;
        insert into team_in_group select t.id, g.id from team t, team_group g
            where t.name like 'team%' and (g.external_id = 'all' or g.external_id = 'first' and t.id % 3 = 0)",
    )
    .execute(&mut *tx)
    .await
    .unwrap();
    tx.commit().await.unwrap();
}

/// ICPC's rules once more, as plainly as they can be written: rank, team, solved, time.
fn computed(told: &[Told], teams: &[String], hidden_from: i64) -> Vec<(usize, String, usize, i64)> {
    let mut rows: Vec<(usize, i64, i64, String)> = Vec::new();
    for team in teams {
        let (mut solved, mut time, mut last) = (0, 0, 0);
        for problem in PROBLEMS {
            let mut rejected = 0;
            for one in told.iter().filter(|one| one.team == *team && one.problem == problem) {
                if one.minute >= hidden_from {
                    break;
                }
                match one.verdict {
                    Verdict::Accepted => {
                        solved += 1;
                        time += one.minute + 20 * rejected;
                        last = last.max(one.minute);
                        break;
                    }
                    Verdict::CompileError => {}
                    _ => rejected += 1,
                }
            }
        }
        rows.push((solved, time, last, team.clone()));
    }
    let better = |a: &(usize, i64, i64, String), b: &(usize, i64, i64, String)| {
        a.0 > b.0 || (a.0 == b.0 && (a.1 < b.1 || (a.1 == b.1 && a.2 < b.2)))
    };
    let ranked = rows.iter().map(|row| {
        let rank = rows.iter().filter(|other| better(other, row)).count() + 1;
        (rank, row.3.clone(), row.0, row.1)
    });
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort();
    ranked
}

fn shown(board: &Value) -> Vec<(usize, String, usize, i64)> {
    let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let row = |row: &Value| {
        assert_eq!(row["score"].get("time").is_some(), row["score"]["num_solved"] != json!(0), "{row}");
        (
            number(&row["rank"]),
            row["team_id"].as_str().unwrap().to_owned(),
            number(&row["score"]["num_solved"]),
            row["score"]["total_time"].as_i64().unwrap(),
        )
    };
    let mut rows: Vec<_> = board["rows"].as_array().unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

/// Every id that an object names is an object that the same caller sees.
async fn references_resolve(api: &Api<'_>) {
    let mut known: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut objects: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for name in [
        "judgement-types",
        "languages",
        "problems",
        "groups",
        "organizations",
        "teams",
        "submissions",
        "judgements",
        "runs",
        "clarifications",
        "awards",
    ] {
        let all = api.get(&format!("cup/{name}")).await.as_array().unwrap().clone();
        known.insert(name, all.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect());
        if let Some(first) = known[name].first() {
            assert_eq!(api.get(&format!("cup/{name}/{first}")).await["id"], json!(first));
        }
        objects.insert(name, all);
    }
    let names = |field: &str| match field {
        "language_id" => Some("languages"),
        "problem_id" => Some("problems"),
        "team_id" | "from_team_id" | "to_team_id" | "team_ids" => Some("teams"),
        "organization_id" => Some("organizations"),
        "group_ids" => Some("groups"),
        "submission_id" => Some("submissions"),
        "judgement_id" => Some("judgements"),
        "judgement_type_id" => Some("judgement-types"),
        "reply_to_id" => Some("clarifications"),
        _ => None,
    };
    let board = api.get("cup/scoreboard").await;
    let rows = board["rows"].as_array().unwrap();
    let cells = rows.iter().flat_map(|row| row["problems"].as_array().unwrap());
    for object in objects.values().flatten().chain(rows).chain(cells) {
        for (field, value) in object.as_object().unwrap() {
            let Some(collection) = names(field) else { continue };
            let ids: Vec<&str> = match value {
                Value::String(id) => vec![id],
                Value::Array(ids) => ids.iter().map(|id| id.as_str().unwrap()).collect(),
                _ => Vec::new(),
            };
            for id in ids {
                assert!(known[collection].contains(id), "{field} {id} of {object} is nowhere");
            }
        }
    }
}

/// What a reader of the feed has at its end: the last of each object.
fn replayed(lines: &[Value]) -> BTreeMap<(String, String), Value> {
    let mut have = BTreeMap::new();
    for line in lines {
        let key = (line["type"].as_str().unwrap().to_owned(), line["id"].as_str().unwrap_or_default().to_owned());
        if line["data"].is_null() {
            have.remove(&key)
        } else {
            have.insert(key, line["data"].clone())
        };
    }
    have
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "it is one contest, told from its beginning to its end")]
async fn a_whole_contest_is_played() {
    let app = TestApp::empty().await;
    for slug in PROBLEMS {
        app.add_problem(slug, slug, slug, 2).await;
    }
    let service = &app.state.service;
    let (admin, judge) = (actor(&app, "admin", Role::Admin).await, actor(&app, "judge", Role::Judge).await);
    let (nobody, judges) = (Api { app: &app, token: None }, api(&app, &judge).await);
    make(&app, &admin).await;
    let mut teams = Vec::new();
    for number in 0..TEAMS {
        let actor = actor(&app, &format!("team{number:02}"), Role::Contestant).await;
        teams.push((actor.team_id.unwrap().to_string(), api(&app, &actor).await, actor));
    }
    belong(&app).await;
    let ids: Vec<String> = teams.iter().map(|(id, ..)| id.clone()).collect();

    // Before the start.
    assert_eq!(nobody.get("cup/problems").await, json!([]), "future problems are secret");
    assert_eq!(judges.get("cup/problems").await.as_array().unwrap().len(), 6);
    assert_eq!(nobody.get("cup/state").await["started"], Value::Null);
    let files = json!([{ "data": zip("main.py", b"print(1)") }]);
    let send = |problem: &str| json!({ "problem_id": problem, "language_id": "python3", "files": files });
    let (status, _) = teams[0].1.text(Method::POST, "cup/submissions", Some(send("p-a"))).await;
    assert_eq!(status, StatusCode::FORBIDDEN, "not begun");
    service.step_contest(Some(&admin), cup(), Step::Start(0), app.now()).await.unwrap();

    // Each team solves what it can, in the order of time.
    let mut chance = Chance(7);
    let mut plan: Vec<(i64, usize, &'static str, Verdict)> = Vec::new();
    for team in 0..TEAMS {
        for (index, problem) in PROBLEMS.into_iter().enumerate() {
            for _ in 0..chance.below(3) {
                let verdict = [Verdict::Accepted, Verdict::WrongAnswer, Verdict::CompileError, Verdict::Accepted]
                    [chance.below(if index > 3 { 3 } else { 4 })];
                let minute = i64::try_from(chance.below(298)).unwrap();
                plan.push((minute, team, problem, verdict));
            }
        }
    }
    plan.push((299, 0, "p-f", Verdict::WrongAnswer));
    plan.sort_by_key(|one| one.0);
    let start = app.now();
    let mut told: Vec<Told> = Vec::new();
    let mut submitted: Vec<String> = Vec::new();
    for (index, &(minute, team, problem, verdict)) in plan.iter().enumerate() {
        app.pass_ms(start.plus_ms(minute * MINUTE + 30_000).since(app.now()).max(0));
        let source = json!([{ "data": zip("main.py", format!("print({index})").as_bytes()) }]);
        let body = json!({ "problem_id": problem, "language_id": "python3", "files": source });
        let (status, text) = teams[team].1.text(Method::POST, "cup/submissions", Some(body)).await;
        assert_eq!(status, StatusCode::OK, "{text}");
        submitted.push(serde_json::from_str::<Value>(&text).unwrap()["id"].as_str().unwrap().to_owned());
        app.judge(&[verdict, Verdict::Accepted]).await;
        told.push(Told { team: ids[team].clone(), problem, minute, verdict });
        if index == plan.len() / 2 {
            let board = nobody.get("cup/scoreboard").await;
            let playing: Vec<String> =
                ids.iter().filter(|id| told.iter().any(|one| one.team == **id)).cloned().collect();
            assert_eq!(shown(&board), computed(&told, &playing, FREEZE_AT), "half way");
        }
    }
    let playing: Vec<String> = ids.iter().filter(|id| told.iter().any(|one| one.team == **id)).cloned().collect();

    // A question, its answer to all.
    let (_, asks, asker) = &teams[3];
    let contest = contest::by_slug(app.store.read(), "cup").await.unwrap().unwrap();
    let question = service.ask(asker, contest.id, Some("p-b"), "Is n ever 0?", app.now()).await.unwrap();
    assert_eq!(asks.get("cup/clarifications").await.as_array().unwrap().len(), 1);
    for other in [&nobody, &teams[4].1] {
        assert_eq!(other.get("cup/clarifications").await, json!([]), "a question is its team's and the judges'");
    }

    // Frozen: nobody but the judges, and each team of its own row, sees what came since.
    assert_eq!(shown(&nobody.get("cup/scoreboard").await), computed(&told, &playing, FREEZE_AT));
    assert_eq!(shown(&judges.get("cup/scoreboard").await), computed(&told, &playing, LENGTH));
    let late: BTreeSet<&String> =
        told.iter().zip(&submitted).filter(|(one, _)| one.minute >= FREEZE_AT).map(|(_, id)| id).collect();
    assert!(late.len() > 10, "the freeze hides something");
    for judgement in nobody.get("cup/judgements").await.as_array().unwrap() {
        assert!(!late.contains(&judgement["submission_id"].as_str().unwrap().to_owned()), "{judgement}");
    }

    // The end; nothing is final while something is open.
    app.pass_ms(2 * MINUTE);
    let (status, _) = teams[0].1.text(Method::POST, "cup/submissions", Some(send("p-a"))).await;
    assert_eq!(status, StatusCode::FORBIDDEN, "over");
    let finalize = async || service.step_contest(Some(&admin), cup(), Step::Finalize, app.now()).await;
    assert!(matches!(finalize().await, Err(ContestError::NotNow(NotNow::Undecided(_)))), "a question is open");
    service.answer(&judge, contest.id, question, "No.", true, app.now()).await.unwrap();
    let last = submitted.last().unwrap().parse().unwrap();
    let token = judges.feed("").await.last().unwrap()["token"].as_str().unwrap().to_owned();
    let selection = Selection::submission(last);
    let begun = service.begin_rejudging(Some(&judge), &selection, "the checker was wrong", app.now()).await.unwrap();
    assert!(matches!(finalize().await, Err(ContestError::NotNow(NotNow::Undecided(_)))), "a rejudge runs");
    app.judge(&[Verdict::Accepted, Verdict::Accepted]).await;
    service.apply_rejudging(Some(&judge), begun.id, None, app.now()).await.unwrap();
    told.last_mut().unwrap().verdict = Verdict::Accepted;
    assert_eq!(shown(&judges.get("cup/scoreboard").await), computed(&told, &playing, LENGTH), "rejudged");
    let resumed = judges.feed(&format!("&since_token={token}")).await;
    let deleted = resumed.iter().filter(|line| line["type"] == "judgements" && line["data"].is_null()).count();
    assert_eq!(deleted, 1, "the old judgement counts no longer: {resumed:?}");
    let again = resumed.iter().filter(|line| line["type"] != "awards").count();
    assert!(again < 20, "only what changed comes again, not {again} lines");
    finalize().await.unwrap();
    let edited = Settings { name: "Other".to_owned(), ..settings_of(&contest) };
    let edited = service.edit_contest(Some(&admin), cup(), &edited, app.now()).await;
    assert!(matches!(edited, Err(ContestError::NotNow(NotNow::Finalized))));
    assert_eq!(shown(&nobody.get("cup/scoreboard").await), computed(&told, &playing, FREEZE_AT), "still frozen");
    let frozen = folder_fits(&app, &nobody).await;
    assert_eq!(nobody.get("cup/awards").await, json!([]), "awards would tell");
    for api in [&nobody, &teams[0].1, &judges] {
        references_resolve(api).await;
    }

    // Where teams belong; the staff's own group is for judges.
    let ids_of = async |api: &Api<'_>, name: &str| -> BTreeSet<String> {
        let all = api.get(&format!("cup/{name}")).await;
        all.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    for (api, groups) in [(&nobody, vec!["all", "first"]), (&judges, vec!["all", "first", "staff"])] {
        assert_eq!(ids_of(api, "organizations").await.into_iter().collect::<Vec<_>>(), ["north", "south"]);
        assert_eq!(ids_of(api, "groups").await.into_iter().collect::<Vec<_>>(), groups);
        let teams = api.get("cup/teams").await;
        for team in teams.as_array().unwrap() {
            let number: i64 = team["id"].as_str().unwrap().parse().unwrap();
            let organization = ["north", "south"].into_iter().nth(usize::try_from(number % 2).unwrap());
            assert_eq!(team["organization_id"], json!(organization.filter(|_| number % 5 > 0)), "{team}");
            let has_first = team["group_ids"].as_array().unwrap().contains(&json!("first"));
            assert_eq!(has_first, number % 3 == 0, "{team}");
        }
    }

    // Thawed: all see all.
    service.step_contest(Some(&admin), cup(), Step::Thaw, app.now()).await.unwrap();
    assert_eq!(shown(&nobody.get("cup/scoreboard").await), computed(&told, &playing, LENGTH));
    let state = nobody.get("cup/state").await;
    assert!(
        ["started", "frozen", "ended", "thawed", "finalized", "end_of_updates"].iter().all(|at| !state[at].is_null())
    );
    assert!(folder_fits(&app, &nobody).await > frozen, "the thaw shows more");
    let awards = nobody.get("cup/awards").await;
    let best: Vec<String> =
        computed(&told, &playing, LENGTH).into_iter().filter(|row| row.0 == 1).map(|row| row.1).collect();
    let winner = awards.as_array().unwrap().iter().find(|award| award["id"] == "winner").unwrap();
    let mut winners: Vec<String> = serde_json::from_value(winner["team_ids"].clone()).unwrap();
    winners.sort();
    assert_eq!(winners, best);
    for api in [&nobody, &teams[0].1, &judges] {
        references_resolve(api).await;
        let feed = api.feed("").await;
        assert_eq!(feed.last().unwrap()["type"], "state", "end_of_updates comes last");
        let have = replayed(&feed);
        for name in ["problems", "teams", "submissions", "judgements", "runs", "clarifications", "awards"] {
            let all = api.get(&format!("cup/{name}")).await;
            assert_eq!(have.keys().filter(|(kind, _)| kind == name).count(), all.as_array().unwrap().len(), "{name}");
            for object in all.as_array().unwrap() {
                assert_eq!(&have[&(name.to_owned(), object["id"].as_str().unwrap().to_owned())], object);
            }
        }
    }
    for wrong in ["since_token=x", "since_token=99999999", "since_id=1"] {
        let (status, text) = nobody.text(Method::GET, &format!("cup/event-feed?{wrong}"), None).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{text}");
    }
}

/// The board as a folder: each row opens a file that is there, which tells what the API tells everybody. Returns how many
/// verdicts it tells.
async fn folder_fits(app: &TestApp, nobody: &Api<'_>) -> usize {
    let files = board_folder::files(&app.state.service, "cup", app.now()).await.unwrap().unwrap();
    let files: BTreeMap<String, String> = files.into_iter().collect();
    let links = |name: &str| -> Vec<String> {
        let hrefs = files[name].split("href=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0.to_owned());
        hrefs.filter(|href| !href.starts_with('#')).collect()
    };
    let mut told = 0;
    for (index, ending) in [("index.html", ".html"), ("index.zh.html", ".zh.html")] {
        let teams: Vec<String> = links(index).into_iter().filter(|link| link.starts_with("team-")).collect();
        assert_eq!(teams.len(), files[index].matches("<tr data-team").count());
        assert!(teams.iter().all(|team| team.ends_with(ending)));
        let verdicts: Vec<usize> = ["AC", "WA", "TLE", "CE"]
            .map(|code| teams.iter().map(|team| files[team].matches(&format!("data-verdict=\"{code}\"")).count()).sum())
            .to_vec();
        let judgements = nobody.get("cup/judgements").await;
        let judged =
            |code: &str| judgements.as_array().unwrap().iter().filter(|one| one["judgement_type_id"] == code).count();
        assert_eq!(verdicts, ["AC", "WA", "TLE", "CE"].map(judged));
        told = verdicts.iter().sum();
    }
    for name in files.keys().filter(|name| name.contains(".html")) {
        for link in links(name) {
            assert!(files.contains_key(&link), "{name} links to {link}");
        }
    }
    told
}

fn zip(name: &str, contents: &[u8]) -> String {
    use base64::Engine as _;
    use std::io::Write as _;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(contents).unwrap();
    base64::prelude::BASE64_STANDARD.encode(zip.finish().unwrap().into_inner())
}
