//! `/admin/teams`: the list with its filter, one team with who hands in for it, and what an admin does with it. Whoever
//! changes what somebody else changed meanwhile is told. Must not know: how teams are kept.

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use crate::domain::account::Role;
use crate::domain::ids::TeamId;
use crate::service::teams::{MAX_ID, TeamError, WantedTeam, seen_of};
use crate::store::affiliation::Kind;
use crate::store::team::{Member, Team, TeamFilter};
use crate::web::error::{Next, WebError};
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::pages::{FormPage, Page};
use crate::web::state::AppState;
use crate::web::view::format::query;
use crate::web::view::frame::{Frame, Section};

/// Rows a page.
const ROWS: u32 = 50;
/// Up to so many groups or organizations are offered in the form; of more the id is written.
const CHOICES: u32 = 60;

#[derive(Template)]
#[template(path = "pages/admin/teams.html")]
struct TeamsPage {
    frame: Frame,
    asked: Asked,
    rows: Vec<Team>,
    /// The names of the chosen group and organization.
    chosen: Vec<String>,
    filtered: bool,
    next_page: Option<String>,
}

/// The filter as it stands in the address.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(default)]
pub struct Asked {
    q: String,
    group: String,
    organization: String,
    hidden: String,
    after: String,
}

impl Asked {
    fn address(&self, after: &str) -> String {
        let parts = [
            ("q", self.q.as_str()),
            ("group", &self.group),
            ("organization", &self.organization),
            ("hidden", &self.hidden),
            ("after", after),
        ];
        format!("/admin/teams{}", query(&parts))
    }
}

/// Shows a page of the list.
pub async fn list(State(state): State<AppState>, visit: Visit, Query(asked): Query<Asked>) -> Result<Page, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let some = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let filter = TeamFilter {
        contains: some(&asked.q),
        group: some(&asked.group),
        organization: some(&asked.organization),
        hidden: !asked.hidden.is_empty(),
        after: some(&asked.after),
    };
    let mut chosen = Vec::new();
    for (kind, id) in [(Kind::Group, &filter.group), (Kind::Organization, &filter.organization)] {
        if let Some(id) = id {
            let found = state.service.affiliation(Some(admin), kind, id).await;
            chosen.push(found.map_or_else(|_| id.clone(), |one| one.name));
        }
    }
    let mut rows = state.service.teams(Some(admin), &filter, ROWS + 1).await.map_err(as_page)?;
    let more = rows.len() > ROWS as usize;
    rows.truncate(ROWS as usize);
    let page = TeamsPage {
        frame: visit.frame(&state, Section::Admin),
        next_page: rows.last().filter(|_| more).map(|last| asked.address(&last.name)),
        filtered: filter != TeamFilter { after: filter.after.clone(), ..TeamFilter::default() },
        chosen,
        rows,
        asked,
    };
    Ok(Html(page.render()?))
}

/// The fields of a team, and what is offered in them.
struct TeamForm {
    wanted: WantedTeam,
    groups: Vec<Choice>,
    organizations: Vec<Choice>,
}

struct Choice {
    id: String,
    name: String,
    chosen: bool,
}

impl TeamForm {
    async fn new(state: &AppState, visit: &Visit, wanted: WantedTeam) -> Result<Self, WebError> {
        let chosen = |id: &str| wanted.groups.iter().any(|group| group == id);
        let groups = choices(state, visit, Kind::Group, chosen).await?;
        let organizations = choices(state, visit, Kind::Organization, |id| wanted.organization == id).await?;
        Ok(Self { wanted, groups, organizations })
    }
}

/// What there is to choose; nothing where there is too much.
async fn choices(
    state: &AppState,
    visit: &Visit,
    kind: Kind,
    chosen: impl Fn(&str) -> bool,
) -> Result<Vec<Choice>, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let all = state.service.affiliations(Some(admin), kind, None, None, CHOICES + 1).await.map_err(as_page)?;
    if all.len() > CHOICES as usize {
        return Ok(Vec::new());
    }
    Ok(all.into_iter().map(|one| Choice { chosen: chosen(&one.id), id: one.id, name: one.name }).collect())
}

#[derive(Template)]
#[template(path = "pages/admin/team-new.html")]
struct NewPage {
    frame: Frame,
    error: Option<String>,
    form: TeamForm,
}

#[derive(Template)]
#[template(path = "pages/admin/team.html")]
struct TeamPage {
    frame: Frame,
    error: Option<String>,
    team: Team,
    form: TeamForm,
    seen: String,
    members: Vec<Member>,
    /// Whether some of them can still log in.
    any_enabled: bool,
}

/// The empty form.
pub async fn form(State(state): State<AppState>, visit: Visit) -> Result<FormPage, WebError> {
    visit.at_least(Role::Admin)?;
    new_page(&state, &visit, WantedTeam::default(), None).await
}

async fn new_page(
    state: &AppState,
    visit: &Visit,
    wanted: WantedTeam,
    error: Option<(StatusCode, Message)>,
) -> Result<FormPage, WebError> {
    let page = NewPage {
        frame: visit.frame(state, Section::Admin),
        error: error.as_ref().map(|(_, message)| visit.lang.say(message)),
        form: TeamForm::new(state, visit, wanted).await?,
    };
    Ok((error.map_or(StatusCode::OK, |(status, _)| status), Html(page.render()?)))
}

/// What the form holds.
async fn wanted(state: &AppState, visit: &Visit, fields: &Fields) -> Result<WantedTeam, WebError> {
    let text = |name: &str| fields.trimmed(name).to_owned();
    let offered = choices(state, visit, Kind::Group, |id| fields.ticked(&format!("group-{id}"))).await?;
    let ticked = offered.into_iter().filter(|one| one.chosen).map(|one| one.id);
    let written = fields.get("groups").split([',', ' ']).filter(|id| !id.is_empty()).map(str::to_owned);
    Ok(WantedTeam {
        name: text("name"),
        display_name: text("display_name"),
        label: text("label"),
        external_id: text("external_id"),
        icpc_id: text("icpc_id"),
        organization: text("organization"),
        groups: ticked.chain(written).collect(),
        hidden: fields.ticked("hidden"),
    })
}

/// Makes a team, or shows the form again.
pub async fn create(State(state): State<AppState>, visit: Visit, fields: Fields) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let wanted = wanted(&state, &visit, &fields).await?;
    match state.service.create_team(Some(admin), &wanted, visit.now).await {
        Ok(id) => Ok(Redirect::to(&format!("/admin/teams/{id}")).into_response()),
        Err(error) => Ok(new_page(&state, &visit, wanted, Some(refusal(error)?)).await?.into_response()),
    }
}

fn no_team() -> WebError {
    let next = Next { href: "/admin/teams".to_owned(), label: Message::new("next-teams") };
    WebError::not_found(Message::new("error-no-team"), next)
}

async fn page(
    state: &AppState,
    visit: &Visit,
    id: TeamId,
    typed: Option<WantedTeam>,
    error: Option<(StatusCode, Message)>,
) -> Result<FormPage, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let (team, members) = state.service.team(Some(admin), id).await.map_err(as_page)?;
    let now = WantedTeam::from(&team);
    let page = TeamPage {
        frame: visit.frame(state, Section::Admin),
        error: error.as_ref().map(|(_, message)| visit.lang.say(message)),
        seen: seen_of(&now),
        form: TeamForm::new(state, visit, typed.unwrap_or(now)).await?,
        any_enabled: members.iter().any(|member| !member.disabled && member.role == Role::Contestant),
        team,
        members,
    };
    Ok((error.map_or(StatusCode::OK, |(status, _)| status), Html(page.render()?)))
}

fn id_of(text: &str) -> Result<TeamId, WebError> {
    text.parse().map_err(|_| no_team())
}

/// Shows one team.
pub async fn show(State(state): State<AppState>, visit: Visit, Path(id): Path<String>) -> Result<FormPage, WebError> {
    visit.at_least(Role::Admin)?;
    page(&state, &visit, id_of(&id)?, None, None).await
}

/// Changes what it is, if it is still what the form showed.
pub async fn edit(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let (id, wanted) = (id_of(&id)?, wanted(&state, &visit, &fields).await?);
    match state.service.edit_team(Some(admin), id, Some(fields.get("seen")), &wanted, visit.now).await {
        Ok(()) => Ok(Redirect::to(&format!("/admin/teams/{id}")).into_response()),
        // What somebody else made of it is shown, not what was typed over it.
        Err(error @ TeamError::Changed) => {
            Ok(page(&state, &visit, id, None, Some(refusal(error)?)).await?.into_response())
        }
        Err(error) => Ok(page(&state, &visit, id, Some(wanted), Some(refusal(error)?)).await?.into_response()),
    }
}

/// Lets an account hand in for it, or no longer.
pub async fn members(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let id = id_of(&id)?;
    let done = match (fields.trimmed("join"), fields.trimmed("leave")) {
        ("", "") => return Err(WebError::refused(StatusCode::UNPROCESSABLE_ENTITY, Message::new("error-form"))),
        ("", leave) => state.service.leave_team(Some(admin), id, leave, visit.now).await,
        (join, _) => state.service.join_team(Some(admin), id, join, visit.now).await,
    };
    decided(&state, &visit, id, done).await
}

/// Lets nobody of it log in, or all of them again.
pub async fn set_disabled(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let id = id_of(&id)?;
    let done = state.service.disable_team(Some(admin), id, fields.ticked("disabled"), visit.now).await;
    decided(&state, &visit, id, done).await
}

async fn decided(
    state: &AppState,
    visit: &Visit,
    id: TeamId,
    done: Result<(), TeamError>,
) -> Result<Response, WebError> {
    match done {
        Ok(()) => Ok(Redirect::to(&format!("/admin/teams/{id}")).into_response()),
        Err(error) => Ok(page(state, visit, id, None, Some(refusal(error)?)).await?.into_response()),
    }
}

/// Why a team, a group or an organization was not changed, for the form; what has no form goes on as an error.
pub(super) fn refusal(error: TeamError) -> Result<(StatusCode, Message), WebError> {
    let (status, message) = match error {
        TeamError::NoSuchGroup(id) => (StatusCode::UNPROCESSABLE_ENTITY, Message::new("team-no-group").with("id", id)),
        TeamError::NoSuchOrganization(id) => {
            (StatusCode::UNPROCESSABLE_ENTITY, Message::new("team-no-organization").with("id", id))
        }
        TeamError::NoSuchAccount(name) => {
            (StatusCode::UNPROCESSABLE_ENTITY, Message::new("team-no-account").with("name", name))
        }
        TeamError::NoMember(name) => (StatusCode::CONFLICT, Message::new("team-no-member").with("name", name)),
        TeamError::BadName => (StatusCode::UNPROCESSABLE_ENTITY, Message::new("team-bad-name")),
        TeamError::BadId(text) => {
            (StatusCode::UNPROCESSABLE_ENTITY, Message::new("team-bad-id").with("text", text).with("limit", MAX_ID))
        }
        TeamError::BadCountry(text) => {
            (StatusCode::UNPROCESSABLE_ENTITY, Message::new("team-bad-country").with("text", text))
        }
        TeamError::NameTaken(name) => (StatusCode::CONFLICT, Message::new("team-name-taken").with("name", name)),
        TeamError::IdTaken(id) => (StatusCode::CONFLICT, Message::new("team-id-taken").with("id", id)),
        TeamError::HasTeams { name, teams } => {
            (StatusCode::CONFLICT, Message::new("affiliation-has-teams").with("name", name).with("count", teams))
        }
        TeamError::Changed => (StatusCode::CONFLICT, Message::new("team-changed")),
        error @ (TeamError::Forbidden(_) | TeamError::NoSuchTeam(_) | TeamError::Store(_)) => {
            return Err(as_page(error));
        }
    };
    Ok((status, message))
}

fn as_page(error: TeamError) -> WebError {
    match error {
        TeamError::Forbidden(error) => error.into(),
        TeamError::NoSuchTeam(_) => no_team(),
        error => WebError::internal(error),
    }
}
