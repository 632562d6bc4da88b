//! The sandbox as its users see it.
//!
//! Owns: which slots a run takes, and the check of requests. Must not know: how a run is done.

use std::borrow::Borrow;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::thread::CpuSet;

use super::cgroup::{self, CgroupChoice, Found};
use super::helper;
use super::identity::MOST_SLOTS;
use super::pair::{self, Part};
use super::pool::Pool;
use super::run;
use super::slot::Slot;
use super::spawner_handle::SpawnerHandle;
use super::spec::Freshness;
use super::{PairReport, RunReport, RunSpec, SandboxError, Stdin};

/// How to set a [`Sandbox`] up.
#[derive(Debug, Clone)]
pub struct SandboxConfig {
    /// Runs at the same time; each takes about one processor. From 1 to 512.
    pub slots: usize,
    /// The executable that calls [`run_if_helper`](super::run_if_helper) first thing in its `main`.
    pub helper: PathBuf,
    /// Which control groups to use.
    pub cgroups: CgroupChoice,
    /// Processors for the slots, one each in turn; without any, none has its own.
    pub cores: Vec<usize>,
}

impl Default for SandboxConfig {
    /// One slot per processor, each with its own, this very executable, the best control groups that there are.
    fn default() -> Self {
        Self {
            slots: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            helper: helper::own_executable(),
            cgroups: CgroupChoice::Auto,
            cores: own_cores(),
        }
    }
}

/// Runs untrusted programs. May be shared between threads; each run takes one slot.
#[derive(Debug)]
pub struct Sandbox {
    config: SandboxConfig,
    description: Description,
    spawner: Arc<SpawnerHandle>,
    slots: Pool,
    /// Slots for the second program of a pair: a pair that waited for two of the common ones could wait for another
    /// pair that does the same.
    partners: Pool,
}

/// What a [`Sandbox`] is made of on this host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// How runs will be measured.
    pub measured: super::Measured,
    /// Whether programs run under ids that nobody else has; otherwise they share the server's.
    pub own_ids: bool,
    /// Whether control groups of either version are used.
    pub cgroups: bool,
    /// Why the better control groups can't be used, one sentence each.
    pub obstacles: Vec<String>,
}

/// The version of the sandbox: changes whenever the same program could fare differently.
pub fn version() -> &'static str {
    concat!("touchstone-sandbox/", env!("CARGO_PKG_VERSION"), "/1")
}

impl Sandbox {
    /// Starts the helpers.
    ///
    /// # Errors
    /// [`SandboxError::Unsupported`] when this host can't isolate programs; [`SandboxError::Helper`] when the helper
    /// doesn't start; [`SandboxError::BadSpec`] for a configuration without slots.
    pub fn start(config: SandboxConfig) -> Result<Self, SandboxError> {
        if config.slots == 0 {
            return Err(SandboxError::BadSpec("a sandbox needs at least one slot".to_owned()));
        }
        // A pair takes one more, and the ids of a sandbox are counted.
        let most = MOST_SLOTS / 2;
        let Some(number) = u32::try_from(config.slots).ok().filter(|number| *number <= most) else {
            return Err(SandboxError::BadSpec(format!("a sandbox has at most {most} slots")));
        };
        let (found, obstacles) = cgroup::find(config.cgroups);
        let found = Arc::new(found);
        let spawner = Arc::new(SpawnerHandle::new(&config.helper));
        let slots = Pool::new(0..number, &config.cores, &spawner, &found);
        let partners = Pool::new(number..2 * number, &config.cores, &spawner, &found);
        slots.warm()?;
        let slot = slots.take(Freshness::Fresh)?;
        let measured = super::Measured { cpu: slot.group.cpu_source(), memory: slot.group.memory_source() };
        let cgroups = !matches!(*found, Found::Off);
        let description = Description { measured, own_ids: slot.own_ids(), cgroups, obstacles };
        slots.give_back(slot);
        Ok(Self { config, description, spawner, slots, partners })
    }

    /// Runs one program to its end. Blocks: first until a slot is free, then for at most the wall limit and a little.
    ///
    /// # Errors
    /// Every [`SandboxError`]. None of them says anything about the program, and after each the sandbox can go on.
    pub fn run(&self, spec: impl Borrow<RunSpec>) -> Result<RunReport, SandboxError> {
        let spec = spec.borrow();
        check(spec)?;
        let mut slot = self.slots.take(spec.freshness)?;
        let result = run::run(&mut slot, spec);
        if let Err(fault) = &result {
            clean_up(&mut slot, fault);
        }
        self.slots.give_back(slot);
        result
    }

    /// Runs two programs to their ends, each with its own limits and facts: what one writes to its standard output the
    /// other reads from its standard input. Takes one slot, as a single run does.
    ///
    /// `stdout_bytes` of each limits what it may say. When one has ended, or closes its output, the other reads the end
    /// of its input; who writes to one that has gone is not disturbed. Two that wait for each other end by their wall
    /// limits.
    ///
    /// # Errors
    /// Every [`SandboxError`]; [`SandboxError::BadSpec`] also when a `stdin` is not [`Stdin::Null`].
    pub fn run_pair(
        &self,
        first: impl Borrow<RunSpec>,
        second: impl Borrow<RunSpec>,
    ) -> Result<PairReport, SandboxError> {
        let (first, second) = (first.borrow(), second.borrow());
        for spec in [first, second] {
            check(spec)?;
            if !matches!(spec.stdin, Stdin::Null) {
                return Err(SandboxError::BadSpec("in a pair the standard input is the other's output".to_owned()));
            }
        }
        let mut one = self.slots.take(first.freshness)?;
        // There are as many partners as slots, so this never waits.
        let mut two = match self.partners.take(second.freshness) {
            Ok(slot) => slot,
            Err(fault) => {
                self.slots.give_back(one);
                return Err(fault);
            }
        };
        let parts = [Part { slot: &mut one, spec: first }, Part { slot: &mut two, spec: second }];
        let result = pair::run(parts);
        if let Err(fault) = &result {
            clean_up(&mut one, fault);
            clean_up(&mut two, fault);
        }
        self.partners.give_back(two);
        self.slots.give_back(one);
        result
    }

    /// What runs are made of here.
    pub fn describe(&self) -> &Description {
        &self.description
    }

    /// Gives back all that idle slots hold: processes, namespaces, control groups. The next run builds a slot from
    /// nothing.
    pub fn retire(&self) {
        self.slots.retire();
        self.partners.retire();
    }

    /// Ends every run that is going on, within a moment, and lets none begin: each gets [`SandboxError::Closed`]. What the
    /// sandbox holds goes when nobody has it any more.
    pub fn close(&self) {
        self.spawner.close();
    }

    /// The configuration that it was started with.
    pub fn config(&self) -> &SandboxConfig {
        &self.config
    }
}

/// The processors that this process may use.
fn own_cores() -> Vec<usize> {
    let Ok(own) = rustix::thread::sched_getaffinity(None) else { return Vec::new() };
    (0..CpuSet::MAX_CPU).filter(|core| own.is_set(*core)).collect()
}

/// No kernel has numbers for more.
const MOST_PROCESSES: u64 = 1 << 22;

/// Throws away what can't be relied on after a fault.
fn clean_up(slot: &mut Slot, fault: &SandboxError) {
    slot.discard();
    if matches!(fault, SandboxError::Helper(_) | SandboxError::System { .. } | SandboxError::Unsupported(_)) {
        slot.discard_all();
    }
}

/// Refuses what can't be run as asked.
fn check(spec: &RunSpec) -> Result<(), SandboxError> {
    let bad = |text: String| Err(SandboxError::BadSpec(text));
    match spec.argv.first() {
        None => return bad("there is no program to run".to_owned()),
        Some(program) if !is_absolute_and_plain(Path::new(program)) => {
            return bad(format!("the program's path {program} is not an absolute path without \"..\""));
        }
        Some(_) => {}
    }
    let environment = spec.env.iter().flat_map(|(name, value)| [name, value]);
    if let Some(text) = spec.argv.iter().chain(environment).find(|text| text.contains('\0')) {
        return bad(format!("{text:?} contains a NUL byte"));
    }
    if let Some((name, _)) = spec.env.iter().find(|(name, _)| name.is_empty() || name.contains('=')) {
        return bad(format!("{name:?} can't be the name of an environment variable"));
    }
    for (index, (name, _)) in spec.work_files.iter().enumerate() {
        let single = Path::new(name).components().collect::<Vec<_>>();
        if !matches!(single[..], [Component::Normal(part)] if part == name.as_str()) || name.contains('\0') {
            return bad(format!("the work file {name:?} is not a plain file name"));
        }
        if spec.work_files[..index].iter().any(|(other, _)| other == name) {
            return bad(format!("the work file {name:?} is given twice"));
        }
    }
    if let Some(program) = spec.program_dir.as_ref().filter(|folder| !folder.is_dir()) {
        return bad(format!("the program's folder {} does not exist", program.display()));
    }
    for bind in &spec.binds {
        if !is_absolute_and_plain(&bind.target) || !bind.source.is_absolute() {
            return bad(format!("{} can't be shown at {}", bind.source.display(), bind.target.display()));
        }
        if !bind.source.exists() {
            return bad(format!("{} does not exist", bind.source.display()));
        }
    }
    let limits = &spec.limits;
    for (name, value) in [
        ("cpu_ms", limits.cpu_ms),
        ("wall_ms", limits.wall_ms),
        ("memory_bytes", limits.memory_bytes),
        ("processes", limits.processes),
        ("open_files", limits.open_files),
        ("stack_bytes", limits.stack_bytes),
    ] {
        if value == 0 {
            return bad(format!("the limit {name} is 0"));
        }
    }
    if limits.processes > MOST_PROCESSES {
        return bad(format!("the limit processes is above {MOST_PROCESSES}"));
    }
    Ok(())
}

fn is_absolute_and_plain(path: &Path) -> bool {
    path.is_absolute() && !path.components().any(|part| part == Component::ParentDir)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> RunSpec {
        RunSpec {
            argv: vec!["/bin/true".into()],
            env: vec![],
            stdin: crate::sandbox::Stdin::Null,
            program_dir: None,
            binds: vec![],
            work_files: vec![],
            collect: vec![],
            limits: crate::sandbox::ResourceLimits::default(),
            freshness: Freshness::Fresh,
            cores: crate::sandbox::Cores::All,
        }
    }

    #[test]
    fn a_plain_request_is_accepted() {
        assert!(check(&spec()).is_ok());
    }

    #[test]
    fn bad_requests_are_refused() {
        let changes: [fn(&mut RunSpec); 10] = [
            |s| s.argv.clear(),
            |s| s.argv[0] = "true".into(),
            |s| s.argv[0] = "/box/../true".into(),
            |s| s.argv.push("a\0b".into()),
            |s| s.env.push(("A=B".into(), String::new())),
            |s| s.work_files.push(("../x".into(), Vec::new().into())),
            |s| s.work_files.push(("x/".into(), Vec::new().into())),
            |s| s.work_files = vec![("x".into(), Vec::new().into()), ("x".into(), Vec::new().into())],
            |s| s.program_dir = Some("/does/not/exist".into()),
            |s| s.limits.cpu_ms = 0,
        ];
        for (index, change) in changes.iter().enumerate() {
            let mut spec = spec();
            change(&mut spec);
            assert!(matches!(check(&spec), Err(SandboxError::BadSpec(_))), "change {index}");
        }
    }
}
