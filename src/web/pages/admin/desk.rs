//! The part of `/admin` that says what wants a look now: queue, workers, disk, failures, questions, contests, rejudgings.
//! Must not know: how any of it is counted.

use crate::domain::contest::Phase;
use crate::domain::ids::RejudgingId;
use crate::domain::time::EpochMs;
use crate::service::dashboard::Dashboard;
use crate::service::health::SPANS;
use crate::store::job::JobKind;
use crate::web::i18n::{Lang, Message};
use crate::web::state::DiskUse;
use crate::web::view::desk_tiles::{ShareBar, WorkerSquares};
use crate::web::view::format;
use crate::web::view::throughput::Throughput;

/// Within what span a failure is recent, milliseconds.
const RECENT_MS: i64 = 24 * 3_600_000;

/// What is drawn.
pub(super) struct Desk {
    pub waiting: u64,
    /// Jobs that are worked on.
    pub running: u64,
    pub queue: ShareBar,
    pub oldest: Option<EpochMs>,
    pub busy: usize,
    pub workers: usize,
    pub squares: WorkerSquares,
    pub judged: u64,
    pub throughput: Throughput,
    /// Judgements that ended by our own fault within a day.
    pub judging_faults: u64,
    /// With them, everything else that was given up.
    pub failures: u64,
    pub last_cause: Option<String>,
    pub disk: DiskUse,
    pub disk_bar: ShareBar,
    pub questions: u32,
    /// Of contests with questions that have no answer: slug, name, how many.
    pub unanswered: Vec<(String, String, u32)>,
    pub contests: Vec<RunningContest>,
    pub rejudgings: Vec<Undecided>,
}

/// A contest that runs.
pub(super) struct RunningContest {
    pub slug: String,
    pub name: String,
    /// How far it is; `None`: it has no end.
    pub bar: Option<ShareBar>,
    /// What is left of it.
    pub left: Option<String>,
    pub paused: bool,
}

/// A rejudging that nobody has decided.
pub(super) struct Undecided {
    pub id: RejudgingId,
    pub done: u32,
    pub total: u32,
    pub reason: String,
    pub bar: ShareBar,
}

impl Undecided {
    /// Whether it can be decided now.
    pub(super) fn is_ready(&self) -> bool {
        self.done == self.total
    }
}

impl Desk {
    pub(super) fn new(seen: Dashboard, workers: &[String], disk: DiskUse, lang: Lang, now: EpochMs) -> Self {
        let health = seen.health;
        let waiting: u64 = health.queue.iter().map(|one| one.queued).sum();
        let running: u64 = health.queue.iter().map(|one| one.leased).sum();
        let busy = health.running.len();
        let all = workers.len().max(busy);
        let judged = health.ended.iter().map(|one| one.judgements).sum();
        let label = Message::new("health-throughput-label").with("count", judged).with("hours", 24);
        let recent: Vec<_> = health.failures.iter().filter(|one| now.since(one.created) < RECENT_MS).collect();
        let judging_faults: u64 = health.ended.iter().map(|one| one.faults).sum();
        let others = recent.iter().filter(|one| one.kind != JobKind::Judge).count() as u64;
        let used = disk.database.unwrap_or_default() + disk.cache.unwrap_or_default();
        let name = |contest: &crate::store::contest::Contest| {
            if contest.is_practice() { lang.text("contest-practice").into_owned() } else { contest.name.clone() }
        };
        let unanswered: Vec<_> = seen
            .contests
            .iter()
            .filter(|(_, unanswered)| *unanswered > 0)
            .map(|(contest, unanswered)| (contest.slug.to_string(), name(contest), *unanswered))
            .collect();
        let contests = seen.contests.iter().filter(|(contest, _)| contest.times().phase(now) == Phase::Running);
        let contests = contests.map(|(contest, _)| {
            let times = contest.times();
            let passed = times.clock(now).since(contest.start).max(0);
            let whole = contest.duration_ms;
            let share = |ms: i64| u64::try_from(ms / 1_000).unwrap_or_default();
            RunningContest {
                slug: contest.slug.to_string(),
                name: name(contest),
                bar: whole.map(|whole| ShareBar::new(&[("run", share(passed))], share(whole))),
                left: whole.map(|whole| format::span((whole - passed).max(0))),
                paused: contest.paused.is_some(),
            }
        });
        let rejudgings = seen.undecided.into_iter().map(|one| Undecided {
            bar: ShareBar::new(&[("run", u64::from(one.done))], u64::from(one.total)),
            id: one.id,
            done: one.done,
            total: one.total,
            reason: one.reason,
        });
        Self {
            waiting,
            running,
            queue: ShareBar::new(&[("run", running), ("wait", waiting)], running + waiting),
            oldest: health.queue.iter().filter_map(|one| one.oldest).min(),
            busy,
            workers: all,
            squares: WorkerSquares { busy, all },
            judged,
            throughput: Throughput::new(&health.ended, SPANS, lang.say(&label)),
            judging_faults,
            failures: judging_faults + others,
            last_cause: recent.first().and_then(|one| one.cause.clone()),
            disk_bar: ShareBar::new(&[("run", used)], used + disk.free.unwrap_or_default()),
            disk,
            questions: unanswered.iter().map(|(.., count)| count).sum(),
            unanswered,
            contests: contests.collect(),
            rejudgings: rejudgings.collect(),
        }
    }
}
