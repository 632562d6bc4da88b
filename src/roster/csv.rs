//! A CSV of accounts with a header line: `username`, and as wanted `name`, `role`, `password`, `team`, `organization`,
//! `group`, in any order, separated by commas, semicolons or tabs. A team, organization or group is made by being named.

use super::table::{Row, rows};
use super::{Account, Group, Organization, Reader, Team, TeamOf, Trouble, optional};
use crate::domain::account::Role;

const COLUMNS: [&str; 7] = ["username", "name", "role", "password", "team", "organization", "group"];

pub(super) fn read(text: &str, reader: &mut Reader<'_>) {
    let head = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let separator = [',', ';', '\t'].into_iter().max_by_key(|&c| (head.matches(c).count(), c == ',')).unwrap_or(',');
    let mut rows = rows(text, separator).into_iter();
    let Some(header) = rows.next() else { return };
    let Some(columns) = columns(&header, reader) else { return };
    for row in rows {
        let Some(fields) = &row.fields else {
            reader.fault(row.line, Trouble::Quotes);
            continue;
        };
        if fields.len() != columns.len() {
            reader.fault(row.line, Trouble::Fields { found: fields.len(), wanted: columns.len() });
            continue;
        }
        let field = |name: &str| {
            let at = columns.iter().position(|column| *column == name);
            at.and_then(|at| fields.get(at)).map_or("", String::as_str)
        };
        account(row.line, field, reader);
    }
}

/// The columns that the header names, or faults.
fn columns(header: &Row, reader: &mut Reader<'_>) -> Option<Vec<&'static str>> {
    let fields = header.fields.as_ref()?;
    let mut columns = Vec::new();
    let mut bad = false;
    for field in fields {
        let word = field.trim().to_ascii_lowercase();
        match COLUMNS.into_iter().find(|column| *column == word) {
            Some(column) if columns.contains(&column) => {
                reader.fault(header.line, Trouble::ColumnTwice(column.to_owned()));
                bad = true;
            }
            Some(column) => columns.push(column),
            None if fields.len() == 1 => {
                reader.fault(header.line, Trouble::UnknownKind);
                return None;
            }
            None => {
                reader.fault(header.line, Trouble::UnknownColumn(super::shown(field.trim())));
                bad = true;
            }
        }
    }
    if !bad && !columns.contains(&"username") {
        reader.fault(header.line, Trouble::NoUserName);
        bad = true;
    }
    (!bad).then_some(columns)
}

fn account<'a>(line: usize, field: impl Fn(&str) -> &'a str, reader: &mut Reader<'_>) {
    // Each is looked at, so that all that is wrong with a row is said at once.
    let username = reader.username(line, field("username"));
    let role = reader.role(line, field("role"));
    let password = reader.password(line, field("password"));
    let name = match field("name").trim() {
        "" => Ok(None),
        text => reader.name(line, "name", text).map(Some).ok_or(()),
    };
    let team = match field("team").trim() {
        "" => Ok(None),
        text => reader.name(line, "team", text).map(Some).ok_or(()),
    };
    let (Some(username), Ok((role, odd_type)), Ok(password), Ok(name), Ok(team)) =
        (username, role, password, name, team)
    else {
        return;
    };
    let place = reader.place(line);
    let organization = optional(field("organization"));
    let group = optional(field("group"));
    if let Some(name) = &organization
        && !reader.roster.organizations.iter().any(|one| one.external_id == key(name))
    {
        reader.roster.organizations.push(Organization {
            place: place.clone(),
            external_id: key(name),
            icpc_id: None,
            name: name.clone(),
            formal_name: None,
            country: None,
        });
    }
    if let Some(name) = &group
        && !reader.roster.groups.iter().any(|one| one.external_id == key(name))
    {
        let external_id = key(name);
        let row = Group { place: place.clone(), external_id, icpc_id: None, name: name.clone(), hidden: false };
        reader.roster.groups.push(row);
    }
    // Who belongs somewhere has a team that does.
    let belongs = organization.is_some() || group.is_some();
    let team = team.or_else(|| belongs.then(|| name.clone().unwrap_or_else(|| username.as_str().to_owned())));
    let team = match team {
        Some(name) => {
            let id = key(&name);
            if !reader.roster.teams.iter().any(|one| one.external_id == id) {
                reader.roster.teams.push(Team {
                    place: place.clone(),
                    external_id: id.clone(),
                    icpc_id: None,
                    label: None,
                    name,
                    display_name: None,
                    organization: organization.as_deref().map(key),
                    groups: group.iter().map(|name| key(name)).collect(),
                    hidden: false,
                });
            }
            TeamOf::Id(id)
        }
        None if odd_type.is_some() || role != Role::Contestant => TeamOf::Nobody,
        None => TeamOf::Own,
    };
    reader.roster.accounts.push(Account { place, username, name, role, odd_type, password, team });
}

/// The id in files of something that only has a name here: the same name is the same thing in every file.
fn key(name: &str) -> String {
    let mut key: String =
        name.trim().chars().map(|c| if c.is_whitespace() || c.is_control() { '-' } else { c }).collect();
    while key.len() > 64 {
        key.pop();
    }
    key
}
