//! `/contests/{contest}/access`: what the caller may do, and which properties it finds.

use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;
use utoipa::ToSchema;

use super::caller::Caller;
use super::{ApiError, contests};
use crate::store::contest::Scoring;
use crate::web::state::AppState;

/// CLICS access.
#[derive(Serialize, ToSchema)]
pub(super) struct Access {
    /// `capabilities`.
    capabilities: Vec<&'static str>,
    /// `endpoints`.
    endpoints: Vec<Endpoint>,
}

/// CLICS endpoint.
#[derive(Serialize, ToSchema)]
struct Endpoint {
    /// `type`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// `properties`.
    properties: Vec<&'static str>,
}

/// The properties that everybody finds, in the order of the pages of CLICS.
const ENDPOINTS: [(&str, &[&str]); 13] = [
    (
        "contest",
        &[
            "id",
            "name",
            "formal_name",
            "start_time",
            "countdown_pause_time",
            "duration",
            "scoreboard_freeze_duration",
            "scoreboard_thaw_time",
            "scoreboard_type",
            "penalty_time",
        ],
    ),
    ("judgement-types", &["id", "name", "penalty", "solved"]),
    ("languages", &["id", "name", "entry_point_required", "entry_point_name", "extensions", "compiler", "runner"]),
    ("problems", &["id", "label", "name", "ordinal", "rgb", "time_limit", "test_data_count", "statement"]),
    ("groups", &["id", "icpc_id", "name"]),
    ("organizations", &["id", "icpc_id", "name", "formal_name", "country"]),
    ("teams", &["id", "icpc_id", "name", "label", "display_name", "organization_id", "group_ids", "hidden"]),
    ("state", &["started", "frozen", "ended", "thawed", "finalized", "end_of_updates"]),
    ("submissions", &["id", "language_id", "problem_id", "team_id", "time", "contest_time", "entry_point"]),
    (
        "judgements",
        &[
            "id",
            "submission_id",
            "judgement_type_id",
            "start_time",
            "start_contest_time",
            "end_time",
            "end_contest_time",
            "max_run_time",
        ],
    ),
    (
        "clarifications",
        &["id", "from_team_id", "to_team_id", "reply_to_id", "problem_id", "text", "time", "contest_time"],
    ),
    ("awards", &["id", "citation", "team_ids"]),
    ("scoreboard", &["time", "contest_time", "state", "rows"]),
];

/// Shows it.
pub(super) async fn show(
    State(state): State<AppState>,
    caller: Caller,
    Path(contest): Path<String>,
) -> Result<Json<Access>, ApiError> {
    let contest = contests::find(&state, &contest).await?;
    let submits = caller.submitter().is_ok_and(|actor| actor.team_id.is_some());
    let mut endpoints: Vec<Endpoint> =
        ENDPOINTS.iter().map(|(kind, properties)| Endpoint { kind, properties: properties.to_vec() }).collect();
    let mut add = |kind: &str, property: &'static str| {
        if let Some(endpoint) = endpoints.iter_mut().find(|endpoint| endpoint.kind == kind) {
            endpoint.properties.push(property);
        }
    };
    if contest.scoring == Scoring::Score {
        add("problems", "max_score");
        add("judgements", "score");
    }
    if caller.viewer().is_some() {
        add("submissions", "files");
    }
    if caller.sees_tests() {
        add("problems", "package");
    }
    if caller.is_judge() {
        let properties = vec!["id", "judgement_id", "ordinal", "judgement_type_id", "time", "contest_time", "run_time"];
        endpoints.push(Endpoint { kind: "runs", properties });
    }
    Ok(Json(Access { capabilities: if submits { vec!["team_submit"] } else { Vec::new() }, endpoints }))
}
