//! Teams: what an admin sees and changes of them, and who hands in for them. Many at once come from files
//! (`roster_import`); what a contest invites is in `contests`.

use super::{Actor, Forbidden, Service, record, require_or_terminal};
use crate::domain::account::Role;
use crate::domain::hash::Sha256;
use crate::domain::ids::TeamId;
use crate::domain::time::EpochMs;
use crate::roster::MAX_NAME;
use crate::store::account::{self, Account};
use crate::store::team::{self, Member, Team, TeamFilter, TeamRow};
use crate::store::{StoreError, WriteTx, roster, session};

/// The longest id or label, bytes.
pub const MAX_ID: usize = 64;

/// Why a team, a group or an organization was not changed. The sentences are for people.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// The role doesn't allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// No such team.
    #[error("there is no team `{0}`")]
    NoSuchTeam(String),
    /// No such group.
    #[error("there is no group with the id `{0}`")]
    NoSuchGroup(String),
    /// No such organization.
    #[error("there is no organization with the id `{0}`")]
    NoSuchOrganization(String),
    /// No such account.
    #[error("there is no account `{0}`")]
    NoSuchAccount(String),
    /// It is in another team.
    #[error("`{0}` is not in this team")]
    NoMember(String),
    /// A name that can't be used.
    #[error("a name has 1 to {MAX_NAME} characters")]
    BadName,
    /// An id or a label that can't be used.
    #[error("`{0}` can't be an id or a label: 1 to {MAX_ID} bytes without spaces")]
    BadId(String),
    /// A country that can't be used.
    #[error("`{0}` is no country; write three capital letters as in ISO 3166-1, e.g. NOR")]
    BadCountry(String),
    /// Another team has the name.
    #[error("another team is called `{0}`")]
    NameTaken(String),
    /// Another has the id.
    #[error("the id `{0}` is taken")]
    IdTaken(String),
    /// A group or an organization that is to be deleted has teams.
    #[error("`{name}` still has teams ({teams}); take them out first")]
    HasTeams {
        /// Its name.
        name: String,
        /// How many.
        teams: u32,
    },
    /// Somebody else changed it since it was read.
    #[error("somebody else changed it meanwhile; look at it again and repeat what you meant")]
    Changed,
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A team as an admin wants it. What is left out is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WantedTeam {
    /// Its name, which no other team has.
    pub name: String,
    /// What boards show; empty: its name.
    #[serde(default)]
    pub display_name: String,
    /// What is on its seat.
    #[serde(default)]
    pub label: String,
    /// Its id in files; empty: it has none.
    #[serde(default)]
    pub external_id: String,
    /// Its id at the ICPC.
    #[serde(default)]
    pub icpc_id: String,
    /// Its organization's id; empty: none.
    #[serde(default)]
    pub organization: String,
    /// Its groups' ids.
    #[serde(default)]
    pub groups: Vec<String>,
    /// Whether it has no row on boards.
    #[serde(default)]
    pub hidden: bool,
}

impl From<&Team> for WantedTeam {
    fn from(team: &Team) -> Self {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        Self {
            name: team.name.clone(),
            display_name: team.display_name.clone(),
            label: text(&team.label),
            external_id: text(&team.external_id),
            icpc_id: text(&team.icpc_id),
            organization: text(&team.organization),
            groups: team.groups.0.clone(),
            hidden: team.hidden,
        }
    }
}

impl Service {
    /// A page of the list of teams, by name.
    ///
    /// # Errors
    /// [`TeamError::Forbidden`] below admin.
    pub async fn teams(&self, actor: Option<&Actor>, filter: &TeamFilter, limit: u32) -> Result<Vec<Team>, TeamError> {
        require_or_terminal(actor, Role::Admin)?;
        Ok(team::list(self.store.read(), filter, limit).await?)
    }

    /// One of them, with who hands in for it.
    ///
    /// # Errors
    /// [`TeamError::Forbidden`] below admin, [`TeamError::NoSuchTeam`].
    pub async fn team(&self, actor: Option<&Actor>, id: TeamId) -> Result<(Team, Vec<Member>), TeamError> {
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.snapshot().await?;
        let found = team::by_id(&mut *tx, id).await?.ok_or_else(|| TeamError::NoSuchTeam(id.to_string()))?;
        let members = team::members(&mut *tx, id).await?;
        Ok((found, members))
    }

    /// The team with this name.
    ///
    /// # Errors
    /// [`TeamError::NoSuchTeam`].
    pub async fn team_named(&self, name: &str) -> Result<TeamId, TeamError> {
        let found = roster::team_named(self.store.read(), name).await?;
        found.ok_or_else(|| TeamError::NoSuchTeam(name.to_owned()))
    }

    /// Makes a team without members.
    ///
    /// # Errors
    /// [`TeamError`]: every variant but `Store` is for the form.
    pub async fn create_team(
        &self,
        actor: Option<&Actor>,
        wanted: &WantedTeam,
        now: EpochMs,
    ) -> Result<TeamId, TeamError> {
        require_or_terminal(actor, Role::Admin)?;
        let wanted = checked(wanted)?;
        let mut tx = self.store.begin_write().await?;
        let row = row(&mut tx, None, &wanted).await?;
        let id = team::insert(&mut tx, row, &wanted.groups, now).await?;
        let (_, after) = told(&WantedTeam::default(), &wanted);
        record(&mut tx, actor, "team.create", &wanted.name, None, Some(&after), now).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// Makes a team so. `seen` is the digest ([`seen_of`]) of what its editor saw; `None`: whatever it is now.
    ///
    /// # Errors
    /// [`TeamError`]: every variant but `Store` is for the form.
    pub async fn edit_team(
        &self,
        actor: Option<&Actor>,
        id: TeamId,
        seen: Option<&str>,
        wanted: &WantedTeam,
        now: EpochMs,
    ) -> Result<(), TeamError> {
        require_or_terminal(actor, Role::Admin)?;
        let wanted = checked(wanted)?;
        let mut tx = self.store.begin_write().await?;
        let old = find(&mut tx, id).await?;
        let before = WantedTeam::from(&old);
        if seen.is_some_and(|seen| seen != seen_of(&before)) {
            return Err(TeamError::Changed);
        }
        let row = row(&mut tx, Some(id), &wanted).await?;
        if before == wanted {
            return Ok(());
        }
        team::update(&mut tx, id, row, &wanted.groups, now).await?;
        let (was, is) = told(&before, &wanted);
        record(&mut tx, actor, "team.edit", &old.name, Some(&was), Some(&is), now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Lets an account hand in for this team and for no other.
    ///
    /// # Errors
    /// [`TeamError::NoSuchTeam`], [`TeamError::NoSuchAccount`], [`TeamError::Forbidden`] below admin.
    pub async fn join_team(
        &self,
        actor: Option<&Actor>,
        id: TeamId,
        account: &str,
        now: EpochMs,
    ) -> Result<(), TeamError> {
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.begin_write().await?;
        let (joined, found) = (find(&mut tx, id).await?, find_account(&mut tx, account).await?);
        if found.team_id == Some(id) {
            return Ok(());
        }
        let left = match found.team_id {
            Some(left) => team::by_id(&mut *tx, left).await?.map(|left| left.name),
            None => None,
        };
        account::set_team(&mut tx, found.id, Some(id), now).await?;
        record(&mut tx, actor, "team.join", &found.name, left.as_deref(), Some(&joined.name), now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Lets an account of this team hand in for nobody: it only looks.
    ///
    /// # Errors
    /// As [`Service::join_team`], and [`TeamError::NoMember`].
    pub async fn leave_team(
        &self,
        actor: Option<&Actor>,
        id: TeamId,
        account: &str,
        now: EpochMs,
    ) -> Result<(), TeamError> {
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.begin_write().await?;
        let (left, found) = (find(&mut tx, id).await?, find_account(&mut tx, account).await?);
        if found.team_id != Some(id) {
            return Err(TeamError::NoMember(account.to_owned()));
        }
        account::set_team(&mut tx, found.id, None, now).await?;
        record(&mut tx, actor, "team.leave", &found.name, Some(&left.name), None, now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Lets nobody of a team log in any more, or all of them again; their sessions end. Staff among them stay as they are.
    ///
    /// # Errors
    /// [`TeamError::NoSuchTeam`], [`TeamError::Forbidden`] below admin.
    pub async fn disable_team(
        &self,
        actor: Option<&Actor>,
        id: TeamId,
        disabled: bool,
        now: EpochMs,
    ) -> Result<(), TeamError> {
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.begin_write().await?;
        let found = find(&mut tx, id).await?;
        let members = team::members(&mut *tx, id).await?;
        let concerned: Vec<&Member> = members.iter().filter(|member| member.role == Role::Contestant).collect();
        for member in concerned.iter().filter(|member| member.disabled != disabled) {
            account::set_disabled(&mut tx, member.id, disabled, now).await?;
            session::delete_of_account(&mut tx, member.id).await?;
        }
        let act = if disabled { "team.disable" } else { "team.enable" };
        let off = |count: usize| format!("{count} of {} members disabled", members.len());
        let others = members.iter().filter(|member| member.role != Role::Contestant && member.disabled).count();
        let before = off(members.iter().filter(|member| member.disabled).count());
        let after = off(others + if disabled { concerned.len() } else { 0 });
        record(&mut tx, actor, act, &found.name, Some(&before), Some(&after), now).await?;
        tx.commit().await?;
        Ok(())
    }
}

/// What stands for a thing as somebody saw it.
pub fn seen_of(shown: &impl serde::Serialize) -> String {
    Sha256::of(serde_json::to_string(shown).unwrap_or_default().as_bytes()).short()
}

async fn find(tx: &mut WriteTx, id: TeamId) -> Result<Team, TeamError> {
    team::by_id(&mut **tx, id).await?.ok_or_else(|| TeamError::NoSuchTeam(id.to_string()))
}

async fn find_account(tx: &mut WriteTx, name: &str) -> Result<Account, TeamError> {
    account::by_name(&mut **tx, name).await?.ok_or_else(|| TeamError::NoSuchAccount(name.to_owned()))
}

/// The team without needless spaces, its groups in order.
fn checked(wanted: &WantedTeam) -> Result<WantedTeam, TeamError> {
    let name = name(&wanted.name)?;
    let shown = wanted.display_name.trim();
    let mut groups: Vec<String> =
        wanted.groups.iter().map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect();
    groups.sort();
    groups.dedup();
    Ok(WantedTeam {
        display_name: if shown.is_empty() { name.clone() } else { self::name(shown)? },
        name,
        label: optional_id(&wanted.label)?,
        external_id: optional_id(&wanted.external_id)?,
        icpc_id: optional_id(&wanted.icpc_id)?,
        organization: wanted.organization.trim().to_owned(),
        groups,
        hidden: wanted.hidden,
    })
}

/// A name that can be used.
pub(super) fn name(text: &str) -> Result<String, TeamError> {
    let text = text.trim();
    let fits = !text.is_empty() && text.chars().count() <= MAX_NAME && !text.chars().any(char::is_control);
    if fits { Ok(text.to_owned()) } else { Err(TeamError::BadName) }
}

/// An id, or nothing.
pub(super) fn optional_id(text: &str) -> Result<String, TeamError> {
    let text = text.trim();
    let fits = text.len() <= MAX_ID && !text.chars().any(|c| c.is_control() || c.is_whitespace());
    if fits { Ok(text.to_owned()) } else { Err(TeamError::BadId(text.chars().take(MAX_ID).collect())) }
}

pub(super) fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// The row of it, if no other team is in its way and all that it names is there.
async fn row<'a>(tx: &mut WriteTx, id: Option<TeamId>, wanted: &'a WantedTeam) -> Result<TeamRow<'a>, TeamError> {
    if roster::team_named(&mut **tx, &wanted.name).await?.is_some_and(|other| Some(other) != id) {
        return Err(TeamError::NameTaken(wanted.name.clone()));
    }
    if let Some(external_id) = some(&wanted.external_id)
        && roster::team(&mut **tx, external_id).await?.is_some_and(|other| Some(other.id) != id)
    {
        return Err(TeamError::IdTaken(external_id.to_owned()));
    }
    let organization = match some(&wanted.organization) {
        Some(organization) => {
            let found = roster::organization(&mut **tx, organization).await?;
            Some(found.ok_or_else(|| TeamError::NoSuchOrganization(organization.to_owned()))?.id)
        }
        None => None,
    };
    for group in &wanted.groups {
        roster::group(&mut **tx, group).await?.ok_or_else(|| TeamError::NoSuchGroup(group.clone()))?;
    }
    Ok(TeamRow {
        external_id: some(&wanted.external_id),
        icpc_id: some(&wanted.icpc_id),
        label: some(&wanted.label),
        name: &wanted.name,
        display_name: &wanted.display_name,
        organization,
        hidden: wanted.hidden,
    })
}

/// What differs, before and after, for the log.
pub(super) fn told<T: serde::Serialize>(before: &T, after: &T) -> (String, String) {
    let fields = |thing: &T| match serde_json::to_value(thing) {
        Ok(serde_json::Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let (before, after) = (fields(before), fields(after));
    let differing = before.keys().filter(|key| before.get(*key) != after.get(*key));
    let line = |of: &serde_json::Map<String, serde_json::Value>, key: &str| {
        format!("{key}={}", of.get(key).unwrap_or(&serde_json::Value::Null))
    };
    let (was, is): (Vec<String>, Vec<String>) = differing.map(|key| (line(&before, key), line(&after, key))).unzip();
    (was.join(" "), is.join(" "))
}
