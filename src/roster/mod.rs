//! Files of accounts, teams, groups and organizations, of every format: one model. Pure: text in, rows with their places
//! and all faults out.
//!
//! Owns: the formats (a CSV with a header; ICPC and DOMjudge's `accounts.tsv`, `teams.tsv`, `groups.tsv`,
//! `institutions.tsv`; CLICS and DOMjudge's `accounts.json`, `teams.json`, `groups.json`, `organizations.json`) and what
//! can be wrong with a file by itself. Must not know: who exists already, how passwords are kept, pages.

mod csv;
mod fault;
mod json;
mod table;
mod tsv;

pub use fault::{Fault, Trouble};

use crate::domain::account::{NewPassword, Role, UserName};

/// The most rows of all files together.
pub const MAX_ROWS: usize = 10_000;
/// The longest name of a team, group or organization, characters.
pub const MAX_NAME: usize = 120;

/// Where a row stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Place {
    /// The file's name as it was given.
    pub file: String,
    /// Its line, from 1; 0: the whole file.
    pub line: usize,
}

/// CLICS `groups`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Where it stands.
    pub place: Place,
    /// Its id in files.
    pub external_id: String,
    /// Its id at the ICPC.
    pub icpc_id: Option<String>,
    /// Its name.
    pub name: String,
    /// Whether its teams have no row on the board (DOMjudge).
    pub hidden: bool,
}

/// CLICS `organizations`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organization {
    /// Where it stands.
    pub place: Place,
    /// Its id in files.
    pub external_id: String,
    /// Its id at the ICPC.
    pub icpc_id: Option<String>,
    /// Its short name.
    pub name: String,
    /// Its whole name.
    pub formal_name: Option<String>,
    /// ISO 3166-1 alpha-3.
    pub country: Option<String>,
}

/// CLICS `teams`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// Where it stands.
    pub place: Place,
    /// Its id in files; of a team that only an account names, that name.
    pub external_id: String,
    /// Its id at the ICPC.
    pub icpc_id: Option<String>,
    /// What is on its seat.
    pub label: Option<String>,
    /// Its name.
    pub name: String,
    /// What the board shows.
    pub display_name: Option<String>,
    /// Its organization's id in files.
    pub organization: Option<String>,
    /// Its groups' ids in files.
    pub groups: Vec<String>,
    /// Whether it has no row on the board.
    pub hidden: bool,
}

/// Whose team an account submits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TeamOf {
    /// A team of its own, made with it.
    Own,
    /// None: it only looks.
    Nobody,
    /// The team with this id in files.
    Id(String),
    /// The team whose id in files is this number, however many zeros stand before it.
    Number(u64),
}

/// CLICS `accounts`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Where it stands.
    pub place: Place,
    /// What its owner logs in with.
    pub username: UserName,
    /// What others see.
    pub name: Option<String>,
    /// What it may do.
    pub role: Role,
    /// The type in the file that has no role of its own here, e.g. `analyst`.
    pub odd_type: Option<String>,
    /// Its password; `None`: one is to be made.
    pub password: Option<NewPassword>,
    /// For whom it submits.
    pub team: TeamOf,
}

/// All that the files say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roster {
    /// Groups, in order.
    pub groups: Vec<Group>,
    /// Organizations, in order.
    pub organizations: Vec<Organization>,
    /// Teams, in order.
    pub teams: Vec<Team>,
    /// Accounts, in order.
    pub accounts: Vec<Account>,
}

impl Roster {
    /// How many rows there are.
    pub const fn len(&self) -> usize {
        self.groups.len() + self.organizations.len() + self.teams.len() + self.accounts.len()
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A file as it came.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RosterFile {
    /// Its name: says what it holds where its contents don't.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Reads all files. Whatever could be read is there beside all that is wrong, so that everything can be said at once.
pub fn read(files: &[RosterFile]) -> (Roster, Vec<Fault>) {
    let (mut roster, mut faults) = (Roster::default(), Vec::new());
    for file in files {
        let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text);
        let mut reader = Reader { file: &file.name, roster: &mut roster, faults: &mut faults };
        if text.trim().is_empty() {
            reader.fault(0, Trouble::Empty);
        } else if text.trim_start().starts_with(['[', '{']) {
            json::read(text, &mut reader);
        } else if tsv::is_one(text) {
            tsv::read(text, &mut reader);
        } else {
            csv::read(text, &mut reader);
        }
    }
    if roster.len() > MAX_ROWS {
        let file = files.first().map(|file| file.name.clone()).unwrap_or_default();
        faults.push(Fault { place: Place { file, line: 0 }, trouble: Trouble::TooMany(roster.len()) });
    }
    twice(&roster, &mut faults);
    faults.sort_by(|a, b| a.place.cmp(&b.place));
    (roster, faults)
}

/// What a reader of a format fills.
struct Reader<'a> {
    file: &'a str,
    roster: &'a mut Roster,
    faults: &'a mut Vec<Fault>,
}

impl Reader<'_> {
    fn place(&self, line: usize) -> Place {
        Place { file: self.file.to_owned(), line }
    }

    fn fault(&mut self, line: usize, trouble: Trouble) {
        let place = self.place(line);
        self.faults.push(Fault { place, trouble });
    }

    /// What the file's name says that it holds.
    fn named(&self) -> Option<Kind> {
        let name = self.file.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
        let kinds = [
            ("account", Kind::Accounts),
            ("team", Kind::Teams),
            ("group", Kind::Groups),
            ("organization", Kind::Organizations),
            ("institution", Kind::Organizations),
        ];
        kinds.into_iter().find(|(start, _)| name.starts_with(start)).map(|(_, kind)| kind)
    }

    /// An id that can be used, or a fault.
    fn id(&mut self, line: usize, column: &'static str, text: &str) -> Option<String> {
        let text = text.trim();
        let fits = !text.is_empty() && text.len() <= 64 && !text.chars().any(|c| c.is_control() || c.is_whitespace());
        if !fits {
            self.fault(line, Trouble::BadId { column, text: shown(text) });
        }
        fits.then(|| text.to_owned())
    }

    /// A name that can be used, or a fault.
    fn name(&mut self, line: usize, column: &'static str, text: &str) -> Option<String> {
        let text = text.trim();
        let fits = !text.is_empty() && text.chars().count() <= MAX_NAME && !text.chars().any(char::is_control);
        if !fits {
            self.fault(line, Trouble::BadName { column, text: shown(text) });
        }
        fits.then(|| text.to_owned())
    }

    /// A login name, or a fault.
    fn username(&mut self, line: usize, text: &str) -> Option<UserName> {
        let parsed = text.trim().parse().ok();
        if parsed.is_none() {
            self.fault(line, Trouble::BadUserName(shown(text.trim())));
        }
        parsed
    }

    /// A password, or none where the field is empty, or a fault. It is never shown.
    fn password(&mut self, line: usize, text: &str) -> Result<Option<NewPassword>, ()> {
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| self.fault(line, Trouble::BadPassword))
    }

    /// CLICS's account types and this judge's roles; `Err` is a fault.
    fn role(&mut self, line: usize, text: &str) -> Result<(Role, Option<String>), ()> {
        let word = text.trim().to_ascii_lowercase();
        match word.as_str() {
            "" | "team" | "contestant" => Ok((Role::Contestant, None)),
            "setter" => Ok((Role::Setter, None)),
            "judge" => Ok((Role::Judge, None)),
            "admin" => Ok((Role::Admin, None)),
            // They look at a contest and don't take part: here that is an account without a team.
            "analyst" | "staff" | "other" | "balloon" => Ok((Role::Contestant, Some(word))),
            _ => {
                self.fault(line, Trouble::BadRole(shown(text.trim())));
                Err(())
            }
        }
    }
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Accounts,
    Teams,
    Groups,
    Organizations,
}

/// What a fault quotes of a file.
fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(40).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().count() > 40 {
        shown.push('…');
    }
    shown
}

/// A text that may be left out.
fn optional(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| shown_whole(text))
}

/// Without control characters: it ends up in pages.
fn shown_whole(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect()
}

/// Says which ids and names stand twice.
fn twice(roster: &Roster, faults: &mut Vec<Fault>) {
    fn check<'a>(rows: impl Iterator<Item = (&'a Place, String)>, faults: &mut Vec<Fault>) {
        let mut seen = std::collections::HashMap::new();
        for (place, key) in rows {
            match seen.entry(key) {
                std::collections::hash_map::Entry::Occupied(first) => {
                    let first: &&Place = first.get();
                    let trouble = Trouble::Twice { file: first.file.clone(), line: first.line };
                    faults.push(Fault { place: place.clone(), trouble });
                }
                std::collections::hash_map::Entry::Vacant(empty) => {
                    empty.insert(place);
                }
            }
        }
    }
    check(roster.groups.iter().map(|row| (&row.place, row.external_id.clone())), faults);
    check(roster.organizations.iter().map(|row| (&row.place, row.external_id.clone())), faults);
    check(roster.teams.iter().map(|row| (&row.place, row.external_id.clone())), faults);
    // The database compares login names without the case of ASCII letters.
    check(roster.accounts.iter().map(|row| (&row.place, row.username.as_str().to_ascii_lowercase())), faults);
}

#[cfg(test)]
mod tests;
