//! Programs that mean harm: each must come to its end, get at nothing, and leave nothing.
//!
//! Each runs in a fresh generation and in one that was used before, with every kind of cgroup. A family of attacks has
//! a process of its own, so that what it holds can be counted.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use rstest::rstest;
use touchstone::sandbox::{CgroupChoice, Collect, End, Freshness, KillReason, RunSpec, Sandbox, Stdin};

use crate::harness::*;

/// What an attack must come to.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Must {
    /// End by itself, well, having got at nothing.
    GetNowhere,
    /// Be ended for this.
    Be(KillReason),
    /// End with this.
    End(End),
}

use Must::{Be, GetNowhere};

const CPU: Must = Be(KillReason::Cpu);
const WALL: Must = Be(KillReason::Wall);
const MEMORY: Must = Be(KillReason::Memory);
const OUTPUT: Must = Be(KillReason::Output);

const fn signal(number: i32) -> Must {
    Must::End(End::Signaled(number))
}

type Attack = (&'static [&'static str], Must);

const TIME: &[Attack] = &[
    (&["spin"], CPU),
    (&["sleep"], WALL),
    (&["stubborn"], CPU),
    (&["ignored-children"], CPU),
    (&["threads"], CPU),
    (&["other-session"], CPU),
    (&["stop-parent"], WALL),
    (&["stop-itself"], WALL),
    (&["vfork-bomb"], WALL),
];

const SPACE: &[Attack] = &[
    (&["malloc"], MEMORY),
    (&["static"], MEMORY),
    (&["huge"], MEMORY),
    (&["stack"], MEMORY),
    (&["memfd"], MEMORY),
    (&["fill", "/w"], MEMORY),
    (&["fill", "/tmp"], MEMORY),
    (&["fill", "/dev/shm"], MEMORY),
    (&["shared"], MEMORY),
    (&["many"], MEMORY),
    (&["pipes"], MEMORY),
];

const OUTPUTS: &[Attack] = &[
    (&["flood"], OUTPUT),
    (&["flood-children"], OUTPUT),
    (&["sparse"], OUTPUT),
    (&["fallocate"], OUTPUT),
    (&["inodes"], OUTPUT),
    (&["fill", "/tmp"], OUTPUT),
    (&["flood-stderr"], GetNowhere),
];

const ENDS: &[Attack] = &[
    (&["abort"], signal(6)),
    (&["segv"], signal(11)),
    (&["fpe"], signal(8)),
    (&["int80"], signal(31)),
    (&["x32"], signal(31)),
    (&["fork-bomb"], Must::End(End::Exited(3))),
    (&["thread-bomb"], Must::End(End::Exited(3))),
    (&["core"], GetNowhere),
    (&["raise-limits"], GetNowhere),
];

const REACH: &[Attack] = &[
    (&["kill"], GetNowhere),
    (&["init"], GetNowhere),
    (&["files", SECRET], GetNowhere),
    (&["escape"], GetNowhere),
    (&["calls"], GetNowhere),
    (&["network"], GetNowhere),
    (&["setuid-exec"], GetNowhere),
    (&["descriptors"], GetNowhere),
    (&["rewrite-input"], GetNowhere),
    (&["affinity"], GetNowhere),
    (&["lock"], GetNowhere),
    (&["links", SECRET], GetNowhere),
];

const REMAINS: &[Attack] = &[
    (&["daemon"], GetNowhere),
    (&["busy-daemon"], GetNowhere),
    (&["stopped-child"], GetNowhere),
    (&["holds-output"], GetNowhere),
    (&["deep-folders"], GetNowhere),
    (&["locked-folders"], GetNowhere),
    (&["mark"], GetNowhere),
    (&["affinity"], GetNowhere),
];

/// Stands for the path of a file on the host.
const SECRET: &str = "(secret)";
const SECRET_TEXT: &str = "the answer is 42\n";

/// The family for the process that was started for it.
const FAMILY: &str = "TOUCHSTONE_TEST_FAMILY";

fn family(name: &str) -> &'static [Attack] {
    match name {
        "time" => TIME,
        "space" => SPACE,
        "outputs" => OUTPUTS,
        "ends" => ENDS,
        "reach" => REACH,
        "remains" => REMAINS,
        other => panic!("no family {other}"),
    }
}

#[rstest]
fn attacks_fail(#[values("time", "space", "outputs", "ends", "reach", "remains")] name: &str) {
    // A process that is alone in its version 2 group makes room there for those that it starts.
    kinds();
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "attacks::one_family", "--ignored", "--nocapture"])
        .env(FAMILY, name)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{}{said}", String::from_utf8_lossy(&done.stdout));
}

#[test]
#[ignore = "started by attacks_fail, once a family"]
fn one_family() {
    let Ok(name) = std::env::var(FAMILY) else { return };
    let secret = tempfile::NamedTempFile::new().unwrap();
    fs::write(secret.path(), SECRET_TEXT).unwrap();
    fs::set_permissions(secret.path(), std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    for kind in kinds() {
        let sandbox = start(kind);
        let mut neighbour = Neighbour::meet(&sandbox);
        // The kernel that is told by patience has no 32-bit calls to refuse.
        let possible = |attack: &&Attack| attack.0 != ["int80"] || patience() == 1;
        for &(arguments, must) in family(&name).iter().filter(possible) {
            for used in [false, true] {
                let what = format!("{kind:?}, used before: {used}, {arguments:?}");
                try_attack(&sandbox, kind, (arguments, must), used, secret.path(), &what);
                neighbour.is_as_before(&sandbox, &what);
            }
        }
        assert_eq!(fs::read_to_string(secret.path()).unwrap(), SECRET_TEXT);
    }
}

fn try_attack(sandbox: &Sandbox, kind: CgroupChoice, attack: Attack, used: bool, secret: &Path, what: &str) {
    let (arguments, must) = attack;
    let mark = format!("attack-{}", std::process::id());
    let mut wanted = spec_of("attack", &[]);
    wanted.argv.extend(arguments.iter().map(|&argument| match argument {
        SECRET => secret.display().to_string(),
        other => other.to_owned(),
    }));
    wanted.argv.push(mark.clone());
    wanted.freshness = Freshness::Wiped { tag: u64::from(used) };
    wanted.limits.processes = 32;
    wanted.stdin = Stdin::Bytes(Arc::new(b"input".to_vec()));
    match must {
        CPU => wanted.limits.cpu_ms = 100,
        WALL => wanted.limits.wall_ms = 200 + 50 * patience(),
        MEMORY => {
            wanted.limits.memory_bytes = 16 << 20;
            wanted.limits.written_bytes = 1 << 30;
            // The stack may grow as far as memory allows.
            wanted.limits.stack_bytes = 256 << 20;
        }
        _ => wanted.collect = vec![Collect { path: "**".into(), max_bytes: 4096 }],
    }
    if used {
        run(sandbox, &RunSpec { argv: spec_of("attack", &["nothing"]).argv, ..wanted.clone() });
    }
    let seen = run(sandbox, &wanted);
    let report = &seen.report;
    assert!(!seen.stdout.contains("got:"), "{what}: {}", seen.stdout);
    match must {
        GetNowhere => {
            let killed_itself = arguments[0] == "kill" && report.end == End::Signaled(9);
            assert!((report.end == End::Exited(0) || killed_itself) && report.killed.is_none(), "{what}: {seen:?}");
        }
        // Without cgroups nobody's resident size contains some of it; what holds is that there is a bound.
        MEMORY if kind == CgroupChoice::Off && arguments[0] == "fill" => {
            assert_eq!(report.killed, Some(KillReason::Output), "{what}: {seen:?}");
        }
        MEMORY if kind == CgroupChoice::Off && ["huge", "memfd", "pipes"].contains(&arguments[0]) => {}
        MEMORY => assert!(report.oom_killed || report.killed == Some(KillReason::Memory), "{what}: {seen:?}"),
        Be(reason) => assert_eq!(report.killed, Some(reason), "{what}: {seen:?}"),
        Must::End(end) => assert_eq!((report.end, report.killed), (end, None), "{what}: {seen:?}"),
    }
    for file in &report.files {
        let contents = file.contents.as_deref().unwrap_or_default();
        assert!(!contents.starts_with(SECRET_TEXT.as_bytes()), "{what}: {} was read", file.path);
        assert!(!contents.starts_with(b"root:"), "{what}: {} was read", file.path);
    }
    assert_eq!(processes_with(&mark), 0, "{what}: a process is left");
    // Whoever runs next in the very same slot finds nothing of it.
    let pids = if counts_pids_anew() { "pids" } else { "" };
    let mut look = RunSpec { freshness: wanted.freshness, ..spec_of("attack", &["look", pids]) };
    look.limits.written_bytes = wanted.limits.written_bytes;
    let seen = run(sandbox, &look);
    assert_eq!((seen.report.end, seen.stdout.as_str()), (End::Exited(0), ""), "{what}: {seen:?}");
}

/// Another's run, which must not be touched by any attack, and what this process holds.
struct Neighbour {
    spec: RunSpec,
    holdings: Holdings,
}

impl Neighbour {
    fn meet(sandbox: &Sandbox) -> Self {
        let spec = RunSpec { freshness: Freshness::Wiped { tag: 99 }, ..spec(&["hello"]) };
        // Twice, with others in between: then slot and process hold what they always will.
        run(sandbox, &crate::harness::spec(&["true"]));
        for freshness in [spec.freshness, Freshness::Fresh, spec.freshness] {
            assert_prints(&run(sandbox, &RunSpec { freshness, ..spec.clone() }), "hello\n");
        }
        Self { spec, holdings: Holdings::count() }
    }

    fn is_as_before(&mut self, sandbox: &Sandbox, what: &str) {
        let seen = run(sandbox, &self.spec);
        assert_prints(&seen, "hello\n");
        assert!(seen.report.cpu_us < 50_000 || patience() > 1, "{what}: {seen:?}");
        assert!(seen.report.memory_bytes < 4 << 20, "{what}: {seen:?}");
        drop(seen);
        let now = Holdings::settled(&self.holdings);
        assert!(self.holdings.covers(&now), "{what}: {:?} before, {now:?} now", self.holdings);
    }
}

/// What this process's sandboxes hold on the host.
#[derive(Debug)]
struct Holdings {
    descriptors: usize,
    helper_descriptors: usize,
    processes: usize,
    mounts: usize,
    cgroups: usize,
    /// Memory charged to the groups, bytes.
    charged: u64,
    files: usize,
}

/// What a group may hold without anybody running: init, keeper, and what the kernel keeps for later.
const SLACK: u64 = 8 << 20;

impl Holdings {
    fn count() -> Self {
        let family = descendants(std::process::id());
        let entries = |path: String| fs::read_dir(path).map_or(0, Iterator::count);
        let lines = |path: String| fs::read_to_string(path).unwrap_or_default().lines().count();
        let mut groups = Vec::new();
        find_groups(Path::new("/sys/fs/cgroup"), false, &mut groups);
        let charged = |group: &std::path::PathBuf| {
            let files = ["memory.usage_in_bytes", "memory.current"];
            let found = files.iter().find_map(|file| fs::read_to_string(group.join(file)).ok());
            found.and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or(0)
        };
        Self {
            descriptors: entries("/proc/self/fd".to_owned()),
            helper_descriptors: family.iter().map(|pid| entries(format!("/proc/{pid}/fd"))).sum(),
            processes: family.len(),
            mounts: family.iter().map(|pid| lines(format!("/proc/{pid}/mountinfo"))).sum(),
            cgroups: groups.len(),
            charged: groups.iter().map(charged).sum(),
            files: entries("/dev/shm".to_owned()) + entries(std::env::temp_dir().display().to_string()),
        }
    }

    /// Counts again until there is no more than before, or for long enough to say that this stays.
    fn settled(before: &Self) -> Self {
        let begun = std::time::Instant::now();
        loop {
            let now = Self::count();
            if before.covers(&now) || begun.elapsed().as_secs() >= 5 {
                return now;
            }
            std::thread::yield_now();
        }
    }

    fn covers(&self, other: &Self) -> bool {
        self.descriptors >= other.descriptors
            && self.helper_descriptors >= other.helper_descriptors
            && self.processes >= other.processes
            && self.mounts >= other.mounts
            && self.cgroups >= other.cgroups
            && self.charged + SLACK >= other.charged
            // Other tests have files there too, but an attack would leave more than a few.
            && self.files + 200 >= other.files
    }
}

fn descendants(pid: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for task in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
        let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        for child in children.split_whitespace().filter_map(|child| child.parse().ok()) {
            found.push(child);
            found.extend(descendants(child));
        }
    }
    found
}

/// The groups named after this process, and those inside.
fn find_groups(folder: &Path, ours: bool, found: &mut Vec<std::path::PathBuf>) {
    let name = format!("touchstone.{}.", std::process::id());
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let ours = ours || entry.file_name().to_string_lossy().starts_with(&name);
            if ours {
                found.push(entry.path());
            }
            find_groups(&entry.path(), ours, found);
        }
    }
}
