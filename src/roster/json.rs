//! The JSON files of CLICS as DOMjudge reads them: an array of objects. Fields that nobody needs here are passed over.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{Account, Group, Kind, Organization, Reader, Team, TeamOf, Trouble, optional};
use crate::domain::account::Role;

pub(super) fn read(text: &str, reader: &mut Reader<'_>) {
    let rows: Vec<&RawValue> = match serde_json::from_str(text) {
        Ok(rows) => rows,
        Err(error) => return reader.fault(error.line(), Trouble::Json(error.to_string())),
    };
    let mut kind = reader.named();
    for raw in rows {
        let line = line_of(text, raw);
        let Ok(Value::Object(row)) = serde_json::from_str(raw.get()) else {
            reader.fault(line, Trouble::Json("not an object".to_owned()));
            continue;
        };
        kind = kind.or_else(|| kind_of(&row));
        match kind {
            Some(Kind::Accounts) => account(line, &row, reader),
            Some(Kind::Teams) => team(line, &row, reader),
            Some(Kind::Groups) => group(line, &row, reader),
            Some(Kind::Organizations) => organization(line, &row, reader),
            None => return reader.fault(line, Trouble::UnknownKind),
        }
    }
}

/// The line on which a row begins: the raw values are slices of the text.
fn line_of(text: &str, raw: &RawValue) -> usize {
    let start = (raw.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    text.as_bytes().iter().take(start).filter(|byte| **byte == b'\n').count() + 1
}

/// What a row must be, by the fields that only one kind has.
fn kind_of(row: &Map<String, Value>) -> Option<Kind> {
    let has = |keys: &[&str]| keys.iter().any(|key| row.contains_key(*key));
    if has(&["username"]) {
        Some(Kind::Accounts)
    } else if has(&["group_ids", "organization_id"]) {
        Some(Kind::Teams)
    } else if has(&["formal_name", "country"]) {
        Some(Kind::Organizations)
    } else if has(&["hidden", "sortorder", "type"]) {
        Some(Kind::Groups)
    } else {
        None
    }
}

/// A text, or a number as DOMjudge writes ids.
fn text(row: &Map<String, Value>, key: &str) -> String {
    match row.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

fn flag(row: &Map<String, Value>, key: &str) -> bool {
    row.get(key).and_then(Value::as_bool).unwrap_or(false)
}

fn account(line: usize, row: &Map<String, Value>, reader: &mut Reader<'_>) {
    if !row.contains_key("username") {
        return reader.fault(line, Trouble::Missing("username"));
    }
    let username = reader.username(line, &text(row, "username"));
    let role = reader.role(line, &text(row, if row.contains_key("type") { "type" } else { "role" }));
    let password = reader.password(line, &text(row, "password"));
    let (Some(username), Ok((role, odd_type)), Ok(password)) = (username, role, password) else { return };
    let team = match optional(&text(row, "team_id")) {
        Some(id) => TeamOf::Id(id),
        None if role == Role::Contestant && odd_type.is_none() => TeamOf::Own,
        None => TeamOf::Nobody,
    };
    let name = optional(&text(row, "name"));
    let place = reader.place(line);
    reader.roster.accounts.push(Account { place, username, name, role, odd_type, password, team });
}

fn team(line: usize, row: &Map<String, Value>, reader: &mut Reader<'_>) {
    let (id, name) = (reader.id(line, "id", &text(row, "id")), reader.name(line, "name", &text(row, "name")));
    let (Some(external_id), Some(name)) = (id, name) else { return };
    let groups = row.get("group_ids").and_then(Value::as_array).into_iter().flatten();
    let groups = groups.filter_map(|id| match id {
        Value::String(text) => optional(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    let team = Team {
        place: reader.place(line),
        external_id,
        icpc_id: optional(&text(row, "icpc_id")),
        label: optional(&text(row, "label")),
        name,
        display_name: optional(&text(row, "display_name")),
        organization: optional(&text(row, "organization_id")),
        groups: groups.collect(),
        hidden: flag(row, "hidden"),
    };
    reader.roster.teams.push(team);
}

fn group(line: usize, row: &Map<String, Value>, reader: &mut Reader<'_>) {
    let (id, name) = (reader.id(line, "id", &text(row, "id")), reader.name(line, "name", &text(row, "name")));
    let (Some(external_id), Some(name)) = (id, name) else { return };
    let (icpc_id, hidden) = (optional(&text(row, "icpc_id")), flag(row, "hidden"));
    let place = reader.place(line);
    reader.roster.groups.push(Group { place, external_id, icpc_id, name, hidden });
}

fn organization(line: usize, row: &Map<String, Value>, reader: &mut Reader<'_>) {
    let (id, name) = (reader.id(line, "id", &text(row, "id")), reader.name(line, "name", &text(row, "name")));
    let (Some(external_id), Some(name)) = (id, name) else { return };
    let organization = Organization {
        place: reader.place(line),
        external_id,
        icpc_id: optional(&text(row, "icpc_id")),
        name,
        formal_name: optional(&text(row, "formal_name")),
        country: optional(&text(row, "country")),
    };
    reader.roster.organizations.push(organization);
}
