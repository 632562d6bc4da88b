//! A contest in a real browser: made, started, played behind a freeze, ended, and opened cell by cell.

use thirtyfour::prelude::*;

use crate::RIGHT;
use crate::axe;
use crate::driver::Browser;
use crate::server::Server;

#[tokio::test(flavor = "multi_thread")]
async fn a_contest_is_made_played_and_resolved() -> WebDriverResult<()> {
    let server = Server::start();
    let browser = Browser::start().await;
    let page = browser.page();
    page.goto(server.setup_link()).await?;
    browser.fill("name", "root").await?;
    browser.fill("password", "a long password").await?;
    browser.fill("again", "a long password").await?;
    browser.press_main().await?;

    // Frozen from its beginning.
    page.goto(server.address("/admin/contests/new")).await?;
    browser.fill("slug", "ring").await?;
    browser.fill("name", "Ring").await?;
    browser.fill("freeze", "5:00").await?;
    browser.press_main().await?;
    browser.see("form[action='/admin/contests/ring/problems']").await?;
    page.find(By::Name("label-curling")).await?.send_keys("C").await?;
    browser.press("form[action='/admin/contests/ring/problems'] button").await?;
    browser.fill("in", "0:00").await?;
    browser.picture("contest").await?;
    browser.press("form:has([name='step'][value='start']) button").await?;

    page.goto(server.address("/contests/ring/problems/curling/submit")).await?;
    page.find(By::Css("#language option[value='cpp17']")).await?.click().await?;
    let field = page.find(By::Id("source")).await?;
    page.execute("arguments[0].value = arguments[1]", vec![field.to_json()?, RIGHT.into()]).await?;
    browser.press_main().await?;
    browser.see("#live [data-finished='true'][data-verdict='AC']").await?;
    assert!(page.current_url().await?.path().starts_with("/contests/ring/submissions/"));

    page.goto(server.address("/admin/contests/ring")).await?;
    browser.press("button[name='step'][value='end']").await?;
    page.goto(server.address("/contests/ring/resolver")).await?;
    browser.see("#resolver [data-verdict='pending']").await?;
    browser.picture("resolver").await?;
    browser.keys(" ").await?;
    browser.see("#resolver [data-verdict='AC']").await?;
    browser.keys(Key::Left).await?;
    browser.see("#resolver [data-verdict='pending']").await?;
    browser.keys(Key::Right).await?;
    browser.see("#resolver [data-verdict='AC']").await?;
    browser.see("button[data-go='-1']").await?.click().await?;
    browser.see("#resolver [data-verdict='pending']").await?;
    browser.see("button[data-go='1']").await?.click().await?;
    browser.see("button[data-go='1']").await?.click().await?;
    let said = browser.see("[data-resolver-status]").await?.text().await?;
    assert!(said.contains("root"), "the first award follows the last cell: {said}");
    let mut faults = axe::look(&browser, "resolver-awards").await?;
    for step in ["finalize", "thaw"] {
        page.goto(server.address("/admin/contests/ring")).await?;
        browser.press(&format!("button[name='step'][value='{step}']")).await?;
    }
    faults += &axe::look(&browser, "contest-final").await?;
    over_long_ago(&browser, &server).await?;
    faults += &later_by_another(&browser, &server).await?;
    assert!(faults.is_empty(), "{faults}");
    browser.stop().await;
    server.stop();
    Ok(())
}

/// A contest of five hours, as if it had been years ago.
async fn over_long_ago(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    let page = browser.page();
    page.goto(server.address("/admin/contests/new")).await?;
    browser.fill("slug", "past").await?;
    browser.fill("name", "Past").await?;
    let earlier = "for (const [id, value] of [['start', '2020-05-01T09:00:00'], ['freeze', '']]) \
                   document.getElementById(id).value = value;";
    page.execute(earlier, Vec::new()).await?;
    browser.press_main().await?;
    browser.see("form[action='/admin/contests/past/problems']").await?;
    page.find(By::Name("label-curling")).await?.send_keys("A").await?;
    browser.press("form[action='/admin/contests/past/problems'] button").await
}

/// Somebody else takes part in it afterwards; their board follows without being loaded again.
async fn later_by_another(browser: &Browser, server: &Server) -> WebDriverResult<String> {
    let page = browser.page();
    browser.press("form[action='/logout'] button").await?;
    page.goto(server.address("/register")).await?;
    browser.fill("name", "late").await?;
    browser.fill("password", "another password").await?;
    browser.fill("again", "another password").await?;
    browser.press_main().await?;
    page.goto(server.address("/contests/past/virtual")).await?;
    let mut faults = axe::look(browser, "virtual-offer").await?;
    browser.press_main().await?;
    browser.see("[data-live] [data-own]").await?;
    let board = page.window().await?;
    page.new_tab().await.map(|tab| page.switch_to_window(tab))?.await?;
    page.goto(server.address("/contests/past/problems/curling/submit")).await?;
    page.find(By::Css("#language option[value='cpp17']")).await?.click().await?;
    let field = page.find(By::Id("source")).await?;
    page.execute("arguments[0].value = arguments[1]", vec![field.to_json()?, RIGHT.into()]).await?;
    browser.press_main().await?;
    browser.see("#live [data-finished='true'][data-verdict='AC']").await?;
    page.close_window().await?;
    page.switch_to_window(board).await?;
    browser.see("[data-live] [data-own] [data-verdict='AC']").await?;
    faults += &axe::look(browser, "virtual").await?;
    Ok(faults)
}
