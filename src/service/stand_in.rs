//! For whom the command line acts where an act has an author: whoever can run it has the whole file anyway, but the log
//! and the lists should say a name.

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
            None => {
                let filter = PeopleFilter { prefix: None, role: Some(Role::Admin), disabled: false, after: None };
                let mut admins: Vec<String> = people::list(self.store.read(), &filter, 20)
                    .await?
                    .into_iter()
                    .filter(|person| !person.disabled)
                    .map(|person| person.name)
                    .collect();
                match (admins.pop(), admins.is_empty()) {
                    (None, _) => return Err(StandInError::NoAdmin),
                    (Some(only), true) => only,
                    (Some(last), false) => return Err(StandInError::Several([admins, vec![last]].concat().join(", "))),
                }
            }
        };
        let found = account::by_name(self.store.read(), &name).await?.filter(|account| !account.disabled);
        let account = found.ok_or(StandInError::NoSuchAccount(name))?;
        Ok(Actor {
            account_id: account.id,
            role: account.role,
            team_id: account.team_id,
            name: account.name,
            display_name: account.display_name,
            address: None,
        })
    }
}
