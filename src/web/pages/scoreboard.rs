//! `/scoreboard`: a contest's board, live, filtered, on a projector, and as files. Must not know: how ranks come about.

use std::convert::Infallible;
use std::time::Duration;

use askama::Template;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use tokio::time::Instant;

use crate::domain::contest::Phase;
use crate::service::scoreboard::{BoardPage, SharedBoard};
use crate::store::contest_team;
use crate::web::error::{Next, WebError};
use crate::web::extract::Visit;
use crate::web::i18n::Message;
use crate::web::state::AppState;
use crate::web::view::board::{self, Filter, Offered, Own, Version};
use crate::web::view::frame::{Frame, Section, Theme};
use crate::web::view::standings;

/// A change is sent at once; those that come sooner than this after it are sent as one.
const GATHER: Duration = Duration::from_millis(400);
/// After so long without a change a line is sent that says nothing.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Where the board goes in the page.
const BOARD: &str = "<!--board-->";

#[derive(Template)]
#[template(path = "pages/scoreboard.html")]
struct ScoreboardPage {
    frame: Frame,
    contest_name: String,
    mine: Option<i64>,
    groups: Vec<Choice>,
    organizations: Vec<Choice>,
    projector: bool,
    /// The filter as a query, and what the page shows already.
    query: String,
    over: bool,
    /// Whether the contest can be taken part in on a clock of one's own.
    past: bool,
}

struct Choice {
    value: String,
    label: String,
    selected: bool,
}

/// The filter as it stands in the address.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(default)]
pub struct Asked {
    group: String,
    organization: String,
    projector: Option<String>,
    /// `all`: not the first rows alone.
    rows: String,
    /// The version that the page shows already.
    have: String,
}

impl Asked {
    /// What is known of it: an unknown group shows all, and no rendering is kept for it.
    fn filter(&self, state: &AppState, groups: &[Choice], organizations: &[Choice]) -> Filter {
        let known = |among: &[Choice], value: &str| among.iter().any(|choice| choice.value == value);
        Filter {
            group: if known(groups, &self.group) { self.group.clone() } else { String::new() },
            organization: if known(organizations, &self.organization) {
                self.organization.clone()
            } else {
                String::new()
            },
            first: (self.rows != "all" && self.projector.is_none()).then_some(state.board_rows),
        }
    }
}

/// The filter and the version, for the page's stream: it begins with what comes after.
fn live_query(filter: &Filter, board: &BoardPage) -> String {
    let asked = filter.query();
    let sign = if asked.is_empty() { '?' } else { '&' };
    format!("{asked}{sign}have={}", board::version_code(board::version(board)))
}

async fn choices(state: &AppState, board: &BoardPage, asked: &Asked) -> Result<(Vec<Choice>, Vec<Choice>), WebError> {
    let offered = if let Some(offered) = state.boards.offered(board) {
        offered
    } else {
        let organizations = contest_team::organizations(state.store().read()).await?;
        state.boards.offer(board, Offered::new(board, organizations))
    };
    let choices = |offered: &[(String, String)], chosen: &str| {
        let choice = |(value, label): &(String, String)| Choice {
            value: value.clone(),
            label: label.clone(),
            selected: value == chosen,
        };
        offered.iter().map(choice).collect()
    };
    Ok((choices(&offered.groups, &asked.group), choices(&offered.organizations, &asked.organization)))
}

/// Shows the board, the viewer's own row on top.
pub async fn show(
    State(state): State<AppState>,
    visit: Visit,
    Query(asked): Query<Asked>,
) -> Result<Response, WebError> {
    let SharedBoard { page: board, own } = shared(&state, &visit).await?;
    let (groups, organizations) = choices(&state, &board, &asked).await?;
    let filter = asked.filter(&state, &groups, &organizations);
    let team = visit.person.as_deref().and_then(|person| person.team_id);
    let mut shown = visit.clone();
    if asked.projector.is_some() {
        shown.theme = Some(Theme::Dark);
    }
    let frame = shown.frame(&state, Section::Scoreboard);
    let rendered = state.boards.rendered(&board, visit.lang, &filter, &visit.base())?;
    let ended = board.contest.times().phase(visit.now) == Phase::Ended;
    let page = ScoreboardPage {
        contest_name: frame.contest().map(|contest| contest.name.clone()).unwrap_or_default(),
        mine: team.map(|team| team.0),
        groups,
        organizations,
        projector: asked.projector.is_some(),
        query: live_query(&filter, &board),
        past: ended && board.contest.frozen_from().is_none(),
        over: ended && (frame.is_judge() || board.contest.thawed.is_some()),
        frame,
    };
    // The board, which may be large, is put between what is the visitor's own without being copied.
    let around = page.render()?;
    let (head, tail) =
        around.split_once(BOARD).ok_or_else(|| WebError::internal("the page has no place for a board"))?;
    let [before, own, after] = rendered.pieces(&board, Own { team, known: own.as_ref() }, visit.lang, &visit.base())?;
    let pieces = [head.to_owned().into(), before, own, after, tail.to_owned().into()];
    let length: usize = pieces.iter().map(Bytes::len).sum();
    let body = Body::from_stream(tokio_stream::iter(pieces.map(Ok::<_, Infallible>)));
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_LENGTH, HeaderValue::from(length)),
    ];
    Ok((headers, body).into_response())
}

async fn board(state: &AppState, visit: &Visit) -> Result<BoardPage, WebError> {
    let board = state.service.board(visit.contest.slug.as_str(), visit.person.as_deref(), state.now()).await?;
    board.ok_or_else(|| WebError::internal("the contest is gone"))
}

/// The board as everybody of the viewer's audience sees it, and the viewer's own row where they know more.
async fn shared(state: &AppState, visit: &Visit) -> Result<SharedBoard, WebError> {
    let board = state.service.shared_board(visit.contest.slug.as_str(), visit.person.as_deref(), state.now()).await?;
    board.ok_or_else(|| WebError::internal("the contest is gone"))
}

/// The board as a file for other programs.
pub async fn file(State(state): State<AppState>, visit: Visit, Path(name): Path<String>) -> Result<Response, WebError> {
    let board = board(&state, &visit).await?;
    let slug = visit.contest.slug.as_str();
    let awards = state.service.awards(slug, visit.person.as_deref(), visit.now).await?;
    let (kind, text) = match name.as_str() {
        "scoreboard.csv" => ("text/csv; charset=utf-8", standings::csv(&board)),
        "results.tsv" => ("text/tab-separated-values; charset=utf-8", standings::results_tsv(&board, &awards)),
        "standings.csv" => ("text/csv; charset=utf-8", standings::standings_csv(&board, &awards)),
        _ => return Err(WebError::not_found(Message::new("error-no-page"), Next::contests())),
    };
    // A slug is plain ASCII.
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{slug}-{name}\""));
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_DISPOSITION, disposition.map_err(WebError::internal)?),
    ];
    Ok((headers, text).into_response())
}

/// The board again whenever it changes.
pub async fn events(
    State(state): State<AppState>,
    visit: Visit,
    Query(asked): Query<Asked>,
) -> Result<Response, WebError> {
    let board = shared(&state, &visit).await?.page;
    let (groups, organizations) = choices(&state, &board, &asked).await?;
    let filter = asked.filter(&state, &groups, &organizations);
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    let has = board::read_version(&asked.have);
    Ok((headers, Body::from_stream(changes(state, visit, filter, has))).into_response())
}

fn changes(
    state: AppState,
    visit: Visit,
    filter: Filter,
    has: Option<Version>,
) -> impl tokio_stream::Stream<Item = Result<Bytes, Infallible>> {
    async_stream::stream! {
        let mut bell = state.store().events();
        let mut last = has;
        loop {
            bell.mark_unchanged();
            let sent = Instant::now();
            let next = match part(&state, &visit, &filter, last).await {
                Ok((version, event, next)) => {
                    last = Some(version);
                    if let Some(event) = event {
                        yield Ok(event);
                    }
                    next
                }
                // The browser asks again by itself.
                Err(error) => {
                    error.log();
                    break;
                }
            };
            let turn = next.and_then(|ms| u64::try_from(ms).ok()).map(|ms| Instant::now() + Duration::from_millis(ms));
            loop {
                tokio::select! {
                    changed = bell.changed() => {
                        if changed.is_err() {
                            return;
                        }
                        break;
                    }
                    // The start, the freeze and the end come by themselves.
                    () = at(turn) => break,
                    // A proxy takes a silent connection for a dead one.
                    () = tokio::time::sleep(KEEP_ALIVE) => yield Ok(Bytes::from_static(b":\n\n")),
                    () = state.stopped() => return,
                }
            }
            tokio::time::sleep_until(sent + GATHER).await;
        }
    }
}

/// At this moment; never for `None`.
async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

async fn part(
    state: &AppState,
    visit: &Visit,
    filter: &Filter,
    last: Option<Version>,
) -> Result<(Version, Option<Bytes>, Option<i64>), WebError> {
    let SharedBoard { page: board, own } = shared(state, visit).await?;
    let version = board::version(&board);
    let now = state.now();
    let next = board.contest.times().next_change(now).map(|at| at.since(now));
    let event = if last == Some(version) {
        None
    } else {
        let rendered = state.boards.rendered(&board, visit.lang, filter, &visit.base())?;
        let shared = rendered.event(last);
        let team = visit.person.as_deref().and_then(|person| person.team_id);
        let own = Own { team, known: own.as_ref() };
        Some(match own.event(&board, &rendered, visit.lang, &visit.base())? {
            Some(own) => [shared, own].concat().into(),
            None => shared,
        })
    };
    Ok((version, event, next))
}
