//! `/submissions/{id}/events`: the changing part of a submission's page, again whenever something of it changes, until
//! its verdict is there. Must not know: who may see what.

use std::convert::Infallible;
use std::time::Duration;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use tokio::time::Instant;
use tokio_stream::Stream;

use super::submission::{Which, see};
use crate::domain::ids::{EventId, SubmissionId};
use crate::store::event;
use crate::web::error::WebError;
use crate::web::extract::Visit;
use crate::web::state::AppState;

/// A result is sent at once; those that come sooner than this after it are sent as one.
const GATHER: Duration = Duration::from_millis(150);

/// Begins to send. A submission that isn't for this viewer is refused like its page.
pub async fn events(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    Query(which): Query<Which>,
) -> Result<Response, WebError> {
    let seeing = see(&state, &visit, &id, &which).await?;
    let stream = changes(state, visit, seeing.seen.row.id, which);
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()).into_response())
}

fn changes(
    state: AppState,
    visit: Visit,
    id: SubmissionId,
    which: Which,
) -> impl Stream<Item = Result<Event, Infallible>> {
    async_stream::stream! {
        let mut bell = state.store().events();
        let mut last = None;
        loop {
            bell.mark_unchanged();
            let sent = Instant::now();
            match part(&state, &visit, id, &which, last).await {
                Ok(Part::Same) => {}
                Ok(Part::New { newest, html, finished }) => {
                    last = Some(newest);
                    yield Ok(Event::default().event("part").data(html));
                    if finished {
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
            tokio::time::sleep_until(sent + GATHER).await;
        }
    }
}

enum Part {
    Same,
    New { newest: EventId, html: String, finished: bool },
}

async fn part(
    state: &AppState,
    visit: &Visit,
    id: SubmissionId,
    which: &Which,
    last: Option<EventId>,
) -> Result<Part, WebError> {
    let newest = event::last_of_submission(state.store().read(), id).await?;
    if last == Some(newest) {
        return Ok(Part::Same);
    }
    let view = see(state, visit, &id.to_string(), which).await?.view;
    Ok(Part::New { newest, html: view.render()?, finished: !view.unfinished })
}
