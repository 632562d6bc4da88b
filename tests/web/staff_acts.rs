//! The staff's desk in the browser: rejudging with its preview, people, registration; and each of the staff's acts in
//! the log with who, from where, before and after.

use std::collections::BTreeSet;
use std::fs;
use std::net::SocketAddr;

use axum::http::StatusCode;
use touchstone::domain::account::Role;
use touchstone::domain::slug::Slug;
use touchstone::domain::verdict::Verdict::{Accepted, WrongAnswer};
use touchstone::service::Actor;
use touchstone::service::affiliations::WantedAffiliation;
use touchstone::service::problems::OfferedFile;
use touchstone::service::teams::WantedTeam;
use touchstone::service::test_changes::TestChange;
use touchstone::store::affiliation::Kind;
use touchstone::store::audit::{self, ActFilter};

use crate::world::{Browser, Part, TestApp};

async fn submitted(app: &TestApp, names: &[&str]) -> Vec<Browser> {
    let mut browsers = Vec::new();
    for name in names {
        let mut browser = app.contestant(name).await;
        let parts = [Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")];
        browser.upload("/problems/sum/submit", &parts).await;
        app.judge(&[Accepted; 3]).await;
        app.pass_ms(60_000);
        browsers.push(browser);
    }
    browsers
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let from = text.find(start).unwrap_or_else(|| panic!("no {start} in {text}")) + start.len();
    &text[from..from + text[from..].find(end).expect("an end")]
}

#[tokio::test]
async fn a_rejudging_is_looked_at_applied_and_undone() {
    let app = TestApp::new().await;
    let mut browsers = submitted(&app, &["ada", "bob"]).await;
    let mut judge = app.with_role("jo", Role::Judge).await;
    let none = judge.post("/admin/rejudgings", &[("reason", "x")]).await;
    assert_eq!(none.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(none.body.contains("Choose at least one thing") && none.body.contains("value=\"x\""), "{}", none.body);
    for (field, bad) in [("submission", "x"), ("from", "tomorrow"), ("verdict", "QQ"), ("language", "<b>")] {
        let answer = judge.post("/admin/rejudgings", &[(field, bad)]).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{field}");
    }
    let form = [("problem", "sum"), ("verdict", "AC"), ("from", "2026-03-01T11:00"), ("reason", "a <b> fault")];
    let answer = judge.post("/admin/rejudgings", &form).await;
    assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, "/admin/rejudgings/1"), "{}", answer.body);
    let page = judge.get("/admin/rejudgings/1").await.body;
    assert!(
        page.contains("0 of 2 judged") && page.contains("data-follow") && page.contains("a &#60;b&#62; fault"),
        "{page}"
    );
    assert!(!page.contains("/apply\"") && page.contains("/drop\""), "{page}");
    app.judge(&[WrongAnswer]).await;
    app.judge(&[Accepted; 3]).await;
    let page = judge.get("/admin/rejudgings/1").await.body;
    assert!(page.contains("Apply: change 1 verdict, move 2 teams"), "{page}");
    assert!(page.contains("now first: A") && page.contains("no longer first: A") && page.contains("1 → 2"), "{page}");
    assert!(page.contains("class=\"slopes\"") && !page.contains("data-follow"), "{page}");
    let own = browsers[0].get("/submissions/1").await.body;
    assert!(own.contains("All 3 tests passed") && !own.contains("?judgement="), "{own}");
    assert_eq!(browsers[0].get("/submissions/1?judgement=3").await.status, StatusCode::NOT_FOUND);

    let seen = between(&page, "name=\"seen\" value=\"", "\"").to_owned();
    let wrong = judge.post("/admin/rejudgings/1/apply", &[("seen", "something else")]).await;
    assert_eq!(wrong.status, StatusCode::CONFLICT);
    assert!(wrong.body.contains("no longer change what you saw"), "{}", wrong.body);
    let answer = judge.post("/admin/rejudgings/1/apply", &[("seen", &seen)]).await;
    assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, "/admin/rejudgings/1"));
    let own = browsers[0].get("/submissions/1").await.body;
    assert!(own.contains("Wrong answer on test 1") && own.contains("?judgement=1"), "{own}");
    // Another judge with the old page is told.
    let mut other = app.with_role("kim", Role::Judge).await;
    let late = other.post("/admin/rejudgings/1/drop", &[]).await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    assert!(
        late.body.contains("Somebody else decided") && late.body.contains("Undo: put 1 verdict back"),
        "{}",
        late.body
    );
    judge.post("/admin/rejudgings/1/undo", &[]).await;
    assert!(browsers[0].get("/submissions/1").await.body.contains("All 3 tests passed"));
    let page = judge.get("/admin/rejudgings/1").await.body;
    let seen = between(&page, "name=\"seen\" value=\"", "\"").to_owned();
    assert!(page.contains("Apply again: change 1 verdict"), "{page}");
    judge.post("/admin/rejudgings/1/apply", &[("seen", &seen)]).await;
    assert!(browsers[0].get("/submissions/1").await.body.contains("Wrong answer on test 1"));
    let list = judge.get("/admin/rejudgings").await.body;
    assert!(
        list.contains("Applied") && list.contains("problem sum, verdict Accepted, from 2026-03-01 11:00:00"),
        "{list}"
    );
    for (language, word) in [("zh", "已应用"), ("en", "Applied")] {
        judge.language = language;
        assert!(judge.get("/admin/rejudgings/1").await.body.contains(word));
    }
    for path in ["/admin/rejudgings/9", "/admin/rejudgings/x"] {
        assert_eq!(judge.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn people_are_found_and_changed() {
    let app = TestApp::new().await;
    let mut root = app.staff("root").await;
    let mut ada = app.contestant("ada").await;
    app.contestant("bob").await;
    let list = root.get("/admin/people").await.body;
    assert!(list.contains(">ada<") && list.contains(">bob<") && list.contains(">root<"), "{list}");
    let list = root.get("/admin/people?q=A").await.body;
    assert!(list.contains(">ada<") && !list.contains(">bob<"), "{list}");
    assert!(root.get("/admin/people?q=zz").await.body.contains("Nobody fits"));
    let list = root.get("/admin/people?role=admin").await.body;
    assert!(list.contains("<bdi>root</bdi></a>") && !list.contains("<bdi>ada</bdi></a>"), "{list}");
    assert_eq!(root.get("/admin/people?role=king").await.status, StatusCode::BAD_REQUEST);
    let id = between(&root.get("/admin/people?q=ada").await.body, "row-link\" href=\"", "\"").to_owned();

    let form = [("seen", "contestant"), ("role", "setter")];
    assert_eq!(root.post(&format!("{id}/role"), &form).await.status, StatusCode::SEE_OTHER);
    assert_eq!(ada.get("/admin").await.status, StatusCode::OK, "at once");
    let late = root.post(&format!("{id}/role"), &form).await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    assert!(late.body.contains("Somebody else changed this account"), "{}", late.body);
    assert_eq!(root.post(&format!("{id}/sign-out"), &[]).await.status, StatusCode::SEE_OTHER);
    assert!(ada.get("/submissions?mine=1").await.location().starts_with("/login"));

    let made = root.post(&format!("{id}/password-link"), &[]).await;
    assert_eq!((made.status, made.headers["cache-control"].to_str().unwrap()), (StatusCode::OK, "no-store"));
    let link = between(&made.body, "<pre id=\"link\" tabindex=\"0\">", "<").to_owned();
    let path = &link[link.find("/password/").expect("a link")..];
    assert!(!root.get(&id).await.body.contains(path), "shown once");
    let mut somebody = app.browser();
    assert_eq!(somebody.get(path).await.status, StatusCode::OK);
    for (password, again, sentence) in
        [("short", "short", "8 to 200"), ("long enough", "long enouch", "passwords differ")]
    {
        let answer = somebody.post(path, &[("password", password), ("again", again)]).await;
        assert!(answer.status == StatusCode::UNPROCESSABLE_ENTITY && answer.body.contains(sentence), "{}", answer.body);
    }
    let answer = somebody.post(path, &[("password", "battery staple"), ("again", "battery staple")]).await;
    assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, "/"));
    assert!(somebody.get("/").await.body.contains("<bdi>ada</bdi>"), "logged in");
    assert_eq!(app.browser().get(path).await.status, StatusCode::GONE);
    assert_eq!(
        app.browser().post(path, &[("password", "battery staple"), ("again", "battery staple")]).await.status,
        StatusCode::GONE
    );

    assert_eq!(root.post(&format!("{id}/disabled"), &[("disabled", "1")]).await.status, StatusCode::SEE_OTHER);
    assert!(somebody.get("/submissions?mine=1").await.location().starts_with("/login"));
    assert!(root.get("/admin/people?disabled=1").await.body.contains(">ada<"));
    let own = between(&root.get("/admin/people?q=root").await.body, "row-link\" href=\"", "\"").to_owned();
    let refused = root.post(&format!("{own}/disabled"), &[("disabled", "1")]).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert!(refused.body.contains("This is the last admin"), "{}", refused.body);
    assert_eq!(root.get("/admin/people/9999").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn files_of_people_are_looked_at_then_taken_and_the_logins_are_shown_once() {
    let app = TestApp::new().await;
    let mut root = app.staff("root").await;
    let bad = "username,role\n-x,\nann,king\n";
    let answer = root.upload("/admin/people/import", &[Part::Text("text", bad)]).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    for piece in ["2 things are wrong", "“-x” can’t be a login name", "“king” is no role", ">2<", ">3<", "ann,king"]
    {
        assert!(answer.body.contains(piece), "{piece}: {}", answer.body);
    }
    let files = [
        Part::File("file", "teams.tsv", b"teams\t1\n1\t\t\tLynx <b>\t\tLU\tSWE\tINST-42\n"),
        Part::File("file", "accounts.tsv", b"accounts\t1\nteam\tLynx\tteam-1\t\nanalyst\tAna\tana\tP3xm33imve\n"),
    ];
    let answer = root.upload("/admin/people/import", &files).await;
    assert_eq!(
        (answer.status, answer.location()),
        (StatusCode::SEE_OTHER, "/admin/people/import/1"),
        "{}",
        answer.body
    );
    let page = root.get("/admin/people/import/1").await.body;
    for piece in ["Make 2 accounts", "Lynx &#60;b&#62;", "1 password is made", "analyst", "to be made", "from the file"]
    {
        assert!(page.contains(piece), "{piece}: {page}");
    }
    assert!(!page.contains("P3xm33imve"), "{page}");
    let mut other = app.staff("other").await;
    assert_eq!(other.get("/admin/people/import/1").await.status, StatusCode::GONE, "another admin's files");
    let made = root.post("/admin/people/import/1", &[]).await;
    assert_eq!((made.status, made.headers["cache-control"].to_str().unwrap()), (StatusCode::OK, "no-store"));
    assert!(made.body.contains("class=\"credentials\"") && made.body.contains("P3xm33imve"), "{}", made.body);
    let password = between(&made.body, "team-1</code></dd><dt>Password</dt><dd><code>", "<");
    let answer = app.browser().post("/login", &[("name", "team-1"), ("password", password), ("next", "/")]).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "the printed password works");
    assert_eq!(root.post("/admin/people/import/1", &[]).await.status, StatusCode::GONE, "sent twice");
    root.upload("/admin/people/import", &[Part::Text("text", "username\nzoe\n")]).await;
    assert_eq!(root.post("/admin/people/import/2/drop", &[]).await.status, StatusCode::SEE_OTHER);
    assert_eq!(root.get("/admin/people/import/2").await.status, StatusCode::GONE);
    let nothing = root.upload("/admin/people/import", &[Part::Text("text", " ")]).await;
    assert!(nothing.body.contains("Choose a file or paste rows"), "{}", nothing.body);
    let binary = root.upload("/admin/people/import", &[Part::File("file", "x.csv", b"\xff\xfe")]).await;
    assert!(binary.body.contains("not UTF-8 text"), "{}", binary.body);
}

#[tokio::test]
async fn registration_is_closed_and_opened_by_invitation() {
    let app = TestApp::new().await;
    let mut root = app.staff("root").await;
    let form = [("seen", "open"), ("registration", "invitation")];
    assert_eq!(root.post("/admin/registration", &form).await.status, StatusCode::SEE_OTHER);
    assert_eq!(root.post("/admin/registration", &form).await.status, StatusCode::CONFLICT, "it is not open any more");
    let shut = app.browser().get("/register").await;
    assert_eq!(shut.status, StatusCode::FORBIDDEN);
    assert!(shut.body.contains("takes no registrations"), "{}", shut.body);
    let bad = root.post("/admin/invitations", &[("places", "many"), ("days", "1")]).await;
    assert_eq!(bad.status, StatusCode::UNPROCESSABLE_ENTITY);
    let made = root.post("/admin/invitations", &[("places", "1"), ("days", "1"), ("note", "9b")]).await;
    let link = between(&made.body, "<pre id=\"link\" tabindex=\"0\">", "<").to_owned();
    let path = &link[link.find("/register?").expect("a link")..];
    let invitation = &path["/register?invitation=".len()..];
    let mut guest = app.browser();
    let page = guest.get(path).await.body;
    assert!(page.contains("You were invited") && page.contains(&format!("name=\"invitation\" value=\"{invitation}\"")));
    let form =
        |name| [("name", name), ("password", "correct horse"), ("again", "correct horse"), ("invitation", invitation)];
    assert_eq!(guest.post("/register", &form("gus")).await.status, StatusCode::SEE_OTHER);
    let full = app.browser().post("/register", &form("eve")).await;
    assert_eq!(full.status, StatusCode::FORBIDDEN);
    assert!(full.body.contains("This invitation is used up"), "{}", full.body);
    let page = root.get("/admin/registration").await.body;
    assert!(page.contains("1 / 1") && page.contains("full"), "{page}");
    assert_eq!(root.post("/admin/invitations/1/revoke", &[]).await.status, StatusCode::SEE_OTHER);
    assert_eq!(root.post("/admin/invitations/1/revoke", &[]).await.status, StatusCode::NOT_FOUND);
}

/// Every kind of act that the services write, as it stands in their sources.
pub fn kinds_in_sources() -> BTreeSet<String> {
    let mut kinds = BTreeSet::new();
    for entry in fs::read_dir("src/service").unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        for literal in text.split('"').skip(1).step_by(2) {
            let mut parts = literal.split('.');
            let word = |part: Option<&str>| {
                part.is_some_and(|p| !p.is_empty() && p.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
            };
            // A package's settings are no act.
            if literal != "problem.yaml" && word(parts.next()) && word(parts.next()) && parts.next().is_none() {
                kinds.insert(literal.to_owned());
            }
        }
    }
    kinds
}

/// The newest act and how many there are.
async fn newest(app: &TestApp) -> (usize, Option<audit::Act>) {
    let acts = audit::list(app.store.read(), &ActFilter::default(), None, 1_000).await.unwrap();
    (acts.len(), acts.into_iter().next())
}

/// By the browser: address, fields, the act, its subject, before, after.
type Step<'a> = (&'a str, Vec<(&'a str, &'a str)>, &'a str, &'a str, Option<&'a str>, Option<&'a str>);

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a list of all acts")]
async fn every_act_of_the_staff_is_in_the_log() {
    let app = TestApp::new().await;
    let mut ada = submitted(&app, &["ada"]).await.remove(0);
    let mut root = app.staff("root").await;
    let connect: SocketAddr = "192.0.2.7:4000".parse().unwrap();
    root.connect_from(connect);
    ada.connect_from(connect);
    ada.post("/clarifications", &[("text", "why?"), ("problem", "")]).await;
    let person = between(&root.get("/admin/people?q=ada").await.body, "row-link\" href=\"", "\"").to_owned();
    let role = format!("{person}/role");
    let disabled = format!("{person}/disabled");
    let (sign_out, link) = (format!("{person}/sign-out"), format!("{person}/password-link"));
    app.machine("judge-1").await;
    let steps: Vec<Step<'_>> = vec![
        (
            "/admin/machines/judge-1/state",
            vec![("state", "draining")],
            "machine.state",
            "judge-1",
            Some("active"),
            Some("draining"),
        ),
        (
            &role,
            vec![("seen", "contestant"), ("role", "setter")],
            "account.role",
            "ada",
            Some("contestant"),
            Some("setter"),
        ),
        (&sign_out, vec![], "account.sign_out", "ada", Some("1 sessions"), Some("0 sessions")),
        (&link, vec![], "account.password_link", "ada", None, None),
        (&disabled, vec![("disabled", "1")], "account.disable", "ada", Some("enabled"), Some("disabled")),
        (&disabled, vec![], "account.enable", "ada", Some("disabled"), Some("enabled")),
        (
            "/admin/registration",
            vec![("seen", "open"), ("registration", "closed")],
            "registration.set",
            "registration",
            Some("open"),
            Some("closed"),
        ),
        (
            "/admin/invitations",
            vec![("places", "2"), ("days", "3"), ("note", "9b")],
            "invitation.make",
            "invitation 1",
            None,
            Some("2 places, 3 days, 9b"),
        ),
        ("/admin/invitations/1/revoke", vec![], "invitation.revoke", "invitation 1", Some("open"), Some("revoked")),
        (
            "/admin/clarifications",
            vec![("question", "1"), ("text", "because")],
            "clarification.answer",
            "clarification 1",
            None,
            Some("because"),
        ),
        (
            "/admin/clarifications",
            vec![("text", "hear")],
            "clarification.announce",
            "clarification 3",
            None,
            Some("hear"),
        ),
        (
            "/admin/contests/practice/failed-tests",
            vec![("failed_tests", "nothing")],
            "contest.failed_tests",
            "practice",
            Some("number"),
            Some("nothing"),
        ),
        ("/admin/problems/sum/verification", vec![], "problem.verify", "sum", None, None),
        ("/submissions/1/rejudge", vec![], "rejudging.begin", "rejudging 1", None, Some("submission=1 judgements=1")),
        ("/admin/rejudgings/1/drop", vec![], "rejudging.drop", "rejudging 1", Some("open"), Some("dropped")),
        (
            "/admin/clarifications/canned",
            vec![("text", "Read it.")],
            "canned_answer.keep",
            "canned answers",
            None,
            Some("Read it."),
        ),
        (
            "/admin/clarifications/canned/1/delete",
            vec![],
            "canned_answer.drop",
            "canned answers",
            Some("Read it."),
            None,
        ),
        ("/account/tokens", vec![("name", "laptop"), ("may_read", "1")], "token.create", "root / laptop", None, None),
        ("/account/tokens/1/revoke", vec![], "token.revoke", "root / laptop", None, None),
    ];
    let mut done = BTreeSet::new();
    for (address, fields, act, subject, before, after) in steps {
        let (count, _) = newest(&app).await;
        let answer = root.post(address, &fields).await;
        assert!(answer.status.is_success() || answer.status.is_redirection(), "{address}: {}", answer.body);
        let (now, found) = newest(&app).await;
        assert_eq!(now, count + 1, "{act}: one act each");
        let found = found.unwrap();
        let shown = (&*found.act, &*found.subject, found.before.as_deref(), found.after.as_deref());
        assert_eq!(shown, (act, subject, before, after));
        assert_eq!(
            (found.actor.as_deref(), found.address.as_deref(), found.at),
            (Some("root"), Some("192.0.2.7"), app.now())
        );
        done.insert(act.to_owned());
    }
    // Those that need a worker between, a file, or no page yet.
    app.state
        .service
        .begin_rejudging(
            None,
            &touchstone::service::rejudge::Selection::submission(touchstone::domain::ids::SubmissionId(1)),
            "",
            app.now(),
        )
        .await
        .unwrap();
    app.judge(&[WrongAnswer]).await;
    let seen = between(&root.get("/admin/rejudgings/2").await.body, "name=\"seen\" value=\"", "\"").to_owned();
    for (address, act) in [("apply", "rejudging.apply"), ("undo", "rejudging.undo"), ("apply", "rejudging.redo")] {
        root.post(&format!("/admin/rejudgings/2/{address}"), &[("seen", &seen)]).await;
        assert_eq!(newest(&app).await.1.unwrap().act, act);
        done.insert(act.to_owned());
    }
    root.upload("/admin/problems/sum/tests/new", &[Part::Text("name", "x"), Part::Text("input", "5 6\n")]).await;
    root.upload("/admin/people/import", &[Part::Text("text", "username\nzoe\n")]).await;
    root.post("/admin/people/import/1", &[]).await;
    let actor = root.actor(&app).await;
    let actor = Actor { address: Some(connect.ip()), ..actor };
    let service = &app.state.service;
    for (version, (name, change)) in (1..).zip([
        ("secret/02", TestChange::Move(1)),
        ("secret/02", TestChange::Group("secret/large".to_owned())),
        ("secret/02", TestChange::Sample(true)),
        ("secret/02", TestChange::Delete),
    ]) {
        service.change_test(&actor, "sum", (name, version), change, "why", app.now()).await.unwrap();
    }
    service.edit_test_case(&actor, "sum", ("secret/03", 5), b"40 2\n".to_vec().into(), app.now()).await.unwrap();
    service.set_limits(&actor, "paths", 1, (2_000, 512), app.now()).await.unwrap();
    app.refuse_package().await;
    service.edit_statement(&actor, "paths", "en", 1, "Find the way.", app.now()).await.unwrap();
    app.refuse_package().await;
    let flags = touchstone::service::problem_settings::CheckerFlags { case_sensitive: true, ..Default::default() };
    service.set_checker(&actor, "paths", 1, flags, app.now()).await.unwrap();
    app.refuse_package().await;
    service.set_languages(&actor, "paths", 1, Some(&["cpp20".parse().unwrap()]), app.now()).await.unwrap();
    app.refuse_package().await;
    service.restore_package(&actor, "paths", 2, 1, app.now()).await.unwrap();
    service.set_withdrawn(&actor, "paths", true, app.now()).await.unwrap();
    let file = OfferedFile { path: "problem.yaml".to_owned(), contents: b"x".to_vec() };
    service.offer_package(Some(&actor), &"other".parse::<Slug>().unwrap(), vec![file], app.now()).await.unwrap();
    let password = "battery staple".parse().unwrap();
    service.change_password(&actor, "correct horse", &password, app.now()).await.unwrap();
    let wanted = WantedTeam { name: "Lynx".to_owned(), ..WantedTeam::default() };
    let team = service.create_team(Some(&actor), &wanted, app.now()).await.unwrap();
    let hidden = WantedTeam { hidden: true, ..wanted };
    service.edit_team(Some(&actor), team, None, &hidden, app.now()).await.unwrap();
    service.join_team(Some(&actor), team, "zoe", app.now()).await.unwrap();
    for disabled in [true, false] {
        service.disable_team(Some(&actor), team, disabled, app.now()).await.unwrap();
    }
    service.leave_team(Some(&actor), team, "zoe", app.now()).await.unwrap();
    for kind in [Kind::Group, Kind::Organization] {
        let wanted = |name: &str| WantedAffiliation { name: name.to_owned(), ..WantedAffiliation::default() };
        let id = service.create_affiliation(Some(&actor), kind, "", &wanted("North"), app.now()).await.unwrap();
        service.edit_affiliation(Some(&actor), kind, &id, None, &wanted("South"), app.now()).await.unwrap();
        service.delete_affiliation(Some(&actor), kind, &id, None, app.now()).await.unwrap();
    }
    let by_root = ActFilter { actor: Some("root".to_owned()), ..ActFilter::default() };
    for act in audit::list(app.store.read(), &by_root, None, 1_000).await.unwrap() {
        assert_eq!(act.address.as_deref(), Some("192.0.2.7"), "{}", act.act);
        done.insert(act.act);
    }
    // The command line's, and the first admin's.
    let fresh = TestApp::empty().await;
    let token = fresh.state.service.first_admin_link(fresh.now()).await.unwrap().unwrap();
    fresh.state.service.set_first_admin(&token, &"boss".parse().unwrap(), &password, fresh.now()).await.unwrap();
    done.insert(newest(&fresh).await.1.unwrap().act);
    // Those of contests are looked for where contests are played: `contests.rs`.
    let mut missing: Vec<_> = kinds_in_sources().into_iter().filter(|kind| !done.contains(kind)).collect();
    missing.retain(|kind| !kind.starts_with("contest."));
    // And those of the second step in `second_step.rs`.
    missing.retain(|kind| !kind.starts_with("second_step."));
    assert!(missing.is_empty(), "acts that nobody has seen in the log: {missing:?}");
}

#[tokio::test]
async fn the_log_is_shown_filtered_and_exported() {
    let app = TestApp::new().await;
    let mut root = app.staff("root").await;
    for role in ["setter", "judge"] {
        app.contestant(&format!("p-{role}")).await;
        app.state
            .service
            .set_role(Some(&root.actor(&app).await), &format!("p-{role}"), role.parse().unwrap(), app.now())
            .await
            .unwrap();
        app.pass_ms(3_600_000);
    }
    let page = root.get("/admin/log").await.body;
    assert!(page.contains("p-setter") && page.contains("account.role") && page.contains("command line"), "{page}");
    let page = root.get("/admin/log?subject=p-judge").await.body;
    let rows = page.split("<main").nth(1).unwrap();
    assert!(
        rows.contains("<td class=\"said\">p-judge</td>") && !rows.contains("<td class=\"said\">p-setter</td>"),
        "{rows}"
    );
    assert!(rows.contains("/admin/log/export?subject=p-judge&#38;format=csv"), "{rows}");
    let page = root.get("/admin/log?until=2026-03-01T12:30&actor=root").await.body;
    assert!(page.contains("p-setter</td>") && !page.contains("p-judge</td>"), "{page}");
    assert_eq!(root.get("/admin/log?from=yesterday").await.status, StatusCode::BAD_REQUEST);
    assert!(root.get("/admin/log?subject=nobody").await.body.contains("Nothing fits"));
    let csv = root.get("/admin/log/export?format=csv").await;
    assert_eq!(csv.headers["content-type"].to_str().unwrap(), "text/csv; charset=utf-8");
    let lines: Vec<&str> = csv.body.lines().collect();
    assert_eq!(lines[0], "id,at,actor,act,subject,before,after,address");
    assert_eq!(lines[1], "3,2026-03-01 13:00:00,root,account.role,p-judge,contestant,judge,");
    assert_eq!(lines.len(), 4);
    let jsonl = root.get("/admin/log/export?format=jsonl&act=account.role&actor=root").await.body;
    let acts: Vec<serde_json::Value> = jsonl.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (acts.len(), acts[0]["subject"].as_str(), acts[0]["before"].as_str()),
        (2, Some("p-judge"), Some("contestant"))
    );
    assert_eq!(root.get("/admin/log/export?format=xml").await.status, StatusCode::BAD_REQUEST);
}
