//! `/admin/problems/{slug}/verification`: whether a package keeps its promises, live while a worker finds out. Who may see
//! it is decided by the service. Must not know: how a package is verified.

use std::convert::Infallible;
use std::time::Duration;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Redirect, Response};
use tokio_stream::Stream;

use crate::domain::ids::VerificationId;
use crate::service::problems::ProblemError;
use crate::service::verifications::VerificationPage as Seen;
use crate::web::error::{Next, WebError};
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::pages::Page;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};
use crate::web::view::verification::{HistoryLine, VerificationView};

/// Changes that come close together are sent as one.
const GATHER: Duration = Duration::from_millis(300);

#[derive(Template)]
#[template(path = "pages/admin/verification.html")]
struct VerificationPage {
    frame: Frame,
    slug: String,
    title: String,
    in_force: bool,
    live: VerificationView,
    history: Vec<HistoryLine>,
    /// `?id=…` when an older one is shown.
    query: String,
}

/// Which verification is looked at; the newest if none is named.
#[derive(Debug, Clone, Default, serde::Deserialize)]
pub struct Which {
    /// Its id.
    pub id: Option<i64>,
}

async fn see(state: &AppState, visit: &Visit, slug: &str, which: &Which) -> Result<Seen, WebError> {
    let seen = state.service.verification(visit.signed_in()?, slug, which.id.map(VerificationId)).await;
    seen.map_err(|error| refusal(error, slug))
}

fn refusal(error: ProblemError, slug: &str) -> WebError {
    match error {
        ProblemError::Forbidden(error) => error.into(),
        ProblemError::NoSuchProblem(_) => {
            let shown: String = slug.chars().take(80).collect();
            WebError::not_found(Message::new("error-no-problem").with("slug", shown), Next::admin())
        }
        ProblemError::NothingInForce(_) => {
            WebError::refused(StatusCode::CONFLICT, Message::new("verification-nothing-in-force"))
        }
        error => WebError::internal(error),
    }
}

/// Shows what was found so far.
pub async fn show(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    Query(which): Query<Which>,
) -> Result<Page, WebError> {
    let seen = see(&state, &visit, &slug, &which).await?;
    let shown = seen.shown.as_ref().map(|shown| shown.id);
    let page = VerificationPage {
        title: seen.names.in_language(visit.lang.code()).unwrap_or(&slug).to_owned(),
        in_force: seen.problem.package_id.is_some(),
        live: VerificationView::new(visit.frame(&state, Section::Admin), &seen),
        history: seen.history.iter().map(|one| HistoryLine::new(one, shown)).collect(),
        query: which.id.map(|id| format!("?id={id}")).unwrap_or_default(),
        frame: visit.frame(&state, Section::Admin),
        slug,
    };
    Ok(Html(page.render()?))
}

/// Looks again at what is in force.
pub async fn again(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    _fields: Fields,
) -> Result<Response, WebError> {
    let queued = state.service.verify_again(visit.signed_in()?, &slug, visit.now).await;
    queued.map_err(|error| refusal(error, &slug))?;
    Ok(Redirect::to(&format!("/admin/problems/{slug}/verification")).into_response())
}

/// Sends the changing part whenever it changes, until there is an outcome.
pub async fn events(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    Query(which): Query<Which>,
) -> Result<Response, WebError> {
    see(&state, &visit, &slug, &which).await?;
    Ok(Sse::new(changes(state, visit, slug, which)).keep_alive(KeepAlive::default()).into_response())
}

fn changes(state: AppState, visit: Visit, slug: String, which: Which) -> impl Stream<Item = Result<Event, Infallible>> {
    async_stream::stream! {
        let mut bell = state.store().events();
        let mut last = None;
        loop {
            bell.mark_unchanged();
            let seen = see(&state, &visit, &slug, &which).await;
            let part = seen.and_then(|seen| {
                let view = VerificationView::new(visit.frame(&state, Section::Admin), &seen);
                Ok((view.render()?, view.unfinished))
            });
            match part {
                Ok((html, unfinished)) => {
                    if last.as_ref() != Some(&html) {
                        last = Some(html.clone());
                        yield Ok(Event::default().event("part").data(html));
                    }
                    if !unfinished {
                        yield Ok(Event::default().event("end").data("end"));
                        break;
                    }
                }
                // The browser asks again by itself.
                Err(error) => {
                    error.log();
                    break;
                }
            }
            tokio::select! {
                changed = bell.changed() => if changed.is_err() { break },
                () = state.stopped() => break,
            }
            tokio::time::sleep(GATHER).await;
        }
    }
}
