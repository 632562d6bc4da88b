//! The board of a large contest in which everybody tries everything: its page is as light as any.

use crate::world::{Browser, TestApp};

/// The most that a page may weigh, bytes.
const PAGE: usize = 60_000;
const TEAMS: usize = 400;

/// 13 problems, all of them solved by every team after a wrong try, the names as long as they are in a large contest.
const PLAYED: &str = "
    insert into problem (slug, state, created_ms)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 13) select 'p' || i, 'preparing', 0 from n;
    insert into package (problem_id, version, tree_sha256, state, names, cpu_ms, wall_ms, memory_bytes, output_bytes,
            processes, metadata, created_ms)
        select id, 1, randomblob(32), 'ready', '{\"en\":\"A problem of a contest\"}', 1000, 3000, 268435456, 1048576, 64, '{}', 0
        from problem;
    insert into test_set (problem_id, package_id, version, sha256, reason, created_ms)
        select id, id, 1, randomblob(32), 'played', 0 from problem;
    update problem set state = 'published', package_id = id, test_set_id = id;
    insert into contest (slug, name, start_ms, duration_ms, penalty_minutes, scoring, created_ms)
        values ('cup', 'Cup', :start, 18000000, 20, 'pass-fail', 0);
    insert into contest_problem (contest_id, problem_id, ordinal, label, rgb)
        select (select id from contest where slug = 'cup'), id, id, char(64 + id), '#336699' from problem;
    insert into team (name, display_name, created_ms)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < :teams)
        select 'team' || i, 'Universität zu Musterstadt & 某某大学 team ' || i, 0 from n;
    insert into account (name, display_name, role, team_id, created_ms)
        select name, display_name, 'contestant', id, 0 from team where name like 'team%';
    insert into submission (contest_id, problem_id, team_id, account_id, language, submitted_ms, bytes)
        select (select id from contest where slug = 'cup'), p.id, t.id, (select id from account where team_id = t.id), 'cpp20',
            :start + (100 + p.id) * 60000 + try * 1000, 100
        from team t, problem p, (select 0 as try union all select 1) order by 6;
    insert into judgement (submission_id, package_id, test_set_id, reason, state, valid, verdict, tests_total, created_ms,
            start_ms, end_ms)
        select id, problem_id, problem_id, 'submission', 'done', 1, case when submitted_ms % 60000 = 0 then 'WA' else 'AC' end,
            10, submitted_ms, submitted_ms, submitted_ms
        from submission;
";

/// With somebody from the end of the board, whose own row comes on top.
async fn played() -> (TestApp, Browser) {
    let app = TestApp::empty().await;
    let last = app.contestant("zoe").await;
    let script = PLAYED
        .replace(":start", &(crate::world::NOON.0 - 10_800_000).to_string())
        .replace(":teams", &TEAMS.to_string());
    let mut tx = app.store.begin_write().await.unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(script)).execute(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
    (app, last)
}

fn rows(page: &str) -> usize {
    page.matches("<tr data-team=").count()
}

#[tokio::test]
async fn a_board_of_many_teams_and_problems_is_as_small_as_any_page() {
    let (app, mut last) = played().await;
    let mut weights = Vec::new();
    for (language, browser) in [("en", &mut app.browser()), ("zh", &mut app.browser()), ("own", &mut last)] {
        if language == "zh" {
            browser.post("/preferences", &[("lang", "zh")]).await;
        }
        let page = browser.get("/contests/cup/scoreboard").await.body;
        assert!(page.len() < PAGE, "{language}: {} bytes, {} rows", page.len(), rows(&page));
        assert!(page.len() > PAGE * 3 / 4, "{language}: it shows as much as it may: {} bytes", page.len());
        assert_eq!(page.contains("<tbody class=\"mine\">"), language == "own");
        weights.push((language, page.len(), rows(&page)));
    }
    let whole = app.browser().get("/contests/cup/scoreboard?rows=all").await.body;
    assert_eq!(rows(&whole), TEAMS + 1);
    println!("first rows: {weights:?}; all {TEAMS}: {} bytes", whole.len());
    assert!(whole.len() < TEAMS * 1_100, "{} bytes", whole.len());
    // What is sent to those who look on begins with no more than the page.
    let first = app.browser().events("/contests/cup/scoreboard/events").await.next().await;
    assert!(first.contains("event: part") && first.len() < PAGE, "{} bytes", first.len());
}
