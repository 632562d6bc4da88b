//! Logging in and out, and who is behind a cookie.

use super::passwords::HashingFailed;
use super::{Actor, Service, tokens};
use crate::domain::time::EpochMs;
use crate::store::{StoreError, account, session};

/// A session ends after so long without use, milliseconds.
pub const SESSION_MS: i64 = 30 * 24 * 60 * 60 * 1_000;
/// Use is noted at most this often, so that reading pages doesn't write, milliseconds.
const NOTE_EVERY_MS: i64 = 60 * 60 * 1_000;

/// Why a log-in failed.
#[derive(Debug, thiserror::Error)]
pub enum LogInError {
    /// It isn't said which of the two: that would tell who has an account.
    #[error("the name or the password is not right")]
    Wrong,
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
}

impl Service {
    /// The token of a new session, for a cookie. Takes as long for unknown names as for known ones.
    ///
    /// # Errors
    /// [`LogInError::Wrong`], also for disabled accounts.
    pub async fn log_in(&self, name: &str, password: &str, now: EpochMs) -> Result<String, LogInError> {
        let credentials = account::credentials(self.store.read(), name).await?;
        let hash = credentials.as_ref().and_then(|credentials| credentials.password_hash.clone());
        let right = self.passwords.verify(password, hash).await?;
        let Some(credentials) = credentials.filter(|credentials| right && !credentials.disabled) else {
            return Err(LogInError::Wrong);
        };
        let token = tokens::random()?;
        let mut tx = self.store.begin_write().await?;
        session::delete_expired(&mut tx, now).await?;
        session::insert(&mut tx, tokens::stored(&token), credentials.id, now.plus_ms(SESSION_MS), now).await?;
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
        let actor = Actor {
            account_id: found.account_id,
            role: found.role,
            team_id: found.team_id,
            name: found.name,
            display_name: found.display_name,
        };
        Ok(Some(LiveSession { actor, csrf: tokens::csrf(token) }))
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
