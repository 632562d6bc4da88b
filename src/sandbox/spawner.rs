//! The helper process that all keepers are forked from.
//!
//! Owns: what the slots of a sandbox have in common: the user namespace of the keepers where one is needed, the host
//! name, the fixed mounts. Must not know: generations, runs. It speaks only with the server.
//!
//! It is executed, not forked, by the server: forking costs in proportion to the server's memory. It stays small, so
//! that a keeper, which is a fork of it, costs a fraction of executing the helper once more.

use std::os::fd::{AsFd, OwnedFd};

use rustix::thread::UnshareFlags;

use super::identity;
use super::keeper::{self, Common};
use super::mounts;
use super::pid_counter::PidCounter;
use super::protocol::{Doing, Fault, SpawnerReply, SpawnerRequest};
use super::sys::{self, Cloned};
use super::wire;

/// Serves the socket on descriptor 0 until the server goes away. Slots use the ids from `first` on.
pub(super) fn main(first: u32) -> ! {
    sys::exit_now(i32::from(serve(first).is_err()))
}

fn serve(first: u32) -> std::io::Result<()> {
    let invalid = || std::io::Error::from(std::io::ErrorKind::InvalidData);
    // For keepers, inits and programs too, who inherit it.
    sys::default_signals();
    let server = rustix::io::fcntl_dupfd_cloexec(std::io::stdin(), 3)?;
    // Keepers have no business with that socket, but descriptors 0 to 2 stay taken.
    sys::place_fd(std::io::stdout().as_fd(), 0)?;
    let common = match prepare(first) {
        Ok(common) => common,
        Err(fault) => return wire::send(&server, &SpawnerReply::Failed(fault).encode(), &[]),
    };
    // Neither keepers nor theirs need a burial: the server sees their deaths by their process descriptors.
    sys::ignore_dead_children();
    wire::send(&server, &SpawnerReply::Ready { own_ids: common.own_ids }.encode(), &[])?;
    let mut buffer = [0; 64];
    while let Some(packet) = wire::receive(&server, &mut buffer)? {
        let SpawnerRequest::Keeper { index } = SpawnerRequest::decode(&buffer[..packet.len]).ok_or_else(invalid)?;
        let socket = packet.fds.into_iter().next().ok_or_else(invalid)?;
        match spawn(&common, first, index, &socket) {
            Ok(child) => {
                let pidfd = child.pidfd.as_ref().ok_or_else(invalid)?;
                wire::send(&server, &SpawnerReply::Spawned.encode(), &[pidfd.as_fd()])?;
            }
            Err(fault) => wire::send(&server, &SpawnerReply::Failed(fault).encode(), &[])?,
        }
    }
    Ok(())
}

fn spawn(common: &Common, first: u32, index: u32, socket: &OwnedFd) -> Result<sys::Child, Fault> {
    match sys::clone3(0, None, true).doing("create a slot's keeper")? {
        Cloned::Parent(child) => Ok(child),
        Cloned::Child => keeper::main(common, first + index * identity::IDS_PER_SLOT, socket),
    }
}

fn prepare(first: u32) -> Result<Common, Fault> {
    let own_ids = identity::become_spawner(first)?;
    sys::unshare(UnshareFlags::NEWUTS | UnshareFlags::NEWNS).doing("create host name and mount namespaces")?;
    rustix::system::sethostname(b"sandbox").doing("set the host name")?;
    let pid_counter = PidCounter::open();
    let places = mounts::build_fixed()?;
    Ok(Common { own_ids, pid_counter, places })
}
