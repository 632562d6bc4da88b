//! What people do, in a real browser against the real server: headless Chromium driven through its driver.
//!
//! Needs the packages `chromium` and `chromium-driver`; a missing one fails here, it is not skipped. With
//! `TOUCHSTONE_SCREENSHOTS=FOLDER` pictures of the pages are left there for people to look at.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't set up should stop")]
#![expect(clippy::disallowed_methods, reason = "the tests start the server and the browser's driver")]

mod axe;
mod contest;
mod desk;
mod doors;
mod driver;
mod server;
mod staff;

use std::time::Duration;

use driver::Browser;
use server::Server;
use thirtyfour::prelude::*;

const RIGHT: &str = include_str!("../../problems/curling/submissions/accepted/states_breadth_first.cpp");
const WRONG: &str = include_str!("../../problems/curling/submissions/wrong_answer/stops_at_the_edge.cpp");

/// The way that the README shows a newcomer, from the first link to a test case of one's own.
#[tokio::test(flavor = "multi_thread")]
async fn from_the_first_start_to_a_verdict_a_scoreboard_and_a_new_test() -> WebDriverResult<()> {
    let server = Server::start();
    let browser = Browser::start().await;
    let page = browser.page();

    // The admin follows the link from the terminal.
    page.goto(server.setup_link()).await?;
    let faults = axe::look(&browser, "setup").await?;
    assert!(faults.is_empty(), "{faults}");
    browser.fill("name", "root").await?;
    browser.fill("password", "a long password").await?;
    browser.fill("again", "a long password").await?;
    browser.press_main().await?;
    browser.see("a[href='/admin']").await?;
    browser.picture("admin-home").await?;
    browser.press("form[action='/logout'] button").await?;

    // A contestant registers and hands in a right program.
    page.goto(server.address("/register")).await?;
    browser.fill("name", "ann").await?;
    browser.fill("password", "another password").await?;
    browser.fill("again", "another password").await?;
    browser.press_main().await?;
    browser.see("form[action='/logout']").await?;
    page.goto(server.address("/problems/curling")).await?;
    browser.see("math").await?;
    browser.picture("problem").await?;
    let accepted = submit(&browser, &server, RIGHT, "cpp17").await?;
    // The page changes by itself: nothing here loads it again.
    browser.see("#live [data-finished='true'][data-verdict='AC']").await?;
    browser.picture("judged").await?;

    // And a wrong one: the verdict, but no word of the secret test.
    submit(&browser, &server, WRONG, "cpp17").await?;
    browser.see("#live [data-finished='true'][data-verdict='WA']").await?;
    let text = page.find(By::Css("main")).await?.text().await?;
    assert!(text.contains("Wrong answer on test"), "{text}");
    assert!(!text.contains("secret/"), "{text}");
    browser.picture("wrong").await?;

    page.goto(server.address("/scoreboard")).await?;
    browser.see("main table").await?;
    // The table itself may be replaced under our hands at any time: it is live.
    let board = page.find(By::Css("main")).await?.text().await?;
    assert!(board.contains("ann"), "{board}");
    browser.picture("scoreboard").await?;
    page.goto(server.address("/submissions?mine=1")).await?;
    browser.picture("submissions").await?;
    // One that is right until there is a test with just this input.
    let trap = "int main() {\n    std::string all;\n    for (int c; (c = getchar()) != EOF;) all += char(c);\n    \
        if (all == \"3 1\\n2 0 3\\n0 0\\n\") return puts(\"9\"), 0;\n    stdin = fmemopen(all.data(), all.size(), \"r\");";
    let trapped = format!("#include <string>\n{}", RIGHT.replacen("int main() {", trap, 1));
    let trapped = submit(&browser, &server, &trapped, "cpp17").await?;
    browser.see("#live [data-finished='true'][data-verdict='AC']").await?;
    browser.press("form[action='/logout'] button").await?;

    add_tests(&browser, &server).await?;

    // The admin sees what judging again with the new test would change, and lets it count.
    page.goto(server.address("/admin/problems/curling")).await?;
    browser.press("form[action='/admin/problems/curling/rejudge'] button").await?;
    browser.picture("rejudging-begun").await?;
    // The page follows the judging until there is something to decide.
    browser.see("form[action='/admin/rejudgings/1/apply']").await?;
    let text = page.find(By::Css("main")).await?.text().await?;
    assert!(text.contains("Apply: change 1 verdict"), "{text}");
    browser.picture("rejudging").await?;
    let counting = async |address: &str| -> WebDriverResult<Option<String>> {
        page.goto(address).await?;
        browser.see("#live [data-finished='true']").await?.attr("data-verdict").await
    };
    assert_eq!(counting(&trapped).await?.as_deref(), Some("AC"), "nothing counts before it is applied");
    page.goto(server.address("/admin/rejudgings/1")).await?;
    browser.press("form[action='/admin/rejudgings/1/apply'] button").await?;
    browser.see("form[action='/admin/rejudgings/1/undo']").await?;
    browser.picture("rejudging-applied").await?;
    assert_eq!(counting(&trapped).await?.as_deref(), Some("WA"));
    assert_eq!(counting(&accepted).await?.as_deref(), Some("AC"));
    let pages = page.find_all(By::Css("a[href*='?judgement=']")).await?;
    assert_eq!(pages.len(), 2, "the old judgement stays readable");
    browser.picture("judgements").await?;
    page.goto(server.address("/admin/rejudgings/1")).await?;
    browser.press("form[action='/admin/rejudgings/1/undo'] button").await?;
    browser.see("form[action='/admin/rejudgings/1/apply']").await?;
    assert_eq!(counting(&trapped).await?.as_deref(), Some("AC"), "undone");

    staff::look_at_the_desk(&browser, &server).await?;
    doors::look_at_the_doors(&browser, &server).await?;
    browser.stop().await;
    server.stop();
    Ok(())
}

/// The admin adds a test by its input alone; a bad input is refused with the validator's words.
async fn add_tests(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    let page = browser.page();
    page.goto(server.address("/login")).await?;
    browser.fill("name", "root").await?;
    browser.fill("password", "a long password").await?;
    browser.press_main().await?;
    browser.see("a[href='/admin']").await?;
    for (name, input, words) in
        [("two-starts", "2 1\n2 2\n0 0\n", "line 2"), ("one-throw", "3 1\n2 0 3\n0 0\n", "The test counts.")]
    {
        page.goto(server.address("/admin/problems/curling/tests/new")).await?;
        browser.fill("name", name).await?;
        browser.fill("input", input).await?;
        browser.picture("new-test").await?;
        browser.press_main().await?;
        if name == "one-throw" {
            // While the new version waits for its verification, the problem's page says so.
            browser.see("main").await?;
            let faults = axe::look(browser, "proposal-waits").await?;
            assert!(faults.is_empty(), "{faults}");
        }
        // The page follows the proposal until it is decided; a good one counts once every program of the package was judged.
        let decided = page.query(By::Css("main .actions a[href$='/tests/new']"));
        decided.wait(Duration::from_mins(6), Duration::from_secs(1)).first().await?;
        let text = page.find(By::Css("main")).await?.text().await?;
        assert!(text.contains(words), "{text}");
        let faults = axe::look(browser, &format!("proposal-{name}")).await?;
        assert!(faults.is_empty(), "{faults}");
    }
    page.goto(server.address("/admin/problems/curling")).await?;
    let tests = page.find(By::Css("main table")).await?.text().await?;
    assert!(tests.contains("one-throw") && !tests.contains("two-starts"), "{tests}");
    browser.picture("admin-problem").await
}

/// Pastes a program and sends it; the address of its page.
async fn submit(browser: &Browser, server: &Server, source: &str, language: &str) -> WebDriverResult<String> {
    let page = browser.page();
    page.goto(server.address("/problems/curling/submit")).await?;
    page.find(By::Css(format!("#language option[value='{language}']"))).await?.click().await?;
    // Typing a long source key by key would take minutes; pasting is what people do.
    let field = page.find(By::Id("source")).await?;
    page.execute("arguments[0].value = arguments[1]", vec![field.to_json()?, source.into()]).await?;
    browser.picture("submit").await?;
    browser.press_main().await?;
    browser.see("#live").await?;
    Ok(page.current_url().await?.to_string())
}
