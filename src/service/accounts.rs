//! Accounts: registering, making them for others, passwords, and the first admin's one-time link.

use super::passwords::HashingFailed;
use super::{Actor, Forbidden, Service, record, registration, tokens};
use crate::domain::account::{NewPassword, Role, UserName};
use crate::domain::ids::AccountId;
use crate::domain::time::EpochMs;
use crate::store::account::{self, Account, NewAccount};
use crate::store::link::{self, LinkPurpose};
use crate::store::{StoreError, WriteTx, account_look, session};

/// How long the first admin's link works, milliseconds. A restart prints a new one.
const FIRST_ADMIN_MS: i64 = 24 * 60 * 60 * 1_000;
/// The longest display name, characters.
const MAX_DISPLAY_NAME: usize = 80;

/// Why an account could not be made or changed. The sentences are for people.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// Somebody has it.
    #[error("the name `{0}` is taken")]
    NameTaken(UserName),
    /// Somebody has one that can be taken for it.
    #[error("the name looks like `{0}`, which somebody has")]
    LooksLike(String),
    /// Too long, or with control characters.
    #[error("a display name has 1 to {MAX_DISPLAY_NAME} characters on one line")]
    BadDisplayName,
    /// Nobody has it.
    #[error("there is no account `{0}`")]
    NoSuchAccount(String),
    /// The old password was wrong.
    #[error("the current password is not right")]
    WrongPassword,
    /// Unknown, used before, expired or replaced.
    #[error(
        "this link does not work: it was used, has expired, or a newer one replaced it; starting the server again prints a new one while there is no admin"
    )]
    LinkUsedUp,
    /// There is an admin already.
    #[error("there is an admin already; log in, or run `touchstone user create` for another")]
    HasAdmin,
    /// Registration is closed, or needs an invitation that this is none of.
    #[error("this judge takes no registrations now")]
    RegistrationClosed,
    /// The invitation is unknown, used up, expired or was taken back.
    #[error("this invitation does not work: it is used up, has expired or was taken back")]
    InvitationGone,
    /// Nobody could be an admin afterwards.
    #[error("this is the last admin that can log in; make somebody else one first")]
    LastAdmin,
    /// Somebody else changed it meanwhile.
    #[error("somebody changed this account meanwhile; look at it again")]
    Changed,
    /// The role doesn't allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
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

impl Service {
    /// Somebody makes an account of their own: a contestant with a team of its own. An empty display name is the name.
    ///
    /// # Errors
    /// [`AccountError::NameTaken`], [`AccountError::LooksLike`], [`AccountError::BadDisplayName`],
    /// [`AccountError::RegistrationClosed`].
    pub async fn register(
        &self,
        name: &UserName,
        display_name: &str,
        password: &NewPassword,
        now: EpochMs,
    ) -> Result<AccountId, AccountError> {
        self.register_with(name, display_name, password, "", now).await
    }

    /// The same with the token of an invitation; where registration is open none is needed and none is used up.
    ///
    /// # Errors
    /// As [`Service::register`], and [`AccountError::InvitationGone`].
    pub async fn register_with(
        &self,
        name: &UserName,
        display_name: &str,
        password: &NewPassword,
        invitation: &str,
        now: EpochMs,
    ) -> Result<AccountId, AccountError> {
        let display_name = display_name_of(name, display_name)?;
        // Before the costly hashing: anybody can send forms.
        self.may_register(invitation, now).await?;
        let hash = self.passwords.hash(password).await?;
        let mut tx = self.store.begin_write().await?;
        let new = NewAccount { name, display_name, role: Role::Contestant, password_hash: Some(&hash) };
        if account::by_name(&mut *tx, name.as_str()).await?.is_some() {
            return Err(AccountError::NameTaken(name.clone()));
        }
        if let Some(double) = account_look::double_of(&mut tx, [name.as_str(), display_name]).await? {
            return Err(AccountError::LooksLike(double));
        }
        registration::take_place(&mut tx, invitation, now).await?;
        let id = insert(&mut tx, new, now).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// The command line makes an account with any role. Without a password nobody can log in to it yet.
    ///
    /// # Errors
    /// [`AccountError::NameTaken`].
    pub async fn create_user(
        &self,
        name: &UserName,
        role: Role,
        password: Option<&NewPassword>,
        now: EpochMs,
    ) -> Result<AccountId, AccountError> {
        let hash = match password {
            Some(password) => Some(self.passwords.hash(password).await?),
            None => None,
        };
        let mut tx = self.store.begin_write().await?;
        let new = NewAccount { name, display_name: name.as_str(), role, password_hash: hash.as_deref() };
        let id = insert(&mut tx, new, now).await?;
        record(&mut tx, None, "account.create", name.as_str(), None, Some(role.as_str()), now).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// The command line sets somebody's password; all sessions of that account end.
    ///
    /// # Errors
    /// [`AccountError::NoSuchAccount`].
    pub async fn reset_password(&self, name: &str, password: &NewPassword, now: EpochMs) -> Result<(), AccountError> {
        let hash = self.passwords.hash(password).await?;
        let mut tx = self.store.begin_write().await?;
        let account = find(&mut tx, name).await?;
        account::set_password_hash(&mut tx, account.id, &hash).await?;
        session::delete_of_account(&mut tx, account.id).await?;
        record(&mut tx, None, "account.password", &account.name, None, None, now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Somebody changes their own password; all sessions of the account end, also the one that asks.
    ///
    /// # Errors
    /// [`AccountError::WrongPassword`].
    pub async fn change_password(
        &self,
        actor: &Actor,
        old: &str,
        new: &NewPassword,
        now: EpochMs,
    ) -> Result<(), AccountError> {
        let credentials = account::credentials(self.store.read(), &actor.name).await?;
        let hash = credentials.and_then(|credentials| credentials.password_hash);
        if !self.passwords.verify(old, hash).await? {
            return Err(AccountError::WrongPassword);
        }
        let hash = self.passwords.hash(new).await?;
        let mut tx = self.store.begin_write().await?;
        account::set_password_hash(&mut tx, actor.account_id, &hash).await?;
        session::delete_of_account(&mut tx, actor.account_id).await?;
        record(&mut tx, Some(actor), "account.password", &actor.name, None, None, now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// A token for the link that makes the first admin; `None` when there is an admin. Earlier links end.
    ///
    /// # Errors
    /// [`AccountError::Store`], [`AccountError::Random`].
    pub async fn first_admin_link(&self, now: EpochMs) -> Result<Option<String>, AccountError> {
        let token = tokens::random()?;
        let mut tx = self.store.begin_write().await?;
        if account::has_admin(&mut *tx).await? {
            return Ok(None);
        }
        let expires = now.plus_ms(FIRST_ADMIN_MS);
        link::replace(&mut tx, tokens::stored(&token), LinkPurpose::FirstAdmin, None, expires, now).await?;
        tx.commit().await?;
        Ok(Some(token))
    }

    /// Whether [`Service::set_first_admin`] would take this token: for showing the form.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn first_admin_link_works(&self, token: &str, now: EpochMs) -> Result<bool, StoreError> {
        Ok(link::is_open(self.store.read(), tokens::stored(token), LinkPurpose::FirstAdmin, now).await?
            && !account::has_admin(self.store.read()).await?)
    }

    /// Makes the first admin and uses the link up.
    ///
    /// # Errors
    /// [`AccountError::LinkUsedUp`], [`AccountError::HasAdmin`], [`AccountError::NameTaken`] (the link still works).
    pub async fn set_first_admin(
        &self,
        token: &str,
        name: &UserName,
        password: &NewPassword,
        now: EpochMs,
    ) -> Result<AccountId, AccountError> {
        if !self.first_admin_link_works(token, now).await? {
            // Before the costly hashing: anybody can send tokens.
            return Err(AccountError::LinkUsedUp);
        }
        let hash = self.passwords.hash(password).await?;
        let mut tx = self.store.begin_write().await?;
        if link::take(&mut tx, tokens::stored(token), LinkPurpose::FirstAdmin, now).await?.is_none() {
            return Err(AccountError::LinkUsedUp);
        }
        if account::has_admin(&mut *tx).await? {
            return Err(AccountError::HasAdmin);
        }
        let new = NewAccount { name, display_name: name.as_str(), role: Role::Admin, password_hash: Some(&hash) };
        let id = insert(&mut tx, new, now).await?;
        record(&mut tx, None, "account.first_admin", name.as_str(), None, None, now).await?;
        tx.commit().await?;
        Ok(id)
    }
}

async fn insert(tx: &mut WriteTx, new: NewAccount<'_>, now: EpochMs) -> Result<AccountId, AccountError> {
    account::insert(tx, new, now).await?.ok_or_else(|| AccountError::NameTaken(new.name.clone()))
}

pub(super) async fn find(tx: &mut WriteTx, name: &str) -> Result<Account, AccountError> {
    account::by_name(&mut **tx, name).await?.ok_or_else(|| AccountError::NoSuchAccount(name.to_owned()))
}

pub(super) fn display_name_of<'a>(name: &'a UserName, given: &'a str) -> Result<&'a str, AccountError> {
    let given = given.trim();
    if given.chars().count() > MAX_DISPLAY_NAME || given.chars().any(char::is_control) {
        return Err(AccountError::BadDisplayName);
    }
    Ok(if given.is_empty() { name.as_str() } else { given })
}
