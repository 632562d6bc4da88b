//! Use cases: what somebody may do with the judge, each one transaction.
//!
//! Owns: roles and rules, and the only write transactions that web and command line cause. Must not know: HTTP, pages,
//! the sandbox, how a worker judges. `now` comes last in every call.

pub mod accounts;
pub mod affiliations;
pub mod api_tokens;
pub mod canned_answers;
pub mod clarifications;
pub mod contest_steps;
pub mod contests;
pub mod counterexamples;
pub mod dashboard;
pub mod facts;
pub mod farm;
pub mod health;
pub mod incoming;
pub mod judgements;
pub mod log_in_guard;
pub mod people;
pub mod problem_export;
pub mod problem_list;
pub mod problem_settings;
pub mod problem_versions;
pub mod problems;
pub mod registration;
pub mod rejudge;
pub mod rejudge_preview;
pub mod roster_import;
pub mod scoreboard;
pub mod second_step;
pub mod sessions;
pub mod stand_in;
pub mod submissions;
pub mod takeover;
pub mod teams;
pub mod test_cases;
pub mod test_changes;
pub mod test_zip;
pub mod trials;
pub mod verifications;

mod passwords;
mod program_place;
mod tokens;
pub mod virtual_runs;
mod visibility;

use std::net::IpAddr;

use self::problems::Publish;
use crate::domain::account::Role;
use crate::domain::ids::{AccountId, TeamId};
use crate::domain::time::EpochMs;
use crate::store::audit::{self, NewAct};
use crate::store::{Store, StoreError, WriteTx};

/// All use cases of a judge.
#[derive(Debug)]
pub struct Service {
    store: Store,
    passwords: passwords::Hasher,
    boards: scoreboard::Boards,
    previews: rejudge_preview::Previews,
    guard: log_in_guard::Guard,
}

impl Service {
    /// The use cases over this store.
    pub fn new(store: Store) -> Self {
        Self {
            store,
            passwords: passwords::Hasher::new(),
            boards: scoreboard::Boards::default(),
            previews: rejudge_preview::Previews::default(),
            guard: log_in_guard::Guard::default(),
        }
    }

    /// The store, for reads and for the bells that ring after each commit ([`Store::events`], [`Store::jobs`]).
    pub const fn store(&self) -> &Store {
        &self.store
    }
}

/// Who acts: an account that is logged in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The account.
    pub account_id: AccountId,
    /// What it may do.
    pub role: Role,
    /// The team it submits for.
    pub team_id: Option<TeamId>,
    /// Its login name.
    pub name: String,
    /// What others see.
    pub display_name: String,
    /// From where, for the log; `None` when nobody knows.
    pub address: Option<IpAddr>,
}

impl Actor {
    /// Whether it may do what this role may.
    pub fn is_at_least(&self, role: Role) -> bool {
        self.role >= role
    }
}

/// The actor's role doesn't allow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this needs the role {needed}")]
pub struct Forbidden {
    /// The weakest role that may.
    pub needed: Role,
}

fn require(actor: &Actor, needed: Role) -> Result<(), Forbidden> {
    if actor.is_at_least(needed) { Ok(()) } else { Err(Forbidden { needed }) }
}

/// The same where the command line may too (`None`): who can run it has the whole file anyway.
fn require_or_terminal(actor: Option<&Actor>, needed: Role) -> Result<(), Forbidden> {
    actor.map_or(Ok(()), |actor| require(actor, needed))
}

/// Writes an act of the staff into the log, in the transaction that does it. `None` is the command line.
async fn record(
    tx: &mut WriteTx,
    actor: Option<&Actor>,
    act: &str,
    subject: &str,
    before: Option<&str>,
    after: Option<&str>,
    now: EpochMs,
) -> Result<(), StoreError> {
    let address = actor.and_then(|actor| actor.address).map(|address| address.to_string());
    let act =
        NewAct { actor: actor.map(|actor| actor.account_id), act, subject, before, after, address: address.as_deref() };
    audit::append(tx, act, now).await
}

/// How long to wait until a window of this length, milliseconds, has room again, if the oldest act that fills it was at
/// `first`. An act of the future was before the clock was set back; it fills nothing.
fn wait_ms(first: Option<EpochMs>, window_ms: i64, now: EpochMs) -> Option<i64> {
    first.filter(|first| *first <= now).map(|first| first.plus_ms(window_ms).since(now)).filter(|wait| *wait > 0)
}
