//! Version 2: a group for every run, which its first process is born in.
//!
//! Owns: limits and readings of that group. Must not know: version 1.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};

use super::super::spec::ResourceLimits;
use super::find::V2Root;
use super::{Control, Folders, Usage};

/// A slot's groups: `init` for the inits, and one for the current run beside it.
#[derive(Debug)]
pub(in crate::sandbox) struct Group {
    slot: PathBuf,
    init: File,
    run: Option<Run>,
    runs: u64,
    owner: Option<u32>,
    _folders: Folders,
}

#[derive(Debug)]
struct Run {
    folder: File,
    cpu: Control,
    events: Control,
    peak: Option<Control>,
    current: Control,
    _folders: Folders,
}

impl Group {
    pub(super) fn create(root: &V2Root, index: u32) -> io::Result<Self> {
        let mut folders = Folders::default();
        let slot = folders.make(root.folder.join(root.name(index)))?;
        Control::open(&slot, "cgroup.subtree_control")?.write("+memory +pids")?;
        let init = File::open(folders.make(slot.join("init"))?)?;
        Ok(Self { slot, init, run: None, runs: 0, owner: None, _folders: folders })
    }

    #[expect(clippy::unused_self, reason = "every version 2 group has cpu.stat; the counterpart of version 1's")]
    pub(super) fn measures_cpu(&self) -> bool {
        true
    }

    #[expect(clippy::unused_self, reason = "the root isn't chosen without it; the counterpart of version 1's")]
    pub(super) fn measures_memory(&self) -> bool {
        true
    }

    pub(super) fn entrance(&self) -> BorrowedFd<'_> {
        self.init.as_fd()
    }

    pub(super) fn begin(&mut self, limits: &ResourceLimits, init_id: Option<u32>) -> io::Result<()> {
        self.run = None;
        if self.owner != init_id {
            // Whoever moves (or creates) a process between two groups must be able to write to both's common parent.
            give_processes(&self.slot, init_id)?;
            self.owner = init_id;
        }
        // The program can read the name; two by turns don't tell how many runs there were.
        self.runs += 1;
        let mut folders = Folders::default();
        let folder = folders.make_new(self.slot.join(format!("run{}", self.runs % 2)))?;
        let set = |name: &str, value: &str| Control::open(&folder, name)?.write(value);
        set("memory.max", &limits.memory_bytes.to_string())?;
        // Absent where the kernel has no swap accounting, and then there is nothing to forbid.
        let _ = set("memory.swap.max", "0");
        set("memory.oom.group", "1")?;
        set("pids.max", &limits.processes.to_string())?;
        give_processes(&folder, init_id)?;
        self.run = Some(Run {
            folder: File::open(&folder)?,
            cpu: Control::open(&folder, "cpu.stat")?,
            events: Control::open(&folder, "memory.events")?,
            // Since 5.19.
            peak: Control::open(&folder, "memory.peak").ok(),
            current: Control::open(&folder, "memory.current")?,
            _folders: folders,
        });
        Ok(())
    }

    pub(super) fn birthplace(&self) -> Option<BorrowedFd<'_>> {
        self.run.as_ref().map(|run| run.folder.as_fd())
    }

    pub(super) fn usage(&self) -> io::Result<Usage> {
        let Some(run) = &self.run else { return Ok(Usage::default()) };
        let memory = run.peak.as_ref().unwrap_or(&run.current).number()?;
        Ok(Usage {
            cpu_us: Some(run.cpu.field("usage_usec")?),
            memory_bytes: Some(memory),
            oom_killed: run.events.field("oom_kill")? > 0,
        })
    }
}

fn give_processes(folder: &Path, owner: Option<u32>) -> io::Result<()> {
    match owner {
        Some(id) => chown(folder.join("cgroup.procs"), Some(id), Some(id)),
        None => Ok(()),
    }
}
