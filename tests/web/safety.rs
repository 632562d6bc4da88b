//! What holds for every page: the security headers, nothing unescaped, no other host, a bounded size, assets that exist.

use axum::http::StatusCode;
use touchstone::domain::account::Role;
use touchstone::domain::verdict::Verdict::{Accepted, CompileError, RunTimeError};

use crate::world::{Browser, Part, TestApp};

/// Every page that has something on it, as a judge and as its author.
async fn pages(app: &TestApp) -> Vec<(String, String)> {
    let mut ada = app.contestant("ada").await;
    let mut judge = app.with_role("jo", Role::Judge).await;
    let source = "int main() {} // <script>alert('source')</script> <img src=x onerror=alert(1)>\n".repeat(400);
    for verdicts in [vec![Accepted, RunTimeError], vec![CompileError]] {
        let parts = [Part::Text("language", "cpp20"), Part::Text("source", &source)];
        ada.upload("/problems/sum/submit", &parts).await;
        app.judge(&verdicts).await;
    }
    let parts = [Part::Text("name", "x"), Part::Text("input", "<script>alert('input')</script>")];
    judge.upload("/admin/problems/sum/tests/new", &parts).await;
    let form = [("problem", "sum"), ("reason", "<script>alert('reason')</script>")];
    judge.post("/admin/rejudgings", &form).await;
    let mut root = app.staff("root").await;
    app.refuse_proposal("<script>alert('validator')</script>", Some("<script>alert('difference')</script>")).await;
    let paths = [
        "/",
        "/problems/sum",
        "/problems/paths",
        "/problems/sum/submit",
        "/submissions",
        "/submissions?mine=1",
        "/submissions/1",
        "/submissions/2",
        "/scoreboard",
        "/account",
        "/account/second-step",
        "/login/code",
        "/clarifications",
        "/admin/clarifications",
        "/login",
        "/register",
        "/nosuch",
        "/submissions/77",
        "/admin",
        "/admin/problems/sum",
        "/admin/problems/sum/tests/new",
        "/admin/proposals/1",
        "/admin/problems/sum/tests/1",
        "/admin/problems/sum/tests/many",
        "/admin/problems/sum/versions",
        "/admin/problems/sum/statement",
        "/admin/health",
        "/admin/rejudgings",
        "/admin/rejudgings/new",
        "/admin/rejudgings/1",
        "/admin/people",
        "/admin/people/1",
        "/admin/people/import",
        "/admin/registration",
        "/admin/log",
        "/admin/log?subject=%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/admin/people?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/register?invitation=%22%3E%3Cscript%3E",
        "/password/x",
        "/problems/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/submissions?verdict=%3Cscript%3E",
        "/login?next=/%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    ];
    let mut pages = Vec::new();
    for browser in [&mut ada, &mut judge, &mut root, &mut app.browser()] {
        for language in ["en", "zh"] {
            browser.language = language;
            for path in paths {
                let answer = browser.get(path).await;
                assert_headers(path, &answer.headers);
                assert_ne!(answer.status, StatusCode::INTERNAL_SERVER_ERROR, "{path}");
                pages.push((format!("{path} ({language})"), answer.body));
            }
        }
    }
    pages
}

fn assert_headers(path: &str, headers: &axum::http::HeaderMap) {
    let policy =
        headers.get("content-security-policy").unwrap_or_else(|| panic!("{path} has no policy")).to_str().unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
    assert_eq!(headers.get("x-content-type-options").unwrap(), "nosniff", "{path}");
    assert_eq!(headers.get("x-frame-options").unwrap(), "DENY", "{path}");
    assert!(headers.get("cache-control").is_some(), "{path}");
}

#[tokio::test]
async fn pages_are_escaped_local_and_small() {
    let app = TestApp::new().await;
    for (path, page) in pages(&app).await {
        assert!(page.len() < 60 * 1024, "{path} has {} bytes", page.len());
        assert!(!page.contains("alert(1)<") && !page.contains("<script>"), "{path} is not escaped");
        assert!(!page.contains("<img src=x"), "{path} is not escaped");
        for attribute in [" src=\"", " href=\"", " action=\"", " srcset=\""] {
            for address in page.split(attribute).skip(1).filter_map(|rest| rest.split('"').next()) {
                let local = address.is_empty() || address.starts_with(['/', '#', '?']) && !address.starts_with("//");
                assert!(local, "{path} asks for {address}");
            }
        }
        assert!(!page.contains(" style=\"") && !page.contains("<style"), "{path} has an inline style");
        for handler in [" onclick=", " onload=", " onerror=\"", " onsubmit="] {
            assert!(!page.contains(handler), "{path} has {handler}");
        }
        for form in page.split("<form").skip(1).map(|rest| rest.split("</form>").next().unwrap_or_default()) {
            let posts = form.split('>').next().unwrap_or_default().contains("method=\"post\"");
            assert_eq!(posts, form.contains("name=\"csrf\""), "{path}: {form}");
        }
    }
}

#[tokio::test]
async fn every_page_has_one_heading_a_title_and_labels() {
    let app = TestApp::new().await;
    for (path, page) in pages(&app).await {
        if !page.starts_with("<!doctype html>") {
            continue;
        }
        assert_eq!(page.matches("<h1").count(), 1, "{path}");
        assert!(page.contains("<a class=\"skip\" href=\"#main\">") && page.contains("<main id=\"main\""), "{path}");
        let title = page.split("<title>").nth(1).unwrap().split("</title>").next().unwrap();
        assert!(title.ends_with(" · Touchstone") && title.len() > " · Touchstone".len(), "{path}: {title}");
        for id in ids_of_inputs(&page) {
            assert!(page.contains(&format!("for=\"{id}\"")), "{path}: {id} has no label");
        }
        let mut ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        ids.sort_unstable();
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{path} repeats an id: {ids:?}");
    }
}

fn ids_of_inputs(page: &str) -> Vec<&str> {
    ["<input type=\"text\" id=\"", "<input type=\"password\" id=\"", "<input type=\"file\" id=\"", "<select id=\""]
        .into_iter()
        .flat_map(|start| page.split(start).skip(1).filter_map(|rest| rest.split('"').next()))
        .collect()
}

async fn asset(browser: &mut Browser, page: &str, ending: &str) -> String {
    let addresses = page.split('"').filter(|piece| piece.starts_with("/static/") && piece.ends_with(ending));
    let address = addresses.map(str::to_owned).next().unwrap_or_else(|| panic!("no {ending}"));
    let answer = browser.get(&address).await;
    assert_eq!(answer.status, StatusCode::OK, "{address}");
    assert_eq!(answer.headers.get("cache-control").unwrap(), "public, max-age=31536000, immutable");
    address
}

#[tokio::test]
async fn assets_are_there_and_kept() {
    let app = TestApp::new().await;
    for (path, page) in pages(&app).await {
        for address in page.split('"').filter(|piece| piece.starts_with("/static/")) {
            let answer = app.browser().get(address).await;
            assert_eq!(answer.status, StatusCode::OK, "{path}: {address}");
        }
    }
    let mut browser = app.browser();
    let page = browser.get("/").await.body;
    let css = asset(&mut browser, &page, ".css").await;
    asset(&mut browser, &page, ".js").await;
    let tag = browser.get(&css).await.headers.get("etag").unwrap().clone();
    let request =
        browser.prepare(axum::http::Method::GET, &css).header("if-none-match", tag).body(axum::body::Body::empty());
    assert_eq!(browser.request(request.unwrap()).await.status(), StatusCode::NOT_MODIFIED);
    let old = browser.get("/static/css/touchstone.000000000000.css").await;
    assert_eq!((old.status, old.headers.get("cache-control").unwrap().to_str().unwrap()), (StatusCode::OK, "no-cache"));
    for gone in ["/static", "/static/x.css", "/static/../Cargo.toml", "/static/css/..%2f..%2fCargo.000000000000.toml"] {
        assert_eq!(browser.get(gone).await.status, StatusCode::NOT_FOUND, "{gone}");
    }
}

#[tokio::test]
async fn the_statement_is_made_safe_and_has_math() {
    let app = TestApp::new().await;
    let page = app.browser().get("/problems/sum").await.body;
    assert!(page.contains("<math") && page.contains("<munderover>"), "no math");
    assert!(!page.contains("alert('statement')"));
}

#[tokio::test]
async fn errors_offer_the_next_thing() {
    let app = TestApp::new().await;
    let mut browser = app.browser();
    for (path, status, next) in [
        ("/nosuch", 404, "href=\"/\""),
        ("/problems/nosuch", 404, "href=\"/\""),
        ("/submissions/99", 404, "href=\"/submissions\""),
        ("/submissions/x", 404, "href=\"/submissions\""),
        ("/logout", 405, "href=\"/\""),
    ] {
        let answer = browser.get(path).await;
        assert_eq!(answer.status.as_u16(), status, "{path}");
        let main = answer.body.split("<main").nth(1).unwrap();
        assert!(main.contains(next), "{path}: {main}");
    }
}

#[tokio::test]
async fn wrong_addresses_say_so_and_nearly_right_ones_lead_on() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    ada.upload("/problems/sum/submit", &[Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")]).await;
    for path in
        ["/nosuch", "/submissions/1/files/-1", "/submissions/1?judgement=abc", "/submissions/1/events?judgement=x"]
    {
        let answer = ada.get(path).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert!(answer.body.contains("There is nothing at this address"), "{path}: {}", answer.body);
    }
    for (path, location) in [
        ("/problems", "/"),
        ("/problems/", "/problems"),
        ("/submissions/?mine=1", "/submissions?mine=1"),
        ("/problems/sum/", "/problems/sum"),
        ("//elsewhere.example/", "/elsewhere.example"),
    ] {
        let answer = ada.get(path).await;
        assert_eq!((answer.status, answer.location()), (StatusCode::PERMANENT_REDIRECT, location), "{path}");
    }
}

#[tokio::test]
async fn what_is_too_large_is_told_the_limit() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let text = "x".repeat(1024 * 1024);
    let answer = ada.post("/clarifications", &[("text", &text)]).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(answer.body.contains("larger than the 1 MB"), "{}", answer.body);
}
