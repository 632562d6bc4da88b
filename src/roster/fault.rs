//! What is wrong with a row or a file, for people. The sentences here are the command line's; pages have their own in
//! every language.

use super::Place;

/// Something wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What.
    pub trouble: Trouble,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// Nothing in the file.
    #[error("the file is empty")]
    Empty,
    /// Neither its name nor its contents say what it holds.
    #[error("can't tell what this file holds; name it accounts, teams, groups or organizations, or give a header line")]
    UnknownKind,
    /// Not UTF-8.
    #[error("the file is not UTF-8 text")]
    NotText,
    /// A version of a TSV format that nobody knows.
    #[error(
        "`{0}` is no known first line; known are accounts 1, teams 1, teams 2, groups 1, institutions 1, File_Version 1 or 2"
    )]
    BadVersion(String),
    /// The header names a column that nobody knows.
    #[error("the column `{0}` is not known; known are username, name, role, password, team, organization, group")]
    UnknownColumn(String),
    /// The header names a column twice.
    #[error("the column `{0}` is there twice")]
    ColumnTwice(String),
    /// The header has no column for login names.
    #[error("the header has no column `username`")]
    NoUserName,
    /// Too few or too many fields.
    #[error("{found} fields where {wanted} are wanted")]
    Fields {
        /// How many are there.
        found: usize,
        /// How many should be.
        wanted: usize,
    },
    /// A quotation mark that opens and never closes, or stands inside a field.
    #[error("a quotation mark is open, or stands inside a field that is not quoted")]
    Quotes,
    /// The JSON can't be read.
    #[error("the JSON can't be read: {0}")]
    Json(String),
    /// A field is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// An id that can't be used.
    #[error("`{text}` can't be the {column}: 1 to 64 bytes without spaces")]
    BadId {
        /// Which column.
        column: &'static str,
        /// What stands there.
        text: String,
    },
    /// A name that can't be used.
    #[error("`{text}` can't be the {column}: 1 to 120 characters on one line")]
    BadName {
        /// Which column.
        column: &'static str,
        /// What stands there.
        text: String,
    },
    /// No login name.
    #[error("`{0}` can't be a login name: 1 to 40 letters, digits, `_`, `-`, `.`, beginning with a letter or digit")]
    BadUserName(String),
    /// No password.
    #[error("a password has 8 to 200 characters")]
    BadPassword,
    /// No role.
    #[error(
        "`{0}` is no role; known are contestant (or team), setter, judge, admin, and analyst, staff for those who only look"
    )]
    BadRole(String),
    /// The same id or name stands in an earlier row.
    #[error("the same stands in {file}, line {line}, already")]
    Twice {
        /// Where: the file.
        file: String,
        /// Where: the line.
        line: usize,
    },
    /// Too many rows.
    #[error("{0} rows; at most 10000 are taken at once")]
    TooMany(usize),
    /// Somebody has the login name, with another role.
    #[error("the login name `{name}` is taken, by an account whose role is {role}")]
    NameTaken {
        /// The name.
        name: String,
        /// The role of who has it.
        role: crate::domain::account::Role,
    },
    /// Another team has the name.
    #[error("another team is named `{0}`")]
    TeamNameTaken(String),
    /// A team that is neither in the files nor here.
    #[error("there is no team with the id `{0}`, in these files or here")]
    NoTeam(String),
    /// A group that is neither in the files nor here.
    #[error("there is no group with the id `{0}`, in these files or here")]
    NoGroup(String),
    /// An organization that is neither in the files nor here.
    #[error("there is no organization with the id `{0}`, in these files or here")]
    NoOrganization(String),
}
