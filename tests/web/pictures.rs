//! What everybody may have of a problem. Pictures of samples: shown under the sample, still for readers who asked for less motion, and none of secret tests.

use axum::http::StatusCode;

use crate::world::{PICTURE, SECRET_TEXT, TestApp};

#[tokio::test]
async fn a_samples_picture_moves_only_for_those_who_like_it() {
    let app = TestApp::new().await;
    let mut stranger = app.browser();
    let page = stranger.get("/problems/sum").await.body;
    assert!(page.contains("media=\"(prefers-reduced-motion: reduce)\" srcset=\"/problems/sum/pictures/1-still\""));
    assert!(page.contains("alt=\"Input 1 drawn by the problem’s author\""));
    let moving = stranger.get("/problems/sum/pictures/1").await;
    assert_eq!(moving.body, PICTURE);
    assert_eq!(moving.headers["content-type"], "image/svg+xml");
    assert!(moving.headers["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'"));
    let still = stranger.get("/problems/sum/pictures/1-still").await.body;
    assert!(still.contains("<circle r=\"2\"/>") && !still.contains("animate"));
    for missing in ["0", "2", "x", "-1", "1-moving"] {
        let answer = stranger.get(&format!("/problems/sum/pictures/{missing}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{missing}");
    }
}

#[tokio::test]
async fn samples_and_statements_are_an_archive_without_secrets() {
    let app = TestApp::new().await;
    let answer = app.browser().get("/problems/sum/samples.zip").await;
    assert_eq!(answer.headers["content-type"], "application/zip");
    assert_eq!(answer.headers["content-disposition"], "attachment; filename=\"sum.zip\"");
    for part in ["sum/problem.en.md", "sum/problem.zh.md", "sum/1.in1 2\n", "sum/1.ans3\n"] {
        assert!(answer.body.contains(part), "{part}");
    }
    assert!(!answer.body.contains(SECRET_TEXT) && !answer.body.contains("sum/2.in"));
    assert_eq!(app.browser().get("/problems/nosuch/samples.zip").await.status, StatusCode::NOT_FOUND);
}
