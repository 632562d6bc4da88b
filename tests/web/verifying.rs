//! Importing packages and following their verification.

use std::io::Write as _;

use axum::http::StatusCode;
use touchstone::domain::account::Role;
use touchstone::domain::verdict::Verdict::{Accepted, WrongAnswer};
use touchstone::service::problems::{OfferedFile, Publish};
use touchstone::store::job::Work;
use touchstone::store::judging::{self, Outcome};
use touchstone::store::verification::{self, Step};
use touchstone::store::{GroupResults, problem};

use crate::world::{Part, TestApp};

/// A zip of these files.
fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (path, text) in files {
        writer.start_file(*path, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

const PACKAGE: &[(&str, &str)] = &[
    (
        "twice/problem.yaml",
        "problem_format_version: 2025-09\ntype: pass-fail\nname: Twice\n\
         uuid: 0d5b8a1e-6a0b-4a52-8d1a-3f5a6b7c8d9e\nlicense: cc0\nrights_owner: me\n",
    ),
    ("twice/statement/problem.en.md", "Print it twice.\n"),
    ("twice/data/secret/1.in", "5\n"),
    ("twice/data/secret/1.ans", "5 5\n"),
    ("twice/input_validators/any.py", "import sys\nsys.exit(42)\n"),
    ("twice/submissions/accepted/a.py", "n = input()\nprint(n, n)\n"),
];

#[tokio::test]
async fn a_zip_is_imported_and_its_verification_followed_to_the_end() {
    let app = TestApp::new().await;
    let mut sol = app.with_role("sol", Role::Setter).await;
    assert!(sol.get("/admin").await.body.contains("href=\"/admin/import\""));
    let answer = sol.upload("/admin/import", &[Part::File("file", "whatever.zip", &zip(PACKAGE))]).await;
    assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, "/admin/problems/twice/verification"));
    let path = "/admin/problems/twice/verification";
    let page = sol.get(path).await.body;
    assert!(page.contains("Waiting") && page.contains("<noscript><meta http-equiv=\"refresh\""), "{page}");
    assert!(page.contains(&format!("data-live=\"{path}/events\"")), "{page}");
    let mut events = sol.events(&format!("{path}/events")).await;
    assert!(events.next().await.contains("Waiting"));

    // A worker prepares it; what it tells reaches the page.
    let claimed = app.claim().await.unwrap();
    assert!(matches!(claimed.work, Work::Prepare(_)));
    let mut tx = app.store.begin_write().await.unwrap();
    let step = Step { part: "making answers", done: 3, total: 20 };
    verification::progress(&mut tx, claimed.lease, step, app.now()).await.unwrap();
    tx.commit().await.unwrap();
    let mut part = events.next().await;
    while !part.contains("The first reference solution answers · 3 / 20") {
        part = events.next().await;
    }
    assert!(part.contains("<progress max=\"20\" value=\"3\""), "{part}");
    let mut tx = app.store.begin_write().await.unwrap();
    touchstone::store::preparation::refuse_preparation(&mut tx, claimed.lease, "secret/1: <b>no</b>", app.now())
        .await
        .unwrap();
    tx.commit().await.unwrap();
    while !part.contains("A promise is broken") {
        part = events.next().await;
    }
    assert!(part.contains("secret/1: &#60;b&#62;no"), "{part}");
    assert!(events.next().await.contains("event: end"));
    let page = sol.get(path).await.body;
    assert!(!page.contains("http-equiv=\"refresh\"") && !page.contains("data-live=\""), "{page}");
    assert!(sol.get("/admin").await.body.contains("href=\"/admin/problems/twice/verification\""));
}

#[tokio::test]
async fn a_package_that_cannot_be_used_comes_back_with_all_that_is_wrong() {
    let app = TestApp::new().await;
    let mut sol = app.with_role("sol", Role::Setter).await;
    let mut broken = PACKAGE.to_vec();
    broken.retain(|(path, _)| !path.contains("submissions") && !path.contains("validators"));
    let evil = zip(&[("../evil", "x"), ("problem.yaml", "x")]);
    let empty = zip(&[]);
    for (slug, file, sentences) in [
        ("", zip(&broken), &["can’t be used", "input_validators", "accepted"][..]),
        ("Bad Name", zip(PACKAGE), &["can’t be a short name"]),
        ("", evil, &["can’t be used", "../evil"]),
        ("", b"Rar!\x1a\x07\x01\x00 this is no zip".to_vec(), &["can’t be used", "RAR"]),
        ("", empty, &["can’t be used"]),
    ] {
        let parts = [Part::Text("slug", slug), Part::File("file", "p.zip", &file)];
        let answer = sol.upload("/admin/import", &parts).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{sentences:?}");
        for sentence in sentences {
            assert!(answer.body.contains(sentence), "{sentence}: {}", answer.body);
        }
        assert!(answer.body.contains(&format!("name=\"slug\" value=\"{slug}\"")), "{}", answer.body);
    }
    let answer = sol.upload("/admin/import", &[Part::Text("slug", "x")]).await;
    assert!(answer.body.contains("Choose the zip of a package"), "{}", answer.body);
    assert!(problem::by_slug(app.store.read(), "twice").await.unwrap().is_none(), "nothing is half imported");
}

#[tokio::test]
async fn importing_and_verifications_are_for_setters_and_up() {
    let app = TestApp::new().await;
    let mut ann = app.contestant("ann").await;
    let path = "/admin/problems/sum/verification";
    for page in [path, "/admin/import", "/admin/problems/sum/verification/events"] {
        assert_eq!(ann.get(page).await.status, StatusCode::FORBIDDEN, "{page}");
        assert!(app.browser().get(page).await.location().starts_with("/login?next="), "{page}");
    }
    let upload = [Part::File("file", "p.zip", b"PK\x03\x04")];
    assert_eq!(ann.upload("/admin/import", &upload).await.status, StatusCode::FORBIDDEN);
    assert_eq!(ann.post(path, &[]).await.status, StatusCode::FORBIDDEN);
    let mut sol = app.with_role("sol", Role::Setter).await;
    let foreign = sol.post_with(path, &[], "0", None).await;
    assert_eq!(foreign.status, StatusCode::FORBIDDEN);
    assert_eq!(sol.get("/admin/problems/none/verification").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_is_in_force_is_verified_again_and_old_ones_stay_readable() {
    let app = TestApp::new().await;
    let mut sol = app.with_role("sol", Role::Setter).await;
    let path = "/admin/problems/sum/verification";
    let page = sol.get(path).await.body;
    assert!(page.contains("Every promise is kept") && page.contains("Verify again"), "{page}");
    let answer = sol.post(path, &[]).await;
    assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, path));
    app.verify(false).await;
    let page = sol.get(path).await.body;
    assert!(page.contains("A promise is broken") && page.contains("no test rejects this wrong program"), "{page}");
    assert!(page.contains("survives") && page.contains("wrong_answer/&#60;minus&#62;.py"), "{page}");
    assert!(page.contains(&format!("{path}?id=1")), "{page}");
    let before = sol.get(&format!("{path}?id=1")).await.body;
    assert!(before.contains("Every promise is kept") && !before.contains("survives"), "{before}");
    assert!(sol.get("/admin/problems/sum").await.body.contains(path));
}

#[tokio::test]
async fn an_offered_version_says_that_the_one_before_it_stays() {
    let app = TestApp::new().await;
    let mut sol = app.with_role("sol", Role::Setter).await;
    let file = OfferedFile { path: "statement/problem.en.md".to_owned(), contents: b"new".to_vec() };
    let tree = touchstone::package::PackageTree::from_files([(file.path, file.contents.into())]).unwrap();
    let slug = "sum".parse().unwrap();
    app.state.service.offer_tree(None, &slug, tree, Publish::WhenVerified, app.now()).await.unwrap();
    let page = sol.get("/admin/problems/sum/verification").await.body;
    assert!(page.contains("Until then the version before it stays in force"), "{page}");
}

#[tokio::test]
async fn scores_and_groups_stand_on_the_submission_page_in_both_languages() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let parts = [Part::Text("language", "cpp20"), Part::Text("source", "int main() {}")];
    ada.upload("/problems/sum/submit", &parts).await;
    let claimed = app.claim().await.unwrap();
    app.run_tests(claimed, &[Accepted, WrongAnswer]).await;
    let group = |name: &str, verdict, score, most| touchstone::domain::group_result::GroupResult {
        name: name.to_owned(),
        verdict,
        score: Some(score),
        most,
    };
    let groups = vec![
        group("secret/a", Accepted, 100.0 / 3.0, Some(40.0)),
        group("secret/b", WrongAnswer, 0.0, None),
        group("data", WrongAnswer, 100.0 / 3.0, Some(100.0)),
    ];
    let outcome = Outcome { score: Some(100.0 / 3.0), groups: Some(GroupResults(groups)), ..Outcome::new(WrongAnswer) };
    let mut tx = app.store.begin_write().await.unwrap();
    judging::finish_judgement(&mut tx, claimed.lease, &outcome, app.now()).await.unwrap();
    tx.commit().await.unwrap();
    // The problem doesn't show its groups: the author sees the score, the judges see all.
    let own = ada.get("/submissions/1").await.body;
    assert!(own.contains("<dt>Score</dt><dd>33.33 <span class=\"muted\">/ 100</span>"), "{own}");
    assert!(!own.contains("secret/a") && !own.contains("Test groups"), "{own}");
    let mut judge = app.with_role("jo", Role::Judge).await;
    let all = judge.get("/submissions/1").await.body;
    assert!(all.contains("Test groups") && all.contains("<th scope=\"row\">secret/a</th>"), "{all}");
    judge.language = "zh";
    let all = judge.get("/submissions/1").await.body;
    assert!(all.contains("<dt>得分</dt>") && all.contains("测试组"), "{all}");
}
