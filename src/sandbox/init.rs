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
use super::mounts::{self, Traces};
use super::payload::{self, Stdio};
use super::protocol::{Doing, Done, Fault, InitReply, Start, Tree};
use super::seccomp;
use super::sys::{self, Child, Cloned, Waited};
use super::wire;

/// What a fork may touch beyond its parent's pages before it executes something else, bytes.
const FORKED_SLACK: u64 = 1 << 20;

/// Sets the generation up and serves `control` until its other end is gone.
pub(super) fn main(foundation: &Foundation, tree: &Tree, control: &OwnedFd) -> ! {
    let code = match set_up(foundation, tree, control) {
        Ok(before) => i32::from(serve(foundation, control, &before).is_err()),
        Err(fault) => i32::from(wire::send(control, &InitReply::Failed(fault).encode(), &[]).is_err()),
    };
    sys::exit_now(code)
}

fn set_up(foundation: &Foundation, tree: &Tree, control: &OwnedFd) -> Result<Traces, Fault> {
    sys::keep_only(&[control.as_fd(), foundation.users.as_fd()]).doing("close inherited descriptors")?;
    sys::default_signals();
    mounts::enter(&foundation.anchor, tree, foundation.ids)?;
    for number in 0..=2 {
        let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty());
        let null = null.doing("open /dev/null")?;
        sys::place_fd(null.as_fd(), number).doing("take /dev/null for the standard streams")?;
        // Whether it was opened as `number` itself or as another, it may now go or stay: a child closes it.
        std::mem::forget(null);
    }
    rustix::process::setsid().doing("start a session")?;
    rustix::process::umask(Mode::from_raw_mode(0o022));
    identity::become_init(foundation.ids)?;
    sys::install_filter(&seccomp::slot_filter(tree.born_in_cgroup)).doing("install the system call filter")?;
    // Both are reset by a change of identity, so they come after the last one. A program may not look into this
    // process; and should the keeper die, the slot dies with it.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).doing("forbid inspection")?;
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).doing("bind to the keeper")?;
    let before = mounts::traces().doing("look at the writable folders")?;
    wire::send(control, &InitReply::Ready.encode(), &[]).doing("report to the server")?;
    Ok(before)
}

fn serve(foundation: &Foundation, control: &OwnedFd, before: &Traces) -> std::io::Result<()> {
    let mut buffer = wire::packet_buffer();
    while let Some(packet) = wire::receive(control, &mut buffer)? {
        let invalid = || std::io::Error::from(std::io::ErrorKind::InvalidData);
        let start = Start::decode(&buffer[..packet.len]).ok_or_else(invalid)?;
        let stdio = Stdio::take(packet.fds, &start).ok_or_else(invalid)?;
        let done = run(foundation, control, before, &start, stdio)?;
        wire::send(control, &InitReply::Done(done).encode(), &[])?;
    }
    Ok(())
}

fn run(
    foundation: &Foundation,
    control: &OwnedFd,
    before: &Traces,
    start: &Start,
    stdio: Stdio,
) -> std::io::Result<Done> {
    let own_before = sys::own_cpu_ns();
    let waited_before = sys::children_cpu_ns();
    let begun = Instant::now();
    let born = match &stdio.cgroup {
        Some(folder) => sys::clone3(0, Some(folder.as_fd()), false)?,
        None => sys::fork()?,
    };
    let Child { pid, .. } = match born {
        Cloned::Parent(child) => child,
        Cloned::Child => payload::main(foundation, control, start, &stdio),
    };
    drop(stdio);
    let mut max_resident = 0;
    let (status, wall) = loop {
        let Waited::Dead(dead) = sys::wait_any(0)? else {
            return Err(std::io::ErrorKind::NotFound.into());
        };
        max_resident = max_resident.max(dead.max_resident);
        if dead.pid == pid {
            break (dead.status, begun.elapsed());
        }
    };
    max_resident = max_resident.max(bury_rest()?);
    if !start.collect.is_empty() {
        collect::send_files(foundation, control, &start.collect)?;
    }
    Ok(Done {
        status,
        wall_ns: u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX),
        init_cpu_ns: sys::own_cpu_ns().saturating_sub(own_before),
        waited_cpu_ns: sys::children_cpu_ns().saturating_sub(waited_before),
        // A forked process starts with this one's size, whatever it becomes.
        max_resident: if max_resident > sys::own_max_resident() + FORKED_SLACK { max_resident } else { 0 },
        clean: mounts::traces()? == *before,
    })
}

/// Kills and waits for every process but this one. Orphans are children of PID 1, so having none means being alone.
fn bury_rest() -> std::io::Result<u64> {
    let mut max_resident = 0;
    let mut options = libc::WNOHANG;
    loop {
        match sys::wait_any(options)? {
            Waited::Dead(dead) => max_resident = max_resident.max(dead.max_resident),
            Waited::NotYet => {
                // Reaches all at once: a process with a pending SIGKILL can't fork any more.
                sys::kill_all();
                options = 0;
            }
            Waited::NoChildren => return Ok(max_resident),
        }
    }
}
