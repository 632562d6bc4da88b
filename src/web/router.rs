//! Which address leads where, and what is around every handler.

use axum::extract::{DefaultBodyLimit, Path};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Router};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::{CompressionLayer, CompressionLevel};

use tower::ServiceExt as _;

use super::contest_path;
use super::extract::{BodyLimit, Visit};
use super::middleware::{panics, request_log, security, visit};
use super::pages::{self, admin};
use super::state::AppState;
use super::{api, assets, watching};
use crate::domain::source::MAX_BINARY_BYTES;
use crate::service::problems::MAX_ZIP_BYTES;
use crate::service::test_cases::MAX_INPUT_BYTES;

/// What a form's other fields may add to a file, bytes.
const BESIDE_A_FILE: usize = 1024 * 1024;

/// The whole site. A contest's part of an address is taken off before the pages are looked up.
pub fn router(state: AppState) -> Router {
    let log = from_fn_with_state(state.clone(), request_log::log);
    Router::new()
        .fallback_service(pages(state).map_request(contest_path::take_off).map_request(api::without_slash))
        .layer(CatchPanicLayer::custom(panics::bare))
        .layer(log)
}

fn pages(state: AppState) -> Router {
    Router::new()
        .route("/", get(pages::home::show))
        .route("/preferences", post(pages::preferences::set))
        .route("/login", get(pages::log_in::form).post(pages::log_in::log_in))
        .route("/login/code", get(pages::log_in_code::form).post(pages::log_in_code::log_in))
        .route("/logout", post(pages::log_out::log_out))
        .route("/register", get(pages::register::form).post(pages::register::register))
        .route("/password/{token}", get(pages::password::form).post(pages::password::set))
        .route("/setup/{token}", get(pages::setup::form).post(pages::setup::set))
        .route("/account", get(pages::account::show))
        .route("/help/api", get(pages::api_reference::show))
        .route("/help/api/managing", get(pages::api_reference::managing))
        .route("/account/tokens", get(async || Redirect::to("/account")).post(pages::account::create_token))
        .route("/account/tokens/{id}/revoke", post(pages::account::revoke_token))
        .route("/account/log-out-everywhere", post(pages::log_out::everywhere))
        .route("/account/second-step", get(pages::second_step::show).post(pages::second_step::begin))
        .route("/account/second-step/confirm", post(pages::second_step::confirm))
        .route("/account/second-step/codes", post(pages::second_step::codes))
        .route("/account/second-step/off", post(pages::second_step::end))
        .route("/problems", get(async |visit: Visit| Redirect::permanent(&home(&visit))))
        .route("/contests", get(pages::contests::show))
        .route("/problems/{slug}", get(pages::problem::show))
        .route("/problems/{slug}/samples.zip", get(pages::problem_files::samples))
        .route("/problems/{slug}/pictures/{name}", get(pages::problem_files::sample_picture))
        .route("/problems/{slug}/files/{*path}", get(pages::problem_files::picture))
        .route(
            "/problems/{slug}/submit",
            with_file(get(pages::submit::form).post(pages::submit::submit), MAX_BINARY_BYTES),
        )
        .route("/problems/{slug}/try", with_file(post(pages::trial::begin), MAX_BINARY_BYTES))
        .route("/trials/{id}", get(pages::trial::show))
        .route("/trials/{id}/events", get(pages::trial::events))
        .route("/submissions", get(pages::submissions::show))
        .route("/submissions/{id}", get(pages::submission::show))
        .route("/submissions/{id}/events", get(pages::submission_events::events))
        .route("/submissions/{id}/files/{number}", get(pages::submission::file))
        .route("/submissions/{id}/compiler-output", get(pages::submission::compiler_output))
        // Where DOMjudge's `submit` sends its user.
        .route("/team/submission/{id}", get(async |Path(id): Path<u64>| Redirect::to(&format!("/submissions/{id}"))))
        .route("/submissions/{id}/rejudge", post(admin::rejudge::submission))
        .route("/clarifications", get(pages::clarifications::show).post(pages::clarifications::ask))
        .route("/news", get(pages::news::show))
        .route("/news/events", get(pages::news::events))
        .route("/clarifications/events", get(pages::clarifications::events))
        .route("/scoreboard", get(pages::scoreboard::show))
        .route("/scoreboard/events", get(pages::scoreboard::events))
        .route("/scoreboard/files/{name}", get(pages::scoreboard::file))
        .route("/resolver", get(pages::resolver::show))
        .route("/virtual", get(pages::virtual_run::show).post(pages::virtual_run::begin))
        .route("/virtual/events", get(pages::virtual_run::events))
        .merge(staff())
        .fallback(elsewhere)
        .layer(DefaultBodyLimit::max(BodyLimit::FORM.0))
        .layer(CatchPanicLayer::custom(panics::page))
        .layer(from_fn_with_state(state.clone(), visit::attach))
        // Below the visit: no cookie counts there.
        .merge(api::router())
        .route("/static/{*path}", get(assets::serve))
        .route("/healthz", get(watching::health))
        .route("/readyz", get(watching::ready))
        .route("/metrics", get(watching::metrics))
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest))
        .layer(from_fn(security::headers))
        .with_state(state)
}

/// A route that takes a file of up to so many bytes.
fn with_file(route: MethodRouter<AppState>, bytes: usize) -> MethodRouter<AppState> {
    route.layer((DefaultBodyLimit::max(bytes + BESIDE_A_FILE), Extension(BodyLimit(bytes))))
}

/// No such address. One that only has a slash too many leads to the one without.
async fn elsewhere(method: Method, uri: Uri, visit: Visit) -> Response {
    let path = uri.path().trim_matches('/');
    // A browser reads a backslash as a slash: two of them would lead to another host.
    let safe = !path.contains('\\');
    if method == Method::GET && uri.path().ends_with('/') && safe {
        let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        return Redirect::permanent(&visit.link(&format!("/{path}{query}"))).into_response();
    }
    StatusCode::NOT_FOUND.into_response()
}

/// The address of the contest's problems.
fn home(visit: &Visit) -> String {
    let base = visit.base();
    if base.is_empty() { "/".to_owned() } else { base }
}

fn staff() -> Router<AppState> {
    Router::new()
        .route("/admin", get(admin::overview::show))
        .route("/admin/import", with_file(get(admin::import::form).post(admin::import::import), MAX_ZIP_BYTES))
        .route("/admin/problems", post(admin::problem_settings::create))
        .route("/admin/problems/{slug}", get(admin::problem::show))
        .route("/admin/problems/{slug}/verification", get(admin::verification::show).post(admin::verification::again))
        .route("/admin/problems/{slug}/verification/events", get(admin::verification::events))
        .route(
            "/admin/problems/{slug}/tests/new",
            with_file(get(admin::test_new::form).post(admin::test_new::add), MAX_INPUT_BYTES),
        )
        .route(
            "/admin/problems/{slug}/tests/many",
            with_file(get(admin::tests_many::form).post(admin::tests_many::add), MAX_INPUT_BYTES),
        )
        .route("/admin/problems/{slug}/tests/generate", get(admin::tests_many::form).post(admin::tests_many::generate))
        .route("/admin/problems/{slug}/tests/{id}", get(admin::test_case::show).post(admin::test_case::change))
        .route(
            "/admin/problems/{slug}/tests/{id}/edit",
            with_file(get(admin::test_case::show).post(admin::test_case::edit), MAX_INPUT_BYTES),
        )
        .route("/admin/problems/{slug}/tests/{id}/input", get(admin::test_case::input))
        .route("/admin/problems/{slug}/tests/{id}/answer", get(admin::test_case::answer))
        .route("/admin/problems/{slug}/versions", get(admin::versions::show).post(admin::versions::restore))
        .route("/admin/problems/{slug}/package.zip", get(admin::versions::export))
        .route("/admin/problems/{slug}/state", post(admin::versions::set_state))
        .route("/admin/problems/{slug}/limits", post(admin::versions::set_limits))
        .route("/admin/problems/{slug}/checker", post(admin::problem_settings::set_checker))
        .route("/admin/problems/{slug}/languages", post(admin::problem_settings::set_languages))
        .route("/admin/problems/{slug}/statement", get(admin::statement::form).post(admin::statement::save))
        .route("/admin/health", get(admin::health::show))
        .route("/admin/machines/{name}/state", post(admin::machines::set_state))
        .route("/admin/clarifications/canned", post(pages::clarifications::keep_canned))
        .route("/admin/clarifications/canned/{id}/delete", post(pages::clarifications::drop_canned))
        .route("/admin/problems/{slug}/rejudge", post(admin::rejudge::problem))
        .route("/admin/clarifications/events", get(pages::clarifications::staff_events))
        .route("/admin/contests", post(admin::contest_new::create))
        .route("/admin/contests/new", get(admin::contest_new::form))
        .route("/admin/contests/{slug}", get(admin::contest::show).post(admin::contest::edit))
        .route("/admin/contests/{slug}/failed-tests", post(admin::contest::set_failed_tests))
        .route("/admin/contests/{slug}/steps", post(admin::contest::step))
        .route("/admin/contests/{slug}/problems", post(admin::contest::problems))
        .route("/admin/contests/{slug}/teams", post(admin::contest::teams))
        .route("/admin/contests/{slug}/clone", post(admin::contest_new::clone))
        .route("/admin/rejudgings", get(admin::rejudging::list).post(admin::rejudge::begin))
        .route("/admin/rejudgings/new", get(admin::rejudge::form))
        .route("/admin/rejudgings/{id}", get(admin::rejudging::show))
        .route("/admin/rejudgings/{id}/apply", post(admin::rejudging::apply))
        .route("/admin/rejudgings/{id}/drop", post(admin::rejudging::discard))
        .route("/admin/rejudgings/{id}/undo", post(admin::rejudging::undo))
        .route("/admin/people", get(admin::people::list))
        .route(
            "/admin/people/import",
            with_file(
                get(admin::people_import::form).post(admin::people_import::read),
                admin::people_import::MAX_BYTES,
            ),
        )
        .route("/admin/people/import/{id}", get(admin::people_import::plan).post(admin::people_import::take))
        .route("/admin/people/import/{id}/drop", post(admin::people_import::discard))
        .route("/admin/people/{id}", get(admin::people::show))
        .route("/admin/people/{id}/role", post(admin::people::set_role))
        .route("/admin/people/{id}/disabled", post(admin::people::set_disabled))
        .route("/admin/people/{id}/sign-out", post(admin::people::sign_out))
        .route("/admin/second-step", post(admin::people::require_second_step))
        .route("/admin/people/{id}/second-step", post(admin::people::reset_second_step))
        .route("/admin/people/{id}/password-link", post(admin::people::password_link))
        .route("/admin/teams", get(admin::teams::list).post(admin::teams::create))
        .route("/admin/teams/new", get(admin::teams::form))
        .route("/admin/teams/{id}", get(admin::teams::show).post(admin::teams::edit))
        .route("/admin/teams/{id}/members", post(admin::teams::members))
        .route("/admin/teams/{id}/disabled", post(admin::teams::set_disabled))
        .route("/admin/groups", get(admin::affiliations::groups).post(admin::affiliations::create_group))
        .route("/admin/groups/new", get(admin::affiliations::new_group))
        .route("/admin/groups/{id}", get(admin::affiliations::group).post(admin::affiliations::edit_group))
        .route("/admin/groups/{id}/delete", post(admin::affiliations::delete_group))
        .route(
            "/admin/organizations",
            get(admin::affiliations::organizations).post(admin::affiliations::create_organization),
        )
        .route("/admin/organizations/new", get(admin::affiliations::new_organization))
        .route(
            "/admin/organizations/{id}",
            get(admin::affiliations::organization).post(admin::affiliations::edit_organization),
        )
        .route("/admin/organizations/{id}/delete", post(admin::affiliations::delete_organization))
        .route("/admin/registration", get(admin::registration::show).post(admin::registration::set))
        .route("/admin/invitations", post(admin::registration::invite))
        .route("/admin/invitations/{id}/revoke", post(admin::registration::revoke))
        .route("/admin/log", get(admin::audit::show))
        .route("/admin/log/export", get(admin::audit::export))
        .route("/admin/clarifications", get(pages::clarifications::staff).post(pages::clarifications::answer))
        .route("/admin/proposals/{id}", get(admin::proposal::show))
        .route("/admin/proposals/{id}/input", get(admin::proposal::input))
}
