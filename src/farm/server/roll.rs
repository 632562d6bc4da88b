//! Which workers there are, and which of them get jobs.
//!
//! Owns: the decision whether a machine may judge, and what. What the staff says of it stands in the database and is looked
//! up each time, so that it counts at once, whoever wrote it. Must not know: claims.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::domain::time::EpochMs;
use crate::domain::worker_name::WorkerName;
use crate::farm::wire::PROTOCOL;
use crate::farm::wire::call::{Answer, Hello, Measure, Offered};
use crate::store::farm_claim::{Abilities, Entitled};
use crate::store::farm_worker::{self, Introduction, WorkerState};
use crate::store::{Store, StoreError, Texts};

use super::measure;

/// A clock that is further off is told, milliseconds.
const CLOCK_OFF_MS: u64 = 60_000;

/// How it stands with a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It gets these jobs.
    Works(Entitled),
    /// It has not said who it is since the server was started.
    Unknown,
    /// It gets no jobs for now, and why.
    Resting(String),
    /// It gets none as it is, and why.
    Refused(String),
}

/// The workers that have said who they are.
#[derive(Debug)]
pub struct Roll {
    store: Store,
    own: Option<Measure>,
    known: Mutex<HashMap<WorkerName, Result<Entitled, String>>>,
}

impl Roll {
    /// Nobody has come yet. `own` is what the server judges with itself.
    pub fn new(store: Store, own: Option<Measure>) -> Self {
        Self { store, own, known: Mutex::default() }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<WorkerName, Result<Entitled, String>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A worker says who it is.
    pub async fn introduce(&self, worker: &WorkerName, hello: &Hello, now: EpochMs) -> Result<Answer, StoreError> {
        let standard = self.standard(worker).await?;
        let judged = judged(hello, standard.as_ref());
        let (refused, kind) = (judged.as_ref().err(), measure::kind(&hello.measure));
        if let Some(why) = refused {
            tracing::warn!(%worker, why, "a worker gets no jobs");
        } else {
            tracing::info!(%worker, slots = hello.slots, version = hello.version, "a worker has come");
        }
        let said = Introduction {
            version: &hello.version.chars().take(80).collect::<String>(),
            slots: hello.slots.into(),
            refused: refused.map(String::as_str),
            measure: &serde_json::to_string(&hello.measure).unwrap_or_else(|_| "{}".to_owned()),
            clock_ahead_ms: hello.clock_ms.saturating_sub(now.0),
            kind: &kind,
        };
        if said.clock_ahead_ms.unsigned_abs() > CLOCK_OFF_MS {
            let seconds = said.clock_ahead_ms / 1000;
            tracing::warn!(%worker, seconds, "a worker's clock is that far ahead of this one; no verdict depends on it");
        }
        let mut tx = self.store.begin_write().await?;
        farm_worker::introduce(&mut tx, worker, &said, now).await?;
        tx.commit().await?;
        let answer = refused.map_or(Answer::Done, |why| Answer::Refused(why.clone()));
        self.known().insert(worker.clone(), judged.map(|may| Entitled { may, kind }));
        Ok(answer)
    }

    /// A worker still lives.
    pub async fn alive(&self, worker: &WorkerName, now: EpochMs) -> Result<Answer, StoreError> {
        if !self.known().contains_key(worker) {
            return Ok(Answer::Unknown);
        }
        let mut tx = self.store.begin_write().await?;
        farm_worker::alive(&mut tx, worker, now).await?;
        tx.commit().await?;
        Ok(Answer::Done)
    }

    /// How it stands with it now.
    pub async fn standing(&self, worker: &WorkerName) -> Result<Standing, StoreError> {
        let entitled = match self.known().get(worker) {
            None => return Ok(Standing::Unknown),
            Some(Err(why)) => return Ok(Standing::Refused(why.clone())),
            Some(Ok(entitled)) => entitled.clone(),
        };
        Ok(match farm_worker::state(self.store.read(), worker).await? {
            None => Standing::Unknown,
            Some(WorkerState::Active) => Standing::Works(entitled),
            Some(WorkerState::Draining) => Standing::Resting("the staff lets this machine run empty".to_owned()),
            Some(WorkerState::Forbidden) => {
                Standing::Resting("the staff has forbidden this machine to judge".to_owned())
            }
        })
    }

    /// What can be judged where the server doesn't judge itself: what the machine can by which the others are measured. Others
    /// may lack a compiler, and then they get nothing in that language.
    pub async fn offers(&self) -> Result<Vec<Offered>, StoreError> {
        Ok(self.first_machine(None).await?.map(|measure| measure.offers).unwrap_or_default())
    }

    /// What the others are measured by: the server itself, or where it doesn't judge the machine that came first.
    async fn standard(&self, but: &WorkerName) -> Result<Option<Measure>, StoreError> {
        if self.own.is_some() {
            return Ok(self.own.clone());
        }
        self.first_machine(Some(but)).await
    }

    async fn first_machine(&self, but: Option<&WorkerName>) -> Result<Option<Measure>, StoreError> {
        let mut others = farm_worker::all(self.store.read()).await?;
        others.retain(|one| Some(&one.name) != but && one.state != WorkerState::Forbidden && one.refused.is_none());
        let first = others.into_iter().min_by_key(|one| one.first_seen);
        Ok(first.and_then(|one| serde_json::from_str(&one.measure).ok()))
    }
}

/// What a worker may do, or why it gets no jobs.
fn judged(hello: &Hello, standard: Option<&Measure>) -> Result<Abilities, String> {
    let version = env!("CARGO_PKG_VERSION");
    if hello.protocol != PROTOCOL || hello.version != version {
        return Err(format!(
            "it runs version {} (protocol {}), the server {version} (protocol {PROTOCOL}): verdicts could differ; install \
             the server's version on it",
            hello.version.escape_debug(),
            hello.protocol
        ));
    }
    let Some(standard) = standard else { return Ok(Abilities::All) };
    measure::fits(&hello.measure, standard)?;
    if measure::judges_alike(&hello.measure, standard) {
        return Ok(Abilities::All);
    }
    Ok(Abilities::Only(Texts(hello.measure.offers.iter().map(|language| language.id.to_string()).collect())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello() -> Hello {
        let c = Offered {
            id: "c".parse().unwrap(),
            name: "C".to_owned(),
            version: "gcc 14".to_owned(),
            extensions: vec!["c".to_owned()],
            default_for: vec!["c".to_owned()],
            compiler: None,
            runner: None,
        };
        Hello {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            slots: 2,
            clock_ms: 0,
            measure: Measure { sandbox: "1".to_owned(), offers: vec![c], ..Measure::default() },
        }
    }

    #[test]
    fn another_version_gets_no_jobs() {
        assert_eq!(judged(&hello(), None), Ok(Abilities::All));
        for old in [Hello { protocol: 0, ..hello() }, Hello { version: "0.0.1".to_owned(), ..hello() }] {
            let why = judged(&old, None).unwrap_err();
            assert!(why.contains("install the server's version"), "{why}");
        }
    }

    #[test]
    fn other_tools_judge_only_what_does_not_ask_for_the_servers() {
        let same = hello().measure;
        assert_eq!(judged(&hello(), Some(&same)), Ok(Abilities::All));
        let other = Measure { sandbox: "2".to_owned(), ..same };
        assert_eq!(judged(&hello(), Some(&other)), Ok(Abilities::Only(Texts(vec!["c".to_owned()]))));
    }

    #[test]
    fn a_newer_hello_is_understood_as_far_as_it_matters() {
        let said = r#"{"hello":{"protocol":9,"version":"7.0.0","colour":"red"}}"#;
        let Call::Hello(hello) = serde_json::from_str(said).unwrap() else { panic!("no hello") };
        assert!(judged(&hello, None).unwrap_err().contains("7.0.0"));
    }

    use crate::farm::wire::call::{Call, Offered};
}
