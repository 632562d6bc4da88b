//! The main pages as they are, in both languages. Ids and times are stable; tokens and asset hashes are cut.

use touchstone::domain::account::Role;
use touchstone::domain::verdict::Verdict::{Accepted, CompileError, TimeLimit, WrongAnswer};

use crate::world::{Part, TestApp};

/// The page's main part without what differs from run to run.
fn stable(page: &str) -> String {
    let main = page.split("<main").nth(1).and_then(|rest| rest.split_once("</main>")).map_or(page, |(main, _)| main);
    let mut out = String::new();
    let mut rest = main;
    while let Some(at) =
        rest.find("value=\"").filter(|_| rest.contains("name=\"csrf\"") || rest.contains("name=\"key\""))
    {
        let value = at + "value=\"".len();
        let end = value + rest[value..].find('"').unwrap();
        out.push_str(&rest[..value]);
        let token = rest[value..end].len() >= 32 && rest[value..end].bytes().all(|byte| byte.is_ascii_hexdigit());
        out.push_str(if token { "TOKEN" } else { &rest[value..end] });
        rest = &rest[end..];
    }
    out.push_str(rest);
    // The size of the database grows with each migration.
    for label in ["<dt>Database</dt><dd>", "<dt>数据库</dt><dd>"] {
        if let Some((before, size)) = out.split_once(label) {
            out = format!("{before}{label}SIZE{}", &size[size.find('<').unwrap()..]);
        }
    }
    // What is different of a board is asked for by its number.
    if let Some((before, rest)) = out.split_once("?have=") {
        out = format!("{before}?have=VERSION{}", &rest[rest.find('"').unwrap()..]);
    }
    format!("<main{out}</main>\n")
}

#[tokio::test]
async fn main_pages() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let source = "#include <iostream>\n\nint main() {\n\tstd::cout << 3;\n}\n";
    for verdicts in [vec![Accepted; 3], vec![Accepted, WrongAnswer], vec![CompileError], vec![TimeLimit]] {
        app.pass_ms(60_000);
        let parts = [Part::Text("language", "cpp20"), Part::Text("source", source)];
        ada.upload("/problems/sum/submit", &parts).await;
        app.judge(&verdicts).await;
    }
    let mut judge = app.with_role("jo", Role::Judge).await;
    app.pass_ms(600_000);
    let contestant = [
        ("home", "/"),
        ("problem", "/problems/sum"),
        ("submit", "/problems/sum/submit"),
        ("accepted", "/submissions/1"),
        ("wrong-answer", "/submissions/2"),
        ("compile-error", "/submissions/3"),
        ("submissions", "/submissions"),
        ("scoreboard", "/scoreboard"),
        ("not-found", "/nosuch"),
    ];
    let staff = [
        ("admin", "/admin"),
        ("admin-tests", "/admin/problems/sum"),
        ("admin-test-new", "/admin/problems/sum/tests/new"),
        ("admin-import", "/admin/import"),
        ("admin-test", "/admin/problems/sum/tests/2"),
        ("admin-tests-many", "/admin/problems/sum/tests/many"),
        ("admin-versions", "/admin/problems/sum/versions"),
        ("admin-statement", "/admin/problems/sum/statement"),
        ("admin-health", "/admin/health"),
        ("admin-verification", "/admin/problems/sum/verification"),
    ];
    for language in ["en", "zh"] {
        for (browser, pages) in [(&mut ada, contestant.as_slice()), (&mut judge, staff.as_slice())] {
            browser.language = language;
            for (name, path) in pages {
                let page = browser.get(path).await.body;
                insta::assert_snapshot!(format!("{name}-{language}"), stable(&page));
            }
        }
    }
    let mut stranger = app.browser();
    insta::assert_snapshot!("log-in-en", stable(&stranger.get("/login").await.body));
    insta::assert_snapshot!("register-en", stable(&stranger.get("/register").await.body));
}
