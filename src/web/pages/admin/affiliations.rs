//! `/admin/groups` and `/admin/organizations`: lists, one of them, and what an admin does with it. Both are alike: they have
//! an id, a name and teams. Must not know: how they are kept.

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::teams::refusal;
use crate::domain::account::Role;
use crate::service::affiliations::WantedAffiliation;
use crate::service::teams::{TeamError, seen_of};
use crate::store::affiliation::{Affiliation, Kind};
use crate::web::error::{Next, WebError};
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::pages::{FormPage, Page};
use crate::web::state::AppState;
use crate::web::view::format::query_escape;
use crate::web::view::frame::{Frame, Section};

/// Rows a page.
const ROWS: u32 = 50;

/// How a kind is called.
struct Words {
    kind: Kind,
    /// Below which its pages are.
    address: &'static str,
    title: &'static str,
    new: &'static str,
    none: &'static str,
    lead: &'static str,
    /// How the list of teams is asked for those of one.
    filter: &'static str,
}

const GROUPS: Words = Words {
    kind: Kind::Group,
    address: "/admin/groups",
    title: "team-groups-title",
    new: "group-new",
    none: "groups-none",
    lead: "groups-lead",
    filter: "group",
};

const ORGANIZATIONS: Words = Words {
    kind: Kind::Organization,
    address: "/admin/organizations",
    title: "organizations-title",
    new: "organization-new",
    none: "organizations-none",
    lead: "organizations-lead",
    filter: "organization",
};

impl Words {
    fn is_group(&self) -> bool {
        self.kind == Kind::Group
    }

    /// The page of the one with this id.
    fn page_of(&self, id: &str) -> String {
        format!("{}/{}", self.address, query_escape(id))
    }

    /// The list of its teams.
    fn teams_of(&self, id: &str) -> String {
        format!("/admin/teams?{}={}", self.filter, query_escape(id))
    }

    fn missing(&self) -> WebError {
        let (what, next) = match self.kind {
            Kind::Group => ("error-no-group", "next-groups"),
            Kind::Organization => ("error-no-organization", "next-organizations"),
        };
        WebError::not_found(Message::new(what), Next { href: self.address.to_owned(), label: Message::new(next) })
    }

    fn as_page(&self, error: TeamError) -> WebError {
        match error {
            TeamError::Forbidden(error) => error.into(),
            TeamError::NoSuchGroup(_) | TeamError::NoSuchOrganization(_) => self.missing(),
            error => WebError::internal(error),
        }
    }
}

#[derive(Template)]
#[template(path = "pages/admin/affiliations.html")]
struct ListPage {
    frame: Frame,
    words: &'static Words,
    q: String,
    rows: Vec<Affiliation>,
    next_page: Option<String>,
}

#[derive(Template)]
#[template(path = "pages/admin/affiliation.html")]
struct FormView {
    frame: Frame,
    error: Option<String>,
    words: &'static Words,
    /// The id of the one that is there; of a new one what was typed.
    id: String,
    /// The one that is there.
    there: Option<Affiliation>,
    wanted: WantedAffiliation,
    seen: String,
}

/// The search as it stands in the address.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(default)]
pub struct Asked {
    q: String,
    after: String,
}

/// A page of the list of groups.
pub async fn groups(state: State<AppState>, visit: Visit, asked: Query<Asked>) -> Result<Page, WebError> {
    list(&GROUPS, &state, &visit, &asked).await
}

/// A page of the list of organizations.
pub async fn organizations(state: State<AppState>, visit: Visit, asked: Query<Asked>) -> Result<Page, WebError> {
    list(&ORGANIZATIONS, &state, &visit, &asked).await
}

async fn list(words: &'static Words, state: &AppState, visit: &Visit, asked: &Asked) -> Result<Page, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let (q, after) = (asked.q.trim(), asked.after.trim());
    let found = state.service.affiliations(Some(admin), words.kind, Some(q), Some(after), ROWS + 1).await;
    let mut rows = found.map_err(|error| words.as_page(error))?;
    let more = rows.len() > ROWS as usize;
    rows.truncate(ROWS as usize);
    let next = |last: &Affiliation| format!("{}?q={}&after={}", words.address, query_escape(q), query_escape(&last.id));
    let page = ListPage {
        frame: visit.frame(state, Section::Admin),
        words,
        q: q.to_owned(),
        next_page: rows.last().filter(|_| more).map(next),
        rows,
    };
    Ok(Html(page.render()?))
}

fn view(
    words: &'static Words,
    state: &AppState,
    visit: &Visit,
    id: &str,
    there: Option<Affiliation>,
    typed: Option<WantedAffiliation>,
    error: Option<(StatusCode, Message)>,
) -> Result<FormPage, WebError> {
    let now = there.as_ref().map(WantedAffiliation::from).unwrap_or_default();
    let page = FormView {
        frame: visit.frame(state, Section::Admin),
        error: error.as_ref().map(|(_, message)| visit.lang.say(message)),
        words,
        id: id.to_owned(),
        seen: seen_of(&now),
        wanted: typed.unwrap_or(now),
        there,
    };
    Ok((error.map_or(StatusCode::OK, |(status, _)| status), Html(page.render()?)))
}

/// The empty form of a group.
pub async fn new_group(state: State<AppState>, visit: Visit) -> Result<FormPage, WebError> {
    visit.at_least(Role::Admin)?;
    view(&GROUPS, &state, &visit, "", None, None, None)
}

/// The empty form of an organization.
pub async fn new_organization(state: State<AppState>, visit: Visit) -> Result<FormPage, WebError> {
    visit.at_least(Role::Admin)?;
    view(&ORGANIZATIONS, &state, &visit, "", None, None, None)
}

fn wanted(fields: &Fields) -> WantedAffiliation {
    let text = |name: &str| fields.trimmed(name).to_owned();
    WantedAffiliation {
        name: text("name"),
        icpc_id: text("icpc_id"),
        formal_name: text("formal_name"),
        country: text("country"),
        hidden: fields.ticked("hidden"),
    }
}

/// Makes a group, or shows the form again.
pub async fn create_group(state: State<AppState>, visit: Visit, fields: Fields) -> Result<Response, WebError> {
    create(&GROUPS, &state, &visit, &fields).await
}

/// Makes an organization, or shows the form again.
pub async fn create_organization(state: State<AppState>, visit: Visit, fields: Fields) -> Result<Response, WebError> {
    create(&ORGANIZATIONS, &state, &visit, &fields).await
}

async fn create(words: &'static Words, state: &AppState, visit: &Visit, fields: &Fields) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let (id, wanted) = (fields.trimmed("id"), wanted(fields));
    match state.service.create_affiliation(Some(admin), words.kind, id, &wanted, visit.now).await {
        Ok(id) => Ok(Redirect::to(&words.page_of(&id)).into_response()),
        Err(error) => Ok(view(words, state, visit, id, None, Some(wanted), Some(refusal(error)?))?.into_response()),
    }
}

/// Shows a group.
pub async fn group(state: State<AppState>, visit: Visit, Path(id): Path<String>) -> Result<FormPage, WebError> {
    show(&GROUPS, &state, &visit, &id, None, None).await
}

/// Shows an organization.
pub async fn organization(state: State<AppState>, visit: Visit, Path(id): Path<String>) -> Result<FormPage, WebError> {
    show(&ORGANIZATIONS, &state, &visit, &id, None, None).await
}

async fn show(
    words: &'static Words,
    state: &AppState,
    visit: &Visit,
    id: &str,
    typed: Option<WantedAffiliation>,
    error: Option<(StatusCode, Message)>,
) -> Result<FormPage, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let found = state.service.affiliation(Some(admin), words.kind, id).await;
    let found = found.map_err(|error| words.as_page(error))?;
    view(words, state, visit, id, Some(found), typed, error)
}

/// Changes a group, if it is still what the form showed.
pub async fn edit_group(
    state: State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    edit(&GROUPS, &state, &visit, &id, &fields).await
}

/// Changes an organization, if it is still what the form showed.
pub async fn edit_organization(
    state: State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    edit(&ORGANIZATIONS, &state, &visit, &id, &fields).await
}

async fn edit(
    words: &'static Words,
    state: &AppState,
    visit: &Visit,
    id: &str,
    fields: &Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let (seen, wanted) = (Some(fields.get("seen")), wanted(fields));
    match state.service.edit_affiliation(Some(admin), words.kind, id, seen, &wanted, visit.now).await {
        Ok(()) => Ok(Redirect::to(&words.page_of(id)).into_response()),
        Err(error @ (TeamError::NoSuchGroup(_) | TeamError::NoSuchOrganization(_))) => Err(words.as_page(error)),
        // What somebody else made of it is shown, not what was typed over it.
        Err(error @ TeamError::Changed) => {
            Ok(show(words, state, visit, id, None, Some(refusal(error)?)).await?.into_response())
        }
        Err(error) => Ok(show(words, state, visit, id, Some(wanted), Some(refusal(error)?)).await?.into_response()),
    }
}

/// Deletes a group that no team belongs to.
pub async fn delete_group(
    state: State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    delete(&GROUPS, &state, &visit, &id, &fields).await
}

/// Deletes an organization that no team belongs to.
pub async fn delete_organization(
    state: State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    delete(&ORGANIZATIONS, &state, &visit, &id, &fields).await
}

async fn delete(
    words: &'static Words,
    state: &AppState,
    visit: &Visit,
    id: &str,
    fields: &Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    match state.service.delete_affiliation(Some(admin), words.kind, id, Some(fields.get("seen")), visit.now).await {
        Ok(()) => Ok(Redirect::to(words.address).into_response()),
        Err(error @ (TeamError::NoSuchGroup(_) | TeamError::NoSuchOrganization(_))) => Err(words.as_page(error)),
        Err(error) => Ok(show(words, state, visit, id, None, Some(refusal(error)?)).await?.into_response()),
    }
}
