//! Who calls: nobody, an account by its password (Basic), or one by a token (Bearer). Never a cookie: a browser sends
//! those by itself, and the API has no CSRF tokens. Must not know: single resources.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode, header};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::ApiError;
use crate::domain::time::EpochMs;
use crate::service::Actor;
use crate::store::api_token::Scopes;
use crate::web::extract::client;
use crate::web::state::AppState;

/// One request's caller.
#[derive(Clone)]
pub(super) struct Caller {
    actor: Option<Actor>,
    scopes: Scopes,
    /// When.
    pub now: EpochMs,
}

impl Caller {
    /// Whom answers are cut for.
    pub(super) const fn viewer(&self) -> Option<&Actor> {
        self.actor.as_ref()
    }

    /// Whether it sees what only judges see.
    pub(super) fn is_judge(&self) -> bool {
        self.actor.as_ref().is_some_and(|actor| actor.is_at_least(crate::domain::account::Role::Judge))
    }

    /// The account whose role's acts are done. Only by a token that allows them: a password is known to browsers, too.
    ///
    /// # Errors
    /// 401 without an account, 403 where the token doesn't allow it.
    pub(super) fn manager(self) -> Result<Actor, ApiError> {
        let nobody = || {
            let hint = "managing the judge needs a token (Bearer) that allows it; make one on the page /account";
            ApiError::new(StatusCode::UNAUTHORIZED, hint)
        };
        let actor = self.actor.ok_or_else(nobody)?;
        if !self.scopes.manage {
            let hint = "this does not allow managing the judge; make a token that does on the page /account";
            return Err(ApiError::new(StatusCode::FORBIDDEN, hint));
        }
        Ok(actor)
    }

    /// Whether it sees test data, and so packages.
    pub(super) fn sees_tests(&self) -> bool {
        self.actor.as_ref().is_some_and(|actor| actor.is_at_least(crate::domain::account::Role::Setter))
    }

    /// The account to hand in for.
    ///
    /// # Errors
    /// 401 without an account, 403 where the token doesn't allow it.
    pub(super) fn submitter(&self) -> Result<&Actor, ApiError> {
        let nobody = || {
            let hint = "handing in needs an account: send its name and password (Basic) or a token (Bearer)";
            ApiError::new(StatusCode::UNAUTHORIZED, hint)
        };
        let actor = self.actor.as_ref().ok_or_else(nobody)?;
        if !self.scopes.submit {
            return Err(ApiError::new(StatusCode::FORBIDDEN, "this token does not allow handing in"));
        }
        Ok(actor)
    }
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let now = state.now();
        let reads = parts.method == Method::GET || parts.method == Method::HEAD;
        // A browser remembers a typed Basic password and sends it with other sites' forms.
        if !reads && client::from_elsewhere(&parts.headers) {
            return Err(ApiError::new(StatusCode::FORBIDDEN, "this request came from another site's page"));
        }
        let all = Scopes { read: true, submit: true, manage: false };
        let Some(value) = parts.headers.get(header::AUTHORIZATION) else {
            return Ok(Self { actor: None, scopes: all, now });
        };
        let unreadable = || ApiError::new(StatusCode::UNAUTHORIZED, "the Authorization header can't be read");
        let (scheme, rest) = value.to_str().ok().and_then(|value| value.split_once(' ')).ok_or_else(unreadable)?;
        let (actor, scopes) = match scheme.to_ascii_lowercase().as_str() {
            "basic" => {
                let plain = BASE64_STANDARD.decode(rest.trim()).map_err(|_| unreadable())?;
                let plain = String::from_utf8(plain).map_err(|_| unreadable())?;
                let (name, password) = plain.split_once(':').ok_or_else(unreadable)?;
                let from = client::address(&parts.headers, &parts.extensions, &state.proxies);
                (state.service.caller_by_password(name, password, from, now).await?, all)
            }
            "bearer" => {
                let found = state.service.token_holder(rest.trim(), now).await?;
                let gone = || ApiError::new(StatusCode::UNAUTHORIZED, "this token is unknown or was revoked");
                let (actor, scopes) = found.ok_or_else(gone)?;
                let address = client::address(&parts.headers, &parts.extensions, &state.proxies);
                (Actor { address, ..actor }, scopes)
            }
            _ => return Err(ApiError::new(StatusCode::UNAUTHORIZED, "Basic and Bearer are understood, nothing else")),
        };
        if reads && !scopes.read && !scopes.manage {
            return Err(ApiError::new(StatusCode::FORBIDDEN, "this token does not allow reading"));
        }
        Ok(Self { actor: Some(actor), scopes, now })
    }
}
