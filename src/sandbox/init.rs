//! PID 1 of a generation: starts programs, buries everything.
//!
//! Owns: the order of a run inside the namespaces. Must not know: limits that are watched from outside (cpu, wall,
//! memory, output). It holds no descriptor into the host besides its control socket. When a limit is crossed the
//! server kills this process, and with PID 1 the kernel kills all others; so it may simply wait.

use std::os::fd::{AsFd, OwnedFd};
use std::time::Instant;

use rustix::fs::{Mode, OFlags};
use rustix::process::{DumpableBehavior, Signal};

use super::collect;
use super::identity;
use super::keeper::Foundation;
use super::mounts;
use super::payload::{self, Stdio};
use super::protocol::{Doing, Done, Fault, InitReply, Start};
use super::seccomp;
use super::sys::{self, ChildStack, Dead, Waited};
use super::wire;

/// What a fork may touch beyond its parent's pages before it executes something else, bytes.
const FORKED_SLACK: u64 = 1 << 20;

/// Sets the generation up, hands its mount namespace to the keeper for dressing, and serves `control` until its other
/// end is gone.
pub(super) fn main(foundation: &Foundation<'_>, keeper: &OwnedFd, control: &OwnedFd) -> ! {
    let code = match set_up(foundation, keeper, control) {
        Ok(()) => i32::from(serve(foundation, control).is_err()),
        Err(fault) => i32::from(wire::send(control, &InitReply::Failed(fault).encode(), &[]).is_err()),
    };
    sys::exit_now(code)
}

fn set_up(foundation: &Foundation<'_>, keeper: &OwnedFd, control: &OwnedFd) -> Result<(), Fault> {
    let mut kept = vec![keeper.as_fd(), control.as_fd(), foundation.users.as_fd()];
    kept.extend(foundation.common.pid_counter.iter().map(AsFd::as_fd));
    sys::keep_only(&kept).doing("close inherited descriptors")?;
    sys::notice_dead_children();
    mounts::furnish(foundation.host_proc(), foundation.ids)?;
    for number in 0..=2 {
        let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty());
        let null = null.doing("open /dev/null")?;
        sys::place_fd(null.as_fd(), number).doing("take /dev/null for the standard streams")?;
        // Whether it was opened as `number` itself or as another, it may now go or stay: a child closes it.
        std::mem::forget(null);
    }
    rustix::process::setsid().doing("start a session")?;
    rustix::process::umask(Mode::from_raw_mode(0o022));
    let tree = mounts::own_namespace()?;
    wire::send(keeper, b"t", &[tree.as_fd()]).doing("report to the keeper")?;
    drop(tree);
    identity::become_init(foundation.ids)?;
    let filter = seccomp::slot_filter(foundation.programs_have_birthplaces());
    sys::install_filter(&filter).doing("install the system call filter")?;
    // Both are reset by a change of identity, so they come after the last one. A program may not look into this
    // process; and should the keeper die, the slot dies with it.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).doing("forbid inspection")?;
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).doing("bind to the keeper")?;
    wire::send(control, &InitReply::Ready.encode(), &[]).doing("report to the server")
}

fn serve(foundation: &Foundation<'_>, control: &OwnedFd) -> std::io::Result<()> {
    let mut buffer = wire::packet_buffer();
    let mut stack = ChildStack::new();
    let mut before = None;
    while let Some(packet) = wire::receive(control, &mut buffer)? {
        let invalid = || std::io::Error::from(std::io::ErrorKind::InvalidData);
        let start = Start::decode(&buffer[..packet.len]).ok_or_else(invalid)?;
        let stdio = Stdio::take(packet.fds, &start).ok_or_else(invalid)?;
        if before.is_none() {
            before = Some(mounts::traces()?);
        }
        let mut done = run(foundation, control, &mut stack, &start, stdio)?;
        let after = mounts::traces()?;
        done.full = after.is_full();
        done.clean = Some(after) == before;
        wire::send(control, &InitReply::Done(done).encode(), &[])?;
    }
    Ok(())
}

fn run(
    foundation: &Foundation<'_>,
    control: &OwnedFd,
    stack: &mut ChildStack,
    start: &Start,
    stdio: Stdio,
) -> std::io::Result<Done> {
    let own_before = sys::own_cpu_ns();
    let waited_before = sys::children_cpu_ns();
    let image = payload::image(start)?;
    let mut child = || payload::main(foundation, control, start, &image, &stdio);
    let begun = Instant::now();
    let pid = sys::fork_sharing_memory(stack, stdio.cgroup.as_ref().map(AsFd::as_fd), &mut child)?;
    drop(stdio);
    let mut buried = Buried::default();
    let (status, wall) = loop {
        let Waited::Dead(dead) = sys::wait_any(0)? else {
            return Err(std::io::ErrorKind::NotFound.into());
        };
        buried.add(&dead);
        if dead.pid == pid {
            break (dead.status, begun.elapsed());
        }
    };
    bury_rest(&mut buried)?;
    if !start.collect.is_empty() {
        collect::send_files(foundation, control, &start.collect)?;
    }
    if let Some(counter) = &foundation.common.pid_counter {
        // Not allowed where root has less than root's rights; the next run's pids then tell how many there were.
        let _ = counter.reset();
    }
    Ok(Done {
        status,
        wall_ns: u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX),
        init_cpu_ns: sys::own_cpu_ns().saturating_sub(own_before),
        waited_cpu_ns: sys::children_cpu_ns().saturating_sub(waited_before),
        // A forked process starts with this one's size, whatever it becomes.
        max_resident: Some(buried.max_resident)
            .filter(|&bytes| bytes > sys::own_max_resident() + FORKED_SLACK)
            .unwrap_or(0),
        page_faults: buried.page_faults,
        clean: false,
        full: false,
    })
}

/// What is known of the dead of one run.
#[derive(Default)]
struct Buried {
    max_resident: u64,
    page_faults: u64,
}

impl Buried {
    fn add(&mut self, dead: &Dead) {
        self.max_resident = self.max_resident.max(dead.max_resident);
        self.page_faults += dead.page_faults;
    }
}

/// Kills and waits for every process but this one. Orphans are children of PID 1, so having none means being alone.
fn bury_rest(buried: &mut Buried) -> std::io::Result<()> {
    let mut options = libc::WNOHANG;
    loop {
        match sys::wait_any(options)? {
            Waited::Dead(dead) => buried.add(&dead),
            Waited::NotYet => {
                // Reaches all at once: a process with a pending SIGKILL can't fork any more.
                sys::kill_all();
                options = 0;
            }
            Waited::NoChildren => return Ok(()),
        }
    }
}
