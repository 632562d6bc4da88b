//! axe-core in a page: the rules of WCAG 2.2 A and AA that a program can check.

use std::process::Command;
use std::sync::LazyLock;

use thirtyfour::prelude::*;

use crate::driver::Browser;

static AXE: LazyLock<String> = LazyLock::new(|| {
    let fetched = Command::new("scripts/test.d/axe").output().expect("scripts/test.d/axe can't be started");
    assert!(fetched.status.success(), "{}", String::from_utf8_lossy(&fetched.stderr));
    let path = String::from_utf8(fetched.stdout).unwrap();
    std::fs::read_to_string(path.trim()).expect("axe-core was fetched")
});

const RUN: &str = r"
const done = arguments[0];
axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
  .then((found) => done(found.violations.map((one) =>
    `${one.id}: ${one.help}\n` + one.nodes.slice(0, 4).map((node) => `    ${node.html.slice(0, 200)}\n    ${node.failureSummary}`).join('\n')).join('\n')))
  .catch((error) => done(String(error)));
";

/// All violations on the page, as a text; empty when there is none.
pub async fn violations(page: &WebDriver) -> WebDriverResult<String> {
    page.execute(AXE.as_str(), Vec::new()).await?;
    page.execute_async(RUN, Vec::new()).await?.convert::<String>()
}

/// Looks at the page that is open, on a desk and on the narrowest phone, in both themes: its violations, and whether it
/// scrolls sideways. Leaves pictures of this name.
pub async fn look(browser: &Browser, name: &str) -> WebDriverResult<String> {
    let page = browser.page();
    let mut faults = String::new();
    for (size, width, height) in [("phone", 320, 700), ("desk", 1_280, 900)] {
        browser.resize(width, height).await?;
        for theme in ["dark", "light"] {
            browser.theme(theme).await?;
            browser.picture(&format!("{name}-{size}-{theme}")).await?;
            let found = violations(page).await?;
            if !found.is_empty() {
                faults.extend([name, ", ", size, ", ", theme, ":\n", &found, "\n"]);
            }
        }
        let sideways = "return document.documentElement.scrollWidth > document.documentElement.clientWidth";
        if page.execute(sideways, Vec::new()).await?.convert::<bool>()? {
            faults.extend([name, ", ", size, ": it scrolls sideways\n"]);
        }
    }
    Ok(faults)
}
