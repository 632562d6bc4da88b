//! Version 1: the groups that a slot's keeper joins once.
//!
//! Owns: limits and differences of readings. Must not know: version 2.

use std::io;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use super::super::spec::ResourceLimits;
use super::find::V1Places;
use super::{Control, Folders, Usage};

/// A slot's groups, as far as the host has the controllers.
#[derive(Debug)]
pub(in crate::sandbox) struct Group {
    memory: Option<Memory>,
    cpu: Option<Control>,
    cpu_before: u64,
    pids: Option<Control>,
    members: Vec<Control>,
    _folders: Folders,
}

#[derive(Debug)]
struct Memory {
    usage: Control,
    peak: Control,
    limit: Control,
    /// Limit of memory and swap together, where swap is accounted.
    with_swap: Option<Control>,
    oom: Control,
    stat: Control,
    /// In use before the run: the keeper, the init, and file pages that earlier runs read.
    before: u64,
    oom_before: u64,
    limit_set: u64,
}

/// The keeper and the init are in the group too.
const OWN_PROCESSES: u64 = 2;

impl Group {
    pub(super) fn create(places: &V1Places, index: u32) -> io::Result<Self> {
        let mut folders = Folders::default();
        let mut members = Vec::new();
        let mut make = |place: &Option<PathBuf>| -> io::Result<Option<PathBuf>> {
            let Some(place) = place else { return Ok(None) };
            let folder = folders.make(place.join(places.name(index)))?;
            members.push(Control::open(&folder, "tasks")?);
            Ok(Some(folder))
        };
        let memory = make(&places.memory)?;
        let cpu = make(&places.cpu)?;
        let pids = make(&places.pids)?;
        let memory = memory.as_deref().map(Memory::open).transpose()?;
        let cpu = cpu.map(|folder| Control::open(&folder, "cpuacct.usage")).transpose()?;
        let pids = pids.map(|folder| Control::open(&folder, "pids.max")).transpose()?;
        Ok(Self { memory, cpu, cpu_before: 0, pids, members, _folders: folders })
    }

    pub(super) fn measures_cpu(&self) -> bool {
        self.cpu.is_some()
    }

    pub(super) fn measures_memory(&self) -> bool {
        self.memory.is_some()
    }

    pub(super) fn entrances(&self) -> Vec<BorrowedFd<'_>> {
        self.members.iter().map(Control::as_fd).collect()
    }

    pub(super) fn begin(&mut self, limits: &ResourceLimits) -> io::Result<()> {
        if let Some(pids) = &self.pids {
            pids.write(&limits.processes.saturating_add(OWN_PROCESSES).to_string())?;
        }
        if let Some(memory) = &mut self.memory {
            memory.begin(limits.memory_bytes)?;
        }
        if let Some(cpu) = &self.cpu {
            self.cpu_before = cpu.number()?;
        }
        Ok(())
    }

    pub(super) fn usage(&self) -> io::Result<Usage> {
        let mut usage = Usage::default();
        if let Some(cpu) = &self.cpu {
            usage.cpu_us = Some(cpu.number()?.saturating_sub(self.cpu_before) / 1000);
        }
        if let Some(memory) = &self.memory {
            usage.memory_bytes = Some(memory.peak.number()?.saturating_sub(memory.before));
            usage.oom_killed = memory.oom.field("oom_kill")? > memory.oom_before;
        }
        Ok(usage)
    }
}

/// Above this much in use before a run it is worth asking how much of it is file pages, bytes.
const LOOK_CLOSER: u64 = 2 << 20;

/// Above all that any machine has, and far from where sums overflow, bytes.
const MOST: u64 = 1 << 60;

impl Memory {
    fn open(folder: &Path) -> io::Result<Self> {
        let open = |name: &str| Control::open(folder, &format!("memory.{name}"));
        // Where swap isn't accounted it must not be used either.
        if let Ok(swappiness) = open("swappiness") {
            let _ = swappiness.write("0");
        }
        Ok(Self {
            usage: open("usage_in_bytes")?,
            peak: open("max_usage_in_bytes")?,
            limit: open("limit_in_bytes")?,
            with_swap: open("memsw.limit_in_bytes").ok(),
            oom: open("oom_control")?,
            stat: open("stat")?,
            before: 0,
            oom_before: 0,
            limit_set: 0,
        })
    }

    fn begin(&mut self, memory_bytes: u64) -> io::Result<()> {
        self.before = self.usage.number()?;
        // File pages give way under pressure, so they take nothing from the program; the rest would.
        let mut firm = self.before;
        if self.before > LOOK_CLOSER {
            let files = self.stat.field("inactive_file")?.saturating_add(self.stat.field("active_file")?);
            firm = firm.saturating_sub(files);
        }
        let limit = memory_bytes.saturating_add(firm).min(MOST).next_multiple_of(4096);
        if limit != self.limit_set {
            self.set_limit(&limit.to_string())?;
            self.limit_set = limit;
        }
        self.peak.write("0")?;
        self.oom_before = self.oom.field("oom_kill")?;
        Ok(())
    }

    fn set_limit(&self, limit: &str) -> io::Result<()> {
        let Some(with_swap) = &self.with_swap else { return self.limit.write(limit) };
        // Neither may pass the other on the way, which depends on whether this is up or down.
        if self.limit.write(limit).is_ok() {
            return with_swap.write(limit);
        }
        with_swap.write(limit)?;
        self.limit.write(limit)
    }
}
