//! `/preferences`: the language and theme switches. Must not know: anything about problems.

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};

use super::local_address;
use crate::web::extract::{Fields, cookie};
use crate::web::i18n::Lang;
use crate::web::state::AppState;
use crate::web::view::frame::Theme;

/// Notes the choice and goes back to the page it was made on.
pub async fn set(State(state): State<AppState>, fields: Fields) -> Response {
    let mut response = Redirect::to(local_address(fields.get("back"))).into_response();
    let headers = response.headers_mut();
    if let Some(lang) = Lang::from_code(fields.get("lang")) {
        cookie::set(headers, cookie::LANG, lang.code(), state.secure_cookies);
    }
    match (fields.get("theme"), Theme::from_code(fields.get("theme"))) {
        (_, Some(theme)) => cookie::set(headers, cookie::THEME, theme.code(), state.secure_cookies),
        ("auto", None) => cookie::forget(headers, cookie::THEME, state.secure_cookies),
        _ => {}
    }
    response
}
