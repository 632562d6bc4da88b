//! The desk's first page, settings of problems as forms, and what a rejudging does to awards.

use axum::http::StatusCode;
use touchstone::domain::account::Role;
use touchstone::domain::verdict::Verdict::{Accepted, JudgingError, WrongAnswer};
use touchstone::store::{contest, package, problem};

use crate::world::{Part, TestApp};

const MINUTE: i64 = 60_000;
const PROGRAM: [Part<'static>; 2] = [Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")];

#[tokio::test]
async fn the_first_page_says_what_wants_a_look() {
    let app = TestApp::new().await;
    let mut jo = app.with_role("jo", Role::Judge).await;
    let calm = jo.get("/admin").await.body;
    assert!(calm.contains("None in a day") && calm.contains("All answered"), "{calm}");
    assert!(!calm.contains("data-state=\"bad\"><h3>"), "{calm}");
    let mut ada = app.contestant("ada").await;
    ada.upload("/problems/sum/submit", &PROGRAM).await;
    app.judge(&[JudgingError]).await;
    ada.post("/clarifications", &[("text", "why?"), ("problem", "")]).await;
    jo.post("/admin/rejudgings", &[("problem", "sum"), ("reason", "a <b> fault")]).await;
    let page = jo.get("/admin").await.body;
    assert!(page.contains("1 without an answer") && page.contains("1 in a day"), "{page}");
    assert!(page.contains("href=\"/admin/rejudgings/new?verdict=JE\""), "{page}");
    assert!(page.contains("href=\"/admin/rejudgings/1\"") && page.contains("a &#60;b&#62; fault"), "{page}");
    assert!(
        page.contains("1 job waits") && page.contains("class=\"squares\"") && page.contains("data-follow"),
        "{page}"
    );
    app.judge(&[Accepted; 3]).await;
    assert!(jo.get("/admin").await.body.contains("judged: apply or drop it"));
    assert!(page.len() < 60_000, "{} bytes", page.len());
    let setter = app.with_role("sue", Role::Setter).await.get("/admin").await.body;
    assert!(!setter.contains("class=\"watch\"") && setter.contains("A plus B"), "{setter}");
    jo.language = "zh";
    assert!(jo.get("/admin").await.body.contains("需要留意"));
}

#[tokio::test]
async fn checker_and_languages_are_set_by_forms() {
    let app = TestApp::new().await;
    let mut sue = app.with_role("sue", Role::Setter).await;
    let page = sue.get("/admin/problems/sum").await.body;
    assert!(
        page.contains("action=\"/admin/problems/sum/checker\"") && page.contains("id=\"language-cpp20\""),
        "{page}"
    );
    assert!(page.contains("name=\"allow\" value=\"all\" checked"), "{page}");
    let checker = "/admin/problems/sum/checker";
    for bad in ["x", "-1", "inf"] {
        let answer = sue.post(checker, &[("version", "1"), ("float_absolute", bad)]).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{bad}");
        assert!(answer.body.contains("as in 1e-6"), "{}", answer.body);
    }
    assert_eq!(sue.post(checker, &[("version", "1")]).await.status, StatusCode::CONFLICT, "as it is");
    let form = [("version", "1"), ("case_sensitive", "1"), ("float_absolute", "1e-6"), ("float_relative", "0.000001")];
    assert_eq!(sue.post(checker, &form).await.location(), "/admin/problems/sum/verification");
    assert_eq!(sue.post(checker, &form).await.status, StatusCode::CONFLICT, "one at a time");
    // What the worker gets says so, in a file of its own, and all else is as before.
    let found = problem::by_slug(app.store.read(), "sum").await.unwrap().unwrap();
    let newest = package::history(app.store.read(), found.id).await.unwrap().remove(0);
    let files = package::files(app.store.read(), newest.id).await.unwrap();
    let file = files.iter().find(|file| file.path == "data/test_group.yaml").expect("the settings of all tests");
    let text = touchstone::store::blob::read(app.store.read(), file.sha256).await.unwrap();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text, "output_validator_args: [case_sensitive, float_tolerance, 1e-6]\n");
    app.refuse_package().await;

    let languages = "/admin/problems/sum/languages";
    let none = sue.post(languages, &[("version", "1"), ("allow", "some")]).await;
    assert_eq!(none.status, StatusCode::UNPROCESSABLE_ENTITY);
    let form = [("version", "1"), ("allow", "some"), ("language-python3", "1")];
    assert_eq!(sue.post(languages, &form).await.location(), "/admin/problems/sum/verification");
    let newest = package::history(app.store.read(), found.id).await.unwrap().remove(0);
    let file = package::file(app.store.read(), newest.id, "problem.yaml").await.unwrap().unwrap();
    let text = touchstone::store::blob::read(app.store.read(), file.sha256).await.unwrap();
    assert!(String::from_utf8(text).unwrap().ends_with("languages: [python3]\n"));
    app.refuse_package().await;
    // Somebody who looked at another version is told.
    assert_eq!(sue.post(languages, &[("version", "7"), ("allow", "all")]).await.status, StatusCode::CONFLICT);

    assert_eq!(sue.post("/admin/problems", &[("slug", "no way")]).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    let taken = sue.post("/admin/problems", &[("slug", "sum")]).await;
    assert!(taken.status == StatusCode::CONFLICT && taken.body.contains("already"), "{}", taken.body);
    assert_eq!(sue.post("/admin/problems", &[("slug", "next")]).await.location(), "/admin/problems/next/verification");
    assert!(sue.get("/admin").await.body.contains("/admin/problems/next/verification"));
}

#[tokio::test]
async fn a_rejudging_says_which_awards_and_points_move() {
    let app = TestApp::new().await;
    let mut root = app.staff("root").await;
    for (slug, scoring) in [("cup", "pass-fail"), ("olympiad", "score")] {
        let form = [
            ("slug", slug),
            ("name", "Cup"),
            ("start", "2026-03-01T12:00"),
            ("duration", "5:00"),
            ("penalty", "20"),
            ("scoring", scoring),
            ("failed_tests", "nothing"),
            ("access", "open"),
        ];
        let made = root.post("/admin/contests", &form).await;
        assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.body);
        let version = contest::by_slug(app.store.read(), slug).await.unwrap().unwrap().version.to_string();
        let path = format!("/admin/contests/{slug}/problems");
        root.post(&path, &[("version", version.as_str()), ("label-sum", "A")]).await;
    }
    app.pass_ms(10 * MINUTE);
    let (mut ada, mut bob) = (app.contestant("ada").await, app.contestant("bob").await);
    for slug in ["cup", "olympiad"] {
        for browser in [&mut ada, &mut bob] {
            app.pass_ms(10 * MINUTE);
            let answer = browser.upload(&format!("/contests/{slug}/problems/sum/submit"), &PROGRAM).await;
            assert!(answer.location().contains("/submissions/"), "{}", answer.body);
            app.judge(&[Accepted; 3]).await;
        }
    }
    for (number, slug, figure) in [("1", "cup", "1 → 0"), ("2", "olympiad", "100 → 0")] {
        let begun = root.post("/admin/rejudgings", &[("contest", slug)]).await;
        assert_eq!(begun.location(), format!("/admin/rejudgings/{number}"), "{}", begun.body);
        app.judge(&[WrongAnswer]).await;
        app.judge(&[Accepted; 3]).await;
        let page = root.get(&format!("/admin/rejudgings/{number}")).await.body;
        assert!(page.contains("<th scope=\"row\">Winner</th>"), "{page}");
        assert!(page.contains("no longer: ada"), "{page}");
        assert!(page.contains(figure), "{figure}: {page}");
        let told = touchstone::service::facts::preview(
            &app.state.service.rejudging(None, number.parse().unwrap()).await.unwrap(),
        );
        let winner = &told["boards"][0]["awards"][0];
        assert_eq!((&winner["id"], &winner["lost"][0]), (&"winner".into(), &"ada".into()), "{told}");
    }
}
