//! Forms of a problem's page: who compares outputs, which languages may be used; and beginning a problem. Each makes a
//! package that a worker looks at first. Must not know: how a setting is written in a package.

use axum::extract::{Path, State};
use axum::response::Redirect;

use super::refusals;
use crate::domain::account::Role;
use crate::domain::language::LanguageId;
use crate::service::problem_settings::CheckerFlags;
use crate::service::problems::ProblemError;
use crate::web::error::WebError;
use crate::web::extract::{Fields, Visit};
use crate::web::state::AppState;

fn verification(slug: &str) -> Redirect {
    Redirect::to(&format!("/admin/problems/{slug}/verification"))
}

fn refused(error: ProblemError) -> WebError {
    refusals::of_problem(error).map_or_else(|error| error, refusals::page)
}

/// Offers the package with other flags of the default checker.
pub async fn set_checker(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    fields: Fields,
) -> Result<Redirect, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    // What is no number is refused as one that can't be used.
    let tolerance = |name: &str| {
        let typed = fields.trimmed(name);
        (!typed.is_empty()).then(|| typed.parse::<f64>().unwrap_or(f64::NAN))
    };
    let flags = CheckerFlags {
        case_sensitive: fields.ticked("case_sensitive"),
        space_change_sensitive: fields.ticked("space_change_sensitive"),
        float_absolute_tolerance: tolerance("float_absolute"),
        float_relative_tolerance: tolerance("float_relative"),
    };
    let version = fields.trimmed("version").parse().unwrap_or_default();
    state.service.set_checker(actor, &slug, version, flags, visit.now).await.map_err(refused)?;
    Ok(verification(&slug))
}

/// Offers the package with other languages: those that are ticked, or all.
pub async fn set_languages(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    fields: Fields,
) -> Result<Redirect, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    let ticked = state.languages.iter().filter(|language| fields.ticked(&format!("language-{}", language.id)));
    let ticked: Vec<LanguageId> = ticked.map(|language| language.id.clone()).collect();
    let languages = if fields.trimmed("allow") == "all" { None } else { Some(ticked.as_slice()) };
    let version = fields.trimmed("version").parse().unwrap_or_default();
    state.service.set_languages(actor, &slug, version, languages, visit.now).await.map_err(refused)?;
    Ok(verification(&slug))
}

/// Begins a problem from a small one that verifies.
pub async fn create(State(state): State<AppState>, visit: Visit, fields: Fields) -> Result<Redirect, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    let slug = state.service.create_problem(actor, fields.trimmed("slug"), visit.now).await.map_err(refused)?;
    Ok(verification(slug.as_str()))
}
