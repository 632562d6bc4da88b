//! How SQLite answers every query of the program: along an index. What reads a whole table that grows is named here, with
//! the reason, so that no page of a list ever does.

#![expect(clippy::disallowed_methods, reason = "plans are asked for of queries that only the program knows")]

use std::fs;
use std::path::Path;

use sqlx::Row as _;

use crate::fixture::Judge;

/// Tables that grow with people, submissions or acts.
const LARGE: [&str; 18] = [
    "account",
    "account_look",
    "api_token",
    "audit",
    "clarification",
    "event",
    "invitation",
    "job",
    "judgement",
    "rejudging_change",
    "run",
    "session",
    "submission",
    "submission_file",
    "team",
    "team_in_group",
    "trial",
    "virtual_run",
];

/// Beginnings of queries that may read one from end to end, and why.
const WHOLE: &[(&str, &str)] = &[
    ("select id as \"id!: AccountId\", name, display_name from account a", "once, when an older file is opened"),
    ("select s.id as \"id!: _\", (c.state <> 'done'", "an act: a rejudging may be of any submissions"),
    ("select coalesce(max(", "the end of an index: one row"),
    ("delete from blob", "once an hour, of what nothing names"),
    ("delete from trial", "an act: trials live an hour"),
    ("select (select count(*) from submission) as \"submissions!: i64\"", "figures for whoever watches the judge"),
    (
        "select submission_id as \"submission_id!: SubmissionId\", id as \"id!: JudgementId\" from judgement where id in",
        "a command: it picks judgements of a backup",
    ),
    ("update job set interruptions", "once, when a server starts"),
];

#[tokio::test]
async fn no_query_reads_a_whole_table_that_grows() {
    let judge = Judge::empty().await;
    let mut seen = 0;
    let mut faults = Vec::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".sqlx")).expect("query data") {
        let text = fs::read_to_string(entry.expect("an entry").path()).expect("reads");
        let data: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let query = data["query"].as_str().expect("a query");
        let flat = query.split_whitespace().collect::<Vec<_>>().join(" ");
        // Of an insert the plan tells how its table's children would be checked, which no insert does.
        if flat.starts_with("insert") {
            continue;
        }
        let explain = format!("explain query plan {query}");
        let plan = sqlx::query(sqlx::AssertSqlSafe(explain)).fetch_all(judge.store.read()).await;
        let plan = plan.unwrap_or_else(|error| panic!("{flat}: {error}"));
        seen += 1;
        for row in plan {
            let step: String = row.get("detail");
            let Some(scanned) = step.strip_prefix("SCAN ") else { continue };
            let alias = scanned.split(' ').next().unwrap_or_default();
            let table = table_of(&flat, alias);
            // Along an index, or along the ids where nothing is asked for, and cut off by a limit: a page of a list.
            let page = flat.contains(" limit ") && (scanned.contains("USING") || !flat.contains(" where "));
            // These indexes have only jobs that are not done.
            let page = page || ["job_open", "job_leased"].iter().any(|index| scanned.ends_with(index));
            let allowed = WHOLE.iter().any(|(start, _)| flat.starts_with(start));
            if LARGE.contains(&table) && !page && !allowed {
                faults.push(format!("{step}: {flat}"));
            }
        }
    }
    assert!(seen > 100, "the query data was found");
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// The table that a query calls by this name.
fn table_of<'a>(query: &'a str, alias: &'a str) -> &'a str {
    let words: Vec<&str> = query.split([' ', '(', ')', ',']).filter(|word| !word.is_empty()).collect();
    words.windows(2).find(|pair| pair[1] == alias && LARGE.contains(&pair[0])).map_or(alias, |pair| pair[0])
}

#[tokio::test]
async fn a_sum_of_a_whole_table_would_be_found() {
    let judge = Judge::empty().await;
    let plan = sqlx::query("explain query plan select count(*) from submission s where s.language = 'x'")
        .fetch_all(judge.store.read())
        .await
        .expect("explains");
    let step: String = plan[0].get("detail");
    assert_eq!(step, "SCAN s");
    assert_eq!(table_of("select count(*) from submission s where s.language = 'x'", "s"), "submission");
}
