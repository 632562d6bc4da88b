//! A trial as its page shows it: how each run went, what it printed, what it said on standard error. It is sent again
//! whenever it changes. Must not know: whose it is.

use askama::Template;

use crate::domain::family::Family;
use crate::domain::ids::TrialId;
use crate::domain::limits::Limits;
use crate::domain::trial::TrialRun;
use crate::domain::verdict::Verdict;
use crate::store::test_case::Sample;
use crate::store::trial::{Trial, TrialState};
use crate::web::i18n::Message;
use crate::web::view::cause;
use crate::web::view::compiler_words;
use crate::web::view::difference::{self, Difference};
use crate::web::view::frame::Frame;
use crate::web::view::mark::{Icon, Mark};
use crate::web::view::source;

/// The changing part of a trial's page.
#[derive(Template)]
#[template(path = "partials/trial-live.html")]
pub struct TrialView {
    frame: Frame,
    /// The trial.
    pub id: TrialId,
    mark: Mark,
    title: String,
    what: String,
    compiler_output: Option<String>,
    /// The program's lines, where the compiler's words link to them.
    lines: Vec<String>,
    runs: Vec<RunView>,
    limits: Limits,
    /// Whether more is to come.
    pub unfinished: bool,
}

struct RunView {
    number: usize,
    own: bool,
    mark: Mark,
    cpu_ms: u64,
    memory_bytes: u64,
    words: Option<String>,
    input: Option<String>,
    output: String,
    difference: Option<Difference>,
    errors: String,
}

impl RunView {
    fn new(frame: &Frame, number: usize, run: &TrialRun, sample: Option<&Sample>) -> Self {
        let cut = run.output_bytes > run.output.len() as u64;
        let failed = !run.verdict.solved();
        let compared = sample.filter(|_| failed);
        let difference = compared.map(|sample| difference::compare(&sample.answer, run.output.as_bytes(), cut));
        Self {
            number,
            own: run.test.is_none(),
            mark: Mark::Decided(run.verdict),
            cpu_ms: run.cpu_ms,
            memory_bytes: run.memory_bytes,
            words: cause::read(run.cause.as_deref()).map(|cause| frame.say(&cause::sentence(cause))),
            input: compared.map(|sample| difference::shown(&sample.input).0),
            output: if cut { format!("{}…", run.output) } else { run.output.clone() },
            difference,
            errors: run.errors.clone(),
        }
    }
}

impl TrialView {
    /// The trial with the samples that its runs were on.
    pub fn new(frame: Frame, trial: &Trial, samples: &[Option<Sample>], limits: Limits) -> Self {
        let (mark, what) = summary(trial);
        let outcome = trial.outcome.as_ref();
        let said = outcome.map(|outcome| outcome.compiler_output.as_str()).filter(|text| !text.trim().is_empty());
        let text = said.filter(|_| !source::is_binary(&trial.source)).map(|_| source::shown(&trial.source));
        let family = Family::of_file(&trial.file_name).or_else(|| Family::of(&trial.language));
        let lines = text.map(|text| text.highlighted(family)).unwrap_or_default();
        let files = [(trial.file_name.clone(), lines.len())];
        let runs = outcome.map(|outcome| outcome.runs.as_slice()).unwrap_or_default();
        Self {
            id: trial.id,
            mark,
            title: frame.say(&title(trial, mark)),
            what: frame.say(&what),
            compiler_output: said.map(|text| compiler_words::linked(difference::cut(text), &files)),
            runs: runs
                .iter()
                .enumerate()
                .map(|(index, run)| RunView::new(&frame, index + 1, run, samples.get(index).and_then(Option::as_ref)))
                .collect(),
            lines,
            limits,
            unfinished: trial.state != TrialState::Done,
            frame,
        }
    }
}

fn title(trial: &Trial, mark: Mark) -> Message {
    match mark {
        Mark::Decided(Verdict::Accepted) if trial.input.is_some() => Message::new("try-ended-well"),
        Mark::Decided(Verdict::Accepted) => Message::new("try-samples-right"),
        mark => mark.name(),
    }
}

/// The mark of the whole, and what it means.
fn summary(trial: &Trial) -> (Mark, Message) {
    match (trial.state, &trial.outcome) {
        (TrialState::Queued, _) => (Mark::Pending, Message::new("what-pending")),
        (TrialState::Running, _) | (TrialState::Done, None) => (Mark::Running(0), Message::new("try-running")),
        (TrialState::Done, Some(outcome)) if outcome.fault => {
            (Mark::Decided(Verdict::JudgingError), Message::new("try-fault"))
        }
        (TrialState::Done, Some(outcome)) if !outcome.compiled => {
            (Mark::Decided(Verdict::CompileError), Message::new("what-ce"))
        }
        (TrialState::Done, Some(outcome)) => {
            let failed = outcome.runs.iter().find(|run| !run.verdict.solved());
            let verdict = failed.map_or(Verdict::Accepted, |run| run.verdict);
            let what = match (failed.is_some(), trial.input.is_some()) {
                (_, true) => "try-own-what",
                (true, false) => "try-failed-what",
                (false, false) => "try-passed-what",
            };
            (Mark::Decided(verdict), Message::new(what))
        }
    }
}
