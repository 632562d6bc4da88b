//! What a server does for what others left behind: before it works it takes over from the one before it, and from time to
//! time it throws away contents that nothing names.

use super::Service;
use crate::domain::time::EpochMs;
use crate::store::{StoreError, blob_sweep, takeover};

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

    /// Throws away contents that nothing has named for an hour. Tells how many there were.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn sweep_blobs(&self, now: EpochMs) -> Result<u64, StoreError> {
        blob_sweep::sweep(&self.store, now).await
    }
}
