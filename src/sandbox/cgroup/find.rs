//! Looks for control groups that this process may use.
//!
//! Owns: reading the mount table and trying things out. Must not know: limits.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{CgroupChoice, Control};

/// What can be used, with the reason why nothing better.
#[derive(Debug)]
pub(in crate::sandbox) enum Found {
    V1(V1Places),
    V2(V2Root),
    Off,
}

/// Folders of version 1 hierarchies in which groups can be made.
#[derive(Debug, Clone, Default)]
pub(in crate::sandbox) struct V1Places {
    pub(super) memory: Option<PathBuf>,
    pub(super) cpu: Option<PathBuf>,
    pub(super) pids: Option<PathBuf>,
    prefix: String,
}

/// A version 2 group with the memory and pids controllers enabled for its children.
#[derive(Debug)]
pub(in crate::sandbox) struct V2Root {
    pub(super) folder: PathBuf,
    prefix: String,
}

impl V1Places {
    pub(super) fn name(&self, index: u32) -> String {
        format!("{}{index}", self.prefix)
    }
}

impl V2Root {
    pub(super) fn name(&self, index: u32) -> String {
        format!("{}{index}", self.prefix)
    }
}

const NAME: &str = "touchstone.";

/// The group that the server moves into, below its own.
const SERVER: &str = "server";

/// Names that no other sandbox on this host has, with the process that they belong to.
fn prefix() -> String {
    static SANDBOXES: AtomicUsize = AtomicUsize::new(0);
    format!("{NAME}{}.{}.", std::process::id(), SANDBOXES.fetch_add(1, Ordering::Relaxed))
}

/// Tries what `choice` allows, best first; also says what was in the way of the better ones.
pub(in crate::sandbox) fn find(choice: CgroupChoice) -> (Found, Vec<String>) {
    let mut obstacles = Vec::new();
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    if matches!(choice, CgroupChoice::Auto | CgroupChoice::V2) {
        match find_v2(&mounts, &own) {
            Ok(root) => return (Found::V2(root), obstacles),
            Err(obstacle) => obstacles.push(format!("version 2: {obstacle}")),
        }
    }
    if matches!(choice, CgroupChoice::Auto | CgroupChoice::V1) {
        match find_v1(&mounts, &own) {
            Ok(places) => return (Found::V1(places), obstacles),
            Err(obstacle) => obstacles.push(format!("version 1: {obstacle}")),
        }
    }
    (Found::Off, obstacles)
}

fn find_v1(mounts: &str, own: &str) -> Result<V1Places, String> {
    let mut refused = Vec::new();
    let mut place = |controller: &str| {
        let mount =
            mount_point(mounts, |kind, options| kind == "cgroup" && options.split(',').any(|o| o == controller));
        let Some(mount) = mount else {
            refused.push(format!("no hierarchy with the {controller} controller is mounted"));
            return None;
        };
        // At the top the groups don't share another's limit, and nobody else's tools clean them away.
        let candidates = [Some(mount.clone()), own_group(own, controller).map(|path| below(&mount, path))];
        let found = candidates.into_iter().flatten().find(|folder| can_make_groups(folder));
        if found.is_none() {
            refused.push(format!("no group can be made in {}", mount.display()));
        }
        found
    };
    let mut places =
        V1Places { memory: place("memory"), cpu: place("cpuacct"), pids: place("pids"), prefix: String::new() };
    if places.memory.is_none() && places.cpu.is_none() {
        return Err(refused.join("; "));
    }
    places.prefix = prefix();
    for folder in [&places.memory, &places.cpu, &places.pids].into_iter().flatten() {
        remove_orphans(folder);
    }
    Ok(places)
}

fn find_v2(mounts: &str, own: &str) -> Result<V2Root, String> {
    let mount = mount_point(mounts, |kind, _| kind == "cgroup2").ok_or("no such hierarchy is mounted")?;
    let own = own_group(own, "").map(|path| below(&mount, path)).filter(|own| *own != mount);
    // Another of this program's processes may have made room before and started this one.
    let shared = own.as_ref().filter(|own| own.ends_with(SERVER)).and_then(|own| own.parent()).map(Path::to_owned);
    let shared = shared.map(|folder| (folder, false));
    let mut refused = Vec::new();
    for (folder, ours) in shared.into_iter().chain(own.map(|own| (own, true))).chain([(mount, false)]) {
        match prepare_v2(&folder, ours) {
            Ok(()) => {
                remove_orphans(&folder);
                return Ok(V2Root { folder, prefix: prefix() });
            }
            Err(cause) => refused.push(format!("{}: {cause}", folder.display())),
        }
    }
    Err(refused.join("; "))
}

/// Enables the controllers for the children of `folder`; `ours` if this process is in it.
fn prepare_v2(folder: &Path, ours: bool) -> io::Result<()> {
    let available = fs::read_to_string(folder.join("cgroup.controllers"))?;
    for controller in ["memory", "pids"] {
        if !available.split_whitespace().any(|name| name == controller) {
            return Err(io::Error::other(format!("the {controller} controller is not available")));
        }
    }
    if !can_make_groups(folder) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let enabled = fs::read_to_string(folder.join("cgroup.subtree_control"))?;
    if ["memory", "pids"].iter().all(|wanted| enabled.split_whitespace().any(|name| name == *wanted)) {
        return Ok(());
    }
    if ours {
        // Only a group without processes of its own may pass controllers on, so this process moves down, if it is
        // alone here: a delegated group is; a log-in session's is not, and not ours to change.
        let procs = fs::read_to_string(folder.join("cgroup.procs"))?;
        let me = std::process::id();
        if procs.lines().any(|pid| pid.parse() != Ok(me)) {
            return Err(io::Error::other("other processes are in it"));
        }
        let leaf = folder.join(SERVER);
        match fs::create_dir(&leaf) {
            Err(cause) if cause.kind() != io::ErrorKind::AlreadyExists => return Err(cause),
            _ => Control::open(&leaf, "cgroup.procs")?.write(&me.to_string())?,
        }
    }
    Control::open(folder, "cgroup.subtree_control")?.write("+memory +pids")
}

fn can_make_groups(folder: &Path) -> bool {
    let probe = folder.join(format!("{NAME}{}.probe", std::process::id()));
    fs::create_dir(&probe).is_ok() && fs::remove_dir(&probe).is_ok()
}

/// Removes what servers that were killed have left.
fn remove_orphans(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(NAME)?.split('.').next()?.parse::<u32>().ok());
        if owner.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            let inner = fs::read_dir(entry.path()).into_iter().flatten().flatten();
            for inner in inner.filter(|inner| inner.file_type().is_ok_and(|kind| kind.is_dir())) {
                let _ = fs::remove_dir(inner.path());
            }
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The first mount whose (type, super block options) fit.
fn mount_point(mountinfo: &str, fits: impl Fn(&str, &str) -> bool) -> Option<PathBuf> {
    mountinfo.lines().find_map(|line| {
        let (mount, filesystem) = line.split_once(" - ")?;
        let mut filesystem = filesystem.split(' ');
        let (kind, _source, options) = (filesystem.next()?, filesystem.next()?, filesystem.next()?);
        fits(kind, options).then(|| mount.split(' ').nth(4).map(PathBuf::from)).flatten()
    })
}

/// This process's group in the hierarchy of `controller`, "" for version 2.
fn own_group<'a>(own: &'a str, controller: &str) -> Option<&'a str> {
    own.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        controllers.split(',').any(|name| name == controller).then_some(path)
    })
}

fn below(mount: &Path, path: &str) -> PathBuf {
    mount.join(path.trim_start_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
31 24 0:26 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
32 24 0:27 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
33 24 0:28 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
";
    const OWN: &str = "4:memory:/user/1\n2:cpu,cpuacct:/\n0::/user.slice/a:b\n";

    #[test]
    fn mounts_are_found_by_controller() {
        let v1 = |name: &str| mount_point(MOUNTS, |kind, o| kind == "cgroup" && o.split(',').any(|o| o == name));
        assert_eq!(v1("cpuacct"), Some("/sys/fs/cgroup/cpu,cpuacct".into()));
        assert_eq!(v1("pids"), None);
        assert_eq!(mount_point(MOUNTS, |kind, _| kind == "cgroup2"), Some("/sys/fs/cgroup/unified".into()));
    }

    #[test]
    fn own_groups_are_found_by_controller() {
        assert_eq!(own_group(OWN, "memory"), Some("/user/1"));
        assert_eq!(own_group(OWN, "cpuacct"), Some("/"));
        assert_eq!(own_group(OWN, ""), Some("/user.slice/a:b"));
        assert_eq!(below(Path::new("/m"), "/a"), Path::new("/m/a"));
        assert_eq!(below(Path::new("/m"), "/"), Path::new("/m/"));
    }
}
