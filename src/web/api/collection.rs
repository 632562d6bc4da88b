//! The collections of a contest by name: the whole, filtered by the fields of its objects, or one object. Each resource's
//! file says what is in its own. The event feed is made of the same objects. Must not know: single resources' fields.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Path, Query, State};
use serde::Serialize;
use serde_json::Value;

use super::caller::Caller;
use super::{
    ApiError, awards, clarifications, contests, groups, judgement_types, judgements, languages, organizations,
    problems, runs, submissions, teams,
};
use crate::domain::ids::SubmissionId;
use crate::store::contest::Contest;
use crate::web::state::AppState;

/// Whose eyes a contest's objects are cut for.
pub(super) struct Context<'a> {
    /// What handlers share.
    pub state: &'a AppState,
    /// Who asks.
    pub caller: &'a Caller,
    /// The contest.
    pub contest: &'a Contest,
    /// Of submissions and what belongs to them only these; `None`: all.
    pub only: Option<&'a [SubmissionId]>,
}

/// A collection of a contest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Collection {
    JudgementTypes,
    Languages,
    Problems,
    Groups,
    Organizations,
    Teams,
    Submissions,
    Judgements,
    Runs,
    Clarifications,
    Awards,
}

impl Collection {
    /// All of them; none names an object of a later one, but clarifications that answer earlier ones of their own.
    pub(super) const ALL: [Self; 11] = [
        Self::JudgementTypes,
        Self::Languages,
        Self::Problems,
        Self::Groups,
        Self::Organizations,
        Self::Teams,
        Self::Submissions,
        Self::Judgements,
        Self::Runs,
        Self::Clarifications,
        Self::Awards,
    ];

    /// CLICS's name of it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::JudgementTypes => "judgement-types",
            Self::Languages => "languages",
            Self::Problems => "problems",
            Self::Groups => "groups",
            Self::Organizations => "organizations",
            Self::Teams => "teams",
            Self::Submissions => "submissions",
            Self::Judgements => "judgements",
            Self::Runs => "runs",
            Self::Clarifications => "clarifications",
            Self::Awards => "awards",
        }
    }

    fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|collection| collection.name() == name)
    }

    /// Whether its objects belong to submissions.
    pub(super) const fn of_submissions(self) -> bool {
        matches!(self, Self::Submissions | Self::Judgements | Self::Runs)
    }

    /// The objects that the caller sees.
    pub(super) async fn objects(self, of: &Context<'_>) -> Result<Vec<Value>, ApiError> {
        match self {
            Self::JudgementTypes => values(judgement_types::all()),
            Self::Languages => values(languages::all(of)),
            Self::Problems => values(problems::all(of).await?),
            Self::Groups => values(groups::all(of).await?),
            Self::Organizations => values(organizations::all(of).await?),
            Self::Teams => values(teams::all(of).await?),
            Self::Submissions => values(submissions::all(of).await?),
            Self::Judgements => values(judgements::all(of).await?),
            Self::Runs => values(runs::all(of).await?),
            Self::Clarifications => values(clarifications::all(of).await?),
            Self::Awards => values(awards::all(of).await?),
        }
    }
}

fn values<T: Serialize>(objects: Vec<T>) -> Result<Vec<Value>, ApiError> {
    let values: Result<_, serde_json::Error> = objects.into_iter().map(serde_json::to_value).collect();
    values.map_err(|error| ApiError::internal(&error))
}

fn known(name: &str) -> Result<Collection, ApiError> {
    Collection::of_name(name).ok_or_else(|| ApiError::no_such("collection", name))
}

/// All objects of a collection whose fields are what the query says.
pub(super) async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Path((contest, name)): Path<(String, String)>,
    Query(filter): Query<BTreeMap<String, String>>,
) -> Result<Json<Vec<Value>>, ApiError> {
    filtered(&state, &caller, &contest, known(&name)?, &filter).await
}

/// The same, for the address that also takes what is handed in.
pub(super) async fn submissions(
    State(state): State<AppState>,
    caller: Caller,
    Path(contest): Path<String>,
    Query(filter): Query<BTreeMap<String, String>>,
) -> Result<Json<Vec<Value>>, ApiError> {
    filtered(&state, &caller, &contest, Collection::Submissions, &filter).await
}

async fn filtered(
    state: &AppState,
    caller: &Caller,
    contest: &str,
    collection: Collection,
    filter: &BTreeMap<String, String>,
) -> Result<Json<Vec<Value>>, ApiError> {
    let contest = contests::find(state, contest).await?;
    let of = Context { state, caller, contest: &contest, only: None };
    let mut objects = collection.objects(&of).await?;
    // Other words in a query are somebody's extensions, and are left alone.
    let asked = filter.iter().filter(|(name, _)| *name == "id" || name.ends_with("_id"));
    for (name, wanted) in asked {
        objects.retain(|object| match object.get(name) {
            Some(Value::String(value)) => value == wanted,
            _ => wanted.is_empty(),
        });
    }
    Ok(Json(objects))
}

/// One object.
pub(super) async fn show(
    State(state): State<AppState>,
    caller: Caller,
    Path((contest, name, id)): Path<(String, String, String)>,
) -> Result<Json<Value>, ApiError> {
    let collection = known(&name)?;
    let contest = contests::find(&state, &contest).await?;
    let only: Option<SubmissionId> = (collection == Collection::Submissions).then(|| id.parse().ok()).flatten();
    let only = only.map(|id| [id]);
    let of = Context { state: &state, caller: &caller, contest: &contest, only: only.as_ref().map(<[_; 1]>::as_slice) };
    let objects = collection.objects(&of).await?;
    let found = objects.into_iter().find(|object| object.get("id").and_then(Value::as_str) == Some(&id));
    let kind = name.trim_end_matches('s').replace('-', " ");
    Ok(Json(found.ok_or_else(|| ApiError::no_such(&kind, &id))?))
}
