//! Which address leads where, and what is around every handler.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use tower_http::compression::CompressionLayer;

use super::assets;
use super::middleware::{request_log, security, visit};
use super::pages::{self, admin};
use super::state::AppState;
use crate::domain::source::MAX_BINARY_BYTES;
use crate::service::test_cases::MAX_INPUT_BYTES;

/// What a form may weigh, bytes.
const FORM_BYTES: usize = 1024 * 1024;
/// What a form's other fields may add to a file, bytes.
const BESIDE_A_FILE: usize = 1024 * 1024;

/// The whole site.
pub fn router(state: AppState) -> Router {
    Router::new()
        .route("/", get(pages::home::show))
        .route("/preferences", post(pages::preferences::set))
        .route("/login", get(pages::log_in::form).post(pages::log_in::log_in))
        .route("/logout", post(pages::log_out::log_out))
        .route("/register", get(pages::register::form).post(pages::register::register))
        .route("/setup/{token}", get(pages::setup::form).post(pages::setup::set))
        .route("/problems/{slug}", get(pages::problem::show))
        .route("/problems/{slug}/samples.zip", get(pages::problem_files::samples))
        .route("/problems/{slug}/pictures/{name}", get(pages::problem_files::sample_picture))
        .route("/problems/{slug}/files/{*path}", get(pages::problem_files::picture))
        .route(
            "/problems/{slug}/submit",
            get(pages::submit::form)
                .post(pages::submit::submit)
                .layer(DefaultBodyLimit::max(MAX_BINARY_BYTES + BESIDE_A_FILE)),
        )
        .route(
            "/problems/{slug}/try",
            post(pages::trial::begin).layer(DefaultBodyLimit::max(MAX_BINARY_BYTES + BESIDE_A_FILE)),
        )
        .route("/trials/{id}", get(pages::trial::show))
        .route("/trials/{id}/events", get(pages::trial::events))
        .route("/submissions", get(pages::submissions::show))
        .route("/submissions/{id}", get(pages::submission::show))
        .route("/submissions/{id}/events", get(pages::submission_events::events))
        .route("/submissions/{id}/files/{number}", get(pages::submission::file))
        .route("/submissions/{id}/compiler-output", get(pages::submission::compiler_output))
        .route("/submissions/{id}/rejudge", post(admin::rejudge::submission))
        .route("/clarifications", get(pages::clarifications::show).post(pages::clarifications::ask))
        .route("/clarifications/events", get(pages::clarifications::events))
        .route("/scoreboard", get(pages::scoreboard::show))
        .route("/scoreboard/events", get(pages::scoreboard::events))
        .merge(staff())
        .fallback(async || axum::http::StatusCode::NOT_FOUND)
        .layer(DefaultBodyLimit::max(FORM_BYTES))
        .layer(from_fn_with_state(state.clone(), visit::attach))
        .route("/static/{*path}", get(assets::serve))
        .layer(CompressionLayer::new())
        .layer(from_fn(security::headers))
        .layer(from_fn(request_log::log))
        .with_state(state)
}

fn staff() -> Router<AppState> {
    Router::new()
        .route("/admin", get(admin::overview::show))
        .route("/admin/problems/{slug}", get(admin::problem::show))
        .route(
            "/admin/problems/{slug}/tests/new",
            get(admin::test_new::form)
                .post(admin::test_new::add)
                .layer(DefaultBodyLimit::max(MAX_INPUT_BYTES + BESIDE_A_FILE)),
        )
        .route("/admin/problems/{slug}/rejudge", post(admin::rejudge::problem))
        .route("/admin/clarifications", get(pages::clarifications::staff).post(pages::clarifications::answer))
        .route("/admin/proposals/{id}", get(admin::proposal::show))
        .route("/admin/proposals/{id}/input", get(admin::proposal::input))
}
