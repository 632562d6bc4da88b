//! `/admin/people`: the list with its filter, one account, and what an admin does with it. Must not know: how passwords
//! and sessions are kept.

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::audit::ActLine;
use crate::domain::account::Role;
use crate::domain::ids::AccountId;
use crate::service::accounts::AccountError;
use crate::service::people::PASSWORD_LINK_MS;
use crate::service::second_step::SecondStepError;
use crate::store::people::{PeopleFilter, Person};
use crate::web::error::{Next, WebError};
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::pages::{FormPage, Page};
use crate::web::state::AppState;
use crate::web::view::format::query;
use crate::web::view::frame::{Frame, Section, role_name};

/// Rows a page.
const ROWS: u32 = 50;

#[derive(Template)]
#[template(path = "pages/admin/people.html")]
struct PeoplePage {
    frame: Frame,
    asked: Asked,
    roles: Vec<RoleChoice>,
    rows: Vec<Person>,
    filtered: bool,
    second_step_is_must: bool,
    next_page: Option<String>,
}

struct RoleChoice {
    role: Role,
    name: Message,
    selected: bool,
}

/// The filter as it stands in the address.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(default)]
pub struct Asked {
    q: String,
    role: String,
    disabled: String,
    after: String,
}

impl Asked {
    fn address(&self, after: &str) -> String {
        let parts = [("q", self.q.as_str()), ("role", &self.role), ("disabled", &self.disabled), ("after", after)];
        format!("/admin/people{}", query(&parts))
    }
}

/// Shows a page of the list.
pub async fn list(State(state): State<AppState>, visit: Visit, Query(asked): Query<Asked>) -> Result<Page, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let some = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let role = match some(&asked.role) {
        Some(role) => Some(role.parse().map_err(|_| {
            WebError::refused(StatusCode::BAD_REQUEST, Message::new("error-filter").with("what", role.as_str()))
        })?),
        None => None,
    };
    let filter =
        PeopleFilter { prefix: some(&asked.q), role, disabled: !asked.disabled.is_empty(), after: some(&asked.after) };
    let mut rows = state.service.people(Some(admin), &filter, ROWS + 1).await.map_err(as_page)?;
    let more = rows.len() > ROWS as usize;
    rows.truncate(ROWS as usize);
    let page = PeoplePage {
        frame: visit.frame(&state, Section::Admin),
        next_page: rows.last().filter(|_| more).map(|last| asked.address(&last.name)),
        filtered: !asked.q.is_empty() || !asked.role.is_empty() || !asked.disabled.is_empty(),
        roles: roles(filter.role),
        second_step_is_must: state.service.second_step_is_must().await?,
        rows,
        asked,
    };
    Ok(Html(page.render()?))
}

fn roles(chosen: Option<Role>) -> Vec<RoleChoice> {
    let choice = |role| RoleChoice { role, name: role_name(role), selected: chosen == Some(role) };
    Role::ALL.into_iter().map(choice).collect()
}

#[derive(Template)]
#[template(path = "pages/admin/person.html")]
struct PersonPage {
    frame: Frame,
    error: Option<String>,
    person: Person,
    role: Message,
    roles: Vec<RoleChoice>,
    acts: Vec<ActLine>,
    link: Option<String>,
    link_days: i64,
}

/// Shows one account.
pub async fn show(State(state): State<AppState>, visit: Visit, Path(id): Path<String>) -> Result<FormPage, WebError> {
    page(&state, &visit, &id, None, None).await
}

fn nobody() -> WebError {
    let next = Next { href: "/admin/people".to_owned(), label: Message::new("next-people") };
    WebError::not_found(Message::new("error-no-account"), next)
}

async fn find(state: &AppState, visit: &Visit, id: &str) -> Result<(Person, Vec<ActLine>), WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let id: AccountId = id.parse().map_err(|_| nobody())?;
    let (person, acts) = state.service.person(admin, id).await.map_err(as_page)?.ok_or_else(nobody)?;
    Ok((person, acts.into_iter().map(ActLine::from).collect()))
}

async fn page(
    state: &AppState,
    visit: &Visit,
    id: &str,
    link: Option<String>,
    error: Option<(StatusCode, Message)>,
) -> Result<FormPage, WebError> {
    let (person, acts) = find(state, visit, id).await?;
    let page = PersonPage {
        frame: visit.frame(state, Section::Admin),
        error: error.as_ref().map(|(_, message)| visit.lang.say(message)),
        role: role_name(person.role),
        roles: roles(Some(person.role)),
        person,
        acts,
        link,
        link_days: PASSWORD_LINK_MS / 86_400_000,
    };
    Ok((error.map_or(StatusCode::OK, |(status, _)| status), Html(page.render()?)))
}

/// Gives the account another role, if it still has the one that the form showed.
pub async fn set_role(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let (person, _) = find(&state, &visit, &id).await?;
    let (Ok(seen), Ok(role)) = (fields.get("seen").parse::<Role>(), fields.get("role").parse::<Role>()) else {
        return Err(WebError::refused(StatusCode::UNPROCESSABLE_ENTITY, Message::new("error-form")));
    };
    let done = state.service.change_role(Some(admin), &person.name, Some(seen), role, visit.now).await;
    decided(&state, &visit, &id, done).await
}

/// Lets it log in no longer, or again.
pub async fn set_disabled(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let (person, _) = find(&state, &visit, &id).await?;
    let done = state.service.set_disabled(admin, &person.name, fields.ticked("disabled"), visit.now).await;
    decided(&state, &visit, &id, done).await
}

/// Ends its sessions.
pub async fn sign_out(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    _fields: Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let (person, _) = find(&state, &visit, &id).await?;
    let done = state.service.sign_out(Some(admin), &person.name, visit.now).await;
    decided(&state, &visit, &id, done.map(|_| ())).await
}

/// Makes a link that sets a new password, and shows it this once.
pub async fn password_link(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    _fields: Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let (person, _) = find(&state, &visit, &id).await?;
    match state.service.password_link(Some(admin), &person.name, visit.now).await {
        Ok(token) => {
            let link = format!("{}/password/{token}", visit.site);
            Ok(unkept(page(&state, &visit, &id, Some(link), None).await?))
        }
        Err(error) => decided(&state, &visit, &id, Err(error)).await,
    }
}

/// Takes its second step off: app and recovery codes are lost.
pub async fn reset_second_step(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    _fields: Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let (person, _) = find(&state, &visit, &id).await?;
    match state.service.reset_second_step(Some(admin), &person.name, visit.now).await {
        Ok(_) => Ok(Redirect::to(&format!("/admin/people/{id}")).into_response()),
        Err(SecondStepError::Forbidden(error)) => Err(error.into()),
        Err(error) => Err(WebError::internal(error)),
    }
}

/// Makes the second step a must for staff, or a choice.
pub async fn require_second_step(
    State(state): State<AppState>,
    visit: Visit,
    fields: Fields,
) -> Result<Redirect, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    match state.service.require_second_step(Some(admin), fields.ticked("must"), visit.now).await {
        Ok(()) => Ok(Redirect::to("/admin/people#second-step")),
        Err(SecondStepError::OwnFirst) => {
            let next = Next { href: "/account/second-step".to_owned(), label: Message::new("second-step-set-up") };
            let what = Message::new("second-step-own-first");
            Err(WebError::Refused { status: StatusCode::CONFLICT, what, next })
        }
        Err(SecondStepError::Forbidden(error)) => Err(error.into()),
        Err(error) => Err(WebError::internal(error)),
    }
}

/// An answer that holds a secret: no cache keeps it.
pub(in crate::web::pages) fn unkept(page: FormPage) -> Response {
    let mut response = page.into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn decided(
    state: &AppState,
    visit: &Visit,
    id: &str,
    done: Result<(), AccountError>,
) -> Result<Response, WebError> {
    let message = match done {
        Ok(()) => return Ok(Redirect::to(&format!("/admin/people/{id}")).into_response()),
        Err(AccountError::LastAdmin) => Message::new("account-last-admin"),
        Err(AccountError::Changed) => Message::new("account-changed"),
        Err(error) => return Err(as_page(error)),
    };
    Ok(page(state, visit, id, None, Some((StatusCode::CONFLICT, message))).await?.into_response())
}

fn as_page(error: AccountError) -> WebError {
    match error {
        AccountError::Forbidden(error) => error.into(),
        AccountError::NoSuchAccount(_) => nobody(),
        error => WebError::internal(error),
    }
}
