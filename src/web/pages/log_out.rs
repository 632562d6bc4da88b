//! `/logout`. Must not know: how sessions are kept.

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};

use crate::web::error::WebError;
use crate::web::extract::{Fields, Visit, cookie};
use crate::web::state::AppState;

/// Ends the session.
pub async fn log_out(State(state): State<AppState>, visit: Visit, _fields: Fields) -> Result<Response, WebError> {
    if let Some(token) = &visit.session {
        state.service.log_out(token).await?;
    }
    let mut response = Redirect::to("/").into_response();
    cookie::forget(response.headers_mut(), cookie::SESSION, state.secure_cookies);
    Ok(response)
}
