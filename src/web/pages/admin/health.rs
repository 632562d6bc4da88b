//! `/admin/health`: how the judge does: what waits, who works on what, what this host can, what went wrong, the disk, and
//! how much was judged. Must not know: how anything of it is measured.

use askama::Template;
use axum::extract::State;
use axum::response::Html;

use super::machines::MachineLine;
use crate::domain::account::Role;
use crate::domain::ids::SubmissionId;
use crate::domain::time::EpochMs;
use crate::service::farm::MachineError;
use crate::service::health::{HealthError, SPAN_MS, SPANS};
use crate::store::health::{Failure, RunningJob};
use crate::store::job::JobKind;
use crate::web::error::WebError;
use crate::web::extract::Visit;
use crate::web::i18n::Message;
use crate::web::pages::Page;
use crate::web::state::{AppState, DiskUse, HostFinding, OfferedLanguage};
use crate::web::view::frame::{Frame, Section};
use crate::web::view::throughput::Throughput;

#[derive(Template)]
#[template(path = "pages/admin/health.html")]
struct HealthPage {
    frame: Frame,
    queue: Vec<QueueLine>,
    workers: Vec<WorkerLine>,
    machines: Vec<MachineLine>,
    farm_trouble: Option<String>,
    may_change: bool,
    languages: Vec<OfferedLanguage>,
    findings: Vec<HostFinding>,
    failures: Vec<FailureLine>,
    database_bytes: u64,
    disk: DiskUse,
    throughput: Throughput,
    judged: u64,
}

struct QueueLine {
    kind: Message,
    queued: u64,
    leased: u64,
    oldest: Option<EpochMs>,
}

struct WorkerLine {
    name: String,
    job: Option<JobLine>,
}

pub(super) struct JobLine {
    kind: Message,
    submission: Option<SubmissionId>,
    problem: Option<String>,
    attempts: u32,
    since: EpochMs,
}

struct FailureLine {
    kind: Message,
    submission: Option<SubmissionId>,
    problem: Option<String>,
    cause: String,
    created: EpochMs,
}

impl From<RunningJob> for JobLine {
    fn from(job: RunningJob) -> Self {
        Self {
            kind: kind_words(job.kind),
            submission: job.submission,
            problem: job.problem.map(|slug| slug.to_string()),
            attempts: job.attempts,
            since: job.created,
        }
    }
}

impl From<Failure> for FailureLine {
    fn from(failure: Failure) -> Self {
        Self {
            kind: kind_words(failure.kind),
            submission: failure.submission,
            problem: failure.problem.map(|slug| slug.to_string()),
            cause: failure.cause.unwrap_or_default(),
            created: failure.created,
        }
    }
}

const fn kind_words(kind: JobKind) -> Message {
    Message::new(match kind {
        JobKind::Judge => "job-judge",
        JobKind::Prepare => "job-prepare",
        JobKind::Propose => "job-propose",
        JobKind::Trial => "job-trial",
        JobKind::Verify => "job-verify",
        JobKind::Counterexample => "job-counterexample",
    })
}

/// Each worker of this process with what it does now. Those of other machines stand with their machines.
fn workers(own: &[String], running: Vec<RunningJob>) -> Vec<WorkerLine> {
    let mut lines: Vec<WorkerLine> = own.iter().map(|name| WorkerLine { name: name.clone(), job: None }).collect();
    for job in running.into_iter().filter(|job| !job.worker.as_deref().is_some_and(|name| name.contains('/'))) {
        let name = job.worker.clone().unwrap_or_default();
        match lines.iter_mut().find(|line| line.name == name && line.job.is_none()) {
            Some(line) => line.job = Some(job.into()),
            None => lines.push(WorkerLine { name, job: Some(job.into()) }),
        }
    }
    lines
}

/// Shows it.
pub async fn show(State(state): State<AppState>, visit: Visit) -> Result<Page, WebError> {
    let health = match state.service.health(visit.signed_in()?, visit.now).await {
        Ok(health) => health,
        Err(HealthError::Forbidden(error)) => return Err(error.into()),
        Err(error @ HealthError::Store(_)) => return Err(WebError::internal(error)),
    };
    let machines = match state.service.machines(visit.signed_in()?).await {
        Ok(machines) => machines.into_iter().map(|machine| MachineLine::new(machine, visit.now)).collect(),
        Err(MachineError::Forbidden(error)) => return Err(error.into()),
        Err(error) => return Err(WebError::internal(error)),
    };
    let host = state.host.clone();
    let disk = tokio::task::spawn_blocking(move || host.disk()).await.map_err(WebError::internal)?;
    let judged = health.ended.iter().map(|ended| ended.judgements).sum();
    let frame = visit.frame(&state, Section::Admin);
    let hours = SPAN_MS * i64::from(SPANS) / 3_600_000;
    let label = Message::new("health-throughput-label").with("count", judged).with("hours", hours);
    let page = HealthPage {
        queue: health
            .queue
            .into_iter()
            .map(|one| QueueLine {
                kind: kind_words(one.kind),
                queued: one.queued,
                leased: one.leased,
                oldest: one.oldest,
            })
            .collect(),
        workers: workers(&state.host.workers, health.running),
        machines,
        farm_trouble: state.host.farm_trouble(),
        may_change: visit.at_least(Role::Admin).is_ok(),
        languages: state.languages.to_vec(),
        findings: state.host.findings.clone(),
        failures: health.failures.into_iter().map(FailureLine::from).collect(),
        database_bytes: health.database_bytes,
        disk,
        throughput: Throughput::new(&health.ended, SPANS, frame.say(&label)),
        judged,
        frame,
    };
    Ok(Html(page.render()?))
}
