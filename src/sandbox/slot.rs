//! A slot as the server holds it: its keeper, its groups, its current generation.
//!
//! Owns: making and discarding them. Must not know: what a run does.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::Signal;

use super::SandboxError;
use super::cgroup::{Found, SlotGroup};
use super::protocol::{InitReply, KeeperReply, KeeperRequest, Tree};
use super::spawner_handle::SpawnerHandle;
use super::stdio;
use super::wire;

/// Room for one run at a time.
#[derive(Debug)]
pub(super) struct Slot {
    /// Which slot of the sandbox this is.
    index: u32,
    /// The processor of its own.
    core: Option<usize>,
    spawner: Arc<SpawnerHandle>,
    pub(super) group: SlotGroup,
    keeper: Option<Keeper>,
    generation: Option<Generation>,
    /// The server's end of the next generation's control socket; the keeper breeds it while nobody waits.
    spare: Option<OwnedFd>,
    /// The init of the generation before, which may still be dying.
    dying: Option<OwnedFd>,
    pub(super) buffers: Buffers,
}

/// Kept from run to run, since fresh memory costs page faults.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) packet: Vec<u8>,
    pub(super) chunk: Vec<u8>,
}

#[derive(Debug)]
struct Keeper {
    pidfd: OwnedFd,
    socket: OwnedFd,
    /// See [`SpawnerReply::Ready`](super::protocol::SpawnerReply::Ready).
    own_ids: bool,
}

/// Pid, mount and ipc namespaces with their init.
#[derive(Debug)]
pub(super) struct Generation {
    tree: Tree,
    tag: Option<u64>,
    /// As the server sees it.
    pub(super) pid: i32,
    pidfd: OwnedFd,
    pub(super) control: OwnedFd,
}

/// How long the kernel may take to end a killed slot before that counts as a fault of ours. Far more than it needs.
const DEATH: Duration = Duration::from_secs(20);

/// How long a keeper may take to answer.
const ANSWER: Duration = Duration::from_secs(20);

impl Slot {
    /// Makes its groups; its processes come with the first run, or [`warm`](Self::warm).
    pub(super) fn new(
        index: u32,
        core: Option<usize>,
        spawner: &Arc<SpawnerHandle>,
        found: &Found,
    ) -> Result<Self, SandboxError> {
        let group = SlotGroup::create(found, index)
            .map_err(|cause| SandboxError::System { doing: "make control groups", cause })?;
        Ok(Self {
            index,
            core,
            spawner: Arc::clone(spawner),
            group,
            keeper: None,
            generation: None,
            spare: None,
            dying: None,
            buffers: Buffers { packet: wire::packet_buffer(), chunk: stdio::chunk() },
        })
    }

    /// See [`SpawnerHandle::check_open`].
    pub(super) fn check_open(&self) -> Result<(), SandboxError> {
        self.spawner.check_open()
    }

    pub(super) fn core(&self) -> Option<usize> {
        self.core
    }

    pub(super) fn index(&self) -> u32 {
        self.index
    }

    /// Whether a run with this tag could use the slot's generation.
    pub(super) fn serves(&self, tag: u64) -> bool {
        self.generation.as_ref().is_some_and(|generation| generation.tag == Some(tag))
    }

    /// Whether the slot has no generation that another run could still use.
    pub(super) fn is_bare(&self) -> bool {
        self.generation.is_none()
    }

    pub(super) fn own_ids(&self) -> bool {
        self.keeper.as_ref().is_some_and(|keeper| keeper.own_ids)
    }

    /// The user who creates the programs' processes, where that isn't the server's.
    pub(super) fn init_id(&self) -> Option<u32> {
        self.own_ids().then(|| self.spawner.init_id(self.index))
    }

    /// Starts the keeper unless it runs. The first run does it too; early is faster for that.
    pub(super) fn warm(&mut self) -> Result<(), SandboxError> {
        if self.has_keeper() {
            return Ok(());
        }
        self.discard_all();
        let system = |doing| move |cause: io::Error| SandboxError::System { doing, cause };
        let (socket, theirs) = wire::pair().map_err(system("make a socket pair"))?;
        let spawned = self.spawner.keeper(self.index, &theirs)?;
        drop(theirs);
        let mut keeper = Keeper { pidfd: spawned.pidfd, socket, own_ids: spawned.own_ids };
        let (born_in_cgroup, groups) = self.group.entrance();
        // Both requests at once; should the keeper be gone already, its answer, or its silence, tells.
        let _ = wire::send(&keeper.socket, &KeeperRequest::Join { born_in_cgroup }.encode(), &groups);
        self.spare = keeper.breed().ok();
        match keeper.answer(&mut self.buffers.packet)? {
            (KeeperReply::Ready, _) => {}
            (KeeperReply::Failed(fault), _) => return Err(SandboxError::Unsupported(fault.to_string())),
            (KeeperReply::NotJoined(fault), _) => {
                let cause = io::Error::from_raw_os_error(fault.errno);
                return Err(system("move the helper into its control group")(cause));
            }
            (KeeperReply::Born { .. } | KeeperReply::Dressed, _) => return Err(nonsense()),
        }
        self.keeper = Some(keeper);
        Ok(())
    }

    fn has_keeper(&self) -> bool {
        self.keeper.as_ref().is_some_and(|keeper| !readable(&keeper.pidfd, Duration::ZERO))
    }

    /// A generation with this tree: the current one if `tag` allows, else a new one.
    pub(super) fn generation(&mut self, tree: &Tree, tag: Option<u64>) -> Result<(), SandboxError> {
        let usable = |generation: &Generation| tag.is_some() && generation.tag == tag && generation.tree == *tree;
        if self.generation.as_ref().is_some_and(usable) && self.has_keeper() && !self.is_abandoned() {
            return Ok(());
        }
        self.check_open()?;
        self.discard();
        self.warm()?;
        match self.new_generation(tree, tag) {
            Err(SandboxError::Helper(_)) => {
                // The keeper or the spare has died since the last run. Nothing of this run has happened yet.
                self.discard_all();
                self.warm()?;
                self.new_generation(tree, tag)?;
            }
            made => made?,
        }
        // Where the two share a group, what the old one still holds would count for this run.
        match self.dying.take() {
            Some(dying) if self.group.is_shared() && !readable(&dying, DEATH) => Err(undead()),
            _ => Ok(()),
        }
    }

    /// The init has died since the last run.
    fn is_abandoned(&self) -> bool {
        self.generation.as_ref().is_none_or(|generation| readable(&generation.pidfd, Duration::ZERO))
    }

    fn new_generation(&mut self, tree: &Tree, tag: Option<u64>) -> Result<(), SandboxError> {
        let Some(keeper) = &mut self.keeper else { return Err(nonsense()) };
        let control = match self.spare.take() {
            Some(control) => control,
            None => keeper.breed()?,
        };
        keeper.ask(&KeeperRequest::Dress(tree.clone()), &[])?;
        let (pid, mut fds) = match keeper.answer(&mut self.buffers.packet)? {
            (KeeperReply::Born { pid }, fds) => (pid, fds),
            (KeeperReply::Failed(fault), _) => return Err(SandboxError::Unsupported(fault.to_string())),
            _ => return Err(nonsense()),
        };
        let pidfd = fds.pop().ok_or_else(nonsense)?;
        let generation = Generation { tree: tree.clone(), tag, pid, pidfd, control };
        let dressed = keeper.answer(&mut self.buffers.packet)?;
        // If that went wrong, the init may know why.
        let packet = receive_within(&generation.control, &mut self.buffers.packet, ANSWER)?;
        match InitReply::decode(&self.buffers.packet[..packet.len]) {
            Some(InitReply::Ready) => {}
            Some(InitReply::Failed(fault)) => return Err(SandboxError::Unsupported(fault.to_string())),
            _ => return Err(nonsense()),
        }
        match dressed {
            (KeeperReply::Dressed, _) => {
                self.generation = Some(generation);
                Ok(())
            }
            (KeeperReply::Failed(fault), _) => Err(SandboxError::Unsupported(fault.to_string())),
            _ => Err(nonsense()),
        }
    }

    /// The generation of the run at hand.
    pub(super) fn current(&self) -> Result<&Generation, SandboxError> {
        self.generation.as_ref().ok_or_else(nonsense)
    }

    /// Ends the generation; its files, processes and everything else in it are gone afterwards, or soon.
    pub(super) fn discard(&mut self) {
        if let Some(generation) = self.generation.take() {
            // Its death frees the rest; an error means that it is dead already.
            let _ = rustix::process::pidfd_send_signal(&generation.pidfd, Signal::KILL);
            self.dying = Some(generation.pidfd);
            if self.spare.is_none()
                && let Some(keeper) = &mut self.keeper
            {
                // Without it the next run waits longer, that is all.
                self.spare = keeper.breed().ok();
            }
        }
    }

    /// Throws away the keeper too, and with it the spare generation.
    pub(super) fn discard_all(&mut self) {
        let spare = self.spare.take();
        if let Some(mut keeper) = self.keeper.take() {
            keeper.end();
            // What it had still to say can be heard after its death.
            if spare.is_some()
                && readable(&keeper.socket, Duration::ZERO)
                && let Ok((KeeperReply::Born { .. }, fds)) = keeper.answer(&mut self.buffers.packet)
            {
                for pidfd in fds {
                    let _ = rustix::process::pidfd_send_signal(&pidfd, Signal::KILL);
                    readable(&pidfd, DEATH);
                }
            }
        }
        drop(spare);
        self.discard();
        if let Some(dying) = self.dying.take() {
            // Should it take longer, its group stays until another server's start finds it.
            readable(&dying, DEATH);
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // In this order, since a group can be removed only when nobody is left in it.
        self.discard_all();
    }
}

impl Generation {
    /// Kills every process in it and waits until the kernel has ended them all.
    pub(super) fn kill(&self) -> Result<(), SandboxError> {
        // An error means that it is dead already.
        let _ = rustix::process::pidfd_send_signal(&self.pidfd, Signal::KILL);
        if readable(&self.pidfd, DEATH) { Ok(()) } else { Err(undead()) }
    }
}

impl Keeper {
    /// Asks for a generation and gives this side's end of its control socket.
    fn breed(&mut self) -> Result<OwnedFd, SandboxError> {
        let (control, theirs) =
            wire::pair().map_err(|cause| SandboxError::System { doing: "make a socket pair", cause })?;
        self.ask(&KeeperRequest::Breed, &[theirs.as_fd()])?;
        Ok(control)
    }

    fn ask(&mut self, request: &KeeperRequest, fds: &[BorrowedFd<'_>]) -> Result<(), SandboxError> {
        wire::send(&self.socket, &request.encode(), fds)
            .map_err(|cause| SandboxError::Helper(format!("it can't be reached: {cause}")))
    }

    fn answer(&mut self, buffer: &mut [u8]) -> Result<(KeeperReply, Vec<OwnedFd>), SandboxError> {
        let packet = receive_within(&self.socket, buffer, ANSWER)?;
        let reply = KeeperReply::decode(&buffer[..packet.len]).ok_or_else(nonsense)?;
        Ok((reply, packet.fds))
    }
}

impl Keeper {
    /// It would also end by itself when its socket closes; this is at once.
    fn end(&mut self) {
        // An error means that it is dead already.
        let _ = rustix::process::pidfd_send_signal(&self.pidfd, Signal::KILL);
        readable(&self.pidfd, DEATH);
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.end();
    }
}

fn undead() -> SandboxError {
    SandboxError::Helper("a killed slot did not end".to_owned())
}

pub(super) fn nonsense() -> SandboxError {
    SandboxError::Helper("it gave an answer that makes no sense".to_owned())
}

/// One packet of a helper, which has to come within `patience`.
pub(super) fn receive_within(
    socket: &OwnedFd,
    buffer: &mut [u8],
    patience: Duration,
) -> Result<wire::Packet, SandboxError> {
    if !readable(socket, patience) {
        return Err(SandboxError::Helper("it gave no answer".to_owned()));
    }
    match wire::receive(socket, buffer) {
        Ok(Some(packet)) => Ok(packet),
        Ok(None) => Err(SandboxError::Helper("it has ended".to_owned())),
        Err(cause) => Err(SandboxError::Helper(format!("it can't be heard: {cause}"))),
    }
}

fn readable(fd: &OwnedFd, within: Duration) -> bool {
    let timeout = Timespec::try_from(within).ok();
    let mut fds = [PollFd::new(fd, PollFlags::IN)];
    rustix::io::retry_on_intr(|| rustix::event::poll(&mut fds, timeout.as_ref())).is_ok_and(|ready| ready > 0)
}
