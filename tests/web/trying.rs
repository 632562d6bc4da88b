//! Trying a program: no submission, nobody else's business, bounded in number and in time.

use axum::http::StatusCode;
use touchstone::domain::ids::TestCaseId;
use touchstone::domain::trial::{TrialOutcome, TrialRun};
use touchstone::domain::verdict::Verdict::{self, Accepted, RunTimeError, WrongAnswer};
use touchstone::service::trials::{KEPT_MS, RATE};

use crate::world::{Part, TestApp};

const SOURCE: &str = "print(sum(map(int, input().split())))\n";

fn run(test: Option<TestCaseId>, verdict: Verdict, output: &str, errors: &str) -> TrialRun {
    TrialRun {
        test,
        verdict,
        cpu_ms: 20,
        memory_bytes: 1 << 20,
        cause: (verdict == RunTimeError).then(|| r#"{"cause":"exit_code","code":1}"#.to_owned()),
        output: output.to_owned(),
        output_bytes: output.len() as u64,
        errors: errors.to_owned(),
    }
}

fn outcome(run: TrialRun) -> TrialOutcome {
    TrialOutcome { compiler_output: String::new(), compiled: true, fault: false, runs: vec![run] }
}

const ON_SAMPLES: [Part<'_>; 3] =
    [Part::Text("language", ""), Part::Text("source", SOURCE), Part::Text("on", "samples")];
const ON_INPUT: [Part<'_>; 4] = [
    Part::Text("language", "python3"),
    Part::Text("source", SOURCE),
    Part::Text("on", "input"),
    Part::Text("input", "40\r\n2"),
];

#[tokio::test]
async fn samples_are_tried_and_followed() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let answer = ada.upload("/problems/sum/try", &ON_SAMPLES).await;
    assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, "/trials/1"), "{}", answer.body);
    let page = ada.get("/trials/1").await.body;
    assert!(page.contains("http-equiv=\"refresh\"") && page.contains("data-live=\"/trials/1/events\""));
    assert!(page.contains(SOURCE), "one can go on from here");
    assert!(page.contains("value=\"python3\" data-family=\"python\" data-endings=\"py\" data-usual selected"));
    let mut events = ada.events("/trials/1/events").await;
    assert!(events.next().await.contains("Waiting"));
    let sample = app.samples("sum").await[0];
    app.finish_trial(&outcome(run(Some(sample), WrongAnswer, "4\n", "a < warning"))).await;
    let mut part = events.next().await;
    while !part.contains("Wrong answer") {
        part = events.next().await;
    }
    assert!(part.contains("<mark>3</mark>") && part.contains("<mark>4</mark>"));
    assert!(part.contains("a &#60; warning") || part.contains("a &lt; warning"));
    assert!(events.next().await.contains("event: end"));
    assert!(!ada.get("/trials/1").await.body.contains("http-equiv=\"refresh\""));
    let list = ada.get("/submissions").await.body;
    assert!(list.contains("Nobody has submitted anything yet"), "a trial is no submission");
}

#[tokio::test]
async fn own_input_is_run_and_belongs_to_its_author() {
    let app = TestApp::new().await;
    let (mut ada, mut bob, mut judge) =
        (app.contestant("ada").await, app.contestant("bob").await, app.staff("jo").await);
    assert_eq!(ada.upload("/problems/sum/try", &ON_INPUT).await.location(), "/trials/1");
    app.finish_trial(&outcome(run(None, Accepted, "42\n", ""))).await;
    let page = ada.get("/trials/1").await.body;
    assert!(page.contains("It ran to its end") && page.contains("42\n</pre>"), "{page}");
    assert!(page.contains("40\n2"), "the input is kept in the form");
    for other in [&mut bob, &mut judge] {
        assert_eq!(other.get("/trials/1").await.status, StatusCode::NOT_FOUND);
        assert_eq!(other.get("/trials/1/events").await.status, StatusCode::NOT_FOUND);
    }
    assert_eq!(app.browser().get("/trials/1").await.status, StatusCode::SEE_OTHER, "a stranger logs in first");
    ada.language = "zh";
    assert!(ada.get("/trials/1").await.body.contains("程序正常结束"));
    app.pass_ms(KEPT_MS);
    assert_eq!(ada.get("/trials/1").await.status, StatusCode::NOT_FOUND);
    // The next trial of anybody sweeps the old ones away, with their jobs.
    assert_eq!(bob.upload("/problems/sum/try", &ON_SAMPLES).await.location(), "/trials/2");
    assert!(touchstone::store::trial::by_id(app.store.read(), 1.into()).await.unwrap().is_none());
}

#[tokio::test]
async fn trials_are_few_and_bounded_and_forms_come_back() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    for _ in 0..RATE {
        assert_eq!(ada.upload("/problems/sum/try", &ON_SAMPLES).await.status, StatusCode::SEE_OTHER);
    }
    let answer = ada.upload("/problems/sum/try", &ON_INPUT).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(answer.body.contains("40\n2") && answer.body.contains(SOURCE), "nothing typed is lost");
    app.pass_ms(60_001);
    let large = "1".repeat(64 * 1024 + 1);
    let parts = [
        Part::Text("language", "python3"),
        Part::Text("source", SOURCE),
        Part::Text("on", "input"),
        Part::Text("input", &large),
    ];
    assert_eq!(ada.upload("/problems/sum/try", &parts).await.status, StatusCode::PAYLOAD_TOO_LARGE);
    let nothing = [Part::Text("language", ""), Part::Text("source", " "), Part::Text("on", "samples")];
    let answer = ada.upload("/problems/sum/try", &nothing).await;
    assert!(answer.body.contains("Paste a program or choose a file"));
    let unknown = [Part::Text("language", ""), Part::Text("source", "xyz"), Part::Text("on", "samples")];
    let answer = ada.upload("/problems/sum/try", &unknown).await;
    assert!(answer.body.contains("Choose the language"));
    let mut stranger = app.browser();
    assert_eq!(stranger.upload("/problems/sum/try", &ON_SAMPLES).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn failures_are_explained() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    ada.upload("/problems/sum/try", &ON_INPUT).await;
    app.finish_trial(&outcome(run(None, RunTimeError, "", "Traceback <x>\nZeroDivisionError"))).await;
    let page = ada.get("/trials/1").await.body;
    assert!(page.contains("It ended with exit code 1") && page.contains("ZeroDivisionError"));
    assert!(!page.contains("Traceback <x>"));
    ada.upload("/problems/sum/try", &ON_SAMPLES).await;
    app.finish_trial(&TrialOutcome::compile_error("main.py:1: no".to_owned())).await;
    assert!(ada.get("/trials/2").await.body.contains("<a href=\"#L1\">main.py:1</a>"));
    ada.upload("/problems/sum/try", &ON_SAMPLES).await;
    app.finish_trial(&TrialOutcome::judging_error()).await;
    assert!(ada.get("/trials/3").await.body.contains("The judge failed, not your program"));
}

#[tokio::test]
async fn the_compilers_places_lead_to_the_program_without_scripts() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    let source = Part::Text("source", "int main() {\n\treturn x; // <b>\n}\n");
    ada.upload("/problems/sum/try", &[Part::Text("language", "cpp20"), source, Part::Text("on", "samples")]).await;
    app.finish_trial(&TrialOutcome::compile_error("main.cpp:2:9: error: <x> was not declared\n".to_owned())).await;
    let page = ada.get("/trials/1").await.body;
    assert!(page.contains("<a href=\"#L2\">main.cpp:2</a>:9: error: &lt;x&gt;"), "{page}");
    assert!(page.contains("<span id=\"L2\">") && page.contains("&lt;b&gt;"), "the line is on the page");
    assert_eq!(page.matches("id=\"L2\"").count(), 1);
    assert!(page.len() < 60 * 1024);
}
