//! `/admin/problems/{slug}/versions`: who changed what of a problem and when, an older version again, a version as a zip;
//! withdrawing; limits. Must not know: how a version is verified.

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::refusals;
use crate::domain::account::Role;
use crate::domain::time::EpochMs;
use crate::store::package::PackageState;
use crate::store::problem;
use crate::web::error::WebError;
use crate::web::extract::upload::Refusal;
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::pages::FormPage;
use crate::web::sending;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "pages/admin/versions.html")]
struct VersionsPage {
    frame: Frame,
    slug: String,
    title: String,
    error: Option<String>,
    current: u64,
    packages: Vec<PackageLine>,
    tests: Vec<TestsLine>,
}

struct PackageLine {
    version: u64,
    in_force: bool,
    may_restore: bool,
    state: Message,
    tone: &'static str,
    message: Option<String>,
    created: EpochMs,
    by: Option<String>,
    changed: u64,
    path: Option<String>,
}

struct TestsLine {
    version: u64,
    in_force: bool,
    reason: String,
    refused: Option<String>,
    waits: bool,
    created: EpochMs,
    by: Option<String>,
}

async fn page(state: &AppState, visit: &Visit, slug: String, refusal: Option<Refusal>) -> Result<FormPage, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    let status = refusal.as_ref().map_or(StatusCode::OK, |refusal| refusal.status);
    let history = match state.service.problem_history(actor, &slug).await {
        Ok(history) => history,
        Err(error) => return Err(refusals::page(refusals::of_problem(error)?)),
    };
    let names = problem::page(state.store().read(), &slug).await?.map(|page| page.names).unwrap_or_default();
    let now = history.problem.package_id;
    let waits = history.packages.iter().any(|one| one.state == PackageState::Queued);
    let page = VersionsPage {
        title: names.in_language(visit.lang.code()).unwrap_or(&slug).to_owned(),
        error: refusal.map(|refusal| visit.lang.say(&refusal.message)),
        current: history.in_force(),
        packages: history
            .packages
            .into_iter()
            .map(|one| {
                let (state, tone) = match one.state {
                    PackageState::Queued => ("package-queued", "busy"),
                    PackageState::Ready => ("package-ready", "good"),
                    PackageState::Refused => ("package-refused", "bad"),
                };
                let in_force = Some(one.id) == now;
                PackageLine {
                    version: one.version,
                    in_force,
                    may_restore: !in_force && !waits,
                    state: Message::new(state),
                    tone,
                    message: one.message,
                    created: one.created,
                    by: one.created_by,
                    changed: one.changed,
                    path: one.changed_path,
                }
            })
            .collect(),
        tests: history
            .tests
            .into_iter()
            .map(|one| TestsLine {
                version: one.version,
                in_force: Some(one.id) == history.problem.test_set_id,
                reason: one.reason,
                refused: one.refused,
                waits: one.waits,
                created: one.created,
                by: one.created_by,
            })
            .collect(),
        slug,
        frame: visit.frame(state, Section::Admin),
    };
    Ok((status, Html(page.render()?)))
}

/// Shows them.
pub async fn show(State(state): State<AppState>, visit: Visit, Path(slug): Path<String>) -> Result<FormPage, WebError> {
    page(&state, &visit, slug, None).await
}

/// Verifies an older version again, to put it in force.
pub async fn restore(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    let number = |name: &str| fields.trimmed(name).parse::<u64>().unwrap_or_default();
    match state.service.restore_package(actor, &slug, number("restore"), number("version"), visit.now).await {
        Ok(()) => Ok(Redirect::to(&format!("/admin/problems/{slug}/verification")).into_response()),
        Err(error) => {
            let refusal = refusals::of_problem(error)?;
            Ok(page(&state, &visit, slug, Some(refusal)).await?.into_response())
        }
    }
}

/// Which version is exported.
#[derive(Debug, serde::Deserialize)]
pub struct Export {
    /// Its number.
    pub version: u64,
}

/// A version as a zip, sent as it is read.
pub async fn export(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    Query(Export { version }): Query<Export>,
) -> Result<Response, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    let file = match state.service.export_package(actor, &slug, version, &state.scratch).await {
        Ok(file) => file,
        Err(error) => return Err(refusals::page(refusals::of_problem(error)?)),
    };
    sending::zip(file, &format!("{slug}-{version}.zip")).map_err(WebError::internal)
}

/// Takes the problem out of the lists, or puts it back.
pub async fn set_state(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    fields: Fields,
) -> Result<Redirect, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    match state.service.set_withdrawn(admin, &slug, fields.ticked("withdraw"), visit.now).await {
        Ok(()) => Ok(Redirect::to(&format!("/admin/problems/{slug}"))),
        Err(error) => Err(refusals::page(refusals::of_problem(error)?)),
    }
}

/// Offers the package with other limits.
pub async fn set_limits(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    fields: Fields,
) -> Result<Redirect, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    let number = |name: &str| fields.trimmed(name).parse::<u64>().unwrap_or_default();
    let limits = (number("cpu_ms"), number("memory_mib"));
    match state.service.set_limits(actor, &slug, number("version"), limits, visit.now).await {
        Ok(()) => Ok(Redirect::to(&format!("/admin/problems/{slug}/verification"))),
        Err(error) => Err(refusals::page(refusals::of_problem(error)?)),
    }
}
