//! Trying a program before handing it in: on the samples or on one's own input, as often as is fair to others. Nobody
//! but its author sees a trial, and it is gone after an hour.

use super::program_place::{Place, Taken, check_code, check_place};
use super::submissions::SubmitError;
use super::{Actor, Service, wait_ms};
use crate::domain::ids::TrialId;
use crate::domain::language::LanguageId;
use crate::domain::source::SourceFile;
use crate::domain::time::EpochMs;
use crate::store::StoreError;
use crate::store::job::{self, PRIORITY_TRIAL, Work};
use crate::store::trial::{self, NewTrial, Trial};

/// How many programs an account may try within [`RATE_WINDOW_MS`].
pub const RATE: u32 = 10;
/// The span that [`RATE`] is counted over, milliseconds.
pub const RATE_WINDOW_MS: i64 = 60_000;
/// How long a trial is kept, milliseconds.
pub const KEPT_MS: i64 = 3_600_000;
/// How many trials of one account are kept.
const KEPT: u32 = 20;
/// The largest input of one's own, bytes.
pub const MAX_OWN_INPUT: usize = 64 * 1024;
/// The largest program that is tried, bytes: trials lie in the database as they are.
pub const MAX_TRIED_BYTES: usize = 1024 * 1024;

/// A program to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TryProgram {
    /// The contest's slug; `None` is the practice contest.
    pub contest: Option<String>,
    /// The problem's slug.
    pub problem: String,
    /// The language; that the judge offers it is for the caller to check.
    pub language: LanguageId,
    /// The program.
    pub file: SourceFile,
    /// One's own input; `None`: the samples.
    pub input: Option<Vec<u8>>,
}

/// Why a program was not tried.
#[derive(Debug, thiserror::Error)]
pub enum TryError {
    /// It could not be handed in either.
    #[error(transparent)]
    Refused(#[from] SubmitError),
    /// The input is too large.
    #[error("the input has {bytes} bytes; at most {MAX_OWN_INPUT} are taken")]
    InputTooLarge {
        /// Its size.
        bytes: usize,
    },
    /// The program is too large to be tried.
    #[error("the program has {bytes} bytes; at most {MAX_TRIED_BYTES} are tried")]
    ProgramTooLarge {
        /// Its size.
        bytes: usize,
    },
}

impl From<StoreError> for TryError {
    fn from(error: StoreError) -> Self {
        Self::Refused(error.into())
    }
}

impl Service {
    /// Queues a trial, and lets old ones go.
    ///
    /// # Errors
    /// [`TryError`]: every variant but a failing store is for the form.
    pub async fn try_program(&self, actor: &Actor, new: TryProgram, now: EpochMs) -> Result<TrialId, TryError> {
        if let Some(bytes) = new.input.as_ref().map(Vec::len).filter(|bytes| *bytes > MAX_OWN_INPUT) {
            return Err(TryError::InputTooLarge { bytes });
        }
        let bytes = new.file.contents().len();
        if bytes > MAX_TRIED_BYTES {
            return Err(TryError::ProgramTooLarge { bytes });
        }
        let mut tx = self.store.begin_write().await?;
        let place = Place { contest: new.contest.as_deref(), problem: &new.problem, language: &new.language };
        let Taken { problem, .. } = check_place(&mut tx, actor, place, now).await?;
        let (Some(package), Some(test_set)) = (problem.package_id, problem.test_set_id) else {
            return Err(SubmitError::NotPublished(problem.slug).into());
        };
        check_code(&mut tx, &problem, &new.language, bytes as u64).await?;
        let first = trial::nth_newest(&mut *tx, actor.account_id, RATE).await?;
        if let Some(retry_after_ms) = wait_ms(first, RATE_WINDOW_MS, now) {
            return Err(SubmitError::TooFast { retry_after_ms }.into());
        }
        // One is about to come.
        trial::delete_old(&mut tx, actor.account_id, KEPT - 1, now.plus_ms(-KEPT_MS)).await?;
        let row = NewTrial {
            account: actor.account_id,
            problem: problem.id,
            package,
            test_set,
            language: &new.language,
            file_name: new.file.name(),
            source: new.file.contents(),
            input: new.input.as_deref(),
        };
        let id = trial::insert(&mut tx, row, now).await?;
        job::queue(&mut tx, Work::Trial(id), PRIORITY_TRIAL, Some(actor.account_id), now).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// A trial, for its author alone.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn trial(&self, actor: &Actor, id: TrialId, now: EpochMs) -> Result<Option<Trial>, StoreError> {
        let found = trial::by_id(self.store.read(), id).await?;
        Ok(found.filter(|trial| trial.account_id == actor.account_id && now.since(trial.created) < KEPT_MS))
    }
}
