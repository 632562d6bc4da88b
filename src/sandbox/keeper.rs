//! The helper process of one slot.
//!
//! Owns: the namespaces that outlast a run (user, network, host name, the fixed mounts) and the creation of each
//! generation's init. Must not know: programs, limits, cgroups. It speaks only with the server; nothing that a program
//! does reaches it.
//!
//! A keeper is executed, not forked, by the server: forking costs in proportion to the server's memory. It lives in
//! the slot's cgroup, which its children inherit; moving a process into a cgroup takes milliseconds and so happens
//! once.

use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;

use rustix::thread::UnshareFlags;

use super::identity::{self, Ids};
use super::init;
use super::mounts;
use super::protocol::{Doing, Fault, KeeperReply, Tree};
use super::sys::{self, Cloned};
use super::wire;

/// What a generation inherits from its slot.
pub(super) struct Foundation {
    pub(super) ids: Ids,
    /// The programs' user namespace.
    pub(super) users: OwnedFd,
    /// Where the fixed mounts are.
    pub(super) anchor: PathBuf,
}

/// Serves the socket on descriptor 0 until the server goes away.
pub(super) fn main(base: u32) -> ! {
    let code = match serve(base) {
        Ok(()) => 0,
        Err(_) => 1,
    };
    sys::exit_now(code)
}

fn serve(base: u32) -> std::io::Result<()> {
    let server = rustix::io::fcntl_dupfd_cloexec(std::io::stdin(), 3)?;
    let foundation = match lay_foundation(base) {
        Ok(foundation) => foundation,
        Err(fault) => return wire::send(&server, &KeeperReply::Failed(fault).encode(), &[]),
    };
    // Inits of thrown-away generations need no burial.
    sys::ignore_dead_children();
    wire::send(&server, &KeeperReply::Ready { own_ids: foundation.ids != Ids::Shared }.encode(), &[])?;
    let mut buffer = wire::packet_buffer();
    while let Some(packet) = wire::receive(&server, &mut buffer)? {
        let mut fds = packet.fds;
        let request = Tree::decode(&buffer[..packet.len]).zip(fds.pop());
        let Some((tree, control)) = request else {
            return Err(std::io::ErrorKind::InvalidData.into());
        };
        match sys::clone3(libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC, None, true) {
            Ok(Cloned::Child) => init::main(&foundation, &tree, &control),
            Ok(Cloned::Parent(child)) => {
                let fds: Vec<_> = child.pidfd.iter().map(AsFd::as_fd).collect();
                wire::send(&server, &KeeperReply::Born { pid: child.pid }.encode(), &fds)?;
            }
            Err(cause) => {
                let fault = Err::<(), _>(cause).doing("create pid, mount and ipc namespaces");
                if let Err(fault) = fault {
                    wire::send(&server, &KeeperReply::Failed(fault).encode(), &[])?;
                }
            }
        }
    }
    Ok(())
}

fn lay_foundation(base: u32) -> Result<Foundation, Fault> {
    let ids = identity::become_keeper(base)?;
    sys::unshare(UnshareFlags::NEWNET).doing("create a network namespace")?;
    sys::unshare(UnshareFlags::NEWUTS).doing("create a host name namespace")?;
    rustix::system::sethostname(b"sandbox").doing("set the host name")?;
    sys::unshare(UnshareFlags::NEWNS).doing("create a mount namespace")?;
    let users = identity::program_namespace(ids)?;
    let anchor = mounts::build_fixed()?;
    Ok(Foundation { ids, users, anchor })
}
