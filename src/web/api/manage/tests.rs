//! The tests in force: listing, contents, adding, changing. An answer is never sent: the references make it. Must not
//! know: how a test is verified.

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use super::given::{Asked, Given};
use super::{ApiError, Manager, given};
use crate::domain::account::Role;
use crate::domain::ids::{ProposalId, TestCaseId};
use crate::service::facts;
use crate::service::test_cases::{MAX_INPUT_BYTES, NewTest};
use crate::service::test_changes::TestChange;
use crate::service::test_zip::{inputs_of_zip, name_of_input};
use crate::store::problem::{self, ProblemPage};
use crate::store::test_case::{self, TestCase};
use crate::web::sending;
use crate::web::state::AppState;

/// How many of the tests that were offered are listed.
const LISTED: u32 = 100;

async fn find(state: &AppState, manager: &Manager, slug: &str) -> Result<ProblemPage, ApiError> {
    manager.at_least(Role::Setter)?;
    problem::page(state.store().read(), slug).await?.ok_or_else(|| ApiError::no_such("problem", slug))
}

/// The test of this number, of any version.
async fn find_test(state: &AppState, manager: &Manager, slug: &str, id: &str) -> Result<TestCase, ApiError> {
    let problem = find(state, manager, slug).await?;
    let missing = || ApiError::no_such("test", id);
    let (id, read): (TestCaseId, _) = (id.parse().map_err(|_| missing())?, state.store().read());
    let (_, of) = test_case::place(read, id).await?.ok_or_else(missing)?;
    if of != problem.id {
        return Err(missing());
    }
    test_case::by_id(read, id).await?.ok_or_else(missing)
}

fn taken(id: ProposalId) -> (StatusCode, Json<Value>) {
    (StatusCode::ACCEPTED, Json(json!({ "proposal": id.to_string() })))
}

/// The tests in force.
pub(super) async fn list(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let problem = find(&state, &manager, &slug).await?;
    let read = state.store().read();
    let version = test_case::version(read, problem.test_set_id).await?;
    let tests = test_case::list(read, problem.test_set_id).await?;
    Ok(Json(json!({ "version": version, "tests": tests.iter().map(facts::test).collect::<Vec<_>>() })))
}

/// What goes with a new test.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Added {
    /// Its name; empty: one is made.
    #[serde(default)]
    name: String,
    /// Whether everybody may see it.
    #[serde(default)]
    sample: bool,
}

/// Offers a test: the body is its input.
pub(super) async fn add(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
    Asked(added): Asked<Added>,
    body: Body,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let actor = manager.at_least(Role::Setter)?;
    let input = given::file(&state, body, MAX_INPUT_BYTES).await?;
    let test = NewTest { name: added.name, input: input.into(), sample: added.sample };
    Ok(taken(state.service.add_test_case(actor, &slug, test, manager.now).await?))
}

/// What goes with a zip.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AddedZip {
    /// Whether everybody may see them.
    #[serde(default)]
    sample: bool,
}

/// Offers several tests: the body is a zip of their inputs. All of them are taken or none.
pub(super) async fn add_zip(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
    Asked(AddedZip { sample }): Asked<AddedZip>,
    body: Body,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let actor = manager.at_least(Role::Setter)?;
    let zip = given::file(&state, body, MAX_INPUT_BYTES).await?;
    let inputs = inputs_of_zip(zip, &state.scratch).await?;
    let tests = inputs.into_iter().map(|(path, input)| NewTest { name: name_of_input(&path), input, sample });
    match state.service.add_test_cases(actor, &slug, tests.collect(), manager.now).await? {
        Ok(ids) => {
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            Ok((StatusCode::ACCEPTED, Json(json!({ "proposals": ids }))))
        }
        Err(refused) => {
            let told: Vec<String> = refused.0.iter().map(|(name, error)| format!("{name}: {error}")).collect();
            Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, told.join("\n")))
        }
    }
}

/// A generator's run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Generated {
    /// The test's name; empty: one is made.
    #[serde(default)]
    name: String,
    /// Generator and arguments.
    command: String,
    /// Whether everybody may see it.
    #[serde(default)]
    sample: bool,
}

/// Offers a test that a generator makes.
pub(super) async fn generate(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
    Given(new): Given<Generated>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (actor, now) = (&manager.actor, manager.now);
    Ok(taken(state.service.add_generated_test(actor, &slug, &new.name, &new.command, new.sample, now).await?))
}

/// Which version of the tests is changed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Edited {
    /// Its number.
    version: u64,
}

/// Offers another input in a test's place: the body is the input.
pub(super) async fn edit(
    State(state): State<AppState>,
    manager: Manager,
    Path((slug, id)): Path<(String, String)>,
    Asked(Edited { version }): Asked<Edited>,
    body: Body,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let test = find_test(&state, &manager, &slug, &id).await?;
    let input = given::file(&state, body, MAX_INPUT_BYTES).await?.into();
    let edited = (test.name.as_str(), version);
    Ok(taken(state.service.edit_test_case(&manager.actor, &slug, edited, input, manager.now).await?))
}

/// One change of a test.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Changed {
    /// The version of the tests that was looked at.
    version: u64,
    /// Its new place, from 1.
    place: Option<usize>,
    /// Its new group.
    group: Option<String>,
    /// Whether everybody may see it.
    sample: Option<bool>,
    /// Why.
    #[serde(default)]
    reason: String,
}

/// Moves it, puts it in a group, or makes it a sample or not.
pub(super) async fn change(
    State(state): State<AppState>,
    manager: Manager,
    Path((slug, id)): Path<(String, String)>,
    Given(given): Given<Changed>,
) -> Result<StatusCode, ApiError> {
    let change = match (given.place, given.group, given.sample) {
        (Some(place), None, None) => TestChange::Move(place),
        (None, Some(group), None) => TestChange::Group(group),
        (None, None, Some(sample)) => TestChange::Sample(sample),
        _ => return Err(ApiError::bad("give one of `place`, `group` and `sample`")),
    };
    apply(&state, &manager, (&slug, &id), change, given.version, &given.reason).await
}

/// Which version a test is taken out of, and why.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Removed {
    /// The version of the tests that was looked at.
    version: u64,
    /// Why.
    #[serde(default)]
    reason: String,
}

/// Takes it out.
pub(super) async fn remove(
    State(state): State<AppState>,
    manager: Manager,
    Path((slug, id)): Path<(String, String)>,
    Asked(removed): Asked<Removed>,
) -> Result<StatusCode, ApiError> {
    apply(&state, &manager, (&slug, &id), TestChange::Delete, removed.version, &removed.reason).await
}

async fn apply(
    state: &AppState,
    manager: &Manager,
    (slug, id): (&str, &str),
    change: TestChange,
    version: u64,
    reason: &str,
) -> Result<StatusCode, ApiError> {
    let test = find_test(state, manager, slug, id).await?;
    let edited = (test.name.as_str(), version);
    state.service.change_test(&manager.actor, slug, edited, change, reason, manager.now).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The whole input, as it is.
pub(super) async fn input(
    State(state): State<AppState>,
    manager: Manager,
    Path((slug, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let test = find_test(&state, &manager, &slug, &id).await?;
    Ok(sending::stored(&state, &format!("{id}.in"), test.input_sha256, test.input_bytes))
}

/// The whole answer, as it is.
pub(super) async fn answer(
    State(state): State<AppState>,
    manager: Manager,
    Path((slug, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let test = find_test(&state, &manager, &slug, &id).await?;
    Ok(sending::stored(&state, &format!("{id}.ans"), test.answer_sha256, test.answer_bytes))
}

/// What became of the tests that were offered, newest first.
pub(super) async fn proposals(
    State(state): State<AppState>,
    manager: Manager,
    Path(slug): Path<String>,
) -> Result<Json<Vec<Value>>, ApiError> {
    let found = state.service.proposals(&manager.actor, &slug, LISTED).await?;
    Ok(Json(found.iter().map(facts::proposal).collect()))
}
