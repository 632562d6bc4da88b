//! Who asks, in which language, for which page: read once per request, then handed to everything. Must not know:
//! routes.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, StatusCode, Uri, header};

use super::{client, cookie, csrf};
use crate::domain::account::Role;
use crate::domain::time::EpochMs;
use crate::service::Actor;
use crate::service::clarifications::News;
use crate::store::contest::{self, Contest};
use crate::web::contest_path::InContest;
use crate::web::error::{Next, WebError};
use crate::web::i18n::{Lang, Message};
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section, Theme};

/// One request's visitor.
#[derive(Debug, Clone)]
pub struct Visit {
    /// The language of the page.
    pub lang: Lang,
    /// The chosen theme; `None` follows the system.
    pub theme: Option<Theme>,
    /// Who is logged in.
    pub person: Option<Arc<Actor>>,
    /// Their role counts for less until they set up the second step.
    pub owes_second_step: bool,
    /// The session's token, to end it.
    pub session: Option<String>,
    /// The token that forms of this page carry.
    pub csrf: String,
    /// The path and query that were asked for.
    pub address: String,
    /// The contest that the address is about.
    pub contest: Arc<Contest>,
    /// From which network address.
    pub from: Option<IpAddr>,
    /// This site's address as the visitor wrote it, without a slash at the end.
    pub site: String,
    /// When.
    pub now: EpochMs,
    /// What there is to read or to answer.
    pub news: News,
    /// The browser cookie, if this answer has to set it.
    pub new_browser: Option<String>,
}

impl Visit {
    /// Reads the cookies and looks the session up.
    pub async fn read(
        state: &AppState,
        headers: &HeaderMap,
        extensions: &Extensions,
        uri: &Uri,
    ) -> Result<Self, (Self, WebError)> {
        let now = state.now();
        let kept = cookie::read(headers, cookie::BROWSER).filter(|value| value.len() == 64);
        let (browser, random) = match kept {
            Some(browser) => (Ok(browser), false),
            None => (csrf::random_token(), true),
        };
        let session = cookie::read(headers, cookie::SESSION).filter(|value| !value.is_empty());
        let mut visit = Self {
            lang: language(headers),
            theme: cookie::read(headers, cookie::THEME).and_then(|code| Theme::from_code(&code)),
            person: None,
            owes_second_step: false,
            csrf: browser.as_ref().map(|browser| csrf::token(browser, session.as_deref())).unwrap_or_default(),
            session,
            address: asked_for(extensions, uri),
            contest: Arc::clone(&state.practice),
            from: client::address(headers, extensions, &state.proxies),
            site: client::site(headers, state.secure_cookies),
            now,
            news: News::default(),
            new_browser: None,
        };
        match browser {
            Ok(browser) => visit.new_browser = random.then_some(browser),
            Err(error) => return Err((visit, WebError::internal(error))),
        }
        if let Some(token) = &visit.session {
            match state.service.session(token, now).await {
                Ok(None) => {}
                Ok(Some(live)) => {
                    visit.owes_second_step = live.owes_second_step;
                    visit.person = Some(Arc::new(Actor { address: visit.from, ..live.actor }));
                }
                Err(error) => return Err((visit, error.into())),
            }
        }
        match chosen_contest(state, extensions).await {
            Ok(contest) => visit.contest = contest,
            Err(error) => return Err((visit, error)),
        }
        let seen = cookie::seen(headers, visit.contest.id);
        match state.service.news(visit.person.as_deref(), visit.contest.id, seen).await {
            Ok(news) => visit.news = news,
            Err(error) => return Err((visit, error.into())),
        }
        Ok(visit)
    }

    /// The one that the middleware attached.
    pub fn of(extensions: &Extensions) -> Result<Self, WebError> {
        extensions.get::<Self>().cloned().ok_or_else(|| WebError::internal("the route has no visit middleware"))
    }

    /// The logged-in person, or the way to the log-in page.
    pub fn signed_in(&self) -> Result<&Actor, WebError> {
        self.person.as_deref().ok_or(WebError::LogInFirst)
    }

    /// The logged-in person, if they have this role or a stronger one.
    pub fn at_least(&self, role: Role) -> Result<&Actor, WebError> {
        let person = self.signed_in()?;
        if person.role < role && self.owes_second_step {
            let next = Next { href: "/account/second-step".to_owned(), label: Message::new("second-step-set-up") };
            let what = Message::new("second-step-owed");
            return Err(WebError::Refused { status: StatusCode::FORBIDDEN, what, next });
        }
        if person.role < role {
            return Err(WebError::refused(StatusCode::FORBIDDEN, Message::new("error-role")));
        }
        Ok(person)
    }

    /// What stands before the addresses of the contest's pages: nothing for the practice contest.
    pub fn base(&self) -> String {
        base_of(&self.contest)
    }

    /// An address of the contest's pages; it begins with a slash.
    pub fn link(&self, path: &str) -> String {
        self.base() + path
    }

    /// The frame of a page for this visitor.
    pub fn frame(&self, state: &AppState, section: Section) -> Frame {
        Frame::new(self.clone(), section, state.contest_line(&self.contest, self.lang, self.now))
    }
}

/// What stands before the addresses of a contest's pages.
pub fn base_of(contest: &Contest) -> String {
    if contest.is_practice() { String::new() } else { format!("/contests/{}", contest.slug) }
}

fn asked_for(extensions: &Extensions, uri: &Uri) -> String {
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    match extensions.get::<InContest>() {
        Some(InContest(slug)) if path == "/" => format!("/contests/{slug}"),
        Some(InContest(slug)) => format!("/contests/{slug}{path}"),
        None => path.to_owned(),
    }
}

async fn chosen_contest(state: &AppState, extensions: &Extensions) -> Result<Arc<Contest>, WebError> {
    let slug = extensions.get::<InContest>().map_or(contest::PRACTICE, |InContest(slug)| slug);
    let found = contest::by_slug(state.store().read(), slug).await?;
    let shown: String = slug.chars().take(80).collect();
    let missing = || WebError::not_found(Message::new("error-no-contest").with("slug", shown), Next::contests());
    Ok(Arc::new(found.ok_or_else(missing)?))
}

fn language(headers: &HeaderMap) -> Lang {
    let chosen = cookie::read(headers, cookie::LANG).and_then(|code| Lang::from_code(&code));
    chosen.unwrap_or_else(|| {
        let accepted = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        accepted.map_or(Lang::English, Lang::negotiate)
    })
}

impl<S: Send + Sync> FromRequestParts<S> for Visit {
    type Rejection = WebError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Self::Rejection> {
        Self::of(&parts.extensions)
    }
}
