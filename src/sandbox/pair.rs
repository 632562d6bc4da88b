//! Two programs that talk to each other.
//!
//! Owns: carrying bytes between them, and who ended first. Must not know: what they say, or which of them is trusted.
//!
//! What one writes is carried to the other by the server instead of through one common pipe: so it is counted against
//! the writer's output limit, kept for the report, and nobody is ended by a signal because the other has gone.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::pipe::PipeFlags;

use super::SandboxError;
use super::report::{PairReport, Side};
use super::run;
use super::slot::{Buffers, Slot};
use super::spec::RunSpec;
use super::watch::{CALM, Ended, Heard, Watch, system};

/// One program's part.
pub(super) struct Part<'a> {
    pub(super) slot: &'a mut Slot,
    pub(super) spec: &'a RunSpec,
}

/// How long the end of a program is waited for once its output has ended, before the other is told. Most often the one
/// means the other, and then they are to be heard in this order.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// Runs both. On an error both slots must be thrown away.
pub(super) fn run(mut parts: [Part<'_>; 2]) -> Result<PairReport, SandboxError> {
    for part in &mut parts {
        run::prepare(part.slot, part.spec)?;
    }
    let [one, two] = &mut parts;
    let mut buffers = [std::mem::take(&mut one.slot.buffers), std::mem::take(&mut two.slot.buffers)];
    let watched = watch(one, two, &mut buffers);
    let [one_buffers, two_buffers] = buffers;
    (one.slot.buffers, two.slot.buffers) = (one_buffers, two_buffers);
    let (ended, report) = watched?;
    for (part, ended) in parts.into_iter().zip(ended) {
        run::clear(part.slot, part.spec, ended);
    }
    Ok(report)
}

fn watch(
    one: &mut Part<'_>,
    two: &mut Part<'_>,
    buffers: &mut [Buffers; 2],
) -> Result<([Ended; 2], PairReport), SandboxError> {
    let [one_buffers, two_buffers] = buffers;
    let (to_one, one_stdin) = Relay::new(one.slot.own_ids())?;
    let (to_two, two_stdin) = Relay::new(two.slot.own_ids())?;
    let mut conversation = Conversation {
        sides: [
            Talker::new(Watch::start(one.slot, one.spec, one_stdin, one_buffers)?, to_two),
            Talker::new(Watch::start(two.slot, two.spec, two_stdin, two_buffers)?, to_one),
        ],
        ended_first: None,
    };
    while !conversation.is_over() {
        conversation.step()?;
    }
    let ended_first = conversation.ended_first.unwrap_or(Side::First);
    let [first, second] = conversation.sides;
    let ended = [first.ended, second.ended].map(|ended| ended.ok_or_else(unfinished));
    let [first_ended, second_ended] = ended;
    let ended = [first_ended?, second_ended?];
    // Who could not even be started explains the other's end.
    let reports = if second.watch.has_failed() {
        let second = second.watch.report(ended[1])??;
        (first.watch.report(ended[0])??, second)
    } else {
        (first.watch.report(ended[0])??, second.watch.report(ended[1])??)
    };
    Ok((ended, PairReport { ended_first, first: reports.0, second: reports.1 }))
}

fn unfinished() -> SandboxError {
    SandboxError::Helper("a conversation ended before its programs did".to_owned())
}

/// What one side says, on its way to the other.
struct Relay {
    /// `None` when the listener has gone or been told that nothing more comes.
    to: Option<OwnedFd>,
    waiting: Vec<u8>,
    /// How much of `waiting` has been passed on.
    passed: usize,
    /// Since when nothing more can come.
    dry_since: Option<Instant>,
}

impl Relay {
    /// And the standard input of the listener.
    fn new(own_ids: bool) -> Result<(Self, OwnedFd), SandboxError> {
        let make = || -> rustix::io::Result<_> {
            let (theirs, ours) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
            rustix::fs::fcntl_setfl(&ours, OFlags::NONBLOCK)?;
            if own_ids {
                // To be opened by name too (`/dev/stdin`).
                rustix::fs::fchmod(&theirs, Mode::from_raw_mode(0o644))?;
            }
            Ok((Self { to: Some(ours), waiting: Vec::new(), passed: 0, dry_since: None }, theirs))
        };
        make().map_err(|cause| system("make a pipe between two programs")(cause.into()))
    }

    /// Everything that was said has been passed on or has nobody to hear it.
    fn is_empty(&self) -> bool {
        self.passed == self.waiting.len()
    }

    fn pass_on(&mut self) -> Result<(), SandboxError> {
        while let Some(to) = self.to.as_ref().filter(|_| self.passed < self.waiting.len()) {
            match rustix::io::write(to, &self.waiting[self.passed..]) {
                Ok(len) => self.passed += len,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                // Nobody will read it, which is the listener's right.
                Err(Errno::PIPE) => self.to = None,
                Err(cause) => return Err(system("pass on what a program said")(cause.into())),
            }
        }
        self.waiting.clear();
        self.passed = 0;
        Ok(())
    }
}

/// One side of the conversation.
struct Talker<'a> {
    watch: Watch<'a>,
    relay: Relay,
    ended: Option<Ended>,
}

impl<'a> Talker<'a> {
    fn new(mut watch: Watch<'a>, relay: Relay) -> Self {
        // The other is to be told when nothing more can come.
        watch.stdout.let_go();
        Self { watch, relay, ended: None }
    }

    /// Carries on what can be carried, and says how long that may rest.
    fn carry(&mut self) -> Result<Duration, SandboxError> {
        self.relay.pass_on()?;
        // Not read any faster than the other listens: then the writer has to wait, as with any pipe.
        while self.relay.is_empty() && self.speech().is_some() {
            let chunk = &mut self.watch.buffers.chunk;
            let Some(len) = self.watch.stdout.take(chunk).map_err(system("keep the standard output"))? else { break };
            self.relay.waiting.extend_from_slice(&chunk[..len]);
            self.relay.pass_on()?;
        }
        if self.speech().is_some() || !self.relay.is_empty() {
            return Ok(CALM);
        }
        let dry = self.relay.dry_since.get_or_insert_with(Instant::now).elapsed();
        if self.ended.is_some() || dry >= LAST_WORDS {
            self.relay.to = None;
        }
        Ok(if self.relay.to.is_some() { LAST_WORDS.saturating_sub(dry) } else { CALM })
    }

    /// Where more may come from. Who has said too much is not listened to any more.
    fn speech(&self) -> Option<BorrowedFd<'_>> {
        self.watch.stdout.pipe().filter(|_| !self.watch.stdout.overflowed())
    }

    /// When its first process ended, as far as that can be told.
    fn ended_at(&self) -> Option<Instant> {
        match self.ended? {
            Ended::Reported(done) => Some(self.watch.begun + Duration::from_nanos(done.wall_ns)),
            Ended::Killed(_, after) => Some(self.watch.begun + after),
        }
    }
}

struct Conversation<'a> {
    sides: [Talker<'a>; 2],
    ended_first: Option<Side>,
}

impl Conversation<'_> {
    fn is_over(&self) -> bool {
        self.sides.iter().all(|side| side.ended.is_some())
    }

    /// Looks at the limits, waits for something to happen and deals with it.
    fn step(&mut self) -> Result<(), SandboxError> {
        let mut pause = CALM;
        for side in &mut self.sides {
            pause = pause.min(side.carry()?);
            if side.ended.is_none() {
                match side.watch.check()? {
                    Ok(calm) => pause = pause.min(calm),
                    Err(reason) => side.ended = Some(side.watch.kill(reason)?),
                }
            }
        }
        self.note_end();
        if self.is_over() {
            return Ok(());
        }
        let (heard, errors) = self.wait(pause)?;
        for ((side, heard), errors) in self.sides.iter_mut().zip(heard).zip(errors) {
            side.watch.drain(false, errors)?;
            if heard && let Heard::End(ended) = side.watch.hear()? {
                side.ended = Some(ended);
            }
        }
        self.note_end();
        // Nobody is to wait for one who never began.
        if self.sides.iter().any(|side| side.ended.is_some() && side.watch.has_failed()) {
            for side in self.sides.iter_mut().filter(|side| side.ended.is_none()) {
                side.ended = Some(side.watch.kill(super::KillReason::Wall)?);
            }
        }
        Ok(())
    }

    fn note_end(&mut self) {
        if self.ended_first.is_none() {
            let [first, second] = &self.sides;
            self.ended_first = match (first.ended_at(), second.ended_at()) {
                (Some(first), Some(second)) if second < first => Some(Side::Second),
                (Some(_), _) => Some(Side::First),
                (None, Some(_)) => Some(Side::Second),
                (None, None) => None,
            };
        }
    }

    /// Waits until somebody has something to say or can listen again. Says whose init and whose standard error it is.
    fn wait(&self, pause: Duration) -> Result<([bool; 2], [bool; 2]), SandboxError> {
        let timeout = Timespec::try_from(pause).ok();
        let mut fds = Vec::new();
        // What each descriptor stands for: (side, control or standard error).
        let mut meaning = Vec::new();
        for (index, side) in self.sides.iter().enumerate() {
            if side.ended.is_none() {
                fds.push(PollFd::new(side.watch.control()?, PollFlags::IN));
                meaning.push(Some((index, true)));
                if let Some(pipe) = side.watch.stderr.pipe() {
                    fds.push(PollFd::from_borrowed_fd(pipe, PollFlags::IN));
                    meaning.push(Some((index, false)));
                }
            }
            let carried = if side.relay.is_empty() {
                side.speech().map(|pipe| (pipe, PollFlags::IN))
            } else {
                side.relay.to.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::OUT))
            };
            if let Some((pipe, event)) = carried {
                fds.push(PollFd::from_borrowed_fd(pipe, event));
                meaning.push(None);
            }
        }
        match rustix::event::poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(cause) => return Err(system("wait for two programs")(cause.into())),
        }
        let (mut controls, mut errors) = ([false; 2], [false; 2]);
        for (fd, meaning) in fds.iter().zip(meaning) {
            match meaning {
                Some((side, true)) => controls[side] = !fd.revents().is_empty(),
                Some((side, false)) => errors[side] = !fd.revents().is_empty(),
                None => {}
            }
        }
        Ok((controls, errors))
    }
}
