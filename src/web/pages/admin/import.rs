//! `/admin/import`: bring a problem package as a zip. A refused one comes back with everything that is wrong with it.
//! Must not know: how a package is read or verified.

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use crate::domain::account::Role;
use crate::service::problems::{MAX_PACKAGE_BYTES, MAX_ZIP_BYTES, OfferedZip, ProblemError};
use crate::web::error::WebError;
use crate::web::extract::upload::Refusal;
use crate::web::extract::{LargeUpload, Visit};
use crate::web::i18n::Message;
use crate::web::pages::FormPage;
use crate::web::state::AppState;
use crate::web::view::format;
use crate::web::view::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "pages/admin/import.html")]
struct ImportPage {
    frame: Frame,
    error: Option<String>,
    /// What is wrong with the package, a sentence a line.
    faults: Option<String>,
    slug: String,
    max_zip: String,
}

/// Why a package was not taken.
struct NotTaken {
    refusal: Refusal,
    faults: Option<String>,
}

impl From<Refusal> for NotTaken {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, faults: None }
    }
}

/// The empty form.
pub async fn form(State(state): State<AppState>, visit: Visit) -> Result<FormPage, WebError> {
    visit.at_least(Role::Setter)?;
    page(&state, &visit, String::new(), None)
}

/// Offers the package, or shows the form again.
pub async fn import(State(state): State<AppState>, visit: Visit, upload: LargeUpload) -> Result<Response, WebError> {
    visit.at_least(Role::Setter)?;
    let slug = upload.fields.trimmed("slug").to_owned();
    match offer(&state, &visit, &slug, upload).await? {
        Ok(slug) => Ok(Redirect::to(&format!("/admin/problems/{slug}/verification")).into_response()),
        Err(not_taken) => Ok(page(&state, &visit, slug, Some(not_taken))?.into_response()),
    }
}

async fn offer(
    state: &AppState,
    visit: &Visit,
    slug: &str,
    upload: LargeUpload,
) -> Result<Result<String, NotTaken>, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    if let Some(problem) = upload.problem {
        return Ok(Err(problem.into()));
    }
    let Some(file) = upload.files.into_iter().next() else {
        let refusal = Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, Message::new("import-no-file"));
        return Ok(Err(refusal.into()));
    };
    let zip = OfferedZip { file: file.contents, name: file.name, slug: slug.to_owned() };
    match state.service.offer_zip(Some(actor), zip, &state.scratch, visit.now).await {
        Ok((slug, _)) => Ok(Ok(slug.to_string())),
        Err(error) => not_taken(error).map(Err),
    }
}

/// Why it was not taken, for the form; our own faults go on as errors.
fn not_taken(error: ProblemError) -> Result<NotTaken, WebError> {
    let unprocessable = |message| Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message);
    Ok(match error {
        ProblemError::Forbidden(error) => return Err(error.into()),
        ProblemError::Empty => unprocessable(Message::new("import-empty")).into(),
        ProblemError::TooLarge { bytes } => {
            let message = Message::new("import-too-large").with("size", format::bytes(bytes));
            let message = message.with("limit", format::bytes(MAX_PACKAGE_BYTES));
            Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message).into()
        }
        ProblemError::BadSlug(slug) => unprocessable(Message::new("import-bad-slug").with("slug", slug)).into(),
        error @ (ProblemError::Files(_) | ProblemError::Package(_)) => {
            NotTaken { refusal: unprocessable(Message::new("import-refused")), faults: Some(error.to_string()) }
        }
        // The others are about problems that are there already.
        error => return Err(WebError::internal(error)),
    })
}

fn page(state: &AppState, visit: &Visit, slug: String, not_taken: Option<NotTaken>) -> Result<FormPage, WebError> {
    let status = not_taken.as_ref().map_or(StatusCode::OK, |not_taken| not_taken.refusal.status);
    let (refusal, faults) = not_taken.map_or((None, None), |it| (Some(it.refusal), it.faults));
    let page = ImportPage {
        frame: visit.frame(state, Section::Admin),
        error: refusal.map(|refusal| visit.lang.say(&refusal.message)),
        faults,
        slug,
        max_zip: format::bytes(MAX_ZIP_BYTES as u64),
    };
    Ok((status, Html(page.render()?)))
}
