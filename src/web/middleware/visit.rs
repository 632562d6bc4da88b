//! Attaches the visitor to a request, and turns whatever went wrong into a page in the visitor's language. Must not
//! know: single pages.

use askama::Template;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Redirect, Response};

use crate::web::error::{Next as NextThing, WebError};
use crate::web::extract::{BodyLimit, Visit, cookie};
use crate::web::i18n::Message;
use crate::web::state::AppState;
use crate::web::view::format::query_escape;
use crate::web::view::frame::{Frame, Section};

/// Reads the visitor before the handler, writes the error page after it.
pub async fn attach(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let (visit, response) = match Visit::read(&state, request.headers(), request.extensions(), request.uri()).await {
        Ok(visit) => {
            request.extensions_mut().insert(visit.clone());
            (visit, next.run(request).await)
        }
        Err((visit, error)) => (visit, error.into_response()),
    };
    let mut response = match error_of(&method, &response) {
        Some(error) => as_page(&state, &visit, &method, &error, response.headers()),
        None => response,
    };
    if let Some(browser) = &visit.new_browser {
        cookie::set(response.headers_mut(), cookie::BROWSER, browser, state.secure_cookies);
    }
    response
}

/// The error that an answer carries; an empty 4xx of the framework (no such route, wrong method) becomes one of ours.
fn error_of(method: &Method, response: &Response) -> Option<WebError> {
    if let Some(error) = response.extensions().get::<WebError>() {
        return Some(error.clone());
    }
    let status = response.status();
    let is_page =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if !status.is_client_error() || is_page {
        return None;
    }
    let (status, what) = match status {
        StatusCode::NOT_FOUND => (status, Message::new("error-no-page")),
        // Nothing was sent: the address itself has a part that can't be read.
        StatusCode::BAD_REQUEST if method == Method::GET => (StatusCode::NOT_FOUND, Message::new("error-no-page")),
        StatusCode::METHOD_NOT_ALLOWED => (status, Message::new("error-method")),
        StatusCode::PAYLOAD_TOO_LARGE => (status, BodyLimit::FORM.exceeded()),
        _ => (status, Message::new("error-form")),
    };
    Some(WebError::refused(status, what))
}

#[derive(Template)]
#[template(path = "pages/error.html")]
struct ErrorPage {
    frame: Frame,
    status: StatusCode,
    what: String,
    next: NextThing,
}

fn as_page(state: &AppState, visit: &Visit, method: &Method, error: &WebError, headers: &HeaderMap) -> Response {
    let back = query_escape(&visit.address);
    let (what, next) = match error {
        WebError::LogInFirst if method == Method::GET => {
            return Redirect::to(&format!("/login?next={back}")).into_response();
        }
        WebError::LogInFirst => (
            visit.lang.text("error-log-in").into_owned(),
            NextThing { href: format!("/login?next={back}"), label: Message::new("log-in") },
        ),
        WebError::Refused { what, next, .. } => (visit.lang.say(what), next.clone()),
        WebError::Internal(_) if error.is_disk_trouble() => {
            (visit.lang.text("error-disk").into_owned(), NextThing::problems())
        }
        WebError::Internal(_) => (visit.lang.text("error-internal").into_owned(), NextThing::problems()),
    };
    let status = error.status();
    let page = ErrorPage { frame: visit.frame(state, Section::None), status, what, next };
    let mut response = match page.render() {
        Ok(html) => (status, Html(html)).into_response(),
        Err(error) => {
            tracing::error!(%error, "the error page failed");
            status.into_response()
        }
    };
    for name in [header::ALLOW, header::RETRY_AFTER] {
        if let Some(value) = headers.get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}
