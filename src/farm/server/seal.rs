//! The server's word that a slot was given a claim.
//!
//! NATS' permissions keep a worker to its own subjects. This keeps it from more: it can't show a claim that was given to
//! somebody else, whatever it sends and however it got there.

use std::fmt::Write as _;

use hmac::{Hmac, KeyInit as _, Mac as _};

use crate::domain::hash::Sha256;
use crate::domain::ids::JobId;

/// Makes and checks them. Its key stays with the judge, so that a server that is started again knows its own words.
#[derive(Clone)]
pub struct Sealer {
    key: [u8; 32],
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sealer")
    }
}

impl Sealer {
    /// With this key.
    pub const fn new(key: [u8; 32]) -> Self {
        Self { key }
    }

    fn mac(&self, kind: &str, parts: &[&[u8]]) -> Hmac<sha2::Sha256> {
        let mut mac = self.empty();
        for part in std::iter::once(kind.as_bytes()).chain(parts.iter().copied()) {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac
    }

    #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
    fn empty(&self) -> Hmac<sha2::Sha256> {
        Hmac::new_from_slice(&self.key).expect("a key")
    }

    fn claim(&self, slot: &str, job: JobId, token: i64) -> Hmac<sha2::Sha256> {
        self.mac("claim", &[slot.as_bytes(), &job.0.to_le_bytes(), &token.to_le_bytes()])
    }

    /// That this slot was given this claim.
    pub fn seal(&self, slot: &str, job: JobId, token: i64) -> String {
        hex(&self.claim(slot, job, token).finalize().into_bytes())
    }

    /// Whether it was; in constant time.
    pub fn is_genuine(&self, slot: &str, job: JobId, token: i64, seal: &str) -> bool {
        let Ok(seal) = seal.parse::<Sha256>() else { return false };
        self.claim(slot, job, token).verify_slice(seal.as_bytes()).is_ok()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_fits_one_claim_of_one_slot() {
        let sealer = Sealer::new([7; 32]);
        let seal = sealer.seal("a/1", JobId(5), 2);
        assert!(sealer.is_genuine("a/1", JobId(5), 2, &seal));
        for (slot, job, token) in [("a/2", 5, 2), ("b/1", 5, 2), ("a/1", 6, 2), ("a/1", 5, 3)] {
            assert!(!sealer.is_genuine(slot, JobId(job), token, &seal), "{slot} {job} {token}");
        }
        assert!(!Sealer::new([8; 32]).is_genuine("a/1", JobId(5), 2, &seal));
        for wrong in ["", "00", &"0".repeat(64)] {
            assert!(!sealer.is_genuine("a/1", JobId(5), 2, wrong));
        }
    }
}
