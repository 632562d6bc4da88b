//! The contestant's desk in a real browser: by the keyboard alone, without scripts, in both languages, on a phone and on a
//! large screen, and checked for everybody's access.

use std::time::Duration;

use thirtyfour::prelude::*;

use crate::axe;
use crate::driver::Browser;
use crate::server::Server;

/// Wrong on the first sample, in the second line.
const WRONG: &str = "print(1)\nprint(7)\n";
const ECHO: &str = "import sys\nprint(sys.stdin.read().strip()[::-1])\n";

#[tokio::test(flavor = "multi_thread")]
async fn the_desk_serves_everybody() -> WebDriverResult<()> {
    let server = Server::start();
    let browser = Browser::start().await;
    announce(&browser, &server).await?;
    register(&browser, &server, "bea").await?;
    let failed = by_keyboard(&browser, &server).await?;
    failed_sample(&browser, &failed).await?;
    let tried = own_input(&browser, &server).await?;
    editor(&browser, &server).await?;
    dropped(&browser, &server).await?;
    notified(&browser, &server).await?;
    token(&browser, &server).await?;
    ask(&browser, &server).await?;
    languages(&browser, &server).await?;
    let pages = [
        ("home", "/".to_owned()),
        ("problem-curling", "/problems/curling".to_owned()),
        ("problem-lianliankan", "/problems/lianliankan".to_owned()),
        ("submit", "/problems/curling/submit".to_owned()),
        ("failed-sample", path_of(&failed)),
        ("trial", path_of(&tried)),
        ("submissions", "/submissions".to_owned()),
        ("scoreboard", "/scoreboard".to_owned()),
        ("questions", "/clarifications".to_owned()),
        ("account", "/account".to_owned()),
        ("missing", "/nosuch".to_owned()),
    ];
    let mut faults = access(&browser, &server, &pages).await?;
    browser.page().goto(server.address("/")).await?;
    browser.press("form[action='/logout'] button").await?;
    faults +=
        &access(&browser, &server, &[("login", "/login".to_owned()), ("register", "/register".to_owned())]).await?;
    log_in(&browser, &server, "root", "a long password").await?;
    browser.page().goto(server.address("/problems/lianliankan/submit")).await?;
    let draft = browser.see("[data-editor='on'] #source").await?.prop("value").await?;
    assert_eq!(draft.as_deref(), Some(""), "a draft is shown to its writer only");
    let kept = browser.page().execute("return Object.keys(localStorage).join(' ');", Vec::new()).await?;
    assert!(!kept.json().to_string().contains("draft.bea/"), "who logs out takes the drafts along: {kept:?}");
    let staff = [
        ("admin", "/admin".to_owned()),
        ("admin-problem", "/admin/problems/curling".to_owned()),
        ("admin-test-new", "/admin/problems/curling/tests/new".to_owned()),
        ("admin-import", "/admin/import".to_owned()),
        ("admin-verification", "/admin/problems/curling/verification".to_owned()),
        ("admin-questions", "/admin/clarifications".to_owned()),
        ("submission-of-others", path_of(&failed)),
    ];
    verified(&browser, &server).await?;
    faults += &access(&browser, &server, &staff).await?;
    assert!(faults.is_empty(), "{faults}");
    browser.stop().await;
    without_scripts(&server).await?;
    server.stop();
    Ok(())
}

fn path_of(address: &str) -> String {
    let (_, path) = address.split_once("://").and_then(|(_, rest)| rest.split_once('/')).unwrap();
    format!("/{path}")
}

async fn register(browser: &Browser, server: &Server, name: &str) -> WebDriverResult<()> {
    browser.page().goto(server.address("/register")).await?;
    browser.fill("name", name).await?;
    browser.fill("password", "another password").await?;
    browser.fill("again", "another password").await?;
    browser.press_main().await?;
    browser.see("form[action='/logout']").await?;
    Ok(())
}

async fn log_in(browser: &Browser, server: &Server, name: &str, password: &str) -> WebDriverResult<()> {
    browser.page().goto(server.address("/login")).await?;
    browser.fill("name", name).await?;
    browser.fill("password", password).await?;
    browser.press_main().await?;
    browser.see("form[action='/logout']").await?;
    Ok(())
}

/// A built-in problem is verified behind everything else; its page follows that to the end by itself.
async fn verified(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    let page = browser.page();
    page.goto(server.address("/admin/problems/curling/verification")).await?;
    let done = page.query(By::Css("#live [data-finished='true']")).wait(Duration::from_mins(4), Duration::from_secs(1));
    done.first().await?;
    let text = page.find(By::Css("main")).await?.text().await?;
    assert!(text.contains("Every promise is kept") && text.contains("wrong_answer/"), "{text}");
    let strips = page.find_all(By::Css(".matrix svg.kills")).await?;
    assert!(strips.len() > 2, "the matrix is drawn");
    browser.picture("verification").await?;
    // On the narrowest phone only the tables scroll, never the page.
    browser.resize(320, 700).await?;
    let wide = "return document.documentElement.scrollWidth > document.documentElement.clientWidth";
    assert!(!page.execute(wide, Vec::new()).await?.convert::<bool>()?, "it scrolls sideways at 320 px");
    browser.picture("verification-320").await?;
    browser.resize(1280, 900).await
}

/// The admin tells everybody something.
async fn announce(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    browser.page().goto(server.setup_link()).await?;
    browser.fill("name", "root").await?;
    browser.fill("password", "a long password").await?;
    browser.fill("again", "a long password").await?;
    browser.press_main().await?;
    browser.page().goto(server.address("/admin/clarifications")).await?;
    browser.fill("text", "Lunch is at noon.").await?;
    browser.press_main().await?;
    browser.see(".thread").await?;
    browser.press("form[action='/logout'] button").await
}

/// From the problem to the verdict without a mouse. The language is found out from the text.
async fn by_keyboard(browser: &Browser, server: &Server) -> WebDriverResult<String> {
    let page = browser.page();
    page.goto(server.address("/problems/curling")).await?;
    browser.keys(Key::Tab).await?;
    let skip = page.active_element().await?.class_name().await?;
    assert_eq!(skip.as_deref(), Some("skip"), "the first stop skips to the content");
    browser.tab_to("a[href='/problems/curling/submit']").await?;
    browser.keys(Key::Enter).await?;
    browser.see("[data-editor='on'] .gutter").await?;
    browser.tab_to("#source").await?;
    // The editor closes brackets and quotes by itself; what is typed over them stands once.
    browser.keys(WRONG).await?;
    let typed = page.find(By::Id("source")).await?.prop("value").await?.unwrap_or_default();
    assert_eq!(typed, WRONG);
    // Tab belongs to the text until Esc gives it back.
    browser.keys(Key::Escape).await?;
    browser.keys(Key::Tab).await?;
    browser.tab_to("form.submit-form button[data-role='main']").await?;
    browser.keys(Key::Enter).await?;
    browser.see("#live [data-finished='true'][data-verdict='WA']").await?;
    Ok(page.current_url().await?.to_string())
}

async fn failed_sample(browser: &Browser, address: &str) -> WebDriverResult<()> {
    let page = browser.page();
    page.goto(address).await?;
    let marks = page.find_all(By::Css(".failed-sample mark")).await?;
    assert_eq!(marks.len(), 2, "both sides are marked");
    assert_eq!((marks[0].text().await?, marks[1].text().await?), ("-1".to_owned(), "7".to_owned()));
    let button = browser.see(".failed-sample button[data-whitespace]").await?;
    button.click().await?;
    let shown = page.find(By::Css(".failed-sample pre[data-white]")).await?.text().await?;
    assert!(shown.contains('↵') && shown.contains('·'), "{shown}");
    browser.see("pre.source b, pre.source data").await?;
    Ok(())
}

/// A program on one's own input, from the form and back to it.
async fn own_input(browser: &Browser, server: &Server) -> WebDriverResult<String> {
    let page = browser.page();
    page.goto(server.address("/problems/curling/submit")).await?;
    let field = browser.see("#source").await?;
    page.execute("arguments[0].value = arguments[1]", vec![field.to_json()?, ECHO.into()]).await?;
    page.find(By::Css(".own-input summary")).await?.click().await?;
    browser.fill("input", "desserts").await?;
    browser.press("button[name='on'][value='input']").await?;
    let printed = browser.see("#live [data-finished='true'] ~ section #printed").await?.text().await?;
    assert_eq!(printed.trim(), "stressed");
    let kept = page.find(By::Id("source")).await?.prop("value").await?.unwrap_or_default();
    assert_eq!(kept, ECHO, "one goes on from here");
    Ok(page.current_url().await?.to_string())
}

/// Indents, pairs, numbers, and the draft that stays.
async fn editor(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    let page = browser.page();
    page.goto(server.address("/problems/lianliankan/submit")).await?;
    let source = browser.see("[data-editor='on'] #source").await?;
    source.click().await?;
    browser.keys("if (x) {").await?;
    browser.keys(Key::Enter).await?;
    browser.keys("y").await?;
    assert_eq!(source.prop("value").await?.as_deref(), Some("if (x) {\n    y\n}"));
    // Tab fills up to the next step; Shift+Tab takes a step back.
    browser.keys(Key::Tab).await?;
    browser.keys(Key::Shift + Key::Tab).await?;
    let value = source.prop("value").await?.unwrap_or_default();
    assert!(value.starts_with("if (x) {\ny"), "{value}");
    let numbers = page.find(By::Css(".gutter")).await?.prop("textContent").await?.unwrap_or_default();
    assert!(numbers.starts_with("1\n2\n3\n"), "{numbers}");
    page.refresh().await?;
    let kept = browser.see("#source").await?.prop("value").await?.unwrap_or_default();
    assert!(kept.starts_with("if (x) {"), "the draft is kept: {kept}");
    Ok(())
}

/// A token is made and shown, and the command that uses it stands on the submit page.
async fn token(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    browser.page().goto(server.address("/account")).await?;
    browser.fill("token-name", "laptop").await?;
    browser.press_main().await?;
    let token = browser.see("#token").await?.text().await?;
    assert!(token.starts_with("touchstone_"), "{token}");
    browser.page().goto(server.address("/problems/curling/submit")).await?;
    browser.see(".terminal summary").await?.click().await?;
    let command = browser.page().find(By::Id("curl")).await?.text().await?;
    assert!(command.contains("problem=curling") && command.contains(&server.address("/api/v4/contests/practice")));
    browser.see(".terminal button[data-copy]:not([hidden])").await?;
    Ok(())
}

/// A question, with the announcement above it.
async fn ask(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    browser.page().goto(server.address("/clarifications")).await?;
    browser.see("#live .thread").await?;
    let list = browser.page().find(By::Css("main")).await?.text().await?;
    assert!(list.contains("Lunch is at noon."), "{list}");
    browser.fill("text", "May a board be empty?").await?;
    browser.press_main().await?;
    browser.see("#live .thread + .thread").await?;
    Ok(())
}

async fn languages(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    let page = browser.page();
    page.goto(server.address("/problems/curling")).await?;
    browser.press("button[name='lang'][value='zh']").await?;
    browser.see("html[lang='zh-Hans']").await?;
    let text = page.find(By::Css("main")).await?.text().await?;
    assert!(text.contains("输入 1") && text.contains("时间"), "{text}");
    browser.press("button[name='lang'][value='en']").await?;
    browser.see("html[lang='en']").await?;
    Ok(())
}

/// How a page is looked at: size, and whether a picture of it is left.
const SIZES: [(&str, u32, u32, bool); 4] =
    [("desktop", 1280, 900, true), ("phone", 360, 780, true), ("small", 320, 640, false), ("wall", 3840, 2160, false)];

/// Looks at each page in both languages and themes, on the smallest phone, on a desk and on a wall: no violation, and
/// nothing that scrolls sideways.
async fn access(browser: &Browser, server: &Server, pages: &[(&str, String)]) -> WebDriverResult<String> {
    let page = browser.page();
    let mut faults = String::new();
    for language in ["en", "zh"] {
        browser.language(language).await?;
        for (name, path) in pages {
            page.goto(server.address(path)).await?;
            browser.see(&format!("html[lang^='{language}'] main")).await?;
            for (size, width, height, pictured) in SIZES {
                browser.resize(width, height).await?;
                for theme in ["light", "dark"] {
                    browser.theme(theme).await?;
                    if pictured {
                        browser.picture(&format!("{name}-{language}-{size}-{theme}")).await?;
                    }
                    let found = axe::violations(page).await?;
                    if !found.is_empty() {
                        faults.extend([path, ", ", language, ", ", size, ", ", theme, ":\n", &found, "\n"]);
                    }
                }
                let wide = "return document.documentElement.scrollWidth > document.documentElement.clientWidth";
                if page.execute(wide, Vec::new()).await?.convert::<bool>()? {
                    faults.extend([path, ", ", language, ", ", size, ": it scrolls sideways\n"]);
                }
            }
        }
    }
    browser.language("en").await?;
    browser.resize(1280, 900).await?;
    Ok(faults)
}

/// A file dropped on the form is its file, its name tells the language, and it is what is handed in.
async fn dropped(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    let page = browser.page();
    page.goto(server.address("/problems/curling/submit")).await?;
    browser.see("[data-editor='on']").await?;
    let drop = r"
        const transfer = new DataTransfer();
        transfer.items.add(new File([arguments[0]], 'dropped.py', { type: 'text/x-python' }));
        const form = document.querySelector('form[data-draft]');
        for (const kind of ['dragenter', 'dragover', 'drop'])
            form.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    ";
    page.execute(drop, vec![WRONG.into()]).await?;
    let chosen = "return document.getElementById('language').selectedOptions[0].dataset.family";
    assert_eq!(page.execute(chosen, Vec::new()).await?.convert::<String>()?, "python");
    browser.press_main().await?;
    browser.see("#live [data-finished='true'][data-verdict='WA']").await?;
    let shown = page.find(By::Css("main")).await?.text().await?;
    assert!(shown.contains("dropped.py") && shown.contains("print(7)"), "{shown}");
    Ok(())
}

/// Who allowed it is told of a verdict by the system while looking elsewhere. The system's own window can't be seen from
/// here, so what the page asks of it is noted.
async fn notified(browser: &Browser, server: &Server) -> WebDriverResult<()> {
    let page = browser.page();
    page.goto(server.address("/problems/curling/submit")).await?;
    let field = browser.see("#source").await?;
    page.execute("arguments[0].value = arguments[1]", vec![field.to_json()?, WRONG.into()]).await?;
    let note = r"
        window.told = [];
        class Noted extends EventTarget {
            constructor(title, options) { super(); window.told.push([title, options.tag]); }
            static get permission() { return 'granted'; }
            static requestPermission() { return Promise.resolve('granted'); }
            close() {}
        }
        window.Notification = Noted;
        Object.defineProperty(document, 'hidden', { get: () => true });
    ";
    browser.before_each_page(note).await?;
    browser.press_main().await?;
    browser.see("#live [data-finished='true'][data-verdict='WA']").await?;
    let told = page.execute("return window.told", Vec::new()).await?.json().to_string();
    assert!(told.contains("Wrong answer") && told.contains("/submissions/"), "{told}");
    browser.page().execute("delete document.hidden", Vec::new()).await?;
    browser.forget_before_each_page().await
}

/// Everything is a plain form: the page refreshes itself until the verdict is there.
async fn without_scripts(server: &Server) -> WebDriverResult<()> {
    let browser = Browser::without_scripts().await;
    register(&browser, server, "noa").await?;
    let page = browser.page();
    page.goto(server.address("/problems/curling/submit")).await?;
    assert!(page.find_all(By::Css(".gutter")).await?.is_empty(), "scripts run");
    browser.fill("source", WRONG).await?;
    browser.press_main().await?;
    browser.see("#live [data-finished='true'][data-verdict='WA']").await?;
    browser.see(".failed-sample mark").await?;
    browser.stop().await;
    Ok(())
}
