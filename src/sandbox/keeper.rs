//! The helper process of one slot.
//!
//! Owns: the namespaces of the slot that outlast a run (the programs' user namespace, the network), the creation of each
//! generation's init, and the mounts that are asked for from outside. Must not know: programs, limits. It speaks only
//! with the server, and with an init only before that has run its first program; nothing that a program does reaches it.
//!
//! A keeper is a fork of the spawner, from whom it has that its dead children vanish. Generations are bred ahead of their use and dressed when a run wants them, since
//! breeding costs far more than dressing.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::thread::UnshareFlags;

use super::identity::{Ids, ProgramNamespace};
use super::init;
use super::mounts::Places;
use super::pid_counter::PidCounter;
use super::protocol::{Doing, Fault, KeeperReply, KeeperRequest, Tree};
use super::sys::{self, Cloned};
use super::wire;

/// What a slot has in common with the others of its sandbox.
pub(super) struct Common {
    /// See [`SpawnerReply::Ready`](super::protocol::SpawnerReply::Ready).
    pub(super) own_ids: bool,
    pub(super) pid_counter: Option<PidCounter>,
    pub(super) places: Places,
}

/// What a generation inherits from its slot.
pub(super) struct Foundation<'a> {
    pub(super) common: &'a Common,
    pub(super) ids: Ids,
    /// The programs' user namespace.
    pub(super) users: OwnedFd,
    /// The cgroup v2 folder that inits are born in; programs are born in others then.
    birthplace: Option<OwnedFd>,
}

impl Foundation<'_> {
    /// Programs are born inside a cgroup of their own, for which their init needs `clone3`.
    pub(super) fn programs_have_birthplaces(&self) -> bool {
        self.birthplace.is_some()
    }

    /// See [`furnish`](super::mounts::furnish).
    pub(super) fn host_proc(&self) -> bool {
        self.common.places.host_proc
    }
}

/// Serves the socket until the server goes away. The slot's ids start at `base`.
pub(super) fn main(common: &Common, base: u32, server: &OwnedFd) -> ! {
    sys::exit_now(i32::from(serve(common, base, server).is_err()))
}

fn serve(common: &Common, base: u32, server: &OwnedFd) -> std::io::Result<()> {
    let invalid = || std::io::Error::from(std::io::ErrorKind::InvalidData);
    let (null, out, err) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    let mut kept = vec![null.as_fd(), out.as_fd(), err.as_fd(), server.as_fd()];
    kept.extend(common.places.descriptors());
    kept.extend(common.pid_counter.iter().map(AsFd::as_fd));
    sys::keep_only(&kept)?;
    let mut buffer = wire::packet_buffer();
    let Some(packet) = wire::receive(server, &mut buffer)? else { return Ok(()) };
    let Some(KeeperRequest::Join { born_in_cgroup }) = KeeperRequest::decode(&buffer[..packet.len]) else {
        return Err(invalid());
    };
    let birthplace = match join(packet.fds, born_in_cgroup) {
        Ok(birthplace) => birthplace,
        Err(fault) => return wire::send(server, &KeeperReply::NotJoined(fault).encode(), &[]),
    };
    let foundation = match lay_foundation(common, base, birthplace) {
        Ok(foundation) => foundation,
        Err(fault) => return wire::send(server, &KeeperReply::Failed(fault).encode(), &[]),
    };
    wire::send(server, &KeeperReply::Ready.encode(), &[])?;
    let mut undressed = None;
    while let Some(packet) = wire::receive(server, &mut buffer)? {
        let mut fds = packet.fds;
        let outcome = match KeeperRequest::decode(&buffer[..packet.len]).ok_or_else(invalid)? {
            KeeperRequest::Breed => breed(&foundation, server, &fds.pop().ok_or_else(invalid)?)?.map(|socket| {
                undressed = Some(socket);
            }),
            KeeperRequest::Dress(tree) => {
                let socket = undressed.take().ok_or_else(invalid)?;
                let dressed = dress(&foundation, &socket, &tree);
                if dressed.is_ok() {
                    wire::send(server, &KeeperReply::Dressed.encode(), &[])?;
                }
                dressed
            }
            KeeperRequest::Join { .. } => return Err(invalid()),
        };
        if let Err(fault) = outcome {
            wire::send(server, &KeeperReply::Failed(fault).encode(), &[])?;
        }
    }
    Ok(())
}

/// Enters version 1 groups, or only remembers where inits are to be born.
fn join(fds: Vec<OwnedFd>, born_in_cgroup: bool) -> Result<Option<OwnedFd>, Fault> {
    if born_in_cgroup {
        return Ok(fds.into_iter().next());
    }
    for tasks in &fds {
        // "Myself, one thread" is the only kind of move that does not wait for every processor of the machine.
        rustix::io::write(tasks, b"0").doing("enter its control group")?;
    }
    Ok(None)
}

/// Creates an init that has everything but a tree; the outer error is the server's absence.
fn breed(foundation: &Foundation<'_>, server: &OwnedFd, control: &OwnedFd) -> std::io::Result<Result<OwnedFd, Fault>> {
    let (ours, theirs) = wire::pair()?;
    let mut namespaces = libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC;
    // Where cgroup namespaces are borders (`nsdelegate`, as systemd mounts it), an init inside one could not let programs
    // be born in groups beside its own; there each program makes one of its own.
    if foundation.birthplace.is_none() {
        namespaces |= libc::CLONE_NEWCGROUP;
    }
    if let Err(fault) = foundation.common.places.enter_bare() {
        return Ok(Err(fault));
    }
    let cloned = sys::clone3(namespaces, foundation.birthplace.as_ref().map(AsFd::as_fd), true);
    if matches!(cloned, Ok(Cloned::Child)) {
        init::main(foundation, &theirs, control);
    }
    if let Err(fault) = foundation.common.places.enter_host() {
        return Ok(Err(fault));
    }
    Ok(match cloned.doing("create pid, mount and ipc namespaces") {
        Ok(Cloned::Parent(child)) => {
            let fds: Vec<BorrowedFd<'_>> = child.pidfd.iter().map(AsFd::as_fd).collect();
            wire::send(server, &KeeperReply::Born { pid: child.pid }.encode(), &fds)?;
            Ok(ours)
        }
        Ok(Cloned::Child) => sys::exit_now(1),
        Err(fault) => Err(fault),
    })
}

/// Adds what the server asks for to the tree of an init that has run nothing yet.
fn dress(foundation: &Foundation<'_>, socket: &OwnedFd, tree: &Tree) -> Result<(), Fault> {
    let mut byte = [0; 1];
    let packet = wire::receive(socket, &mut byte).doing("hear from the init")?;
    let bare = packet.and_then(|packet| packet.fds.into_iter().next());
    let bare = bare.ok_or(Fault { doing: "find the init alive".into(), errno: 0 })?;
    foundation.common.places.dress(&bare, tree)
}

fn lay_foundation(common: &Common, base: u32, birthplace: Option<OwnedFd>) -> Result<Foundation<'_>, Fault> {
    let ids = Ids::of_slot(common.own_ids, base);
    // The two take about as long, and neither needs the other.
    let users = ProgramNamespace::start(ids)?;
    sys::unshare(UnshareFlags::NEWNET).doing("create a network namespace")?;
    Ok(Foundation { common, ids, users: users.finish()?, birthplace })
}
