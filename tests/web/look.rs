//! A judge with something on every page, for people who want to look at it:
//! `cargo test --test web -- --ignored look`, then <http://127.0.0.1:18080>; log in as `ada` or `admin`, password
//! `correct horse`.

use touchstone::domain::verdict::Verdict::{
    self, Accepted, CompileError, JudgingError, MemoryLimit, OutputLimit, RunTimeError, TimeLimit, WrongAnswer,
};

use crate::world::{Part, TestApp};

const PROGRAM: &[u8] = b"#include <bits/stdc++.h>\nusing namespace std;\n\nint main() {\n\tlong long a, b;\n\tcin >> a >> b;\n\tcout << a + b << '\\n'; // <script>alert('source')</script>\n}\n";

#[tokio::test]
#[ignore = "serves until it is stopped"]
async fn look() {
    let app = TestApp::new().await;
    for (slug, en, zh, tests) in [
        ("grid", "Walking on a grid", "网格行走", 40),
        ("words", "Long words", "长单词", 8),
        ("sweep", "Sweeping the ice", "擦冰", 12),
    ] {
        app.add_problem(slug, en, zh, tests).await;
    }
    let setup = app.state.service.first_admin_link(app.now()).await.unwrap().unwrap();
    let mut admin = app.browser();
    let form = [("name", "admin"), ("password", "correct horse"), ("again", "correct horse")];
    admin.post(&format!("/setup/{setup}"), &form).await;
    let names =
        ["ada", "grace", "王小明", "dijkstra", "knuth", "an-extraordinarily-long-name-of-40-chars", "лев", "hopper"];
    let mut seed = 7_u64;
    let mut random = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut last = None;
    for name in names {
        let mut browser = app.contestant(name).await;
        for (slug, tests) in [("sum", 3), ("paths", 2), ("grid", 40), ("words", 8), ("sweep", 12)] {
            for _ in 0..random(4) {
                app.pass_ms(i64::try_from(random(400_000)).unwrap());
                let (file, language) = ([Part::File("file", "main.cpp", PROGRAM)], Part::Text("language", "cpp20"));
                let [file] = file;
                browser.upload(&format!("/problems/{slug}/submit"), &[language, file]).await;
                let bad = [WrongAnswer, TimeLimit, MemoryLimit, OutputLimit, RunTimeError, CompileError, JudgingError];
                let mut verdicts: Vec<Verdict> = vec![Accepted; tests];
                if random(2) == 0 {
                    let bad = bad[usize::try_from(random(7)).unwrap()];
                    let at = usize::try_from(random(u64::try_from(tests).unwrap())).unwrap();
                    verdicts.truncate(if bad == CompileError { 0 } else { at });
                    verdicts.push(bad);
                }
                app.judge(&verdicts).await;
            }
        }
        last = Some(browser);
    }
    let input = [Part::Text("name", "31-long-row"), Part::Text("input", "5 5\n")];
    admin.upload("/admin/problems/sum/tests/new", &input).await;
    app.refuse_proposal("line 1: b = 5, but a <= b is needed", Some("token 3: 17 (primary) is not 18 (second)")).await;
    let input = [Part::Text("name", "32-wide"), Part::Text("input", "5 6\n")];
    admin.upload("/admin/problems/sum/tests/new", &input).await;
    app.accept_proposal("11\n").await;
    let mut browser = last.unwrap();
    let parts = || [Part::Text("language", "cpp20"), Part::File("file", "main.cpp", PROGRAM)];
    browser.upload("/problems/grid/submit", &parts()).await;
    let claimed = app.claim().await.unwrap();
    app.run_tests(claimed, &[Accepted; 13]).await;
    browser.upload("/problems/words/submit", &parts()).await;
    app.pass_ms(130_000);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:18080").await.unwrap();
    axum::serve(listener, app.router.clone()).await.unwrap();
}
