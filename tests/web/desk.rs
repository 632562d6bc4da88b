//! The admin's desk: tests in the browser, versions, statements, limits, the judge's health, canned answers.

use axum::http::{StatusCode, header};
use touchstone::domain::account::Role;
use touchstone::domain::hash::Sha256;
use touchstone::domain::verdict::Verdict::{Accepted, WrongAnswer};
use touchstone::store::counterexample::{self, FoundCounterexample};
use touchstone::store::farm_worker;
use touchstone::store::host_fit::FitState;
use touchstone::store::job::Work;

use crate::world::{Part, SECRET_TEXT, TestApp};

#[tokio::test]
async fn a_test_is_looked_at_moved_and_deleted() {
    let app = TestApp::new().await;
    let mut setter = app.with_role("sam", Role::Setter).await;
    let list = setter.get("/admin/problems/sum").await.body;
    assert!(list.contains("href=\"/admin/problems/sum/tests/2\""), "{list}");
    assert!(list.contains("wrong_answer/&#60;minus&#62;.py"), "which wrong program it rejects: {list}");
    let page = setter.get("/admin/problems/sum/tests/2").await.body;
    assert!(page.contains(SECRET_TEXT) && page.contains("wrong_answer/&#60;minus&#62;.py"), "{page}");
    let raw = setter.get("/admin/problems/sum/tests/2/input").await;
    assert_eq!(raw.body, format!("{SECRET_TEXT} 2\n"));
    assert_eq!(raw.headers[header::CONTENT_DISPOSITION], "attachment; filename=\"02.in\"");
    assert_eq!(setter.get("/admin/problems/sum/tests/2/answer").await.body, format!("{SECRET_TEXT}2\n"));

    let moved = [("change", "move"), ("place", "1"), ("version", "1")];
    let answer = setter.post("/admin/problems/sum/tests/2", &moved).await;
    assert_eq!(answer.location(), "/admin/problems/sum#tests");
    let stale = setter.post("/admin/problems/sum/tests/3", &[("change", "delete"), ("reason", "x"), ("version", "1")]);
    let stale = stale.await;
    assert_eq!(stale.status, StatusCode::CONFLICT);
    assert!(stale.body.contains("version 2 is the newest now"), "{}", stale.body);
    let list = setter.get("/admin/problems/sum").await.body;
    for words in
        ["Tests, version 2</strong> · Being verified, not counted yet", "Version 1 counts until", "/sum/verification"]
    {
        assert!(list.contains(words), "{words}: {list}");
    }
    let followed = setter.get("/admin/problems/sum/verification").await.body;
    assert!(followed.contains("These tests count when this is over"), "{followed}");
    assert!(setter.get("/admin/problems/sum/tests/2").await.body.contains("belongs to an earlier version"));
    let versions = setter.get("/admin/problems/sum/versions").await.body;
    assert!(versions.contains("moved secret/02 to place 1") && versions.contains("sam"), "{versions}");
    app.verify(false).await;
    let versions = setter.get("/admin/problems/sum/versions").await.body;
    assert!(versions.contains("refused</span>") && versions.contains("no test rejects"), "{versions}");
    assert!(setter.get("/admin/problems/sum").await.body.contains("Tests, version 1"));
    let followed = setter.get("/admin/problems/sum/verification").await.body;
    assert!(followed.contains("These tests were refused, and those in force stay"), "{followed}");

    let mut ada = app.contestant("ada").await;
    for path in ["/tests/2", "/tests/2/input", "/versions", "/statement", "/tests/many", "/package.zip?version=1"] {
        let path = format!("/admin/problems/sum{path}");
        assert_eq!(ada.get(&path).await.status, StatusCode::FORBIDDEN, "{path}");
    }
    assert_eq!(ada.post("/admin/problems/sum/tests/2", &moved).await.status, StatusCode::FORBIDDEN);
    assert_eq!(ada.get("/admin/health").await.status, StatusCode::FORBIDDEN);
    for path in ["/admin/problems/paths/tests/2", "/admin/problems/sum/tests/99", "/admin/problems/sum/tests/x"] {
        assert_eq!(setter.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn an_edited_test_is_answered_anew_and_takes_its_place() {
    let app = TestApp::new().await;
    let mut setter = app.with_role("sam", Role::Setter).await;
    let parts = [Part::Text("version", "1"), Part::Text("input", "40 2\r\n")];
    let answer = setter.upload("/admin/problems/sum/tests/3/edit", &parts).await;
    assert_eq!(answer.location(), "/admin/proposals/1", "{}", answer.body);
    app.accept_proposal("42\n").await;
    let followed = setter.get("/admin/proposals/1").await.body;
    assert!(
        followed.contains("Being verified, not counted yet") && followed.contains("/sum/verification"),
        "{followed}"
    );
    let list = setter.get("/admin/problems/sum").await.body;
    assert!(list.contains("edited secret/03") && list.contains("Tests, version 2"), "{list}");
    assert!(list.contains("not counted yet</span>"), "{list}");
    // Somebody else who saw version 1 keeps what was typed.
    let late = setter.upload("/admin/problems/sum/tests/2/edit", &parts).await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    assert!(late.body.contains("version 2 is the newest now") && late.body.contains("40 2\n"), "{}", late.body);
    app.verify(true).await;
    assert!(setter.get("/admin/proposals/1").await.body.contains("The test counts."));
    let list = setter.get("/admin/problems/sum").await.body;
    assert!(list.contains("Tests, version 2") && !list.contains("not counted yet"), "{list}");
}

#[tokio::test]
async fn many_tests_come_together_or_not_at_all() {
    let app = TestApp::new().await;
    let mut setter = app.with_role("sam", Role::Setter).await;
    let path = "/admin/problems/sum/tests/many";
    let files = [
        Part::File("file", "07-big.in", b"7 7\n"),
        Part::File("file", "7_Big.in", b"8 8\n"),
        Part::File("file", "same.in", b"1 2\n"),
        Part::File("file", "07-big.ans", b"14\n"),
        Part::File("file", "bad name.in", b"9 9\n"),
    ];
    let refused = setter.upload(path, &files).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    for words in ["3 tests can’t be added", "7_Big", "has the very same input", "bad name"] {
        assert!(refused.body.contains(words), "{words}: {}", refused.body);
    }
    assert!(app.claim().await.is_none(), "none was taken");
    let zip = touchstone::web::view::archive::zip(
        &[("data/one.in", "3 3\n"), ("data/two.in", "4 4\n"), ("data/two.ans", "8\n")]
            .map(|(name, text)| touchstone::web::view::archive::Entry { name: name.to_owned(), contents: text.into() }),
    );
    let files = [Part::File("file", "tests.zip", &zip), Part::File("file", "07-big.in", b"7 7\n")];
    let taken = setter.upload(path, &files).await;
    assert_eq!(taken.location(), "/admin/problems/sum#proposals", "{}", taken.body);
    for answer in ["6\n", "8\n", "14\n"] {
        app.accept_proposal(answer).await;
    }
    app.verify(true).await;
    assert!(app.claim().await.is_none(), "one verification for all of them");
    let list = setter.get("/admin/problems/sum").await.body;
    assert!(list.contains("Tests, version 4") && list.contains(">07-big</a>") && list.contains(">two</a>"), "{list}");
    let near =
        setter.upload("/admin/problems/sum/tests/new", &[Part::Text("name", "TWO"), Part::Text("input", "5 6\n")]);
    assert_eq!(near.await.status, StatusCode::CONFLICT, "nearly the same name");
    let bad = setter.upload(path, &[Part::File("file", "a.zip", b"no zip")]).await;
    assert_eq!(bad.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn a_statement_is_previewed_and_becomes_the_next_version() {
    let app = TestApp::new().await;
    let mut setter = app.with_role("sam", Role::Setter).await;
    let path = "/admin/problems/sum/statement";
    let form = setter.get(&format!("{path}?language=zh")).await.body;
    assert!(form.contains("读入两个整数") && form.contains("name=\"language\" value=\"zh\""), "{form}");
    let text = "Print $a + b$.\n\n<script>alert(1)</script>\n";
    let fields = [("language", "en"), ("version", "1"), ("text", text), ("preview", "1")];
    let preview = setter.post(path, &fields).await.body;
    let shown = preview.split("id=\"preview\"").nth(1).unwrap();
    assert!(shown.contains("<math") && !shown.contains("<script>alert"), "{shown}");
    assert!(app.claim().await.is_none(), "a preview changes nothing");
    let saved = setter.post(path, &fields[..3]).await;
    assert_eq!(saved.location(), "/admin/problems/sum/verification", "{}", saved.body);
    assert!(matches!(app.claim().await.unwrap().work, Work::Prepare(_)));
    let versions = setter.get("/admin/problems/sum/versions").await.body;
    assert!(versions.contains("statement/problem.en.md"), "{versions}");
    let zip = setter.get("/admin/problems/sum/package.zip?version=1").await;
    assert_eq!((zip.status, &zip.headers[header::CONTENT_TYPE]), (StatusCode::OK, &"application/zip".parse().unwrap()));
    assert!(zip.body.starts_with("PK") && zip.body.contains("sum/statement/problem.en.md"));
}

#[tokio::test]
async fn only_an_admin_withdraws_and_the_health_page_names_what_went_wrong() {
    let app = TestApp::new().await;
    let mut setter = app.with_role("sam", Role::Setter).await;
    let mut admin = app.staff("root").await;
    let withdraw = [("withdraw", "1")];
    assert_eq!(setter.post("/admin/problems/sum/state", &withdraw).await.status, StatusCode::FORBIDDEN);
    assert_eq!(admin.post("/admin/problems/sum/state", &withdraw).await.location(), "/admin/problems/sum");
    assert!(admin.get("/admin/problems/sum").await.body.contains("Put back"));
    admin.post("/admin/problems/sum/state", &[]).await;
    let mut ada = app.contestant("ada").await;
    let parts = [Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")];
    ada.upload("/problems/sum/submit", &parts).await;
    app.judge(&[Accepted; 3]).await;
    ada.upload("/problems/sum/submit", &[parts[0].clone(), Part::Text("source", "int main() { }")]).await;
    let health = admin.get("/admin/health").await.body;
    assert!(health.contains("1 judgement") && health.contains("Judging"), "{health}");
    for _ in 0..3 {
        let claimed = app.claim().await.unwrap();
        let mut tx = app.store.begin_write().await.unwrap();
        let cause = "the disk <full>";
        touchstone::store::job::fail_attempt(&mut tx, claimed.lease, cause, app.now()).await.unwrap();
        tx.commit().await.unwrap();
        app.pass_ms(10_000);
    }
    let health = admin.get("/admin/health").await.body;
    assert!(health.contains("the disk &#60;full&#62;") && health.contains("/submissions/2"), "{health}");
}

#[tokio::test]
async fn a_nats_that_is_away_is_a_sentence_on_the_health_page() {
    let (tell, told) = tokio::sync::watch::channel(None);
    let host = touchstone::web::Host { farm_trouble: Some(told), ..touchstone::web::Host::default() };
    let app = TestApp::new().await.on(host);
    let mut admin = app.staff("root").await;
    assert!(!admin.get("/admin/health").await.body.contains("can't be reached"));
    tell.send_replace(Some("NATS can't be reached at nats://<host>".to_owned()));
    let shown = admin.get("/admin/health").await.body;
    assert!(shown.contains("judge nothing") && shown.contains("nats://&#60;host&#62;"), "{shown}");
}

#[tokio::test]
async fn machines_are_shown_run_empty_and_forbidden() {
    let app = TestApp::new().await;
    let mut judge = app.with_role("jo", Role::Judge).await;
    let mut admin = app.staff("root").await;
    assert!(!admin.get("/admin/health").await.body.contains("Other machines"));
    app.machine("judge-1").await;
    let shown = admin.get("/admin/health").await.body;
    assert!(shown.contains("judge-1") && shown.contains(">works<") && shown.contains("90 ms"), "{shown}");
    assert!(shown.contains("60 minutes ahead") && shown.contains("a fast &#60;processor&#62;"), "{shown}");
    let seen = judge.get("/admin/health").await.body;
    assert!(seen.contains("judge-1") && !seen.contains("/admin/machines/"), "a judge may look");
    // What a forbidden one had in hand is done by others.
    let mut ada = app.contestant("ada").await;
    ada.upload("/problems/sum/submit", &[Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")]).await;
    let may = touchstone::store::farm_claim::Abilities::All;
    let all = touchstone::store::farm_claim::Entitled { may, kind: Sha256::of(b"a kind of machine") };
    app.fits(&all.kind, FitState::Fits).await;
    let mut tx = app.store.begin_write().await.unwrap();
    touchstone::store::farm_claim::claim(&mut tx, "judge-1/1", &all, app.now()).await.unwrap().unwrap();
    tx.commit().await.unwrap();
    assert!(admin.get("/admin/health").await.body.contains("/submissions/1"));
    let state = "/admin/machines/judge-1/state";
    assert_eq!(judge.post(state, &[("state", "forbidden")]).await.status, StatusCode::FORBIDDEN);
    assert_eq!(admin.post(state, &[("state", "nothing")]).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(admin.post("/admin/machines/x/state", &[("state", "active")]).await.status, StatusCode::NOT_FOUND);
    assert_eq!(admin.post(state, &[("state", "forbidden")]).await.status, StatusCode::SEE_OTHER);
    let shown = admin.get("/admin/health").await.body;
    assert!(
        shown.contains(">forbidden<") && shown.contains("Let it work") && !shown.contains("/submissions/1"),
        "{shown}"
    );
    app.judge(&[Accepted; 3]).await;
    admin.post(state, &[("state", "active")]).await;
    app.pass_ms(60_000);
    assert!(admin.get("/admin/health").await.body.contains(">silent<"));
}

#[tokio::test]
async fn a_machine_says_which_problems_it_does_not_judge_and_what_went_wrong_on_it() {
    let app = TestApp::new().await;
    let mut admin = app.staff("root").await;
    app.machine("judge-1").await;
    let kind = Sha256::of(b"a kind of machine");
    for (state, words) in [
        (FitState::Measuring, "sum: its programs are being run here first"),
        (FitState::TooSlow, "at least 1.20 s here, and it is 1.00 s"),
        (FitState::TooFast, "at most 0.90 s here, and it is 1.00 s"),
        (FitState::NotAccepted, "a reference solution is not accepted here"),
        (FitState::NotMeasured, "none of its reference solutions could be run here"),
    ] {
        app.fits(&kind, state).await;
        let shown = admin.get("/admin/health").await.body;
        assert!(shown.contains(words), "{state:?}: {shown}");
    }
    app.fits(&kind, FitState::Fits).await;
    assert!(!admin.get("/admin/health").await.body.contains("judged elsewhere"));
    let mut tx = app.store.begin_write().await.unwrap();
    farm_worker::note_trouble(&mut tx, &"judge-1".parse().unwrap(), "its <disk> is full", app.now()).await.unwrap();
    tx.commit().await.unwrap();
    let shown = admin.get("/admin/health").await.body;
    assert!(shown.contains("Last trouble") && shown.contains("its &#60;disk&#62; is full"), "{shown}");
}

#[tokio::test]
async fn canned_answers_are_kept_chosen_and_dropped() {
    let app = TestApp::new().await;
    let mut judge = app.with_role("jo", Role::Judge).await;
    let mut ada = app.contestant("ada").await;
    ada.post("/clarifications", &[("text", "May a be negative?")]).await;
    let kept = judge.post("/admin/clarifications/canned", &[("text", "Read the <statement>.")]).await;
    assert_eq!(kept.location(), "/admin/clarifications", "{}", kept.body);
    let page = judge.get("/admin/clarifications").await.body;
    assert!(page.contains("<option>Read the &#60;statement&#62;.</option>"), "{page}");
    assert!(!ada.get("/clarifications").await.body.contains("Read the"), "for judges only");
    judge.post("/admin/clarifications", &[("question", "1"), ("text", ""), ("canned", "Read the <statement>.")]).await;
    assert!(ada.get("/clarifications").await.body.contains("Read the &#60;statement&#62;."));
    judge.post("/admin/clarifications/canned/1/delete", &[]).await;
    assert!(!judge.get("/admin/clarifications").await.body.contains("<option>Read the"));
    assert_eq!(ada.post("/admin/clarifications/canned", &[("text", "x")]).await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_counterexample_is_shown_side_by_side_after_the_end() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let mut judge = app.with_role("jo", Role::Judge).await;
    let parts = [Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")];
    ada.upload("/problems/sum/submit", &parts).await;
    app.judge(&[Accepted, WrongAnswer]).await;
    let rule = [("failed_tests", "counterexample_after_end")];
    assert_eq!(judge.post("/admin/contests/practice/failed-tests", &rule).await.location(), "/admin");
    assert!(app.claim().await.is_none(), "the contest goes on");
    assert!(!ada.get("/submissions/1").await.body.contains("counterexample"));
    let mut tx = app.store.begin_write().await.unwrap();
    let set = sqlx::query_as::<_, (i64,)>("update contest set duration_ms = 1000 returning id");
    set.fetch_all(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
    app.pass_ms(2_000);
    let claimed = app.claim().await.expect("a counterexample is asked for");
    assert!(ada.get("/submissions/1").await.body.contains("It is being made"));
    let found = FoundCounterexample {
        input: b"1 <2>\n".to_vec(),
        answer: Some(b"3\n".to_vec()),
        output: Some(b"4\n".to_vec()),
        output_bytes: 2,
        original_bytes: 10,
    };
    let mut tx = app.store.begin_write().await.unwrap();
    counterexample::finish(&mut tx, claimed.lease, Some(&found), app.now()).await.unwrap();
    tx.commit().await.unwrap();
    for (language, title) in [("en", "A small input on which it goes wrong"), ("zh", "使它出错的小输入")] {
        ada.language = language;
        let page = ada.get("/submissions/1").await.body;
        assert!(page.contains(title) && page.contains("1 &#60;2&#62;"), "{page}");
        assert!(page.contains("<mark>3</mark>") && page.contains("<mark>4</mark>"), "{page}");
        assert!(!page.contains(SECRET_TEXT), "nothing of the secret test itself");
    }
    assert!(!app.contestant("bob").await.get("/submissions/1").await.body.contains("1 &#60;2&#62;"));
}
