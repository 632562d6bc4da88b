//! What a server does before it works: it takes over from the one before it.

use super::Service;
use crate::domain::time::EpochMs;
use crate::store::{StoreError, takeover};

impl Service {
    /// Puts every claimed job back into the queue. Only for a process that has the data folder to itself: whoever had
    /// claimed them is gone. Tells how many there were.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn take_back_claims(&self, now: EpochMs) -> Result<usize, StoreError> {
        let mut tx = self.store.begin_write().await?;
        let taken_back = takeover::take_back_claims(&mut tx, now).await?;
        tx.commit().await?;
        Ok(taken_back)
    }
}
