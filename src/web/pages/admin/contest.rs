//! `/admin/contests/{slug}`: a contest's settings, problems and teams, and the steps of its life. Whoever changes what
//! somebody else changed meanwhile is told. Must not know: how a contest is kept.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::contest_form::{self, SettingsForm};
use crate::domain::account::Role;
use crate::domain::contest::{Phase, parse_span};
use crate::service::contest_steps::Step;
use crate::service::contests::{ContestError, Seen, WantedProblem, settings_of};
use crate::store::contest::{self, Contest, FailedTests};
use crate::store::contest_setting::Open;
use crate::store::{contest_team, problem};
use crate::web::error::{Next, WebError};
use crate::web::extract::visit::base_of;
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::{Lang, Message};
use crate::web::pages::FormPage;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "pages/admin/contest.html")]
struct ContestPage {
    frame: Frame,
    error: Option<String>,
    slug: String,
    name: String,
    version: i64,
    base: String,
    state: String,
    phase: Phase,
    paused: bool,
    finalized: bool,
    frozen: bool,
    open: Open,
    form: SettingsForm,
    problems: Vec<ProblemLine>,
    teams: String,
}

struct ProblemLine {
    slug: String,
    title: String,
    label: String,
    rgb: String,
}

async fn find(state: &AppState, slug: &str) -> Result<Contest, WebError> {
    let shown: String = slug.chars().take(80).collect();
    let missing = || WebError::not_found(Message::new("error-no-contest").with("slug", shown), Next::contests());
    contest::by_slug(state.store().read(), slug).await?.ok_or_else(missing)
}

async fn page(
    state: &AppState,
    visit: &Visit,
    slug: &str,
    typed: Option<SettingsForm>,
    error: Option<Message>,
) -> Result<FormPage, WebError> {
    let contest = find(state, slug).await?;
    let status = error.as_ref().map_or(StatusCode::OK, |_| StatusCode::CONFLICT);
    let phase = contest.times().phase(visit.now);
    let page = ContestPage {
        frame: visit.frame(state, Section::Admin),
        error: error.map(|message| visit.lang.say(&message)),
        name: contest.name.clone(),
        version: contest.version,
        base: base_of(&contest),
        state: state.contest_line(&contest, visit.lang, visit.now).map(|line| line.state).unwrap_or_default(),
        phase,
        paused: contest.paused.is_some(),
        finalized: contest.finalized.is_some(),
        frozen: contest.frozen_from().is_some(),
        open: state.service.undecided(&contest).await?,
        form: typed.unwrap_or_else(|| SettingsForm::new(&settings_of(&contest), &state.languages)),
        problems: problems_of(state, &contest, visit.lang).await?,
        teams: contest_team::invited(state.store().read(), contest.id).await?.join("\n"),
        slug: slug.to_owned(),
    };
    Ok((status, Html(page.render()?)))
}

async fn problems_of(state: &AppState, contest: &Contest, lang: Lang) -> Result<Vec<ProblemLine>, WebError> {
    let places = contest::problems(state.store().read(), contest.id).await?;
    let mut lines: Vec<ProblemLine> = places
        .iter()
        .map(|place| ProblemLine {
            slug: place.slug.to_string(),
            title: place.names.in_language(lang.code()).unwrap_or(place.slug.as_str()).to_owned(),
            label: place.label.clone(),
            rgb: place.rgb.clone(),
        })
        .collect();
    for other in problem::overview(state.store().read()).await? {
        if !places.iter().any(|place| place.problem_id == other.id) {
            let rgb = contest::usual_colour(lines.len()).to_owned();
            let title = other.names.in_language(lang.code()).unwrap_or(other.slug.as_str()).to_owned();
            lines.push(ProblemLine { slug: other.slug.to_string(), title, label: String::new(), rgb });
        }
    }
    Ok(lines)
}

/// Shows it.
pub async fn show(State(state): State<AppState>, visit: Visit, Path(slug): Path<String>) -> Result<Response, WebError> {
    visit.at_least(Role::Admin)?;
    if find(&state, &slug).await?.is_practice() {
        return Err(WebError::not_found(Message::new("contest-is-practice"), Next::admin()));
    }
    Ok(page(&state, &visit, &slug, None, None).await?.into_response())
}

/// The version that the form was made from; without one nothing is changed.
fn seen<'a>(slug: &'a str, fields: &Fields) -> Seen<'a> {
    Seen { slug, version: Some(fields.trimmed("version").parse().unwrap_or(0)) }
}

async fn done(
    state: &AppState,
    visit: &Visit,
    slug: &str,
    result: Result<(), ContestError>,
) -> Result<Response, WebError> {
    match result {
        Ok(()) => Ok(Redirect::to(&format!("/admin/contests/{slug}")).into_response()),
        Err(error) => Ok(page(state, visit, slug, None, Some(contest_form::refusal(error)?)).await?.into_response()),
    }
}

/// Changes its settings.
pub async fn edit(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let refusal = match contest_form::read(&fields, &state.languages) {
        Ok(settings) => {
            match state.service.edit_contest(Some(admin), seen(&slug, &fields), &settings, visit.now).await {
                // What somebody else made of it is shown, not what was typed over it.
                edited @ (Ok(()) | Err(ContestError::ChangedMeanwhile)) => {
                    return done(&state, &visit, &slug, edited).await;
                }
                Err(error) => contest_form::refusal(error)?,
            }
        }
        Err(message) => message,
    };
    let typed = SettingsForm::typed(&fields, &state.languages);
    Ok(page(&state, &visit, &slug, Some(typed), Some(refusal)).await?.into_response())
}

/// Takes a step of its life.
pub async fn step(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let span = parse_span(fields.trimmed("span"));
    let step = match (fields.get("step"), span) {
        ("start", Ok(ms)) => Step::Start(ms),
        ("pause", _) => Step::Pause,
        ("resume", _) => Step::Resume,
        ("extend", Ok(ms)) => Step::Extend(ms),
        ("end", _) => Step::End,
        ("finalize", _) => Step::Finalize,
        ("thaw", _) => Step::Thaw,
        ("start" | "extend", Err(bad)) => {
            let message = Message::new("contest-bad-span").with("text", bad.0);
            return Ok(page(&state, &visit, &slug, None, Some(message)).await?.into_response());
        }
        _ => return Err(WebError::refused(StatusCode::UNPROCESSABLE_ENTITY, Message::new("error-form"))),
    };
    let taken = state.service.step_contest(Some(admin), seen(&slug, &fields), step, visit.now).await;
    done(&state, &visit, &slug, taken).await
}

/// Sets its problems: those that have a letter, in the order of the letters.
pub async fn problems(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let mut wanted = Vec::new();
    for problem in problem::overview(state.store().read()).await? {
        let label = fields.trimmed(&format!("label-{}", problem.slug));
        if !label.is_empty() {
            let rgb = fields.trimmed(&format!("rgb-{}", problem.slug)).to_owned();
            wanted.push(WantedProblem { slug: problem.slug.to_string(), label: label.to_owned(), rgb });
        }
    }
    wanted.sort_by_key(|problem| (problem.label.chars().count(), problem.label.clone()));
    let set = state.service.set_contest_problems(Some(admin), seen(&slug, &fields), &wanted, visit.now).await;
    done(&state, &visit, &slug, set).await
}

/// Sets its teams, one name a line.
pub async fn teams(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let names: Vec<String> =
        fields.get("teams").lines().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let set = state.service.set_contest_teams(Some(admin), seen(&slug, &fields), &names, visit.now).await;
    done(&state, &visit, &slug, set).await
}

/// Sets what contestants learn of failed secret tests.
pub async fn set_failed_tests(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    fields: Fields,
) -> Result<Redirect, WebError> {
    let judge = visit.at_least(Role::Judge)?;
    let rule = fields.get("failed_tests").parse::<FailedTests>();
    let rule = rule.map_err(|_| WebError::refused(StatusCode::UNPROCESSABLE_ENTITY, Message::new("error-form")))?;
    match state.service.set_failed_tests(judge, &slug, rule, visit.now).await {
        Ok(()) => Ok(Redirect::to("/admin")),
        Err(error @ ContestError::Store(_)) => Err(WebError::internal(error)),
        Err(ContestError::Forbidden(error)) => Err(error.into()),
        Err(_) => Err(WebError::not_found(Message::new("error-no-page"), Next::admin())),
    }
}
