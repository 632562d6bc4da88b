//! Machines that judge for this server, as the health page shows them, and what the staff wants of them. Must not know: how
//! they are reached.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde_json::Value;

use super::health::JobLine;
use crate::domain::account::Role;
use crate::domain::time::EpochMs;
use crate::domain::worker_name::WorkerName;
use crate::service::farm::{Machine, MachineError};
use crate::store::farm_worker::WorkerState;
use crate::store::host_fit::{FitState, Misfit};
use crate::web::error::WebError;
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::Message;
use crate::web::state::AppState;
use crate::web::view::format;

/// A machine that lives is heard every few seconds.
const SILENT_AFTER_MS: i64 = 20_000;
/// A clock that is further off is told; nothing depends on it.
const CLOCK_OFF_MS: i64 = 60_000;

/// A row of the table.
pub(super) struct MachineLine {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) slots: u32,
    pub(super) state: Message,
    pub(super) is_good: bool,
    pub(super) last_seen: EpochMs,
    pub(super) refused: Option<String>,
    pub(super) clock: Option<Message>,
    pub(super) processor: String,
    /// A fixed set of work takes it so long, milliseconds.
    pub(super) work_ms: Option<u64>,
    pub(super) findings: Vec<String>,
    /// Problems that it doesn't judge, or not yet, and why.
    pub(super) misfits: Vec<Message>,
    /// What went wrong on it last, and when.
    pub(super) trouble: Option<(String, EpochMs)>,
    pub(super) jobs: Vec<JobLine>,
    /// What may be said of it: the value, the button's word.
    pub(super) choices: Vec<(&'static str, &'static str)>,
}

impl MachineLine {
    /// Of a machine, as it is seen now.
    pub(super) fn new(machine: Machine, now: EpochMs) -> Self {
        let Machine { worker, jobs, misfits } = machine;
        let measure: Value = serde_json::from_str(&worker.measure).unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let findings = measure["findings"].as_array().into_iter().flatten();
        let parts = measure["calibration"].as_object();
        let is_silent = now.since(worker.last_seen) > SILENT_AFTER_MS;
        let state = match worker.state {
            WorkerState::Forbidden => "machine-forbidden",
            WorkerState::Draining => "machine-draining",
            WorkerState::Active if worker.refused.is_some() => "machine-left-out",
            WorkerState::Active if is_silent => "machine-silent",
            WorkerState::Active => "machine-works",
        };
        let choices = [
            (WorkerState::Active, "machine-allow"),
            (WorkerState::Draining, "machine-drain"),
            (WorkerState::Forbidden, "machine-forbid"),
        ];
        let minutes = worker.clock_ahead_ms / 60_000;
        let clock = if worker.clock_ahead_ms > CLOCK_OFF_MS {
            Some(Message::new("machine-clock-ahead").with("count", minutes))
        } else if worker.clock_ahead_ms < -CLOCK_OFF_MS {
            Some(Message::new("machine-clock-behind").with("count", -minutes))
        } else {
            None
        };
        Self {
            name: worker.name.to_string(),
            version: worker.version,
            slots: worker.slots,
            state: Message::new(state),
            is_good: state == "machine-works",
            last_seen: worker.last_seen,
            refused: worker.refused,
            clock,
            processor: text(&measure["host"]["processor"]),
            work_ms: parts.map(|parts| parts.values().filter_map(Value::as_u64).sum::<u64>() / 1000),
            findings: findings.map(|one| format!("{}: {}", text(&one["layer"]), text(&one["detail"]))).collect(),
            misfits: misfits.iter().map(misfit).collect(),
            trouble: worker.trouble.zip(worker.trouble_at),
            jobs: jobs.into_iter().map(Into::into).collect(),
            choices: choices
                .into_iter()
                .filter(|(choice, _)| *choice != worker.state)
                .map(|(choice, word)| (choice.as_str(), word))
                .collect(),
        }
    }
}

/// Why a machine doesn't judge a problem.
fn misfit(of: &Misfit) -> Message {
    let word = match of.state {
        FitState::Measuring | FitState::Fits => "misfit-measuring",
        FitState::TooSlow => "misfit-too-slow",
        FitState::TooFast => "misfit-too-fast",
        FitState::NotAccepted => "misfit-not-accepted",
        FitState::NotMeasured => "misfit-not-measured",
    };
    let seconds = |ms: Option<u64>| format::seconds(ms.unwrap_or_default());
    Message::new(word)
        .with("problem", of.problem.to_string())
        .with("limit", seconds(of.limit_ms))
        .with("least", seconds(of.least_ms))
        .with("most", seconds(of.most_ms))
}

/// Lets it work, run empty, or forbids it.
pub async fn set_state(
    State(state): State<AppState>,
    visit: Visit,
    Path(name): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let Ok(wanted) = fields.get("state").parse() else {
        return Err(WebError::refused(StatusCode::UNPROCESSABLE_ENTITY, Message::new("error-form")));
    };
    let gone = || WebError::refused(StatusCode::NOT_FOUND, Message::new("machine-gone"));
    let name: WorkerName = name.parse().map_err(|_| gone())?;
    match state.service.set_machine_state(Some(admin), &name, wanted, visit.now).await {
        Ok(()) => Ok(Redirect::to("/admin/health#machines").into_response()),
        Err(MachineError::Forbidden(error)) => Err(error.into()),
        Err(MachineError::NoSuchMachine(_)) => Err(gone()),
        Err(error @ MachineError::Store(_)) => Err(WebError::internal(error)),
    }
}
