//! `/admin/problems/{slug}/tests/many`: several tests at once, as files or as a zip of them; and
//! `/admin/problems/{slug}/tests/generate`: one that a generator makes. All that is wrong with the files is told at once,
//! and then none is taken. Must not know: how a test is validated and answered.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::problem::find;
use super::refusals;
use crate::domain::account::Role;
use crate::service::test_cases::{MAX_INPUT_BYTES, NewTest};
use crate::service::test_zip::{ZipError, inputs_of_zip, is_answer, name_of_input};
use crate::web::error::WebError;
use crate::web::extract::upload::Refusal;
use crate::web::extract::{Fields, LargeUpload, Visit};
use crate::web::i18n::Message;
use crate::web::pages::FormPage;
use crate::web::state::AppState;
use crate::web::view::format;
use crate::web::view::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "pages/admin/tests-many.html")]
struct ManyPage {
    frame: Frame,
    slug: String,
    title: String,
    error: Option<String>,
    faults: Vec<(String, String)>,
    max_input: String,
    /// What was typed of a generated test.
    name: String,
    command: String,
    generators: Vec<String>,
}

#[derive(Default)]
struct Outcome {
    refusal: Option<Refusal>,
    faults: Vec<(String, Message)>,
    name: String,
    command: String,
}

async fn page(state: &AppState, visit: &Visit, slug: String, outcome: Outcome) -> Result<FormPage, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    let title = find(state, visit, &slug).await?.1;
    let status = outcome.refusal.as_ref().map_or(StatusCode::OK, |refusal| refusal.status);
    let generators = match state.service.generators(actor, &slug).await {
        Ok(generators) => generators,
        Err(error) => return Err(refusals::page(refusals::of_added(error)?)),
    };
    let page = ManyPage {
        frame: visit.frame(state, Section::Admin),
        slug,
        title,
        error: outcome.refusal.map(|refusal| visit.lang.say(&refusal.message)),
        faults: outcome.faults.into_iter().map(|(name, message)| (name, visit.lang.say(&message))).collect(),
        max_input: format::bytes(MAX_INPUT_BYTES as u64),
        name: outcome.name,
        command: outcome.command,
        generators,
    };
    Ok((status, Html(page.render()?)))
}

/// The empty forms.
pub async fn form(State(state): State<AppState>, visit: Visit, Path(slug): Path<String>) -> Result<FormPage, WebError> {
    visit.at_least(Role::Setter)?;
    page(&state, &visit, slug, Outcome::default()).await
}

/// Offers all of the files, or shows the form again with everything that is wrong.
pub async fn add(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    upload: LargeUpload,
) -> Result<Response, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    let sample = upload.fields.ticked("sample");
    let refused = |refusal| Outcome { refusal: Some(refusal), ..Outcome::default() };
    if let Some(refusal) = upload.problem {
        return Ok(page(&state, &visit, slug, refused(refusal)).await?.into_response());
    }
    let mut tests = Vec::new();
    for file in upload.files {
        if file.name.to_lowercase().ends_with(".zip") {
            match inputs_of_zip(file.contents, &state.scratch).await {
                Ok(inputs) => {
                    tests.extend(inputs.into_iter().map(|(name, input)| NewTest {
                        name: name_of_input(&name),
                        input,
                        sample,
                    }));
                }
                Err(ZipError::Bad(words)) => {
                    let message = Message::new("many-bad-zip").with("words", words);
                    let refusal = Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message);
                    return Ok(page(&state, &visit, slug, refused(refusal)).await?.into_response());
                }
                Err(error @ ZipError::Store(_)) => return Err(WebError::internal(error)),
            }
        } else if !is_answer(&file.name) {
            tests.push(NewTest { name: name_of_input(&file.name), input: file.contents.into(), sample });
        }
    }
    let outcome = match state.service.add_test_cases(actor, &slug, tests, visit.now).await {
        Ok(Ok(_)) => return Ok(Redirect::to(&format!("/admin/problems/{slug}#proposals")).into_response()),
        Ok(Err(refused)) => {
            let message = Message::new("many-refused").with("count", refused.0.len());
            let refusal = Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message);
            let mut faults = Vec::new();
            for (name, error) in refused.0 {
                faults.push((name, refusals::of_added(error)?.message));
            }
            Outcome { refusal: Some(refusal), faults, ..Outcome::default() }
        }
        Err(error) => refused(refusals::of_added(error)?),
    };
    Ok(page(&state, &visit, slug, outcome).await?.into_response())
}

/// Offers a test that a generator makes.
pub async fn generate(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    let (name, command) = (fields.trimmed("name"), fields.trimmed("command"));
    let sample = fields.ticked("sample");
    match state.service.add_generated_test(actor, &slug, name, command, sample, visit.now).await {
        Ok(id) => Ok(Redirect::to(&format!("/admin/proposals/{id}")).into_response()),
        Err(error) => {
            let (name, command) = (name.to_owned(), command.to_owned());
            let outcome = Outcome { refusal: Some(refusals::of_added(error)?), name, command, ..Outcome::default() };
            Ok(page(&state, &visit, slug, outcome).await?.into_response())
        }
    }
}
