//! Handing in: by paste, by file, twice, and everything that is refused.

use axum::http::StatusCode;
use rstest::rstest;
use touchstone::domain::source::{MAX_BINARY_BYTES, MAX_SOURCE_BYTES};
use touchstone::store::submission::{self, SubmissionFilter};

use crate::world::{Part, TestApp};

async fn count(app: &TestApp) -> usize {
    submission::list(app.store.read(), &SubmissionFilter::default(), 1_000).await.unwrap().len()
}

#[tokio::test]
async fn a_page_names_whose_drafts_it_may_keep() {
    let app = TestApp::new().await;
    let page = app.contestant("ada").await.get("/problems/sum/submit").await.body;
    assert!(page.contains("<body data-account=\"ada\">"), "{page}");
    assert!(app.browser().get("/problems/sum").await.body.contains("<body>"));
}

#[tokio::test]
async fn pasted_and_uploaded_programs_are_taken_once() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let page = ada.get("/problems/sum/submit").await.body;
    let key = page.split("name=\"key\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let parts =
        [Part::Text("key", &key), Part::Text("language", "cpp20"), Part::Text("source", "int main() {\r\n}\r\n")];
    let first = ada.upload("/problems/sum/submit", &parts).await;
    assert_eq!((first.status, first.location()), (StatusCode::SEE_OTHER, "/submissions/1"));
    let again = ada.upload("/problems/sum/submit", &parts).await;
    assert_eq!(again.location(), "/submissions/1", "sent twice");
    assert_eq!(ada.get("/submissions/1/files/1").await.body, "int main() {\n}\n");
    let file = [
        Part::Text("language", "python3"),
        Part::Text("source", "the file is taken instead"),
        Part::File("file", "C:\\work\\sum.py", b"print(3)\n"),
    ];
    assert_eq!(ada.upload("/problems/sum/submit", &file).await.location(), "/submissions/2");
    assert_eq!(ada.get("/submissions/2/files/1").await.body, "print(3)\n");
    let form = ada.get("/problems/paths/submit").await.body;
    assert!(
        form.contains("value=\"python3\" data-family=\"python\" data-endings=\"py\" data-usual selected"),
        "the last language is forgotten"
    );
}

#[rstest]
#[case::nothing("cpp20", "", None, 422, "Paste a program or choose a file")]
#[case::only_spaces("cpp20", " \n\t", None, 422, "Paste a program or choose a file")]
#[case::empty_file("cpp20", "", Some(("a.cpp", vec![])), 422, "a.cpp is empty")]
#[case::no_language("", "int main() {}", None, 422, "Choose the language")]
#[case::unknown_language("cobol", "int main() {}", None, 422, "can&#39;t be judged here|can&#x27;t be judged here")]
#[case::markup_as_language("<script>", "int main() {}", None, 422, "“&#60;script&#62;”|“&lt;script&gt;”")]
#[case::nul("cpp20", "", Some(("a.cpp", b"int\0main".to_vec())), 422, "NUL byte at offset 3")]
#[case::too_large("cpp20", "", Some(("a.cpp", vec![b'x'; MAX_SOURCE_BYTES + 1])), 413, "at most 256 KB are taken")]
#[case::far_too_large("cpp20", "", Some(("a.cpp", vec![b'x'; MAX_BINARY_BYTES + (2 << 20)])), 413, "larger than the 16 MB that this page takes")]
#[case::not_elf("elf", "", Some(("a.out", b"#!/bin/sh\n".to_vec())), 422, "not an x86-64 ELF program")]
#[tokio::test]
async fn bad_uploads_come_back_with_a_sentence(
    #[case] language: &str,
    #[case] source: &str,
    #[case] file: Option<(&str, Vec<u8>)>,
    #[case] status: u16,
    #[case] sentence: &str,
) {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let mut parts = vec![Part::Text("key", "k"), Part::Text("language", language), Part::Text("source", source)];
    if let Some((name, contents)) = &file {
        parts.push(Part::File("file", name, contents));
    }
    let answer = ada.upload("/problems/sum/submit", &parts).await;
    assert_eq!(answer.status.as_u16(), status);
    assert!(sentence.split('|').any(|sentence| answer.body.contains(sentence)), "{}", notice(&answer.body));
    assert!(answer.body.contains("<textarea"), "the form is gone");
    assert_eq!(count(&app).await, 0);
}

fn notice(page: &str) -> &str {
    page.split("role=\"alert\"").nth(1).unwrap_or(page)
}

#[tokio::test]
async fn a_refused_form_keeps_what_was_typed() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let program = "\nint main() { return a < b && c > d; } // </textarea><script>\n";
    let parts = [Part::Text("key", "k1"), Part::Text("language", ""), Part::Text("source", program)];
    let page = ada.upload("/problems/sum/submit", &parts).await.body;
    let kept =
        page.split("wrap=\"off\"").nth(1).unwrap().split_once('>').unwrap().1.split("</textarea>").next().unwrap();
    let kept = kept.replace("&#60;", "<").replace("&#62;", ">").replace("&#38;", "&").replace("&lt;", "<");
    // A browser drops the first line end of a text area.
    assert_eq!(kept.strip_prefix('\n').unwrap(), program);
    assert!(page.contains("name=\"key\" value=\"k1\""));
    let parts = [Part::Text("csrf", "stale"), Part::Text("language", "cpp20"), Part::Text("source", program)];
    ada.upload("/problems/sum/submit", &parts).await;
}

#[tokio::test]
async fn a_form_that_is_too_old_is_shown_again_with_its_program() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let body = "--edge\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\nstale\r\n\
        --edge\r\nContent-Disposition: form-data; name=\"language\"\r\n\r\ncpp20\r\n\
        --edge\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\nint kept;\r\n--edge--\r\n";
    let request = ada
        .prepare(axum::http::Method::POST, "/problems/sum/submit")
        .header("content-type", "multipart/form-data; boundary=edge")
        .body(axum::body::Body::from(body))
        .unwrap();
    let response = ada.request(request).await;
    assert_eq!(response.status(), StatusCode::FORBIDDEN);
    let page = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
    let page = String::from_utf8_lossy(&page);
    assert!(page.contains("int kept;") && page.contains("The form was too old"));
    assert_eq!(count(&app).await, 0);
}

#[tokio::test]
async fn unknown_problems_and_strangers_are_told_so() {
    let app = TestApp::new().await;
    let parts = [Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")];
    let mut ada = app.contestant("ada").await;
    let answer = ada.upload("/problems/nosuch/submit", &parts).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert!(answer.body.contains("There is no problem with the name “nosuch”") && answer.body.contains("href=\"/\""));
    let mut stranger = app.browser();
    assert_eq!(stranger.get("/problems/sum/submit").await.location(), "/login?next=%2Fproblems%2Fsum%2Fsubmit");
    let answer = stranger.upload("/problems/sum/submit", &parts).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    assert!(answer.body.contains("Only people who are logged in"));
    assert_eq!(count(&app).await, 0);
}

#[tokio::test]
async fn a_withdrawn_problem_and_too_many_submissions_are_refused() {
    let app = TestApp::new().await;
    let (mut ada, mut admin) = (app.contestant("ada").await, app.staff("admin").await);
    let parts = [Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")];
    for _ in 0..touchstone::service::submissions::RATE {
        assert_eq!(ada.upload("/problems/sum/submit", &parts).await.status, StatusCode::SEE_OTHER);
    }
    let answer = ada.upload("/problems/sum/submit", &parts).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(answer.body.contains("Wait 60 seconds") && answer.body.contains("int main() {}"));
    app.pass_ms(10_500);
    let answer = ada.upload("/problems/sum/submit", &parts).await;
    assert_eq!(answer.headers.get("retry-after").unwrap(), "50");
    assert!(answer.body.contains("Wait 50 seconds"));
    let actor = admin.actor(&app).await;
    app.state.service.set_withdrawn(&actor, "paths", true, app.now()).await.unwrap();
    app.pass_ms(120_000);
    let answer = ada.upload("/problems/paths/submit", &parts).await;
    assert_eq!(answer.status, StatusCode::CONFLICT);
    assert!(answer.body.contains("takes no submissions now"));
    assert!(!admin.get("/").await.body.contains("/problems/paths\""), "withdrawn problems leave the list");
}

#[tokio::test]
async fn a_strange_file_name_is_made_harmless() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let parts = [Part::Text("language", "cpp20"), Part::File("file", "<b>.cpp", b"int main() {}")];
    assert_eq!(ada.upload("/problems/sum/submit", &parts).await.location(), "/submissions/1");
    assert!(!ada.get("/submissions/1").await.body.contains("<b>.cpp"));
}
