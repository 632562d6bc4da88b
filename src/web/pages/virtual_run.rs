//! `/virtual`: taking part in a past contest, with a clock of one's own and the board as it stood at the same moment. Must
//! not know: how ranks come about.

use std::convert::Infallible;
use std::time::Duration;

use askama::Template;
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use tokio::time::Instant;

use super::FormPage;
use crate::domain::time::EpochMs;
use crate::service::virtual_runs::{VirtualBoard, VirtualError};
use crate::web::error::{Next, WebError};
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::state::AppState;
use crate::web::view::board::{self, Filter, sent};
use crate::web::view::board_change;
use crate::web::view::format;
use crate::web::view::frame::{Countdown, Frame, Section};

/// The board is drawn for one viewer alone, so not more often than this.
const AT_MOST_EVERY: Duration = Duration::from_secs(2);
/// The ghosts move with the clock alone: after so long the board is looked at again.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

#[derive(Template)]
#[template(path = "pages/virtual.html")]
struct VirtualPage {
    frame: Frame,
    contest_name: String,
    length: String,
    /// Why it can't be begun.
    closed: Option<Message>,
    own: Option<Own>,
    /// What of the board is shown.
    query: String,
}

/// What somebody sees who has begun.
struct Own {
    clock: String,
    /// While it runs.
    countdown: Option<Countdown>,
    team: i64,
    board: String,
    /// One's own row where the board's first rows don't have it, as a server-sent event.
    row: Option<Bytes>,
}

/// What the address asks for.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(default)]
pub struct Asked {
    /// `all`: not the first rows alone.
    rows: String,
}

impl Asked {
    fn filter(&self, state: &AppState) -> Filter {
        Filter { first: (self.rows != "all").then_some(state.board_rows), ..Filter::default() }
    }
}

impl Own {
    fn new(state: &AppState, visit: &Visit, found: &VirtualBoard, filter: &Filter) -> Result<Self, WebError> {
        let left = found.end.since(visit.now);
        let rendered = state.boards.rendered(&found.page, visit.lang, filter, &visit.base())?;
        let own = board::Own { team: Some(found.team), known: None };
        let pieces = rendered.pieces(&found.page, own, visit.lang, &visit.base())?;
        let row = own.event(&found.page, &rendered, visit.lang, &visit.base())?;
        let board = pieces.iter().map(|piece| String::from_utf8_lossy(piece)).collect();
        let left_says = |span: String| visit.lang.say(&Message::new("contest-left").with("span", span));
        Ok(Self {
            clock: if left > 0 { left_says(format::span(left)) } else { visit.lang.text("virtual-over").into_owned() },
            countdown: (left > 0).then(|| countdown(visit.now, found.end, left_says("%".to_owned()))),
            team: found.team.0,
            board,
            row,
        })
    }
}

const fn countdown(now: EpochMs, until: EpochMs, sentence: String) -> Countdown {
    Countdown { now_ms: now.0, until_ms: until.0, sentence }
}

/// Shows one's own clock and board, or how to begin.
pub async fn show(
    State(state): State<AppState>,
    visit: Visit,
    Query(asked): Query<Asked>,
) -> Result<FormPage, WebError> {
    let actor = visit.signed_in()?;
    let filter = asked.filter(&state);
    let own = own_board(&state, &visit, &filter).await?;
    let closed = match own {
        Some(_) => None,
        None => match state.service.may_begin_virtual(actor, &visit.contest, visit.now).await {
            Ok(()) => None,
            Err(error) => Some(sentence(error)?),
        },
    };
    page(&state, &visit, StatusCode::OK, closed, own, &filter)
}

/// Starts one's own clock.
pub async fn begin(State(state): State<AppState>, visit: Visit, _fields: Fields) -> Result<Response, WebError> {
    let actor = visit.signed_in()?;
    match state.service.begin_virtual(actor, visit.contest.slug.as_str(), visit.now).await {
        // Sent twice is begun once.
        Ok(_) | Err(VirtualError::Begun) => Ok(Redirect::to(&visit.link("/virtual")).into_response()),
        Err(error) => {
            let closed = Some(sentence(error)?);
            Ok(page(&state, &visit, StatusCode::CONFLICT, closed, None, &Filter::default())?.into_response())
        }
    }
}

/// One's own board again whenever it changes, until one's time is over.
pub async fn events(
    State(state): State<AppState>,
    visit: Visit,
    Query(asked): Query<Asked>,
) -> Result<Response, WebError> {
    visit.signed_in()?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    Ok((headers, Body::from_stream(changes(state.clone(), visit, asked.filter(&state)))).into_response())
}

fn changes(
    state: AppState,
    mut visit: Visit,
    filter: Filter,
) -> impl tokio_stream::Stream<Item = Result<Bytes, Infallible>> {
    async_stream::stream! {
        let mut bell = state.store().events();
        let mut shown: Option<String> = None;
        loop {
            bell.mark_unchanged();
            let drawn = Instant::now();
            visit.now = state.now();
            let own = match own_board(&state, &visit, &filter).await {
                Ok(Some(own)) => own,
                // It can't be begun from here.
                Ok(None) => return yield Ok(sent("end", "")),
                // The browser asks again by itself.
                Err(error) => return error.log(),
            };
            if shown.as_ref() == Some(&own.board) {
                // A proxy takes a silent connection for a dead one.
                yield Ok(Bytes::from_static(b":\n\n"));
            } else {
                let change = shown.as_ref().and_then(|old| board_change::between(old, &own.board));
                yield Ok(change.map_or_else(|| sent("part", &own.board), |change| sent("rows", &change)));
                if let Some(row) = own.row {
                    yield Ok(row);
                }
                shown = Some(own.board);
            }
            if own.countdown.is_none() {
                return yield Ok(sent("end", ""));
            }
            tokio::select! {
                changed = bell.changed() => if changed.is_err() { return },
                () = tokio::time::sleep(LOOK_AGAIN) => {}
                () = state.stopped() => return,
            }
            tokio::time::sleep_until(drawn + AT_MOST_EVERY).await;
        }
    }
}

async fn own_board(state: &AppState, visit: &Visit, filter: &Filter) -> Result<Option<Own>, WebError> {
    let found = state.service.virtual_board(visit.signed_in()?, &visit.contest, visit.now).await?;
    found.map(|found| Own::new(state, visit, &found, filter)).transpose()
}

fn page(
    state: &AppState,
    visit: &Visit,
    status: StatusCode,
    closed: Option<Message>,
    own: Option<Own>,
    filter: &Filter,
) -> Result<FormPage, WebError> {
    let frame = visit.frame(state, Section::Scoreboard);
    let page = VirtualPage {
        contest_name: frame.contest().map(|contest| contest.name.clone()).unwrap_or_default(),
        length: visit.contest.duration_ms.map(format::span).unwrap_or_default(),
        closed,
        own,
        query: filter.query(),
        frame,
    };
    Ok((status, Html(page.render()?)))
}

fn sentence(error: VirtualError) -> Result<Message, WebError> {
    Ok(Message::new(match error {
        VirtualError::NoSuchContest(slug) => {
            let what = Message::new("error-no-contest").with("slug", slug);
            return Err(WebError::not_found(what, Next::contests()));
        }
        VirtualError::Endless => "virtual-endless",
        VirtualError::NotOver => "virtual-not-over",
        VirtualError::Frozen => "virtual-frozen",
        VirtualError::NotInvited => "submit-not-invited",
        VirtualError::NoTeam => "submit-no-team",
        VirtualError::TookPart => "virtual-took-part",
        VirtualError::Begun => "virtual-begun",
        VirtualError::Store(error) => return Err(error.into()),
    }))
}
