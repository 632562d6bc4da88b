//! An account's own API tokens: making one, listing, revoking.

use super::{Actor, Service, record, tokens};
use crate::domain::account::Role;
use crate::domain::ids::ApiTokenId;
use crate::domain::time::EpochMs;
use crate::store::StoreError;
use crate::store::api_token::{self, ApiToken, Scopes};

/// The longest name of a token, characters.
pub const MAX_NAME: usize = 60;
/// How many working tokens an account may have.
pub const MAX_TOKENS: u32 = 20;
/// What every token begins with, so that one that was published by mistake can be found.
const PREFIX: &str = "touchstone_";

/// Why a token was not made. The sentences are for people.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// No name, too long, or more than a line.
    #[error("a token's name has 1 to {MAX_NAME} characters on one line")]
    BadName,
    /// It would allow nothing.
    #[error("a token must allow something")]
    NoScope,
    /// It would allow what its account may not.
    #[error("only setters, judges and admins can let a token manage the judge")]
    NotStaff,
    /// Too many.
    #[error("an account has at most {MAX_TOKENS} tokens; revoke one that is not used")]
    TooMany,
    /// Our fault.
    #[error("no randomness: {0}")]
    Random(#[from] getrandom::Error),
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Service {
    /// Makes a token and returns it. It can't be read again.
    ///
    /// # Errors
    /// [`TokenError`]: every variant but `Random` and `Store` is for the form.
    pub async fn create_token(
        &self,
        actor: &Actor,
        name: &str,
        scopes: Scopes,
        now: EpochMs,
    ) -> Result<String, TokenError> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
            return Err(TokenError::BadName);
        }
        if scopes == Scopes::default() {
            return Err(TokenError::NoScope);
        }
        if scopes.manage && !actor.is_at_least(Role::Setter) {
            return Err(TokenError::NotStaff);
        }
        let token = format!("{PREFIX}{}", tokens::random()?);
        let mut tx = self.store.begin_write().await?;
        if api_token::count(&mut *tx, actor.account_id).await? >= MAX_TOKENS {
            return Err(TokenError::TooMany);
        }
        api_token::insert(&mut tx, actor.account_id, name, tokens::stored(&token), scopes, now).await?;
        let subject = format!("{} / {name}", actor.name);
        record(&mut tx, Some(actor), "token.create", &subject, None, None, now).await?;
        tx.commit().await?;
        Ok(token)
    }

    /// One's own tokens that work, newest first.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn api_tokens(&self, actor: &Actor) -> Result<Vec<ApiToken>, StoreError> {
        api_token::list(self.store.read(), actor.account_id).await
    }

    /// Ends one of one's own tokens, at once; tells whether there was one.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn revoke_token(&self, actor: &Actor, id: ApiTokenId, now: EpochMs) -> Result<bool, StoreError> {
        let mut tx = self.store.begin_write().await?;
        let Some(name) = api_token::revoke(&mut tx, actor.account_id, id, now).await? else { return Ok(false) };
        let subject = format!("{} / {name}", actor.name);
        record(&mut tx, Some(actor), "token.revoke", &subject, None, None, now).await?;
        tx.commit().await?;
        Ok(true)
    }
}
