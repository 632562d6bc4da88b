//! Accounts and teams from files: what would be made, then making it, all or nothing. Passwords that no file gives are
//! made here and come back once.

use std::collections::{BTreeMap, HashMap, HashSet};

use sqlx::SqliteConnection;

use super::passwords::{GenerationFailed, HashingFailed, generated};
use super::{Actor, Forbidden, Service, record, require_or_terminal};
use crate::domain::account::{NewPassword, Role};
use crate::domain::ids::RosterImportId;
use crate::domain::time::EpochMs;
use crate::roster::{self, Fault, Place, Roster, RosterFile, TeamOf, Trouble};
use crate::store::account::{self, NewAccount};
use crate::store::roster::OrganizationFacts;
use crate::store::team::TeamRow;
use crate::store::{StoreError, WriteTx, roster as stored};

/// How long files are kept for somebody who looks at them, milliseconds.
pub const HELD_MS: i64 = 60 * 60 * 1_000;

/// Why nothing was taken. The sentences are for people.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The role doesn't allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// Something is wrong with the files: all of it, in order.
    #[error("{} faults, nothing was taken", .0.len())]
    Faults(Vec<Fault>),
    /// Taken, dropped, or too old.
    #[error("these files were taken or dropped already, or an hour has passed")]
    Gone,
    /// Accounts were made meanwhile.
    #[error("accounts were made meanwhile; look again at what these files would make")]
    Changed,
    /// Our fault.
    #[error(transparent)]
    Hashing(#[from] HashingFailed),
    /// Our fault.
    #[error(transparent)]
    Generation(#[from] GenerationFailed),
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How many of a kind there are to make, to change, and as they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// New ones.
    pub new: usize,
    /// Ones that change.
    pub changed: usize,
    /// Ones that stay.
    pub same: usize,
}

/// An account that would be made.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PlannedAccount {
    /// Its login name.
    pub username: String,
    /// What others see.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Its team's name; `None`: it has none.
    pub team: Option<String>,
    /// Whether its password is to be made.
    pub generated: bool,
    /// The type in the file that has no role of its own here.
    pub odd_type: Option<String>,
}

/// What files would make.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// What is wrong. With any fault nothing is made.
    pub faults: Vec<Fault>,
    /// Groups.
    pub groups: Counts,
    /// Organizations.
    pub organizations: Counts,
    /// Teams, without those that accounts get of their own.
    pub teams: Counts,
    /// Accounts to be made, in order.
    pub accounts: Vec<PlannedAccount>,
    /// Login names that are there with the same role and stay as they are.
    pub there: Vec<String>,
}

/// A login that was made: for the credentials page, once.
#[derive(Debug, Clone)]
pub struct Credential {
    /// Its login name.
    pub username: String,
    /// What others see.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Its team's name.
    pub team: Option<String>,
    /// Its password.
    pub password: NewPassword,
}

impl Service {
    /// What these files would make, with all that is wrong.
    ///
    /// # Errors
    /// [`ImportError::Forbidden`] below admin.
    pub async fn plan_import(&self, actor: Option<&Actor>, files: &[RosterFile]) -> Result<Plan, ImportError> {
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.snapshot().await?;
        Ok(plan(&mut tx, files).await?.1)
    }

    /// Keeps files for [`Service::take_held`], for an hour; older ones of anybody go.
    ///
    /// # Errors
    /// [`ImportError::Forbidden`] below admin.
    pub async fn hold_import(
        &self,
        actor: &Actor,
        files: &[RosterFile],
        now: EpochMs,
    ) -> Result<RosterImportId, ImportError> {
        require_or_terminal(Some(actor), Role::Admin)?;
        let text = serde_json::to_string(files).unwrap_or_default();
        let mut tx = self.store.begin_write().await?;
        stored::release_older(&mut tx, now.plus_ms(-HELD_MS)).await?;
        let id = stored::hold(&mut tx, &text, actor.account_id, now).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// The files that this admin holds.
    ///
    /// # Errors
    /// [`ImportError::Gone`], [`ImportError::Forbidden`] below admin.
    pub async fn held_import(
        &self,
        actor: &Actor,
        id: RosterImportId,
        now: EpochMs,
    ) -> Result<Vec<RosterFile>, ImportError> {
        require_or_terminal(Some(actor), Role::Admin)?;
        let text = stored::held(self.store.read(), id, actor.account_id, now.plus_ms(-HELD_MS)).await?;
        serde_json::from_str(&text.ok_or(ImportError::Gone)?).map_err(|_| ImportError::Gone)
    }

    /// Lets held files go.
    ///
    /// # Errors
    /// [`ImportError::Gone`], [`ImportError::Forbidden`] below admin.
    pub async fn drop_import(&self, actor: &Actor, id: RosterImportId, now: EpochMs) -> Result<(), ImportError> {
        self.held_import(actor, id, now).await?;
        let mut tx = self.store.begin_write().await?;
        stored::release(&mut tx, id).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Makes what held files say, once.
    ///
    /// # Errors
    /// As [`Service::import`], and [`ImportError::Gone`].
    pub async fn take_held(
        &self,
        actor: &Actor,
        id: RosterImportId,
        now: EpochMs,
    ) -> Result<Vec<Credential>, ImportError> {
        let files = self.held_import(actor, id, now).await?;
        self.make(Some(actor), &files, Some(id), now).await
    }

    /// Makes what these files say, all of it in one transaction or nothing; the new logins come back with their
    /// passwords.
    ///
    /// # Errors
    /// [`ImportError::Faults`], [`ImportError::Changed`], [`ImportError::Forbidden`] below admin.
    pub async fn import(
        &self,
        actor: Option<&Actor>,
        files: &[RosterFile],
        now: EpochMs,
    ) -> Result<Vec<Credential>, ImportError> {
        require_or_terminal(actor, Role::Admin)?;
        self.make(actor, files, None, now).await
    }

    async fn make(
        &self,
        actor: Option<&Actor>,
        files: &[RosterFile],
        held: Option<RosterImportId>,
        now: EpochMs,
    ) -> Result<Vec<Credential>, ImportError> {
        let mut snapshot = self.store.snapshot().await?;
        let (roster, plan_now) = plan(&mut snapshot, files).await?;
        drop(snapshot);
        if !plan_now.faults.is_empty() {
            return Err(ImportError::Faults(plan_now.faults));
        }
        // Hashing takes its time: before the transaction.
        let passwords = self.passwords_for(&roster, &plan_now).await?;
        let mut tx = self.store.begin_write().await?;
        let (_, plan) = plan(&mut tx, files).await?;
        if !plan.faults.is_empty() {
            return Err(ImportError::Faults(plan.faults));
        }
        if plan.accounts != plan_now.accounts {
            return Err(ImportError::Changed);
        }
        if let Some(id) = held
            && !stored::release(&mut tx, id).await?
        {
            return Err(ImportError::Gone);
        }
        write(&mut tx, &roster, now).await?;
        let credentials = write_accounts(&mut tx, actor, &roster, &plan, &passwords, now).await?;
        let after = format!(
            "{} accounts, teams {}+{}, groups {}+{}, organizations {}+{} (new+changed)",
            plan.accounts.len(),
            plan.teams.new,
            plan.teams.changed,
            plan.groups.new,
            plan.groups.changed,
            plan.organizations.new,
            plan.organizations.changed
        );
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        record(&mut tx, actor, "roster.import", &names.join(", "), None, Some(&after), now).await?;
        tx.commit().await?;
        Ok(credentials)
    }

    /// Password and hash of every account that is to be made.
    async fn passwords_for(
        &self,
        roster: &Roster,
        plan: &Plan,
    ) -> Result<HashMap<String, (NewPassword, String)>, ImportError> {
        let wanted: HashSet<&str> = plan.accounts.iter().map(|one| one.username.as_str()).collect();
        let mut passwords = HashMap::new();
        let mut made = Vec::new();
        for row in roster.accounts.iter().filter(|row| wanted.contains(row.username.as_str())) {
            match &row.password {
                Some(password) => {
                    let hash = self.passwords.hash(password).await?;
                    passwords.insert(row.username.to_string(), (password.clone(), hash));
                }
                None => made.push((row.username.to_string(), generated()?)),
            }
        }
        let hashes = self.passwords.hash_generated(made.iter().map(|(_, password)| password.clone()).collect()).await?;
        passwords.extend(made.into_iter().zip(hashes).map(|((name, password), hash)| (name, (password, hash))));
        Ok(passwords)
    }
}

/// What the files say, beside what is there.
async fn plan(connection: &mut SqliteConnection, files: &[RosterFile]) -> Result<(Roster, Plan), StoreError> {
    let (roster, faults) = roster::read(files);
    let mut plan = Plan { faults, ..Plan::default() };
    let group_ids: HashSet<&str> = roster.groups.iter().map(|one| one.external_id.as_str()).collect();
    let organization_ids: HashSet<&str> = roster.organizations.iter().map(|one| one.external_id.as_str()).collect();
    for row in &roster.groups {
        let old = stored::group(&mut *connection, &row.external_id).await?;
        let same = old
            .as_ref()
            .is_some_and(|old| (&old.name, old.hidden, &old.icpc_id) == (&row.name, row.hidden, &row.icpc_id));
        count(&mut plan.groups, old.is_some(), same);
    }
    for row in &roster.organizations {
        let old = stored::organization(&mut *connection, &row.external_id).await?;
        let same = old.as_ref().is_some_and(|old| {
            (&old.name, &old.formal_name, &old.country, &old.icpc_id)
                == (&row.name, &row.formal_name, &row.country, &row.icpc_id)
        });
        count(&mut plan.organizations, old.is_some(), same);
    }
    let mut names: HashMap<String, &Place> = HashMap::new();
    for row in &roster.teams {
        for id in &row.groups {
            if !group_ids.contains(id.as_str()) && stored::group(&mut *connection, id).await?.is_none() {
                plan.faults.push(Fault { place: row.place.clone(), trouble: Trouble::NoGroup(id.clone()) });
            }
        }
        let mut organization = None;
        if let Some(id) = &row.organization {
            organization = stored::organization(&mut *connection, id).await?.map(|old| old.id);
            if organization.is_none() && !organization_ids.contains(id.as_str()) {
                plan.faults.push(Fault { place: row.place.clone(), trouble: Trouble::NoOrganization(id.clone()) });
            }
        }
        let old = stored::team(&mut *connection, &row.external_id).await?;
        let other = stored::team_named(&mut *connection, &row.name).await?;
        let taken = other.is_some_and(|other| old.as_ref().is_none_or(|old| old.id != other));
        if taken || names.insert(row.name.clone(), &row.place).is_some() {
            plan.faults.push(Fault { place: row.place.clone(), trouble: Trouble::TeamNameTaken(row.name.clone()) });
        }
        let mut groups = row.groups.clone();
        groups.sort();
        let same = match &old {
            Some(old) => {
                let shown = row.display_name.as_ref().unwrap_or(&row.name);
                (&old.name, &old.display_name, &old.label, &old.icpc_id) == (&row.name, shown, &row.label, &row.icpc_id)
                    && old.organization_id == organization
                    && stored::groups_of(&mut *connection, old.id).await? == groups
            }
            None => false,
        };
        count(&mut plan.teams, old.is_some(), same);
    }
    for row in &roster.accounts {
        let username = row.username.as_str();
        if let Some(old) = account::by_name(&mut *connection, username).await? {
            if old.role == row.role {
                plan.there.push(username.to_owned());
            } else {
                let trouble = Trouble::NameTaken { name: username.to_owned(), role: old.role };
                plan.faults.push(Fault { place: row.place.clone(), trouble });
            }
            continue;
        }
        let team = match team_of(connection, &roster, &row.team).await? {
            Whose::Named(name) => Some(name),
            Whose::Nobodys => None,
            Whose::Own => {
                let taken = stored::team_named(&mut *connection, username).await?.is_some();
                if taken || names.insert(username.to_owned(), &row.place).is_some() {
                    let trouble = Trouble::TeamNameTaken(username.to_owned());
                    plan.faults.push(Fault { place: row.place.clone(), trouble });
                }
                Some(row.name.clone().unwrap_or_else(|| username.to_owned()))
            }
            Whose::Missing(id) => {
                plan.faults.push(Fault { place: row.place.clone(), trouble: Trouble::NoTeam(id) });
                None
            }
        };
        plan.accounts.push(PlannedAccount {
            username: username.to_owned(),
            name: row.name.clone().unwrap_or_else(|| username.to_owned()),
            role: row.role,
            team,
            generated: row.password.is_none(),
            odd_type: row.odd_type.clone(),
        });
    }
    drop(names);
    plan.faults.sort_by(|a, b| a.place.cmp(&b.place));
    Ok((roster, plan))
}

fn count(counts: &mut Counts, there: bool, same: bool) {
    match (there, same) {
        (false, _) => counts.new += 1,
        (true, false) => counts.changed += 1,
        (true, true) => counts.same += 1,
    }
}

/// Whose team an account is in.
enum Whose {
    Named(String),
    Own,
    Nobodys,
    Missing(String),
}

async fn team_of(connection: &mut SqliteConnection, roster: &Roster, team: &TeamOf) -> Result<Whose, StoreError> {
    let shown = |team: &roster::Team| team.display_name.clone().unwrap_or_else(|| team.name.clone());
    Ok(match team {
        TeamOf::Own => Whose::Own,
        TeamOf::Nobody => Whose::Nobodys,
        TeamOf::Id(id) => match roster.teams.iter().find(|team| team.external_id == *id) {
            Some(team) => Whose::Named(shown(team)),
            None => match stored::team(connection, id).await? {
                Some(team) => Whose::Named(team.display_name),
                None => Whose::Missing(id.clone()),
            },
        },
        TeamOf::Number(number) => {
            let same = |team: &&roster::Team| team.external_id.parse() == Ok(*number);
            match roster.teams.iter().find(same) {
                Some(team) => Whose::Named(shown(team)),
                None => stored::team(connection, &number.to_string())
                    .await?
                    .map_or(Whose::Own, |team| Whose::Named(team.display_name)),
            }
        }
    })
}

/// Groups, organizations and teams; an account's own team comes with it.
async fn write(tx: &mut WriteTx, roster: &Roster, now: EpochMs) -> Result<(), StoreError> {
    for row in &roster.groups {
        stored::put_group(tx, &row.external_id, row.icpc_id.as_deref(), &row.name, row.hidden, now).await?;
    }
    for row in &roster.organizations {
        let facts = OrganizationFacts {
            icpc_id: row.icpc_id.as_deref(),
            name: &row.name,
            formal_name: row.formal_name.as_deref(),
            country: row.country.as_deref(),
        };
        stored::put_organization(tx, &row.external_id, &facts, now).await?;
    }
    for row in &roster.teams {
        let organization = match &row.organization {
            Some(id) => stored::organization(&mut **tx, id).await?.map(|one| one.id),
            None => None,
        };
        let mut hidden = row.hidden;
        for id in &row.groups {
            hidden |= stored::group(&mut **tx, id).await?.is_some_and(|group| group.hidden);
        }
        let team = TeamRow {
            external_id: Some(&row.external_id),
            icpc_id: row.icpc_id.as_deref(),
            label: row.label.as_deref(),
            name: &row.name,
            display_name: row.display_name.as_deref().unwrap_or(&row.name),
            organization,
            hidden,
        };
        stored::put_team(tx, team, &row.groups, now).await?;
    }
    Ok(())
}

async fn write_accounts(
    tx: &mut WriteTx,
    actor: Option<&Actor>,
    roster: &Roster,
    plan: &Plan,
    passwords: &HashMap<String, (NewPassword, String)>,
    now: EpochMs,
) -> Result<Vec<Credential>, ImportError> {
    let rows: BTreeMap<&str, &roster::Account> =
        roster.accounts.iter().map(|row| (row.username.as_str(), row)).collect();
    let mut credentials = Vec::with_capacity(plan.accounts.len());
    for planned in &plan.accounts {
        let row = rows.get(planned.username.as_str()).ok_or(ImportError::Changed)?;
        let (password, hash) = passwords.get(&planned.username).ok_or(ImportError::Changed)?;
        let new =
            NewAccount { name: &row.username, display_name: &planned.name, role: row.role, password_hash: Some(hash) };
        let made = match team_id(tx, roster, &row.team).await? {
            Member::OfOwn => account::insert(tx, new, now).await?,
            Member::Of(team) => account::insert_for(tx, new, team, now).await?,
        };
        made.ok_or(ImportError::Changed)?;
        record(tx, actor, "account.create", &planned.username, None, Some(row.role.as_str()), now).await?;
        credentials.push(Credential {
            username: planned.username.clone(),
            name: planned.name.clone(),
            role: row.role,
            team: planned.team.clone(),
            password: password.clone(),
        });
    }
    Ok(credentials)
}

enum Member {
    OfOwn,
    Of(Option<crate::domain::ids::TeamId>),
}

async fn team_id(tx: &mut WriteTx, roster: &Roster, team: &TeamOf) -> Result<Member, StoreError> {
    let id = match team {
        TeamOf::Own => return Ok(Member::OfOwn),
        TeamOf::Nobody => return Ok(Member::Of(None)),
        TeamOf::Id(id) => id.clone(),
        TeamOf::Number(number) => {
            let same = roster.teams.iter().find(|team| team.external_id.parse() == Ok(*number));
            same.map_or_else(|| number.to_string(), |team| team.external_id.clone())
        }
    };
    let found = stored::team(&mut **tx, &id).await?.map(|team| team.id);
    Ok(match (team, found) {
        // A number that no team has: the login name only ends in digits.
        (TeamOf::Number(_), None) => Member::OfOwn,
        (_, found) => Member::Of(found),
    })
}
