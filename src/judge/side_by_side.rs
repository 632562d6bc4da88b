//! Many programs on the same kind of tests at once, so that every core has work until all is done.
//!
//! Owns: what is started next. A piece of work is one program on one test, so that a slow program at the end keeps
//! more than one core busy. A judgement comes out as if its program had been judged by itself, test by test: tests
//! that were run early and turned out not to be needed are forgotten. What is known of a test already is not run. Must not
//! know: the database, promises.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tracing::Span;

use crate::grading::aggregate::{AfterFailure, NextStep, RunState, next_step};

use super::compile::Build;
use super::fault::JudgeFault;
use super::judgement::{Judged, Request, conclude, fresh_tag, refused};
use super::program::BuiltProgram;
use super::run_test::{RunResult, run_test};
use super::workshop::Workshop;

/// Hears how many of all runs are over, or need no running any more. Called from several threads.
pub type Heard<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Judges every request on up to `threads` threads; the results come in the order of the requests.
pub fn judge_all(
    workshop: &Workshop,
    requests: &[Request<'_>],
    threads: usize,
    heard: Heard<'_>,
) -> Vec<Result<Judged, JudgeFault>> {
    let known = requests.iter().map(|_| Vec::new()).collect();
    let judged = judge_the_rest(workshop, requests, known, threads, &Counting(heard));
    let missing = || Err(JudgeFault::Data("a program was left without a judgement".to_owned()));
    judged.into_iter().map(|judged| judged.unwrap_or_else(missing)).collect()
}

/// Who hears how far it is, and may stop it. Called from several threads.
pub trait Audience: Sync {
    /// So many of all runs are over, or need no running any more.
    fn reached(&self, done: usize, total: usize);
    /// The judgement of this request is made.
    fn judged(&self, request: usize, judged: &Judged);
    /// Whether to go on; asked before each piece of work.
    fn goes_on(&self) -> bool;
}

struct Counting<'a>(Heard<'a>);

impl Audience for Counting<'_> {
    fn reached(&self, done: usize, total: usize) {
        (self.0)(done, total);
    }

    fn judged(&self, _request: usize, _judged: &Judged) {}

    fn goes_on(&self) -> bool {
        true
    }
}

/// The same, where some results are `known`: for each request a result for each test, or nothing at all. A program of
/// which all is known that its rule asks for is not even built. `None` for what the audience stopped.
pub fn judge_the_rest(
    workshop: &Workshop,
    requests: &[Request<'_>],
    known: Vec<Vec<Option<RunResult>>>,
    threads: usize,
    audience: &dyn Audience,
) -> Vec<Option<Result<Judged, JudgeFault>>> {
    let lanes: Vec<Lane> = requests.iter().zip(known).map(|(request, known)| Lane::new(request, known)).collect();
    let hall = Hall {
        workshop,
        requests,
        lanes: Mutex::new(lanes),
        changed: Condvar::new(),
        audience,
        broken: AtomicBool::new(false),
    };
    audience.reached(0, hall.total());
    // What they log is of the same job.
    let span = Span::current();
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| span.in_scope(|| hall.work()));
        }
        hall.work();
    });
    let lanes = hall.lanes.into_inner().unwrap_or_else(PoisonError::into_inner);
    lanes.into_iter().map(|lane| if let Stage::Over(result) = lane.stage { Some(*result) } else { None }).collect()
}

/// Where a program stands.
enum Stage {
    Waiting,
    /// It is being built, or its runs are being added up.
    Held,
    Built(Arc<BuiltProgram>),
    Over(Box<Result<Judged, JudgeFault>>),
}

/// One program's way through its tests.
struct Lane {
    stage: Stage,
    tag: u64,
    states: Vec<RunState>,
    results: Vec<Option<RunResult>>,
}

/// Something to be done without the lock.
enum Work {
    Build,
    Run(Arc<BuiltProgram>, u64, usize),
    Conclude(Option<Arc<BuiltProgram>>, u64, Vec<Option<RunResult>>),
}

impl Lane {
    fn new(request: &Request<'_>, known: Vec<Option<RunResult>>) -> Self {
        let mut results = known;
        results.resize_with(request.tests.len(), || None);
        let state = |result: &Option<RunResult>| match result {
            Some(run) => RunState::Done(run.verdict, run.points),
            None => RunState::Waiting,
        };
        Self { stage: Stage::Waiting, tag: fresh_tag(), states: results.iter().map(state).collect(), results }
    }

    fn is_running(&self) -> bool {
        self.states.contains(&RunState::Running)
    }

    /// Its runs that are over, or all of them when it is.
    fn done(&self) -> usize {
        match self.stage {
            Stage::Over(_) => self.states.len(),
            _ => self.results.iter().flatten().count(),
        }
    }
}

/// What the threads share.
struct Hall<'a> {
    workshop: &'a Workshop,
    requests: &'a [Request<'a>],
    lanes: Mutex<Vec<Lane>>,
    changed: Condvar,
    audience: &'a dyn Audience,
    /// A thread has panicked; what it held will never be over.
    broken: AtomicBool,
}

/// Sends the others home when its thread panics, so that nobody waits for what is never done.
struct Alarm<'a>(&'a Hall<'a>);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Under the lock, so that nobody is between looking and waiting.
            let _lanes = self.0.lock();
            self.0.broken.store(true, Ordering::Relaxed);
            self.0.changed.notify_all();
        }
    }
}

impl Hall<'_> {
    fn total(&self) -> usize {
        self.requests.iter().map(|request| request.tests.len()).sum()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Lane>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let _alarm = Alarm(self);
        let mut lanes = self.lock();
        loop {
            if self.broken.load(Ordering::Relaxed) {
                return;
            }
            if !self.audience.goes_on() {
                self.changed.notify_all();
                return;
            }
            if let Some((index, work)) = self.take(&mut lanes) {
                drop(lanes);
                let done = self.perform(index, work);
                lanes = self.lock();
                done(&mut lanes[index]);
                self.changed.notify_all();
                self.audience.reached(lanes.iter().map(Lane::done).sum(), self.total());
            } else if lanes.iter().all(|lane| matches!(lane.stage, Stage::Over(_))) {
                return;
            } else {
                lanes = self.changed.wait(lanes).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// The next piece of work, marked as begun.
    fn take(&self, lanes: &mut [Lane]) -> Option<(usize, Work)> {
        let mut best: Option<((bool, bool), usize, usize)> = None;
        for (index, (lane, request)) in lanes.iter_mut().zip(self.requests).enumerate() {
            let program = match &lane.stage {
                Stage::Waiting => {
                    lane.stage = Stage::Held;
                    let known = matches!(next_step(&request.rule, &lane.states), NextStep::Finish(_));
                    let work = if known && !lane.states.is_empty() {
                        Work::Conclude(None, lane.tag, std::mem::take(&mut lane.results))
                    } else {
                        Work::Build
                    };
                    return Some((index, work));
                }
                Stage::Held | Stage::Over(_) => continue,
                Stage::Built(program) => Arc::clone(program),
            };
            match next_step(&request.rule, &lane.states) {
                NextStep::Run(test) => {
                    // First what stops at its first failure, since its tests mostly come one behind the other; last
                    // what may turn out not to be needed.
                    let stops = request.rule.after_failure() == AfterFailure::Stop;
                    let rank = (stops && lane.is_running(), !stops);
                    if best.is_none_or(|(least, ..)| rank < least) {
                        best = Some((rank, index, test));
                    }
                }
                NextStep::Wait => {}
                NextStep::Finish(_) => {
                    lane.stage = Stage::Held;
                    return Some((index, Work::Conclude(Some(program), lane.tag, std::mem::take(&mut lane.results))));
                }
            }
        }
        let (_, index, test) = best?;
        let lane = &mut lanes[index];
        let Stage::Built(program) = &lane.stage else { return None };
        lane.states[test] = RunState::Running;
        Some((index, Work::Run(Arc::clone(program), lane.tag, test)))
    }

    /// Does it, and says what it changes.
    fn perform(&self, index: usize, work: Work) -> Box<dyn FnOnce(&mut Lane)> {
        let request = &self.requests[index];
        let over = |result: Result<Judged, JudgeFault>| {
            if let Ok(judged) = &result {
                self.audience.judged(index, judged);
            }
            Box::new(move |lane: &mut Lane| lane.stage = Stage::Over(Box::new(result)))
        };
        match work {
            Work::Build => match self.workshop.build(request.language, request.sources) {
                Ok(Build::Ready(program)) => Box::new(move |lane| lane.stage = Stage::Built(program)),
                Ok(Build::Refused(words)) => over(Ok(refused(words))),
                Err(fault) => over(Err(fault)),
            },
            Work::Run(program, tag, test) => {
                let data = request.tests[test];
                let ran = run_test(self.workshop, &program, data, &request.limits, request.headroom, tag);
                match ran {
                    Ok(result) => Box::new(move |lane| {
                        // Decided without it in the meantime: then nobody asks for it.
                        if matches!(lane.stage, Stage::Built(_)) {
                            lane.states[test] = RunState::Done(result.verdict, result.points);
                            lane.results[test] = Some(result);
                        }
                    }),
                    Err(fault) => Box::new(move |lane| {
                        if matches!(lane.stage, Stage::Built(_)) {
                            lane.stage = Stage::Over(Box::new(Err(fault)));
                        }
                    }),
                }
            }
            Work::Conclude(program, tag, mut known) => {
                // The listener never stops it, so there is always a judgement.
                let concluded = conclude(self.workshop, program.as_ref(), request, tag, &mut known, &mut |_, _| true);
                over(concluded.and_then(|judged| {
                    judged.ok_or_else(|| JudgeFault::Data("a judgement was stopped by nobody".to_owned()))
                }))
            }
        }
    }
}
