//! Argon2id, off the async threads, a few at a time.

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;

use crate::domain::account::NewPassword;

/// Each hashing takes 19 MiB and a core: a flood of log-ins must not take the judge's.
const AT_ONCE: usize = 2;

/// What a log-in with an unknown name is checked against, with today's parameters, so that it takes as long as another.
/// Nobody knows a password for it: the hash is not the result of any hashing.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// What hashing a generated password takes, KiB.
const GENERATED_KIB: u32 = 64;
/// Letters and digits that nobody takes for another one in print.
const ALPHABET: &[u8; 31] = b"abcdefghjkmnpqrstuvwxyz23456789";
/// How many of them a generated password has, in groups of [`GROUP`]: 31^12 are 59 bits.
const LENGTH: usize = 12;
const GROUP: usize = 4;

/// A random password that can be read from paper: `abcd-efgh-jkmn`.
pub(super) fn generated() -> Result<NewPassword, GenerationFailed> {
    let mut text = String::with_capacity(LENGTH + LENGTH / GROUP);
    let mut letters = 0;
    while letters < LENGTH {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        // Bytes at the end of the range would make the first letters likelier.
        let fair = bytes.into_iter().map(usize::from).filter(|byte| *byte < 256 / ALPHABET.len() * ALPHABET.len());
        for byte in fair.take(LENGTH - letters) {
            if letters > 0 && letters % GROUP == 0 {
                text.push('-');
            }
            text.push(char::from(ALPHABET[byte % ALPHABET.len()]));
            letters += 1;
        }
    }
    Ok(text.parse()?)
}

/// No password could be made.
#[derive(Debug, thiserror::Error)]
pub enum GenerationFailed {
    /// Our fault.
    #[error("no randomness: {0}")]
    Random(#[from] getrandom::Error),
    /// Our fault.
    #[error(transparent)]
    Bad(#[from] crate::domain::account::BadPassword),
}

/// Hashing failed: no randomness or no memory, or the program is ending.
#[derive(Debug, thiserror::Error)]
#[error("the password could not be hashed: {0}")]
pub struct HashingFailed(String);

#[derive(Debug)]
pub(super) struct Hasher {
    permits: Semaphore,
}

impl Hasher {
    pub(super) const fn new() -> Self {
        Self { permits: Semaphore::const_new(AT_ONCE) }
    }

    /// The PHC string of a password, with a salt of its own.
    pub(super) async fn hash(&self, password: &NewPassword) -> Result<String, HashingFailed> {
        let password = password.clone();
        self.run(move || {
            let hash: Result<PasswordHash, _> = Argon2::default().hash_password(password.expose().as_bytes());
            hash.map(|hash| hash.to_string()).map_err(|error| HashingFailed(error.to_string()))
        })
        .await
    }

    /// The same for a password that [`generated`] made: nobody can guess 59 random bits however fast a guess is, so that
    /// thousands can be hashed at once.
    pub(super) async fn hash_generated(&self, passwords: Vec<NewPassword>) -> Result<Vec<String>, HashingFailed> {
        self.run(move || {
            let failed = |error: &dyn std::fmt::Display| HashingFailed(error.to_string());
            let params = Params::new(GENERATED_KIB, 1, 1, None).map_err(|error| failed(&error))?;
            let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
            let hash = |password: &NewPassword| -> Result<String, HashingFailed> {
                let hash: Result<PasswordHash, _> = argon2.hash_password(password.expose().as_bytes());
                hash.map(|hash| hash.to_string()).map_err(|error| failed(&error))
            };
            passwords.iter().map(hash).collect()
        })
        .await
    }

    /// Whether the password is the hash's. Without a hash it takes as long and is never right.
    pub(super) async fn verify(&self, password: &str, hash: Option<String>) -> Result<bool, HashingFailed> {
        let password = password.to_owned();
        self.run(move || {
            let known = hash.is_some();
            let hash = PasswordHash::new(hash.as_deref().unwrap_or(NOBODY))
                .map_err(|error| HashingFailed(error.to_string()))?;
            let right = Argon2::default().verify_password(password.as_bytes(), &hash).is_ok();
            if hash.params.get_decimal("m").is_some_and(|kib| kib < Params::DEFAULT_M_COST) {
                // One that was made to be hashed fast takes as long as every other, lest it tell that it is there.
                let nobody = PasswordHash::new(NOBODY).map_err(|error| HashingFailed(error.to_string()))?;
                let _ = Argon2::default().verify_password(password.as_bytes(), &nobody);
            }
            Ok(right && known)
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, HashingFailed> + Send + 'static,
    ) -> Result<T, HashingFailed> {
        let _permit = self.permits.acquire().await.map_err(|error| HashingFailed(error.to_string()))?;
        let span = tracing::Span::current();
        tokio::task::spawn_blocking(move || span.in_scope(work))
            .await
            .map_err(|error| HashingFailed(error.to_string()))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_right_password_is_right() {
        let hasher = Hasher::new();
        let hash = hasher.hash(&"correct horse".parse().expect("long enough")).await.expect("hashes");
        assert!(hasher.verify("correct horse", Some(hash.clone())).await.expect("verifies"));
        assert!(!hasher.verify("correct hors", Some(hash)).await.expect("verifies"));
        assert!(!hasher.verify("", None).await.expect("the stand-in is a well-formed hash"));
    }

    #[tokio::test]
    async fn generated_passwords_differ_and_work() {
        let passwords: Vec<NewPassword> = (0..200).map(|_| generated().expect("makes")).collect();
        let mut texts: Vec<&str> = passwords.iter().map(NewPassword::expose).collect();
        assert!(texts.iter().all(|text| text.len() == 14 && text.split('-').all(|part| part.len() == 4)), "{texts:?}");
        let letters: std::collections::BTreeSet<char> = texts.iter().flat_map(|text| text.chars()).collect();
        assert_eq!(letters.len(), ALPHABET.len() + 1, "all letters come up");
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), 200);
        let hasher = Hasher::new();
        let stored = hasher.hash_generated(passwords.clone()).await.expect("hashes");
        assert!(hasher.verify(passwords[0].expose(), Some(stored[0].clone())).await.expect("verifies"));
        assert!(!hasher.verify(passwords[1].expose(), Some(stored[0].clone())).await.expect("verifies"));
    }
}
