//! The staff's pages as an admin uses them: people from pasted rows, printed logins, a link for a new password, the log;
//! on a desk and on a phone, in both languages and themes, without a fault of accessibility.

use thirtyfour::prelude::*;

use crate::axe;
use crate::driver::Browser;
use crate::server::Server;

/// The phone's width that every page must fit.
const PHONE: u32 = 320;

const PAGES: [(&str, &str); 10] = [
    ("admin", "/admin"),
    ("rejudgings", "/admin/rejudgings"),
    ("rejudge", "/admin/rejudgings/new"),
    ("rejudging", "/admin/rejudgings/1"),
    ("people", "/admin/people"),
    ("person", "/admin/people/1"),
    ("people-import", "/admin/people/import"),
    ("registration", "/admin/registration"),
    ("log", "/admin/log"),
    ("log-filtered", "/admin/log?act=account.create"),
];

/// The admin is logged in and one rejudging was judged.
pub async fn look_at_the_desk(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    add_people(browser, server).await?;
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

/// Rows are pasted, looked at and taken; the printed login works.
async fn add_people(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    let page = browser.page();
    page.goto(server.address("/admin/people/import")).await?;
    browser.fill("text", "username,name,role,team,organization,group\nzoe,Zoe,king,Lynx,Hill School,Juniors\n").await?;
    browser.press_main().await?;
    browser.see(".faults").await?;
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
