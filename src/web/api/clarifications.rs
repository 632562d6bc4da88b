//! Clarifications: questions, answers, announcements, as far as the caller may read them.

use serde::Serialize;
use utoipa::ToSchema;

use super::ApiError;
use super::collection::Context;
use super::time::{RelTime, Time};
use crate::domain::ids::ProblemId;
use crate::store::clarification::Clarification;
use crate::store::contest;

/// CLICS clarification.
#[derive(Serialize, ToSchema)]
#[schema(as = Clarification)]
pub(super) struct Message {
    /// `id`.
    id: String,
    /// `from_team_id`: null from the judges, and where others may not know who asked.
    from_team_id: Option<String>,
    /// `to_team_id`: null to the judges, and to all.
    to_team_id: Option<String>,
    /// `reply_to_id`.
    reply_to_id: Option<String>,
    /// `problem_id`.
    problem_id: Option<String>,
    /// `text`.
    text: String,
    /// `time`.
    time: Time,
    /// `contest_time`.
    contest_time: RelTime,
}

/// Those that this caller may read, oldest first.
pub(super) async fn all(of: &Context<'_>) -> Result<Vec<Message>, ApiError> {
    let threads = of.state.service.clarifications(of.caller.viewer(), of.contest.id).await?;
    let visible = super::problems::visible(of.state, of.caller, of.contest).await?;
    let places = contest::problems(of.state.store().read(), of.contest.id).await?;
    let problem = |id: ProblemId| {
        let place = places.iter().find(|place| place.problem_id == id)?;
        visible.iter().find(|problem| problem.id == place.slug.as_str()).map(|problem| problem.id.clone())
    };
    let object = |message: Clarification| Message {
        id: message.id.to_string(),
        from_team_id: message.from_team.map(|team| team.to_string()),
        to_team_id: message.to_team.map(|team| team.to_string()),
        reply_to_id: message.reply_to.map(|id| id.to_string()),
        problem_id: message.problem_id.and_then(problem),
        text: message.text,
        time: Time(message.created),
        contest_time: RelTime(message.created.since(of.contest.start)),
    };
    let mut messages: Vec<Clarification> =
        threads.into_iter().flat_map(|thread| std::iter::once(thread.first).chain(thread.answers)).collect();
    messages.sort_by_key(|message| message.id);
    Ok(messages.into_iter().map(object).collect())
}
