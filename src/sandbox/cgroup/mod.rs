//! Control groups: limits and measurements of a whole process tree.
//!
//! Owns: finding a hierarchy that may be used, and the group of each slot. Must not know: what runs in it.
//!
//! Everything here happens in the server. With version 1 a slot's keeper joins the slot's groups once and its children
//! inherit them, since moving a process costs milliseconds; a run is the difference of two readings. With version 2
//! every run has a group of its own that its first process is born in.

mod find;
mod v1;
mod v2;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

pub(super) use find::{Found, find};

use super::report::{CpuSource, MemorySource};
use super::spec::ResourceLimits;

/// Which control groups to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CgroupChoice {
    /// Version 2 if it can be used, else version 1, else none.
    #[default]
    Auto,
    /// Version 2 or none.
    V2,
    /// Version 1 or none.
    V1,
    /// None: rlimits, and looking at `/proc` while a program runs.
    Off,
}

/// What one run used.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Usage {
    pub(super) cpu_us: Option<u64>,
    /// Peak, bytes.
    pub(super) memory_bytes: Option<u64>,
    pub(super) oom_killed: bool,
}

/// The groups of one slot.
#[derive(Debug)]
pub(super) enum SlotGroup {
    V1(v1::Group),
    V2(v2::Group),
    Off,
}

impl SlotGroup {
    /// Makes the groups of slot `index`.
    pub(super) fn create(found: &Found, index: u32) -> io::Result<Self> {
        Ok(match found {
            Found::V1(places) => Self::V1(v1::Group::create(places, index)?),
            Found::V2(root) => Self::V2(v2::Group::create(root, index)?),
            Found::Off => Self::Off,
        })
    }

    /// How a slot's keeper gets in: by the folder that inits are to be born in (true), or by the `tasks` files of the
    /// groups that it is to enter.
    pub(super) fn entrance(&self) -> (bool, Vec<BorrowedFd<'_>>) {
        match self {
            Self::V1(group) => (false, group.entrances()),
            Self::V2(group) => (true, vec![group.entrance()]),
            Self::Off => (false, Vec::new()),
        }
    }

    /// Whether what keeper and inits do is counted together with what programs do.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self, Self::V1(_))
    }

    /// Sets the limits and the meters for the next run. `init_id`: the user who will create the program's process.
    pub(super) fn begin(&mut self, limits: &ResourceLimits, init_id: Option<u32>) -> io::Result<()> {
        match self {
            Self::V1(group) => group.begin(limits),
            Self::V2(group) => group.begin(limits, init_id),
            Self::Off => Ok(()),
        }
    }

    /// The folder of the run's own group, for its first process to be born in.
    pub(super) fn birthplace(&self) -> Option<BorrowedFd<'_>> {
        match self {
            Self::V2(group) => group.birthplace(),
            _ => None,
        }
    }

    /// What the run has used so far.
    pub(super) fn usage(&self) -> io::Result<Usage> {
        match self {
            Self::V1(group) => group.usage(),
            Self::V2(group) => group.usage(),
            Self::Off => Ok(Usage::default()),
        }
    }

    pub(super) fn cpu_source(&self) -> CpuSource {
        match self {
            Self::V1(group) if group.measures_cpu() => CpuSource::Cgroup1,
            Self::V2(group) if group.measures_cpu() => CpuSource::Cgroup2,
            _ => CpuSource::Polling,
        }
    }

    pub(super) fn memory_source(&self) -> MemorySource {
        match self {
            Self::V1(group) if group.measures_memory() => MemorySource::Cgroup1,
            Self::V2(group) if group.measures_memory() => MemorySource::Cgroup2,
            _ => MemorySource::Polling,
        }
    }
}

/// A control file that is kept open: opening costs more than reading.
#[derive(Debug)]
struct Control(File);

impl Control {
    fn open(folder: &Path, name: &str) -> io::Result<Self> {
        let path = folder.join(name);
        let file = OpenOptions::new().read(true).write(true).open(&path);
        // Some are read-only, and some can't be read.
        let file = file.or_else(|_| File::open(&path)).or_else(|_| OpenOptions::new().write(true).open(&path));
        file.map(Self).map_err(|cause| io::Error::new(cause.kind(), format!("{}: {cause}", path.display())))
    }

    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    fn write(&self, text: &str) -> io::Result<()> {
        self.0.write_all_at(text.as_bytes(), 0)
    }

    fn with_text<T>(&self, read: impl FnOnce(&str) -> Option<T>) -> io::Result<T> {
        let mut buffer = [0u8; 4096];
        let len = self.0.read_at(&mut buffer, 0)?;
        let text = std::str::from_utf8(&buffer[..len]).map_err(|_| io::ErrorKind::InvalidData)?;
        read(text).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    fn number(&self) -> io::Result<u64> {
        self.with_text(|text| text.trim().parse().ok())
    }

    /// The number behind `key` in a file of `key number` lines.
    fn field(&self, key: &str) -> io::Result<u64> {
        self.with_text(|text| field(text, key))
    }
}

fn field(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse().ok())
}

/// Folders to remove when their owner goes.
#[derive(Debug, Default)]
struct Folders(Vec<PathBuf>);

impl Folders {
    /// Makes the folder, or takes over an empty one that a killed server left.
    fn make(&mut self, path: PathBuf) -> io::Result<PathBuf> {
        match std::fs::create_dir(&path) {
            Err(cause) if cause.kind() != io::ErrorKind::AlreadyExists => return Err(cause),
            _ => self.0.push(path.clone()),
        }
        Ok(path)
    }

    /// Makes a folder whose meters start at nothing.
    fn make_new(&mut self, path: PathBuf) -> io::Result<PathBuf> {
        if path.exists() {
            std::fs::remove_dir(&path)?;
        }
        std::fs::create_dir(&path)?;
        self.0.push(path.clone());
        Ok(path)
    }
}

/// Between two attempts to remove a group.
const BUSY: std::time::Duration = std::time::Duration::from_millis(1);

impl Drop for Folders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // It is busy while a dying process is still in there. What then remains the next server's start removes.
            for _ in 0..100 {
                match std::fs::remove_dir(folder) {
                    Err(cause) if cause.kind() == io::ErrorKind::ResourceBusy => std::thread::sleep(BUSY),
                    _ => break,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let text = "oom 3\noom_kill 2\noom_group_kill 0\n";
        assert_eq!(field(text, "oom_kill"), Some(2));
        assert_eq!(field(text, "oom"), Some(3));
        assert_eq!(field(text, "low"), None);
    }
}
