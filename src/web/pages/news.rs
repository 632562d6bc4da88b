//! `/news`: the banner of every page, again when there is something new: as a stream for one page of a browser, and by
//! itself for pages that can't share one. Must not know: what the messages say.

use std::convert::Infallible;

use askama::Template;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use tokio_stream::Stream;

use super::Page;
use crate::domain::ids::ClarificationId;
use crate::service::clarifications::News;
use crate::web::error::WebError;
use crate::web::extract::{Visit, cookie};
use crate::web::state::AppState;
use crate::web::view::news::NewsView;

/// The banner as it is now.
pub async fn show(visit: Visit) -> Result<Page, WebError> {
    Ok(Html(NewsView::new(visit.news, visit.lang).render()?))
}

/// The banner whenever it changes.
pub async fn events(State(state): State<AppState>, visit: Visit, headers: HeaderMap) -> Response {
    let seen = cookie::seen(&headers, visit.contest.id);
    Sse::new(changes(state, visit, seen)).keep_alive(KeepAlive::default()).into_response()
}

fn changes(state: AppState, visit: Visit, seen: ClarificationId) -> impl Stream<Item = Result<Event, Infallible>> {
    async_stream::stream! {
        let mut bell = state.store().clarifications();
        let mut last: Option<News> = None;
        loop {
            bell.mark_unchanged();
            let news = state.service.news(visit.person.as_deref(), visit.contest.id, seen).await.map_err(WebError::from);
            match news.and_then(|news| Ok((news, NewsView::new(news, visit.lang).render()?))) {
                Ok((news, html)) => {
                    if last != Some(news) {
                        last = Some(news);
                        yield Ok(Event::default().event("news").data(html));
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
        }
    }
}
