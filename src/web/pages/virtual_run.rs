//! `/virtual`: taking part in a past contest, with a clock of one's own and the board as it stood at the same moment. Must
//! not know: how ranks come about.

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::FormPage;
use crate::domain::time::EpochMs;
use crate::service::virtual_runs::{VirtualBoard, VirtualError};
use crate::web::error::{Next, WebError};
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::state::AppState;
use crate::web::view::board::Filter;
use crate::web::view::format;
use crate::web::view::frame::{Countdown, Frame, Section};

#[derive(Template)]
#[template(path = "pages/virtual.html")]
struct VirtualPage {
    frame: Frame,
    contest_name: String,
    length: String,
    /// Why it can't be begun.
    closed: Option<Message>,
    own: Option<Own>,
}

/// What somebody sees who has begun.
struct Own {
    clock: String,
    /// While it runs.
    countdown: Option<Countdown>,
    team: i64,
    board: String,
}

impl Own {
    fn new(state: &AppState, visit: &Visit, found: &VirtualBoard) -> Result<Self, WebError> {
        let left = found.end.since(visit.now);
        let rendered = state.boards.rendered(&found.page, visit.lang, &Filter::default(), &visit.base())?;
        let pieces = rendered.pieces(&found.page, Some(found.team), visit.lang, &visit.base())?;
        let board = pieces.iter().map(|piece| String::from_utf8_lossy(piece)).collect();
        let left_says = |span: String| visit.lang.say(&Message::new("contest-left").with("span", span));
        Ok(Self {
            clock: if left > 0 { left_says(format::span(left)) } else { visit.lang.text("virtual-over").into_owned() },
            countdown: (left > 0).then(|| countdown(visit.now, found.end, left_says("%".to_owned()))),
            team: found.team.0,
            board,
        })
    }
}

const fn countdown(now: EpochMs, until: EpochMs, sentence: String) -> Countdown {
    Countdown { now_ms: now.0, until_ms: until.0, sentence }
}

/// Shows one's own clock and board, or how to begin.
pub async fn show(State(state): State<AppState>, visit: Visit) -> Result<FormPage, WebError> {
    let actor = visit.signed_in()?;
    let own = state.service.virtual_board(actor, &visit.contest, visit.now).await?;
    let own = own.map(|found| Own::new(&state, &visit, &found)).transpose()?;
    let closed = match own {
        Some(_) => None,
        None => match state.service.may_begin_virtual(actor, &visit.contest, visit.now).await {
            Ok(()) => None,
            Err(error) => Some(sentence(error)?),
        },
    };
    page(&state, &visit, StatusCode::OK, closed, own)
}

/// Starts one's own clock.
pub async fn begin(State(state): State<AppState>, visit: Visit, _fields: Fields) -> Result<Response, WebError> {
    let actor = visit.signed_in()?;
    match state.service.begin_virtual(actor, visit.contest.slug.as_str(), visit.now).await {
        // Sent twice is begun once.
        Ok(_) | Err(VirtualError::Begun) => Ok(Redirect::to(&visit.link("/virtual")).into_response()),
        Err(error) => {
            let closed = Some(sentence(error)?);
            Ok(page(&state, &visit, StatusCode::CONFLICT, closed, None)?.into_response())
        }
    }
}

fn page(
    state: &AppState,
    visit: &Visit,
    status: StatusCode,
    closed: Option<Message>,
    own: Option<Own>,
) -> Result<FormPage, WebError> {
    let frame = visit.frame(state, Section::Scoreboard);
    let page = VirtualPage {
        contest_name: frame.contest().map(|contest| contest.name.clone()).unwrap_or_default(),
        length: visit.contest.duration_ms.map(format::span).unwrap_or_default(),
        closed,
        own,
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
