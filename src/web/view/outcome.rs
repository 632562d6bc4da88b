//! A judgement as its page shows it: the verdict in one sentence, what the compiler said, a line per test. It is sent
//! again whenever something of it changes. Must not know: who may see what; it shows all it is given.

use std::cmp::Reverse;
use std::fmt;

use askama::Template;

use crate::domain::family::Family;
use crate::domain::ids::SubmissionId;
use crate::domain::limits::Limits;
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;
use crate::service::submissions::ShownTests;
use crate::store::counterexample::{Counterexample, CounterexampleState};
use crate::store::judgement::{Judgement, Run};
use crate::store::submission::SubmissionRow;
use crate::store::test_case::Sample;
use crate::web::i18n::Message;
use crate::web::view::cause;
use crate::web::view::chart::Chart;
use crate::web::view::compiler_words;
use crate::web::view::difference::{self, Difference};
use crate::web::view::format;
use crate::web::view::frame::Frame;
use crate::web::view::mark::{Icon, Mark, MarkView, Style};
use crate::web::view::receipt::Receipt;
use crate::web::view::source;

/// The most cells that stand for tests that haven't run.
const WAITING_CELLS: u32 = 200;

/// What is known of the submission itself.
#[derive(Debug, Clone)]
pub struct SubmissionFacts {
    /// Its id.
    pub id: SubmissionId,
    /// Its problem's name in addresses.
    pub problem_slug: String,
    /// Its problem's letter.
    pub label: String,
    /// Its problem's name.
    pub problem: String,
    /// For whom it was handed in.
    pub team: String,
    /// The language's name.
    pub language: String,
    /// When it was handed in.
    pub submitted: EpochMs,
    /// Size of its files, bytes.
    pub bytes: u64,
    /// Names of its files and how many of their lines are on the page; empty when nothing links to them.
    pub lines: Vec<(String, usize)>,
    /// The language that it was written in, by the look of it, if it isn't that which it was handed in for.
    pub looks_like: Option<Family>,
}

/// A sample that failed.
#[derive(Debug, Clone)]
pub struct FailedSample {
    /// Which test.
    pub ordinal: u32,
    /// What the program read.
    pub input: String,
    /// What it should have printed and what it printed.
    pub difference: Difference,
    /// It printed nothing at all.
    pub nothing: bool,
}

impl FailedSample {
    /// The run's output beside the sample's answer; `None` where none was kept.
    pub fn of(run: &Run, sample: &Sample) -> Option<Self> {
        let output = run.output.as_deref()?;
        let cut = run.output_bytes.is_some_and(|bytes| bytes > output.len() as u64);
        let (input, input_is_cut) = difference::shown(&sample.input);
        Some(Self {
            ordinal: run.ordinal,
            input: if input_is_cut { format!("{input}…") } else { input },
            difference: difference::compare(&sample.answer, output, cut),
            nothing: output.is_empty(),
        })
    }
}

/// A small input on which the program goes wrong as on the secret test.
#[derive(Debug, Clone)]
pub enum CounterexampleView {
    /// It is being made.
    Waiting,
    /// No small one was found.
    Nothing,
    /// What goes wrong.
    Found {
        /// The input.
        input: String,
        /// Size of the test's input that it was made from, bytes.
        original_bytes: u64,
        /// What it should have printed and what it printed; `None` where that was said to the validator.
        difference: Option<Difference>,
        /// It printed nothing at all.
        nothing: bool,
    },
}

impl From<Counterexample> for CounterexampleView {
    fn from(found: Counterexample) -> Self {
        let Some(input) = found.input else {
            return match found.state {
                CounterexampleState::Queued => Self::Waiting,
                CounterexampleState::None | CounterexampleState::Found => Self::Nothing,
            };
        };
        let cut = |output: &[u8]| found.output_bytes.is_some_and(|bytes| bytes > output.len() as u64);
        let difference = match (&found.answer, &found.output) {
            (Some(answer), Some(output)) => Some(difference::compare(answer, output, cut(output))),
            _ => None,
        };
        Self::Found {
            input: String::from_utf8_lossy(&input).into_owned(),
            original_bytes: found.original_bytes.unwrap_or_default(),
            difference,
            nothing: found.output.is_some_and(|output| output.is_empty()),
        }
    }
}

/// A judgement with what is shown of its runs.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The judgement.
    pub judgement: Judgement,
    /// Its runs.
    pub runs: Vec<Run>,
    /// The samples among them that failed.
    pub samples: Vec<FailedSample>,
    /// The small input on which the program goes wrong, where one may be shown.
    pub counterexample: Option<CounterexampleView>,
    /// Which runs these are.
    pub shown: ShownTests,
    /// Which page of all of them is listed, counted from 1; `None`: those that say most.
    pub page: Option<usize>,
}

/// So many runs are listed at once: a page stays small whatever the problem.
const LISTED: usize = 40;

/// A page of the list of runs.
struct ListPage {
    number: usize,
    address: String,
    is_shown: bool,
}

/// The runs that say most: those that failed, then the slowest, in their order.
fn telling(mut runs: Vec<Run>) -> Vec<Run> {
    if runs.len() > LISTED {
        runs.sort_by_key(|run| (run.verdict == Verdict::Accepted, Reverse(run.cpu_ms), run.ordinal));
        runs.truncate(LISTED);
        runs.sort_by_key(|run| run.ordinal);
    }
    runs
}

/// The changing part of a submission's page.
#[derive(Template)]
#[template(path = "partials/submission-live.html")]
pub struct OutcomeView {
    frame: Frame,
    /// The submission.
    pub row: SubmissionFacts,
    mark: Mark,
    title: String,
    what: String,
    message: Option<String>,
    done: u32,
    total: u32,
    cpu_ms: Option<u64>,
    memory_bytes: Option<u64>,
    limits: Limits,
    compiler_output: Option<Words>,
    judge_message: Option<String>,
    score: Option<Score>,
    groups: Vec<GroupLine>,
    runs: Vec<RunLine>,
    /// Where all are listed, if not here.
    all_runs: Option<String>,
    /// The pages of the list, if one of them is shown.
    pages: Vec<ListPage>,
    samples: Vec<FailedSample>,
    counterexample: Option<CounterexampleView>,
    cpu_chart: Option<Chart>,
    memory_chart: Option<Chart>,
    waiting: u32,
    /// Whether how many tests ran is kept from the viewer.
    tests_hidden: bool,
    receipt: Option<Receipt>,
    /// Whether more is to come.
    pub unfinished: bool,
    /// `?judgement=…` when an older judgement is shown.
    pub query: String,
}

struct Words {
    html: String,
    cut: bool,
}

/// Points, written as short as they are exact.
struct Score {
    points: String,
    most: Option<String>,
}

impl Score {
    fn new(points: f64, most: Option<f64>) -> Self {
        Self { points: format::points(points), most: most.map(format::points) }
    }
}

struct GroupLine {
    name: String,
    mark: Mark,
    score: Option<Score>,
}

struct RunLine {
    points: Option<String>,
    ordinal: u32,
    name: String,
    mark: Mark,
    sample: bool,
    cpu_ms: u64,
    cpu_share: u64,
    memory_bytes: u64,
    memory_share: u64,
    message: Option<String>,
    judge_message: Option<String>,
}

impl RunLine {
    fn new(frame: &Frame, run: Run, limits: Limits) -> Self {
        let words = run_words(frame, &run);
        Self {
            points: run.score.map(format::points),
            ordinal: run.ordinal,
            name: run.test_name,
            mark: Mark::Decided(run.verdict),
            sample: run.sample,
            cpu_ms: run.cpu_ms,
            cpu_share: percent(run.cpu_ms, limits.cpu_ms),
            memory_bytes: run.memory_bytes,
            memory_share: percent(run.memory_bytes, limits.memory_bytes),
            message: words,
            judge_message: run.judge_message,
        }
    }
}

impl OutcomeView {
    /// The judgement with its runs, under these limits.
    pub fn new(frame: Frame, row: SubmissionFacts, judged: Judged, limits: Limits, query: String) -> Self {
        let Judged { judgement, runs, samples, counterexample, shown, page } = judged;
        let tests_hidden = shown == ShownTests::Samples;
        let total = judgement.tests_total;
        let done = u32::try_from(runs.len()).unwrap_or(u32::MAX);
        let mark = Mark::of(judgement.state, judgement.verdict, done, total);
        let what = frame.say(&match mark {
            Mark::Running(_) if tests_hidden => Message::new("what-running-hidden"),
            mark => sentence(mark, done, total),
        });
        let title = title(&frame, mark, judgement.failed_ordinal);
        let slowest = runs.iter().map(|run| run.cpu_ms).max();
        let deciding = judgement.failed_ordinal.and_then(|ordinal| runs.iter().find(|run| run.ordinal == ordinal));
        // What the judge said of its own fault is for the staff; the sentence above it is for everybody.
        let fault = judgement.verdict == Some(Verdict::JudgingError);
        let said = judgement.message.filter(|_| !fault);
        let mistaken = row.looks_like.map(|family| {
            let told = Message::new("what-ce-mistaken").with("family", family.name());
            frame.say(&told.with("language", row.language.as_str()))
        });
        let message = deciding.and_then(|run| run_words(&frame, run)).or(said).or(mistaken);
        let cpu = runs.iter().map(|run| (run.verdict.code(), run.cpu_ms)).collect();
        let memory = runs.iter().map(|run| (run.verdict.code(), run.memory_bytes)).collect();
        let cpu_label = Message::new("chart-cpu").with("limit", format::limit_seconds(limits.cpu_ms));
        let memory_label = Message::new("chart-memory").with("limit", format::bytes(limits.memory_bytes));
        let largest = runs.iter().map(|run| run.memory_bytes).max();
        let groups = judgement.groups.map(|groups| groups.0).unwrap_or_default();
        // The root comes last, and its most is the whole problem's.
        let most = groups.last().and_then(|root| root.most);
        // The root alone says no more than the score above it.
        let groups = if groups.len() > 1 { groups } else { Vec::new() };
        let compiler_output = judgement.compiler_output.filter(|text| !text.trim().is_empty());
        let address = |page: usize| {
            let sign = if query.is_empty() { '?' } else { '&' };
            format!("{}/submissions/{}{query}{sign}tests={page}#tests", frame.base(), row.id)
        };
        let last = runs.len().div_ceil(LISTED);
        let page = page.filter(|_| last > 1).map(|page| page.clamp(1, last));
        let all_runs = (last > 1 && page.is_none()).then(|| address(1));
        let list_page = |number| ListPage { number, address: address(number), is_shown: page == Some(number) };
        let pages = page.map(|_| (1..=last).map(list_page).collect()).unwrap_or_default();
        let runs = match page {
            Some(page) => runs.into_iter().skip((page - 1) * LISTED).take(LISTED).collect(),
            None => telling(runs),
        };
        Self {
            compiler_output: compiler_output.map(|text| words(&text, &row.lines)),
            cpu_chart: Chart::new(cpu, total, limits.cpu_ms, frame.say(&cpu_label)),
            memory_chart: Chart::new(memory, total, limits.memory_bytes, frame.say(&memory_label)),
            runs: runs.into_iter().map(|run| RunLine::new(&frame, run, limits)).collect(),
            all_runs,
            pages,
            frame,
            row,
            mark,
            title,
            what,
            message,
            done,
            total,
            cpu_ms: judgement.cpu_ms.or(slowest),
            memory_bytes: judgement.memory_bytes.or(largest),
            limits,
            judge_message: judgement.judge_message,
            score: judgement.score.map(|score| Score::new(score, most)),
            groups: groups
                .into_iter()
                .map(|group| GroupLine {
                    name: group.name,
                    mark: Mark::Decided(group.verdict),
                    score: group.score.map(|score| Score::new(score, group.most)),
                })
                .collect(),
            samples,
            counterexample,
            waiting: if tests_hidden { 0 } else { total.saturating_sub(done).min(WAITING_CELLS) },
            tests_hidden,
            receipt: judgement.receipt.as_deref().and_then(Receipt::read),
            unfinished: judgement.verdict.is_none(),
            query,
        }
    }

    /// What somebody sees who may see the verdict but no more.
    pub fn summary(frame: Frame, facts: SubmissionFacts, row: &SubmissionRow, hidden: bool, limits: Limits) -> Self {
        let (done, total) = (row.tests_done, row.tests_total);
        let mark = if hidden { Mark::Frozen } else { Mark::of(row.state, row.verdict, done, total) };
        Self {
            what: frame.say(&match mark {
                // What the compiler said is not on this page.
                Mark::Decided(Verdict::CompileError) => Message::new("what-ce-of-others"),
                mark => sentence(mark, done, total),
            }),
            title: title(&frame, mark, row.failed_ordinal),
            frame,
            row: facts,
            mark,
            message: None,
            done,
            total,
            cpu_ms: row.cpu_ms,
            memory_bytes: row.memory_bytes,
            limits,
            compiler_output: None,
            judge_message: None,
            score: None,
            groups: Vec::new(),
            runs: Vec::new(),
            all_runs: None,
            pages: Vec::new(),
            samples: Vec::new(),
            counterexample: None,
            cpu_chart: None,
            memory_chart: None,
            waiting: 0,
            tests_hidden: total > 0 && done == 0 && row.verdict.is_some(),
            receipt: None,
            unfinished: row.verdict.is_none() && !hidden,
            query: String::new(),
        }
    }

    fn headline(&self) -> MarkView {
        MarkView::with_name(self.mark, Style::Full, self.title.clone())
    }
}

/// "Wrong answer on test 7"; the name alone where no single test decided.
fn title(frame: &Frame, mark: Mark, failed_test: Option<u32>) -> String {
    match (mark, failed_test) {
        (Mark::Decided(verdict), Some(test)) if !matches!(verdict, Verdict::Accepted | Verdict::CompileError) => {
            frame.say(&Message::new("outcome-on-test").with("verdict", mark.name()).with("test", test))
        }
        _ => frame.say(&mark.name()),
    }
}

fn words(text: &str, files: &[(String, usize)]) -> Words {
    let shown = source::shown(text.as_bytes());
    Words { html: compiler_words::linked(&shown.lines.join("\n"), files), cut: shown.cut }
}

/// What a run's author reads of it: the cause in their language; the judge's own words where it left no cause.
fn run_words(frame: &Frame, run: &Run) -> Option<String> {
    let cause = cause::read(run.cause.as_deref()).map(|cause| frame.say(&cause::sentence(cause)));
    let again = (run.times_run > 1).then(|| frame.say(&Message::new("run-again").with("count", run.times_run)));
    // The judge's English sentence is the cause and the note in one.
    let said = run.message.clone().filter(|_| cause.is_none() && again.is_none());
    let words: Vec<String> = [cause, again, said].into_iter().flatten().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// What happened, for whoever sees it for the first time.
fn sentence(mark: Mark, done: u32, total: u32) -> Message {
    match mark {
        Mark::Pending => Message::new("what-pending"),
        Mark::Frozen => Message::new("what-frozen"),
        Mark::Running(_) if done == 0 => Message::new("what-compiling"),
        Mark::Running(_) => Message::new("what-running").with("done", done).with("total", total),
        Mark::Decided(verdict) => match verdict {
            Verdict::Accepted => Message::new("what-ac").with("total", total),
            Verdict::WrongAnswer => Message::new("what-wa"),
            Verdict::TimeLimit => Message::new("what-tle"),
            Verdict::MemoryLimit => Message::new("what-mle"),
            Verdict::OutputLimit => Message::new("what-ole"),
            Verdict::RunTimeError => Message::new("what-rte"),
            Verdict::CompileError => Message::new("what-ce"),
            Verdict::JudgingError => Message::new("what-je"),
        },
    }
}

fn percent(part: u64, whole: u64) -> u64 {
    part.saturating_mul(100).checked_div(whole).unwrap_or(0).min(100)
}

/// A bar of so many per cent. SVG, because the security policy allows no inline style.
struct Share(u64);

impl askama::filters::HtmlSafe for Share {}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "<svg class=\"share\" viewBox=\"0 0 100 6\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{0} %\">\
             <rect width=\"100\" height=\"6\"/><rect width=\"{0}\" height=\"6\"/></svg>",
            self.0
        )
    }
}
