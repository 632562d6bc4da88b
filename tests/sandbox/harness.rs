//! Compiled programs, sandboxes of every kind, and short ways to run one in the other.

use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use touchstone::sandbox::{
    Captured, CgroupChoice, Cores, End, Freshness, ResourceLimits, RunReport, RunSpec, Sandbox, SandboxConfig,
    SandboxError, Stdin,
};

/// Set by `ordinary_user` for the suite's second run.
pub const HELPER: &str = "TOUCHSTONE_TEST_HELPER";
/// Likewise: where the programs are compiled already.
pub const PROGRAMS: &str = "TOUCHSTONE_TEST_PROGRAMS";

/// Set by `scripts/test.d/sandbox-v2`: version 2 control groups and nothing else.
pub const VERSION_2: &str = "TOUCHSTONE_TEST_V2";

/// The program that holds the sandbox's helper.
pub fn helper() -> PathBuf {
    env::var_os(HELPER).map_or_else(|| env!("CARGO_BIN_EXE_touchstone").into(), PathBuf::from)
}

/// The mode of a compiled program.
pub fn mode_of(program: &str) -> u32 {
    if program == "setuid" { 0o6755 } else { 0o755 }
}

/// The folder with the compiled programs: `static` and `dynamic`, the same source linked in two ways; `attack`, and the
/// same with the bits that change the user.
pub fn programs() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        if let Some(folder) = env::var_os(PROGRAMS) {
            return folder.into();
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sandbox-programs");
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sandbox");
        for (name, source, flag) in [
            ("static", "programs.c", "-static"),
            ("dynamic", "programs.c", "-rdynamic"),
            ("attack", "attacks.c", "-static"),
            ("setuid", "attacks.c", "-static"),
        ] {
            // Another process of the suite may be running the old one.
            let fresh = folder.join(format!("{name}.{}", std::process::id()));
            let done = Command::new("gcc")
                .args(["-O1", "-w", "-pthread", flag, "-o"])
                .args([&fresh, &sources.join(source)])
                .output()
                .expect("gcc is installed");
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            fs::set_permissions(&fresh, fs::Permissions::from_mode(mode_of(name))).unwrap();
            fs::rename(&fresh, folder.join(name)).unwrap();
        }
        folder
    })
}

/// Every kind of cgroup that this host lets this user have, and none; or the one that must be there.
pub fn kinds() -> Vec<CgroupChoice> {
    let used = |choice| Sandbox::start(config(choice, 1)).expect("a sandbox starts").describe().cgroups;
    if env::var_os(VERSION_2).is_some() {
        assert!(used(CgroupChoice::V2), "version 2 control groups can be used");
        return vec![CgroupChoice::V2];
    }
    let mut kinds = vec![CgroupChoice::Off];
    kinds.extend([CgroupChoice::V1, CgroupChoice::V2].into_iter().filter(|&choice| used(choice)));
    kinds
}

/// How many times longer things may take: `scripts/test.d/sandbox-v2` runs the suite on a kernel that runs every system
/// call through ptrace.
pub fn patience() -> u64 {
    if env::var_os(VERSION_2).is_some() { 6 } else { 1 }
}

/// Whether process numbers can be made to start again. A kernel built without `CONFIG_CHECKPOINT_RESTORE`, as Debian's
/// user-mode-linux is, lets nobody do that.
pub fn counts_pids_anew() -> bool {
    Path::new("/proc/sys/kernel/ns_last_pid").exists()
}

pub fn config(cgroups: CgroupChoice, slots: usize) -> SandboxConfig {
    SandboxConfig { slots, helper: helper(), cgroups, ..SandboxConfig::default() }
}

pub fn start(cgroups: CgroupChoice) -> Sandbox {
    Sandbox::start(config(cgroups, 1)).expect("a sandbox starts")
}

/// The best that there is, for tests that cgroups have no part in.
pub fn sandbox() -> Sandbox {
    start(CgroupChoice::Auto)
}

/// Runs `arguments` of the test programs with small limits.
pub fn spec(arguments: &[&str]) -> RunSpec {
    spec_of("static", arguments)
}

pub fn spec_of(program: &str, arguments: &[&str]) -> RunSpec {
    let argv = [format!("/box/{program}")].into_iter().chain(arguments.iter().map(|&text| text.to_owned())).collect();
    RunSpec {
        argv,
        env: vec![],
        stdin: Stdin::Null,
        program_dir: Some(programs().to_owned()),
        binds: vec![],
        work_files: vec![],
        collect: vec![],
        limits: ResourceLimits {
            cpu_ms: 2_000 * patience(),
            wall_ms: 10_000 * patience(),
            memory_bytes: 64 << 20,
            ..ResourceLimits::default()
        },
        freshness: Freshness::Fresh,
        cores: Cores::All,
    }
}

/// What a report says, in a form that is easy to compare.
#[derive(Debug)]
pub struct Seen {
    pub report: RunReport,
    pub stdout: String,
    pub stderr: String,
}

pub fn text(captured: &mut Captured) -> String {
    let mut bytes = Vec::new();
    captured.file.read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes.len() as u64, captured.len);
    String::from_utf8_lossy(&bytes).into_owned()
}

pub fn try_run(sandbox: &Sandbox, spec: &RunSpec) -> Result<Seen, SandboxError> {
    let mut report = sandbox.run(spec)?;
    let (stdout, stderr) = (text(&mut report.stdout), text(&mut report.stderr));
    Ok(Seen { report, stdout, stderr })
}

pub fn run(sandbox: &Sandbox, spec: &RunSpec) -> Seen {
    try_run(sandbox, spec).expect("the sandbox itself works")
}

/// The run ended well and printed this.
#[track_caller]
pub fn assert_prints(seen: &Seen, stdout: &str) {
    assert_eq!((seen.report.end, seen.report.killed), (End::Exited(0), None), "{seen:?}");
    assert_eq!(seen.stdout, stdout, "{seen:?}");
}

/// A file with these contents, open, that has no name any more.
pub fn file(contents: &[u8]) -> Arc<File> {
    use std::io::Write;
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(contents).unwrap();
    Arc::new(file)
}

/// Processes of this host whose command line contains `text`.
pub fn processes_with(text: &str) -> usize {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter(|entry| {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(text)
        })
        .count()
}
