//! Who the processes of a slot are.
//!
//! Owns: user namespaces, ids, capabilities. Must not know: mounts, runs.
//!
//! As root, a slot has two ids that are nobody's on the host: one for its init, one for the programs. As an ordinary
//! user there is only one id to give, so programs and init share it, and what separates them is that the init isn't
//! dumpable and lives in the parent namespace. Either way the user namespace of the programs is owned by the init,
//! which therefore has every right over them. Over anything else it needs, and keeps, but one: to set its own pid
//! namespace's counter back.

use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::process::{Gid, Uid};
use rustix::thread::{CapabilitySet, CapabilitySets, LinkNameSpaceType, UnshareFlags};

use super::protocol::{Doing, Fault};
use super::sys::{self, Cloned};

/// The id of programs as they see it themselves. Not 0, so that no rule about root applies to them.
pub(super) const INSIDE: u32 = 1000;

/// Ids of one slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ids {
    /// Distinct ids in the namespace of the keeper.
    Own { init: u32, program: u32 },
    /// The keeper's only id.
    Shared,
}

/// How many ids a slot has: its init's and its programs'.
pub(super) const IDS_PER_SLOT: u32 = 2;
/// How many slots a sandbox has ids for.
pub(super) const MOST_SLOTS: u32 = 1024;

/// Whether ids other than the caller's own may be used: root, with the rights and the id range of one.
fn may_give_ids(first: u32) -> bool {
    let capable = rustix::thread::capabilities(None).is_ok_and(|sets| {
        sets.effective.contains(CapabilitySet::SYS_ADMIN | CapabilitySet::SETUID | CapabilitySet::SETGID)
    });
    let first = u64::from(first);
    let wanted = first..=first + u64::from(MOST_SLOTS * IDS_PER_SLOT) - 1;
    capable && maps("/proc/self/uid_map", &wanted) && maps("/proc/self/gid_map", &wanted)
}

impl Ids {
    /// Those of the slot whose first id is `base`.
    pub(super) fn of_slot(own_ids: bool, base: u32) -> Self {
        if own_ids { Self::Own { init: base, program: base + 1 } } else { Self::Shared }
    }

    /// The owner of the programs' files, in the keeper's namespace.
    pub(super) fn program_owner(self) -> Option<(Uid, Gid)> {
        match self {
            Self::Own { program, .. } => Some((Uid::from_raw(program), Gid::from_raw(program))),
            Self::Shared => None,
        }
    }
}

fn maps(file: &str, wanted: &std::ops::RangeInclusive<u64>) -> bool {
    fs::read_to_string(file).is_ok_and(|text| {
        text.lines().any(|line| {
            let fields: Vec<u64> = line.split_whitespace().filter_map(|field| field.parse().ok()).collect();
            matches!(fields[..], [first, _, len]
                if first <= *wanted.start() && wanted.end() - first < len)
        })
    })
}

/// Decides whether slots get ids of their own and, without root's rights, enters a user namespace in which keepers have
/// them.
pub(super) fn become_spawner(first: u32) -> Result<bool, Fault> {
    let own_ids = may_give_ids(first);
    if own_ids {
        rustix::thread::set_thread_groups(&[]).doing("leave the supplementary groups")?;
    } else {
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        sys::unshare(UnshareFlags::NEWUSER).doing("create a user namespace")?;
        fs::write("/proc/self/setgroups", "deny").doing("give up setgroups")?;
        fs::write("/proc/self/uid_map", format!("0 {uid} 1")).doing("write the user id map")?;
        fs::write("/proc/self/gid_map", format!("0 {gid} 1")).doing("write the group id map")?;
    }
    Ok(own_ids)
}

/// The user namespace of a slot's programs while it is made, which the keeper needn't wait for.
pub(super) struct ProgramNamespace {
    ids: Ids,
    peer: std::os::unix::net::UnixStream,
    /// The process that it is created around.
    holder: i32,
}

impl ProgramNamespace {
    /// Starts making it. Dead children of the caller must vanish by themselves.
    pub(super) fn start(ids: Ids) -> Result<Self, Fault> {
        let (peer, theirs) = std::os::unix::net::UnixStream::pair().doing("make a socket pair")?;
        match sys::fork().doing("fork")? {
            Cloned::Parent(child) => Ok(Self { ids, peer, holder: child.pid }),
            Cloned::Child => {
                // Else this process would never see that end close.
                drop(peer);
                let code = i32::from(hold_namespace(ids, theirs).is_err());
                sys::exit_now(code);
            }
        }
    }

    /// Waits until it is made.
    pub(super) fn finish(mut self) -> Result<OwnedFd, Fault> {
        let mut byte = [0];
        self.peer.read_exact(&mut byte).doing("create the programs' user namespace")?;
        let map = match self.ids {
            Ids::Own { init, program } => format!("0 {init} 1\n{INSIDE} {program} 1\n"),
            Ids::Shared => format!("{INSIDE} 0 1\n"),
        };
        fs::write(format!("/proc/{}/uid_map", self.holder), &map).doing("write the programs' user id map")?;
        fs::write(format!("/proc/{}/gid_map", self.holder), &map).doing("write the programs' group id map")?;
        self.peer.write_all(&byte).doing("go on with the programs' user namespace")?;
        self.peer.read_exact(&mut byte).doing("forbid user namespaces inside the programs' one")?;
        let namespace = fs::File::open(format!("/proc/{}/ns/user", self.holder));
        Ok(namespace.doing("open the programs' user namespace")?.into())
    }
}

/// The process that the namespace is created around.
fn hold_namespace(ids: Ids, mut peer: std::os::unix::net::UnixStream) -> io::Result<()> {
    if let Ids::Own { init, .. } = ids {
        // The effective user at creation becomes the owner; the real ones stay, and with them the permitted rights.
        rustix::thread::set_thread_res_gid(None, Some(Gid::from_raw(init)), None)?;
        rustix::thread::set_thread_res_uid(None, Some(Uid::from_raw(init)), None)?;
        let mut sets = rustix::thread::capabilities(None)?;
        sets.effective = sets.permitted;
        rustix::thread::set_capabilities(None, sets)?;
    }
    sys::unshare(UnshareFlags::NEWUSER)?;
    peer.write_all(&[0])?;
    peer.read_exact(&mut [0])?;
    // Holds for this namespace and all below it: a program can't get new rights from a namespace of its own.
    fs::write("/proc/sys/user/max_user_namespaces", "0")?;
    peer.write_all(&[0])?;
    // The parent opens the namespace while this process lives.
    peer.read_exact(&mut [0])
}

/// Turns the calling process, a new init, from the keeper's identity into its own.
pub(super) fn become_init(ids: Ids) -> Result<(), Fault> {
    if let Ids::Own { init, .. } = ids {
        rustix::thread::set_keep_capabilities(true).doing("keep capabilities")?;
        let (uid, gid) = (Uid::from_raw(init), Gid::from_raw(init));
        rustix::thread::set_thread_res_gid(Some(gid), Some(gid), Some(gid)).doing("take the slot's group id")?;
        rustix::thread::set_thread_res_uid(Some(uid), Some(uid), Some(uid)).doing("take the slot's user id")?;
    }
    // Kernels that don't know it have another for the same, which can far more: they do without.
    let had = rustix::thread::capabilities(None).doing("look at its capabilities")?.permitted;
    set_capabilities(had & CapabilitySet::CHECKPOINT_RESTORE).doing("drop capabilities")?;
    rustix::thread::set_no_new_privs(true).doing("forbid new privileges")
}

/// Turns the calling process, a child of the init, into a program's identity. `namespace` is the programs' one. With
/// `own_group` it was born in a control group, beyond which it is to see nothing.
pub(super) fn become_program(ids: Ids, namespace: BorrowedFd<'_>, own_group: bool) -> Result<(), Fault> {
    rustix::thread::move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::User))
        .doing("enter the programs' user namespace")?;
    if own_group {
        sys::unshare(UnshareFlags::NEWCGROUP).doing("create a cgroup namespace")?;
    }
    if let Ids::Own { .. } = ids {
        let (uid, gid) = (Uid::from_raw(INSIDE), Gid::from_raw(INSIDE));
        rustix::thread::set_thread_res_gid(Some(gid), Some(gid), Some(gid)).doing("take the programs' group id")?;
        rustix::thread::set_thread_res_uid(Some(uid), Some(uid), Some(uid)).doing("take the programs' user id")?;
    }
    set_capabilities(CapabilitySet::empty()).doing("drop capabilities")
}

fn set_capabilities(kept: CapabilitySet) -> rustix::io::Result<()> {
    let sets = CapabilitySets { effective: kept, permitted: kept, inheritable: CapabilitySet::empty() };
    rustix::thread::set_capabilities(None, sets)
}
