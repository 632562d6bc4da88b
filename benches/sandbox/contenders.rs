//! The ways to run a program that are compared.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use touchstone::sandbox::{
    CgroupChoice, Cores, End, Freshness, ResourceLimits, RunReport, RunSpec, Sandbox, SandboxConfig, Stdin,
};

/// A trivial static program in a folder of its own.
pub struct Program {
    folder: tempfile::TempDir,
}

impl Program {
    pub fn compile() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let source = folder.path().join("nothing.c");
        std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
        let mut compiler = Command::new("gcc");
        let done = compiler.args(["-O2", "-static", "-o"]).arg(folder.path().join("nothing")).arg(source).status();
        assert!(done.expect("gcc is installed").success());
        Self { folder }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("nothing")
    }

    pub fn fresh(&self) -> RunSpec {
        RunSpec {
            argv: vec!["/box/nothing".to_owned()],
            env: Vec::new(),
            stdin: Stdin::Null,
            program_dir: Some(self.folder.path().to_owned()),
            binds: Vec::new(),
            work_files: Vec::new(),
            collect: Vec::new(),
            limits: ResourceLimits::default(),
            freshness: Freshness::Fresh,
            cores: Cores::All,
        }
    }

    pub fn wiped(&self, tag: u64) -> RunSpec {
        RunSpec { freshness: Freshness::Wiped { tag }, ..self.fresh() }
    }
}

pub fn sandbox(slots: usize, cgroups: CgroupChoice) -> Sandbox {
    Sandbox::start(SandboxConfig { slots, cgroups, ..SandboxConfig::default() }).unwrap()
}

fn check(report: &RunReport) {
    assert_eq!((report.end, report.killed), (End::Exited(0), None));
}

/// One of the ways.
pub struct Contender<'a> {
    name: &'static str,
    run: Box<dyn FnMut() -> Duration + 'a>,
}

impl<'a> Contender<'a> {
    fn new(name: &'static str, mut run: impl FnMut() + 'a) -> Self {
        let timed = move || {
            let begun = Instant::now();
            run();
            begun.elapsed()
        };
        Self { name, run: Box::new(timed) }
    }

    pub fn name(&self) -> &str {
        self.name
    }

    /// Runs it once and says how long that took.
    pub fn run(&mut self) -> Duration {
        (self.run)()
    }

    /// `posix_spawn` and wait, with nothing around it.
    pub fn bare(program: &Program) -> Self {
        let path = program.path();
        Self::new("bare posix_spawn", move || {
            let mut command = Command::new(&path);
            command.env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            assert!(command.status().unwrap().success());
        })
    }

    pub fn wiped(name: &'static str, program: &Program, cgroups: CgroupChoice) -> Self {
        let (sandbox, spec) = (sandbox(1, cgroups), program.wiped(1));
        Self::new(name, move || check(&sandbox.run(&spec).unwrap()))
    }

    pub fn fresh(name: &'static str, program: &Program, cgroups: CgroupChoice) -> Self {
        let (sandbox, spec) = (sandbox(1, cgroups), program.fresh());
        Self::new(name, move || check(&sandbox.run(&spec).unwrap()))
    }

    /// A slot made for one run, until there is its report: control groups, keeper, every namespace, mounts.
    pub fn cold(name: &'static str, program: &Program, cgroups: CgroupChoice) -> Self {
        let (sandbox, spec) = (sandbox(1, cgroups), program.fresh());
        let timed = move || {
            sandbox.retire();
            let begun = Instant::now();
            let report = sandbox.run(&spec).unwrap();
            let took = begun.elapsed();
            check(&report);
            took
        };
        Self { name, run: Box::new(timed) }
    }

    /// A whole sandbox started for one run, until there is its report; what follows is nobody's wait.
    pub fn start(name: &'static str, program: &Program, cgroups: CgroupChoice) -> Self {
        let spec = program.fresh();
        let timed = move || {
            let begun = Instant::now();
            let sandbox = sandbox(1, cgroups);
            let report = sandbox.run(&spec).unwrap();
            let took = begun.elapsed();
            check(&report);
            took
        };
        Self { name, run: Box::new(timed) }
    }

    /// Another sandbox, with what it takes to run the same.
    pub fn bubblewrap(program: &Program) -> Self {
        let folder = program.folder.path().to_owned();
        Self::new("bwrap --unshare-all", move || {
            let mut command = Command::new("bwrap");
            command.args(["--unshare-all", "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"]);
            command.args(["--tmpfs", "/tmp", "--ro-bind"]).arg(&folder).args(["/box", "/box/nothing"]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let done = command.status().expect("bwrap (bubblewrap) is installed");
            assert!(done.success());
        })
    }
}
