//! The tab-separated files of the ICPC (CCS System Requirements, appendix "File formats") as DOMjudge reads them: a first
//! line with a label and a version, then a row a line. Where the label is `File_Version`, the file's name says what it
//! holds.

use super::{Account, Group, Kind, Organization, Reader, Team, TeamOf, Trouble, optional, shown};
use crate::domain::account::Role;

/// Whether the first line is one of these files'.
pub(super) fn is_one(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let label = first.split('\t').next().unwrap_or_default().trim().to_ascii_lowercase();
    first.contains('\t')
        && matches!(label.as_str(), "file_version" | "accounts" | "teams" | "groups" | "institutions" | "institutions2")
        && first.split('\t').nth(1).is_some_and(|version| version.trim().parse::<u32>().is_ok())
}

pub(super) fn read(text: &str, reader: &mut Reader<'_>) {
    let first = text.lines().next().unwrap_or_default();
    let (label, version) = first.split_once('\t').unwrap_or((first, ""));
    let kind = match label.trim().to_ascii_lowercase().as_str() {
        "accounts" => Some(Kind::Accounts),
        "teams" => Some(Kind::Teams),
        "groups" => Some(Kind::Groups),
        "institutions" | "institutions2" => Some(Kind::Organizations),
        _ => reader.named(),
    };
    let Some(kind) = kind else { return reader.fault(1, Trouble::UnknownKind) };
    let known = version.trim() == "1" || (kind == Kind::Teams && version.trim() == "2");
    if !known {
        return reader.fault(1, Trouble::BadVersion(shown(first)));
    }
    for (row, line) in text.lines().zip(1..).skip(1).filter(|(row, _)| !row.trim().is_empty()) {
        let fields: Vec<&str> = row.split('\t').map(str::trim).collect();
        match kind {
            Kind::Accounts => account(line, &fields, reader),
            Kind::Teams => team(line, &fields, reader),
            Kind::Groups => group(line, &fields, reader),
            Kind::Organizations => organization(line, &fields, reader),
        }
    }
}

fn enough(line: usize, fields: &[&str], wanted: usize, reader: &mut Reader<'_>) -> bool {
    if fields.len() < wanted {
        reader.fault(line, Trouble::Fields { found: fields.len(), wanted });
    }
    fields.len() >= wanted
}

/// Type, full name, login name, password. A team's login name ends in its number (`team-001`).
fn account(line: usize, fields: &[&str], reader: &mut Reader<'_>) {
    if !enough(line, fields, 4, reader) {
        return;
    }
    let role = reader.role(line, fields[0]);
    let name = reader.name(line, "full name", fields[1]);
    let username = reader.username(line, fields[2]);
    let password = reader.password(line, fields[3]);
    let (Ok((role, odd_type)), Some(name), Some(username), Ok(password)) = (role, name, username, password) else {
        return;
    };
    let digits = username.as_str().trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let number = username.as_str()[digits..].parse().ok();
    let team = match (role, &odd_type, number) {
        (Role::Contestant, None, Some(number)) => TeamOf::Number(number),
        (Role::Contestant, None, None) => TeamOf::Own,
        _ => TeamOf::Nobody,
    };
    let place = reader.place(line);
    reader.roster.accounts.push(Account { place, username, name: Some(name), role, odd_type, password, team });
}

/// Number, ICPC id, group id, name, institution, its short name, country, and in version 2 (or as an eighth column) the
/// institution's id. An institution without one is known by its short name.
fn team(line: usize, fields: &[&str], reader: &mut Reader<'_>) {
    if !enough(line, fields, 4, reader) {
        return;
    }
    let field = |at: usize| fields.get(at).copied().unwrap_or_default();
    let (Some(external_id), Some(name)) = (reader.id(line, "team id", field(0)), reader.name(line, "name", field(3)))
    else {
        return;
    };
    let place = reader.place(line);
    let short = optional(field(5)).or_else(|| optional(field(4)));
    let organization = short.map(|short| {
        let external_id = optional(field(7)).unwrap_or_else(|| short.clone());
        let external_id: String =
            external_id.chars().map(|c| if c.is_whitespace() { '-' } else { c }).take(16).collect();
        if !reader.roster.organizations.iter().any(|one| one.external_id == external_id) {
            reader.roster.organizations.push(Organization {
                place: place.clone(),
                external_id: external_id.clone(),
                icpc_id: None,
                name: short,
                formal_name: optional(field(4)),
                country: optional(field(6)),
            });
        }
        external_id
    });
    reader.roster.teams.push(Team {
        place,
        label: Some(external_id.clone()),
        external_id,
        icpc_id: optional(field(1)),
        name,
        display_name: None,
        organization,
        groups: optional(field(2)).into_iter().collect(),
        hidden: false,
    });
}

fn group(line: usize, fields: &[&str], reader: &mut Reader<'_>) {
    if !enough(line, fields, 2, reader) {
        return;
    }
    let (id, name) = (reader.id(line, "group id", fields[0]), reader.name(line, "name", fields[1]));
    let (Some(external_id), Some(name)) = (id, name) else { return };
    let place = reader.place(line);
    reader.roster.groups.push(Group { place, external_id, icpc_id: None, name, hidden: false });
}

/// Id, name, short name, and maybe a country.
fn organization(line: usize, fields: &[&str], reader: &mut Reader<'_>) {
    if !enough(line, fields, 3, reader) {
        return;
    }
    let (id, name) = (reader.id(line, "institution id", fields[0]), reader.name(line, "short name", fields[2]));
    let (Some(external_id), Some(name)) = (id, name) else { return };
    let (formal_name, country) = (optional(fields[1]), fields.get(3).and_then(|text| optional(text)));
    let place = reader.place(line);
    reader.roster.organizations.push(Organization { place, external_id, icpc_id: None, name, formal_name, country });
}
