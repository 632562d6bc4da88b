//! The spawner as the server holds it.
//!
//! Owns: starting it, replacing it after its death, asking it for keepers. Must not know: what keepers do.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::SandboxError;
use super::helper;
use super::identity::{IDS_PER_SLOT, MOST_SLOTS};
use super::protocol::{SpawnerReply, SpawnerRequest};
use super::wire;

/// One for all slots of a sandbox; slots ask it in turn.
#[derive(Debug)]
pub(super) struct SpawnerHandle {
    helper: PathBuf,
    /// Of the ids that its slots use.
    first_id: u32,
    running: Mutex<Option<Running>>,
    /// No run begins or goes on any more.
    closed: AtomicBool,
}

#[derive(Debug)]
struct Running {
    process: Child,
    socket: OwnedFd,
    own_ids: bool,
}

/// A new keeper.
pub(super) struct Spawned {
    /// Becomes readable when the keeper has ended.
    pub(super) pidfd: OwnedFd,
    /// See [`SpawnerReply::Ready`].
    pub(super) own_ids: bool,
}

/// How long it may take to answer.
const ANSWER: Duration = Duration::from_secs(20);

/// First of the ids that slots use as root: above all that are handed out to users, services and containers.
const FIRST_ID: u32 = 0x7000_0000;

impl SpawnerHandle {
    /// Starts nothing yet.
    pub(super) fn new(helper: &Path) -> Self {
        // Distinct per server as far as 16 bits go.
        let place = std::process::id() & 0xffff;
        Self {
            helper: helper.to_owned(),
            first_id: FIRST_ID + place * MOST_SLOTS * IDS_PER_SLOT,
            running: Mutex::default(),
            closed: AtomicBool::new(false),
        }
    }

    /// The id that the init of slot `index` has where slots have ids of their own.
    pub(super) fn init_id(&self, index: u32) -> u32 {
        self.first_id + index * IDS_PER_SLOT
    }

    /// For all slots, and for ever.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    /// # Errors
    /// [`SandboxError::Closed`].
    pub(super) fn check_open(&self) -> Result<(), SandboxError> {
        if self.closed.load(Ordering::Relaxed) { Err(SandboxError::Closed) } else { Ok(()) }
    }

    /// A keeper for slot `index`, which serves `socket`. A spawner that has died since the last time is replaced.
    pub(super) fn keeper(&self, index: u32, socket: &OwnedFd) -> Result<Spawned, SandboxError> {
        // A panic while it was held can have left it anywhere in a question; its answers would be the wrong ones.
        let mut running = self.running.lock().unwrap_or_else(|poisoned| {
            let mut running = poisoned.into_inner();
            *running = None;
            running
        });
        if let Some(spawner) = running.as_mut() {
            match spawner.ask(index, socket) {
                Err(SandboxError::Helper(_)) => {}
                answered => return answered,
            }
            *running = None;
        }
        let mut spawner = self.start()?;
        let answer = spawner.ask(index, socket);
        if !matches!(answer, Err(SandboxError::Helper(_))) {
            *running = Some(spawner);
        }
        answer
    }

    fn start(&self) -> Result<Running, SandboxError> {
        let (socket, theirs) =
            wire::pair().map_err(|cause| SandboxError::System { doing: "make a socket pair", cause })?;
        #[expect(clippy::disallowed_methods, reason = "starting the helper is what this file is for")]
        let process = Command::new(&self.helper)
            .args(helper::spawner_arguments(self.first_id))
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|cause| {
                SandboxError::Helper(format!("{} could not be started: {cause}", self.helper.display()))
            })?;
        let mut spawner = Running { process, socket, own_ids: false };
        match spawner.answer()? {
            (SpawnerReply::Ready { own_ids }, _) => spawner.own_ids = own_ids,
            (SpawnerReply::Failed(fault), _) => return Err(SandboxError::Unsupported(fault.to_string())),
            (SpawnerReply::Spawned, _) => return Err(super::slot::nonsense()),
        }
        Ok(spawner)
    }
}

impl Running {
    fn ask(&mut self, index: u32, socket: &OwnedFd) -> Result<Spawned, SandboxError> {
        wire::send(&self.socket, &SpawnerRequest::Keeper { index }.encode(), &[socket.as_fd()])
            .map_err(|cause| SandboxError::Helper(format!("it can't be reached: {cause}")))?;
        match self.answer()? {
            (SpawnerReply::Spawned, mut fds) => {
                let pidfd = fds.pop().ok_or_else(super::slot::nonsense)?;
                Ok(Spawned { pidfd, own_ids: self.own_ids })
            }
            (SpawnerReply::Failed(fault), _) => Err(SandboxError::Unsupported(fault.to_string())),
            (SpawnerReply::Ready { .. }, _) => Err(super::slot::nonsense()),
        }
    }

    fn answer(&mut self) -> Result<(SpawnerReply, Vec<OwnedFd>), SandboxError> {
        let mut buffer = [0; 4096];
        let packet = super::slot::receive_within(&self.socket, &mut buffer, ANSWER)?;
        let reply = SpawnerReply::decode(&buffer[..packet.len]).ok_or_else(super::slot::nonsense)?;
        Ok((reply, packet.fds))
    }
}

impl Drop for Running {
    /// It would also end by itself when its socket closes; this is at once, and leaves no zombie.
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
