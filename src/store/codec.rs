//! How the domain's types lie in SQLite's columns: ids and times as integers, hashes as 32 bytes, enums as texts.
//!
//! A value that the domain refuses (written by a newer version, or by hand) is a decoding error, never a default.

use std::collections::BTreeMap;

use crate::domain::account::Role;
use crate::domain::group_result::GroupResult;
use crate::domain::hash::Sha256;
use crate::domain::ids::{
    AccountId, ApiTokenId, CannedAnswerId, ClarificationId, ContestId, CounterexampleId, EventId, GroupId,
    InvitationId, JobId, JudgementId, OrganizationId, PackageId, ProblemId, ProposalId, RejudgingId, RosterImportId,
    SubmissionId, TeamId, TestCaseId, TestSetId, TrialId, VerificationId, VirtualRunId,
};
use crate::domain::language::LanguageId;
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;
use crate::domain::worker_name::WorkerName;

/// SQLite's integers are signed; no size or time that is measured here comes near the end of them.
pub(super) fn int(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Lays a type into a column the way another one (`$via`) lies in it. Paths are whole: other files use it too.
macro_rules! column {
    ($name:ty, $via:ty, |$value:ident| $encode:expr, |$stored:ident| $decode:expr) => {
        impl sqlx::Type<sqlx::Sqlite> for $name {
            fn type_info() -> sqlx::sqlite::SqliteTypeInfo {
                <$via as sqlx::Type<sqlx::Sqlite>>::type_info()
            }

            fn compatible(ty: &sqlx::sqlite::SqliteTypeInfo) -> bool {
                <$via as sqlx::Type<sqlx::Sqlite>>::compatible(ty)
            }
        }

        impl sqlx::Encode<'_, sqlx::Sqlite> for $name {
            fn encode_by_ref(
                &self,
                args: &mut sqlx::sqlite::SqliteArgumentsBuffer,
            ) -> Result<sqlx::encode::IsNull, sqlx::error::BoxDynError> {
                let $value = self;
                <$via as sqlx::Encode<'_, sqlx::Sqlite>>::encode($encode, args)
            }
        }

        impl<'r> sqlx::Decode<'r, sqlx::Sqlite> for $name {
            fn decode(value: sqlx::sqlite::SqliteValueRef<'r>) -> Result<Self, sqlx::error::BoxDynError> {
                let $stored = <$via as sqlx::Decode<'r, sqlx::Sqlite>>::decode(value)?;
                $decode
            }
        }
    };
}

macro_rules! integer_columns {
    ($($name:ident),+ $(,)?) => {
        $(column!($name, i64, |value| value.0, |stored| Ok(Self(stored)));)+
    };
}

/// An enum whose text in the column is given once, here, and must match the migration's `check`.
macro_rules! text_enum {
    ($(#[$doc:meta])* pub enum $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant),+ }

        impl $name {
            /// As stored.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err(format!("`{text}` is no {}", stringify!($name))),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        $crate::store::codec::column!($name, String, |value| value.as_str().to_owned(), |stored| Ok(stored.parse()?));
    };
}

pub(super) use {column, text_enum};

integer_columns!(
    AccountId,
    ApiTokenId,
    ClarificationId,
    ContestId,
    EventId,
    GroupId,
    InvitationId,
    JobId,
    JudgementId,
    OrganizationId,
    PackageId,
    ProblemId,
    ProposalId,
    RejudgingId,
    RosterImportId,
    SubmissionId,
    TeamId,
    TestCaseId,
    TestSetId,
    TrialId,
    CounterexampleId,
    CannedAnswerId,
    VerificationId,
    VirtualRunId,
    EpochMs,
);

column!(Sha256, Vec<u8>, |value| value.as_bytes().to_vec(), |stored| {
    let bytes = <[u8; 32]>::try_from(stored).map_err(|_| "a SHA-256 has 32 bytes")?;
    Ok(Self::from_bytes(bytes))
});
column!(Role, String, |value| value.as_str().to_owned(), |stored| Ok(stored.parse()?));
column!(Verdict, String, |value| value.code().to_owned(), |stored| Ok(stored.parse()?));
column!(Slug, String, |value| value.as_str().to_owned(), |stored| Ok(stored.parse()?));
column!(WorkerName, String, |value| value.as_str().to_owned(), |stored| Ok(stored.parse()?));
column!(LanguageId, String, |value| value.as_str().to_owned(), |stored| Ok(stored.parse()?));

/// A name in several languages, e.g. a problem's: language tag to text.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Names(pub BTreeMap<String, String>);

impl Names {
    /// The name in this language, or in English, or in any; `None` when there is none at all.
    pub fn in_language(&self, language: &str) -> Option<&str> {
        self.0.get(language).or_else(|| self.0.get("en")).or_else(|| self.0.values().next()).map(String::as_str)
    }
}

column!(Names, String, |value| serde_json::to_string(value)?, |stored| Ok(serde_json::from_str(&stored)?));

/// A list of short texts in one column.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Texts(pub Vec<String>);

column!(Texts, String, |value| serde_json::to_string(value)?, |stored| Ok(serde_json::from_str(&stored)?));

/// What the test groups came to, inner ones first.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct GroupResults(pub Vec<GroupResult>);

column!(GroupResults, String, |value| serde_json::to_string(value)?, |stored| Ok(serde_json::from_str(&stored)?));
