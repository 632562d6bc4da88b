//! Groups and organizations: what an admin sees and changes of them. Many at once come from files (`roster_import`).

use super::teams::{TeamError, name, optional_id, seen_of, some, told};
use super::{Actor, Service, record, require_or_terminal};
use crate::domain::account::Role;
use crate::domain::time::EpochMs;
use crate::store::affiliation::{self, Affiliation, Kind};
use crate::store::roster::OrganizationFacts;
use crate::store::{WriteTx, roster, team};

/// A group or an organization as an admin wants it. What is left out is empty; what the other kind has stays so.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WantedAffiliation {
    /// Its name.
    pub name: String,
    /// Its id at the ICPC.
    #[serde(default)]
    pub icpc_id: String,
    /// An organization's whole name.
    #[serde(default)]
    pub formal_name: String,
    /// An organization's country, ISO 3166-1 alpha-3.
    #[serde(default)]
    pub country: String,
    /// Whether a group's teams have no row on boards.
    #[serde(default)]
    pub hidden: bool,
}

impl From<&Affiliation> for WantedAffiliation {
    fn from(one: &Affiliation) -> Self {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        Self {
            name: one.name.clone(),
            icpc_id: text(&one.icpc_id),
            formal_name: text(&one.formal_name),
            country: text(&one.country),
            hidden: one.hidden,
        }
    }
}

const fn no_such(kind: Kind, id: String) -> TeamError {
    match kind {
        Kind::Group => TeamError::NoSuchGroup(id),
        Kind::Organization => TeamError::NoSuchOrganization(id),
    }
}

impl Service {
    /// A page of the list, by name, behind the one with the id `after`; with `contains` in a name or the id.
    ///
    /// # Errors
    /// [`TeamError::Forbidden`] below admin.
    pub async fn affiliations(
        &self,
        actor: Option<&Actor>,
        kind: Kind,
        contains: Option<&str>,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Affiliation>, TeamError> {
        require_or_terminal(actor, Role::Admin)?;
        Ok(affiliation::list(self.store.read(), kind, contains, after, limit).await?)
    }

    /// The one with this id.
    ///
    /// # Errors
    /// [`TeamError::NoSuchGroup`], [`TeamError::NoSuchOrganization`], [`TeamError::Forbidden`] below admin.
    pub async fn affiliation(&self, actor: Option<&Actor>, kind: Kind, id: &str) -> Result<Affiliation, TeamError> {
        require_or_terminal(actor, Role::Admin)?;
        let found = affiliation::by_id(self.store.read(), kind, id).await?;
        found.ok_or_else(|| no_such(kind, id.to_owned()))
    }

    /// Makes one; without an id it gets one that is free. Returns its id.
    ///
    /// # Errors
    /// [`TeamError`]: every variant but `Store` is for the form.
    pub async fn create_affiliation(
        &self,
        actor: Option<&Actor>,
        kind: Kind,
        id: &str,
        wanted: &WantedAffiliation,
        now: EpochMs,
    ) -> Result<String, TeamError> {
        require_or_terminal(actor, Role::Admin)?;
        let (given, wanted) = (optional_id(id)?, checked(kind, wanted)?);
        let mut tx = self.store.begin_write().await?;
        let id = match some(&given) {
            Some(id) if affiliation::by_id(&mut *tx, kind, id).await?.is_some() => {
                return Err(TeamError::IdTaken(given));
            }
            Some(id) => id.to_owned(),
            None => free(&mut tx, kind).await?,
        };
        put(&mut tx, kind, &id, &wanted, now).await?;
        let (_, after) = told(&WantedAffiliation::default(), &wanted);
        let act = match kind {
            Kind::Group => "group.create",
            Kind::Organization => "organization.create",
        };
        record(&mut tx, actor, act, &id, None, Some(&after), now).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// Makes it so. `seen` is the digest ([`seen_of`]) of what its editor saw; `None`: whatever it is now.
    ///
    /// # Errors
    /// [`TeamError`]: every variant but `Store` is for the form.
    pub async fn edit_affiliation(
        &self,
        actor: Option<&Actor>,
        kind: Kind,
        id: &str,
        seen: Option<&str>,
        wanted: &WantedAffiliation,
        now: EpochMs,
    ) -> Result<(), TeamError> {
        require_or_terminal(actor, Role::Admin)?;
        let wanted = checked(kind, wanted)?;
        let mut tx = self.store.begin_write().await?;
        let (_, before) = as_seen(&mut tx, kind, id, seen).await?;
        if before == wanted {
            return Ok(());
        }
        put(&mut tx, kind, id, &wanted, now).await?;
        // Boards and feeds learn of it by one of its teams.
        if let Some(one) = affiliation::a_team(&mut *tx, kind, id).await? {
            team::changed(&mut tx, one, now).await?;
        }
        let (was, is) = told(&before, &wanted);
        let act = match kind {
            Kind::Group => "group.edit",
            Kind::Organization => "organization.edit",
        };
        record(&mut tx, actor, act, id, Some(&was), Some(&is), now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Deletes it, if no team belongs to it. `seen` is as for [`Service::edit_affiliation`].
    ///
    /// # Errors
    /// [`TeamError::HasTeams`], [`TeamError::Changed`], [`TeamError::NoSuchGroup`], [`TeamError::NoSuchOrganization`],
    /// [`TeamError::Forbidden`] below admin.
    pub async fn delete_affiliation(
        &self,
        actor: Option<&Actor>,
        kind: Kind,
        id: &str,
        seen: Option<&str>,
        now: EpochMs,
    ) -> Result<(), TeamError> {
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.begin_write().await?;
        let (old, before) = as_seen(&mut tx, kind, id, seen).await?;
        if old.teams > 0 {
            return Err(TeamError::HasTeams { name: old.name, teams: old.teams });
        }
        affiliation::delete(&mut tx, kind, id).await?;
        let (was, _) = told(&before, &WantedAffiliation::default());
        let act = match kind {
            Kind::Group => "group.delete",
            Kind::Organization => "organization.delete",
        };
        record(&mut tx, actor, act, id, Some(&was), None, now).await?;
        tx.commit().await?;
        Ok(())
    }
}

/// The one with this id, if it is still what its editor saw.
async fn as_seen(
    tx: &mut WriteTx,
    kind: Kind,
    id: &str,
    seen: Option<&str>,
) -> Result<(Affiliation, WantedAffiliation), TeamError> {
    let found = affiliation::by_id(&mut **tx, kind, id).await?.ok_or_else(|| no_such(kind, id.to_owned()))?;
    let now = WantedAffiliation::from(&found);
    if seen.is_some_and(|seen| seen != seen_of(&now)) {
        return Err(TeamError::Changed);
    }
    Ok((found, now))
}

/// Without needless spaces, and without what only the other kind has.
fn checked(kind: Kind, wanted: &WantedAffiliation) -> Result<WantedAffiliation, TeamError> {
    let common = WantedAffiliation {
        name: name(&wanted.name)?,
        icpc_id: optional_id(&wanted.icpc_id)?,
        ..WantedAffiliation::default()
    };
    if kind == Kind::Group {
        return Ok(WantedAffiliation { hidden: wanted.hidden, ..common });
    }
    let country = wanted.country.trim().to_ascii_uppercase();
    if !(country.is_empty() || country.len() == 3 && country.bytes().all(|byte| byte.is_ascii_uppercase())) {
        return Err(TeamError::BadCountry(country.chars().take(20).collect()));
    }
    let formal = wanted.formal_name.trim();
    let formal_name = if formal.is_empty() { String::new() } else { name(formal)? };
    Ok(WantedAffiliation { formal_name, country, ..common })
}

/// An id that nothing of the kind has: the first number behind how many there are.
async fn free(tx: &mut WriteTx, kind: Kind) -> Result<String, TeamError> {
    let mut number = affiliation::count(&mut **tx, kind).await? + 1;
    while affiliation::by_id(&mut **tx, kind, &number.to_string()).await?.is_some() {
        number += 1;
    }
    Ok(number.to_string())
}

async fn put(
    tx: &mut WriteTx,
    kind: Kind,
    id: &str,
    wanted: &WantedAffiliation,
    now: EpochMs,
) -> Result<(), TeamError> {
    let icpc_id = some(&wanted.icpc_id);
    match kind {
        Kind::Group => roster::put_group(tx, id, icpc_id, &wanted.name, wanted.hidden, now).await?,
        Kind::Organization => {
            let (formal_name, country) = (some(&wanted.formal_name), some(&wanted.country));
            let facts = OrganizationFacts { icpc_id, name: &wanted.name, formal_name, country };
            roster::put_organization(tx, id, &facts, now).await?;
        }
    }
    Ok(())
}
