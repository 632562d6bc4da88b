//! `/admin/people/import`: files of accounts and teams are chosen, looked at, then taken or dropped; the page of logins
//! is shown once, for printing. Must not know: file formats, how passwords are kept.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::people::unkept;
use crate::domain::account::Role;
use crate::domain::ids::RosterImportId;
use crate::roster::{Fault, RosterFile, Trouble};
use crate::service::roster_import::{Credential, ImportError, Plan, PlannedAccount};
use crate::web::error::{Next, WebError};
use crate::web::extract::upload::{Refusal, pasted};
use crate::web::extract::{Fields, Upload, Visit};
use crate::web::i18n::Message;
use crate::web::pages::{FormPage, Page};
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section, role_name};

/// The most bytes of all files.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Faults and accounts that are listed; the rest is counted.
const LISTED: usize = 200;

#[derive(Template)]
#[template(path = "pages/admin/people-import.html")]
struct FormView {
    frame: Frame,
    error: Option<String>,
    typed: String,
    faults: Vec<FaultLine>,
    more_faults: usize,
}

struct FaultLine {
    file: String,
    line: Option<usize>,
    what: String,
}

#[derive(Template)]
#[template(path = "pages/admin/people-plan.html")]
struct PlanView {
    frame: Frame,
    id: RosterImportId,
    plan: Plan,
    accounts: Vec<PlannedAccount>,
    more: usize,
    generated: usize,
    odd: usize,
}

#[derive(Template)]
#[template(path = "pages/admin/credentials.html")]
struct CredentialsView {
    frame: Frame,
    site: String,
    credentials: Vec<Credential>,
}

/// The form.
pub async fn form(State(state): State<AppState>, visit: Visit) -> Result<FormPage, WebError> {
    visit.at_least(Role::Admin)?;
    page(&state, &visit, String::new(), Vec::new(), None)
}

/// Reads the files: all faults at once, or on to what they would make.
pub async fn read(State(state): State<AppState>, visit: Visit, upload: Upload) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let typed = pasted(upload.fields.get("text"));
    if let Some(refusal) = upload.problem {
        return Ok(page(&state, &visit, typed, Vec::new(), Some(refusal))?.into_response());
    }
    let mut files = Vec::new();
    let mut faults = Vec::new();
    for file in upload.file.into_iter().chain(upload.more) {
        let name: String = file.name.chars().filter(|c| !c.is_control()).take(80).collect();
        if let Ok(text) = String::from_utf8(file.contents) {
            files.push(RosterFile { name, text });
        } else {
            let place = crate::roster::Place { file: name, line: 0 };
            faults.push(Fault { place, trouble: Trouble::NotText });
        }
    }
    if !typed.trim().is_empty() {
        files.push(RosterFile { name: visit.lang.text("roster-import-pasted").into_owned(), text: typed.clone() });
    }
    if files.is_empty() && faults.is_empty() {
        let refusal = Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, Message::new("roster-import-nothing"));
        return Ok(page(&state, &visit, typed, Vec::new(), Some(refusal))?.into_response());
    }
    let plan = state.service.plan_import(Some(admin), &files).await.map_err(as_page)?;
    faults.extend(plan.faults);
    if !faults.is_empty() {
        let count = faults.len();
        let message = Message::new("roster-import-faults").with("count", count);
        let refusal = Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message);
        return Ok(page(&state, &visit, typed, faults, Some(refusal))?.into_response());
    }
    let id = state.service.hold_import(admin, &files, visit.now).await.map_err(as_page)?;
    Ok(Redirect::to(&format!("/admin/people/import/{id}")).into_response())
}

fn page(
    state: &AppState,
    visit: &Visit,
    typed: String,
    faults: Vec<Fault>,
    refusal: Option<Refusal>,
) -> Result<FormPage, WebError> {
    let more_faults = faults.len().saturating_sub(LISTED);
    let line = |fault: Fault| FaultLine {
        file: fault.place.file,
        line: Some(fault.place.line).filter(|line| *line > 0),
        what: visit.lang.say(&words(fault.trouble)),
    };
    let page = FormView {
        frame: visit.frame(state, Section::Admin),
        error: refusal.as_ref().map(|refusal| visit.lang.say(&refusal.message)),
        typed,
        faults: faults.into_iter().take(LISTED).map(line).collect(),
        more_faults,
    };
    Ok((refusal.map_or(StatusCode::OK, |refusal| refusal.status), Html(page.render()?)))
}

/// What is wrong, in the reader's language.
fn words(trouble: Trouble) -> Message {
    match trouble {
        Trouble::Empty => Message::new("roster-empty"),
        Trouble::UnknownKind => Message::new("roster-unknown-kind"),
        Trouble::NotText => Message::new("roster-not-text"),
        Trouble::BadVersion(text) => Message::new("roster-version").with("text", text),
        Trouble::UnknownColumn(text) => Message::new("roster-column").with("text", text),
        Trouble::ColumnTwice(text) => Message::new("roster-column-twice").with("text", text),
        Trouble::NoUserName => Message::new("roster-no-username"),
        Trouble::Fields { found, wanted } => Message::new("roster-fields").with("found", found).with("wanted", wanted),
        Trouble::Quotes => Message::new("roster-quotes"),
        Trouble::Json(text) => Message::new("roster-json").with("text", text),
        Trouble::Missing(field) => Message::new("roster-missing").with("text", field),
        Trouble::BadId { column, text } => Message::new("roster-id").with("column", column).with("text", text),
        Trouble::BadName { column, text } => Message::new("roster-name").with("column", column).with("text", text),
        Trouble::BadUserName(text) => Message::new("roster-username").with("text", text),
        Trouble::BadPassword => Message::new("register-password"),
        Trouble::BadRole(text) => Message::new("roster-role").with("text", text),
        Trouble::Twice { file, line } => Message::new("roster-twice").with("file", file).with("line", line),
        Trouble::TooMany(count) => Message::new("roster-too-many").with("count", count),
        Trouble::NameTaken { name, role } => {
            Message::new("roster-taken").with("text", name).with("role", role_name(role))
        }
        Trouble::TeamNameTaken(text) => Message::new("roster-team-taken").with("text", text),
        Trouble::NoTeam(text) => Message::new("roster-no-team").with("text", text),
        Trouble::NoGroup(text) => Message::new("roster-no-group").with("text", text),
        Trouble::NoOrganization(text) => Message::new("roster-no-organization").with("text", text),
    }
}

fn gone() -> WebError {
    let next = Next { href: "/admin/people/import".to_owned(), label: Message::new("next-import") };
    WebError::Refused { status: StatusCode::GONE, what: Message::new("roster-import-gone"), next }
}

/// What the held files would make.
pub async fn plan(State(state): State<AppState>, visit: Visit, Path(id): Path<String>) -> Result<Page, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let id: RosterImportId = id.parse().map_err(|_| gone())?;
    let files = state.service.held_import(admin, id, visit.now).await.map_err(as_page)?;
    let plan = state.service.plan_import(Some(admin), &files).await.map_err(as_page)?;
    if !plan.faults.is_empty() {
        return Err(as_page(ImportError::Changed));
    }
    let view = PlanView {
        frame: visit.frame(&state, Section::Admin),
        id,
        accounts: plan.accounts.iter().take(LISTED).cloned().collect(),
        more: plan.accounts.len().saturating_sub(LISTED),
        generated: plan.accounts.iter().filter(|one| one.generated).count(),
        odd: plan.accounts.iter().filter(|one| one.odd_type.is_some()).count(),
        plan,
    };
    Ok(Html(view.render()?))
}

/// Makes it, and shows the logins this once.
pub async fn take(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    _fields: Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let id: RosterImportId = id.parse().map_err(|_| gone())?;
    let credentials = state.service.take_held(admin, id, visit.now).await.map_err(as_page)?;
    if credentials.is_empty() {
        return Ok(Redirect::to("/admin/people").into_response());
    }
    let site = visit.site.clone();
    let view = CredentialsView { frame: visit.frame(&state, Section::Admin), site, credentials };
    Ok(unkept((StatusCode::OK, Html(view.render()?))))
}

/// Lets the files go.
pub async fn discard(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    _fields: Fields,
) -> Result<Redirect, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let id: RosterImportId = id.parse().map_err(|_| gone())?;
    state.service.drop_import(admin, id, visit.now).await.map_err(as_page)?;
    Ok(Redirect::to("/admin/people/import"))
}

fn as_page(error: ImportError) -> WebError {
    let next = || Next { href: "/admin/people/import".to_owned(), label: Message::new("next-import") };
    match error {
        ImportError::Forbidden(error) => error.into(),
        ImportError::Gone => gone(),
        ImportError::Changed | ImportError::Faults(_) => WebError::Refused {
            status: StatusCode::CONFLICT,
            what: Message::new("roster-import-changed"),
            next: next(),
        },
        error => WebError::internal(error),
    }
}
