//! What an admin does with accounts: roles, disabling, ending sessions, links that set a new password. Each act says what
//! was before. Making accounts is in `accounts` and `roster_import`.

use super::accounts::{AccountError, find};
use super::{Actor, Forbidden, Service, record, require_or_terminal, tokens};
use crate::domain::account::{NewPassword, Role};
use crate::domain::ids::AccountId;
use crate::domain::time::EpochMs;
use crate::store::account::{self, Account};
use crate::store::audit::{self, Act, ActFilter};
use crate::store::link::{self, LinkPurpose};
use crate::store::people::{self, PeopleFilter, Person};
use crate::store::{StoreError, WriteTx, session};

/// How long a link that sets a password works, milliseconds.
pub const PASSWORD_LINK_MS: i64 = 3 * 24 * 60 * 60 * 1_000;

impl Service {
    /// A page of the list of people, by name.
    ///
    /// # Errors
    /// [`AccountError::Forbidden`] below admin.
    pub async fn people(
        &self,
        actor: Option<&Actor>,
        filter: &PeopleFilter,
        limit: u32,
    ) -> Result<Vec<Person>, AccountError> {
        require_or_terminal(actor, Role::Admin)?;
        Ok(people::list(self.store.read(), filter, limit).await?)
    }

    /// One of them, with their newest acts and what was done to them, newest first.
    ///
    /// # Errors
    /// [`AccountError::Forbidden`] below admin.
    pub async fn person(&self, actor: &Actor, id: AccountId) -> Result<Option<(Person, Vec<Act>)>, AccountError> {
        require_or_terminal(Some(actor), Role::Admin)?;
        let Some(person) = people::by_id(self.store.read(), id).await? else { return Ok(None) };
        let about = ActFilter { subject: Some(person.name.clone()), ..ActFilter::default() };
        let acts = audit::list(self.store.read(), &about, None, 20).await?;
        Ok(Some((person, acts)))
    }

    /// Gives an account another role. `None` is the command line.
    ///
    /// # Errors
    /// [`AccountError::NoSuchAccount`], [`AccountError::LastAdmin`], [`AccountError::Forbidden`] below admin.
    pub async fn set_role(
        &self,
        actor: Option<&Actor>,
        name: &str,
        role: Role,
        now: EpochMs,
    ) -> Result<(), AccountError> {
        self.change_role(actor, name, None, role, now).await
    }

    /// The same, only if the account's role is still the one that somebody saw.
    ///
    /// # Errors
    /// As [`Service::set_role`], and [`AccountError::Changed`].
    pub async fn change_role(
        &self,
        actor: Option<&Actor>,
        name: &str,
        seen: Option<Role>,
        role: Role,
        now: EpochMs,
    ) -> Result<(), AccountError> {
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.begin_write().await?;
        let account = find(&mut tx, name).await?;
        if seen.is_some_and(|seen| seen != account.role) {
            return Err(AccountError::Changed);
        }
        if role != Role::Admin {
            keep_an_admin(&mut tx, &account).await?;
        }
        account::set_role(&mut tx, account.id, role, now).await?;
        let (before, after) = (Some(account.role.as_str()), Some(role.as_str()));
        record(&mut tx, actor, "account.role", &account.name, before, after, now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Lets an account log in no longer, or again. Its sessions end.
    ///
    /// # Errors
    /// [`AccountError::NoSuchAccount`], [`AccountError::LastAdmin`], [`AccountError::Forbidden`] below admin.
    pub async fn set_disabled(
        &self,
        actor: impl Into<Option<&Actor>>,
        name: &str,
        disabled: bool,
        now: EpochMs,
    ) -> Result<(), AccountError> {
        let actor = actor.into();
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.begin_write().await?;
        let account = find(&mut tx, name).await?;
        if disabled {
            keep_an_admin(&mut tx, &account).await?;
        }
        account::set_disabled(&mut tx, account.id, disabled, now).await?;
        session::delete_of_account(&mut tx, account.id).await?;
        let word = |disabled: bool| Some(if disabled { "disabled" } else { "enabled" });
        let act = if disabled { "account.disable" } else { "account.enable" };
        record(&mut tx, actor, act, &account.name, word(account.disabled), word(disabled), now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Ends all sessions of somebody; tells how many there were.
    ///
    /// # Errors
    /// [`AccountError::NoSuchAccount`], [`AccountError::Forbidden`] below admin.
    pub async fn sign_out(&self, actor: Option<&Actor>, name: &str, now: EpochMs) -> Result<u64, AccountError> {
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.begin_write().await?;
        let account = find(&mut tx, name).await?;
        let ended = session::delete_of_account(&mut tx, account.id).await?;
        let before = format!("{ended} sessions");
        record(&mut tx, actor, "account.sign_out", &account.name, Some(&before), Some("0 sessions"), now).await?;
        tx.commit().await?;
        Ok(ended)
    }

    /// The token of a link by which somebody sets a new password, once, within [`PASSWORD_LINK_MS`]. An earlier link of
    /// theirs ends; the old password works until the link is used.
    ///
    /// # Errors
    /// [`AccountError::NoSuchAccount`], [`AccountError::Forbidden`] below admin.
    pub async fn password_link(&self, actor: Option<&Actor>, name: &str, now: EpochMs) -> Result<String, AccountError> {
        require_or_terminal(actor, Role::Admin)?;
        let token = tokens::random()?;
        let mut tx = self.store.begin_write().await?;
        let account = find(&mut tx, name).await?;
        let expires = now.plus_ms(PASSWORD_LINK_MS);
        link::replace(&mut tx, tokens::stored(&token), LinkPurpose::Password, Some(account.id), expires, now).await?;
        record(&mut tx, actor, "account.password_link", &account.name, None, None, now).await?;
        tx.commit().await?;
        Ok(token)
    }

    /// Whether [`Service::use_password_link`] would take this token: for showing the form.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn password_link_works(&self, token: &str, now: EpochMs) -> Result<bool, StoreError> {
        link::is_open(self.store.read(), tokens::stored(token), LinkPurpose::Password, now).await
    }

    /// Sets the password that somebody chose by their link, and ends all their sessions. Whose it is comes back.
    ///
    /// # Errors
    /// [`AccountError::LinkUsedUp`].
    pub async fn use_password_link(
        &self,
        token: &str,
        password: &NewPassword,
        now: EpochMs,
    ) -> Result<Account, AccountError> {
        if !self.password_link_works(token, now).await? {
            // Before the costly hashing: anybody can send tokens.
            return Err(AccountError::LinkUsedUp);
        }
        let hash = self.passwords.hash(password).await?;
        let mut tx = self.store.begin_write().await?;
        let used_up = link::take(&mut tx, tokens::stored(token), LinkPurpose::Password, now).await?;
        let id = used_up.and_then(|link| link.account_id).ok_or(AccountError::LinkUsedUp)?;
        let account = account::by_id(&mut *tx, id).await?.ok_or(AccountError::LinkUsedUp)?;
        account::set_password_hash(&mut tx, id, &hash).await?;
        session::delete_of_account(&mut tx, id).await?;
        let actor = actor_of(&account);
        record(&mut tx, Some(&actor), "account.password", &account.name, None, None, now).await?;
        tx.commit().await?;
        Ok(account)
    }

    /// What the log says, newest first, before the act of this number.
    ///
    /// # Errors
    /// [`Forbidden`] below admin, [`StoreError`].
    pub async fn acts(
        &self,
        actor: Option<&Actor>,
        filter: &ActFilter,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<Act>, ActsError> {
        require_or_terminal(actor, Role::Admin)?;
        Ok(audit::list(self.store.read(), filter, before, limit).await?)
    }
}

/// Why the log can't be read.
#[derive(Debug, thiserror::Error)]
pub enum ActsError {
    /// The role doesn't allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The account as somebody who acts; from where is not known.
pub(super) fn actor_of(account: &Account) -> Actor {
    Actor {
        account_id: account.id,
        role: account.role,
        team_id: account.team_id,
        name: account.name.clone(),
        display_name: account.display_name.clone(),
        address: None,
    }
}

/// Somebody must be able to make admins.
async fn keep_an_admin(tx: &mut WriteTx, account: &Account) -> Result<(), AccountError> {
    let is_one = account.role == Role::Admin && !account.disabled;
    if is_one && !account::has_other_admin(&mut **tx, account.id).await? {
        return Err(AccountError::LastAdmin);
    }
    Ok(())
}
