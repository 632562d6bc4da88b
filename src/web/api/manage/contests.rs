//! Contests: listing, making, copying, settings, problems, teams, and the steps of their life. Must not know: boards and
//! what CLICS shows of a contest.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::given::Given;
use super::{ApiError, Manager};
use crate::domain::account::Role;
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;
use crate::service::contest_steps::Step;
use crate::service::contests::{Seen, WantedProblem, settings_of, usual_settings};
use crate::service::facts;
use crate::store::contest::{self, Access, FailedTests, PointsFrom, Scoring};
use crate::store::contest_setting::Settings;
use crate::store::{Texts, contest_team};
use crate::web::api::contests::find;
use crate::web::state::AppState;

/// All of them.
pub(super) async fn list(State(state): State<AppState>, manager: Manager) -> Result<Json<Vec<Value>>, ApiError> {
    manager.at_least(Role::Judge)?;
    let contests = contest::list(state.store().read()).await?;
    Ok(Json(contests.iter().map(|one| facts::contest(one, manager.now)).collect()))
}

/// One of them with its problems, its teams, and what stands against making its result final.
pub(super) async fn show(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
) -> Result<Json<Value>, ApiError> {
    manager.at_least(Role::Judge)?;
    let (found, read) = (find(&state, &slug).await?, state.store().read());
    let mut told = facts::contest(&found, manager.now);
    told["problems"] = contest::problems(read, found.id).await?.iter().map(facts::place).collect();
    told["teams"] = json!(contest_team::invited(read, found.id).await?);
    let open = state.service.undecided(&found).await?;
    told["undecided"] = json!({
        "unjudged": open.unjudged, "judging_errors": open.judging_errors, "unanswered": open.unanswered,
    });
    Ok(Json(told))
}

/// A word of a list of words.
fn word<'de, D: Deserializer<'de>, T: std::str::FromStr<Err = String>>(from: D) -> Result<Option<T>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
    text.parse().map(Some).map_err(serde::de::Error::custom)
}

/// A setting that may be nothing: to name it as null is not the same as to leave it out.
#[derive(Default)]
enum Setting<T> {
    /// Not named.
    #[default]
    AsItIs,
    /// Named.
    To(Option<T>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Setting<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Option::<T>::deserialize(from).map(Self::To)
    }
}

impl<T> Setting<T> {
    fn over(self, old: Option<T>) -> Option<T> {
        match self {
            Self::AsItIs => old,
            Self::To(new) => new,
        }
    }
}

/// Settings; what isn't named stays as it is.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Wanted {
    /// Of what is edited: the version that was looked at.
    version: Option<i64>,
    /// Name for people.
    name: Option<String>,
    /// When it starts, milliseconds since 1970.
    start: Option<EpochMs>,
    /// How long it lasts, milliseconds.
    duration_ms: Option<i64>,
    /// For how long before the end the board is frozen, milliseconds; null: never.
    freeze_ms: Setting<i64>,
    /// What a rejected try costs, minutes.
    penalty_minutes: Option<u16>,
    /// `pass-fail` or `score`.
    #[serde(deserialize_with = "word")]
    scoring: Option<Scoring>,
    /// `submissions` or `groups`: what a problem's points are the best of.
    #[serde(deserialize_with = "word")]
    points_from: Option<PointsFrom>,
    /// `nothing`, `number` or `counterexample_after_end`.
    #[serde(deserialize_with = "word")]
    failed_tests: Option<FailedTests>,
    /// `open` or `invitation`.
    #[serde(deserialize_with = "word")]
    access: Option<Access>,
    /// The languages by id; null: all.
    languages: Setting<Vec<String>>,
    /// Whether its problems can be practised after the end.
    practice_after: Option<bool>,
    /// Whether only machines with the server's own tools may judge it.
    equal_toolchains: Option<bool>,
}

impl Wanted {
    fn over(self, old: Settings) -> Result<Settings, ApiError> {
        if self.duration_ms.is_some_and(|ms| ms <= 0) || matches!(self.freeze_ms, Setting::To(Some(..0))) {
            return Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "a contest lasts more than 0 ms"));
        }
        Ok(Settings {
            name: self.name.unwrap_or(old.name),
            start: self.start.unwrap_or(old.start),
            duration_ms: self.duration_ms.or(old.duration_ms),
            freeze_ms: self.freeze_ms.over(old.freeze_ms),
            penalty_minutes: self.penalty_minutes.map_or(old.penalty_minutes, i64::from),
            scoring: self.scoring.unwrap_or(old.scoring),
            points_from: self.points_from.unwrap_or(old.points_from),
            failed_tests: self.failed_tests.unwrap_or(old.failed_tests),
            access: self.access.unwrap_or(old.access),
            languages: self.languages.over(old.languages.map(|all| all.0)).map(Texts),
            practice_after: self.practice_after.unwrap_or(old.practice_after),
            equal_toolchains: self.equal_toolchains.unwrap_or(old.equal_toolchains),
        })
    }
}

/// A new contest.
#[derive(Deserialize)]
pub(super) struct New {
    /// Its short name in addresses.
    id: Slug,
    /// Its settings; what isn't named is as usual.
    #[serde(flatten)]
    settings: Value,
}

/// Makes one without problems.
pub(super) async fn create(
    State(state): State<AppState>,
    manager: Manager,
    Given(New { id, settings }): Given<New>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let wanted: Wanted = serde_json::from_value(settings)
        .map_err(|error| ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))?;
    let settings = wanted.over(usual_settings(id.as_str(), manager.now))?;
    state.service.create_contest(Some(&manager.actor), &id, &settings, manager.now).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": id }))))
}

/// Changes its settings.
pub(super) async fn edit(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
    Given(wanted): Given<Wanted>,
) -> Result<StatusCode, ApiError> {
    let actor = manager.at_least(Role::Admin)?;
    let found = find(&state, &slug).await?;
    let seen = Seen { slug: &slug, version: Some(wanted.version.unwrap_or(found.version)) };
    let settings = wanted.over(settings_of(&found))?;
    state.service.edit_contest(Some(actor), seen, &settings, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A copy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Copy {
    /// The new one's short name.
    id: Slug,
    /// When it starts, milliseconds since 1970.
    start: EpochMs,
}

/// Makes one with its settings, problems and teams.
pub(super) async fn copy(
    State(state): State<AppState>,
    manager: Manager,
    Path(from): Path<String>,
    Given(Copy { id, start }): Given<Copy>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    state.service.clone_contest(Some(&manager.actor), &from, &id, start, manager.now).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": id }))))
}

/// What contestants learn of failed secret tests.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    /// `nothing`, `number` or `counterexample_after_end`.
    #[serde(deserialize_with = "word")]
    failed_tests: Option<FailedTests>,
}

/// Sets it, also for what was judged before.
pub(super) async fn set_failed_tests(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
    Given(Rule { failed_tests }): Given<Rule>,
) -> Result<StatusCode, ApiError> {
    let rule = failed_tests.ok_or_else(|| ApiError::bad("`failed_tests` is missing"))?;
    state.service.set_failed_tests(&manager.actor, &slug, rule, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A problem's place.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Placed {
    /// The problem.
    id: String,
    /// Its letter.
    label: String,
    /// Its colour, `#rrggbb`; empty: the usual one of its place.
    #[serde(default)]
    rgb: String,
}

/// A contest's problems.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Problems {
    /// The version that was looked at.
    version: Option<i64>,
    /// In this order.
    problems: Vec<Placed>,
}

/// Sets its problems.
pub(super) async fn set_problems(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
    Given(Problems { version, problems }): Given<Problems>,
) -> Result<StatusCode, ApiError> {
    let wanted = problems.into_iter().map(|one| WantedProblem { slug: one.id, label: one.label, rgb: one.rgb });
    let (seen, wanted) = (Seen { slug: &slug, version }, wanted.collect::<Vec<_>>());
    state.service.set_contest_problems(Some(&manager.actor), seen, &wanted, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A contest's teams.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Teams {
    /// The version that was looked at.
    version: Option<i64>,
    /// By their names.
    teams: Vec<String>,
}

/// Sets the teams that it invites.
pub(super) async fn set_teams(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
    Given(Teams { version, teams }): Given<Teams>,
) -> Result<StatusCode, ApiError> {
    let seen = Seen { slug: &slug, version };
    state.service.set_contest_teams(Some(&manager.actor), seen, &teams, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A step of a contest's life.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Next {
    /// The version that was looked at.
    version: Option<i64>,
    /// `start`, `pause`, `resume`, `extend`, `end`, `finalize` or `thaw`.
    step: String,
    /// Of a start: in how many milliseconds; of an extension: by how many.
    ms: Option<i64>,
}

/// Takes it.
pub(super) async fn step(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
    Given(Next { version, step, ms }): Given<Next>,
) -> Result<StatusCode, ApiError> {
    let ms = ms.filter(|ms| *ms >= 0);
    let step = match (step.as_str(), ms) {
        ("start", ms) => Step::Start(ms.unwrap_or(0)),
        ("pause", _) => Step::Pause,
        ("resume", _) => Step::Resume,
        ("extend", Some(ms)) => Step::Extend(ms),
        ("extend", None) => return Err(ApiError::bad("`ms` says by how many milliseconds")),
        ("end", _) => Step::End,
        ("finalize", _) => Step::Finalize,
        ("thaw", _) => Step::Thaw,
        _ => {
            let words = "`step` is one of start, pause, resume, extend, end, finalize and thaw";
            return Err(ApiError::bad(words));
        }
    };
    let seen = Seen { slug: &slug, version };
    state.service.step_contest(Some(&manager.actor), seen, step, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}
