//! Watching a program while it runs.
//!
//! Owns: noticing that a limit is crossed, and putting the facts together. Must not know: how a program is started, or
//! who else runs.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};

use super::SandboxError;
use super::limits::Rlimits;
use super::polling::{self, Watcher};
use super::protocol::{Done, InitReply, Start};
use super::report::{Captured, CollectedFile, CpuSource, End, KillReason, Measured, MemorySource, RunReport};
use super::slot::{Buffers, Slot};
use super::spec::{Contents, Cores, RunSpec};
use super::stdio::{self, Output};
use super::wire;

/// How a run came to its end.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ended {
    /// By itself; the init has buried the rest.
    Reported(Done),
    /// The sandbox killed it, that long after the start.
    Killed(KillReason, Duration),
}

/// A run that is going on.
pub(super) struct Watch<'a> {
    slot: &'a Slot,
    spec: &'a RunSpec,
    pub(super) begun: Instant,
    pub(super) stdout: Output,
    pub(super) stderr: Output,
    /// Looks at `/proc` for what no control group measures.
    watcher: Option<Watcher>,
    not_started: Option<SandboxError>,
    files: Vec<CollectedFile>,
    /// Resident size of what the sandbox killed, bytes.
    killed_resident: u64,
    pub(super) buffers: &'a mut Buffers,
}

/// Who has something to say.
pub(super) struct Ready {
    pub(super) control: bool,
    pub(super) stdout: bool,
    pub(super) stderr: bool,
}

/// What a message of the init's came to.
pub(super) enum Heard {
    End(Ended),
    More,
}

/// Between two looks at `/proc`: a program can't allocate much in that time.
const POLLING: Duration = Duration::from_millis(5);
/// Between two looks at the control group when nothing is expected to happen.
pub(super) const CALM: Duration = Duration::from_millis(100);
/// Between two looks when a limit is near.
const SHORTEST: Duration = Duration::from_millis(1);

const PAGE: u64 = 4096;
/// What the kernel charges a group for in advance, on each processor: 64 pages (`MEMCG_CHARGE_BATCH`).
const PORTION: u64 = 64 * PAGE;

pub(super) fn system(doing: &'static str) -> impl FnOnce(io::Error) -> SandboxError {
    move |cause| SandboxError::System { doing, cause }
}

impl<'a> Watch<'a> {
    pub(super) fn start(
        slot: &'a mut Slot,
        spec: &'a RunSpec,
        stdin: OwnedFd,
        buffers: &'a mut Buffers,
    ) -> Result<Self, SandboxError> {
        let limits = &spec.limits;
        let own_ids = slot.own_ids();
        let stdout = Output::new("stdout", limits.stdout_bytes, own_ids).map_err(system("make the standard output"))?;
        let stderr = Output::new("stderr", limits.stderr_bytes, own_ids).map_err(system("make the standard error"))?;
        let work_files = work_files(spec).map_err(system("copy the work files"))?;
        let init_id = slot.init_id();
        slot.group.begin(limits, init_id).map_err(system("set the control group's limits"))?;

        let slot = &*slot;
        let generation = slot.current()?;
        let birthplace = slot.group.birthplace();
        let by_cgroup = slot.group.memory_source() != MemorySource::Polling;
        let start = Start {
            argv: spec.argv.clone(),
            env: spec.env.clone(),
            rlimits: Rlimits::new(limits, by_cgroup),
            work_files: spec.work_files.iter().map(|(name, contents)| (name.clone(), contents.len())).collect(),
            collect: spec.collect.clone(),
            in_cgroup: birthplace.is_some(),
            core: slot.core().filter(|_| spec.cores == Cores::OfSlot),
        };
        let message = start.encode();
        if message.len() > wire::MAX_PACKET {
            return Err(SandboxError::BadSpec("arguments and environment are too long".to_owned()));
        }
        let mut fds = vec![stdin.as_fd()];
        fds.extend(stdout.theirs());
        fds.extend(stderr.theirs());
        fds.extend(work_files.iter().map(AsFd::as_fd));
        fds.extend(birthplace);
        let begun = Instant::now();
        wire::send(&generation.control, &message, &fds)
            .map_err(|cause| SandboxError::Helper(format!("it can't be reached: {cause}")))?;
        // From here on it is the program's alone.
        drop(stdin);
        let measured_by_cgroup = by_cgroup && slot.group.cpu_source() != CpuSource::Polling;
        Ok(Self {
            slot,
            spec,
            begun,
            stdout,
            stderr,
            watcher: (!measured_by_cgroup).then(|| Watcher::new(generation.pid)),
            not_started: None,
            files: Vec::new(),
            killed_resident: 0,
            buffers,
        })
    }

    /// Kills every process of the run and waits until the kernel has ended them.
    pub(super) fn kill(&mut self, reason: KillReason) -> Result<Ended, SandboxError> {
        let generation = self.slot.current()?;
        self.killed_resident = polling::resident_now(generation.pid);
        generation.kill()?;
        Ok(Ended::Killed(reason, self.begun.elapsed()))
    }

    /// Takes what the streams named have to give.
    pub(super) fn drain(&mut self, stdout: bool, stderr: bool) -> Result<(), SandboxError> {
        if stdout {
            self.stdout.drain(&mut self.buffers.chunk).map_err(system("keep the standard output"))?;
        }
        if stderr {
            self.stderr.drain(&mut self.buffers.chunk).map_err(system("keep the standard error"))?;
        }
        Ok(())
    }

    /// The reason to end the run now, or how long it may go on before the next look.
    pub(super) fn check(&mut self) -> Result<Result<Duration, KillReason>, SandboxError> {
        let limits = &self.spec.limits;
        if self.stdout.overflowed() {
            return Ok(Err(KillReason::Output));
        }
        if !self.files.is_empty() {
            // Every process is dead; only the files are still coming.
            return Ok(Ok(CALM));
        }
        let elapsed = self.begun.elapsed();
        let wall_left = Duration::from_millis(limits.wall_ms).saturating_sub(elapsed);
        // There can be no need to look before a millisecond has passed; most runs are over by then.
        if elapsed < SHORTEST {
            return Ok(Ok(SHORTEST.min(wall_left)));
        }
        self.slot.check_open()?;
        let usage = self.slot.group.usage().map_err(system("read the control group"))?;
        if let Some(watcher) = &mut self.watcher {
            watcher.look();
        }
        let cpu = usage.cpu_us.or(self.watcher.as_ref().map(Watcher::cpu_us)).unwrap_or(0);
        let memory = match (usage.memory_bytes, &self.watcher) {
            (None, Some(watcher)) => watcher.peak_bytes(),
            _ => 0,
        };
        let cpu_left = Duration::from_millis(limits.cpu_ms).saturating_sub(Duration::from_micros(cpu));
        if usage.oom_killed || memory > limits.memory_bytes {
            return Ok(Err(KillReason::Memory));
        }
        if cpu_left.is_zero() {
            return Ok(Err(KillReason::Cpu));
        }
        if wall_left.is_zero() {
            return Ok(Err(KillReason::Wall));
        }
        let calm = if self.watcher.is_some() { POLLING } else { CALM };
        // All processors together can't use up what is left any sooner.
        let processors = std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(1));
        Ok(Ok((cpu_left / processors).min(wall_left).min(calm).max(SHORTEST)))
    }

    /// Waits until there is something to hear or to take, but no longer than `pause`.
    pub(super) fn wait(&self, pause: Duration) -> Result<Ready, SandboxError> {
        let control = self.control()?;
        let timeout = Timespec::try_from(pause).ok();
        // A pipe can wait for a moment, and most runs have ended then: one event less to wake up for.
        let early = self.begun.elapsed() < SHORTEST;
        let pipes = [&self.stdout, &self.stderr].map(|output| if early { None } else { output.pipe() });
        let mut fds = vec![PollFd::new(control, PollFlags::IN)];
        fds.extend(pipes.iter().flatten().map(|pipe| PollFd::from_borrowed_fd(*pipe, PollFlags::IN)));
        match rustix::event::poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(cause) => return Err(system("wait for the program")(cause.into())),
        }
        let mut ready = fds.iter().map(|fd| !fd.revents().is_empty());
        let control = ready.next().unwrap_or(false);
        let [stdout, stderr] = pipes.map(|pipe| pipe.is_some() && ready.next().unwrap_or(false));
        Ok(Ready { control, stdout, stderr })
    }

    /// Where the init is heard.
    pub(super) fn control(&self) -> Result<&'a OwnedFd, SandboxError> {
        Ok(&self.slot.current()?.control)
    }

    /// The run could not be started; its end follows.
    pub(super) fn has_failed(&self) -> bool {
        self.not_started.is_some()
    }

    /// Takes one message of the init's, which must be there.
    pub(super) fn hear(&mut self) -> Result<Heard, SandboxError> {
        let nonsense = || SandboxError::Helper("it gave an answer that makes no sense".to_owned());
        let packet = match wire::receive(self.control()?, &mut self.buffers.packet) {
            Ok(Some(packet)) => packet,
            Ok(None) => return self.lost().map(Heard::End),
            Err(cause) => return Err(SandboxError::Helper(format!("it can't be heard: {cause}"))),
        };
        match InitReply::decode(&self.buffers.packet[..packet.len]).ok_or_else(nonsense)? {
            InitReply::NotStarted { exec: true, fault } => {
                let cause = io::Error::from_raw_os_error(fault.errno).to_string();
                let path = self.spec.argv.first().cloned().unwrap_or_default();
                self.not_started = Some(SandboxError::Exec { path, cause });
                Ok(Heard::More)
            }
            InitReply::NotStarted { exec: false, fault } => {
                self.not_started = Some(SandboxError::Helper(fault.to_string()));
                Ok(Heard::More)
            }
            InitReply::File { path } => {
                let file = packet.fds.into_iter().next().ok_or_else(nonsense)?;
                let file = self.read_file(path, &file.into()).map_err(system("read a file back"))?;
                self.files.extend(file);
                Ok(Heard::More)
            }
            InitReply::Done(done) => Ok(Heard::End(Ended::Reported(done))),
            InitReply::Ready | InitReply::Failed(_) => Err(nonsense()),
        }
    }

    fn read_file(&self, path: String, file: &File) -> io::Result<Option<CollectedFile>> {
        use std::os::unix::fs::PermissionsExt;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Ok(None);
        }
        let wanted = self.spec.collect.iter();
        let max = wanted
            .filter(|wanted| wanted.path == path || wanted.path.starts_with('*'))
            .map(|wanted| wanted.max_bytes)
            .max();
        let len = metadata.len();
        let contents = stdio::read_at_most(file, len, max.unwrap_or(0))?;
        Ok(Some(CollectedFile { path, contents, len, executable: metadata.permissions().mode() & 0o111 != 0 }))
    }

    /// The init is gone without a word.
    fn lost(&self) -> Result<Ended, SandboxError> {
        self.slot.current()?.kill()?;
        let usage = self.slot.group.usage().map_err(system("read the control group"))?;
        if usage.oom_killed {
            // Where init and program share a group the kernel may choose the init.
            return Ok(Ended::Killed(KillReason::Memory, self.begun.elapsed()));
        }
        Err(SandboxError::Helper("it has ended during the run".to_owned()))
    }

    pub(super) fn report(self, ended: Ended) -> Result<Result<RunReport, SandboxError>, SandboxError> {
        if let Some(fault) = self.not_started {
            return Ok(Err(fault));
        }
        let usage = self.slot.group.usage().map_err(system("read the control group"))?;
        let stdout = self.stdout.finish(&mut self.buffers.chunk).map_err(system("keep the standard output"))?;
        let stderr = self.stderr.finish(&mut self.buffers.chunk).map_err(system("keep the standard error"))?;
        let limits = &self.spec.limits;
        let polled = self.watcher.as_ref();
        let (end, killed, wall_ns, done) = match ended {
            Ended::Killed(reason, after) => (End::Signaled(libc::SIGKILL), Some(reason), after.as_nanos(), None),
            Ended::Reported(done) => {
                let end = end(done.status);
                (end, killed_meanwhile(end, done, &stdout), u128::from(done.wall_ns), Some(done))
            }
        };
        let shared_group = self.slot.group.cpu_source() == CpuSource::Cgroup1;
        let cpu_us = match usage.cpu_us {
            // The init works in the same group.
            Some(cpu) if shared_group => cpu.saturating_sub(done.map_or(0, |done| done.init_cpu_ns / 1000)),
            Some(cpu) => cpu,
            None => done.map_or(0, |done| done.waited_cpu_ns / 1000).max(polled.map_or(0, Watcher::cpu_us)),
        };
        let touched = done.map_or(self.killed_resident, |done| done.page_faults.saturating_mul(PAGE));
        let memory_bytes = match usage.memory_bytes {
            Some(charged) if shared_group => refined(charged, touched),
            Some(charged) => charged,
            None => done
                .map_or(0, |done| done.max_resident)
                .max(polled.map_or(0, Watcher::peak_bytes))
                .max(touched.min(PORTION)),
        };
        let mut files = self.files;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        Ok(Ok(RunReport {
            end,
            killed,
            cpu_us,
            wall_us: u64::try_from(wall_ns / 1000).unwrap_or(u64::MAX),
            memory_bytes,
            oom_killed: usage.oom_killed,
            stdout,
            stderr,
            files,
            // The kernel doesn't tell the address of a fault to a parent. What can be told: a stack that ran over has
            // been used to its end.
            stack_overflow_hint: end == End::Signaled(libc::SIGSEGV)
                && memory_bytes >= limits.stack_bytes.saturating_sub(limits.stack_bytes / 8),
            measured: Measured { cpu: self.slot.group.cpu_source(), memory: self.slot.group.memory_source() },
        }))
    }
}

/// Peak memory from a group's difference and the pages that a program took into use, both in bytes.
///
/// The kernel charges a group in advance, by portions, and what one run leaves over the next one lives on; so the
/// difference may be off by a portion on each of the processors that the two ran on. Within that the pages say more.
/// Beyond it they say nothing: memory can be given back and taken again.
fn refined(charged: u64, touched: u64) -> u64 {
    if touched <= charged + 2 * PORTION { charged.max(touched) } else { charged.max(PORTION) }
}

fn end(status: i32) -> End {
    if libc::WIFSIGNALED(status) {
        End::Signaled(libc::WTERMSIG(status))
    } else {
        End::Exited(libc::WEXITSTATUS(status))
    }
}

/// The limit behind an end that came before the sandbox could bring it about.
fn killed_meanwhile(end: End, done: Done, stdout: &Captured) -> Option<KillReason> {
    (stdout.truncated || done.full || end == End::Signaled(libc::SIGXFSZ)).then_some(KillReason::Output)
}

/// All work files one after the other.
fn write(contents: &Contents, to: &mut File) -> io::Result<()> {
    match contents {
        Contents::Bytes(bytes) => to.write_all(bytes),
        Contents::File { path, bytes } => match io::copy(&mut File::open(path)?, to)? {
            copied if copied == *bytes => Ok(()),
            copied => Err(io::Error::other(format!("{} has {copied} bytes, not {bytes}", path.display()))),
        },
    }
}

fn work_files(spec: &RunSpec) -> io::Result<Option<OwnedFd>> {
    if spec.work_files.is_empty() {
        return Ok(None);
    }
    stdio::sealed(|to| spec.work_files.iter().try_for_each(|(_, contents)| write(contents, to))).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_refined_within_the_kernels_portions_only() {
        for (charged, touched, expected) in [
            (0, 30 * PAGE, 30 * PAGE),
            (0, 5 * PORTION, PORTION),
            (20 << 20, (20 << 20) + PORTION, (20 << 20) + PORTION),
            (20 << 20, 100 << 20, 20 << 20),
            (20 << 20, 0, 20 << 20),
        ] {
            assert_eq!(refined(charged, touched), expected);
        }
    }
}
