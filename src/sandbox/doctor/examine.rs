//! The examination: starts a sandbox and lets the probes loose in it.
//!
//! Owns: the order, and what each result means. Must not know: how a probe does what it does.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::super::helper::{PROBE, own_executable};
use super::super::{
    Bind, CpuSource, Freshness, KillReason, MemorySource, ResourceLimits, RunReport, RunSpec, Sandbox, SandboxConfig,
    SandboxError, Stdin,
};
use super::obstacles::{Host, Obstacle};
use super::{Finding, State};

/// Tries every layer of a sandbox of this configuration. Takes about a second; needs no privileges.
pub fn examine(config: &SandboxConfig) -> Vec<Finding> {
    let config = SandboxConfig { slots: 1, ..config.clone() };
    let sandbox = match Sandbox::start(config.clone()) {
        Ok(sandbox) => sandbox,
        Err(fault) => return vec![cannot_start(&fault, &config)],
    };
    let mut findings = vec![Finding {
        layer: "namespaces",
        state: State::Ok,
        detail: "user, pid, mount, network, ipc and host name namespaces can be created".to_owned(),
        fix: None,
    }];
    findings.extend(ATTEMPTS.iter().map(|attempt| attempt.make(&sandbox)));
    findings.extend(measures(&sandbox));
    findings.push(identity(&sandbox));
    findings
}

fn cannot_start(fault: &SandboxError, config: &SandboxConfig) -> Finding {
    let mut obstacles = Host::this().against_namespaces();
    if matches!(fault, SandboxError::Helper(_)) {
        obstacles.insert(0, helper_trouble(&executable(&config.helper)));
    }
    let reasons: Vec<_> = obstacles.iter().map(|obstacle| format!("; {}", obstacle.reason)).collect();
    let fixes: Vec<_> = obstacles.into_iter().map(|obstacle| obstacle.fix).collect();
    let detail = match fault {
        SandboxError::Unsupported(what) => what.clone(),
        other => other.to_string(),
    };
    Finding {
        layer: "namespaces",
        state: State::Unsafe,
        detail: format!("no sandbox can be started: {detail}{}", reasons.concat()),
        fix: (!fixes.is_empty()).then(|| fixes.join("\nor: ")),
    }
}

fn helper_trouble(helper: &Path) -> Obstacle {
    Obstacle {
        reason: format!("the helper is this program itself, {}, started once more", helper.display()),
        fix: format!(
            "make {0} readable and executable for the user who runs it (chmod 755 {0}), on a file system mounted \
             without noexec",
            helper.display()
        ),
    }
}

/// One probe and what it must come to.
struct Attempt {
    layer: &'static str,
    probe: &'static str,
    must: Must,
    /// What a good result means.
    good: &'static str,
}

enum Must {
    /// Print nothing and end well.
    GetNowhere,
    /// Be ended for this.
    BeKilled(KillReason),
}

const fn attempt(layer: &'static str, probe: &'static str, must: Must, good: &'static str) -> Attempt {
    Attempt { layer, probe, must, good }
}

const ATTEMPTS: [Attempt; 11] = [
    attempt("files", "files", Must::GetNowhere, "no file of the host outside /usr can be read"),
    attempt("writing", "writing", Must::GetNowhere, "nothing can be written outside /w, /tmp and /dev/shm"),
    attempt("network", "network", Must::GetNowhere, "no socket to anything but itself can be opened"),
    attempt("processes", "processes", Must::GetNowhere, "no other process can be seen"),
    attempt("rights", "rights", Must::GetNowhere, "no capability, no new privileges, a filter on system calls"),
    attempt("new namespaces", "namespaces", Must::GetNowhere, "no namespace can be created inside"),
    attempt("system calls", "system calls", Must::GetNowhere, "calls that no program needs are refused"),
    attempt("cpu limit", "cpu", Must::BeKilled(KillReason::Cpu), "an endless loop is ended"),
    attempt("wall limit", "wall", Must::BeKilled(KillReason::Wall), "an endless sleep is ended"),
    attempt("memory limit", "memory", Must::BeKilled(KillReason::Memory), "endless allocation is ended"),
    attempt("output limit", "output", Must::BeKilled(KillReason::Output), "endless output is ended"),
];

impl Attempt {
    fn make(&self, sandbox: &Sandbox) -> Finding {
        let (state, detail, fix) = match run(sandbox, self.probe) {
            Err(fault @ SandboxError::Unsupported(_)) => {
                let finding = cannot_start(&fault, sandbox.config());
                (finding.state, finding.detail, finding.fix)
            }
            Err(fault) => (State::Unsafe, format!("the probe could not be run: {fault}"), None),
            Ok((report, printed)) => match self.judge(&report, &printed) {
                None => (State::Ok, self.good.to_owned(), None),
                Some(trouble) => (State::Unsafe, trouble, None),
            },
        };
        Finding { layer: self.layer, state, detail, fix }
    }

    fn judge(&self, report: &RunReport, printed: &str) -> Option<String> {
        match self.must {
            Must::GetNowhere if !printed.is_empty() => Some(printed.replace('\n', "; ")),
            Must::GetNowhere if report.killed.is_some() || report.end != super::super::End::Exited(0) => {
                Some(format!("the probe ended as {:?}, killed: {:?}", report.end, report.killed))
            }
            Must::GetNowhere => None,
            Must::BeKilled(KillReason::Memory) if report.oom_killed => None,
            Must::BeKilled(reason) if report.killed == Some(reason) => None,
            Must::BeKilled(reason) => Some(format!(
                "should have been ended for {reason:?}, but: {:?}, killed: {:?}",
                report.end, report.killed
            )),
        }
    }
}

/// The file behind an executable's path, which the sandbox shall show under another name.
fn executable(path: &Path) -> PathBuf {
    if path == own_executable() { std::env::current_exe() } else { path.canonicalize() }
        .unwrap_or_else(|_| path.to_owned())
}

fn run(sandbox: &Sandbox, probe: &str) -> Result<(RunReport, String), SandboxError> {
    let target = PathBuf::from("/box/touchstone");
    let spec = RunSpec {
        argv: vec![target.display().to_string(), PROBE.to_owned(), probe.to_owned()],
        env: Vec::new(),
        stdin: Stdin::Null,
        program_dir: None,
        binds: vec![Bind { source: executable(&sandbox.config().helper), target, exec: true }],
        work_files: Vec::new(),
        collect: Vec::new(),
        limits: ResourceLimits {
            cpu_ms: if probe == "cpu" { 200 } else { 10_000 },
            wall_ms: if probe == "wall" { 200 } else { 20_000 },
            memory_bytes: 32 << 20,
            stdout_bytes: 64 << 10,
            ..ResourceLimits::default()
        },
        freshness: Freshness::Fresh,
        cores: crate::sandbox::Cores::All,
    };
    let mut report = sandbox.run(&spec)?;
    let mut printed = Vec::new();
    let read = (&mut report.stdout.file).take(4096).read_to_end(&mut printed);
    read.map_err(|cause| SandboxError::System { doing: "read a probe's output", cause })?;
    Ok((report, String::from_utf8_lossy(&printed).into_owned()))
}

/// How cpu time and memory are measured.
fn measures(sandbox: &Sandbox) -> [Finding; 2] {
    let description = sandbox.describe();
    let root = rustix::process::geteuid().is_root();
    let finding = |layer, good: bool, source: String, weaker: &str| {
        let (state, detail, fix) = if good {
            (State::Ok, format!("measured by {source}"), None)
        } else {
            let obstacles = description.obstacles.join("; ");
            let fix = Host::this().against_cgroups(root);
            (State::Weaker, format!("measured without cgroups, by looking at /proc: {weaker} ({obstacles})"), Some(fix))
        };
        Finding { layer, state, detail, fix }
    };
    let measured = description.measured;
    [
        finding(
            "cpu time",
            measured.cpu != CpuSource::Polling,
            measured.cpu.to_string(),
            "a process that ends between two looks and is waited for by nobody is missed",
        ),
        finding(
            "memory",
            measured.memory != MemorySource::Polling,
            measured.memory.to_string(),
            "a short peak is missed, shared pages count twice, the limit takes effect a few milliseconds late",
        ),
    ]
}

fn identity(sandbox: &Sandbox) -> Finding {
    let own_ids = sandbox.describe().own_ids;
    let detail = if own_ids {
        "programs run under ids that nobody else has"
    } else {
        "programs run under the server's own id, without any rights; what keeps them from its files is their file tree"
    };
    Finding { layer: "identity", state: State::Ok, detail: detail.to_owned(), fix: None }
}
