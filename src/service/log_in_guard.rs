//! How many wrong passwords are looked at: so many of one account, so many from one address, within a while. It is kept
//! in memory: a restart forgives. Must not know: passwords, who has an account.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use crate::domain::time::EpochMs;

/// The span that failures are counted over, milliseconds.
pub const WINDOW_MS: i64 = 300_000;
/// Failures for one account name within [`WINDOW_MS`]; then nobody's password for it is looked at.
pub const PER_ACCOUNT: usize = 10;
/// Failures from one address within [`WINDOW_MS`]. A whole contest may sit behind one address.
pub const PER_ADDRESS: usize = 100;
/// How many names and addresses are kept in mind.
const KEPT: usize = 20_000;

/// Failures of the last while, by whom they were for and from where.
#[derive(Debug, Default)]
pub(super) struct Guard {
    failures: Mutex<HashMap<Key, VecDeque<EpochMs>>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Account(String),
    /// An IPv6 address stands for its /64, which is one household's.
    Address([u8; 16]),
}

impl Guard {
    /// Counts a try as failed before its password is looked at, so that many at once can't slip through; the way back is
    /// [`Guard::succeeded`].
    ///
    /// # Errors
    /// After how many milliseconds the next may come, when there were too many.
    pub(super) fn begin(&self, name: &str, from: Option<IpAddr>, now: EpochMs) -> Result<(), i64> {
        let keys = keys(name, from);
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= KEPT {
            failures.retain(|_, times| times.back().is_some_and(|last| now.since(*last) < WINDOW_MS));
            if failures.len() >= KEPT {
                failures.clear();
            }
        }
        let mut wait = None;
        for key in &keys {
            let Some(times) = failures.get_mut(key) else { continue };
            while times.front().is_some_and(|first| now.since(*first) >= WINDOW_MS) {
                times.pop_front();
            }
            if times.len() >= key.most() {
                let first = times.front().map_or(0, |first| first.plus_ms(WINDOW_MS).since(now));
                wait = wait.max(Some(first));
            }
        }
        if let Some(wait) = wait {
            return Err(wait);
        }
        for key in keys {
            failures.entry(key).or_default().push_back(now);
        }
        Ok(())
    }

    /// Takes back what [`Guard::begin`] counted: the password was right. Earlier failures stay: an account's owner who
    /// logs in now and then must not clear the way for others.
    pub(super) fn succeeded(&self, name: &str, from: Option<IpAddr>, begun: EpochMs) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        for key in keys(name, from) {
            let Some(times) = failures.get_mut(&key) else { continue };
            if let Some(at) = times.iter().rposition(|time| *time == begun) {
                times.remove(at);
            }
            if times.is_empty() {
                failures.remove(&key);
            }
        }
    }
}

impl Key {
    const fn most(&self) -> usize {
        match self {
            Self::Account(_) => PER_ACCOUNT,
            Self::Address(_) => PER_ADDRESS,
        }
    }
}

fn keys(name: &str, from: Option<IpAddr>) -> Vec<Key> {
    // Names are found without regard to case; a long one is cut, nobody has it.
    let name: String = name.chars().take(64).collect::<String>().to_lowercase();
    let mut keys = vec![Key::Account(name)];
    keys.extend(from.map(|from| {
        let mut bytes = match from {
            IpAddr::V4(v4) => v4.to_ipv6_mapped().octets(),
            IpAddr::V6(v6) => v6.octets(),
        };
        if !bytes.starts_with(&[0; 10]) {
            bytes[8..].fill(0);
        }
        Key::Address(bytes)
    }));
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: EpochMs = EpochMs(1_000_000);

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_account_has_so_many_failures_wherever_they_come_from() {
        let guard = Guard::default();
        for number in 0..PER_ACCOUNT {
            let from = Some(address(&format!("10.0.0.{number}")));
            let name = if number % 2 == 0 { "ada" } else { "ADA" };
            assert_eq!(guard.begin(name, from, NOW.plus_ms(i64::try_from(number).unwrap())), Ok(()));
        }
        let later = NOW.plus_ms(1_000);
        assert_eq!(guard.begin("ada", Some(address("10.9.9.9")), later), Err(WINDOW_MS - 1_000));
        assert_eq!(guard.begin("bob", Some(address("10.9.9.9")), later), Ok(()));
        assert_eq!(
            guard.begin("ada", Some(address("10.9.9.9")), NOW.plus_ms(WINDOW_MS)),
            Ok(()),
            "one fell out of the window"
        );
        assert!(guard.begin("ada", None, NOW.plus_ms(WINDOW_MS)).is_err());
    }

    #[test]
    fn an_address_has_so_many_failures_whoever_they_are_for() {
        let guard = Guard::default();
        for number in 0..PER_ADDRESS {
            assert_eq!(
                guard.begin(&format!("name{number}"), Some(address(&format!("2001:db8::{number:x}"))), NOW),
                Ok(())
            );
        }
        assert_eq!(guard.begin("ada", Some(address("2001:db8::ffff")), NOW), Err(WINDOW_MS));
        assert_eq!(guard.begin("ada", Some(address("2001:db8:0:1::1")), NOW), Ok(()), "another network");
        assert_eq!(guard.begin("ada", Some(address("10.0.0.1")), NOW), Ok(()));
    }

    #[test]
    fn what_was_right_does_not_count() {
        let guard = Guard::default();
        for _ in 0..PER_ADDRESS * 2 {
            assert_eq!(guard.begin("ada", Some(address("10.0.0.1")), NOW), Ok(()));
            guard.succeeded("ada", Some(address("10.0.0.1")), NOW);
        }
        assert!(guard.failures.lock().unwrap().is_empty());
    }
}
