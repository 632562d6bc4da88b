//! A verification as its page shows it: how far it is, what each program did against what it promises, the time limit
//! between its margins, and which test rejects which wrong program. It is sent again whenever something of it changes.
//! Must not know: how a package is verified.

use askama::Template;

use crate::domain::ids::VerificationId;
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;
use crate::domain::verification::{KillMatrix, ProgramResult, Verification as Report, VerificationReport};
use crate::service::verifications::VerificationPage;
use crate::store::verification::{Verification, VerificationState};
use crate::web::i18n::Message;
use crate::web::view::format;
use crate::web::view::frame::Frame;
use crate::web::view::kill_strip::KillStrip;
use crate::web::view::mark::Mark;
use crate::web::view::time_scale::TimeScale;

/// How many tests are named in a picture's words.
const NAMED: usize = 8;

/// The changing part of the page.
#[derive(Template)]
#[template(path = "partials/verification-live.html")]
pub struct VerificationView {
    frame: Frame,
    state: Option<State>,
    message: Option<String>,
    programs: Vec<ProgramLine>,
    faults: Vec<(String, String)>,
    hints: Vec<String>,
    not_run: Vec<String>,
    limit: Option<Limit>,
    matrix: Option<Matrix>,
    /// Whether more is to come.
    pub unfinished: bool,
}

struct State {
    words: Message,
    kind: &'static str,
    icon: &'static str,
    what: Message,
    package: u64,
    tests: Option<u64>,
    when: EpochMs,
    step: Option<Step>,
}

struct Step {
    part: Message,
    done: u64,
    total: u64,
}

struct ProgramLine {
    name: String,
    expected: String,
    mark: Mark,
    holds: bool,
    broken: Option<String>,
    cpu_ms: Option<u64>,
    slowest: Option<String>,
}

struct Limit {
    in_force_ms: u64,
    least_ms: u64,
    most_ms: Option<u64>,
    proposed_ms: Option<u64>,
    holds: bool,
    scale: TimeScale,
}

struct Matrix {
    rows: Vec<MatrixRow>,
    tests: Vec<MatrixTest>,
    survivors: Vec<String>,
    single_killers: Vec<(String, String)>,
    idle: Vec<String>,
    verdicts: Vec<(Mark, KillStrip)>,
}

struct MatrixRow {
    name: String,
    kills: usize,
    strip: KillStrip,
}

struct MatrixTest {
    number: usize,
    name: String,
    kills: usize,
}

/// A line of the list of verifications.
pub struct HistoryLine {
    /// Which.
    pub id: VerificationId,
    /// Whether it is the one on the page.
    pub shown: bool,
    /// Its state, in a word.
    pub state: Message,
    /// The tone of its badge.
    pub tone: &'static str,
    /// Version of the package.
    pub package: u64,
    /// Version of the tests.
    pub tests: Option<u64>,
    /// When it was queued.
    pub created: EpochMs,
}

impl HistoryLine {
    /// The line of a verification.
    pub fn new(one: &Verification, shown: Option<VerificationId>) -> Self {
        let (state, tone) = badge(one.state);
        Self {
            id: one.id,
            shown: shown == Some(one.id),
            state,
            tone,
            package: one.package_version,
            tests: one.test_set_version,
            created: one.created,
        }
    }
}

/// A state's word and the tone of its badge.
pub const fn badge(state: VerificationState) -> (Message, &'static str) {
    match state {
        VerificationState::Queued => (Message::new("verification-queued"), "busy"),
        VerificationState::Running => (Message::new("verification-running"), "busy"),
        VerificationState::Holds => (Message::new("verification-holds"), "good"),
        VerificationState::Broken => (Message::new("verification-broken"), "bad"),
        VerificationState::Dropped => (Message::new("verification-dropped"), "none"),
    }
}

impl VerificationView {
    /// What is known of it now.
    pub fn new(frame: Frame, page: &VerificationPage) -> Self {
        let shown = page.shown.as_ref();
        let report = page.report.as_ref().map(|report| &report.verification);
        let faults = report.map(|report| &report.faults).into_iter().flatten();
        let programs = match report {
            Some(report) => of_report(report, &page.programs),
            None => page.programs.iter().map(ProgramLine::of_result).collect(),
        };
        Self {
            state: shown.map(State::new),
            // With a report its sentences stand one by one below.
            message: shown.and_then(|shown| shown.message.clone()).filter(|_| page.report.is_none()),
            programs,
            faults: faults.map(|fault| (fault.subject.clone(), fault.sentence.clone())).collect(),
            hints: report.map(|report| report.hints.clone()).unwrap_or_default(),
            not_run: page.report.as_ref().map(|report: &VerificationReport| report.not_run.clone()).unwrap_or_default(),
            limit: report.map(|report| Limit::new(&frame, report)),
            matrix: report.and_then(|report| Matrix::new(&frame, report)),
            unfinished: shown.is_some_and(|shown| shown.end.is_none()),
            frame,
        }
    }
}

impl State {
    fn new(shown: &Verification) -> Self {
        let (words, _) = badge(shown.state);
        let (kind, icon) = match shown.state {
            VerificationState::Queued | VerificationState::Running => ("waiting", "pending"),
            VerificationState::Holds => ("done", "ac"),
            VerificationState::Broken | VerificationState::Dropped => ("problem", "wa"),
        };
        let tests_alone = shown.decides && shown.of_changed_tests;
        let what = match (shown.state, shown.decides) {
            (VerificationState::Queued | VerificationState::Running, true) if tests_alone => {
                "verification-decides-tests"
            }
            (VerificationState::Broken, true) if tests_alone => "verification-broken-tests",
            (VerificationState::Queued | VerificationState::Running, true) => "verification-decides",
            (VerificationState::Queued | VerificationState::Running, false) => "verification-background",
            (VerificationState::Holds, _) => "verification-holds-what",
            (VerificationState::Broken, true) => "verification-broken-what",
            (VerificationState::Dropped, _) => "verification-dropped-what",
            (VerificationState::Broken, _) => "verification-broken-in-force",
        };
        let step = shown.part.as_deref().map(|part| Step {
            part: Message::new(part_words(part)),
            done: shown.part_done,
            total: shown.part_total,
        });
        Self {
            words,
            kind,
            icon,
            what: Message::new(what),
            package: shown.package_version,
            tests: shown.test_set_version,
            when: shown.end.unwrap_or(shown.created),
            step: step.filter(|_| shown.end.is_none()),
        }
    }
}

/// The worker's words for what it does, for people.
fn part_words(part: &str) -> &'static str {
    match part {
        "building validators" => "part-building-validators",
        "making inputs" => "part-making-inputs",
        "validating inputs" => "part-validating-inputs",
        "trying invalid inputs" => "part-trying-invalid-inputs",
        "making answers" => "part-making-answers",
        "trying planted outputs" => "part-trying-planted-outputs",
        "building references" | "comparing references" => "part-comparing-references",
        "keeping tests" => "part-keeping-tests",
        "judging programs" => "part-judging-programs",
        _ => "part-other",
    }
}

impl ProgramLine {
    fn of_result(result: &ProgramResult) -> Self {
        Self {
            name: result.name.clone(),
            expected: result.expected.clone(),
            mark: Mark::Decided(result.got),
            holds: result.broken.is_none(),
            broken: result.broken.clone(),
            cpu_ms: result.runs.iter().map(|run| run.cpu_ms).max(),
            slowest: None,
        }
    }
}

fn of_report(report: &Report, results: &[ProgramResult]) -> Vec<ProgramLine> {
    let line = |row: &crate::domain::verification::Row| ProgramLine {
        broken: results.iter().find(|result| result.name == row.program).and_then(|result| result.broken.clone()),
        name: row.program.clone(),
        expected: row.expected.clone(),
        mark: Mark::Decided(row.got),
        holds: row.holds,
        cpu_ms: row.cpu_ms,
        slowest: row.slowest_test.clone(),
    };
    report.rows.iter().map(line).collect()
}

impl Limit {
    fn new(frame: &Frame, report: &Report) -> Self {
        let margins = report.margins;
        let label = Message::new(if margins.most_ms.is_some() { "limit-scale" } else { "limit-scale-open" })
            .with("limit", format::seconds(margins.limit_ms))
            .with("least", format::seconds(margins.least_ms));
        let label = match margins.most_ms {
            Some(most) => label.with("most", format::seconds(most)),
            None => label,
        };
        Self {
            in_force_ms: margins.limit_ms,
            least_ms: margins.least_ms,
            most_ms: margins.most_ms,
            proposed_ms: report.proposed_limit_ms,
            holds: margins.hold(),
            scale: TimeScale::new(margins, frame.say(&label)),
        }
    }
}

fn rejects(verdict: Option<Verdict>) -> bool {
    verdict.is_some_and(|verdict| !matches!(verdict, Verdict::Accepted | Verdict::JudgingError))
}

impl Matrix {
    /// `None` where there is no wrong program, so nothing to draw.
    fn new(frame: &Frame, report: &Report) -> Option<Self> {
        let KillMatrix { tests, programs } = &report.kill_matrix;
        if programs.is_empty() || tests.is_empty() {
            return None;
        }
        let rows = programs.iter().map(|program| {
            let killers: Vec<usize> =
                (0..tests.len()).filter(|&test| rejects(program.verdicts.get(test).copied().flatten())).collect();
            let named: Vec<String> = killers.iter().take(NAMED).map(|test| (test + 1).to_string()).collect();
            let more = if killers.len() > NAMED { ", …" } else { "" };
            let label = match killers.as_slice() {
                [] => frame.say(&Message::new("matrix-survives").with("program", program.name.as_str())),
                _ => frame.say(
                    &Message::new("matrix-killed")
                        .with("program", program.name.as_str())
                        .with("count", killers.len())
                        .with("tests", format!("{}{more}", named.join(", "))),
                ),
            };
            let strip = KillStrip::new(program.verdicts.clone(), label);
            MatrixRow { name: program.name.clone(), kills: killers.len(), strip }
        });
        let kills_of = |test: usize| {
            programs.iter().filter(|program| rejects(program.verdicts.get(test).copied().flatten())).count()
        };
        let seen = |verdict: Verdict| programs.iter().any(|program| program.verdicts.contains(&Some(verdict)));
        let all = [
            Verdict::WrongAnswer,
            Verdict::TimeLimit,
            Verdict::MemoryLimit,
            Verdict::OutputLimit,
            Verdict::RunTimeError,
            Verdict::JudgingError,
            Verdict::Accepted,
        ];
        let legend = all.into_iter().filter(|verdict| seen(*verdict));
        let numbered = tests.iter().enumerate();
        Some(Self {
            rows: rows.collect(),
            tests: numbered
                .map(|(at, name)| MatrixTest { number: at + 1, name: name.clone(), kills: kills_of(at) })
                .collect(),
            survivors: report.kills.survivors.clone(),
            single_killers: report.kills.single_killers.clone(),
            idle: report.kills.idle_tests.clone(),
            verdicts: legend
                .map(|verdict| {
                    let mark = Mark::Decided(verdict);
                    (mark, KillStrip::new(vec![Some(verdict)], frame.say(&mark.name())))
                })
                .collect(),
        })
    }
}
