//! The last steps of a program's first process before it becomes the program.
//!
//! Owns: their order. Must not know: what happens to the process later. Runs in a child of the slot's init.

use std::ffi::CString;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::thread::CpuSet;

use super::identity;
use super::keeper::Foundation;
use super::protocol::{Doing, Fault, InitReply, Start};
use super::seccomp;
use super::sys::{self, Image};
use super::wire;

/// The descriptors that come with a [`Start`].
pub(super) struct Stdio {
    streams: [OwnedFd; 3],
    work_files: Option<OwnedFd>,
    /// Folder of the cgroup to be born in.
    pub(super) cgroup: Option<OwnedFd>,
}

impl Stdio {
    /// `None` when the number of descriptors is not the one announced.
    pub(super) fn take(fds: Vec<OwnedFd>, start: &Start) -> Option<Self> {
        let mut fds = fds.into_iter();
        let streams = [fds.next()?, fds.next()?, fds.next()?];
        let work_files = if start.work_files.is_empty() { None } else { Some(fds.next()?) };
        let cgroup = if start.in_cgroup { Some(fds.next()?) } else { None };
        fds.next().is_none().then_some(Self { streams, work_files, cgroup })
    }
}

/// The program that `start` names.
pub(super) fn image(start: &Start) -> std::io::Result<Image> {
    let terminated = |text: String| CString::new(text).map_err(std::io::Error::from);
    let argv = start.argv.iter().cloned().map(terminated).collect::<Result<Vec<_>, _>>()?;
    let env = start.env.iter().map(|(name, value)| terminated(format!("{name}={value}")));
    let env = env.collect::<Result<Vec<_>, _>>()?;
    let path = argv.first().cloned().ok_or(std::io::ErrorKind::InvalidInput)?;
    Ok(Image::new(path, argv, env))
}

/// Becomes the program, or reports why not and says with which code to end.
pub(super) fn main(foundation: &Foundation<'_>, control: &OwnedFd, start: &Start, image: &Image, stdio: &Stdio) -> i32 {
    let (exec, fault) = match prepare(foundation, start, stdio) {
        Ok(()) => {
            let cause = image.execute();
            (true, Fault { doing: "execute it".into(), errno: cause.raw_os_error().unwrap_or(0) })
        }
        Err(fault) => (false, fault),
    };
    // The init reports the death of this process next, so the server reads this first.
    let sent = wire::send(control, &InitReply::NotStarted { exec, fault }.encode(), &[]);
    if sent.is_ok() { 127 } else { 126 }
}

fn prepare(foundation: &Foundation<'_>, start: &Start, stdio: &Stdio) -> Result<(), Fault> {
    // Signals to "my process group" must not reach the init's.
    rustix::process::setsid().doing("start a session")?;
    identity::become_program(foundation.ids, foundation.users.as_fd(), stdio.cgroup.is_some())?;
    if let Some(contents) = &stdio.work_files {
        write_work_files(contents.as_fd(), &start.work_files)?;
    }
    if stdio.cgroup.is_some() {
        sys::install_filter(&seccomp::clone3_filter()).doing("install the system call filter")?;
    }
    if let Some(core) = start.core {
        let mut own = CpuSet::new();
        own.set(core);
        // It only makes times steadier; a processor that was taken away is no reason not to run.
        let _ = rustix::thread::sched_setaffinity(None, &own);
    }
    start.rlimits.apply()?;
    for (stream, number) in stdio.streams.iter().zip(0..) {
        sys::place_fd(stream.as_fd(), number).doing("set up the standard streams")?;
    }
    sys::close_on_exec_from(3).doing("close the other descriptors")
}

/// Written by the program's own user, so that it owns them.
fn write_work_files(contents: BorrowedFd<'_>, files: &[(String, u64)]) -> Result<(), Fault> {
    let contents = contents.try_clone_to_owned().doing("read the work files")?;
    let mut contents = File::from(contents);
    for (name, len) in files {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = rustix::fs::openat(CWD, name, flags, Mode::from_raw_mode(0o644));
        let mut file = File::from(file.doing(format!("create the work file {name}"))?);
        let copied = std::io::copy(&mut (&mut contents).take(*len), &mut file);
        if copied.doing(format!("write the work file {name}"))? != *len {
            return Err(Fault { doing: format!("read the work file {name} whole").into(), errno: 0 });
        }
    }
    Ok(())
}
