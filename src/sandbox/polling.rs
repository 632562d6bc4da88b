//! Measuring a process tree by looking at `/proc`: for hosts without control groups.
//!
//! Owns: what can be learned from outside that way. Must not know: limits. What lives and dies between two looks and is
//! waited for by nobody is missed, which is why reports name this source.

use std::collections::HashMap;
use std::fs;

/// Watches the descendants of one process.
#[derive(Debug)]
pub(super) struct Watcher {
    root: i32,
    /// Last seen cpu time of every process ever seen, microseconds.
    cpu_us: HashMap<i32, u64>,
    peak_bytes: u64,
}

/// Kernel clock ticks of `/proc/PID/stat`: 100 a second on every architecture that Linux has today.
const TICK_US: u64 = 10_000;

impl Watcher {
    /// `root` itself, a slot's init, isn't counted.
    pub(super) fn new(root: i32) -> Self {
        Self { root, cpu_us: HashMap::new(), peak_bytes: 0 }
    }

    /// Looks once.
    pub(super) fn look(&mut self) {
        let mut resident = 0;
        let mut queue = children(self.root);
        while let Some(pid) = queue.pop() {
            queue.extend(children(pid));
            if let Some(cpu) = cpu_us(pid) {
                self.cpu_us.insert(pid, cpu);
            }
            resident += resident_bytes(pid).unwrap_or(0);
        }
        self.peak_bytes = self.peak_bytes.max(resident);
    }

    /// cpu time of all processes seen, microseconds.
    pub(super) fn cpu_us(&self) -> u64 {
        self.cpu_us.values().sum()
    }

    /// Highest sum of resident sizes seen, bytes.
    pub(super) fn peak_bytes(&self) -> u64 {
        self.peak_bytes
    }
}

/// Resident size of a process's living descendants together, bytes.
pub(super) fn resident_now(root: i32) -> u64 {
    let mut watcher = Watcher::new(root);
    watcher.look();
    watcher.peak_bytes()
}

fn children(pid: i32) -> Vec<i32> {
    let mut found = Vec::new();
    for task in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
        let text = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        found.extend(text.split_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
    }
    found
}

fn cpu_us(pid: i32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may contain anything, also ") ".
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some((ticks(11)? + ticks(12)?) * TICK_US)
}

/// What a process holds of its own: anonymous memory and pages of tmpfs. Pages of files on disk are the host's cache, and
/// a process that hasn't become the program yet would bring those of the helper, which can be more than all the rest.
fn resident_bytes(pid: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let of = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    Some((of("RssAnon:")? + of("RssShmem:")?) * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_living_process_has_figures() {
        let own = i32::try_from(std::process::id()).unwrap_or(0);
        assert!(cpu_us(own).is_some());
        assert!(resident_bytes(own).is_some_and(|bytes| bytes > 100_000));
    }
}
