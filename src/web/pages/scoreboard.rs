//! `/scoreboard`: the practice contest's board, live. Must not know: how ranks come about.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};

use super::Page;
use crate::domain::ids::EventId;
use crate::service::Actor;
use crate::service::scoreboard::BoardPage;
use crate::web::error::WebError;
use crate::web::extract::Visit;
use crate::web::i18n::Lang;
use crate::web::state::AppState;
use crate::web::view::board::BoardView;
use crate::web::view::frame::{Frame, Section};

/// Changes that come close together are sent as one.
const GATHER: Duration = Duration::from_millis(400);

#[derive(Template)]
#[template(path = "pages/scoreboard.html")]
struct ScoreboardPage {
    frame: Frame,
    contest_name: String,
    mine: Option<i64>,
    board: String,
}

/// Shows the board, the viewer's own row on top.
pub async fn show(State(state): State<AppState>, visit: Visit) -> Result<Page, WebError> {
    let person = visit.person.as_deref();
    let board = board(&state, person).await?;
    let team = person.and_then(|person| person.team_id);
    let frame = visit.frame(&state, Section::Scoreboard);
    let page = ScoreboardPage {
        contest_name: frame.contest().map(|contest| contest.name.clone()).unwrap_or_default(),
        mine: team.map(|team| team.0),
        board: BoardView::new(&board, visit.lang).pin(team).render()?,
        frame,
    };
    Ok(Html(page.render()?))
}

async fn board(state: &AppState, viewer: Option<&Actor>) -> Result<BoardPage, WebError> {
    let board = state.service.board(state.practice.slug.as_str(), viewer, state.now()).await?;
    board.ok_or_else(|| WebError::internal("the practice contest is gone"))
}

/// The board again whenever it changes.
pub async fn events(State(state): State<AppState>, visit: Visit) -> Response {
    Sse::new(changes(state, visit.person, visit.lang)).keep_alive(KeepAlive::default()).into_response()
}

fn changes(
    state: AppState,
    viewer: Option<Arc<Actor>>,
    lang: Lang,
) -> impl tokio_stream::Stream<Item = Result<Event, Infallible>> {
    async_stream::stream! {
        let mut bell = state.store().events();
        let mut last = None;
        loop {
            bell.mark_unchanged();
            match part(&state, viewer.as_deref(), lang, last).await {
                Ok((version, Some(html))) => {
                    last = Some(version);
                    yield Ok(Event::default().event("part").data(html.as_ref()));
                }
                Ok((_, None)) => {}
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

/// What a rendered board holds, and whether the freeze is on.
type Version = (EventId, bool);

async fn part(
    state: &AppState,
    viewer: Option<&Actor>,
    lang: Lang,
    last: Option<Version>,
) -> Result<(Version, Option<Arc<str>>), WebError> {
    let board = board(state, viewer).await?;
    let version = (board.version, board.frozen);
    let html = if last == Some(version) { None } else { Some(state.boards.html(&board, lang)?) };
    Ok((version, html))
}
