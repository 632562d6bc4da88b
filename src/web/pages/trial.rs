//! `/problems/{slug}/try` and `/trials/{id}`: a program on the samples or on one's own input, before it is handed in.
//! The page has the form again, so that one can go on from what one sees. Must not know: how a program is run.

use std::convert::Infallible;

use askama::Template;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Redirect, Response};
use tokio_stream::Stream;

use super::Page;
use super::problem::find;
use super::submit::{self, Draft, SubmitForm};
use crate::domain::ids::TrialId;
use crate::service::Actor;
use crate::service::trials::{MAX_OWN_INPUT, MAX_TRIED_BYTES, TryError, TryProgram};
use crate::store::test_case;
use crate::store::trial::Trial;
use crate::web::error::{Next, WebError};
use crate::web::extract::upload::{Refusal, come_back};
use crate::web::extract::{Upload, Visit, cookie};
use crate::web::i18n::Message;
use crate::web::state::{AppState, OfferedLanguage};
use crate::web::view::format;
use crate::web::view::frame::{Frame, Section};
use crate::web::view::source;
use crate::web::view::trial::TrialView;

#[derive(Template)]
#[template(path = "pages/trial.html")]
struct TrialPage {
    frame: Frame,
    title: String,
    live: TrialView,
    form: SubmitForm,
}

/// Begins a trial, or shows the form again.
pub async fn begin(
    State(state): State<AppState>,
    visit: Visit,
    headers: HeaderMap,
    Path(slug): Path<String>,
    upload: Upload,
) -> Result<Response, WebError> {
    let problem = find(&state, &visit, &slug).await?;
    let languages = state.languages_in(&visit.contest, problem.languages.as_ref());
    let last = cookie::read(&headers, cookie::LANGUAGE).unwrap_or_default();
    let draft = Draft::of(&upload, submit::chosen(&languages, &last, &upload));
    let begun = match visit.signed_in() {
        Ok(actor) => try_it(&state, &visit, actor, &slug, &languages, &draft, &upload).await?,
        Err(_) => Err(Refusal::new(StatusCode::UNAUTHORIZED, Message::new("error-log-in"))),
    };
    match begun {
        Ok(id) => {
            let mut response = Redirect::to(&visit.link(&format!("/trials/{id}"))).into_response();
            cookie::set(response.headers_mut(), cookie::LANGUAGE, &draft.language, state.secure_cookies);
            Ok(response)
        }
        Err(refusal) => {
            let wait = refusal.retry_after;
            Ok(come_back(submit::page(&state, &visit, &problem, draft, Some(refusal))?, wait))
        }
    }
}

async fn try_it(
    state: &AppState,
    visit: &Visit,
    actor: &Actor,
    slug: &str,
    languages: &[OfferedLanguage],
    draft: &Draft,
    upload: &Upload,
) -> Result<Result<TrialId, Refusal>, WebError> {
    let (language, file) = match submit::checked(languages, &draft.language, upload) {
        Ok(checked) => checked,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let own = upload.fields.get("on") == "input";
    let new = TryProgram {
        contest: Some(visit.contest.slug.to_string()),
        problem: slug.to_owned(),
        language: language.id.clone(),
        file,
        input: own.then(|| ended(&draft.input).into_bytes()),
    };
    match state.service.try_program(actor, new, visit.now).await {
        Ok(id) => Ok(Ok(id)),
        Err(TryError::Refused(error)) => submit::refusal(error).map(Err),
        Err(TryError::InputTooLarge { bytes }) => Ok(Err(too_large("try-input-too-large", bytes, MAX_OWN_INPUT))),
        Err(TryError::ProgramTooLarge { bytes }) => Ok(Err(too_large("try-program-too-large", bytes, MAX_TRIED_BYTES))),
    }
}

/// The last line of an input ends as the others do: programs that read line by line expect it.
fn ended(input: &str) -> String {
    if input.is_empty() || input.ends_with('\n') { input.to_owned() } else { format!("{input}\n") }
}

fn too_large(key: &'static str, bytes: usize, limit: usize) -> Refusal {
    let message =
        Message::new(key).with("size", format::bytes(bytes as u64)).with("limit", format::bytes(limit as u64));
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}

async fn see(state: &AppState, visit: &Visit, id: &str) -> Result<(Trial, TrialView), WebError> {
    let gone = || WebError::not_found(Message::new("error-no-trial"), Next::problems());
    let id: TrialId = id.parse().map_err(|_| gone())?;
    let trial = state.service.trial(visit.signed_in()?, id, state.now()).await?.ok_or_else(gone)?;
    let mut samples = Vec::new();
    for run in trial.outcome.iter().flat_map(|outcome| &outcome.runs) {
        let sample = match run.test {
            Some(test) => test_case::sample(state.store().read(), test).await?,
            None => None,
        };
        samples.push(sample);
    }
    let problem = find(state, visit, trial.problem_slug.as_str()).await?;
    let view = TrialView::new(visit.frame(state, Section::Problems), &trial, &samples, problem.limits);
    Ok((trial, view))
}

/// Shows what came of it, with the form to go on.
pub async fn show(State(state): State<AppState>, visit: Visit, Path(id): Path<String>) -> Result<Page, WebError> {
    let (trial, live) = see(&state, &visit, &id).await?;
    let problem = find(&state, &visit, trial.problem_slug.as_str()).await?;
    let text = if source::is_binary(&trial.source) { String::new() } else { lossy(&trial.source) };
    let draft = Draft {
        key: submit::new_key()?,
        language: trial.language.to_string(),
        source: text,
        input: trial.input.as_deref().map(lossy).unwrap_or_default(),
    };
    let page = TrialPage {
        frame: visit.frame(&state, Section::Problems),
        title: problem.names.in_language(visit.lang.code()).unwrap_or(problem.slug.as_str()).to_owned(),
        live,
        form: SubmitForm::new(&state, &visit, &problem, draft),
    };
    Ok(Html(page.render()?))
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Sends the changing part whenever the trial may have changed, until it is over.
pub async fn events(State(state): State<AppState>, visit: Visit, Path(id): Path<String>) -> Result<Response, WebError> {
    see(&state, &visit, &id).await?;
    Ok(Sse::new(changes(state, visit, id)).keep_alive(KeepAlive::default()).into_response())
}

fn changes(state: AppState, visit: Visit, id: String) -> impl Stream<Item = Result<Event, Infallible>> {
    async_stream::stream! {
        let mut bell = state.store().trials();
        let mut last = None;
        loop {
            bell.mark_unchanged();
            let seen = see(&state, &visit, &id).await.and_then(|(trial, view)| Ok((trial.state, view.unfinished, view.render()?)));
            match seen {
                Ok((now, unfinished, html)) => {
                    if last != Some(now) {
                        last = Some(now);
                        yield Ok(Event::default().event("part").data(html));
                    }
                    if !unfinished {
                        yield Ok(Event::default().event("end").data("end"));
                        break;
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
