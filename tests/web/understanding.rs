//! What a contestant is told of a judgement: sentences by cause, failed samples side by side, compilers' places as links,
//! and nothing of secret tests.

use touchstone::domain::account::Role;
use touchstone::domain::cause::Cause;
use touchstone::domain::verdict::Verdict::{Accepted, CompileError, RunTimeError, TimeLimit, WrongAnswer};
use touchstone::store::judging::{self, Outcome};
use touchstone::web::view::cause;

use crate::world::{Answer, Browser, Part, TestApp};

async fn submit(browser: &mut Browser, source: &str) {
    let parts = [Part::Text("language", "cpp20"), Part::Text("source", source)];
    browser.upload("/problems/sum/submit", &parts).await;
}

async fn judged(verdicts: &[touchstone::domain::verdict::Verdict], language: &'static str) -> Answer {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    submit(&mut ada, "int main() {\n\treturn \"x\"; // <b>\n}\n").await;
    app.judge(verdicts).await;
    ada.language = language;
    ada.get("/submissions/1").await
}

#[tokio::test]
async fn a_failed_sample_is_shown_side_by_side() {
    let page = judged(&[WrongAnswer], "en").await.body;
    assert!(page.contains("<mark>3</mark>"), "what was expected is marked");
    assert!(page.contains("<mark>4</mark> &lt;i&gt;"), "what was printed is marked and escaped");
    assert!(page.contains("data-white>1 2\n</pre>"), "the input stands there");
    assert!(page.contains("The first difference is in line 1"));
}

#[tokio::test]
async fn a_failed_secret_test_shows_its_number_and_verdict() {
    let page = judged(&[Accepted, WrongAnswer], "en").await.body;
    assert!(page.contains("Wrong answer on test 2"));
    assert!(!page.contains("<mark>") && !page.contains("failed-sample"));
}

#[tokio::test]
async fn causes_are_sentences_in_the_readers_language() {
    let page = judged(&[Accepted, RunTimeError], "en").await.body;
    assert!(page.contains("It divided an integer by zero") && !page.contains("killed by SIGSEGV"));
    let page = judged(&[Accepted, RunTimeError], "zh").await.body;
    assert!(page.contains("整数除以零") && !page.contains("killed by"));
    let page = judged(&[TimeLimit], "en").await.body;
    assert!(page.contains("It used 1.10 s of processor time; the limit is 1 s"));
    assert!(page.contains("class=\"limit\"") || !page.contains("class=\"charts\""), "a chart has its limit");
}

#[tokio::test]
async fn time_and_memory_are_charts_with_a_limit() {
    let page = judged(&[Accepted, Accepted, WrongAnswer], "en").await.body;
    assert_eq!(page.matches("class=\"chart\"").count(), 2);
    assert_eq!(page.matches("class=\"limit\"").count(), 2);
    assert!(page.contains("aria-label=\"Time of each test beside the limit of 1 s"));
}

#[tokio::test]
async fn compilers_name_lines_that_can_be_followed() {
    let page = judged(&[CompileError], "en").await.body;
    assert!(page.contains("<a href=\"#L1\">main.cpp:1</a>:1: error: &lt;script&gt;"));
    assert!(page.contains("<span id=\"L1\"><b>int</b> main() {"));
    assert!(page.contains("<b>return</b> <u>&quot;x&quot;</u>; <i>// &lt;b&gt;</i>"));
}

#[tokio::test]
async fn a_program_in_another_language_is_told_apart_from_a_mistake_in_it() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    for (source, told) in [("n = int(input())\nprint(n)\n", true), ("#include <iostream>\nint main() { x }\n", false)] {
        submit(&mut ada, source).await;
        app.judge(&[CompileError]).await;
        for (language, sentence) in
            [("en", "It looks like Python and was handed in for C++20"), ("zh", "看起来是 Python 程序")]
        {
            ada.language = language;
            let page = ada.get(if told { "/submissions/1" } else { "/submissions/2" }).await.body;
            assert_eq!(page.contains(sentence), told, "{page}");
        }
    }
}

/// The page reads what the judge writes, for every cause there is.
#[test]
fn every_cause_is_read() {
    let causes = [
        Cause::Output { limit_bytes: 1 },
        Cause::Cpu { used_ms: 2, limit_ms: 1 },
        Cause::Wall { used_ms: 2, limit_ms: 1 },
        Cause::Memory { peak_bytes: 2, limit_bytes: 1 },
        Cause::ExitCode { code: 3 },
        Cause::Signal { signal: 11, stack_overflow_hint: true },
    ];
    for written in causes {
        let json = serde_json::to_string(&written).unwrap();
        assert_eq!(cause::read(Some(&json)), Some(written), "{json}");
    }
    assert_eq!(cause::read(Some("{\"cause\":\"of a newer judge\"}")), None);
}

const RECEIPT: &str = r#"{"source":"5ea1","tests":"7e57","checker":"c4ec","language":"cpp20","tools":{"g++":"6cc0"},
    "flags":"f1a6","limits":{"cpu_ms":1000},"sandbox":"s/1","validators":"0dd"}"#;

#[tokio::test]
async fn a_receipt_is_shown_as_far_as_it_tells_nothing_of_the_answers() {
    let app = TestApp::new().await;
    let (mut ada, mut bob) = (app.contestant("ada").await, app.contestant("bob").await);
    let mut setter = app.with_role("sam", Role::Admin).await;
    submit(&mut ada, "int main() {}\n").await;
    let claimed = app.claim().await.unwrap();
    let outcome = Outcome { receipt: Some(RECEIPT.to_owned()), ..Outcome::new(Accepted) };
    let mut tx = app.store.begin_write().await.unwrap();
    judging::finish_judgement(&mut tx, claimed.lease, &outcome, app.now()).await.unwrap();
    tx.commit().await.unwrap();
    let page = ada.get("/submissions/1").await.body;
    for shown in ["5ea1", "tools / g++", "6cc0", "f1a6", "limits / cpu_ms"] {
        assert!(page.contains(&format!(">{shown}<")), "{shown}: {page}");
    }
    // The hash of a short answer can be turned back by trying; what is new in a receipt is kept back too.
    for secret in [">7e57<", ">c4ec<", ">0dd<"] {
        assert!(!page.contains(secret), "{secret}");
    }
    assert!(setter.get("/submissions/1").await.body.contains(">7e57<"));
    assert!(!bob.get("/submissions/1").await.body.contains(">5ea1<"));
}

#[tokio::test]
async fn limits_are_those_that_it_was_judged_with() {
    let app = TestApp::new().await;
    let mut ada = app.contestant("ada").await;
    submit(&mut ada, "int main() {}\n").await;
    app.judge(&[Accepted; 3]).await;
    app.change_limits_of_new_version("sum", 7_000).await;
    let page = ada.get("/submissions/1").await.body;
    assert!(page.contains("/ 1 s</span>") && !page.contains("/ 7 s</span>"), "{page}");
    assert!(ada.get("/problems/sum").await.body.contains("<dd>7 s</dd>"));
}
