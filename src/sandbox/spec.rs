//! What the caller asks the sandbox to run. Plain data.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

/// One program to run once.
///
/// Inside, the program sees: `/usr` and its links, a private `/proc`, a few device nodes, tmpfs at `/tmp`, `/dev/shm`
/// and `/w`, the folder [`RunSpec::program_dir`] read-only at `/box`, and the extra [`RunSpec::binds`]. Its working
/// folder is `/w`. There is no network, no host file besides these, and no file descriptor besides 0, 1 and 2.
#[derive(Debug, Clone)]
pub struct RunSpec {
    /// Program and arguments; `argv[0]` is an absolute path **inside** the sandbox.
    pub argv: Vec<String>,
    /// The whole environment; nothing is inherited.
    pub env: Vec<(String, String)>,
    /// What file descriptor 0 reads.
    pub stdin: Stdin,
    /// Host folder shown read-only at `/box`.
    pub program_dir: Option<PathBuf>,
    /// More host folders or files shown read-only (a toolchain outside `/usr`, `/etc/java-17-openjdk`).
    pub binds: Vec<Bind>,
    /// Files put into `/w` before the start: (name, contents). Names are single path components.
    pub work_files: Vec<(String, Contents)>,
    /// Files to read back from `/w` after every process is dead.
    pub collect: Vec<Collect>,
    /// Resource limits.
    pub limits: ResourceLimits,
    /// Whether an earlier run's wiped slot may be used.
    pub freshness: Freshness,
    /// Which processors it runs on.
    pub cores: Cores,
}

/// What a file in `/w` begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contents {
    /// These bytes.
    Bytes(Arc<Vec<u8>>),
    /// What this file of the host holds, read anew for each run.
    File {
        /// Where it is.
        path: PathBuf,
        /// How much of it there is; a shorter or longer one is a fault.
        bytes: u64,
    },
}

impl Contents {
    /// Its size, bytes.
    pub fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::File { bytes, .. } => *bytes,
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl From<Vec<u8>> for Contents {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(Arc::new(bytes))
    }
}

/// Standard input of the program.
#[derive(Debug, Clone)]
pub enum Stdin {
    /// `/dev/null`.
    Null,
    /// A regular file, read from its start. The program gets a descriptor of its own, opened read-only.
    File(Arc<File>),
    /// These bytes (copied into a sealed memfd).
    Bytes(Arc<Vec<u8>>),
}

/// A read-only bind mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bind {
    /// Folder or file on the host.
    pub source: PathBuf,
    /// Absolute path inside.
    pub target: PathBuf,
    /// Whether programs may be executed from it.
    pub exec: bool,
}

/// A file to read back from `/w`. Only regular files are read, never through a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collect {
    /// Path relative to `/w`. `"*"` collects every regular file at the top of `/w`, `"**"` those in its folders too.
    pub path: String,
    /// A larger file makes the report say so and is not read.
    pub max_bytes: u64,
}

/// Limits of one run. All are enforced for the whole process tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceLimits {
    /// User + system time, milliseconds.
    pub cpu_ms: u64,
    /// Wall-clock time, milliseconds.
    pub wall_ms: u64,
    /// Resident memory incl. tmpfs pages, bytes.
    pub memory_bytes: u64,
    /// Standard output, bytes. One byte more kills the program at once.
    pub stdout_bytes: u64,
    /// Standard error kept, bytes; what is beyond is drained and dropped without effect.
    pub stderr_bytes: u64,
    /// Everything written to `/w`, `/tmp` and `/dev/shm` together, bytes (also the largest single file).
    pub written_bytes: u64,
    /// Processes and threads together.
    pub processes: u64,
    /// Open file descriptors of one process.
    pub open_files: u64,
    /// Stack of the main thread, bytes.
    pub stack_bytes: u64,
}

impl Default for ResourceLimits {
    fn default() -> Self {
        let memory_bytes = 256 << 20;
        Self {
            cpu_ms: 1_000,
            wall_ms: 3_000,
            memory_bytes,
            stdout_bytes: 8 << 20,
            stderr_bytes: 64 << 10,
            written_bytes: 8 << 20,
            processes: 64,
            open_files: 256,
            stack_bytes: memory_bytes,
        }
    }
}

/// Which processors a program runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cores {
    /// All that the server may use.
    All,
    /// Its slot's own one, if slots have one: two runs at the same time have different ones. It changes where the program
    /// begins; the program may ask for others, which costs it what it uses there all the same.
    OfSlot,
}

/// How clean the namespaces must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// New pid, mount and ipc namespaces: the first run of a submission, every compile.
    Fresh,
    /// A slot that ran an earlier test of the **same** submission may be wiped and used again.
    Wiped {
        /// Runs with the same tag may share a slot; never two different submissions.
        tag: u64,
    },
}
