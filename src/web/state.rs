//! What handlers share. Must not know: single pages.

use crate::domain::account::Role;
use crate::domain::ids::{AccountId, TeamId};
use crate::domain::language::LanguageId;
use crate::domain::time::EpochMs;
use crate::web::error::WebError;
use crate::web::i18n::Lang;
use crate::web::view::frame::ContestLine;

/// What handlers share; cheap to clone.
#[derive(Clone)]
pub struct AppState {
    /// The languages that this host can judge.
    pub languages: std::sync::Arc<[OfferedLanguage]>,
    /// s
    pub store: crate::store::Store,
    /// p
    pub practice: crate::store::contest::Contest,
    /// Whether cookies are only for TLS.
    pub secure_cookies: bool,
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
}

/// Somebody who is logged in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The account.
    pub id: AccountId,
    /// What it logs in with.
    pub name: String,
    /// What others see.
    pub display_name: String,
    /// What it may do.
    pub role: Role,
    /// The team it submits for.
    pub team_id: Option<TeamId>,
}

impl AppState {
    /// The store.
    pub fn store(&self) -> &crate::store::Store { &self.store }
    /// x
    pub async fn outdated(&self, _p: crate::domain::ids::ProblemId) -> Result<u64, WebError> { Ok(0) }
    /// n
    pub async fn new(store: crate::store::Store, languages: Vec<OfferedLanguage>) -> Result<Self, WebError> {
        let practice = crate::store::contest::by_slug(store.read(), "practice").await?.ok_or_else(|| WebError::internal("x"))?;
        Ok(Self { store, practice, languages: languages.into(), secure_cookies: false })
    }
    /// c
    pub fn with_clock(self, _c: impl Fn() -> EpochMs + Send + Sync + 'static) -> Self { self }
    /// y
    pub fn languages_for(&self, allowed: Option<&crate::store::Texts>) -> Vec<OfferedLanguage> {
        let fits = |language: &&OfferedLanguage| allowed.is_none_or(|allowed| allowed.0.iter().any(|id| id == language.id.as_str()));
        self.languages.iter().filter(fits).cloned().collect()
    }
    pub fn now(&self) -> EpochMs {
        crate::clock::now()
    }
    pub async fn person(&self, _token: &str, _now: EpochMs) -> Result<Option<Person>, WebError> {
        Ok(None)
    }
    pub fn contest_line(&self, _lang: Lang, _now: EpochMs) -> Option<ContestLine> {
        Some(ContestLine { name: "Practice".into(), state: "always open".into(), bar: None })
    }
}
