//! `/problems/{slug}/submit`: paste or upload a program. A refused form comes back as it was, with the reason. Must
//! not know: how a submission is stored or judged.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::FormPage;
use super::problem::find;
use crate::domain::family;
use crate::domain::ids::SubmissionId;
use crate::domain::source::{MAX_BINARY_BYTES, MAX_SOURCE_BYTES, SourceFile};
use crate::service::Actor;
use crate::service::submissions::{NewSubmission, Repeat, SubmitError};
use crate::store::problem::{ProblemPage, ProblemState};
use crate::web::error::WebError;
use crate::web::extract::upload::{Refusal, come_back, pasted};
use crate::web::extract::{Upload, Visit, cookie, csrf};
use crate::web::i18n::Message;
use crate::web::state::{AppState, OfferedLanguage};
use crate::web::view::format;
use crate::web::view::frame::{Frame, Section};
use crate::web::view::sentence;

#[derive(Template)]
#[template(path = "pages/submit.html")]
struct SubmitPage {
    frame: Frame,
    title: String,
    error: Option<String>,
    form: SubmitForm,
}

/// The form as `partials/submit-form.html` shows it.
pub(super) struct SubmitForm {
    pub slug: String,
    pub key: String,
    pub languages: Vec<OfferedLanguage>,
    pub chosen: String,
    pub source: String,
    pub input: String,
    /// The signs that languages are guessed by, as JSON for the page's script.
    pub signs: String,
    pub max_source: String,
    pub max_binary: String,
    /// This site's address, for DOMjudge's client.
    pub site: String,
    /// The command that hands in from a terminal.
    pub curl: String,
}

impl SubmitForm {
    /// The form for a problem, filled in.
    pub fn new(state: &AppState, visit: &Visit, problem: &ProblemPage, draft: Draft) -> Self {
        let languages = state.languages_in(&visit.contest, problem.languages.as_ref());
        let curl = curl(&visit.site, visit.contest.slug.as_str(), problem.slug.as_str(), &languages, &draft.language);
        Self {
            site: visit.site.clone(),
            curl,
            slug: problem.slug.to_string(),
            key: draft.key,
            languages,
            chosen: draft.language,
            source: draft.source,
            input: draft.input,
            signs: signs(),
            max_source: format::bytes(MAX_SOURCE_BYTES as u64),
            max_binary: format::bytes(MAX_BINARY_BYTES as u64),
        }
    }
}

/// The command that hands in `main.cpp` or the like; the language is told by the file's name. Every part is plain ASCII.
fn curl(site: &str, contest: &str, problem: &str, languages: &[OfferedLanguage], chosen: &str) -> String {
    let example = languages.iter().find(|language| language.id.as_str() == chosen);
    let example = example.or_else(|| languages.first()).map_or_else(|| "main.cpp".to_owned(), pasted_name);
    format!(
        "curl -H \"Authorization: Bearer $TOKEN\" -F problem={problem} -F 'code[]=@{example}' \\\n  \
         {site}/api/v4/contests/{contest}/submissions"
    )
}

/// What a form holds.
#[derive(Default)]
pub(super) struct Draft {
    pub key: String,
    pub language: String,
    pub source: String,
    /// An input of one's own, to try the program on.
    pub input: String,
}

impl Draft {
    /// What came in, with the language that is taken for it.
    pub fn of(upload: &Upload, language: String) -> Self {
        Self {
            key: upload.fields.get("key").to_owned(),
            language,
            source: pasted(upload.fields.get("source")),
            input: pasted(upload.fields.get("input")),
        }
    }
}

/// The empty form; with the language of last time.
pub async fn form(
    State(state): State<AppState>,
    visit: Visit,
    headers: HeaderMap,
    Path(slug): Path<String>,
) -> Result<FormPage, WebError> {
    visit.signed_in()?;
    let problem = find(&state, &visit, &slug).await?;
    let language = cookie::read(&headers, cookie::LANGUAGE).unwrap_or_default();
    let draft = Draft { language, key: new_key()?, ..Draft::default() };
    let closed = (problem.state != ProblemState::Published)
        .then(|| Refusal::new(StatusCode::CONFLICT, Message::new("problem-closed")));
    page(&state, &visit, &problem, draft, closed)
}

/// Hands in, or shows the form again.
pub async fn submit(
    State(state): State<AppState>,
    visit: Visit,
    headers: HeaderMap,
    Path(slug): Path<String>,
    upload: Upload,
) -> Result<Response, WebError> {
    let problem = find(&state, &visit, &slug).await?;
    let languages = state.languages_in(&visit.contest, problem.languages.as_ref());
    let last = cookie::read(&headers, cookie::LANGUAGE).unwrap_or_default();
    let language = chosen(&languages, &last, &upload);
    let draft = Draft::of(&upload, language);
    // A session can end while somebody writes: the program comes back, with what to do.
    let handed_in = match visit.signed_in() {
        Ok(actor) => hand_in(&state, &visit, actor, &slug, &languages, &draft.language, upload).await?,
        Err(_) => Err(Refusal::new(StatusCode::UNAUTHORIZED, Message::new("error-log-in"))),
    };
    match handed_in {
        Ok(id) => {
            let mut response = Redirect::to(&visit.link(&format!("/submissions/{id}"))).into_response();
            cookie::set(response.headers_mut(), cookie::LANGUAGE, &draft.language, state.secure_cookies);
            Ok(response)
        }
        Err(refusal) => {
            let wait = refusal.retry_after;
            Ok(come_back(page(&state, &visit, &problem, draft, Some(refusal))?, wait))
        }
    }
}

async fn hand_in(
    state: &AppState,
    visit: &Visit,
    actor: &Actor,
    slug: &str,
    languages: &[OfferedLanguage],
    language: &str,
    upload: Upload,
) -> Result<Result<SubmissionId, Refusal>, WebError> {
    let (language, file) = match checked(languages, language, &upload) {
        Ok(checked) => checked,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let repeat = match upload.fields.trimmed("key") {
        "" => Repeat::Never,
        key => Repeat::Key(key.to_owned()),
    };
    let new = NewSubmission {
        contest: Some(visit.contest.slug.to_string()),
        problem: slug.to_owned(),
        language: language.id.clone(),
        entry_point: None,
        files: vec![file],
        repeat,
    };
    match state.service.submit(actor, new, visit.now).await {
        Ok(id) => Ok(Ok(id)),
        Err(error) => refusal(error).map(Err),
    }
}

/// The chosen language; the guessed one where none was chosen, empty where nothing tells.
pub(super) fn chosen(languages: &[OfferedLanguage], last: &str, upload: &Upload) -> String {
    let given = upload.fields.trimmed("language");
    if !given.is_empty() {
        return given.to_owned();
    }
    let name = upload.file.as_ref().map(|file| file.name.as_str());
    let text = match &upload.file {
        Some(file) => String::from_utf8_lossy(&file.contents).into_owned(),
        None => upload.fields.get("source").to_owned(),
    };
    OfferedLanguage::guess(languages, last, name, &text).map(|language| language.id.to_string()).unwrap_or_default()
}

/// The table of [`family::SIGNS`] for the page's script, so that both guess alike.
pub(super) fn signs() -> String {
    let table: Vec<(&str, &[&str])> = family::SIGNS.iter().map(|(family, signs)| (family.code(), *signs)).collect();
    serde_json::to_string(&table).unwrap_or_default()
}

/// The language and the file, if both can be used.
pub(super) fn checked<'a>(
    languages: &'a [OfferedLanguage],
    given: &str,
    upload: &Upload,
) -> Result<(&'a OfferedLanguage, SourceFile), Refusal> {
    let unusable = |message| Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message);
    if let Some(problem) = &upload.problem {
        return Err(problem.clone());
    }
    if given.is_empty() {
        if upload.file.is_none() && upload.fields.trimmed("source").is_empty() {
            return Err(unusable(Message::new("source-nothing")));
        }
        return Err(unusable(Message::new("language-missing")));
    }
    let shown: String = given.chars().take(40).collect();
    let language = languages.iter().find(|language| language.id.as_str() == given);
    let language = language.ok_or_else(|| unusable(Message::new("language-unknown").with("language", shown)))?;
    let text = pasted(upload.fields.get("source"));
    let (name, contents) = match &upload.file {
        Some(file) => (file.name.clone(), file.contents.clone()),
        None if text.trim().is_empty() => return Err(unusable(Message::new("source-nothing"))),
        None => (pasted_name(language), text.into_bytes()),
    };
    let file = if language.is_binary() { SourceFile::elf(&name, contents) } else { SourceFile::text(&name, contents) };
    let file = file.map_err(|error| Refusal::new(sentence::bad_source_status(&error), sentence::bad_source(&error)))?;
    Ok((language, file))
}

/// Java wants a class's file to begin with a capital.
fn pasted_name(language: &OfferedLanguage) -> String {
    match language.extensions.first().map(String::as_str) {
        Some("java") => "Main.java".to_owned(),
        Some(extension) => format!("main.{extension}"),
        None => "main".to_owned(),
    }
}

/// Why it was not taken, for the form; our own faults go on as errors.
pub(super) fn refusal(error: SubmitError) -> Result<Refusal, WebError> {
    let (status, message) = match error {
        SubmitError::NoSuchContest(slug) | SubmitError::NoSuchProblem(slug) => {
            (StatusCode::NOT_FOUND, Message::new("error-no-problem").with("slug", slug))
        }
        SubmitError::NotBegun(_) => (StatusCode::CONFLICT, Message::new("submit-not-begun")),
        SubmitError::Over(_) => (StatusCode::CONFLICT, Message::new("submit-over")),
        SubmitError::Paused(_) => (StatusCode::CONFLICT, Message::new("submit-paused")),
        SubmitError::NotInvited(_) => (StatusCode::FORBIDDEN, Message::new("submit-not-invited")),
        SubmitError::NotPublished(_) => (StatusCode::CONFLICT, Message::new("problem-closed")),
        SubmitError::LanguageNotAllowed { language, allowed } => {
            let message = Message::new("submit-not-allowed").with("language", language.as_str());
            (StatusCode::UNPROCESSABLE_ENTITY, message.with("allowed", allowed))
        }
        SubmitError::TooMuchCode { bytes, most } => {
            let message = Message::new("submit-too-much-code").with("size", format::bytes(bytes));
            (StatusCode::PAYLOAD_TOO_LARGE, message.with("limit", format::bytes(most)))
        }
        SubmitError::TooFast { retry_after_ms } => {
            return Ok(Refusal::too_fast("submit-too-fast", retry_after_ms));
        }
        SubmitError::NoTeam => (StatusCode::FORBIDDEN, Message::new("submit-no-team")),
        SubmitError::NoFile | SubmitError::TooManyFiles | SubmitError::SameName(_) | SubmitError::BadDedupeKey => {
            (StatusCode::UNPROCESSABLE_ENTITY, Message::new("error-form"))
        }
        error @ SubmitError::Store(_) => return Err(WebError::internal(error)),
    };
    Ok(Refusal::new(status, message))
}

/// Marks one filling-in of the form: sent twice, it hands in once.
pub(super) fn new_key() -> Result<String, WebError> {
    let mut key = csrf::random_token().map_err(WebError::internal)?;
    key.truncate(32);
    Ok(key)
}

pub(super) fn page(
    state: &AppState,
    visit: &Visit,
    problem: &ProblemPage,
    draft: Draft,
    refusal: Option<Refusal>,
) -> Result<FormPage, WebError> {
    let status = refusal.as_ref().map_or(StatusCode::OK, |refusal| refusal.status);
    let slug = problem.slug.as_str();
    let page = SubmitPage {
        frame: visit.frame(state, Section::Problems),
        title: problem.names.in_language(visit.lang.code()).unwrap_or(slug).to_owned(),
        error: refusal.map(|refusal| visit.lang.say(&refusal.message)),
        form: SubmitForm::new(state, visit, problem, draft),
    };
    Ok((status, Html(page.render()?)))
}
