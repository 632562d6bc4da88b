//! What each role finds in the contest API: a table over every address, so that nothing hidden comes out of any.

use axum::body::Body;
use axum::http::{Request, header};
use touchstone::domain::account::Role;
use touchstone::domain::verdict::Verdict::{Accepted, WrongAnswer};
use touchstone::store::api_token::Scopes;
use touchstone::store::contest;

use crate::world::{Browser, Part, SECRET_TEXT, TestApp};

const MINUTE: i64 = 60_000;
const ADDRESSES: [&str; 19] = [
    "",
    "/state",
    "/problems",
    "/problems/sum/package",
    "/problems/sum/statement/en",
    "/judgement-types",
    "/languages",
    "/groups",
    "/organizations",
    "/teams",
    "/submissions",
    "/judgements",
    "/runs",
    "/clarifications",
    "/awards",
    "/scoreboard",
    "/access",
    "/event-feed?stream=false",
    "/event-feed?stream=false&since_token=1",
];

async fn hand_in(browser: &mut Browser, source: &str) {
    let parts = [Part::Text("language", "cpp20"), Part::Text("source", source)];
    let answer = browser.upload("/contests/cup/problems/sum/submit", &parts).await;
    assert!(answer.location().starts_with("/contests/cup/submissions/"), "{}", answer.body);
}

/// Everything that this caller gets from the API, one text.
async fn all(app: &TestApp, browser: Option<&mut Browser>) -> String {
    let token = match browser {
        Some(browser) => {
            let actor = browser.actor(app).await;
            let scopes = Scopes { read: true, submit: false, manage: false };
            Some(app.state.service.create_token(&actor, "table", scopes, app.now()).await.unwrap())
        }
        None => None,
    };
    let mut text = String::new();
    let of_submissions =
        (1..=4).flat_map(|id| ["", "/files", "/source-code"].map(|part| format!("/submissions/{id}{part}")));
    for address in ADDRESSES.into_iter().map(str::to_owned).chain(of_submissions) {
        let mut request = Request::builder().uri(format!("/api/v4/contests/cup{address}"));
        if let Some(token) = &token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let response = app.browser().request(request.body(Body::empty()).unwrap()).await;
        let status = response.status();
        let body = axum::body::to_bytes(response.into_body(), 64 << 20).await.unwrap();
        let body = String::from_utf8_lossy(&body);
        if status.is_success() {
            text.extend(["\n== ", &address, "\n", &body]);
        }
    }
    text
}

#[tokio::test]
async fn nothing_hidden_comes_out() {
    let app = TestApp::new().await;
    let mut admin = app.staff("head").await;
    let form = [
        ("slug", "cup"),
        ("name", "Cup"),
        ("start", "2026-03-01T12:00"),
        ("duration", "5:00"),
        ("freeze", "1:00"),
        ("penalty", "20"),
        ("scoring", "pass-fail"),
        ("failed_tests", "nothing"),
        ("access", "open"),
    ];
    admin.post("/admin/contests", &form).await;
    let cup = contest::by_slug(app.store.read(), "cup").await.unwrap().unwrap();
    let version = cup.version.to_string();
    admin.post("/admin/contests/cup/problems", &[("version", version.as_str()), ("label-sum", "A")]).await;
    let (mut ghost, mut ada, mut eve) =
        (app.contestant("ghost").await, app.contestant("ada").await, app.contestant("eve").await);
    let mut tx = app.store.begin_write().await.unwrap();
    sqlx::raw_sql(
        "update team set hidden = 1 where name = 'ghost';
        insert into team_group (external_id, name, hidden, created_ms)
            values ('secret-staff', 'Staff', 1, 0), ('open-group', 'Region', 0, 0);
        insert into team_in_group select t.id, g.id from team t, team_group g
            where t.name = 'ada' and g.external_id = 'open-group' or t.name = 'ghost'",
    )
    .execute(&mut *tx)
    .await
    .unwrap();
    tx.commit().await.unwrap();
    app.pass_ms(10 * MINUTE);
    hand_in(&mut ghost, "// of ghost").await;
    app.judge(&[Accepted, Accepted, Accepted]).await;
    hand_in(&mut ada, "// of ada").await;
    app.judge(&[Accepted, WrongAnswer]).await;
    app.pass_ms(240 * MINUTE);
    hand_in(&mut ada, "// ada, frozen").await;
    app.judge(&[Accepted, Accepted, Accepted]).await;
    eve.post("/contests/cup/clarifications", &[("problem", "sum"), ("text", "What is eve asking?")]).await;
    let mut judge = app.with_role("judge", Role::Judge).await;
    let mut setter = app.with_role("setter", Role::Setter).await;

    // Who; sees the hidden team, the verdict behind the freeze, eve's question, runs, ada's program, the package, the
    // hidden group.
    let table: [(&str, Option<&mut Browser>, [bool; 7]); 7] = [
        ("nobody", None, [false, false, false, false, false, false, false]),
        ("setter", Some(&mut setter), [false, false, false, false, false, true, false]),
        ("eve", Some(&mut eve), [false, false, true, false, false, false, false]),
        ("ada", Some(&mut ada), [false, true, false, false, true, false, false]),
        ("ghost", Some(&mut ghost), [true, false, false, false, false, false, false]),
        ("judge", Some(&mut judge), [true, true, true, true, true, true, true]),
        ("admin", Some(&mut admin), [true, true, true, true, true, true, true]),
    ];
    let ada_program = {
        use base64::Engine as _;
        base64::prelude::BASE64_STANDARD.encode("// of ada")
    };
    for (who, browser, [hidden, frozen, question, runs, program, package, group]) in table {
        let text = all(&app, browser).await;
        assert!(!text.contains(SECRET_TEXT), "{who} finds a secret test");
        assert_eq!(text.contains("ghost"), hidden, "{who}: the hidden team");
        assert_eq!(text.contains("\"submission_id\":\"1\""), hidden, "{who}: the hidden team's judgement");
        assert_eq!(text.contains("\"submission_id\":\"3\""), frozen, "{who}: the judgement behind the freeze");
        assert_eq!(text.contains("\"num_solved\":1"), frozen, "{who}: the board behind the freeze");
        assert_eq!(text.contains("What is eve asking?"), question, "{who}: the question");
        assert_eq!(text.contains("\"run_time\":"), runs, "{who}: runs");
        assert_eq!(text.contains(ada_program.trim_end_matches('=')), program, "{who}: ada's program");
        assert_eq!(text.contains("sum/statement/problem.en.md"), package, "{who}: the package");
        assert_eq!(text.contains("secret-staff"), group, "{who}: the hidden group");
        assert!(text.contains("open-group"), "{who}: the group that all see");
        assert!(!text.contains("first-to-solve"), "{who}: awards of a contest that runs");
    }
}
