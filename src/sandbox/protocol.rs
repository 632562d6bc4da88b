//! The messages between the server, the spawner, a slot's keeper and the slot's init.
//!
//! Owns: what is said and how it is laid out. Must not know: who does what about it. Both sides are one binary, so
//! there is no versioning.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use rustix::thread::CpuSet;

use super::limits::Rlimits;
use super::spec::{Bind, Collect};
use super::wire::{Reader, Writer};

/// A step that failed, in the helper's words.
#[derive(Debug, Clone)]
pub(super) struct Fault {
    /// Completes "could not ...".
    pub(super) doing: Cow<'static, str>,
    /// The system's error number; 0 when the system had no part in it.
    pub(super) errno: i32,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "could not {}", self.doing)?;
        if self.errno == 0 { Ok(()) } else { write!(f, ": {}", io::Error::from_raw_os_error(self.errno)) }
    }
}

/// Names the step that a failed call belonged to.
pub(super) trait Doing<T> {
    /// Completes "could not ...".
    fn doing(self, what: impl Into<Cow<'static, str>>) -> Result<T, Fault>;
}

impl<T, E: Into<io::Error>> Doing<T> for Result<T, E> {
    fn doing(self, what: impl Into<Cow<'static, str>>) -> Result<T, Fault> {
        self.map_err(|e| Fault { doing: what.into(), errno: e.into().raw_os_error().unwrap_or(libc::EIO) })
    }
}

/// What distinguishes one generation's file tree from another's. A slot may be used again only for an equal one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tree {
    /// Host folders and files shown read-only.
    pub(super) binds: Vec<Bind>,
    /// Size of the writable tmpfs, bytes.
    pub(super) written_bytes: u64,
}

impl Tree {
    fn write(&self, w: &mut Writer) {
        w.u64(self.written_bytes);
        w.u64(self.binds.len() as u64);
        for bind in &self.binds {
            w.bytes(bind.source.as_os_str().as_bytes());
            w.bytes(bind.target.as_os_str().as_bytes());
            w.u8(u8::from(bind.exec));
        }
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let path = |r: &mut Reader<'_>| Some(PathBuf::from(OsString::from_vec(r.bytes()?)));
        let written_bytes = r.u64()?;
        let binds = r.list(|r| Some(Bind { source: path(r)?, target: path(r)?, exec: r.flag()? }))?;
        Some(Self { binds, written_bytes })
    }
}

/// Server to spawner.
#[derive(Debug)]
pub(super) enum SpawnerRequest {
    /// Create the keeper of this slot, whose socket comes along.
    Keeper {
        /// Which slot of the sandbox it is; decides on its ids.
        index: u32,
    },
}

/// Spawner to server.
#[derive(Debug)]
pub(super) enum SpawnerReply {
    /// It can create keepers.
    Ready {
        /// Programs have ids of their own, which nothing on the host has.
        own_ids: bool,
    },
    /// The keeper lives; its process descriptor comes along.
    Spawned,
    /// What was asked could not be done.
    Failed(Fault),
}

impl SpawnerRequest {
    pub(super) fn encode(&self) -> Vec<u8> {
        let Self::Keeper { index } = self;
        let mut w = Writer::default();
        w.u64(u64::from(*index));
        w.into_bytes()
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let index = u32::try_from(Reader::new(bytes).u64()?).ok()?;
        Some(Self::Keeper { index })
    }
}

impl SpawnerReply {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut w = Writer::default();
        match self {
            Self::Ready { own_ids } => {
                w.u8(0);
                w.u8(u8::from(*own_ids));
            }
            Self::Spawned => w.u8(1),
            Self::Failed(fault) => {
                w.u8(2);
                write_fault(&mut w, fault);
            }
        }
        w.into_bytes()
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut r = Reader::new(bytes);
        Some(match r.u8()? {
            0 => Self::Ready { own_ids: r.flag()? },
            1 => Self::Spawned,
            2 => Self::Failed(read_fault(&mut r)?),
            _ => return None,
        })
    }
}

impl KeeperRequest {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut w = Writer::default();
        match self {
            Self::Join { born_in_cgroup } => {
                w.u8(0);
                w.u8(u8::from(*born_in_cgroup));
            }
            Self::Breed => w.u8(1),
            Self::Dress(tree) => {
                w.u8(2);
                tree.write(&mut w);
            }
        }
        w.into_bytes()
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut r = Reader::new(bytes);
        Some(match r.u8()? {
            0 => Self::Join { born_in_cgroup: r.flag()? },
            1 => Self::Breed,
            2 => Self::Dress(Tree::read(&mut r)?),
            _ => return None,
        })
    }
}

/// Server to keeper.
#[derive(Debug)]
pub(super) enum KeeperRequest {
    /// The first message: live in these control groups. With version 1 the groups' `tasks` files come along, for the
    /// keeper to enter; with version 2 the folder that inits are to be born in.
    Join {
        /// Which of the two comes along.
        born_in_cgroup: bool,
    },
    /// Create a generation's init, whose end of its control socket comes along. It waits undressed for
    /// [`KeeperRequest::Dress`].
    Breed,
    /// Give the last bred generation this file tree.
    Dress(Tree),
}

/// Keeper to server.
#[derive(Debug)]
pub(super) enum KeeperReply {
    /// The slot's lasting namespaces stand.
    Ready,
    /// The control groups can't be entered.
    NotJoined(Fault),
    /// A generation's init was created; its process descriptor comes along.
    Born {
        /// In the keeper's pid namespace, which is the server's.
        pid: i32,
    },
    /// The generation has its file tree.
    Dressed,
    /// What was asked could not be done.
    Failed(Fault),
}

/// Server to init: run this. Comes with the descriptors for 0, 1 and 2, then the work files' memfd and the cgroup's
/// folder where announced.
#[derive(Debug)]
pub(super) struct Start {
    pub(super) argv: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) rlimits: Rlimits,
    /// (name, length); the contents lie in this order in the memfd.
    pub(super) work_files: Vec<(String, u64)>,
    pub(super) collect: Vec<Collect>,
    /// A cgroup folder comes along; the program is born in it.
    pub(super) in_cgroup: bool,
    /// The only processor that it starts on.
    pub(super) core: Option<usize>,
}

/// Says that a program has no processor of its own.
const ANY_CORE: u64 = u64::MAX;

/// Init to server.
#[derive(Debug)]
pub(super) enum InitReply {
    /// The generation is set up.
    Ready,
    /// It could not be.
    Failed(Fault),
    /// `execve` or a step before it failed; [`InitReply::Done`] follows.
    NotStarted {
        /// The program itself could not be executed; otherwise a step before that failed.
        exec: bool,
        fault: Fault,
    },
    /// A file asked for; its descriptor comes along.
    File {
        path: String,
    },
    Done(Done),
}

/// The end of a run: every process is dead.
#[derive(Debug, Clone, Copy)]
pub(super) struct Done {
    /// Raw wait status of the program's first process.
    pub(super) status: i32,
    /// From its creation to its death, nanoseconds.
    pub(super) wall_ns: u64,
    /// cpu time of the init itself during the run, nanoseconds.
    pub(super) init_cpu_ns: u64,
    /// cpu time of all processes that somebody waited for, nanoseconds.
    pub(super) waited_cpu_ns: u64,
    /// Highest resident size of one process, bytes; 0 when it can't be told from the init's own.
    pub(super) max_resident: u64,
    /// Pages that all waited-for processes took into use without reading them from a disk.
    pub(super) page_faults: u64,
    /// Nothing was left or changed in the writable folders.
    pub(super) clean: bool,
    /// Nothing more could have been written to them.
    pub(super) full: bool,
}

fn write_fault(w: &mut Writer, fault: &Fault) {
    w.bytes(fault.doing.as_bytes());
    w.i32(fault.errno);
}

fn read_fault(r: &mut Reader<'_>) -> Option<Fault> {
    Some(Fault { doing: r.string()?.into(), errno: r.i32()? })
}

impl KeeperReply {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut w = Writer::default();
        match self {
            Self::Ready => w.u8(0),
            Self::Born { pid } => {
                w.u8(1);
                w.i32(*pid);
            }
            Self::Failed(fault) => {
                w.u8(2);
                write_fault(&mut w, fault);
            }
            Self::Dressed => w.u8(3),
            Self::NotJoined(fault) => {
                w.u8(4);
                write_fault(&mut w, fault);
            }
        }
        w.into_bytes()
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut r = Reader::new(bytes);
        Some(match r.u8()? {
            0 => Self::Ready,
            1 => Self::Born { pid: r.i32()? },
            2 => Self::Failed(read_fault(&mut r)?),
            3 => Self::Dressed,
            4 => Self::NotJoined(read_fault(&mut r)?),
            _ => return None,
        })
    }
}

impl Start {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut w = Writer::default();
        w.u64(self.argv.len() as u64);
        for argument in &self.argv {
            w.bytes(argument.as_bytes());
        }
        w.u64(self.env.len() as u64);
        for (name, value) in &self.env {
            w.bytes(name.as_bytes());
            w.bytes(value.as_bytes());
        }
        self.rlimits.write(&mut w);
        w.u64(self.work_files.len() as u64);
        for (name, len) in &self.work_files {
            w.bytes(name.as_bytes());
            w.u64(*len);
        }
        w.u64(self.collect.len() as u64);
        for wanted in &self.collect {
            w.bytes(wanted.path.as_bytes());
            w.u64(wanted.max_bytes);
        }
        w.u8(u8::from(self.in_cgroup));
        w.u64(self.core.map_or(ANY_CORE, |core| core as u64));
        w.into_bytes()
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut r = Reader::new(bytes);
        Some(Self {
            argv: r.list(Reader::string)?,
            env: r.list(|r| Some((r.string()?, r.string()?)))?,
            rlimits: Rlimits::read(&mut r)?,
            work_files: r.list(|r| Some((r.string()?, r.u64()?)))?,
            collect: r.list(|r| Some(Collect { path: r.string()?, max_bytes: r.u64()? }))?,
            in_cgroup: r.flag()?,
            core: usize::try_from(r.u64()?).ok().filter(|core| *core < CpuSet::MAX_CPU),
        })
    }
}

impl InitReply {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut w = Writer::default();
        match self {
            Self::Ready => w.u8(0),
            Self::Failed(fault) => {
                w.u8(1);
                write_fault(&mut w, fault);
            }
            Self::NotStarted { exec, fault } => {
                w.u8(2);
                w.u8(u8::from(*exec));
                write_fault(&mut w, fault);
            }
            Self::File { path } => {
                w.u8(3);
                w.bytes(path.as_bytes());
            }
            Self::Done(done) => {
                w.u8(4);
                w.i32(done.status);
                w.u64(done.wall_ns);
                w.u64(done.init_cpu_ns);
                w.u64(done.waited_cpu_ns);
                w.u64(done.max_resident);
                w.u64(done.page_faults);
                w.u8(u8::from(done.clean));
                w.u8(u8::from(done.full));
            }
        }
        w.into_bytes()
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut r = Reader::new(bytes);
        Some(match r.u8()? {
            0 => Self::Ready,
            1 => Self::Failed(read_fault(&mut r)?),
            2 => Self::NotStarted { exec: r.flag()?, fault: read_fault(&mut r)? },
            3 => Self::File { path: r.string()? },
            4 => Self::Done(Done {
                status: r.i32()?,
                wall_ns: r.u64()?,
                init_cpu_ns: r.u64()?,
                waited_cpu_ns: r.u64()?,
                max_resident: r.u64()?,
                page_faults: r.u64()?,
                clean: r.flag()?,
                full: r.flag()?,
            }),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;

    use super::*;

    /// Whatever is understood is understood the same way once more.
    macro_rules! any_packet {
        ($bytes:ident: $($message:ty),+) => {
            $(if let Some(read) = <$message>::decode(&$bytes) {
                let written = read.encode();
                let again = <$message>::decode(&written).map(|read| read.encode());
                prop_assert_eq!(again.as_deref(), Some(written.as_slice()), "{}", stringify!($message));
            })+
        };
    }

    proptest! {
        #[test]
        fn any_packet_is_read_or_refused(
            kind in 0_u8..6, bytes in vec(prop_oneof![3 => Just(0_u8), 2 => 1_u8..5, 1 => any::<u8>()], 0..120),
        ) {
            let mut packet = vec![kind];
            packet.extend(&bytes);
            any_packet!(packet: SpawnerRequest, SpawnerReply, KeeperRequest, KeeperReply, Start, InitReply);
            any_packet!(bytes: SpawnerRequest, SpawnerReply, KeeperRequest, KeeperReply, Start, InitReply);
        }

        #[test]
        fn a_start_comes_as_it_went_and_never_in_part(
            argv in vec("\\PC{0,8}", 0..4), env in vec(("[A-Z]{1,5}", "\\PC{0,8}"), 0..3),
            work_files in vec(("[a-z]{1,5}", any::<u64>()), 0..3), in_cgroup in any::<bool>(), core in option::of(0..64_usize),
            cut in 1_usize..40,
        ) {
            let rlimits = Rlimits::read(&mut Reader::new(&[0; 200])).unwrap();
            let start = Start { argv, env, rlimits, work_files, collect: Vec::new(), in_cgroup, core };
            let bytes = start.encode();
            let read = Start::decode(&bytes).unwrap();
            prop_assert_eq!((&read.argv, &read.env, &read.work_files), (&start.argv, &start.env, &start.work_files));
            prop_assert_eq!((read.in_cgroup, read.core), (in_cgroup, core));
            prop_assert!(Start::decode(&bytes[..bytes.len().saturating_sub(cut)]).is_none());
        }
    }
}
