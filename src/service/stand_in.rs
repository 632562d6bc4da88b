//! For whom the command line acts where an act has an author: whoever can run it has the whole file anyway, but the log
//! and the lists should say a name.

use super::people::actor_of;
use super::{Actor, Service};
use crate::domain::account::Role;
use crate::store::people::{self, PeopleFilter};
use crate::store::{StoreError, account};

/// Why it acts for nobody. The sentences are for people.
#[derive(Debug, thiserror::Error)]
pub enum StandInError {
    /// Nobody has that name, or may not log in.
    #[error("there is no account `{0}` that can log in")]
    NoSuchAccount(String),
    /// There is no admin.
    #[error("there is no admin yet to act for; make one with `touchstone user create NAME --role admin`")]
    NoAdmin,
    /// There are several.
    #[error("say for whom with --as; the admins are {0}")]
    Several(String),
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Service {
    /// The account of this name; without one, the only admin.
    ///
    /// # Errors
    /// [`StandInError`].
    pub async fn stand_in(&self, name: Option<&str>) -> Result<Actor, StandInError> {
        let name = match name {
            Some(name) => name.to_owned(),
            None => self.only_admin().await?,
        };
        let found = account::by_name(self.store.read(), &name).await?.filter(|account| !account.disabled);
        let account = found.ok_or(StandInError::NoSuchAccount(name))?;
        Ok(actor_of(&account))
    }

    async fn only_admin(&self) -> Result<String, StandInError> {
        let filter = PeopleFilter { prefix: None, role: Some(Role::Admin), disabled: false, after: None };
        let people = people::list(self.store.read(), &filter, 20).await?;
        let mut admins: Vec<String> =
            people.into_iter().filter(|person| !person.disabled).map(|person| person.name).collect();
        if admins.len() > 1 {
            return Err(StandInError::Several(admins.join(", ")));
        }
        admins.pop().ok_or(StandInError::NoAdmin)
    }
}
