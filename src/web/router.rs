//! Which address leads where.

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::get;

use super::{assets, pages};
use super::middleware::{request_log, security, visit};
use super::state::AppState;

/// The whole site.
pub fn router(state: AppState) -> Router {
    let pages: Router<AppState> = Router::new()
        .route("/", get(pages::home::show))
        .route("/problems/{slug}", get(pages::problem::show))
        .route("/admin", get(pages::admin::overview::show))
        .route("/preferences", axum::routing::post(pages::preferences::set));
    pages
        .layer(axum::middleware::from_fn_with_state(state.clone(), visit::attach))
        .route("/static/{*path}", get(assets::serve))
        .layer(from_fn(security::headers))
        .layer(from_fn(request_log::log))
        .with_state(state)
}
