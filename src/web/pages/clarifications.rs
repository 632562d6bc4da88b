//! `/clarifications`: questions to the judges, their answers, announcements; live. `/admin/clarifications` is the same list
//! for judges, with forms to answer. Who sees what is decided by the service.

use std::convert::Infallible;

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Redirect, Response};
use tokio_stream::Stream;

use super::FormPage;
use crate::domain::account::Role;
use crate::domain::ids::{CannedAnswerId, ClarificationId};
use crate::service::clarifications::{ClarifyError, MAX_TEXT};
use crate::store::canned_answer::CannedAnswer;
use crate::web::error::WebError;
use crate::web::extract::upload::{Refusal, come_back};
use crate::web::extract::{Fields, Visit, cookie};
use crate::web::i18n::Message;
use crate::web::state::AppState;
use crate::web::view::clarifications::{ThreadView, ThreadsView};
use crate::web::view::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "pages/clarifications.html")]
struct ClarificationsPage {
    frame: Frame,
    error: Option<String>,
    live: ThreadsView,
    problems: Vec<(String, String)>,
    may_ask: bool,
    staff: bool,
    text: String,
    about: String,
    canned: Vec<CannedAnswer>,
}

/// What was typed, to be shown again.
#[derive(Default)]
struct Typed {
    text: String,
    about: String,
}

async fn threads(state: &AppState, visit: &Visit, staff: bool) -> Result<ThreadsView, WebError> {
    let threads = state.service.clarifications(visit.person.as_deref(), visit.contest.id).await?;
    let team = visit.person.as_ref().and_then(|person| person.team_id);
    let lang = visit.lang;
    let threads = threads.into_iter().map(|thread| ThreadView::new(thread, team, lang)).collect();
    let canned = canned(state, visit, staff).await?;
    Ok(ThreadsView::new(visit.frame(state, Section::Clarifications), threads, staff, canned))
}

/// What judges answer often; nothing for others.
async fn canned(state: &AppState, visit: &Visit, staff: bool) -> Result<Vec<CannedAnswer>, WebError> {
    match visit.person.as_deref().filter(|_| staff) {
        Some(judge) => state.service.canned_answers(judge).await.map_err(failed),
        None => Ok(Vec::new()),
    }
}

fn failed(error: ClarifyError) -> WebError {
    match refusal(error) {
        Ok(refusal) => WebError::refused(refusal.status, refusal.message),
        Err(error) => error,
    }
}

/// Keeps an answer for later.
pub async fn keep_canned(State(state): State<AppState>, visit: Visit, fields: Fields) -> Result<Response, WebError> {
    let judge = visit.at_least(Role::Judge)?;
    let kept = state.service.keep_canned_answer(judge, fields.get("text"), visit.now).await;
    done(&state, &visit, &fields, kept, "/admin/clarifications").await
}

/// Lets an answer go.
pub async fn drop_canned(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    let judge = visit.at_least(Role::Judge)?;
    let dropped = match id.parse::<CannedAnswerId>() {
        Ok(id) => state.service.drop_canned_answer(judge, id, visit.now).await,
        Err(_) => Ok(()),
    };
    done(&state, &visit, &fields, dropped, "/admin/clarifications").await
}

async fn page(
    state: &AppState,
    visit: &Visit,
    staff: bool,
    typed: Typed,
    refusal: Option<Refusal>,
) -> Result<FormPage, WebError> {
    let status = refusal.as_ref().map_or(StatusCode::OK, |refusal| refusal.status);
    let places = state
        .service
        .problem_list(visit.contest.slug.as_str(), visit.person.as_deref(), visit.now)
        .await?
        .unwrap_or_default();
    let page = ClarificationsPage {
        frame: visit.frame(state, if staff { Section::Admin } else { Section::Clarifications }),
        error: refusal.map(|refusal| visit.lang.say(&refusal.message)),
        live: threads(state, visit, staff).await?,
        problems: places
            .into_iter()
            .map(|row| {
                let slug = row.problem.slug.as_str();
                let name = row.problem.names.in_language(visit.lang.code()).unwrap_or(slug);
                (slug.to_owned(), format!("{} · {name}", row.problem.label))
            })
            .collect(),
        may_ask: visit.person.as_ref().is_some_and(|person| person.team_id.is_some()),
        staff,
        text: typed.text,
        about: typed.about,
        canned: canned(state, visit, staff).await?,
    };
    Ok((status, Html(page.render()?)))
}

/// The list, with a form to ask.
pub async fn show(State(state): State<AppState>, visit: Visit) -> Result<Response, WebError> {
    let newest = threads(&state, &visit, false).await?.newest();
    let mut response = page(&state, &visit, false, Typed::default(), None).await?.into_response();
    // What is shown is read: the banner on the other pages goes.
    cookie::set_seen(response.headers_mut(), visit.contest.id, newest, state.secure_cookies);
    Ok(response)
}

/// The judges' list.
pub async fn staff(State(state): State<AppState>, visit: Visit) -> Result<FormPage, WebError> {
    visit.at_least(Role::Judge)?;
    page(&state, &visit, true, Typed::default(), None).await
}

/// Asks.
pub async fn ask(State(state): State<AppState>, visit: Visit, fields: Fields) -> Result<Response, WebError> {
    let (text, about) = (fields.get("text"), fields.trimmed("problem"));
    let Ok(actor) = visit.signed_in() else {
        let refusal = Refusal::new(StatusCode::UNAUTHORIZED, Message::new("error-log-in"));
        let typed = Typed { text: text.to_owned(), about: about.to_owned() };
        return Ok(page(&state, &visit, false, typed, Some(refusal)).await?.into_response());
    };
    let asked = state.service.ask(actor, visit.contest.id, Some(about), text, visit.now).await.map(|_| ());
    done(&state, &visit, &fields, asked, "/clarifications").await
}

/// Answers, or announces where no question is named.
pub async fn answer(State(state): State<AppState>, visit: Visit, fields: Fields) -> Result<Response, WebError> {
    let judge = visit.at_least(Role::Judge)?;
    // What was written goes before what was chosen.
    let written = Some(fields.get("text")).filter(|text| !text.trim().is_empty());
    let (text, about) = (written.unwrap_or(fields.get("canned")), fields.trimmed("problem"));
    let said = match fields.trimmed("question") {
        "" => state.service.announce(judge, visit.contest.id, Some(about), text, visit.now).await,
        id => match id.parse::<ClarificationId>() {
            Ok(id) => state.service.answer(judge, visit.contest.id, id, text, fields.ticked("all"), visit.now).await,
            Err(_) => Err(ClarifyError::NoSuchQuestion),
        },
    };
    done(&state, &visit, &fields, said.map(|_| ()), "/admin/clarifications").await
}

async fn done(
    state: &AppState,
    visit: &Visit,
    fields: &Fields,
    result: Result<(), ClarifyError>,
    to: &str,
) -> Result<Response, WebError> {
    let Err(error) = result else { return Ok(Redirect::to(&visit.link(to)).into_response()) };
    let typed = Typed { text: fields.get("text").to_owned(), about: fields.trimmed("problem").to_owned() };
    let refusal = refusal(error)?;
    let wait = refusal.retry_after;
    Ok(come_back(page(state, visit, to.starts_with("/admin"), typed, Some(refusal)).await?, wait))
}

fn refusal(error: ClarifyError) -> Result<Refusal, WebError> {
    let (status, message) = match error {
        ClarifyError::Forbidden(_) => (StatusCode::FORBIDDEN, Message::new("error-role")),
        ClarifyError::NoTeam => (StatusCode::FORBIDDEN, Message::new("submit-no-team")),
        ClarifyError::Empty => (StatusCode::UNPROCESSABLE_ENTITY, Message::new("clarify-empty")),
        ClarifyError::TooLong(long) => {
            let message = Message::new("clarify-too-long").with("count", long).with("limit", MAX_TEXT);
            (StatusCode::UNPROCESSABLE_ENTITY, message)
        }
        ClarifyError::NoSuchProblem(slug) => {
            (StatusCode::UNPROCESSABLE_ENTITY, Message::new("error-no-problem").with("slug", slug))
        }
        ClarifyError::NoSuchQuestion => (StatusCode::NOT_FOUND, Message::new("clarify-no-question")),
        ClarifyError::TooFast { retry_after_ms } => {
            return Ok(Refusal::too_fast("clarify-too-fast", retry_after_ms));
        }
        ClarifyError::NotBegun => (StatusCode::CONFLICT, Message::new("submit-not-begun")),
        error @ ClarifyError::Store(_) => return Err(WebError::internal(error)),
    };
    Ok(Refusal::new(status, message))
}

/// The list again whenever it changes for this viewer.
pub async fn events(State(state): State<AppState>, visit: Visit) -> Response {
    Sse::new(changes(state, visit, false)).keep_alive(KeepAlive::default()).into_response()
}

/// The judges' list again whenever it changes.
pub async fn staff_events(State(state): State<AppState>, visit: Visit) -> Result<Response, WebError> {
    visit.at_least(Role::Judge)?;
    Ok(Sse::new(changes(state, visit, true)).keep_alive(KeepAlive::default()).into_response())
}

fn changes(state: AppState, visit: Visit, staff: bool) -> impl Stream<Item = Result<Event, Infallible>> {
    async_stream::stream! {
        let mut bell = state.store().clarifications();
        let mut last = None;
        loop {
            bell.mark_unchanged();
            match threads(&state, &visit, staff).await.and_then(|view| Ok((view.newest(), view.render()?))) {
                Ok((newest, html)) => {
                    if last != Some(newest) {
                        last = Some(newest);
                        yield Ok(Event::default().event("part").data(html));
                    }
                }
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
