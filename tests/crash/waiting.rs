//! Programs that wait until a test tells them to go on, so that nothing has to be guessed about time: they catch a signal
//! and wait for it, and the test, which sees the sandbox's processes from outside, sends it. Tests that run at the same
//! time take different signals, so that none tells another's programs.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// How long a test waits for what must come.
pub const WAIT: Duration = Duration::from_mins(3);
/// How often it looks whether it is there.
pub const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A Python program that waits for the signal before the rest of it.
pub fn waits(signal: Signal, rest: &str) -> String {
    let number = signal.as_raw();
    // Blocked first, so that one that comes early is waited for as well. That it is caught can be seen from outside.
    format!(
        "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [{number}])\nsignal.signal({number}, lambda *_: None)\n\
         signal.sigwait([{number}])\n{rest}"
    )
}

/// All processes below this one.
pub fn descendants(of: u32) -> Vec<u32> {
    let parent = |pid: u32| -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    };
    let all: Vec<(u32, Option<u32>)> = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .map(|pid| (pid, parent(pid)))
        .collect();
    let (mut found, mut at) = (vec![of], 0);
    while at < found.len() {
        let above = found[at];
        found.extend(all.iter().filter(|(_, parent)| *parent == Some(above)).map(|(pid, _)| *pid));
        at += 1;
    }
    found.split_off(1)
}

/// A line of `/proc/PID/status`; `None` when the process is gone.
pub fn status(pid: u32, key: &str) -> Option<String> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| Some(line.strip_prefix(key)?.strip_prefix(':')?.trim().to_owned()))
}

/// The Python programs below this process that catch the signal: they wait for it, or were just told.
pub fn waiting(of: u32, signal: Signal) -> Vec<u32> {
    let bit = 1_u64 << (signal.as_raw() - 1);
    let catches = |pid: &u32| {
        status(*pid, "SigCgt").and_then(|mask| u64::from_str_radix(&mask, 16).ok()).is_some_and(|mask| mask & bit != 0)
    };
    // Other runtimes catch signals for ends of their own.
    let is_python = |pid: &u32| status(*pid, "Name").is_some_and(|name| name.starts_with("python"));
    descendants(of).into_iter().filter(|pid| catches(pid) && is_python(pid)).collect()
}

/// Tells every program that waits for the signal now.
pub fn tell(of: u32, signal: Signal) {
    for pid in waiting(of, signal) {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).unwrap();
        // It may have ended meanwhile.
        let _ = kill_process(pid, signal);
    }
}
