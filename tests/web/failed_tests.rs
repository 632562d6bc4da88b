//! What contestants learn of a secret test that failed is the contest's to say.

use axum::http::StatusCode;
use touchstone::domain::account::Role;
use touchstone::domain::verdict::Verdict::{Accepted, TimeLimit, WrongAnswer};

use crate::world::{Part, TestApp};

const PARTS: [Part<'_>; 2] = [Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")];

#[tokio::test]
async fn nothing_means_not_even_the_number() {
    let app = TestApp::new().await;
    let (mut ada, mut bob) = (app.contestant("ada").await, app.contestant("bob").await);
    let mut judge = app.with_role("jo", Role::Judge).await;
    for verdicts in [vec![Accepted, TimeLimit], vec![WrongAnswer], vec![Accepted; 3]] {
        ada.upload("/problems/sum/submit", &PARTS).await;
        app.judge(&verdicts).await;
    }
    assert!(ada.get("/submissions/1").await.body.contains("Time limit exceeded on test 2"));
    let set = [("failed_tests", "nothing")];
    assert_eq!(ada.post("/admin/contests/practice/failed-tests", &set).await.status, StatusCode::FORBIDDEN);
    assert_eq!(judge.post("/admin/contests/nosuch/failed-tests", &set).await.status, StatusCode::NOT_FOUND);
    let nonsense = [("failed_tests", "everything")];
    let answer = judge.post("/admin/contests/practice/failed-tests", &nonsense).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(judge.post("/admin/contests/practice/failed-tests", &set).await.location(), "/admin");
    assert!(judge.get("/admin").await.body.contains("<option value=\"nothing\" selected>"));
    for (own, path) in [(true, "/submissions/1"), (false, "/submissions/1"), (true, "/submissions/1?judgement=1")] {
        let page = if own { &mut ada } else { &mut bob }.get(path).await.body;
        assert!(page.contains("Time limit exceeded") && !page.contains("on test"), "{path}: {page}");
        // Neither the number of runs nor the sentence of the one that decided tells it.
        assert!(!page.contains("2 / 3") && !page.contains("id=\"t2\"") && !page.contains("1.10 s"), "{path}: {page}");
    }
    let live = ada.first_event("/submissions/1/events").await;
    assert!(!live.contains("on test") && !live.contains("id=\"t2\""), "{live}");
    let sample = ada.get("/submissions/2").await.body;
    assert!(sample.contains("Wrong answer on test 1"), "a sample is no secret");
    assert!(ada.get("/submissions/3").await.body.contains("3 / 3"), "an accepted one has nothing to hide");
    assert!(judge.get("/submissions/1").await.body.contains("Time limit exceeded on test 2"));
}

#[tokio::test]
async fn a_running_judgement_does_not_count_aloud_either() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let mut judge = app.with_role("jo", Role::Judge).await;
    judge.post("/admin/contests/practice/failed-tests", &[("failed_tests", "nothing")]).await;
    ada.upload("/problems/sum/submit", &PARTS).await;
    let claimed = app.claim().await.unwrap();
    app.run_tests(claimed, &[Accepted, Accepted]).await;
    let page = ada.get("/submissions/1").await.body;
    assert!(page.contains("The tests are running.") && !page.contains("<progress") && !page.contains("id=\"t2\""));
    assert!(!ada.get("/submissions").await.body.contains("66 %"));
}

/// However many tests a problem has, the page stays small: it lists what says most and draws the rest.
#[tokio::test]
async fn many_tests_make_no_long_page() {
    let app = TestApp::empty().await;
    app.add_problem("many", "Many", "很多", 300).await;
    let mut ada = app.contestant("ada").await;
    let mut verdicts = vec![Accepted; 300];
    (verdicts[140], verdicts[277]) = (WrongAnswer, TimeLimit);
    ada.upload("/problems/many/submit", &PARTS).await;
    app.judge(&verdicts).await;
    let page = ada.get("/submissions/1").await.body;
    assert!(page.len() < 60 * 1024, "{} bytes", page.len());
    let rows = |page: &str| page.matches("<tr id=\"t").count();
    assert_eq!(rows(&page), 40);
    assert!(page.contains("<tr id=\"t141\"") && page.contains("<tr id=\"t278\""), "those that failed are there");
    let (at, later) = (page.find("<tr id=\"t141\"").unwrap(), page.find("<tr id=\"t278\"").unwrap());
    assert!(at < later, "in their order");
    assert!(page.contains("href=\"/submissions/1?tests=1#tests\">List all 300 tests<"), "{page}");
    let mut listed = Vec::new();
    for number in 1..=8 {
        let page = ada.get(&format!("/submissions/1?tests={number}")).await.body;
        assert!(page.len() < 60 * 1024, "{} bytes", page.len());
        assert!(page.contains(&format!("<strong aria-current=\"page\">{number}</strong>")), "{page}");
        listed.extend((1..=300).filter(|test| page.contains(&format!("<tr id=\"t{test}\""))));
    }
    assert_eq!(listed, (1..=300).collect::<Vec<_>>(), "each once, in order");
    for (asked, first) in [("all", 1), ("0", 1), ("99", 281)] {
        let page = ada.get(&format!("/submissions/1?tests={asked}")).await.body;
        assert!(page.contains(&format!("<tr id=\"t{first}\"")), "{asked}");
    }
    ada.language = "zh";
    let older = ada.get("/submissions/1?judgement=1").await.body;
    assert!(older.contains("列出全部 300 个测试点"), "{older}");
}
