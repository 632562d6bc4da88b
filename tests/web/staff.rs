//! Adding a test by its input alone, and judging again.

use axum::http::StatusCode;
use touchstone::domain::account::Role;
use touchstone::domain::ids::RejudgingId;
use touchstone::domain::verdict::Verdict::Accepted;

use crate::world::{Part, TestApp};

#[tokio::test]
async fn a_test_is_added_by_its_input_and_its_submissions_are_judged_again() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    for _ in 0..2 {
        let parts = [Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")];
        ada.upload("/problems/sum/submit", &parts).await;
        app.judge(&[Accepted; 3]).await;
    }
    let mut judge = app.with_role("jo", Role::Judge).await;
    let current = judge.get("/admin/problems/sum").await.body;
    assert!(!current.contains("/rejudge\""), "both were judged with the tests in force");
    let parts = [Part::Text("name", "31-long-row"), Part::Text("input", "5 6\r\n")];
    let answer = judge.upload("/admin/problems/sum/tests/new", &parts).await;
    assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, "/admin/proposals/1"));
    let page = judge.get("/admin/proposals/1").await.body;
    assert!(page.contains("Being checked") && page.contains("http-equiv=\"refresh\""));
    app.accept_proposal("11\n").await;
    let page = judge.get("/admin/proposals/1").await.body;
    assert!(page.contains("not counted yet") && page.contains("http-equiv=\"refresh\"") && !page.contains("Rejudge"));
    app.verify(true).await;
    let page = judge.get("/admin/proposals/1").await.body;
    assert!(page.contains("Accepted") && page.contains("Rejudge 2 submissions"), "{page}");
    let tests = judge.get("/admin/problems/sum").await.body;
    assert!(tests.contains("31-long-row") && tests.contains("Tests, version 2"));
    let answer = judge.post("/admin/problems/sum/rejudge", &[]).await;
    assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, "/admin/rejudgings/1"));
    let again = judge.post("/admin/problems/sum/rejudge", &[]).await;
    assert_eq!(again.status, StatusCode::CONFLICT);
    assert!(again.body.contains("There is nothing to judge again"));
    assert!(!judge.get("/admin/problems/sum").await.body.contains("/rejudge\""), "all wait already");
    app.judge(&[Accepted; 4]).await;
    app.judge(&[Accepted; 4]).await;
    app.state.service.apply_rejudging(None, RejudgingId(1), None, app.now()).await.unwrap();
    assert!(ada.get("/submissions/1").await.body.contains("All 4 tests passed"));
}

#[tokio::test]
async fn a_refused_test_shows_the_validators_words_and_the_difference() {
    let app = TestApp::new().await;
    let mut setter = app.with_role("sam", Role::Setter).await;
    let parts = [Part::Text("name", "bad"), Part::File("file", "input.txt", b"5 <5>\n")];
    setter.upload("/admin/problems/sum/tests/new", &parts).await;
    app.refuse_proposal("line 1: <5> is no number", Some("token 1: 3 is not 4")).await;
    let page = setter.get("/admin/proposals/1").await.body;
    assert!(page.contains("is no number") && page.contains("token 1: 3 is not 4") && !page.contains("<5>"));
    assert!(!page.contains("http-equiv=\"refresh\"") && !page.contains("/rejudge"));
    assert!(setter.get("/admin/problems/sum").await.body.contains("Refused"));
}

#[tokio::test]
async fn bad_tests_come_back_with_a_sentence() {
    let app = TestApp::new().await;
    let mut setter = app.with_role("sam", Role::Setter).await;
    let table = [
        ("x", "", 422, "Paste the input or choose a file"),
        ("a/b", "1 2\n3\n", 422, "A test’s name has 1 to 80"),
        ("same", "1 2\n", 409, "has the very same input already"),
    ];
    for (name, input, status, sentence) in table {
        let parts = [Part::Text("name", name), Part::Text("input", input), Part::Text("sample", "1")];
        let answer = setter.upload("/admin/problems/sum/tests/new", &parts).await;
        assert_eq!(answer.status.as_u16(), status, "{name}");
        assert!(answer.body.contains(sentence), "{name}: {}", answer.body);
        assert!(answer.body.contains(&format!("value=\"{name}\"")) && answer.body.contains("value=\"1\" checked"));
    }
    let parts = [Part::Text("name", "x"), Part::Text("input", "1\n")];
    assert_eq!(setter.upload("/admin/problems/nosuch/tests/new", &parts).await.status, StatusCode::NOT_FOUND);
    let parts = [Part::Text("name", "twice"), Part::Text("input", "8 9\n")];
    assert_eq!(setter.upload("/admin/problems/sum/tests/new", &parts).await.status, StatusCode::SEE_OTHER);
    let parts = [Part::Text("name", "twice"), Part::Text("input", "9 9\n")];
    let answer = setter.upload("/admin/problems/sum/tests/new", &parts).await;
    assert_eq!(answer.status, StatusCode::CONFLICT);
    assert!(answer.body.contains("has a test named “twice” already"));
}

#[tokio::test]
async fn a_refused_test_can_be_mended() {
    let app = TestApp::new().await;
    let mut setter = app.with_role("sam", Role::Setter).await;
    let large = "7 ".repeat(40_000);
    for (name, input) in [("small", "5 <5>\n"), ("large", &*large), ("odd", "5 5\r\n")] {
        let parts = [Part::Text("name", name), Part::Text("sample", "1"), Part::File("file", "a.in", input.as_bytes())];
        setter.upload("/admin/problems/sum/tests/new", &parts).await;
        app.refuse_proposal("no", None).await;
    }
    assert!(setter.get("/admin/proposals/1").await.body.contains("/admin/problems/sum/tests/new?from=1\""));
    let form = setter.get("/admin/problems/sum/tests/new?from=1").await.body;
    assert!(form.contains("value=\"small\"") && form.contains("value=\"1\" checked"), "{form}");
    assert!(form.contains("5 &#60;5&#62;\n</textarea>"), "{form}");
    for (id, input) in [(2, &*large), (3, "5 5\r\n")] {
        let form = setter.get(&format!("/admin/problems/sum/tests/new?from={id}")).await.body;
        assert!(form.contains(&format!("/admin/proposals/{id}/input\"")) && form.len() < 20_000, "{id}");
        assert_eq!(setter.get(&format!("/admin/proposals/{id}/input")).await.body, input);
    }
    for path in
        ["/admin/problems/sum/tests/new?from=9", "/admin/problems/sum/tests/new?from=x", "/admin/proposals/9/input"]
    {
        assert_eq!(setter.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    for path in ["/admin/problems/sum/tests/new?from=1", "/admin/proposals/1/input"] {
        assert_eq!(app.contestant(&format!("bob{}", path.len())).await.get(path).await.status, StatusCode::FORBIDDEN);
        assert!(app.browser().get(path).await.location().starts_with("/login?next="), "{path}");
    }
}

#[tokio::test]
async fn a_test_comes_back_when_the_session_has_ended() {
    let app = TestApp::new().await;
    let parts = [Part::Text("name", "mine"), Part::Text("input", "8 9\n")];
    let answer = app.browser().upload("/admin/problems/sum/tests/new", &parts).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    assert!(answer.body.contains("value=\"mine\"") && answer.body.contains("8 9\n</textarea>"), "{}", answer.body);
    assert!(!answer.body.contains("A plus B"), "nothing of the problem");
}
