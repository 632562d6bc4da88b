//! What the staff does, for programs: our own addition below `/api/v4/touchstone`, beside CLICS. Each address is a use
//! case that the pages below `/admin` have too; roles are checked there. Owns: their JSON. Must not know: pages.
//!
//! A call needs a token that allows managing (`Authorization: Bearer ...`). Requests are JSON, files come as the body
//! itself. Times in answers are milliseconds since 1970. Refusals are `{code, message}` with a sentence.

mod contests;
mod desk;
mod given;
mod machines;
mod messages;
pub(super) mod openapi;
mod people;
mod problems;
mod refusals;
mod registration;
mod rejudgings;
mod teams;
mod tests;
mod versions;

use axum::Router;
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::routing::{delete, get, post, put};

use super::ApiError;
use super::caller::Caller;
use crate::domain::account::Role;
use crate::domain::time::EpochMs;
use crate::service::Actor;
use crate::web::state::AppState;

/// All addresses.
pub(super) fn router() -> Router<AppState> {
    Router::new()
        .route("/touchstone/problems", get(problems::list).post(problems::import))
        .route("/touchstone/problems/{slug}", get(versions::list))
        .route("/touchstone/problems/{slug}/package", get(versions::export))
        .route("/touchstone/problems/{slug}/state", post(problems::set_state))
        .route("/touchstone/problems/{slug}/limits", post(problems::set_limits))
        .route("/touchstone/problems/{slug}/settings", get(problems::settings))
        .route("/touchstone/problems/{slug}/checker", post(problems::set_checker))
        .route("/touchstone/problems/{slug}/languages", post(problems::set_languages))
        .route("/touchstone/problems/{slug}/create", post(problems::create))
        .route("/touchstone/problems/{slug}/statement", post(problems::set_statement))
        .route("/touchstone/problems/{slug}/restore", post(versions::restore))
        .route("/touchstone/problems/{slug}/verification", get(problems::verification).post(problems::verify))
        .route("/touchstone/problems/{slug}/tests", get(tests::list).post(tests::add))
        .route("/touchstone/problems/{slug}/tests/zip", post(tests::add_zip))
        .route("/touchstone/problems/{slug}/tests/generate", post(tests::generate))
        .route("/touchstone/problems/{slug}/tests/{id}", delete(tests::remove).patch(tests::change))
        .route("/touchstone/problems/{slug}/tests/{id}/input", put(tests::edit).get(tests::input))
        .route("/touchstone/problems/{slug}/tests/{id}/answer", get(tests::answer))
        .route("/touchstone/problems/{slug}/proposals", get(tests::proposals))
        .route("/touchstone/rejudgings", get(rejudgings::list).post(rejudgings::begin))
        .route("/touchstone/rejudgings/{id}", get(rejudgings::show))
        .route("/touchstone/rejudgings/{id}/apply", post(rejudgings::apply))
        .route("/touchstone/rejudgings/{id}/drop", post(rejudgings::discard))
        .route("/touchstone/rejudgings/{id}/undo", post(rejudgings::undo))
        .route("/touchstone/people", get(people::list))
        .route("/touchstone/people/import", post(people::import))
        .route("/touchstone/people/{name}/role", post(people::set_role))
        .route("/touchstone/people/{name}/disabled", post(people::set_disabled))
        .route("/touchstone/people/{name}/sign-out", post(people::sign_out))
        .route("/touchstone/people/{name}/password-link", post(people::password_link))
        .route("/touchstone/people/{name}/second-step/reset", post(people::reset_second_step))
        .route("/touchstone/teams", get(teams::list).post(teams::create))
        .route("/touchstone/teams/{id}", get(teams::show).put(teams::edit))
        .route("/touchstone/teams/{id}/members", post(teams::members))
        .route("/touchstone/teams/{id}/disabled", post(teams::set_disabled))
        .route("/touchstone/groups", get(teams::groups).post(teams::create_group))
        .route("/touchstone/groups/{id}", put(teams::edit_group).delete(teams::delete_group))
        .route("/touchstone/organizations", get(teams::organizations).post(teams::create_organization))
        .route("/touchstone/organizations/{id}", put(teams::edit_organization).delete(teams::delete_organization))
        .route("/touchstone/second-step", post(people::require_second_step))
        .route("/touchstone/registration", get(registration::show).post(registration::set))
        .route("/touchstone/invitations", get(registration::invitations).post(registration::invite))
        .route("/touchstone/invitations/{id}", delete(registration::revoke))
        .route("/touchstone/contests", get(contests::list).post(contests::create))
        .route("/touchstone/contests/{contest}", get(contests::show).patch(contests::edit))
        .route("/touchstone/contests/{contest}/clone", post(contests::copy))
        .route("/touchstone/contests/{contest}/failed-tests", post(contests::set_failed_tests))
        .route("/touchstone/contests/{contest}/problems", put(contests::set_problems))
        .route("/touchstone/contests/{contest}/teams", put(contests::set_teams))
        .route("/touchstone/contests/{contest}/steps", post(contests::step))
        .route("/touchstone/contests/{contest}/clarifications", get(messages::threads).post(messages::say))
        .route("/touchstone/canned-answers", get(messages::canned).post(messages::keep))
        .route("/touchstone/canned-answers/{id}", delete(messages::forget))
        .route("/touchstone/health", get(desk::health))
        .route("/touchstone/machines", get(machines::list))
        .route("/touchstone/machines/{name}/state", post(machines::set_state))
        .route("/touchstone/log", get(desk::log))
}

/// Who manages, and when.
pub(super) struct Manager {
    /// Whose token it is.
    pub actor: Actor,
    /// When.
    pub now: EpochMs,
}

impl Manager {
    /// The actor, if its role is strong enough: for what no use case asks, and before a large body is read.
    ///
    /// # Errors
    /// 403 for a weaker role.
    pub(super) fn at_least(&self, role: Role) -> Result<&Actor, ApiError> {
        if self.actor.is_at_least(role) {
            return Ok(&self.actor);
        }
        Err(ApiError::new(StatusCode::FORBIDDEN, format!("this needs the role {role}")))
    }
}

impl FromRequestParts<AppState> for Manager {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let now = caller.now;
        Ok(Self { actor: caller.manager()?, now })
    }
}
