//! `/scoreboard`: a contest's board, live, filtered, on a projector, and as files. Must not know: how ranks come about.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};

use super::Page;
use crate::domain::contest::Phase;
use crate::domain::ids::EventId;
use crate::service::scoreboard::BoardPage;
use crate::store::contest_team;
use crate::web::error::{Next, WebError};
use crate::web::extract::Visit;
use crate::web::i18n::Message;
use crate::web::state::AppState;
use crate::web::view::board::{self, Filter};
use crate::web::view::format::query_escape;
use crate::web::view::frame::{Frame, Section, Theme};
use crate::web::view::standings;

/// Changes that come close together are sent as one.
const GATHER: Duration = Duration::from_millis(400);

#[derive(Template)]
#[template(path = "pages/scoreboard.html")]
struct ScoreboardPage {
    frame: Frame,
    contest_name: String,
    mine: Option<i64>,
    board: String,
    groups: Vec<Choice>,
    organizations: Vec<Choice>,
    projector: bool,
    /// The filter as a query, to be kept.
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
}

impl Asked {
    /// What is known of it: an unknown group shows all, and no rendering is kept for it.
    fn filter(&self, groups: &[Choice], organizations: &[Choice]) -> Filter {
        let known = |among: &[Choice], value: &str| among.iter().any(|choice| choice.value == value);
        Filter {
            group: if known(groups, &self.group) { self.group.clone() } else { String::new() },
            organization: if known(organizations, &self.organization) {
                self.organization.clone()
            } else {
                String::new()
            },
        }
    }
}

fn query(filter: &Filter) -> String {
    let parts = [("group", &filter.group), ("organization", &filter.organization)];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name}={}", query_escape(value)))
        .collect();
    if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) }
}

async fn choices(state: &AppState, board: &BoardPage, asked: &Asked) -> Result<(Vec<Choice>, Vec<Choice>), WebError> {
    let shown = |team: crate::domain::ids::TeamId| board.scoreboard.rows.iter().any(|row| row.team == team);
    let mut groups = Vec::new();
    for group in board.groups.iter().filter(|group| !group.hidden) {
        let has = |groups: &str| groups.split(' ').any(|id| id == group.external_id);
        if board.teams.iter().any(|team| has(&team.groups) && shown(team.id)) {
            groups.push(choice(&group.external_id, &group.name, &asked.group));
        }
    }
    let mut organizations = Vec::new();
    for organization in contest_team::organizations(state.store().read()).await? {
        let has = |team: &contest_team::ContestTeam| team.organization.as_ref() == Some(&organization.external_id);
        if board.teams.iter().any(|team| has(team) && shown(team.id)) {
            organizations.push(choice(&organization.external_id, &organization.name, &asked.organization));
        }
    }
    Ok((groups, organizations))
}

fn choice(value: &str, label: &str, chosen: &str) -> Choice {
    Choice { value: value.to_owned(), label: label.to_owned(), selected: value == chosen }
}

/// Shows the board, the viewer's own row on top.
pub async fn show(State(state): State<AppState>, visit: Visit, Query(asked): Query<Asked>) -> Result<Page, WebError> {
    let board = board(&state, &visit).await?;
    let (groups, organizations) = choices(&state, &board, &asked).await?;
    let filter = asked.filter(&groups, &organizations);
    let team = visit.person.as_deref().and_then(|person| person.team_id);
    let mut shown = visit.clone();
    if asked.projector.is_some() {
        shown.theme = Some(Theme::Dark);
    }
    let frame = shown.frame(&state, Section::Scoreboard);
    let html = state.boards.html(&board, visit.lang, &filter, &visit.base())?;
    let ended = board.contest.times().phase(visit.now) == Phase::Ended;
    let page = ScoreboardPage {
        contest_name: frame.contest().map(|contest| contest.name.clone()).unwrap_or_default(),
        mine: team.map(|team| team.0),
        board: board::with_own_row(&html, &board, team, visit.lang, &visit.base())?,
        groups,
        organizations,
        projector: asked.projector.is_some(),
        query: query(&filter),
        past: ended && board.contest.frozen_from().is_none(),
        over: ended && (frame.is_judge() || board.contest.thawed.is_some()),
        frame,
    };
    Ok(Html(page.render()?))
}

async fn board(state: &AppState, visit: &Visit) -> Result<BoardPage, WebError> {
    let board = state.service.board(visit.contest.slug.as_str(), visit.person.as_deref(), state.now()).await?;
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
    let board = board(&state, &visit).await?;
    let (groups, organizations) = choices(&state, &board, &asked).await?;
    let filter = asked.filter(&groups, &organizations);
    Ok(Sse::new(changes(state, visit, filter)).keep_alive(KeepAlive::default()).into_response())
}

fn changes(
    state: AppState,
    visit: Visit,
    filter: Filter,
) -> impl tokio_stream::Stream<Item = Result<Event, Infallible>> {
    async_stream::stream! {
        let mut bell = state.store().events();
        let mut last = None;
        loop {
            bell.mark_unchanged();
            let next = match part(&state, &visit, &filter, last).await {
                Ok((version, html, next)) => {
                    last = Some(version);
                    if let Some(html) = html {
                        yield Ok(Event::default().event("part").data(html.as_ref()));
                    }
                    next
                }
                // The browser asks again by itself.
                Err(error) => {
                    error.log();
                    break;
                }
            };
            tokio::select! {
                changed = bell.changed() => if changed.is_err() { break },
                // The start, the freeze and the end come by themselves.
                () = in_ms(next) => {}
                () = state.stopped() => break,
            }
            tokio::time::sleep(GATHER).await;
        }
    }
}

/// After so many milliseconds; never for `None`.
async fn in_ms(ms: Option<i64>) {
    match ms.and_then(|ms| u64::try_from(ms).ok()) {
        Some(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
        None => std::future::pending().await,
    }
}

/// What a rendered board holds, whether the freeze is on, and how many problems are shown.
type Version = (EventId, bool, usize);

async fn part(
    state: &AppState,
    visit: &Visit,
    filter: &Filter,
    last: Option<Version>,
) -> Result<(Version, Option<Arc<str>>, Option<i64>), WebError> {
    let board = board(state, visit).await?;
    let version = (board.version, board.frozen, board.problems.len());
    let now = state.now();
    let next = board.contest.times().next_change(now).map(|at| at.since(now));
    let html = if last == Some(version) {
        None
    } else {
        Some(state.boards.html(&board, visit.lang, filter, &visit.base())?)
    };
    Ok((version, html, next))
}
