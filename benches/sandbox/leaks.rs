//! What a sandbox could leave behind, counted.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Numbers of things held on this host.
#[derive(Debug)]
pub struct Holdings {
    own_fds: usize,
    helper_fds: usize,
    processes: usize,
    mounts: usize,
    cgroups: usize,
    files: usize,
}

fn entries(path: impl AsRef<Path>) -> impl Iterator<Item = fs::DirEntry> {
    fs::read_dir(path).into_iter().flatten().flatten()
}

/// This process's descendants.
fn descendants(pid: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for task in entries(format!("/proc/{pid}/task")) {
        let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        for child in children.split_whitespace().filter_map(|child| child.parse().ok()) {
            found.push(child);
            found.extend(descendants(child));
        }
    }
    found
}

/// Control groups that carry the name of this process's sandboxes, and those inside.
fn groups_below(path: &Path, ours: bool) -> usize {
    let name = format!("touchstone.{}.", std::process::id());
    let folders = entries(path).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders
        .map(|entry| {
            let ours = ours || entry.file_name().to_string_lossy().starts_with(&name);
            usize::from(ours) + groups_below(&entry.path(), ours)
        })
        .sum()
}

fn lines(path: &str) -> usize {
    fs::read_to_string(path).unwrap_or_default().lines().count()
}

impl Holdings {
    /// `folder`: the only one of this process's own.
    pub fn count(folder: &Path) -> Self {
        let own = std::process::id();
        let family = descendants(own);
        Self {
            own_fds: entries("/proc/self/fd").count(),
            helper_fds: family.iter().map(|pid| entries(format!("/proc/{pid}/fd")).count()).sum(),
            processes: family.len(),
            mounts: family.iter().chain([&own]).map(|pid| lines(&format!("/proc/{pid}/mountinfo"))).sum(),
            cgroups: groups_below(Path::new("/sys/fs/cgroup"), false),
            files: entries(folder).count() + entries("/dev/shm").count(),
        }
    }

    /// Counts again until there is no more than before, for a second at most: the last init may still be dying.
    pub fn settled(folder: &Path, before: &Self) -> Self {
        for _ in 0..100 {
            let now = Self::count(folder);
            if before.covers(&now) {
                return now;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Self::count(folder)
    }

    pub fn covers(&self, other: &Self) -> bool {
        self.own_fds >= other.own_fds
            && self.helper_fds >= other.helper_fds
            && self.processes >= other.processes
            && self.mounts >= other.mounts
            && self.cgroups >= other.cgroups
            && self.files >= other.files
    }
}

impl fmt::Display for Holdings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "descriptors {} + {} in helpers, processes {}, mounts {}, cgroups {}, files {}",
            self.own_fds, self.helper_fds, self.processes, self.mounts, self.cgroups, self.files
        )
    }
}
