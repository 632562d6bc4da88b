//! Why tests or problems were not changed, as sentences for the page that asked. Our own faults go on as errors.

use axum::http::StatusCode;

use crate::service::problem_versions::MAX_STATEMENT;
use crate::service::problems::ProblemError;
use crate::service::test_cases::{AddTestError, MAX_INPUT_BYTES};
use crate::service::test_changes::{ChangeTestsError, MAX_REASON};
use crate::web::error::{Next, WebError};
use crate::web::extract::upload::Refusal;
use crate::web::i18n::Message;
use crate::web::view::format;

const UNPROCESSABLE: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;

fn no_problem(slug: &str) -> Message {
    Message::new("error-no-problem").with("slug", slug.chars().take(80).collect::<String>())
}

fn tests_changed(newest: u64) -> Refusal {
    Refusal::new(StatusCode::CONFLICT, Message::new("tests-changed-meanwhile").with("version", newest))
}

fn changed(in_force: u64) -> Refusal {
    Refusal::new(StatusCode::CONFLICT, Message::new("changed-meanwhile").with("version", in_force))
}

/// Why a test was not taken.
pub(super) fn of_added(error: AddTestError) -> Result<Refusal, WebError> {
    let (status, message) = match error {
        AddTestError::Forbidden(error) => return Err(error.into()),
        error @ AddTestError::Store(_) => return Err(WebError::internal(error)),
        AddTestError::Changed { newest, .. } => return Ok(tests_changed(newest)),
        AddTestError::NoSuchProblem(slug) => (StatusCode::NOT_FOUND, no_problem(&slug)),
        AddTestError::NotReady(_) => (StatusCode::CONFLICT, Message::new("test-not-ready")),
        AddTestError::Empty => (UNPROCESSABLE, Message::new("test-input-missing")),
        AddTestError::TooLarge { bytes } => {
            let message = Message::new("test-input-too-large").with("size", format::bytes(bytes));
            (StatusCode::PAYLOAD_TOO_LARGE, message.with("limit", format::bytes(MAX_INPUT_BYTES as u64)))
        }
        AddTestError::BadName => (UNPROCESSABLE, Message::new("test-name-bad")),
        AddTestError::BadCommand => (UNPROCESSABLE, Message::new("test-command-bad")),
        AddTestError::NoSuchTest(name) => (StatusCode::CONFLICT, Message::new("test-gone").with("name", name)),
        AddTestError::NameTaken(name) => (StatusCode::CONFLICT, Message::new("test-name-taken").with("name", name)),
        AddTestError::SameInput(name) => (StatusCode::CONFLICT, Message::new("test-same-input").with("name", name)),
    };
    Ok(Refusal::new(status, message))
}

/// Why a test was not changed.
pub(super) fn of_changed(error: ChangeTestsError) -> Result<Refusal, WebError> {
    let (status, message) = match error {
        ChangeTestsError::Forbidden(error) => return Err(error.into()),
        error @ ChangeTestsError::Store(_) => return Err(WebError::internal(error)),
        ChangeTestsError::Changed { newest, .. } => return Ok(tests_changed(newest)),
        ChangeTestsError::NoSuchProblem(slug) => (StatusCode::NOT_FOUND, no_problem(&slug)),
        ChangeTestsError::NotReady(_) => (StatusCode::CONFLICT, Message::new("test-not-ready")),
        ChangeTestsError::NoSuchTest(name) => (StatusCode::CONFLICT, Message::new("test-gone").with("name", name)),
        ChangeTestsError::Grouped => (StatusCode::CONFLICT, Message::new("change-grouped")),
        ChangeTestsError::NoReason => (UNPROCESSABLE, Message::new("change-no-reason").with("limit", MAX_REASON)),
        ChangeTestsError::BadGroup => (UNPROCESSABLE, Message::new("change-bad-group")),
        ChangeTestsError::BadPlace(most) => (UNPROCESSABLE, Message::new("change-bad-place").with("most", most)),
        ChangeTestsError::Nothing => (StatusCode::CONFLICT, Message::new("change-nothing")),
        ChangeTestsError::LastTest => (StatusCode::CONFLICT, Message::new("change-last")),
    };
    Ok(Refusal::new(status, message))
}

/// Why a problem was not changed.
pub(super) fn of_problem(error: ProblemError) -> Result<Refusal, WebError> {
    let (status, message) = match error {
        ProblemError::Forbidden(error) => return Err(error.into()),
        ProblemError::NoSuchProblem(slug) => return Err(WebError::not_found(no_problem(&slug), Next::admin())),
        ProblemError::Changed { in_force, .. } => return Ok(changed(in_force)),
        ProblemError::NotReady(_) => (StatusCode::CONFLICT, Message::new("test-not-ready")),
        ProblemError::NothingInForce(_) => (StatusCode::CONFLICT, Message::new("verification-nothing-in-force")),
        ProblemError::NoSuchVersion(version) => {
            (StatusCode::NOT_FOUND, Message::new("version-none").with("version", version))
        }
        ProblemError::UnderWay => (StatusCode::CONFLICT, Message::new("version-under-way")),
        ProblemError::KnownVersion => (StatusCode::CONFLICT, Message::new("version-known")),
        ProblemError::SameAsBefore => (StatusCode::CONFLICT, Message::new("change-nothing")),
        ProblemError::BadStatement => {
            let limit = format::bytes(MAX_STATEMENT as u64);
            (UNPROCESSABLE, Message::new("statement-bad").with("limit", limit))
        }
        ProblemError::NoMarkdown => (StatusCode::CONFLICT, Message::new("statement-no-markdown")),
        ProblemError::BadLimits => (UNPROCESSABLE, Message::new("limits-bad")),
        ProblemError::SettingsByHand => (StatusCode::CONFLICT, Message::new("limits-by-hand")),
        ProblemError::BadTolerance => (UNPROCESSABLE, Message::new("checker-bad-tolerance")),
        ProblemError::OwnChecker => (StatusCode::CONFLICT, Message::new("checker-own-refused")),
        ProblemError::NoLanguage => (UNPROCESSABLE, Message::new("allowed-none")),
        ProblemError::Exists(slug) => {
            (StatusCode::CONFLICT, Message::new("create-exists").with("slug", slug.to_string()))
        }
        ProblemError::BadSlug(slug) => (UNPROCESSABLE, Message::new("import-bad-slug").with("slug", slug)),
        error @ (ProblemError::Store(_)
        | ProblemError::Random(_)
        | ProblemError::Empty
        | ProblemError::TooLarge { .. }
        | ProblemError::Files(_)
        | ProblemError::Package(_)) => return Err(WebError::internal(error)),
    };
    Ok(Refusal::new(status, message))
}

/// As a page of its own, where there is no form to show again.
pub(super) fn page(refusal: Refusal) -> WebError {
    WebError::refused(refusal.status, refusal.message)
}
