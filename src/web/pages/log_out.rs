//! `/logout`. Must not know: how sessions are kept.

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};

use crate::web::error::WebError;
use crate::web::extract::{Fields, Visit, cookie};
use crate::web::state::AppState;

/// Ends all sessions of the account, this one too.
pub async fn everywhere(State(state): State<AppState>, visit: Visit, _fields: Fields) -> Result<Response, WebError> {
    state.service.log_out_everywhere(visit.signed_in()?).await?;
    Ok(goodbye(&state))
}

fn goodbye(state: &AppState) -> Response {
    let mut response = Redirect::to("/").into_response();
    cookie::forget(response.headers_mut(), cookie::SESSION, state.secure_cookies);
    response
}

/// Ends the session.
pub async fn log_out(State(state): State<AppState>, visit: Visit, _fields: Fields) -> Result<Response, WebError> {
    if let Some(token) = &visit.session {
        state.service.log_out(token).await?;
    }
    Ok(goodbye(&state))
}
