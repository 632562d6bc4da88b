//! Argon2id, off the async threads, a few at a time.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use tokio::sync::Semaphore;

use crate::domain::account::NewPassword;

/// Each hashing takes 19 MiB and a core: a flood of log-ins must not take the judge's.
const AT_ONCE: usize = 2;

/// What a log-in with an unknown name is checked against, with today's parameters, so that it takes as long as another.
/// Nobody knows a password for it: the hash is not the result of any hashing.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

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

    /// Whether the password is the hash's. Without a hash it takes as long and is never right.
    pub(super) async fn verify(&self, password: &str, hash: Option<String>) -> Result<bool, HashingFailed> {
        let password = password.to_owned();
        self.run(move || {
            let known = hash.is_some();
            let hash = PasswordHash::new(hash.as_deref().unwrap_or(NOBODY))
                .map_err(|error| HashingFailed(error.to_string()))?;
            let right = Argon2::default().verify_password(password.as_bytes(), &hash).is_ok();
            Ok(right && known)
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, HashingFailed> + Send + 'static,
    ) -> Result<T, HashingFailed> {
        let _permit = self.permits.acquire().await.map_err(|error| HashingFailed(error.to_string()))?;
        tokio::task::spawn_blocking(work).await.map_err(|error| HashingFailed(error.to_string()))?
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
}
