//! The staff's pages as an admin uses them: people from pasted rows, printed logins, a link for a new password, the log;
//! on a desk and on a phone, in both languages and themes, without a fault of accessibility.

use thirtyfour::prelude::*;

use crate::axe;
use crate::driver::Browser;
use crate::server::Server;

/// The phone's width that every page must fit.
const PHONE: u32 = 320;

const PAGES: [(&str, &str); 29] = [
    ("admin", "/admin"),
    ("rejudgings", "/admin/rejudgings"),
    ("rejudge", "/admin/rejudgings/new"),
    ("rejudging", "/admin/rejudgings/1"),
    ("people", "/admin/people"),
    ("person", "/admin/people/1"),
    ("people-import", "/admin/people/import"),
    ("teams", "/admin/teams"),
    ("teams-found", "/admin/teams?q=owl&group=guests"),
    ("team-new", "/admin/teams/new"),
    ("team", "/admin/teams/3"),
    ("groups", "/admin/groups"),
    ("group", "/admin/groups/guests"),
    ("organizations", "/admin/organizations"),
    ("organization", "/admin/organizations/vale"),
    ("registration", "/admin/registration"),
    ("log", "/admin/log"),
    ("log-filtered", "/admin/log?act=account.create"),
    ("problem", "/admin/problems/curling"),
    ("health", "/admin/health"),
    ("versions", "/admin/problems/curling/versions"),
    ("statement", "/admin/problems/curling/statement"),
    ("test", "/admin/problems/curling/tests/1"),
    ("tests-many", "/admin/problems/curling/tests/many"),
    ("contest-new", "/admin/contests/new"),
    ("contest-settings", "/admin/contests/practice"),
    ("contests", "/contests"),
    ("second-step", "/account/second-step"),
    ("api-reference", "/help/api"),
];

/// The admin is logged in and one rejudging was judged.
pub async fn look_at_the_desk(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    add_people(browser, server).await?;
    keep_teams(browser, server).await?;
    preview_a_statement(browser, server).await?;
    edit_and_delete_a_test(browser, server).await?;
    let page = browser.page();
    let mut faults = String::new();
    for (width, height, name) in [(1_280, 900, "desk"), (PHONE, 700, "phone")] {
        for language in ["en", "zh"] {
            browser.resize(1_280, 900).await?;
            browser.language(language).await?;
            browser.resize(width, height).await?;
            for (title, path) in PAGES {
                page.goto(server.address(path)).await?;
                browser.see("main h1").await?;
                if language == "zh" {
                    browser.theme("dark").await?;
                }
                browser.picture(&format!("staff-{title}-{name}-{language}")).await?;
                let sideways = "return document.documentElement.scrollWidth > document.documentElement.clientWidth";
                if page.execute(sideways, vec![]).await?.convert::<bool>()? {
                    faults.extend([path, " scrolls sideways, ", name, ", ", language, "\n"]);
                }
                if name == "desk" {
                    faults.push_str(&axe::violations(page).await?);
                }
            }
        }
    }
    browser.resize(1_280, 900).await?;
    browser.language("en").await?;
    assert!(faults.is_empty(), "{faults}");
    Ok(())
}

/// An organization, a group and a team of both are made by hand; somebody joins it, and it is hidden.
async fn keep_teams(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    let page = browser.page();
    page.goto(server.address("/admin/organizations/new")).await?;
    browser.fill("name", "Vale").await?;
    browser.fill("id", "vale").await?;
    browser.fill("formal_name", "Vale School of Arts and Crafts").await?;
    browser.fill("country", "nor").await?;
    browser.press_main().await?;
    browser.see("form[action='/admin/organizations/vale']").await?;
    page.goto(server.address("/admin/groups/new")).await?;
    browser.fill("name", "Guests").await?;
    browser.fill("id", "guests").await?;
    browser.press_main().await?;
    browser.see("form[action='/admin/groups/guests']").await?;
    page.goto(server.address("/admin/teams/new")).await?;
    browser.fill("name", "Snowy Owls").await?;
    browser.fill("label", "B-07").await?;
    page.find(By::Css("#organization option[value='vale']")).await?.click().await?;
    page.find(By::Css("input[name='group-guests']")).await?.click().await?;
    browser.press_main().await?;
    browser.fill("join", "zoe").await?;
    browser.press("form[action$='/members'] button").await?;
    let text = browser.see("section[aria-labelledby='members'] table").await?.text().await?;
    assert!(text.contains("zoe"), "{text}");
    page.find(By::Css("input[name='hidden']")).await?.click().await?;
    browser.press_main().await?;
    let head = browser.see("main h1 .badge-text").await?.text().await?;
    assert_eq!(head, "hidden");
    // The row's link leads there, by the keyboard too.
    page.goto(server.address("/admin/teams?group=guests")).await?;
    browser.tab_to("a.row-link").await?;
    browser.keys(Key::Enter + "").await?;
    browser.see("form[action$='/disabled']").await?;
    browser.picture("team-by-hand").await
}

/// What is typed is seen as it will be, without anything being sent.
async fn preview_a_statement(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    let page = browser.page();
    page.goto(server.address("/admin/problems/curling/statement")).await?;
    let text = browser.see("#text").await?;
    text.send_keys(Key::Control + "a").await?;
    text.send_keys("The stone *slides* $x^2$ cells.").await?;
    browser.see("#preview em").await?;
    browser.see("#preview math").await?;
    browser.picture("statement-preview").await
}

/// The test that was added gets another input, answered by the references; then it is taken out, with a reason.
async fn edit_and_delete_a_test(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    let page = browser.page();
    let open = async || -> WebDriverResult<()> {
        page.goto(server.address("/admin/problems/curling")).await?;
        page.find(By::LinkText("one-throw")).await?.click().await?;
        browser.see("form[action$='/edit'] #input").await?;
        Ok(())
    };
    open().await?;
    let input = browser.see("#input").await?;
    input.send_keys(Key::Control + "a").await?;
    input.send_keys("2 1\n2 3\n0 0\n").await?;
    browser.picture("test-edit").await?;
    browser.press("form[action$='/edit'] button").await?;
    // The page follows the proposal until it is decided.
    browser.see("main .actions a[href$='/tests/new']").await?;
    open().await?;
    let text = page.find(By::Css("main")).await?.text().await?;
    assert!(text.contains("2 3"), "the new input: {text}");
    browser.fill("reason", "asks nothing new").await?;
    browser.press("form input[value='delete'] ~ button").await?;
    browser.see("#tests").await?;
    let tests = page.find(By::Css("main table")).await?.text().await?;
    assert!(!tests.contains("one-throw"), "{tests}");
    page.goto(server.address("/admin/problems/curling/versions")).await?;
    let versions = browser.see("main").await?.text().await?;
    assert!(versions.contains("asks nothing new"), "{versions}");
    browser.picture("test-deleted").await
}

/// Rows are pasted, looked at and taken; the printed login works.
async fn add_people(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    let page = browser.page();
    page.goto(server.address("/admin/people/import")).await?;
    browser
        .fill("text", "username,name,role,team,organization,group\nzoe,Zoe,king,Lynx,Hill School,Juniors\n-x,,,,,\n")
        .await?;
    browser.press_main().await?;
    let faults = browser.see(".faults").await?.text().await?;
    assert!(faults.contains("king") && faults.contains("-x"), "all at once: {faults}");
    browser.picture("people-faults").await?;
    browser
        .fill(
            "text",
            "username,name,role,team,organization,group\nzoe,Zoe,,Lynx,Hill School,Juniors\nyan,Yan,judge,,,\n",
        )
        .await?;
    browser.press_main().await?;
    browser.see("form[action='/admin/people/import/1']").await?;
    browser.picture("people-plan").await?;
    browser.press("form[action='/admin/people/import/1'] button").await?;
    let login = browser.see(".credentials li").await?.text().await?;
    assert!(login.contains("Lynx") && login.contains("zoe"), "{login}");
    browser.picture("credentials").await
}
