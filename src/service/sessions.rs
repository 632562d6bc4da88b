//! Logging in and out, and who is behind a cookie, a password or a token.

use std::net::IpAddr;

use super::passwords::HashingFailed;
use super::second_step::LoggedIn;
use super::{Actor, Service, tokens};
use crate::domain::ids::AccountId;
use crate::domain::time::EpochMs;
use crate::store::api_token::Scopes;
use crate::store::{StoreError, account, api_token, second_step, session};

/// A session ends after so long without use, milliseconds.
pub const SESSION_MS: i64 = 30 * 24 * 60 * 60 * 1_000;
/// Use is noted at most this often, so that reading pages doesn't write, milliseconds.
const NOTE_EVERY_MS: i64 = 60 * 60 * 1_000;
/// The same for tokens: their owner looks at it to see which one is in use.
const NOTE_TOKEN_EVERY_MS: i64 = 60 * 1_000;

/// Why a log-in failed.
#[derive(Debug, thiserror::Error)]
pub enum LogInError {
    /// It isn't said which of the two: that would tell who has an account.
    #[error("the name or the password is not right")]
    Wrong,
    /// Too many were wrong, for this account or from this address: this one was not looked at.
    #[error("too many wrong passwords; please wait a little")]
    TooMany {
        /// After how many milliseconds the next is looked at.
        retry_after_ms: i64,
    },
    /// The password alone is not enough for this account.
    #[error("this account logs in with a code after the password; let programs use an API token")]
    CodeNeeded,
    /// Our fault.
    #[error(transparent)]
    Hashing(#[from] HashingFailed),
    /// Our fault.
    #[error("no randomness: {0}")]
    Random(#[from] getrandom::Error),
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A live session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveSession {
    /// Who is behind it.
    pub actor: Actor,
    /// What every form of theirs must carry.
    pub csrf: String,
    /// The role counts for less until the second step is set up.
    pub owes_second_step: bool,
}

impl Service {
    /// Whose name and password these are. Takes as long for unknown names as for known ones, and counts failures alike
    /// for both.
    ///
    /// # Errors
    /// [`LogInError::Wrong`], also for disabled accounts; [`LogInError::TooMany`].
    pub async fn check_password(
        &self,
        name: &str,
        password: &str,
        from: Option<IpAddr>,
        now: EpochMs,
    ) -> Result<Actor, LogInError> {
        self.guard.begin(name, from, now).map_err(|retry_after_ms| LogInError::TooMany { retry_after_ms })?;
        let credentials = account::credentials(self.store.read(), name).await?;
        let hash = credentials.as_ref().and_then(|credentials| credentials.password_hash.clone());
        let right = self.passwords.verify(password, hash).await?;
        let Some(credentials) = credentials.filter(|credentials| right && !credentials.disabled) else {
            return Err(LogInError::Wrong);
        };
        self.guard.succeeded(name, from, now);
        let account = account::by_id(self.store.read(), credentials.id).await?.ok_or(LogInError::Wrong)?;
        Ok(Actor {
            account_id: account.id,
            role: account.role,
            team_id: account.team_id,
            name: account.name,
            display_name: account.display_name,
            address: from,
        })
    }

    /// The same for a program, which can give no code.
    ///
    /// # Errors
    /// As [`Service::check_password`], and [`LogInError::CodeNeeded`].
    pub async fn caller_by_password(
        &self,
        name: &str,
        password: &str,
        from: Option<IpAddr>,
        now: EpochMs,
    ) -> Result<Actor, LogInError> {
        let actor = self.check_password(name, password, from, now).await?;
        if second_step::standing(self.store.read(), actor.account_id).await?.on {
            return Err(LogInError::CodeNeeded);
        }
        let role = self.role_that_counts(actor.account_id, actor.role).await?;
        Ok(Actor { role, ..actor })
    }

    /// The token of a new session, for a cookie, or the one that waits for a code.
    ///
    /// # Errors
    /// As [`Service::check_password`].
    pub async fn log_in(
        &self,
        name: &str,
        password: &str,
        from: Option<IpAddr>,
        now: EpochMs,
    ) -> Result<LoggedIn, LogInError> {
        let actor = self.check_password(name, password, from, now).await?;
        self.go_on(actor.account_id, now).await
    }

    /// A session for an account that was just made: its password needs no second look.
    ///
    /// # Errors
    /// [`LogInError::Store`], [`LogInError::Random`].
    pub async fn begin_session(&self, account: AccountId, now: EpochMs) -> Result<String, LogInError> {
        let token = tokens::random()?;
        let mut tx = self.store.begin_write().await?;
        session::delete_expired(&mut tx, now).await?;
        session::insert(&mut tx, tokens::stored(&token), account, now.plus_ms(SESSION_MS), now).await?;
        tx.commit().await?;
        Ok(token)
    }

    /// Who is behind this cookie's token; `None` when the session is over or unknown.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn session(&self, token: &str, now: EpochMs) -> Result<Option<LiveSession>, StoreError> {
        let stored = tokens::stored(token);
        let Some(found) = session::find(self.store.read(), stored, now).await? else { return Ok(None) };
        if now.since(found.seen) >= NOTE_EVERY_MS {
            let mut tx = self.store.begin_write().await?;
            session::touch(&mut tx, stored, now.plus_ms(SESSION_MS), now).await?;
            tx.commit().await?;
        }
        let role = self.role_that_counts(found.account_id, found.role).await?;
        let actor = Actor {
            account_id: found.account_id,
            role,
            team_id: found.team_id,
            name: found.name,
            display_name: found.display_name,
            address: None,
        };
        Ok(Some(LiveSession { actor, csrf: tokens::csrf(token), owes_second_step: role != found.role }))
    }

    /// Who is behind an API token and what it allows; `None` when it is revoked or unknown. Notes its use.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn token_holder(&self, token: &str, now: EpochMs) -> Result<Option<(Actor, Scopes)>, StoreError> {
        let Some(found) = api_token::holder(self.store.read(), tokens::stored(token)).await? else { return Ok(None) };
        if found.used.is_none_or(|used| now.since(used) >= NOTE_TOKEN_EVERY_MS) {
            let mut tx = self.store.begin_write().await?;
            api_token::touch(&mut tx, found.token_id, now).await?;
            tx.commit().await?;
        }
        let actor = Actor {
            account_id: found.account_id,
            role: self.role_that_counts(found.account_id, found.role).await?,
            team_id: found.team_id,
            name: found.name,
            display_name: found.display_name,
            address: None,
        };
        Ok(Some((actor, found.scopes)))
    }

    /// Ends the session of this cookie.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn log_out(&self, token: &str) -> Result<(), StoreError> {
        let mut tx = self.store.begin_write().await?;
        session::delete(&mut tx, tokens::stored(token)).await?;
        tx.commit().await
    }

    /// Ends all sessions of an account.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn log_out_everywhere(&self, actor: &Actor) -> Result<(), StoreError> {
        let mut tx = self.store.begin_write().await?;
        session::delete_of_account(&mut tx, actor.account_id).await?;
        tx.commit().await
    }
}
