//! `/admin/contests/new`: makes a contest, or a copy of one. Must not know: how it is kept.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::contest_form::{self, SettingsForm};
use crate::domain::account::Role;
use crate::domain::slug::Slug;
use crate::service::contests::{ContestError, usual_settings};
use crate::store::contest_setting::Settings;
use crate::web::error::WebError;
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::pages::FormPage;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};

/// ICPC's last hour, milliseconds.
const USUAL_FREEZE_MS: i64 = 3_600_000;

#[derive(Template)]
#[template(path = "pages/admin/contest-new.html")]
struct NewPage {
    frame: Frame,
    error: Option<String>,
    slug: String,
    form: SettingsForm,
}

fn page(
    state: &AppState,
    visit: &Visit,
    slug: &str,
    form: SettingsForm,
    error: Option<&Message>,
) -> Result<FormPage, WebError> {
    let status = error.map_or(StatusCode::OK, |_| StatusCode::UNPROCESSABLE_ENTITY);
    let page = NewPage {
        frame: visit.frame(state, Section::Admin),
        error: error.map(|message| visit.lang.say(message)),
        slug: slug.to_owned(),
        form,
    };
    Ok((status, Html(page.render()?)))
}

/// As usual from a whole hour on, with ICPC's freeze.
fn usual(visit: &Visit) -> Settings {
    let usual = usual_settings("", visit.now);
    let start = usual.start.plus_ms(-(usual.start.0 % 3_600_000));
    Settings { start, freeze_ms: Some(USUAL_FREEZE_MS), ..usual }
}

/// The empty form.
pub async fn form(State(state): State<AppState>, visit: Visit) -> Result<FormPage, WebError> {
    visit.at_least(Role::Admin)?;
    page(&state, &visit, "", SettingsForm::new(&usual(&visit), &state.languages), None)
}

/// Makes it, or shows the form again.
pub async fn create(State(state): State<AppState>, visit: Visit, fields: Fields) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let given = fields.trimmed("slug");
    let slug = given.parse::<Slug>().map_err(|_| Message::new("contest-bad-slug"));
    let wanted = contest_form::read(&fields, &state.languages).and_then(|settings| Ok((settings, slug?)));
    let refusal = match wanted {
        Ok((settings, slug)) => match state.service.create_contest(Some(admin), &slug, &settings, visit.now).await {
            Ok(_) => return Ok(Redirect::to(&format!("/admin/contests/{slug}")).into_response()),
            Err(error) => contest_form::refusal(error)?,
        },
        Err(message) => message,
    };
    let form = SettingsForm::typed(&fields, &state.languages);
    Ok(page(&state, &visit, given, form, Some(&refusal))?.into_response())
}

/// Makes a copy with another name and start.
pub async fn clone(
    State(state): State<AppState>,
    visit: Visit,
    Path(from): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let refused = |what| WebError::Refused {
        status: StatusCode::UNPROCESSABLE_ENTITY,
        what,
        next: crate::web::error::Next::admin(),
    };
    let slug = fields.trimmed("slug").parse::<Slug>().map_err(|_| refused(Message::new("contest-bad-slug")))?;
    let start = contest_form::moment(fields.trimmed("start")).map_err(refused)?;
    match state.service.clone_contest(Some(admin), &from, &slug, start, visit.now).await {
        Ok(_) => Ok(Redirect::to(&format!("/admin/contests/{slug}")).into_response()),
        Err(error @ (ContestError::Store(_) | ContestError::Forbidden(_))) => {
            contest_form::refusal(error).map(|_| StatusCode::OK.into_response())
        }
        Err(error) => Err(refused(contest_form::refusal(error)?)),
    }
}
