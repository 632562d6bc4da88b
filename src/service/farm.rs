//! Machines that judge for this server: who they are, and what the staff wants of them.

use super::{Actor, Forbidden, Service, record, require, require_or_terminal};
use crate::domain::account::Role;
use crate::domain::hash::Sha256;
use crate::domain::time::EpochMs;
use crate::domain::worker_name::WorkerName;
use crate::store::farm_worker::{self, Worker, WorkerState};
use crate::store::health::{self, RunningJob};
use crate::store::host_fit::{self, Misfit};
use crate::store::{StoreError, farm_claim, setting};

/// Under which the key of the judge's own words is stored.
const KEY: &str = "farm_key";

/// Why the key can't be had.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The system gives no random numbers.
    #[error("the system gives no random numbers: {0}")]
    Random(#[from] getrandom::Error),
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why nothing was done about a machine.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// The role doesn't allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// It was never heard of.
    #[error("there is no machine called {0}; it is known once its worker has reached the server")]
    NoSuchMachine(String),
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A machine and what it does now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// It.
    pub worker: Worker,
    /// What its slots work on.
    pub jobs: Vec<RunningJob>,
    /// Problems that its kind of machine doesn't judge, or not yet.
    pub misfits: Vec<Misfit>,
}

impl Service {
    /// The key with which the server seals what it hands to workers: made once, so that a server that is started again knows
    /// its own words.
    ///
    /// # Errors
    /// [`KeyError`].
    pub async fn farm_key(&self) -> Result<[u8; 32], KeyError> {
        let mut tx = self.store.begin_write().await?;
        let stored = setting::get(&mut *tx, KEY).await?;
        if let Some(key) = stored.and_then(|text| text.parse::<Sha256>().ok()) {
            return Ok(*key.as_bytes());
        }
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        setting::set(&mut tx, KEY, &Sha256::from_bytes(key).to_string()).await?;
        tx.commit().await?;
        Ok(key)
    }

    /// All machines, by name.
    ///
    /// # Errors
    /// [`MachineError::Forbidden`] below judge.
    pub async fn machines(&self, actor: &Actor) -> Result<Vec<Machine>, MachineError> {
        require(actor, Role::Judge)?;
        let workers = farm_worker::all(self.store.read()).await?;
        if workers.is_empty() {
            return Ok(Vec::new());
        }
        let running = health::running(self.store.read()).await?;
        let misfits = host_fit::misfits(self.store.read()).await?;
        let of = |name: &WorkerName| {
            let is_of = |job: &&RunningJob| {
                job.worker
                    .as_deref()
                    .and_then(|slot| slot.split_once('/'))
                    .is_some_and(|(host, _)| host == name.as_str())
            };
            running.iter().filter(is_of).cloned().collect()
        };
        let left_out =
            |worker: &Worker| misfits.iter().filter(|misfit| Some(misfit.kind) == worker.kind).cloned().collect();
        let machine = |worker: Worker| Machine { jobs: of(&worker.name), misfits: left_out(&worker), worker };
        Ok(workers.into_iter().map(machine).collect())
    }

    /// Says what is wanted of a machine. What a forbidden one had in hand is done by others, and its results are refused.
    ///
    /// # Errors
    /// [`MachineError::Forbidden`] below admin, [`MachineError::NoSuchMachine`].
    pub async fn set_machine_state(
        &self,
        actor: Option<&Actor>,
        name: &WorkerName,
        state: WorkerState,
        now: EpochMs,
    ) -> Result<(), MachineError> {
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.begin_write().await?;
        let before = farm_worker::state(&mut *tx, name).await?;
        let before = before.ok_or_else(|| MachineError::NoSuchMachine(name.to_string()))?;
        farm_worker::set_state(&mut tx, name, state).await?;
        if state == WorkerState::Forbidden {
            farm_claim::give_back_all_of_machine(&mut tx, name.as_str(), now).await?;
        }
        let (old, new) = (Some(before.as_str()), Some(state.as_str()));
        record(&mut tx, actor, "machine.state", name.as_str(), old, new, now).await?;
        tx.commit().await?;
        Ok(())
    }
}
