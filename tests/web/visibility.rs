//! Who sees what of a submission.

use axum::http::StatusCode;
use touchstone::domain::account::Role;
use touchstone::domain::ids::RejudgingId;
use touchstone::domain::verdict::Verdict::{Accepted, CompileError, WrongAnswer};

use crate::world::{Browser, Part, SECRET_TEXT, TestApp};

const SOURCE: &str = "int secret_idea = 42;";

async fn submit(browser: &mut Browser) {
    let parts = [Part::Text("language", "cpp20"), Part::Text("source", SOURCE)];
    assert_eq!(browser.upload("/problems/sum/submit", &parts).await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn sources_compilers_and_tests_are_shown_to_whom_they_belong() {
    let app = TestApp::new().await;
    let mut author = app.contestant("ada").await;
    submit(&mut author).await;
    app.judge(&[Accepted, WrongAnswer]).await;
    submit(&mut author).await;
    app.judge(&[CompileError]).await;
    // Who; sees the source and the compiler's words; sees what quotes secret tests.
    let mut table = [
        ("stranger", app.browser(), false, false),
        ("contestant", app.contestant("bob").await, false, false),
        ("author", author, true, false),
        ("setter", app.with_role("sam", Role::Setter).await, false, false),
        ("judge", app.with_role("jo", Role::Judge).await, true, true),
        ("admin", app.with_role("ann", Role::Admin).await, true, true),
    ];
    for (who, browser, source, secret) in &mut table {
        let wrong = browser.get("/submissions/1").await;
        assert_eq!(wrong.status, StatusCode::OK, "{who}");
        assert!(wrong.body.contains("Wrong answer on test 2"), "{who} may see the verdict");
        assert_eq!(wrong.body.contains("secret_idea"), *source, "{who}: source");
        assert_eq!(wrong.body.contains(SECRET_TEXT), *secret, "{who}: secret test");
        assert_eq!(wrong.body.contains("id=\"t2\""), *source, "{who}: runs");
        let events = browser.first_event("/submissions/1/events").await;
        assert_eq!(events.contains(SECRET_TEXT), *secret, "{who}: secret test in events");
        let broken = browser.get("/submissions/2").await.body;
        assert_eq!(broken.contains("main.cpp:1</a>:1: error"), *source, "{who}: compiler");
        assert_eq!(broken.contains("The compiler says why, below."), *source, "{who}: compiler");
        assert_eq!(broken.contains("Only its author and the judges see what the compiler said."), !*source, "{who}");
        assert_eq!(wrong.body.contains("visible to its author and the judges only"), !*source, "{who}: says why");
        let file = browser.get("/submissions/1/files/1").await;
        assert_eq!(file.status == StatusCode::OK, *source, "{who}: file");
        let output = browser.get("/submissions/2/compiler-output").await;
        assert_eq!(output.status == StatusCode::OK, *source, "{who}: compiler's words");
        assert_eq!(browser.get("/submissions/1/files/2").await.status, StatusCode::NOT_FOUND, "{who}");
    }
}

#[tokio::test]
async fn staff_pages_are_for_staff() {
    let app = TestApp::new().await;
    let pages = ["/admin", "/admin/problems/sum", "/admin/problems/sum/tests/new", "/admin/proposals/1"];
    let (mut stranger, mut contestant) = (app.browser(), app.contestant("bob").await);
    let mut setter = app.with_role("sam", Role::Setter).await;
    for page in pages {
        assert!(stranger.get(page).await.location().starts_with("/login?next=%2Fadmin"), "{page}");
        let refused = contestant.get(page).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{page}");
        assert!(!refused.body.contains("href=\"/admin\""), "{page}");
        assert_ne!(setter.get(page).await.status, StatusCode::FORBIDDEN, "{page}");
    }
    submit(&mut contestant).await;
    for path in ["/submissions/1/rejudge", "/admin/problems/sum/rejudge"] {
        assert_eq!(stranger.post(path, &[]).await.status, StatusCode::UNAUTHORIZED, "{path}");
        assert_eq!(contestant.post(path, &[]).await.status, StatusCode::FORBIDDEN, "{path}");
        assert_eq!(setter.post(path, &[]).await.status, StatusCode::FORBIDDEN, "{path}");
    }
    let parts = [Part::Text("name", "x"), Part::Text("input", "1 2\n")];
    assert_eq!(contestant.upload("/admin/problems/sum/tests/new", &parts).await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn lists_are_filtered_by_the_address() {
    let app = TestApp::new().await;
    let (mut ada, mut bob) = (app.contestant("ada").await, app.contestant("bob").await);
    submit(&mut ada).await;
    app.judge(&[Accepted, Accepted, Accepted]).await;
    submit(&mut bob).await;
    app.judge(&[WrongAnswer]).await;
    let table: [(&str, &[u32]); 8] = [
        ("", &[2, 1]),
        ("?problem=sum", &[2, 1]),
        ("?problem=paths", &[]),
        ("?verdict=AC", &[1]),
        ("?language=python3", &[]),
        ("?language=cpp20&verdict=WA", &[2]),
        ("?mine=1", &[1]),
        ("?before=2", &[1]),
    ];
    for (query, ids) in table {
        let page = ada.get(&format!("/submissions{query}")).await.body;
        let shown: Vec<u32> = page
            .split("class=\"row-link\" href=\"/submissions/")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(shown, ids, "{query}");
    }
    assert_eq!(app.browser().get("/submissions?mine=1").await.location(), "/login?next=%2Fsubmissions%3Fmine%3D1");
    for bad in ["?verdict=XX", "?before=x", "?language=<b>"] {
        let answer = ada.get(&format!("/submissions{}", bad.replace('<', "%3C").replace('>', "%3E"))).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{bad}");
        assert!(answer.body.contains("The filter in the address"), "{bad}");
    }
}

#[tokio::test]
async fn older_judgements_stay_readable() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    submit(&mut ada).await;
    app.judge(&[Accepted, WrongAnswer]).await;
    let mut judge = app.with_role("jo", Role::Judge).await;
    let answer = judge.post("/submissions/1/rejudge", &[]).await;
    assert_eq!(answer.location(), "/admin/rejudgings/1");
    assert!(
        ada.get("/submissions/1").await.body.contains("Wrong answer on test 2"),
        "the old verdict counts until then"
    );
    app.judge(&[Accepted, Accepted, Accepted]).await;
    assert!(ada.get("/submissions/1").await.body.contains("Wrong answer on test 2"), "and until it is applied");
    app.state.service.apply_rejudging(None, RejudgingId(1), None, app.now()).await.unwrap();
    let page = ada.get("/submissions/1").await.body;
    assert!(page.contains("All 3 tests passed") && page.contains("href=\"/submissions/1?judgement=1\""));
    let older = ada.get("/submissions/1?judgement=1").await.body;
    assert!(older.contains("Wrong answer on test 2") && older.contains("An earlier judgement; it does not count."));
    assert!(older.contains("<a href=\"/submissions/1\">See the one that counts</a>") && !page.contains("See the one"));
    assert!(!ada.get("/submissions/1?judgement=2").await.body.contains("it does not count"));
    assert_eq!(ada.get("/submissions/1?judgement=9").await.status, StatusCode::NOT_FOUND);
    assert_eq!(app.browser().get("/submissions/1?judgement=1").await.status, StatusCode::NOT_FOUND);
}
