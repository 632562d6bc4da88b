//! `/admin/problems/{slug}/statement`: writes the statement in one language, with a preview by the same code that shows
//! it to contestants. Must not know: what follows from a new text.

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::problem::find;
use super::refusals;
use crate::domain::account::Role;
use crate::store::blob;
use crate::store::package::{self, StatementFormat};
use crate::web::error::WebError;
use crate::web::extract::upload::{Refusal, pasted};
use crate::web::extract::{Fields, Visit};
use crate::web::pages::FormPage;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};
use crate::web::view::markdown::{self, SafeHtml};

/// The languages that a statement can be written in here.
const LANGUAGES: [(&str, &str); 2] = [("en", "English"), ("zh", "中文")];

#[derive(Template)]
#[template(path = "pages/admin/statement.html")]
struct StatementPage {
    frame: Frame,
    slug: String,
    title: String,
    error: Option<String>,
    language: String,
    languages: Vec<(&'static str, &'static str, bool)>,
    version: u64,
    text: String,
    preview: SafeHtml,
}

/// Which language is written.
#[derive(Debug, Default, serde::Deserialize)]
pub struct Which {
    /// Its tag.
    pub language: Option<String>,
}

async fn page(
    state: &AppState,
    visit: &Visit,
    slug: String,
    language: &str,
    typed: Option<(String, u64)>,
    refusal: Option<Refusal>,
) -> Result<FormPage, WebError> {
    let (found, title) = find(state, visit, &slug).await?;
    let status = refusal.as_ref().map_or(StatusCode::OK, |refusal| refusal.status);
    let read = state.store().read();
    let markdown = found.statements.iter().filter(|statement| statement.format == StatementFormat::Markdown);
    let here = markdown.clone().find(|statement| statement.language == language);
    let folder =
        here.or(markdown.clone().next()).and_then(|one| one.path.rsplit_once('/')).map_or("", |(folder, _)| folder);
    let base = format!("/problems/{slug}/files/{folder}/");
    let (text, version) = match (typed, here) {
        (Some(typed), _) => typed,
        (None, here) => {
            let text = match here {
                Some(here) => String::from_utf8_lossy(&blob::read(read, here.sha256).await?).into_owned(),
                None => String::new(),
            };
            (text, package::version(read, found.package_id).await?)
        }
    };
    let page = StatementPage {
        frame: visit.frame(state, Section::Admin),
        title,
        error: refusal.map(|refusal| visit.lang.say(&refusal.message)),
        languages: LANGUAGES.map(|(code, name)| (code, name, code == language)).to_vec(),
        language: language.to_owned(),
        version,
        preview: markdown::render(&text, &base),
        text,
        slug,
    };
    Ok((status, Html(page.render()?)))
}

fn known(language: Option<&str>) -> &'static str {
    LANGUAGES.into_iter().map(|(code, _)| code).find(|code| Some(*code) == language).unwrap_or("en")
}

/// The form with the text in force.
pub async fn form(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    Query(which): Query<Which>,
) -> Result<FormPage, WebError> {
    visit.at_least(Role::Setter)?;
    let language = which.language.as_deref().or(Some(visit.lang.code()));
    page(&state, &visit, slug, known(language), None, None).await
}

/// Shows a preview of what was written, or offers it.
pub async fn save(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    let language = known(Some(fields.trimmed("language")));
    let text = pasted(fields.get("text"));
    let version = fields.trimmed("version").parse().unwrap_or_default();
    let refusal = if fields.ticked("preview") {
        None
    } else {
        match state.service.edit_statement(actor, &slug, language, version, &text, visit.now).await {
            Ok(()) => return Ok(Redirect::to(&format!("/admin/problems/{slug}/verification")).into_response()),
            Err(error) => Some(refusals::of_problem(error)?),
        }
    };
    Ok(page(&state, &visit, slug, language, Some((text, version)), refusal).await?.into_response())
}
