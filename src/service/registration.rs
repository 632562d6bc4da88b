//! Who may make an account of their own: everybody, those with an invitation, or nobody; and the invitations.

use super::accounts::AccountError;
use super::{Actor, Service, record, require_or_terminal, tokens};
use crate::domain::account::Role;
use crate::domain::ids::InvitationId;
use crate::domain::time::EpochMs;
use crate::store::invitation::{self, Invitation, NewInvitation};
use crate::store::{StoreError, WriteTx, setting};

/// The setting's key.
const KEY: &str = "registration";
/// The most people that an invitation lets in.
pub const MAX_PLACES: u32 = 10_000;
/// The longest that an invitation lasts, days.
pub const MAX_DAYS: u32 = 366;
/// The longest note, characters.
pub const MAX_NOTE: usize = 80;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// Who may register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Registration {
    /// Everybody: as it is at first.
    Open,
    /// Who has an invitation's link.
    Invitation,
    /// Nobody; admins make the accounts.
    Closed,
}

impl Registration {
    /// All of them, the most open first.
    pub const ALL: [Self; 3] = [Self::Open, Self::Invitation, Self::Closed];

    /// As stored and written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Invitation => "invitation",
            Self::Closed => "closed",
        }
    }
}

impl std::str::FromStr for Registration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|one| one.as_str() == text);
        found.ok_or_else(|| format!("`{text}` is no kind of registration; known are open, invitation, closed"))
    }
}

/// Why registration or an invitation was not changed. The sentences are for people.
#[derive(Debug, thiserror::Error)]
pub enum InvitationError {
    /// The role doesn't allow it.
    #[error(transparent)]
    Forbidden(#[from] super::Forbidden),
    /// Too few or too many places or days, or a note that is too long.
    #[error(
        "an invitation has 1 to {MAX_PLACES} places, 1 to {MAX_DAYS} days, and a note of at most {MAX_NOTE} characters"
    )]
    BadInvitation,
    /// Somebody else changed it meanwhile.
    #[error("somebody changed this setting meanwhile; look at it again")]
    Changed,
    /// No such invitation, or it was taken back already.
    #[error("there is no such invitation that works")]
    NoSuchInvitation,
    /// Our fault.
    #[error("no randomness: {0}")]
    Random(#[from] getrandom::Error),
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Service {
    /// Who may register now.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn registration(&self) -> Result<Registration, StoreError> {
        let value = setting::get(self.store.read(), KEY).await?;
        Ok(kind(value.as_deref()))
    }

    /// Sets who may register; with `seen` only if it is still as somebody saw it.
    ///
    /// # Errors
    /// [`InvitationError::Forbidden`] below admin, [`InvitationError::Changed`].
    pub async fn set_registration(
        &self,
        actor: Option<&Actor>,
        seen: Option<Registration>,
        new: Registration,
        now: EpochMs,
    ) -> Result<(), InvitationError> {
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.begin_write().await?;
        let old = kind(setting::get(&mut *tx, KEY).await?.as_deref());
        if seen.is_some_and(|seen| seen != old) {
            return Err(InvitationError::Changed);
        }
        setting::set(&mut tx, KEY, new.as_str()).await?;
        record(&mut tx, actor, "registration.set", KEY, Some(old.as_str()), Some(new.as_str()), now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Makes an invitation for so many people and days; its token comes back once.
    ///
    /// # Errors
    /// [`InvitationError::Forbidden`] below admin, [`InvitationError::BadInvitation`].
    pub async fn invite(
        &self,
        actor: Option<&Actor>,
        note: &str,
        places: u32,
        days: u32,
        now: EpochMs,
    ) -> Result<(InvitationId, String), InvitationError> {
        require_or_terminal(actor, Role::Admin)?;
        let note = note.trim();
        let fits = (1..=MAX_PLACES).contains(&places) && (1..=MAX_DAYS).contains(&days);
        if !fits || note.chars().count() > MAX_NOTE || note.chars().any(char::is_control) {
            return Err(InvitationError::BadInvitation);
        }
        let token = tokens::random()?;
        let new = NewInvitation {
            token_sha256: tokens::stored(&token),
            note,
            places,
            expires: now.plus_ms(i64::from(days) * DAY_MS),
            created_by: actor.map(|actor| actor.account_id),
        };
        let mut tx = self.store.begin_write().await?;
        let id = invitation::insert(&mut tx, new, now).await?;
        let after = format!("{places} places, {days} days, {note}");
        record(&mut tx, actor, "invitation.make", &format!("invitation {id}"), None, Some(&after), now).await?;
        tx.commit().await?;
        Ok((id, token))
    }

    /// The invitations, newest first.
    ///
    /// # Errors
    /// [`InvitationError::Forbidden`] below admin.
    pub async fn invitations(&self, actor: Option<&Actor>, limit: u32) -> Result<Vec<Invitation>, InvitationError> {
        require_or_terminal(actor, Role::Admin)?;
        Ok(invitation::list(self.store.read(), limit).await?)
    }

    /// Takes an invitation back: nobody else gets in by it.
    ///
    /// # Errors
    /// [`InvitationError::Forbidden`] below admin, [`InvitationError::NoSuchInvitation`].
    pub async fn revoke_invitation(
        &self,
        actor: Option<&Actor>,
        id: InvitationId,
        now: EpochMs,
    ) -> Result<(), InvitationError> {
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.begin_write().await?;
        if !invitation::revoke(&mut tx, id, now).await? {
            return Err(InvitationError::NoSuchInvitation);
        }
        record(&mut tx, actor, "invitation.revoke", &format!("invitation {id}"), Some("open"), Some("revoked"), now)
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Whether somebody with this invitation's token (empty: none) may register now.
    ///
    /// # Errors
    /// [`AccountError::RegistrationClosed`], [`AccountError::InvitationGone`].
    pub async fn may_register(&self, invitation: &str, now: EpochMs) -> Result<(), AccountError> {
        match self.registration().await? {
            Registration::Open => Ok(()),
            Registration::Invitation if !invitation.is_empty() => {
                let open = invitation::is_open(self.store.read(), tokens::stored(invitation), now).await?;
                if open { Ok(()) } else { Err(AccountError::InvitationGone) }
            }
            Registration::Invitation | Registration::Closed => Err(AccountError::RegistrationClosed),
        }
    }
}

fn kind(stored: Option<&str>) -> Registration {
    stored.and_then(|text| text.parse().ok()).unwrap_or(Registration::Open)
}

/// Uses a place of the invitation up, where one is needed.
pub(super) async fn take_place(tx: &mut WriteTx, invitation: &str, now: EpochMs) -> Result<(), AccountError> {
    match kind(setting::get(&mut **tx, KEY).await?.as_deref()) {
        Registration::Open => Ok(()),
        Registration::Closed => Err(AccountError::RegistrationClosed),
        Registration::Invitation if invitation.is_empty() => Err(AccountError::RegistrationClosed),
        Registration::Invitation => {
            let taken = invitation::take(tx, tokens::stored(invitation), now).await?;
            if taken { Ok(()) } else { Err(AccountError::InvitationGone) }
        }
    }
}
