//! The second step of logging in, for staff who want it or must have it: a code of an authenticator app, or a recovery
//! code when that is lost. Owns: enrolling, asking, ending it, and the setting that makes it a must. How many wrong codes
//! are looked at is `log_in_guard`'s.

use std::net::IpAddr;

use super::accounts::{AccountError, find};
use super::sessions::{LogInError, SESSION_MS};
use super::{Actor, Forbidden, Service, passwords, record, require_or_terminal, tokens};
use crate::domain::account::Role;
use crate::domain::hash::Sha256;
use crate::domain::ids::AccountId;
use crate::domain::one_time_code::{SECRET_BYTES, Secret};
use crate::domain::time::EpochMs;
use crate::store::second_step::{self, MUST, Standing};
use crate::store::{StoreError, WriteTx, account, session, setting};

/// How long somebody who gave the right password may look for the code, milliseconds.
pub const HALF_MS: i64 = 10 * 60 * 1_000;
/// How many recovery codes somebody has at first.
pub const RECOVERY_CODES: usize = 10;

/// What follows a right password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoggedIn {
    /// A session's token.
    Session(String),
    /// A token with which [`Service::finish_log_in`] takes the code.
    CodeNeeded(String),
}

impl LoggedIn {
    /// The session's token; `None` where a code is owed.
    pub fn session(self) -> Option<String> {
        match self {
            Self::Session(token) => Some(token),
            Self::CodeNeeded(_) => None,
        }
    }
}

/// How somebody stands, for their page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnSecondStep {
    /// Since when it is asked for.
    pub since: Option<EpochMs>,
    /// How many recovery codes are left.
    pub codes_left: u32,
    /// Whether staff must have it.
    pub must: bool,
    /// Whether this account is staff's, whatever its role counts for now.
    pub is_staff: bool,
}

/// Why a code was not taken or the second step not changed. The sentences are for people.
#[derive(Debug, thiserror::Error)]
pub enum SecondStepError {
    /// Wrong, too old, or used before.
    #[error("this code is not right, or it was used already")]
    Wrong,
    /// Too many were wrong: this one was not looked at.
    #[error("too many wrong codes; please wait a little")]
    TooMany {
        /// After how many milliseconds the next is looked at.
        retry_after_ms: i64,
    },
    /// The password was long ago.
    #[error("this took too long; begin again with the password")]
    TooLate,
    /// It is on already.
    #[error("the second step is on already")]
    AlreadyOn,
    /// There is none to confirm.
    #[error("there is no second step to confirm; begin again")]
    NotBegun,
    /// Staff must have it.
    #[error("the second step is a must for staff")]
    Must,
    /// Who makes it a must would be locked out.
    #[error("set up your own second step first")]
    OwnFirst,
    /// Nobody has it.
    #[error("there is no account `{0}`")]
    NoSuchAccount(String),
    /// The password was wrong, or was not looked at.
    #[error(transparent)]
    Password(#[from] LogInError),
    /// The role doesn't allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// Our fault.
    #[error(transparent)]
    Generation(#[from] passwords::GenerationFailed),
    /// Our fault.
    #[error("no randomness: {0}")]
    Random(#[from] getrandom::Error),
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Whose code it is to be.
struct Owner<'a> {
    account: AccountId,
    name: &'a str,
    from: Option<IpAddr>,
}

impl<'a> Owner<'a> {
    fn of(actor: &'a Actor) -> Self {
        Self { account: actor.account_id, name: &actor.name, from: actor.address }
    }
}

/// How a code was right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Right {
    App,
    Recovery,
}

impl Service {
    /// What follows for an account whose password was right, or was just set by its link.
    ///
    /// # Errors
    /// [`LogInError::Store`], [`LogInError::Random`].
    pub async fn go_on(&self, account: AccountId, now: EpochMs) -> Result<LoggedIn, LogInError> {
        if !second_step::standing(self.store.read(), account).await?.on {
            return Ok(LoggedIn::Session(self.begin_session(account, now).await?));
        }
        let token = tokens::random()?;
        let mut tx = self.store.begin_write().await?;
        second_step::begin_half(&mut tx, tokens::stored(&token), account, now.plus_ms(HALF_MS), now).await?;
        tx.commit().await?;
        Ok(LoggedIn::CodeNeeded(token))
    }

    /// Whether [`Service::finish_log_in`] would look at a code with this token: for showing the form.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn owes_code(&self, token: &str, now: EpochMs) -> Result<bool, StoreError> {
        Ok(second_step::half(self.store.read(), tokens::stored(token), now).await?.is_some())
    }

    /// The token of a new session, once the code is right too.
    ///
    /// # Errors
    /// [`SecondStepError::Wrong`], [`SecondStepError::TooMany`], [`SecondStepError::TooLate`].
    pub async fn finish_log_in(
        &self,
        token: &str,
        code: &str,
        from: Option<IpAddr>,
        now: EpochMs,
    ) -> Result<String, SecondStepError> {
        let half = second_step::half(self.store.read(), tokens::stored(token), now).await?;
        let id = half.ok_or(SecondStepError::TooLate)?;
        let found = account::by_id(self.store.read(), id).await?.ok_or(SecondStepError::TooLate)?;
        let owner = Owner { account: id, name: &found.name, from };
        let (mut tx, right) = self.take_code(&owner, code, now).await?;
        // Sent twice: the first one ended it.
        if second_step::half(&mut *tx, tokens::stored(token), now).await?.is_none() {
            return Err(SecondStepError::TooLate);
        }
        second_step::end_halves(&mut tx, id).await?;
        let session = tokens::random()?;
        session::delete_expired(&mut tx, now).await?;
        session::insert(&mut tx, tokens::stored(&session), id, now.plus_ms(SESSION_MS), now).await?;
        if right == Right::Recovery {
            let left = second_step::recovery_codes_left(&mut *tx, id).await?;
            let actor = Actor {
                account_id: id,
                role: found.role,
                team_id: found.team_id,
                name: found.name.clone(),
                display_name: found.display_name.clone(),
                address: from,
            };
            let left = format!("{left} left");
            record(&mut tx, Some(&actor), "second_step.recovery", &found.name, None, Some(&left), now).await?;
        }
        tx.commit().await?;
        Ok(session)
    }

    /// How somebody stands.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn own_second_step(&self, actor: &Actor) -> Result<OwnSecondStep, StoreError> {
        let mut tx = self.store.snapshot().await?;
        let step = second_step::of(&mut *tx, actor.account_id).await?;
        let role = account::by_id(&mut *tx, actor.account_id).await?.map_or(Role::Contestant, |found| found.role);
        Ok(OwnSecondStep {
            since: step.and_then(|step| step.confirmed),
            codes_left: second_step::recovery_codes_left(&mut *tx, actor.account_id).await?,
            must: second_step::standing(&mut *tx, actor.account_id).await?.must,
            is_staff: role > Role::Contestant,
        })
    }

    /// Makes a secret for somebody's app. Nothing is asked for before [`Service::confirm_second_step`]. The password is
    /// asked for again, so that an open screen is not enough.
    ///
    /// # Errors
    /// [`SecondStepError::Password`], [`SecondStepError::AlreadyOn`]; [`SecondStepError::Forbidden`] for contestants.
    pub async fn begin_second_step(
        &self,
        actor: &Actor,
        password: &str,
        now: EpochMs,
    ) -> Result<Secret, SecondStepError> {
        let account = self.check_password(&actor.name, password, actor.address, now).await?;
        super::require(&account, Role::Setter)?;
        let mut bytes = [0; SECRET_BYTES];
        getrandom::fill(&mut bytes)?;
        let secret = Secret::new(bytes);
        let mut tx = self.store.begin_write().await?;
        if !second_step::begin(&mut tx, actor.account_id, &secret, now).await? {
            return Err(SecondStepError::AlreadyOn);
        }
        tx.commit().await?;
        Ok(secret)
    }

    /// The app shows the right code: from now on one is asked for. All other sessions of the account end. The recovery
    /// codes come back, this once.
    ///
    /// # Errors
    /// [`SecondStepError::Wrong`], [`SecondStepError::TooMany`], [`SecondStepError::NotBegun`],
    /// [`SecondStepError::AlreadyOn`].
    pub async fn confirm_second_step(
        &self,
        actor: &Actor,
        session: &str,
        code: &str,
        now: EpochMs,
    ) -> Result<Vec<String>, SecondStepError> {
        let pending = second_step::of(self.store.read(), actor.account_id).await?;
        match pending {
            None => return Err(SecondStepError::NotBegun),
            Some(step) if step.confirmed.is_some() => return Err(SecondStepError::AlreadyOn),
            Some(_) => {}
        }
        let (mut tx, _) = self.take_code(&Owner::of(actor), code, now).await?;
        second_step::confirm(&mut tx, actor.account_id, now).await?;
        session::delete_others(&mut tx, actor.account_id, tokens::stored(session)).await?;
        let codes = renew_codes(&mut tx, actor.account_id).await?;
        record(&mut tx, Some(actor), "second_step.on", &actor.name, Some("off"), Some("on"), now).await?;
        tx.commit().await?;
        Ok(codes)
    }

    /// New recovery codes in the place of the old ones.
    ///
    /// # Errors
    /// [`SecondStepError::Wrong`], [`SecondStepError::TooMany`].
    pub async fn new_recovery_codes(
        &self,
        actor: &Actor,
        code: &str,
        now: EpochMs,
    ) -> Result<Vec<String>, SecondStepError> {
        let (mut tx, _) = self.take_code(&Owner::of(actor), code, now).await?;
        let codes = renew_codes(&mut tx, actor.account_id).await?;
        record(&mut tx, Some(actor), "second_step.codes", &actor.name, None, None, now).await?;
        tx.commit().await?;
        Ok(codes)
    }

    /// Somebody wants to be asked no longer.
    ///
    /// # Errors
    /// [`SecondStepError::Wrong`], [`SecondStepError::TooMany`], [`SecondStepError::Must`].
    pub async fn end_second_step(&self, actor: &Actor, code: &str, now: EpochMs) -> Result<(), SecondStepError> {
        let own = self.own_second_step(actor).await?;
        if own.must && own.is_staff {
            return Err(SecondStepError::Must);
        }
        let (mut tx, _) = self.take_code(&Owner::of(actor), code, now).await?;
        second_step::remove(&mut tx, actor.account_id).await?;
        record(&mut tx, Some(actor), "second_step.off", &actor.name, Some("on"), Some("off"), now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Takes the second step off somebody who lost app and codes; their sessions end. Tells whether there was one.
    /// `None` is the command line.
    ///
    /// # Errors
    /// [`SecondStepError::NoSuchAccount`], [`SecondStepError::Forbidden`] below admin.
    pub async fn reset_second_step(
        &self,
        actor: Option<&Actor>,
        name: &str,
        now: EpochMs,
    ) -> Result<bool, SecondStepError> {
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.begin_write().await?;
        let found = match find(&mut tx, name).await {
            Ok(found) => found,
            Err(AccountError::Store(error)) => return Err(error.into()),
            Err(_) => return Err(SecondStepError::NoSuchAccount(name.to_owned())),
        };
        let was_on = second_step::standing(&mut *tx, found.id).await?.on;
        second_step::remove(&mut tx, found.id).await?;
        session::delete_of_account(&mut tx, found.id).await?;
        let before = if was_on { "on" } else { "off" };
        record(&mut tx, actor, "second_step.reset", &found.name, Some(before), Some("off"), now).await?;
        tx.commit().await?;
        Ok(was_on)
    }

    /// Whether staff must have a second step.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn second_step_is_must(&self) -> Result<bool, StoreError> {
        Ok(setting::get(self.store.read(), MUST.0).await?.as_deref() == Some(MUST.1))
    }

    /// Makes it a must for staff, or a choice. Who has none then may do what a contestant may until it is set up.
    ///
    /// # Errors
    /// [`SecondStepError::OwnFirst`], [`SecondStepError::Forbidden`] below admin.
    pub async fn require_second_step(
        &self,
        actor: Option<&Actor>,
        must: bool,
        now: EpochMs,
    ) -> Result<(), SecondStepError> {
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.begin_write().await?;
        if let Some(actor) = actor.filter(|_| must)
            && !second_step::standing(&mut *tx, actor.account_id).await?.on
        {
            return Err(SecondStepError::OwnFirst);
        }
        let word = |must: bool| if must { MUST.1 } else { "nobody" };
        let before = setting::get(&mut *tx, MUST.0).await?.as_deref() == Some(MUST.1);
        setting::set(&mut tx, MUST.0, word(must)).await?;
        record(&mut tx, actor, "second_step.must", "staff", Some(word(before)), Some(word(must)), now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Uses a code up, in the transaction that comes back. Failures count as wrong passwords do.
    async fn take_code(
        &self,
        owner: &Owner<'_>,
        code: &str,
        now: EpochMs,
    ) -> Result<(WriteTx, Right), SecondStepError> {
        self.guard
            .begin(owner.name, owner.from, now)
            .map_err(|retry_after_ms| SecondStepError::TooMany { retry_after_ms })?;
        let mut tx = self.store.begin_write().await?;
        let right = right(&mut tx, owner.account, code, now).await?.ok_or(SecondStepError::Wrong)?;
        self.guard.succeeded(owner.name, owner.from, now);
        Ok((tx, right))
    }

    /// The role that counts: staff who must have a second step and have none may do what a contestant may.
    pub(super) async fn role_that_counts(&self, account: AccountId, role: Role) -> Result<Role, StoreError> {
        if role == Role::Contestant {
            return Ok(role);
        }
        let Standing { on, must } = second_step::standing(self.store.read(), account).await?;
        Ok(if must && !on { Role::Contestant } else { role })
    }
}

async fn right(tx: &mut WriteTx, account: AccountId, code: &str, now: EpochMs) -> Result<Option<Right>, StoreError> {
    let Some(step) = second_step::of(&mut **tx, account).await? else { return Ok(None) };
    if let Some(number) = step.secret.step_of(code, now) {
        return Ok(second_step::use_step(tx, account, number).await?.then_some(Right::App));
    }
    let used = second_step::use_recovery_code(tx, account, stored_code(code), now).await?;
    Ok(used.then_some(Right::Recovery))
}

async fn renew_codes(tx: &mut WriteTx, account: AccountId) -> Result<Vec<String>, SecondStepError> {
    let mut codes = Vec::with_capacity(RECOVERY_CODES);
    for _ in 0..RECOVERY_CODES {
        codes.push(passwords::generated()?.expose().to_owned());
    }
    let stored: Vec<Sha256> = codes.iter().map(|code| stored_code(code)).collect();
    second_step::set_recovery_codes(tx, account, &stored).await?;
    Ok(codes)
}

/// What is stored of a recovery code: the letters, however they were typed. 59 random bits need no slow hash.
fn stored_code(code: &str) -> Sha256 {
    let letters: String = code.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    tokens::stored(&letters)
}
