//! The pages on the way in: a second step set up and asked for, and a link for a new password, each looked at on a desk and
//! on a phone.

use thirtyfour::prelude::*;
use touchstone::domain::one_time_code::{STEP_MS, Secret};

use crate::axe;
use crate::driver::Browser;
use crate::server::Server;

/// `root` is logged in, and is so in the end.
pub async fn look_at_the_doors(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    let page = browser.page();
    let mut faults = String::new();
    page.goto(server.address("/account/second-step")).await?;
    browser.fill("password", "a long password").await?;
    browser.press_main().await?;
    let secret = secret(&browser.see("#secret").await?.text().await?);
    faults += &axe::look(browser, "second-step-confirm").await?;
    let step = touchstone::clock::now().0.div_euclid(STEP_MS);
    browser.fill("code", &secret.code(step)).await?;
    browser.press_main().await?;
    let codes = browser.see("#codes").await?.text().await?;
    faults += &axe::look(browser, "second-step-codes").await?;
    browser.press("form[action='/logout'] button").await?;
    page.goto(server.address("/login")).await?;
    browser.fill("name", "root").await?;
    browser.fill("password", "a long password").await?;
    browser.press_main().await?;
    let asked = page.current_url().await?;
    assert_eq!(asked.path(), "/login/code", "the password alone is not enough");
    faults += &axe::look(browser, "login-code").await?;
    browser.fill("code", "000000").await?;
    browser.press_main().await?;
    browser.see(".notice").await?;
    faults += &axe::look(browser, "login-code-wrong").await?;
    browser.fill("code", codes.lines().next().unwrap()).await?;
    browser.press_main().await?;
    browser.see("form[action='/logout']").await?;

    page.goto(server.address("/admin/people?q=zoe")).await?;
    browser.press("main table a[href^='/admin/people/']").await?;
    browser.press("form[action$='/password-link'] button").await?;
    let link = browser.see("#link").await?.text().await?;
    faults += &axe::look(browser, "person-link").await?;
    page.goto(link).await?;
    browser.see("#again").await?;
    faults += &axe::look(browser, "password").await?;
    assert!(faults.is_empty(), "{faults}");
    Ok(())
}

/// What an app makes of the secret that was typed into it: base 32.
fn secret(typed: &str) -> Secret {
    let letters = typed.bytes().filter(u8::is_ascii_alphanumeric);
    let values = letters.map(|letter| if letter >= b'A' { letter - b'A' } else { letter - b'2' + 26 });
    let bits: Vec<u8> = values.flat_map(|value| (0..5).rev().map(move |at| value >> at & 1)).collect();
    let bytes: Vec<u8> = bits.chunks(8).map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | bit)).collect();
    Secret::new(bytes.try_into().expect("twenty bytes"))
}
