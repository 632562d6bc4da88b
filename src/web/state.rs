//! What handlers share. Must not know: single pages.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::watch;

use crate::clock;
use crate::domain::contest::Phase;
use crate::domain::family::Family;
use crate::domain::language::{LanguageId, ShownCommand};
use crate::domain::time::EpochMs;
use crate::service::Service;
use crate::store::contest::{self, Contest};
use crate::store::{Store, Texts};
use crate::web::error::WebError;
use crate::web::extract::client::TrustedProxies;
use crate::web::i18n::{Lang, Message};
use crate::web::view::board::RenderedBoards;
use crate::web::view::format;
use crate::web::view::frame::{ContestBar, ContestLine, Countdown};
use crate::web::watching::Answers;

/// More are not looked at without being asked for.
const BOARD_ROWS: usize = 100;

/// What handlers share; cheap to clone. Each request has a clone of its own, so that what it sees of the languages doesn't
/// change under it.
pub struct AppState {
    /// The use cases.
    pub service: Arc<Service>,
    /// The contest that is always open.
    pub practice: Arc<Contest>,
    /// The languages that can be judged, as of when this was cloned.
    pub languages: Arc<[OfferedLanguage]>,
    /// Whether cookies are only for TLS.
    pub secure_cookies: bool,
    /// Whose word about a client's address is taken.
    pub proxies: Arc<TrustedProxies>,
    /// What was answered, for `/metrics`.
    pub answers: Arc<Answers>,
    /// Folder for files that are being uploaded.
    pub scratch: Arc<Path>,
    /// What this host is and has.
    pub host: Arc<Host>,
    /// Boards as markup, one for all viewers.
    pub boards: Arc<RenderedBoards>,
    /// How many rows a board's page begins with; the others are asked for.
    pub board_rows: usize,
    clock: Arc<dyn Fn() -> EpochMs + Send + Sync>,
    stop: Option<watch::Receiver<bool>>,
    /// The languages as they are now, where they depend on machines that come and go.
    offered: Option<watch::Receiver<Arc<[OfferedLanguage]>>>,
}

impl Clone for AppState {
    fn clone(&self) -> Self {
        let languages =
            self.offered.as_ref().map_or_else(|| Arc::clone(&self.languages), |now| Arc::clone(&now.borrow()));
        Self {
            languages,
            service: Arc::clone(&self.service),
            practice: Arc::clone(&self.practice),
            secure_cookies: self.secure_cookies,
            proxies: Arc::clone(&self.proxies),
            answers: Arc::clone(&self.answers),
            scratch: Arc::clone(&self.scratch),
            host: Arc::clone(&self.host),
            boards: Arc::clone(&self.boards),
            board_rows: self.board_rows,
            clock: Arc::clone(&self.clock),
            stop: self.stop.clone(),
            offered: self.offered.clone(),
        }
    }
}

/// A language that contestants can choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedLanguage {
    /// Its id.
    pub id: LanguageId,
    /// Its name, e.g. `C++20`.
    pub name: String,
    /// The compiler or interpreter, e.g. `g++ 14.2.0`.
    pub version: String,
    /// File name endings without the dot, the usual one first.
    pub extensions: Vec<String>,
    /// The endings for which it is the usual choice among those that share them.
    pub default_for: Vec<String>,
    /// What compiles or checks it, unless it is a ready program.
    pub compiler: Option<ShownCommand>,
    /// What runs it, unless it runs by itself.
    pub runner: Option<ShownCommand>,
}

/// What the judge's health page shows of the host.
#[derive(Default)]
pub struct Host {
    /// The names of this process's workers.
    pub workers: Vec<String>,
    /// What `touchstone doctor` found when the server started.
    pub findings: Vec<HostFinding>,
    /// Measures the disk; it takes a while.
    pub measure: Option<Box<dyn Fn() -> DiskUse + Send + Sync>>,
    /// Why workers on other machines can't be reached now; `None` when they can, or when there are none.
    pub farm_trouble: Option<watch::Receiver<Option<String>>>,
}

/// One layer of the host, as `touchstone doctor` found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFinding {
    /// Which layer.
    pub layer: String,
    /// `ok`, `weaker` or `unsafe`.
    pub state: &'static str,
    /// What was found.
    pub detail: String,
    /// What would mend it.
    pub fix: Option<String>,
}

/// How the disk is used, bytes; `None` where it couldn't be measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiskUse {
    /// The database's files.
    pub database: Option<u64>,
    /// The cache, which can be deleted at any time.
    pub cache: Option<u64>,
    /// What is free.
    pub free: Option<u64>,
}

impl Host {
    /// Why workers on other machines can't be reached now.
    pub fn farm_trouble(&self) -> Option<String> {
        self.farm_trouble.as_ref()?.borrow().clone()
    }

    /// Measures the disk now. Blocks.
    pub fn disk(&self) -> DiskUse {
        self.measure.as_ref().map(|measure| measure()).unwrap_or_default()
    }
}

impl OfferedLanguage {
    /// Whether it is the usual one of its family here.
    pub fn is_default(&self) -> bool {
        !self.default_for.is_empty()
    }

    /// Its family's name, for the page's own guess.
    pub fn family(&self) -> &'static str {
        Family::of(&self.id).map_or("", Family::code)
    }

    /// The language of a program, by its file's name and its text: the one of last time if it fits, else the usual one
    /// of the family.
    pub fn guess<'a>(among: &'a [Self], last: &str, name: Option<&str>, text: &str) -> Option<&'a Self> {
        let family = Family::guess(name, text)?;
        let mut fitting = among.iter().filter(|language| Family::of(&language.id) == Some(family));
        let first = fitting.clone().next();
        let last = fitting.clone().find(|language| language.id.as_str() == last);
        last.or_else(|| fitting.find(|language| language.is_default())).or(first)
    }

    /// Whether a submission in it is a ready program instead of a text.
    pub fn is_binary(&self) -> bool {
        self.id.as_str() == "elf"
    }
}

impl AppState {
    /// The state over these use cases. The practice contest must be there ([`Service::ensure_builtin`]).
    ///
    /// # Errors
    /// [`WebError::Internal`] when the store fails or there is no practice contest.
    pub async fn new(service: Arc<Service>, languages: Vec<OfferedLanguage>) -> Result<Self, WebError> {
        let practice = contest::by_slug(service.store().read(), contest::PRACTICE).await?;
        let practice = practice.ok_or_else(|| WebError::internal("there is no practice contest"))?;
        Ok(Self {
            practice: Arc::new(practice),
            service,
            languages: languages.into(),
            secure_cookies: false,
            proxies: Arc::default(),
            answers: Arc::default(),
            scratch: std::env::temp_dir().into(),
            host: Arc::default(),
            boards: Arc::default(),
            board_rows: BOARD_ROWS,
            clock: Arc::new(clock::now),
            stop: None,
            offered: None,
        })
    }

    /// The same with cookies that are only sent over TLS.
    #[must_use]
    pub const fn with_secure_cookies(mut self, secure: bool) -> Self {
        self.secure_cookies = secure;
        self
    }

    /// The same with this folder for files that are being uploaded; it is made when it is needed.
    #[must_use]
    pub fn with_scratch(mut self, folder: &Path) -> Self {
        self.scratch = folder.into();
        self
    }

    /// The same with languages that come and go with the machines that judge.
    #[must_use]
    pub fn offering(mut self, languages: watch::Receiver<Arc<[OfferedLanguage]>>) -> Self {
        self.offered = Some(languages);
        self
    }

    /// The same behind these proxies.
    #[must_use]
    pub fn behind(mut self, proxies: TrustedProxies) -> Self {
        self.proxies = Arc::new(proxies);
        self
    }

    /// The same on this host.
    #[must_use]
    pub fn with_host(mut self, host: Host) -> Self {
        self.host = Arc::new(host);
        self
    }

    /// The same with boards that begin with so many rows.
    #[must_use]
    pub const fn with_board_rows(mut self, rows: usize) -> Self {
        self.board_rows = rows;
        self
    }

    /// The same with another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Fn() -> EpochMs + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// The same, with live pages that end when this becomes true, so that a server that stops needn't wait for them.
    #[must_use]
    pub fn until(mut self, stop: watch::Receiver<bool>) -> Self {
        self.stop = Some(stop);
        self
    }

    /// The current time.
    pub fn now(&self) -> EpochMs {
        (self.clock)()
    }

    /// The store, for reads.
    pub fn store(&self) -> &Store {
        self.service.store()
    }

    /// Ends when the server stops; never, if nobody said when that is.
    pub async fn stopped(&self) {
        match self.stop.clone() {
            Some(mut stop) => {
                let _ = stop.wait_for(|stopping| *stopping).await;
            }
            None => std::future::pending().await,
        }
    }

    /// The languages that a problem allows and this host can judge.
    pub fn languages_for(&self, allowed: Option<&Texts>) -> Vec<OfferedLanguage> {
        let fits = |language: &&OfferedLanguage| {
            allowed.is_none_or(|allowed| allowed.0.iter().any(|id| id == language.id.as_str()))
        };
        self.languages.iter().filter(fits).cloned().collect()
    }

    /// The languages that a contest and its problem allow and this host can judge.
    pub fn languages_in(&self, contest: &Contest, allowed: Option<&Texts>) -> Vec<OfferedLanguage> {
        let mut languages = self.languages_for(allowed);
        let fits = |language: &OfferedLanguage, allowed: &Texts| allowed.0.iter().any(|id| id == language.id.as_str());
        languages.retain(|language| contest.languages.as_ref().is_none_or(|allowed| fits(language, allowed)));
        languages
    }

    /// A language's name; its id where this host has it no longer.
    pub fn language_name(&self, id: &LanguageId) -> String {
        let offered = self.languages.iter().find(|language| language.id == *id);
        offered.map_or_else(|| id.to_string(), |language| language.name.clone())
    }

    /// The contest for the head of a page.
    pub fn contest_line(&self, contest: &Contest, lang: Lang, now: EpochMs) -> Option<ContestLine> {
        let clock = contest.times().clock(now);
        let name =
            if contest.is_practice() { lang.text("contest-practice").into_owned() } else { contest.name.clone() };
        let passed = clock.since(contest.start);
        let state = match (contest.times().phase(now), contest.duration_ms) {
            (Phase::Before | Phase::Running, _) if contest.paused.is_some() => Message::new("contest-paused"),
            (Phase::Before, _) => Message::new("contest-before").with("span", format::span(-passed)),
            (Phase::Running, None) => Message::new("contest-open"),
            (Phase::Running, Some(duration)) => {
                Message::new("contest-left").with("span", format::span(duration - passed))
            }
            (Phase::Ended, _) => Message::new("contest-ended"),
        };
        let until = match (contest.times().phase(now), contest.duration_ms) {
            _ if contest.paused.is_some() => None,
            (Phase::Before, _) => Some(("contest-before", contest.start)),
            (Phase::Running, Some(duration)) => Some(("contest-left", contest.start.plus_ms(duration))),
            _ => None,
        };
        let countdown = until.map(|(key, until)| Countdown {
            now_ms: now.0,
            until_ms: until.0,
            sentence: lang.say(&Message::new(key).with("span", "%")),
        });
        let bar = contest.duration_ms.map(|duration| ContestBar {
            passed: (passed * 100 / duration).clamp(0, 100),
            freeze: contest.freeze_ms.map(|freeze| (duration - freeze) * 100 / duration),
        });
        Some(ContestLine { name, state: lang.say(&state), countdown, bar })
    }
}
