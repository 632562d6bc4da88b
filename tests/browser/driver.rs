//! A browser of its own for each test.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use thirtyfour::prelude::*;

/// How long an event of the page may take. Generous: it is no measurement.
const PATIENCE: Duration = Duration::from_mins(2);

pub struct Browser {
    page: WebDriver,
    driver: Child,
    scripts: std::sync::Mutex<Vec<String>>,
    _profile: TempDir,
}

impl Browser {
    /// Starts the driver on a port of its choice, and a headless browser through it.
    pub async fn start() -> Self {
        Self::start_with(true).await
    }

    /// The same for somebody whose browser runs no scripts.
    pub async fn without_scripts() -> Self {
        Self::start_with(false).await
    }

    async fn start_with(scripts: bool) -> Self {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .spawn()
            .expect("chromedriver can't be started; install chromium-driver");
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines
            .map_while(Result::ok)
            .find_map(|line| {
                let port = line.split("started successfully on port ").nth(1)?;
                Some(port.trim_end_matches('.').to_owned())
            })
            .expect("chromedriver did not say its port");
        let profile = tempfile::tempdir().unwrap();
        let mut options = DesiredCapabilities::chrome();
        for argument in [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--lang=en",
            "--window-size=1280,900",
            &format!("--user-data-dir={}", profile.path().display()),
        ] {
            options.add_arg(argument).unwrap();
        }
        if !scripts {
            let prefs = serde_json::json!({"profile.managed_default_content_settings.javascript": 2});
            options.add_experimental_option("prefs", prefs).unwrap();
        }
        let page = WebDriver::new(&format!("http://127.0.0.1:{port}"), options).await.unwrap();
        Self { page, driver, scripts: std::sync::Mutex::default(), _profile: profile }
    }

    pub const fn page(&self) -> &WebDriver {
        &self.page
    }

    /// Waits for an element.
    pub async fn see(&self, selector: &str) -> WebDriverResult<WebElement> {
        self.page.query(By::Css(selector)).wait(PATIENCE, Duration::from_millis(50)).first().await
    }

    /// Types into the field of this id.
    pub async fn fill(&self, id: &str, text: &str) -> WebDriverResult<()> {
        let field = self.see(&format!("#{id}")).await?;
        field.clear().await?;
        field.send_keys(text).await
    }

    /// Presses a button and waits until its page has gone.
    pub async fn press(&self, selector: &str) -> WebDriverResult<()> {
        let button = self.see(selector).await?;
        button.click().await?;
        button.wait_until().wait(PATIENCE, Duration::from_millis(50)).stale().await
    }

    /// Presses the main button of the page's form.
    pub async fn press_main(&self) -> WebDriverResult<()> {
        self.press("main form button[data-role='main']").await
    }

    /// Leaves a picture of the page where somebody asked for pictures.
    pub async fn picture(&self, name: &str) -> WebDriverResult<()> {
        let Some(folder) = std::env::var_os("TOUCHSTONE_SCREENSHOTS").map(PathBuf::from) else { return Ok(()) };
        std::fs::create_dir_all(&folder).unwrap();
        self.page.screenshot(&folder.join(format!("{name}.png"))).await
    }

    /// A window as wide and high as this.
    pub async fn resize(&self, width: u32, height: u32) -> WebDriverResult<()> {
        self.page.set_window_rect(0, 0, width, height).await
    }

    /// The theme, as the switch sets it.
    pub async fn theme(&self, theme: &str) -> WebDriverResult<()> {
        self.page.execute("document.documentElement.dataset.theme = arguments[0]", vec![theme.into()]).await?;
        Ok(())
    }

    /// The interface's language from the next page on, as the switch sets it.
    pub async fn language(&self, language: &str) -> WebDriverResult<()> {
        let here = self.page.current_url().await?;
        let switch = format!("button[name='lang'][value='{language}']");
        if here.scheme().starts_with("http") && self.page.find_all(By::Css(&switch)).await?.is_empty() {
            // The switch offers the other language only: this one is on.
            return Ok(());
        }
        self.press(&switch).await
    }

    /// Runs a script in every page before the page's own.
    pub async fn before_each_page(&self, script: &str) -> WebDriverResult<()> {
        let parameters = serde_json::json!({"source": script});
        let added = self.page.cdp().send_raw("Page.addScriptToEvaluateOnNewDocument", parameters).await?;
        let id = added.get("identifier").and_then(|id| id.as_str()).unwrap_or_default().to_owned();
        self.scripts.lock().unwrap().push(id);
        Ok(())
    }

    /// Ends what [`Browser::before_each_page`] began.
    pub async fn forget_before_each_page(&self) -> WebDriverResult<()> {
        let scripts = std::mem::take(&mut *self.scripts.lock().unwrap());
        for id in scripts {
            let parameters = serde_json::json!({"identifier": id});
            self.page.cdp().send_raw("Page.removeScriptToEvaluateOnNewDocument", parameters).await?;
        }
        Ok(())
    }

    /// Presses keys, wherever the focus is.
    pub async fn keys(&self, keys: impl Into<TypingData>) -> WebDriverResult<()> {
        self.page.active_element().await?.send_keys(keys).await
    }

    /// Tabs on until the element of this selector has the focus.
    pub async fn tab_to(&self, selector: &str) -> WebDriverResult<()> {
        for _ in 0..80 {
            let matches = "return document.activeElement?.matches(arguments[0]) ?? false";
            let there = self.page.execute(matches, vec![selector.into()]).await?;
            if there.convert::<bool>()? {
                return Ok(());
            }
            // Pressed on the page: keys sent to a file field would name a file.
            self.page.action_chain().send_keys(Key::Tab).perform().await?;
        }
        panic!("no way by the keyboard to {selector}");
    }

    pub async fn stop(mut self) {
        // The driver goes whether or not the browser said goodbye.
        let _ = self.page.clone().quit().await;
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
