//! Who asks, in which language, for which page: read once per request, then handed to everything. Must not know:
//! routes.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, StatusCode, Uri, header};

use super::{client, cookie, csrf};
use crate::domain::account::Role;
use crate::domain::ids::ClarificationId;
use crate::domain::time::EpochMs;
use crate::service::Actor;
use crate::service::clarifications::News;
use crate::web::error::WebError;
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
    /// The session's token, to end it.
    pub session: Option<String>,
    /// The token that forms of this page carry.
    pub csrf: String,
    /// The path and query that were asked for.
    pub address: String,
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
            csrf: browser.as_ref().map(|browser| csrf::token(browser, session.as_deref())).unwrap_or_default(),
            session,
            address: uri.path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string),
            from: client::address(headers, extensions, state.secure_cookies),
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
            match state.person(token, now).await {
                Ok(person) => {
                    let address = visit.from;
                    visit.person = person.map(|person| Arc::new(Actor { address, ..person }));
                }
                Err(error) => return Err((visit, error)),
            }
        }
        let seen = ClarificationId(cookie::read(headers, cookie::SEEN).and_then(|id| id.parse().ok()).unwrap_or(0));
        match state.service.news(visit.person.as_deref(), state.practice.id, seen).await {
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
        if person.role < role {
            return Err(WebError::refused(StatusCode::FORBIDDEN, Message::new("error-role")));
        }
        Ok(person)
    }

    /// The frame of a page for this visitor.
    pub fn frame(&self, state: &AppState, section: Section) -> Frame {
        Frame::new(self.clone(), section, state.contest_line(self.lang, self.now))
    }
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
